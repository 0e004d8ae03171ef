//! Colours: on a terminal, or as `--color`, `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and `CI` say.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{self, OpenptFlags};

use crate::program::{command, finish};

/// The first byte of a colour.
const ESCAPE: char = '\u{1b}';

/// The variables that decide about colours.
const VARIABLES: [&str; 5] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "CI"];

/// The program, with these variables and no other that decides about colours.
fn with(arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = command(arguments);
    VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.envs(variables.iter().copied());
    command
}

/// Returns true if what the program writes to a pipe is coloured: a message of ours, clap's error, and clap's help are alike.
fn is_coloured(options: &[&str], variables: &[(&str, &str)]) -> bool {
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = options.iter().chain(arguments).copied().collect();
        let ran = finish(&mut with(&all, variables));
        (ran.stdout().to_owned() + &ran.stderr).contains(ESCAPE)
    };
    let coloured = [run(&["check", "missing.ptx"]), run(&["check"]), run(&["check", "--help"])];
    assert!(coloured.iter().all(|one| *one == coloured[0]), "{options:?}, {variables:?}: {coloured:?}");
    coloured[0]
}

#[test]
fn a_pipe_gets_colours_only_if_they_are_asked_for() {
    let term = ("TERM", "xterm-256color");
    assert!(!is_coloured(&[], &[term]));
    assert!(!is_coloured(&["--color", "auto"], &[term]));
    assert!(is_coloured(&["--color", "always"], &[term]));
    assert!(is_coloured(&["--color=always"], &[term]));
    assert!(is_coloured(&[], &[term, ("CLICOLOR_FORCE", "1")]));
    // What is said on the command line comes first.
    assert!(is_coloured(&["--color=always"], &[term, ("NO_COLOR", "1")]));
    assert!(!is_coloured(&["--color=never"], &[term, ("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&[], &[term, ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")]));
}

/// A terminal's two ends, ours and the program's; `None` where the system has none to give.
fn terminal() -> Option<(File, File)> {
    let ours = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    pty::grantpt(&ours).ok()?;
    pty::unlockpt(&ours).ok()?;
    let name = pty::ptsname(&ours, Vec::new()).ok()?;
    let theirs = File::options().read(true).write(true).open(name.to_str().ok()?).ok()?;
    Some((ours.into(), theirs))
}

/// Runs the program on a terminal and returns what it writes there; `None` where there is no terminal to try.
fn on_terminal(arguments: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let (mut ours, theirs) = terminal()?;
    let mut program = with(arguments, variables);
    program.stdin(Stdio::null()).stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let mut child = program.spawn().unwrap();
    // Else the terminal would stay open for us, and its text would have no end.
    drop(program);
    let mut text = Vec::new();
    // The end of what was written to a terminal is an error on Linux.
    let _ = ours.read_to_end(&mut text);
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_terminal_gets_them_unless_it_or_the_user_refuses() {
    let term = ("TERM", "xterm-256color");
    for (options, variables, expected) in [
        (&[][..], &[term][..], true),
        (&[], &[("TERM", "dumb")], false),
        // Services that build and test show colours, whatever they call their terminal.
        (&[], &[("TERM", "dumb"), ("CI", "true")], true),
        (&[], &[term, ("NO_COLOR", "1")], false),
        (&["--color", "never"], &[term], false),
    ] {
        for arguments in [&["check", "missing.ptx"][..], &["check"], &["check", "--help"]] {
            let all: Vec<&str> = options.iter().chain(arguments).copied().collect();
            let Some(text) = on_terminal(&all, variables) else {
                eprintln!("not tried: this system gives no terminal");
                return;
            };
            assert!(text.contains("missing.ptx") || text.contains("Usage"), "{text}");
            assert_eq!(text.contains(ESCAPE), expected, "{all:?}, {variables:?}: {text:?}");
        }
    }
}

#[test]
fn another_word_is_refused() {
    finish(&mut with(&["--color", "sometimes", "check", "a.ptx"], &[]))
        .ends_with(2)
        .says(&["sometimes", "auto, always, never"]);
}
