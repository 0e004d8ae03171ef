//! The suite: makes both variants of the kernel, finds the input and the launch, and compares.

use std::path::PathBuf;

use annotate::annotate;
use ccc::{Options, Status};
use device::{Chip, LaunchConfig, Machine, Selection};
use ptx_parser::Module;
use toolkit::{CudaSource, Toolkit};

use super::compare::{Variant, compare};
use super::host::Task;
use crate::error::Error;
use crate::graph::{Graph, Rmat, read, rmat};
use crate::progress::Steps;
use crate::report::{GraphSummary, Resources, SuiteReport};
use crate::shape::Shape;

/// The kernel's source, which is the example that users start from.
pub const SOURCE: &str = include_str!("../../../examples/bfs.cu");

/// What messages call it.
const SOURCE_NAME: &str = "examples/bfs.cu";

/// What to run.
#[derive(Clone, Debug)]
pub struct BfsOptions {
    /// A file with a graph; without one, an R-MAT graph is made.
    pub graph: Option<PathBuf>,
    /// The R-MAT graph has 2^scale vertices.
    pub scale: u32,
    /// The R-MAT graph's seed.
    pub seed: u64,
    /// Whether to follow each edge in both directions.
    pub undirected: bool,
    /// Where the search starts; without one, at the vertex with the most outgoing edges.
    pub source: Option<u32>,
    /// What to run on, for example [`emulators`](crate::emulators): each SIMT machine is a device of its own.
    pub devices: Vec<Selection>,
    /// What to compile for, `sm_90`.
    pub arch: String,
    /// Threads per block.
    pub block: u32,
    /// Blocks per launch; without it, see [`Shape`].
    pub grid: Option<u32>,
    /// Whether to show no progress bar, even on a terminal.
    pub quiet: bool,
}

impl Default for BfsOptions {
    fn default() -> BfsOptions {
        BfsOptions {
            graph: None,
            scale: 16,
            seed: 1,
            undirected: false,
            source: None,
            devices: crate::emulators(&[Machine::Stack, Machine::Its], "sm_90"),
            arch: "sm_90".into(),
            block: 256,
            grid: None,
            quiet: false,
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
        let (name, graph) = input(options)?;
        let graph = if options.undirected { graph.undirected().ok_or(Error::TooManyEdges)? } else { graph };
        let task = Task::new(graph, options.source)?;
        let shape = Shape::choose(task.graph().vertices(), options.block, options.grid, &options.arch)?;
        Ok(Suite { options, graph: name, task, shape })
    }

    /// Compiles, rewrites, runs and compares.
    ///
    /// # Errors
    /// What the CUDA compiler, the rewriter or the device say of the kernel. That a variant's result is wrong is a row of
    /// the report, not an error.
    pub fn run(&self, toolkit: &Toolkit) -> Result<SuiteReport, Error> {
        let Suite { options, task, shape, .. } = self;
        let variants = variants(options, toolkit)?;
        let resources =
            variants.iter().map(|variant| resources(variant, options, toolkit)).collect::<Result<_, _>>()?;
        let launches = u64::from(task.levels()) * variants.len() as u64 * options.devices.len() as u64;
        let steps = Steps::new("launches", launches, options.quiet);
        let config = LaunchConfig::linear(shape.grid, shape.block);
        let rows = compare(&variants, task, &config, &options.devices, &|| steps.advance())?;
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

/// The kernel as nvcc compiles it without any directive, which is what a user has before, and the rewritten one.
fn variants(options: &BfsOptions, toolkit: &Toolkit) -> Result<Vec<Variant>, Error> {
    let annotated = annotate(SOURCE, SOURCE_NAME).map_err(Error::Directives)?;
    let source = CudaSource::new(SOURCE, SOURCE_NAME);
    let lines: Vec<usize> = annotated.directives.iter().map(|directive| directive.line).collect();
    let plain = source.clone().rewritten(without_lines(SOURCE, &lines));
    let marked = source.rewritten(annotated.text);
    let compile = |source| toolkit.compile_to_ptx(source, &options.arch, &[]).map(|output| output.ptx);
    let (plain, marked) = rayon::join(|| compile(&plain), || compile(&marked));
    let mut module = Module::parse(&marked?)?;
    rewrite_kernel(&mut module, options.block)?;
    let variant = |name: &str, ptx| Variant { name: name.into(), ptx, kernel: "bfs".into() };
    Ok(vec![variant("original", plain?), variant("ccc", module.to_string())])
}

/// Applies CCC to a module whose kernels are launched with blocks of `block` threads.
///
/// # Errors
/// [`Error::Refused`] if a region is refused, [`Error::Unmarked`] if there is none: a table about a kernel that was not
/// rewritten would compare it with itself.
fn rewrite_kernel(module: &mut Module, block: u32) -> Result<(), Error> {
    let reports = ccc::rewrite_module(module, &Options { block: Some(block), ..Options::default() });
    let regions: Vec<_> = reports.iter().flat_map(|report| &report.regions).collect();
    for region in &regions {
        if let Status::Refused(refusal) = &region.status {
            return Err(Error::Refused { line: region.line, reason: refusal.to_string() });
        }
    }
    if regions.is_empty() { Err(Error::Unmarked) } else { Ok(()) }
}

/// The text with some of its lines (counted from 1) left empty.
fn without_lines(text: &str, lines: &[usize]) -> String {
    let kept = (1..).zip(text.lines()).map(|(number, line)| if lines.contains(&number) { "" } else { line });
    kept.fold(String::with_capacity(text.len()), |text, line| text + line + "\n")
}

fn resources(variant: &Variant, options: &BfsOptions, toolkit: &Toolkit) -> Result<Resources, Error> {
    let cubin = toolkit.assemble(&variant.ptx, &options.arch, &format!("bfs-{}.ptx", variant.name))?;
    let kernel = cubin.kernel(&variant.kernel);
    Ok(Resources {
        variant: variant.name.clone(),
        registers: kernel.map_or(0, |kernel| kernel.registers),
        shared_bytes: kernel.map_or(0, |kernel| kernel.shared_bytes),
        spill_bytes: kernel.map_or(0, |kernel| kernel.spill_stores),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_emptied_in_place() {
        assert_eq!(without_lines("a\nb\nc", &[2]), "a\n\nc\n");
        assert_eq!(without_lines("a\n", &[]), "a\n");
    }

    #[test]
    fn the_example_has_one_loop_and_one_branch() {
        let annotated = annotate(SOURCE, SOURCE_NAME).unwrap();
        assert_eq!(annotated.directives.len(), 2);
        let lines: Vec<_> = annotated.directives.iter().map(|directive| directive.line).collect();
        assert!(!without_lines(SOURCE, &lines).lines().any(|line| line.trim_start().starts_with("#CCC")));
    }
}
