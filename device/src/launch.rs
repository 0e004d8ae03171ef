//! The shape of a launch.

/// How many blocks of how many threads, and how much shared memory on top of what the kernel declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of `extern .shared` memory per block.
    pub dynamic_shared: u32,
}

impl LaunchConfig {
    /// A one-dimensional launch without dynamic shared memory.
    #[must_use]
    pub fn linear(blocks: u32, threads: u32) -> LaunchConfig {
        LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 }
    }

    /// All threads of the launch.
    #[must_use]
    pub fn threads(&self) -> u128 {
        self.grid.iter().chain(&self.block).map(|&count| u128::from(count)).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_largest_launch_do_not_overflow() {
        assert_eq!(LaunchConfig::linear(3, 32).threads(), 96);
        let largest = LaunchConfig { grid: [i32::MAX as u32, 65535, 65535], block: [1024, 1, 1], dynamic_shared: 0 };
        assert_eq!(largest.threads(), 2_147_483_647 * 65_535 * 65_535 * 1024);
    }
}
