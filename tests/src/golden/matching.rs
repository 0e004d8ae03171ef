//! CHECK and REPORT lines, handed on to the crate `filecheck`.

use anyhow::{Result, anyhow, bail};
use filecheck::{CheckerBuilder, NO_VARIABLES};

/// One line of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The directive as `filecheck` calls it, with the text.
    directive: String,
}

impl Pattern {
    /// `kind` is what follows the dash of `CHECK-NEXT`, or nothing.
    pub(crate) fn new(kind: &str, text: &str) -> Result<Pattern> {
        let name = match kind {
            "" => "check",
            "NEXT" => "nextln",
            "SAME" => "sameln",
            "DAG" => "unordered",
            "NOT" => "not",
            _ => bail!("there are NEXT, SAME, DAG and NOT, but no {kind}"),
        };
        Ok(Pattern { directive: format!("{name}: {text}") })
    }
}

/// Checks a text against patterns; `what` names them in the message.
pub(crate) fn check(what: &str, patterns: &[Pattern], text: &str) -> Result<()> {
    if patterns.is_empty() {
        return Ok(());
    }
    let mut builder = CheckerBuilder::new();
    let wrong = |error: filecheck::Error| anyhow!("{what}: {error}");
    for pattern in patterns {
        builder.directive(&pattern.directive).map_err(wrong)?;
    }
    let (matches, explanation) = builder.finish().explain(text, NO_VARIABLES).map_err(wrong)?;
    if !matches {
        bail!("{what} does not match:\n{explanation}\nthe whole text:\n{text}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(patterns: &[(&str, &str)], text: &str) -> bool {
        let patterns: Vec<Pattern> = patterns.iter().map(|(kind, text)| Pattern::new(kind, text).unwrap()).collect();
        check("CHECK", &patterns, text).is_ok()
    }

    #[test]
    fn the_kinds_mean_what_they_are_called() {
        let text = "one\ntwo three\nfour\n";
        assert!(matches(&[("", "one"), ("NEXT", "two"), ("SAME", "three"), ("NOT", "five")], text));
        assert!(matches(&[("DAG", "four"), ("DAG", "one")], text));
        assert!(!matches(&[("", "two"), ("", "one")], text));
        assert!(!matches(&[("", "one"), ("NEXT", "four")], text));
        assert!(!matches(&[("", "one"), ("NOT", "four")], text));
        assert!(Pattern::new("NXT", "").is_err());
    }
}
