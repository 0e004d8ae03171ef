//! New code, put together from typed parts.
//!
//! [`Code`] is a list of instructions, labels, source positions and markers that belong to no kernel yet. Each instruction is written by a method
//! of [`Ins`], which takes types, registers and labels and not their texts. [`Kernel::build`](crate::Kernel::build) holds the instructions against the
//! table and makes statements of them, which a [`Patch`](crate::Patch) inserts.
//!
//! Code can be asked what it is before a kernel has it: how many instructions it has, and how many of them come before it branches to a
//! label. So what new code costs is counted on the code and not on a text.
//!
//! ```
//! use ptx_parser::{Code, Module, Patch, Relation, SpecialName, Type};
//!
//! let mut module = Module::parse(".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\tret;\n}\n")?;
//! let kernel = &mut module.kernels_mut()[0];
//! let (lane, first, end) = (kernel.new_reg("lane", Type::B32), kernel.new_reg("first", Type::Pred), kernel.new_label("end"));
//!
//! let mut code = Code::new();
//! code.ins().mov(Type::U32, lane, SpecialName::Laneid);
//! code.ins().setp(Relation::Equal, Type::U32, first, lane, 0);
//! code.unless(first).bra(end);
//! code.ins().bar_warp_sync(1);
//! code.label(end);
//! assert_eq!((code.instructions(), code.instructions_until(end)), (4, 3));
//!
//! let stmts = kernel.build(code)?;
//! let mut patch = Patch::new();
//! patch.insert_before(0, stmts);
//! kernel.apply(patch)?;
//! let body = "\tmov.u32 %lane, %laneid;\n\tsetp.eq.u32 %first, %lane, 0;\n\t@!%first bra $end;\n\tbar.warp.sync 1;\n\n$end:\n\tret;\n}\n";
//! assert!(module.to_string().ends_with(body));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::indexing_slicing)]

mod build;
mod instructions;
mod operands;

use smallvec::SmallVec;

pub use instructions::Ins;

use crate::entities::{Label, Reg};
use crate::operand::Operand;
use crate::stmt::Loc;
use crate::tables::Guard;

/// New statements that belong to no kernel yet, in their order.
///
/// Registers, labels and symbols are ids of the kernel that [`Kernel::build`](crate::Kernel::build) is called for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
enum Item {
    Inst(New),
    Label(Label),
    Loc(Loc),
    Marker(Box<str>),
}

/// An instruction that no kernel has yet.
#[derive(Clone, Debug, PartialEq)]
struct New {
    guard: Option<Guard>,
    opcode: String,
    operands: SmallVec<[Part; 5]>,
}

/// An operand of an instruction that no kernel has yet.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// One that is the same in a kernel.
    Operand(Operand),
    /// The elements of a vector, of which a kernel makes a list.
    Vector(SmallVec<[Reg; 4]>),
}

impl Code {
    /// Returns code without statements.
    #[must_use]
    pub fn new() -> Code {
        Code::default()
    }

    /// Begins an instruction that every lane executes.
    pub fn ins(&mut self) -> Ins<'_> {
        self.guarded(None)
    }

    /// Begins an instruction under a guard: a predicate, or its opposite.
    pub fn when(&mut self, guard: impl Into<Guard>) -> Ins<'_> {
        self.guarded(Some(guard.into()))
    }

    /// Begins an instruction under the opposite of a guard.
    pub fn unless(&mut self, guard: impl Into<Guard>) -> Ins<'_> {
        self.guarded(Some(!guard.into()))
    }

    /// Begins an instruction under a guard, if there is one.
    pub fn guarded(&mut self, guard: Option<Guard>) -> Ins<'_> {
        Ins::new(self, guard)
    }

    /// Defines a label.
    pub fn label(&mut self, label: Label) {
        self.items.push(Item::Label(label));
    }

    /// Gives the instructions that follow a source position (PTX ISA, ".loc").
    pub fn loc(&mut self, loc: Loc) {
        self.items.push(Item::Loc(loc));
    }

    /// Adds a marker: a comment `//#…` that tools find again. The text begins with `#`.
    pub fn marker(&mut self, text: impl Into<Box<str>>) {
        self.items.push(Item::Marker(text.into()));
    }

    /// Adds other code behind this.
    pub fn append(&mut self, other: Code) {
        self.items.extend(other.items);
    }

    /// Returns true if there is no statement.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the number of instructions.
    #[must_use]
    pub fn instructions(&self) -> usize {
        insts(&self.items).count()
    }

    /// Returns the number of instructions up to the first branch to a label, which counts; of all if none leads there.
    #[must_use]
    pub fn instructions_until(&self, label: Label) -> usize {
        let branch = insts(&self.items).position(|inst| inst.target() == Some(label));
        branch.map_or_else(|| self.instructions(), |branch| branch + 1)
    }

    /// Returns the number of instructions behind the definition of a label; of all if it is not defined here.
    #[must_use]
    pub fn instructions_behind(&self, label: Label) -> usize {
        let from = self.items.iter().position(|item| *item == Item::Label(label)).unwrap_or(0);
        insts(self.items.get(from..).unwrap_or(&[])).count()
    }

    /// Returns the label that this leads to, if it is nothing but a branch that every lane takes.
    #[must_use]
    pub fn only_branch(&self) -> Option<Label> {
        match self.items.as_slice() {
            [Item::Inst(inst)] if inst.guard.is_none() => inst.target(),
            _ => None,
        }
    }
}

fn insts(items: &[Item]) -> impl Iterator<Item = &New> {
    items.iter().filter_map(|item| if let Item::Inst(inst) = item { Some(inst) } else { None })
}

impl New {
    /// The label that it branches to.
    fn target(&self) -> Option<Label> {
        match *self.operands.as_slice() {
            [Part::Operand(Operand::Label(label))] => Some(label),
            _ => None,
        }
    }
}
