//! Options for nvcc, in every command that compiles a source.
//!
//! ```text
//! pxrw run k.cu … -I include -DN=4 -std=c++17 -include config.h -- -O1 --use_fast_math
//! ```
//!
//! nvcc's `-std` and `-include` are long options behind one hyphen, which clap does not have: [`spelled`] puts a second one before them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::target;

/// The options for nvcc that a user has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CompilerArguments {
    /// Options of a preprocessor, in their order.
    before: Vec<OsString>,
    /// The words behind `--`.
    behind: Vec<OsString>,
}

/// An option that is handed on, with a value.
struct Handed {
    id: &'static str,
    short: Option<char>,
    long: Option<&'static str>,
    value: &'static str,
    help: &'static str,
    /// The spelling that nvcc reads, with the value right behind it, or as a word of its own.
    spelling: &'static str,
    joined: bool,
}

const HANDED: [Handed; 5] = [
    Handed {
        id: "include_folder",
        short: Some('I'),
        long: None,
        value: "DIR",
        help: "Look for headers in this folder too",
        spelling: "-I",
        joined: true,
    },
    Handed {
        id: "define",
        short: Some('D'),
        long: None,
        value: "NAME[=VALUE]",
        help: "Define a macro",
        spelling: "-D",
        joined: true,
    },
    Handed {
        id: "undefine",
        short: Some('U'),
        long: None,
        value: "NAME",
        help: "Undefine a macro",
        spelling: "-U",
        joined: true,
    },
    Handed {
        id: "std",
        short: None,
        long: Some("std"),
        value: "STANDARD",
        help: "The version of C++, such as `c++17`; `-std` means the same",
        spelling: "-std=",
        joined: true,
    },
    Handed {
        id: "pre_include",
        short: None,
        long: Some("include"),
        value: "FILE",
        help: "Include a file before the source; `-include` means the same",
        spelling: "-include",
        joined: false,
    },
];

/// The id of what stands behind `--`.
const BEHIND: &str = "for_nvcc";

impl Args for CompilerArguments {
    fn augment_args(command: Command) -> Command {
        let handed = HANDED.iter().map(|option| {
            let arg = Arg::new(option.id).value_name(option.value).help(option.help);
            let arg = arg.value_parser(value_parser!(OsString)).action(ArgAction::Append);
            let arg = arg.help_heading("Options of the compiler");
            let arg = option.short.map_or(arg.clone(), |short| arg.short(short));
            option.long.map_or(arg.clone(), |long| arg.long(long))
        });
        let behind = Arg::new(BEHIND)
            .value_name("NVCC_OPTIONS")
            .help("More options for nvcc, behind `--`, such as `-- -O1 --use_fast_math`")
            .value_parser(value_parser!(OsString))
            .num_args(1..)
            .last(true);
        command.args(handed).arg(behind)
    }

    fn augment_args_for_update(command: Command) -> Command {
        CompilerArguments::augment_args(command)
    }
}

impl FromArgMatches for CompilerArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CompilerArguments, clap::Error> {
        let mut written = Vec::new();
        for option in &HANDED {
            let values = matches.get_many::<OsString>(option.id).into_iter().flatten();
            let places = matches.indices_of(option.id).into_iter().flatten();
            written.extend(places.zip(values).map(|(place, value)| (place, option, value)));
        }
        written.sort_by_key(|&(place, ..)| place);
        let words = written.into_iter().flat_map(|(_, option, value)| match option.joined {
            true => vec![[OsStr::new(option.spelling), value].into_iter().collect()],
            false => vec![option.spelling.into(), value.clone()],
        });
        let is_written = matches.value_source(BEHIND) == Some(ValueSource::CommandLine);
        let behind = matches.get_many::<OsString>(BEHIND).filter(|_| is_written).into_iter().flatten().cloned();
        Ok(CompilerArguments { before: words.collect(), behind: behind.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = CompilerArguments::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options that make something else of a source than PTX, or put it elsewhere; each with what to do instead.
const OTHER_RESULTS: [(&[&str], &str); 13] = [
    (&["-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"], "`pxrw nvcc` makes objects"),
    (&["-o", "--output-file", "-odir", "--output-directory"], "say `-o FILE` before `--`"),
    (&["-dlto", "--dlink-time-opt", "-ltoir", "--ltoir"], "leave it out: the intermediate code is no PTX"),
    (&["-optix-ir", "--optix-ir"], "leave it out: the intermediate code is no PTX"),
    (&["-ptx", "--ptx"], "leave it out: PTX is made anyway"),
    (&["-cubin", "--cubin"], "`pxrw ccc --emit cubin` writes a cubin"),
    (&["-fatbin", "--fatbin", "-cuda", "--cuda"], "`pxrw nvcc` makes them"),
    (&["-dlink", "--device-link", "-link", "--link", "-lib", "--lib", "-run", "--run"], "`pxrw nvcc` links"),
    (&["-E", "--preprocess"], "`pxrw annotate` shows what is compiled, `nvcc -E` what the preprocessor makes"),
    (
        &[
            "-M",
            "-MM",
            "-MD",
            "-MMD",
            "-MF",
            "--generate-dependencies",
            "--generate-nonsystem-dependencies",
            "--generate-dependencies-with-compile",
            "--generate-nonsystem-dependencies-with-compile",
        ],
        "`pxrw nvcc` writes dependencies",
    ),
    (&["-x", "--x", "--language"], "leave it out: the source is compiled as CUDA"),
    (
        &["-code", "--gpu-code", "-gencode", "--generate-code"],
        "say `--arch` before `--`: one architecture is compiled for",
    ),
    (&["-dryrun", "--dryrun", "-h", "--help", "-V", "--version"], "ask `pxrw nvcc`"),
];

/// The option that says the architecture.
const ARCH: [&str; 2] = ["-arch", "--gpu-architecture"];

impl CompilerArguments {
    /// The options for nvcc, which compiles for an architecture.
    ///
    /// # Errors
    /// An option that asks nvcc for anything but the PTX of one source.
    pub(crate) fn for_nvcc(&self, arch: &str) -> Result<Vec<OsString>, Failure> {
        let mut kept = self.before.clone();
        let mut words = self.behind.iter().peekable();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (name, value) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
            if ARCH.contains(&name) {
                let value = value.map(str::to_owned);
                let value = value.or_else(|| words.next().map(|word| word.to_string_lossy().into_owned()));
                check_arch(&value.unwrap_or_default(), arch)?;
                continue;
            }
            if let Some((_, instead)) = OTHER_RESULTS.iter().find(|(names, _)| names.contains(&name)) {
                let title = format!("`{name}` cannot follow `--`: nvcc only compiles one source to PTX here");
                return Err(Diagnostic::error(title).help(*instead).into());
            }
            kept.push(word.clone());
            // The value of an option for another program may look like one of nvcc's.
            if FOR_OTHERS.contains(&&*text) {
                kept.extend(words.next().cloned());
            }
        }
        Ok(kept)
    }

    /// The options among these that are for ptxas, as it reads them.
    pub(crate) fn for_ptxas(&self) -> Vec<String> {
        const PTXAS: [&str; 2] = ["-Xptxas", "--ptxas-options"];
        const REGISTERS: [&str; 2] = ["-maxrregcount", "--maxrregcount"];
        let mut found = Vec::new();
        let mut words = self.behind.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let (name, value) = word.split_once('=').map_or((&*word, None), |(name, value)| (name, Some(value)));
            let mut value = || value.map(str::to_owned).or_else(|| words.next().map(|word| word.into_owned()));
            if PTXAS.contains(&name) {
                found.extend(value().iter().flat_map(|list| list.split(',')).map(str::to_owned));
            } else if REGISTERS.contains(&name) {
                found.extend(value().map(|count| format!("-maxrregcount={count}")));
            }
        }
        found
    }

    /// Refuses the options for a file that is not compiled.
    ///
    /// # Errors
    /// There are any.
    pub(crate) fn check_unused(&self, ptx: &str) -> Result<(), Failure> {
        let words = self.before.iter().chain(&self.behind).map(|word| word.to_string_lossy());
        let words: Vec<_> = words.collect();
        if words.is_empty() {
            return Ok(());
        }
        let title = format!("`{}` has no effect: `{ptx}` is PTX, which is not compiled", words.join(" "));
        Err(Diagnostic::error(title).help("leave out the options for the compiler, or name the CUDA source").into())
    }
}

/// Options of nvcc whose next word is for another program.
const FOR_OTHERS: [&str; 10] = [
    "-Xptxas",
    "--ptxas-options",
    "-Xcompiler",
    "--compiler-options",
    "-Xcicc",
    "--cicc-options",
    "-Xcudafe",
    "--cudafe-options",
    "-ccbin",
    "--compiler-bindir",
];

/// Refuses another architecture than that of `--arch`.
fn check_arch(said: &str, arch: &str) -> Result<(), Failure> {
    if said == arch {
        return Ok(());
    }
    let title = format!("`-arch={said}` behind `--` contradicts `--arch {arch}`");
    let help = match target::number(said) {
        Some(_) => format!("say `--arch {said}` before `--`, and leave out `-arch`"),
        None => "say `--arch`, with an architecture such as `sm_90`, before `--`, and leave out `-arch`".to_owned(),
    };
    Err(Diagnostic::error(title).help(help).into())
}

/// A command line with a second hyphen before nvcc's long options that have one: `-std=c++17`, `-include FILE`. What stands behind `--` stays.
pub(crate) fn spelled(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut behind = false;
    let respell = |word: OsString| {
        behind |= word == "--";
        let is_one = |text: &str| ["-std", "-include"].contains(&text) || text.starts_with("-std=");
        match word.to_str().filter(|text| !behind && is_one(text)) {
            Some(text) => format!("-{text}").into(),
            None => word,
        }
    };
    words.map(respell).collect()
}

/// Returns true if the command line is that of `pxrw nvcc`, whose options are nvcc's.
pub(crate) fn is_nvccs(words: &[OsString]) -> bool {
    let mut words = words.iter().skip(1);
    let mut first = words.next();
    // The options before a command.
    while let Some(word) = first.and_then(|word| word.to_str()).filter(|word| word.starts_with('-')) {
        if word == "--color" {
            words.next();
        }
        first = words.next();
    }
    first.is_some_and(|word| Path::new(word) == Path::new("nvcc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> CompilerArguments {
        let words = spelled(["k"].iter().chain(words).map(OsString::from));
        let command = CompilerArguments::augment_args(Command::new("k"));
        CompilerArguments::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
    }

    fn handed(words: &[&str]) -> Vec<String> {
        read(words).for_nvcc("sm_90").unwrap().iter().map(|word| word.to_str().unwrap().to_owned()).collect()
    }

    fn refused(words: &[&str]) -> (String, String) {
        let diagnostic = read(words).for_nvcc("sm_90").unwrap_err().diagnostics.remove(0);
        (diagnostic.title, diagnostic.help.unwrap_or_default())
    }

    #[test]
    fn options_are_handed_on_in_their_order() {
        let words =
            ["-UA", "-D", "A=1", "-Ione", "-I", "two", "-std=c++17", "-UA", "-include", "a.h", "--include", "b.h"];
        let expected = ["-UA", "-DA=1", "-Ione", "-Itwo", "-std=c++17", "-UA", "-include", "a.h", "-include", "b.h"];
        assert_eq!(handed(&words), expected);
        assert_eq!(handed(&["--std", "c++20"]), ["-std=c++20"]);
        assert_eq!(handed(&["-std", "c++14"]), ["-std=c++14"]);
        assert_eq!(handed(&["-DX", "--", "-O1", "-std=c++17"]), ["-DX", "-O1", "-std=c++17"]);
        assert_eq!(handed(&[]), [""; 0]);
    }

    #[test]
    fn what_is_no_ptx_is_refused_with_what_to_do() {
        for (word, instead) in [
            ("-c", "pxrw nvcc"),
            ("-o", "`-o FILE` before `--`"),
            ("--output-file=x", "before `--`"),
            ("-dlto", "no PTX"),
            ("-gencode", "--arch"),
            ("-MD", "dependencies"),
            ("--version", "pxrw nvcc"),
        ] {
            let (title, help) = refused(&["--", word]);
            assert!(title.starts_with(&format!("`{}` cannot follow `--`", word.split('=').next().unwrap())), "{title}");
            assert!(help.contains(instead), "{word}: {help}");
        }
        // These are for the host's compiler.
        assert_eq!(handed(&["--", "-Xcompiler", "-c"]), ["-Xcompiler", "-c"]);
    }

    #[test]
    fn another_architecture_is_refused() {
        assert_eq!(handed(&["--", "-arch=sm_90", "-O1"]), ["-O1"]);
        assert_eq!(handed(&["--", "--gpu-architecture", "sm_90", "-O1"]), ["-O1"]);
        let (title, help) = refused(&["--", "-arch", "sm_80"]);
        assert_eq!(title, "`-arch=sm_80` behind `--` contradicts `--arch sm_90`");
        assert!(help.contains("`--arch sm_80` before `--`"), "{help}");
        assert!(refused(&["--", "-arch=native"]).1.contains("such as `sm_90`"));
    }

    #[test]
    fn options_for_ptxas_are_found() {
        let found =
            read(&["--", "-Xptxas", "-O1,-v", "--maxrregcount=32", "-maxrregcount", "40", "-Xptxas=-O2", "-O3"]);
        assert_eq!(found.for_ptxas(), ["-O1", "-v", "-maxrregcount=32", "-maxrregcount=40", "-O2"]);
    }

    #[test]
    fn ptx_takes_none() {
        assert!(read(&[]).check_unused("k.ptx").is_ok());
        let failure = read(&["-DA", "--", "-O1"]).check_unused("k.ptx").unwrap_err();
        assert_eq!(failure.diagnostics[0].title, "`-DA -O1` has no effect: `k.ptx` is PTX, which is not compiled");
    }

    #[test]
    fn the_command_line_of_nvcc_is_known() {
        let is = |words: &[&str]| is_nvccs(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(is(&["pxrw", "nvcc", "-std=c++17"]) && is(&["pxrw", "--color", "never", "nvcc"]));
        assert!(is(&["pxrw", "--color=never", "nvcc"]) && !is(&["pxrw", "ccc", "nvcc"]) && !is(&["pxrw"]));
    }
}
