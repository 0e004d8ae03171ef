//! The call into the rewriter, in one place for all suites.

use ccc::{Options, Status};
use ptx_parser::Module;

use crate::error::Error;

/// Applies CCC to a module whose kernels are launched with blocks of `block` threads.
///
/// # Errors
/// [`Error::Refused`] if a region is refused, [`Error::Unmarked`] if there is none: a table about a kernel that was not
/// rewritten would compare it with itself.
pub(crate) fn rewrite_kernel(module: &mut Module, block: u32) -> Result<(), Error> {
    let reports = ccc::rewrite_module(module, &Options { block: Some(block), ..Options::default() });
    let regions: Vec<_> = reports.iter().flat_map(|report| &report.regions).collect();
    for region in &regions {
        if let Status::Refused(refusal) = &region.status {
            return Err(Error::Refused { line: region.line, reason: refusal.to_string() });
        }
    }
    if regions.is_empty() { Err(Error::Unmarked) } else { Ok(()) }
}
