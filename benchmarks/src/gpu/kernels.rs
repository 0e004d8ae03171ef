//! The kernels of all units, compiled and rewritten. With them a machine needs no compiler.
//!
//! ```text
//!  units ── build: nvcc, ccc, ssde-ptx ──> Kernels ── save ──> FOLDER/kernels.json, FOLDER/ptx/HASH.ptx
//!                                                    <── load ──┘ on a machine that has nothing but a driver
//! ```
//!
//! A text is stored once, under the hash of its content. The hash is checked when the text is read. An entry of `kernels.json` has a hash of the
//! source, the architecture and the options that its texts were made from. The list also has a hash of the program that was put beside it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use ::ccc::WARP;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolkit::Toolkit;

use super::unit::{Unit, hex};
use crate::ccc::Synthetic;
use crate::error::Error;
use crate::hangs::{Attempt, cases};
use crate::ssde::{Optimisation, Version, Versions};
use crate::variant::{Source, Variant, Variants};

/// The file that lists the others. It is written last.
const LIST: &str = "kernels.json";

/// The folder of the texts.
const TEXTS: &str = "ptx";

/// The variants of a unit, or the reason why there are none.
type Built = Result<Vec<Variant>, String>;

/// The kernels of some units.
#[derive(Clone, Debug)]
pub struct Kernels {
    /// The version of nvcc that made them.
    pub nvcc_version: String,
    /// The architecture that they were compiled for.
    pub arch: String,
    /// Threads per block that they were rewritten for.
    pub block: u32,
    /// A hash of the program that was prepared together with them; `None` if they are for this process and its children.
    pub program: Option<String>,
    built: Vec<(Unit, Built)>,
}

/// The content of [`LIST`].
#[derive(Serialize, Deserialize)]
struct List {
    /// A hash of the list with an empty hash.
    hash: String,
    pxrw_version: String,
    nvcc_version: String,
    program: Option<String>,
    arch: String,
    block: u32,
    kernels: Vec<Listed>,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    unit: Unit,
    made_from: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    variants: Vec<ListedVariant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct ListedVariant {
    name: String,
    kernel: String,
    ptx: String,
}

/// A folder from which no kernels can be loaded.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no list in it, so that it is another folder or was not finished.
    #[error("`{folder}` has no prepared kernels: {cause}")]
    Unprepared {
        /// The folder.
        folder: String,
        /// The system's error.
        cause: io::Error,
    },
    /// The list cannot be read.
    #[error("`{file}` is damaged: {cause}")]
    Damaged {
        /// The list.
        file: String,
        /// The error.
        cause: String,
    },
    /// A text is missing, or is not the one that was written.
    #[error("`{file}` is not the PTX that was prepared: {cause}")]
    Text {
        /// The file.
        file: String,
        /// The error.
        cause: String,
    },
    /// Another version of the program made the folder.
    #[error(
        "the kernels of `{folder}` were prepared by another pxrw: those of {unit} have another source or other options"
    )]
    Other {
        /// The folder.
        folder: String,
        /// The first unit that differs.
        unit: String,
    },
}

impl Kernels {
    /// Compiles and rewrites the kernels of all units for blocks of `block` threads. A unit that the compiler or the rewriter refuses has the reason instead of
    /// kernels.
    ///
    /// # Errors
    /// The first error of the CUDA compiler, if it compiles nothing.
    pub fn build(units: &[Unit], block: u32, arch: &str, toolkit: &Toolkit) -> Result<Kernels, Error> {
        let groups: Vec<Vec<Unit>> = grouped(units);
        let compile = |group: &Vec<Unit>| variants(group, block, arch, toolkit);
        let compiled: Vec<Result<Vec<Built>, Error>> = groups.par_iter().map(compile).collect();
        let (nvcc_version, arch) = (toolkit.nvcc_version.clone(), arch.to_owned());
        let mut kernels = Kernels { nvcc_version, arch, block, program: None, built: Vec::new() };
        // The attempts that may hang are compiled for an architecture of their own.
        let own = groups.iter().zip(&compiled).filter(|(group, _)| !matches!(group.first(), Some(Unit::Hang(_))));
        let own: Vec<bool> = own.map(|(_, compiled)| compiled.is_err()).collect();
        let nothing = compiled.iter().all(Result::is_err) || (!own.is_empty() && own.iter().all(|&refused| refused));
        for (group, compiled) in groups.into_iter().zip(compiled) {
            match compiled {
                Ok(all) => kernels.built.extend(group.into_iter().zip(all)),
                Err(error) if nothing => return Err(error),
                Err(error) => kernels.built.extend(group.into_iter().map(|unit| (unit, Err(error.to_string())))),
            }
        }
        Ok(kernels)
    }

    /// Returns the variants of a unit, the one that others are compared with first.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn variants(&self, unit: Unit) -> Result<&[Variant], String> {
        let built = self.built.iter().find(|(other, _)| *other == unit);
        let (_, built) = built.ok_or_else(|| "its kernels were not prepared".to_owned())?;
        built.as_deref().map_err(Clone::clone)
    }

    /// Returns true if a folder has kernels, complete or not.
    #[must_use]
    pub fn are_in(folder: &Path) -> bool {
        folder.join(LIST).is_file() || folder.join(TEXTS).is_dir()
    }

    /// Removes the kernels of a folder, if it has any. The list goes first, so that a folder with a list is complete.
    ///
    /// # Errors
    /// The system's error.
    pub fn remove(folder: &Path) -> io::Result<()> {
        for old in [fs::remove_file(folder.join(LIST)), fs::remove_dir_all(folder.join(TEXTS))] {
            old.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
        }
        Ok(())
    }

    /// Writes the kernels to an existing folder, and returns how many texts that are. Kernels that are in it are replaced. The list is removed first and
    /// written last, so that a folder without one is not complete.
    ///
    /// # Errors
    /// The system's error.
    pub fn save(&self, folder: &Path) -> io::Result<usize> {
        Kernels::remove(folder)?;
        let (list, texts) = (folder.join(LIST), folder.join(TEXTS));
        fs::create_dir(&texts)?;
        let mut written = HashSet::new();
        let mut kernels = Vec::new();
        for (unit, built) in &self.built {
            let made_from = unit.made_from(&self.arch, self.block);
            let mut listed = Listed { unit: *unit, made_from, variants: Vec::new(), refused: None };
            match built {
                Ok(variants) => {
                    for Variant { name, kernel, ptx } in variants {
                        let hash = hash_of(ptx);
                        if written.insert(hash.clone()) {
                            fs::write(texts.join(format!("{hash}.ptx")), ptx)?;
                        }
                        listed.variants.push(ListedVariant { name: name.clone(), kernel: kernel.clone(), ptx: hash });
                    }
                }
                Err(reason) => listed.refused = Some(reason.clone()),
            }
            kernels.push(listed);
        }
        let mut content = List {
            hash: String::new(),
            pxrw_version: env!("CARGO_PKG_VERSION").into(),
            nvcc_version: self.nvcc_version.clone(),
            program: self.program.clone(),
            arch: self.arch.clone(),
            block: self.block,
            kernels,
        };
        content.hash = content.hash()?;
        fs::write(list, serde_json::to_string_pretty(&content)? + "\n")?;
        Ok(written.len())
    }

    /// Reads kernels that [`Kernels::save`] wrote.
    ///
    /// # Errors
    /// A folder that has none, that is damaged, or that another version of the program made.
    pub fn load(folder: &Path) -> Result<Kernels, FolderError> {
        let shown = || folder.display().to_string();
        let file = folder.join(LIST);
        let unprepared = |cause| FolderError::Unprepared { folder: shown(), cause };
        let text = fs::read_to_string(&file).map_err(unprepared)?;
        let damaged = |error: serde_json::Error| FolderError::Damaged {
            file: file.display().to_string(),
            cause: error.to_string(),
        };
        let mut list: List = serde_json::from_str(&text).map_err(damaged)?;
        let hash = std::mem::take(&mut list.hash);
        if list.hash().map_err(damaged)? != hash {
            let (file, cause) = (file.display().to_string(), "its content was changed".to_owned());
            return Err(FolderError::Damaged { file, cause });
        }
        let List { nvcc_version, program, arch, block, kernels, .. } = list;
        let mut built = Vec::new();
        for Listed { unit, made_from, variants, refused } in kernels {
            if made_from != unit.made_from(&arch, block) {
                return Err(FolderError::Other { folder: shown(), unit: unit.name() });
            }
            let read =
                |ListedVariant { name, kernel, ptx }| Ok(Variant { name, kernel, ptx: read_text(folder, &ptx)? });
            let variants = variants.into_iter().map(read).collect::<Result<Vec<_>, FolderError>>()?;
            built.push((unit, refused.map_or(Ok(variants), Err)));
        }
        Ok(Kernels { nvcc_version, arch, block, program, built })
    }
}

impl List {
    /// Returns the hash of a list whose own hash is empty.
    fn hash(&self) -> serde_json::Result<String> {
        Ok(hash_of(serde_json::to_string(self)?))
    }
}

/// Returns the first 16 bytes of a SHA-256 hash, in hexadecimal.
#[must_use]
pub fn hash_of(content: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(content))
}

/// Reads a text, which must have the hash that is its name.
fn read_text(folder: &Path, hash: &str) -> Result<String, FolderError> {
    let file = folder.join(TEXTS).join(format!("{hash}.ptx"));
    let wrong = |cause: String| FolderError::Text { file: file.display().to_string(), cause };
    let text = fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
    if hash_of(&text) == hash { Ok(text) } else { Err(wrong("its content was changed".to_owned())) }
}

/// Groups the units that one compilation serves: the synthetic kernels, and programs of one source for one purpose.
fn grouped(units: &[Unit]) -> Vec<Vec<Unit>> {
    let mut groups: Vec<Vec<Unit>> = Vec::new();
    for &unit in units {
        let together = |other: Unit| {
            std::mem::discriminant(&other) == std::mem::discriminant(&unit)
                && other.source().name == unit.source().name
                // Programs of one source may have several kernels; a case is made of one.
                && !matches!((unit, other), (Unit::Hang(one), Unit::Hang(other)) if one.subject != other.subject)
        };
        match groups.iter_mut().find(|group| group.first().is_some_and(|&first| together(first))) {
            Some(group) => group.push(unit),
            None => groups.push(vec![unit]),
        }
    }
    groups
}

/// Returns the variants of units that one compilation serves, in their order.
fn variants(group: &[Unit], block: u32, arch: &str, toolkit: &Toolkit) -> Result<Vec<Built>, Error> {
    let Some(&first) = group.first() else { return Ok(Vec::new()) };
    let source = first.source();
    match first {
        Unit::Empty => {
            let ptx = source.ptx(&[], arch, toolkit)?;
            Ok(vec![Ok(vec![source.variant("original", ptx)])])
        }
        Unit::Search | Unit::Ccc(_) => {
            let rewritten = |unit: &Unit| -> Result<Built, Error> {
                let Variants { original, rewritten } =
                    Source::build(&unit.source(), &unit.rewrites(), block, arch, toolkit)?;
                Ok(Ok(std::iter::once(original).chain(rewritten.into_iter().map(|one| one.variant)).collect()))
            };
            group.iter().map(rewritten).collect()
        }
        Unit::Synthetic(_) => {
            let synthetic = Synthetic::new(block.next_multiple_of(WARP), arch, toolkit)?;
            let of = |unit: &Unit| match unit {
                Unit::Synthetic(case) => Ok(synthetic.variants(*case)),
                _ => Ok(Vec::new()),
            };
            Ok(group.iter().map(of).collect())
        }
        Unit::Ssde(program) => {
            let ptx = program.compile(Optimisation::Full, arch, toolkit)?;
            group.iter().map(|&unit| simt_and_rewritten(unit, &ptx)).collect()
        }
        Unit::Hang(_) => {
            let attempts: Vec<Attempt> = group
                .iter()
                .filter_map(|&unit| match unit {
                    Unit::Hang(attempt) => Some(attempt),
                    _ => None,
                })
                .collect();
            let made = cases(&attempts, toolkit)?;
            Ok(made.into_iter().map(|case| case.map(|case| vec![case.variant])).collect())
        }
    }
}

/// S, and M after the elimination.
fn simt_and_rewritten(unit: Unit, ptx: &str) -> Result<Built, Error> {
    let Unit::Ssde(program) = unit else { return Ok(Ok(Vec::new())) };
    let versions = Versions::new(program, Optimisation::Full, ptx)?;
    Ok(match &versions.rewritten {
        Err(reason) => Err(format!("there is no M+SSDE: {reason}")),
        Ok(_) => Ok([Version::Simt, Version::Rewritten]
            .iter()
            .filter_map(|&version| versions.get(version).cloned())
            .collect()),
    })
}
