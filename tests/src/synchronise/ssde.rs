//! `ssde-ptx` as a treatment of the kernels.

use ptx_parser::Module;
use ssde_ptx::{Outcome, detect, eliminate};

use super::check::Treatment;

/// Detection and elimination of SIMT-induced deadlocks, as `pxrw ssde` does them.
#[derive(Clone, Copy, Debug)]
pub struct Ssde;

impl Treatment for Ssde {
    fn detects(&self, module: &Module) -> bool {
        module.kernels().iter().any(|kernel| kernel.has_body() && !detect(kernel).is_empty())
    }

    fn rewrite(&self, module: &mut Module) -> Result<(), String> {
        let mut rewritten = module.clone();
        for kernel in rewritten.kernels_mut().iter_mut().filter(|kernel| kernel.has_body()) {
            if let Outcome::Refused(refusal) = eliminate(kernel) {
                return Err(refusal.to_string());
            }
        }
        *module = rewritten;
        Ok(())
    }
}
