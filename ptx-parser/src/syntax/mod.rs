//! From text to the representation, in one pass.
//!
//! [`lexical`] knows blanks, comments and words, [`literal`] numbers, [`expression`] what is computed from them; [`operand`] the operands of an instruction; [`declaration`] registers,
//! variables and parameters; [`header`] attributes and performance directives; [`section`] the debugger's data; [`body`] the statements between the braces of a kernel; [`module`] the top level. Names are resolved by
//! [`names`] and [`registers`] as soon as a statement has been read, [`labels`] when their scope closes. Behind an error,
//! [`error_recovery`] says where to go on.
#![warn(clippy::indexing_slicing)]

pub(crate) mod body;
mod capacity;
pub(crate) mod declaration;
mod error_recovery;
mod expression;
pub(crate) mod header;
mod initializer;
mod labels;
pub(crate) mod lexical;
pub(crate) mod literal;
pub(crate) mod module;
pub(crate) mod names;
mod numeral;
pub(crate) mod opcodes;
pub(crate) mod operand;
mod registers;
mod scope;
pub(crate) mod section;
mod symbols;
