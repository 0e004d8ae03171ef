//! The parts of a launch: its shape, and the kernel's arguments.

use ptx_parser::Type;

use crate::Buffer;

/// The shape of a launch: its blocks, its threads, and the shared memory beyond what the kernel declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of `extern .shared` memory per block.
    pub dynamic_shared: u32,
    /// The kernel may have more than 48 KiB of shared memory per block, static and dynamic (`cudaFuncSetAttribute` with
    /// `cudaFuncAttributeMaxDynamicSharedMemorySize`).
    pub opt_in_shared: bool,
    /// All blocks are resident together and may wait for each other, as `grid.sync()` does (`cudaLaunchCooperativeKernel`).
    pub cooperative: bool,
}

impl LaunchConfig {
    /// A one-dimensional launch without dynamic shared memory.
    #[must_use]
    pub fn linear(blocks: u32, threads: u32) -> LaunchConfig {
        LaunchConfig {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
            opt_in_shared: false,
            cooperative: false,
        }
    }

    /// All threads of the launch.
    #[must_use]
    pub fn threads(&self) -> u128 {
        self.grid.iter().chain(&self.block).map(|&count| u128::from(count)).product()
    }
}

/// The value of one kernel parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number, as the bits of a PTX type of at most 64 bits. It must be as wide as the parameter.
    Scalar {
        /// Its type.
        ty: Type,
        /// Its bits, in the low end.
        bits: u64,
    },
    /// The address of a buffer.
    Buffer(Buffer),
    /// The bytes of a structure or array, as the device has them. There must be as many as the parameter has.
    Bytes {
        /// All bytes, those between the fields too.
        bytes: Vec<u8>,
        /// Offsets in bytes at which 8 bytes are the address of a buffer, whatever stands there in `bytes`.
        addresses: Vec<(u64, Buffer)>,
    },
}

macro_rules! scalars {
    ($($rust:ty, $ty:ident, $value:ident => $bits:expr;)*) => {
        $(impl From<$rust> for Argument {
            fn from($value: $rust) -> Argument {
                Argument::Scalar { ty: Type::$ty, bits: $bits }
            }
        })*
    };
}

scalars! {
    u8, U8, value => u64::from(value);
    i8, S8, value => u64::from(value.cast_unsigned());
    u16, U16, value => u64::from(value);
    i16, S16, value => u64::from(value.cast_unsigned());
    u32, U32, value => u64::from(value);
    i32, S32, value => u64::from(value.cast_unsigned());
    u64, U64, value => value;
    i64, S64, value => value.cast_unsigned();
    f32, F32, value => u64::from(value.to_bits());
    f64, F64, value => value.to_bits();
}

impl From<Buffer> for Argument {
    fn from(buffer: Buffer) -> Argument {
        Argument::Buffer(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_largest_launch_do_not_overflow() {
        assert_eq!(LaunchConfig::linear(3, 32).threads(), 96);
        let largest =
            LaunchConfig { grid: [i32::MAX as u32, 65535, 65535], block: [1024, 1, 1], ..LaunchConfig::linear(1, 1) };
        assert_eq!(largest.threads(), 2_147_483_647 * 65_535 * 65_535 * 1024);
    }

    #[test]
    fn negative_numbers_keep_to_their_width() {
        assert_eq!(Argument::from(-1_i8), Argument::Scalar { ty: Type::S8, bits: 0xff });
        assert_eq!(Argument::from(-2_i32), Argument::Scalar { ty: Type::S32, bits: 0xffff_fffe });
        assert_eq!(Argument::from(-1_i64), Argument::Scalar { ty: Type::S64, bits: u64::MAX });
        assert_eq!(Argument::from(1.5_f32), Argument::Scalar { ty: Type::F32, bits: 0x3fc0_0000 });
    }
}
