//! Registers that only ever hold a constant of the launch: their row is the constant's, and the move that would fill it is left out.
//!
//! Kernels begin with such moves (`ld.param`, `mov %tid.x`, `cvta` of a parameter): a third of what short kernels execute. The moves
//! are counted as ever, they only need not be computed. That is right for a register that is written by one instruction without
//! a guard, after which alone it is read: what is read before is zero in this emulator, and must stay so.

use ptx_parser::{Kernel, Label, Reg, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rows::{Rows, Width};
use crate::program::registers::{Source, untagged};

/// The most labels that are examined between a register's instruction and its last use.
const MOST_LABELS: usize = 64;

/// The numbers of the statements that write and read the registers of a kernel.
#[derive(Default)]
pub(super) struct Definitions {
    /// Registers that one instruction without a guard writes: where, and where the last use is.
    single: FxHashMap<Reg, (usize, usize)>,
    /// Labels in the order of the code: where, and where the first jump to it is.
    labels: Vec<(usize, usize)>,
}

impl Definitions {
    /// Those of a kernel.
    pub(super) fn of(kernel: &Kernel) -> Definitions {
        let mut written: FxHashMap<Reg, (usize, bool)> = FxHashMap::default();
        let mut last_use: FxHashMap<Reg, usize> = FxHashMap::default();
        let mut first_jump: FxHashMap<Label, usize> = FxHashMap::default();
        let mut labels = Vec::new();
        for (position, stmt) in kernel.stmts().iter().enumerate() {
            match stmt.kind {
                StmtKind::Label(label) => labels.push((position, label)),
                StmtKind::Inst(inst) => {
                    let guarded = kernel.inst(inst).guard.is_some();
                    for reg in kernel.defs(inst) {
                        let again = written.contains_key(&reg);
                        written.insert(reg, (position, !guarded && !again));
                    }
                    kernel.uses(inst).into_iter().for_each(|reg| _ = last_use.insert(reg, position));
                    for label in kernel.branch_targets(inst) {
                        first_jump.entry(label).or_insert(position);
                    }
                }
                _ => {}
            }
        }
        let single = written.into_iter().filter(|(_, (_, single))| *single);
        let single = single.map(|(reg, (at, _))| (reg, (at, last_use.get(&reg).copied().unwrap_or(at))));
        let jump = |label: &Label| first_jump.get(label).copied().unwrap_or(usize::MAX);
        Definitions {
            single: single.collect(),
            labels: labels.iter().map(|(position, label)| (*position, jump(label))).collect(),
        }
    }

    /// Returns true if a register is written once, and every use further on is only reached by way of that instruction: no jump from before
    /// it leads to a label between it and the last use.
    pub(super) fn holds_after(&self, reg: Reg) -> bool {
        let Some(&(at, last)) = self.single.get(&reg) else { return false };
        let first = self.labels.partition_point(|(position, _)| *position <= at);
        let between = self.labels.iter().skip(first).take_while(|(position, _)| *position <= last);
        let mut seen = 0;
        for (_, jump) in between {
            seen += 1;
            if *jump < at || seen > MOST_LABELS {
                return false;
            }
        }
        true
    }
}

/// The rows that hold constants.
#[derive(Default)]
pub(super) struct Constants {
    known: FxHashMap<(u32, Source), u32>,
    /// Their tagged rows.
    rows: FxHashSet<u32>,
    pub(super) words: Vec<(u32, Source)>,
    pub(super) wide: Vec<(u32, Source)>,
    pub(super) preds: Vec<(u32, u32)>,
}

impl Constants {
    /// The tagged row of a constant.
    pub(super) fn row(&mut self, rows: &mut Rows, width: Width, source: Source) -> u32 {
        let source = match (width, source) {
            (Width::W32, Source::Bits(bits)) => Source::Bits(bits & 0xffff_ffff),
            (_, source) => source,
        };
        if let Some(&row) = self.known.get(&(width.tag(), source)) {
            return row;
        }
        let row = rows.take(width);
        match (width, source) {
            (Width::W32, _) => self.words.push((row, source)),
            (Width::W64, _) => self.wide.push((untagged(row), source)),
            (Width::Pred, Source::Bits(0)) => self.preds.push((untagged(row), 0)),
            (Width::Pred, _) => self.preds.push((untagged(row), u32::MAX)),
        }
        self.known.insert((width.tag(), source), row);
        self.rows.insert(row);
        row
    }

    /// The first of two rows, one behind the other, that hold the 128 bits of an integer.
    pub(super) fn pair(&mut self, rows: &mut Rows, value: i64) -> u32 {
        let (low, high) = (rows.take(Width::W64), rows.take(Width::W64));
        let sign = if value < 0 { u64::MAX } else { 0 };
        self.wide.push((untagged(low), Source::Bits(value.cast_unsigned())));
        self.wide.push((untagged(high), Source::Bits(sign)));
        low
    }

    /// Returns true for the tagged row of a constant.
    pub(super) fn contains(&self, row: u32) -> bool {
        self.rows.contains(&row)
    }
}
