//! Calls of functions that no module defines: `vprintf`, `__assertfail`, `malloc`, `free` (CUDA C++ Programming Guide, "Formatted
//! Output", "Assertion", "Dynamic Global Memory Allocation").
//!
//! Lanes take their turn in lane order. The arguments of a `printf` lie in a buffer, one behind the other, each at a multiple of its size.

use super::access::{Generic, Space};
use super::lanes::lanes;
use super::op::{Ctx, Execute, Op};
use super::payload::{Form, choices};
use super::scalar::{get, set};
use super::{frame, printf};
use crate::api::outcome::FaultKind;
use crate::memory::heap::BadFree;

choices! {
    /// A function that no module defines.
    SystemFunction { Print, AssertFail, Allocate, Free }
}

impl SystemFunction {
    /// Returns the function of a name, and the number of its parameters.
    pub(crate) fn named(name: &str) -> Option<(SystemFunction, usize)> {
        Some(match name {
            "vprintf" => (SystemFunction::Print, 2),
            "__assertfail" => (SystemFunction::AssertFail, 5),
            "malloc" => (SystemFunction::Allocate, 1),
            "free" => (SystemFunction::Free, 1),
            _ => return None,
        })
    }
}

/// The longest text of a device that is read.
const MAX_TEXT: usize = 64 << 10;

/// A call: triples (row, offset, length) of result and arguments in the operand list from `op.a` on, `op.e` of them, as `frame.rs` describes
/// them; the result comes first, and its length is 0 if nobody wants it.
pub(crate) struct SystemCall;

impl Form for SystemCall {
    type Payload = SystemFunction;
}

impl Execute for SystemCall {
    #[inline(always)]
    fn execute(ctx: &mut Ctx<'_>, op: &Op) -> bool {
        for lane in lanes(ctx.mask) {
            if !call(ctx, op, lane) {
                return false;
            }
        }
        true
    }
}

#[inline(never)]
fn call(ctx: &mut Ctx<'_>, op: &Op, lane: usize) -> bool {
    let mut arguments = [0u64; 5];
    for (index, slot) in (1..op.e).zip(&mut arguments) {
        *slot = read_operand(ctx, op.a + 3 * index, lane);
    }
    let result = match SystemCall::payload(op) {
        SystemFunction::Print => print(ctx, op, lane, arguments[0], arguments[1]),
        SystemFunction::AssertFail => return assertion(ctx, op, lane, arguments),
        SystemFunction::Allocate => {
            ctx.wrote = true;
            ctx.system.allocate(arguments[0], op.id)
        }
        SystemFunction::Free => return arguments[0] == 0 || give_back(ctx, op, lane, arguments[0]),
    };
    write_operand(ctx, op.a, lane, result);
    true
}

fn read_operand(ctx: &mut Ctx<'_>, at: u32, lane: usize) -> u64 {
    let &[row, offset, length] = &ctx.tables.lists[at as usize..at as usize + 3] else { return 0 };
    let base = get(ctx, row, lane);
    if length & frame::REGISTER != 0 {
        return base;
    }
    frame::read(ctx, lane, base + u64::from(offset), length as usize)
}

fn write_operand(ctx: &mut Ctx<'_>, at: u32, lane: usize, value: u64) {
    let &[row, offset, length] = &ctx.tables.lists[at as usize..at as usize + 3] else { return };
    if length & frame::REGISTER != 0 {
        set(ctx, row, lane, value);
    } else {
        let base = get(ctx, row, lane);
        frame::write(ctx, lane, base + u64::from(offset), length as usize, value);
    }
}

/// Bytes at a generic address; nothing where there are none.
fn bytes_at(ctx: &mut Ctx<'_>, op: &Op, lane: usize, address: u64) -> Option<u8> {
    let host = Generic::resolve(ctx, op, address, 1, lane)?;
    // SAFETY: `resolve` promised a byte there.
    Some(unsafe { <u8 as crate::memory::raw_access::Word>::peek(host, ctx.solo) })
}

/// A text that ends with a zero byte.
fn text_at(ctx: &mut Ctx<'_>, op: &Op, lane: usize, address: u64) -> Vec<u8> {
    let bytes = (0..MAX_TEXT as u64).map_while(|offset| bytes_at(ctx, op, lane, address.wrapping_add(offset)));
    bytes.take_while(|byte| *byte != 0).collect()
}

fn print(ctx: &mut Ctx<'_>, op: &Op, lane: usize, format: u64, buffer: u64) -> u64 {
    // A null format is an error by the guide.
    if format == 0 {
        return u64::MAX;
    }
    let format = text_at(ctx, op, lane, format);
    let mut at = buffer;
    let shared = std::cell::RefCell::new(ctx);
    let (text, count) = printf::format(
        &format,
        &mut |bytes| {
            at = at.wrapping_add(bytes as u64 - 1) & !(bytes as u64 - 1);
            let ctx = &mut **shared.borrow_mut();
            let value = (0..bytes as u64).fold(0, |value, i| {
                value | u64::from(bytes_at(ctx, op, lane, at.wrapping_add(i)).unwrap_or(0)) << (8 * i)
            });
            at = at.wrapping_add(bytes as u64);
            value
        },
        &mut |address| match address {
            0 => b"(null)".to_vec(),
            address => text_at(&mut shared.borrow_mut(), op, lane, address),
        },
    );
    // In the device's buffer a record is a head and eight bytes for the format and each argument.
    let bytes = 16 + 8 * (1 + count as usize);
    shared.into_inner().system.print(bytes, String::from_utf8_lossy(&text).into_owned());
    count.into()
}

fn assertion(ctx: &mut Ctx<'_>, op: &Op, lane: usize, [message, file, line, function, _]: [u64; 5]) -> bool {
    let [message, file, function] = [message, file, function].map(|address| {
        let text = text_at(ctx, op, lane, address);
        String::from_utf8_lossy(&text).into_owned()
    });
    ctx.system.fail(format!("{file}:{}: {function}: assertion `{message}` failed", line as u32));
    ctx.stop(op, FaultKind::Assertion, 0, 0, lane)
}

fn give_back(ctx: &mut Ctx<'_>, op: &Op, lane: usize, address: u64) -> bool {
    ctx.wrote = true;
    let kind = match ctx.system.free(address, op.id) {
        Ok(()) => return true,
        Err(BadFree::Again) => FaultKind::DoubleFree,
        Err(BadFree::Unknown) => FaultKind::BadFree,
    };
    ctx.stop(op, kind, address, 0, lane)
}
