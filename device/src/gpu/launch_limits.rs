//! The check of a launch against a GPU's limits. For a launch that is too large, the driver reports only an invalid value; this check names
//! the size.

use crate::{Error, LaunchConfig};

use super::properties::{GpuProperties, KernelProperties};

/// Checks a launch against what the GPU and the kernel allow.
///
/// # Errors
/// [`Error::Shape`] for a grid or block that is empty or too large, or for more shared memory than a block can have.
pub(super) fn check(
    config: &LaunchConfig,
    name: &str,
    kernel: &KernelProperties,
    gpu: &GpuProperties,
) -> Result<(), Error> {
    let problem = size("grid", "blocks", config.grid, gpu.grid)
        .or_else(|| size("block", "threads", config.block, gpu.block))
        .or_else(|| threads(config.block, name, kernel, gpu))
        .or_else(|| shared(config, name, kernel, gpu));
    problem.map_or(Ok(()), |what| Err(Error::Shape { what }))
}

fn size(what: &str, of: &str, sizes: [u32; 3], most: [u32; 3]) -> Option<String> {
    let wrong = ["x", "y", "z"].into_iter().zip(sizes.into_iter().zip(most));
    let (axis, (size, most)) = wrong.into_iter().find(|(_, (size, most))| *size == 0 || size > most)?;
    Some(format!("the {what} has {size} {of} in {axis}; this GPU takes 1 to {most}"))
}

fn threads(block: [u32; 3], name: &str, kernel: &KernelProperties, gpu: &GpuProperties) -> Option<String> {
    let threads: u64 = block.iter().map(|&size| u64::from(size)).product();
    if threads > u64::from(gpu.threads_per_block) {
        return Some(format!("the block has {threads} threads; this GPU takes at most {}", gpu.threads_per_block));
    }
    let most = kernel.threads_per_block;
    (threads > u64::from(most)).then(|| {
        let why = format!("by its {} registers per thread and what it declares", kernel.registers);
        format!("the block has {threads} threads; kernel `{name}` takes at most {most}, {why}")
    })
}

fn shared(config: &LaunchConfig, name: &str, kernel: &KernelProperties, gpu: &GpuProperties) -> Option<String> {
    let (declared, dynamic) = (kernel.static_shared_bytes, config.dynamic_shared);
    let bytes = u64::from(dynamic) + u64::from(declared);
    let taken = format!(
        "kernel `{name}` takes {bytes} bytes of shared memory per block, {declared} that it declares and {dynamic} of the launch"
    );
    let (most, without) = (gpu.most_shared_bytes_per_block, gpu.shared_bytes_per_block);
    if bytes > u64::from(most) {
        return Some(format!("{taken}; this GPU has {most}"));
    }
    let refused = bytes > u64::from(without) && !config.opt_in_shared;
    refused.then(|| format!("{taken}; unless the launch opts in to more, it has {without}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu() -> GpuProperties {
        GpuProperties {
            name: "Test".into(),
            ordinal: 0,
            compute_capability: (9, 0),
            multiprocessors: 4,
            l2_bytes: 1 << 20,
            memory_bytes: 1 << 30,
            clock_hz: 1_000_000_000,
            driver_version: (13, 0),
            threads_per_multiprocessor: 2048,
            threads_per_block: 1024,
            block: [1024, 1024, 64],
            grid: [2_147_483_647, 65535, 65535],
            shared_bytes_per_block: 49152,
            most_shared_bytes_per_block: 232_448,
        }
    }

    fn problem(config: LaunchConfig) -> String {
        let kernel =
            KernelProperties { registers: 64, local_bytes: 0, static_shared_bytes: 1024, threads_per_block: 512 };
        check(&config, "k", &kernel, &gpu()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_fits_is_taken() {
        let config = LaunchConfig {
            grid: [2_147_483_647, 65535, 65535],
            block: [64, 8, 1],
            dynamic_shared: 231_424,
            opt_in_shared: true,
            cooperative: false,
        };
        assert_eq!(problem(config), "");
        assert_eq!(problem(LaunchConfig { dynamic_shared: 48128, opt_in_shared: false, ..config }), "");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let config = LaunchConfig::linear(1, 32);
        let cases = [
            (LaunchConfig { grid: [1, 0, 1], ..config }, "the grid has 0 blocks in y; this GPU takes 1 to 65535"),
            (
                LaunchConfig { grid: [1, 1, 65536], ..config },
                "the grid has 65536 blocks in z; this GPU takes 1 to 65535",
            ),
            (LaunchConfig { block: [0, 1, 1], ..config }, "the block has 0 threads in x; this GPU takes 1 to 1024"),
            (LaunchConfig { block: [1, 1, 65], ..config }, "the block has 65 threads in z; this GPU takes 1 to 64"),
            (
                LaunchConfig { block: [1024, 1024, 64], ..config },
                "the block has 67108864 threads; this GPU takes at most 1024",
            ),
            (
                LaunchConfig { block: [1024, 1, 1], ..config },
                "the block has 1024 threads; kernel `k` takes at most 512, by its 64 registers per thread and what it declares",
            ),
            (
                LaunchConfig { dynamic_shared: u32::MAX, ..config },
                "kernel `k` takes 4294968319 bytes of shared memory per block, 1024 that it declares and 4294967295 of the launch; \
                 this GPU has 232448",
            ),
            (
                LaunchConfig { dynamic_shared: 48129, ..config },
                "kernel `k` takes 49153 bytes of shared memory per block, 1024 that it declares and 48129 of the launch; \
                 unless the launch opts in to more, it has 49152",
            ),
        ];
        for (config, expected) in cases {
            assert_eq!(problem(config), format!("the launch is not possible: {expected}"));
        }
    }
}
