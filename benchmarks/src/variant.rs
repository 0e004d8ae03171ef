//! The versions of a kernel that a suite compares: as nvcc compiles it, and after CCC in one or several ways.

use std::ffi::OsString;

use ::ccc::{Options, RegionReport, Status};
use frontend::Compiled;
use serde::Serialize;
use toolkit::{CudaSource, Toolkit};

use crate::error::Error;
use crate::grid_size::chip;

/// A CUDA file with one annotated kernel.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The text.
    pub text: &'t str,
    /// The file's name in messages.
    pub name: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
}

/// One version of a kernel.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The name of its rewrite: `original`, `ccc`.
    pub name: String,
    /// Its PTX.
    pub ptx: String,
    /// The kernel's name in it.
    pub kernel: String,
}

/// The resources of a variant, by ptxas.
#[derive(Clone, Debug, Serialize)]
pub struct Resources {
    /// `original`, or the rewrite.
    pub variant: String,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Bytes of registers that are stored to local memory for want of registers.
    pub spill_bytes: u32,
}

/// A way of rewriting a kernel.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The name in tables; `ccc` for the rewriter as users find it.
    pub name: &'static str,
    /// The rewriter's options; block size and multiprocessor are those of the launch.
    pub options: Options,
}

/// A rewritten kernel.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The variant that is run.
    pub variant: Variant,
    /// The regions that are collected.
    pub regions: Vec<RegionReport>,
}

/// A kernel before and after CCC.
#[derive(Clone, Debug)]
pub struct Variants {
    /// As nvcc compiles it without any directive, which is what a user has before.
    pub original: Variant,
    /// One for each way of rewriting it.
    pub rewritten: Vec<Rewritten>,
}

impl Rewrite {
    /// The rewriter as users find it.
    #[must_use]
    pub fn usual() -> Rewrite {
        Rewrite { name: "ccc", options: Options { keep_occupancy: true, ..Options::default() } }
    }
}

/// Returns the options of nvcc for the kernels of this crate: `more`, and C++14. No kernel needs a later standard, and for C++17, the default, the headers of
/// the host compiler double the time that nvcc takes.
pub(crate) fn nvcc_options(more: &[&str]) -> Vec<OsString> {
    more.iter().copied().chain(["-std=c++14"]).map(OsString::from).collect()
}

impl Source<'_> {
    /// Compiles the kernel to PTX, with `more` options of nvcc.
    ///
    /// # Errors
    /// The compiler's error.
    pub(crate) fn ptx(&self, more: &[&str], arch: &str, toolkit: &Toolkit) -> Result<String, Error> {
        let source = CudaSource::new(self.text, self.name);
        Ok(toolkit.compile_to_ptx(&source, arch, &nvcc_options(more))?.ptx)
    }

    /// Compiles the kernel and rewrites it for blocks of `block` threads, in each of the ways.
    ///
    /// # Errors
    /// What the directives or the compiler have against it, and [`Error::Refused`] if a region is refused or
    /// [`Error::Unmarked`] if there is none: a table about a kernel that was not rewritten would compare it with itself.
    pub fn build(&self, rewrites: &[Rewrite], block: u32, arch: &str, toolkit: &Toolkit) -> Result<Variants, Error> {
        let compiled = self.compile(arch, toolkit)?;
        let multiprocessor = chip(arch).multiprocessor();
        let rewritten = rewrites.iter().map(|rewrite| {
            let options = Options { block: Some(block), multiprocessor, ..rewrite.options.clone() };
            self.rewrite(&compiled, rewrite.name, &options)
        });
        let rewritten = rewritten.collect::<Result<_, _>>()?;
        Ok(Variants { original: self.variant("original", compiled.ptx), rewritten })
    }

    /// The kernel as nvcc compiles it, and with the markers of its directives.
    ///
    /// # Errors
    /// What the directives or the compiler have against it.
    pub(crate) fn compile(&self, arch: &str, toolkit: &Toolkit) -> Result<Compiled, Error> {
        let (compiled, _) =
            frontend::compile(&CudaSource::new(self.text, self.name), arch, &nvcc_options(&[]), toolkit)?;
        match compiled.mistakes.is_empty() {
            true => Ok(compiled),
            false => Err(Error::Directives(compiled.mistakes.into_iter().map(|mistake| mistake.error).collect())),
        }
    }

    /// Rewrites all kernels of the module.
    ///
    /// # Errors
    /// [`Error::Refused`] and [`Error::Unmarked`].
    pub(crate) fn rewrite(&self, compiled: &Compiled, name: &str, options: &Options) -> Result<Rewritten, Error> {
        let frontend::Rewritten { module, reports, problems, .. } = compiled.rewrite(options);
        if let Some(reason) = problems.into_iter().next() {
            return Err(Error::Refused { file: self.name.to_owned(), line: 0, reason });
        }
        let mut regions: Vec<_> = reports.into_iter().flat_map(|report| report.kernel.regions).collect();
        for region in &regions {
            if let Status::Refused(refusal) = &region.status {
                let (file, line) = (self.name.to_owned(), region.line);
                return Err(Error::Refused { file, line, reason: refusal.to_string() });
            }
        }
        regions.retain(|region| region.status == Status::Rewritten);
        if regions.is_empty() {
            return Err(Error::Unmarked { file: self.name.to_owned() });
        }
        Ok(Rewritten { variant: self.variant(name, module.to_string()), regions })
    }

    /// A version of the kernel.
    pub(crate) fn variant(&self, name: &str, ptx: String) -> Variant {
        Variant { name: name.into(), ptx, kernel: self.kernel.into() }
    }
}

impl Variant {
    /// Returns what ptxas says that the variant takes of a multiprocessor.
    ///
    /// # Errors
    /// A message of ptxas.
    pub fn resources(&self, arch: &str, toolkit: &Toolkit) -> Result<Resources, Error> {
        let cubin = toolkit.assemble(&self.ptx, arch, &format!("{}-{}.ptx", self.kernel, self.name))?;
        let kernel = cubin.kernel(&self.kernel);
        Ok(Resources {
            variant: self.name.clone(),
            registers: kernel.map_or(0, |kernel| kernel.registers),
            shared_bytes: kernel.map_or(0, |kernel| kernel.shared_bytes),
            spill_bytes: kernel.map_or(0, |kernel| kernel.spill_stores),
        })
    }
}
