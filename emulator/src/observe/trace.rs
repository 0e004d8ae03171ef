//! One line per warp instruction, for teaching and debugging.
//!
//! `block 0 warp 1 ffffffff 12:add.s32 k.cu:7` says who issued what: the lanes in hexadecimal (those whose guard holds), the line of the PTX
//! with the opcode, and the line of the source where one is known. With values, what the registers of the first of those lanes held follows,
//! what it read before what it wrote: `%r1=2 %r2=3 -> %r3=5`. Of an instruction that nobody executes because of its guard the mask is 0.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::PoisonError;

use ptx_parser::Type;

use crate::api::trace::Trace;
use crate::exec::op::Ctx;
use crate::program::Program;
use crate::program::listing::{InstId, Named};
use crate::program::registers::{TAG64, untagged};

/// Writes the lines of a launch.
pub(crate) struct Tracer {
    out: Trace,
    line: String,
    failed: bool,
}

impl Tracer {
    pub(crate) fn new(out: Trace) -> Tracer {
        Tracer { out, line: String::new(), failed: false }
    }

    /// Begins the line of an instruction, with the values that it reads.
    pub(crate) fn before(&mut self, ctx: Option<&Ctx<'_>>, program: &Program, inst: InstId, at: (u64, u32), mask: u32) {
        let meta = &program.listing.insts[inst];
        let site = program.listing.site(meta);
        self.line.clear();
        let (block, warp) = at;
        // Writing to a string does not fail.
        let _ = write!(self.line, "block {block} warp {warp} {mask:08x} {}:{}", meta.ptx_line, meta.opcode);
        if let Some(file) = &site.file {
            let _ = write!(self.line, " {file}:{}", site.line);
        }
        self.values(ctx, program, inst, mask, false);
    }

    /// Ends the line, with the values that the instruction wrote.
    pub(crate) fn after(&mut self, ctx: Option<&Ctx<'_>>, program: &Program, inst: InstId, mask: u32) {
        self.values(ctx, program, inst, mask, true);
        self.line.push('\n');
        if !self.failed {
            let mut out = self.out.0.lock().unwrap_or_else(PoisonError::into_inner);
            self.failed = out.write_all(self.line.as_bytes()).is_err();
        }
    }

    fn values(&mut self, ctx: Option<&Ctx<'_>>, program: &Program, inst: InstId, mask: u32, written: bool) {
        let Some(ctx) = ctx.filter(|_| mask != 0) else { return };
        let lane = mask.trailing_zeros();
        let from = program.listing.named.partition_point(|named| named.inst < inst);
        let named = program.listing.named.iter().skip(from).take_while(|named| named.inst == inst);
        let mut first = true;
        for named in named.filter(|named| named.written == written) {
            let separator = match (written, first) {
                (true, true) => " -> ",
                (false, true) => "  ",
                _ => " ",
            };
            let _ = write!(self.line, "{separator}{}={}", named.name, shown(ctx, named, lane));
            first = false;
        }
    }

    /// The launch has ended.
    pub(crate) fn finish(&mut self) {
        let _ = self.out.0.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }
}

/// Returns what a register holds in a lane, by its type: floats as numbers, addresses and other wide bits in hexadecimal.
fn shown(ctx: &Ctx<'_>, named: &Named, lane: u32) -> String {
    let row = untagged(named.row) as usize;
    let bits = match named.row / TAG64 {
        0 => ctx.r32.get(row).and_then(|row| row.0.get(lane as usize)).map_or(0, |word| u64::from(*word)),
        1 => ctx.r64.get(row).and_then(|row| row.0.get(lane as usize)).map_or(0, |word| *word),
        _ => return u32::from(ctx.preds.get(row).is_some_and(|pred| pred >> lane & 1 != 0)).to_string(),
    };
    match named.ty {
        Type::F32 => f32::from_bits(bits as u32).to_string(),
        Type::F64 => f64::from_bits(bits).to_string(),
        Type::S64 => bits.cast_signed().to_string(),
        Type::S32 => (bits as u32).cast_signed().to_string(),
        ty if ty.bits() == 64 => format!("0x{bits:x}"),
        _ => bits.to_string(),
    }
}
