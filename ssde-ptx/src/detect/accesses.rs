//! The places that each instruction reads and writes in memory that other threads can see.
//!
//! A load, a store or an atomic has one. An asynchronous copy reads one place and writes another, and raises the barrier that says when it is done:
//! somebody may wait for that as for any other write. What becomes of a surface or through a tensor map may be anywhere in global memory, since a surface or
//! a map may be laid over memory that pointers lead to. What is not listed here reads and writes everything.

use analysis::Analyses;
use ptx_parser::{Flow, Inst, Kernel, Memory, Mnemonic, Modifier, Operand, Space};
use smallvec::{SmallVec, smallvec};

use crate::detect::alias::{Location, addresses, place, place_at};
use crate::detect::module_context::{Context, Effect};

/// One place that an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) place: Location,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// The accesses of one instruction.
pub(crate) type Accesses = SmallVec<[Access; 2]>;

/// The bytes of a barrier in shared memory, of a tensor map, and of the answer to a request for a CTA.
const BARRIER: i64 = 8;
const TENSOR_MAP: i64 = 128;
const ANSWER: i64 = 16;

/// Returns the accesses of an instruction to memory that other threads can see; what is not known accesses everything, and so do calls of which
/// `context` does not know better.
pub(crate) fn accesses(facts: &Analyses, kernel: &Kernel, context: &Context, inst: Inst) -> Accesses {
    let properties = kernel.properties(inst);
    let visible = !matches!(properties.space, Some(Space::Local | Space::Param | Space::Const));
    let (reads, writes) = match properties.memory {
        _ if properties.flow == Flow::Call => {
            let heap = Access { place: Location::heap(), ..anything(None) };
            return match context.effect(kernel, inst) {
                Effect::Nothing => Accesses::new(),
                Effect::Reads => smallvec![Access { writes: false, ..anything(None) }],
                Effect::Heap => smallvec![heap],
                Effect::Anything => smallvec![anything(None), heap],
            };
        }
        Memory::Unknown => {
            let listed = Listed { facts, kernel, inst }.accesses();
            return listed.unwrap_or_else(|| smallvec![anything(None)]);
        }
        Memory::None | Memory::Fence => return Accesses::new(),
        // A non-coherent load promises that nobody writes there while the kernel runs.
        Memory::Read => (visible && !kernel.opcode(inst).is_noncoherent(), false),
        Memory::Write => (false, visible),
        Memory::Atomic => (visible, visible && !changes_nothing(kernel, inst)),
    };
    if !reads && !writes {
        return Accesses::new();
    }
    let place = match kernel.opcode(inst).mnemonic() {
        // An address of several memories at once is none of those that each of them has otherwise.
        Mnemonic::Suld | Mnemonic::Sust | Mnemonic::Sured | Mnemonic::Multimem => {
            Location::anywhere(Some(Space::Global))
        }
        _ => place(facts, kernel, inst),
    };
    if place.is_own() { Accesses::new() } else { smallvec![Access { place, reads, writes }] }
}

/// Returns true if an instruction reads what other threads can see.
pub(crate) fn reads(facts: &Analyses, kernel: &Kernel, context: &Context, inst: Inst) -> bool {
    accesses(facts, kernel, context, inst).iter().any(|access| access.reads)
}

/// Returns true for an atomic that leaves memory as it was: it adds 0, or sets or flips no bits.
pub(crate) fn changes_nothing(kernel: &Kernel, inst: Inst) -> bool {
    let (opcode, operands) = (kernel.opcode(inst), kernel.operands(inst));
    let integer = opcode.types().iter().all(|ty| !ty.is_float());
    let adds = opcode.has_any(&[Modifier::Add, Modifier::Or, Modifier::Xor]);
    let is_atomic = opcode.mnemonic() == Mnemonic::Atom && kernel.properties(inst).memory == Memory::Atomic;
    is_atomic && integer && adds && matches!(operands, [_, _, Operand::Int(0)])
}

/// Returns true if an instruction calls something that may do anything.
pub(crate) fn calls_anything(kernel: &Kernel, context: &Context, inst: Inst) -> bool {
    let writes = || matches!(context.effect(kernel, inst), Effect::Heap | Effect::Anything);
    kernel.properties(inst).flow == Flow::Call && writes()
}

fn anything(space: Option<Space>) -> Access {
    Access { place: Location::anywhere(space), reads: true, writes: true }
}

/// An instruction of which the table says only that it accesses memory.
struct Listed<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    inst: Inst,
}

impl Listed<'_> {
    /// Its accesses, if they are known.
    fn accesses(&self) -> Option<Accesses> {
        let opcode = self.kernel.opcode(self.inst);
        if !self.kernel.properties(self.inst).known {
            return None;
        }
        match opcode.mnemonic() {
            // They wait for copies of the own thread, or only bring data nearer.
            Mnemonic::Cp
                if opcode.has_any(&[
                    Modifier::CommitGroup,
                    Modifier::WaitGroup,
                    Modifier::WaitAll,
                    Modifier::Prefetch,
                ]) =>
            {
                Some(Accesses::new())
            }
            Mnemonic::Cp if opcode.has(Modifier::Mbarrier) => Some(smallvec![self.barrier(0)?]),
            Mnemonic::Cp => self.copy(opcode.modifiers()),
            Mnemonic::St if opcode.has(Modifier::Bulk) => {
                Some(smallvec![self.at(0, Some(Space::Shared), None, false, true)?])
            }
            Mnemonic::St | Mnemonic::Red => {
                let space = if opcode.has_any(&[Modifier::Mmio, Modifier::Gpu, Modifier::Sys]) {
                    Space::Global
                } else {
                    Space::Shared
                };
                let bytes = crate::detect::alias::bytes(self.kernel, self.inst);
                let mut all: Accesses =
                    smallvec![self.at(0, Some(space), Some(bytes), opcode.mnemonic() == Mnemonic::Red, true)?];
                all.extend(self.barrier(1));
                Some(all)
            }
            Mnemonic::Mbarrier if opcode.has(Modifier::PendingCount) => Some(Accesses::new()),
            Mnemonic::Mbarrier => {
                let looks = opcode.has_any(&[Modifier::TestWait, Modifier::TryWait]);
                Some(smallvec![Access { writes: !looks, ..self.barrier(0)? }])
            }
            Mnemonic::Tensormap if opcode.has(Modifier::Replace) => {
                Some(smallvec![self.at(0, None, Some(TENSOR_MAP), true, true)?])
            }
            Mnemonic::Tensormap => Some(smallvec![
                self.at(0, Some(Space::Global), Some(TENSOR_MAP), false, true)?,
                self.at(1, Some(Space::Shared), Some(TENSOR_MAP), true, false)?,
            ]),
            Mnemonic::Clusterlaunchcontrol if opcode.has(Modifier::QueryCancel) => Some(Accesses::new()),
            Mnemonic::Clusterlaunchcontrol => {
                Some(smallvec![self.at(0, Some(Space::Shared), Some(ANSWER), false, true)?, self.barrier(1)?])
            }
            _ => None,
        }
    }

    /// A copy, or a reduction of one memory into another: the spaces of both are named, the one that is written first.
    fn copy(&self, modifiers: &[Modifier]) -> Option<Accesses> {
        let mut spaces = modifiers.iter().filter_map(|modifier| modifier.space());
        let (to, from) = (spaces.next()?, spaces.next()?);
        let reduces = modifiers.contains(&Modifier::Reduce);
        // The last address is that of the barrier, if there is one.
        let complete = modifiers.contains(&Modifier::MbarrierCompleteTxBytes);
        let count = addresses(self.kernel, self.inst).count();
        let barrier = if complete { Some(self.barrier(count.checked_sub(1)?)?) } else { None };
        let global = |reads: bool, writes: bool| Access { reads, writes, ..anything(Some(Space::Global)) };
        let bytes = self.constant_size();
        let mut all = Accesses::new();
        if modifiers.contains(&Modifier::Tensor) {
            let shared = self.at(0, Some(Space::Shared), None, to == Space::Global, to == Space::Shared)?;
            all.push(shared);
            all.push(if to == Space::Global { global(reduces, true) } else { global(true, false) });
        } else {
            all.push(self.at(0, Some(to), bytes, reduces, true)?);
            all.push(self.at(1, Some(from), bytes, true, false)?);
        }
        all.extend(barrier);
        Some(all)
    }

    /// Returns how many bytes a copy has, if that is a constant.
    fn constant_size(&self) -> Option<i64> {
        match self.kernel.operands(self.inst).get(2) {
            Some(&Operand::Int(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// The barrier at an address of the instruction.
    fn barrier(&self, number: usize) -> Option<Access> {
        self.at(number, Some(Space::Shared), Some(BARRIER), true, true)
    }

    /// The access at an address of the instruction, counted through. Without `.shared`, what lies in shared memory has a generic address.
    fn at(&self, number: usize, space: Option<Space>, bytes: Option<i64>, reads: bool, writes: bool) -> Option<Access> {
        let at = addresses(self.kernel, self.inst).nth(number)?;
        let opcode = self.kernel.opcode(self.inst);
        let named = opcode.has_any(&[Modifier::Shared, Modifier::SharedCta, Modifier::SharedCluster, Modifier::Global]);
        let place = place_at(self.facts, self.kernel, self.inst, space.filter(|_| named), at, bytes);
        // What has to be in a space is there, whatever its address looks like.
        let place = match place.space() {
            _ if named => place,
            None => place.within(space),
            other if other == space || space.is_none() => place,
            _ => Location::anywhere(space),
        };
        Some(Access { place, reads, writes })
    }
}
