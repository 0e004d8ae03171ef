//! The suite: makes both variants of the kernel, finds the input and the launch, and compares.

use std::path::PathBuf;
use std::sync::Arc;

use device::{Chip, LaunchConfig, Monitor, Selection};
use serde::{Deserialize, Serialize};
use toolkit::Toolkit;

use super::compare::compare;
use super::host::Task;
use super::report::{GraphSummary, SuiteReport};
use crate::error::Error;
use crate::graph::{Graph, Rmat, read, rmat};
use crate::grid_size::{SHARE, Shape};
use crate::progress::Steps;
use crate::variant::{Rewrite, Source, Variant, Variants};

/// The kernel's source, which is the example that users start from.
pub const SOURCE: Source =
    Source { text: include_str!("../../../examples/bfs.cu"), name: "examples/bfs.cu", kernel: "bfs" };

/// The choice of what to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BfsOptions {
    /// A file with a graph; without one, an R-MAT graph is made.
    pub graph: Option<PathBuf>,
    /// The R-MAT graph has 2^scale vertices.
    pub scale: u32,
    /// The R-MAT graph's seed.
    pub seed: u64,
    /// True if to follow each edge in both directions.
    pub undirected: bool,
    /// The start of the search; without one, the vertex with the most outgoing edges.
    pub source: Option<u32>,
    /// The devices to run on, for example [`emulators`](crate::emulators): each SIMT machine is a device of its own.
    #[serde(skip)]
    pub devices: Vec<Selection>,
    /// The architecture to compile for, `sm_90`.
    pub arch: String,
    /// Threads per block.
    pub block: u32,
    /// Blocks per launch; without it, see [`Shape`].
    pub grid: Option<u32>,
    /// True if to show no progress bar, even on a terminal.
    pub quiet: bool,
    /// Ends the suite with what was measured so far, once it is interrupted.
    #[serde(skip)]
    pub monitor: Arc<Monitor>,
}

impl Default for BfsOptions {
    fn default() -> BfsOptions {
        BfsOptions {
            graph: None,
            scale: 16,
            seed: 1,
            undirected: false,
            source: None,
            devices: crate::emulators(&crate::MACHINES, "sm_90"),
            arch: "sm_90".into(),
            block: 256,
            grid: None,
            quiet: false,
            monitor: Arc::default(),
        }
    }
}

/// A suite with its input read and its launch chosen: what can be wrong without a compiler has been said.
pub struct Suite<'a> {
    options: &'a BfsOptions,
    graph: String,
    task: Task,
    shape: Shape,
}

impl<'a> Suite<'a> {
    /// Reads or makes the graph and chooses the launch.
    ///
    /// # Errors
    /// What is wrong with the graph's file or the options.
    pub fn prepare(options: &'a BfsOptions) -> Result<Suite<'a>, Error> {
        let (name, task) = task(options)?;
        let shape = Shape::choose(task.graph().vertices(), SHARE, options.block, options.grid, &options.arch)?;
        Ok(Suite { options, graph: name, task, shape })
    }

    /// Compiles, rewrites, runs and compares.
    ///
    /// # Errors
    /// What the CUDA compiler, the rewriter or the device say of the kernel. That a variant's result is wrong is a row of
    /// the report, not an error.
    pub fn run(&self, toolkit: &Toolkit) -> Result<SuiteReport, Error> {
        let Suite { options, task, shape, .. } = self;
        let Variants { original, rewritten } =
            SOURCE.build(&[Rewrite::usual()], options.block, &options.arch, toolkit)?;
        let rewritten = rewritten.into_iter().map(|rewritten| rewritten.variant);
        let variants: Vec<Variant> = std::iter::once(original).chain(rewritten).collect();
        let resources =
            variants.iter().map(|variant| variant.resources(&options.arch, toolkit)).collect::<Result<_, _>>()?;
        let launches = u64::from(task.levels()) * variants.len() as u64 * options.devices.len() as u64;
        let steps = Steps::new("launches", launches, options.quiet);
        let config = LaunchConfig::linear(shape.grid, shape.block);
        let devices = crate::watched(&options.devices, &options.monitor);
        let rows = compare(&variants, task, &config, &devices, &|| steps.advance())?;
        steps.finish();
        Ok(SuiteReport {
            suite: "bfs".into(),
            device: options.devices.first().map_or("", |device| device.word()).into(),
            arch: options.arch.clone(),
            graph: summary(self.graph.clone(), task),
            grid: shape.grid,
            block: shape.block,
            resources,
            notes: notes(options, task, shape),
            rows,
        })
    }
}

/// Prepares and runs the suite.
///
/// # Errors
/// As [`Suite::prepare`] and [`Suite::run`].
pub fn run_suite(options: &BfsOptions, toolkit: &Toolkit) -> Result<SuiteReport, Error> {
    Suite::prepare(options)?.run(toolkit)
}

fn notes(options: &BfsOptions, task: &Task, shape: &Shape) -> Vec<String> {
    let mut notes = vec![shape.describe(task.graph().vertices())];
    if Chip::from_name(&options.arch).is_none() {
        notes
            .push(format!("there is no chip for {} in the emulator's table; figures are those of sm_90", options.arch));
    }
    if task.graph().is_one_sided() {
        notes.push(
            "every edge leads the same way between a lower and a higher vertex, as where each edge of an undirected \
             graph is listed once; --undirected follows edges in both directions"
                .into(),
        );
    }
    notes
}

/// The graph in words, and the search of it.
///
/// # Errors
/// What is wrong with the graph's file or the options.
pub(crate) fn task(options: &BfsOptions) -> Result<(String, Task), Error> {
    let (name, graph) = input(options)?;
    let graph = if options.undirected { graph.undirected().ok_or(Error::TooManyEdges)? } else { graph };
    Ok((name, Task::new(graph, options.source)?))
}

fn input(options: &BfsOptions) -> Result<(String, Graph), Error> {
    if let Some(path) = &options.graph {
        return Ok((path.display().to_string(), read(path)?));
    }
    let shape = Rmat { seed: options.seed, ..Rmat::graph500(options.scale) };
    let graph = rmat(&shape).ok_or(Error::Scale { scale: options.scale, limit: Rmat::MAX_SCALE })?;
    Ok((format!("R-MAT scale {} seed {}", options.scale, options.seed), graph))
}

fn summary(name: String, task: &Task) -> GraphSummary {
    GraphSummary {
        name,
        vertices: task.graph().vertices(),
        edges: task.graph().edges().len(),
        source: task.source(),
        reached: task.reached(),
        levels: task.levels(),
    }
}

#[cfg(test)]
mod tests {
    use annotate::Unit;

    use super::*;

    #[test]
    fn the_example_marks_a_loop_and_a_loop_in_it() {
        let (unit, mistakes) = Unit::read(SOURCE.text, None, SOURCE.name).unwrap();
        assert_eq!((unit.directives().count(), mistakes), (2, vec![]));
    }
}
