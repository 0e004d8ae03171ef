//! The accesses of a kernel to the memory that its parameters point to: what there is to know of the elements of a buffer where no C++ type is
//! at hand.
//!
//! Addresses are followed from `ld.param` through moves and sums. A pointer that goes anywhere else (into memory, a call, any other
//! arithmetic) may be used in ways that are not seen, and nothing is said of it.
//!
//! Of a structure by value, the loads of floating-point types say where such fields lie. Others may be parts or copies of fields.

use std::collections::{BTreeSet, HashMap};

use ptx_parser::{Base, Flow, Inst, Kernel, Linear, Memory, Operand, Reg, Running, Space, StmtKind, Type};

/// All accesses through a parameter, where they are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// They have this floating-point type.
    Float(Type),
    /// They are of so many bytes each, one at a time, of integers or of bits, which may be anything.
    Words(u32),
}

/// The accesses through each parameter; `None` where there are none, not all are seen, or they differ.
pub(super) fn of(kernel: &Kernel) -> Vec<Option<Access>> {
    let mut pointers = Pointers { kernel, origins: HashMap::new(), lost: BTreeSet::new(), seen: HashMap::new() };
    let insts: Vec<Inst> = kernel.stmts().iter().filter_map(inst).collect();
    // Origins are only added, so that this ends.
    let mut grown = true;
    while grown {
        grown = false;
        for &inst in &insts {
            grown |= pointers.follow(inst);
        }
    }
    insts.iter().for_each(|&inst| pointers.look_at(inst));
    let each = 0..kernel.params().len();
    each.map(|index| if pointers.lost.contains(&index) { None } else { alike(pointers.seen.get(&index)?) }).collect()
}

/// The offsets in a parameter, in bytes, from which the kernel loads floating-point numbers, each with its type.
pub(super) fn floats_loaded(kernel: &Kernel, parameter: &ptx_parser::Parameter) -> Vec<(u64, Type)> {
    let loads = kernel.stmts().iter().filter_map(inst).filter_map(|inst| {
        let properties = kernel.properties(inst);
        let is_load = properties.memory == Memory::Read && properties.space == Some(Space::Param);
        let &ty = kernel.opcode(inst).types().last().filter(|ty| is_load && matches!(ty, Type::F32 | Type::F64))?;
        let mut addresses = kernel.operands(inst).iter().filter_map(|operand| match operand {
            Operand::Address(Base::Symbol(symbol), offset) => Some((*symbol, offset.get())),
            _ => None,
        });
        let (_, offset) = addresses.next().filter(|(symbol, _)| kernel.symbol_name(*symbol) == &*parameter.name)?;
        let first = u64::try_from(offset).ok()?;
        let each = kernel.defs(inst).len() as u64;
        Some((0..each).map(move |index| (first + index * u64::from(ty.bytes()), ty)))
    });
    let mut loads: Vec<(u64, Type)> = loads.flatten().collect();
    loads.sort_by_key(|&(offset, ty)| (offset, ty.bytes()));
    loads.dedup();
    loads
}

fn inst(stmt: &ptx_parser::Stmt) -> Option<Inst> {
    match stmt.kind {
        StmtKind::Inst(inst) => Some(inst),
        _ => None,
    }
}

/// Returns what accesses have in common. Each is a type, and true if it is a vector of them.
fn alike(accesses: &[(Type, bool)]) -> Option<Access> {
    let &(first, _) = accesses.first()?;
    let floats = |&(ty, _): &(Type, bool)| ty == first && matches!(ty, Type::F32 | Type::F64);
    let words = |&(ty, vector): &(Type, bool)| !ty.is_float() && !vector && ty.bytes() == first.bytes();
    match () {
        () if accesses.iter().all(floats) => Some(Access::Float(first)),
        () if accesses.iter().all(words) && matches!(first.bytes(), 2 | 4 | 8) => Some(Access::Words(first.bytes())),
        () => None,
    }
}

struct Pointers<'k> {
    kernel: &'k Kernel,
    /// The parameters that the value of a register may be computed from.
    origins: HashMap<Reg, BTreeSet<usize>>,
    /// Parameters that are used in ways that are not followed.
    lost: BTreeSet<usize>,
    seen: HashMap<usize, Vec<(Type, bool)>>,
}

impl Pointers<'_> {
    fn parameter(&self, symbol: ptx_parser::Symbol) -> Option<usize> {
        let name = self.kernel.symbol_name(symbol);
        self.kernel.params().iter().position(|parameter| &*parameter.name == name)
    }

    /// The parameter that an instruction loads as a whole into one register.
    fn loaded(&self, inst: Inst) -> Option<(Reg, usize)> {
        let properties = self.kernel.properties(inst);
        let [Operand::Reg(reg), Operand::Address(Base::Symbol(symbol), offset)] = self.kernel.operands(inst) else {
            return None;
        };
        let loads = properties.memory == Memory::Read && properties.space == Some(Space::Param);
        let whole = loads && offset.get() == 0 && self.kernel.opcode(inst).types().last()?.bytes() == 8;
        Some((*reg, self.parameter(*symbol).filter(|_| whole)?))
    }

    /// Adds to the origins of what an instruction writes; says whether there are more than before.
    fn follow(&mut self, inst: Inst) -> bool {
        let from: BTreeSet<usize> = match self.loaded(inst) {
            Some((_, index)) => BTreeSet::from([index]),
            None if self.passes_on(inst) => self.origins_of(&self.kernel.uses(inst)),
            None => return false,
        };
        let mut grown = false;
        if !from.is_empty() {
            for reg in self.kernel.defs(inst) {
                let known = self.origins.entry(reg).or_default();
                let before = known.len();
                known.extend(&from);
                grown |= known.len() > before;
            }
        }
        grown
    }

    /// Returns true if the result of an instruction is an address in the memory that its operands point to.
    fn passes_on(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        let sum =
            matches!(properties.linear, Some(Linear::Same | Linear::Sum | Linear::Difference | Linear::ProductSum));
        sum || properties.running == Some(Running::Choice)
    }

    /// Returns true if an instruction only looks at its operands: it writes predicates or nothing, as comparisons and prefetches do.
    fn only_looks(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        let writes = self.kernel.defs(inst).iter().any(|&reg| self.kernel.reg(reg).ty != Type::Pred);
        properties.memory == Memory::None && properties.flow == Flow::Next && !writes
    }

    fn origins_of(&self, regs: &[Reg]) -> BTreeSet<usize> {
        regs.iter().filter_map(|reg| self.origins.get(reg)).flatten().copied().collect()
    }

    /// Notes an access, or that an address is lost.
    fn look_at(&mut self, inst: Inst) {
        let kernel = self.kernel;
        if self.loaded(inst).is_some() {
            return;
        }
        let mut named = BTreeSet::new();
        kernel.visit_symbols(inst, |symbol| named.extend(self.parameter(symbol)));
        self.lost.extend(named);
        if self.passes_on(inst) || self.only_looks(inst) {
            return;
        }
        let uses = kernel.uses(inst);
        let address = kernel.operands(inst).iter().find_map(|operand| match operand {
            Operand::Address(Base::Reg(reg), _) => Some(*reg),
            _ => None,
        });
        let accesses = matches!(kernel.properties(inst).memory, Memory::Read | Memory::Write | Memory::Atomic);
        let (Some(address), Some(&ty), true) = (address, kernel.opcode(inst).types().last(), accesses) else {
            self.lost.extend(self.origins_of(&uses));
            return;
        };
        let values: Vec<Reg> = uses.iter().copied().filter(|&reg| reg != address).collect();
        self.lost.extend(self.origins_of(&values));
        let to = self.origins_of(&[address]);
        match to.first() {
            Some(&one) if to.len() == 1 => {
                let vector = kernel.operands(inst).iter().any(|operand| matches!(operand, Operand::Vector(..)));
                self.seen.entry(one).or_default().push((ty, vector));
            }
            _ => self.lost.extend(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use super::*;

    fn accesses(body: &str) -> Vec<Option<Access>> {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u64 b) {{\n\
             .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<3>; .shared .b64 s;\n\
             ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n{body}\nret; }}\n"
        );
        of(&Module::parse(&text).unwrap().kernels()[0])
    }

    #[test]
    fn pointers_are_followed_to_their_accesses() {
        let body = "cvta.to.global.u64 %rd3, %rd1; mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;\n\
            ld.global.f32 %f1, [%rd5+8]; setp.eq.s64 %p1, %rd2, 0; @%p1 ret; prefetch.global.L2 [%rd1]; st.global.u32 [%rd2], %r1;\n\
            atom.global.add.u32 %r2, [%rd2], 1; ld.global.nc.v2.f32 {%f1, %f2}, [%rd5];";
        assert_eq!(accesses(body), [Some(Access::Float(Type::F32)), Some(Access::Words(4))]);
    }

    #[test]
    fn nothing_is_said_of_what_is_not_all_seen() {
        let float = "ld.global.f32 %f1, [%rd1];";
        for more in [
            "st.global.u64 [%rd2], %rd1;",
            "st.shared.u64 [s], %rd1;",
            "and.b64 %rd3, %rd1, 7;",
            "cvt.rn.f32.u64 %f1, %rd1;",
            "mov.u64 %rd3, a;",
            "ld.param.u32 %r1, [a];",
            "selp.b64 %rd3, %rd1, %rd2, %p1; ld.global.u32 %r1, [%rd3];",
            "ld.global.u32 %r1, [%rd1];",
            "ld.global.f64 %rd3, [%rd1];",
        ] {
            assert_eq!(accesses(&format!("{float}{more}"))[0], None, "{more}");
        }
        assert_eq!(accesses(float), [Some(Access::Float(Type::F32)), None]);
        assert_eq!(accesses("ld.global.v2.u32 {%r1, %r2}, [%rd1]; ld.global.u8 %r1, [%rd2];"), [None, None]);
    }
}
