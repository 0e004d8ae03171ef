//! Colours: on a terminal, or as `--color`, `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say.

use std::process::Command;

use crate::program::{command, finish};

/// The first byte of a colour.
const ESCAPE: char = '\u{1b}';

/// The variables that decide about colours.
const VARIABLES: [&str; 4] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"];

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

/// What the program writes to a terminal, which `script` makes.
fn on_terminal(arguments: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let line = [env!("CARGO_BIN_EXE_pxrw")].iter().chain(arguments).map(|word| format!("'{word}'"));
    let mut script = Command::new("script");
    script.args(["-qec", &line.collect::<Vec<_>>().join(" "), "/dev/null"]).stdin(std::process::Stdio::null());
    VARIABLES.iter().for_each(|name| {
        script.env_remove(name);
    });
    let output = script.envs(variables.iter().copied()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_terminal_gets_them_unless_it_or_the_user_refuses() {
    let term = ("TERM", "xterm-256color");
    for (options, variables, expected) in [
        (&[][..], &[term][..], true),
        (&[], &[("TERM", "dumb")], false),
        (&[], &[term, ("NO_COLOR", "1")], false),
        (&["--color", "never"], &[term], false),
    ] {
        for arguments in [&["check", "missing.ptx"][..], &["check"], &["check", "--help"]] {
            let all: Vec<&str> = options.iter().chain(arguments).copied().collect();
            // Where there is no `script`, there is no terminal to try.
            let Some(text) = on_terminal(&all, variables) else { return };
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
