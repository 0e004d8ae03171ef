//! Fences, releases, barriers and acquiring reads keep memory in order: which of them hold a path and the rest of its iteration in theirs.

use analysis::Access;
use ptx_parser::{Flow, Inst, Memory, Ordering, Space};

use super::{Conflict, Search, Why};
use crate::facts::accesses::visible;

impl Search<'_, '_> {
    /// Returns true if an instruction tells other threads that all before it is done.
    pub(super) fn publishes(&self, inst: Inst) -> Option<Why> {
        let properties = self.facts.kernel.properties(inst);
        let releases =
            matches!(properties.ordering, Ordering::Release | Ordering::AcquireRelease | Ordering::Sequential);
        if properties.convergent && (properties.waits_for.is_some() || properties.waits_for_named) {
            let shared = self.path.iter().any(|access| matches!(access.space, Some(Space::Shared) | None));
            return Some(if shared { Why::Published } else { Why::Barrier });
        }
        let tells = matches!(properties.memory, Memory::Fence) || (properties.memory != Memory::None && releases);
        tells.then_some(Why::Published)
    }

    /// Returns what must come behind the path because of a fence in it, or because it reads what another thread has told.
    pub(super) fn behind_fences(&self, rest: &[Access]) -> Vec<Conflict> {
        let kernel = self.facts.kernel;
        let insts = self.region.blocks.iter().flat_map(|&block| self.facts.cfg.insts(block).iter().copied());
        let fences: Vec<Inst> = insts.filter(|&inst| kernel.properties(inst).memory == Memory::Fence).collect();
        let acquires = |access: &&Access| {
            let ordering = kernel.properties(access.inst).ordering;
            let itself = matches!(ordering, Ordering::Acquire | Ordering::AcquireRelease | Ordering::Sequential);
            let told = !self.facts.is_weak(access.inst) && kernel.properties(access.inst).flow != Flow::Call;
            access.reads && (itself || (told && !fences.is_empty()))
        };
        let acquired = self.path.iter().find(acquires);
        let mut found = Vec::new();
        for access in rest {
            match (fences.first(), acquired) {
                (Some(&path), _) if access.writes => {
                    found.push(Conflict { path, rest: access.inst, why: Why::Published });
                }
                (_, Some(path)) if access.reads => {
                    found.push(Conflict { path: path.inst, rest: access.inst, why: Why::Acquired });
                }
                _ => {}
            }
        }
        found
    }

    /// Returns what may follow a fence and tell others: everything that writes.
    pub(super) fn told_behind(&self, fence: Inst) -> Vec<Inst> {
        let (facts, kernel) = (self.facts, self.facts.kernel);
        if kernel.properties(fence).memory != Memory::Fence {
            return Vec::new();
        }
        let Some(home) = facts.cfg.block_of(fence) else { return Vec::new() };
        let own = facts.cfg.insts(home).iter().copied().skip_while(move |&inst| inst != fence);
        let behind = facts.behind(self.region.marked_loop, home);
        let later = facts.cfg.blocks().filter(|&block| behind.contains(block));
        let later = later.flat_map(|block| facts.cfg.insts(block).iter().copied());
        let writes = |inst: &Inst| visible(kernel, &self.memory, *inst).is_some_and(|access| access.writes);
        own.chain(later).filter(writes).collect()
    }
}
