//! `pxrw run`: one launch of a kernel, what its warps did, and what went wrong.
//!
//! CUDA is compiled as it is annotated, with its markers but unrewritten. Arguments are read and checked before anything runs.

use std::collections::BTreeSet;

use device::{Chip, EmulatorOptions, LaunchConfig, OutcomeKind, RunReport, Selection};
use ptx_parser::{Inst, Kernel, Loc, Module, StmtKind};

use crate::Verdict;
use crate::arguments::{DeviceName, ReportForm, Run};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Compiled, Input, Language, LazyToolkit};
use crate::kernels::{choose, demangle};
use crate::launch_arguments;
use crate::output;
use crate::reports::run::RunEntry;

pub(crate) fn run(options: &Run) -> Result<Verdict, Failure> {
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let compiled = input.compile(&options.common.arch, &mut LazyToolkit::new(options.common.cuda_path.as_ref()))?;
    let program = Source { name: &name, text: &text, language, compiled: &compiled };
    let kernel = choose(&compiled.module, options.kernel.as_deref(), &name)?;
    let shown = demangle(kernel.name());
    let arguments = launch_arguments::read(&options.args, kernel, shown.as_deref().unwrap_or(kernel.name()))?;

    let mut device = select(options)?.open().map_err(|error| program.explain(error))?;
    let handle = device.load(&compiled.ptx, kernel.name()).map_err(|error| program.explain(error))?;
    let uploaded = launch_arguments::upload(&arguments, device.as_mut())?;
    let config = LaunchConfig { grid: options.grid, block: options.block, dynamic_shared: options.shared };
    let values: Vec<_> = uploaded.iter().map(|uploaded| uploaded.argument).collect();
    let report = device.launch(handle, &config, &values).map_err(|error| program.explain(error))?;

    let (written, problems) = launch_arguments::save(&arguments, &uploaded, device.as_ref());
    let finding = Finding::of(&report, &program);
    let entry = RunEntry {
        demangled: shown,
        device: device.name(),
        grid: options.grid,
        block: options.block,
        file: finding.as_ref().and_then(|finding| finding.place.as_ref()).map(|place| place.file.clone()),
        ptx_line: finding.as_ref().and_then(|finding| finding.ptx_line),
        written: written.iter().map(|path| path.display().to_string()).collect(),
        report: finding.as_ref().map_or_else(|| report.clone(), |finding| finding.with_line(&report)),
    };
    match options.common.report {
        ReportForm::Text => {
            finding.iter().for_each(|finding| finding.diagnostic(report.outcome).print());
            output::write(None, entry.text().as_bytes())?;
        }
        ReportForm::Json => {
            let text = serde_json::to_string_pretty(&entry).unwrap_or_default() + "\n";
            output::write(None, text.as_bytes())?;
        }
    }
    match (problems.is_empty(), report.outcome) {
        (false, _) => Err(problems.into()),
        (true, OutcomeKind::Finished) => Ok(Verdict::Done),
        (true, _) => Ok(Verdict::Found),
    }
}

fn select(options: &Run) -> Result<Selection, Failure> {
    Ok(match options.device {
        DeviceName::Emulator => {
            let arch = &options.common.arch;
            let chip = Chip::from_name(arch).unwrap_or_else(|| {
                let chip = EmulatorOptions::default().chip;
                let title =
                    format!("the costs of instructions on {arch} are not known; those of {} are taken", chip.name);
                Diagnostic::warning(title).print();
                chip
            });
            let machine = options.machine.machine();
            Selection::Emulator(EmulatorOptions {
                machine,
                chip,
                step_budget: options.budget,
                seed: options.machine_options.seed,
                aware: options.machine_options.aware(machine)?,
                ..EmulatorOptions::default()
            })
        }
    })
}

/// The user's file and the PTX that was made from it.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
    language: Language,
    compiled: &'a Compiled,
}

impl Source<'_> {
    fn module(&self) -> &Module {
        &self.compiled.module
    }

    /// Why a device does not run the kernel, as the user sees it.
    fn explain(&self, error: device::Error) -> Failure {
        match error {
            device::Error::Emulator(emulator::Error::Unsupported { site, opcode, reason }) => {
                let error = Diagnostic::error(format!("the emulator does not run `{opcode}`: {reason}"));
                self.locate(error, site.ptx_line).into()
            }
            device::Error::Emulator(emulator::Error::UnknownSymbol { site, name }) => {
                let error = Diagnostic::error(format!("`{name}` is declared nowhere in the module"));
                let help = "the kernel needs another file's code: compile the files into one, without `-rdc`";
                self.locate(error, site.ptx_line).help(help).into()
            }
            device::Error::Emulator(emulator::Error::Shape { what }) => {
                Diagnostic::error(format!("the launch is not possible: {what}"))
                    .help("change `--grid`, `--block` or `--shared`")
                    .into()
            }
            error => Diagnostic::error(error.to_string()).into(),
        }
    }

    /// Puts a message at a line of the PTX, and at the line of the source that it comes from.
    fn locate(&self, message: Diagnostic, ptx_line: u32) -> Diagnostic {
        let (place, notes) = self.place(ptx_line);
        let message = message.at(place);
        notes.into_iter().fold(message, Diagnostic::note)
    }

    /// Where a line of the PTX is to the user, and notes about the other places that it has.
    fn place(&self, ptx_line: u32) -> (Place, Vec<String>) {
        let found = self.instruction(ptx_line);
        let column =
            found.and_then(|(kernel, inst)| kernel.text_position(inst)).map_or(0, |(_, column)| column as usize);
        let loc = found.and_then(|(kernel, inst)| Some((kernel, kernel.loc(inst)?))).filter(|(_, loc)| loc.line > 0);
        let in_ptx = |name: &str| Place::in_text(name, &self.compiled.ptx, ptx_line as usize, column);
        match (loc, self.language) {
            (Some((kernel, loc)), Language::Cuda) => {
                let shown = in_ptx("").text.map_or_else(String::new, |text| format!(": `{}`", text.trim()));
                let mut notes = vec![format!("PTX line {ptx_line}{shown}")];
                let outer = self.where_inlined(kernel, loc);
                if outer != loc {
                    let inner = self.source_place(loc);
                    notes.insert(0, format!("this was inlined from {}:{}", inner.file, inner.line));
                }
                (self.source_place(outer), notes)
            }
            (Some((_, loc)), Language::Ptx) => {
                let source = self.source_place(loc);
                (in_ptx(self.name), vec![format!("it was compiled from {}:{}", source.file, source.line)])
            }
            (None, Language::Cuda) => (in_ptx(&format!("{} (as PTX)", self.name)), Vec::new()),
            (None, Language::Ptx) => (in_ptx(self.name), Vec::new()),
        }
    }

    /// The place in the user's file where a header's function was inlined; the place itself if there is none.
    fn where_inlined(&self, kernel: &Kernel, loc: Loc) -> Loc {
        /// More functions inlined into each other than anybody writes; a circle must end, too.
        const DEEPEST: usize = 64;
        let mut at = loc;
        for _ in 0..DEEPEST {
            if self.file_name(self.module().file(at.file).unwrap_or(self.name)) == self.name {
                return at;
            }
            let Some((file, line, column)) = at.inlined_at else { break };
            // The function that it was inlined into has a `.loc` of its own, which says where that one was inlined.
            let mut positions = kernel.stmts().iter().filter_map(|stmt| match stmt.kind {
                StmtKind::Loc(position) => Some(kernel.position(position)),
                _ => None,
            });
            let is_call = |outer: &Loc| (outer.file, outer.line, outer.column) == (file, line, column);
            let outer = positions.find(is_call);
            at = outer.unwrap_or(Loc { file, line, column, inlined_at: None });
        }
        loc
    }

    fn source_place(&self, loc: Loc) -> Place {
        let file = self.file_name(self.module().file(loc.file).unwrap_or(self.name));
        let (line, column) = (loc.line as usize, loc.column as usize);
        if file == self.name && self.language == Language::Cuda {
            return Place::in_text(file, self.text, line, column);
        }
        match std::fs::read_to_string(file) {
            Ok(text) => Place::in_text(file, &text, line, column),
            Err(_) => Place { file: file.to_owned(), line, column, text: None },
        }
    }

    /// The user's name of a file that the PTX refers to: nvcc writes the folder in which it ran before the name that it was given.
    fn file_name<'f>(&'f self, file: &'f str) -> &'f str {
        if self.language == Language::Cuda && file.ends_with(self.name) { self.name } else { file }
    }

    fn instruction(&self, ptx_line: u32) -> Option<(&Kernel, Inst)> {
        self.instructions().find(|(kernel, inst)| kernel.text_position(*inst).is_some_and(|(line, _)| line == ptx_line))
    }

    fn instructions(&self) -> impl Iterator<Item = (&Kernel, Inst)> {
        self.module().kernels().iter().flat_map(|kernel| {
            let insts = kernel.stmts().iter().filter_map(|stmt| match stmt.kind {
                StmtKind::Inst(inst) => Some(inst),
                _ => None,
            });
            insts.map(move |inst| (kernel, inst))
        })
    }

    /// A device's message with the files' names as the user knows them.
    fn with_file_names(&self, message: &str) -> String {
        let indices: BTreeSet<u32> =
            self.instructions().filter_map(|(kernel, inst)| Some(kernel.loc(inst)?.file)).collect();
        let files = indices.into_iter().filter_map(|index| self.module().file(index));
        files.fold(message.to_owned(), |message, file| message.replace(file, self.file_name(file)))
    }
}

/// What a launch that did not finish has shown.
struct Finding {
    /// The device's message in its lines, the first without its place.
    lines: Vec<String>,
    ptx_line: Option<u32>,
    place: Option<Place>,
    /// About the place.
    notes: Vec<String>,
}

impl Finding {
    fn of(report: &RunReport, source: &Source<'_>) -> Option<Finding> {
        if report.outcome == OutcomeKind::Finished {
            return None;
        }
        let message = source.with_file_names(report.message.as_deref().unwrap_or("the launch did not finish"));
        let ptx_line = first_ptx_line(&message);
        let (place, notes) = ptx_line.map(|line| source.place(line)).unzip();
        let mut lines: Vec<String> = message.lines().map(|line| line.trim().to_owned()).collect();
        if let Some(first) = lines.first_mut() {
            *first = without_place(first).to_owned();
        }
        Some(Finding { lines, ptx_line, place, notes: notes.unwrap_or_default() })
    }

    fn diagnostic(&self, outcome: OutcomeKind) -> Diagnostic {
        let (headline, details) = match self.lines.split_first() {
            Some((first, rest)) => (first.as_str(), rest),
            None => ("the launch did not finish", &[][..]),
        };
        // What was accessed is in the title; what lies nearby would make it too long.
        let (title, nearby) = match headline.split_once("; ") {
            Some((title, nearby)) => (title, Some(nearby.to_owned())),
            None => (headline, None),
        };
        let mut message = Diagnostic::error(title);
        message.place = self.place.clone();
        message.notes = nearby.into_iter().chain(details.iter().cloned()).chain(self.notes.iter().cloned()).collect();
        message.help(advice(outcome))
    }

    /// The report with the line that the message is at: PTX without `.loc` has lines of its own.
    fn with_line(&self, report: &RunReport) -> RunReport {
        let line = self.place.as_ref().and_then(|place| u32::try_from(place.line).ok());
        RunReport { line: line.or(report.line), message: Some(self.lines.join("\n")), ..report.clone() }
    }
}

fn advice(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::SimtDeadlock => {
            "lanes of a warp wait for each other: with `--machine its`, or `aware` and its timeout, each of them gets on by itself; for older hardware, let the lane \
             that has what the others wait for give it away inside the loop"
        }
        OutcomeKind::Livelock => {
            "nothing that is still running will change what these threads wait for; look at the condition of the loop"
        }
        OutcomeKind::BarrierDivergence => {
            "let all the threads that a barrier counts on reach it: move it out of the branch or loop"
        }
        OutcomeKind::Starvation => "blocks that wait for each other must all be resident: use a smaller `--grid`",
        OutcomeKind::Budget => "if the kernel ends at all, `--budget` gives it more steps; 0 is no limit",
        _ => "",
    }
}

/// The line of the PTX that a device's message names first.
fn first_ptx_line(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once("PTX line ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|&line| line > 0)
}

/// A headline without the place that stands before it, which is shown by itself: `k.cu:7 (PTX line 12): what` or `PTX line 12: what`.
fn without_place(headline: &str) -> &str {
    let Some((before, rest)) = headline.split_once("PTX line ") else { return headline };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    match rest.strip_prefix(": ") {
        Some(what) if before.is_empty() || before.ends_with(" (") => what,
        _ => headline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_message_is_found() {
        assert_eq!(first_ptx_line("k.cu:7 (PTX line 12): misaligned access"), Some(12));
        assert_eq!(
            first_ptx_line(
                "a barrier waits\n  waits: block 0 warp 1 lanes 0xff at PTX line 9\n  missing: at PTX line 3"
            ),
            Some(9)
        );
        assert_eq!(first_ptx_line("the step budget was used up"), None);
        assert_eq!(first_ptx_line("PTX line 0"), None);
        assert_eq!(first_ptx_line("PTX line 99999999999"), None);
    }

    #[test]
    fn the_place_is_not_said_twice() {
        assert_eq!(without_place("my k.cu:7 (PTX line 12): misaligned"), "misaligned");
        assert_eq!(without_place("PTX line 12: out-of-bounds"), "out-of-bounds");
        assert_eq!(without_place("the budget: at PTX line 12"), "the budget: at PTX line 12");
        assert_eq!(without_place("it ended"), "it ended");
    }
}
