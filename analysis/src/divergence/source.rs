//! The effect of one instruction on uniformity, by its opcode and operands alone.

use ptx_parser::{Flow, Inst, Kernel, Memory, Operand, Space, Uniformity};

use super::Cause;
use crate::loop_invariance::loads_constant;
use crate::ssa::Values;

/// The way in which the results of an instruction become divergent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Results {
    /// They always are.
    Divergent(Cause),
    /// If an input is.
    FollowInputs,
    /// They are the same in all lanes if the whole warp takes part.
    SameInWarp,
}

/// Classifies an instruction. Only instructions that write registers are asked about.
pub(super) fn results(kernel: &Kernel, values: &Values, inst: Inst) -> Results {
    let properties = kernel.properties(inst);
    if is_warp_vote(kernel, values, inst) {
        return Results::SameInWarp;
    }
    let cause = match properties.memory {
        _ if properties.flow == Flow::Call => Some(Cause::Call(inst)),
        _ if !properties.known => Some(Cause::Unknown(inst)),
        Memory::Read => (!loads_constant(kernel, inst)).then_some(Cause::Load(inst)),
        Memory::Atomic => Some(Cause::Atomic(inst)),
        _ if properties.convergent => Some(Cause::Exchange(inst)),
        Memory::None => (!properties.is_pure()).then_some(Cause::Unknown(inst)),
        _ => Some(Cause::Unknown(inst)),
    };
    match cause.or_else(|| operand(kernel, inst)) {
        Some(cause) => Results::Divergent(cause),
        None => Results::FollowInputs,
    }
}

/// Returns what makes a result differ although every register that it is computed from is uniform: special registers, and
/// addresses in spaces of which each thread has its own.
fn operand(kernel: &Kernel, inst: Inst) -> Option<Cause> {
    let mut cause = None;
    kernel.visit_operands(inst, |operand| match operand {
        Operand::Special(special) if !matches!(special.name.uniformity(), Uniformity::Grid | Uniformity::Cta) => {
            cause = cause.or(Some(Cause::Special(inst, *special)));
        }
        Operand::Symbol(symbol, _) => {
            let private = |space| matches!(space, Space::Local | Space::Param);
            if kernel.variable(*symbol).is_some_and(|variable| private(variable.space)) {
                cause = cause.or(Some(Cause::LocalAddress(inst)));
            }
        }
        _ => {}
    });
    cause
}

/// Returns true if an instruction gives all 32 lanes the same result: a vote whose mask names all of them.
fn is_warp_vote(kernel: &Kernel, values: &Values, inst: Inst) -> bool {
    let all = || kernel.operands(inst).last().is_some_and(|mask| values.names_all_lanes(kernel, inst, mask));
    kernel.properties(inst).same_in_warp && all()
}
