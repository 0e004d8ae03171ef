//! Source positions stay with the instructions that they describe.
//!
//! A `.loc` holds for all that follows it in the text. Where a patch moves an instruction, or inserts a `.loc` in front of one that
//! stays, the text would give it the position of other code; the `.loc` that was in force for it is then repeated.
//!
//! A `.loc` with `inlined_at` names the position of a call, and this position must be that of a `.loc` that precedes it (ptxas refuses the text
//! otherwise). The latest one is meant: it says where the caller itself was inlined. So each `.loc` with `inlined_at` is preceded by the one that it
//! named before the patch. Where another one with the same position comes between, or none precedes, the named one is repeated, and before it
//! the ones that it names itself.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

use super::patch::Patch;
use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::print::tokens;
use crate::stmt::{Loc, Origin, Stmt, StmtKind};

/// The file, line and column of a position that `inlined_at` may name.
type CallSite = (u32, u32, u32);

/// A `.loc` with all that it names, by number: equal numbers are equal positions.
type Chain = u32;

/// The statements in their order with positions repeated where needed, and those repeated positions once more.
pub(super) fn kept(kernel: &Kernel, patch: &Patch, placed: &[&Stmt]) -> (Vec<Stmt>, Vec<Stmt>) {
    let before = in_force(&kernel.stmts);
    let mut writer = Writer {
        kernel,
        positions: Positions::of(kernel),
        number: kernel.edits.next_home(),
        current: None,
        latest: FxHashMap::default(),
        stmts: Vec::with_capacity(placed.len()),
        repeated: Vec::new(),
    };
    for &stmt in placed {
        match stmt.kind {
            StmtKind::Loc(position) => {
                let index = writer.positions.indices.get(&stmt.origin.home()).copied();
                writer.place(kernel.loc_of(position), index);
            }
            StmtKind::Inst(inst) => {
                // One more than the index of the statement; 0 for none.
                let index = before[inst] as usize;
                let index = index.checked_sub(1).filter(|index| !patch.removed.contains(index));
                if let Some(index) = index
                    && writer.current != writer.positions.chains.get(&index).copied()
                {
                    writer.repeat(index);
                }
            }
            _ => {}
        }
        writer.stmts.push(stmt.clone());
    }
    (writer.stmts, writer.repeated)
}

/// The text under way.
struct Writer<'k> {
    kernel: &'k Kernel,
    positions: Positions,
    /// The number of the next repeated `.loc`.
    number: u64,
    current: Option<Chain>,
    /// The latest `.loc` of each place.
    latest: FxHashMap<CallSite, Chain>,
    stmts: Vec<Stmt>,
    repeated: Vec<Stmt>,
}

impl Writer<'_> {
    /// Makes way for a `.loc`, which is that of an index unless it is new text: the one that it names precedes it.
    fn place(&mut self, loc: Loc, index: Option<usize>) {
        if let Some(call) = loc.inlined_at {
            let latest = self.latest.get(&call);
            let named = match index {
                Some(index) => self.positions.named.get(&index),
                // New text means the latest one, or any.
                None if latest.is_some() => None,
                None => self.positions.last.get(&call),
            };
            if let Some(&named) = named
                && latest != self.positions.chains.get(&named)
            {
                self.repeat(named);
            }
        }
        let named = loc.inlined_at.and_then(|call| self.latest.get(&call).copied());
        let chain = self.positions.chain(loc, named);
        self.latest.insert((loc.file, loc.line, loc.column), chain);
        self.current = Some(chain);
    }

    /// Repeats the `.loc` at an index. What it names stands before it, so that this ends.
    fn repeat(&mut self, index: usize) {
        let Some(stmt) = self.kernel.stmts.get(index) else { return };
        let StmtKind::Loc(position) = stmt.kind else { return };
        self.place(self.kernel.loc_of(position), Some(index));
        let text = tokens::bare(&self.kernel.own_text(stmt));
        let again = Stmt { kind: StmtKind::Loc(position), origin: Origin::text(self.number, text) };
        self.number += 1;
        self.repeated.push(again.clone());
        self.stmts.push(again);
    }
}

/// The `.loc` statements of a kernel before the patch.
#[derive(Default)]
struct Positions {
    /// Their indices, by where their texts are.
    indices: FxHashMap<u64, usize>,
    /// For each index, that of the one that it names.
    named: FxHashMap<usize, usize>,
    chains: FxHashMap<usize, Chain>,
    /// The last one of each place.
    last: FxHashMap<CallSite, usize>,
    numbers: FxHashMap<(Loc, Option<Chain>), Chain>,
}

impl Positions {
    fn of(kernel: &Kernel) -> Positions {
        let mut positions = Positions::default();
        for (index, stmt) in kernel.stmts.iter().enumerate() {
            let StmtKind::Loc(position) = stmt.kind else { continue };
            let loc = kernel.loc_of(position);
            let named = loc.inlined_at.and_then(|call| positions.last.get(&call).copied());
            let chain = positions.chain(loc, named.and_then(|named| positions.chains.get(&named).copied()));
            positions.chains.insert(index, chain);
            positions.indices.insert(stmt.origin.home(), index);
            positions.last.insert((loc.file, loc.line, loc.column), index);
            positions.named.extend(named.map(|named| (index, named)));
        }
        positions
    }

    fn chain(&mut self, loc: Loc, named: Option<Chain>) -> Chain {
        // A text has fewer statements than bytes, of which there are less than 2^32.
        let next = self.numbers.len() as Chain;
        *self.numbers.entry((loc, named)).or_insert(next)
    }
}

/// For each instruction, one more than the index of the `.loc` that holds for it.
fn in_force(stmts: &[Stmt]) -> SecondaryMap<Inst, u32> {
    let mut map = SecondaryMap::new();
    let mut current = 0;
    for (index, stmt) in stmts.iter().enumerate() {
        match stmt.kind {
            // A text has fewer statements than bytes, of which there are less than 2^32.
            StmtKind::Loc(_) => current = index as u32 + 1,
            StmtKind::Inst(inst) if current > 0 => map[inst] = current,
            _ => {}
        }
    }
    map
}
