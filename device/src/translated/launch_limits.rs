//! The check of a launch against the limits that all GPUs have. A kernel that runs here should run there.

use emulator::{Chip, SHARED_WITHOUT_OPT_IN};
use ptx_parser::Kernel;

use crate::{Error, LaunchConfig};

/// The most blocks of a grid in each dimension (CUDA C++ Programming Guide, "Compute Capabilities").
const GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// The most threads of a block in each dimension.
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// The most threads of a block.
const THREADS: u64 = 1024;

/// Checks the shape of a launch. `declared_shared` bytes of shared memory are what the kernel and its module declare.
///
/// # Errors
/// [`Error::Shape`]
pub(super) fn check(config: &LaunchConfig, kernel: &Kernel, declared_shared: u64) -> Result<(), Error> {
    let problem = size("grid", "blocks", config.grid, GRID)
        .or_else(|| size("block", "threads", config.block, BLOCK))
        .or_else(|| threads(config.block, kernel))
        .or_else(|| shared(config, declared_shared))
        .or_else(|| together(config, declared_shared));
    problem.map_or(Ok(()), |what| Err(Error::Shape { what }))
}

fn size(what: &str, of: &str, sizes: [u32; 3], most: [u32; 3]) -> Option<String> {
    let each = ["x", "y", "z"].into_iter().zip(sizes.into_iter().zip(most));
    let (axis, (size, most)) = each.into_iter().find(|(_, (size, most))| *size == 0 || size > most)?;
    Some(format!("the {what} has {size} {of} in {axis}; it may have 1 to {most}"))
}

fn threads(block: [u32; 3], kernel: &Kernel) -> Option<String> {
    let threads: u64 = block.iter().map(|&size| u64::from(size)).product();
    if threads > THREADS {
        return Some(format!("the block has {threads} threads; it may have at most {THREADS}"));
    }
    let most = kernel.max_threads().filter(|&most| threads > u64::from(most))?;
    Some(format!("a block of {threads} threads; the kernel was compiled for at most {most}"))
}

fn shared(config: &LaunchConfig, declared: u64) -> Option<String> {
    let dynamic = u64::from(config.dynamic_shared);
    let bytes = declared.saturating_add(dynamic);
    let most = Chip::ALL.iter().map(Chip::most_shared_of_block).max().unwrap_or(SHARED_WITHOUT_OPT_IN);
    let taken = format!(
        "a block needs {bytes} bytes of shared memory, {declared} that the kernel declares and {dynamic} of the launch"
    );
    if bytes > u64::from(most) {
        return Some(format!("{taken}; no GPU has more than {most}"));
    }
    let refused = bytes > u64::from(SHARED_WITHOUT_OPT_IN) && !config.opt_in_shared;
    refused.then(|| format!("{taken}; unless the launch opts in to more, it has {SHARED_WITHOUT_OPT_IN}"))
}

/// Blocks that wait for each other must all be resident, at least on the largest GPU.
fn together(config: &LaunchConfig, declared_shared: u64) -> Option<String> {
    let blocks: u64 = config.grid.iter().map(|&size| u64::from(size)).product();
    let threads: u32 = config.block.iter().product();
    let shared = u32::try_from(declared_shared.saturating_add(config.dynamic_shared.into())).unwrap_or(u32::MAX);
    let most = Chip::ALL.iter().map(|chip| chip.resident_blocks(threads, shared, None)).max().unwrap_or_default();
    (config.cooperative && blocks > u64::from(most)).then(|| {
        format!("a cooperative launch of {blocks} blocks, of which no GPU has more than {most} resident at a time; all must be")
    })
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;

    use super::*;

    fn problem(config: LaunchConfig) -> String {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() .maxntid 512 { ret; }\n";
        let module = Module::parse(text).unwrap();
        let kernel = module.kernel("k").unwrap();
        check(&config, kernel, 1024).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_fits_is_taken() {
        let config = LaunchConfig { block: [64, 8, 1], dynamic_shared: 48128, ..LaunchConfig::linear(1, 1) };
        assert_eq!(problem(config), "");
        assert_eq!(problem(LaunchConfig { grid: [i32::MAX as u32, 65535, 65535], ..config }), "");
        assert_eq!(problem(LaunchConfig { dynamic_shared: 100_000, opt_in_shared: true, ..config }), "");
        assert_eq!(problem(LaunchConfig { grid: [80, 1, 1], cooperative: true, ..config }), "");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let config = LaunchConfig::linear(1, 32);
        let cases = [
            (LaunchConfig { grid: [1, 0, 1], ..config }, "the grid has 0 blocks in y; it may have 1 to 65535"),
            (LaunchConfig { block: [1, 1, 65], ..config }, "the block has 65 threads in z; it may have 1 to 64"),
            (LaunchConfig { block: [64, 32, 1], ..config }, "the block has 2048 threads; it may have at most 1024"),
            (
                LaunchConfig { block: [513, 1, 1], ..config },
                "a block of 513 threads; the kernel was compiled for at most 512",
            ),
            (
                LaunchConfig { dynamic_shared: 48129, ..config },
                "a block needs 49153 bytes of shared memory, 1024 that the kernel declares and 48129 of the launch; unless the launch \
                 opts in to more, it has 49152",
            ),
            (
                LaunchConfig { dynamic_shared: u32::MAX, opt_in_shared: true, ..config },
                "a block needs 4294968319 bytes of shared memory, 1024 that the kernel declares and 4294967295 of the launch; no GPU has \
                 more than ",
            ),
            (
                LaunchConfig { grid: [70, 70, 1], cooperative: true, ..config },
                "a cooperative launch of 4900 blocks, of which no GPU has more than ",
            ),
        ];
        for (config, expected) in cases {
            let problem = problem(config);
            assert!(problem.starts_with(&format!("the launch is not possible: {expected}")), "{problem}");
        }
    }
}
