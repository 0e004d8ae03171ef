//! Local memory: instructions that may access it, and addresses of it that escape.
//!
//! Each thread has local memory of its own, and a path runs in another thread than the one that its iteration belongs to. So a path may neither access local
//! memory nor compute with addresses of it. An instruction *touches* local memory if it names a local variable, or reads a register that may hold an
//! address derived from one. This is found without regard to order, so that no control flow is missed. What is loaded through such an address is one if any is
//! stored where that may be local memory. (One that comes back from elsewhere has escaped; see below.)
//!
//! Such an address *escapes* if it is stored to memory, or passed to a function that may keep it. From then on, any address that is loaded or
//! returned by a call may be one of local memory. A path may then use an address for a generic access only if it is known to be none:
//!
//! - Its value is a sum. At least one summand is the address of a known object: a parameter of the kernel or constant memory, which the host fills and the
//!   host has no address of local memory; a variable that is not local; what `cvta` makes of a global, shared, constant or parameter address.
//! - Every other summand is no address: a number of 32 bits or less, or a product. (No sum leads from one object to another: PTX and C++ leave it
//!   undefined. A loaded number of 64 bits may be an address, and then the other summand may be an offset.)
//! - Where several values meet, this holds for each.
//!
//! Accesses that name a state space other than `.local` reach no local memory, whatever the register holds.

use analysis::{Cfg, Value, ValueKind, Values, is_repeatable};
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx_parser::{Base, Flow, Inst, Kernel, Linear, Memory, Mnemonic, Modifier, Operand, Reg, Space, Symbol};

/// Functions that read through their arguments, and keep none.
const KEEP_NOTHING: &[&str] = &["vprintf", "__assertfail"];

/// The local memory of a kernel.
#[derive(Debug)]
pub(crate) struct Local {
    touching: EntitySet<Inst>,
    /// An instruction by which an address escapes, and what is known of other addresses.
    escape: Option<(Inst, SecondaryMap<Value, Summand>)>,
}

impl Local {
    /// Finds out.
    pub(crate) fn of(kernel: &Kernel, cfg: &Cfg, values: &Values) -> Local {
        let all: Vec<Inst> = cfg.blocks().flat_map(|block| cfg.insts(block).to_vec()).collect();
        let mut addresses = Addresses::of(kernel, &all, false);
        // What was stored may be loaded again.
        if all.iter().any(|&inst| addresses.touching.contains(inst) && stores(kernel, inst, &addresses.registers)) {
            addresses = Addresses::of(kernel, &all, true);
        }
        let Addresses { registers, touching } = addresses;
        let mut near = all.iter().copied().filter(|&inst| touching.contains(inst));
        let escape = near.find(|&inst| lets_escape(kernel, inst, &registers, &all));
        Local { touching, escape: escape.map(|inst| (inst, summands(kernel, cfg, values))) }
    }

    /// Returns true if an instruction has to do with the address of a local variable.
    pub(crate) fn touches(&self, inst: Inst) -> bool {
        self.touching.contains(inst)
    }

    /// Returns the instruction by which an address escapes, if another one may access local memory through it.
    pub(crate) fn reached_by(&self, kernel: &Kernel, values: &Values, inst: Inst) -> Option<Inst> {
        let (escape, summands) = self.escape.as_ref()?;
        let properties = kernel.properties(inst);
        let accesses = !matches!(properties.memory, Memory::None | Memory::Fence);
        if !accesses || properties.space.is_some_and(|space| space != Space::Generic) {
            return None;
        }
        let mut known = true;
        kernel.visit_operands(inst, |operand| {
            if let Operand::Address(Base::Reg(reg), _) = operand {
                let summand = values.at_use(inst, *reg).map_or(Summand::Unknown, |value| summands[value]);
                known &= summand == Summand::Object;
            }
        });
        (!known).then_some(*escape)
    }
}

/// Addresses derived from local variables.
struct Addresses {
    /// The registers that may hold one.
    registers: EntitySet<Reg>,
    touching: EntitySet<Inst>,
}

impl Addresses {
    /// Finds them. `loaded` says that what is loaded through one may be one.
    fn of(kernel: &Kernel, all: &[Inst], loaded: bool) -> Addresses {
        let (mut registers, mut touching) = (EntitySet::new(), EntitySet::new());
        loop {
            let mut changed = false;
            for &inst in all {
                if touching.contains(inst) {
                    continue;
                }
                let reads = kernel.reads(inst).into_iter().any(|reg| registers.contains(reg));
                if reads || makes_local(kernel, inst) {
                    touching.insert(inst);
                    let properties = kernel.properties(inst);
                    if loaded || !properties.known || properties.memory != Memory::Read {
                        kernel.defs(inst).into_iter().for_each(|reg| {
                            registers.insert(reg);
                        });
                    }
                    changed = true;
                }
            }
            if !changed {
                return Addresses { registers, touching };
            }
        }
    }
}

/// Returns true if an instruction may store an address in local memory, itself or by a function that it passes the address to.
fn stores(kernel: &Kernel, inst: Inst, addresses: &EntitySet<Reg>) -> bool {
    let properties = kernel.properties(inst);
    let only_computes =
        matches!(properties.memory, Memory::None | Memory::Read | Memory::Fence) && properties.flow != Flow::Call;
    let elsewhere = matches!(properties.space, Some(Space::Shared | Space::Global)) && properties.flow != Flow::Call;
    !properties.known || (!only_computes && !elsewhere && is_data(kernel, inst, addresses))
}

/// Returns true if what an instruction stores or passes on may be an address of local memory.
fn is_data(kernel: &Kernel, inst: Inst, addresses: &EntitySet<Reg>) -> bool {
    let mut is_data = false;
    kernel.visit_operands(inst, |operand| match operand {
        Operand::Reg(reg) | Operand::Component(reg, _) | Operand::Sum(reg, _) | Operand::Selected(reg, _) => {
            is_data |= addresses.contains(*reg);
        }
        Operand::Symbol(symbol, _) => is_data |= is_local(kernel, *symbol),
        _ => {}
    });
    is_data
}

/// Returns true if an instruction names a local variable, or makes local memory.
fn makes_local(kernel: &Kernel, inst: Inst) -> bool {
    let mut makes = matches!(kernel.opcode(inst).mnemonic(), Mnemonic::Alloca | Mnemonic::Stacksave);
    kernel.visit_symbols(inst, |symbol| makes |= is_local(kernel, symbol));
    makes
}

fn is_local(kernel: &Kernel, symbol: Symbol) -> bool {
    kernel.variable(symbol).is_some_and(|variable| variable.space == Space::Local)
}

/// Returns true if an instruction stores or passes on what may be an address of local memory.
fn lets_escape(kernel: &Kernel, inst: Inst, addresses: &EntitySet<Reg>, all: &[Inst]) -> bool {
    let is_data = is_data(kernel, inst, addresses);
    let target = kernel.operands(inst).iter().find_map(|operand| match operand {
        Operand::Address(Base::Symbol(symbol), _) => Some(*symbol),
        _ => None,
    });
    let properties = kernel.properties(inst);
    if !properties.known {
        return true;
    }
    match (properties.flow, properties.memory, properties.space) {
        (Flow::Call, ..) => is_data && !keeps_nothing(kernel, inst),
        (_, Memory::None | Memory::Read | Memory::Fence, _) => false,
        // Only through an address that is tainted itself can it be read again.
        (_, _, Some(Space::Local)) => false,
        (_, _, Some(Space::Param)) => {
            is_data && !target.is_some_and(|target| is_argument_of_harmless(kernel, target, all))
        }
        // An asynchronous copy reads memory that its operands address.
        (_, Memory::Unknown, _) => true,
        _ => is_data,
    }
}

fn keeps_nothing(kernel: &Kernel, call: Inst) -> bool {
    kernel.callee_name(call).is_some_and(|name| KEEP_NOTHING.contains(&name))
}

/// Returns true if a variable is passed to functions that keep nothing, and to no others.
fn is_argument_of_harmless(kernel: &Kernel, variable: Symbol, all: &[Inst]) -> bool {
    let mut calls = all.iter().copied().filter(|&inst| kernel.properties(inst).flow == Flow::Call).filter(|&call| {
        let passes = |operand: &Operand| matches!(operand, Operand::Symbol(symbol, _) if *symbol == variable);
        kernel.call_parts(call).arguments.iter().any(passes)
    });
    let first = calls.next();
    first.is_some_and(|first| keeps_nothing(kernel, first) && calls.all(|call| keeps_nothing(kernel, call)))
}

/// A value as a summand of an address.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Summand {
    /// Not computed yet.
    #[default]
    Open,
    /// An address in an object that is not in local memory.
    Object,
    /// No address.
    Number,
    /// Anything.
    Unknown,
}

impl Summand {
    /// Returns where values of several ways meet.
    fn meet(self, other: Summand) -> Summand {
        match (self, other) {
            (Summand::Open, summand) | (summand, Summand::Open) => summand,
            (one, other) if one == other => one,
            _ => Summand::Unknown,
        }
    }

    fn plus(self, other: Summand) -> Summand {
        match (self, other) {
            (Summand::Unknown, _) | (_, Summand::Unknown) => Summand::Unknown,
            (Summand::Open, _) | (_, Summand::Open) => Summand::Open,
            (Summand::Object, _) | (_, Summand::Object) => Summand::Object,
            (Summand::Number, Summand::Number) => Summand::Number,
        }
    }
}

/// The values of a kernel as summands.
fn summands(kernel: &Kernel, cfg: &Cfg, values: &Values) -> SecondaryMap<Value, Summand> {
    let mut table: SecondaryMap<Value, Summand> = SecondaryMap::new();
    // A summand goes from open to known to unknown, so that this ends.
    loop {
        let mut changed = false;
        for &block in cfg.reverse_postorder() {
            let defs = cfg.insts(block).iter().flat_map(|&inst| values.defs(inst).iter().map(|&(_, value)| value));
            for value in values.phis(block).iter().copied().chain(defs) {
                let found = table[value].meet(summand(kernel, values, &table, value));
                changed |= found != table[value];
                table[value] = found;
            }
        }
        if !changed {
            return table;
        }
    }
}

fn summand(kernel: &Kernel, values: &Values, table: &SecondaryMap<Value, Summand>, value: Value) -> Summand {
    let (inst, reg) = match values.kind(value) {
        ValueKind::Phi(..) => {
            let inputs = values.inputs(kernel, value).into_iter();
            return inputs.fold(Summand::Open, |all, input| all.meet(table[input]));
        }
        ValueKind::Undefined(_) => return Summand::Unknown,
        ValueKind::Def(..) if values.old(value).is_some() => return Summand::Unknown,
        ValueKind::Def(inst, reg) => (inst, reg),
    };
    // An address has 64 bits, and its halves are no summands of one.
    if kernel.reg(reg).ty.bits() <= 32 {
        return Summand::Number;
    }
    let operand = |index: usize| match kernel.operands(inst).get(index) {
        Some(Operand::Reg(reg)) => values.at_use(inst, *reg).map_or(Summand::Unknown, |value| table[value]),
        Some(Operand::Int(_) | Operand::Special(_)) => Summand::Number,
        Some(Operand::Symbol(symbol, _)) if !is_local(kernel, *symbol) => Summand::Object,
        _ => Summand::Unknown,
    };
    let opcode = kernel.opcode(inst);
    if opcode.mnemonic() == Mnemonic::Cvta && !opcode.has_any(&[Modifier::To, Modifier::Local]) {
        return Summand::Object;
    }
    match kernel.properties(inst).linear {
        Some(Linear::Same) => operand(1),
        Some(Linear::Sum | Linear::Difference) => operand(1).plus(operand(2)),
        Some(Linear::ProductSum) => operand(3).plus(Summand::Number),
        Some(Linear::Product | Linear::Shifted) => Summand::Number,
        None if opcode.mnemonic() == Mnemonic::Selp => operand(1).meet(operand(2)),
        // Parameters and constant memory.
        None if kernel.properties(inst).memory == Memory::Read && is_repeatable(kernel, inst) => Summand::Object,
        None => Summand::Unknown,
    }
}
