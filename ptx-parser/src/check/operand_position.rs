//! The place of a part of an instruction in the text. Operands keep no spans, because only errors need them. The text of the instruction is
//! read again instead.

use super::finding::Part;
use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::position::Position;
use crate::syntax::lexical::{blanks, head, past};

/// The position; `None` for an instruction that is not in the source.
pub(super) fn place(kernel: &Kernel, inst: Inst, part: Part<'_>) -> Option<Position> {
    let span = kernel.inst(inst).span;
    if span.end <= span.start {
        return None;
    }
    let text = kernel.text(span);
    let opcode = opcode_start(text);
    let offset = match part {
        Part::Opcode => opcode,
        Part::Guard => text.find('@').map_or(0, |at| at + 1),
        Part::Modifier(word) => modifier(text, opcode, word).unwrap_or(opcode),
        Part::Operand(index) => operand(text, operands_start(text, opcode), index),
    };
    Some(kernel.lines.position(&kernel.source, span.start + u32::try_from(offset).unwrap_or(0)))
}

/// Behind the guard and the blanks that follow it.
fn opcode_start(text: &str) -> usize {
    let at = skip(text, 0);
    if !past(text, at).starts_with('@') {
        return at;
    }
    let guard = skip(text, at + 1);
    let guard = if past(text, guard).starts_with('!') { skip(text, guard + 1) } else { guard };
    let rest = past(text, guard).trim_start_matches(|c: char| c.is_alphanumeric() || "%_$".contains(c));
    skip(text, text.len() - rest.len())
}

fn operands_start(text: &str, opcode: usize) -> usize {
    let end = head(past(text, opcode)).map_or(opcode, |(rest, _)| text.len() - rest.len());
    skip(text, end)
}

/// The place of a modifier as a whole word.
fn modifier(text: &str, opcode: usize, word: &str) -> Option<usize> {
    let end = operands_start(text, opcode);
    let mut at = opcode;
    for (index, part) in text.get(opcode..end)?.split('.').enumerate() {
        if index > 0 && part.trim_end() == word {
            return Some(at);
        }
        at += part.len() + 1;
    }
    None
}

/// The start of an operand: behind as many commas outside of brackets as its number says.
fn operand(text: &str, start: usize, index: usize) -> usize {
    let mut depth = 0;
    let mut commas = 0;
    let mut at = start;
    let mut found = start;
    while commas < index
        && let Some(byte) = text.as_bytes().get(at)
    {
        let after = skip(text, at);
        if after > at {
            at = after;
            continue;
        }
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth -= 1,
            b',' if depth == 0 => {
                commas += 1;
                found = skip(text, at + 1);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Behind blanks and comments.
fn skip(text: &str, at: usize) -> usize {
    text.len() - blanks(past(text, at)).len()
}
