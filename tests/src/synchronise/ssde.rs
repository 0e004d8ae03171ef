//! `ssde-ptx` as a treatment of the kernels.

use ptx_parser::Module;
use ssde_ptx::{Outcome, certify, detect, eliminate, same_outside, verify};

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

    fn verify(&self, before: &Module, after: &Module) -> Result<(), String> {
        same_outside(before, after).map_err(|mismatch| mismatch.to_string())?;
        for (before, after) in before.kernels().iter().zip(after.kernels()).filter(|(before, _)| before.has_body()) {
            let certificate = certify(before, after).map_err(|mismatch| format!("{mismatch}: {mismatch:#?}"))?;
            if let Some(lost) = certificate.loops.iter().find(|looped| !looped.holds()) {
                return Err(format!("a property of the correctness report does not hold: {lost:#?}"));
            }
            verify(before, after, &certificate).map_err(|mismatch| mismatch.to_string())?;
        }
        Ok(())
    }
}
