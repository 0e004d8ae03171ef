//! Runs the commands of the book: each `console` block of `docs/*.md` shows a command behind `$ ` and what it prints.
//!
//! The commands of a chapter run one after the other in a folder that has `examples/` in it. A line `...` stands for any number of lines. `PXRW_BLESS=1` replaces what is shown by what is
//! printed now, with every line; read the difference before you keep it, and shorten it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::program::heed_interrupts;

/// The checkout.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the texts in Markdown of some folders of the checkout.
fn texts<'a>(folders: impl IntoIterator<Item = &'a str>) -> Vec<PathBuf> {
    let entries = folders.into_iter().flat_map(|folder| fs::read_dir(Path::new(ROOT).join(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// A command of a chapter, and the lines that it prints.
#[derive(PartialEq, Eq, Debug)]
struct Shown {
    /// The number of its line in the chapter, from 1.
    line: usize,
    command: String,
    output: Vec<String>,
}

/// Returns the commands of a chapter. A command goes on behind a backslash at the end of a line.
fn shown(chapter: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let (mut is_console, mut goes_on) = (false, false);
    for (number, line) in chapter.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            is_console = language == "console";
        } else if !is_console {
        } else if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { line: number + 1, command: command.to_owned(), output: Vec::new() });
            goes_on = line.ends_with('\\');
        } else {
            let last = all.last_mut().unwrap_or_else(|| panic!("line {}: output without a command", number + 1));
            if goes_on {
                last.command = format!("{}\n{line}", last.command);
                goes_on = line.ends_with('\\');
            } else {
                last.output.push(line.to_owned());
            }
        }
    }
    all
}

/// Returns true if lines are those that are shown, where `...` stands for any.
fn agrees(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..])),
        Some((first, rest)) => printed.first() == Some(&first.as_str()) && agrees(rest, &printed[1..]),
    }
}

/// Runs a command; returns what it prints on both streams. `colours` is the variable that turns colours on or off.
fn printed(command: &str, folder: &Path, colours: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_pxrw")).parent().unwrap();
    let path = env::join_paths(
        [program.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(folder).stdin(Stdio::null());
    let output = shell.env("PATH", path.unwrap()).env(colours, "1").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a folder in which a chapter's commands run.
fn folder_with_examples() -> tempfile::TempDir {
    // Within the checkout, so that the CUDA compiler of the checkout is used.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let examples = Path::new(ROOT).join("examples");
    std::os::unix::fs::symlink(examples, folder.path().join("examples")).unwrap();
    folder
}

/// Runs the commands of a chapter; returns what is wrong, and the chapter as it should be.
fn check(chapter: &Path) -> (Vec<String>, String) {
    let text = fs::read_to_string(chapter).unwrap();
    let folder = folder_with_examples();
    let mut wrong = Vec::new();
    let mut right: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut moved = 0isize;
    for Shown { line, command, output } in shown(&text) {
        let prints = printed(&command, folder.path(), "NO_COLOR");
        let prints: Vec<&str> = prints.lines().map(str::trim_end).collect();
        if !agrees(&output, &prints) {
            let (shown, prints_now) = (output.join("\n"), prints.join("\n"));
            wrong.push(format!(
                "{}:{line}: {command}\nis shown to print\n{shown}\nand prints\n{prints_now}\n",
                chapter.display()
            ));
            let begin = (line + command.matches('\n').count()).checked_add_signed(moved).unwrap();
            right.splice(begin..begin + output.len(), prints.iter().map(|&line| line.to_owned()));
            moved += prints.len() as isize - output.len() as isize;
        }
    }
    (wrong, right.join("\n") + "\n")
}

#[test]
fn commands_print_what_is_shown() {
    heed_interrupts();
    let chapters = texts([".", "docs"]);
    assert!(chapters.len() > 8, "{chapters:?}");
    let checked: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = chapters.iter().map(|chapter| scope.spawn(move || check(chapter))).collect();
        running.into_iter().map(|running| running.join().unwrap()).collect()
    });
    let mut wrong = Vec::new();
    for (chapter, (complaints, right)) in chapters.iter().zip(checked) {
        if !complaints.is_empty() && env::var_os("PXRW_BLESS").is_some() {
            fs::write(chapter, right).unwrap();
        }
        wrong.extend(complaints);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The commands of the picture in the README: a lock that hangs, is rewritten, and ends.
const PICTURE: [&str; 3] = [
    "pxrw run examples/lock.cu --grid 4 --block 64 --arg 'i32[1]=0' --machine stack 2>&1 | head -n 6",
    "pxrw ssde examples/lock.cu -o lock.ptx 2>&1 | tail -n 1",
    "pxrw run lock.ptx --grid 4 --block 64 --arg 'i32[1]=0' --machine stack | head -n 4",
];

#[test]
fn the_picture_of_the_readme_shows_what_is_printed() {
    heed_interrupts();
    let folder = folder_with_examples();
    let mut terminal = String::new();
    for command in PICTURE {
        terminal += &format!("$ {command}\n{}\n", printed(command, folder.path(), "CLICOLOR_FORCE"));
    }
    let picture = anstyle_svg::Term::new().render_svg(&terminal);
    let file = Path::new(ROOT).join("docs/terminal.svg");
    if env::var_os("PXRW_BLESS").is_some() {
        fs::write(&file, &picture).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), picture, "`PXRW_BLESS=1` draws {} anew", file.display());
}

/// Returns the anchors of a chapter's headings, as they are made on a forge and in the book.
fn anchors(chapter: &str) -> Vec<String> {
    let headings = chapter.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings
        .map(|heading| heading.to_lowercase().chars().filter(|&c| kept(c)).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let crates = [
        "analysis",
        "annotate",
        "benchmarks",
        "ccc",
        "device",
        "emulator",
        "frontend",
        "ptx-parser",
        "ssde-ptx",
        "toolkit",
    ];
    let files = texts([".", "docs", "docs/decisions"].into_iter().chain(crates));
    let mut dead = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("https://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { file.parent().unwrap().join(path) };
            let leads = target.exists()
                && (anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).iter().any(|is| is == anchor));
            if !leads {
                dead.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(files.len() > 30 && dead.is_empty(), "{} files, dead links: {dead:#?}", files.len());
}

#[test]
fn every_chapter_is_in_the_contents() {
    let [contents, decisions] =
        ["SUMMARY.md", "decisions/README.md"].map(|file| fs::read_to_string(Path::new(ROOT).join("docs").join(file)));
    let (contents, decisions) = (contents.unwrap(), decisions.unwrap());
    for file in texts(["docs", "docs/decisions"]) {
        let path = file.strip_prefix(Path::new(ROOT).join("docs")).unwrap().to_str().unwrap();
        assert!(path == "SUMMARY.md" || contents.contains(&format!("({path})")), "SUMMARY.md lacks {path}");
        if let Some(decision) = path.strip_prefix("decisions/").filter(|&decision| decision != "README.md") {
            assert!(decisions.contains(&format!("({decision})")), "decisions/README.md lacks {decision}");
        }
    }
}

#[test]
fn console_blocks_are_read_as_commands_with_output() {
    let text = "```console\n$ a \\\n  b\none\n...\ntwo\n$ c\n```\n```sh\nno\n```\n";
    let [first, second] = <[Shown; 2]>::try_from(shown(text)).unwrap();
    assert_eq!((first.line, first.command.as_str()), (2, "a \\\n  b"));
    assert_eq!((second.line, second.output.len()), (7, 0));
    assert!(agrees(&first.output, &["one", "two"]) && agrees(&first.output, &["one", "more", "two"]));
    assert!(!agrees(&first.output, &["one", "two", "more"]) && !agrees(&first.output, &["two"]));
}
