//! Locks that are taken and given back by functions, so that a loop's synchronisation crosses a call.

use super::body::Kernel;
use super::memory::Word;
use crate::generate::emit::{Class, Reg};

/// What a function does with a lock in global memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    /// Tries to take it, and returns 0 if it was free.
    Try,
    /// Takes it, however long that takes.
    Take,
    /// Gives it back.
    Give,
}

/// The functions. They return what they found in the lock.
pub(super) const FUNCTIONS: &str = "
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
";

impl Kernel<'_> {
    /// Whether a function is to be called for something that is done with a lock.
    pub(super) fn calls_for(&mut self, lock: &Word) -> bool {
        self.calls && !lock.shared && self.code.random.chance(50)
    }

    /// Calls a function with a lock in global memory.
    pub(super) fn call(&mut self, function: Function, lock: &Word, found: Reg) {
        let (name, kind) = match function {
            Function::Try => ("try_lock", "try by a call"),
            Function::Take => ("take_lock", "spin in a function"),
            Function::Give => ("give_lock", "release by a call"),
        };
        self.kind(kind);
        let address = self.code.reg(Class::Long);
        let (base, offset) = lock.parts();
        self.code.line(format!("add.s64 {address}, {base}, {offset};"));
        self.code.line("{");
        self.code.line(".param .b64 argument;");
        self.code.line(".param .b32 result;");
        self.code.line(format!("st.param.b64 [argument], {address};"));
        self.code.line(format!("call (result), {name}, (argument);"));
        self.code.line(format!("ld.param.b32 {found}, [result];"));
        self.code.line("}");
    }
}
