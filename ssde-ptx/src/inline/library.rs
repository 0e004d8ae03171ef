//! Functions that the compiler calls without a definition and `ptxas` knows: atomics, which CUDA without optimisation does not expand.
//!
//! CUDA's headers define `atomicCAS` and the like by them. Each is one instruction on a generic address.

use ptx_parser::{Error, Module};

/// The functions with bodies.
pub(super) fn module() -> Result<Module, Error> {
    Module::parse(include_str!("library.ptx")).map_err(|errors| errors.first().clone())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_functions_parse() {
        let module = super::module().unwrap();
        assert_eq!(module.kernels().len(), 24);
        assert!(module.check().is_empty());
    }
}
