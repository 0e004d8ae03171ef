//! Reads a text as it is written, without a preprocessor: its directives may be spelled in any way.

use annotate::{Directive, Error, Marking, Options, Unit};

/// A text with markers.
#[derive(Debug, PartialEq)]
pub(crate) struct Annotated {
    pub(crate) text: String,
    pub(crate) directives: Vec<Directive>,
}

/// Puts markers into `source`, or says all that is wrong with its directives.
pub(crate) fn annotate(source: &str, name: &str) -> Result<Annotated, Vec<Error>> {
    let (unit, mistakes) = Unit::read(source, None, name).map_err(|error| vec![error])?;
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let text = unit.marked(Options { marking: Marking::Rolled, constant_evaluation: false, without: &[] });
    Ok(Annotated { text, directives: unit.directives().cloned().collect() })
}
