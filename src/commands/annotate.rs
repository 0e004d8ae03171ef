//! `pxrw annotate`: what the device compiler is given in the place of the directives, for the curious.

use crate::Verdict;
use crate::arguments::Annotate;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit, failed, mistake};
use crate::output;

pub(crate) fn run(options: &Annotate) -> Result<Verdict, Failure> {
    let input = Input::read(&options.input)?;
    if input.language == Language::Ptx {
        return Err(Diagnostic::error(format!("`{}` is PTX; directives stand in CUDA source", input.name)).into());
    }
    let compiler = input.options(&options.compiler, &options.arch)?;
    output::check(options.output.as_deref())?;
    output::check_apart(options.output.as_deref(), &options.input)?;
    let mut toolkit = LazyToolkit::new(options.cuda_path.as_ref());
    let shown = frontend::annotated(&input.source, &options.arch, &compiler, toolkit.get()?);
    let shown = shown.map_err(|error| failed(&input.name, error))?;
    if !shown.mistakes.is_empty() {
        return Err(shown.mistakes.iter().map(mistake).collect::<Vec<_>>().into());
    }
    output::write(options.output.as_deref(), shown.text.as_bytes())?;
    Ok(Verdict::Done)
}
