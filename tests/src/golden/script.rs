//! The comments of a golden test: what is to be done with the file, and what is expected.

use anyhow::{Context, Result, anyhow, bail, ensure};

use ccc::{Hoist, Options};

use super::arguments::Argument;
use super::launch::Expectation;
use super::matching::Pattern;

/// The treatment of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Directives to markers; the result is CUDA text. Only `.cu`.
    Annotate,
    /// Compile (`.cu`) and parse, and print what was parsed; the result must be the same text byte for byte.
    Print,
    /// Remove SIMT-induced deadlocks; the report is what the checker's certificates say.
    Ssde,
    /// Apply collaborative context collection. Options: `--block N`, `--no-compress`, `--recompute N`, `--no-hoist-loads`, `--hoist-loads`,
    /// `--no-split`, `--most N`, `--all`.
    Ccc(Box<Options>),
}

/// A refusal that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The line that the message points at.
    pub line: usize,
    /// A part of the message.
    pub text: String,
}

/// A launch, and what must hold for it.
#[derive(Clone, Debug)]
pub struct Launching {
    /// The line in the test file.
    pub line: usize,
    /// As it was written.
    pub text: String,
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// One per parameter.
    pub arguments: Vec<Argument>,
    /// The expectations.
    pub expect: Vec<Expectation>,
}

/// The comments of one file.
#[derive(Clone, Debug)]
pub struct Script {
    /// The treatment of the file.
    pub run: Run,
    /// The architecture that nvcc compiles for.
    pub arch: String,
    /// The patterns for the resulting text.
    pub checks: Vec<Pattern>,
    /// The patterns for the report.
    pub report: Vec<Pattern>,
    /// Every refusal.
    pub refused: Vec<Refused>,
    /// Architectures that ptxas accepts the result for.
    pub ptxas: Vec<String>,
    /// The launches.
    pub launches: Vec<Launching>,
}

impl Script {
    /// Reads the comments of a file.
    ///
    /// # Errors
    /// A comment that cannot be understood, with its line.
    pub fn read(text: &str) -> Result<Script> {
        let mut script = Script {
            run: Run::Print,
            arch: "sm_90".to_owned(),
            checks: Vec::new(),
            report: Vec::new(),
            refused: Vec::new(),
            ptxas: Vec::new(),
            launches: Vec::new(),
        };
        let mut runs = 0;
        let mut decided = 0;
        for (index, line) in text.lines().enumerate() {
            let Some((key, value)) = comment(line) else { continue };
            runs += usize::from(key == "RUN");
            let added = script.add(key, value, index + 1, &mut decided);
            added.with_context(|| format!("line {}: {key}: {value}", index + 1))?;
        }
        ensure!(runs == 1, "a golden test has exactly one `// RUN:` line, this one has {runs}");
        ensure!(decided == script.launches.len(), "the last LAUNCH has no EXPECT below it");
        Ok(script)
    }

    fn add(&mut self, key: &str, value: &str, line: usize, decided: &mut usize) -> Result<()> {
        match key.split_once('-').unwrap_or((key, "")) {
            ("RUN", "") => (self.run, self.arch) = run(value)?,
            ("CHECK", kind) => self.checks.push(Pattern::new(kind, value)?),
            ("REPORT", kind) => self.report.push(Pattern::new(kind, value)?),
            ("REFUSED", "") => self.refused.push(refused(value)?),
            ("PTXAS", "") => self.ptxas.extend(value.split_whitespace().map(str::to_owned)),
            ("LAUNCH", "") => self.launches.push(launching(value, line)?),
            ("EXPECT", "") => {
                ensure!(*decided < self.launches.len(), "EXPECT with no LAUNCH above it");
                let expectations = value.split(',').map(Expectation::read).collect::<Result<Vec<_>>>()?;
                for launching in &mut self.launches[*decided..] {
                    launching.expect.extend(expectations.iter().cloned());
                }
                *decided = self.launches.len();
            }
            _ => bail!("not a comment of golden tests; write it without the colon if it is prose"),
        }
        Ok(())
    }

    /// Returns true if anything could fail.
    pub(crate) fn checks_something(&self) -> bool {
        let texts = self.checks.len() + self.report.len() + self.refused.len();
        texts + self.ptxas.len() + self.launches.len() > 0 || self.run == Run::Print
    }
}

/// `// KEY: value`, where KEY is in capitals.
fn comment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().strip_prefix("//")?.trim_start().split_once(':')?;
    let capitals = key.len() > 2 && key.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    capitals.then_some((key, value.trim()))
}

/// A text without the comments that this module reads, which a result may have carried along; checks would find themselves.
pub(crate) fn without_script(text: &str) -> String {
    let lines = text.lines().filter(|line| comment(line).is_none());
    lines.fold(String::new(), |text, line| text + line + "\n")
}

fn run(value: &str) -> Result<(Run, String)> {
    let mut words = value.split_whitespace();
    let mut run = match words.next() {
        Some("annotate") => Run::Annotate,
        Some("print") => Run::Print,
        Some("ssde") => Run::Ssde,
        Some("ccc") => Run::Ccc(Box::default()),
        other => bail!("nothing is called {other:?}; there are `annotate`, `print`, `ssde` and `ccc`"),
    };
    let mut arch = "sm_90".to_owned();
    while let Some(option) = words.next() {
        if let Run::Ccc(options) = &mut run
            && switch(option, options)
        {
            continue;
        }
        let value = words.next().ok_or_else(|| anyhow!("{option} needs a value"))?;
        match (option, &mut run) {
            ("--arch", Run::Ccc(_) | Run::Print | Run::Ssde) => arch = value.to_owned(),
            ("--block", Run::Ccc(options)) => options.block = Some(value.parse()?),
            ("--recompute", Run::Ccc(options)) => options.recompute = value.parse()?,
            ("--shared", Run::Ccc(options)) => options.dynamic_shared = value.parse()?,
            ("--most", Run::Ccc(options)) => options.most = Some(value.parse()?),
            _ => bail!("there is no option {option} here"),
        }
    }
    Ok((run, arch))
}

/// Sets an option that has no value; whether it is one.
fn switch(option: &str, options: &mut Options) -> bool {
    match option {
        "--no-split" => options.split = false,
        "--no-compress" => options.compress = false,
        "--no-hoist-loads" => options.hoist = Hoist::Never,
        "--hoist-loads" => options.hoist = Hoist::WhereNeighbours,
        "--all" => options.all = true,
        "--strict" => options.strict = true,
        "--lower-occupancy" => options.keep_occupancy = false,
        _ => return false,
    }
    true
}

fn refused(value: &str) -> Result<Refused> {
    let rest = value.strip_prefix("line ").and_then(|rest| rest.split_once(':'));
    let (line, text) = rest.ok_or_else(|| anyhow!("write `line N: text`"))?;
    Ok(Refused { line: line.trim().parse()?, text: text.trim().to_owned() })
}

fn launching(value: &str, line: usize) -> Result<Launching> {
    let mut words = value.split_whitespace();
    let mut word = |what: &str| words.next().ok_or_else(|| anyhow!("{what} is missing: `kernel grid block arguments`"));
    let kernel = word("the kernel")?.to_owned();
    let (grid, block) = (dimensions(word("the grid")?)?, dimensions(word("the block")?)?);
    let mut shared = 0;
    let mut arguments = Vec::new();
    for word in words {
        match word.strip_prefix("shared=") {
            Some(bytes) => shared = bytes.parse()?,
            None => arguments.push(Argument::read(word).with_context(|| format!("argument `{word}`"))?),
        }
    }
    Ok(Launching { line, text: value.to_owned(), kernel, grid, block, shared, arguments, expect: Vec::new() })
}

/// `X`, `X,Y` or `X,Y,Z`.
fn dimensions(text: &str) -> Result<[u32; 3]> {
    let mut sizes = [1; 3];
    ensure!(text.split(',').count() <= 3, "`{text}` has more than three numbers");
    for (size, word) in sizes.iter_mut().zip(text.split(',')) {
        *size = word.parse().with_context(|| format!("`{word}` is no number"))?;
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_comment_is_read() {
        let script = Script::read(
            "// Prose: is not read.\n// RUN: ccc --block 64 --no-compress --arch sm_75 --recompute 3 --no-hoist-loads --no-split --all --most 2\n// CHECK: a\n  // CHECK-NOT: b\n// REPORT: c\n\
             // REFUSED: line 3: barrier\n// PTXAS: sm_75 sm_90\n// LAUNCH: k 2,3 33 shared=16 i32:1 u8[4]=0\n// LAUNCH: k 1 1\n\
             // EXPECT: finished, same-memory\n",
        )
        .unwrap();
        assert_eq!(
            script.run,
            Run::Ccc(Box::new(Options {
                block: Some(64),
                compress: false,
                recompute: 3,
                hoist: Hoist::Never,
                split: false,
                most: Some(2),
                all: true,
                ..Options::default()
            }))
        );
        assert_eq!((script.arch.as_str(), script.checks.len(), script.report.len()), ("sm_75", 2, 1));
        assert_eq!(script.refused, [Refused { line: 3, text: "barrier".to_owned() }]);
        assert_eq!(script.ptxas, ["sm_75", "sm_90"]);
        let [first, second] = script.launches.as_slice() else { panic!("two launches") };
        assert_eq!((first.grid, first.block, first.shared, first.arguments.len()), ([2, 3, 1], [33, 1, 1], 16, 2));
        assert_eq!(first.expect, second.expect);
        assert_eq!(second.expect, [Expectation::Finished, Expectation::SameMemory]);
    }

    #[test]
    fn typing_mistakes_are_errors() {
        for (text, complaint) in [
            ("// RUN: ccc\n// CHEKC: a\n", "line 2"),
            ("// RUN: ccc\n// CHECK-NXT: a\n", "line 2"),
            ("// RUN: cccc\n", "nothing is called"),
            ("// RUN: ccc --bock 3\n", "no option --bock"),
            ("// CHECK: a\n", "exactly one"),
            ("// RUN: ccc\n// LAUNCH: k 1 1\n", "no EXPECT"),
            ("// RUN: ccc\n// EXPECT: finished\n", "no LAUNCH"),
            ("// RUN: ccc\n// LAUNCH: k 1 1\n// EXPECT: finnished\n", "finnished"),
            ("// RUN: ccc\n// LAUNCH: k 1 x\n// EXPECT: finished\n", "no number"),
            ("// RUN: ccc\n// REFUSED: barrier\n", "line N: text"),
        ] {
            let error = format!("{:#}", Script::read(text).unwrap_err());
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn checks_do_not_find_themselves() {
        assert_eq!(without_script("// CHECK: ret;\n// prose\nret;\n"), "// prose\nret;\n");
    }
}
