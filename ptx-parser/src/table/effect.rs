//! The effect of a family of instructions, before its modifiers are considered.

use super::properties::{Class, Flow, Memory};

/// The rule by which the throughput class follows from the opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rate {
    /// It is this one.
    Fixed(Class),
    /// That of float arithmetic of the type, or this one for integers, which takes twice as long for 64 bits.
    Arithmetic(Class),
    /// Integer or float multiplication.
    Multiply,
    /// A division: as long as the words that it takes.
    Division,
    /// In hardware if `.approx`, else a sequence.
    Approximate,
    /// A comparison: that of doubles has its own class.
    Compare,
    /// This class, twice for 64 bits.
    Words(Class),
    /// A conversion, by its two types.
    Convert,
}

/// The effect of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub(super) memory: Memory,
    pub(super) volatile: bool,
    pub(super) convergent: bool,
    pub(super) same_in_warp: bool,
    pub(super) flow: Flow,
    pub(super) side_effect: bool,
    pub(super) varying: bool,
    pub(super) rate: Rate,
    /// True if the space among the modifiers is that of an access.
    pub(super) accesses: bool,
}

impl Effect {
    /// Registers in, registers out.
    pub(super) const COMPUTE: Effect = Effect {
        memory: Memory::None,
        volatile: false,
        convergent: false,
        same_in_warp: false,
        flow: Flow::Next,
        side_effect: false,
        varying: false,
        rate: Rate::Fixed(Class::Other),
        accesses: false,
    };
    /// A load.
    pub(super) const LOAD: Effect = Effect::COMPUTE.access(Memory::Read);
    /// A store.
    pub(super) const STORE: Effect = Effect::COMPUTE.access(Memory::Write);
    /// An atomic without a result.
    pub(super) const REDUCE: Effect = Effect { volatile: true, ..Effect::COMPUTE.access(Memory::Atomic) };
    /// An atomic.
    pub(super) const ATOMIC: Effect = Effect { varying: true, ..Effect::REDUCE };
    /// It orders accesses.
    pub(super) const FENCE: Effect =
        Effect { memory: Memory::Fence, rate: Rate::Fixed(Class::Barrier), ..Effect::COMPUTE };
    /// A barrier, which also orders memory.
    pub(super) const BARRIER: Effect = Effect { convergent: true, ..Effect::FENCE };
    /// Lanes act together; no memory.
    pub(super) const TOGETHER: Effect =
        Effect { convergent: true, varying: true, rate: Rate::Fixed(Class::Vote), ..Effect::COMPUTE };
    /// It acts on caches, time or asynchronous groups.
    pub(super) const ACTION: Effect = Effect { side_effect: true, varying: true, ..Effect::COMPUTE };
    /// An asynchronous copy or another effect that is not described further: the worst, but for its operands.
    pub(super) const ANYTHING: Effect =
        Effect { memory: Memory::Unknown, volatile: true, convergent: true, ..Effect::ACTION };

    /// It accesses memory in the space that its modifiers name.
    const fn access(self, memory: Memory) -> Effect {
        Effect { memory, rate: Rate::Fixed(Class::Memory), accesses: true, ..self }
    }

    /// The same with another throughput.
    pub(super) const fn rate(self, rate: Rate) -> Effect {
        Effect { rate, ..self }
    }

    /// Lanes do it together.
    pub(super) const fn together(self) -> Effect {
        Effect { convergent: true, varying: true, ..self }
    }

    /// Every lane of the mask gets the same.
    pub(super) const fn same_in_warp(self) -> Effect {
        Effect { same_in_warp: true, ..self }
    }

    /// Control goes elsewhere.
    pub(super) const fn control(flow: Flow) -> Effect {
        let call = matches!(flow, Flow::Call);
        let memory = if call { Memory::Unknown } else { Memory::None };
        let side_effect = call || matches!(flow, Flow::Trap);
        Effect { flow, memory, side_effect, rate: Rate::Fixed(Class::Control), ..Effect::COMPUTE }
    }
}
