//! From text to the representation, in one pass.
//!
//! [`lexical`] knows blanks, comments, words and numbers; [`operand`] the operands of an instruction; [`declaration`] registers,
//! variables and parameters; [`body`] the statements between the braces of a kernel; [`module`] the top level. Names are resolved by
//! [`names`] as soon as a statement has been read, [`labels`] when their scope closes.

pub(crate) mod body;
pub(crate) mod declaration;
mod initial;
mod labels;
pub(crate) mod lexical;
pub(crate) mod module;
pub(crate) mod names;
pub(crate) mod operand;
