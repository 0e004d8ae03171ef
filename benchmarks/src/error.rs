//! The errors that keep a benchmark from running, each with its place and advice.
//!
//! A kernel that deadlocks or computes something wrong is no error here: that is a row of the table.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ptx_parser::Position;

/// A position in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePosition {
    /// The file.
    pub path: PathBuf,
    /// The position in it.
    pub position: Position,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path.display(), self.position)
    }
}

/// An error of a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A graph's file cannot be opened, or is a directory.
    #[error("{path}: cannot open the graph: {cause}; {help}", path = path.display(), help = open_help(cause))]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A graph's file cannot be read to its end.
    #[error("{path}: cannot read on after line {after}: {cause}; the file is damaged, fetch it again", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The last line that was read.
        after: u64,
        /// The error of the system or of the decompressor.
        cause: io::Error,
    },
    /// A line of a graph's file is wrong.
    #[error("{at}: {what}; {help}")]
    Input {
        /// The position in the file.
        at: FilePosition,
        /// The problem.
        what: String,
        /// The advice for the user.
        help: String,
    },
    /// A plot cannot be drawn.
    #[error("the plot cannot be drawn: {what}; the report has its figures")]
    Plot {
        /// The library's message.
        what: String,
    },
    /// A graph's file has no edges in it.
    #[error("{path}: no edges in {lines} lines; give a graph with at least one edge", path = path.display())]
    NoEdges {
        /// The file.
        path: PathBuf,
        /// The number of lines that were read.
        lines: u64,
    },
    /// The scale of a generated graph is too large.
    #[error("scale {scale} is too large: kernels count edges with a 32-bit int; give at most {limit}")]
    Scale {
        /// The scale that was asked for.
        scale: u32,
        /// The largest possible scale.
        limit: u32,
    },
    /// A graph with both directions of each edge is too large.
    #[error("with edges in both directions there are more than 2147483647; give a smaller graph or no --undirected")]
    TooManyEdges,
    /// The search cannot start where it should.
    #[error("vertex {source_vertex} cannot be the source: the graph has {vertices} vertices; give a source below that")]
    Source {
        /// The start that was asked for.
        source_vertex: u32,
        /// The number of vertices.
        vertices: u32,
    },
    /// A block size that no device runs.
    #[error("blocks of {block} threads cannot be launched; give 1 to 1024")]
    Block {
        /// The threads per block that were asked for.
        block: u32,
    },
    /// A grid size that no device runs.
    #[error("give a grid of 1 to 2147483647 blocks")]
    Grid,
    /// A grid-stride loop would overflow its counter.
    #[error("{threads} threads for {tasks} tasks overflow the kernel's 32-bit int; give a smaller grid")]
    TooManyThreads {
        /// All threads of a launch.
        threads: u128,
        /// The number of tasks, for one vertices of a graph.
        tasks: u32,
    },
    /// A program's input would have no task, or more than its kernel counts.
    #[error("a program cannot have {tasks} tasks; give 1 to {limit}")]
    Tasks {
        /// The number of tasks that was asked for.
        tasks: u32,
        /// The most.
        limit: u32,
    },
    /// The directives of a kernel's source are wrong.
    #[error("{}", directives(.0))]
    Directives(Vec<annotate::Error>),
    /// The CUDA compiler's PTX cannot be read.
    #[error(transparent)]
    Ptx(#[from] ptx_parser::Errors),
    /// The PTX of a kernel cannot be read.
    #[error(transparent)]
    Frontend(frontend::Error),
    /// The CUDA compiler is missing, or refuses a kernel.
    #[error(transparent)]
    Toolkit(#[from] toolkit::Error),
    /// The rewriter refuses a region.
    #[error("{file}:{line}: the region cannot be rewritten: {reason}")]
    Refused {
        /// The source file.
        file: String,
        /// The source line of the region.
        line: u32,
        /// The reason.
        reason: String,
    },
    /// There was nothing to rewrite.
    #[error(
        "{file}: the compiled kernel has no marked region; mark a loop with `#CCC for` and a branch in it with `#CCC if`"
    )]
    Unmarked {
        /// The source file.
        file: String,
    },
    /// The device cannot run a kernel.
    #[error(transparent)]
    Device(#[from] device::Error),
    /// A launch that must finish did not.
    #[error("a launch of the benchmark did not finish: {what}")]
    Unfinished {
        /// The reason.
        what: String,
    },
    /// There is no C++ compiler.
    #[error("no C++ compiler found (tried {tried}); install one, or name it in CXX")]
    NoCompiler {
        /// The names.
        tried: String,
    },
    /// The C++ compiler does not compile the native program.
    #[error("`{name}` does not compile the native program; name another compiler in CXX\n{said}")]
    Compiler {
        /// The compiler.
        name: String,
        /// The compiler's output.
        said: String,
    },
    /// The native program cannot be written or started.
    #[error("the native program cannot be run: {0}; make the folder for temporary files writable and executable")]
    Native(io::Error),
    /// The native program failed.
    #[error("the native `{kernel}` ended with {status}")]
    NativeRun {
        /// The kernel.
        kernel: String,
        /// The exit status of the native program.
        status: String,
    },
    /// The emulator and the native program differ.
    #[error(
        "`{kernel}` on {machine}: element {index} is {found}, native C++ says {expected}; this is an error of the emulator"
    )]
    Differs {
        /// The kernel.
        kernel: String,
        /// The machine.
        machine: String,
        /// The index of the element.
        index: usize,
        /// The emulator's value.
        found: String,
        /// The native program's value.
        expected: String,
    },
}

impl From<frontend::Error> for Error {
    fn from(error: frontend::Error) -> Error {
        match error {
            frontend::Error::Toolkit(error) => Error::Toolkit(error),
            error => Error::Frontend(error),
        }
    }
}

fn directives(errors: &[annotate::Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn open_help(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "make the file readable",
        io::ErrorKind::IsADirectory => "give one file of it",
        _ => "give a file that can be read",
    }
}
