//! Everything that is decided about a region before the kernel is touched.

use ptx_parser::{Kernel, Space, Type};

use crate::arrival::Arrival;
use crate::context::Context;
use crate::facts::Facts;
use crate::markers::Site;
use crate::refusal::{Place, Refusal};
use crate::region::Region;
use crate::stack::Layout;
use crate::{LARGEST_CTA, Options, rules};

/// Where the largest CTA size comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockSize {
    /// `.maxntid` or `.reqntid` of the kernel.
    Kernel(u32),
    /// The directive or the caller; the rewritten kernel gets a `.maxntid`.
    Given(u32),
    /// Nobody said; the largest that there is.
    Assumed,
}

impl BlockSize {
    pub(crate) fn threads(self) -> u32 {
        match self {
            BlockSize::Kernel(threads) | BlockSize::Given(threads) => threads,
            BlockSize::Assumed => LARGEST_CTA,
        }
    }
}

/// The decisions about one region.
#[derive(Debug)]
pub(crate) struct Plan<'k> {
    pub(crate) facts: Facts<'k>,
    pub(crate) site: Site,
    pub(crate) region: Region,
    pub(crate) arrival: Arrival,
    pub(crate) context: Context,
    pub(crate) layout: Layout,
    pub(crate) block: BlockSize,
}

impl<'k> Plan<'k> {
    /// Decides, or refuses with the first reason found.
    pub(crate) fn of(
        kernel: &'k Kernel,
        site: &Site,
        version: (u32, u32),
        module_shared: u64,
        options: &Options,
    ) -> Result<Plan<'k>, Refusal> {
        if version < (6, 0) {
            return Err(Refusal::Version { major: version.0, minor: version.1 });
        }
        let facts = Facts::of(kernel);
        let region = Region::of(&facts, site)?;
        if facts.is_collected(region.marked_loop) {
            return Err(Refusal::SecondRegion);
        }
        rules::check_region(&facts, &region)?;
        let arrival = Arrival::of(&facts, &region)?;
        check_loop(&facts, &region, &arrival)?;
        let context = Context::of(&facts, &region, &arrival, options)?;
        let block = block_size(kernel, site, options);
        let types: Vec<Type> = context.values.iter().map(|value| value.ty).collect();
        let layout = Layout::of(&types, block.threads());
        let used = kernel.declared_bytes(Space::Shared) + module_shared;
        let left = options.shared_limit.saturating_sub(used);
        if layout.bytes > left {
            return Err(Refusal::SharedMemory { bytes: layout.bytes, block: block.threads(), left });
        }
        Ok(Plan { facts, site: site.clone(), region, arrival, context, layout, block })
    }
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

/// What the rest of the loop must be like: no indirect branch whose edges would have to move, no guarded way out of the kernel, and nothing
/// that needs lanes together which the rewritten loop keeps apart.
fn check_loop(facts: &Facts<'_>, region: &Region, arrival: &Arrival) -> Result<(), Refusal> {
    for &block in facts.loops.blocks(region.marked_loop) {
        let Some(terminator) = facts.cfg.terminator(block) else { continue };
        let at = Place::of(facts.kernel, terminator);
        if facts.kernel.properties(terminator).flow == ptx_parser::Flow::IndirectBranch {
            return Err(Refusal::ControlFlow { what: "an indirect branch".to_owned(), at });
        }
        if facts.cfg.exits(block) {
            return Err(Refusal::ControlFlow { what: "a guarded `ret` or `exit`".to_owned(), at });
        }
    }
    let exits = facts.loops.exits(region.marked_loop);
    let parts = !arrival.parked.is_empty() || exits.iter().any(|exit| facts.divergence.branch_is_divergent(exit.from));
    if !parts {
        return Ok(());
    }
    let blocks = facts.loops.blocks(region.marked_loop).iter().copied().filter(|&block| !region.contains(block));
    match rules::waiting(facts, blocks.chain(arrival.behind_anchor.iter().copied())) {
        Some(inst) => Err(Refusal::ConvergentLoop { opcode: facts.opcode(inst), at: Place::of(facts.kernel, inst) }),
        None => Ok(()),
    }
}
