//! The choice of the regions that are rewritten together: all those of one loop.
//!
//! A loop is made uniform once, so its regions must be known before it is changed. Each turn takes the first region that is still
//! undecided, and tries it with all others. Regions that turn out to be impossible, or in another loop, are left out. The rest is tried
//! again, with the regions that had been left out for lack of room. What is left is rewritten.
//!
//! Every rewrite changes the kernel. So nothing that was computed for one loop holds for the next, which has a turn of its own. The cost of
//! collecting is only known when it is done. If a profile or the directive shows that a path is not worth it, the rewrite is undone and
//! repeated without the path.

use ptx_parser::{Error, Kernel, Marker};

use crate::cost::profitability;
use crate::emit::Edit;
use crate::markers::{self, Site};
use crate::options::Target;
use crate::plan::path_id::PathId;
use crate::plan::{Dropped, Plan};
use crate::prepare::{complementary_guards, extend, infinite_loops, lift, path_ends, whole_specials};
use crate::refusal::Refusal;
use crate::region;
use crate::report::{KernelReport, RegionReport};

/// Rewrites every loop with marked regions, as far as that can be done. The kernel is left with no trace of what was tried.
///
/// # Errors
/// A text of this crate's own does not parse.
pub(crate) fn rewrite_all(kernel: &mut Kernel, target: &Target<'_>, report: &mut KernelReport) -> Result<(), Error> {
    let sites = markers::sites(kernel);
    if sites.is_empty() {
        return Ok(());
    }
    let loop_markers = markers::loop_markers(kernel, &sites);
    loop {
        let lines = target.options.lines.as_ref();
        // A region that was rewritten takes copies of its marker with it.
        let stands = |site: &Site| kernel.index_of(site.marker).is_some();
        let meant = |site: &Site| lines.is_none_or(|lines| lines.contains(&site.line)) && !report.has(site);
        let open = sites.iter().filter(|site| stands(site) && meant(site)).map(|site| site.marker).collect();
        let known = report.regions.len();
        rewrite_loop(kernel, &sites, open, target, report)?;
        // Every turn decides about one region at least, until none is left.
        if report.regions.len() == known {
            break;
        }
    }
    report.note_copies(&loop_markers);
    markers::drop_comments(kernel, &sites)
}

/// Rewrites the loop of the first of some open regions, or refuses that region at least. `all` are the regions of the kernel.
fn rewrite_loop(
    kernel: &mut Kernel,
    all: &[Site],
    mut open: Vec<Marker>,
    target: &Target<'_>,
    report: &mut KernelReport,
) -> Result<(), Error> {
    // Those that others left no room for.
    let mut made_way: Vec<(Site, Refusal)> = Vec::new();
    while !open.is_empty() {
        let mut candidate = kernel.clone();
        let mut sites: Vec<Site> = all.iter().filter(|site| open.contains(&site.marker)).cloned().collect();
        whole_specials::part(&mut candidate)?;
        path_ends::split(&mut candidate, &sites)?;
        complementary_guards::complete(&mut candidate)?;
        infinite_loops::lead_out(&mut candidate, &sites)?;
        lift::lift(&mut candidate, &sites)?;
        region::split_begins(&mut candidate, &sites)?;
        extend::extend(&mut candidate, &mut sites, all)?;
        let dropped = match Plan::of(&candidate, sites, all, target) {
            Ok(plan) => {
                let report_of =
                    |path| RegionReport::rewritten(&candidate, path, &plan.paths, &plan.accumulators, plan.block);
                let rewritten: Vec<RegionReport> = plan.paths.values().map(report_of).collect();
                // What the compiler made worse of the loop because of the markers is a part of the price.
                let blocks = plan.facts.loops.blocks(plan.marked_loop);
                let overhead = target.options.unmarked.overhead(&candidate, &plan.facts.cfg, blocks);
                let edit = Edit::of(plan);
                let (prices, shared) = match edit.apply(&mut candidate) {
                    Ok(costs) => costs,
                    // The text that an edit inserts is this crate's own; that it parses is held by the tests.
                    Err(error) => {
                        report.fail(edit.paths.values().map(|path| &path.site), &error);
                        break;
                    }
                };
                let losing = match target.options.all {
                    true => Vec::new(),
                    false => profitability::left_out(&edit.paths, &prices, shared, overhead),
                };
                if losing.is_empty() {
                    extend::unmark(&mut candidate, edit.paths.values().map(|path| &path.site))?;
                    *kernel = candidate;
                    report.regions.extend(rewritten);
                    break;
                }
                let dropping = |(index, why): (PathId, Refusal)| Dropped {
                    site: edit.paths[index].site.clone(),
                    refusal: Some(why),
                };
                losing.into_iter().map(dropping).collect()
            }
            Err(dropped) => dropped,
        };
        if dropped.is_empty() {
            break;
        }
        let mut impossible = false;
        // Nobody is left that it could make way for.
        let alone = open.len() == 1;
        for Dropped { site, refusal } in dropped {
            open.retain(|&other| other != site.marker);
            match refusal {
                Some(refusal) if !alone && refusal.is_for_others(target.options.shared_limit) => {
                    made_way.push((site, refusal));
                }
                Some(refusal) => {
                    impossible = true;
                    report.regions.push(RegionReport::refused(&site, refusal));
                }
                None => {}
            }
        }
        if impossible {
            open.extend(made_way.drain(..).map(|(site, _)| site.marker));
        }
    }
    report.regions.extend(made_way.into_iter().map(|(site, refusal)| RegionReport::refused(&site, refusal)));
    Ok(())
}
