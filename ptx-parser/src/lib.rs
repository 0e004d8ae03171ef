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
//! # Editing
//!
//! New registers, labels and shared variables come from [`Kernel::new_reg`], [`Kernel::new_label`] and
//! [`Kernel::new_shared`]; their names cannot collide. New instructions are written as PTX text ([`Kernel::fragment`]), and
//! a [`Patch`] collects insertions, removals and replacements and applies them in one step.

mod check;
mod edit;
mod entities;
mod error;
mod index;
mod kernel;
mod module;
mod opcode;
mod operand;
mod print;
mod special;
mod stmt;
mod suggest;
mod syntax;
mod table;
mod types;
mod variable;
mod verify;
mod verify_scopes;
mod visit;

pub use check::{Finding, Level};
pub use edit::Patch;
pub use entities::{Inst, Label, List, Opcode, Reg, Symbol};
pub use error::{Error, Errors, position};
pub use kernel::{Guard, InstData, Kernel, KernelKind, PerformanceDirective, RegData};
pub use module::Module;
pub use opcode::OpcodeData;
pub use operand::{Base, Operand, Part, Selector};
pub use special::{Component, Special, SpecialName, Uniformity};
pub use stmt::{Loc, Stmt, StmtKind};
pub use table::{Class, Feature, Flow, Memory, Needs, Ordering, Properties, Reason, Scope, Typing};
pub use types::{Space, Type};
pub use variable::{AddressInit, Initial, Parameter, Variable};
pub use visit::RegAccess;
