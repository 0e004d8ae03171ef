//! Source positions of generated kernels, as `nvcc -lineinfo` writes them for functions that are inlined into each other.
//!
//! The kernel calls `f` from any of its lines, `f` calls `g`. A `.loc` with `inlined_at` names the position of a call. nvcc writes that position as a `.loc`
//! once, in front of the first instruction that needs it, and never again.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Random;

/// The names of the functions, as a debug section holds them.
const FUNCTIONS: [&str; 2] = ["f", "g"];

/// The positions of a kernel under way.
pub(super) struct Lines {
    random: Random,
    /// The calls that have a `.loc`: the line in the kernel, and that in `f` for calls from there.
    written: BTreeSet<(u32, Option<u32>)>,
    /// True if the next instruction is from `g`.
    inlined: bool,
}

impl Lines {
    pub(super) fn new(seed: u64) -> Lines {
        Lines { random: Random::new(seed), written: BTreeSet::new(), inlined: false }
    }

    /// Has the next instruction come from a function that was inlined.
    pub(super) fn inline_next(&mut self) {
        self.inlined = true;
    }

    /// The `.loc` statements in front of the next instruction, if its position is another one.
    pub(super) fn next(&mut self) -> String {
        let mut text = String::new();
        let inlined = std::mem::take(&mut self.inlined);
        if !inlined && !self.random.chance(25) {
            return text;
        }
        let [line, in_f, in_g] = [10, 100, 200].map(|first| first + self.random.below(6));
        let depth = if inlined { 2 } else { self.random.below(3) };
        if depth > 0 {
            self.call(&mut text, line, None);
        }
        if depth > 1 {
            self.call(&mut text, line, Some(in_f));
        }
        // The column tells the calls of `f` apart.
        text += &match depth {
            0 => format!("\t.loc\t1 {line} 3\n"),
            1 => format!("\t.loc\t1 {in_f} {line}, function_name $L__info_string0, inlined_at 1 {line} 3\n"),
            _ => format!("\t.loc\t1 {in_g} 5, function_name $L__info_string1, inlined_at 1 {in_f} {line}\n"),
        };
        text
    }

    /// The position of a call, unless it is there already.
    fn call(&mut self, text: &mut String, line: u32, in_f: Option<u32>) {
        if self.written.insert((line, in_f)) {
            *text += &match in_f {
                None => format!("\t.loc\t1 {line} 3\n"),
                Some(in_f) => {
                    format!("\t.loc\t1 {in_f} {line}, function_name $L__info_string0, inlined_at 1 {line} 3\n")
                }
            };
        }
    }

    /// The parts of a module that positions refer to.
    pub(super) fn tables() -> String {
        let mut text = "\t.file\t1 \"k.cu\"\n\t.section\t.debug_str\n\t{\n".to_owned();
        for (index, name) in FUNCTIONS.iter().enumerate() {
            let bytes: Vec<String> = name.bytes().chain([0]).map(|byte| byte.to_string()).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "$L__info_string{index}:\n.b8 {}", bytes.join(","));
        }
        text + "\n\t}\n"
    }
}
