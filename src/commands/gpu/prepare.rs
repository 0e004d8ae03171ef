//! `pxrw bench gpu --prepare FOLDER`: fills a folder with everything that a machine with a GPU needs to measure, and that has no compiler, network or Rust.
//!
//! ```text
//!  FOLDER/pxrw             this program, without symbols
//!  FOLDER/ptx/HASH.ptx     the kernels before and after each rewrite
//!  FOLDER/rehearsal.json   the seconds that the host takes for each unit
//!  FOLDER/kernels.json     the list of the kernels, written last
//! ```

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use benchmarks::gpu::{Kernels, Options, hash_of, rehearse};

use super::kernels::REHEARSAL;
use crate::Verdict;
use crate::commands::suite::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The name of the program in the folder, and of its copy while it is written.
const PROGRAM: &str = "pxrw";
const NEW_PROGRAM: &str = "pxrw.new";

/// Compiles, rewrites, rehearses, and fills the folder.
pub(super) fn prepare(folder: &Path, options: &Options, toolkit: &mut LazyToolkit) -> Result<Verdict, Failure> {
    let cannot = |what: &str, error: io::Error| {
        let title = format!("cannot {what} `{}`: {error}", folder.display());
        Failure::from(Diagnostic::error(title).help("name another folder: `--prepare FOLDER`"))
    };
    make(folder).map_err(|error| cannot("use the folder", error))?;
    let units = options.units();
    output::stderr_line(&format!("compiling and rewriting the kernels of {} units", units.len()));
    let mut kernels = Kernels::build(&units, options.block, &options.arch, toolkit.get()?).map_err(explain)?;
    Kernels::remove(folder).map_err(|error| cannot("remove old kernels from", error))?;
    let stripped = copy_program(folder).map_err(|error| cannot("put this program into", error))?;
    let program = fs::read(folder.join(PROGRAM)).map_err(|error| cannot("read the program in", error))?;
    kernels.program = Some(hash_of(program));
    output::stderr_line("rehearsing without a GPU, to measure how long the host takes");
    let rehearsal = rehearse(options, &kernels, &mut |cost| {
        let (suite, name) = (cost.unit.suite(), cost.unit.name());
        output::stderr_line(&format!(
            "{suite}, {name}: {:.1} s, and {:.2} s for each further round",
            cost.setup, cost.round
        ));
    });
    output::write(Some(&folder.join(REHEARSAL)), output::json(&rehearsal)?.as_bytes())?;
    let texts = kernels.save(folder).map_err(|error| cannot("write the kernels to", error))?;
    let left_out = units.iter().filter_map(|&unit| Some(unit.left_out(kernels.variants(unit).err()?)));
    let left_out: Vec<String> = left_out.map(|one| format!("{one}\n")).collect();
    let bytes = size(folder).map_err(|error| cannot("read", error))?;
    let mut text = format!(
        "{}: {texts} kernels for {} by nvcc {}, {:.1} MB with this program\n",
        folder.display(),
        kernels.arch,
        kernels.nvcc_version,
        bytes as f64 / 1e6
    );
    if !stripped {
        text += "note: `strip` is not found, so that this program has the symbols that its build has\n";
    }
    text += &left_out.concat();
    text += "on the machine with the GPU, in this folder: ./pxrw bench gpu --from . -o ../times.json\n";
    output::write(None, text.as_bytes())?;
    Ok(if left_out.is_empty() { Verdict::Done } else { Verdict::Found })
}

/// Makes the folder. One with other things in it, and without anything that was prepared, is left alone.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if Kernels::are_in(folder) || [PROGRAM, NEW_PROGRAM].iter().any(|name| folder.join(name).is_file()) {
        return Ok(());
    }
    match fs::read_dir(folder)?.next() {
        None => Ok(()),
        Some(entry) => {
            Err(io::Error::other(format!("it has something else in it, `{}`", entry?.file_name().display())))
        }
    }
}

/// Copies this program, without its symbols where `strip` is found. Returns whether it has none.
fn copy_program(folder: &Path) -> io::Result<bool> {
    let program = std::env::current_exe()?;
    // A program that runs there now keeps its own file.
    let new = folder.join(NEW_PROGRAM);
    let strip = Command::new("strip").arg("-o").arg(&new).arg(&program).stderr(Stdio::null()).status();
    let stripped = strip.is_ok_and(|status| status.success());
    if !stripped {
        fs::copy(&program, &new)?;
    }
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
    fs::rename(&new, folder.join(PROGRAM))?;
    Ok(stripped)
}

/// Returns the bytes of all files in the folder.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
