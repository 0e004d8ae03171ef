//! The memory accesses of instructions.

use ptx_parser::{Base, Flow, Inst, Memory, Operand, Space};

use super::affine::Affine;
use super::memory::MemoryDependence;
use super::provenance::{self, Bases};

/// An access to memory that is not constant: what is known of the bytes.
#[derive(Clone, Debug)]
pub struct Access {
    /// The instruction.
    pub inst: Inst,
    /// It reads.
    pub reads: bool,
    /// It writes.
    pub writes: bool,
    /// The state space; `None` where it can be any.
    pub space: Option<Space>,
    /// The objects that the address may be in.
    pub bases: Bases,
    /// The address as a sum, if it is one.
    pub address: Option<Affine>,
    /// The number of bytes that are accessed at most.
    pub bytes: i64,
    /// It goes through the non-coherent cache (PTX ISA, "ld.global.nc"): by the program's word, nothing writes there meanwhile.
    pub noncoherent: bool,
}

impl MemoryDependence<'_> {
    /// Returns the access of an instruction; `None` if it accesses no memory, or only such as does not change: constants and parameters. Calls and what is
    /// unknown may access everything.
    #[must_use]
    pub fn access(&self, inst: Inst) -> Option<Access> {
        let kernel = self.kernel;
        let properties = kernel.properties(inst);
        let anything = Access {
            inst,
            reads: true,
            writes: true,
            space: None,
            bases: Bases::unknown(),
            address: None,
            bytes: i64::MAX,
            noncoherent: false,
        };
        let (reads, writes) = match properties.memory {
            _ if properties.flow == Flow::Call || !properties.known => return Some(anything),
            Memory::Read => (true, false),
            Memory::Write => (false, true),
            Memory::Atomic => (true, true),
            Memory::Unknown => return Some(anything),
            Memory::None | Memory::Fence => return None,
        };
        let named = match properties.space {
            Some(Space::Const | Space::Param) => return None,
            Some(Space::Generic) | None => None,
            space => space,
        };
        let (base, offset) = match self.addresses(inst)[..] {
            [only] => only,
            [] => return Some(Access { reads, writes, space: named, ..anything }),
            // Copies read one and write the other.
            _ => return Some(anything),
        };
        let bases = match base {
            Base::Reg(reg) => {
                self.values.at_use(inst, reg).map_or_else(Bases::unknown, |value| self.provenance.bases(value).clone())
            }
            Base::Symbol(symbol) => Bases::one(provenance::origin(kernel, symbol)),
            Base::Absolute => Bases::unknown(),
        };
        let space = named.or_else(|| self.common_space(&bases));
        Some(Access {
            inst,
            reads,
            writes,
            space,
            address: self.affines().address(inst, base, offset),
            bases,
            bytes: self.bytes(inst),
            noncoherent: kernel.opcode(inst).is_noncoherent(),
        })
    }

    /// The address operands of an instruction: bases and offsets in bytes.
    pub(super) fn addresses(&self, inst: Inst) -> Vec<(Base, i64)> {
        let mut addresses = Vec::new();
        self.kernel.visit_operands(inst, |operand| {
            if let Operand::Address(base, offset) = operand {
                addresses.push((*base, offset.get()));
            }
        });
        addresses
    }

    /// The state space of all objects that an address may be in.
    fn common_space(&self, bases: &Bases) -> Option<Space> {
        if bases.is_unknown() {
            return None;
        }
        let mut spaces = bases.origins().iter().map(|&origin| self.space_of(origin));
        let first = spaces.next()??;
        spaces.all(|space| space == Some(first)).then_some(first)
    }

    /// Returns how many bytes an instruction accesses at most.
    fn bytes(&self, inst: Inst) -> i64 {
        let ty = self.kernel.opcode(inst).types().iter().map(|ty| i64::from(ty.bytes())).max().unwrap_or(16);
        let lists = self.kernel.operands(inst).iter().filter_map(Operand::list);
        let lanes = lists.map(|list| self.kernel.list(list).len()).max();
        ty * lanes.map_or(1, |lanes| lanes.max(1) as i64)
    }
}

impl Access {
    /// Returns what is known of it, in one line.
    #[must_use]
    pub fn text(&self, of: &MemoryDependence<'_>) -> String {
        let does = match (self.reads, self.writes) {
            (true, true) => "updates",
            (false, true) => "writes",
            _ => "reads",
        };
        let space = self.space.map_or("any space", |space| space.text());
        let at = self.address.as_ref().map_or_else(|| "?".to_owned(), |sum| sum.text(of.kernel, of.values));
        let mut objects: Vec<String> = self.bases.origins().iter().map(|&origin| of.origin_name(origin)).collect();
        if self.bases.is_unknown() {
            objects.push("anything".to_owned());
        }
        let bytes = if self.bytes == i64::MAX { "any".to_owned() } else { self.bytes.to_string() };
        let opcode = of.kernel.opcode(self.inst);
        format!("{opcode} {does} {bytes} bytes of {space} at {at}, in {}", objects.join(" or "))
    }
}
