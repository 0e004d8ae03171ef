//! A bare tokenizer, to hold the parser's speed against: it splits a text into tokens, with their kinds and places, and does nothing
//! else. No number is read, no name looked up.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// `ld`, `$L__BB0_1`, `param_0`
    Word,
    /// `%r1`
    Register,
    /// `.global`, `.u32`
    Dotted,
    /// `42`, `0x1F`, `0f3F800000`
    Number,
    /// `"text"`
    String,
    /// One character of anything else.
    Mark,
}

/// A token: its kind and the half-open range of bytes where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// How many bytes the tokens of a list take up in the text, the marks left out: so that all parts of a token are used.
pub(crate) fn bytes(tokens: &[Token]) -> usize {
    let words = tokens.iter().filter(|token| token.kind != Kind::Mark);
    words.map(|token| (token.end - token.start) as usize).sum()
}

const BLANK: u8 = 1;
const WORD: u8 = 2;
const DIGIT: u8 = 4;

/// What a byte can be.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        classes[byte] = match b {
            b' ' | b'\t' | b'\n' | b'\r' => BLANK,
            b'0'..=b'9' => WORD | DIGIT,
            b'_' | b'$' => WORD,
            _ if b.is_ascii_alphabetic() => WORD,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn is(byte: u8, class: u8) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// The tokens of a text, without its comments.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    // There are fewer than that, so that the list need not grow; the parser does not know how large its tables get either, but
    // nobody shall say that the tokenizer was slowed down.
    let mut tokens = Vec::with_capacity(text.len() / 2);
    let bytes = text.as_bytes();
    let word_end = |from: usize| from + bytes[from..].iter().take_while(|&&byte| is(byte, WORD)).count();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if is(byte, BLANK) {
            at += 1;
            continue;
        }
        let (kind, end) = match byte {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().take_while(|&&byte| byte != b'\n').count();
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'%' => (Kind::Register, word_end(at + 1)),
            b'.' => (Kind::Dotted, word_end(at + 1)),
            b'"' => {
                let inside = bytes[at + 1..].iter().take_while(|&&byte| byte != b'"').count();
                (Kind::String, (at + inside + 2).min(bytes.len()))
            }
            _ if is(byte, DIGIT) => (Kind::Number, word_end(at)),
            _ if is(byte, WORD) => (Kind::Word, word_end(at)),
            _ => (Kind::Mark, at + 1),
        };
        tokens.push(Token { kind, start: at as u32, end: end as u32 });
        at = end;
    }
    tokens
}
