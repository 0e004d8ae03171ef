//! Barrier objects in shared memory (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
//!
//! A word of 64 bits: the bytes still expected (bits 0 to 20), arrivals still expected in this phase (21 to 40), arrivals expected in a phase
//! (41 to 60), the phase's parity (63). A phase is over when neither arrivals nor bytes are expected any more. The state that
//! `arrive` returns is the word as it was; `test_wait` asks whether its phase is over, and `try_wait`, which may
//! wait for a while, waits no longer than that.

use std::marker::PhantomData;

use super::access::{Space, lane_access};
use super::address_pattern::addresses;
use super::lanes::lanes;
use super::op::{Ctx, Execute, NONE, Op};
use super::payload::{Payload, choices, payloads};
use super::scalar::{get, scalar, set};
use crate::memory::raw_access::Word;

const TX_BITS: u32 = 21;
const COUNT_BITS: u32 = 20;
const PENDING: u32 = TX_BITS;
const EXPECTED: u32 = TX_BITS + COUNT_BITS;
const PHASE: u32 = 63;

choices! {
    /// An operation of a barrier object.
    Action { Init, Invalidate, Arrive, ExpectBytes, CompleteBytes, TestState, TestParity }
}

payloads! {
    /// An instruction on a barrier object. It is packed into `op.e`, because the immediate is the offset of the address.
    MbarrierForm {
        action: Action,
        /// The thread that arrives is not expected again (`arrive_drop`).
        drops: bool,
        /// The operand counts bytes that are expected before one arrival (`arrive.expect_tx`).
        expects_bytes: bool,
    }
}

/// The fields of a barrier object.
#[derive(Clone, Copy)]
struct State {
    bytes: i64,
    pending: u64,
    expected: u64,
    phase: u64,
}

impl State {
    fn of(word: u64) -> State {
        let count = |at: u32| word >> at & ((1 << COUNT_BITS) - 1);
        let bytes = (word << (64 - TX_BITS)).cast_signed() >> (64 - TX_BITS);
        State { bytes, pending: count(PENDING), expected: count(EXPECTED), phase: word >> PHASE }
    }

    fn word(self) -> u64 {
        let count = |value: u64, at: u32| (value & ((1 << COUNT_BITS) - 1)) << at;
        self.bytes.cast_unsigned() & ((1 << TX_BITS) - 1)
            | count(self.pending, PENDING)
            | count(self.expected, EXPECTED)
            | self.phase << PHASE
    }

    /// The next phase begins when nothing is expected in this one.
    fn settle(mut self) -> State {
        if self.pending == 0 && self.bytes == 0 {
            self.phase ^= 1;
            self.pending = self.expected;
        }
        self
    }

    fn arrive(mut self, count: u64, drops: bool) -> State {
        self.pending = self.pending.saturating_sub(count);
        if drops {
            self.expected = self.expected.saturating_sub(count);
        }
        self.settle()
    }
}

/// Lets bytes that a copy has moved count as come.
pub(crate) fn complete_bytes(word: u64, bytes: u64) -> u64 {
    let mut state = State::of(word);
    state.bytes -= bytes.cast_signed();
    state.settle().word()
}

fn update(word: u64, form: MbarrierForm, operand: u64) -> u64 {
    let mut state = State::of(word);
    match form.action {
        Action::Init => State { bytes: 0, pending: operand, expected: operand, phase: 0 }.word(),
        Action::Arrive if form.expects_bytes => {
            state.bytes += operand.cast_signed();
            state.arrive(1, form.drops).word()
        }
        Action::Arrive => state.arrive(operand, form.drops).word(),
        Action::ExpectBytes => {
            state.bytes += operand.cast_signed();
            state.word()
        }
        Action::CompleteBytes => complete_bytes(word, operand),
        Action::Invalidate | Action::TestState | Action::TestParity => word,
    }
}

/// `mbarrier`: `a` the tagged address row, `b` the operand (a count, a state, a parity; tagged), `d` the result, `e` the [`MbarrierForm`].
pub(crate) struct Mbarrier<S>(PhantomData<S>);

impl<S: Space> Execute for Mbarrier<S> {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        let form = MbarrierForm::unpack(op.e.into());
        let addresses = addresses(ctx, op);
        for lane in lanes(ctx.mask) {
            let Some(host) = lane_access::<S>(ctx, op, addresses[lane], 8, lane) else { return false };
            let operand = if op.b == NONE { 1 } else { get(ctx, op.b, lane) };
            let mut new = 0;
            // SAFETY: `lane_access` promised eight aligned bytes. Only this block's host thread works on its shared memory.
            let old = unsafe {
                u64::modify(host, true, |old| {
                    new = update(old, form, operand);
                    new
                })
            };
            ctx.wrote |= old != new;
            let result = match form.action {
                Action::TestState => u64::from(old >> PHASE != operand >> PHASE),
                Action::TestParity => u64::from(old >> PHASE != operand & 1),
                _ => old,
            };
            set(ctx, op.d, lane, result);
        }
        true
    }
}

scalar! {
    /// `mbarrier.pending_count`: the arrivals that a state still expected.
    PendingCount: () = |[state, _, _], ()| State::of(state).pending;
}
