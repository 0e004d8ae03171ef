//! TODO

use super::view::View;
use crate::refusal::Refusal;

pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    Err(view.refuse("this instruction is not translated yet"))
}
