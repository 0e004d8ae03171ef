//! The command line that `pxrw nvcc` is given: nvcc's, and `--pxrw=…`.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::launch::{Front, Launcher};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// Response files within response files, at most.
const DEEPEST: u32 = 16;

/// Options by which nvcc writes how long its own steps take, each with a file.
const TIMES: [&str; 4] = ["-time", "--time", "-fdevice-time-trace", "--fdevice-time-trace"];

/// The rewrites that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rewrites {
    /// Collaborative context collection, where a directive asks for it.
    pub(super) ccc: bool,
    /// Loops that deadlock where lanes meet.
    pub(super) ssde: bool,
    /// Paths of which something would have to be assumed stay as they are.
    pub(super) strict: bool,
}

impl Rewrites {
    /// The rewrites that run if none are named.
    const DEFAULT: Rewrites = Rewrites { ccc: true, ssde: false, strict: false };

    /// From a list such as `ccc,ssde`.
    fn read(list: &str, from: &str) -> Result<Rewrites, Failure> {
        let mut rewrites = Rewrites { ccc: false, ssde: false, strict: false };
        for word in list.split(',').map(str::trim) {
            match word {
                "ccc" => rewrites.ccc = true,
                "ssde" => rewrites.ssde = true,
                "strict" => rewrites.strict = true,
                "none" => {}
                _ => {
                    let error = Diagnostic::error(format!("`{word}` in {from} is not a rewrite"));
                    return Err(error
                        .help("there are `ccc`, `ssde` and `strict`, with commas between them, and `none`")
                        .into());
                }
            }
        }
        let words = || list.split(',').map(str::trim);
        if words().any(|word| word == "none") && words().any(|word| word != "none") {
            let error = Diagnostic::error(format!("`{list}` in {from} names rewrites and `none`"));
            return Err(error.help("leave out `none`, or everything else").into());
        }
        if rewrites.strict && !rewrites.ccc {
            let error = Diagnostic::error(format!("`strict` in {from} is about `ccc`, which is not named"));
            return Err(error.help("write `ccc,strict`").into());
        }
        Ok(rewrites)
    }
}

impl fmt::Display for Rewrites {
    /// Writes the list that [`Rewrites::read`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [(self.ccc, "ccc"), (self.ssde, "ssde"), (self.strict, "strict")];
        let list: Vec<&str> = words.into_iter().filter(|(wanted, _)| *wanted).map(|(_, word)| word).collect();
        f.write_str(if list.is_empty() { "none" } else { "" })?;
        f.write_str(&list.join(","))
    }
}

/// A command line.
pub(super) struct Line {
    /// A program that it begins with and that calls nvcc.
    pub(super) launcher: Option<Launcher>,
    /// The compiler that it begins with: CMake's launchers are given it.
    pub(super) compiler: Option<PathBuf>,
    /// True if it only asks for what decides about a result, for a cache.
    pub(super) asks_identity: bool,
    /// The arguments for nvcc.
    pub(super) arguments: Vec<OsString>,
    /// The same, with what nvcc reads from its variables, what response files say in their places, and without what is for the programs that nvcc
    /// runs.
    pub(super) words: Vec<String>,
    /// The same, with what is for other programs.
    pub(super) all_words: Vec<String>,
    pub(super) rewrites: Rewrites,
}

/// The option that says which language sources are in.
const LANGUAGE: &[&str] = &["-x", "--x", "--language"];

/// The extensions of files that are no sources.
const BINARY: [&str; 7] = ["o", "a", "so", "cubin", "fatbin", "ptx", "rsp"];

/// The extensions of sources that nvcc hands to the host's compiler.
const HOST: [&str; 6] = ["c", "cc", "cxx", "cpp", "c++", "C"];

impl Line {
    /// Reads a command line; `chosen` is what the environment says of rewrites.
    pub(super) fn read(arguments: &[OsString], chosen: Option<&str>) -> Result<Line, Failure> {
        Line::read_behind(arguments, chosen, Front::take)
    }

    /// Reads the command line of a program that is called by the name of nvcc: it has only nvcc's arguments.
    pub(super) fn read_as_nvcc(arguments: &[OsString], chosen: Option<&str>) -> Result<Line, Failure> {
        Line::read_behind(arguments, chosen, |_| Front::of_stand_in())
    }

    /// Reads a command line whose first words, the launcher and the compiler, `front` takes away.
    fn read_behind(
        arguments: &[OsString],
        chosen: Option<&str>,
        front: impl FnOnce(&mut Vec<OsString>) -> Front,
    ) -> Result<Line, Failure> {
        let mut rewrites = chosen.map_or(Ok(Rewrites::DEFAULT), |list| Rewrites::read(list, "PXRW"))?;
        let mut asks_identity = false;
        let mut own = Vec::new();
        for argument in arguments {
            match argument.to_str().and_then(|text| text.strip_prefix("--pxrw=")) {
                Some("identity") => asks_identity = true,
                Some(list) => rewrites = Rewrites::read(list, "--pxrw")?,
                None => own.push(argument.clone()),
            }
        }
        let Front { launcher, compiler } = front(&mut own);
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        // In these, quotes are part of a word.
        let (before, behind) = (variable("NVCC_PREPEND_FLAGS"), variable("NVCC_APPEND_FLAGS"));
        let [before, behind] = [&before, &behind].map(|text| text.split_whitespace().map(str::to_owned));
        let given = own.iter().map(|word| word.to_string_lossy().into_owned());
        let mut words = Vec::new();
        expand(before.chain(given).chain(behind).collect(), &mut words, DEEPEST);
        let all_words = words.clone();
        Ok(Line {
            launcher,
            compiler,
            asks_identity,
            arguments: own,
            words: without_others(words),
            all_words,
            rewrites,
        })
    }

    /// Returns true if one of some options is there, alone or with a value.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|word| names.contains(&word.split('=').next().unwrap_or(word)))
    }

    /// The last value of an option: the word behind it, or behind its `=`.
    pub(super) fn value(&self, names: &[&str]) -> Option<&str> {
        self.values(names).last()
    }

    /// All values of an option.
    pub(super) fn values<'a, 'n>(&'a self, names: &'n [&'n str]) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        let next = self.words.iter().skip(1).map(String::as_str).chain(std::iter::once(""));
        self.words.iter().zip(next).filter_map(move |(word, next)| match word.split_once('=') {
            Some((name, value)) => names.contains(&name).then_some(value),
            None => names.contains(&word.as_str()).then_some(next),
        })
    }

    /// The sources that are compiled for a GPU, as they are named.
    pub(super) fn sources(&self) -> Vec<&str> {
        let all = self.value(LANGUAGE) == Some("cu");
        self.named(|extension| extension == "cu" || all && !BINARY.contains(&extension))
    }

    /// The sources that are compiled for the host alone, as they are named.
    pub(super) fn host_sources(&self) -> Vec<&str> {
        match self.value(LANGUAGE) {
            Some("cu") => Vec::new(),
            Some(_) => self.named(|extension| !BINARY.contains(&extension)),
            None => self.named(|extension| HOST.contains(&extension)),
        }
    }

    /// The files on the line whose extension is of some kind.
    fn named(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&str> {
        let is_source = |word: &str| is_meant(Path::new(word).extension().and_then(OsStr::to_str).unwrap_or_default());
        let before = std::iter::once("").chain(self.words.iter().map(String::as_str));
        let words = before.zip(self.words.iter().map(String::as_str));
        let named =
            words.filter(|(before, word)| !word.starts_with('-') && !VALUED.contains(before) && is_source(word));
        named.map(|(_, word)| word).filter(|word| Path::new(word).is_file()).collect()
    }

    /// Returns true if a word may name an input: it is no option and no value of one.
    pub(super) fn has_input(&self) -> bool {
        self.inputs().next().is_some()
    }

    /// A CUDA source that is named and does not exist.
    pub(super) fn missing_source(&self) -> Option<&str> {
        self.inputs().find(|word| word.ends_with(".cu") && !Path::new(word).exists())
    }

    /// The words that may name inputs.
    fn inputs(&self) -> impl Iterator<Item = &str> {
        let before = std::iter::once("").chain(self.words.iter().map(String::as_str));
        let words = before.zip(self.words.iter().map(String::as_str));
        let inputs =
            words.filter(|(before, word)| (!word.starts_with('-') || *word == "-") && !VALUED.contains(before));
        inputs.map(|(_, word)| word)
    }

    /// The position of standard input among the arguments, where it is a CUDA source.
    pub(super) fn standard_input(&self) -> Option<usize> {
        if self.value(LANGUAGE) != Some("cu") || self.only_asks() {
            return None;
        }
        let texts = self.arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
        standard_input(texts)
    }

    /// Puts the name of a file in the place of standard input.
    pub(super) fn name_standard_input(&mut self, position: usize, file: &str) {
        if let Some(argument) = self.arguments.get_mut(position) {
            *argument = file.into();
        }
        let position = standard_input(self.words.iter().map(String::as_str));
        if let Some(word) = position.and_then(|position| self.words.get_mut(position)) {
            file.clone_into(word);
        }
    }

    /// Returns true if nvcc only tells something, or does something else than to compile.
    pub(super) fn only_asks(&self) -> bool {
        const ASKS: [&str; 12] = [
            "--dryrun",
            "-dryrun",
            "--version",
            "-V",
            "--help",
            "-h",
            "--list-gpu-code",
            "-code-ls",
            "--list-gpu-arch",
            "-arch-ls",
            "--clean-targets",
            "-clean",
        ];
        self.has(&ASKS)
    }

    /// Returns true if nvcc lists its steps and runs none.
    pub(super) fn is_dryrun(&self) -> bool {
        self.has(&["--dryrun", "-dryrun"])
    }

    /// The option that asks for the times of nvcc's own steps.
    pub(super) fn times(&self) -> Option<&'static str> {
        TIMES.into_iter().find(|option| self.has(&[option]))
    }

    /// The arguments without such options: what is asked for the steps and runs none of them would write that they took no time.
    pub(super) fn untimed(&self) -> Vec<OsString> {
        let mut kept = Vec::new();
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy();
            match TIMES.iter().find_map(|option| text.strip_prefix(option)) {
                Some("") => drop(arguments.next()),
                Some(value) if value.starts_with('=') => {}
                _ => kept.push(argument.clone()),
            }
        }
        kept
    }

    /// Returns how many steps may run at a time (`--threads`); 0 stands for one per core.
    pub(super) fn threads(&self) -> usize {
        let said = self.value(&["-t", "--threads"]).and_then(|text| text.parse::<usize>().ok());
        match said {
            Some(0) => std::thread::available_parallelism().map_or(1, Into::into),
            said => said.unwrap_or(1),
        }
    }

    /// Returns true if device code is linked later, from several objects.
    pub(super) fn is_relocatable(&self) -> bool {
        let said = self.value(&["-rdc", "--relocatable-device-code"]).is_some_and(|value| value == "true");
        said || self.has(&["-dc", "--device-c", "-dw", "--device-w"])
    }
}

/// Options whose next word is their value, which may be the name of a file.
const VALUED: [&str; 16] = [
    "-o",
    "--output-file",
    "-include",
    "--pre-include",
    "-MF",
    "--dependency-output",
    "-MT",
    "--dependency-target-name",
    "-time",
    "--time",
    "-ccbin",
    "--compiler-bindir",
    "-Xcompiler",
    "--compiler-options",
    "-Xlinker",
    "--linker-options",
];

/// The position of the word `-` that is not the value of an option.
fn standard_input<'a>(words: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut before = "";
    for (position, word) in words.enumerate() {
        if word == "-" && !VALUED.contains(&before) {
            return Some(position);
        }
        before = word;
    }
    None
}

/// Words without options for other programs, which may look like nvcc's own.
fn without_others(words: Vec<String>) -> Vec<String> {
    const OTHERS: [&str; 10] = [
        "-Xptxas",
        "--ptxas-options",
        "-Xcompiler",
        "--compiler-options",
        "-Xlinker",
        "--linker-options",
        "-Xarchive",
        "--archive-options",
        "-Xnvlink",
        "--nvlink-options",
    ];
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if OTHERS.contains(&word.as_str()) {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept
}

/// Puts what response files say in their places.
fn expand(words: Vec<String>, all: &mut Vec<String>, depth: u32) {
    const NAMES: [&str; 2] = ["-optf", "--options-file"];
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let files = match word.split_once('=') {
            Some((name, files)) if NAMES.contains(&name) => Some(files.to_owned()),
            _ if NAMES.contains(&word.as_str()) => words.next(),
            _ => None,
        };
        let Some(files) = files.filter(|_| depth > 0) else {
            all.push(word);
            continue;
        };
        // nvcc says itself what is wrong with a file that cannot be read.
        for text in files.split(',').filter_map(|file| std::fs::read_to_string(file).ok()) {
            expand(split(&text), all, depth - 1);
        }
    }
}

/// The words of a response file: blanks part them, but in double quotes and behind a backslash.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut begun, mut quoted) = (String::new(), false, false);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => word.extend(characters.next()),
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
                continue;
            }
            c => word.push(c),
        }
        begun = true;
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Line {
        Line::read(&words.iter().map(OsString::from).collect::<Vec<_>>(), None).unwrap()
    }

    #[test]
    fn our_option_is_not_nvccs() {
        let read = line(&["-c", "--pxrw=ssde", "a.cu", "-o", "a.o"]);
        assert_eq!(read.words, ["-c", "a.cu", "-o", "a.o"]);
        assert_eq!(read.rewrites, Rewrites { ccc: false, ssde: true, strict: false });
        assert_eq!(line(&[]).rewrites, Rewrites { ccc: true, ssde: false, strict: false });
        let chosen = |list| Line::read(&[], Some(list)).map(|line| line.rewrites);
        assert_eq!(chosen("ccc,ssde").unwrap(), Rewrites { ccc: true, ssde: true, strict: false });
        assert_eq!(chosen("strict,ccc").unwrap(), Rewrites { ccc: true, ssde: false, strict: true });
        assert_eq!(chosen("strict,ccc").unwrap().to_string(), "ccc,strict");
        assert_eq!(chosen("none").unwrap(), Rewrites { ccc: false, ssde: false, strict: false });
        let refused = |list| chosen(list).unwrap_err().diagnostics[0].title.clone();
        assert_eq!(refused("ccc, none"), "`ccc, none` in PXRW names rewrites and `none`");
        assert_eq!(refused("strict,ssde"), "`strict` in PXRW is about `ccc`, which is not named");
        assert_eq!(chosen("cccp").unwrap_err().diagnostics[0].title, "`cccp` in PXRW is not a rewrite");
    }

    #[test]
    fn lists_of_rewrites_are_read_as_they_are_written() {
        for list in ["ccc", "ssde", "ccc,ssde", "none"] {
            assert_eq!(Rewrites::read(list, "PXRW").unwrap().to_string(), list);
        }
        assert!(line(&["--pxrw=identity"]).asks_identity && !line(&["--pxrw=ccc"]).asks_identity);
    }

    #[test]
    fn an_input_is_no_option_and_no_value() {
        assert!(line(&["-c", "k.cu"]).has_input() && line(&["-"]).has_input() && line(&["a.o", "-o", "a"]).has_input());
        assert!(!line(&[]).has_input() && !line(&["-O3", "-o", "a"]).has_input() && !line(&["--help"]).has_input());
    }

    #[test]
    fn standard_input_is_a_source_where_it_is_no_value() {
        let position = |words: &[&str]| line(words).standard_input();
        assert_eq!(position(&["-x", "cu", "-", "-c"]), Some(2));
        assert_eq!(position(&["-x", "cu", "-ptx", "-o", "-", "-"]), Some(5));
        assert_eq!(position(&["-x=cu", "-ptx", "k.cu", "-o", "-"]), None);
        assert_eq!(position(&["-c", "-"]), None);
        assert_eq!(position(&["-x", "cu", "-", "--dryrun"]), None);
        let mut read = line(&["-o", "-", "-x", "cu", "-"]);
        read.name_standard_input(4, "copy");
        assert_eq!(read.words, ["-o", "-", "-x", "cu", "copy"]);
        assert_eq!(read.arguments[4], "copy");
    }

    #[test]
    fn options_have_values_in_several_ways() {
        let read = line(&["-MF", "k.d", "--threads=3", "-Iinc,more", "-I", "last", "-rdc=true", "-o", "k.o"]);
        assert_eq!((read.value(&["-MF", "--dependency-output"]), read.threads()), (Some("k.d"), 3));
        assert!(read.is_relocatable() && read.has(&["-o"]) && !read.has(&["-MD"]) && !read.only_asks());
        assert_eq!(line(&["-o"]).value(&["-o"]), Some(""));
        let others = line(&["-Xptxas", "-v", "-Xcompiler", "-MD", "-Xptxas=-v", "-c"]);
        assert!(!others.has(&["-v"]) && !others.has(&["-MD"]) && others.has(&["-c"]));
    }

    #[test]
    fn options_for_times_are_left_out_with_their_files() {
        let read = line(&["-c", "-time", "a.csv", "--fdevice-time-trace=trace", "-timeless", "a.cu"]);
        assert_eq!(
            (read.untimed(), read.times()),
            (["-c", "-timeless", "a.cu"].map(OsString::from).to_vec(), Some("-time"))
        );
        assert_eq!(line(&["-c"]).times(), None);
    }

    #[test]
    fn response_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        std::fs::write(&inner, "-DX=\"a b\" \"c d\"\n e\\ f \"\" 'g").unwrap();
        std::fs::write(&outer, format!("-c --options-file {}", inner.display())).unwrap();
        let read = line(&["-optf", outer.to_str().unwrap(), "-DY"]);
        assert_eq!(read.words, ["-c", "-DX=a b", "c d", "e f", "", "'g", "-DY"]);
        assert_eq!(read.arguments.len(), 3);
    }
}
