//! Video instructions: arithmetic on bytes and half-words of registers (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").
//!
//! Modifiers and selectors become constants of an expression. A scalar form computes in 64 bits, a product in 128; a SIMD form in 32 for each element.

use ptx_parser::{Mnemonic, Modifier, Operand, Part, Type};

use super::view::View;
use crate::refusal::Refusal;

/// The operation on two elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    /// An operator of C.
    Operator(&'static str),
    /// A function of `runtime/video.h`, without the suffix for its width.
    Function(&'static str),
    /// A shift, which `.wrap` gives the suffix.
    Shift(&'static str),
    MultiplyAdd,
}

/// See the module.
struct Form {
    action: Action,
    /// The number of elements that are computed: 1, 2 or 4.
    count: u32,
    /// True if the result, and operand `c` with it, has a sign.
    signed: bool,
    /// The types of both sources.
    sources: [Type; 2],
}

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    let (action, count) = action(view)?;
    // Comparisons name the types of their sources only, and their results have no sign.
    let (signed, sources) = match *view.opcode().types() {
        [a, b] if is_comparison(view) => (false, [a, b]),
        [d, a, b, ..] => (d.is_signed(), [a, b]),
        _ => return Err(view.refuse("it names the wrong number of types")),
    };
    let form = Form { action, count, signed, sources };
    match (form.count, form.action) {
        (1, Action::MultiplyAdd) => form.multiply_add(view),
        (1, _) => form.scalar(view),
        _ => form.parallel(view),
    }
}

fn is_comparison(view: &View<'_>) -> bool {
    matches!(view.opcode().mnemonic(), Mnemonic::Vset | Mnemonic::Vset2 | Mnemonic::Vset4)
}

/// Returns what a video instruction computes, and how many elements at once.
fn action(view: &View<'_>) -> Result<(Action, u32), Refusal> {
    use Action::{Function, MultiplyAdd, Operator, Shift};
    use Mnemonic::{
        Vabsdiff, Vabsdiff2, Vabsdiff4, Vadd, Vadd2, Vadd4, Vavrg2, Vavrg4, Vmad, Vmax, Vmax2, Vmax4, Vmin, Vmin2,
        Vmin4, Vset, Vset2, Vset4, Vshl, Vshr, Vsub, Vsub2, Vsub4,
    };
    let relations =
        [(Modifier::Ne, "!="), (Modifier::Lt, "<"), (Modifier::Le, "<="), (Modifier::Gt, ">"), (Modifier::Ge, ">=")];
    let relation = relations.into_iter().find(|&(modifier, _)| view.has(modifier)).map_or("==", |(_, text)| text);
    Ok(match view.opcode().mnemonic() {
        Vadd => (Operator("+"), 1),
        Vadd2 => (Operator("+"), 2),
        Vadd4 => (Operator("+"), 4),
        Vsub => (Operator("-"), 1),
        Vsub2 => (Operator("-"), 2),
        Vsub4 => (Operator("-"), 4),
        Vabsdiff => (Function("difference"), 1),
        Vabsdiff2 => (Function("difference"), 2),
        Vabsdiff4 => (Function("difference"), 4),
        Vmin => (Function("min"), 1),
        Vmin2 => (Function("min"), 2),
        Vmin4 => (Function("min"), 4),
        Vmax => (Function("max"), 1),
        Vmax2 => (Function("max"), 2),
        Vmax4 => (Function("max"), 4),
        Vavrg2 => (Function("average"), 2),
        Vavrg4 => (Function("average"), 4),
        Vset => (Operator(relation), 1),
        Vset2 => (Operator(relation), 2),
        Vset4 => (Operator(relation), 4),
        Vshl => (Shift("left"), 1),
        Vshr => (Shift("right"), 1),
        Vmad => (MultiplyAdd, 1),
        _ => return Err(view.refuse("no such video instruction is known")),
    })
}

/// Returns operand `index` as a whole register of 32 bits.
fn whole(view: &View<'_>, index: usize, ty: Type) -> Result<String, Refusal> {
    match *view.operand(index)? {
        Operand::Selected(reg, _) if view.kernel.reg(reg).ty.bits() == 32 => Ok(view.variable(reg, None)),
        Operand::Selected(..) => Err(view.refuse("parts are those of registers of 32 bits")),
        _ => view.source(index, ty),
    }
}

/// The part of a register that operand `index` selects.
fn part(view: &View<'_>, index: usize) -> Option<Part> {
    match view.operands().get(index) {
        Some(Operand::Selected(_, selector)) => selector.part,
        _ => None,
    }
}

/// Returns true if operand `index` has a minus in front.
fn negated(view: &View<'_>, index: usize) -> bool {
    matches!(view.operands().get(index), Some(Operand::Selected(_, selector)) if selector.negated)
}

/// The least and the largest value of a width.
fn limits(bits: u32, signed: bool) -> (i64, i64) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// An element of a register as a signed integer of 32 bits, for widths below that.
fn narrow_element(register: &str, shift: u32, bits: u32, signed: bool) -> String {
    match shift {
        0 if signed => format!("(int32_t)(int{bits}_t){register}"),
        0 => format!("(int32_t)(uint{bits}_t){register}"),
        _ if signed => format!("(int32_t)(int{bits}_t)({register} >> {shift})"),
        _ => format!("(int32_t)(uint{bits}_t)({register} >> {shift})"),
    }
}

/// A statement that gives the result's register a value, whatever part of it is written.
fn assign(view: &View<'_>, value: &str) -> Result<String, Refusal> {
    match *view.operand(0)? {
        Operand::Selected(reg, _) if view.kernel.reg(reg).ty.bits() == 32 => {
            Ok(format!("{} = {value};", view.variable(reg, None)))
        }
        Operand::Selected(..) => Err(view.refuse("parts are those of registers of 32 bits")),
        _ => view.assign(Type::U32, value),
    }
}

impl Form {
    /// Source `index` (1 or 2) of a scalar form, as a signed integer of 64 bits.
    fn scalar_source(&self, view: &View<'_>, index: usize) -> Result<String, Refusal> {
        let ty = self.sources[index - 1];
        let register = whole(view, index, ty)?;
        let signed = ty.is_signed();
        Ok(match part(view, index) {
            None if signed => format!("(int64_t)(int32_t){register}"),
            None => format!("(int64_t){register}"),
            Some(part) => {
                let bits = if part.halves { 16 } else { 8 };
                let digit = u32::from(part.digits[usize::from(part.count.max(1)) - 1]);
                format!("(int64_t){}", narrow_element(&register, digit * bits % 32, bits, signed))
            }
        })
    }

    /// Operand `c`; 0 if there is none.
    fn third(&self, view: &View<'_>) -> Result<String, Refusal> {
        match view.operands().len() {
            ..=3 => Ok("0u".to_owned()),
            _ => whole(view, 3, if self.signed { Type::S32 } else { Type::U32 }),
        }
    }

    /// The expression of the operation on two elements, in 32 or 64 bits.
    fn act(&self, view: &View<'_>, a: &str, b: &str, bits: u32) -> String {
        match self.action {
            Action::Operator(operator) => format!("({a} {operator} {b})"),
            Action::Function(name) => format!("pxrw_video_{name}_{bits}({a}, {b})"),
            Action::Shift(name) => {
                let mode = if view.has(Modifier::Wrap) { "wrap" } else { "clamp" };
                format!("pxrw_video_{name}_{mode}({a}, {b})")
            }
            Action::MultiplyAdd => format!("((pxrw_int128){a} * {b})"),
        }
    }

    fn saturated(&self, view: &View<'_>, value: String, part: u32, bits: u32) -> String {
        if !view.has(Modifier::Sat) {
            return value;
        }
        let (low, high) = limits(part, self.signed);
        format!("pxrw_video_clamp_{bits}({value}, INT64_C({low}), INT64_C({high}))")
    }

    fn scalar(&self, view: &View<'_>) -> Result<String, Refusal> {
        let (a, b) = (self.scalar_source(view, 1)?, self.scalar_source(view, 2)?);
        let target = part(view, 0);
        let width = target.map_or(32, |part| if part.halves { 16 } else { 8 });
        let value = self.saturated(view, self.act(view, &a, &b, 64), width, 64);
        let third = self.third(view)?;
        // Beyond the register nothing is kept before the second operation either.
        let extend = |text: &str| match self.signed {
            true => format!("(int64_t)(int32_t)(uint32_t)({text})"),
            false => format!("(int64_t)(uint32_t)({text})"),
        };
        let value = match () {
            () if view.has(Modifier::Add) => format!("(uint32_t){value} + {third}"),
            () if view.has(Modifier::Min) => {
                format!("(uint32_t)pxrw_video_min_64({}, {})", extend(&value), extend(&third))
            }
            () if view.has(Modifier::Max) => {
                format!("(uint32_t)pxrw_video_max_64({}, {})", extend(&value), extend(&third))
            }
            () => format!("(uint32_t){value}"),
        };
        let Some(target) = target else { return assign(view, &value) };
        let shift = u32::from(target.digits[0]) * width;
        let field = (u32::MAX >> (32 - width)) << shift;
        assign(view, &format!("(({value}) << {shift} & 0x{field:x}u) | ({third} & 0x{:x}u)", !field))
    }

    fn multiply_add(&self, view: &View<'_>) -> Result<String, Refusal> {
        let (a, b) = (self.scalar_source(view, 1)?, self.scalar_source(view, 2)?);
        let product = self.act(view, &a, &b, 128);
        let negates = negated(view, 1) != negated(view, 2);
        let signed = self.sources.iter().any(|ty| ty.is_signed()) || negates || negated(view, 3);
        let third = self.third(view)?;
        let c = if signed { format!("(int32_t){third}") } else { third };
        let sum = match () {
            () if view.has(Modifier::Po) => format!("({product} + {c} + 1)"),
            () if negates => format!("({c} - {product})"),
            () if negated(view, 3) => format!("({product} - {c})"),
            () => format!("({product} + {c})"),
        };
        let scaled = match () {
            () if view.has(Modifier::Shr7) => format!("({sum} >> 7)"),
            () if view.has(Modifier::Shr15) => format!("({sum} >> 15)"),
            () => sum,
        };
        let value = match view.has(Modifier::Sat) {
            true => {
                let (low, high) = limits(32, signed);
                format!("pxrw_video_clamp_128({scaled}, INT64_C({low}), INT64_C({high}))")
            }
            false => scaled,
        };
        assign(view, &format!("(uint32_t){value}"))
    }

    /// The element `index` of source `source` (1 or 2) of a SIMD form. Elements are numbered through both registers.
    fn element(&self, view: &View<'_>, source: usize, index: u32) -> String {
        let bits = 32 / self.count;
        let own = if source == 1 { index } else { index + self.count };
        let number = match part(view, source) {
            // The last digit names the first element.
            Some(part) if index < u32::from(part.count) => {
                u32::from(part.digits[usize::from(part.count) - 1 - index as usize])
            }
            _ => own,
        };
        let register = if number < self.count { "pxrw_a" } else { "pxrw_b" };
        narrow_element(register, number % self.count * bits, bits, self.sources[source - 1].is_signed())
    }

    fn parallel(&self, view: &View<'_>) -> Result<String, Refusal> {
        let (a, b) = (whole(view, 1, self.sources[0])?, whole(view, 2, self.sources[1])?);
        let third = self.third(view)?;
        let bits = 32 / self.count;
        let mask = match part(view, 0) {
            None => u32::MAX,
            Some(part) => part.digits.iter().take(part.count.into()).fold(0, |mask, digit| mask | 1 << (digit & 3)),
        };
        let sums = view.has(Modifier::Add);
        let mut parts = Vec::new();
        let mut kept = 0u32;
        for index in 0..self.count {
            let (shift, field) = (index * bits, (u32::MAX >> (32 - bits)) << (index * bits));
            if mask >> index & 1 == 0 {
                kept |= field;
                continue;
            }
            let (x, y) = (self.element(view, 1, index), self.element(view, 2, index));
            let value = self.saturated(view, self.act(view, &x, &y, 32), bits, 32);
            parts.push(match sums {
                true => format!("(uint32_t){value}"),
                false => format!("((uint32_t){value} << {shift} & 0x{field:x}u)"),
            });
        }
        match (sums, kept) {
            (true, _) => parts.push("pxrw_c".to_owned()),
            (false, 0) => {}
            (false, kept) => parts.push(format!("(pxrw_c & 0x{kept:x}u)")),
        }
        let value = assign(view, &parts.join(if sums { " + " } else { " | " }))?;
        Ok(format!(
            "{{ const uint32_t pxrw_a = {a}, pxrw_b = {b}, pxrw_c = {third}; (void)pxrw_a; (void)pxrw_b; (void)pxrw_c; {value} }}"
        ))
    }
}
