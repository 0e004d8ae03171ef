//! A register that a loop carries beside another one, mostly the same function of it wherever a step begins.

use super::body::{Body, Known};
use super::emit::{Class, Reg};

/// The register, what it is made from, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twin {
    pub(super) reg: Reg,
    source: Reg,
    /// The second source, which some shapes use. It is mostly the same in every step.
    other: Reg,
    shape: u32,
    number: u32,
}

impl Body<'_> {
    /// A twin of one of the words that steps carry, in kernels that have any.
    pub(super) fn twin(&mut self, known: &Known, [mix, count]: [Reg; 2]) -> Option<Twin> {
        if !self.twins || self.code.random.chance(25) {
            return None;
        }
        let code = &mut self.code;
        let (source, rest) = if code.random.chance(85) { (mix, count) } else { (count, mix) };
        // The last one changes from step to step, so that the register follows from neither word alone.
        let other = *code.random.pick(&[known.salt, known.thread, known.index, known.carried, rest]);
        let twin = Twin {
            reg: code.reg(Class::Word),
            source,
            other,
            shape: code.random.below(5),
            number: 1 + code.random.below(30),
        };
        self.make(twin);
        Some(twin)
    }

    /// Makes it anew; now and then not at all, or as something else.
    pub(super) fn remake(&mut self, twin: Twin) {
        match self.code.random.below(10) {
            0 => {}
            1 => self.make(Twin { number: twin.number + 1, ..twin }),
            2 => self.make(Twin { shape: (twin.shape + 1) % 5, ..twin }),
            _ => self.make(twin),
        }
    }

    fn make(&mut self, Twin { reg, source, other, shape, number }: Twin) {
        let code = &mut self.code;
        let between = code.reg(Class::Word);
        match shape {
            0 => code.line(format!("shr.u32 {reg}, {source}, {};", number % 4)),
            1 => code.line(format!("mad.lo.s32 {reg}, {source}, {number}, {other};")),
            2 => {
                code.line(format!("xor.b32 {between}, {other}, {source};"));
                code.line(format!("mul.lo.s32 {reg}, {between}, {number};"));
            }
            3 => {
                code.line(format!("sub.s32 {between}, {number}, {source};"));
                code.line(format!("add.s32 {reg}, {between}, {source};"));
                code.line(format!("xor.b32 {reg}, {reg}, {source};"));
            }
            _ => {
                code.line(format!("mov.u32 {between}, {source};"));
                code.line(format!("shf.l.wrap.b32 {reg}, {between}, {between}, {};", number % 32));
            }
        }
    }
}
