//! Every form of float arithmetic, half precision and conversion, as C and on the emulator, on the same operands.
//!
//! A form is written in the notation of the parser's table: words in brackets may be missing, `|` separates alternatives, `$name` is a set of [`lists::SETS`].
//! In an operand, `w` stands for written and `r` for read. The digit behind it selects a type of the opcode, `p` means a predicate, and `+` allows wider registers.

mod lists;
mod text;
mod values;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use emulator::{Launch, Memory, Outcome, Program};
use ptx_parser::{Inst, Kernel, Module, Type};

use super::instruction;
use super::names::{ModuleNames, Names};
use super::view::View;
use values::operands;

/// Rows of operands for each form.
const ROWS: usize = 1024;

/// The runtime's headers that these forms need.
const HEADERS: &[&str] = &[
    include_str!("../../runtime/base.h"),
    include_str!("../../runtime/float.h"),
    include_str!("../../runtime/rounding.h"),
    include_str!("../../runtime/half.h"),
    include_str!("../../runtime/convert.h"),
];

/// A form with the registers of its operands.
#[derive(Clone, Debug)]
struct Form {
    opcode: String,
    /// The types of the values, and the widths of the registers; the result comes first.
    operands: Vec<(Type, u32)>,
    /// Both results are named: `p|q`.
    pair: bool,
}

/// Returns the opcodes that a pattern stands for.
fn expand(pattern: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for word in pattern.split(' ') {
        let optional = word.starts_with('[');
        let word = word.trim_matches(['[', ']']);
        let set = word.strip_prefix('$').and_then(|name| lists::SETS.iter().find(|set| set.0 == name));
        let words = set.map_or(word, |set| set.1);
        let mut next = if optional { all.clone() } else { Vec::new() };
        next.extend(words.split('|').flat_map(|word| all.iter().map(move |text| format!("{text}.{word}"))));
        all = next;
    }
    all
}

fn forms(families: &[(&str, &str, &str)]) -> Vec<Form> {
    let mut forms = Vec::new();
    for &(mnemonics, pattern, signature) in families {
        for (mnemonic, words) in
            mnemonics.split(' ').flat_map(|name| expand(pattern).into_iter().map(move |words| (name, words)))
        {
            let types: Vec<Type> = words.split('.').filter_map(Type::from_text).collect();
            // How many steps the registers of results and sources are wider than they must be.
            let steps: &[(u32, u32)] =
                if signature.contains('+') { &[(0, 0), (1, 0), (0, 1), (2, 2)] } else { &[(0, 0)] };
            for &(result, source) in steps {
                let operand = |(index, text): (usize, &str)| {
                    let kind = text.trim_start_matches(['w', 'r']).trim_end_matches(['+', '^']);
                    let ty = match kind {
                        "p" => Type::Pred,
                        _ => kind
                            .parse()
                            .ok()
                            .map_or_else(|| Type::from_text(kind).unwrap(), |index: usize| types[index]),
                    };
                    let least = if ty == Type::E2m1x2 || ty == Type::Pred { ty.bits() } else { ty.bits().max(16) };
                    let more = if text.ends_with('+') { if index == 0 { result } else { source } } else { 0 };
                    (ty, (least << more).min(64).max(least))
                };
                let operands = signature.split(' ').enumerate().map(operand).collect();
                forms.push(Form { opcode: format!("{mnemonic}{words}"), operands, pair: signature.contains('^') });
            }
        }
    }
    forms
}

/// Returns the text of a kernel that executes a form on each row of operands.
fn kernel(form: &Form, name: &str) -> String {
    let mut text = format!(
        ".entry {name}(.param .u64 in, .param .u64 out)\n{{\n.reg .b64 %in, %out, %at; .reg .b32 %i, %n, %t, %word; .reg .pred %q;\n\
         mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t;\n\
         ld.param.u64 %in, [in]; mul.wide.u32 %at, %i, 32; add.u64 %in, %in, %at;\n\
         ld.param.u64 %out, [out]; mul.wide.u32 %at, %i, 16; add.u64 %out, %out, %at;\n"
    );
    for (index, &(ty, width)) in form.operands.iter().enumerate() {
        let place = 8 * index.saturating_sub(1);
        let _ = match (ty, index) {
            (Type::Pred, 0) => writeln!(text, ".reg .pred %x0;"),
            (Type::Pred, _) => writeln!(
                text,
                ".reg .pred %x{index};\nld.global.b32 %word, [%in+{place}]; and.b32 %word, %word, 1; setp.ne.u32 %x{index}, %word, 0;"
            ),
            (_, 0) => writeln!(text, ".reg .b{width} %x0;"),
            _ => writeln!(text, ".reg .b{width} %x{index};\nld.global.b{width} %x{index}, [%in+{place}];"),
        };
    }
    let names: Vec<String> = (0..form.operands.len()).map(|index| format!("%x{index}")).collect();
    let first = if form.pair { "|%q" } else { "" };
    let _ = writeln!(text, "{} {}{first}, {};", form.opcode, names[0], names[1..].join(", "));
    let (ty, width) = form.operands[0];
    let _ = match ty {
        Type::Pred => writeln!(text, "selp.u32 %word, 1, 0, %x0; st.global.u32 [%out], %word;"),
        _ => writeln!(text, "st.global.b{width} [%out], %x0;"),
    };
    if form.pair {
        text += "selp.u32 %word, 1, 0, %q; st.global.u32 [%out+8], %word;\n";
    }
    text + "ret;\n}\n"
}

fn inst(kernel: &Kernel, opcode: &str) -> Inst {
    let insts = kernel.insts();
    insts.into_iter().find(|&inst| kernel.opcode(inst).text() == opcode).unwrap()
}

/// Returns the function of C that executes a form, or why there is none.
fn function(module: &Module, form: &Form, name: &str) -> Result<String, String> {
    let kernel = module.kernel(name).unwrap();
    let inst = inst(kernel, &form.opcode);
    let module_names = ModuleNames::of(module);
    let names = Names::of(kernel, &module_names);
    let view = View { kernel, inst, names: &names, module: &module_names };
    let statement = instruction::emit(&view).map_err(|refusal| refusal.reason)?;
    let mut text = format!(
        "static void {name}(const uint64_t *pxrw_in, uint64_t *pxrw_out)\n{{\n    int pxrw_row;\n    for (pxrw_row = 0; pxrw_row < ROWS; ++pxrw_row, pxrw_in += 4, pxrw_out += 2) {{\n"
    );
    let mut results = String::new();
    for reg in kernel.regs() {
        let (ptx, c, ty) = (kernel.reg_name(reg), names.reg(reg), names.ty(kernel, reg));
        let bits = match names.float(reg) {
            Some(float) => format!("pxrw_canonical_{}({c})", float.text()),
            None => c.to_owned(),
        };
        let mask = if kernel.reg(reg).ty == Type::Pred { " & 1" } else { "" };
        match ptx.trim_start_matches('%').strip_prefix('x').and_then(|index| index.parse::<usize>().ok()) {
            Some(0) => {
                let _ = writeln!(text, "        {ty} {c} = 0;");
                let _ = writeln!(results, "        pxrw_out[0] = {bits};");
            }
            Some(index) => {
                let _ = writeln!(text, "        {ty} {c} = ({ty})(pxrw_in[{}]{mask});", index - 1);
            }
            None if form.pair && ptx == "%q" => {
                let _ = writeln!(text, "        uint8_t {c} = 0;");
                let _ = writeln!(results, "        pxrw_out[1] = {c};");
            }
            None => {}
        }
    }
    Ok(format!("{text}        {statement}\n{results}    }}\n}}\n"))
}

/// The results of the emulator.
fn emulated(program: &Program, rows: &[u64]) -> Vec<u64> {
    let mut memory = Memory::new();
    let (first, second) = (memory.alloc_from(rows, "in"), memory.alloc_from(&vec![0_u64; 2 * ROWS], "out"));
    let launch = Launch::new((ROWS / 256) as u32, 256).arg(first).arg(second);
    let report = emulator::run(program, &mut memory, &launch).unwrap();
    assert_eq!(report.outcome, Outcome::Finished);
    memory.read::<u64>(second, 2 * ROWS).unwrap()
}

/// Compiles a C text and runs it in a folder.
fn run(folder: &Path, source: &str, compiler: &[&str]) {
    let text = folder.join("forms.c");
    fs::write(&text, source).unwrap();
    let mut command = Command::new("cc");
    command.args(compiler).args(["-Wall", "-Wextra", "-Werror", "-o", "forms", "forms.c", "-lm"]);
    let built = command.current_dir(folder).output().unwrap();
    assert!(built.status.success(), "{compiler:?}: {}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("forms")).current_dir(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && errors.is_empty(), "{compiler:?}: {errors}");
}

/// Options of the compiler. Each is tried with the first form and every so many behind it.
const COMPILERS: &[(&[&str], usize)] = &[
    // Those of translated kernels.
    (&["-std=c11", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"], 3),
    (&["-std=c11", "-O0", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"], 1),
    (&["-std=c11", "-O2", "-ffp-contract=off"], 7),
    (&["-x", "c++", "-O1", "-march=native", "-ffp-contract=off"], 7),
];

/// A form that both sides have.
struct Case<'f> {
    form: &'f Form,
    /// The function of C, and its name.
    function: String,
    name: String,
    /// The number of its operands among all, and the operands.
    stream: usize,
    rows: Vec<u64>,
    expected: Vec<u64>,
}

/// Compares forms. At least `least` of them are translated, and the emulator has no other ones.
fn check(families: &[(&str, &str, &str)], least: usize) {
    let forms = forms(families);
    let mut text = String::from(".version 9.0\n.target sm_100a\n.address_size 64\n");
    text.extend(forms.iter().enumerate().map(|(number, form)| kernel(form, &format!("k{number}"))));
    let module = Module::parse(&text).unwrap();
    let mut streams = BTreeMap::new();
    let (mut cases, mut complaints) = (Vec::new(), Vec::new());
    for (number, form) in forms.iter().enumerate() {
        let name = format!("k{number}");
        let complaint =
            |side: &str, reason: &str| format!("{} {:?}: only {side} has it: {reason}", form.opcode, form.operands);
        match (Program::decode(&module, &name), function(&module, form, &name)) {
            (Ok(program), Ok(function)) => {
                let next = streams.len();
                let key = form.operands[1..].to_vec();
                let (stream, rows) =
                    streams.entry(key.clone()).or_insert_with(|| (next, operands(&key, ROWS, next as u64)));
                let expected = emulated(&program, rows);
                cases.push(Case { form, function, name, stream: *stream, rows: rows.clone(), expected });
            }
            (Err(_), Err(_)) => {}
            (Ok(_), Err(reason)) => complaints.push(complaint("the emulator", &reason)),
            (Err(error), Ok(_)) => complaints.push(complaint("the translation", &error.to_string())),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(cases.len() >= least, "only {} of {} forms are translated", cases.len(), forms.len());
    let mut inputs: Vec<Vec<u64>> = vec![Vec::new(); streams.len()];
    for (number, rows) in streams.into_values() {
        inputs[number] = rows;
    }
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = inputs.concat().iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(folder.path().join("in"), bytes).unwrap();
    for &(compiler, step) in COMPILERS {
        let chosen: Vec<&Case<'_>> = cases.iter().step_by(step).collect();
        run(folder.path(), &program(&chosen, inputs.len()), compiler);
        let found = fs::read(folder.path().join("out")).unwrap();
        compare(&chosen, &found, compiler);
    }
}

/// Returns the program that reads all operands, and writes the results of some forms.
fn program(cases: &[&Case<'_>], streams: usize) -> String {
    let functions: String = cases.iter().map(|case| case.function.as_str()).collect();
    let table: String = cases.iter().map(|case| format!("    {{{}, {}}},\n", case.name, case.stream)).collect();
    let main = format!(
        "static uint64_t pxrw_inputs[{streams}][4 * ROWS], pxrw_output[2 * ROWS];\n\
         static const struct {{ void (*run)(const uint64_t *, uint64_t *); int stream; }} pxrw_table[] = {{\n{table}}};\n\
         int main(void)\n{{\n    size_t form;\n    FILE *in = fopen(\"in\", \"rb\"), *out = fopen(\"out\", \"wb\");\n\
         \x20   if (!in || !out || fread(pxrw_inputs, sizeof pxrw_inputs, 1, in) != 1)\n        return 1;\n\
         \x20   for (form = 0; form < sizeof pxrw_table / sizeof pxrw_table[0]; ++form) {{\n\
         \x20       memset(pxrw_output, 0, sizeof pxrw_output);\n\
         \x20       pxrw_table[form].run(pxrw_inputs[pxrw_table[form].stream], pxrw_output);\n\
         \x20       if (fwrite(pxrw_output, sizeof pxrw_output, 1, out) != 1)\n            return 1;\n    }}\n\
         \x20   return fclose(in) | fclose(out);\n}}\n"
    );
    format!("#define _POSIX_C_SOURCE 200809L\n{}\n#define ROWS {ROWS}\n{functions}{main}", HEADERS.concat())
}

fn compare(cases: &[&Case<'_>], found: &[u8], compiler: &[&str]) {
    let found: Vec<u64> = found.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(found.len(), cases.len() * 2 * ROWS);
    let mut differences = Vec::new();
    for (case, found) in cases.iter().zip(found.chunks_exact(2 * ROWS)) {
        let mut results = case.expected.chunks_exact(2).zip(found.chunks_exact(2)).zip(case.rows.chunks_exact(4));
        if let Some(((expected, found), row)) = results.find(|((expected, found), _)| expected != found) {
            let (opcode, operands) = (&case.form.opcode, &case.form.operands);
            differences
                .push(format!("{opcode} {operands:?} of {row:x?} is {found:x?}, and {expected:x?} on the emulator"));
        }
    }
    assert!(differences.is_empty(), "{compiler:?}: {} forms differ\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn floats_are_those_of_the_emulator() {
    check(lists::FLOAT, 250);
}

#[test]
fn halves_are_those_of_the_emulator() {
    check(lists::HALF, 400);
}

#[test]
fn conversions_are_those_of_the_emulator() {
    check(lists::CONVERT, 1000);
}
