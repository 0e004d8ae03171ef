//! The constructs of newer code beside its locks: checks that trap, parts of warps that come together, barriers that count threads, and
//! functions that call themselves. None of them depends on which lanes happen to be together.

use super::context::{Context, Held};
use super::kernel_builder::Kernel;
use crate::generate::emit::{Class, Reg};

/// A function that calls itself and touches no memory.
pub(super) const FUNCTIONS: &str = "
.func (.param .b32 found) descend(.param .b32 from)
{
	.reg .pred %p;
	.reg .b32 %r<5>;
	ld.param.u32 %r1, [from];
	mov.u32 %r3, 7;
	setp.eq.u32 %p, %r1, 0;
	@%p bra OUT;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 less;
	.param .b32 below;
	st.param.b32 [less], %r2;
	call (below), descend, (less);
	ld.param.b32 %r4, [below];
	}
	mad.lo.u32 %r3, %r4, 3, %r1;
OUT:
	st.param.b32 [found], %r3;
	ret;
}
";

impl Kernel<'_> {
    /// One of these, where it may stand.
    pub(super) fn newer(&mut self, place: &Context) {
        let together = place.uniform && place.held == Held::Nothing && !self.parted;
        match self.code.random.below(6) {
            0 | 1 => self.check(),
            2 => self.company(),
            3 => self.by_itself(),
            4 if together => self.parts(),
            5 if together => self.counted_barrier(),
            _ => self.descend(),
        }
    }

    /// A check that does not fail.
    fn check(&mut self) {
        self.kind("a check that traps");
        let (low, fails, passed) = (self.code.reg(Class::Word), self.code.reg(Class::Pred), self.code.label());
        let total = self.total;
        self.code.line(format!("and.b32 {low}, {total}, 15;"));
        self.code.line(format!("setp.gt.u32 {fails}, {low}, 15;"));
        if self.code.random.chance(30) {
            return self.code.line(format!("@{fails} trap;"));
        }
        self.code.line(format!("@!{fails} bra {passed};"));
        self.code.line("trap;");
        self.code.place(&passed);
    }

    /// A lane asks who is here, and only uses that it is.
    fn company(&mut self) {
        self.kind("activemask");
        let [here, own] = [(); 2].map(|()| self.code.reg(Class::Word));
        let total = self.total;
        self.code.line(format!("activemask.b32 {here};"));
        self.code.line(format!("mov.u32 {own}, %lanemask_eq;"));
        self.code.line(format!("and.b32 {here}, {here}, {own};"));
        self.code.line(format!("popc.b32 {here}, {here};"));
        self.code.line(format!("add.u32 {total}, {total}, {here};"));
    }

    /// An operation of a warp in which a lane names itself alone, or the lanes that it was told are here.
    fn by_itself(&mut self) {
        self.kind("a lane by itself");
        let (members, said) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        let total = self.total;
        let who = if self.code.random.chance(50) { "mov.u32" } else { "activemask.b32" };
        let operand = if who == "mov.u32" { ", %lanemask_eq" } else { "" };
        self.code.line(format!("{who} {members}{operand};"));
        self.code.line(format!("vote.sync.all.pred {said}, 1, {members};"));
        self.code.line(format!("@{said} add.u32 {total}, {total}, 13;"));
    }

    /// Halves, quarters or pairs of all warps come together.
    fn parts(&mut self) {
        self.kind("parts of a warp");
        let bits: u64 = *self.code.random.pick(&[16, 8, 2]);
        let [lane, first, members] = [(); 3].map(|()| self.code.reg(Class::Word));
        let (said, total) = (self.code.reg(Class::Pred), self.total);
        self.code.line(format!("mov.u32 {lane}, %laneid;"));
        self.code.line(format!("and.b32 {first}, {lane}, {};", 32 - bits));
        self.code.line(format!("mov.u32 {members}, {:#x};", (1 << bits) - 1));
        self.code.line(format!("shl.b32 {members}, {members}, {first};"));
        let guard = self.guard_of_a_part(&first, bits);
        match self.code.random.below(3) {
            0 => self.code.line(format!("{guard}bar.warp.sync {members};")),
            _ => {
                self.code.line(format!("setp.ne.u32 {said}, {lane}, {lane};"));
                self.code.line(format!("{guard}vote.sync.any.pred {said}, 1, {members};"));
                self.code.line(format!("@{said} xor.b32 {total}, {total}, 0x55;"));
            }
        }
    }

    /// A guard, or none, that holds for all lanes of some parts and for none of the others.
    fn guard_of_a_part(&mut self, first: &Reg, bits: u64) -> String {
        if self.code.random.chance(60) {
            return String::new();
        }
        self.kind("a guarded operation of a part");
        let (odd, comes) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.code.line(format!("and.b32 {odd}, {first}, {bits};"));
        self.code.line(format!("setp.ne.u32 {comes}, {odd}, 0;"));
        let not = if self.code.random.chance(50) { "!" } else { "" };
        format!("@{not}{comes} ")
    }

    /// A barrier of a number that says how many threads come: all of the block, in whole warps.
    fn counted_barrier(&mut self) {
        self.kind("a barrier that counts");
        let threads = self.block.next_multiple_of(32);
        let barrier = *self.code.random.pick(&["bar.sync", "barrier.sync", "barrier.sync.aligned"]);
        let guard = match self.code.random.chance(25) {
            true => {
                let (lane, all) = (self.code.reg(Class::Word), self.code.reg(Class::Pred));
                self.code.line(format!("mov.u32 {lane}, %laneid;"));
                self.code.line(format!("setp.le.u32 {all}, {lane}, 31;"));
                format!("@{all} ")
            }
            false => String::new(),
        };
        self.code.line(format!("{guard}{barrier} 1, {threads};"));
    }

    /// A call of the function that calls itself.
    fn descend(&mut self) {
        self.kind("recursion");
        let [from, found] = [(); 2].map(|()| self.code.reg(Class::Word));
        let total = self.total;
        self.code.line(format!("and.b32 {from}, {total}, 3;"));
        self.code.line("{");
        self.code.line(".param .b32 from;");
        self.code.line(".param .b32 found;");
        self.code.line(format!("st.param.b32 [from], {from};"));
        self.code.line("call (found), descend, (from);");
        self.code.line(format!("ld.param.b32 {found}, [found];"));
        self.code.line("}");
        self.code.line(format!("add.u32 {total}, {total}, {found};"));
    }
}
