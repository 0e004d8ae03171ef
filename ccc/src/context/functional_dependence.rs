//! Registers that a loop carries and that are the same function of another one on every way to the next step: a key beside the
//! pair that it is half of.
//!
//! ```text
//!     pair = exch(…);  key = pair >> 32      before the loop
//! H:  … pair, key …
//!     pair = exch(…);  key = pair >> 32      key = pair >> 32 wherever a step begins
//! ```
//!
//! Both have a φ at the header. Where each value that comes into the one is made by the same instructions from the value that
//! comes into the other by the same edge, the one can be computed again from the other wherever a task is taken up. (The paper's
//! HASH is compressed so, from 16 to 12 bytes.)
//!
//! # Why it is the same value
//!
//! By whichever edge a step begins, the one holds what its instructions made of what the other one had then, and each of their inputs
//! has at the header the value that they read: a definition of an input dominates the instruction, which dominates the end of the
//! edge's block, so that no way from another run of the definition leads there past the instruction. What else the instructions read is
//! one value on all edges, or the same constant. No circle of such registers is possible: the instructions of one edge are
//! ordered.

use analysis::{Value, ValueKind};
use cranelift_entity::EntitySet;
use ptx_parser::{Inst, Operand, Reg};

use crate::context::derived_induction::Derived;
use crate::context::derived_induction::{LONGEST, copied};
use crate::facts::{Facts, rematerializable};

/// Returns how a φ follows from another one of its block, the first of some that it follows from.
pub(crate) fn alike(
    facts: &Facts<'_>,
    named: &EntitySet<Reg>,
    value: Value,
    others: impl IntoIterator<Item = Value>,
) -> Option<Derived> {
    let ValueKind::Phi(..) = facts.values.kind(value) else { return None };
    let block = facts.values.block(value);
    let made = facts.values.phi_inputs(value);
    others.into_iter().find_map(|other| {
        let of_this_block =
            matches!(facts.values.kind(other), ValueKind::Phi(..)) && facts.values.block(other) == block;
        if other == value || !of_this_block {
            return None;
        }
        let from = facts.values.phi_inputs(other);
        let edges: Vec<Edge> = made
            .iter()
            .map(|&(pred, made)| {
                let from = from.iter().find(|&&(other, _)| other == pred)?.1;
                Some(Edge { made, from: copied(facts, from) })
            })
            .collect::<Option<_>>()?;
        let mut comparison = Comparison { facts, named, edges: &edges, chain: Vec::new(), operations: 0 };
        let values: Vec<Value> = edges.iter().map(|edge| edge.made).collect();
        let follows = comparison.same(&values) && !comparison.chain.is_empty();
        let Comparison { chain, operations, .. } = comparison;
        let start = edges.first().filter(|_| follows)?.from;
        Some(Derived { from: other, start, chain, operations })
    })
}

/// The values of the two registers on an edge.
struct Edge {
    made: Value,
    from: Value,
}

/// Values of all edges, held against each other.
struct Comparison<'a> {
    facts: &'a Facts<'a>,
    named: &'a EntitySet<Reg>,
    edges: &'a [Edge],
    /// The instructions of the first edge, in order.
    chain: Vec<Inst>,
    operations: u64,
}

impl Comparison<'_> {
    /// Returns true if values, one per edge, are the same function of what comes into the other register.
    fn same(&mut self, values: &[Value]) -> bool {
        let facts = self.facts;
        let origin = |&value: &Value| copied(facts, value);
        if values.iter().zip(self.edges).all(|(value, edge)| origin(value) == edge.from) {
            return true;
        }
        let (Some(first), Some(edge)) = (values.first(), self.edges.first()) else { return false };
        // What the first edge's instructions read of the other register is read from its copy, whichever operand it is.
        if origin(first) == edge.from {
            return false;
        }
        if values.iter().all(|value| value == first) {
            return true;
        }
        let Some((first, insts, operations)) = self.instructions(values) else { return false };
        for (index, operand) in facts.kernel.operands(first).iter().enumerate().skip(1) {
            let inputs = insts.iter().map(|&inst| match facts.kernel.operands(inst).get(index)? {
                Operand::Reg(reg) => facts.values.at_use(inst, *reg),
                _ => None,
            });
            let inputs: Option<Vec<Value>> = inputs.collect();
            let same = match inputs {
                Some(inputs) => self.same(&inputs),
                None => {
                    is_constant(operand)
                        && insts.iter().all(|&inst| facts.kernel.operands(inst).get(index) == Some(operand))
                }
            };
            if !same {
                return false;
            }
        }
        if !self.chain.contains(&first) {
            self.chain.push(first);
            self.operations += operations;
        }
        self.chain.len() <= LONGEST
    }

    /// The instructions that make values, one per edge, if they are of one opcode and each has that one result; before them the first one, and
    /// behind them what one costs.
    fn instructions(&self, values: &[Value]) -> Option<(Inst, Vec<Inst>, u64)> {
        let kernel = self.facts.kernel;
        let made = values.iter().map(|&value| rematerializable::computed_by(self.facts, self.named, value).ok());
        let made: Vec<(Inst, u64)> = made.collect::<Option<_>>()?;
        let (first, operations) = *made.first()?;
        let alike = |inst: Inst| {
            let (one, other) = (kernel.operands(first), kernel.operands(inst));
            matches!(other.first(), Some(Operand::Reg(_)))
                && self.facts.values.defs(inst).len() == 1
                && one.len() == other.len()
                && kernel.opcode(inst).text() == kernel.opcode(first).text()
        };
        made.iter()
            .all(|&(inst, _)| alike(inst))
            .then(|| (first, made.iter().map(|&(inst, _)| inst).collect(), operations))
    }
}

/// Returns true if an operand is one value wherever it is read.
fn is_constant(operand: &Operand) -> bool {
    matches!(operand, Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_))
}
