//! The same kernels as native C++, compiled by the host's compiler for this very machine.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use toolkit::Scratch;

use crate::error::Error;

const SOURCE: &str = include_str!("native.cpp");

/// The options for the C++ compiler.
pub(super) const FLAGS: [&str; 3] = ["-O3", "-march=native", "-std=c++17"];

/// The compiled program.
pub(super) struct Native {
    folder: Scratch,
    /// The compiler's first line about itself.
    pub(super) compiler: String,
}

impl Native {
    /// Compiles it with `$CXX`, or else the first of `g++`, `c++` and `clang++` that there is.
    ///
    /// # Errors
    /// No compiler, or one that does not compile it.
    pub(super) fn compile() -> Result<Native, Error> {
        let chosen = std::env::var("CXX").ok().filter(|name| !name.is_empty());
        let names = chosen.map_or_else(|| ["g++", "c++", "clang++"].map(str::to_owned).to_vec(), |name| vec![name]);
        let version = |name: &String| Command::new(name).arg("--version").stderr(Stdio::null()).output().ok();
        let found = names.iter().find_map(|name| Some((name, version(name)?)));
        let Some((name, version)) = found else { return Err(Error::NoCompiler { tried: names.join(", ") }) };
        let folder = Scratch::new()?;
        let source = folder.path().join("native.cpp");
        std::fs::write(&source, SOURCE).map_err(Error::Native)?;
        let mut command = Command::new(name);
        command.args(FLAGS).arg(&source).arg("-o").arg(folder.path().join("native"));
        let output = command.output().map_err(Error::Native)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Compiler { name: name.clone(), said });
        }
        let text = String::from_utf8_lossy(&version.stdout);
        Ok(Native { folder, compiler: text.lines().next().unwrap_or(name).to_owned() })
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("native")
    }

    /// Runs a kernel `runs` times on `input`. Returns the best time in seconds, and the result.
    ///
    /// # Errors
    /// If the program does not run to its end.
    pub(super) fn run(&self, kernel: &str, size: u32, runs: u32, input: &[u8]) -> Result<(f64, Vec<u8>), Error> {
        let mut command = Command::new(self.program());
        command.args([kernel, &size.to_string(), &runs.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Error::Native)?;
        // The program has read all of its input before it writes.
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input).map_err(Error::Native)?;
        }
        let mut output = Vec::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.read_to_end(&mut output).map_err(Error::Native)?;
        }
        let status = child.wait().map_err(Error::Native)?;
        match output.split_first_chunk::<8>() {
            Some((seconds, result)) if status.success() => Ok((f64::from_le_bytes(*seconds), result.to_vec())),
            _ => Err(Error::NativeRun { kernel: kernel.into(), status: status.to_string() }),
        }
    }
}
