//! Values that are computed from others, in registers that are written again: what the compression of contexts has to see through.

use super::body::{Body, Known};
use super::emit::{Class, Reg};

impl Body<'_> {
    /// Adds up to five values that are made from the others, and changes some that there are.
    pub(super) fn derive(&mut self, known: &Known, values: &mut Vec<Reg>) {
        for _ in 0..self.code.random.below(6) {
            let value = *self.code.random.pick(values);
            let word = self.code.fold(value);
            let code = &mut self.code;
            match code.random.below(8) {
                // A chain of computations.
                0 | 1 => {
                    let class = *code.random.pick(Class::ALL);
                    let next = code.value(class, word);
                    values.push(next);
                }
                // What two wider values are computed from is written again.
                2 => {
                    let source = self.load(known, word);
                    let code = &mut self.code;
                    let wider = [Class::Long, *code.random.pick(&[Class::Long, Class::Double])];
                    values.extend(wider.map(|class| code.value(class, source)));
                    code.line(format!("mov.u32 {source}, {};", known.index));
                    if code.random.chance(50) {
                        values.push(source);
                    }
                }
                // A register is read and written.
                3 => {
                    let changed = code.reg(Class::Word);
                    code.line(format!("mov.u32 {changed}, {};", known.thread));
                    code.word_into(changed, changed, word);
                    code.word_into(changed, word, changed);
                    values.push(changed);
                }
                // The same under a guard.
                4 => {
                    let (test, changed) = (code.value(Class::Pred, word), code.reg(Class::Word));
                    code.line(format!("mov.u32 {changed}, {word};"));
                    code.line(format!("@{test} add.s32 {changed}, {changed}, {};", known.salt));
                    values.push(changed);
                }
                // Two results.
                5 => {
                    let (below, above) = (code.reg(Class::Pred), code.reg(Class::Pred));
                    code.line(format!("setp.lt.s32 {below}|{above}, {word}, {};", known.salt));
                    values.push(above);
                    if code.random.chance(50) {
                        values.push(below);
                    }
                }
                // A special register, the same for the block or not.
                6 => {
                    let special =
                        *code.random.pick(&["%tid.x", "%laneid", "%ctaid.x", "%ntid.x", "%nctaid.x", "%tid", "%ctaid"]);
                    let read = code.reg(Class::Word);
                    match special {
                        "%tid" | "%ctaid" => code.line(format!("mov.v4.u32 {{{read}, _, _, _}}, {special};")),
                        _ => code.line(format!("mov.u32 {read}, {special};")),
                    }
                    code.word_into(read, read, word);
                    values.push(read);
                }
                // A parameter, read again in the loop.
                _ => {
                    let read = code.reg(Class::Word);
                    code.line(format!("ld.param.u32 {read}, [k_salt];"));
                    code.word_into(read, word, read);
                    values.push(read);
                }
            }
        }
    }
}
