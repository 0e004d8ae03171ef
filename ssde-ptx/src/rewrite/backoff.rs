//! Lanes that stand by for some rounds before they go round a loop of a section again.
//!
//! The gates of a section pass lanes in one order. Where an iteration that lets nobody out writes to memory, that order may repeat for ever what another one
//! would end:
//!
//! ```text
//! lane 0:  while (exchange(x, 1) == 0);       lane 1:  while (exchange(x, 0) == 1);
//! ```
//!
//! In turns, each undoes what the other one waits for; twice in a row, either leaves. So on the edges by which such iterations go round ([`crate::rewrite::order_dependence`] says
//! of which others one order suffices) lanes draw how many rounds they stand by:
//!
//! ```text
//!     state = gate + gates
//!     turn += 1/256;  @turn < 7/8 bra SWITCH        most iterations go round at once
//!     draw;  @even bra SWITCH                       and half of the others
//!     draw;  @even bra A;  state += gates           no gate opens for such a number, from which
//!  A: draw;  @even bra B;  state += 2 × gates       the switch takes the number of gates off
//!  B: …                                             in each round
//! ```
//!
//! A lane draws by a generator that begins with its number, so that lanes in one loop are told apart as well. None stands by for more than
//! [`LONGEST`] rounds: each goes again and again, and what ends under every weakly fair scheduler ends. In the rounds in which
//! lanes draw, each order of few iterations comes sooner or later, so that what a random scheduler ends at the grain of iterations ends too.

use ptx_parser::{Code, Kernel, Label, Reg, Relation, SpecialName, Type};

/// The most rounds that lanes stand by; one less than a power of two.
pub(crate) const LONGEST: u32 = 15;

/// The share of a turn that an iteration is.
const ITERATION: u32 = 1 << 24;

/// The part of a turn in which nobody draws.
const AT_ONCE: u32 = 0xe000_0000;

/// The registers by which lanes draw.
pub(crate) struct Backoff {
    /// The position of a lane in a turn, which has 256 iterations.
    turn: Reg,
    /// The state of its generator.
    draw: Reg,
    even: Reg,
}

impl Backoff {
    pub(crate) fn of(kernel: &mut Kernel) -> Backoff {
        let [turn, draw] = ["ssde_turn", "ssde_draw"].map(|name| kernel.new_reg(name, Type::B32));
        Backoff { turn, draw, even: kernel.new_reg("ssde_even", Type::Pred) }
    }

    /// The code at the beginning of the kernel.
    pub(crate) fn beginning(&self) -> Code {
        let mut code = Code::new();
        code.ins().mov(Type::U32, self.turn, SpecialName::Laneid);
        code.ins().mov(Type::U32, self.draw, SpecialName::Laneid);
        code
    }

    /// The code of an edge that sets a number in a section with so many gates, and leads to a place.
    pub(crate) fn code(&self, kernel: &mut Kernel, state: Reg, (number, gates): (u32, u32), place: Label) -> Code {
        let Backoff { turn, draw, even } = *self;
        let draws = |to: Label, code: &mut Code| {
            // The highest bit of a linear congruential generator modulo 2^32 has the longest period.
            code.ins().mad_lo(Type::U32, draw, draw, 1_664_525, 1_013_904_223);
            code.ins().setp(Relation::GreaterOrEqual, Type::S32, even, draw, 0);
            code.when(even).bra(to);
        };
        let mut code = Code::new();
        code.ins().mov(Type::B32, state, number);
        code.ins().add(Type::U32, turn, turn, ITERATION);
        code.ins().setp(Relation::Less, Type::U32, even, turn, AT_ONCE);
        code.when(even).bra(place);
        draws(place, &mut code);
        let mut rounds = 1;
        while rounds <= LONGEST {
            let fewer = kernel.new_label("ssde_fewer");
            draws(fewer, &mut code);
            code.ins().add(Type::U32, state, state, rounds * gates);
            code.label(fewer);
            rounds *= 2;
        }
        code.ins().bra(place);
        code
    }
}
