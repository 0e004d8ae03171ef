//! A lossless PTX reader, printer and editor.
//!
//! [`Module::parse`] turns a PTX text into a [`Module`]; `to_string()` turns it back. Whatever nobody edited is written
//! byte for byte as it was read: statements keep the span of source text that they came from, with the blanks and
//! comments before them, and only statements that an edit made or changed are printed from their parts.
//!
//! ```
//! let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n  // nothing\n  ret;\n}\n";
//! let module = ptx_parser::Module::parse(text)?;
//! assert_eq!(module.to_string(), text);
//! assert_eq!(module.kernels()[0].name(), "k");
//! # Ok::<(), ptx_parser::Errors>(())
//! ```
//!
//! # The representation
//!
//! A [`Kernel`] is a list of [`Stmt`]s in textual order. Instructions are uniform data: a guard, an [`Opcode`] and
//! operands. An opcode is its text; what it reads, writes and does is looked up once per distinct text in one table
//! ([`Properties`]). An opcode that the table does not list parses, prints and flows through like any other, and
//! every analysis assumes the worst of it.
//!
//! Names are resolved on reading: an operand holds the id of the register that is in scope, so that two registers of one
//! name in different `{ }` scopes are different registers.
//!
//! ```
//! use ptx_parser::{Flow, Module, StmtKind};
//!
//! let module = Module::parse(
//!     ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {
//!        .reg .b32 %r<3>; .reg .pred %p;
//!        mov.u32 %r1, %tid.x;
//!        setp.eq.u32 %p, %r1, 0;
//!        @%p bra END;
//!        brand.new.u32 %r2, %r1;
//!      END: ret; }",
//! )?;
//! let kernel = module.kernel("k").unwrap();
//! let insts = kernel.stmts().iter().filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None });
//! let insts: Vec<_> = insts.collect();
//! let names = |regs: &[ptx_parser::Reg]| regs.iter().map(|&reg| kernel.reg_name(reg).to_owned()).collect::<Vec<_>>();
//!
//! // The table says what an instruction does, ...
//! assert_eq!(names(&kernel.defs(insts[1])), ["%p"]);
//! assert_eq!(names(&kernel.uses(insts[1])), ["%r1"]);
//! assert_eq!(kernel.properties(insts[2]).flow, Flow::Branch);
//! assert_eq!(kernel.label_name(kernel.branch_target(insts[2]).unwrap()), "END");
//! // ... and which it does not know.
//! assert!(kernel.typing(insts[1]).is_known() && !kernel.typing(insts[3]).is_known());
//! # Ok::<(), ptx_parser::Errors>(())
//! ```
//!
//! # Editing
//!
//! New registers, labels and variables come from [`Kernel::new_reg`], [`Kernel::new_label`], [`Kernel::new_shared`] and
//! [`Kernel::new_local`]; their names cannot collide. New instructions are built from typed parts ([`Code`], [`Kernel::build`]), copied
//! ([`Kernel::duplicate`]; from another kernel, and with what they declare, [`Copier`]) or written as PTX text ([`Kernel::fragment`]), and a
//! [`Patch`] collects insertions, removals and replacements and applies them in one step ([`Kernel::apply`]). Operands are changed in place
//! ([`Kernel::edit_operands`], [`Kernel::rename`], [`Kernel::retarget`], [`Kernel::set_guard`]); names are changed with all of their mentions
//! ([`Kernel::rename_reg`], [`Module::rename`], [`Module::rename_label`], [`Module::rename_local`]). A module is made with [`Module::new`], or
//! filled with [`Module::add`] and [`Module::add_entry`]. [`Module::splice`] replaces bodies by those of another compilation of the source.
//!
//! An edit after which the text would not read as what the representation says is refused ([`Error::Edit`]) and changes nothing. So whatever
//! was edited prints, and the print reads as the same module.
//!
//! ```
//! use ptx_parser::{Base, Code, Module, Patch, Space, Type};
//!
//! let mut module = Module::parse(
//!     ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n\tret; // done\n}\n",
//! )?;
//! let kernel = &mut module.kernels_mut()[0];
//! let address = kernel.new_reg("address", Type::B64);
//! let out = kernel.symbol("out")?;
//! let mut code = Code::new();
//! code.ins().ld(Space::Param, Type::U64, address, Base::Symbol(out), 0);
//! code.ins().st(Space::Generic, Type::U32, Base::Reg(address), 0, 1);
//! let mut patch = Patch::new();
//! patch.insert_before(0, kernel.build(code)?);
//! kernel.apply(patch)?;
//! // A return that stands twice has no meaning: it is refused, and nothing happens.
//! let mut patch = Patch::new();
//! patch.append([kernel.stmts()[2].clone()]);
//! assert_eq!(kernel.apply(patch).unwrap_err().to_string(), "`ret;` stands in two places");
//! assert_eq!(
//!     module.to_string(),
//!     ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n\t.reg .b64 \t%address;\n\
//!      \tld.param.u64 %address, [out];\n\tst.u32 [%address], 1;\n\tret; // done\n}\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Printing
//!
//! `to_string()` keeps the text. [`Module::canonical`] gives every module that says the same one layout.
//!
//! ```
//! let text = ".version 9.0 .target sm_90 .address_size 64 .entry k(){ .reg .f32 %f;mov.f32 %f,1.5; /* why */ ret; }";
//! let expected = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.reg .f32 %f;\n\
//!                 \tmov.f32 %f, 0d3FF8000000000000;\n\t/* why */\n\tret;\n}\n";
//! assert_eq!(ptx_parser::Module::parse(text)?.canonical(), expected);
//! # Ok::<(), ptx_parser::Errors>(())
//! ```
//!
//! # Examples
//!
//! `examples/count.rs` counts instructions by class, `examples/build.rs` builds a kernel from nothing, `examples/probe.rs` puts a counter at the
//! head of every loop of a module.

mod call;
mod check;
mod code;
mod edit;
mod entities;
mod error;
mod index;
mod kernel;
mod marker;
mod module;
mod opcode;
mod operand;
mod position;
mod print;
mod special;
mod stmt;
mod suggest;
mod syntax;
mod table;
mod tables;
mod types;
mod variable;
mod verify;
mod verify_names;
mod verify_scopes;
mod visit;

pub use call::CallParts;
pub use check::{Finding, Level, check};
pub use code::{Code, Ins};
pub use edit::{Copier, Patch, SpliceError};
pub use entities::{Inst, Label, List, LocId, Marker, Opcode, Reg, Symbol};
pub use error::{Error, Errors};
pub use kernel::{Kernel, KernelKind};
pub use module::Module;
pub use opcode::OpcodeData;
pub use operand::{Base, Offset, Operand, Part, Selector};
pub use position::{Located, Position};
pub use special::{Component, Counter, Special, SpecialName, Uniformity};
pub use stmt::{Loc, Stmt, StmtKind};
pub use table::{
    Class, Comparison, Feature, Flow, Linear, Logic, MatrixShape, Memory, Mnemonic, Modifier, Needs, Number, Operator,
    Ordering, Properties, Reason, Relation, Running, Scope, Typing,
};
pub use tables::{Guard, InstData, PerformanceDirective, RegData};
pub use types::{Space, Type};
pub use variable::{AddressInit, Initial, Parameter, Variable};
pub use visit::RegAccess;

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
