//! Matches arguments with a kernel's parameters, for every device alike.

use ptx_parser::Kernel;

use crate::Buffer;
use crate::error::Error;
use crate::launch::Argument;

/// The bytes of each parameter, as the device has them. `address` finds a buffer's address.
///
/// # Errors
/// Too many or too few arguments, one of another size than its parameter, an address in a parameter that has no
/// room for one, or a buffer that is not there.
pub(crate) fn pack(
    kernel: &Kernel,
    arguments: &[Argument],
    address: impl Fn(Buffer) -> Result<u64, Error>,
) -> Result<Vec<Vec<u8>>, Error> {
    let parameters = kernel.params();
    if parameters.len() != arguments.len() {
        let kernel = kernel.name().to_owned();
        return Err(Error::ArgumentCount { kernel, expected: parameters.len(), given: arguments.len() });
    }
    let mut packed = Vec::new();
    for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let expected = parameter.bytes();
        let wrong = |what: String| {
            let (name, of) = (parameter.name.to_string(), kernel.name().to_owned());
            Error::Argument { kernel: of, index, name, expected, what }
        };
        let (bytes, what) = match argument {
            Argument::Scalar { ty, bits } => match bits.to_le_bytes().get(..ty.bytes() as usize) {
                Some(bytes) => (bytes.to_vec(), format!("an argument of type {ty}")),
                None => return Err(wrong("a scalar has at most 8".into())),
            },
            Argument::Buffer(buffer) => (address(*buffer)?.to_le_bytes().to_vec(), "the address of a buffer".into()),
            Argument::Bytes { bytes, addresses } => {
                let mut bytes = bytes.clone();
                for (offset, buffer) in addresses {
                    let address = address(*buffer)?;
                    let place = usize::try_from(*offset).ok().and_then(|at| bytes.get_mut(at..)?.first_chunk_mut());
                    let Some(place) = place else {
                        return Err(wrong(format!("the address at byte {offset} goes beyond its {}", bytes.len())));
                    };
                    *place = address.to_le_bytes();
                }
                (bytes, "the structure".into())
            }
        };
        if bytes.len() as u64 != expected {
            return Err(wrong(format!("{what} has {}", bytes.len())));
        }
        packed.push(bytes);
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use ptx_parser::{Module, Type};

    use super::*;

    fn packed(parameters: &str, arguments: &[Argument]) -> Result<Vec<Vec<u8>>, String> {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k({parameters}) {{ ret; }}\n");
        let module = Module::parse(&text).unwrap();
        let address = |buffer: Buffer| if buffer.0 == 0 { Ok(0x1234) } else { Err(Error::UnknownBuffer) };
        pack(module.kernel("k").unwrap(), arguments, address).map_err(|error| error.to_string())
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
    fn structures_are_their_bytes_with_the_addresses_in_their_places() {
        let structure = |bytes: Vec<u8>, at: u64| [Argument::Bytes { bytes, addresses: vec![(at, Buffer(0))] }];
        let bytes = packed(".param .align 8 .b8 s[16]", &structure((1..=16).collect(), 8)).unwrap();
        assert_eq!(bytes, [[1, 2, 3, 4, 5, 6, 7, 8, 0x34, 0x12, 0, 0, 0, 0, 0, 0]]);
        let beyond = packed(".param .align 8 .b8 s[16]", &structure(vec![0; 16], 9)).unwrap_err();
        assert!(beyond.contains("the address at byte 9 goes beyond its 16"), "{beyond}");
        let short = packed(".param .align 8 .b8 s[24]", &structure(vec![0; 16], 8)).unwrap_err();
        assert!(short.contains("has 24 bytes, but the structure has 16"), "{short}");
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
                "parameter 0 (`n`) of kernel `k` has 16 bytes, but a scalar has at most 8; give an argument of the parameter's \
                 size",
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
