//! The report of what was done to a kernel, for people and for programs.
//!
//! These structs are the JSON report: fields, in their order, are its keys. A key is added as a field here, and nowhere else. Skipped
//! fields are for callers. Fields that depend on the names of files, or on all regions of a kernel, are empty until
//! [`KernelReport::describe`] is called.

use std::collections::HashMap;

use cranelift_entity::PrimaryMap;
use ptx_parser::{Kernel, Marker, Number, Operator, Reg};
use serde::{Serialize, Serializer};

use crate::access_pair::AccessPair;
use crate::context::hoist::HoistedLoad;
use crate::context::rematerialization::{Recomputed, Stored};
use crate::context::value::{Source, Why};
use crate::layout::{BlockSize, WARP};
use crate::markers::{self, Site};
use crate::origin::Origin;
use crate::plan::path::{Path, Paths};
use crate::rank::Rank;
use crate::reduction::{Accumulator, AccumulatorId, Part};
use crate::refusal::Refusal;
use crate::report_text::{Assumed, Ranked, Sharing};
use crate::split::unsplittable::Unsplittable;

/// The outcome for the marked regions of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    /// The kernel's name, mangled. Skipped: callers write it in front of what they know of the kernel.
    #[serde(skip)]
    pub name: String,
    /// The outcome for its `#CCC grid`, if it has one.
    pub grid: Option<GridReport>,
    /// Its regions, in the order of the directives; copies of one in the order of the text.
    pub regions: Vec<RegionReport>,
    /// Bytes of shared memory that the kernel declares without the rewrite.
    pub shared_bytes_before: u64,
    /// Bytes of shared memory that the rewritten kernel declares, the stacks included.
    pub shared_bytes: u64,
}

/// The outcome for a kernel that was to repeat its work for other blocks.
#[derive(Clone, Debug, Serialize)]
pub struct GridReport {
    /// Number of the directive in its file.
    #[serde(skip)]
    pub id: u32,
    /// The file of the directive; empty until it is described.
    pub file: String,
    /// The user's line of the directive; 0 where the marker does not say.
    pub line: u32,
    /// The outcome: rewritten, or why not.
    pub status: Status,
    /// The reason in a sentence, with its place; `None` for one that was rewritten, and until it is described.
    pub reason: Option<String>,
    /// The advice on what the user can do about it.
    pub help: Option<String>,
}

/// The outcome for one region.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RegionReport {
    /// Number of the directive in its file.
    #[serde(skip)]
    pub id: u32,
    /// Index of the `.file` directive that the lines are in.
    #[serde(skip)]
    pub file_index: Option<u32>,
    /// Number of the copy, where the compiler made several (inlining), counted from 0.
    #[serde(skip)]
    pub instance: usize,
    /// The file that the lines are in; empty until it is described.
    pub file: String,
    /// The user's line of the marked `if`; 0 where the marker does not say.
    pub line: u32,
    /// The user's line of the marked `for`, if its marker was found.
    pub loop_line: Option<u32>,
    /// The assumptions about the memory that it and what follows it in its iteration access.
    #[serde(skip)]
    pub accesses: Vec<AccessPair>,
    /// The same in words; empty until it is described.
    pub assumptions: Vec<Assumed>,
    /// True if what follows it in its iteration belongs to it, because it depends on it.
    pub extended: bool,
    /// True if it is a loop that is run step by step.
    pub steps: bool,
    /// The user's line of the region that it lies in, if that one is collected too.
    pub outer_line: Option<u32>,
    /// The outcome: rewritten, or why not.
    pub status: Status,
    /// The reason in a sentence, with its place; `None` for one that was rewritten, and until it is described.
    pub reason: Option<String>,
    /// The advice on what the user can do about it.
    pub help: Option<String>,
    /// True for one that is refused while another copy is collected that the compiler made of the same path in the same loop, such as by peeling off
    /// the first iteration.
    #[serde(rename = "copy_is_rewritten")]
    pub copy_is_collected: bool,
    /// The values that travel on the stack.
    pub context: Vec<ContextEntry>,
    /// The values that the region reads and computes from the context.
    pub recomputed: Vec<RecomputedEntry>,
    /// The reductions of the thread that an iteration belongs to, as far as the region adds to them.
    pub reductions: Vec<ReductionEntry>,
    /// Loads of the region that are executed where a context is collected.
    pub hoisted: Vec<HoistedEntry>,
    /// For a region that is run in steps: `Ok` if idle lanes share what is left of a task, else the reason why they do not.
    #[serde(skip)]
    pub split: Option<Result<(), Unsplittable>>,
    /// The same in words; `None` until it is described.
    pub sharing: Option<Sharing>,
    /// Operations that it takes to compute all of that, each time the region runs, in units of a 32-bit addition.
    pub operations: u64,
    /// Registers that the region reads and that need not travel.
    #[serde(skip)]
    pub kept: Vec<String>,
    /// Bytes of one context.
    pub context_bytes: u32,
    /// Bytes that one context would have if nothing were computed from it.
    pub uncompressed_bytes: u32,
    /// Bytes of the stack of a CTA of `block` threads.
    pub stack_bytes: u64,
    /// Threads per CTA that the stack is laid out for.
    #[serde(skip)]
    pub block: u32,
    /// True if nobody said how large a CTA is, so that the largest was taken.
    #[serde(skip)]
    pub block_assumed: bool,
    /// The worth of collecting it; `None` for one that is refused.
    #[serde(skip)]
    pub rank: Option<Rank>,
    /// The same, beside the others of its loop; `None` until it is described.
    #[serde(rename = "rank")]
    pub ranked: Option<Ranked>,
}

/// The outcome for a region: rewritten, or not.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Status {
    /// It was.
    #[default]
    Rewritten,
    /// It was not, and the kernel is as it was as far as this region goes.
    Refused(Refusal),
    /// It could be, but costlier ones of its loop are collected, for the reason given (paper, Section 4.3).
    LeftOut(Refusal),
    /// No marker of its directive reached a kernel.
    Unreached,
}

impl Status {
    /// Returns the word for it in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Status::Rewritten => "rewritten",
            Status::Refused(_) => "refused",
            Status::LeftOut(_) | Status::Unreached => "left-out",
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One value of a context.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ContextEntry {
    /// The register as it is called in the PTX.
    pub register: String,
    /// Its type, `b32`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Bytes on the stack.
    pub bytes: u32,
    /// The reason why it must travel.
    pub why: Why,
    /// The reason why the region does not compute it itself; `None` where compression is off, and for special registers.
    pub stored: Option<Stored>,
}

/// A value that the region computes from the context.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecomputedEntry {
    /// The register as it is called in the PTX.
    pub register: String,
    /// Its type, `b32`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The registers from which it is computed: those of the context first, then those that every lane knows.
    pub from: Vec<String>,
    /// Operations, those that it shares with other values included.
    pub operations: u64,
}

/// A load that is executed where a context is collected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HoistedEntry {
    /// The register that the region finds its value in.
    pub register: String,
    /// Bytes by which the context grows for it.
    pub bytes: u32,
    /// Sectors of 32 bytes that it touches for 32 neighbouring lanes; `None` where that is not known.
    pub sectors: Option<u32>,
    /// The file in which it stood; empty until it is described.
    pub file: String,
    /// The user's line on which it stood; 0 where it is not known.
    pub line: u32,
    /// The place where it stood.
    #[serde(skip)]
    pub at: Origin,
}

/// A reduction that a region adds to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReductionEntry {
    /// The register that holds it behind the region.
    pub register: String,
    /// The operator as the directive writes it.
    pub operator: &'static str,
    /// The type of the register, `b32`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// True if the results can differ from the original's, because floats are added or multiplied in another order.
    pub reordered: bool,
}

impl KernelReport {
    pub(crate) fn new(kernel: &Kernel) -> KernelReport {
        let shared = kernel.declared_bytes(ptx_parser::Space::Shared);
        KernelReport {
            name: kernel.name().to_owned(),
            grid: None,
            regions: Vec::new(),
            shared_bytes_before: shared,
            shared_bytes: shared,
        }
    }

    /// Returns true if it says already what became of a region.
    pub(crate) fn has(&self, site: &Site) -> bool {
        self.regions.iter().any(|region| (region.id, region.instance) == (site.id, site.copy))
    }

    /// The rewriter failed at regions of which nothing is known yet.
    pub(crate) fn fail<'s>(&mut self, sites: impl IntoIterator<Item = &'s Site>, error: &ptx_parser::Error) {
        for site in sites {
            if !self.has(site) {
                let refusal = Refusal::Internal { what: error.to_string() };
                self.regions.push(RegionReport::refused(site, refusal));
            }
        }
    }

    pub(crate) fn finish(&mut self, kernel: &Kernel) {
        self.regions.sort_by_key(|region| (region.id, region.instance));
        self.shared_bytes = kernel.declared_bytes(ptx_parser::Space::Shared);
    }

    /// Notes which refused regions are copies of a collected one. `loop_markers` says which marker of a loop each copy is behind.
    pub(crate) fn note_copies(&mut self, loop_markers: &[((u32, usize), Marker)]) {
        let marker = |region: &RegionReport| {
            let (_, marker) = loop_markers.iter().find(|(key, _)| *key == (region.id, region.instance))?;
            Some((region.id, *marker))
        };
        let collected = self.regions.iter().filter(|region| region.status == Status::Rewritten);
        let collected: Vec<_> = collected.filter_map(marker).collect();
        for region in &mut self.regions {
            let refused = matches!(region.status, Status::Refused(_));
            region.copy_is_collected = refused && marker(region).is_some_and(|marker| collected.contains(&marker));
        }
    }

    /// Calls registers as the text did that was read. `written` says how, by the names that they have got.
    pub(crate) fn name_as_written(&mut self, written: &HashMap<String, String>) {
        let rename = |name: &mut String| {
            if let Some(written) = written.get(name) {
                name.clone_from(written);
            }
        };
        let grid = self.grid.iter_mut().map(|grid| &mut grid.status);
        let statuses = grid.chain(self.regions.iter_mut().map(|region| &mut region.status));
        for status in statuses {
            if let Status::Refused(refusal) | Status::LeftOut(refusal) = status {
                refusal.register_mut().into_iter().for_each(rename);
            }
        }
        for region in &mut self.regions {
            region.context.iter_mut().for_each(|value| rename(&mut value.register));
            region.context.iter_mut().filter_map(|value| value.stored.as_mut()?.register_mut()).for_each(rename);
            for value in &mut region.recomputed {
                rename(&mut value.register);
                value.from.iter_mut().for_each(rename);
            }
            region.reductions.iter_mut().for_each(|value| rename(&mut value.register));
            region.hoisted.iter_mut().for_each(|value| rename(&mut value.register));
            region.kept.iter_mut().for_each(rename);
            if let Some(Err(Unsplittable::Carries { register } | Unsplittable::Used { bound: register })) =
                &mut region.split
            {
                rename(register);
            }
        }
    }

    /// Returns true if any directive was carried out.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.statuses().any(|status| *status == Status::Rewritten)
    }

    /// Returns the reasons why directives were not carried out.
    pub fn refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.statuses().filter_map(|status| match status {
            Status::Refused(refusal) => Some(refusal),
            Status::Rewritten | Status::LeftOut(_) | Status::Unreached => None,
        })
    }

    fn statuses(&self) -> impl Iterator<Item = &Status> {
        self.grid.iter().map(|grid| &grid.status).chain(self.regions.iter().map(|region| &region.status))
    }
}

impl GridReport {
    /// `id` and `line` are the directive's.
    pub(crate) fn of((id, line): (u32, u32), status: Status) -> GridReport {
        GridReport { id, file: String::new(), line, status, reason: None, help: None }
    }
}

impl RegionReport {
    /// Reports a directive of which no marker reached a kernel: its file and line, why, and what to do.
    #[must_use]
    pub fn unreached((file, line): (String, u32), reason: String, help: String) -> RegionReport {
        let (reason, help) = (Some(reason), Some(help));
        RegionReport { file, line, status: Status::Unreached, reason, help, ..RegionReport::default() }
    }

    pub(crate) fn refused(site: &Site, refusal: Refusal) -> RegionReport {
        RegionReport {
            id: site.id,
            line: site.line,
            loop_line: site.for_line,
            file_index: site.file,
            instance: site.copy,
            ..RegionReport::unknown(refusal)
        }
    }

    /// A refusal of no region.
    fn unknown(refusal: Refusal) -> RegionReport {
        RegionReport {
            rank: refusal.rank(),
            status: match refusal.rank() {
                Some(_) => Status::LeftOut(refusal),
                None => Status::Refused(refusal),
            },
            ..RegionReport::default()
        }
    }

    /// Takes a rewrite back, with all that was said of it.
    pub fn refuse(&mut self, refusal: Refusal) {
        let RegionReport { id, line, loop_line, file_index, instance, .. } = *self;
        let nothing = RegionReport::unknown(refusal);
        *self = RegionReport { id, line, loop_line, file_index, instance, ..nothing };
    }

    /// `paths` and `accumulators` are the loop's.
    pub(crate) fn rewritten(
        kernel: &Kernel,
        path: &Path,
        paths: &Paths,
        accumulators: &PrimaryMap<AccumulatorId, Accumulator>,
        block: BlockSize,
    ) -> RegionReport {
        let register = |source: Source| match source {
            Source::Reg(reg) | Source::Loaded(reg) => kernel.reg_name(reg).to_owned(),
            Source::Special(special) => special.to_string(),
            Source::Owner => "owner".to_owned(),
        };
        let entries = path.context.values.iter().zip(&path.layout.fields);
        RegionReport {
            status: Status::Rewritten,
            context: entries
                .map(|(value, field)| ContextEntry {
                    register: register(value.source),
                    ty: value.ty.text(),
                    bytes: field.width,
                    why: value.why.clone(),
                    stored: value.stored.clone(),
                })
                .collect(),
            recomputed: path.context.recomputed.iter().map(|value| recomputed(kernel, value)).collect(),
            reductions: path.parts.iter().map(|part| reduction(kernel, part, accumulators)).collect(),
            hoisted: path.context.loads.loads.iter().map(|load| hoisted(kernel, load)).collect(),
            accesses: path.assumptions.clone(),
            extended: path.site.task_end.is_some(),
            steps: path.region.steps,
            outer_line: path.region.outer.and_then(|outer| paths.get(outer)).map(|outer| outer.site.line),
            split: path.split.as_ref().map(|split| split.as_ref().map(|_| ()).map_err(Clone::clone)),
            operations: path.context.operations,
            kept: names(kernel, &path.context.kept),
            context_bytes: path.layout.context_bytes,
            uncompressed_bytes: path.context.uncompressed,
            stack_bytes: path.layout.for_all(block.threads()),
            block: block.threads().next_multiple_of(WARP),
            block_assumed: block == BlockSize::Assumed,
            rank: Some(path.rank),
            ..RegionReport::refused(&path.site, Refusal::NoLoop)
        }
    }
}

fn names(kernel: &Kernel, regs: &[Reg]) -> Vec<String> {
    regs.iter().map(|&reg| kernel.reg_name(reg).to_owned()).collect()
}

fn hoisted(kernel: &Kernel, load: &HoistedLoad) -> HoistedEntry {
    let sectors = load.sectors.and_then(|sectors| u32::try_from(sectors).ok());
    HoistedEntry {
        register: kernel.reg_name(load.reg).to_owned(),
        bytes: load.ty.bytes(),
        sectors,
        file: String::new(),
        line: load.at.source.line,
        at: load.at,
    }
}

fn reduction(kernel: &Kernel, part: &Part, accumulators: &PrimaryMap<AccumulatorId, Accumulator>) -> ReductionEntry {
    let accumulator = &accumulators[part.accumulator];
    let rounds = matches!(accumulator.operator, Operator::Add | Operator::Multiply);
    ReductionEntry {
        register: kernel.reg_name(part.leaves).to_owned(),
        operator: markers::spelling(accumulator.operator),
        ty: accumulator.ty.text(),
        reordered: accumulator.number == Number::Float && rounds,
    }
}

fn recomputed(kernel: &Kernel, value: &Recomputed) -> RecomputedEntry {
    RecomputedEntry {
        register: kernel.reg_name(value.reg).to_owned(),
        ty: value.ty.text(),
        from: names(kernel, &value.from),
        operations: value.operations,
    }
}
