//! Barriers, and operations that lanes of a warp execute together (PTX ISA, "Parallel Synchronization and Communication Instructions").
//!
//! A thread that comes to one leaves its operands in the block and stops. When the others have come, its lanes go on together: first the values that they left are
//! gathered, then each lane computes its result.

use ptx_parser::{Mnemonic, Modifier, Type};

use super::view::View;
use crate::refusal::Refusal;

/// The code by which lanes go on behind a barrier or an operation of their warp.
pub(crate) struct Resumption {
    /// Before the loop over them.
    pub(crate) for_group: String,
    /// First in the loop.
    pub(crate) for_lane: String,
}

/// Returns the statements by which a thread comes to a barrier.
///
/// # Errors
/// A form that is not translated.
pub(crate) fn arrive_barrier(view: &View<'_>, cut: u32) -> Result<String, Refusal> {
    if view.has(Modifier::Cluster) {
        return Err(view.refuse("barriers of clusters are not translated"));
    }
    let count = view.operands().len();
    let number = |index: usize| view.source(index, Type::U32);
    if view.has(Modifier::Red) {
        if !(3..=4).contains(&count) {
            return Err(view.refuse("a barrier reduction has 3 or 4 operands"));
        }
        let expected = if count == 4 { number(2)? } else { "0".to_owned() };
        let (barrier, predicate) = (number(1)?, view.predicate(count - 1)?);
        return Ok(format!("pxrw_bar(cta, warp, lane, {cut}, {barrier}, {expected}, 1, {predicate});"));
    }
    let arrives = view.has(Modifier::Arrive);
    let barrier = if count == 0 { "0".to_owned() } else { number(0)? };
    let expected = if count >= 2 { number(1)? } else { "0".to_owned() };
    if arrives && count < 2 {
        return Err(view.refuse("`bar.arrive` needs a thread count"));
    }
    Ok(format!("pxrw_bar(cta, warp, lane, {cut}, {barrier}, {expected}, {}, 0);", u8::from(!arrives)))
}

/// Returns what lanes do behind a barrier: they take the result of a reduction.
///
/// # Errors
/// A result that is no register.
pub(crate) fn resume_barrier(view: &View<'_>) -> Result<Option<Resumption>, Refusal> {
    if !view.has(Modifier::Red) {
        return Ok(None);
    }
    let result = match () {
        () if view.has(Modifier::Popc) => view.assign(Type::U32, "cta->warp[warp].red_true")?,
        () if view.has(Modifier::And) => {
            view.assign(Type::Pred, "cta->warp[warp].red_true == cta->warp[warp].red_lanes")?
        }
        () => view.assign(Type::Pred, "cta->warp[warp].red_true != 0")?,
    };
    Ok(Some(Resumption { for_group: String::new(), for_lane: format!("{result}\n") }))
}

/// Returns the statements by which a thread leaves its operands for an operation of its warp.
///
/// # Errors
/// A form that is not translated.
pub(crate) fn operands(view: &View<'_>) -> Result<String, Refusal> {
    let mut text = String::new();
    match view.opcode().mnemonic() {
        Mnemonic::Vote => text = format!("cta->value[thread] = {};\n", view.predicate(1)?),
        Mnemonic::Shfl => {
            text = format!("cta->value[thread] = {};\n", view.source(1, Type::B32)?);
            text += &format!("cta->operand_b[thread] = {};\n", view.source(2, Type::B32)?);
            text += &format!("cta->operand_c[thread] = {};\n", view.source(3, Type::B32)?);
        }
        Mnemonic::Match => text = format!("cta->value[thread] = {};\n", view.source(1, view.ty())?),
        Mnemonic::Redux => text = format!("cta->value[thread] = {};\n", view.source(1, view.ty())?),
        _ => {}
    }
    Ok(text)
}

/// The expression of the lanes that an operation waits for; `None` if it takes those that come together.
///
/// # Errors
/// A form that is not translated.
pub(crate) fn members(view: &View<'_>) -> Result<Option<String>, Refusal> {
    match view.has(Modifier::Sync) {
        true => view.source(view.operands().len().saturating_sub(1), Type::B32).map(Some),
        false => Ok(None),
    }
}

/// Returns the statements by which a thread comes to an operation of its warp.
///
/// # Errors
/// A form that is not translated.
pub(crate) fn arrive(view: &View<'_>, cut: u32) -> Result<String, Refusal> {
    let text = operands(view)?;
    let Some(members) = members(view)? else {
        return Ok(format!("{text}pxrw_meet(cta, warp, lane, {});", cut));
    };
    let anywhere = matches!(view.opcode().mnemonic(), Mnemonic::Bar | Mnemonic::Barrier);
    Ok(format!("{text}pxrw_sync(cta, warp, lane, {}, {members}, {});", cut, u8::from(anywhere)))
}

/// Returns what lanes do that execute an operation together.
///
/// # Errors
/// A form that is not translated.
pub(crate) fn resume(view: &View<'_>) -> Result<Resumption, Refusal> {
    let mut group = String::new();
    let gathered = "                    uint64_t values[PXRW_WARP_SIZE];\n                    pxrw_gather(cta, warp, group, values);\n";
    let together = |function: &str| format!("                    const uint32_t together = {function};\n");
    let lane = match view.opcode().mnemonic() {
        Mnemonic::Bar | Mnemonic::Barrier => String::new(),
        Mnemonic::Activemask => view.assign(Type::B32, "group")?,
        Mnemonic::Elect => {
            let [leader, is_leader] = view.results()?;
            let mut text = String::new();
            if let Some(name) = leader {
                text += &format!("{name} = pxrw_lowest(group);");
            }
            if let Some(name) = is_leader {
                text += &format!(" {name} = lane == pxrw_lowest(group);");
            }
            text
        }
        Mnemonic::Vote => {
            group += gathered;
            group += &together("pxrw_ballot(group, values)");
            match () {
                () if view.has(Modifier::Ballot) => view.assign(Type::B32, "together")?,
                () if view.has(Modifier::All) => view.assign(Type::Pred, "together == group")?,
                () if view.has(Modifier::Any) => view.assign(Type::Pred, "together != 0")?,
                () => view.assign(Type::Pred, "together == 0 || together == group")?,
            }
        }
        Mnemonic::Shfl => {
            group += gathered;
            let mode = match () {
                () if view.has(Modifier::Up) => "up",
                () if view.has(Modifier::Down) => "down",
                () if view.has(Modifier::Bfly) => "bfly",
                () if view.has(Modifier::Idx) => "idx",
                () => return Err(view.refuse("the mode is missing")),
            };
            let [value, inside] = view.results()?;
            let call =
                format!("pxrw_shfl_{mode}(values, lane, cta->operand_b[thread], cta->operand_c[thread], &inside)");
            let value = value.map_or(format!("(void){call};"), |name| format!("{name} = {call};"));
            let inside = inside.map(|name| format!(" {name} = inside;")).unwrap_or_default();
            format!("{{ uint8_t inside; {value}{inside} }}")
        }
        Mnemonic::Match => {
            group += gathered;
            let [value, all] = view.results()?;
            let is_all = view.has(Modifier::All);
            if is_all {
                group += &together("pxrw_match_all(group, values)");
            }
            let mask = if is_all { "together" } else { "pxrw_match_any(group, values, lane)" };
            let value = value.map(|name| format!("{name} = {mask};")).unwrap_or_default();
            value + &all.map(|name| format!(" {name} = together != 0;")).unwrap_or_default()
        }
        Mnemonic::Redux => {
            group += gathered;
            group += &together(&redux(view)?);
            view.assign(view.ty(), "together")?
        }
        _ => return Err(view.refuse("this operation of a warp is not translated")),
    };
    Ok(Resumption { for_group: group, for_lane: format!("{lane}\n") })
}

/// The call that reduces the values of a group.
fn redux(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    let largest = view.has(Modifier::Max);
    if ty == Type::F32 {
        let (magnitudes, nan) = (view.has(Modifier::Abs), view.has(Modifier::NaN));
        let flags = [largest, magnitudes, nan].map(|flag| u8::from(flag).to_string()).join(", ");
        return Ok(format!("pxrw_redux_f32(group, values, {flags})"));
    }
    let name = match () {
        () if view.has(Modifier::Add) => "add",
        () if view.has(Modifier::And) => "and",
        () if view.has(Modifier::Or) => "or",
        () if view.has(Modifier::Xor) => "xor",
        () if view.has(Modifier::Min) && ty.is_signed() => "min_s32",
        () if view.has(Modifier::Min) => "min_u32",
        () if largest && ty.is_signed() => "max_s32",
        () if largest => "max_u32",
        () => return Err(view.refuse("the operator is missing")),
    };
    Ok(format!("pxrw_redux_{name}(group, values)"))
}
