//! The objects that a value may be an address in.
//!
//! A value that is made from an address, by adding, choosing or masking, is an address in the same object. A product, and what any
//! operation makes of indices, is an index. An index that is added to an address leads to its object; one that is used as
//! an address, or where an address is chosen instead, may have been put together from the halves of one, and leads anywhere. So may what comes from memory.

use cranelift_entity::SecondaryMap;
use ptx_parser::{Base, Inst, Kernel, KernelKind, Memory, Mnemonic, Operand, Reg, Space, Symbol};
use smallvec::SmallVec;

use crate::cfg::Cfg;
use crate::ssa::{Value, ValueKind, Values};

/// An object, by what leads to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A variable of the module or the kernel.
    Variable(Symbol),
    /// The shared memory whose size the launch decides: all `extern` arrays begin at one address (PTX ISA, "Dynamic shared memory").
    DynamicShared,
    /// The pointer in a parameter of the kernel, at an offset in bytes.
    Parameter(Symbol, i64),
}

/// The most objects that are told apart.
const MOST: usize = 8;

/// The objects that a value may be an address in.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bases {
    origins: SmallVec<[Origin; 2]>,
    /// It may be an address in any other object, too.
    unknown: bool,
    /// It may be a computed number.
    index: bool,
}

impl Bases {
    /// Any object.
    #[must_use]
    pub fn unknown() -> Bases {
        Bases { unknown: true, ..Bases::default() }
    }

    /// One object.
    #[must_use]
    pub fn one(origin: Origin) -> Bases {
        Bases { origins: SmallVec::from_slice(&[origin]), ..Bases::default() }
    }

    /// A computed number.
    fn index() -> Bases {
        Bases { index: true, ..Bases::default() }
    }

    /// Returns true if it is made from no address that is known of.
    fn is_number(&self) -> bool {
        self.origins.is_empty() && !self.unknown
    }

    /// The known objects, each once.
    #[must_use]
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// Returns true if it may be an address in an object that is not listed. A value that is made from no address is one that nobody
    /// knows, if it is used as an address.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.unknown || self.index || self.origins.is_empty()
    }

    /// The object, if there is but one that it can be.
    #[must_use]
    pub fn only(&self) -> Option<Origin> {
        match self.origins[..] {
            [only] if !self.is_unknown() => Some(only),
            _ => None,
        }
    }

    fn add(&mut self, other: &Bases) {
        self.unknown |= other.unknown;
        self.index |= other.index;
        for &origin in &other.origins {
            if let Err(at) = self.origins.binary_search(&origin) {
                self.origins.insert(at, origin);
            }
        }
        if self.origins.len() > MOST {
            *self = Bases::unknown();
        }
    }
}

/// The objects of every value.
#[derive(Clone, Debug)]
pub struct Provenance {
    bases: SecondaryMap<Value, Bases>,
}

impl Provenance {
    /// Computes the table: sets only grow, so that it ends.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &Cfg, values: &Values) -> Provenance {
        let mut provenance = Provenance { bases: SecondaryMap::with_capacity(values.count()) };
        for value in values.iter() {
            if matches!(values.kind(value), ValueKind::Undefined(_)) {
                provenance.bases[value] = Bases::unknown();
            }
        }
        loop {
            let mut changed = false;
            for &block in cfg.reverse_postorder() {
                for &phi in values.phis(block) {
                    let mut bases = provenance.bases[phi].clone();
                    values.phi_inputs(phi).iter().for_each(|&(_, input)| bases.add(&provenance.bases[input]));
                    changed |= provenance.set(phi, bases);
                }
                for &inst in cfg.insts(block) {
                    for &(reg, value) in values.defs(inst) {
                        let mut bases = provenance.result(kernel, values, inst, reg);
                        if let Some(old) = values.old(value) {
                            bases.add(&provenance.bases[old]);
                        }
                        changed |= provenance.set(value, bases);
                    }
                }
            }
            if !changed {
                return provenance;
            }
        }
    }

    /// The objects that a value may be an address in.
    #[must_use]
    pub fn bases(&self, value: Value) -> &Bases {
        &self.bases[value]
    }

    fn set(&mut self, value: Value, bases: Bases) -> bool {
        let changed = self.bases[value] != bases;
        self.bases[value] = bases;
        changed
    }

    /// The objects of what an instruction makes.
    fn result(&self, kernel: &Kernel, values: &Values, inst: Inst, reg: Reg) -> Bases {
        let properties = kernel.properties(inst);
        let bits = kernel.reg(reg).ty.bits();
        if !properties.known {
            return Bases::unknown();
        }
        if properties.memory != Memory::None || !properties.is_pure() {
            return match parameter(kernel, inst) {
                Some((symbol, offset)) if bits == 64 => Bases::one(Origin::Parameter(symbol, offset)),
                // An index, or half an address.
                _ if bits < 64 => Bases::index(),
                _ => Bases::unknown(),
            };
        }
        let family = kernel.opcode(inst).mnemonic();
        if matches!(
            family,
            Mnemonic::Mul
                | Mnemonic::Shl
                | Mnemonic::Shr
                | Mnemonic::Div
                | Mnemonic::Rem
                | Mnemonic::Popc
                | Mnemonic::Clz
                | Mnemonic::Bfind
        ) {
            return Bases::index();
        }
        let mut bases = Bases::default();
        let first = if family == Mnemonic::Mad { 3 } else { 1 };
        // The third one only says which of two is chosen.
        let last = if matches!(family, Mnemonic::Selp | Mnemonic::Slct) { 3 } else { kernel.operands(inst).len() };
        (first..last).for_each(|index| bases.add(&self.operand(kernel, values, inst, index)));
        if bases.is_number() {
            bases.index |= !matches!(family, Mnemonic::Mov | Mnemonic::Cvta);
            return bases;
        }
        // An index only leads to another place in the object.
        let chooses = matches!(family, Mnemonic::Selp | Mnemonic::Slct | Mnemonic::Min | Mnemonic::Max);
        bases.index &= chooses || matches!(family, Mnemonic::Mov | Mnemonic::Cvta | Mnemonic::Cvt);
        let keeps = matches!(
            family,
            Mnemonic::Mov
                | Mnemonic::Cvta
                | Mnemonic::Cvt
                | Mnemonic::Add
                | Mnemonic::Sub
                | Mnemonic::Mad
                | Mnemonic::Selp
                | Mnemonic::Slct
                | Mnemonic::Min
                | Mnemonic::Max
                | Mnemonic::And
                | Mnemonic::Neg
                | Mnemonic::Abs
                | Mnemonic::Not
        );
        let copied = kernel.operands(inst).get(1).is_none_or(|operand| operand.list().is_none());
        // It may be put together from pieces.
        if bits == 64 && !(keeps && copied) {
            bases.unknown = true;
        }
        bases
    }

    fn operand(&self, kernel: &Kernel, values: &Values, inst: Inst, index: usize) -> Bases {
        match kernel.operands(inst).get(index) {
            Some(Operand::Reg(reg)) => {
                values.at_use(inst, *reg).map_or_else(Bases::unknown, |value| self.bases[value].clone())
            }
            Some(Operand::Symbol(symbol, _)) => Bases::one(origin(kernel, *symbol)),
            Some(Operand::Int(_) | Operand::Special(_)) | None => Bases::default(),
            Some(_) => Bases::unknown(),
        }
    }
}

/// The object of a name that is used as an address.
pub(super) fn origin(kernel: &Kernel, symbol: Symbol) -> Origin {
    let dynamic = kernel
        .variable_in_scope(symbol)
        .is_some_and(|variable| variable.space == Space::Shared && (variable.count.is_none() || variable.external));
    if dynamic { Origin::DynamicShared } else { Origin::Variable(symbol) }
}

/// The parameter of the kernel that an instruction loads, and the offset in it.
pub(super) fn parameter(kernel: &Kernel, inst: Inst) -> Option<(Symbol, i64)> {
    let properties = kernel.properties(inst);
    if kernel.kind() != KernelKind::Entry || properties.memory != Memory::Read || properties.space != Some(Space::Param)
    {
        return None;
    }
    kernel.operands(inst).iter().find_map(|operand| match operand {
        Operand::Address(Base::Symbol(symbol), offset) if kernel.variable(*symbol).is_none() => {
            Some((*symbol, offset.get()))
        }
        _ => None,
    })
}
