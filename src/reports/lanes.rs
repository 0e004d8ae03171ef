//! What `pxrw cpu --explain` reports of the lanes of warps: their dependences, where they meet and why, and what was assumed.

use std::fmt::Write as _;

use cpu::Synchronisation;
use serde::Serialize;

use super::ssde::PlaceEntry;

/// The most dependences and cuts of a kernel that the text lists; the JSON has all.
const MOST: usize = 60;

/// What is known of the lanes of a kernel's warps.
#[derive(Debug, Serialize)]
pub(crate) struct LanesEntry {
    /// Dependences between accesses that lanes make in lockstep.
    pub(crate) dependences: Vec<DependenceEntry>,
    /// The instructions in front of which lanes meet because of them.
    pub(crate) cuts: Vec<CutEntry>,
    /// Accesses on different ways of a branch, of which nothing says which are executed first.
    pub(crate) siblings: Vec<SiblingsEntry>,
    /// What was assumed, a sentence for each.
    pub(crate) assumptions: Vec<&'static str>,
    /// There are too many accesses to look at each pair: lanes meet in front of each.
    pub(crate) too_many: bool,
    /// The shapes of blocks that need no cut: bit 0 for a multiple of 32 threads in x, bit 1 for one row, bit 1 + w for w threads in x, bit 33 for others.
    pub(crate) shapes_without_cuts: u64,
}

/// A dependence.
#[derive(Debug, Serialize)]
pub(crate) struct DependenceEntry {
    pub(crate) source: PlaceEntry,
    pub(crate) sink: PlaceEntry,
    /// The two instructions.
    pub(crate) opcodes: [String; 2],
    /// `flow`, `anti` or `output`.
    pub(crate) kind: &'static str,
    /// The signs of the distance of the lanes, then of the iterations of the loops around both.
    pub(crate) vector: Vec<&'static str>,
    /// The lines at which these loops begin, in the PTX.
    pub(crate) loops: Vec<u32>,
    /// `intra`, `benign`, `reversible` or `critical`, in blocks whose warps lie in rows.
    pub(crate) class: &'static str,
    pub(crate) class_in_any_shape: &'static str,
    pub(crate) certain: bool,
    pub(crate) assumes_no_wrap: bool,
}

/// A cut.
#[derive(Debug, Serialize)]
pub(crate) struct CutEntry {
    #[serde(flatten)]
    pub(crate) at: PlaceEntry,
    pub(crate) opcode: String,
    /// The index of the dependence that demands it.
    pub(crate) dependence: Option<usize>,
    /// Blocks whose warps lie in rows have it.
    pub(crate) in_rows: bool,
}

/// A dependence between the two ways of a branch.
#[derive(Debug, Serialize)]
pub(crate) struct SiblingsEntry {
    pub(crate) branch: PlaceEntry,
    pub(crate) accesses: [PlaceEntry; 2],
}

impl LanesEntry {
    /// Puts what is known of a kernel at the lines of the user's file.
    pub(crate) fn of(found: &Synchronisation, place: &dyn Fn(u32) -> PlaceEntry) -> LanesEntry {
        let dependences = found.dependences.iter().map(|one| DependenceEntry {
            source: place(one.source),
            sink: place(one.sink),
            opcodes: one.opcodes.clone(),
            kind: one.kind,
            vector: one.vector.clone(),
            loops: one.loops.clone(),
            class: one.class,
            class_in_any_shape: one.class_in_any_shape,
            certain: one.certain,
            assumes_no_wrap: one.assumes_no_wrap,
        });
        let cuts = found.cuts.iter().map(|cut| CutEntry {
            at: place(cut.line),
            opcode: cut.opcode.clone(),
            dependence: cut.dependence,
            in_rows: cut.in_rows,
        });
        let siblings = found
            .siblings
            .iter()
            .map(|siblings| SiblingsEntry { branch: place(siblings.branch), accesses: siblings.accesses.map(place) });
        LanesEntry {
            dependences: dependences.collect(),
            cuts: cuts.collect(),
            siblings: siblings.collect(),
            assumptions: found.assumptions.clone(),
            too_many: found.too_many,
            shapes_without_cuts: found.shapes_without_cuts,
        }
    }

    /// Returns it for people: a table of the dependences between lanes, then the cuts.
    pub(crate) fn text(&self) -> String {
        let between = || self.dependences.iter().enumerate().filter(|(_, one)| one.class != "intra");
        let (count, own) = (between().count(), self.dependences.len() - between().count());
        let mut text = format!(
            "  dependences: {count} between lanes of a warp, {own} within a lane or in blocks of other shapes\n"
        );
        // Writing to a string does not fail.
        if count > 0 {
            let _ = writeln!(
                text,
                "  {:>4}  {:<19}  {:<19}  {:<6}  {:<14}  {:<10}  is",
                "", "first", "then", "kind", "vector", "class"
            );
        }
        for (index, one) in between().take(MOST) {
            let vector = format!("({})", one.vector.join(", "));
            let certain = if one.certain { "certain" } else { "possible" };
            let _ = writeln!(
                text,
                "  {:>4}  {:<19}  {:<19}  {:<6}  {vector:<14}  {:<10}  {certain}",
                index + 1,
                line(&one.source),
                line(&one.sink),
                one.kind,
                one.class
            );
        }
        let more = |text: &mut String, count: usize| {
            if count > MOST {
                let _ = writeln!(text, "  … and {} more; `--report json` has all", count - MOST);
            }
        };
        more(&mut text, count);
        let rows = || self.cuts.iter().filter(|cut| cut.in_rows);
        let _ = writeln!(
            text,
            "  cuts: {} in blocks whose warps lie in rows, {} in others",
            rows().count(),
            self.cuts.len()
        );
        for cut in rows().take(MOST) {
            let why = match cut.dependence {
                Some(index) => format!("dependence {}", index + 1),
                None => "all accesses are cut".to_owned(),
            };
            let _ = writeln!(text, "        in front of `{}`, {}: {why}", cut.opcode, line(&cut.at));
        }
        more(&mut text, rows().count());
        for siblings in self.siblings.iter().take(MOST) {
            let [one, other] = &siblings.accesses;
            let _ = writeln!(
                text,
                "  ways of the branch, {}: {} and {}; nothing says which is first",
                line(&siblings.branch),
                line(one),
                line(other)
            );
        }
        more(&mut text, self.siblings.len());
        if self.too_many {
            text += "  there are too many accesses to look at each pair\n";
        }
        for assumption in &self.assumptions {
            let _ = writeln!(text, "  assumed: {assumption}");
        }
        text
    }
}

/// The line of a place in its file, and in the PTX if that is another.
fn line(place: &PlaceEntry) -> String {
    match place.line == place.ptx_line {
        true => format!("line {}", place.line),
        false => format!("line {} (PTX {})", place.line, place.ptx_line),
    }
}
