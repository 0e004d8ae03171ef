//! Functions that the compiler calls without a definition and `ptxas` knows: atomics, which CUDA without optimisation does not expand.
//!
//! CUDA's headers define `atomicCAS` and the like by them. Each is one instruction on a generic address.

use ptx_parser::{Error, Module};

/// The type of the word, in the function's name and in the instruction; `i` and `u` have the same size.
const TYPES: [(&str, &str, &str); 3] = [("i", "b32", "s32"), ("u", "b32", "u32"), ("ull", "b64", "u64")];

/// The operation, in the function's name and in the instruction, and whether it takes untyped bits.
const OPERATIONS: [(&str, &str, bool); 8] = [
    ("Exch", "exch", true),
    ("CAS", "cas", true),
    ("Add", "add", false),
    ("And", "and", true),
    ("Or", "or", true),
    ("Xor", "xor", true),
    ("Min", "min", false),
    ("Max", "max", false),
];

/// The functions with bodies.
pub(super) fn module() -> Result<Module, Error> {
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
    for (letter, bits, ty) in TYPES {
        for (name, operation, untyped) in OPERATIONS {
            let ty = if untyped { bits } else { ty };
            let more = if operation == "cas" { 2 } else { 1 };
            let params: String = (1..=more).map(|index| format!(", .param .{bits} p{index}")).collect();
            let loads: String = (1..=more).map(|index| format!("ld.param.{bits} %v{index}, [p{index}];\n")).collect();
            let operands: String = (1..=more).map(|index| format!(", %v{index}")).collect();
            text += &format!(
                ".func (.param .{bits} found) __{letter}Atomic{name}(.param .b64 p0{params})\n{{\n\
                 .reg .b64 %a;\n.reg .{bits} %v<4>;\nld.param.b64 %a, [p0];\n{loads}\
                 atom.{operation}.{ty} %v0, [%a]{operands};\nst.param.{bits} [found], %v0;\nret;\n}}\n"
            );
        }
    }
    Module::parse(&text).map_err(|errors| errors.first().clone())
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
