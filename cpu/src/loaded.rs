//! Loads a compiled object into this process, and launches its kernels.
//!
//! The functions and structs are those of `runtime/interface.h`.

use std::ffi::c_void;
use std::fs;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};

use crate::Error;
use crate::compile::{io, temporary_folder};

/// The suffix of the function that launches a kernel with packed parameters.
const PACKED: &str = "_launch_packed";

/// The largest alignment that a parameter block is given, in bytes.
const ALIGNMENT: usize = 256;

/// A compiled object in this process, with module variables of its own.
#[derive(Debug)]
pub struct Object {
    library: Library,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of `extern .shared` memory per block.
    pub dynamic_shared_bytes: u32,
    /// Threads of the host; 0 for as many as there are cores.
    pub host_threads: u32,
    /// All blocks are resident together and may wait for each other.
    pub cooperative: bool,
}

/// The way in which a launch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every thread came to its end.
    Finished,
    /// A thread executed `trap`.
    Trap(Spot),
    /// An assertion failed: the thread, and the message.
    Assertion(Spot, String),
    /// A thread gave back what is no allocation: the thread, and what it did.
    BadFree(Spot, String),
    /// Calls are nested too deep: the thread, and the message.
    StackOverflow(Spot, String),
    /// Threads wait at barriers that nobody completes.
    Deadlock(Spot),
    /// The host has no memory for the state of the blocks.
    NoMemory,
    /// A grid or block that the translation does not run.
    BadLaunch,
}

/// A place in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line of the PTX text; 0 if it is unknown.
    pub line: u32,
    /// The block.
    pub block: [u32; 3],
    /// The linear number of the thread in its block.
    pub thread: u32,
}

#[repr(C)]
struct RawDim3 {
    x: u32,
    y: u32,
    z: u32,
}

/// `pxrw_launch`
#[repr(C)]
struct RawLaunch {
    grid: RawDim3,
    block: RawDim3,
    dynamic_shared_bytes: u32,
    host_threads: u32,
    print: Option<Print>,
    print_context: *mut c_void,
    cooperative: u32,
}

/// The bytes of the message of a result.
const MESSAGE: usize = 1024;

/// `pxrw_result`
#[repr(C)]
struct RawResult {
    outcome: u32,
    line: u32,
    block: RawDim3,
    thread: u32,
    message: [u8; MESSAGE],
}

/// What takes the output of kernels: the text of a call of `printf`, and the number of its arguments.
pub type Sink<'a> = &'a mut (dyn FnMut(&[u8], u32) + Send);

type Print = unsafe extern "C" fn(*mut c_void, *const u8, u64, u32);

type LaunchPacked = unsafe extern "C" fn(*const RawLaunch, *const c_void, *mut RawResult);

/// A part of a parameter block, aligned for every type.
#[repr(C, align(256))]
#[derive(Clone, Copy)]
struct Chunk([u8; ALIGNMENT]);

impl From<[u32; 3]> for RawDim3 {
    fn from([x, y, z]: [u32; 3]) -> RawDim3 {
        RawDim3 { x, y, z }
    }
}

impl Object {
    /// Loads the bytes of an object. Each load has its own module variables, with their first values. A temporary file is made in `scratch`, or else among
    /// those of the system.
    ///
    /// # Safety
    /// The bytes are an object that [`Build`](crate::Build) made of a [`Translation`](crate::Translation).
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Load`].
    pub unsafe fn load(object: &[u8], scratch: Option<&Path>) -> Result<Object, Error> {
        // The system loads a file once, by its name and its inode. A folder of its own makes both new. The file is removed once it is mapped.
        let folder = temporary_folder(scratch)?;
        let path = folder.path().join("loaded.so");
        fs::write(&path, object).map_err(io("write", &path))?;
        // SAFETY: the caller promises that this is a translated kernel. What runs when such an object is loaded or unloaded sets its own variables, and closes
        // its own files.
        let library = unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.map_err(refused)?;
        Ok(Object { library })
    }

    /// Runs a kernel to its end. `symbol` is its name in C, and `parameters` are laid out as PTX lays them out. What the kernel prints goes to standard
    /// output.
    ///
    /// # Safety
    /// `symbol` is that of a kernel in this object, and `parameters` has as many bytes as that kernel's parameters. Every address that the kernel
    /// accesses is one of memory that it may access so, and that nobody else accesses meanwhile.
    ///
    /// # Errors
    /// [`Error::NoFunction`], or [`Error::Outcome`].
    pub unsafe fn launch(&self, symbol: &str, launch: &Launch, parameters: &[u8]) -> Result<Ending, Error> {
        // SAFETY: the caller promises what this asks for.
        unsafe { self.run(symbol, launch, parameters, None) }
    }

    /// The same for a kernel whose output is taken.
    ///
    /// # Safety
    /// As for [`Object::launch`].
    ///
    /// # Errors
    /// As [`Object::launch`].
    pub unsafe fn launch_printing(
        &self,
        symbol: &str,
        launch: &Launch,
        parameters: &[u8],
        mut sink: Sink<'_>,
    ) -> Result<Ending, Error> {
        // SAFETY: the caller promises what this asks for.
        unsafe { self.run(symbol, launch, parameters, Some(&mut sink)) }
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// As for [`Object::launch`].
    unsafe fn run(
        &self,
        symbol: &str,
        launch: &Launch,
        parameters: &[u8],
        sink: Option<&mut Sink<'_>>,
    ) -> Result<Ending, Error> {
        let function = format!("{symbol}{PACKED}");
        // SAFETY: a function of this name has this type in every translation (`runtime/interface.h`).
        let found: Result<Symbol<LaunchPacked>, _> = unsafe { self.library.get(function.as_bytes()) };
        let call = found.map_err(|_| Error::NoFunction { function })?;
        let mut block = vec![Chunk([0; ALIGNMENT]); parameters.len().div_ceil(ALIGNMENT).max(1)];
        for (chunk, bytes) in block.iter_mut().zip(parameters.chunks(ALIGNMENT)) {
            for (to, from) in chunk.0.iter_mut().zip(bytes) {
                *to = *from;
            }
        }
        let raw = RawLaunch {
            grid: launch.grid.into(),
            block: launch.block.into(),
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            host_threads: launch.host_threads,
            print: sink.is_some().then_some(print),
            print_context: sink.map_or(std::ptr::null_mut(), |sink| std::ptr::from_mut(sink).cast()),
            cooperative: launch.cooperative.into(),
        };
        let mut result = RawResult { outcome: 0, line: 0, block: [0; 3].into(), thread: 0, message: [0; MESSAGE] };
        // SAFETY: the pointers are to values that live until the call returns, laid out as in `runtime/interface.h`; the caller promises the rest.
        unsafe { call(&raw const raw, block.as_ptr().cast(), &raw mut result) };
        let RawDim3 { x, y, z } = result.block;
        let spot = Spot { line: result.line, block: [x, y, z], thread: result.thread };
        let message = || {
            let text = result.message.split(|&byte| byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(text).into_owned()
        };
        Ok(match result.outcome {
            0 => Ending::Finished,
            1 => Ending::Trap(spot),
            2 => Ending::Deadlock(spot),
            3 => Ending::NoMemory,
            4 => Ending::BadLaunch,
            5 => Ending::Assertion(spot, message()),
            6 => Ending::BadFree(spot, message()),
            7 => Ending::StackOverflow(spot, message()),
            other => return Err(Error::Outcome(other)),
        })
    }
}

/// Gives what a kernel prints to its sink, which is the context.
///
/// # Safety
/// The context is a [`Sink`] that nobody else uses meanwhile, and the text has so many bytes.
unsafe extern "C" fn print(context: *mut c_void, text: *const u8, bytes: u64, arguments: u32) {
    // SAFETY: the caller promises it.
    let sink = unsafe { &mut *context.cast::<Sink<'_>>() };
    let text = match usize::try_from(bytes) {
        // SAFETY: the caller promises it.
        Ok(bytes @ 1..) => unsafe { std::slice::from_raw_parts(text, bytes) },
        _ => &[],
    };
    sink(text, arguments);
}

/// Describes why the system does not load an object: what it says is the source of the error, if it says anything.
fn refused(error: libloading::Error) -> Error {
    let source = std::error::Error::source(&error);
    Error::Load { why: source.map_or_else(|| error.to_string(), ToString::to_string) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Build;

    /// A kernel as a translation has it: `k(u32 *out, u32 value)` writes the value to the first word, the launches so far to the second, and what it
    /// was launched with to the others.
    const KERNEL: &str = "
        static uint32_t launches;
        void k_launch_packed(const pxrw_launch *launch, const void *params, pxrw_result *result) {
            const unsigned char *bytes = params;
            unsigned char *out = (unsigned char *)(uintptr_t)pxrw_load64(bytes);
            uint32_t value = pxrw_load32(bytes + 8);
            pxrw_store32(out, value);
            pxrw_store32(out + 4, ++launches);
            pxrw_store32(out + 8, launch->grid.x + launch->block.z);
            pxrw_store32(out + 12, launch->dynamic_shared_bytes + launch->host_threads);
            pxrw_store32(out + 16, (uintptr_t)params % 256);
            result->outcome = value;
            result->line = 7;
            result->block = launch->grid;
            result->thread = 5;
        }";

    fn object() -> Vec<u8> {
        let source = format!("{}{}\n{KERNEL}", include_str!("runtime/interface.h"), include_str!("runtime/base.h"));
        Build::default().object(&source).unwrap().object
    }

    fn launch(object: &Object, value: u32) -> (Ending, [u32; 5]) {
        let mut out = [0_u32; 5];
        let mut parameters = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
        parameters.extend(value.to_le_bytes());
        let shape = Launch {
            grid: [2, 3, 4],
            block: [1, 1, 9],
            dynamic_shared_bytes: 100,
            host_threads: 1,
            ..Launch::default()
        };
        // SAFETY: the parameters are an address of five words, which are written, and a word.
        let ending = unsafe { object.launch("k", &shape, &parameters) }.unwrap();
        (ending, out)
    }

    #[test]
    fn a_launch_has_its_shape_parameters_and_outcome() {
        let scratch = tempfile::tempdir().unwrap();
        // SAFETY: the object is made as that of a translation is.
        let object = unsafe { Object::load(&object(), Some(scratch.path())) }.unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "the file is gone once it is loaded");
        let spot = Spot { line: 7, block: [2, 3, 4], thread: 5 };
        assert_eq!(launch(&object, 0), (Ending::Finished, [0, 1, 11, 101, 0]));
        let endings = [1, 2, 3, 4].map(|value| launch(&object, value).0);
        let expected = [Ending::Trap(spot), Ending::Deadlock(spot), Ending::NoMemory, Ending::BadLaunch];
        assert_eq!(endings, expected);
        let shape = Launch { grid: [1; 3], block: [1; 3], ..Launch::default() };
        // SAFETY: there is no such function.
        let missing = unsafe { object.launch("other", &shape, &[]) }.unwrap_err().to_string();
        assert!(missing.contains("no function `other_launch_packed`"), "{missing}");
    }

    #[test]
    fn each_load_has_its_own_variables() {
        let bytes = object();
        let load = || {
            // SAFETY: the object is made as that of a translation is.
            unsafe { Object::load(&bytes, None) }.unwrap()
        };
        let (first, second) = (load(), load());
        let launches = [launch(&first, 0), launch(&first, 0), launch(&second, 0)].map(|(_, out)| out[1]);
        assert_eq!(launches, [1, 2, 1]);
        drop((first, second));
        assert_eq!(launch(&load(), 0).1[1], 1);
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        // SAFETY: this is refused before anything of it runs.
        let error = unsafe { Object::load(b"no object", None) }.unwrap_err().to_string();
        assert!(error.contains("cannot be loaded") && error.contains("loaded.so: "), "{error}");
    }
}
