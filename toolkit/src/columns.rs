//! Moves the column of a message from the line a tool saw to the line the user wrote.
//!
//! cudafe++ shows preprocessed text: macros are expanded (`__device__` becomes an attribute), comments are gone. The
//! annotated text has markers that the user never typed. So the caret is followed by its word: when that word occurs as
//! often in the user's line as in the line shown, the same occurrence is meant. Otherwise the column is dropped, since
//! a caret under the wrong word is worse than none.

use crate::messages::Message;

/// Corrects the column of each message about `file`, given the text that was compiled (under a `#line` of its own) and
/// what the user wrote. In other files, which nobody rewrote, only the host preprocessor's columns are kept: it counts
/// in the file as written, and shows no excerpt here because `#line` hides the compiled file from it.
pub(crate) fn settle(messages: &mut [Message], file: &str, compiled: &str, user_text: &str) {
    let compiled: Vec<&str> = compiled.lines().skip(1).collect();
    let user_lines: Vec<&str> = user_text.lines().collect();
    for message in messages {
        let Some(column) = message.column else { continue };
        if message.file.as_deref() != Some(file) {
            message.column = message.excerpt.is_none().then_some(column);
            continue;
        }
        let at = (message.line.unwrap_or(0) as usize).wrapping_sub(1);
        let from = message.excerpt.as_deref().or_else(|| compiled.get(at).copied());
        message.column = match (from, user_lines.get(at)) {
            (Some(from), Some(to)) => translate(from, column as usize, to),
            _ => None,
        };
    }
}

/// The column in `to` of the word that stands at `column` in `from`; both count characters from 1.
fn translate(from: &str, column: usize, to: &str) -> Option<u32> {
    let caret = column.checked_sub(1)?;
    // Tools count a tab or a letter beyond ASCII as one column or several, depending on what they could read.
    if !from.chars().take(column).all(|c| c.is_ascii() && c != '\t') {
        return None;
    }
    if from.trim_end() == to.trim_end() {
        return u32::try_from(column).ok();
    }
    let (words_from, words_to) = (words(from), words(to));
    let (_, word) = words_from.iter().find(|(start, word)| *start == caret && !word.is_empty())?;
    let same = |words: &[(usize, String)]| -> Vec<usize> {
        words.iter().filter(|(_, other)| other == word).map(|(start, _)| *start).collect()
    };
    let (here, there) = (same(&words_from), same(&words_to));
    let nth = here.iter().position(|start| *start == caret)?;
    let start = if here.len() == there.len() { there.get(nth)? } else { return None };
    u32::try_from(start + 1).ok()
}

/// Words and single punctuation characters, each with the character index where it starts.
fn words(line: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (index, c) in line.chars().enumerate() {
        let wordlike = c.is_alphanumeric() || c == '_';
        match words.last_mut() {
            Some((_, word)) if wordlike && inside => word.push(c),
            _ if !c.is_whitespace() => words.push((index, c.to_string())),
            _ => {}
        }
        inside = wordlike;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_line_keeps_its_column() {
        assert_eq!(translate("  int x = y + 1;", 11, "  int x = y + 1;"), Some(11));
    }

    #[test]
    fn an_expanded_macro_ahead_of_the_word_is_accounted_for() {
        assert_eq!(translate("__attribute__((device)) int z = qq;", 33, "__device__ int z = qq; // why"), Some(20));
    }

    #[test]
    fn the_same_occurrence_is_meant() {
        assert_eq!(translate("int a = f(1) + f(2);", 16, "\tint  a =\tf(1) + f(2);"), Some(18));
    }

    #[test]
    fn a_word_that_a_comment_repeats_has_no_sure_column() {
        assert_eq!(translate("int a = b;", 9, "int a = /* b */ b;"), None);
        assert_eq!(translate("int a = b;", 99, "int a = c;"), None);
    }

    #[test]
    fn other_files_lose_a_column_that_nothing_vouches_for() {
        let mut messages = crate::messages::parse("h.h(1): error: no\n  int a;\n      ^\n");
        settle(&mut messages, "k.cu", "#line 1\nint a;\n", "int a;\n");
        assert_eq!((messages[0].line, messages[0].column), (Some(1), None));
        let mut messages = crate::messages::parse("h.h:1:2: error: #error no\n");
        settle(&mut messages, "k.cu", "#line 1\nint a;\n", "int a;\n");
        assert_eq!(messages[0].column, Some(2));
    }

    #[test]
    fn the_preprocessors_column_counts_in_the_compiled_line() {
        let mut messages = crate::messages::parse("k.cu:2:14: error: missing terminating \" character\n");
        settle(&mut messages, "k.cu", "#line 1\nint a;\n{ int b; c = \" }\n", "int a;\nint b; c = \"\n");
        assert_eq!(messages[0].column, Some(12));
    }

    #[test]
    fn a_tab_ahead_of_a_caret_makes_it_unsure() {
        assert_eq!(translate("\tint a = b;", 10, "\tint a = b;"), None);
    }
}
