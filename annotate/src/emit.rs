//! Writes the marked text: the source with its directives taken out and markers put in, on the lines they belong to.
//!
//! ```text
//! #CCC for const
//! for (int i = lane; i < n; i += 32) {
//!   #CCC if
//!   if (a[i] > 0) work(i);
//! }
//! ```
//!
//! becomes, with `«…»` for the inline assembler of a marker,
//!
//! ```text
//!
//! { «for_begin 1 const line 2» _Pragma("unroll 1") for (int i = lane; i < n; i += 32) {
//!
//!   if (a[i] > 0) { «if_begin 2 loop 1 line 4» work(i); «if_end 2» }
//! } «for_end 1» }
//! ```
//!
//! Markers follow the paper's annotated source modifier (CCC paper, Section 5.1): inline assembler that nvcc carries into the PTX as it is. The
//! user's variables are not touched: a copy would have another type or other constness, and resolve overloads differently.

use crate::Options;

/// Keeps the compiler from unrolling the loop behind it.
pub(crate) const ROLLED: &str = "_Pragma(\"unroll 1\") ";

/// Declares what [`Markers::keep`] asks of types.
const TYPES: &str = "template <class A, class B> struct __ccc_same { enum { yes = 0 }; }; \
    template <class A> struct __ccc_same<A, A> { enum { yes = 1 }; }; ";

/// The head of a marker's function, which is inlined wherever it is called.
const FUNCTION: &str =
    "static inline __attribute__((always_inline)) __attribute__((host)) __attribute__((device)) void ";

/// Makes the inline assembler of markers.
///
/// A function that the compiler may evaluate can have none (C++17); it calls a function that has it, where it is not evaluated.
pub(crate) struct Markers {
    /// True if the compiler can say that it evaluates a function.
    can_tell: bool,
    /// True if the markers stand in a function that it may evaluate.
    constant: bool,
    functions: Vec<String>,
    keeps: bool,
}

impl Markers {
    pub(crate) fn new(options: Options<'_>) -> Markers {
        Markers { can_tell: options.constant_evaluation, constant: false, functions: Vec::new(), keeps: false }
    }

    /// Says what function the next markers stand in.
    pub(crate) fn may_be_constant(&mut self, constant: bool) {
        self.constant = constant && self.can_tell;
    }

    /// The declarations that the markers need, in one line.
    pub(crate) fn declarations(&self) -> String {
        let types = if self.keeps { TYPES } else { "" };
        format!("{types}{}", self.functions.concat())
    }

    /// Inline assembler that leaves a marker in the PTX.
    pub(crate) fn marker(&mut self, text: &str) -> String {
        let assembler = format!("asm volatile(\"//#CCC {text}\" ::: \"memory\"); ");
        if self.constant { self.call("", "()", &assembler, "") } else { assembler }
    }

    /// A marker that the compiler cannot see through: it takes the value of a variable to be another one behind it. The variable keeps its value.
    pub(crate) fn keep(&mut self, text: &str, name: &str) -> String {
        self.keeps = true;
        if self.constant {
            let body = through(text, "value", "T");
            return self.call("template <class T> ", "(T &value)", &body, name);
        }
        format!("{{ {}}} ", through(text, name, &format!("decltype({name})")))
    }

    /// Calls a function with this body that is declared in front of the text.
    fn call(&mut self, template: &str, parameters: &str, body: &str, argument: &str) -> String {
        let name = format!("__ccc_marker_{}", self.functions.len() + 1);
        self.functions.push(format!("{template}{FUNCTION}{name}{parameters} {{ {body}}} "));
        format!("if (!__builtin_is_constant_evaluated()) {name}({argument}); ")
    }
}

/// Statements that pass a variable through the register that its type needs.
///
/// An 8-bit variable passes through a 16-bit register, because PTX inline assembler has no narrower operand.
fn through(text: &str, name: &str, ty: &str) -> String {
    let assembler = |letter: &str, value: &str| {
        format!("asm volatile(\"//#CCC {text} ctx %0\" : \"+{letter}\"({value}) :: \"memory\");")
    };
    let float = |float: &str, letter: &str| {
        format!("if (__ccc_same<{float}, {ty}>::yes) {} else ", assembler(letter, &format!("({float}&){name}")))
    };
    let sized = |bytes: u32, integer: &str, letter: &str| {
        format!("if (sizeof({name}) == {bytes}) {} else ", assembler(letter, &format!("({integer}&){name}")))
    };
    let narrow = format!(
        "if (sizeof({name}) == 1) {{ unsigned short __ccc_wide = (unsigned char&){name}; {} (unsigned char&){name} = (unsigned char)__ccc_wide; }} else ",
        assembler("h", "__ccc_wide")
    );
    let cases = [
        float("float", "f"),
        float("double", "d"),
        sized(8, "unsigned long long", "l"),
        sized(4, "unsigned", "r"),
        sized(2, "unsigned short", "h"),
        narrow,
    ];
    format!("{}asm volatile(\"//#CCC {text}\" ::: \"memory\"); ", cases.concat())
}

/// One change of the text.
struct Edit {
    at: usize,
    /// Among changes at one place: what ends there comes first, from the inside out; then what begins, from the outside in.
    order: (u8, isize),
    end: usize,
    text: String,
}

/// Collects the changes of one file.
#[derive(Default)]
pub(crate) struct Edits(Vec<Edit>);

impl Edits {
    /// Puts `open` before byte `start` and `close` behind byte `end`. Among wraps that meet, those of a greater `depth` are the inner
    /// ones.
    pub(crate) fn wrap(&mut self, depth: usize, (start, end): (usize, usize), open: String, close: String) {
        let depth = depth as isize;
        self.0.push(Edit { at: start, end: start, order: (1, depth), text: open });
        self.0.push(Edit { at: end, end, order: (0, -depth), text: close });
    }

    /// Takes out `start..end` but for its newlines.
    pub(crate) fn remove(&mut self, source: &str, (start, end): (usize, usize)) {
        let text = source.get(start..end).unwrap_or_default().split_inclusive('\n').filter_map(newline).collect();
        self.0.push(Edit { at: start, end, order: (2, 0), text });
    }

    /// The changed source.
    pub(crate) fn apply(mut self, source: &str) -> String {
        self.0.sort_by_key(|edit| (edit.at, edit.order));
        let inserted: usize = self.0.iter().map(|edit| edit.text.len()).sum();
        let mut out = String::with_capacity(source.len() + inserted);
        let mut done = 0;
        for edit in &self.0 {
            // Two directives may both want the same pragma gone.
            if edit.at >= done {
                out.push_str(source.get(done..edit.at).unwrap_or_default());
                out.push_str(&edit.text);
                done = edit.end;
            }
        }
        out.push_str(source.get(done..).unwrap_or_default());
        out
    }
}

fn newline(line: &str) -> Option<&str> {
    if line.ends_with("\r\n") { Some("\r\n") } else { line.ends_with('\n').then_some("\n") }
}
