//! Forms of registers over a row of lanes: consecutive threads that differ in `%tid.x` alone.
//!
//! A register has the form of a row if the value of lane `l` is that of the first lane plus a fixed stride times `l`, modulo 2 to the power of its width. Such a register is
//! one scalar for all lanes, from which each lane computes its own value; with stride 0 it is the same for all. All other registers vary: they have a value for each lane.
//!
//! ```text
//! mad.lo.s32  %r1, %ctaid.x, %ntid.x, %tid.x;     stride 1
//! setp.ge.s32 %p1, %r1, %r2;                      varies
//! mul.wide.s32 %rd5, %r1, 4;                      stride 4, if %r1 does not wrap around within the row: a check
//! ```
//!
//! A register has one form in the whole kernel, which all of its definitions must have. The forms are a greatest fixpoint. What a branch does on which lanes may part
//! is in no form behind it: a register that is written between the branch and where its ways join, and is live there, varies.

use analysis::{Analyses, Block};
use cranelift_entity::SecondaryMap;
use ptx_parser::{
    Base, Component, Flow, Inst, Kernel, Linear, Memory, Mnemonic, Modifier, Operand, Reg, Space, SpecialName,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cuts::{CutKind, Cuts, is_barrier, is_collective};

/// The largest stride, so that 32 of them do not come near the range of 32 bits.
const LARGEST: i64 = 1 << 20;

/// The form of a register so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Form {
    /// No definition has been looked at.
    #[default]
    Unknown,
    /// A row with a stride.
    Row(i64),
    Varies,
}

impl Form {
    fn join(self, other: Form) -> Form {
        match (self, other) {
            (Form::Unknown, form) | (form, Form::Unknown) => form,
            (Form::Row(one), Form::Row(other)) if one == other => self,
            _ => Form::Varies,
        }
    }

    /// The form of a linear function of this one.
    fn map(self, stride: impl FnOnce(i64) -> Option<i64>) -> Form {
        match self {
            Form::Row(one) => match stride(one).filter(|stride| stride.abs() <= LARGEST) {
                Some(stride) => Form::Row(stride),
                None => Form::Varies,
            },
            other => other,
        }
    }
}

/// An extension of an index that has the form of a row only if the index does not wrap around within the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Check {
    /// The index.
    pub(crate) reg: Reg,
    /// Its stride.
    pub(crate) stride: i64,
    /// True if it is extended with its sign.
    pub(crate) signed: bool,
}

/// The facts about instructions that forms depend on.
pub(crate) struct Facts<'f> {
    pub(crate) cuts: &'f Cuts,
    /// Returns true for an instruction whose text mentions what each lane has for itself.
    pub(crate) is_lane_specific: &'f dyn Fn(Inst) -> bool,
    /// Returns true if all lanes of a row come to an instruction together, so that they may part there.
    pub(crate) may_part: &'f dyn Fn(Inst) -> bool,
    /// True if each row of lanes is a warp.
    pub(crate) rows_are_warps: bool,
}

/// The forms of all registers of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forms {
    forms: SecondaryMap<Reg, Form>,
    checks: FxHashMap<Inst, Check>,
}

impl Forms {
    /// Computes the forms.
    pub(crate) fn of(kernel: &Kernel, analyses: &Analyses, facts: &Facts<'_>) -> Forms {
        let mut forms = Forms::default();
        for reg in kernel.regs().filter(|&reg| kernel.reg(reg).lanes > 1 || kernel.reg(reg).ty.bits() > 64) {
            forms.forms[reg] = Form::Varies;
        }
        let insts: Vec<Inst> = analyses.cfg.insts_in_order().collect();
        loop {
            let mut changed = false;
            for &inst in &insts {
                let defs = kernel.defs(inst);
                if defs.is_empty() {
                    continue;
                }
                let (mut form, _) = forms.result(kernel, facts, inst);
                if let Some(guard) = kernel.inst(inst).guard {
                    form = match forms.forms[guard.reg] {
                        Form::Row(0) => form,
                        Form::Unknown => Form::Unknown,
                        _ => Form::Varies,
                    };
                }
                // All results of an instruction are scalars, or none is.
                if defs.iter().any(|&reg| forms.forms[reg] == Form::Varies) {
                    form = Form::Varies;
                }
                for reg in defs {
                    changed |= forms.lower(reg, form);
                }
            }
            changed |= forms.part(kernel, analyses, facts);
            if !changed {
                break;
            }
        }
        for &inst in &insts {
            if let (_, Some(check)) = forms.result(kernel, facts, inst)
                && kernel.defs(inst).iter().all(|&reg| forms.stride(reg).is_some())
            {
                forms.checks.insert(inst, check);
            }
        }
        forms
    }

    /// The stride of a register that has the form of a row; `None` if it varies. A register that nothing writes is the same for all lanes.
    pub(crate) fn stride(&self, reg: Reg) -> Option<i64> {
        match self.forms[reg] {
            Form::Row(stride) => Some(stride),
            Form::Unknown => Some(0),
            Form::Varies => None,
        }
    }

    /// Returns true if a register is the same for all lanes of a row.
    pub(crate) fn is_uniform(&self, reg: Reg) -> bool {
        self.stride(reg) == Some(0)
    }

    /// The check without which the result of an instruction has no form.
    pub(crate) fn check(&self, inst: Inst) -> Option<Check> {
        self.checks.get(&inst).copied()
    }

    /// The instructions that have one, in their order.
    pub(crate) fn checked(&self) -> Vec<Inst> {
        let mut insts: Vec<Inst> = self.checks.keys().copied().collect();
        insts.sort_unstable();
        insts
    }

    /// Returns true for an instruction that is executed once for all lanes: its results have forms.
    pub(crate) fn is_scalar(&self, kernel: &Kernel, inst: Inst) -> bool {
        let defs = kernel.defs(inst);
        kernel.properties(inst).flow == Flow::Next
            && !defs.is_empty()
            && defs.iter().all(|&reg| self.stride(reg).is_some())
    }

    fn lower(&mut self, reg: Reg, form: Form) -> bool {
        let joined = self.forms[reg].join(form);
        let changed = joined != self.forms[reg];
        self.forms[reg] = joined;
        changed
    }

    /// Lets those registers vary that are written where lanes may have parted, and are live where they meet again.
    fn part(&mut self, kernel: &Kernel, analyses: &Analyses, facts: &Facts<'_>) -> bool {
        let cfg = &analyses.cfg;
        let mut changed = false;
        for &block in cfg.reverse_postorder() {
            if !self.parts(kernel, cfg.terminator(block)) {
                continue;
            }
            let join = analyses.postdominators.ipdom(block);
            let mut region: FxHashSet<Block> = FxHashSet::default();
            let mut work: Vec<Block> = cfg.distinct_succs(block).to_vec();
            while let Some(next) = work.pop() {
                if Some(next) != join && region.insert(next) {
                    work.extend(cfg.distinct_succs(next));
                }
            }
            let mut meeting: FxHashSet<Reg> =
                join.iter().flat_map(|&join| analyses.liveness.live_in(join)).copied().collect();
            for cut in facts.cuts.cuts.values() {
                if matches!(cut.kind, CutKind::Barrier(_)) && region.contains(&cut.block) {
                    meeting.extend(cut.live.iter().copied());
                }
            }
            for &inst in region.iter().flat_map(|&block| cfg.insts(block)) {
                for reg in kernel.defs(inst).into_iter().filter(|reg| meeting.contains(reg)) {
                    changed |= self.lower(reg, Form::Varies);
                }
            }
        }
        changed
    }

    /// Returns true for the end of a block at which lanes of a row may part.
    fn parts(&self, kernel: &Kernel, inst: Option<Inst>) -> bool {
        let Some(inst) = inst else { return false };
        let flow = kernel.properties(inst).flow;
        matches!(flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit | Flow::Trap)
            && kernel.uses(inst).iter().any(|&reg| !matches!(self.forms[reg], Form::Row(0) | Form::Unknown))
    }

    /// The form of the results of an instruction, and on which condition they have it.
    fn result(&self, kernel: &Kernel, facts: &Facts<'_>, inst: Inst) -> (Form, Option<Check>) {
        let properties = kernel.properties(inst);
        if properties.flow != Flow::Next
            || is_collective(kernel, inst)
            || is_barrier(kernel, inst)
            || properties.varying
            || properties.volatile
            || !matches!(properties.memory, Memory::None | Memory::Read)
            || (facts.is_lane_specific)(inst)
        {
            return (Form::Varies, None);
        }
        match self.all_uniform(kernel, facts, inst) {
            Some(true) if properties.memory == Memory::Read => match properties.space {
                Some(Space::Local) => (Form::Varies, None),
                _ => (Form::Row(0), None),
            },
            Some(true) => (Form::Row(0), None),
            None => (Form::Unknown, None),
            Some(false) => self.linear(kernel, facts, inst).unwrap_or((Form::Varies, None)),
        }
    }

    /// Returns true if all that an instruction reads is the same for all lanes; `None` if that is not known yet.
    fn all_uniform(&self, kernel: &Kernel, facts: &Facts<'_>, inst: Inst) -> Option<bool> {
        let mut known = true;
        let guard = kernel.inst(inst).guard;
        let defs = kernel.defs(inst);
        for reg in kernel.uses(inst) {
            // A guarded instruction is said to read what it writes.
            if guard.is_some()
                && defs.contains(&reg)
                && !kernel.operands(inst).iter().skip(1).any(|operand| mentions(operand, reg))
            {
                continue;
            }
            match self.forms[reg] {
                Form::Row(0) => {}
                Form::Unknown => known = false,
                _ => return Some(false),
            }
        }
        let is_special = |operand: &Operand| {
            matches!(operand, Operand::Special(_)) && self.operand(kernel, facts, operand, None) != Form::Row(0)
        };
        let nested = |operand: &Operand| operand.list().is_some_and(|list| kernel.list(list).iter().any(is_special));
        if kernel.operands(inst).iter().any(|operand| is_special(operand) || nested(operand)) {
            return Some(false);
        }
        known.then_some(true)
    }

    /// The form of an operand; with a width, only if it has that.
    fn operand(&self, kernel: &Kernel, facts: &Facts<'_>, operand: &Operand, bits: Option<u32>) -> Form {
        match *operand {
            Operand::Reg(reg) if bits.is_none_or(|bits| kernel.reg(reg).ty.bits() == bits) => self.forms[reg],
            Operand::Int(_) | Operand::Symbol(..) => Form::Row(0),
            Operand::Address(Base::Symbol(_), _) => Form::Row(0),
            Operand::Special(special) => match special.name {
                SpecialName::Tid if special.component == Some(Component::X) => Form::Row(1),
                SpecialName::Laneid if facts.rows_are_warps => Form::Row(1),
                SpecialName::Warpid if facts.rows_are_warps => Form::Row(0),
                SpecialName::Laneid
                | SpecialName::Warpid
                | SpecialName::LanemaskEq
                | SpecialName::LanemaskLe
                | SpecialName::LanemaskLt
                | SpecialName::LanemaskGe
                | SpecialName::LanemaskGt
                | SpecialName::Clock
                | SpecialName::ClockHi
                | SpecialName::Clock64
                | SpecialName::Globaltimer
                | SpecialName::GlobaltimerLo
                | SpecialName::GlobaltimerHi => Form::Varies,
                _ => Form::Row(0),
            },
            _ => Form::Varies,
        }
    }

    /// The form of a linear function, with its check.
    fn linear(&self, kernel: &Kernel, facts: &Facts<'_>, inst: Inst) -> Option<(Form, Option<Check>)> {
        let opcode = kernel.opcode(inst);
        let linear = opcode.properties().linear?;
        let types = opcode.types();
        let declared = match kernel.operands(inst).first()? {
            Operand::Reg(reg) => kernel.reg(*reg).ty.bits(),
            _ => return None,
        };
        let wide = opcode.has(Modifier::Wide);
        // Moves take the type of any register of their width.
        let bits = types.first()?.bits() * if wide { 2 } else { 1 };
        if bits != declared || !matches!(bits, 32 | 64) {
            return None;
        }
        let of = |index: usize, bits: u32| {
            kernel.operands(inst).get(index).map(|operand| self.operand(kernel, facts, operand, Some(bits)))
        };
        let number = |index: usize| match kernel.operands(inst).get(index) {
            Some(Operand::Int(number)) => Some(*number),
            _ => None,
        };
        let extended = |index: usize, signed: bool| {
            let form = of(index, 32)?;
            let check = match (form, kernel.operands(inst).get(index)?) {
                (Form::Row(0), _) => None,
                (Form::Row(stride), Operand::Reg(reg)) => Some(Check { reg: *reg, stride, signed }),
                (Form::Unknown, _) => return Some((Form::Unknown, None)),
                _ => return None,
            };
            (check.is_none() || (facts.may_part)(inst)).then_some((form, check))
        };
        let product = || {
            let (index, factor) = match (number(1), number(2)) {
                (_, Some(factor)) => (1, factor),
                (Some(factor), _) => (2, factor),
                _ => {
                    let from = if wide { bits / 2 } else { bits };
                    let uniform = of(1, from)? == Form::Row(0) && of(2, from)? == Form::Row(0);
                    return uniform.then_some((Form::Row(0), None));
                }
            };
            if !wide {
                return Some((of(index, bits)?.map(|stride| stride.checked_mul(factor)), None));
            }
            let signed = types.first()?.is_signed();
            let factor = if signed { factor } else { i64::from(factor as u32) };
            let (form, check) = (bits == 64).then(|| extended(index, signed))??;
            Some((form.map(|stride| stride.checked_mul(factor)), check))
        };
        let sum = |one: Form, other: Form, sign: i64| match (one, other) {
            (Form::Unknown, _) | (_, Form::Unknown) => Form::Unknown,
            (Form::Row(one), Form::Row(other)) => Form::Row(0).map(|_| one.checked_add(sign * other)),
            _ => Form::Varies,
        };
        Some(match linear {
            Linear::Same => match types {
                [to, from, ..] if opcode.mnemonic() == Mnemonic::Cvt && to.bits() != from.bits() => {
                    match (to.bits(), from.bits()) {
                        (64, 32) => extended(1, from.is_signed())?,
                        (32, 64) => (of(1, 64)?, None),
                        _ => return None,
                    }
                }
                _ => (of(1, bits)?, None),
            },
            Linear::Sum => (sum(of(1, bits)?, of(2, bits)?, 1), None),
            Linear::Difference => (sum(of(1, bits)?, of(2, bits)?, -1), None),
            Linear::Product => product()?,
            Linear::ProductSum => {
                let (form, check) = product()?;
                (sum(form, of(3, bits)?, 1), check)
            }
            Linear::Shifted => {
                let shift = number(2).filter(|shift| (0..20).contains(shift))?;
                (of(1, bits)?.map(|stride| stride.checked_mul(1 << shift)), None)
            }
        })
    }
}

/// Returns true if an operand is a register or has it in its address.
fn mentions(operand: &Operand, reg: Reg) -> bool {
    match *operand {
        Operand::Reg(one) | Operand::Not(one) | Operand::Component(one, _) => one == reg,
        Operand::Address(Base::Reg(one), _) => one == reg,
        // Nothing is known of other forms.
        Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_) | Operand::Special(_) | Operand::Symbol(..) => {
            false
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use super::*;

    /// The strides of `%r1` to `%r4` and `%rd1`, and whether `%rd1` has them under a check.
    fn strides(body: &str) -> (Vec<Option<i64>>, bool) {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n, .param .u64 p)\n{{\n\
             .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let kernel = module.kernels().first().unwrap_or_else(|| panic!("a kernel"));
        let analyses = Analyses::of(kernel);
        let cuts = Cuts::of(kernel, &analyses, |_| false, &|_| false, &|_| false);
        let never = |_: Inst| false;
        let facts = Facts { cuts: &cuts, is_lane_specific: &never, may_part: &|_| true, rows_are_warps: false };
        let forms = Forms::of(kernel, &analyses, &facts);
        let of = |name: &str| {
            let reg = kernel.regs().find(|&reg| kernel.reg_name(reg) == name);
            reg.and_then(|reg| forms.stride(reg))
        };
        (["%r1", "%r2", "%r3", "%r4", "%rd1"].map(of).to_vec(), !forms.checked().is_empty())
    }

    #[test]
    fn indices_differ_by_a_stride() {
        let body =
            "mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %ctaid.x, %ntid.x, %r1; shl.b32 %r3, %r2, 2; sub.s32 %r4, %r1, %r3;
                    mul.wide.s32 %rd1, %r2, 8;";
        assert_eq!(strides(body), (vec![Some(1), Some(1), Some(4), Some(-3), Some(8)], true));
    }

    #[test]
    fn what_is_the_same_for_all_lanes_needs_no_check() {
        let body = "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.y; mul.lo.u32 %r3, %r1, %r2; xor.b32 %r4, %r3, %r1; mul.wide.u32 %rd1, %r4, 4;";
        assert_eq!(strides(body), (vec![Some(0); 5], false));
    }

    #[test]
    fn other_functions_of_the_thread_vary() {
        let body = "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mul.lo.u32 %r3, %r1, %r1; ld.global.u32 %r4, [%rd2]; cvt.u64.u32 %rd1, %r2;";
        assert_eq!(strides(body).0, [Some(1), None, None, Some(0), None]);
    }

    #[test]
    fn a_counter_is_the_same_in_a_loop_of_equal_rounds() {
        let body = "ld.param.u32 %r2, [n]; mov.u32 %r1, 0; mov.u32 %r3, %tid.x;
                    L: add.u32 %r1, %r1, 1; add.u32 %r3, %r3, %ntid.x; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; mov.u32 %r4, %r1; cvt.u64.u32 %rd1, %r3;";
        assert_eq!(strides(body), (vec![Some(0), Some(0), Some(1), Some(0), Some(1)], true));
    }

    #[test]
    fn a_counter_varies_behind_a_loop_that_lanes_leave_at_different_times() {
        let body = "mov.u32 %r2, %tid.x; mov.u32 %r1, 0; mov.u32 %r3, 0;
                    L: add.u32 %r1, %r1, 1; add.u32 %r3, %r3, 2; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; mov.u32 %r4, %r1;";
        let (strides, _) = strides(body);
        assert_eq!(
            strides.get(..4),
            Some([None, Some(1), Some(0), None].as_slice()),
            "%r3 is not read behind the loop"
        );
    }

    #[test]
    fn a_register_written_on_one_way_of_a_branch_varies_behind_it() {
        let body =
            "mov.u32 %r2, %tid.x; mov.u32 %r1, 5; setp.lt.u32 %p1, %r2, 7; @%p1 bra L; mov.u32 %r1, 5; mov.u32 %r3, 9;
                    st.global.u32 [%rd2], %r3; L: mov.u32 %r4, %r1;";
        let (strides, _) = strides(body);
        assert_eq!(
            strides.get(..4),
            Some([None, Some(1), Some(0), None].as_slice()),
            "%r3 is read where it is written"
        );
    }
}
