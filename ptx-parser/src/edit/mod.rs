//! The editing API.
//!
//! New instructions are built from typed parts ([`Code`](crate::Code)), copied from this or another kernel ([`Copier`]), or written as PTX text where
//! what is written is a text already ([`Kernel::fragment`](crate::Kernel::fragment)). Changes to the order of statements are collected in a [`Patch`], whose positions all refer to
//! the kernel as it was, and take effect together ([`Kernel::apply`](crate::Kernel::apply)).
//!
//! No edit leaves a kernel that does not print, or whose print reads as something else: what would is refused with
//! [`Error::Edit`], and the kernel is as it was. Three things make sure of it:
//!
//! - [`grammar`]: an operand is taken only where the grammar has a text that reads as that operand;
//! - [`visible_names`]: a name is taken only where it means what the id says;
//! - `verify`: after a patch, the whole kernel is looked at. That costs a pass over it, as the patch itself does.

mod apply;
mod copy;
mod grammar;
mod indexing;
mod module;
mod names;
mod operands;
mod patch;
mod positions;
mod rename;
mod scopes;
mod splice;
pub(crate) mod state;
mod visible_names;

pub use copy::Copier;
pub use patch::Patch;
pub use splice::SpliceError;

use crate::error::Error;

/// The refusal of an edit.
pub(crate) fn refused(message: impl Into<String>, help: &str) -> Error {
    Error::Edit { message: message.into(), help: Some(help.to_owned()).filter(|help| !help.is_empty()) }
}
