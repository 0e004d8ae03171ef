//! Locks that are taken and given back by functions, so that a loop's synchronisation crosses a call; some by way of a function that is given the
//! address of the one to call.

use super::kernel_builder::Kernel;
use super::memory::Word;
use crate::generate::emit::{Class, Reg};

/// The task of a function that handles a lock in global memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    /// Tries to take it, and returns 0 if it was free.
    Try,
    /// Takes it, however long that takes.
    Take,
    /// Gives it back.
    Give,
}

/// A kernel that takes a lock by these functions too, and is rewritten first.
pub(super) const BESIDE: &str = "
.visible .entry beside(.param .u64 sync)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\t.param .b64 lock;
\t.param .b32 found;
\tld.param.u64 %rd0, [sync];
\tst.param.b64 [lock], %rd0;
\tcall (found), take_lock, (lock);
\tld.param.b32 %r0, [found];
\tcall (found), give_lock, (lock);
\tld.param.b32 %r0, [found];
\tret;
}
";

/// The functions. They return what they found in the lock.
const FUNCTIONS: &str = "
.func (.param .b32 found) try_lock(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\tld.param.u64 %rd0, [lock];
\tatom.global.cas.b32 %r0, [%rd0], 0, 1;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) take_lock(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\t.reg .pred %p<2>;
\tld.param.u64 %rd0, [lock];
$AGAIN:
\tatom.global.cas.b32 %r0, [%rd0], 0, 1;
\tsetp.ne.u32 %p0, %r0, 0;
\t@%p0 bra $AGAIN;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) give_lock(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\tld.param.u64 %rd0, [lock];
\tmembar.gl;
\tatom.global.exch.b32 %r0, [%rd0], 0;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) try_lock_by_exchange(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\tld.param.u64 %rd0, [lock];
\tatom.global.exch.b32 %r0, [%rd0], 1;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) take_lock_by_exchange(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\t.reg .pred %p<2>;
\tld.param.u64 %rd0, [lock];
$AGAIN:
\tld.volatile.global.u32 %r0, [%rd0];
\tsetp.ne.u32 %p0, %r0, 0;
\t@%p0 bra $AGAIN;
\tatom.global.exch.b32 %r0, [%rd0], 1;
\tsetp.ne.u32 %p0, %r0, 0;
\t@%p0 bra $AGAIN;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) give_lock_by_store(.param .b64 lock)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\tld.param.u64 %rd0, [lock];
\tmembar.gl;
\tld.volatile.global.u32 %r0, [%rd0];
\tst.volatile.global.u32 [%rd0], 0;
\tst.param.b32 [found], %r0;
\tret;
}

.func (.param .b32 found) apply(.param .b64 lock, .param .b64 function)
{
\t.reg .b64 %rd<2>;
\t.reg .b32 %r<2>;
\tld.param.u64 %rd0, [lock];
\tld.param.u64 %rd1, [function];
\t{
\t.param .b64 argument;
\t.param .b32 result;
\tst.param.b64 [argument], %rd0;
$FORM: .callprototype (.param .b32 _) _ (.param .b64 _);
\tcall (result), %rd1, (argument), $FORM;
\tld.param.b32 %r0, [result];
\t}
\tst.param.b32 [found], %r0;
\tret;
}
";

/// Functions that do the same as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    name: &'static str,
    count: u32,
}

/// The functions, and the copies of one of them.
pub(super) fn functions(copies: Option<Copies>) -> String {
    let Some(Copies { name, count }) = copies else { return FUNCTIONS.to_owned() };
    let is_meant = |text: &&str| text.contains(&format!(" {name}(.param"));
    let text = FUNCTIONS.split_inclusive("\n}\n").find(is_meant).unwrap_or_default();
    let copy = |number: u32| text.replacen(&format!(" {name}("), &format!(" {name}_{number}("), 1);
    (0..count).map(copy).fold(FUNCTIONS.to_owned(), |all, copy| all + &copy)
}

impl Kernel<'_> {
    /// Returns true if a function is to be called for something that is done with a lock.
    pub(super) fn calls_for(&mut self, lock: &Word) -> bool {
        self.calls && !lock.shared && self.code.random.chance(50)
    }

    /// Calls a function with a lock in global memory.
    pub(super) fn call(&mut self, function: Function, lock: &Word, found: Reg) {
        let (name, alike, kind) = match function {
            Function::Try => ("try_lock", "try_lock_by_exchange", "try by a call"),
            Function::Take => ("take_lock", "take_lock_by_exchange", "spin in a function"),
            Function::Give => ("give_lock", "give_lock_by_store", "release by a call"),
        };
        self.kind(kind);
        let address = self.code.reg(Class::Long);
        let (base, offset) = lock.parts();
        self.code.line(format!("add.s64 {address}, {base}, {offset};"));
        self.code.line("{");
        self.code.line(".param .b64 argument;");
        self.code.line(".param .b32 result;");
        self.code.line(format!("st.param.b64 [argument], {address};"));
        if self.code.random.chance(50) {
            self.kind("call by an address");
            let function = self.code.reg(Class::Long);
            self.code.line(format!("mov.u64 {function}, {name};"));
            if self.code.random.chance(40) {
                self.one_of_two(function, alike);
            } else if self.copies.is_none() && self.code.random.chance(60) {
                self.one_of_many(function, name);
            }
            self.code.line(".param .b64 function;");
            self.code.line(format!("st.param.b64 [function], {function};"));
            self.code.line("call (result), apply, (argument, function);");
        } else {
            self.code.line(format!("call (result), {name}, (argument);"));
        }
        self.code.line(format!("ld.param.b32 {found}, [result];"));
        self.code.line("}");
    }

    /// Has lanes call functions that do the same as the one whose address is in a register.
    fn one_of_many(&mut self, function: Reg, name: &'static str) {
        self.kind("call by one of many addresses");
        let count = 8 + self.code.random.below(8);
        let (other, lane, chosen) =
            (self.code.reg(Class::Long), self.code.reg(Class::Word), self.code.reg(Class::Pred));
        self.code.line(format!("mov.u32 {lane}, %laneid;"));
        self.code.line(format!("and.b32 {lane}, {lane}, 15;"));
        for number in 0..count {
            self.code.line(format!("mov.u64 {other}, {name}_{number};"));
            self.code.line(format!("setp.eq.u32 {chosen}, {lane}, {number};"));
            self.code.line(format!("selp.b64 {function}, {other}, {function}, {chosen};"));
        }
        self.copies = Some(Copies { name, count });
    }

    /// Has some lanes call another function than the one whose address is in a register.
    fn one_of_two(&mut self, function: Reg, alike: &str) {
        self.kind("call by one of two addresses");
        let (other, lane, chosen) =
            (self.code.reg(Class::Long), self.code.reg(Class::Word), self.code.reg(Class::Pred));
        let bit = *self.code.random.pick(&[1, 2, 16]);
        self.code.line(format!("mov.u64 {other}, {alike};"));
        self.code.line(format!("mov.u32 {lane}, %laneid;"));
        self.code.line(format!("and.b32 {lane}, {lane}, {bit};"));
        self.code.line(format!("setp.ne.u32 {chosen}, {lane}, 0;"));
        self.code.line(format!("selp.b64 {function}, {other}, {function}, {chosen};"));
    }
}
