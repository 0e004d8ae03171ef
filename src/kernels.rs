//! The kernels of a module by the names that people use: mangled, as C++ writes them, or short; and the files that it is from.

use ptx_parser::{Kernel, KernelKind, Module};

use crate::cpp_text::{is_word, opening};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// The files that the line numbers of a module are of, in their order.
pub(crate) fn files(module: &Module) -> Vec<String> {
    (1..).map_while(|index| module.file(index).map(str::to_owned)).collect()
}

/// A C++ name as people write it; `None` if it was not mangled.
pub(crate) fn demangle(name: &str) -> Option<String> {
    // Anything may be read as a type: `rt` would be `unsigned short restrict`.
    let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok())??;
    symbol.demangle(&cpp_demangle::DemangleOptions::default()).ok().filter(|text| text != name)
}

/// A name for people: as they write it, if it was mangled.
pub(crate) fn shown_name(name: &str) -> String {
    demangle(name).unwrap_or_else(|| name.to_owned())
}

/// A text in which names in `` ` `` are as people write them.
pub(crate) fn with_shown_names(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let shown = parts.map(|(number, part)| if number % 2 == 1 { shown_name(part) } else { part.to_owned() });
    shown.collect::<Vec<_>>().join("`")
}

/// The entries of a module whose name is the given one, mangled, demangled, or without its parameters.
pub(crate) fn entries_named<'m>(module: &'m Module, name: &str) -> Vec<&'m Kernel> {
    let wanted = spelled(name);
    let matches = |kernel: &&Kernel| {
        let demangled = demangle(kernel.name());
        let is_short = |text: &str| short(text) == name || short(text).rsplit("::").next() == Some(name);
        let is_whole = |text: &str| spelled(text) == wanted || spelled(without_parameters(text)) == wanted;
        kernel.name() == name || demangled.as_deref().is_some_and(|text| is_whole(text) || is_short(text))
    };
    let found: Vec<&Kernel> = entries(module).filter(matches).collect();
    // A mangled name is one kernel's, whatever others are called.
    match found.iter().find(|kernel| kernel.name() == name) {
        Some(exact) => vec![exact],
        None => found,
    }
}

/// The mangled names of the entries that a name stands for: all instances of a template.
pub(crate) fn names(module: &Module, name: &str, file: &str) -> Result<Vec<String>, Failure> {
    let found = entries_named(module, name);
    if found.is_empty() {
        // Without a match, this says which kernels there are.
        return choose(module, Some(name), file).map(|kernel| vec![kernel.name().to_owned()]);
    }
    Ok(found.iter().map(|kernel| kernel.name().to_owned()).collect())
}

/// The one entry that is meant: that of the name, or the only one that there is.
pub(crate) fn choose<'m>(module: &'m Module, name: Option<&str>, file: &str) -> Result<&'m Kernel, Failure> {
    let all: Vec<&Kernel> = entries(module).collect();
    let found = name.map_or_else(|| all.clone(), |name| entries_named(module, name));
    let list = |kernels: &[&Kernel]| {
        let names = kernels.iter().map(|kernel| match demangle(kernel.name()) {
            Some(demangled) => format!("`{demangled}` is `--kernel {}`", kernel.name()),
            None => format!("`--kernel {}`", kernel.name()),
        });
        names.collect::<Vec<_>>()
    };
    let (title, notes, help) = match (found.as_slice(), name) {
        ([kernel], _) => return Ok(kernel),
        ([], _) if all.is_empty() => (
            format!("`{file}` has no kernel"),
            Vec::new(),
            "a kernel is a `__global__` function in CUDA, an `.entry` in PTX; a template must be instantiated",
        ),
        ([], Some(name)) => (format!("`{file}` has no kernel `{name}`"), list(&all), "name one of these"),
        (several, Some(name)) => {
            (format!("`{file}` has several kernels `{name}`"), list(several), "name one of them as it stands there")
        }
        (several, None) => (format!("`{file}` has {} kernels", several.len()), list(several), "say which one is meant"),
    };
    Err(notes.into_iter().fold(Diagnostic::error(title), Diagnostic::note).help(help).into())
}

fn entries(module: &Module) -> impl Iterator<Item = &Kernel> {
    module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry && kernel.has_body())
}

/// A name as one is compared with another: without the result's type, which templates are written with, and without blanks that mean nothing.
fn spelled(name: &str) -> String {
    let name = name.trim();
    let name = name.strip_prefix("void ").unwrap_or(name);
    let words = name.split_whitespace();
    words.fold(String::new(), |mut text, word| {
        if text.ends_with(is_word) && word.starts_with(is_word) {
            text.push(' ');
        }
        text + word
    })
}

/// `void ns::scale<float>` of `void ns::scale<float>(float*, int)`.
fn without_parameters(demangled: &str) -> &str {
    opening(demangled, ('(', ')')).map_or(demangled, |at| &demangled[..at])
}

/// `ns::scale` of `void ns::scale<float>(float*, int)`.
fn short(demangled: &str) -> &str {
    let named = demangled.rsplit("(anonymous namespace)::").next().unwrap_or(demangled);
    let name = named.split(['(', '<']).next().unwrap_or(named);
    // Templates are written with their result's type.
    name.rsplit(' ').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .entry plain() { ret; }\n\
        .entry _Z5scalePfi() { ret; }\n\
        .entry _Z5scalePdi() { ret; }\n\
        .entry _Z4copyIfEvPT_() { ret; }\n\
        .entry _ZN2ns4moveEi() { ret; }\n\
        .entry _ZN12_GLOBAL__N_14hideEi() { ret; }\n\
        .func helper() { ret; }\n";

    fn names(name: &str) -> Vec<String> {
        let module = Module::parse(TEXT).unwrap();
        entries_named(&module, name).iter().map(|kernel| kernel.name().to_owned()).collect()
    }

    #[test]
    fn kernels_are_found_by_every_form_of_their_name() {
        assert_eq!(names("plain"), ["plain"]);
        assert_eq!(names("_Z5scalePfi"), ["_Z5scalePfi"]);
        assert_eq!(names("scale(float*, int)"), ["_Z5scalePfi"]);
        assert_eq!(names("scale"), ["_Z5scalePfi", "_Z5scalePdi"]);
        assert_eq!(names("copy"), ["_Z4copyIfEvPT_"]);
        for written in ["copy<float>", "void copy<float>(float*)", "copy<float>( float * )", "copy < float >"] {
            assert_eq!(names(written), ["_Z4copyIfEvPT_"], "{written}");
        }
        assert_eq!(names("copy<int>"), [""; 0]);
        assert_eq!(names("scale(double *,int)"), ["_Z5scalePdi"]);
        assert_eq!(names("ns::move"), ["_ZN2ns4moveEi"]);
        assert_eq!(names("move"), ["_ZN2ns4moveEi"]);
        assert_eq!(names("hide"), ["_ZN12_GLOBAL__N_14hideEi"]);
        assert_eq!(names("helper"), [""; 0]);
    }

    fn refused(text: &str, name: Option<&str>) -> (String, Vec<String>) {
        let module = Module::parse(text).unwrap();
        let failure = choose(&module, name, "k.ptx").unwrap_err();
        let diagnostic = failure.diagnostics.into_iter().next().unwrap();
        (diagnostic.title, diagnostic.notes)
    }

    #[test]
    fn the_choice_is_named_where_there_is_one() {
        let module = Module::parse(TEXT).unwrap();
        assert_eq!(choose(&module, Some("plain"), "k.ptx").unwrap().name(), "plain");
        let scales =
            ["`scale(float*, int)` is `--kernel _Z5scalePfi`", "`scale(double*, int)` is `--kernel _Z5scalePdi`"];
        assert_eq!(
            refused(TEXT, Some("scale")),
            ("`k.ptx` has several kernels `scale`".into(), scales.map(String::from).to_vec())
        );
        let (title, notes) = refused(TEXT, Some("nothing"));
        assert_eq!((title.as_str(), notes.len()), ("`k.ptx` has no kernel `nothing`", 6));
        let (title, notes) = refused(TEXT, None);
        assert_eq!((title.as_str(), notes[0].as_str()), ("`k.ptx` has 6 kernels", "`--kernel plain`"));
        let empty = ".version 9.0\n.target sm_90\n.address_size 64\n";
        assert_eq!(refused(empty, None), ("`k.ptx` has no kernel".into(), vec![]));
        assert_eq!(refused(empty, Some("k")), ("`k.ptx` has no kernel".into(), vec![]));
    }
}
