//! The kernels, their inputs, and how the emulator runs them.

use std::time::Instant;

use device::{Argument, Buffer, Device, LaunchConfig, OutcomeKind, RunReport};

use crate::error::Error;
use crate::graph::random::Random;
use crate::graph::{Graph, bfs_levels};

/// One of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `y = a x + y`: memory alone.
    Saxpy,
    /// Forces between all pairs of bodies: arithmetic alone.
    Nbody,
    /// A product of matrices in tiles: shared memory and barriers.
    Matmul,
    /// Breadth-first search: divergence and scattered accesses, a launch per level.
    Bfs,
}

impl Program {
    /// All of them.
    pub const ALL: [Program; 4] = [Program::Saxpy, Program::Nbody, Program::Matmul, Program::Bfs];

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Program::Saxpy => "Memory alone",
            Program::Nbody => "Arithmetic alone",
            Program::Matmul => "Shared memory and barriers",
            Program::Bfs => "Divergence and scattered accesses",
        }
    }

    /// The kernel's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Saxpy => "saxpy",
            Program::Nbody => "nbody",
            Program::Matmul => "matmul",
            Program::Bfs => "bfs",
        }
    }

    /// Returns how large the input is, in elements, bodies, rows or vertices: a tenth of a second or so for the emulator.
    pub(crate) fn size(self) -> u32 {
        match self {
            Program::Saxpy => 1 << 24,
            Program::Nbody => 4096,
            Program::Matmul => 512,
            Program::Bfs => 1 << 18,
        }
    }

    /// Makes the input, the same on each run.
    pub(crate) fn input(self) -> Input {
        self.input_of(self.size())
    }

    /// Makes an input of this size, which is a multiple of 16.
    pub(crate) fn input_of(self, size: u32) -> Input {
        let n = size as usize;
        // From -1 to 1.
        let floats = |count: usize, seed: u64| {
            let mut random = Random::new(seed);
            (0..count).flat_map(|_| (2.0 * random.unit() as f32 - 1.0).to_le_bytes()).collect()
        };
        let (parts, expected) = match self {
            Program::Saxpy => (vec![floats(n, 1), floats(n, 2)], None),
            Program::Nbody => (vec![floats(4 * n, 3)], None),
            Program::Matmul => (vec![floats(n * n, 4), floats(n * n, 5)], None),
            Program::Bfs => search(size),
        };
        Input { program: self, size, parts, expected }
    }
}

/// The number of edges that leave a vertex on average; Rodinia's graphs have as many.
const DEGREE: u32 = 6;

/// The levels before the search, the graph's rows, and the levels after it.
fn search(vertices: u32) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let bytes = |values: &mut dyn Iterator<Item = i32>| values.flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
    // Vertices have 2 to 10 edges, which lead anywhere.
    let mut random = Random::new(6);
    let mut edges = Vec::new();
    for from in 0..vertices {
        let degree = 2 + random.below(2 * DEGREE - 3);
        edges.extend((0..degree).map(|_| (from, random.below(vertices))));
    }
    let Some(graph) = Graph::from_edges(vertices, &edges) else { return (Vec::new(), None) };
    let source = graph.busiest_vertex().unwrap_or(0);
    let before = bytes(&mut (0..vertices).map(|vertex| if vertex == source { 0 } else { -1 }));
    let offsets = bytes(&mut graph.offsets().iter().map(|offset| offset.cast_signed()));
    let edges = bytes(&mut graph.edges().iter().map(|vertex| vertex.cast_signed()));
    let after = bytes(&mut bfs_levels(&graph, source).into_iter());
    (vec![before, offsets, edges], Some(after))
}

/// The input of a kernel.
pub(crate) struct Input {
    program: Program,
    pub(crate) size: u32,
    /// The buffers in the order in which the native program reads them.
    pub(crate) parts: Vec<Vec<u8>>,
    /// The result, where it is known beforehand.
    pub(crate) expected: Option<Vec<u8>>,
}

impl Input {
    /// Runs the kernel.
    ///
    /// # Errors
    /// What the device says of a kernel or launch that it cannot run, or that did not finish.
    pub(crate) fn run(&self, device: &mut dyn Device, ptx: &str) -> Result<Ran, Error> {
        let kernel = device.load(ptx, self.program.name())?;
        let upload = |device: &mut dyn Device, data: &[u8]| -> Result<Buffer, Error> {
            let buffer = device.alloc(data.len() as u64, "input")?;
            device.upload(buffer, 0, data)?;
            Ok(buffer)
        };
        let buffers = self.parts.iter().map(|part| upload(device, part)).collect::<Result<Vec<_>, _>>()?;
        let n = Argument::from(self.size.cast_signed());
        let buffer = |index: usize| Argument::Buffer(buffers[index]);
        let mut total = Ran::default();
        let result = match self.program {
            Program::Saxpy => {
                let config = LaunchConfig::linear(self.size.div_ceil(256), 256);
                let arguments = [Argument::from(1.5f32), buffer(0), buffer(1), n];
                total.add(|| device.launch(kernel, &config, &arguments))?;
                buffers[1]
            }
            Program::Nbody => {
                let forces = upload(device, &vec![0; self.parts[0].len()])?;
                let config = LaunchConfig::linear(self.size.div_ceil(128), 128);
                total.add(|| device.launch(kernel, &config, &[buffer(0), Argument::Buffer(forces), n]))?;
                forces
            }
            Program::Matmul => {
                let product = upload(device, &vec![0; self.parts[0].len()])?;
                let tiles = self.size / 16;
                let config = LaunchConfig { grid: [tiles, tiles, 1], block: [16, 16, 1], ..LaunchConfig::linear(1, 1) };
                total.add(|| device.launch(kernel, &config, &[buffer(0), buffer(1), Argument::Buffer(product), n]))?;
                product
            }
            Program::Bfs => {
                let changed = upload(device, &[0; 4])?;
                let config = LaunchConfig::linear(self.size.div_ceil(256), 256);
                for level in 0.. {
                    device.upload(changed, 0, &[0; 4])?;
                    let arguments =
                        [n.clone(), Argument::from(level), buffer(0), buffer(1), buffer(2), Argument::Buffer(changed)];
                    total.add(|| device.launch(kernel, &config, &arguments))?;
                    let mut more = [0; 4];
                    device.download(changed, 0, &mut more)?;
                    if more == [0; 4] {
                        break;
                    }
                }
                buffers[0]
            }
        };
        total.result = vec![0; self.parts[0].len()];
        device.download(result, 0, &mut total.result)?;
        Ok(total)
    }
}

/// The costs and the result of all launches of a run.
#[derive(Default)]
pub(crate) struct Ran {
    /// Wall-clock seconds of the launches alone.
    pub(crate) seconds: f64,
    /// Warp instructions.
    pub(crate) instructions: u64,
    /// The bytes of the buffer with the result.
    pub(crate) result: Vec<u8>,
}

impl Ran {
    fn add(&mut self, launch: impl FnOnce() -> Result<RunReport, device::Error>) -> Result<(), Error> {
        let start = Instant::now();
        let report = launch()?;
        self.seconds += start.elapsed().as_secs_f64();
        if report.outcome != OutcomeKind::Finished {
            let what = report.message.unwrap_or_else(|| report.outcome.to_string());
            return Err(Error::Unfinished { what });
        }
        self.instructions += report.counts.warp_instructions.unwrap_or(0);
        Ok(())
    }
}
