//! A value that one thread passes on from others to others, for as long as it is told to.
//!
//! Half of the threads of the first block raise a counter, and the other half wait until a copy of it is as high. The first thread of the second block makes that copy
//! again and again. Its last thread waits for the copy too, and then tells it to stop: it does, because who raises the counter waits for nothing, so that the
//! counter, then the copy, and then the word that says so get their last values. What the copying loop tests is not what it copies. Where one of the two has returned
//! early, nothing is written.

use super::context::{Context, Held};
use super::kernel_builder::Kernel;
use super::spin::Attempt;
use crate::generate::emit::Class;

impl Kernel<'_> {
    /// Writes it, at the end of a kernel of two blocks.
    pub(super) fn relay(&mut self, place: &Context) {
        let (block, last) = (self.block, self.threads - 1);
        if ![block, last].iter().all(|thread| place.who[0].contains(thread)) {
            return;
        }
        self.kind("value passed on by another thread");
        let first = self.words(false, 3);
        let place = Context { held: Held::Nothing, uniform: false, depth: place.depth + 1, ..place.clone() };
        let [counter, copy, stop] = [0, 1, 2].map(|number| self.known_word(first + number));
        let raised = self.table(&place, |_, _, who, _| {
            [who.iter().filter(|&&other| other < block && other % 2 == 1).count() as u32, 0, 0, 0]
        })[0];
        let [is_second, passes_on, ends, is_odd, goes_on] = [(); 5].map(|()| self.code.reg(Class::Pred));
        let [low, value, word] = [(); 3].map(|()| self.code.reg(Class::Word));
        let [second, wait, again, stopping, done] = [(); 5].map(|()| self.code.label());
        self.code.line(format!("setp.ge.u32 {is_second}, {}, {block};", self.thread));
        self.code.line(format!("@{is_second} bra {second};"));
        self.code.line(format!("and.b32 {low}, {}, 1;", self.thread));
        self.code.line(format!("setp.eq.u32 {is_odd}, {low}, 1;"));
        let waits_first = self.code.random.chance(50);
        self.code.line(format!("@{}{is_odd} bra {wait};", if waits_first { "" } else { "!" }));
        for waits in [waits_first, !waits_first] {
            if waits != waits_first {
                self.code.place(&wait);
            }
            if waits {
                self.until(&Attempt::Reach(copy.clone(), raised), &place);
            } else {
                self.raise(&counter, false);
            }
            self.code.line(format!("bra {done};"));
        }
        self.code.place(&second);
        self.code.line(format!("setp.eq.u32 {passes_on}, {}, {block};", self.thread));
        self.code.line(format!("setp.eq.u32 {ends}, {}, {last};", self.thread));
        self.code.line(format!("@{ends} bra {stopping};"));
        self.code.line(format!("@!{passes_on} bra {done};"));
        self.code.place(&again);
        self.code.line(format!("ld.volatile.global.u32 {value}, [{}];", counter.address()));
        self.code.line(format!("st.volatile.global.u32 [{}], {value};", copy.address()));
        self.code.line(format!("ld.volatile.global.u32 {word}, [{}];", stop.address()));
        self.code.line(format!("setp.eq.u32 {goes_on}, {word}, 0;"));
        self.code.line(format!("@{goes_on} bra {again};"));
        self.code.line(format!("bra {done};"));
        self.code.place(&stopping);
        self.until(&Attempt::Reach(copy, raised), &place);
        self.raise(&stop, false);
        self.code.place(&done);
    }
}
