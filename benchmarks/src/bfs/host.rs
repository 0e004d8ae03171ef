//! The loop on the host: one launch per level, until a launch finds nothing new.
//!
//! The kernel is `bfs(int vertices, int level, int *levels, const int *offsets, const int *edges, int *changed)`, whatever
//! its name. A search that goes level by level leaves exactly the reference's numbers after each launch, so each
//! launch is checked by itself, and a kernel that goes wrong is stopped at the level where it does.

use device::{Argument, Buffer, Device, KernelHandle, LaunchConfig, OutcomeKind, RunReport};

use crate::error::Error;
use crate::graph::{Graph, LIMIT, bfs_levels};
use crate::single_launch::{from_i32, from_u32, upload};

/// The task of a search: a graph, a start, and the right answer.
#[derive(Clone, Debug)]
pub struct Task {
    graph: Graph,
    source: u32,
    expected: Vec<i32>,
}

impl Task {
    /// A search from `source`, or from the [busiest vertex](Graph::busiest_vertex).
    ///
    /// # Errors
    /// [`Error::Source`] if the graph has no such vertex.
    pub fn new(graph: Graph, source: Option<u32>) -> Result<Task, Error> {
        let vertices = graph.vertices();
        let source = source.or_else(|| graph.busiest_vertex()).unwrap_or(0);
        if source >= vertices {
            return Err(Error::Source { source_vertex: source, vertices });
        }
        let expected = bfs_levels(&graph, source);
        Ok(Task { graph, source, expected })
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The vertex where the search starts.
    #[must_use]
    pub fn source(&self) -> u32 {
        self.source
    }

    /// The level of each vertex, -1 where the search does not come.
    pub(crate) fn expected(&self) -> &[i32] {
        &self.expected
    }

    /// Returns how many vertices the search reaches, its start included.
    #[must_use]
    pub fn reached(&self) -> usize {
        self.expected.iter().filter(|&&level| level >= 0).count()
    }

    /// Returns how many levels there are, that of the start included: how many launches the search takes.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.expected.iter().max().map_or(0, |&deepest| (deepest + 1).unsigned_abs())
    }

    fn frontier(&self, level: i32) -> usize {
        self.expected.iter().filter(|&&expected| expected == level).count()
    }

    /// Returns what is wrong after the launch for `level`, if anything.
    fn difference(&self, level: i32, levels: &[i32], changed: i32) -> Option<String> {
        let expected = self.expected.iter().map(|&expected| if expected <= level + 1 { expected } else { -1 });
        for (vertex, (expected, &found)) in expected.zip(levels).enumerate() {
            if expected != found {
                return Some(format!("vertex {vertex} has level {found}, the CPU says {expected}"));
            }
        }
        let more = self.frontier(level + 1) > 0;
        (more != (changed != 0)).then(|| {
            format!("`changed` is {changed}, but {} next level", if more { "there is a" } else { "there is no" })
        })
    }
}

/// The result of one launch.
#[derive(Clone, Debug)]
pub struct Level {
    /// The level whose vertices were visited.
    pub level: u32,
    /// The number of vertices it has.
    pub frontier: usize,
    /// The device's report.
    pub run: RunReport,
    /// The difference from the CPU's result, if there is one.
    pub difference: Option<String>,
}

/// Runs a kernel level by level. Ends early at a launch that does not finish or whose result is wrong: the last element
/// says so. `on_level` is called after every launch.
///
/// # Errors
/// [`Error::TooManyThreads`] if the kernel's `int`s would overflow; what the device says of a kernel or launch that it
/// cannot run.
pub fn search(
    device: &mut dyn Device,
    ptx: &str,
    kernel: &str,
    task: &Task,
    config: &LaunchConfig,
    on_level: &dyn Fn(),
) -> Result<Vec<Level>, Error> {
    if u128::from(task.graph.vertices()) + config.threads() > u128::from(LIMIT) {
        return Err(Error::TooManyThreads { threads: config.threads(), tasks: task.graph.vertices() });
    }
    let kernel = device.load(ptx, kernel)?;
    let buffers = Buffers::fill(device, task)?;
    let mut launches: Vec<Level> = Vec::new();
    loop {
        let level = launches.len() as i32;
        let launch = one_level(device, kernel, task, config, &buffers, level)?;
        on_level();
        let last = launch.difference.is_some() || level + 1 >= task.levels() as i32;
        launches.push(launch);
        if last {
            break;
        }
    }
    buffers.free(device)?;
    Ok(launches)
}

fn one_level(
    device: &mut dyn Device,
    kernel: KernelHandle,
    task: &Task,
    config: &LaunchConfig,
    buffers: &Buffers,
    level: i32,
) -> Result<Level, Error> {
    device.upload(buffers.changed, 0, &0_i32.to_le_bytes())?;
    let arguments = [
        Argument::from(task.graph.vertices().cast_signed()),
        Argument::from(level),
        Argument::from(buffers.levels),
        Argument::from(buffers.offsets),
        Argument::from(buffers.edges),
        Argument::from(buffers.changed),
    ];
    let run = device.launch(kernel, config, &arguments)?;
    let difference = if run.outcome == OutcomeKind::Finished {
        let levels = download(device, buffers.levels, task.graph.vertices() as usize)?;
        let changed = download(device, buffers.changed, 1)?;
        task.difference(level, &levels, changed.first().copied().unwrap_or(0))
    } else {
        Some(run.message.clone().unwrap_or_else(|| format!("the launch ended as {}", run.outcome)))
    };
    Ok(Level { level: level.unsigned_abs(), frontier: task.frontier(level), run, difference })
}

/// The kernel's buffers.
struct Buffers {
    levels: Buffer,
    offsets: Buffer,
    edges: Buffer,
    changed: Buffer,
}

impl Buffers {
    fn fill(device: &mut dyn Device, task: &Task) -> Result<Buffers, Error> {
        let mut levels = vec![-1; task.graph.vertices() as usize];
        levels[task.source as usize] = 0;
        Ok(Buffers {
            levels: upload(device, "levels", &from_i32(&levels))?,
            offsets: upload(device, "offsets", &from_u32(task.graph.offsets()))?,
            edges: upload(device, "edges", &from_u32(task.graph.edges()))?,
            changed: upload(device, "changed", &from_i32(&[0]))?,
        })
    }

    fn free(self, device: &mut dyn Device) -> Result<(), Error> {
        for buffer in [self.levels, self.offsets, self.edges, self.changed] {
            device.free(buffer)?;
        }
        Ok(())
    }
}

fn download(device: &dyn Device, buffer: Buffer, count: usize) -> Result<Vec<i32>, Error> {
    let mut bytes = vec![0; 4 * count];
    device.download(buffer, 0, &mut bytes)?;
    let (words, _) = bytes.as_chunks::<4>();
    Ok(words.iter().map(|&word| i32::from_le_bytes(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Task {
        Task::new(Graph::from_edges(4, &[(0, 1), (1, 2), (3, 0)]).unwrap(), None).unwrap()
    }

    #[test]
    fn a_task_knows_its_answer() {
        let task = path();
        assert_eq!((task.source(), task.reached(), task.levels()), (0, 3, 3));
        assert_eq!((task.frontier(0), task.frontier(2), task.frontier(3)), (1, 1, 0));
    }

    #[test]
    fn a_source_that_is_not_there_is_refused() {
        let graph = Graph::from_edges(4, &[(0, 1)]).unwrap();
        let error = Task::new(graph, Some(4)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "vertex 4 cannot be the source: the graph has 4 vertices; give a source below that"
        );
        assert!(Task::new(Graph::from_edges(0, &[]).unwrap(), None).is_err());
    }

    #[test]
    fn a_level_is_checked_against_the_levels_up_to_it() {
        let task = path();
        assert_eq!(task.difference(0, &[0, 1, -1, -1], 1), None);
        assert_eq!(task.difference(2, &[0, 1, 2, -1], 0), None);
        let early = task.difference(0, &[0, 1, 2, -1], 1).unwrap();
        assert_eq!(early, "vertex 2 has level 2, the CPU says -1");
        let missed = task.difference(0, &[0, -1, -1, -1], 0).unwrap();
        assert_eq!(missed, "vertex 1 has level -1, the CPU says 1");
        let silent = task.difference(0, &[0, 1, -1, -1], 0).unwrap();
        assert_eq!(silent, "`changed` is 0, but there is a next level");
        let restless = task.difference(2, &[0, 1, 2, -1], 1).unwrap();
        assert_eq!(restless, "`changed` is 1, but there is no next level");
    }
}
