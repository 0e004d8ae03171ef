//! `pxrw bench gpu --prepare FOLDER`: everything that a machine with a GPU needs to measure, which has no compiler, no network and no Rust.
//!
//! ```text
//!  FOLDER/pxrw             this program, without debug information
//!  FOLDER/ptx/HASH.ptx     the kernels before and after each rewrite
//!  FOLDER/rehearsal.json   how long the host takes for each part
//!  FOLDER/kernels.json     the list of the kernels
//! ```

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use benchmarks::gpu::{Kernels, Options, rehearse};

use super::kernels::REHEARSAL;
use crate::Verdict;
use crate::commands::bench::explain;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::LazyToolkit;
use crate::output;

/// The name of the program in the folder.
const PROGRAM: &str = "pxrw";

/// Compiles, rewrites and rehearses, and fills the folder.
pub(super) fn prepare(folder: &Path, options: &Options, toolkit: &mut LazyToolkit) -> Result<Verdict, Failure> {
    let cannot = |what: &str, error: io::Error| {
        let title = format!("cannot {what} `{}`: {error}", folder.display());
        Failure::from(Diagnostic::error(title).help("name another folder: `--prepare FOLDER`"))
    };
    make(folder).map_err(|error| cannot("use the folder", error))?;
    let units = options.units();
    eprintln!("compiling and rewriting the kernels of {} parts", units.len());
    let kernels = Kernels::build(&units, options.block, &options.arch, toolkit.get()?).map_err(explain)?;
    let stripped = copy_program(&folder.join(PROGRAM)).map_err(|error| cannot("put this program into", error))?;
    eprintln!("rehearsing without a GPU: how long does the host take?");
    let rehearsals = rehearse(options, &kernels, &mut |one| {
        let (suite, name) = (one.unit.suite(), one.unit.name());
        eprintln!("{suite}, {name}: {:.1} s, and {:.2} s for each round", one.setup, one.round);
    });
    output::write(Some(&folder.join(REHEARSAL)), output::json(&rehearsals)?.as_bytes())?;
    let texts = kernels.save(folder).map_err(|error| cannot("write the kernels to", error))?;
    let refused: Vec<String> = units
        .iter()
        .filter_map(|&unit| {
            Some(format!("left out: {}, {}: {}\n", unit.suite(), unit.name(), kernels.variants(unit).err()?))
        })
        .collect();
    let bytes = size(folder).map_err(|error| cannot("read", error))?;
    let mut text = format!(
        "{}: {texts} kernels for {} by nvcc {}, {:.1} MB with this program\n",
        folder.display(),
        kernels.arch,
        kernels.nvcc_version,
        bytes as f64 / 1e6
    );
    if !stripped {
        text += "note: this program has its debug information: a release build has none, and `strip` was not found\n";
    }
    refused.iter().for_each(|line| text += line);
    text += "on the machine with the GPU, in this folder: ./pxrw bench gpu --from . -o times.json\n";
    output::write(None, text.as_bytes())?;
    Ok(if refused.is_empty() { Verdict::Done } else { Verdict::Found })
}

/// Makes the folder. One that has other things in it is left alone.
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let known = ["pxrw", "ptx", "rehearsal.json", "kernels.json"];
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !known.iter().any(|known| name.to_str() == Some(known)) {
            return Err(io::Error::other(format!("it has something else in it, `{}`", name.display())));
        }
    }
    Ok(())
}

/// Copies this program, without its debug information where there is `strip`. Returns whether it has none.
fn copy_program(to: &Path) -> io::Result<bool> {
    let program = std::env::current_exe()?;
    // One that runs there now keeps its own file.
    let new = to.with_extension("new");
    let strip = Command::new("strip").arg("-o").arg(&new).arg(&program).stderr(Stdio::null()).status();
    let stripped = strip.is_ok_and(|status| status.success());
    if !stripped {
        fs::copy(&program, &new)?;
    }
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
    fs::rename(&new, to)?;
    Ok(stripped || !cfg!(debug_assertions))
}

/// Bytes of all files in the folder.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
