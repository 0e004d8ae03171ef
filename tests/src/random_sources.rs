//! Random CUDA sources with directives, for what stands between a source and its PTX.
//!
//! Each source has several kernels with a marked loop and a marked path. They differ in what a marker must not change:
//!
//! - where the loop stands: a kernel, a function, also one that is `constexpr` and evaluated by the compiler, a template, a lambda, a macro or the
//!   arguments of one,
//! - how the directive is spelled, and which pragmas stand above and below it,
//! - what the path does with the loop variable: overloads and templates that depend on type, constness and value category, references, addresses,
//!   names that the path declares anew,
//! - what the compiler makes of the loop: arrays that are registers only if the loop is unrolled, short loops, loops of unknown length.
//!
//! Some directives are wrong, each in a way of [`Wrong`].
//!
//! Iterations are independent of each other: each stores to a place of its own and adds to counters with atomics.

use std::fmt::Write as _;

use crate::generate::Random;

/// The beginning of all sources.
const HEAD: &str = "
__device__ inline int pick(int &) { return 1; }
__device__ inline int pick(const int &) { return 2; }
__device__ inline int pick(unsigned &) { return 3; }
__device__ inline int pick(const unsigned &) { return 4; }
template <class T> __device__ inline int pick(T &&) { return 5; }
template <class T> struct kind { enum { value = 10 }; };
template <class T> struct kind<const T> { enum { value = 20 }; };
template <class T> struct kind<T &> { enum { value = 30 }; };
template <class T> __device__ inline int step_by(T &x) { T before = x; return (int)before; }
#define LOOP(T, i, n) for (T i = threadIdx.x + blockIdx.x * blockDim.x; i < (T)(n); i += gridDim.x * blockDim.x)
#define WHOLE(...) __VA_ARGS__
#define TWICE(x) x x
";

/// The threads of a block, and the blocks, that the kernels are written for.
pub const SHAPE: (u32, u32) = (2, 48);

/// Elements of each buffer.
pub const ELEMENTS: u32 = 640;

/// A source, and the names of its kernels.
#[derive(Debug, Clone)]
pub struct Source {
    /// The text.
    pub text: String,
    /// The kernels: `k0`, `k1`, ….
    pub kernels: Vec<String>,
    /// The kernels in which a directive is wrong.
    pub wrong: Vec<(String, Wrong)>,
}

/// A mistake in the directives of a kernel, so that nothing of it can be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// The directive of the path is only nearly one: `///#CCC if`.
    NearMiss,
    /// No path is marked.
    Alone,
    /// `reduce` names a variable that does not exist.
    NoVariable,
    /// The directive of the path stands behind an `#if` that is not true.
    LeftOut,
}

impl Wrong {
    const ALL: [Wrong; 4] = [Wrong::NearMiss, Wrong::Alone, Wrong::NoVariable, Wrong::LeftOut];
}

/// A source of some kernels, `void kN(const int *in, int *out, int *counters, int n)`.
#[must_use]
pub fn source(seed: u64, kernels: usize) -> Source {
    let mut random = Random::new(seed);
    let mut text = HEAD.to_owned();
    let names: Vec<String> = (0..kernels).map(|index| format!("k{index}")).collect();
    let mut all_wrong = Vec::new();
    for name in &names {
        let wrong = random.chance(12).then(|| *random.pick(&Wrong::ALL));
        all_wrong.extend(wrong.map(|wrong| (name.clone(), wrong)));
        text += &kernel(&mut random, name, wrong);
    }
    Source { text, kernels: names, wrong: all_wrong }
}

/// The surroundings of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Kernel,
    Function,
    Constant,
    Template,
    Lambda,
    /// In the arguments of a macro, where only comments are directives.
    Arguments,
}

fn kernel(random: &mut Random, name: &str, wrong: Option<Wrong>) -> String {
    let homes =
        [Home::Arguments, Home::Kernel, Home::Kernel, Home::Function, Home::Constant, Home::Template, Home::Lambda];
    // What a directive of the preprocessor does in the arguments of a macro is undefined.
    let home = *random.pick(if wrong == Some(Wrong::LeftOut) { &homes[1..] } else { &homes });
    let ty = *random.pick(&["int", "unsigned", "long long", "short"]);
    let body = body(random, home, ty, wrong);
    let parameters = "const int *in, int *out, int *counters, int n";
    let arguments = "in, out, counters, n";
    let global = format!("extern \"C\" __global__ void {name}({parameters}) ");
    match home {
        Home::Kernel => format!("{global}{{\n{body}}}\n"),
        Home::Arguments => format!("{global}{{\nWHOLE({body})\n}}\n"),
        Home::Function => {
            let host = if random.chance(50) { "__host__ " } else { "" };
            // On the host there are no threads; what is compiled there is never run.
            let body = if host.is_empty() { body } else { format!("#ifdef __CUDA_ARCH__\n{body}#endif\n") };
            format!(
                "{host}__device__ inline void f_{name}({parameters}) {{\n{body}}}\n{global}{{ f_{name}({arguments}); }}\n"
            )
        }
        Home::Template => format!(
            "template <class T> __device__ void f_{name}(const T *in, T *out, T *counters, int n) {{\n{body}}}\n{global}{{ f_{name}<int>({arguments}); }}\n"
        ),
        Home::Lambda => format!("{global}{{\nauto work = [=](int n) {{\n{body}}};\nwork(n);\n}}\n"),
        Home::Constant => {
            let loop_text = marked(
                random,
                "for (int i = 0; i < n; i += 1)",
                "s > -1 && (in[i] & 3) == 1",
                "s += in[i] * 3 + i;\n",
                true,
                (home, wrong),
            );
            format!(
                "__host__ __device__ constexpr int f_{name}(const int *in, int n) {{\nint s = 0;\n{loop_text}return s;\n}}\n\
                 constexpr int t_{name}[3] = {{1, 2, 5}};\nstatic_assert(f_{name}(t_{name}, 3) == 3 + 17, \"evaluated\");\n\
                 {global}{{ int g = threadIdx.x + blockIdx.x * blockDim.x; out[g] = f_{name}(in + g, n / 16); }}\n"
            )
        }
    }
}

/// The statements of a loop with a path, and what is before and behind it.
fn body(random: &mut Random, home: Home, ty: &str, wrong: Option<Wrong>) -> String {
    let local = random.chance(25);
    let header = match local {
        // An array that is registers only if this loop is unrolled.
        true => "for (int i = 0; i < 8; ++i)".to_owned(),
        false if random.chance(40) => format!("LOOP({ty}, i, n)"),
        false => {
            format!("for ({ty} i = threadIdx.x + blockIdx.x * blockDim.x; i < ({ty})n; i += gridDim.x * blockDim.x)")
        }
    };
    let at = if local { "(i + 8 * (threadIdx.x + blockIdx.x * blockDim.x)) % 640" } else { "i" };
    let uses = [
        "pick(i)".to_owned(),
        "kind<decltype(i)>::value + kind<decltype((i))>::value".to_owned(),
        "step_by(i)".to_owned(),
        "(int)*&i".to_owned(),
        "(int)sizeof(i)".to_owned(),
        "[&] { return (int)i + pick(i); }()".to_owned(),
        "pick(i + 0) + pick((int)i)".to_owned(),
        format!("in[({at}) ^ 1]"),
    ];
    let mut path = format!("int y = in[{at}];\n");
    for _ in 0..=random.below(2) {
        // Writing to a string does not fail.
        let _ = writeln!(path, "y = y * 3 + ({});", random.pick(&uses));
    }
    if random.chance(60) {
        path += "for (int q = 0; q < 20; ++q) y = y * 5 + (y >> 3);\n";
    }
    if random.chance(30) {
        path += "{ int i = y & 7; y += i; }\n";
    }
    if local && random.chance(70) {
        path += "keep[i] = y;\n";
    } else {
        let _ = writeln!(path, "out[{at}] = y;");
    }
    if random.chance(40) {
        path += "atomicAdd(&counters[y & 7], 1);\n";
    }
    let condition = format!("(in[{at}] & {}) == 1", random.pick(&["1", "3", "7"]));
    let loop_text = marked(random, &header, &condition, &path, false, (home, wrong));
    let (before, behind) = match local {
        true => (
            "int keep[8] = {};\n",
            "int all = 0;\nfor (int i = 0; i < 8; ++i) all = all * 7 + keep[i];\natomicAdd(&counters[8 + (threadIdx.x & 7)], all);\n",
        ),
        false => ("", ""),
    };
    format!("{before}{loop_text}{behind}")
}

/// A loop and a path in it, with directives and perhaps pragmas.
fn marked(
    random: &mut Random,
    header: &str,
    condition: &str,
    path: &str,
    reduces: bool,
    (home, wrong): (Home, Option<Wrong>),
) -> String {
    let spellings: &[&str] = match home {
        Home::Arguments => &["//#CCC {}", "/* #CCC {} */"],
        _ => &["//#CCC {}", "// #CCC {}", "#pragma CCC {}", "/*#CCC {}*/", "#CCC {}", "_Pragma(\"CCC {}\")"],
    };
    let directive = |random: &mut Random, text: &str| format!("{}\n", random.pick(spellings).replace("{}", text));
    let head = match (reduces, wrong == Some(Wrong::NoVariable)) {
        (true, false) => "for reduce(+:s)",
        (true, true) => "for reduce(+:s, nobody)",
        (false, true) => "for reduce(+:nobody)",
        (false, false) => "for",
    };
    let pragmas: &[&str] = match home {
        // A macro would carry a pragma to its front.
        Home::Arguments => &[""],
        _ => {
            &["", "", "#pragma unroll\n", "#pragma unroll 4\n", "#pragma nounroll\n", "#pragma nv_diag_suppress 177\n"]
        }
    };
    let (above, below) = match random.chance(50) {
        true => (*random.pick(pragmas), ""),
        false => ("", *random.pick(pragmas)),
    };
    let loop_directive = directive(random, head);
    let path_directive = match wrong {
        Some(Wrong::Alone) => String::new(),
        Some(Wrong::NearMiss) => {
            let spellings =
                ["///#CCC if", "//!#CCC if", "//CCC if", "//#CCCif", "/**#CCC if*/", "/*#CCC if\nwhere few go\n*/"];
            format!("{}\n", random.pick(&spellings))
        }
        // What a pragma operator in a text that is left out may be, nobody says.
        Some(Wrong::LeftOut) => format!("#if 0\n{}\n#endif\n", random.pick(&spellings[..4]).replace("{}", "if")),
        Some(Wrong::NoVariable) | None => directive(random, "if"),
    };
    // A function that the compiler evaluates has no counters.
    let path = match if reduces { 0 } else { random.below(5) } {
        0 => format!("{path_directive}if ({condition}) {{\n{path}}}\n"),
        1 => format!(
            "if (in[0] == -12345) {{ counters[15] = 1; }}\n{path_directive}else if ({condition}) {{\n{path}}}\n"
        ),
        2 => format!(
            "if ({condition}) {{\nint unused = 0; (void)unused;\n}}\n{path_directive}if ({condition}) {{\n{path}}} else counters[15] = 0;\n"
        ),
        3 => {
            let directive = path_directive.replace("CCC if", "CCC while").replace("CCCif", "CCCwhile");
            let steps = match random.chance(50) {
                true => format!("do {{\n{path}}} while (--left > 0);\n"),
                false => format!("while (left-- > 0) {{\n{path}}}\n"),
            };
            let behind = *random.pick(&["", "atomicAdd(&counters[left & 7], left);\n"]);
            format!("int left = ({condition}) ? (in[0] & 3) + 2 : 0;\n{directive}{steps}{behind}")
        }
        _ => format!(
            "switch (({condition}) ? 1 : 0) {{\n{}case 1: {{\n{path}break; }}\ndefault: break;\n}}\n",
            path_directive.replace("CCC if", "CCC case").replace("CCCif", "CCCcase")
        ),
    };
    format!("{above}{loop_directive}{below}{header} {{\n{path}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_source() {
        assert_eq!(source(3, 5).text, source(3, 5).text);
        assert_ne!(source(3, 5).text, source(4, 5).text);
    }
}
