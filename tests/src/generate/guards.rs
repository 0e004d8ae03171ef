//! Pairs of instructions with complementary guards that write a register together, and loops that never end, in marked paths.

use super::Random;
use super::body::Body;
use super::emit::{Class, Reg};

/// The choice of these for paths, drawn apart from everything else.
pub(super) struct Guards {
    random: Random,
    /// The kernel has loops that never end, else pairs.
    endless: bool,
}

impl Guards {
    pub(super) fn new(seed: u64, endless: bool) -> Guards {
        Guards { random: Random::new(seed), endless }
    }
}

impl Body<'_> {
    /// Puts some of them into a path, and mixes what they compute into a word.
    pub(super) fn guards(&mut self, mix: Reg) {
        let Some(mut guards) = self.guards.take() else { return };
        for _ in 0..guards.random.below(3) {
            match guards.endless {
                true => self.endless(&mut guards.random, mix),
                false => self.pair(&mut guards.random, mix),
            }
        }
        self.guards = Some(guards);
    }

    /// A register that two instructions write, each in some lanes.
    fn pair(&mut self, random: &mut Random, mix: Reg) {
        let code = &mut self.code;
        let (bits, test, other, to) =
            (code.reg(Class::Word), code.reg(Class::Pred), code.reg(Class::Pred), code.reg(Class::Word));
        code.line(format!("shr.u32 {bits}, {mix}, {};", random.below(20)));
        code.line(format!("and.b32 {bits}, {bits}, 7;"));
        code.line(format!("setp.lt.u32 {test}, {bits}, {};", random.below(9)));
        let guard = match random.below(3) {
            0 => {
                code.line(format!("not.pred {other}, {test};"));
                other.to_string()
            }
            _ => format!("!{test}"),
        };
        let (first, second) = if random.chance(50) { (test.to_string(), guard) } else { (guard, test.to_string()) };
        code.line(format!("@{first} mad.lo.s32 {to}, {mix}, {}, 5;", random.below(99)));
        if random.chance(40) {
            code.line(format!("@{first} xor.b32 {to}, {to}, {mix};"));
        }
        if random.chance(30) {
            code.line(format!("@{first} add.s32 {mix}, {mix}, {to};"));
        }
        code.line(format!("@{second} add.s32 {to}, {mix}, {};", random.below(99)));
        code.line(format!("xor.b32 {mix}, {mix}, {to};"));
    }

    /// A branch that no lane takes, to a loop of one block or two.
    fn endless(&mut self, random: &mut Random, mix: Reg) {
        let code = &mut self.code;
        let (bits, test) = (code.reg(Class::Word), code.reg(Class::Pred));
        let [head, turn, around] = std::array::from_fn(|_| code.label());
        code.line(format!("and.b32 {bits}, {mix}, 255;"));
        code.line(format!("setp.ne.s32 {test}, {bits}, 1000;"));
        code.line(format!("@{test} bra {around};"));
        code.place(&head);
        if random.chance(40) {
            code.line(format!("add.s32 {bits}, {bits}, 1;"));
            code.line(format!("setp.gt.s32 {test}, {bits}, 7;"));
            code.line(format!("@{test} bra {head};"));
            code.place(&turn);
            code.line(format!("xor.b32 {bits}, {bits}, 3;"));
        }
        code.line(format!("bra {head};"));
        code.place(&around);
    }
}
