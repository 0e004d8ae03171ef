//! `ssde-ptx` as a treatment of the kernels.

use ptx_parser::Module;
use ssde_ptx::{Done, certify, compared, dispatch, find, same_outside, treat, verify};

use super::check::Treatment;

/// Detection and elimination of SIMT-induced deadlocks, as `pxrw ssde` does them.
#[derive(Clone, Copy, Debug)]
pub struct Ssde;

impl Treatment for Ssde {
    fn name(&self) -> &'static str {
        "ssde"
    }

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
        faithful(before, after)
    }
}

/// The same, with one dispatch for all loops of a kernel in which something is found.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch;

impl Treatment for Dispatch {
    fn name(&self) -> &'static str {
        "one dispatch"
    }

    fn detects(&self, module: &Module) -> bool {
        Ssde.detects(module)
    }

    fn rewrite(&self, module: &mut Module) -> Result<(), String> {
        let mut rewritten = module.clone();
        for (index, kernel) in module.kernels().iter().enumerate().filter(|(_, kernel)| kernel.has_body()) {
            let found = find(module, kernel);
            if found.findings.is_empty() {
                continue;
            }
            let mut whole = found.kernel;
            dispatch(module, &mut whole).map_err(|refusal| refusal.to_string())?;
            rewritten.kernels_mut()[index] = whole;
        }
        *module = rewritten;
        Ok(())
    }

    fn verify(&self, before: &Module, after: &Module) -> Result<(), String> {
        faithful(before, after)
    }
}

/// Checks that the checker accepts a rewritten module, and that the properties of the correctness report hold.
fn faithful(before: &Module, after: &Module) -> Result<(), String> {
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
