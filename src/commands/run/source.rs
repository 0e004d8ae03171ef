//! The user's file behind the PTX: where a line of the PTX is to the user, and why a device does not run a kernel.

use std::collections::BTreeSet;

use device::{CudaCode, PtxProblem};
use frontend::Compiled;
use ptx_parser::{Inst, Kernel, Loc, Module, Position, StmtKind};

use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::Language;

/// The user's file and the PTX that was made from it.
pub(in crate::commands) struct Source<'a> {
    pub(in crate::commands) name: &'a str,
    pub(in crate::commands) text: &'a str,
    pub(in crate::commands) language: Language,
    pub(in crate::commands) compiled: &'a Compiled,
}

impl Source<'_> {
    fn module(&self) -> &Module {
        &self.compiled.module
    }

    /// Explains in the user's terms why a device does not run the kernel. `shape_help` is the advice for a launch of a shape that is not
    /// possible.
    pub(in crate::commands) fn explain(&self, error: device::Error, shape_help: &str) -> Failure {
        match error {
            device::Error::Emulator(emulator::Error::Several(errors)) => {
                let each = errors.into_iter().map(|error| self.explain(device::Error::Emulator(error), shape_help));
                each.flat_map(|failure| failure.diagnostics).collect::<Vec<_>>().into()
            }
            device::Error::Emulator(emulator::Error::Unsupported { site, opcode, reason }) => {
                let error = Diagnostic::error(format!("the emulator does not run `{opcode}`: {reason}"));
                self.locate(error, site.ptx_line).into()
            }
            device::Error::Emulator(emulator::Error::UnknownSymbol { site, name }) => {
                let error = Diagnostic::error(format!("`{name}` is declared nowhere in the module"));
                let help = "the kernel needs another file's code: compile the files into one, without `-rdc`";
                self.locate(error, site.ptx_line).help(help).into()
            }
            device::Error::Refused { code, problems, remark, help } => {
                let refused = self.refused(code, &problems, &help).diagnostics.into_iter();
                refused.map(|refused| remark.iter().fold(refused, Diagnostic::note)).collect::<Vec<_>>().into()
            }
            device::Error::Emulator(emulator::Error::Shape { what }) | device::Error::Shape { what } => {
                Diagnostic::error(format!("the launch is not possible: {what}")).help(shape_help).into()
            }
            error @ (device::Error::VariableMemory { .. }
            | device::Error::Emulator(emulator::Error::VariableMemory { .. })) => {
                let help = "make the variable smaller, or run the kernel where more memory is free";
                Diagnostic::error(error.to_string()).help(help).into()
            }
            device::Error::NotTranslated(refusals) => self.not_translated(&refusals).into(),
            error => Diagnostic::error(error.to_string()).into(),
        }
    }

    /// Explains why kernels have no translation to C: a message for each reason.
    pub(in crate::commands) fn not_translated(&self, refusals: &[cpu::Refusal]) -> Vec<Diagnostic> {
        // An instruction that stands at many places has one message.
        let is_first =
            |index: &usize, refusal: &cpu::Refusal| !refusals.iter().take(*index).any(|other| other.is_like(refusal));
        let first = refusals.iter().enumerate().filter(|(index, refusal)| is_first(index, refusal));
        let each = first.map(|(_, refusal)| {
            let message = Diagnostic::error(format!("`{}` is not translated to C: {}", refusal.what, refusal.reason));
            let message = match refusal.position {
                Some(position) => self.locate(message, position.line),
                None => message.at(Place::file(self.name)),
            };
            let message = match refusals.iter().filter(|other| other.is_like(refusal)).count() {
                0 | 1 => message,
                count => message.note(format!("there are {count} of them")),
            };
            message.help("`pxrw run --device emulator` runs more than what is translated")
        });
        each.collect()
    }

    /// Explains why a GPU's driver does not load the code: a message for each line that its compiler names.
    fn refused(&self, code: CudaCode, problems: &[PtxProblem], help: &str) -> Failure {
        let title = "the GPU's driver does not load the code";
        if problems.is_empty() {
            return Diagnostic::error(format!("{title}: {code}")).help(help).into();
        }
        let each = problems.iter().map(|problem| {
            let message = Diagnostic::error(format!("{title}: {}", problem.message)).note(code.to_string()).help(help);
            problem.line.map_or(message.clone(), |line| self.locate(message, line))
        });
        each.collect::<Vec<_>>().into()
    }

    /// Puts a message at a line of the PTX, and at the line of the source that it comes from.
    pub(in crate::commands) fn locate(&self, message: Diagnostic, ptx_line: u32) -> Diagnostic {
        let (place, notes) = self.place(ptx_line);
        let message = message.at(place);
        notes.into_iter().fold(message, Diagnostic::note)
    }

    /// Returns where a line of the PTX is to the user, and notes about the other places that it has.
    pub(in crate::commands) fn place(&self, ptx_line: u32) -> (Place, Vec<String>) {
        let found = self.instruction(ptx_line);
        let position = found.and_then(|(kernel, inst)| kernel.text_position(inst));
        let position = position.unwrap_or(Position::of_line(ptx_line));
        let loc = found.and_then(|(kernel, inst)| Some((kernel, kernel.loc(inst)?))).filter(|(_, loc)| loc.line > 0);
        let in_ptx = |name: &str| Place::in_text(name, &self.compiled.ptx, position);
        match (loc, self.language) {
            (Some((kernel, loc)), Language::Cuda) => {
                let shown = in_ptx("").text.map_or_else(String::new, |text| format!(": `{}`", text.trim()));
                let mut notes = vec![format!("PTX line {ptx_line}{shown}")];
                let outer = self.where_inlined(kernel, loc);
                if outer != loc {
                    let inner = self.source_place(loc);
                    notes.insert(0, format!("this was inlined from {}:{}", inner.file, inner.position.line));
                }
                (self.source_place(outer), notes)
            }
            (Some((_, loc)), Language::Ptx) => {
                let source = self.source_place(loc);
                (in_ptx(self.name), vec![format!("it was compiled from {}:{}", source.file, source.position.line)])
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
                StmtKind::Loc(position) => Some(kernel.loc_of(position)),
                _ => None,
            });
            let is_call = |outer: &Loc| (outer.file, outer.line, outer.column) == (file, line, column);
            let outer = positions.find(is_call);
            at = outer.unwrap_or(Loc { file, line, column, inlined_at: None });
        }
        loc
    }

    pub(in crate::commands) fn source_place(&self, loc: Loc) -> Place {
        let file = self.file_name(self.module().file(loc.file).unwrap_or(self.name));
        let position = Position { line: loc.line, column: loc.column };
        if file == self.name && self.language == Language::Cuda {
            return Place::in_text(file, self.text, position);
        }
        Place::read(file, position)
    }

    /// The user's name of a file that the PTX refers to: nvcc writes the folder in which it ran before the name that it was given.
    pub(in crate::commands) fn file_name<'f>(&'f self, file: &'f str) -> &'f str {
        if self.language == Language::Cuda && file.ends_with(self.name) { self.name } else { file }
    }

    fn instruction(&self, ptx_line: u32) -> Option<(&Kernel, Inst)> {
        self.instructions().find(|(kernel, inst)| kernel.text_position(*inst).is_some_and(|at| at.line == ptx_line))
    }

    fn instructions(&self) -> impl Iterator<Item = (&Kernel, Inst)> {
        self.module().kernels().iter().flat_map(|kernel| {
            let insts = kernel.insts();
            insts.map(move |inst| (kernel, inst))
        })
    }

    /// The name and the text of a file that the PTX refers to; of the PTX itself for `None`. No text where it is not at hand.
    pub(in crate::commands) fn listed(&self, file: Option<&str>) -> (String, Option<String>) {
        let Some(file) = file else {
            let name =
                if self.language == Language::Ptx { self.name.to_owned() } else { format!("{} (as PTX)", self.name) };
            return (name, Some(self.compiled.ptx.clone()));
        };
        let name = self.file_name(file);
        if name == self.name && self.language == Language::Cuda {
            return (name.to_owned(), Some(self.text.to_owned()));
        }
        (name.to_owned(), std::fs::read_to_string(name).ok())
    }

    /// A device's message with the files' names as the user knows them.
    pub(in crate::commands) fn with_file_names(&self, message: &str) -> String {
        let indices: BTreeSet<u32> =
            self.instructions().filter_map(|(kernel, inst)| Some(kernel.loc(inst)?.file)).collect();
        let files = indices.into_iter().filter_map(|index| self.module().file(index));
        files.fold(message.to_owned(), |message, file| message.replace(file, self.file_name(file)))
    }
}
