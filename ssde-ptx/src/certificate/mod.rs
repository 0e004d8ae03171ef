//! A certificate of a kernel's rewrite, as data that a checker derives again.
//!
//! The names are those of the paper's correctness report: `t` is the block that a back edge leaves, `h` the header it leads to, `r` the
//! switch at the safe point, `c` the register that says at `r` where a lane came from.

use serde::{Deserialize, Serialize};

/// The facts about a rewritten kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// The kernel's name, as in the text.
    pub kernel: String,
    /// The number of pairs of points the simulation relation has, with what the added registers hold there.
    pub pairs: usize,
    /// The registers that the input does not have.
    pub registers: Vec<AddedRegister>,
    /// For each block of the input that is come to, the blocks of the output that do what it does.
    pub blocks: Vec<BlockMatch>,
    /// The blocks of the output that do nothing but find the way.
    pub added_blocks: Vec<BlockRef>,
    /// The edges of the output that begin or end at one of those.
    pub added_edges: Vec<EdgeRef>,
    /// The edges of the input that enter a region through a switch. They close no loop.
    pub led_edges: Vec<LedEdge>,
    /// The back edges of the input that lead through a switch.
    pub loops: Vec<RewrittenLoop>,
    /// Under which schedulers the input has to end for the output to end.
    pub fairness: Fairness,
}

/// Schedulers under which a program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// All that let each thread run again and again (weak fairness): lanes pass a switch in one order, of which nothing more is known.
    Weak,
    /// Those that take each order of the iterations of loops that is possible again and again, as a random one does: of loops whose lanes pass a switch in one order,
    /// no iteration that goes round writes anything, and in the others lanes draw. This is as good as what they draw.
    Random,
}

/// In which order lanes go round a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// In one, and an iteration that goes round writes nothing.
    Silent,
    /// In one, and an iteration may write.
    Fixed,
    /// Lanes draw how many rounds they stand by.
    Drawn,
}

/// A register that the rewrite added.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AddedRegister {
    /// Its name, with its `%`.
    pub name: String,
    /// Its type, as PTX writes it.
    pub ty: String,
}

/// A block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct BlockRef {
    /// The line of its first instruction; 0 if it was not read from text.
    pub line: u32,
    /// Its first label, or its number.
    pub name: String,
}

/// A block of the input and what simulates it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlockMatch {
    /// The block.
    pub before: BlockRef,
    /// The blocks of the output that its instructions are in.
    pub after: Vec<BlockRef>,
}

/// An edge of the output.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct EdgeRef {
    /// The block that it leaves.
    pub from: BlockRef,
    /// The block that it leads to.
    pub to: BlockRef,
}

/// An edge of the input that goes through a switch of the output.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LedEdge {
    /// `t`, in the input.
    pub t: BlockRef,
    /// `h`, in the input.
    pub h: BlockRef,
    /// `r`, in the output: the first block on the way that asks an added register where to go.
    pub r: BlockRef,
    /// `c`: what the registers hold there that `r`, or a switch behind it, may ask.
    pub c: Vec<Constant>,
}

/// A register and what it holds; `None` for nothing that is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Constant {
    /// The register.
    pub register: String,
    /// Its value.
    pub value: Option<u64>,
}

/// A loop that goes round by its safe point, with the properties of the correctness report (Section 4.2.A).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RewrittenLoop {
    /// The back edge.
    pub edge: LedEdge,
    /// In which order lanes go round.
    pub rounds: Rounds,
    /// Whatever is neither `d`, `r` nor `t` is the same instruction with the same successors.
    pub p1: Unchanged,
    /// Whoever else comes to `r`, from a `d`, has another `c` there, unless the input leads it to `h` as well.
    pub p2: Others,
    /// The instructions of each `d` are those of the input, and lead on to `r`.
    pub p3: Kept,
    /// With its `c`, `r` leads to `h`.
    pub p4: Kept,
    /// With another `c`, `r` leads to where the input goes on.
    pub p5: Kept,
    /// The instructions of `t` are those of the input, and `c` is set behind them.
    pub p6: Kept,
    /// The input leads from `t` to `h`, the output from `t` to `r`.
    pub p7: Kept,
}

/// The result for property p1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unchanged {
    /// True if it holds.
    pub holds: bool,
    /// The number of instructions of the input that were compared with those that simulate them.
    pub instructions: usize,
}

/// The result for property p2.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Others {
    /// True if it holds.
    pub holds: bool,
    /// The values of `c` in the other lanes that arrive, each once.
    pub values: Vec<Vec<Constant>>,
}

/// The result for each of the other properties.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// True if it holds.
    pub holds: bool,
    /// The blocks of the output that it is about.
    pub blocks: Vec<BlockRef>,
}

impl RewrittenLoop {
    /// Returns true if all seven properties hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        let kept = [&self.p3, &self.p4, &self.p5, &self.p6, &self.p7];
        self.p1.holds && self.p2.holds && kept.iter().all(|kept| kept.holds)
    }
}

/// A difference between two certificates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    pub(crate) what: String,
    pub(crate) claimed: String,
    pub(crate) found: String,
}

impl Certificate {
    /// The first thing that this certificate claims and another, which was derived, does not.
    pub(crate) fn difference(&self, found: &Certificate) -> Option<Difference> {
        let one = |what: &str, claimed: String, found: String| {
            (claimed != found).then(|| Difference { what: what.to_owned(), claimed, found })
        };
        one("the kernel's name", self.kernel.clone(), found.kernel.clone())
            .or_else(|| one("the number of pairs", self.pairs.to_string(), found.pairs.to_string()))
            .or_else(|| listed("register", &self.registers, &found.registers))
            .or_else(|| listed("block", &self.blocks, &found.blocks))
            .or_else(|| listed("added block", &self.added_blocks, &found.added_blocks))
            .or_else(|| listed("added edge", &self.added_edges, &found.added_edges))
            .or_else(|| listed("led edge", &self.led_edges, &found.led_edges))
            .or_else(|| listed("loop", &self.loops, &found.loops))
            .or_else(|| one("the fairness", format!("{:?}", self.fairness), format!("{:?}", found.fairness)))
    }
}

/// The first element in which two lists differ, and what differs in it.
fn listed<T: PartialEq + std::fmt::Debug>(what: &str, claimed: &[T], found: &[T]) -> Option<Difference> {
    let at = (0..claimed.len().max(found.len())).find(|&at| claimed.get(at) != found.get(at))?;
    let text = |list: &[T]| list.get(at).map_or("nothing".to_owned(), |element| format!("{element:#?}"));
    let (claimed, found) = (text(claimed), text(found));
    let same = claimed.lines().zip(found.lines()).take_while(|(one, other)| one == other).count();
    let fields = enclosing(&claimed, same);
    let line = |text: &str| text.lines().nth(same).map_or("nothing".to_owned(), |line| line.trim().replace(',', ""));
    Some(Difference { what: format!("{what} {}{fields}", at + 1), claimed: line(&claimed), found: line(&found) })
}

/// The fields that a line of a printed value is in: those in front of it that are printed with less indentation.
fn enclosing(text: &str, line: usize) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for line in text.lines().take(line + 1) {
        open.retain(|&(depth, _)| depth < indent(line));
        open.push((indent(line), line.trim()));
    }
    open.pop();
    let names = open.iter().filter_map(|(_, line)| line.split_once(':'));
    names.map(|(name, _)| format!(", {name}")).collect()
}
