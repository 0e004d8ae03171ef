//! `ssde-ptx` as a treatment of the kernels.

use ptx_parser::Module;
use ssde_ptx::{Done, find, treat};

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
}
