//! What is wrong with a file is said at its place, all of it at once, with a way out.
use crate::common::annotate;
use ptx_parser::Located;

/// The errors of `source`, each as `line:column message; help`.
fn errors(source: &str) -> Vec<String> {
    let errors = annotate(source, "x.cu").expect_err("this source has errors");
    errors.iter().map(|e| format!("{} {e}; {}", e.span(), e.help().unwrap())).collect()
}

/// The only error in a kernel whose body is `body`; the body begins on line 2.
fn in_kernel(body: &str) -> String {
    let all = errors(&format!("__global__ void k(int n, int *a) {{\n{body}\n}}\n"));
    assert_eq!(all.len(), 1, "{all:#?}");
    all[0].clone()
}

#[test]
fn unknown_directives_and_options() {
    assert_eq!(in_kernel("  #CCC fro"), "2:8 unknown CCC directive `fro`; did you mean `#CCC for`?");
    assert_eq!(in_kernel("//#CCC If"), "2:8 unknown CCC directive `If`; did you mean `#CCC if`?");
    assert_eq!(
        in_kernel("#pragma CCC region"),
        "2:13 unknown CCC directive `region`; write `#CCC for` above a loop, and `#CCC if`, `#CCC case` or `#CCC while` above a condition, a case or a loop in it"
    );
    assert_eq!(
        in_kernel("#CCC // for"),
        "2:1 `#CCC` without a directive; write `#CCC for` above a loop, and `#CCC if`, `#CCC case` or `#CCC while` above a condition, a case or a loop in it"
    );
    let wrong_case = "`ccc` is not a directive: `CCC` is written in capitals; did you mean `#CCC`?";
    assert_eq!(in_kernel("  #ccc for\n  for (;;) ;"), format!("2:4 {wrong_case}"));
    assert_eq!(in_kernel("  #pragma ccc for\n  for (;;) ;"), format!("2:11 {wrong_case}"));
    assert_eq!(in_kernel("#CCC for cosnt\nfor (;;) ;"), "2:10 `#CCC for` has no option `cosnt`; did you mean `const`?");
    assert_eq!(
        in_kernel("#CCC for widely\nfor (;;) ;"),
        "2:10 `#CCC for` has no option `widely`; the options are `const`, `block(N)` and `reduce(+:x)`, in a marked loop `probability(P)` too"
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n#CCC if const\nif (n) ;"),
        "4:9 `#CCC if` has no option `const`; the options are `probability(P)` and `independent`"
    );
    assert_eq!(
        in_kernel("#CCC for const block(4) const\nfor (;;) ;"),
        "2:25 option `const` is given twice; write it once"
    );
}

#[test]
fn probabilities() {
    let help = "write the share of the lanes that take the path in an iteration, more than 0 and at most 1: `probability(0.1)`";
    for (option, found) in [
        ("probability(0)", "0"),
        ("probability(1.01)", "1.01"),
        ("probability(-0.5)", "-0.5"),
        ("probability(NaN)", "NaN"),
        ("probability(1e-999)", "1e-999"),
        ("probability( 1/10 )", "1/10"),
        ("probability()", ""),
        ("probability", "probability"),
    ] {
        let body = format!("#CCC for\nfor (;;)\n  #CCC if {option}\nif (n) ;");
        assert_eq!(in_kernel(&body), format!("4:11 `{found}` is not a probability; {help}"));
    }
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n#CCC if probability(1) probability(1)\nif (n) ;"),
        "4:24 option `probability` is given twice; write it once"
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;) switch (n) {\n#CCC case probabilty(1)\ncase 1: n = 2; }"),
        "4:11 `#CCC case` has no option `probabilty(1)`; did you mean `probability`?"
    );
    for option in ["probability(0.5)", "independent"] {
        let name = option.split('(').next().unwrap();
        assert_eq!(
            in_kernel(&format!("#CCC for {option}\nfor (;;) ;")),
            format!(
                "2:10 `{name}` is for a path, and this loop is not one: its iterations are collected; \
                 put it behind the `#CCC if`, `#CCC case` or `#CCC while` of a path in the loop"
            )
        );
    }
}

#[test]
fn promises() {
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n#CCC if independent independent\nif (n) ;"),
        "4:21 option `independent` is given twice; write it once"
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n#CCC if independant\nif (n) ;"),
        "4:9 `#CCC if` has no option `independant`; did you mean `independent`?"
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n#CCC if independent(x)\nif (n) ;"),
        "4:9 `#CCC if` has no option `independent(x)`; did you mean `independent`?"
    );
}

#[test]
fn reductions() {
    let help = "write the operator, one of + * min max & | ^, and the variable: `reduce(+:sum, max:largest)`";
    for (option, found) in [
        ("reduce(-:x)", "-:x"),
        ("reduce(x)", "x"),
        ("reduce(+:x, y z)", "y z"),
        ("reduce", "reduce"),
        ("reduce()", "reduce"),
        ("reduce(+:3)", "+:3"),
        ("reduce(+:\"x)", "+:\"x"),
    ] {
        assert_eq!(
            in_kernel(&format!("#CCC for {option}\nfor (;;) ;")),
            format!("2:10 `{found}` does not say what is reduced; {help}")
        );
    }
    assert_eq!(
        in_kernel("#CCC reduce(+:x)\nfor (;;) ;"),
        "2:1 `#CCC reduce` belongs to no loop with `#CCC for`; put it right above or below the `#CCC for` of the loop"
    );
    assert_eq!(
        in_kernel("#CCC for\n#CCC reduce(+:x) const\nfor (;;) ;"),
        "3:18 `#CCC reduce` has no option `const`; write the directive without options"
    );
}

#[test]
fn accumulators_are_part_of_the_marker_of_the_loop() {
    let marker = |lines: &str| {
        let source = format!("__global__ void k(int n) {{\n{lines}\nfor (int i = 0; i < n; ++i) ;\n}}\n");
        let text = annotate(&source, "x.cu").unwrap().text;
        assert!(!text.lines().any(|line| line.contains("#CCC reduce")), "{text}");
        let begin = text.lines().find(|line| line.contains("for_begin 1")).unwrap().to_owned();
        begin[begin.find("for_begin").unwrap()..begin.find("\" :::").unwrap()].to_owned()
    };
    let both = "for_begin 1 block 64 reduce +:s.x reduce +:count reduce max:m[0] line";
    let behind = "parameters n";
    assert_eq!(marker("#CCC for block(64) reduce(+:s.x, count, max:m[0])"), format!("{both} 3 {behind}"));
    assert_eq!(
        marker("#CCC reduce( + : s.x,count)\n#CCC for block(64)\n#CCC reduce(max:m[0])"),
        format!("{both} 5 {behind}")
    );
}

#[test]
fn parameters_are_part_of_the_marker_of_the_loop() {
    let marker = |head: &str| {
        let source = format!("{head} {{\n#CCC for\nfor (int i = 0; i < n; ++i)\n#CCC if\nif (i) ;\n}}\n");
        let text = annotate(&source, "x.cu").unwrap().text;
        let begin = text.lines().find(|line| line.contains("for_begin 1")).unwrap().to_owned();
        begin[begin.find("line").unwrap()..begin.find("\" :::").unwrap()].to_owned()
    };
    for (head, expected) in [
        ("__global__ void k(int *__restrict__ a, const int* b, int n)", "*a,b,n"),
        ("__global__ void __launch_bounds__(256) k(const float * __restrict x, int n)", "*x,n"),
        (
            "template <class T, int M> __global__ void k(Pair<T, M> p, T *const __restrict__ out, int n = f(1, 2))",
            "p,*out,n",
        ),
        // A pointer to a `__restrict__` pointer is none itself.
        (
            "__attribute__((global)) void k(int *__restrict__ *a, void (*f)(int, int), int (*__restrict__ r)[4], int n)",
            "a,f,*r,n",
        ),
        ("__global__ void k(int n, int *__restrict__ line[2])", "n,*line"),
    ] {
        assert_eq!(marker(head), format!("line 3 parameters {expected}"), "{head}");
    }
    // How many parameters a pack is, nobody knows here; a function is no kernel.
    assert_eq!(marker("template <class... A> __global__ void k(int n, A... more)"), "line 3 parameters n");
    assert_eq!(marker("__device__ void f(int *__restrict__ a, int n)"), "line 3");
}

#[test]
fn block_sizes() {
    let help = "write the largest number of threads per block of any launch, 1 to 1024: `block(256)`";
    for (option, found) in
        [("block(0)", "0"), ("block(1025)", "1025"), ("block(x y)", "x y"), ("block", "block"), ("block(7", "block(7")]
    {
        assert_eq!(
            in_kernel(&format!("#CCC for {option}\nfor (;;) ;")),
            format!("2:10 `{found}` is not a block size; {help}")
        );
    }
    assert!(annotate("__global__ void k() {\n#CCC for block( 1024 )\nfor (;;) ;\n}\n", "x.cu").is_ok());
}

#[test]
fn steps_need_a_loop_or_a_call_in_a_marked_loop() {
    let loop_help = "put the directive on the line above a `while`, `do` or `for`";
    let call_help = "put the directive on the line above the call, in the marked loop";
    assert_eq!(
        in_kernel("#CCC for\nfor (;;) {\n#CCC while\nif (n) ; }"),
        format!("4:1 #CCC while needs a loop; found `if`; {loop_help}")
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;) {\n#CCC recursive\n }"),
        format!(
            "4:1 #CCC recursive needs the statement that calls the function; found the end of the block; {call_help}"
        )
    );
    let outside = "stands in no loop with #CCC for, nor in a kernel with #CCC grid; put `#CCC for` above the loop whose \
                   iterations are to be collected, in the same function; without such a loop a kernel can have `#CCC grid` (a helper function cannot)";
    assert_eq!(in_kernel("#CCC while\nwhile (n) ;"), format!("2:1 #CCC while {outside}"));
    assert_eq!(in_kernel("#CCC recursive\nf(n);"), format!("2:1 #CCC recursive {outside}"));
    // What is run in steps is no loop whose iterations are collected.
    assert_eq!(
        errors("__global__ void k(int n) {\n#CCC for\nfor (;;) {\n#CCC while soon\nwhile (n) ; } }\n"),
        ["4:12 `#CCC while` has no option `soon`; the options are `probability(P)` and `independent`"]
    );
}

#[test]
fn a_directive_needs_its_statement() {
    let for_help = "put the directive on the line above a `for`; write other loops as `for (; condition; )`, and mark one inside it with `#CCC while`";
    let if_help = "put the directive on the line above the `if`";
    for (body, found) in
        [("while (n) ;", "`while`"), ("do ; while (n);", "`do`"), ("n = 1;", "`n`"), ("", "the end of the block")]
    {
        assert_eq!(
            in_kernel(&format!("#CCC for\n{body}")),
            format!("2:1 #CCC for needs a for loop; found {found}; {for_help}")
        );
        assert_eq!(
            in_kernel(&format!("#CCC for\nfor (;;) {{\n#CCC if\n{body} }}")),
            format!("4:1 #CCC if needs an if statement; found {found}; {if_help}")
        );
    }
    assert_eq!(
        in_kernel("#CCC for\nfor (;;) {\n  if (n) { }\n  #CCC if\n  else a = 0; }"),
        "5:3 #CCC if stands between a branch and its `else`; \
         mark the `if` and leave its `else` alone, or write the condition of the `else` out as `else if`"
    );
    assert_eq!(
        in_kernel("#CCC for\nfor (;;)\n  #CCC if\n  if constexpr (true) ;"),
        "4:3 #CCC if needs a branch at run time; `if constexpr` is decided by the compiler; \
         remove the directive: no warp diverges here"
    );
    // What is no statement of a function is not read as one.
    assert_eq!(
        errors("auto f = [](int a = []{ int q = 0;\n#CCC while\nwhile (q < 5) q++; return q; }()) { return a; };\n"),
        [
            "2:1 #CCC while needs a loop; found a `while` that is in the statements of no function; put the directive on the line above a `while`, `do` or `for`"
        ]
    );
    assert_eq!(
        in_kernel("#CCC for\n#CCC for\nfor (;;) ;"),
        "3:1 the statement on line 4 has a CCC directive already; remove one of the two directives"
    );
}

#[test]
fn what_is_nearly_a_directive_is_said_and_what_is_switched_off_is_not() {
    let help = "write `//#CCC …`, `/*#CCC …*/` or `#pragma CCC …`, with nothing else in the comment";
    for comment in [
        "///#CCC if",
        "//!#CCC for const",
        "//CCC if",
        "// CCC for reduce(+:x)",
        "//#CCCif",
        "/**#CCC if*/",
        "/*!#CCC case probability(0.5) */",
    ] {
        assert_eq!(in_kernel(comment), format!("2:1 `{comment}` is not read as a directive; {help}"));
    }
    let first = "/*#CCC if";
    assert_eq!(in_kernel("/*#CCC if\nwhere few go */"), format!("2:1 `{first}` is not read as a directive; {help}"));
    for prose in [
        "//#pragma CCC if",
        "// #pragma CCC for",
        "// //#CCC if",
        "/* #pragma CCC if */",
        "// CCC for the loop below",
        "// see CCC if you can",
        "/* a\n#CCC if\n*/",
        "const char *s = \"//CCC if\";",
    ] {
        assert!(annotate(&format!("__global__ void k(int n) {{\n{prose}\n}}\n"), "x.cu").is_ok(), "{prose}");
    }
    // The comment may end on the next line.
    assert!(annotate("__global__ void k(int n) {\n/*#CCC for\n*/\nfor (;;) ;\n}\n", "x.cu").is_ok());
}

#[test]
fn a_path_has_statements() {
    let path = |body: &str| in_kernel(&format!("#CCC for\nfor (;;) {{\n#CCC if\n{body} }}"));
    for body in ["if (n) ; else a = 0;", "if (n) { } else if (a) { a = 0; }"] {
        assert_eq!(
            path(body),
            "4:1 #CCC if stands above a branch without statements; its `else` is not marked; \
             turn the condition around, so that the statements of the `else` are the branch that is marked"
        );
    }
    let call = "put the directive on the line above the call, in the marked loop";
    for statement in ["a[n] = 3 * (n + 1);", "if (n) a[0] = n;", "while (n) { --n; }"] {
        assert_eq!(
            in_kernel(&format!("#CCC for\nfor (;;) {{\n#CCC recursive\n{statement} }}")),
            format!(
                "4:1 #CCC recursive needs the statement that calls the function; found a statement without a call; {call}"
            )
        );
    }
}

#[test]
fn a_case_needs_a_label_and_statements() {
    let case = |body: &str| in_kernel(&format!("#CCC for\nfor (;;) switch (n) {{\n#CCC case\n{body} }}"));
    let label = "put the directive on the line above the label, inside the `switch`";
    assert_eq!(case("n = 1;"), format!("4:1 #CCC case needs a `case` or `default` label; found `n`; {label}"));
    let help = "remove the directive, or put it above the case that has the statements";
    let empty = format!("4:1 #CCC case stands above a case without statements; {help}");
    for body in [
        "case 1: break;",
        "default: break; case 2: n = 1;",
        "case 1: case 2:",
        "case 1: { break; }",
        "case 1: switch (n) case 3: n = 1;",
    ] {
        assert_eq!(case(body), empty, "{body}");
    }
    assert!(
        annotate(
            "__global__ void k(int n) {\n#CCC for\nfor (;;) switch (n) {\n#CCC case\n[[likely]] case 1: n = 2; }\n}\n",
            "x.cu"
        )
        .is_ok()
    );
    assert_eq!(
        in_kernel("switch (n) {\n#CCC case\ncase 1: n = 2; }"),
        "3:1 #CCC case stands in no loop with #CCC for, nor in a kernel with #CCC grid; \
         put `#CCC for` above the loop whose iterations are to be collected, in the same function; \
         without such a loop a kernel can have `#CCC grid` (a helper function cannot)"
    );
}

#[test]
fn a_condition_needs_an_annotated_loop_in_the_same_function() {
    let message = "#CCC if stands in no loop with #CCC for, nor in a kernel with #CCC grid; \
                   put `#CCC for` above the loop whose iterations are to be collected, in the same function; \
                   without such a loop a kernel can have `#CCC grid` (a helper function cannot)";
    assert_eq!(in_kernel("for (;;)\n  #CCC if\n  if (n) ;"), format!("3:3 {message}"));
    assert_eq!(in_kernel("#CCC for\nfor (;;) ;\n#CCC if\nif (n) ;"), format!("4:1 {message}"));
    // The directive of the loop is wrong, which is said alone; what stands above it, or in another function, is no part of that.
    let lines = |body: &str| -> Vec<String> {
        let all = errors(&format!("__global__ void k(int n, int *a) {{\n{body}\n}}\n"));
        all.iter().map(|error| error.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(lines("#CCC for\nint m = n;\nfor (;;)\n  #CCC if\n  if (n) ;"), ["2:1"]);
    assert_eq!(lines("for (;;)\n  #CCC if\n  if (n) ;\n#CCC for\nint m = n;"), ["3:3", "5:1"]);
    assert_eq!(lines("#CCC for\nint m = n;\n[=] {\n  #CCC if\n  if (n) ;\n}();"), ["2:1", "5:3"]);
    let lambda = "#CCC for\nfor (;;) [=] {\n  #CCC if\n  if (n) ;\n}();";
    assert_eq!(in_kernel(lambda), format!("4:3 {message}"));
    assert_eq!(
        in_kernel("#CCC for\nfor (; [=] {\n  #CCC if\n  if (n) ;\n  return n; }();) ;"),
        format!("4:3 {message}")
    );
}

#[test]
fn a_grid_directive_is_about_the_whole_kernel() {
    let inside = "#CCC grid stands inside a statement: it is about the whole kernel; \
                  put it in front of the kernel's first statement";
    assert_eq!(in_kernel("if (n) {\n#CCC grid\nn = 1; }"), format!("3:1 {inside}"));
    assert_eq!(in_kernel("for (;;)\n#CCC grid\nn = 1;"), format!("3:1 {inside}"));
    for (option, found) in [("blocks(0)", "0"), ("blocks(many)", "many"), ("blocks", "blocks")] {
        assert_eq!(
            in_kernel(&format!("#CCC grid {option}\nn = 1;")),
            format!(
                "2:11 `{found}` is not a number of blocks; write how many blocks are to do the work of all: `blocks(528)`"
            )
        );
    }
    assert_eq!(
        in_kernel("#CCC grid const\nn = 1;"),
        "2:11 `#CCC grid` has no option `const`; the options are `block(N)` and `blocks(N)`"
    );
    assert_eq!(
        in_kernel("#CCC grid blocks(4) blocks(5)\nn = 1;"),
        "2:21 option `blocks` is given twice; write it once"
    );
    assert_eq!(
        in_kernel("#CCC grid\n#CCC grid\nn = 1;"),
        "3:1 the statement on line 1 has a CCC directive already; remove one of the two directives"
    );
    let text = "__global__ void k(int n) {\n#CCC grid blocks(4)\n#CCC if\nif (n) n = 1;\n}\n";
    let directives = annotate(text, "x.cu").unwrap().directives;
    assert_eq!((directives[0].target_line, directives[1].loop_id), (2, Some(directives[0].id)));
}

#[test]
fn host_code_is_known_and_marked_all_the_same() {
    let function = |source: &str| annotate(source, "x.cu").unwrap().directives[0].host_function.clone();
    assert_eq!(function("int main() {\n  #CCC for\n  for (;;) ;\n}\n").as_deref(), Some("`main`"));
    assert_eq!(function("auto f = [](int n) {\n#CCC for\nfor (;;) ;\n};\n").as_deref(), Some("its function"));
    assert_eq!(function("__attribute__((device)) void f() {\n#CCC for\nfor (;;) ;\n}\n"), None);
    assert_eq!(function("auto f = [] __attribute__((device)) (int n) {\n#CCC for\nfor (;;) ;\n};\n"), None);
    let outside = "#CCC for needs a for loop; found";
    assert!(errors("#CCC for\n__global__ void k() { for (;;) ; }\n")[0].contains(&format!("{outside} `__global__`")));
    assert!(errors("//#CCC for")[0].contains(&format!("{outside} the end of the file")));
}

#[test]
fn a_directive_has_a_line_of_its_own() {
    let message =
        "a CCC directive must stand on a line of its own; move it to the line above the loop or the condition";
    assert_eq!(in_kernel("n = 1; #CCC for\nfor (;;) ;"), format!("2:8 {message}"));
    assert_eq!(in_kernel("n = 1; // #CCC for\nfor (;;) ;"), format!("2:8 {message}"));
    // In the arguments of a macro, a comment stands in a line with code.
    let source = "__global__ void k(int n) { /*#CCC for*/ for (;;) { /* #CCC if */ if (n) n = 1; } }\n";
    assert_eq!(annotate(source, "x.cu").unwrap().directives.len(), 2);
}

#[test]
fn what_is_never_closed() {
    let closed = "__device__ void f() {\n#CCC for\nfor (;;) ;\n}\n";
    assert_eq!(errors(&format!("{closed}int x[(;\n")), ["5:7 `(` is never closed; close it"]);
    assert_eq!(errors(&format!("{closed}int x(];\n")), ["5:7 `]` closes nothing that is open here; remove it"]);
    assert_eq!(errors(&format!("{closed}/* é")), ["5:1 the comment is never closed; close it with `*/`"]);
    let quote = "the literal is never closed; close it with the quote that it began with";
    assert_eq!(errors(&format!("{closed}  \"abc\n")), [format!("5:3 {quote}")]);
    assert_eq!(errors(&format!("{closed}R\"x(abc)\"\n")), [format!("5:1 {quote}")]);
}

#[test]
fn all_errors_come_at_once_in_source_order() {
    let source = "void host() {\n#CCC for\nfor (;;) ;\n}\n__global__ void k(int n) {\n#CCC fir\n#CCC for\nwhile (n) ;\n#CCC if x\nif (n) ;\n}\n";
    let lines: Vec<usize> =
        annotate(source, "x.cu").unwrap_err().iter().map(|e| e.span().position.line as usize).collect();
    assert_eq!(lines, [6, 7, 9]);
}

#[test]
fn limits_are_errors_and_not_crashes() {
    let kernel = |body: &str| format!("__global__ void k(int n) {{\n#CCC for\nfor (;;) {{ {body} }}\n}}\n");
    let parens = format!("n = {}1{};", "(".repeat(100_000), ")".repeat(100_000));
    let limit = "nested more than 256 deep; move the inner part to a function of its own";
    for body in [parens, "if (n) ".repeat(100_000) + ";", "{".repeat(100_000) + &"}".repeat(100_000)] {
        let all = errors(&kernel(&body));
        assert!(all.len() == 1 && all[0].ends_with(limit), "{all:?}");
    }
    let chain = "if (n) ; else ".repeat(100_000) + ";";
    assert!(annotate(&kernel(&chain), "x.cu").is_ok(), "a chain of else-ifs is not nested");
}
