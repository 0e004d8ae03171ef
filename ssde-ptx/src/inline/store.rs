//! Where the values of parameters are kept that a call passed: in registers, if every access to one agrees with every other about where
//! values begin and how long they are, else in local memory.
//!
//! A parameter variable is a place of its own: nothing else names its bytes. So a register for each value does the same as long as a load
//! reads what one store wrote, or the low part of it.

use ptx_parser::{Base, Inst, Kernel, Memory, Operand, Type};

/// An access to a parameter variable: one for each element of a vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    offset: i64,
    bits: u32,
    load: bool,
    /// Whether it may be done by moves.
    simple: bool,
}

/// A parameter variable.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) align: u32,
    accesses: Vec<Access>,
}

/// Where a parameter variable is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A register for each value: offset and bits.
    Registers(Vec<(i64, u32)>),
    Local,
}

/// The most registers that a variable is kept in.
const MOST: usize = 64;

impl Store {
    pub(super) fn new(name: String, bytes: u64, align: u32) -> Store {
        Store { name, bytes, align, accesses: Vec::new() }
    }

    /// Takes an access in.
    pub(super) fn add(&mut self, kernel: &Kernel, inst: Inst) {
        let Some(Moved { ty, offset, elements, load }) = Moved::of(kernel, inst) else {
            self.accesses.push(Access { offset: 0, bits: 0, load: true, simple: false });
            return;
        };
        for (index, element) in elements.iter().enumerate() {
            let offset = offset + index as i64 * i64::from(ty.bytes());
            let simple = is_simple(kernel, element, ty, load);
            self.accesses.push(Access { offset, bits: ty.bits(), load, simple });
        }
    }

    /// Where it can be kept.
    pub(super) fn form(&self) -> Form {
        let mut slots: Vec<(i64, u32)> = Vec::new();
        let mut accesses = self.accesses.clone();
        accesses.sort_by_key(|access| (access.offset, std::cmp::Reverse(access.bits)));
        for access in &accesses {
            if !access.simple || access.offset < 0 {
                return Form::Local;
            }
            let end = slots.last().map_or(0, |&(offset, bits)| offset + i64::from(bits / 8));
            match slots.last() {
                Some(&(offset, bits)) if access.offset < end => {
                    // The low part of a value may be read by itself.
                    let narrow = access.load && access.offset == offset && access.bits < bits && bits <= 64;
                    if (access.offset, access.bits) != (offset, bits) && !narrow {
                        return Form::Local;
                    }
                }
                _ => slots.push((access.offset, access.bits)),
            }
        }
        if slots.len() > MOST { Form::Local } else { Form::Registers(slots) }
    }

    /// What declares it.
    pub(super) fn declaration(&self, form: &Form) -> String {
        match form {
            Form::Local => format!(".local .align {} .b8 {}[{}];\n", self.align.max(1), self.name, self.bytes),
            Form::Registers(slots) => slots
                .iter()
                .map(|&(offset, bits)| format!(".reg .b{} {};\n", bits.max(16), self.slot(offset)))
                .collect(),
        }
    }

    /// The register of the value at an offset.
    fn slot(&self, offset: i64) -> String {
        format!("%{}_{offset}", self.name)
    }

    /// An access by moves between registers. `renamed` gives the text of an operand of the original.
    pub(super) fn moves(
        &self,
        slots: &[(i64, u32)],
        kernel: &Kernel,
        inst: Inst,
        guard: &str,
        renamed: impl Fn(&str) -> String,
    ) -> String {
        let Some(Moved { ty, offset, elements, load }) = Moved::of(kernel, inst) else { return String::new() };
        let mut out = String::new();
        for (index, element) in elements.iter().enumerate() {
            let offset = offset + index as i64 * i64::from(ty.bytes());
            let slot = self.slot(offset);
            let kept = slots.iter().find(|slot| slot.0 == offset).map_or(ty.bits(), |slot| slot.1);
            let Some(text) = operand_text(kernel, element) else { continue };
            let text = renamed(&text);
            let own = own_bits(kernel, element).unwrap_or(ty.bits().max(16));
            out += guard;
            out += &match load {
                true => loaded(ty, own, kept, &text, &slot),
                false => stored(ty, own, element, &text, &slot),
            };
        }
        out
    }
}

/// A load into a register of `own` bits from one that holds `kept`.
fn loaded(ty: Type, own: u32, kept: u32, to: &str, slot: &str) -> String {
    let bits = ty.bits();
    if own == bits && kept == bits {
        return format!("mov.b{bits} {to}, {slot};\n");
    }
    // A register that is wider than the type gets its sign or zeros, as a load would fill it.
    let sign = if ty.is_signed() { 's' } else { 'u' };
    format!("cvt.{sign}{own}.{sign}{bits} {to}, {slot};\n")
}

/// A store from a register of `own` bits, or of a constant.
fn stored(ty: Type, own: u32, element: &Operand, from: &str, slot: &str) -> String {
    let bits = ty.bits();
    match element {
        Operand::Float32(_) => format!("mov.f32 {slot}, {from};\n"),
        Operand::Float64(_) => format!("mov.f64 {slot}, {from};\n"),
        Operand::Symbol(..) => format!("mov.u{bits} {slot}, {from};\n"),
        // What lies above 8 bits is never read.
        _ if own == bits.max(16) => format!("mov.b{own} {slot}, {from};\n"),
        _ => format!("cvt.u{}.u{bits} {slot}, {from};\n", bits.max(16)),
    }
}

/// A load or store taken apart.
struct Moved {
    ty: Type,
    offset: i64,
    elements: Vec<Operand>,
    load: bool,
}

impl Moved {
    fn of(kernel: &Kernel, inst: Inst) -> Option<Moved> {
        let opcode = kernel.opcode(inst);
        let load = match opcode.properties().memory {
            Memory::Read => true,
            Memory::Write => false,
            _ => return None,
        };
        let [ty] = opcode.types() else { return None };
        let operands = kernel.operands(inst);
        let (value, address) = match (load, operands) {
            (true, [value, address]) | (false, [address, value]) => (*value, *address),
            _ => return None,
        };
        let Operand::Address(Base::Symbol(_), offset) = address else { return None };
        let elements = match value.list() {
            Some(list) => kernel.list(list).to_vec(),
            None => vec![value],
        };
        Some(Moved { ty: *ty, offset: offset.get(), elements, load })
    }
}

/// The bits of an operand that is a register.
fn own_bits(kernel: &Kernel, operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Reg(reg) => Some(kernel.reg(*reg).ty.bits()),
        _ => None,
    }
}

/// Whether a value can be moved instead of loaded or stored.
fn is_simple(kernel: &Kernel, element: &Operand, ty: Type, load: bool) -> bool {
    if !matches!(ty.bits(), 8 | 16 | 32 | 64) {
        return false;
    }
    match element {
        Operand::Reg(reg) => {
            let data = kernel.reg(*reg);
            let same = data.ty.bits() == ty.bits();
            let integers = !ty.is_float() && !data.ty.is_float() && data.ty.bits() >= 16;
            data.lanes == 1
                && data.ty.bits() >= ty.bits()
                && (same && ty.bits() >= 16 || integers)
                && data.ty.bits() <= 64
        }
        Operand::Sink => load,
        Operand::Int(_) => !load && !ty.is_float(),
        Operand::Float32(_) => !load && ty == Type::F32,
        Operand::Float64(_) => !load && ty == Type::F64,
        Operand::Symbol(..) => !load && ty.bits() >= 32,
        _ => false,
    }
}

/// The text of an operand that [`is_simple`] allows; none for a result that nobody wants.
fn operand_text(kernel: &Kernel, operand: &Operand) -> Option<String> {
    match *operand {
        Operand::Reg(reg) => Some(kernel.reg_name(reg).to_owned()),
        Operand::Int(value) => Some(value.to_string()),
        Operand::Float32(bits) => Some(format!("0f{bits:08X}")),
        Operand::Float64(bits) => Some(format!("0d{bits:016X}")),
        Operand::Symbol(symbol, offset) if offset.get() == 0 => Some(kernel.symbol_name(symbol).to_owned()),
        Operand::Symbol(symbol, offset) => Some(format!("{}+{offset}", kernel.symbol_name(symbol))),
        _ => None,
    }
}
