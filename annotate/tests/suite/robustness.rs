//! Properties: lines stay, nothing but directive lines is lost, and no input makes `annotate` panic.
use crate::common::{Annotated, annotate};
use annotate::Kind;
use ptx_parser::{Located, Position};

const GOOD: [&str; 7] = [
    include_str!("../golden/bfs.cu"),
    include_str!("../golden/shapes.cu"),
    include_str!("../golden/spellings.cu"),
    include_str!("../golden/not_directives.cu"),
    include_str!("../golden/scopes.cu"),
    include_str!("../golden/cases.cu"),
    include_str!("../golden/steps.cu"),
];

/// A small generator (xorshift), so that a failure can be run again from its number.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// The text without what `annotate` puts in, directive by directive.
fn without_markers(annotated: &Annotated) -> String {
    let mut text = annotated.text.replace("_Pragma(\"unroll 1\") ", "");
    while let Some(at) = text.find(" parameters ") {
        let length = text[at..].find('"').unwrap();
        text.replace_range(at..at + length, "");
    }
    let mut take = |open: &str, marker: &str, close: &str| {
        let inserted = format!("{open}asm volatile(\"//#CCC {marker}\" ::: \"memory\"); {close}");
        assert_eq!(text.matches(&inserted).count(), 1, "{inserted}");
        text = text.replacen(&inserted, "", 1);
    };
    for d in &annotated.directives {
        let (id, line) = (d.id, d.target_line);
        match (d.kind, d.loop_id) {
            (Kind::For { .. } | Kind::While, Some(outer)) => {
                let shared = if d.kind == Kind::While { "" } else { " for" };
                take("{ ", &format!("step_begin {id} loop {outer}{shared} line {line}"), "");
                take("", &format!("loop {id}"), "");
                take(" ", &format!("step_end {id}"), "");
            }
            (Kind::Grid { .. }, _) => take("", &format!("grid {id} line {line}"), ""),
            (Kind::Recursive, outer) => {
                take("", &format!("recursive_begin {id} loop {} line {line}", outer.unwrap()), "");
                take(" ", &format!("step_end {id}"), "");
            }
            (Kind::For { constant }, _) => {
                let options = if constant { " const" } else { "" };
                let block = d.block.map_or(String::new(), |n| format!(" block {n}"));
                take("{ ", &format!("for_begin {id}{options}{block} line {line}"), "");
                take(" ", &format!("for_end {id}"), "}");
            }
            (_, outer) => {
                let braces = annotated.text.contains(&format!("{{ asm volatile(\"//#CCC if_begin {id} loop"));
                let (open, close) = if braces { ("{ ", "}") } else { ("", "") };
                take(open, &format!("if_begin {id} loop {} line {line}", outer.unwrap()), "");
                take(" ", &format!("if_end {id}"), close);
            }
        }
    }
    text
}

/// A line without blanks and braces.
fn bare(line: &str) -> String {
    line.chars().filter(|c| !matches!(c, ' ' | '{' | '}')).collect()
}

#[test]
fn every_line_keeps_its_number_and_its_text() {
    for source in GOOD {
        for source in [source.to_owned(), source.replace('\n', "\r\n"), source.trim_end().to_owned()] {
            let annotated = annotate(&source, "x.cu").unwrap();
            let after = without_markers(&annotated);
            assert_eq!(after.split('\n').count(), source.split('\n').count());
            let mut changed = 0;
            for (after, before) in after.split('\n').zip(source.split('\n')) {
                // The braces around the body of a loop that is run in steps say nothing of whose they are.
                if after != before && bare(after) != bare(before) {
                    // A directive, one spread over lines, or a pragma that unrolls.
                    let gone = ["CCC", "unroll", "    for \\", "    const"].iter().any(|word| before.contains(word));
                    let rest = after.trim();
                    assert!(gone && (rest.is_empty() || before.contains(rest)), "{before:?} became {after:?}");
                    changed += 1;
                }
            }
            assert!(changed >= annotated.directives.len());
        }
    }
}

#[test]
fn annotated_text_has_no_directives_left() {
    for source in GOOD {
        let once = annotate(source, "x.cu").unwrap().text;
        assert!(annotate(&once, "x.cu").unwrap().directives.is_empty());
    }
}

/// What must hold of every answer, whatever the input was.
fn check(source: &str) {
    let lines = source.split('\n').count();
    match annotate(source, "x.cu") {
        Ok(annotated) => {
            assert_eq!(annotated.text.split('\n').count(), lines);
            for directive in &annotated.directives {
                let whole = matches!(directive.kind, Kind::Grid { .. });
                assert!(directive.line <= lines && (whole || directive.target_line > directive.line));
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let span = error.span();
                let Position { line, column } = span.position;
                assert!(line >= 1 && line as usize <= lines && column >= 1, "{error:?}");
                assert!(source.get(span.start..span.end).is_some(), "{error:?}");
                assert!(!error.to_string().is_empty() && !error.help().unwrap().is_empty());
            }
        }
    }
}

#[test]
fn mutated_sources_never_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "\"",
        "'",
        "/*",
        "*/",
        "//",
        "#",
        "\\\n",
        "\n",
        "#if X\n",
        "#else\n",
        "#endif\n",
        "#CCC for\n",
        "#CCC if\n",
        "R\"(",
        "[&]",
        "else ",
        "for (",
        "if (",
        "µ",
        "\0",
        ";",
        "::",
        "<",
        "template <",
    ];
    for round in 0..2_000 {
        let mut text: Vec<char> = GOOD[round % GOOD.len()].chars().collect();
        for _ in 0..=random.below(4) {
            if text.is_empty() {
                text.push('x');
            }
            let (at, length) = (random.below(text.len()), random.below(12));
            match random.below(4) {
                0 => drop(text.drain(at..(at + length).min(text.len()))),
                1 => drop(text.splice(at..at, random.pick(&pieces).chars())),
                2 => {
                    let from = random.below(text.len());
                    let copied = text[from..(from + 40).min(text.len())].to_vec();
                    drop(text.splice(at..at, copied));
                }
                _ => text.truncate(at.max(1)),
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn a_line_marker_may_name_the_last_line_there_is() {
    let text = format!("# {} \"k.cu\"\n__global__ void k() {{\n#CCC for\nfor (;;) ;\n}}\n", usize::MAX);
    assert_eq!(annotate(&text, "k.cu").unwrap().directives[0].target_line, usize::MAX);
    let written = annotate::written(&text.replacen('#', "#line", 1), "k.cu");
    assert_eq!(written[0].line, u32::MAX as usize);
}

/// Whatever ends the lines of a file, markers and directives are on the same ones.
#[test]
fn line_ends_change_no_line() {
    let mut random = Random(0x0dd0_c0de_1234_5678);
    let lines = [
        "#line 5",
        "# 9 \"h.cuh\" 1",
        "# 2 \"k.cu\" 2 ",
        "#CCC for",
        "//#CCC if",
        "x = 1; #CCC if",
        "int a; \\",
        "",
        "/* */",
    ];
    for _ in 0..500 {
        let text: String = (0..1 + random.below(12)).flat_map(|_| [random.pick(&lines), "\n"]).collect();
        let of = |text: &str| {
            let found = annotate::written(text, "k.cu").into_iter().map(|one| (one.file, one.line));
            let wrong = annotate(text, "k.cu").err().unwrap_or_default();
            (
                found.collect::<Vec<_>>(),
                wrong.iter().map(|error| error.position().map(|at| at.line)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&text), of(&text.replace('\n', "\r\n")), "{text}");
    }
}

#[test]
fn a_span_begins_and_ends_between_characters() {
    for name in ["aµµµµµ", "µµµµµµ"] {
        check(&format!("#define {name} /*#CCC for*/\n"));
    }
}

#[test]
fn token_soup_never_panics() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let tokens = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ">>",
        ";",
        ":",
        "::",
        ",",
        "=",
        "&",
        "*",
        "->",
        ".",
        "++",
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "try",
        "catch",
        "constexpr",
        "struct",
        "class",
        "enum",
        "namespace",
        "template",
        "operator",
        "extern",
        "\"C\"",
        "__global__",
        "__device__",
        "void",
        "int",
        "i",
        "k",
        "0",
        "1'0",
        "'x'",
        "R\"(x)\"",
        "_Pragma",
        "\n",
        "\n",
        "\n#CCC for\n",
        "\n//#CCC if\n",
        "\n#pragma CCC for const\n",
        "\n#if A\n",
        "\n#elif 1\n",
        "\n#else\n",
        "\n#endif\n",
        "\n#define M i++\n",
        "\n#pragma unroll\n",
        "/* */",
        "//x\n",
        "µ",
    ];
    for _ in 0..2_000 {
        let body: String = (0..random.below(120)).flat_map(|_| [random.pick(&tokens), " "]).collect();
        check(&body);
        check(&format!(
            "__global__ void k(int i) {{\n#CCC for\nfor (int i = 0; i < 9; ++i) {{\n#CCC if\nif (i) {{ {body} }} }} }}"
        ));
    }
}

#[test]
fn noise_never_panics() {
    let mut random = Random(0xfeed_beef_cafe_f00d);
    for _ in 0..200 {
        let noise: String = (0..random.below(2_000)).map(|_| char::from(random.below(256) as u8)).collect();
        check(&format!("#CCC for\n{noise}"));
        check(&noise);
    }
}
