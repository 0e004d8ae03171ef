//! This project's own treatment: `ssde-ptx`.

use ptx_parser::{Kernel, Module};
use ssde_ptx::{Outcome, detect, eliminate};

use super::Treatment;

/// What `pxrw ssde` does. A kernel that it refuses is left as it was, which the caller counts.
#[derive(Clone, Copy, Debug)]
pub struct Ssde;

impl Treatment for Ssde {
    fn detects(&self, module: &Module) -> bool {
        module.kernels().iter().filter(|kernel| kernel.has_body()).any(|kernel: &Kernel| !detect(kernel).is_empty())
    }

    fn rewrite(&self, module: &mut Module) -> Result<(), String> {
        for kernel in module.kernels_mut().iter_mut().filter(|kernel| kernel.has_body()) {
            if let Outcome::Refused(refusal) = eliminate(kernel) {
                return Err(format!("refused: {refusal}"));
            }
        }
        Ok(())
    }
}
