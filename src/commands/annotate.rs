//! `pxrw annotate`: directives to markers, for the curious.

use crate::Verdict;
use crate::arguments::Annotate;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::{Input, Language};
use crate::output;

pub(crate) fn run(options: &Annotate) -> Result<Verdict, Failure> {
    let input = Input::read(&options.input)?;
    if input.language == Language::Ptx {
        return Err(Diagnostic::error(format!("`{}` is PTX; directives stand in CUDA source", input.name)).into());
    }
    let annotated = input.annotate()?;
    output::write(options.output.as_deref(), annotated.text.as_bytes())?;
    Ok(Verdict::Done)
}
