//! The message parser against literal output of the CUDA 13.0 tools and of gcc 12, provoked with bad input.

use super::*;

/// `level file:line:column [code] text | excerpt` for each message, which is what these tests compare.
fn summary(output: &str) -> Vec<String> {
    parse(output)
        .into_iter()
        .map(|m| {
            let excerpt = m.excerpt.as_ref().map(|e| format!(" | {e}")).unwrap_or_default();
            format!("{m}{excerpt}")
        })
        .collect()
}

#[test]
fn an_error_at_the_end_of_the_source_has_no_line() {
    let output = "At end of source: error: expected a \"}\"\nk.cu(1): note #3196-D: to match this \"{\"\n  __attribute__((global)) void k(int n)\n\n\
                  1 error detected in the compilation of \"k.cu\".\n";
    let messages = parse(output);
    assert_eq!((messages.len(), messages[0].level, messages[0].line), (2, Level::Error, None));
    assert_eq!(messages[0].text, "expected a \"}\" at the end of the source");
}

#[test]
fn front_end_errors_and_warnings_with_carets() {
    let output = r#"dir with (2) blanks/my kernel.cu(3): error: identifier "y" is undefined
    int x = y + 1;
            ^

dir with (2) blanks/my kernel.cu(5): error: expected a ";"
    float *q = p;
    ^

k.cu(2): warning #177-D: variable "unused" was declared but never referenced
    int unused = 3;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

3 errors detected in the compilation of "bad.cu".
"#;
    assert_eq!(
        summary(output),
        [
            r#"dir with (2) blanks/my kernel.cu:3:11: error: identifier "y" is undefined |   int x = y + 1;"#,
            r#"dir with (2) blanks/my kernel.cu:5:3: error: expected a ";" |   float *q = p;"#,
            r#"k.cu:2:7: warning[177-D]: variable "unused" was declared but never referenced |   int unused = 3;"#,
        ]
    );
}

#[test]
fn candidates_instantiations_and_notes_stay_with_their_error() {
    let output = r#"u.cu(4): error: more than one instance of overloaded function "f" matches the argument list:
            function "f(long)" (declared at line 1)
            argument types are: (double)
   int a = f(1.0) + bad; f(1.0);
           ^

u.cu(5): error: no instance of overloaded function "f" matches the argument list
            argument types are: (int, int)
    f(1,2);
    ^
u.cu(1): note #3322-D: number of parameters of function "f(short)" does not match the call
  __attribute__((device)) void f(short);
                               ^

h.h(1): error: static assertion failed with "N too big"
  template<int N> struct F { static_assert(N<2,"N too big"); };
                             ^
          detected during:
            instantiation of class "F<N> [with N=3]" at line 2
            instantiation of "int rec<N>() [with N=3]" at line 3

"#;
    let messages = parse(output);
    assert_eq!(messages.len(), 4);
    assert_eq!(
        messages[0].text,
        "more than one instance of overloaded function \"f\" matches the argument list:\n            \
         function \"f(long)\" (declared at line 1)\n            argument types are: (double)"
    );
    assert_eq!(messages[0].excerpt.as_deref(), Some(" int a = f(1.0) + bad; f(1.0);"));
    assert_eq!((messages[2].level, messages[2].code.as_deref()), (Level::Info, Some("3322-D")));
    assert!(messages[3].text.ends_with("instantiation of \"int rec<N>() [with N=3]\" at line 3"), "{:?}", messages[3]);
    assert_eq!(messages[3].excerpt.as_deref().map(|e| &e[..15]), Some("template<int N>"));
}

#[test]
fn warnings_promoted_to_errors_keep_their_number() {
    let output = "warn.cu(6): error #186-D: pointless comparison of unsigned integer with zero\n";
    assert_eq!(summary(output), ["warn.cu:6: error[186-D]: pointless comparison of unsigned integer with zero"]);
}

#[test]
fn host_preprocessor_messages() {
    let output = r#"In file included from h4.h:1,
                 from inc4.cu:1:
h5.h:1:2: error: #error no
    1 | #error no
      |  ^~~~~
e.cu:2:2: warning: #warning hmm [-Wcpp]
    2 | #warning hmm
      |  ^~~~~~~
a.cu:2: error: unterminated #if
    2 | #if 1
      | 
inc.cu:1:10: fatal error: nope.h: No such file or directory
    1 | #include "nope.h"
      |          ^~~~~~~~
compilation terminated.
cc1plus: fatal error: nofile.cu: No such file or directory
compilation terminated.
"#;
    assert_eq!(
        summary(output),
        [
            "h5.h:1:2: error: #error no\nIn file included from h4.h:1,\nfrom inc4.cu:1:",
            "e.cu:2:2: warning[-Wcpp]: #warning hmm",
            "a.cu:2: error: unterminated #if",
            "inc.cu:1:10: error: nope.h: No such file or directory",
            "error: nofile.cu: No such file or directory",
        ]
    );
}

#[test]
fn driver_and_assembler_messages() {
    let output = r#"nvcc fatal   : Unsupported gpu architecture 'sm_10'
nvcc warning : incompatible redefinition for option 'optimize', the last value of this option was used
nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)
ptxas some dir/m2.ptx, line 58; error   : Unknown modifier '.parm'
ptxas empty.ptx, line 1; fatal   : Missing .version directive at start of file 'empty.ptx'
ptxas error   : Entry function '_Z1kPi' uses too much shared data (0x61a80 bytes, 0xc000 max)
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas fatal   : Ptx assembly aborted due to errors
"#;
    assert_eq!(
        summary(output),
        [
            "error: Unsupported gpu architecture 'sm_10'",
            "warning: incompatible redefinition for option 'optimize', the last value of this option was used",
            "error: 'cicc' died due to signal 11 (Invalid memory reference)",
            "some dir/m2.ptx:58: error: Unknown modifier '.parm'",
            "empty.ptx:1: error: Missing .version directive at start of file 'empty.ptx'",
            "error: Entry function '_Z1kPi' uses too much shared data (0x61a80 bytes, 0xc000 max)",
            "note[C7510]: Potential Performance Loss: wgmma.mma_async instructions are serialized",
            "error: Ptx assembly aborted due to errors",
        ]
    );
}

#[test]
fn verbose_lines_keep_their_continuation() {
    let output = "ptxas info    : Function properties for k\n    0 bytes stack frame, 0 bytes spill stores\n";
    assert_eq!(summary(output), ["note: Function properties for k\n    0 bytes stack frame, 0 bytes spill stores"]);
}

#[test]
fn an_unknown_shape_is_kept_as_information() {
    assert_eq!(summary("gcc: No such file or directory\n"), ["note: gcc: No such file or directory"]);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    assert_eq!(summary("k.cu(1): error: bad \u{1b}[31mred\n"), ["k.cu:1: error: bad \u{fffd}[31mred"]);
}

#[test]
fn garbage_never_panics() {
    let pieces =
        ["(", "^", "  ^", "\t", " 1 | ", "k.cu(99999999999): error: x", "ä: ", "\n", "In file included from ", "nvcc "];
    let mut seed = 1_u64;
    for _ in 0..2000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        let lines = text.lines().count();
        assert!(parse(&text).len() <= lines);
    }
}
