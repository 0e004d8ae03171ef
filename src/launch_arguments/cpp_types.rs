//! The types of a kernel's parameters as C++ declares them: in a demangled name, or in the source of a kernel whose name is not mangled.
//!
//! Only what is understood for sure is said: the fundamental types, the vectors and 16-bit floats of CUDA, atomics of them, and the aliases of them
//! that a source defines. A mangled name has no aliases. In a source, any other word (a macro, a name from a header) may be anything.

use super::aliases::Aliases;
use super::element::{Element, Format};
use crate::cpp_text::{closing, is_word, opening};

/// A parameter's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CppType {
    /// It is a pointer or an array.
    pub(super) pointer: bool,
    /// The type, or the type that it points to, as it is written: `unsigned int`.
    pub(super) text: String,
    /// The element that memory holds; `None` where nothing is known or anything may lie there: raw bytes, structures.
    pub(super) element: Option<Element>,
    /// The type's name is known. Another one may stand for any type, a pointer too.
    pub(super) known: bool,
}

/// The types of the parameters in a demangled name such as `void ns::scale<float>(float*, int)`; `None` where the text is not understood.
pub(super) fn of_demangled(name: &str) -> Option<Vec<CppType>> {
    let text = name.strip_suffix(')')?;
    let open = opening(name, ('(', ')'))?;
    list(&text[open + 1..], None)
}

/// The types of the parameters in the one declaration of a kernel in a source; `None` if there is none, or another one that differs.
pub(super) fn of_source(source: &str, kernel: &str) -> Option<Vec<CppType>> {
    let source = without_comments(source);
    let aliases = Aliases::of(&source);
    let mut found: Option<Vec<CppType>> = None;
    for (at, _) in source.match_indices(kernel) {
        let (before, behind) = (&source[..at], source[at + kernel.len()..].trim_start());
        let begin = before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
        let declares = before[begin..].split(|c| !is_word(c)).any(|word| word == "__global__");
        if before.ends_with(is_word) || !behind.starts_with('(') || !declares {
            continue;
        }
        let types = list(&behind[1..closing(behind, ('(', ')'))?], Some(&aliases))?;
        if found.as_ref().is_some_and(|found| *found != types) {
            return None;
        }
        found = Some(types);
    }
    found
}

/// Blanks in the places of comments, strings and lines of the preprocessor.
fn without_comments(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let line_begins = out.trim_end_matches([' ', '\t']).ends_with('\n') || out.trim().is_empty();
        let until = |end: &str| rest[c.len_utf8()..].find(end).map_or(rest.len(), |at| at + c.len_utf8() + end.len());
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            '#' if line_begins => rest.find('\n').unwrap_or(rest.len()),
            '"' => until("\""),
            _ => 0,
        };
        if skipped > 0 {
            out.push(' ');
            rest = &rest[skipped..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// The types between the brackets, apart from each other by commas. In a source, names may stand behind them, and aliases in their place.
fn list(text: &str, aliases: Option<&Aliases>) -> Option<Vec<CppType>> {
    if matches!(text.trim(), "" | "void") {
        return Some(Vec::new());
    }
    split(text)?.into_iter().map(|text| Some(one(text.trim(), aliases))).collect()
}

/// The parts of a text between the commas that stand in no bracket.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' if depth == 0 => return None,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    (depth == 0).then_some(parts)
}

/// Words that say nothing of how a value lies in memory.
const QUALIFIERS: &[&str] =
    &["const", "volatile", "restrict", "__restrict__", "__restrict", "register", "__grid_constant__"];

/// Types of which nothing is known but that they are raw bytes, or nothing.
const RAW: &[&str] = &["void", "char", "signed char", "unsigned char", "int8_t", "uint8_t", "uchar", "byte"];

fn one(text: &str, aliases: Option<&Aliases>) -> CppType {
    let plain = without_atomic(text);
    let text = plain.as_deref().unwrap_or(text);
    let words = words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !QUALIFIERS.contains(word)).collect();
    let first = words.iter().position(|word| matches!(*word, "*" | "["));
    let (base, behind) = words.split_at(first.unwrap_or(words.len()));
    // Functions, references and what is assigned are not looked into.
    let unclear = words.iter().any(|word| matches!(*word, "(" | "&") || word.contains('='));
    // `float x[]` is a pointer; its name stands in front of the brackets. `float x`, too, has one.
    let name_in_base = aliases.is_some() && behind.first() != Some(&"*") && base.len() > 1;
    let base = base.split_last().filter(|_| name_in_base).map_or(base, |(_, before)| before);
    let depth = behind.iter().filter(|word| matches!(**word, "*" | "[")).count();
    let shown = base.join(" ");
    let replaced = aliases.map_or_else(|| shown.clone(), |aliases| aliases.resolve(&shown));
    let named = replaced.trim_end_matches('*');
    let of_alias = replaced.len() - named.len();
    let depth = depth + of_alias;
    let element = match depth {
        _ if unclear => None,
        0 | 1 => element(named),
        _ => Some(Element { bytes: 8, format: Format::Unsigned }),
    };
    let is_raw = RAW.contains(&named.strip_prefix("std::").unwrap_or(named));
    let known = unclear
        || element.is_some()
        || is_raw
        || vector_of_bytes(named)
        || aliases.is_none_or(|aliases| aliases.is_structure(named));
    let text = if of_alias > 0 { named } else { &shown }.to_owned() + &" *".repeat(depth.saturating_sub(1));
    CppType { pointer: depth > 0, text, element, known }
}

/// The words of a type. What stands between the brackets of a template or in the braces of a lambda is one with its name.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut depth) = (vec![String::new()], 0_usize);
    for c in text.chars() {
        match c {
            '<' | '{' => depth += 1,
            '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let apart = depth == 0 && matches!(c, '*' | '[' | ']' | '(' | '&');
        match words.last_mut().filter(|_| !(apart || depth == 0 && c.is_whitespace())) {
            Some(word) => word.push(c),
            None => words.extend([if apart { c.to_string() } else { String::new() }, String::new()]),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns true for `char4`, `uchar2` and the like.
fn vector_of_bytes(word: &str) -> bool {
    word.strip_suffix(['1', '2', '3', '4']).is_some_and(|base| matches!(base, "char" | "uchar"))
}

/// The element of a type that is no pointer.
fn element(text: &str) -> Option<Element> {
    let of = |bytes, format| Some(Element { bytes, format });
    let word = text.strip_prefix("std::").unwrap_or(text);
    match word {
        "bool" => return of(1, Format::Unsigned),
        "float" => return of(4, Format::Float),
        "double" => return of(8, Format::Float),
        "half" | "half2" | "__half" | "__half2" => return of(2, Format::Half),
        "nv_bfloat16" | "nv_bfloat162" | "__nv_bfloat16" | "__nv_bfloat162" => return of(2, Format::Bfloat),
        "int16_t" => return of(2, Format::Signed),
        "int32_t" | "wchar_t" => return of(4, Format::Signed),
        "int64_t" | "ptrdiff_t" | "intptr_t" => return of(8, Format::Signed),
        "uint16_t" | "ushort" | "char16_t" => return of(2, Format::Unsigned),
        "uint32_t" | "uint" | "char32_t" => return of(4, Format::Unsigned),
        "uint64_t" | "size_t" | "uintptr_t" | "ulong" => return of(8, Format::Unsigned),
        _ => {}
    }
    vector(word).or_else(|| integer(word))
}

/// Puts T in the place of `cuda::atomic<T, …>`, which lies in memory as a T does.
fn without_atomic(text: &str) -> Option<String> {
    let (path, behind) = text.split_once('<')?;
    let is_atomic = path.starts_with("cuda::") && path.rsplit("::").next() == Some("atomic");
    let mut depth = 1;
    let end = behind.find(|c| {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        depth == 0
    });
    let end = end.filter(|_| is_atomic)?;
    Some(format!("{}{}", split(&behind[..end])?.first()?.trim(), &behind[end + 1..]))
}

/// The element of `float4`, `uint2`, `double4_16a`. Those of bytes are left out: they are often another view of words.
fn vector(word: &str) -> Option<Element> {
    let word = ["_16a", "_32a"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let base = word.strip_suffix(['1', '2', '3', '4'])?;
    let (bytes, format) = match base {
        "short" => (2, Format::Signed),
        "ushort" => (2, Format::Unsigned),
        "int" => (4, Format::Signed),
        "uint" => (4, Format::Unsigned),
        "long" | "longlong" => (8, Format::Signed),
        "ulong" | "ulonglong" => (8, Format::Unsigned),
        "float" => (4, Format::Float),
        "double" => (8, Format::Float),
        _ => return None,
    };
    Some(Element { bytes, format })
}

/// The element of an integer type that is spelled by words: `long long unsigned int`. A `char` is a raw byte.
fn integer(text: &str) -> Option<Element> {
    let words: Vec<&str> = text.split(' ').collect();
    let known = words.iter().all(|word| matches!(*word, "signed" | "unsigned" | "short" | "int" | "long"));
    let has = |word| words.contains(&word);
    let bytes = match () {
        () if !known => return None,
        () if has("short") => 2,
        () if has("long") => 8,
        () => 4,
    };
    let format = if has("unsigned") { Format::Unsigned } else { Format::Signed };
    Some(Element { bytes, format })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::demangle;

    /// `*` for a pointer, and the element: `*i4` for `unsigned int *`, `?` for a structure or bytes, `!` for a name that is unknown.
    fn shown(types: Option<Vec<CppType>>) -> String {
        let one = |ty: &CppType| {
            let nothing = if ty.known { "?" } else { "!" };
            let element = ty.element.map_or(nothing.into(), |element| {
                let letter = match element.format {
                    Format::Signed => 'i',
                    Format::Unsigned => 'u',
                    Format::Float => 'f',
                    Format::Half => 'h',
                    Format::Bfloat => 'b',
                };
                format!("{letter}{}", element.bytes)
            });
            if ty.pointer { format!("*{element}") } else { element }
        };
        types.map_or("none".into(), |types| types.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn mangled_names_have_the_types_of_the_parameters() {
        let cases = [
            ("_Z1kPjPKfi", "*u4 *f4 i4"),
            ("_Z1kv", ""),
            ("_Z4copyIfEvPT_", "*f4"),
            ("_Z1kPxPyPlPmPsPtPbPd", "*i8 *u8 *i8 *u8 *i2 *u2 *u1 *f8"),
            ("_Z1kPvPcPhPKa", "*? *? *? *?"),
            ("_Z1kP6float4P4int2P7double2P6uchar4", "*f4 *i4 *f8 *?"),
            ("_Z1kP6__halfP13__nv_bfloat16P7__half2", "*h2 *b2 *h2"),
            ("_Z1kPPfP8Particle", "*u8 *?"),
            ("_Z1kPN4cuda3std3__46atomicIiLNS0_12thread_scopeE0EEE", "*i4"),
            ("_Z1kPFviE", "*?"),
            ("_Z1k3Two4PairIPfiE", "? ?"),
            ("_ZN12_GLOBAL__N_11kEPVj", "*u4"),
        ];
        for (name, expected) in cases {
            let demangled = demangle(name).unwrap();
            assert_eq!(shown(of_demangled(&demangled)), expected, "{demangled}");
        }
        for name in ["k", "k(float*", "k(float>*)", ")"] {
            assert_eq!(shown(of_demangled(name)), "none", "{name}");
        }
        assert_eq!(of_demangled("k(unsigned int*)").unwrap()[0].text, "unsigned int");
    }

    #[test]
    fn declarations_are_found_in_a_source() {
        let cases = [
            ("extern \"C\" __global__ void k(unsigned *a, const float* __restrict__ b, int n) {}", "*u4 *f4 i4"),
            (
                "extern \"C\" {\n__global__ void\n__launch_bounds__(128) k (double x[], size_t n, half h, char *raw);\n}",
                "*f8 u8 h2 *?",
            ),
            ("extern \"C\" __global__ void k(REAL *a, struct S s, std::uint32_t *c, float (*f)[4]) {}", "*! ? *u4 *?"),
            (
                "using idx_t = std::int64_t; typedef idx_t *pi;\n__global__ void k(const idx_t *a, pi b, idx_t c[]) {}",
                "*i8 *i8 *i8",
            ),
            ("struct Cfg { using T = double; };\n__global__ void k(const Cfg::T *a, Cfg b, Other c) {}", "*f8 ? !"),
            ("struct A { using T = float; }; struct B { typedef double T; };\n__global__ void k(A::T *a) {}", "*!"),
            ("typedef unsigned long long ull, *pull; typedef float v4[4];\n__global__ void k(ull a, v4 *b) {}", "! *!"),
            (
                "typedef struct { float x; } P; typedef struct Q { int y; } Q;\n__global__ void k(P a, Q *b, uchar4 *c) {}",
                "? *? *?",
            ),
            ("typedef double größe;\n__global__ void k(float *a, int n) {}", "*f4 i4"),
            ("using A = B; using B = A;\n__global__ void k(A a) {}", "!"),
            ("extern \"C\" __global__ void k(void) {}", ""),
            ("// __global__ void k(int)\n__global__ void k(float f /* , int */) {}", "f4"),
            ("void k(float *a) {} __global__ void kk(int a); void f() { k(1); }", "none"),
            ("#if A\n__global__ void k(float *a) {}\n#else\n__global__ void k(double *a) {}\n#endif", "none"),
            ("__global__ void k(float *a);\n__global__ void k(float *b) {}", "*f4"),
            ("const char *s = \"__global__ void k(float *a)\"; __global__ void k(long long unsigned int *a) {}", "*u8"),
            ("__global__ void k(float *a", "none"),
            ("", "none"),
        ];
        for (source, expected) in cases {
            assert_eq!(shown(of_source(source, "k")), expected, "{source}");
        }
    }
}
