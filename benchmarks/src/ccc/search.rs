//! BFS and SSSP: searches of an R-MAT graph, one launch after the other until nothing is left to visit.
//!
//! Levels and costs are integers and must be the CPU's bit for bit.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Argument, Counts, Device, LaunchConfig, RunReport};

use crate::bfs::{Task, search};
use crate::error::Error;
use crate::graph::random::Random;
use crate::graph::{Graph, Rmat, rmat};
use crate::native::Counterpart;
use crate::single_launch::{from_i32, from_u32, to_i32, upload};
use crate::variant::{Source, Variant};
use crate::workload::{Instance, Threads};
use crate::workload::{Ran, Verdict, Work, average};

pub(super) const SOURCE: Source =
    Source { text: include_str!("sssp.cu"), name: "benchmarks/src/ccc/sssp.cu", kernel: "sssp" };

/// No path yet.
const FAR: i32 = i32::MAX;

/// Weights of edges are from 1 to this.
const HEAVIEST: u32 = 16;

/// Breadth-first search, as [`bfs`](crate::bfs) does it.
pub(super) fn levels(tasks: u32) -> Result<Instance, Error> {
    let task = Task::new(graph(tasks)?, None)?;
    Ok(instance(task.graph(), "", Box::new(task.clone())))
}

/// Shortest paths.
pub(super) fn distances(tasks: u32) -> Result<Instance, Error> {
    let graph = graph(tasks)?;
    let mut random = Random::new(16);
    let weights: Vec<i32> = graph.edges().iter().map(|_| 1 + random.below(HEAVIEST).cast_signed()).collect();
    let source = graph.busiest_vertex().unwrap_or(0);
    let expected = shortest(&graph, &weights, source);
    let what = format!(" of weights 1 to {HEAVIEST}");
    let weighted = Weighted { graph, weights, source, expected };
    Ok(instance(&weighted.graph.clone(), &what, Box::new(weighted)))
}

/// At least `tasks` vertices: R-MAT graphs have a power of two.
fn graph(tasks: u32) -> Result<Graph, Error> {
    let scale = tasks.next_power_of_two().trailing_zeros();
    rmat(&Rmat::graph500(scale)).ok_or(Error::Scale { scale, limit: Rmat::MAX_SCALE })
}

fn instance(graph: &Graph, what: &str, work: Box<dyn Work>) -> Instance {
    Instance {
        input: format!("R-MAT, {} vertices, {} edges{what}", graph.vertices(), graph.edges().len()),
        tasks: graph.vertices(),
        threads: Threads::Stride,
        work,
    }
}

impl Work for Task {
    fn run(&self, device: &mut dyn Device, variant: &Variant, config: &LaunchConfig) -> Result<Ran, Error> {
        let levels = search(device, &variant.ptx, &variant.kernel, self, config, &|| ())?;
        let launches = levels.len() as u32;
        let counts = levels.iter().fold(Counts::ZERO, |sum, level| sum + level.run.counts);
        let time = levels.iter().map(|level| level.run.time).sum();
        let efficiencies: Vec<_> = levels.iter().map(|level| level.run.counts.warp_execution_efficiency()).collect();
        let efficiency = average(&efficiencies);
        let Some(last) = levels.into_iter().last() else {
            return Err(Error::Unfinished { what: "the search launched nothing".into() });
        };
        let verdict = Verdict { difference: last.difference, error: 0.0 };
        // Each level was compared with the CPU's, so that there is nothing left to compare.
        Ok(Ran { run: RunReport { counts, time, ..last.run }, launches, efficiency, result: Vec::new(), verdict })
    }

    fn counterpart(&self) -> Option<&dyn Counterpart> {
        Some(self)
    }
}

impl Counterpart for Task {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        let (graph, source) = (self.graph(), self.source());
        let levels: Vec<i32> = (0..graph.vertices()).map(|vertex| if vertex == source { 0 } else { -1 }).collect();
        [from_i32(&levels), from_u32(graph.offsets()), from_u32(graph.edges())].map(Cow::Owned).to_vec()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        let differ = |found: &i32, expected: &i32| f64::from(u8::from(found != expected));
        Verdict::compare("the level of vertex", &to_i32(&results[0]), self.expected(), 0.0, differ)
    }
}

/// A graph with weights, and the right answer.
struct Weighted {
    graph: Graph,
    weights: Vec<i32>,
    source: u32,
    expected: Vec<i32>,
}

impl Work for Weighted {
    fn run(&self, device: &mut dyn Device, variant: &Variant, config: &LaunchConfig) -> Result<Ran, Error> {
        let kernel = device.load(&variant.ptx, &variant.kernel)?;
        let vertices = self.graph.vertices() as usize;
        let mut costs = self.start();
        let mut changed = vec![0_u32; vertices.div_ceil(32)];
        mark(&mut changed, self.source as usize);
        let bits = upload(device, "changed", &from_u32(&changed))?;
        let old = upload(device, "costs", &from_i32(&costs))?;
        let new = upload(device, "updated", &from_i32(&costs))?;
        let arguments = [
            Argument::from(self.graph.vertices().cast_signed()),
            bits.into(),
            old.into(),
            new.into(),
            upload(device, "offsets", &from_u32(self.graph.offsets()))?.into(),
            upload(device, "edges", &from_u32(self.graph.edges()))?.into(),
            upload(device, "weights", &from_i32(&self.weights))?.into(),
        ];
        let mut counts = Counts::ZERO;
        let mut time = Some(0.0);
        let mut efficiencies = Vec::new();
        loop {
            let run = device.launch(kernel, config, &arguments)?;
            counts = counts + run.counts;
            time = time.zip(run.time).map(|(sum, more)| sum + more);
            efficiencies.push(run.counts.warp_execution_efficiency());
            let mut bytes = vec![0; 4 * vertices];
            device.download(new, 0, &mut bytes)?;
            let updated = to_i32(&bytes);
            let unfinished = Verdict::unfinished(&run);
            // A shortest path has fewer edges than there are vertices, so that a right kernel is done by then.
            if unfinished.is_some() || updated == costs || efficiencies.len() > vertices {
                let verdict = unfinished.unwrap_or_else(|| self.judge(&updated));
                let (launches, efficiency) = (efficiencies.len() as u32, average(&efficiencies));
                let run = RunReport { counts, time, ..run };
                return Ok(Ran { run, launches, efficiency, result: bytes, verdict });
            }
            changed.fill(0);
            (0..vertices)
                .filter(|&vertex| updated[vertex] != costs[vertex])
                .for_each(|vertex| mark(&mut changed, vertex));
            costs = updated;
            device.upload(bits, 0, &from_u32(&changed))?;
            device.upload(old, 0, &bytes)?;
        }
    }

    fn counterpart(&self) -> Option<&dyn Counterpart> {
        Some(self)
    }
}

impl Counterpart for Weighted {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        let graph = &self.graph;
        [from_i32(&self.start()), from_u32(graph.offsets()), from_u32(graph.edges()), from_i32(&self.weights)]
            .map(Cow::Owned)
            .to_vec()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        self.judge(&to_i32(&results[0]))
    }
}

impl Weighted {
    /// The costs before the first round.
    fn start(&self) -> Vec<i32> {
        let mut costs = vec![FAR; self.graph.vertices() as usize];
        costs[self.source as usize] = 0;
        costs
    }

    fn judge(&self, found: &[i32]) -> Verdict {
        let differ = |found: &i32, expected: &i32| f64::from(u8::from(found != expected));
        Verdict::compare("the cost of vertex", found, &self.expected, 0.0, differ)
    }
}

fn mark(bits: &mut [u32], vertex: usize) {
    bits[vertex / 32] |= 1 << (vertex % 32);
}

/// Dijkstra's algorithm.
fn shortest(graph: &Graph, weights: &[i32], source: u32) -> Vec<i32> {
    let mut costs = vec![FAR; graph.vertices() as usize];
    costs[source as usize] = 0;
    let mut heap = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((cost, vertex))) = heap.pop() {
        if cost > costs[vertex as usize] {
            continue;
        }
        let begin = graph.offsets()[vertex as usize] as usize;
        for (edge, &to) in (begin..).zip(graph.neighbours(vertex)) {
            let through = cost + weights[edge];
            if through < costs[to as usize] {
                costs[to as usize] = through;
                heap.push(Reverse((through, to)));
            }
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_path_may_have_more_edges() {
        let graph = Graph::from_edges(4, &[(0, 1), (0, 2), (2, 1)]).unwrap();
        assert_eq!(shortest(&graph, &[9, 3, 4], 0), [0, 7, 3, FAR]);
    }
}
