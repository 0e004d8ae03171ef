//! The messages of `pxrw ccc` about a rewrite: the report, and warnings about directives that were not carried out.

use std::collections::HashSet;

use ccc::{Assumed, KernelReport, Names, Refusal, RegionReport, Status};
use emulator::{Chip, SHARED_WITHOUT_OPT_IN};
use frontend::{Compiled, Marking, Report, Rewritten, Unreached};
use ptx_parser::{Position, Space};
use toolkit::{Cubin, KernelResources};

use crate::diagnostics::{Diagnostic, Place, Severity};
use crate::input::Language;
use crate::kernels::demangle;
use crate::reports::ccc::{CccReport, KernelEntry};

/// The advice about an assumption.
const ASSUMED: &str = "the path runs later than what follows it; say that they never meet with `independent` behind the directive, or with \
    `__restrict__` pointers, or have such paths refused (`--strict`)";

/// The data that the report is made from.
pub(super) struct Facts<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) language: Language,
    pub(super) compiled: &'a Compiled,
    pub(super) rewritten: &'a Rewritten,
    pub(super) before: &'a Cubin,
    pub(super) after: &'a Cubin,
    /// True if something is said of directives that reached no kernel.
    pub(super) every_directive: bool,
}

impl Facts<'_> {
    pub(super) fn report(&self, arch: &str) -> CccReport {
        let mut kernels: Vec<KernelEntry> =
            self.rewritten.reports.iter().map(|report| self.kernel(arch, report)).collect();
        let left_out: Vec<RegionReport> = self.unreached().into_iter().map(left_out).collect();
        if !left_out.is_empty() {
            // No kernel can be named: nothing of the directive reached the PTX.
            let nothing = KernelReport {
                name: String::new(),
                grid: None,
                regions: left_out,
                shared_bytes_before: 0,
                shared_bytes: 0,
            };
            kernels.push(KernelEntry {
                name: String::new(),
                demangled: Some("(none)".to_owned()),
                marking: None,
                report: nothing,
                dynamic_shared_most: 0,
                dynamic_shared_most_opt_in: None,
                registers_before: None,
                registers_after: None,
                block: 0,
                block_assumed: false,
                occupancy_before: None,
                occupancy_after: None,
            });
        }
        CccReport { arch: arch.to_owned(), kernels }
    }

    /// The directives without any effect on the PTX.
    fn unreached(&self) -> Vec<Unreached> {
        // Where the compiler took no markers, that is said instead.
        let meant = self.every_directive && self.rewritten.problems.is_empty();
        if meant { self.compiled.unreached(self.rewritten) } else { Vec::new() }
    }

    fn kernel(&self, arch: &str, from: &Report) -> KernelEntry {
        let mut report = from.kernel.clone();
        report.describe(&self.names(from));
        let before = self.before.kernel(&report.name).map(|resources| resources.registers);
        let after = self.after.kernel(&report.name).map(|resources| resources.registers);
        let rewritten = report.regions.iter().find(|region| region.status == Status::Rewritten);
        let block = rewritten.map_or(0, |region| region.block);
        let chip = Chip::from_name(arch);
        let outside = self.rewritten.module.variables().iter().filter(|variable| variable.space == Space::Shared);
        let declared = outside.map(|variable| variable.bytes()).sum::<u64>() + report.shared_bytes;
        let occupancy = |resources: Option<&KernelResources>| occupancy(chip.as_ref()?, resources?, block);
        KernelEntry {
            name: report.name.clone(),
            demangled: demangle(&report.name),
            marking: from.marking.filter(|_| from.is_rewritten()).map(marking_name),
            dynamic_shared_most: u64::from(SHARED_WITHOUT_OPT_IN).saturating_sub(declared),
            dynamic_shared_most_opt_in: chip
                .as_ref()
                .map(|chip| u64::from(chip.most_shared_of_block()).saturating_sub(declared)),
            registers_before: before,
            registers_after: after,
            block,
            block_assumed: rewritten.is_some_and(|region| region.block_assumed),
            occupancy_before: occupancy(self.before.kernel(&report.name)),
            occupancy_after: occupancy(self.after.kernel(&report.name)),
            report,
        }
    }

    /// Names the places of a kernel's report.
    fn names<'a>(&'a self, from: &'a Report) -> FilesOf<'a> {
        FilesOf { facts: self, from }
    }

    /// One message per region that was not rewritten, and per directive that reached no kernel.
    pub(super) fn explanations(&self) -> Vec<Diagnostic> {
        let mut messages: Vec<Diagnostic> =
            self.rewritten.problems.iter().map(|problem| super::not_marked(self.name, problem)).collect();
        for from in &self.rewritten.reports {
            let names = self.names(from);
            let grid = from.kernel.grid.iter();
            let grid = grid.map(|grid| {
                (&grid.status, names.directive_file(grid.id, None), grid.line, "the directive stands", false)
            });
            let regions = from.kernel.regions.iter().map(|region| {
                let home = names.directive_file(region.id, region.file_index);
                (&region.status, home, region.line, "the marked path begins", region.copy_is_collected)
            });
            for (status, file, line, what, is_copy) in grid.chain(regions) {
                let Status::Refused(refusal) = status else { continue };
                let refused = self.refused(from, refusal, (file, line), what);
                messages.push(if is_copy { copy_of_rewritten(refused) } else { refused });
            }
        }
        for unreached in self.unreached().iter().filter(|unreached| !unreached.is_left_out()) {
            messages.push(self.unreached_at(unreached));
        }
        // The same is said once, of however many copies.
        let mut said = HashSet::new();
        messages.retain(|message| said.insert(format!("{message:?}")));
        messages
    }

    /// Says what is assumed of the memory that paths access: once for each place behind a path.
    pub(super) fn assumed(&self) -> Vec<Diagnostic> {
        let mut said = HashSet::new();
        let mut messages = Vec::new();
        for from in &self.rewritten.reports {
            for accesses in from.kernel.regions.iter().flat_map(|region| &region.accesses) {
                let entry = Assumed::of(accesses, &self.names(from));
                if !said.insert(entry.message.clone()) {
                    continue;
                }
                let at = accesses.rest.at;
                let place = match (at.source.line, self.language) {
                    (0, Language::Ptx) => Place::in_text(self.name, self.text, Position::of_line(at.ptx.line)),
                    _ => self.place(&entry.rest.file, at.source),
                };
                let note = Diagnostic::remark(entry.message);
                messages.push(note.at(place).help(ASSUMED));
            }
        }
        messages
    }

    /// Says which directives the preprocessor leaves out.
    pub(super) fn left_out(&self) -> Vec<Diagnostic> {
        self.unreached().iter().filter(|one| one.is_left_out()).map(|one| self.unreached_at(one)).collect()
    }

    fn unreached_at(&self, unreached: &Unreached) -> Diagnostic {
        unreached_at(unreached, (self.name, self.text))
    }

    fn refused(&self, from: &Report, refusal: &Refusal, (file, line): (String, u32), what: &str) -> Diagnostic {
        let names = self.names(from);
        let diagnostic = Diagnostic::error(format!("not rewritten: {}", refusal.named(&names))).help(refusal.help());
        let directive = self.place(&file, Position::of_line(line));
        let place = refusal.place().and_then(|place| match (place.source.line, self.language) {
            (0, Language::Ptx) if place.ptx.line > 0 => {
                Some(Place::in_text(self.name, self.text, Position::of_line(place.ptx.line)))
            }
            (0, _) => None,
            _ => Some(self.place(&names.file(place.file), place.source)),
        });
        match place {
            Some(place) => {
                let note = format!("{what} at {}:{}", directive.file, directive.position.line);
                diagnostic.at(place).note(note)
            }
            None => diagnostic.at(directive),
        }
    }

    /// Returns what there is to say of a file without directives.
    pub(super) fn nothing_marked(&self) -> Diagnostic {
        let place = Place::file(self.name);
        let help = "mark a loop with `#CCC for` and a path in it with `#CCC if`";
        Diagnostic::warning("no region is marked; nothing was rewritten").at(place).help(help)
    }

    fn place(&self, name: &str, position: Position) -> Place {
        let known = if self.language == Language::Cuda { (self.name, self.text) } else { ("", "") };
        place(name, position, known)
    }
}

/// The names of places in the report on one kernel.
struct FilesOf<'a> {
    facts: &'a Facts<'a>,
    from: &'a Report,
}

impl Names for FilesOf<'_> {
    fn file(&self, index: Option<u32>) -> String {
        let name = self.facts.name;
        match index.and_then(|index| self.from.files.get((index as usize).checked_sub(1)?)) {
            // nvcc writes the folder in which it ran before the name that it was given.
            Some(file) if !file.ends_with(name) => {
                let here = std::env::current_dir().unwrap_or_default();
                let relative = std::path::Path::new(file).strip_prefix(here);
                relative.map_or_else(|_| file.to_owned(), |relative| relative.display().to_string())
            }
            _ => name.to_owned(),
        }
    }

    /// Returns the file of the directive of this number; where markers were in the PTX already, the one that the PTX says.
    fn directive_file(&self, id: u32, index: Option<u32>) -> String {
        let directive = (id as usize).checked_sub(1).and_then(|index| self.facts.compiled.directives.get(index));
        directive.map_or_else(|| self.file(index), |located| located.file.clone())
    }

    /// Names a place in another file than the one that is compiled with its file.
    fn place(&self, place: ccc::Origin) -> String {
        match self.file(place.file) {
            file if place.source.line > 0 && file != self.facts.name => format!("{file}:{}", place.source.line),
            _ => place.to_string(),
        }
    }

    fn subject(&self, place: ccc::Origin) -> Option<String> {
        match (place.source.line, place.ptx.line) {
            (0, line) => {
                (line > 0 && self.facts.language == Language::Ptx).then(|| format!("{}:{line}", self.facts.name))
            }
            (line, _) => Some(format!("{}:{line}", self.file(place.file))),
        }
    }
}

/// A position in a file, of which the text may be at hand.
fn place(file: &str, position: Position, (known, text): (&str, &str)) -> Place {
    if file == known { Place::in_text(file, text, position) } else { Place::read(file, position) }
}

/// Says what became of a directive without any effect on the PTX. `known` is a file of which the text is at hand, and its text.
pub(in crate::commands) fn unreached_at(unreached: &Unreached, known: (&str, &str)) -> Diagnostic {
    let place = place(&unreached.file, Position::new(unreached.line, 0), known);
    Diagnostic::error(format!("left out: {}", unreached.message())).at(place).help(unreached.help())
}

/// The same for a copy that the compiler made of a path, of which another copy is rewritten: nothing that the user has to do.
fn copy_of_rewritten(refused: Diagnostic) -> Diagnostic {
    let title = format!("another copy that the compiler made of the path is rewritten; this one is {}", refused.title);
    Diagnostic { severity: Severity::Note, title, help: None, ..refused }
}

/// Reports a directive without any effect on the PTX.
fn left_out(unreached: Unreached) -> RegionReport {
    let (reason, help) = (unreached.message(), unreached.help());
    RegionReport::unreached((unreached.file, u32::try_from(unreached.line).unwrap_or(u32::MAX)), reason, help)
}

/// The name of a way of marking in reports.
fn marking_name(marking: Marking) -> String {
    match marking {
        Marking::Rolled => "marked loops not unrolled",
        Marking::AsWritten => "marked loops unrolled as the source says",
    }
    .to_owned()
}

/// Resident warps over the most that there can be, by the chip's limits on registers, shared memory, threads and blocks.
fn occupancy(chip: &Chip, resources: &KernelResources, block: u32) -> Option<f64> {
    let blocks = chip.blocks_per_multiprocessor(block, resources.shared_bytes, Some(resources.registers));
    Some(f64::from(blocks * block.div_ceil(32)) / f64::from(chip.threads / 32))
}
