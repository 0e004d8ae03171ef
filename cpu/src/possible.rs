//! Translates as many kernels of a module as possible.

use ptx_parser::{Kernel, Module};

use crate::emit::entries;
use crate::{Options, Refusal, Translation, translate};

/// Translates those of some kernels that have a translation; `None` stands for all. Returns the translation, unless there is none, and the reasons
/// why others have none.
#[must_use]
pub fn translate_possible(
    module: &Module,
    kernels: Option<&[&str]>,
    options: &Options,
) -> (Option<Translation>, Vec<Refusal>) {
    let all: Vec<&str> = entries(module).map(Kernel::name).collect();
    let wanted = kernels.unwrap_or(&all);
    let mut refusals = match translate(module, Some(wanted), options) {
        Ok(translation) => return (Some(translation), Vec::new()),
        Err(refusals) => refusals,
    };
    // A refusal may be about a function that some of the kernels call, so that each is tried.
    let mut possible = Vec::new();
    for &kernel in wanted {
        match translate(module, Some(&[kernel]), options) {
            Ok(_) => possible.push(kernel),
            Err(more) => {
                let more: Vec<Refusal> = more.into_iter().filter(|refusal| !refusals.contains(refusal)).collect();
                refusals.extend(more);
            }
        }
    }
    let translation = (!possible.is_empty()).then(|| translate(module, Some(&possible), options));
    match translation {
        Some(Ok(translation)) => (Some(translation), refusals),
        _ => (None, refusals),
    }
}
