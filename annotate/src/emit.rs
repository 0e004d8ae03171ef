//! The annotated text: the source with its directives taken out and markers put in, on the lines they belong to.
//!
//! ```text
//! #CCC for const
//! for (int i = lane; i < n; i += 32) {
//!   #CCC if
//!   if (a[i] > 0) work(i);
//! }
//! ```
//!
//! becomes
//!
//! ```text
//!
//! { __CCC_LOOP("for_begin 1 const line 2") for (int i = lane; i < n; i += 32) {
//!
//!   if (a[i] > 0) { auto __ccc_i_2 = i; __CCC_PIN("if_begin 2 loop 1 line 4", __ccc_i_2) { const auto i = __ccc_i_2; work(i); } __CCC_MARK("if_end 2") }
//! } __CCC_MARK("for_end 1") }
//! ```
//!
//! Markers follow the paper's annotated source modifier (CCC paper, Section 5.1): inline assembler that nvcc carries
//! into the PTX as it is. The macros are the prologue's; on the host they are empty, because a `__host__ __device__`
//! function is compiled there too.

/// Macros for the markers. `__CUDACC_DEBUG__` (nvcc `-G`): nothing is optimised there, and the branches that pick the
/// register's width by type would all stay, each with a marker.
///
/// An 8-bit variable passes through a 16-bit register, because PTX inline assembler has no narrower operand.
///
/// A header and the file that includes it may both have them.
const MACROS: &str = r#"#ifndef __CCC_MARK
#ifdef __CUDA_ARCH__
#define __CCC_MARK(text) asm volatile("//#CCC " text ::: "memory");
#define __CCC_LOOP(text) __CCC_MARK(text) _Pragma("unroll 1")
#ifdef __CUDACC_DEBUG__
#define __CCC_PIN(text, copy) __CCC_MARK(text)
#else
#define __CCC_AS(text, letter, type, copy) asm volatile("//#CCC " text " ctx %0" : "+" letter((type&)copy) :: "memory");
#define __CCC_PIN(text, copy) \
  if (__ccc_same<float, decltype(copy)>::yes) __CCC_AS(text, "f", float, copy) \
  else if (__ccc_same<double, decltype(copy)>::yes) __CCC_AS(text, "d", double, copy) \
  else if (sizeof(copy) == 8) __CCC_AS(text, "l", unsigned long long, copy) \
  else if (sizeof(copy) == 4) __CCC_AS(text, "r", unsigned, copy) \
  else if (sizeof(copy) == 2) __CCC_AS(text, "h", unsigned short, copy) \
  else if (sizeof(copy) == 1) { unsigned short __ccc_wide = (unsigned char&)copy; __CCC_AS(text, "h", unsigned short, __ccc_wide) (unsigned char&)copy = (unsigned char)__ccc_wide; } \
  else __CCC_MARK(text)
#endif
#else
#define __CCC_MARK(text)
#define __CCC_LOOP(text)
#define __CCC_PIN(text, copy)
#endif
template <class A, class B> struct __ccc_same { enum { yes = 0 }; };
template <class A> struct __ccc_same<A, A> { enum { yes = 1 }; };
#endif
"#;

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
        let text = source[start..end].split_inclusive('\n').filter_map(newline).collect();
        self.0.push(Edit { at: start, end, order: (2, 0), text });
    }

    /// The prologue, then the changed source.
    pub(crate) fn apply(mut self, source: &str, prologue: &str) -> String {
        self.0.sort_by_key(|edit| (edit.at, edit.order));
        let inserted: usize = self.0.iter().map(|edit| edit.text.len()).sum();
        let mut out = String::with_capacity(prologue.len() + source.len() + inserted);
        out.push_str(prologue);
        let mut done = 0;
        for edit in &self.0 {
            // Two directives may both want the same pragma gone.
            if edit.at >= done {
                out.push_str(&source[done..edit.at]);
                out.push_str(&edit.text);
                done = edit.end;
            }
        }
        out.push_str(&source[done..]);
        out
    }
}

fn newline(line: &str) -> Option<&str> {
    if line.ends_with("\r\n") { Some("\r\n") } else { line.ends_with('\n').then_some("\n") }
}

/// The lines before the user's first one, in the newlines of `source`: the macros, if `markers` use them, and `#line`.
pub(crate) fn prologue(source: &str, file_name: &str, markers: bool) -> String {
    let line = format!("#line 1 \"{}\"\n", escape(file_name));
    let text = if markers { format!("{MACROS}{line}") } else { line };
    let crlf = source.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
    if crlf { text.replace('\n', "\r\n") } else { text }
}

/// A file name as a string literal's content.
fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out
}
