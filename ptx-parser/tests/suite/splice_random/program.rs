//! Random programs and possible compilations of them. Compilations of one program differ in this: other numbers of strings, files and names of inlined functions, other
//! functions inlined, other code in the functions that are left, code that is found to be dead, and what nobody mentions left out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common::noise::Random;

pub(crate) enum Use {
    String(usize),
    Variable(usize),
    /// One of the functions behind this one, so that no call leads back.
    Function(usize),
    /// A position in a file; of a string, that of an inlined function.
    Position(usize, Option<usize>),
}

pub(crate) enum Value {
    None,
    Number(u64),
    /// Strings, variables before this one, functions.
    Addresses(Vec<Use>),
}

pub(crate) struct Variable {
    pub(crate) visible: bool,
    pub(crate) value: Value,
}

pub(crate) struct Function {
    /// Seen by other modules: never inlined away, never given other parameters.
    pub(crate) visible: bool,
    pub(crate) uses: Vec<Use>,
}

/// The user's source.
pub(crate) struct Program {
    strings: usize,
    files: usize,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) entries: Vec<Vec<Use>>,
}

impl Program {
    pub(crate) fn new(random: &mut Random) -> Program {
        let (strings, files) = (1 + random.below(5), 1 + random.below(4));
        let functions = random.below(6);
        let mut variables = Vec::new();
        for index in 0..random.below(6) {
            let addresses = |random: &mut Random| {
                let one = |random: &mut Random| match random.below(3) {
                    0 if index > 0 => Use::Variable(random.below(index)),
                    1 if functions > 0 => Use::Function(random.below(functions)),
                    _ => Use::String(random.below(strings)),
                };
                (0..1 + random.below(3)).map(|_| one(random)).collect()
            };
            let value = match random.below(3) {
                0 => Value::None,
                1 => Value::Number(random.next() % 1000),
                _ => Value::Addresses(addresses(random)),
            };
            variables.push(Variable { visible: random.below(3) == 0, value });
        }
        let uses = |random: &mut Random, first: usize| -> Vec<Use> {
            let one = |random: &mut Random| match random.below(4) {
                0 if !variables.is_empty() => Use::Variable(random.below(variables.len())),
                1 if first < functions => Use::Function(first + random.below(functions - first)),
                2 => Use::Position(random.below(files), (random.below(2) == 0).then(|| random.below(strings))),
                _ => Use::String(random.below(strings)),
            };
            (0..random.below(6)).map(|_| one(random)).collect()
        };
        let bodies =
            (0..functions).map(|index| Function { visible: random.below(3) == 0, uses: uses(random, index + 1) });
        let functions: Vec<Function> = bodies.collect();
        let entries = (0..1 + random.below(4)).map(|_| uses(random, 0)).collect();
        Program { strings, files, variables, functions, entries }
    }

    /// Gives a variable that other modules do not see another value; whether there is one.
    pub(crate) fn change_a_value(&mut self) -> bool {
        let found = self.variables.iter_mut().find_map(|variable| match &mut variable.value {
            Value::Number(value) if !variable.visible => Some(value),
            _ => None,
        });
        found.map(|value| *value += 1).is_some()
    }

    /// Returns whether the address of a function is in a variable.
    fn is_addressed(&self, function: usize) -> bool {
        self.variables.iter().any(|variable| match &variable.value {
            Value::Addresses(list) => {
                list.iter().any(|used| matches!(used, Use::Function(index) if *index == function))
            }
            _ => false,
        })
    }

    /// One compilation.
    pub(crate) fn compile(&self, random: &mut Random) -> String {
        let mut shuffled = |count: usize| -> Vec<usize> {
            let mut list: Vec<usize> = (0..count).collect();
            (1..count).rev().for_each(|last| list.swap(last, random.below(last + 1)));
            list
        };
        let (strings, files, names) = (shuffled(self.strings), shuffled(self.files), shuffled(self.strings));
        let inlined = |random: &mut Random, index: usize| {
            !self.functions[index].visible && !self.is_addressed(index) && random.below(2) == 0
        };
        let inlined: Vec<bool> = (0..self.functions.len()).map(|index| inlined(random, index)).collect();
        // What the optimiser does to a function whose callers it knows: it passes the parameter, or not, or something else in it.
        let forms: Vec<usize> = (0..self.functions.len())
            .map(|index| {
                if self.functions[index].visible || self.is_addressed(index) {
                    0
                } else {
                    random.below(4).saturating_sub(1)
                }
            })
            .collect();
        let noise = random.below(3);
        let (variables, kept, sources, labels) = Default::default();
        let random = Random(random.next() | 1);
        let used = Used { random, variables, strings: kept, files: sources, names: labels };
        Compilation { program: self, strings, files, names, inlined, forms, noise }.text(used)
    }
}

/// Collects what the emitted code mentions.
struct Used {
    random: Random,
    variables: BTreeSet<usize>,
    strings: BTreeSet<usize>,
    files: BTreeSet<usize>,
    names: BTreeSet<usize>,
}

struct Compilation<'p> {
    program: &'p Program,
    /// The number of each string, of each file and of each name of an inlined function.
    strings: Vec<usize>,
    files: Vec<usize>,
    names: Vec<usize>,
    inlined: Vec<bool>,
    forms: Vec<usize>,
    noise: usize,
}

impl Compilation<'_> {
    fn text(&self, mut used: Used) -> String {
        let program = self.program;
        let mut bodies = String::new();
        let mut prototypes = String::new();
        for (index, function) in program.functions.iter().enumerate().filter(|(index, _)| !self.inlined[*index]) {
            let linkage = if function.visible { ".visible " } else { "" };
            let param = if self.forms[index] == 1 { "" } else { ".param .b32 a" };
            let _ = writeln!(prototypes, "{linkage}.func f{index}({param});");
            // The parameter is a value, or it leads to one.
            let read = match self.forms[index] {
                0 => "ld.param.b32 %r2, [a];\n",
                1 => "",
                _ => "ld.param.b32 %r2, [a];\nneg.s32 %r2, %r2;\n",
            };
            let code = self.code(&function.uses, &mut used);
            let _ = write!(bodies, "\n{linkage}.func f{index}({param})\n{}", self.body(read, &code));
        }
        for (index, uses) in program.entries.iter().enumerate() {
            let code = self.code(uses, &mut used);
            let _ = write!(bodies, "\n\t// .globl\tk{index}\n.visible .entry k{index}()\n{}", self.body("", &code));
        }
        let variables = self.variables(&mut used);
        let mut text = format!(".version 9.0\n.target sm_90\n.address_size 64\n\n{prototypes}");
        for index in in_order(&self.strings, &used.strings) {
            let _ = writeln!(text, ".global .align 1 .b8 {}[3] = {{65, {index}}};", self.string(index));
        }
        text += &variables;
        text += &bodies;
        for index in in_order(&self.files, &used.files) {
            let _ = writeln!(text, "\t.file\t{} \"file{index}.cu\"", self.files[index] + 1);
        }
        if used.names.is_empty() {
            return text;
        }
        text += "\t.section\t.debug_str\n\t{\n";
        for index in in_order(&self.names, &used.names) {
            let _ = writeln!(text, "$L__info_string{}:\n.b8 95,{},66\n.b8 67,0", self.names[index], index + 1);
        }
        text + "\n\t}\n"
    }

    fn body(&self, read: &str, code: &str) -> String {
        let noise = "bar.sync 0;\n".repeat(self.noise);
        format!("{{\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\nmov.u32 %r1, 1;\n{read}{noise}{code}ret;\n}}\n")
    }

    fn string(&self, index: usize) -> String {
        match self.strings[index] {
            0 => "$str".to_owned(),
            number => format!("$str${number}"),
        }
    }

    fn code(&self, uses: &[Use], used: &mut Used) -> String {
        let mut text = String::new();
        for one in uses {
            // Found to be dead.
            if used.random.below(5) == 0 {
                continue;
            }
            let _ = match one {
                Use::String(index) => {
                    used.strings.insert(*index);
                    writeln!(text, "mov.u64 %rd1, {};", self.string(*index))
                }
                Use::Variable(index) => {
                    used.variables.insert(*index);
                    writeln!(text, "ld.global.u32 %r1, [v{index}];\nst.global.u32 [v{index}], 5;")
                }
                Use::Position(file, name) => {
                    used.files.insert(*file);
                    used.names.extend(name);
                    let file = self.files[*file] + 1;
                    match name {
                        Some(name) => writeln!(
                            text,
                            "\t.loc\t{file} 1 1\nbar.sync 1;\n\t.loc\t{file} 2 3, function_name $L__info_string{}, inlined_at {file} 1 1",
                            self.names[*name]
                        ),
                        None => writeln!(text, "\t.loc\t{file} 4 5"),
                    }
                }
                Use::Function(index) if self.inlined[*index] => {
                    text += &self.code(&self.program.functions[*index].uses, used);
                    Ok(())
                }
                Use::Function(index) if self.forms[*index] == 1 => writeln!(text, "call.uni f{index};"),
                Use::Function(index) => {
                    let value = if self.forms[*index] == 0 { "" } else { "neg.s32 %r1, %r1;\n" };
                    writeln!(text, "{{\n{value}.param .b32 p;\nst.param.b32 [p], %r1;\ncall.uni f{index}, (p);\n}}")
                }
            };
        }
        text
    }

    /// The variables that somebody mentions or that other modules see.
    fn variables(&self, used: &mut Used) -> String {
        let mut lines = Vec::new();
        for (index, variable) in self.program.variables.iter().enumerate().rev() {
            if !variable.visible && !used.variables.contains(&index) {
                continue;
            }
            let linkage = if variable.visible { ".visible " } else { "" };
            lines.push(match &variable.value {
                Value::None => format!("{linkage}.global .align 4 .u32 v{index};\n"),
                Value::Number(value) => format!("{linkage}.global .align 4 .u32 v{index} = {value};\n"),
                Value::Addresses(list) => {
                    let one = |address: &Use| match address {
                        Use::String(string) => {
                            used.strings.insert(*string);
                            format!("generic({})", self.string(*string))
                        }
                        Use::Variable(other) => {
                            used.variables.insert(*other);
                            format!("v{other}")
                        }
                        Use::Function(function) => format!("f{function}"),
                        Use::Position(..) => "0".to_owned(),
                    };
                    let list: Vec<String> = list.iter().map(one).collect();
                    format!("{linkage}.global .align 8 .u64 v{index}[{}] = {{{}}};\n", list.len(), list.join(", "))
                }
            });
        }
        lines.reverse();
        lines.concat()
    }
}

/// The things that are used, in the order of their numbers.
fn in_order(numbers: &[usize], used: &BTreeSet<usize>) -> Vec<usize> {
    let mut list: Vec<usize> = used.iter().copied().collect();
    list.sort_by_key(|&index| numbers[index]);
    list
}
