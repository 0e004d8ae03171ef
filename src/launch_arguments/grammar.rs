//! The grammar of an argument:
//!
//! ```text
//! argument = TYPE ':' NUMBER                        a scalar
//!          | TYPE '[' COUNT ']' '=' INIT [ '>' OUT ]  a buffer
//!          | FILE.npy [ '>' OUT ]                   a buffer with the type and size of a file
//!          | '{' argument { ',' argument } '}'        a structure, field by field
//!          | FILE.bin | FILE.npy                      a structure as the bytes of a file
//! INIT     = NUMBER | 'iota' | 'rand:' SEED | FILE.npy | 'none'
//! ```
//!
//! What a NUMBER of a TYPE is, is said in [`super::number`].

use std::path::PathBuf;

use ptx_parser::Type;

use super::number::{self, has_value};
use super::problem::NO_ELEMENTS;
use super::problem::Problem;
use super::structure::{self, Field};
use crate::output;

/// The meaning of the text; no file has been opened.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Written {
    Scalar {
        ty: Type,
        bits: u64,
    },
    Buffer {
        ty: Type,
        count: u64,
        fill: WrittenFill,
        save: Option<PathBuf>,
    },
    /// A buffer, or a structure if the parameter is one.
    File {
        path: PathBuf,
        save: Option<PathBuf>,
    },
    /// A structure as the bytes of a file.
    Bytes(PathBuf),
    Structure(Vec<Field>),
}

/// The contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WrittenFill {
    Number(u64),
    Iota,
    Random(u64),
    File(PathBuf),
    Nothing,
}

const FORMS: &str = "write a scalar as `i32:7`, a buffer as `f32[1024]=0`, `f32[1024]=iota`, `f32[1024]=rand:1` or `f32[1024]=x.npy`, \
                     or a file alone as `x.npy`; `>y.npy` behind a buffer writes it there; a structure by value as \
                     `{i32:7, f32:1.5}` or its bytes as `x.bin`";

/// Reads one argument.
pub(super) fn parse(text: &str) -> Result<Written, Problem> {
    parse_at(text, 0)
}

/// Reads an argument, or a field of a structure; `depth` is the number of braces around it.
pub(super) fn parse_at(text: &str, depth: usize) -> Result<Written, Problem> {
    if text.trim_start().starts_with('{') {
        return structure::parse(text.trim(), depth).map(Written::Structure);
    }
    let (what, save) = match text.rsplit_once('>') {
        Some((what, path)) => (what.trim(), Some(saved_to(path.trim())?)),
        None => (text.trim(), None),
    };
    if let Some((word, rest)) = what.split_once('[').filter(|(word, _)| is_word(word.trim())) {
        return buffer(word.trim(), rest, save);
    }
    if let Some((word, value)) = what.split_once(':').filter(|(word, value)| is_word(word.trim()) && !is_npy(value)) {
        if save.is_some() {
            let help = "give a buffer, `TYPE[COUNT]=INIT>OUT.npy`, or leave the `>` out";
            return Err(Problem::new("a scalar cannot be written to a file", help));
        }
        let ty = type_of(word.trim())?;
        return Ok(Written::Scalar { ty, bits: number::parse(ty, value.trim())? });
    }
    if is_npy(what) {
        return Ok(Written::File { path: PathBuf::from(what), save });
    }
    if what.len() > 4 && what.ends_with(".bin") {
        return match save {
            None => Ok(Written::Bytes(PathBuf::from(what))),
            Some(_) => {
                let help = "leave the `>` out; a kernel cannot change a structure that it takes by value";
                Err(Problem::new("a structure cannot be written to a file", help))
            }
        };
    }
    let what = if what.is_empty() { "it has no value" } else { "it is neither a scalar nor a buffer" };
    Err(Problem::new(what, FORMS))
}

/// Reads what stands behind `TYPE[`.
fn buffer(word: &str, rest: &str, save: Option<PathBuf>) -> Result<Written, Problem> {
    let ty = type_of(word)?;
    let Some((count, rest)) = rest.split_once(']') else {
        return Err(Problem::new("the `]` behind the number of elements is missing", FORMS));
    };
    let count = element_count(count.trim())?;
    if count.checked_mul(u64::from(ty.bytes())).is_none_or(|bytes| bytes > i64::MAX as u64) {
        return Err(Problem::new(
            format!("{count} elements have more bytes than there are addresses"),
            "give fewer elements",
        ));
    }
    let Some(init) = rest.trim().strip_prefix('=') else {
        let help = format!("write `{word}[{count}]=0`; `iota`, `rand:SEED` and `FILE.npy` may stand for the 0 as well");
        return Err(Problem::new("it does not say what is in the buffer", help));
    };
    Ok(Written::Buffer { ty, count, fill: fill(ty, init.trim())?, save })
}

fn fill(ty: Type, init: &str) -> Result<WrittenFill, Problem> {
    if is_npy(init) {
        return Ok(WrittenFill::File(PathBuf::from(init)));
    }
    let sequence = init == "iota" || init == "rand" || init.starts_with("rand:");
    if sequence && !has_value(ty) {
        let help = "fill a buffer of that many bits with `b32[COUNT]=…`, `f16[COUNT]=…` or the like; the kernel sees only the bytes";
        return Err(Problem::new(format!("`{}` is a packed type; `{init}` has no meaning for it", ty.text()), help));
    }
    if init == "none" {
        return Ok(WrittenFill::Nothing);
    }
    if init == "iota" {
        return Ok(WrittenFill::Iota);
    }
    if sequence {
        let seed = init.strip_prefix("rand:").unwrap_or_default().trim();
        let seed = number::integer(seed).and_then(|seed| u64::try_from(seed).ok());
        let help = "write `rand:SEED` with a SEED from 0 to 18446744073709551615; the same seed gives the same numbers";
        return seed
            .map(WrittenFill::Random)
            .ok_or_else(|| Problem::new(format!("`{init}` has no seed that is a whole number"), help));
    }
    if init.is_empty() {
        return Err(Problem::new(
            "nothing follows the `=`",
            "write a number, `iota`, `rand:SEED`, `FILE.npy` or `none`",
        ));
    }
    number::parse(ty, init).map(WrittenFill::Number).map_err(|problem| {
        let names_file = init.contains(['/', '.']) && init.contains(|c: char| c.is_ascii_alphabetic());
        let help = if names_file { "a file's name must end in `.npy`".to_owned() } else { problem.help };
        Problem::new(problem.what, help)
    })
}

fn element_count(text: &str) -> Result<u64, Problem> {
    let help = "give the number of elements, such as 1000, 1_000_000 or 2^20";
    match number::integer(text) {
        Some(0) => Err(Problem::new("a buffer of no elements", NO_ELEMENTS)),
        Some(count) => u64::try_from(count)
            .map_err(|_| Problem::new(format!("`{text}` is not a possible number of elements"), help)),
        None => Err(Problem::new(format!("`{text}` is not a number of elements"), help)),
    }
}

/// The file that a buffer is written to. Whether it can be is found out now and not after a long run.
fn saved_to(path: &str) -> Result<PathBuf, Problem> {
    if !is_npy(path) {
        let what =
            if path.is_empty() { "no file follows the `>`".into() } else { format!("`{path}` does not end in `.npy`") };
        return Err(Problem::new(what, "write `>OUT.npy`; the file gets the buffer's values in NumPy's format"));
    }
    let path = PathBuf::from(path);
    if path.is_dir() {
        return Err(Problem::new(format!("`{}` is a directory", path.display()), "name a file that may be written"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let what = format!("there is no directory `{}` to write to", folder.display());
        return Err(Problem::new(what, "create it first, or name another place"));
    }
    if let Some(error) = output::refusal(&path) {
        let what = format!("cannot write `{}`: {error}", path.display());
        return Err(Problem::new(what, "name a file in a folder that may be written and has room"));
    }
    Ok(path)
}

/// The type of a word: PTX's names, and `i8` to `i64` for the signed integers.
fn type_of(word: &str) -> Result<Type, Problem> {
    let name = word.strip_prefix('.').unwrap_or(word);
    let ptx = match name {
        "i8" => "s8",
        "i16" => "s16",
        "i32" => "s32",
        "i64" => "s64",
        name => name,
    };
    match Type::from_text(ptx) {
        Some(Type::Pred) => {
            Err(Problem::new("predicates do not exist in memory", "a `bool` of CUDA is a byte: `u8:1`, `u8[COUNT]=0`"))
        }
        Some(ty @ (Type::B128 | Type::B1024)) => Err(Problem::new(
            format!("{} bits are no number here", ty.bits()),
            format!("give {} times as many values of type `b64`, or a `.npy` file of them", ty.bits() / 64),
        )),
        Some(ty) => Ok(ty),
        None => {
            let guess = match name {
                "int" | "long" => "; a C `int` is `i32`, a `long` `i64`",
                "unsigned" | "uint" | "uint32_t" => "; a C `unsigned` is `u32`",
                "float" => "; a C `float` is `f32`",
                "double" => "; a C `double` is `f64`",
                "bool" | "char" => "; a C `bool` is `u8`, a `char` `i8`",
                "half" => "; a `half` is `f16`",
                _ => "",
            };
            let help = format!("use i8 to i64, u8 to u64, f16, bf16, f32, f64 or b8 to b64{guess}");
            Err(Problem::new(format!("`{word}` is not a PTX type"), help))
        }
    }
}

pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
}

fn is_npy(text: &str) -> bool {
    text.len() > 4 && text.ends_with(".npy")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer_of(ty: Type, count: u64, fill: WrittenFill) -> Written {
        Written::Buffer { ty, count, fill, save: None }
    }

    #[test]
    fn scalars() {
        let scalar = |ty, bits| Ok(Written::Scalar { ty, bits });
        assert_eq!(parse("i32:7"), scalar(Type::S32, 7));
        assert_eq!(parse("s32:-1"), scalar(Type::S32, 0xffff_ffff));
        assert_eq!(parse("i8:-1"), scalar(Type::S8, 0xff));
        assert_eq!(parse("i16:-2"), scalar(Type::S16, 0xfffe));
        assert_eq!(parse("i64:-3"), scalar(Type::S64, (-3_i64).cast_unsigned()));
        assert_eq!(parse("u64:0xffff_ffff_ffff_ffff"), scalar(Type::U64, u64::MAX));
        assert_eq!(parse(" .f32 : 1.5 "), scalar(Type::F32, 0x3fc0_0000));
        assert_eq!(parse("u32:2^20"), scalar(Type::U32, 1 << 20));
        assert_eq!(parse("f16x2:0x3c003c00"), scalar(Type::F16x2, 0x3c00_3c00));
    }

    #[test]
    fn buffers() {
        assert_eq!(parse("f32[1024]=0"), Ok(buffer_of(Type::F32, 1024, WrittenFill::Number(0))));
        assert_eq!(parse("i32[2^10]=-1"), Ok(buffer_of(Type::S32, 1024, WrittenFill::Number(0xffff_ffff))));
        assert_eq!(parse("u8[1_000] = iota"), Ok(buffer_of(Type::U8, 1000, WrittenFill::Iota)));
        assert_eq!(parse("f64[3]=rand:42"), Ok(buffer_of(Type::F64, 3, WrittenFill::Random(42))));
        assert_eq!(parse("b64[3]=a/b.npy"), Ok(buffer_of(Type::B64, 3, WrittenFill::File("a/b.npy".into()))));
        assert_eq!(
            parse("f32[2]=1e-3"),
            Ok(buffer_of(Type::F32, 2, WrittenFill::Number(u64::from(1e-3_f32.to_bits()))))
        );
    }

    #[test]
    fn files() {
        assert_eq!(parse("x.npy"), Ok(Written::File { path: "x.npy".into(), save: None }));
        assert_eq!(parse("x.npy>y.npy"), Ok(Written::File { path: "x.npy".into(), save: Some("y.npy".into()) }));
        assert_eq!(parse("a[1]/x.npy").unwrap_err().what, "`a` is not a PTX type");
        assert_eq!(parse("./a[1]/x.npy"), Ok(Written::File { path: "./a[1]/x.npy".into(), save: None }));
        assert_eq!(parse("C:x.npy"), Ok(Written::File { path: "C:x.npy".into(), save: None }));
        let written = parse("f32[4]=0 > y.npy").unwrap();
        assert_eq!(
            written,
            Written::Buffer { ty: Type::F32, count: 4, fill: WrittenFill::Number(0), save: Some("y.npy".into()) }
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("", "it has no value", "write a scalar as"),
            ("7", "it is neither a scalar nor a buffer", "write a scalar as `i32:7`"),
            ("x.np", "it is neither a scalar nor a buffer", "or a file alone"),
            (":7", "it is neither a scalar nor a buffer", "write a scalar as"),
            ("int:7", "`int` is not a PTX type", "a C `int` is `i32`"),
            ("double[4]=0", "`double` is not a PTX type", "a C `double` is `f64`"),
            ("q7:7", "`q7` is not a PTX type", "use i8 to i64, u8 to u64"),
            ("pred:1", "predicates do not exist in memory", "`u8:1`"),
            ("b128:1", "128 bits are no number here", "2 times as many"),
            ("b1024[1]=0", "1024 bits are no number here", "16 times as many"),
            ("x.bin>y.npy", "a structure cannot be written to a file", "leave the `>` out"),
            ("{", "the `}` of the structure is missing", "write a structure as `{i32:7"),
            ("{}", "the structure has no field", "write a structure as `{i32:7"),
            ("{i32:1}>y.npy", "`>y.npy` follows the `}`", "write a structure as `{i32:7"),
            ("{i32:1,}", "field 2 (``): it has no value", "leave the comma out"),
            ("{i32:1, {u8:1, f32:x}}", "field 2.2 (`f32:x`): `x` is not a number", "such as 1.5"),
            ("i32:", "no number stands there", "write a whole number"),
            ("i32:x", "`x` is not a whole number", "such as 7, -7, 0x1f or 2^20"),
            ("i32:7>y.npy", "a scalar cannot be written to a file", "leave the `>` out"),
            ("f32[4", "the `]` behind the number of elements is missing", "write a scalar as"),
            ("f32[4]", "it does not say what is in the buffer", "write `f32[4]=0`"),
            ("f32[4]0", "it does not say what is in the buffer", "write `f32[4]=0`"),
            ("f32[4]=", "nothing follows the `=`", "write a number, `iota`"),
            ("f32[]=0", "`` is not a number of elements", "such as 1000"),
            ("f32[x]=0", "`x` is not a number of elements", "such as 1000"),
            ("f32[0]=0", "a buffer of no elements", "give `u64:0`"),
            ("f32[-4]=0", "`-4` is not a possible number of elements", "such as 1000"),
            ("f32[1.5]=0", "`1.5` is not a number of elements", "such as 1000"),
            ("f32[2^64]=0", "`2^64` is not a possible number of elements", "such as 1000"),
            ("f64[2^62]=0", "4611686018427387904 elements have more bytes than there are addresses", "fewer"),
            ("f32[4]=rand", "`rand` has no seed that is a whole number", "write `rand:SEED`"),
            ("f32[4]=rand:", "`rand:` has no seed that is a whole number", "write `rand:SEED`"),
            ("f32[4]=rand:-1", "`rand:-1` has no seed that is a whole number", "from 0"),
            ("f32[4]=rnd", "`rnd` is not a number", "such as 1.5"),
            ("f32[4]=x.np", "`x.np` is not a number", "must end in `.npy`"),
            (
                "f16x2[4]=iota",
                "`f16x2` is a packed type; `iota` has no meaning for it",
                "the kernel sees only the bytes",
            ),
            ("f32[4]=0>", "no file follows the `>`", "write `>OUT.npy`"),
            ("f32[4]=0>y.txt", "`y.txt` does not end in `.npy`", "write `>OUT.npy`"),
            ("f32[4]=0>/proc/y.npy", "cannot write `/proc/y.npy`: entity not found", "a folder that may be written"),
            ("f32[4]=0>nowhere/y.npy", "there is no directory `nowhere` to write to", "create it first"),
        ];
        for (text, what, help) in cases {
            let problem = parse(text).unwrap_err();
            assert_eq!(problem.said(), what, "{text}");
            assert!(problem.help.contains(help), "{text}: {}", problem.help);
        }
    }
}
