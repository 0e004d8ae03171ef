//! The reads at addresses that are made from a register: a loop follows the register to these places.

use analysis::{Block, Value, ValueKind};
use ptx_parser::{Base, Inst, Mnemonic, Relation};
use rustc_hash::{FxHashMap, FxHashSet};

use super::loop_facts::{LoopFacts, MOST_VALUES};
use crate::detect::alias::address;

/// Masks below this number leave flags: a lane stays where it is, or goes a few places on.
const MOST_FLAGS: i64 = 8;

/// Registers and values of which it was asked whether they are made from them, or is being asked, which is taken to be no.
type PathCondition = FxHashMap<(Value, Value), bool>;

impl LoopFacts<'_> {
    /// Returns true if the address of a read is made of a register, whatever is chosen on the way. Where it is chosen between that and another value, a lane may
    /// stay where it is.
    pub(super) fn leads_on(&self, phi: Value, read: Inst) -> bool {
        self.read_at(read).is_some_and(|at| self.is_made_from(phi, at, &mut FxHashMap::default()))
    }

    /// The same of a value.
    fn is_made_from(&self, phi: Value, value: Value, known: &mut PathCondition) -> bool {
        if value == phi {
            return true;
        }
        if let Some(&known) = known.get(&(phi, value)) {
            return known;
        }
        if known.len() > MOST_VALUES || !self.contains(self.facts.values.block(value)) {
            return false;
        }
        known.insert((phi, value), false);
        let is_made = self.is_made_from_it(phi, value, known);
        known.insert((phi, value), is_made);
        is_made
    }

    fn is_made_from_it(&self, phi: Value, value: Value, known: &mut PathCondition) -> bool {
        if let Some(read) = self.read(value) {
            return self.before(read).into_iter().any(|input| self.is_made_from(phi, input, known));
        }
        if self.goes_with(phi, value, known) {
            return true;
        }
        if let ValueKind::Phi(..) = self.facts.values.kind(value) {
            return self.becomes_made_from(phi, value, known);
        }
        let made = self.facts.values.made_by(self.kernel, value);
        if made.is_some_and(|made| self.is_flag(made)) {
            return false;
        }
        let chooses =
            |inst| matches!(self.kernel.opcode(inst).mnemonic(), Mnemonic::Selp | Mnemonic::Min | Mnemonic::Max);
        let chooses = made.is_some_and(chooses);
        let mut data = self.data(value).into_iter();
        match chooses {
            true => {
                let mut is_link = |input| {
                    self.is_made_from(phi, input, known)
                        || self.is_followed_beside(phi, input)
                        || self.is_rest(phi, value, input)
                };
                data.len() == 2 && data.all(&mut is_link)
            }
            false => data.any(|input| self.is_made_from(phi, input, known)),
        }
    }

    /// Returns true if a register, in each round of the loop of another one, becomes something that is made from that one. A way on which it stays what it was is against it. The register of an inner loop may
    /// be made from itself there.
    fn becomes_made_from(&self, phi: Value, value: Value, known: &mut PathCondition) -> bool {
        let values = &self.facts.values;
        let block = values.block(value);
        let goes_round = |from: Block| self.facts.dominators.dominates(block, from);
        let (is_beside, is_inner) = (block == values.block(phi), self.is_header(block));
        let is_inside = |from: Block| self.contains(from) && (!is_beside || goes_round(from));
        let mut inside = values.phi_inputs(value).iter().filter(|&&(from, _)| is_inside(from)).peekable();
        inside.peek().is_some()
            && inside.all(|&(from, input)| {
                let input = self.origin(input);
                self.is_made_from(phi, input, known)
                    || self.is_found_to_be(input, (from, block), |is| self.is_made_from(phi, is, known))
                    || is_inner && !is_beside && goes_round(from) && self.is_made_from(value, input, known)
            })
    }

    /// Returns whether a value is a constant, and a comparison on the way to an edge says that some value of a kind is that constant.
    fn is_found_to_be(&self, value: Value, edge: (Block, Block), mut is_such: impl FnMut(Value) -> bool) -> bool {
        let Some(number) = self.facts.values.copied_to(self.kernel, value) else { return false };
        self.known_behind(edge.0, edge.1).into_iter().any(|(made, holds)| {
            let (Some(comparison), &[_, one, other]) =
                (self.kernel.properties(made).comparison, self.kernel.operands(made))
            else {
                return false;
            };
            let is_equal = comparison.relation_if(holds) == Relation::Equal;
            let is_number = self.facts.values.constant(self.kernel, made, &other) == Some(number);
            is_equal && is_number && self.facts.values.of_operand(made, &one).is_some_and(&mut is_such)
        })
    }

    /// Returns true if a register of the same header becomes in each round what is read where it leads to itself, or where the first one leads.
    pub(super) fn is_followed_beside(&self, phi: Value, value: Value) -> bool {
        let values = &self.facts.values;
        let other = self.origin(value);
        if !matches!(values.kind(other), ValueKind::Phi(..)) || values.block(phi) != values.block(other) {
            return false;
        }
        let mut inside = values.phi_inputs(other).iter().filter(|&&(from, _)| self.contains(from));
        inside.all(|&(_, input)| {
            let read = self.read(self.origin(input));
            read.is_some_and(|read| [phi, other].into_iter().any(|link| self.leads_from(link, read)))
        })
    }

    /// Returns true if a value is the greater of a register and another one of its header, or the lesser, and the other one becomes in each round the one of the two that this is not: `a = M[max(a, b)]; b = min(a, b)`.
    fn is_rest(&self, phi: Value, chosen: Value, other: Value) -> bool {
        match self.chosen_of_two(phi, chosen, other) {
            Some(Mnemonic::Max) => self.becomes_of_two(phi, other) == Some(Mnemonic::Min),
            Some(Mnemonic::Min) => self.becomes_of_two(phi, other) == Some(Mnemonic::Max),
            _ => false,
        }
    }

    /// Returns true if a value is the lesser of a register and another one of its header, or the greater, and that is what the other one becomes in each round.
    pub(super) fn is_left(&self, phi: Value, chosen: Value) -> bool {
        let of = self.data(chosen).into_iter().map(|input| self.origin(input));
        let mut others = of.filter(|&input| input != phi);
        others.next().is_some_and(|other| {
            let chosen = self.chosen_of_two(phi, chosen, other);
            chosen.is_some() && self.becomes_of_two(phi, other) == chosen
        })
    }

    /// Returns which of a register and another one of its header a value is: the greater or the lesser.
    fn chosen_of_two(&self, phi: Value, value: Value, other: Value) -> Option<Mnemonic> {
        let made = self.facts.values.made_by(self.kernel, self.origin(value))?;
        let of: Vec<Value> = self.data(self.origin(value)).into_iter().map(|input| self.origin(input)).collect();
        let other = self.origin(other);
        let family = self.kernel.opcode(made).mnemonic();
        let is_of_both = of.len() == 2 && other != phi && of.contains(&phi) && of.contains(&other);
        (is_of_both && matches!(family, Mnemonic::Min | Mnemonic::Max)).then_some(family)
    }

    /// Returns which of a register and another one of its header that one becomes in each round: the greater or the lesser.
    fn becomes_of_two(&self, phi: Value, other: Value) -> Option<Mnemonic> {
        let values = &self.facts.values;
        let other = self.origin(other);
        if !matches!(values.kind(other), ValueKind::Phi(..)) || values.block(phi) != values.block(other) {
            return None;
        }
        let inside = values.phi_inputs(other).iter().filter(|&&(from, _)| self.contains(from));
        let mut all = inside.map(|&(_, input)| self.chosen_of_two(phi, input, other));
        let first = all.next()??;
        all.all(|next| next == Some(first)).then_some(first)
    }

    /// Returns true if a register is made in each round from what another one becomes there, as an address from an index.
    fn goes_with(&self, phi: Value, value: Value, known: &PathCondition) -> bool {
        let values = &self.facts.values;
        let is_phi = |value: Value| matches!(values.kind(value), ValueKind::Phi(..));
        if !is_phi(phi) || !is_phi(value) || values.block(phi) != values.block(value) {
            return false;
        }
        let mut pairs = values.phi_inputs(phi).iter().zip(values.phi_inputs(value));
        pairs.all(|(&(from, becomes), &(_, input))| {
            let becomes = self.origin(becomes);
            // What was asked on the way here is not what makes the one from the other.
            let mut known = known.keys().map(|&(_, asked)| ((becomes, asked), false)).collect();
            !self.contains(from) || self.is_made_from(becomes, self.origin(input), &mut known)
        })
    }

    /// Returns true if an instruction leaves so few bits of a number that they are flags, and no link.
    fn is_flag(&self, inst: Inst) -> bool {
        let operands = self.kernel.operands(inst).iter().skip(1);
        let masks = operands.filter_map(|operand| self.facts.values.constant(self.kernel, inst, operand));
        self.kernel.opcode(inst).mnemonic() == Mnemonic::And
            && masks.into_iter().any(|mask| (0..MOST_FLAGS).contains(&mask))
    }

    /// Returns what a read depends on: its address, and what swaps of the loop have put there.
    fn before(&self, read: Inst) -> Vec<Value> {
        let written = self.swaps().filter(|&(swap, _)| swap != read && self.is_same_address(swap, read));
        self.read_at(read).into_iter().chain(written.map(|(_, new)| self.origin(new))).collect()
    }

    /// The register that a read has its address in.
    pub(super) fn read_at(&self, read: Inst) -> Option<Value> {
        match address(self.kernel, read)?.0 {
            Base::Reg(reg) => self.facts.values.at_use(read, reg),
            _ => None,
        }
    }

    /// Returns true if the address of a read is made of a register, by way of other reads too.
    pub(super) fn leads_from(&self, phi: Value, read: Inst) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), Vec::from_iter(self.read_at(read)));
        while let Some(value) = work.pop() {
            if value == phi || self.origin(value) == phi {
                return true;
            }
            if seen.len() > MOST_VALUES || !self.contains(self.facts.values.block(value)) {
                continue;
            }
            let more = match self.read(value) {
                Some(read) => self.before(read),
                None => self.facts.values.inputs(self.kernel, value).to_vec(),
            };
            work.extend(more.into_iter().filter(|&input| seen.insert(input)));
        }
        false
    }
}
