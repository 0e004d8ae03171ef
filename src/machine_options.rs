//! Options of `pxrw run` that only some of the emulator's machines ask for: the seed of `mimd` and `stack`, the timeout, the tables and the
//! delayed reconvergence of `aware`.

use std::path::{Path, PathBuf};

use clap::Args;
use device::{Aware, Branch, Machine, Order, Reconvergence};
use ssde_ptx::Meeting;

use ptx_parser::Position;

use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::reconvergence;

#[derive(Args, Debug)]
pub(crate) struct MachineOptions {
    /// Seed of the interleaving of threads on `mimd`. On `stack` it selects the side of a branch that runs first: 0 the taken one, 1 the other one; any other
    /// seed selects one at random for each branch
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    /// On `aware`, number of warp instructions after which lanes stop waiting for others to reconverge, or `never`; 16384 if not
    /// given
    #[arg(long, value_name = "STEPS", value_parser = timeout)]
    pub(crate) aware_timeout: Option<Timeout>,
    /// On `aware`, number of entries of the split table and of the reconvergence table that a warp has on chip, such as `4/2`; as many as needed if not given
    #[arg(long, value_name = "ST/RT", value_parser = entries)]
    pub(crate) aware_entries: Option<(u32, u32)>,
    /// On `aware`, order of the splits of a warp. `fifo`: first in, first out, as in the paper. `rounds`: each split runs until it takes a
    /// backward branch, and splits that reach the same place merge. `fifo` if not given
    #[arg(long, value_name = "ORDER", value_parser = order)]
    pub(crate) aware_order: Option<Order>,
    /// On `aware`, file of branches that reconverge later than at their immediate postdominator. Each line has a branch
    /// (the label of its loop or of the code before it, or its line in the PTX) and a label or `exit`; or the file is what
    /// `pxrw ssde --emit reconvergence` wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) reconvergence: Option<PathBuf>,
}

/// Steps, or never.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeout(Option<u64>);

fn timeout(text: &str) -> Result<Timeout, String> {
    match text {
        "never" => Ok(Timeout(None)),
        steps => steps.parse().map(|steps| Timeout(Some(steps))).map_err(|_| "a number of steps or `never`".to_owned()),
    }
}

fn order(text: &str) -> Result<Order, String> {
    Order::ALL.into_iter().find(|order| order.name() == text).ok_or_else(|| "`fifo` or `rounds`".to_owned())
}

/// Reads `4/2`.
fn entries(text: &str) -> Result<(u32, u32), String> {
    let parse = |word: &str| word.trim().parse::<u32>().ok().filter(|&count| count > 0);
    let both = text.split_once('/').and_then(|(splits, points)| Some((parse(splits)?, parse(points)?)));
    both.ok_or_else(|| "two numbers above 0, such as `4/2`".to_owned())
}

impl MachineOptions {
    /// Returns what `aware` is to do; an error if another machine is asked to do it.
    pub(crate) fn aware(&self, machine: Machine) -> Result<Aware, Failure> {
        let given = [
            ("--aware-timeout", self.aware_timeout.is_some()),
            ("--aware-entries", self.aware_entries.is_some()),
            ("--aware-order", self.aware_order.is_some()),
            ("--reconvergence", self.reconvergence.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given && machine != Machine::Aware) {
            let title = format!("`{option}` does not apply to `--machine {}`", machine.name());
            return Err(Diagnostic::error(title).help("only `--machine aware` has tables of splits").into());
        }
        let mut aware = Aware::default();
        if let Some(Timeout(timeout)) = self.aware_timeout {
            aware.timeout = timeout;
        }
        if let Some((splits, points)) = self.aware_entries {
            (aware.split_entries, aware.reconvergence_entries) = (Some(splits), Some(points));
        }
        aware.order = self.aware_order.unwrap_or_default();
        if let Some(path) = &self.reconvergence {
            let text = text_of(path)?;
            if !reconvergence::is_json(&text) {
                aware.reconvergence = wishes(path, &text)?;
            }
        }
        Ok(aware)
    }

    /// Returns where lanes of a kernel meet, if the file says it by lines of the PTX.
    pub(crate) fn meetings(&self, kernel: &str) -> Result<Vec<Meeting>, Failure> {
        let Some(path) = &self.reconvergence else { return Ok(Vec::new()) };
        let text = text_of(path)?;
        if reconvergence::is_json(&text) { reconvergence::read(path, &text, kernel) } else { Ok(Vec::new()) }
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path);
    text.map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", path.display())).into())
}

/// Reads lines of a branch and a point; what follows a `#` is a comment.
fn wishes(path: &Path, text: &str) -> Result<Vec<Reconvergence>, Failure> {
    let mut wishes = Vec::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [branch, point] => wishes.push(Reconvergence {
                branch: branch.parse().map_or_else(|_| Branch::Label((*branch).to_owned()), Branch::Line),
                point: (*point != "exit").then(|| (*point).to_owned()),
            }),
            _ => {
                let error = Diagnostic::error("not a branch and the label where its lanes reconverge");
                let place = Place::in_line(&path.display().to_string(), Some(line), Position::new(index + 1, 0));
                errors.push(
                    error.at(place).help("write for example `$L__BB0_1 $L__BB0_3`, or `17 exit` for PTX line 17"),
                );
            }
        }
    }
    if errors.is_empty() { Ok(wishes) } else { Err(errors.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_branches_and_points() {
        let wish = |branch, point: Option<&str>| Reconvergence { branch, point: point.map(str::to_owned) };
        let text = "# two loops\n$L__BB0_1 $L__BB0_3\n\n17 exit # a branch\n";
        let expected = [wish(Branch::Label("$L__BB0_1".into()), Some("$L__BB0_3")), wish(Branch::Line(17), None)];
        assert_eq!(wishes(Path::new("f"), text).unwrap(), expected);
        let failure = wishes(Path::new("f"), "A B\nA\nA B C\n").unwrap_err();
        let lines: Vec<u32> = failure.diagnostics.iter().map(|d| d.place.as_ref().unwrap().position.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn entries_are_two_numbers_above_zero() {
        assert_eq!(entries("4/2"), Ok((4, 2)));
        for text in ["4", "4/0", "/2", "a/b", "4/2/1"] {
            assert!(entries(text).is_err(), "{text}");
        }
    }
}
