//! Native C++ of kernels that are measured on a device, compiled by the host's compiler for this very machine.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use toolkit::Scratch;

use crate::error::Error;
use crate::workload::Verdict;

/// The files of the program; the last one is compiled.
const FILES: [(&str, &str); 5] = [
    ("harness.h", include_str!("harness.h")),
    ("common.h", include_str!("common.h")),
    ("collected.h", include_str!("collected.h")),
    ("paper.h", include_str!("paper.h")),
    ("main.cpp", include_str!("main.cpp")),
];

/// The program that has kernels in OpenCL C.
const OPENCL: (&str, &str) = ("opencl.cpp", include_str!("opencl.cpp"));

/// The options for the C++ compiler that every suite takes.
pub(crate) const FLAGS: [&str; 4] = ["-O3", "-march=native", "-std=c++17", "-pthread"];

/// A program that native code computes too.
pub(crate) trait Counterpart {
    /// Returns the buffers that the native code reads, in their order.
    fn buffers(&self) -> Vec<Cow<'_, [u8]>>;

    /// Returns the CPU's verdict on what the native code gives.
    fn verdict(&self, results: &[Vec<u8>]) -> Verdict;
}

/// The compiled program.
pub(crate) struct Native {
    folder: Scratch,
    /// The name of the compiler.
    name: String,
    /// The compiler's first line about itself.
    pub(crate) compiler: String,
    /// All options that it was given.
    pub(crate) flags: String,
}

/// A kernel with its input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// Its name in the program.
    pub(crate) kernel: &'a str,
    /// The size of the input.
    pub(crate) size: u32,
    /// The buffers that it reads.
    pub(crate) buffers: &'a [Cow<'a, [u8]>],
}

impl Native {
    /// Compiles it with `$CXX`, or else the first of `g++`, `c++` and `clang++` that there is; with [`FLAGS`] and `more`.
    ///
    /// # Errors
    /// No compiler, or one that does not compile it.
    pub(crate) fn compile(more: &[&str]) -> Result<Native, Error> {
        let chosen = std::env::var("CXX").ok().filter(|name| !name.is_empty());
        let names = chosen.map_or_else(|| ["g++", "c++", "clang++"].map(str::to_owned).to_vec(), |name| vec![name]);
        let version = |name: &String| Command::new(name).arg("--version").stderr(Stdio::null()).output().ok();
        let found = names.iter().find_map(|name| Some((name, version(name)?)));
        let Some((name, version)) = found else { return Err(Error::NoCompiler { tried: names.join(", ") }) };
        let folder = Scratch::new()?;
        for (file, text) in FILES {
            std::fs::write(folder.path().join(file), text).map_err(Error::Native)?;
        }
        let flags = [&FLAGS, more].concat();
        let mut command = Command::new(name);
        command.args(&flags).arg(folder.path().join("main.cpp")).arg("-o").arg(folder.path().join("native"));
        let output = command.output().map_err(Error::Native)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Compiler { name: name.clone(), said });
        }
        let text = String::from_utf8_lossy(&version.stdout);
        let compiler = text.lines().next().unwrap_or(name).to_owned();
        Ok(Native { folder, name: name.clone(), compiler, flags: flags.join(" ") })
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles the OpenCL program. Returns what PoCL says of its version, or `None` where it is not installed.
    ///
    /// # Errors
    /// Temporary files cannot be written.
    pub(crate) fn compile_opencl(&self) -> Result<Option<String>, Error> {
        let source = self.program(OPENCL.0);
        std::fs::write(&source, OPENCL.1).map_err(Error::Native)?;
        std::fs::create_dir_all(self.program("opencl-cache")).map_err(Error::Native)?;
        let mut command = Command::new(&self.name);
        command.args(FLAGS).arg(&source).arg("-o").arg(self.program("opencl")).arg("-lOpenCL");
        let is_compiled = command.output().map_err(Error::Native)?.status.success();
        if !is_compiled {
            return Ok(None);
        }
        let asked = self.command("opencl").arg("version").output().map_err(Error::Native)?;
        let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        Ok(Some(version).filter(|version| asked.status.success() && !version.is_empty()))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.program(program));
        // What PoCL compiles is not left in the user's folder.
        command.env("POCL_CACHE_DIR", self.program("opencl-cache"));
        command
    }

    /// Runs a kernel `runs` times on `threads` host threads. Returns the best time in seconds, and the results.
    ///
    /// # Errors
    /// If the program does not run to its end.
    pub(crate) fn run(&self, call: Call<'_>, runs: u32, threads: u32) -> Result<(f64, Vec<Vec<u8>>), Error> {
        self.run_program("native", call, runs, threads)
    }

    /// Runs a kernel of the OpenCL program in the same way.
    ///
    /// # Errors
    /// If the program does not run to its end.
    pub(crate) fn run_opencl(&self, call: Call<'_>, runs: u32, threads: u32) -> Result<(f64, Vec<Vec<u8>>), Error> {
        self.run_program("opencl", call, runs, threads)
    }

    fn run_program(
        &self,
        program: &str,
        call: Call<'_>,
        runs: u32,
        threads: u32,
    ) -> Result<(f64, Vec<Vec<u8>>), Error> {
        let Call { kernel, size, buffers } = call;
        let mut command = self.command(program);
        command.args([kernel, &size.to_string(), &runs.to_string(), &threads.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Error::Native)?;
        // The program has read all of its input before it writes. If it ends before that, its status says more than a broken pipe.
        let mut written = Ok(());
        if let Some(mut stdin) = child.stdin.take() {
            let mut write = |bytes: &[u8]| {
                stdin.write_all(&(bytes.len() as u64).to_le_bytes())?;
                stdin.write_all(bytes)
            };
            written = buffers.iter().try_for_each(|bytes| write(bytes));
        }
        let mut output = Vec::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_end(&mut output).map_err(Error::Native)?;
        }
        let status = child.wait().map_err(Error::Native)?;
        let failed = || Error::NativeRun { kernel: kernel.into(), status: status.to_string() };
        if !status.success() {
            return Err(failed());
        }
        written.map_err(Error::Native)?;
        let (seconds, rest) = output.split_first_chunk::<8>().ok_or_else(failed)?;
        Ok((f64::from_le_bytes(*seconds), split(rest).ok_or_else(failed)?))
    }
}

/// Splits what the program writes into its results.
fn split(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut results = Vec::new();
    while let Some((length, more)) = rest.split_first_chunk::<8>() {
        let (result, behind) = more.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        results.push(result.to_vec());
        rest = behind;
    }
    rest.is_empty().then_some(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_their_lengths_before_them() {
        let bytes = [[2, 0, 0, 0, 0, 0, 0, 0].as_slice(), &[5, 6], &[0; 8]].concat();
        assert_eq!(split(&bytes), Some(vec![vec![5, 6], vec![]]));
        assert_eq!(split(&bytes[..9]), None);
        assert_eq!(split(&bytes[..12]), None);
    }
}
