//! The files that a source depends on, as a rule for make: what `nvcc -M` and its kin write.
//!
//! The preprocessor says in its output where each part of it came from (`# 12 "kernel.cuh" 1`). Headers of the system have a 3 behind that.

use std::collections::HashSet;

/// The target and the options of a rule for make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyRule {
    /// The target, which depends on the files.
    pub target: String,
    /// Headers of the system too (`-M`, `-MD`).
    pub system: bool,
    /// A rule without anything for each header, so that make does not mind if one is gone (`-MP`).
    pub phony: bool,
}

impl DependencyRule {
    /// The rule for what several runs of the preprocessor on one source wrote; `known` gives a file the name that the user knows it by.
    #[must_use]
    pub fn text(&self, preprocessed: &[String], known: impl Fn(&str) -> String) -> String {
        let mut files: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for Marker { file, .. } in
            preprocessed.iter().flat_map(|text| entered(text)).filter(|one| self.system || !one.system)
        {
            let file = known(file);
            if !file.starts_with('<') && seen.insert(file.clone()) {
                files.push(file);
            }
        }
        let escaped: Vec<String> = files.iter().map(|file| file.replace(' ', "\\ ")).collect();
        let mut text = format!("{} : {}\n", self.target, escaped.join(" \\\n    "));
        if self.phony {
            text.extend(escaped.iter().skip(1).map(|file| format!("\n{file}:\n")));
        }
        text
    }
}

/// The files that a preprocessor's output names, each once, in the order in which they are first named.
#[must_use]
pub fn files(preprocessed: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = preprocessed.lines().filter_map(marker).map(|one| one.file);
    named.filter(|file| !file.starts_with('<') && seen.insert(*file)).map(unescaped).collect()
}

/// The files that were read for a preprocessor's output, each once.
#[must_use]
pub fn files_read(preprocessed: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let named = entered(preprocessed).map(|one| one.file);
    named.filter(|file| !file.starts_with('<') && seen.insert(*file)).map(unescaped).collect()
}

/// The file that a line of a preprocessor's output names, if it is a line marker.
#[must_use]
pub fn file_of_marker(line: &str) -> Option<String> {
    marker(line).map(|one| unescaped(one.file))
}

/// A file's name as it stood between quotes.
fn unescaped(file: &str) -> String {
    file.replace("\\\\", "\\").replace("\\\"", "\"")
}

/// The line markers where files begin. A file that only a `#line` names is not read.
fn entered(preprocessed: &str) -> impl Iterator<Item = Marker<'_>> {
    let markers = preprocessed.lines().filter_map(marker).enumerate();
    markers.filter(|(index, one)| *index == 0 || one.entered).map(|(_, one)| one)
}

/// A line marker.
struct Marker<'l> {
    file: &'l str,
    /// The file begins here.
    entered: bool,
    /// The file is a header of the system.
    system: bool,
}

/// Reads a line marker.
fn marker(line: &str) -> Option<Marker<'_>> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    number.parse::<u32>().ok()?;
    let (file, flags) = rest.rsplit_once('"')?;
    let has = |wanted| flags.split(' ').any(|flag| flag == wanted);
    Some(Marker { file, entered: has("1"), system: has("3") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# 0 \"/t/copy.cu\"\n# 0 \"<built-in>\"\n# 1 \"/usr/include/stdc.h\" 1 3 4\n# 0 \"<command-line>\" 2\n\
        # 1 \"a b.h\" 1\nint x;\n# 1 \"k.cu\" 2\n# 9 \"named.y\"\n# 3 \"a b.h\"\n";

    fn known(file: &str) -> String {
        file.replace("/t/copy.cu", "k.cu")
    }

    #[test]
    fn each_file_is_named_once() {
        let rule = DependencyRule { target: "k.o".into(), system: true, phony: false };
        let both = [TEXT.to_owned(), TEXT.replace("a b.h", "c.h")];
        assert_eq!(rule.text(&both, known), "k.o : k.cu \\\n    /usr/include/stdc.h \\\n    a\\ b.h \\\n    c.h\n");
        let rule = DependencyRule { system: false, phony: true, ..rule };
        assert_eq!(rule.text(&both[..1], known), "k.o : k.cu \\\n    a\\ b.h\n\na\\ b.h:\n");
    }
}
