//! A choice among the values of a library's enum, by their names, so that the enum is written once.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads one of some values by its name. `about` says in the help what each one is.
pub(crate) fn one_of<T: Copy + Send + Sync>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|&value| PossibleValue::new(name(value)).help(about(value)));
    PossibleValuesParser::new(values).try_map(move |text| {
        let named = all.iter().copied().find(|&value| name(value) == text);
        named.ok_or_else(|| format!("`{text}` is not one of them"))
    })
}
