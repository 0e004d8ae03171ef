//! Texts that are wrong in ways nobody thought of: pieces of PTX at random, and mutations of a text.
//!
//! The generator is seeded, so that every run of a test does the same.

/// A small generator of numbers (xorshift64*), so that every run does the same.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Pieces of PTX, and pieces that are almost PTX.
pub(crate) const TOKENS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "::",
    "|",
    "!",
    "@",
    "@!",
    "+",
    "-",
    "=",
    "_",
    ".",
    "\"",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "//#",
    "\n",
    "\r\n",
    "\t",
    " ",
    "%",
    "$",
    "%p1",
    "%r1",
    "%rd1",
    "%f1",
    "%tid.x",
    "%r99",
    "$L",
    "$L:",
    "L: ",
    "0",
    "-1",
    "0x",
    "0f",
    "0f3F800000",
    "0d",
    "1e",
    "1.5",
    ".5",
    "99999999999999999999",
    "4294967296",
    ".reg",
    ".b32",
    ".pred",
    ".v4",
    ".param",
    ".shared",
    ".local",
    ".align",
    ".loc",
    ".file",
    ".entry",
    ".func",
    ".visible",
    ".extern",
    ".section",
    ".pragma",
    ".branchtargets",
    ".callprototype",
    ".maxntid",
    "mov.u32",
    "add.cc.s32",
    "ld.global.v2.u32",
    "st",
    "bra",
    "brx.idx",
    "call",
    "ret",
    "setp.ne.s32",
    "unheard.of",
    "generic(",
    "inlined_at",
    "function_name",
    "\0",
    "é",
    "\u{1F600}",
    "WARP_SZ",
    "<4>",
    "a<4>",
    "{{",
    "}}",
    "mov .u32",
];

/// Deletes, doubles, swaps or inserts a piece of a text, or cuts it off.
pub(crate) fn mutate(text: &str, random: &mut Random) -> String {
    let place = |random: &mut Random| {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let word_end = |at: usize| {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
        let rest = &text[at..];
        let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
        at + end.max(rest.chars().next().map_or(0, char::len_utf8))
    };
    let at = place(random);
    let end = match random.below(2) {
        0 => text[at..].chars().next().map_or(at, |c| at + c.len_utf8()),
        _ => word_end(at),
    };
    match random.below(6) {
        0 => format!("{}{}", &text[..at], &text[end..]),
        1 => format!("{}{}", &text[..end], &text[at..]),
        2 => {
            let other = place(random).max(end);
            let other_end = word_end(other);
            format!(
                "{}{}{}{}{}",
                &text[..at],
                &text[other..other_end],
                &text[end..other],
                &text[at..end],
                &text[other_end..]
            )
        }
        3 => format!("{}{}{}", &text[..at], random.pick(TOKENS), &text[at..]),
        4 => format!("{}{}{}", &text[..at], random.pick(TOKENS), &text[end..]),
        _ => text[..at].to_owned(),
    }
}
