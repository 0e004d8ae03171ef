//! The decision whether to collect a path, where a profile or its directive says how often it is run.
//!
//! Of `n` iterations of a warp, `w` come to the path, and full warps would run it `f` times. Without collecting it, the path's instructions
//! are issued `w` times, with it `f` times and once more for each of the `e` times that the loop is entered, for what is left at its end.
//! What collecting costs is counted on the code that is written for it:
//!
//! ```text
//! n - w times   the vote finds nobody
//! w - f times   the lanes that want the path push their contexts
//! f times       others pop, what does not travel is computed, and the path leads back
//! w times       lanes note that they want the path, or
//! n times       all lanes find out together, without the branches that were there before
//! n times       its share of the head of the loop, and of what the compiler makes worse of the loop because it is marked
//! e times       its share of what stands before the loop, and the drain, to which the vote leads twice
//! ```
//!
//! What the compiler makes of all this is not counted. So a path is collected only if that saves a twentieth more than it costs.
//!
//! A directive's `probability(P)` says as much of an iteration: where lanes take the path independently of each other, a warp comes to it with
//! `w = 1 - (1 - P)^32`, and full warps would run it `f = P` times, each instruction of it once. How long the loop is, the directive does not say: it
//! is taken for long, so that what stands before it and the drain count for nothing. How often an inner loop goes round, or what a called function
//! executes, is not known either: such a path is collected, as one of which nothing is known.
//!
//! Of a path that is run in steps, it is not known how often a lane takes up another task. There only the vote after each step counts, so that
//! such a path is left out only if that alone costs more than is saved.

use cranelift_entity::PrimaryMap;

use crate::emit::collection_cost::{Price, Shared};
use crate::plan::path::{Path, Paths};
use crate::plan::path_id::PathId;
use crate::rank::{Balance, Used};
use crate::refusal::Refusal;

/// The least ratio of what collecting saves to what it costs.
const MARGIN: f64 = 1.05;

/// Returns the paths of a loop that are not worth collecting, among those whose number of runs is known.
///
/// `overhead` are the instructions of an iteration that the loop has only because it is marked.
pub(crate) fn left_out(
    paths: &Paths,
    prices: &PrimaryMap<PathId, Price>,
    shared: Shared,
    overhead: f64,
) -> Vec<(PathId, Refusal)> {
    let share = |count: f64| count / paths.len().max(1) as f64;
    let (once, head) = (share(shared.once as f64), share(shared.head as f64 + overhead));
    let balance = |path: &Path, price: &Price| {
        let Used { mut uses, executed, copied } = path.used?;
        let each = |count: f64| if uses.runs > 0.0 { count / uses.runs } else { 0.0 };
        // Of copies of registers, ptxas makes no instruction where the path stays in its place.
        let (executed, copied) = (each(executed - copied), each(copied));
        // Where the path around it is collected, that one's runs are full; as many come to this one, at most.
        let outer = path.region.outer.and_then(|outer| paths[outer].used).filter(|_| !path.region.steps);
        if let Some(outer) = outer {
            uses.runs = uses.runs.min(outer.uses.full.max(uses.full));
        }
        let saved = (uses.runs - uses.full - uses.entries) * executed / uses.iterations;
        let cost = price.cost(path, uses) + copied * (uses.full + uses.entries) + once * uses.entries;
        Some(Balance { cost: cost / uses.iterations + head, saved })
    };
    let known = paths.iter().filter_map(|(index, path)| Some((index, balance(path, &prices[index])?)));
    let losing = known.filter(|(_, balance)| balance.cost * MARGIN >= balance.saved);
    losing.map(|(index, balance)| (index, Refusal::NotWorth { balance, rank: paths[index].rank })).collect()
}
