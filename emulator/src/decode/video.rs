//! Video instructions: what their modifiers and selectors say.

use ptx_parser::{Mnemonic, Modifier, Operand, Part, Type};

use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::op::{Op, pick};
use crate::exec::video::Video;
use crate::program::video::{Action, Form, Second, Source};

/// Returns what a video instruction computes, and how many elements at once; `None` for any other instruction.
fn named(mnemonic: Mnemonic) -> Option<(Action, u32)> {
    Some(match mnemonic {
        Mnemonic::Vadd => (Action::Add, 1),
        Mnemonic::Vadd2 => (Action::Add, 2),
        Mnemonic::Vadd4 => (Action::Add, 4),
        Mnemonic::Vsub => (Action::Subtract, 1),
        Mnemonic::Vsub2 => (Action::Subtract, 2),
        Mnemonic::Vsub4 => (Action::Subtract, 4),
        Mnemonic::Vabsdiff => (Action::Difference, 1),
        Mnemonic::Vabsdiff2 => (Action::Difference, 2),
        Mnemonic::Vabsdiff4 => (Action::Difference, 4),
        Mnemonic::Vmin => (Action::Min, 1),
        Mnemonic::Vmin2 => (Action::Min, 2),
        Mnemonic::Vmin4 => (Action::Min, 4),
        Mnemonic::Vmax => (Action::Max, 1),
        Mnemonic::Vmax2 => (Action::Max, 2),
        Mnemonic::Vmax4 => (Action::Max, 4),
        Mnemonic::Vavrg2 => (Action::Average, 2),
        Mnemonic::Vavrg4 => (Action::Average, 4),
        Mnemonic::Vshl => (Action::Left, 1),
        Mnemonic::Vshr => (Action::Right, 1),
        Mnemonic::Vset => (Action::Compare(0), 1),
        Mnemonic::Vset2 => (Action::Compare(0), 2),
        Mnemonic::Vset4 => (Action::Compare(0), 4),
        Mnemonic::Vmad => (Action::MultiplyAdd, 1),
        _ => return None,
    })
}

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let Some((action, count)) = named(view.opcode.mnemonic()) else {
        return Err(d.unsupported(view, "no such video instruction is known"));
    };
    let relations = [Modifier::Eq, Modifier::Ne, Modifier::Lt, Modifier::Le, Modifier::Gt, Modifier::Ge];
    let action = match action {
        Action::Compare(_) => Action::Compare(relations.into_iter().position(|name| view.has(name)).unwrap_or(0) as u8),
        action => action,
    };
    // Comparisons name the types of their sources only, and their results have no sign.
    let types = view.opcode.types();
    let (result, sources) = match (action, types) {
        (Action::Compare(_), [a, b]) => (Type::U32, [*a, *b]),
        (_, [d, a, b]) => (*d, [*a, *b]),
        _ => return Err(d.unsupported(view, "it names the wrong number of types")),
    };
    let bits = 32 / count;
    let mut form = Form {
        action,
        second: second(view),
        count,
        sources: [source(view, 1, sources[0], bits, 0), source(view, 2, sources[1], bits, count as u8)],
        signed: result.is_signed(),
        saturate: view.has(Modifier::Sat),
        mask: u32::MAX,
        part: 32,
        wrap: view.has(Modifier::Wrap),
        plus_one: view.has(Modifier::Po),
        negate_c: matches!(view.operand(3), Some(Operand::Selected(_, selector)) if selector.negated),
        scale: if view.has(Modifier::Shr7) {
            7
        } else if view.has(Modifier::Shr15) {
            15
        } else {
            0
        },
    };
    let mut op = d.op(pick::<Video>());
    match view.operand(0) {
        Some(&Operand::Selected(reg, selector)) => {
            op.d = d.row(view.frame, reg);
            if let Some(part) = selector.part {
                destination(&mut form, part);
            }
        }
        _ => op.d = d.any_result(view, 0)?,
    }
    op.a = operand(d, view, 1, sources[0])?;
    op.b = operand(d, view, 2, sources[1])?;
    if view.operands().len() > 3 {
        op.c = operand(d, view, 3, result)?;
    }
    d.tables.video.push(form);
    op.imm = d.tables.video.len() as u64 - 1;
    Ok(op)
}

/// The operation behind the first one. The SIMD forms have none but `.add`.
fn second(view: &View<'_, '_>) -> Second {
    match () {
        () if view.has(Modifier::Add) => Second::Add,
        () if view.has(Modifier::Min) => Second::Min,
        () if view.has(Modifier::Max) => Second::Max,
        () => Second::Merge,
    }
}

/// Sets the part of the result that a scalar form writes, or the elements that a SIMD form writes.
fn destination(form: &mut Form, part: Part) {
    let mut digits = part.digits.iter().take(part.count.into());
    if form.count == 1 {
        form.part = if part.halves { 16 } else { 8 };
        form.mask = u32::from(digits.next().copied().unwrap_or(0)) * form.part;
    } else {
        form.mask = digits.fold(0, |mask, digit| mask | 1 << (digit & 3));
    }
}

/// A source's elements: those that its selector names, the last digit first; else the first ones of the register.
fn source(view: &View<'_, '_>, index: usize, ty: Type, bits: u32, first: u8) -> Source {
    let (part, negated) = match view.operand(index) {
        Some(Operand::Selected(_, selector)) => (selector.part, selector.negated),
        _ => (None, false),
    };
    let mut elements = [0, 1, 2, 3].map(|i| i + first);
    let mut bits = bits;
    if bits == 32 {
        elements = [0; 4];
    }
    if let Some(part) = part {
        if bits == 32 {
            bits = if part.halves { 16 } else { 8 };
        }
        for (slot, digit) in elements.iter_mut().zip(part.digits.iter().take(part.count.into()).rev()) {
            *slot = *digit;
        }
    }
    Source { elements, bits, signed: ty.is_signed(), negated }
}

/// The row of an operand, whatever part of it is meant.
fn operand<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, index: usize, ty: Type) -> Result<u32, Error> {
    match view.operand(index) {
        Some(&Operand::Selected(reg, _)) => Ok(d.row(view.frame, reg)),
        _ => d.any_source(view, index, ty),
    }
}
