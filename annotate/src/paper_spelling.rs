//! Puts directives in the paper's own spelling, `#CCC for`, which no preprocessor lets pass, into comments.

use crate::directives;
use crate::lexer::{self, LineKind};
use crate::lines::Lines;

/// Returns the source with `//` in front of each directive that is spelled `#CCC …`; `None` if there is none. Lines keep their numbers.
#[must_use]
pub fn in_comments(source: &str) -> Option<String> {
    let lexed = lexer::lex(source, &Lines::of(source, ""));
    let bare = |line: &&lexer::Line| line.kind == LineKind::Preprocessor && directives::is_bare(&line.visible);
    let starts: Vec<usize> = lexed.lines.iter().filter(bare).map(|line| line.start).collect();
    let mut text = String::with_capacity(source.len() + 2 * starts.len());
    let mut done = 0;
    for &start in &starts {
        text.push_str(source.get(done..start).unwrap_or_default());
        text.push_str("//");
        done = start;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    (!starts.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directives_that_no_preprocessor_takes_are_changed() {
        let source = "#pragma CCC for\n//#CCC if\nconst char *s = R\"(\n#CCC for\n)\";\n/*\n#CCC if\n*/\n  #CCC for \\\n  const\nx; #CCC if\n";
        let expected = source.replace("  #CCC for \\", "  //#CCC for \\").replace("x; #CCC", "x; //#CCC");
        assert_eq!(in_comments(source), Some(expected));
        assert_eq!(in_comments("#pragma CCC for\n#if 0\nit's\n#endif\n"), None);
        assert_eq!(
            in_comments("#if 0\nit's\n#endif\n#CCC fro\n").as_deref(),
            Some("#if 0\nit's\n#endif\n//#CCC fro\n")
        );
    }
}
