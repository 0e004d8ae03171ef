//! The names that the user gave variables and functions, from those of the PTX.

use cpp_demangle::DemangleOptions;

/// The name that the user gave a variable, without those of the function and the namespaces that it is in.
pub(crate) fn unmangled(name: &str) -> String {
    demangled(name, &DemangleOptions::default())
        .as_deref()
        .and_then(|text| text.rsplit("::").next())
        .unwrap_or(name)
        .to_owned()
}

/// The name that the user gave a function, without its parameters; functions of one file alone are in a namespace of the compiler.
pub(crate) fn called(name: &str) -> String {
    let text = demangled(name, &DemangleOptions::new().no_params()).unwrap_or_else(|| name.to_owned());
    let own = text.strip_prefix("_INTERNAL_").and_then(|rest| rest.split_once("::")).map(|(_, own)| own.to_owned());
    own.unwrap_or(text)
}

fn demangled(name: &str, options: &DemangleOptions) -> Option<String> {
    let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()).flatten()?;
    symbol.demangle(options).ok()
}
