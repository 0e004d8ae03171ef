//! Texts that are wrong in ways nobody thought of, and what must hold of them.

use ptx_parser::Module;

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

/// What must hold of any text; whether it was accepted.
pub(crate) fn survives(text: &str) -> bool {
    match Module::parse(text) {
        Ok(module) => {
            assert_eq!(module.to_string(), text);
            module.kernels().iter().for_each(|kernel| kernel.verify().unwrap());
            true
        }
        Err(error) => {
            let (line, column) = error.first().position().unwrap();
            let lines = text.split('\n').count();
            assert!(line as usize <= lines && column >= 1, "{error}: the text has {lines} lines");
            let length = text.split('\n').nth(line as usize - 1).unwrap().chars().count();
            assert!(column as usize <= length + 1, "{error}: the line has {length} characters");
            false
        }
    }
}
