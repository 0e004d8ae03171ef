//! Random kernels that call functions, as PTX text: chains and diamonds of calls, several of one function, parameters of all widths, in
//! variables, arrays and registers, shared memory of a function, guarded calls, guarded returns, calls in loops and scopes, calls by the address of a function, which a function may be
//! given.
//!
//! Each thread mixes what it computes into one number, which depends on every value that went through a call, and stores it; so that a call that
//! was made wrongly shows. Everything follows from a seed.

use std::fmt::Write as _;

use crate::generate::Random;

/// A type that a parameter may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A scalar in `.param`: its declared type, and that of the access.
    Scalar(&'static str, &'static str),
    /// A byte array of 24 bytes: two words and a double word.
    Array,
    /// A register of the function.
    Register(&'static str),
}

const KINDS: [Kind; 13] = [
    Kind::Scalar("b8", "u8"),
    Kind::Scalar("b32", "s8"),
    Kind::Scalar("b16", "u16"),
    Kind::Scalar("b32", "s16"),
    Kind::Scalar("b32", "b32"),
    Kind::Scalar("u32", "u32"),
    Kind::Scalar("b64", "b64"),
    Kind::Scalar("b64", "u32"),
    Kind::Scalar("b32", "f32"),
    Kind::Scalar("b64", "f64"),
    Kind::Array,
    Kind::Register("b32"),
    Kind::Register("b64"),
];

struct Function {
    params: Vec<Kind>,
    result: Option<Kind>,
    /// The function whose address it is given in a parameter of its own, the last one.
    given: Option<usize>,
}

/// The kernel of a seed: a module with an entry `k` that takes the address of one double word for each thread.
#[must_use]
pub fn kernel(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xca11);
    let count = 1 + random.below(5) as usize;
    let mut functions: Vec<Function> = Vec::new();
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
    for index in 0..count {
        let params = (0..random.below(4)).map(|_| *random.pick(&KINDS)).collect();
        let result = random.chance(80).then(|| *random.pick(&KINDS));
        let given = (index > 0 && random.chance(40)).then(|| random.below(index as u32) as usize);
        let function = Function { params, result, given };
        text += &definition(index, &function, &functions, &mut random);
        functions.push(function);
    }
    let mut body = Body::new(&mut random);
    body.line("ld.param.u64 %rd9, [out];");
    body.line("mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd8, %r0, 8;\nadd.s64 %rd9, %rd9, %rd8;");
    body.line("mul.wide.u32 %rd0, %r0, 1664525;");
    for _ in 0..2 + body.random.below(3) {
        body.step(&functions);
    }
    body.line("st.global.u64 [%rd9], %rd0;\nret;");
    let code = body.code;
    let _ = write!(text, ".visible .entry k(.param .u64 out)\n{{\n{REGISTERS}{code}}}\n");
    text
}

/// `%rd0` is what a body computes.
const REGISTERS: &str =
    ".reg .b16 %h<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<3>;\n.reg .f64 %d<3>;\n.reg .pred %p<9>;\n";

fn formal(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Scalar(declared, _) => format!(".param .{declared} {name}"),
        Kind::Array => format!(".param .align 8 .b8 {name}[24]"),
        Kind::Register(ty) => format!(".reg .{ty} %{name}"),
    }
}

/// Returns what a function looks like to a call by its address.
fn prototype(function: &Function) -> String {
    let unnamed = |kind: Kind| formal(kind, "_").replace('%', "");
    let params = function.params.iter().map(|&kind| unnamed(kind));
    let params: Vec<String> = params.chain(function.given.map(|_| unnamed(ADDRESS))).collect();
    let result = function.result.map_or(String::new(), |kind| format!("({}) ", unnamed(kind)));
    format!(".callprototype {result}_ ({});", params.join(", "))
}

/// The parameter for the address of a function.
const ADDRESS: Kind = Kind::Scalar("b64", "b64");

/// The number of times that a thread has called a function, in shared memory of the function: a word for each thread of the block. Before
/// the first call, the upper half of the word is not the number that marks it.
const COUNT: &str = ".shared .align 8 .b8 counts[512];
{
.reg .b64 %own<4>;
.reg .b32 %thread;
mov.u32 %thread, %tid.x;
mul.wide.u32 %own1, %thread, 8;
mov.u64 %own0, counts;
add.s64 %own0, %own0, %own1;
ld.shared.u64 %own2, [%own0];
shr.u64 %own3, %own2, 32;
.reg .pred %known;
setp.eq.u64 %known, %own3, 271828;
selp.b64 %own2, %own2, 1167492370137088, %known;
add.u64 %own2, %own2, 1;
st.shared.u64 [%own0], %own2;
mad.lo.u64 %rd0, %own2, 97, %rd0;
}";

fn definition(index: usize, function: &Function, known: &[Function], random: &mut Random) -> String {
    let params = function.params.iter().enumerate().map(|(i, &kind)| formal(kind, &format!("a{i}")));
    let params: Vec<String> = params.chain(function.given.map(|_| formal(ADDRESS, "given"))).collect();
    let result = function.result.map_or(String::new(), |kind| format!("({}) ", formal(kind, "out")));
    let mut body = Body::new(random);
    body.line("mov.u64 %rd0, 7;");
    if function.given.is_some() {
        body.given = function.given;
        body.line(".reg .b64 %given;\nld.param.b64 %given, [given];");
    }
    for (i, &kind) in function.params.iter().enumerate() {
        body.take(kind, &format!("a{i}"), matches!(kind, Kind::Register(_)));
    }
    if body.random.chance(30) {
        body.line(COUNT);
    }
    // The result may be left out by an early return, so it is set before.
    if let Some(kind) = function.result {
        body.give(kind, "out", "");
    }
    if body.random.chance(30) {
        body.line("and.b64 %rd1, %rd0, 3;\nsetp.eq.u64 %p1, %rd1, 0;\n@%p1 ret;");
    }
    for _ in 0..body.random.below(3) {
        body.step(known);
    }
    if let Some(kind) = function.result {
        let guard = if body.random.chance(30) { "@%p8 " } else { "" };
        body.line("and.b64 %rd1, %rd0, 5;\nsetp.ne.u64 %p8, %rd1, 0;");
        body.give(kind, "out", guard);
    }
    if body.random.chance(70) {
        body.line("ret;");
    }
    let code = body.code;
    format!(".func {result}f{index}({})\n{{\n{REGISTERS}{code}}}\n", params.join(", "))
}

struct Body<'a> {
    random: &'a mut Random,
    code: String,
    names: usize,
    /// The function whose address is in `%given`.
    given: Option<usize>,
}

impl<'a> Body<'a> {
    fn new(random: &'a mut Random) -> Body<'a> {
        Body { random, code: String::new(), names: 0, given: None }
    }

    fn line(&mut self, text: &str) {
        self.code.push_str(text);
        self.code.push('\n');
    }

    /// Something that changes `%rd0`: arithmetic, a loop, a branch, local memory, calls.
    fn step(&mut self, functions: &[Function]) {
        self.names += 1;
        let (number, label) = (self.random.next() % 1000 + 1, self.names);
        match self.random.below(6) {
            0 => self.line(&format!("mad.lo.u64 %rd0, %rd0, {}, {number};", 2 * number + 1)),
            1 => self.line(&format!(
                "{{\n.local .align 8 .b8 own[16];\n.reg .b64 %rd<4>;\nmov.u64 %rd1, own;\nst.local.u32 [%rd1+4], {number};\n\
                 ld.local.u32 %r1, [%rd1+4];\ncvt.u64.u32 %rd2, %r1;\nmov.b64 %rd3, %rd2;\n}}\nxor.b64 %rd0, %rd0, {number};"
            )),
            2 if !functions.is_empty() => {
                self.line(&format!("mov.u32 %r8, 0;\nAGAIN{label}:"));
                // The counter of an inner loop is another one.
                let inner = self.call(functions);
                self.code += &inner;
                self.line(&format!("add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, 2;\n@%p3 bra AGAIN{label};"));
            }
            3 => {
                self.line(&format!("and.b64 %rd1, %rd0, 4;\nsetp.ne.u64 %p2, %rd1, 0;\n@%p2 bra OVER{label};"));
                let inner = if functions.is_empty() { String::new() } else { self.call(functions) };
                self.code += &inner;
                self.line(&format!("add.u64 %rd0, %rd0, {number};\nOVER{label}:"));
            }
            _ if functions.is_empty() => self.line(&format!("add.u64 %rd0, %rd0, {number};")),
            _ => {
                let call = self.call(functions);
                self.code += &call;
            }
        }
    }

    /// A call with everything around it.
    fn call(&mut self, functions: &[Function]) -> String {
        let before = std::mem::take(&mut self.code);
        let by_given = self.given.filter(|_| self.random.chance(50));
        let index = by_given.unwrap_or_else(|| self.random.below(functions.len() as u32) as usize);
        let Function { params, result, given } = &functions[index];
        self.names += 1;
        let (scoped, name) = (self.random.chance(70), self.names);
        let named = |what: &str| if scoped { what.to_owned() } else { format!("{what}_{name}") };
        if scoped {
            self.line("{");
        }
        let mut arguments = Vec::new();
        for (i, &kind) in params.iter().enumerate() {
            let own = named(&format!("x{i}"));
            if !matches!(kind, Kind::Register(_)) {
                self.line(&format!("{};", formal(kind, &own)));
            }
            self.line(&format!("add.u64 %rd0, %rd0, {};", i + 3));
            match kind {
                Kind::Register(ty) => {
                    let (register, convert) = if ty == "b32" { ("%r5", "cvt.u32.u64") } else { ("%rd5", "mov.u64") };
                    // Two arguments of one type are one register; that is as good a test.
                    self.line(&format!("{convert} {register}, %rd0;"));
                    arguments.push(register.to_owned());
                }
                _ => {
                    self.give(kind, &own, "");
                    arguments.push(own);
                }
            }
        }
        if let Some(given) = given {
            let own = named("x_given");
            self.line(&format!("{};\n.reg .b64 %passed{name};", formal(ADDRESS, &own)));
            self.line(&format!("mov.u64 %passed{name}, f{given};\nst.param.b64 [{own}], %passed{name};"));
            arguments.push(own);
        }
        let mut results = String::new();
        if let Some(kind) = *result {
            let own = named("y");
            match kind {
                Kind::Register(ty) => self.line(if ty == "b32" { "mov.u32 %r6, 1;" } else { "mov.u64 %rd6, 1;" }),
                _ => self.line(&format!("{};", formal(kind, &own))),
            }
            let register = match kind {
                Kind::Register("b32") => "%r6".to_owned(),
                Kind::Register(_) => "%rd6".to_owned(),
                _ => own.clone(),
            };
            results = format!("({register}), ");
        }
        let guarded = self.random.chance(25);
        let sign = if self.random.chance(50) { "!" } else { "" };
        if guarded {
            // Who does not call has a result as well.
            if let Some(kind) = result.filter(|kind| !matches!(kind, Kind::Register(_))) {
                self.give(kind, &named("y"), "");
            }
            self.line("and.b64 %rd2, %rd0, 8;\nsetp.ne.u64 %p7, %rd2, 0;");
        }
        let guard = if guarded { format!("@{sign}%p7 ") } else { String::new() };
        let by_address = by_given.is_some() || self.random.chance(10);
        let (target, behind) = match by_given {
            Some(_) => ("%given".to_owned(), format!(", P{name}")),
            None if by_address => {
                self.line(&format!(".reg .b64 %target{name};\nmov.u64 %target{name}, f{index};"));
                (format!("%target{name}"), format!(", P{name}"))
            }
            None => (format!("f{index}"), String::new()),
        };
        if by_address {
            self.line(&format!("P{name}: {}", prototype(&functions[index])));
        }
        self.line(&format!("{guard}call {results}{target}, ({}){behind};", arguments.join(", ")));
        if let Some(kind) = *result {
            match kind {
                Kind::Register("b32") => self.line("cvt.u64.u32 %rd2, %r6;\nadd.u64 %rd0, %rd0, %rd2;"),
                Kind::Register(_) => self.line("add.u64 %rd0, %rd0, %rd6;"),
                _ => self.take(kind, &named("y"), false),
            }
        }
        if scoped {
            self.line("}");
        }
        std::mem::replace(&mut self.code, before)
    }

    /// Mixes what a parameter holds into `%rd0`.
    fn take(&mut self, kind: Kind, name: &str, register: bool) {
        let load = match kind {
            Kind::Register("b32") if register => format!("cvt.u64.u32 %rd1, %{name};"),
            Kind::Register(_) => format!("mov.b64 %rd1, %{name};"),
            Kind::Scalar(_, "u8") => format!("ld.param.u8 %h1, [{name}];\ncvt.u64.u16 %rd1, %h1;"),
            Kind::Scalar(_, "s8") => format!("ld.param.s8 %r1, [{name}];\ncvt.s64.s32 %rd1, %r1;"),
            Kind::Scalar(_, "u16") => format!("ld.param.u16 %r1, [{name}];\ncvt.u64.u32 %rd1, %r1;"),
            Kind::Scalar(_, "s16") => format!("ld.param.s16 %h1, [{name}];\ncvt.s64.s16 %rd1, %h1;"),
            Kind::Scalar(_, "f32") => format!("ld.param.f32 %f1, [{name}];\nmov.b32 %r1, %f1;\ncvt.u64.u32 %rd1, %r1;"),
            Kind::Scalar(_, "f64") => format!("ld.param.f64 %d1, [{name}];\nmov.b64 %rd1, %d1;"),
            Kind::Scalar(_, "b64") => format!("ld.param.b64 %rd1, [{name}];"),
            Kind::Scalar(..) => format!("ld.param.u32 %r1, [{name}];\ncvt.u64.u32 %rd1, %r1;"),
            Kind::Array => format!(
                "ld.param.v2.u32 {{%r1, %r2}}, [{name}];\nld.param.u64 %rd1, [{name}+8];\nld.param.u8 %h1, [{name}+8];\n\
                 cvt.u64.u32 %rd2, %r1;\nadd.u64 %rd1, %rd1, %rd2;\ncvt.u64.u32 %rd2, %r2;\nmad.lo.u64 %rd1, %rd2, 3, %rd1;\n\
                 cvt.u64.u16 %rd2, %h1;\nadd.u64 %rd1, %rd1, %rd2;"
            ),
        };
        self.line(&load);
        self.line("mad.lo.u64 %rd0, %rd0, 31, %rd1;");
    }

    /// Stores something that follows from `%rd0` to a parameter.
    fn give(&mut self, kind: Kind, name: &str, guard: &str) {
        let line = match kind {
            Kind::Register("b32") => format!("{guard}cvt.u32.u64 %{name}, %rd0;"),
            Kind::Register(_) => format!("{guard}mov.b64 %{name}, %rd0;"),
            Kind::Scalar("b8", _) => format!("cvt.u16.u64 %h1, %rd0;\n{guard}st.param.b8 [{name}], %h1;"),
            Kind::Scalar("b16", _) => format!("cvt.u16.u64 %h1, %rd0;\n{guard}st.param.b16 [{name}], %h1;"),
            Kind::Scalar(_, "f32") => format!("cvt.rn.f32.u64 %f1, %rd0;\n{guard}st.param.f32 [{name}], %f1;"),
            Kind::Scalar(_, "f64") => format!("cvt.rn.f64.u64 %d1, %rd0;\n{guard}st.param.f64 [{name}], %d1;"),
            Kind::Scalar("b64", _) => format!("{guard}st.param.b64 [{name}], %rd0;"),
            Kind::Scalar(..) if self.random.chance(20) => format!("{guard}st.param.b32 [{name}], 77;"),
            Kind::Scalar(..) => format!("cvt.u32.u64 %r1, %rd0;\n{guard}st.param.b32 [{name}], %r1;"),
            Kind::Array => format!(
                "cvt.u32.u64 %r1, %rd0;\n{guard}st.param.v2.b32 [{name}], {{%r1, 12}};\n{guard}st.param.b64 [{name}+8], %rd0;\n\
                 {guard}st.param.b64 [{name}+16], 0;"
            ),
        };
        self.line(&line);
    }
}
