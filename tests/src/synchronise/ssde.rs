//! `ssde-ptx` as a treatment of the kernels.

use ptx_parser::Module;
use ssde_ptx::{Done, certify, compared, find, same_outside, treat, verify};

use super::check::Treatment;

/// Detection and elimination of SIMT-induced deadlocks, as `pxrw ssde` does them.
#[derive(Clone, Copy, Debug)]
pub struct Ssde;

impl Treatment for Ssde {
    fn detects(&self, module: &Module) -> bool {
        module.kernels().iter().any(|kernel| kernel.has_body() && !find(module, kernel).findings.is_empty())
    }

    fn rewrite(&self, module: &mut Module) -> Result<(), String> {
        let mut rewritten = module.clone();
        let names: Vec<String> =
            module.kernels().iter().filter(|kernel| kernel.has_body()).map(|kernel| kernel.name().to_owned()).collect();
        for name in names {
            match treat(&mut rewritten, &name).map(|treated| treated.done) {
                Some(Done::Refused(refusal)) => return Err(refusal.to_string()),
                Some(Done::Lockstep) => return Err("it needs lockstep".to_owned()),
                Some(Done::Clean | Done::Rewritten { .. }) | None => {}
            }
        }
        *module = rewritten;
        Ok(())
    }

    fn verify(&self, before: &Module, after: &Module) -> Result<(), String> {
        same_outside(before, after).map_err(|mismatch| mismatch.to_string())?;
        let kernels = before.kernels().iter().zip(after.kernels());
        for (kernel, after) in kernels.filter(|(kernel, _)| kernel.has_body()) {
            let before = &*compared(before, kernel, after);
            let certificate = certify(before, after).map_err(|mismatch| format!("{mismatch}: {mismatch:#?}"))?;
            if let Some(lost) = certificate.loops.iter().find(|looped| !looped.holds()) {
                return Err(format!("a property of the correctness report does not hold: {lost:#?}"));
            }
            verify(before, after, &certificate).map_err(|mismatch| mismatch.to_string())?;
        }
        Ok(())
    }
}
