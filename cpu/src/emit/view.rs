//! One instruction as those who emit it see it: its operands as expressions of C.
//!
//! Registers are variables of C that hold bits, as unsigned integers of the register's width; predicates are bytes with 0 or 1. What an instruction computes is a
//! function of the runtime's headers (`runtime/`) of such bits, or an operator of C.

use ptx_parser::{
    Base, Component, Guard, Inst, Kernel, Modifier, OpcodeData, Operand, Reg, Space, Special, SpecialName, Type,
};

use super::names::{ModuleNames, Names, Place, c_type, unknown};
use crate::refusal::Refusal;

/// See the module.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) inst: Inst,
    pub(crate) names: &'a Names,
    pub(crate) module: &'a ModuleNames,
}

impl<'a> View<'a> {
    pub(crate) fn opcode(&self) -> &'a OpcodeData {
        self.kernel.opcode(self.inst)
    }

    /// Returns true if the opcode has a modifier.
    pub(crate) fn has(&self, modifier: Modifier) -> bool {
        self.opcode().has(modifier)
    }

    /// The first type of the opcode; `.b32` if it names none.
    pub(crate) fn ty(&self) -> Type {
        self.opcode().types().first().copied().unwrap_or(Type::B32)
    }

    pub(crate) fn operands(&self) -> &'a [Operand] {
        self.kernel.operands(self.inst)
    }

    pub(crate) fn operand(&self, index: usize) -> Result<&'a Operand, Refusal> {
        self.operands().get(index).ok_or_else(|| self.refuse(format!("operand {} is missing", index + 1)))
    }

    pub(crate) fn refuse(&self, reason: impl Into<String>) -> Refusal {
        Refusal::of(self.kernel, self.inst, reason)
    }

    /// The condition of a guard, as an expression.
    pub(crate) fn guard(&self, guard: Guard) -> String {
        let name = self.names.reg(guard.reg);
        if guard.negated { format!("!{name}") } else { name.to_owned() }
    }

    /// The variable of a register, or of one component of a vector register.
    pub(crate) fn variable(&self, reg: Reg, component: Option<Component>) -> String {
        let name = self.names.reg(reg);
        match component {
            Some(component) => format!("{name}_{}", component.text()),
            None => name.to_owned(),
        }
    }

    /// The register that an operand names, with its type.
    pub(crate) fn register(&self, operand: &Operand) -> Option<(String, Type)> {
        match *operand {
            Operand::Reg(reg) => Some((self.variable(reg, None), self.kernel.reg(reg).ty)),
            Operand::Component(reg, component) => Some((self.variable(reg, Some(component)), self.kernel.reg(reg).ty)),
            _ => None,
        }
    }

    /// The bits of source `index`, as an unsigned integer of the width of `ty`.
    ///
    /// # Errors
    /// An operand that is no value, or a register that is narrower.
    pub(crate) fn source(&self, index: usize, ty: Type) -> Result<String, Refusal> {
        self.value(self.operand(index)?, ty)
    }

    /// See [`View::source`].
    pub(crate) fn value(&self, operand: &Operand, ty: Type) -> Result<String, Refusal> {
        if let Some((name, declared)) = self.register(operand) {
            let name = match self.float(operand) {
                Some(Type::F64) => format!("pxrw_canonical_f64({name})"),
                Some(_) => format!("pxrw_canonical_f32({name})"),
                None => name,
            };
            return match c_type(declared) == c_type(ty) {
                true => Ok(name),
                false if declared.bits() > ty.bits() && declared != Type::B128 => Ok(format!("({}){name}", c_type(ty))),
                false => Err(self.refuse(format!("the register `{name}` has another width than `{ty}`"))),
            };
        }
        Ok(match *operand {
            Operand::Int(value) => literal(value.cast_unsigned(), ty),
            Operand::Float32(bits) => literal(bits.into(), ty),
            // A decimal literal is read in double precision, whatever the type.
            Operand::Float64(bits) if ty == Type::F32 => {
                let value = f64::from_bits(bits) as f32;
                format!("{} /* {value:?} */", literal(value.to_bits().into(), ty))
            }
            Operand::Float64(bits) => format!("{} /* {:?} */", literal(bits, ty), f64::from_bits(bits)),
            Operand::Special(special) => {
                let text = self.special(special)?;
                match special.name.bits().max(8) == ty.bits() {
                    true => text,
                    false => format!("({}){text}", c_type(ty)),
                }
            }
            Operand::Symbol(symbol, offset) => {
                let address = self.address_of(symbol, offset.get())?;
                if ty.bits() == 64 { address } else { format!("({}){address}", c_type(ty)) }
            }
            _ => return Err(self.refuse("an operand of this form is not expected here")),
        })
    }

    /// The type of a float of C that an operand names; `None` for anything else.
    fn float(&self, operand: &Operand) -> Option<Type> {
        match *operand {
            Operand::Reg(reg) => self.names.float(reg),
            _ => None,
        }
    }

    /// Source `index` as a float of C, with any NaN.
    ///
    /// # Errors
    /// See [`View::source`].
    pub(crate) fn float_source(&self, index: usize, ty: Type) -> Result<String, Refusal> {
        let operand = self.operand(index)?;
        match (self.float(operand), self.register(operand)) {
            (Some(declared), Some((name, _))) if declared == ty => Ok(name),
            _ => Ok(format!("pxrw_{}({})", ty.text(), self.value(operand, ty)?)),
        }
    }

    /// The bits of source `index`, with any NaN: for operations for which all are the same.
    ///
    /// # Errors
    /// See [`View::source`].
    pub(crate) fn any_nan(&self, index: usize, ty: Type) -> Result<String, Refusal> {
        let operand = self.operand(index)?;
        match (self.float(operand), self.register(operand)) {
            (Some(declared), Some((name, _))) if declared == ty => Ok(format!("pxrw_bits{}({name})", ty.bits())),
            _ => self.value(operand, ty),
        }
    }

    /// A statement that gives operand 0 a float of C.
    ///
    /// # Errors
    /// See [`View::assign`].
    pub(crate) fn assign_float(&self, ty: Type, value: &str) -> Result<String, Refusal> {
        match (self.float(self.operand(0)?), self.result(0)?) {
            (Some(declared), Some((name, _))) if declared == ty => Ok(format!("{name} = {value};")),
            _ => self.assign(ty, &format!("pxrw_canonical_{}({value})", ty.text())),
        }
    }

    /// Predicate `index`, as an expression that is 0 or 1.
    pub(crate) fn predicate(&self, index: usize) -> Result<String, Refusal> {
        match *self.operand(index)? {
            Operand::Not(reg) => Ok(format!("!{}", self.names.reg(reg))),
            Operand::Int(value) => Ok(u8::from(value != 0).to_string()),
            ref operand => match self.register(operand) {
                Some((name, Type::Pred)) => Ok(name),
                _ => Err(self.refuse(format!("operand {} must be a predicate", index + 1))),
            },
        }
    }

    /// The variable of result `index`, with its type; `None` for `_`.
    pub(crate) fn result(&self, index: usize) -> Result<Option<(String, Type)>, Refusal> {
        match self.operand(index)? {
            Operand::Sink => Ok(None),
            operand => match self.register(operand) {
                Some(found) => Ok(Some(found)),
                None => Err(self.refuse("the result must be a register")),
            },
        }
    }

    /// The two results of `d|p`: a variable each, `None` for `_` and for one that is not there.
    pub(crate) fn results(&self) -> Result<[Option<String>; 2], Refusal> {
        match *self.operand(0)? {
            Operand::Pair(first, second) => {
                let name = |reg: Option<Reg>| reg.map(|reg| self.names.reg(reg).to_owned());
                Ok([name(first.expand()), name(second.expand())])
            }
            _ => Ok([self.result(0)?.map(|(name, _)| name), None]),
        }
    }

    /// A statement that gives operand 0 a value of the width of `ty`; a wider register gets zeros above it.
    pub(crate) fn assign(&self, ty: Type, value: &str) -> Result<String, Refusal> {
        if let (Some(float), Some((name, _))) = (self.float(self.operand(0)?), self.result(0)?) {
            return Ok(format!("{name} = pxrw_{}({value});", float.text()));
        }
        match self.result(0)? {
            None => Ok(format!("(void)({value});")),
            Some((name, declared)) if declared.bits() >= ty.bits() => Ok(format!("{name} = {value};")),
            Some((name, _)) => Err(self.refuse(format!("the register `{name}` is narrower than `{ty}`"))),
        }
    }

    /// `d = function(a, b, …);` with as many sources as there are types.
    pub(crate) fn call(&self, result: Type, function: &str, sources: &[Type]) -> Result<String, Refusal> {
        let arguments = sources.iter().enumerate().map(|(index, &ty)| self.source(index + 1, ty));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        self.assign(result, &format!("{function}({})", arguments.join(", ")))
    }

    /// A special register, as an expression of its own width.
    fn special(&self, special: Special) -> Result<String, Refusal> {
        use SpecialName::*;
        let axis = |name: &str| match special.component {
            Some(Component::X) => Ok(format!("{name}.x")),
            Some(Component::Y) => Ok(format!("{name}.y")),
            Some(Component::Z) => Ok(format!("{name}.z")),
            Some(Component::W) => Ok("0u".to_owned()),
            None => Err(self.refuse(format!("`{special}` has four components here"))),
        };
        match special.name {
            Tid => axis("tid"),
            Ntid => axis("cta->block"),
            Ctaid => axis("cta->ctaid"),
            Nctaid => axis("cta->grid"),
            Laneid => Ok("lane".to_owned()),
            Warpid => Ok("warp".to_owned()),
            Nwarpid => Ok("cta->warps".to_owned()),
            Envreg(1) => Ok("(uint32_t)(cta->workspace >> 32)".to_owned()),
            Envreg(2) => Ok("(uint32_t)cta->workspace".to_owned()),
            Smid | Gridid | Envreg(_) => Ok("0u".to_owned()),
            Nsmid => Ok("1u".to_owned()),
            IsExplicitCluster => Ok("0u".to_owned()),
            Clusterid => axis("cta->ctaid"),
            Nclusterid => axis("cta->grid"),
            ClusterCtaid => Ok("0u".to_owned()),
            ClusterNctaid => Ok(if special.component == Some(Component::W) { "0u" } else { "1u" }.to_owned()),
            ClusterCtarank => Ok("0u".to_owned()),
            ClusterNctarank => Ok("1u".to_owned()),
            LanemaskEq => Ok("(1u << lane)".to_owned()),
            LanemaskLe => Ok("(2u << lane) - 1u".to_owned()).map(|text| format!("({text})")),
            LanemaskLt => Ok("((1u << lane) - 1u)".to_owned()),
            LanemaskGe => Ok("(~0u << lane)".to_owned()),
            LanemaskGt => Ok("(~1u << lane)".to_owned()),
            Clock => Ok("(uint32_t)pxrw_clock()".to_owned()),
            ClockHi => Ok("(uint32_t)(pxrw_clock() >> 32)".to_owned()),
            Clock64 => Ok("pxrw_clock()".to_owned()),
            Globaltimer => Ok("pxrw_nanoseconds()".to_owned()),
            GlobaltimerLo => Ok("(uint32_t)pxrw_nanoseconds()".to_owned()),
            GlobaltimerHi => Ok("(uint32_t)(pxrw_nanoseconds() >> 32)".to_owned()),
            TotalSmem | AggrSmem => Ok("cta->shared_bytes".to_owned()),
            ReservedSmemBegin | ReservedSmem0 => Ok("(cta->window_bytes - PXRW_RESERVED_SHARED)".to_owned()),
            ReservedSmem1 => Ok("(cta->window_bytes - PXRW_RESERVED_SHARED / 2)".to_owned()),
            ReservedSmemEnd | ReservedSmemCap => Ok("cta->window_bytes".to_owned()),
            DynamicSmem => Ok("cta->dynamic_shared_bytes".to_owned()),
            _ => Err(self.refuse(format!("`{special}` has no meaning on a CPU"))),
        }
    }

    /// The place of a function.
    pub(crate) fn function(&self, name: &str) -> Result<Place, Refusal> {
        let place = self.module.place(name).cloned();
        place.ok_or_else(|| self.refuse(format!("`{name}` is declared nowhere")))
    }

    /// The place of a symbol.
    pub(crate) fn place(&self, symbol: ptx_parser::Symbol) -> Result<Place, Refusal> {
        self.names.place(self.kernel, self.module, symbol).ok_or_else(|| unknown(self.kernel, symbol))
    }

    /// The address of a symbol plus an offset in its own state space, as a `uint64_t`. Addresses of parameters, and of global and constant variables, are
    /// those of the host.
    pub(crate) fn address_of(&self, symbol: ptx_parser::Symbol, offset: i64) -> Result<String, Refusal> {
        let plus =
            |text: String| if offset == 0 { text } else { format!("({text} + UINT64_C({}))", offset.cast_unsigned()) };
        Ok(match self.place(symbol)? {
            Place::Shared(at) | Place::Local(at) => format!("UINT64_C({})", at.wrapping_add_signed(offset)),
            Place::DynamicShared => plus("(uint64_t)pxrw_dynamic_shared(cta)".to_owned()),
            Place::Global(name) => plus(format!("(uint64_t)(uintptr_t){name}")),
            Place::Call(at) => plus(format!("((uint64_t)(uintptr_t)local + {at})")),
            Place::Param(at) => plus(format!("((uint64_t)(uintptr_t)params + {at})")),
            Place::Result(at) => plus(format!("((uint64_t)(uintptr_t)results + {at})")),
            Place::Function(_) if !self.module.has_body(self.kernel.symbol_name(symbol)) => {
                return Err(self.refuse(format!("the module has no body of `{}`", self.kernel.symbol_name(symbol))));
            }
            Place::Function(name) => plus(format!("(uint64_t)(uintptr_t){name}")),
        })
    }

    /// The memory that operand `index` names, in a state space, as an expression of type `unsigned char *`.
    pub(crate) fn address(&self, index: usize, space: Space) -> Result<String, Refusal> {
        let Operand::Address(base, offset) = *self.operand(index)? else {
            return Err(self.refuse(format!("operand {} must be an address", index + 1)));
        };
        let bytes = offset.get();
        let number = match base {
            Base::Reg(reg) => {
                let (name, ty) = (self.names.reg(reg), self.kernel.reg(reg).ty);
                if ty == Type::Pred {
                    return Err(self.refuse("a predicate is not an address"));
                }
                if space == Space::Shared
                    && let Some(row) = self.names.row_address(reg)
                {
                    return Ok(match bytes {
                        0 => format!("(cta->shared + {row})"),
                        _ => format!("(cta->shared + ({row} + {bytes}))"),
                    });
                }
                match space {
                    _ if bytes == 0 => name.to_owned(),
                    // Addresses in the memory of a block have 32 bits.
                    Space::Shared => format!("(uint32_t)({name} + UINT32_C({}))", bytes as u32),
                    _ => format!("({name} + UINT64_C({}))", bytes.cast_unsigned()),
                }
            }
            Base::Absolute => format!("UINT64_C({})", bytes.cast_unsigned()),
            Base::Symbol(symbol) => match self.place(symbol)? {
                Place::Shared(at) => return Ok(format!("(cta->shared + {})", at.wrapping_add_signed(bytes))),
                Place::Local(at) => return Ok(format!("(local + {})", at.wrapping_add_signed(bytes))),
                Place::DynamicShared => return Ok(format!("(cta->shared + pxrw_dynamic_shared(cta) + {bytes})")),
                Place::Global(name) => return Ok(format!("({name} + {bytes})")),
                Place::Call(at) => return Ok(format!("(local + {})", at.wrapping_add_signed(bytes))),
                Place::Param(at) => return Ok(format!("(params + {})", at.wrapping_add_signed(bytes))),
                Place::Result(at) => return Ok(format!("(results + {})", at.wrapping_add_signed(bytes))),
                Place::Function(_) => return Err(self.refuse("a function has no bytes")),
            },
        };
        Ok(match space {
            // An address of local memory that was made from a generic one may be in the memory of a caller, which is another object of C.
            Space::Local => format!("(unsigned char *)((uintptr_t)local + {number})"),
            Space::Shared => format!("(cta->shared + {number})"),
            _ => format!("(unsigned char *)(uintptr_t){number}"),
        })
    }
}

/// A constant of C with the low bits of a value.
pub(crate) fn literal(bits: u64, ty: Type) -> String {
    match c_type(ty) {
        "uint8_t" => format!("UINT8_C({})", bits as u8),
        "uint16_t" => format!("UINT16_C({})", bits as u16),
        "uint32_t" => {
            let bits = bits as u32;
            // Small numbers read better in decimal, patterns of bits in hexadecimal.
            if bits < 1 << 16 { format!("{bits}u") } else { format!("0x{bits:x}u") }
        }
        _ => {
            if bits < 1 << 16 {
                format!("UINT64_C({bits})")
            } else {
                format!("UINT64_C(0x{bits:x})")
            }
        }
    }
}
