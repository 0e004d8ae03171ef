//! The check that the arguments are right for the kernel: their number, their sizes, and all of them together.

use std::collections::HashSet;

use ptx_parser::{Kernel, Parameter, Type};

use super::cpp_types::CppType;
use super::element::Element;
use super::element::is_bits;
use super::grammar::{Written, WrittenFill};
use super::npy::Npy;
use super::problem::Problem;
use super::structure;
use super::value::{BufferValue, Fill, LaunchArgument, Value};
use crate::diagnostics::Diagnostic;
use crate::output;

/// A parameter that an argument is for.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) parameter: &'a Parameter,
    /// Its name in messages.
    pub(super) which: &'a str,
    /// Its type in C++, if that is known.
    pub(super) declared: Option<&'a CppType>,
}

impl Target<'_> {
    /// Returns true for a structure by value, which PTX has as an array of bytes.
    pub(super) fn is_structure(self) -> bool {
        self.parameter.dimensions > 0
    }

    /// Returns true if the address of a buffer may be meant: for a word, and for a structure of which nothing tells that it is not a class
    /// around a pointer.
    pub(super) fn may_take_address(self) -> bool {
        let around_pointer = self.declared.is_none() && self.parameter.bytes() == 8 && self.parameter.align >= 8;
        !self.is_structure() || around_pointer
    }
}

/// As many arguments as parameters. `shown` is the kernel's name for messages.
pub(super) fn count(given: usize, kernel: &Kernel, shown: &str) -> Option<Diagnostic> {
    let parameters = kernel.params();
    let number = |count: usize, what: &str| match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    if parameters.len() == given {
        return None;
    }
    let title = format!(
        "kernel `{shown}` has {}, but {}",
        number(parameters.len(), "parameter"),
        match given {
            0 => "no `--arg` is given".to_owned(),
            given => format!("{} given", number(given, "argument") + if given == 1 { " is" } else { " are" }),
        }
    );
    let list = parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| format!("parameter {} is {}", index + 1, described(parameter)));
    let help = "give one `--arg` for each parameter, in their order; a pointer takes a buffer such as `f32[1024]=0`";
    let help = if parameters.is_empty() { "leave the `--arg`s out" } else { help };
    Some(list.fold(Diagnostic::error(title), Diagnostic::note).help(help))
}

/// Opens the files that an argument names, and settles its type and size by them. With a parameter, a file may be a structure by value; a field has none.
pub(super) fn open(written: Written, target: Option<Target<'_>>) -> Result<Value, Problem> {
    match written {
        Written::Structure(fields) => structure::lay_out(fields).map(Value::Structure),
        Written::Bytes(path) => {
            let Some(target) = target else {
                let help = "write the fields out, or give the file for the whole structure";
                return Err(Problem::new("a field is no file of bytes", help));
            };
            structure::from_bytes(&path, target).map(Value::Structure)
        }
        Written::Scalar { ty, bits } => Ok(Value::Scalar { ty, bits }),
        Written::File { path, save } => {
            let by_value = target.map(|target| structure::from_npy(&path, target));
            if let Some(structure) = by_value.transpose()?.flatten() {
                return match save {
                    None => Ok(Value::Structure(structure)),
                    Some(_) => {
                        Err(Problem::new("a structure by value cannot be written to a file", "leave the `>` out"))
                    }
                };
            }
            let npy = Npy::open(&path, None)?;
            Ok(Value::Buffer(BufferValue { ty: npy.ty, count: npy.count, fill: Fill::File(npy), save }))
        }
        Written::Buffer { ty, count, fill, save } => {
            let fill = match fill {
                WrittenFill::Number(bits) => Fill::Number(bits),
                WrittenFill::Iota => Fill::Iota,
                WrittenFill::Nothing => Fill::Nothing,
                WrittenFill::Random(seed) => Fill::Random(seed),
                WrittenFill::File(path) => {
                    let npy = Npy::open(&path, Some(ty))?;
                    if npy.count != count {
                        let what = format!("`{}` holds {} values, and not {count}", path.display(), npy.count);
                        return Err(Problem::new(
                            what,
                            format!("write `{}[{}]`, or the file alone", ty.text(), npy.count),
                        ));
                    }
                    Fill::File(npy)
                }
            };
            Ok(Value::Buffer(BufferValue { ty, count, fill, save }))
        }
    }
}

/// Checks that an argument has the size of its parameter, and is a float where that is one. Returns what was assumed because nothing tells the
/// type of a structure.
pub(super) fn fits(value: &Value, target: Target<'_>) -> Result<Option<Problem>, Problem> {
    let scalar = match value {
        Value::Structure(structure) => return structure.fits(target),
        Value::Scalar { ty, .. } => Some(*ty),
        Value::Buffer(_) => None,
    };
    match target.is_structure() {
        true => structure_fits(scalar, target),
        false => word_fits(scalar, target.parameter, target.which).map(|()| None),
    }
}

/// Checks a scalar of a type, or a buffer, that is given for a structure.
fn structure_fits(scalar: Option<Type>, target: Target<'_>) -> Result<Option<Problem>, Problem> {
    let Target { parameter, which, declared } = target;
    let is_element = |ty: Type| match declared {
        Some(declared) => {
            declared.element.zip(Element::of(ty)).is_some_and(|(element, given)| !element.contradicts(given))
        }
        None => true,
    };
    let taken = match scalar {
        None => target.may_take_address(),
        Some(ty) => u64::from(ty.bytes()) == parameter.bytes() && (is_bits(ty) || is_element(ty)),
    };
    let name = declared.map_or_else(String::new, |declared| format!(", `{}`", declared.text));
    let which = format!("{which} is {}{name}", described(parameter));
    let help =
        "give its fields, such as `{i32:7, f32:1.5, f32[1024]=0}`, or a file with its bytes, `FILE.bin` or `FILE.npy`";
    let given = scalar.map_or("a buffer is an address".to_owned(), |ty| format!("{} is one number", ty.text()));
    if !taken {
        return Err(Problem::new(format!("{which}, but {given}"), help));
    }
    let assumed = declared.is_none() && !scalar.is_some_and(is_bits);
    let what = match scalar {
        Some(ty) => format!("{which}, whose type is not known: it is taken as one {}", ty.text()),
        None => format!("{which}, whose type is not known: it gets the address of the buffer"),
    };
    Ok(assumed.then(|| Problem::new(what, format!("if it has other fields, {help}"))))
}

/// Checks a scalar of a type, or the address of a buffer, that is given for one word.
fn word_fits(scalar: Option<Type>, parameter: &Parameter, which: &str) -> Result<(), Problem> {
    let expected = parameter.bytes();
    let which = format!("{which} is {}", described(parameter));
    let (what, size, ty) = match scalar {
        Some(ty) => (format!("{} has {}", ty.text(), in_bytes(u64::from(ty.bytes()))), u64::from(ty.bytes()), ty),
        None => ("the address of a buffer has 8 bytes".to_owned(), 8, Type::B64),
    };
    if size != expected {
        let help = match (scalar, expected) {
            (None, _) => format!(
                "give a scalar such as `{}`; if the kernel takes a pointer, check the order",
                example(parameter)
            ),
            (_, 8) => format!(
                "give a buffer such as `f32[1024]=0` for a pointer, or a scalar such as `{}`",
                example(parameter)
            ),
            _ => format!("give a scalar such as `{}`", example(parameter)),
        };
        return Err(Problem::new(format!("{which}, but {what}"), help));
    }
    let mixed = !is_bits(parameter.ty) && !is_bits(ty) && parameter.ty.is_float() != ty.is_float();
    if mixed && scalar.is_some() {
        let help = format!("give `{}`; for the bits of a number, `b{}:0x…`", example(parameter), ty.bits());
        return Err(Problem::new(format!("{which}, but {} is {}", ty.text(), float_or_not(ty)), help));
    }
    if scalar.is_none() && parameter.ty.is_float() {
        return Err(Problem::new(
            format!("{which}, but a buffer is an address"),
            format!("give `{}`", example(parameter)),
        ));
    }
    Ok(())
}

fn float_or_not(ty: Type) -> &'static str {
    if ty.is_float() { "a floating-point type" } else { "an integer type" }
}

fn in_bytes(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// `.u32` for a scalar, the size for anything else.
pub(super) fn described(parameter: &Parameter) -> String {
    let bytes = parameter.bytes();
    // The names that nvcc gives to parameters say nothing.
    let name = if parameter.name.contains("_param_") { String::new() } else { format!(" (`{}`)", parameter.name) };
    match parameter.count {
        1 => format!("a {} of {}{name}", parameter.ty, in_bytes(bytes)),
        _ => format!("a structure or array of {}{name}", in_bytes(bytes)),
    }
}

/// A scalar that would do for a word.
fn example(parameter: &Parameter) -> String {
    match parameter.ty {
        ty if ty.is_float() => format!("{}:1.5", ty.text()),
        ty @ (Type::U8 | Type::U16 | Type::U32 | Type::U64) => {
            format!("i{}:7 or u{0}:7", ty.bits()).replace(" or ", "` or `")
        }
        ty => format!("{}:7", ty.text()),
    }
}

/// Returns what no argument is wrong by itself in: two buffers in one file, and more bytes than there is memory.
pub(super) fn together(arguments: &[LaunchArgument], available: Option<u64>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut files = HashSet::new();
    for argument in arguments {
        for path in argument.save_paths().filter(|path| !files.insert(output::place(path))) {
            let what = format!("an argument before it is written to `{}` as well", path.display());
            problems.push(
                Problem::new(what, "give each buffer a file of its own").about(argument.position, &argument.text),
            );
        }
    }
    let total: u128 = arguments.iter().flat_map(LaunchArgument::buffers).map(|buffer| u128::from(buffer.bytes())).sum();
    if let Some(available) = available.filter(|&available| total > u128::from(available)) {
        let title = format!("the buffers take {}, but {} of memory are free", gib(total), gib(available.into()));
        problems.push(Diagnostic::error(title).help("use smaller buffers"));
    }
    problems
}

fn gib(bytes: u128) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use crate::launch_arguments::{Known, LaunchArgument, read};

    fn module(parameters: &str) -> Module {
        Module::parse(&format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k({parameters}) {{ ret; }}\n"))
            .unwrap()
    }

    fn checked(parameters: &str, arguments: &[&str]) -> Result<Vec<LaunchArgument>, Vec<String>> {
        let module = module(parameters);
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        read(&arguments, &module.kernels()[0], Known { demangled: None, source: None }, Some(1 << 30)).map_err(
            |failure| {
                let shown = failure
                    .diagnostics
                    .into_iter()
                    .map(|d| [vec![d.title], d.notes, d.help.into_iter().collect()].concat().join(" | "));
                shown.collect()
            },
        )
    }

    #[test]
    fn arguments_of_the_right_size_are_taken() {
        let taken = checked(
            ".param .u32 n, .param .f32 a, .param .u64 .ptr .align 1 x, .param .u8 flag, .param .align 4 .b8 pair[8], .param .u64 size",
            &["i32:1000", "f32:2", "f32[1000]=iota", "u8:1", "b64:0x100000002", "u64:12"],
        );
        assert_eq!(taken.unwrap().len(), 6);
        assert!(checked(".param .f32 a", &["b32:0x3f800000"]).is_ok());
        assert!(checked(".param .b32 a", &["f32:1"]).is_ok());
        assert!(checked("", &[]).unwrap().is_empty());
    }

    #[test]
    fn every_argument_that_does_not_fit_is_named() {
        let cases: &[(&str, &[&str], &str)] = &[
            (
                ".param .u32 n, .param .u64 x",
                &["i32:1"],
                "kernel `k` has 2 parameters, but 1 argument is given | parameter 1 is a .u32 of 4 bytes (`n`) | parameter 2 is a .u64 of 8 \
                 bytes (`x`) | give one `--arg` for each parameter, in their order; a pointer takes a buffer such as `f32[1024]=0`",
            ),
            (
                "",
                &["i32:1", "i32:2"],
                "kernel `k` has no parameters, but 2 arguments are given | leave the `--arg`s out",
            ),
            (
                ".param .u32 n",
                &["i64:1"],
                "argument 1 (`i64:1`): parameter 1 of `k` is a .u32 of 4 bytes (`n`), but s64 has 8 bytes | give a scalar such as `i32:7` \
                 or `u32:7`",
            ),
            (
                ".param .u64 x",
                &["u8:1"],
                "argument 1 (`u8:1`): parameter 1 of `k` is a .u64 of 8 bytes (`x`), but u8 has 1 byte | give a buffer such as \
                 `f32[1024]=0` for a pointer, or a scalar such as `i64:7` or `u64:7`",
            ),
            (
                ".param .f32 n",
                &["f32[4]=0"],
                "argument 1 (`f32[4]=0`): parameter 1 of `k` is a .f32 of 4 bytes (`n`), but the address of a buffer has 8 bytes | give a \
                 scalar such as `f32:1.5`; if the kernel takes a pointer, check the order",
            ),
            (
                ".param .f64 n",
                &["f32[4]=0"],
                "argument 1 (`f32[4]=0`): parameter 1 of `k` is a .f64 of 8 bytes (`n`), but a buffer is an address | give `f64:1.5`",
            ),
            (
                ".param .f32 n",
                &["i32:2"],
                "argument 1 (`i32:2`): parameter 1 of `k` is a .f32 of 4 bytes (`n`), but s32 is an integer type | give `f32:1.5`; for the \
                 bits of a number, `b32:0x…`",
            ),
            (
                ".param .u32 n",
                &["f32:2"],
                "argument 1 (`f32:2`): parameter 1 of `k` is a .u32 of 4 bytes (`n`), but f32 is a floating-point type | give `i32:7` or \
                 `u32:7`; for the bits of a number, `b32:0x…`",
            ),
            (
                ".param .align 8 .b8 s[24]",
                &["b64:0"],
                "argument 1 (`b64:0`): parameter 1 of `k` is a structure or array of 24 bytes (`s`), but b64 is one number | give its \
                 fields, such as `{i32:7, f32:1.5, f32[1024]=0}`, or a file with its bytes, `FILE.bin` or `FILE.npy`",
            ),
        ];
        for (parameters, arguments, expected) in cases {
            assert_eq!(checked(parameters, arguments).unwrap_err(), [*expected]);
        }
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let problems = checked(".param .u32 n, .param .u64 x", &["i32:y", "f32[0]=0", "q:1"]).unwrap_err();
        let starts: Vec<&str> =
            problems.iter().map(|problem| problem.split([':', '|']).next().unwrap().trim()).collect();
        let expected = [
            "kernel `k` has 2 parameters, but 3 arguments are given",
            "argument 1 (`i32",
            "argument 2 (`f32[0]=0`)",
            "argument 3 (`q",
        ];
        assert_eq!(starts, expected);
    }

    #[test]
    fn two_buffers_do_not_share_a_file() {
        let problems =
            checked(".param .u64 x, .param .u64 y", &["f32[4]=0>same.npy", "f32[4]=1>same.npy"]).unwrap_err();
        let expected = "argument 2 (`f32[4]=1>same.npy`): an argument before it is written to `same.npy` as well | give each buffer a file of \
                        its own";
        assert_eq!(problems, [expected]);
    }

    #[test]
    fn more_memory_than_there_is_is_refused_before_any_is_taken() {
        let arguments = checked(".param .u64 x, .param .u64 y", &["f32[2^20]=0", "f64[2^20]=0"]).unwrap();
        assert!(super::together(&arguments, Some(12 << 20)).is_empty());
        assert!(super::together(&arguments, None).is_empty());
        let problems = super::together(&arguments, Some((12 << 20) - 1));
        assert_eq!(problems[0].title, "the buffers take 0.0 GiB, but 0.0 GiB of memory are free");
    }
}
