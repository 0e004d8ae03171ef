//! The last step of decoding: drafts become blocks, jumps are shortened, and what needs the whole graph is computed.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, iter_entity_range};
use ptx_parser::Kernel;
use rustc_hash::FxHashSet;

use super::Decoder;
use crate::api::error::Error;
use crate::program::code::{Block, BlockId, Blocks, Code, End, NO_BLOCK, SwitchId, Switches};
use crate::program::listing::Listing;
use crate::program::registers::Registers;
use crate::program::storage::{Param, StackInUse, Storage};
use crate::program::{Program, graph};

/// More than any chip has; the launch checks against the chip's own size.
const MAX_SHARED_BYTES: u64 = 1 << 20;
/// The local memory of a thread (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
const MAX_LOCAL_BYTES: u64 = 512 << 10;

impl Decoder<'_> {
    /// The program.
    pub(super) fn finish(mut self, kernel: &Kernel, params: Vec<Param>, param_bytes: u64) -> Result<Program, Error> {
        let mut accesses = PrimaryMap::with_capacity(self.drafts.list.len());
        let mut blocks = Blocks::with_capacity(self.drafts.list.len());
        for (_, draft) in std::mem::take(&mut self.drafts.list) {
            accesses.push(draft.accesses);
            let end = draft.end.unwrap_or(End::Exit);
            blocks.push(Block { ops: draft.ops, insts: draft.insts, weight: draft.weight, end });
        }
        self.place_clocks(&blocks);
        let landings = self.frames.rows.map(|rows| rows.landings);
        thread_jumps(&mut blocks, &mut self.drafts.switches, landings, &mut self.drafts.labels);
        let meeting = graph::meeting_points(&blocks, &self.drafts.switches);
        for (block, &point) in blocks.values_mut().zip(meeting.values()) {
            if let End::Branch { meet, .. } | End::Switch { meet, .. } = &mut block.end {
                *meet = point;
            }
        }
        let meets = graph::may_meet(&blocks, &self.drafts.switches);
        let numbers = self.rows.counts.iter().copied().max().unwrap_or(0) as usize * 3;
        let zero = graph::read_before_written(&blocks, &self.drafts.switches, &accesses, numbers);
        let [rows32, rows64, preds] = self.rows.counts;
        let zeroed = |file: u32, count: u32, constant: FxHashSet<u32>| -> Vec<u32> {
            let rows = zero.iter().filter(|&&n| n % 3 == file).map(|&n| n / 3);
            rows.filter(|row| *row < count && !constant.contains(row)).collect()
        };
        let zero32 = zeroed(0, rows32, self.constants.words.iter().map(|(row, _)| *row).collect());
        let mut zero64 = zeroed(1, rows64, self.constants.wide.iter().map(|(row, _)| *row).collect());
        let zero_preds = zeroed(2, preds, self.constants.preds.iter().map(|(row, _)| *row).collect());
        // The stack is empty when a block begins.
        zero64.extend(self.frames.rows.iter().flat_map(|rows| [rows.sp, rows.fp]));
        let functions = self.frames.taken.clone();
        let functions = functions.into_iter().filter_map(|name| Some((name.into(), self.function_address(name)?)));
        let functions = functions.collect();
        let files = (0..1024).filter_map(|i| self.module.file(i).map(|name| (i, Arc::from(name)))).collect();
        for (bytes, limit, what) in [
            (self.variables.shared_bytes, MAX_SHARED_BYTES, "shared memory per block"),
            (self.variables.local_bytes, MAX_LOCAL_BYTES, "local memory per thread"),
        ] {
            if bytes > limit {
                return Err(Error::Shape {
                    what: format!("the kernel declares {bytes} bytes of {what}; at most {limit}"),
                });
            }
        }
        let (reach, bytes) = (self.frames.reach, self.frames.stack_bytes);
        let stack = self.frames.rows.map(|rows| StackInUse { end: rows.sp, reach, bytes });
        let dataflow = self.drafts.dataflow.finish(&blocks, &self.drafts.switches);
        Ok(Program {
            name: kernel.name().into(),
            code: Code { blocks, switches: self.drafts.switches, meets, labels: self.drafts.labels },
            ops: self.drafts.ops,
            listing: Listing { insts: self.drafts.insts, files, named: self.names.named.unwrap_or_default() },
            tables: self.tables,
            registers: Registers {
                rows32,
                rows64,
                preds,
                consts32: self.constants.words,
                consts64: self.constants.wide,
                const_preds: self.constants.preds,
                zero32,
                zero64,
                zero_preds,
            },
            storage: Storage {
                params,
                param_bytes,
                shared_bytes: self.variables.shared_bytes as u32,
                shared: self.variables.shared,
                reserved_shared: self.reserved_shared,
                local_bytes: self.variables.local_bytes as u32,
                stack_bytes: self.frames.stack_bytes,
                stack,
                globals: self.variables.globals,
                functions,
            },
            dataflow,
            slots: self.drafts.repeated.most,
            cooperates: self.cooperates,
            max_threads: kernel.max_threads(),
        })
    }

    /// Tells what reads a clock how far it is from the end of its block, up to where a warp's instructions are counted.
    fn place_clocks(&mut self, blocks: &Blocks) {
        for block in blocks.values() {
            let first = self.drafts.clocks.partition_point(|id| *id < block.insts.start);
            for &id in self.drafts.clocks.iter().skip(first).take_while(|id| **id < block.insts.end) {
                let ops = &mut self.drafts.ops;
                if let Some(op) = iter_entity_range(block.ops.clone()).find(|&op| ops[op].id == id) {
                    ops[op].e = block.insts.end.as_u32() - id.as_u32();
                }
            }
        }
    }
}

/// Lets jumps to blocks that only jump go where those go. `landings` is the table of where calls come back to.
fn thread_jumps(
    blocks: &mut Blocks,
    switches: &mut Switches,
    landings: Option<SwitchId>,
    labels: &mut [(Box<str>, BlockId)],
) {
    let empty_to: PrimaryMap<BlockId, Option<BlockId>> = blocks
        .values()
        .map(|block| match block.end {
            End::Jump(next) if block.insts.is_empty() && block.ops.is_empty() => Some(next),
            _ => None,
        })
        .collect();
    let resolve = |target: &mut BlockId| {
        // Bounded, because empty blocks may jump in a circle.
        for _ in 0..64 {
            match empty_to.get(*target) {
                Some(Some(next)) => *target = *next,
                _ => break,
            }
        }
    };
    for block in blocks.values_mut() {
        match &mut block.end {
            End::Jump(next) | End::ExitIf { next, .. } | End::Barrier { next, .. } | End::Sync { next, .. } => {
                resolve(next)
            }
            End::Branch { taken, next, meet, .. } => {
                *meet = NO_BLOCK;
                resolve(taken);
                resolve(next);
            }
            // A landing is where lanes meet: it must stay apart from what it leads to.
            End::Call { after, .. } => resolve(after),
            End::Switch { .. } | End::Return { .. } | End::Exit | End::Trap => {}
        }
    }
    labels.iter_mut().for_each(|(_, block)| resolve(block));
    let jumps = switches.iter_mut().filter(|(id, _)| Some(*id) != landings);
    jumps.flat_map(|(_, table)| table.iter_mut()).for_each(resolve);
}
