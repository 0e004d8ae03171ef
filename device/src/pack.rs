//! Matches arguments with a kernel's parameters, for every device alike.

use ptx_parser::Kernel;

use crate::Buffer;
use crate::error::Error;
use crate::launch::Argument;

/// The bits of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    bits: u64,
    size: usize,
}

impl Word {
    /// The argument's bits, in the low end.
    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    /// The argument's bytes, as the device has them.
    pub(crate) fn bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.size].to_vec()
    }
}

/// One word for each parameter. `address` finds a buffer's address.
///
/// # Errors
/// Too many or too few arguments, a scalar of another size than its parameter, an address in a parameter that has no
/// room for one, or a buffer that is not there.
pub(crate) fn pack(
    kernel: &Kernel,
    arguments: &[Argument],
    address: impl Fn(Buffer) -> Result<u64, Error>,
) -> Result<Vec<Word>, Error> {
    let parameters = kernel.params();
    if parameters.len() != arguments.len() {
        let kernel = kernel.name().to_owned();
        return Err(Error::ArgumentCount { kernel, expected: parameters.len(), given: arguments.len() });
    }
    let mut words = Vec::new();
    for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let expected = parameter.bytes();
        let (name, of) = (parameter.name.to_string(), kernel.name().to_owned());
        if expected > 8 {
            return Err(Error::Structure { kernel: of, index, name, bytes: expected });
        }
        let (bits, size, what) = match *argument {
            Argument::Scalar { ty, bits } => (bits, ty.bytes(), format!("an argument of type {ty}")),
            Argument::Buffer(buffer) => (address(buffer)?, 8, "the address of a buffer".into()),
        };
        if u64::from(size) != expected {
            return Err(Error::Argument { kernel: of, index, name, expected, what: format!("{what} has {size}") });
        }
        words.push(Word { bits, size: size as usize });
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use ptx_parser::{Module, Type};

    use super::*;

    fn packed(parameters: &str, arguments: &[Argument]) -> Result<Vec<Vec<u8>>, String> {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k({parameters}) {{ ret; }}\n");
        let module = Module::parse(&text).unwrap();
        let address = |buffer: Buffer| if buffer.0 == 0 { Ok(0x1234) } else { Err(Error::UnknownBuffer) };
        let words = pack(module.kernel("k").unwrap(), arguments, address).map_err(|error| error.to_string())?;
        Ok(words.into_iter().map(Word::bytes).collect())
    }

    #[test]
    fn arguments_have_the_size_of_their_parameters() {
        let arguments = [1_u8.into(), (-2_i32).into(), Buffer(0).into(), 2_u16.into()];
        let bytes = packed(".param .u8 a, .param .u32 b, .param .u64 c, .param .u16 d", &arguments).unwrap();
        assert_eq!(bytes, [vec![1], vec![254, 255, 255, 255], vec![0x34, 0x12, 0, 0, 0, 0, 0, 0], vec![2, 0]]);
        assert_eq!(packed("", &[]).unwrap(), [[0; 0]; 0]);
        assert_eq!(packed(".param .align 8 .b8 b[4]", &[9_u32.into()]).unwrap(), [[9, 0, 0, 0]]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_named() {
        let cases: [(&str, &[Argument], &str); 5] = [
            (
                ".param .u32 n",
                &[],
                "kernel `k` has 1 parameters, but 0 arguments are given; give one for each parameter, in their order",
            ),
            (
                ".param .u32 n",
                &[1_u64.into()],
                "parameter 0 (`n`) of kernel `k` has 4 bytes, but an argument of type .u64 has 8; give an argument of \
                 the parameter's size",
            ),
            (
                ".param .u32 n",
                &[Argument::Buffer(Buffer(0))],
                "parameter 0 (`n`) of kernel `k` has 4 bytes, but the address of a buffer has 8; give an argument of the \
                 parameter's size",
            ),
            (
                ".param .align 16 .b8 n[16]",
                &[Argument::Scalar { ty: Type::B128, bits: 0 }],
                "parameter 0 (`n`) of kernel `k` is a structure or array of 16 bytes; only parameters of at most 8 bytes \
                 can be given",
            ),
            (
                ".param .u64 n",
                &[Argument::Buffer(Buffer(1))],
                "this buffer is not one of this device's, or it was freed before; allocate it first",
            ),
        ];
        for (parameters, arguments, expected) in cases {
            assert_eq!(packed(parameters, arguments).unwrap_err(), expected);
        }
        // Never beyond the eight bytes that there are.
        assert!(packed(".param .u64 n", &[Argument::Scalar { ty: Type::B128, bits: 0 }]).is_err());
    }
}
