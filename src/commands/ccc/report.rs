//! What `pxrw ccc` says of a rewrite: the report, and messages about directives that were not carried out.

use annotate::{Directive, Kind};
use ccc::{KernelReport, Known, RegionReport, Status};
use emulator::Chip;
use ptx_parser::{Module, Space};
use toolkit::{Cubin, KernelResources};

use crate::diagnostics::{Diagnostic, Place};
use crate::input::Language;
use crate::kernels::demangle;
use crate::reports::ccc::{
    CccReport, ContextEntry, GridEntry, HoistedEntry, KernelEntry, RankEntry, RecomputedEntry, ReductionEntry,
    RegionEntry, RegionStatus, SharingEntry,
};

/// What the report is made from.
pub(super) struct Facts<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// The files that directives are from, each with the number of its first one, where several are compiled together.
    pub(super) homes: &'a [(u32, String)],
    pub(super) language: Language,
    pub(super) original: &'a Module,
    pub(super) before: &'a Cubin,
    pub(super) after: &'a Cubin,
}

impl Facts<'_> {
    pub(super) fn report(&self, arch: &str, reports: &[KernelReport], directives: &[Directive]) -> CccReport {
        let mut kernels: Vec<KernelEntry> = reports.iter().map(|report| self.kernel(arch, report)).collect();
        let left_out: Vec<RegionEntry> =
            left_out(reports, directives).map(|directive| self.left_out(directive)).collect();
        if !left_out.is_empty() {
            // No kernel can be named: nothing of the directive reached the PTX.
            kernels.push(KernelEntry {
                name: String::new(),
                demangled: Some("(none)".to_owned()),
                grid: None,
                regions: left_out,
                shared_bytes_before: 0,
                shared_bytes: 0,
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

    fn kernel(&self, arch: &str, report: &KernelReport) -> KernelEntry {
        let kernel = self.original.kernel(&report.name);
        let shared_before = kernel.map_or(0, |kernel| kernel.declared_bytes(Space::Shared));
        let before = self.before.kernel(&report.name).map(|resources| resources.registers);
        let after = self.after.kernel(&report.name).map(|resources| resources.registers);
        let rewritten = report.regions.iter().find(|region| region.status == Status::Rewritten);
        let block = rewritten.map_or(0, |region| region.block);
        let chip = Chip::from_name(arch);
        let occupancy = |resources: Option<&KernelResources>| occupancy(chip.as_ref()?, resources?, block);
        KernelEntry {
            name: report.name.clone(),
            demangled: demangle(&report.name),
            grid: report.grid.as_ref().map(|grid| {
                let (status, reason, help) = self.status(&grid.status);
                GridEntry { file: self.home(None, grid.id), line: grid.line, status, reason, help }
            }),
            regions: report.regions.iter().map(|region| self.region(region, rank(region, &report.regions))).collect(),
            shared_bytes_before: shared_before,
            shared_bytes: report.shared_bytes,
            registers_before: before,
            registers_after: after,
            block,
            block_assumed: rewritten.is_some_and(|region| region.block_assumed),
            occupancy_before: occupancy(self.before.kernel(&report.name)),
            occupancy_after: occupancy(self.after.kernel(&report.name)),
        }
    }

    /// A status, why it is not another, and what to do.
    fn status(&self, status: &Status) -> (RegionStatus, Option<String>, Option<String>) {
        match status {
            Status::Rewritten => (RegionStatus::Rewritten, None, None),
            Status::Refused(refusal) => {
                (RegionStatus::Refused, Some(self.placed(refusal, refusal.place())), Some(refusal.help().to_owned()))
            }
            Status::LeftOut(refusal) => {
                (RegionStatus::LeftOut, Some(refusal.to_string()), Some(refusal.help().to_owned()))
            }
        }
    }

    fn region(&self, region: &RegionReport, rank: Option<RankEntry>) -> RegionEntry {
        let (status, reason, help) = self.status(&region.status);
        let context = region.context.iter().map(|value| ContextEntry {
            register: value.register.clone(),
            ty: value.ty.to_owned(),
            bytes: value.bytes,
            why: value.why.to_string(),
            stored: value.stored.as_ref().map(ToString::to_string),
        });
        let recomputed = region.recomputed.iter().map(|value| RecomputedEntry {
            register: value.register.clone(),
            ty: value.ty.to_owned(),
            from: value.from.clone(),
            operations: value.operations,
        });
        let reductions = region.reductions.iter().map(|value| ReductionEntry {
            register: value.register.clone(),
            operator: value.operator.to_owned(),
            ty: value.ty.to_owned(),
            reordered: value.reordered,
        });
        let hoisted = region.hoisted.iter().map(|load| HoistedEntry {
            register: load.register.clone(),
            bytes: load.bytes,
            sectors: load.sectors,
            file: self.file(load.at.file),
            line: load.at.line,
        });
        RegionEntry {
            file: self.home(region.file, region.id),
            line: region.line,
            loop_line: region.loop_line,
            steps: region.steps,
            outer_line: region.outer_line,
            status,
            reason,
            help,
            context: context.collect(),
            recomputed: recomputed.collect(),
            reductions: reductions.collect(),
            hoisted: hoisted.collect(),
            sharing: region.split.as_ref().map(|split| SharingEntry {
                shared: split.is_ok(),
                reason: split.as_ref().err().map(|whole| self.placed(whole, whole.place())),
            }),
            operations: region.operations,
            context_bytes: region.context_bytes,
            uncompressed_bytes: region.uncompressed_bytes,
            stack_bytes: region.stack_bytes,
            rank,
        }
    }

    fn left_out(&self, directive: &Directive) -> RegionEntry {
        RegionEntry {
            file: self.name.to_owned(),
            line: u32::try_from(directive.target_line).unwrap_or(u32::MAX),
            loop_line: None,
            steps: false,
            outer_line: None,
            status: RegionStatus::LeftOut,
            reason: Some(LEFT_OUT.to_owned()),
            help: Some(LEFT_OUT_HELP.to_owned()),
            context: Vec::new(),
            recomputed: Vec::new(),
            reductions: Vec::new(),
            hoisted: Vec::new(),
            sharing: None,
            operations: 0,
            context_bytes: 0,
            uncompressed_bytes: 0,
            stack_bytes: 0,
            rank: None,
        }
    }

    /// The user's name of a file that the PTX refers to.
    fn file(&self, index: Option<u32>) -> String {
        let file = index.and_then(|index| self.original.file(index));
        match file {
            // nvcc writes the folder in which it ran before the name that it was given.
            Some(file) if !file.ends_with(self.name) => {
                let here = std::env::current_dir().unwrap_or_default();
                let name = std::path::Path::new(file).strip_prefix(here);
                name.map_or_else(|_| file.to_owned(), |name| name.display().to_string())
            }
            _ => self.name.to_owned(),
        }
    }

    /// The file of a directive: the one that the PTX says, or the one that has the directive of this number.
    fn home(&self, index: Option<u32>, id: u32) -> String {
        let home = self.homes.iter().rev().find(|(first, _)| *first <= id).map(|(_, file)| file.clone());
        home.filter(|_| index.is_none()).unwrap_or_else(|| self.file(index))
    }

    /// A reason, and the place that it is about.
    fn placed(&self, reason: impl std::fmt::Display, place: Option<ccc::Place>) -> String {
        match place {
            Some(place) if place.line > 0 => format!("{reason} ({}:{})", self.file(place.file), place.line),
            Some(place) if place.ptx_line > 0 && self.language == Language::Ptx => {
                format!("{reason} ({}:{})", self.name, place.ptx_line)
            }
            _ => reason.to_string(),
        }
    }

    /// One message per region that was not rewritten.
    pub(super) fn explanations(&self, reports: &[KernelReport], directives: &[Directive]) -> Vec<Diagnostic> {
        let mut messages = Vec::new();
        let grids = reports
            .iter()
            .filter_map(|report| report.grid.as_ref())
            .map(|grid| (&grid.status, self.home(None, grid.id), grid.line, "the directive stands"));
        let regions = reports.iter().flat_map(|report| &report.regions);
        let regions = regions
            .map(|region| (&region.status, self.home(region.file, region.id), region.line, "the marked path begins"));
        for (status, file, line, what) in grids.chain(regions) {
            let Status::Refused(refusal) = status else { continue };
            let mut diagnostic = Diagnostic::error(format!("not rewritten: {refusal}"));
            let directive = self.place(file, line, 0);
            let place = refusal.place().and_then(|place| match (place.line, self.language) {
                (0, Language::Ptx) if place.ptx_line > 0 => {
                    Some(Place::in_text(self.name, self.text, place.ptx_line as usize, 0))
                }
                (0, _) => None,
                (line, _) => Some(self.place(self.file(place.file), line, place.column)),
            });
            diagnostic = match place {
                Some(place) => {
                    let note = format!("{what} at {}:{}", directive.file, directive.line);
                    diagnostic.at(place).note(note)
                }
                None => diagnostic.at(directive),
            };
            messages.push(diagnostic.help(refusal.help()));
        }
        for directive in left_out(reports, directives) {
            let place = Place::in_text(self.name, self.text, directive.target_line, 0);
            messages.push(Diagnostic::error(format!("left out: {LEFT_OUT}")).at(place).help(LEFT_OUT_HELP));
        }
        messages
    }

    /// What there is to say of a file without directives.
    pub(super) fn nothing_marked(&self) -> Diagnostic {
        let place = Place { file: self.name.to_owned(), line: 0, column: 0, text: None };
        let help = "mark a loop with `#CCC for` and a path in it with `#CCC if`";
        Diagnostic::warning("no region is marked; nothing was rewritten").at(place).help(help)
    }

    fn place(&self, name: String, line: u32, column: u32) -> Place {
        let (line, column) = (line as usize, column as usize);
        if name == self.name && self.language == Language::Cuda {
            return Place::in_text(&name, self.text, line, column);
        }
        match std::fs::read_to_string(&name) {
            Ok(text) => Place::in_text(&name, &text, line, column),
            Err(_) => Place { file: name, line, column, text: None },
        }
    }
}

/// The place of a region among those of its loop.
fn rank(region: &RegionReport, all: &[RegionReport]) -> Option<RankEntry> {
    let rank = region.rank?;
    let others = || {
        all.iter().filter(|other| other.loop_line == region.loop_line).filter_map(|other| Some((other, other.rank?)))
    };
    // Equals stand as their directives do.
    let costlier = others().filter(|(other, theirs)| {
        theirs.order(&rank).then((other.id, other.instance).cmp(&(region.id, region.instance))).is_lt()
    });
    let rarity_from = match rank.known {
        Known::Profile => "profile",
        Known::Directive => "directive",
        Known::Even => "even",
    };
    Some(RankEntry {
        place: 1 + costlier.count(),
        of: others().count(),
        cost: rank.cost,
        rarity: rank.rarity,
        rarity_from: rarity_from.to_owned(),
    })
}

const LEFT_OUT: &str = "nothing of the marked path is in the PTX";
const LEFT_OUT_HELP: &str =
    "the compiler dropped it: a template or function that no kernel uses, or a condition that is always the same";

/// The directives of which no marker reached the PTX, loops left out: one without a region is nothing to miss.
fn left_out<'a>(reports: &'a [KernelReport], directives: &'a [Directive]) -> impl Iterator<Item = &'a Directive> {
    let regions = |id| reports.iter().flat_map(|report| &report.regions).any(|region| region.id == id);
    let grids = |id| reports.iter().filter_map(|report| report.grid.as_ref()).any(|grid| grid.id == id);
    directives.iter().filter(move |directive| match directive.kind {
        Kind::If | Kind::Case | Kind::While | Kind::Recursive => !regions(directive.id),
        Kind::For { .. } if directive.loop_id.is_some() => !regions(directive.id),
        Kind::Grid { .. } => !grids(directive.id),
        _ => false,
    })
}

/// Resident warps over the most that there can be, by the chip's limits on registers, shared memory, threads and blocks.
fn occupancy(chip: &Chip, resources: &KernelResources, block: u32) -> Option<f64> {
    let blocks = chip.blocks_per_multiprocessor(block, resources.shared_bytes, Some(resources.registers));
    Some(f64::from(blocks * block.div_ceil(32)) / f64::from(chip.threads / 32))
}
