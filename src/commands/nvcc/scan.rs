//! Looks for directives before anything is run, so that nvcc itself can take over where there is none.
//!
//! Errs on one side only: all files are followed that the sources may include, in every folder that the command line or the environment mentions,
//! whatever conditionals say. What is found nowhere there is a header of the compiler's own. An include that is made by a macro may be of any file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::bytes::Regex;

static INCLUDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?:["<]([^">\n]+)[">]|([^\s"</]))"#)
        .expect("the pattern is a constant")
});

/// The names of directives.
const NAMES: &str = "for|if|case|while|recursive|reduce|grid";

/// The word of directives, in whatever form: in a comment, a pragma, or the argument of a macro that makes a pragma.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?-u)\b[Cc]{{3}}(?:_?(?:{NAMES}))?\b")));

/// A comment that begins like a directive without its `#`, which is said.
static NEARLY: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?-u)^[/!*|]*[ \t]*[Cc]{{3}}[ \t_]*(?:{NAMES})\b")));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of constant names")
}

/// Folders in which every compiler looks.
const USUAL: [&str; 2] = ["/usr/local/include", "/usr/include"];

/// Variables that name folders for headers (GCC manual, "Environment Variables").
const VARIABLES: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

/// Larger files are data that somebody includes; they are left to the preprocessor.
const LARGEST: u64 = 64 << 20;

/// Returns true if there may be a directive in the sources or in what they include. `words` are all words of the command line.
pub(super) fn may_have_directives(sources: &[&str], words: &[String]) -> bool {
    // A macro that is defined on the command line.
    if words.iter().any(|word| DIRECTIVE.is_match(word.as_bytes())) {
        return true;
    }
    let mentioned: Vec<PathBuf> = words.iter().flat_map(|word| paths(word)).collect();
    let variables = VARIABLES.iter().filter_map(std::env::var_os);
    let variables: Vec<PathBuf> = variables.flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>()).collect();
    let usual = USUAL.iter().map(PathBuf::from);
    let folders = mentioned.iter().filter(|path| path.is_dir()).cloned().chain(variables).chain(usual);
    let mut seen = HashSet::new();
    let folders: Vec<PathBuf> = folders.filter(|folder| seen.insert(folder.clone())).collect();
    // A header that is forced in.
    let forced = mentioned.into_iter().filter(|path| path.is_file() && !is_binary(path));
    let mut work: Vec<PathBuf> = sources.iter().map(PathBuf::from).chain(forced).collect();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    while let Some(file) = work.pop() {
        let Ok(path) = fs::canonicalize(&file) else { continue };
        if !path.metadata().is_ok_and(|data| data.is_file()) || !seen.insert(path.clone()) {
            continue;
        }
        if path.metadata().is_ok_and(|data| data.len() > LARGEST) {
            return true;
        }
        let Ok(text) = fs::read(&path) else { continue };
        if DIRECTIVE.find_iter(&text).any(|found| !is_prose(&text, found.start())) {
            return true;
        }
        let beside = [file.parent(), path.parent()].map(|folder| folder.unwrap_or(Path::new("")).to_owned());
        for found in INCLUDE.captures_iter(&text) {
            let Some(name) = found.get(1) else { return true };
            let Ok(name) = std::str::from_utf8(name.as_bytes()) else { return true };
            work.extend(beside.iter().chain(&folders).map(|folder| folder.join(name)).filter(|file| file.is_file()));
        }
    }
    false
}

/// Returns true if the word at a place stands in a comment that cannot be taken for a directive. Only comments to the end of a line are looked at, and only
/// where nothing before them may be a string or another comment's end.
fn is_prose(text: &[u8], place: usize) -> bool {
    let is_newline = |&byte: &u8| byte == b'\n';
    let start = text.iter().take(place).rposition(is_newline).map_or(0, |newline| newline + 1);
    let line = text.get(start..).and_then(|rest| rest.split(is_newline).next()).unwrap_or_default();
    let slashes = line.windows(2).position(|two| two == b"//").filter(|slashes| start + slashes < place);
    let Some((before, comment)) = slashes.and_then(|slashes| line.split_at_checked(slashes + 2)) else { return false };
    !before.contains(&b'"')
        && !comment.contains(&b'#')
        && !comment.windows(2).any(|two| two == b"*/")
        && !NEARLY.is_match(comment)
}

/// The paths that a word of a command line may name: itself, what stands behind an option in it, and the parts of a list.
fn paths(word: &str) -> Vec<PathBuf> {
    const OPTIONS: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];
    let parts = word.split([',', '=']).chain([word]);
    let bare = parts.flat_map(|part| [Some(part), OPTIONS.iter().find_map(|option| part.strip_prefix(option))]);
    bare.flatten().filter(|part| !part.is_empty()).map(PathBuf::from).collect()
}

/// Returns true if a file is for the linker.
fn is_binary(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    matches!(extension, "o" | "a" | "so" | "cubin" | "fatbin" | "obj" | "lib" | "gch")
        || path.to_string_lossy().contains(".so.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn directives_are_found_wherever_a_compiler_may_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            fs::write(folder.path().join(name), text).unwrap();
        };
        write("inc/marked.cuh", "//#CCC for\n");
        write("inc/clean.cuh", "// CCCL, a_CCC, #CCCL\n");
        write("k.cu", "#ifdef X\n # include <marked.cuh>\n#endif\n#include <vector>\n");
        write("clean.cu", "#include \"inc/clean.cuh\"\n#include <cub/cub.cuh>\n");
        write("macro.cu", "#define H <x>\n#include H\n");
        write("pragma.cu", "PRAGMA(CCC for)\n");
        let may = |source: &str, line: &[&str]| may_have_directives(&[&path(source)], &words(line));
        assert!(!may("clean.cu", &["-c", "-o", "/dev/null"]));
        assert!(!may("k.cu", &[]), "the header is nowhere");
        for option in ["-I{}", "-isystem={}", "{}", "-Xcompiler=-I{}", "--system-include={}", "-Wall,-isystem,{}"] {
            assert!(may("k.cu", &[&option.replace("{}", &path("inc"))]), "{option}");
        }
        assert!(may("clean.cu", &["-include", &path("inc/marked.cuh")]));
        assert!(may("macro.cu", &[]) && may("pragma.cu", &[]));
        write("word.cu", "#define NAME CCC\n");
        write("near.cu", "//#CCCif\n");
        assert!(may("word.cu", &[]) && may("near.cu", &[]));
        for prose in ["// the CCC group", "int x; // not CCC for", "/// see CCC, for all", "\"\"; // CCC\n"] {
            write("prose.cu", prose);
            assert_eq!(may("prose.cu", &[]), prose.contains('"'), "{prose}");
        }
        for near in ["// CCC for", "x; /// CCC_if", "// see #CCC for", "/* // */ CCC", "/* CCC */"] {
            write("near.cu", near);
            assert!(may("near.cu", &[]), "{near}");
        }
        assert!(may("clean.cu", &["-DINDEPENDENT=_Pragma(\"CCC for\")"]));
    }
}
