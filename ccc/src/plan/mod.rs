//! Everything that is decided about a loop and its regions before the kernel is touched.

pub(crate) mod path;
pub(crate) mod path_id;

use std::collections::HashSet;

use analysis::{Block, Loop};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use ptx_parser::{Flow, Kernel, Position, Space, Type};

use crate::context::preserved_values::lasting;
use crate::context::value::Context;
use crate::cost::profile::Counts;
use crate::cost::{self, run_counts};
use crate::facts::Facts;
use crate::layout::{BlockSize, LARGEST_CTA, Layout, WARP};
use crate::markers::{Kind, Site};
use crate::memory;
use crate::options::{Options, Target};
use crate::origin::Origin;
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;
use crate::reduction::{self, Accumulator, AccumulatorId, Accumulators, Part};
use crate::refusal::Refusal;
use crate::region::arrival::Arrival;
use crate::region::{Region, rules};
use crate::source_names;
use crate::split::{self, Split};

/// The first chip whose threads are scheduled independently.
const INDEPENDENT: u32 = 70;

/// The decisions about one loop and its regions, of which there is at least one.
#[derive(Debug)]
pub(crate) struct Plan<'k> {
    pub(crate) facts: Facts<'k>,
    pub(crate) marked_loop: Loop,
    pub(crate) arrival: Arrival,
    pub(crate) paths: Paths,
    /// The reductions of the loop.
    pub(crate) accumulators: PrimaryMap<AccumulatorId, Accumulator>,
    pub(crate) block: BlockSize,
}

/// A region that is not rewritten with the others.
#[derive(Debug)]
pub(crate) struct Dropped {
    pub(crate) site: Site,
    /// The reason why it cannot be; `None` for a region of another loop, which gets a turn of its own.
    pub(crate) refusal: Option<Refusal>,
}

impl<'k> Plan<'k> {
    /// Decides about the loop of the first of these regions and all of them that are in it. `all` are the marked regions of the kernel.
    ///
    /// # Errors
    /// The regions that must be left out. Without them the plan may be another, so that it is made again.
    pub(crate) fn of(
        kernel: &'k Kernel,
        sites: Vec<Site>,
        all: &[Site],
        target: &Target<'_>,
    ) -> Result<Plan<'k>, Vec<Dropped>> {
        let (major, minor) = target.version;
        if target.version < (6, 0) {
            return Err(drop_all(sites, &Refusal::Version { major, minor }));
        }
        // Before sm_70, all lanes that a `vote.sync` or `bar.warp.sync` names must execute it in convergence (PTX ISA, "vote.sync"). That lanes come
        // together where control flow meets, PTX does not promise.
        if let Some(chip) = target.chip.filter(|&chip| chip < INDEPENDENT) {
            return Err(drop_all(sites, &Refusal::Target { chip }));
        }
        let facts = Facts::of(kernel);
        let mut accumulators = Accumulators::default();
        let regions = regions(&facts, sites, &mut accumulators)?;
        let Some((first, region, _)) = regions.values().next() else { return Err(Vec::new()) };
        let marked_loop = region.marked_loop;
        let block = block_size(kernel, first, target.options);
        let arrival = arrive(&facts, marked_loop, &regions, &target.ending)
            .and_then(|arrival| accumulators.check_arrival(&facts, marked_loop, &arrival).map(|()| arrival));
        let arrival = match arrival {
            Ok(arrival) => arrival,
            Err(refusal) => return Err(drop_all(regions.into_iter().map(|(_, (site, ..))| site), &refusal)),
        };
        let used = kernel.declared_bytes(Space::Shared) + target.module_shared;
        let bytes = reduction::layout(&accumulators.list, block.threads()).bytes;
        let left = target.options.static_limit(used).saturating_sub(used);
        if bytes > left {
            let refusal = Refusal::SharedMemory { bytes, block: block.threads(), left };
            return Err(drop_all(regions.into_iter().map(|(_, (site, ..))| site), &refusal));
        }
        let paths = paths(&facts, &arrival, regions, all, (block, used + bytes), target)?;
        Ok(Plan { facts, marked_loop, arrival, paths, accumulators: accumulators.list, block })
    }
}

fn drop_all(sites: impl IntoIterator<Item = Site>, refusal: &Refusal) -> Vec<Dropped> {
    sites.into_iter().map(|site| Dropped { site, refusal: Some(refusal.clone()) }).collect()
}

/// A region of a loop with its marker, and what it adds to reductions.
type Found = (Site, Region, Vec<Part>);

/// The regions of a loop.
type Regions = PrimaryMap<PathId, Found>;

/// The regions of the loop of the first site, each checked by itself, an outer one before those in it.
fn regions(facts: &Facts<'_>, sites: Vec<Site>, accumulators: &mut Accumulators) -> Result<Regions, Vec<Dropped>> {
    let mut regions: Vec<Found> = Vec::new();
    let mut dropped = Vec::new();
    for site in sites {
        let found = Region::of(facts, &site).map_err(|refusal| refusal.in_region(site.kind != Kind::If));
        let first = regions.first().map(|(_, region, _)| region.marked_loop);
        match found {
            Ok(region) if first.is_some_and(|first| first != region.marked_loop) => {
                dropped.push(Dropped { site, refusal: None });
            }
            // A marker that the compiler copied within one loop, such as by unrolling it, names that loop twice.
            Ok(region) if regions.iter().any(|(other, same, _)| other.id == site.id && same.entry == region.entry) => {
                dropped.push(Dropped { site, refusal: None });
            }
            Ok(region) => {
                match rules::check_region(facts, &region).and_then(|()| accumulators.parts(facts, &region, &site)) {
                    Ok(parts) => regions.push((site, region, parts)),
                    Err(refusal) => dropped.push(Dropped { site, refusal: Some(refusal) }),
                }
            }
            Err(refusal) => dropped.push(Dropped { site, refusal: Some(refusal) }),
        }
    }
    if dropped.is_empty() { nest(facts, regions) } else { Err(dropped) }
}

/// Finds out which region lies in which, and puts outer ones first.
///
/// A lane may come to an inner region once before its stage decides: the outer one has no loop around it (see [`Region::of`]), and may not
/// be run in steps, because a lane could then take up another task meanwhile.
fn nest(facts: &Facts<'_>, mut regions: Vec<Found>) -> Result<Regions, Vec<Dropped>> {
    // One that holds another has more blocks.
    regions.sort_by_key(|(_, region, _)| std::cmp::Reverse(region.blocks.len()));
    let mut regions = Regions::from(regions);
    let mut dropped = Vec::new();
    for index in regions.keys() {
        let (site, region, parts) = &regions[index];
        let larger = regions.iter().take(index.index());
        let around = larger.rev().find(|(_, (_, outer, _))| outer.overlaps(region)).map(|(outer, _)| outer);
        if let Some(outer) = around {
            let (outer_site, outer_region, _) = &regions[outer];
            if outer_region.steps || !outer_region.holds(region) {
                let outer =
                    Origin { file: outer_site.file, source: Position::of_line(outer_site.line), ..Origin::default() };
                let refusal = Some(match are_apart(facts, [outer_site, site]) {
                    true if outer_region.contains(region.entry) => Refusal::InTask { outer },
                    true => Refusal::SharedRest { outer },
                    false => Refusal::Nested { outer },
                });
                dropped.push(Dropped { site: site.clone(), refusal });
                continue;
            }
            // What an inner region adds would have to go through the outer one's copies.
            if let Some(part) = parts.first() {
                let what = match outer_site.file == site.file {
                    true => format!("the path is inside the marked path of line {}", outer_site.line),
                    false => "the path is inside a marked path of another file".to_owned(),
                };
                let refusal = Some(part.refuse(facts, region, what));
                dropped.push(Dropped { site: site.clone(), refusal });
            }
        }
        regions[index].1.outer = around;
    }
    if !dropped.is_empty() {
        return Err(dropped);
    }
    Ok(by_depth(regions))
}

/// Returns true if two regions overlap only because tasks were extended ([`crate::prepare::extend`]).
fn are_apart(facts: &Facts<'_>, sites: [&Site; 2]) -> bool {
    if sites.iter().all(|site| site.task_end.is_none()) {
        return false;
    }
    let unextended = sites.map(|site| Region::of(facts, &site.unextended()));
    matches!(unextended, [Ok(first), Ok(second)] if !first.overlaps(&second))
}

/// Orders regions by how many others they lie in, and then as their directives stand.
fn by_depth(regions: Regions) -> Regions {
    let outer = |index: PathId| regions[index].1.outer;
    let depth = |index: PathId| std::iter::successors(outer(index), |&outside| outer(outside)).count();
    let mut order: Vec<PathId> = regions.keys().collect();
    order.sort_by_key(|&index| (depth(index), regions[index].0.id, regions[index].0.copy));
    let place = |old: PathId| order.iter().position(|&index| index == old).map(PathId::new);
    let mut ordered: Regions = order.iter().map(|&index| regions[index].clone()).collect();
    for (_, region, _) in ordered.values_mut() {
        region.outer = region.outer.and_then(place);
    }
    ordered
}

/// Returns how lanes come to the loop, if it can be made uniform for these regions.
fn arrive(
    facts: &Facts<'_>,
    marked_loop: Loop,
    regions: &Regions,
    ending: &HashSet<String>,
) -> Result<Arrival, Refusal> {
    if facts.is_collected(marked_loop) {
        return Err(Refusal::AlreadyRewritten);
    }
    check_calls(facts, marked_loop, ending)?;
    let arrival = Arrival::of(facts, marked_loop)?;
    check_loop(facts, marked_loop, regions, &arrival)?;
    Ok(arrival)
}

/// Whole warps run the loop, so that no thread may have ended in a function that is called before it or in it.
fn check_calls(facts: &Facts<'_>, marked_loop: Loop, ending: &HashSet<String>) -> Result<(), Refusal> {
    let header = facts.loops.header(marked_loop);
    let (mut seen, mut work) = (EntitySet::new(), vec![header]);
    seen.insert(header);
    while let Some(block) = work.pop() {
        for &inst in facts.cfg.insts(block) {
            let callee = facts.kernel.callee_name(inst).filter(|name| ending.contains(*name));
            if let Some(name) = callee.filter(|_| facts.kernel.properties(inst).flow == Flow::Call) {
                let what =
                    format!("a call of `{}` before it or in it, in which threads may end", source_names::called(name));
                return Err(Refusal::ControlFlow { what, at: Origin::of(facts.kernel, inst) });
            }
        }
        work.extend(facts.cfg.preds(block).iter().copied().filter(|&pred| seen.insert(pred)));
    }
    Ok(())
}

/// The context and the stack of each region. While there is memory for them, the costliest get one.
fn paths(
    facts: &Facts<'_>,
    arrival: &Arrival,
    regions: Regions,
    all: &[Site],
    (block, used): (BlockSize, u64),
    target: &Target<'_>,
) -> Result<Paths, Vec<Dropped>> {
    let mut paths = Paths::new();
    let mut kept: SecondaryMap<PathId, PackedOption<PathId>> = SecondaryMap::new();
    let mut dropped = Vec::new();
    let counts = Counts::of(facts.kernel, &target.options.profiles);
    for (id, (site, mut region, parts)) in regions {
        let outer = match region.outer.map(|outer| kept[outer].expand()) {
            None => None,
            Some(Some(outer)) => paths.get(outer),
            // The outer one was dropped. This one is decided again without it.
            Some(None) => continue,
        };
        let range = region.steps.then(|| split::range(facts, &site, &region, &parts, target.options));
        region.bound = range.as_ref().and_then(|range| range.as_ref().ok()?.free_bound());
        region.counter_stays &= !matches!(&range, Some(Ok(range)) if range.free_bound().is_none());
        let context = match Context::of(
            facts,
            &region,
            arrival,
            &parts,
            outer.map(|outer| (&outer.region, &outer.context)),
            target.options,
            target.options.hoist,
        ) {
            Ok(context) => context,
            Err(refusal) => {
                dropped.push(Dropped { site, refusal: Some(refusal) });
                continue;
            }
        };
        let split = range.map(|range| Split::of(facts, range?, &context));
        let types: Vec<Type> = context.values.iter().map(|value| value.ty).collect();
        let layout = Layout::of(&types, WARP);
        let rank = cost::rank(facts, &region, site.probability, counts.as_ref(), target.options);
        let lasting = lasting(facts, &region, &context);
        let assumptions = match memory::check(facts, &region, &site, all, target.options.strict) {
            Ok(assumptions) => assumptions,
            Err(refusal) => {
                dropped.push(Dropped { site, refusal: Some(refusal) });
                continue;
            }
        };
        kept[id] = paths
            .push(Path { site, region, context, lasting, parts, split, assumptions, layout, rank, used: None })
            .into();
    }
    let uses = run_counts::used(facts, counts.as_ref(), &paths);
    paths.values_mut().zip(uses).for_each(|(path, used)| path.used = used);
    if dropped.is_empty() {
        let left_out = cost::left_out(&paths, facts.kernel, block.threads(), used, target);
        let dropping =
            left_out.into_iter().map(|(index, why)| Dropped { site: paths[index].site.clone(), refusal: Some(why) });
        dropped.extend(dropping);
    }
    if !dropped.is_empty() {
        return Err(dropped);
    }
    let mut bytes = 0;
    for path in paths.values_mut() {
        path.layout = path.layout.clone().behind(bytes);
        bytes += path.layout.bytes;
    }
    Ok(paths)
}

/// The largest CTA: a bound of the kernel holds whatever else is said.
fn block_size(kernel: &Kernel, site: &Site, options: &Options) -> BlockSize {
    let given = site.block.or(options.block).map(|threads| threads.clamp(1, LARGEST_CTA));
    match (kernel.max_threads(), given) {
        (Some(bound), Some(given)) if given < bound => BlockSize::Given(given),
        (Some(bound), _) => BlockSize::Kernel(bound.clamp(1, LARGEST_CTA)),
        (None, Some(given)) => BlockSize::Given(given),
        (None, None) => BlockSize::Assumed,
    }
}

/// Returns true if a block ends with a branch by a table, whose edges stay as they are.
fn is_indirect(facts: &Facts<'_>, block: Block) -> bool {
    let terminator = facts.cfg.terminator(block);
    terminator.is_some_and(|inst| facts.kernel.properties(inst).flow == Flow::IndirectBranch)
}

/// Checks that the loop can be rewritten around its regions. It must have no indirect branch whose edges would have to move, and no guarded
/// way out of the kernel. It must not need lanes together that the rewritten loop keeps apart.
fn check_loop(facts: &Facts<'_>, marked_loop: Loop, regions: &Regions, arrival: &Arrival) -> Result<(), Refusal> {
    let header = facts.loops.header(marked_loop);
    let entering = facts.loops.entering(marked_loop).iter().chain(&arrival.parked);
    if let Some(edge) = entering.into_iter().find(|edge| is_indirect(facts, edge.from)) {
        let what = "an indirect branch before it".to_owned();
        return Err(Refusal::ControlFlow { what, at: facts.branch_place(edge.from) });
    }
    for &block in facts.loops.blocks(marked_loop) {
        let Some(terminator) = facts.cfg.terminator(block) else { continue };
        let at = Origin::of(facts.kernel, terminator);
        let leads_on = |&next: &Block| next != header && facts.loops.contains(marked_loop, next);
        if is_indirect(facts, block) && !facts.cfg.distinct_succs(block).iter().all(leads_on) {
            return Err(Refusal::ControlFlow { what: "an indirect branch".to_owned(), at });
        }
        if facts.cfg.exits(block) {
            return Err(Refusal::ControlFlow { what: "a guarded `ret` or `exit`".to_owned(), at });
        }
    }
    let exits = facts.loops.exits(marked_loop);
    let parts = !arrival.parked.is_empty() || exits.iter().any(|exit| facts.divergence.branch_is_divergent(exit.from));
    if !parts {
        return Ok(());
    }
    let outside = |block: &Block| !regions.values().any(|(_, region, _)| region.contains(*block));
    let blocks = facts.loops.blocks(marked_loop).iter().copied().filter(outside);
    match rules::waiting(facts, blocks.chain(arrival.behind_anchor.iter().copied())) {
        Some(inst) => Err(rules::refuse_waiting(facts, inst)),
        None => Ok(()),
    }
}
