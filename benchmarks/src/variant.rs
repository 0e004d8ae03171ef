//! The two versions of a kernel that a suite compares: as nvcc compiles it, and after CCC.

use ::ccc::{Options, RegionReport, Status};
use annotate::annotate;
use ptx_parser::Module;
use toolkit::{CudaSource, Toolkit};

use crate::error::Error;
use crate::report::Resources;

/// A CUDA file with one annotated kernel.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The text.
    pub text: &'static str,
    /// What messages call the file.
    pub name: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
}

/// One version of a kernel.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What was done to it: `original`, `ccc`.
    pub name: String,
    /// Its PTX.
    pub ptx: String,
    /// The kernel's name in it.
    pub kernel: String,
}

/// A kernel before and after CCC.
#[derive(Clone, Debug)]
pub struct Pair {
    /// As nvcc compiles it without any directive, which is what a user has before.
    pub original: Variant,
    /// Rewritten.
    pub rewritten: Variant,
    /// The regions that are collected.
    pub regions: Vec<RegionReport>,
}

impl Source {
    /// Compiles the kernel and rewrites it for blocks of `block` threads.
    ///
    /// # Errors
    /// What the directives or the compiler have against it, and [`Error::Refused`] if a region is refused or
    /// [`Error::Unmarked`] if there is none: a table about a kernel that was not rewritten would compare it with itself.
    pub fn build(&self, block: u32, arch: &str, toolkit: &Toolkit) -> Result<Pair, Error> {
        let annotated = annotate(self.text, self.name).map_err(Error::Directives)?;
        let source = CudaSource::new(self.text, self.name);
        let lines: Vec<usize> = annotated.directives.iter().map(|directive| directive.line).collect();
        let plain = source.clone().rewritten(without_lines(self.text, &lines));
        let marked = source.rewritten(annotated.text);
        let compile = |source| toolkit.compile_to_ptx(source, arch, &[]).map(|output| output.ptx);
        let (plain, marked) = rayon::join(|| compile(&plain), || compile(&marked));
        let mut module = Module::parse(&marked?)?;
        let regions = self.rewrite(&mut module, block)?;
        let variant = |name: &str, ptx| Variant { name: name.into(), ptx, kernel: self.kernel.into() };
        Ok(Pair { original: variant("original", plain?), rewritten: variant("ccc", module.to_string()), regions })
    }

    fn rewrite(&self, module: &mut Module, block: u32) -> Result<Vec<RegionReport>, Error> {
        let reports = ::ccc::rewrite_module(module, &Options { block: Some(block), ..Options::default() });
        let regions: Vec<_> = reports.into_iter().flat_map(|report| report.regions).collect();
        for region in &regions {
            if let Status::Refused(refusal) = &region.status {
                let (file, line) = (self.name.to_owned(), region.line);
                return Err(Error::Refused { file, line, reason: refusal.to_string() });
            }
        }
        if regions.is_empty() { Err(Error::Unmarked { file: self.name.to_owned() }) } else { Ok(regions) }
    }
}

impl Variant {
    /// What ptxas says that the variant takes of a multiprocessor.
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

/// The text with some of its lines (counted from 1) left empty.
fn without_lines(text: &str, lines: &[usize]) -> String {
    let kept = (1..).zip(text.lines()).map(|(number, line)| if lines.contains(&number) { "" } else { line });
    kept.fold(String::with_capacity(text.len()), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_emptied_in_place() {
        assert_eq!(without_lines("a\nb\nc", &[2]), "a\n\nc\n");
        assert_eq!(without_lines("a\n", &[]), "a\n");
    }
}
