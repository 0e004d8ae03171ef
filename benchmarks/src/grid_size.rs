//! The choice of the number of blocks to launch.
//!
//! A grid-stride loop runs with any grid. Fast kernels launch as many blocks as the chip holds at once (CCC paper,
//! Section 3.1), so that each thread works through its share of a large input. Collecting contexts needs such shares: a warp
//! whose lanes have one vertex each has nothing to collect from. Inputs that an emulator gets through are small, so
//! the grid is made smaller where the chip's would leave a thread with less than its share: [`SHARE`] vertices of a search.

use device::Chip;

use crate::error::Error;

/// The least number of vertices per thread, on the average, that the choice of a grid aims at.
pub const SHARE: u32 = 16;

/// A launch of one-dimensional blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    resident: u32,
    chip: &'static str,
}

impl Shape {
    /// The launch for `tasks` tasks: `grid` blocks if given, else as many as a chip of this architecture holds at
    /// once, but so few that each thread gets `share` tasks, and at least one.
    ///
    /// # Errors
    /// [`Error::Block`] or [`Error::Grid`] for a size that no device launches.
    pub fn choose(tasks: u32, share: u32, block: u32, grid: Option<u32>, arch: &str) -> Result<Shape, Error> {
        if !(1..=1024).contains(&block) {
            return Err(Error::Block { block });
        }
        if grid == Some(0) || grid.is_some_and(|grid| grid > i32::MAX as u32) {
            return Err(Error::Grid);
        }
        let resident = chip(arch).resident_blocks(block, 0, None);
        let shares = tasks / share.max(1) / block;
        let grid = grid.unwrap_or(shares.clamp(1, resident));
        Ok(Shape { grid, block, resident, chip: chip(arch).name })
    }

    /// A sentence for the table's caption.
    #[must_use]
    pub fn describe(&self, vertices: u32) -> String {
        let threads = u64::from(self.grid) * u64::from(self.block);
        let share = f64::from(vertices) / threads as f64;
        let blocks = if self.grid == 1 { "block" } else { "blocks" };
        format!(
            "{} {blocks} of {} threads, {share:.1} vertices per thread; a full {} chip holds {} such blocks, fewer are \
             launched where a thread would get less than {SHARE} vertices (--grid says otherwise)",
            self.grid, self.block, self.chip, self.resident
        )
    }
}

/// The chip that figures are about: that of the architecture, or an H100's where the emulator's table has none.
pub(crate) fn chip(arch: &str) -> Chip {
    Chip::from_name(arch).unwrap_or(Chip::SM90)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(vertices: u32, block: u32) -> u32 {
        Shape::choose(vertices, SHARE, block, None, "sm_90").unwrap().grid
    }

    #[test]
    fn large_graphs_fill_the_chip_and_small_ones_do_not() {
        assert_eq!(grid(100_000_000, 256), 132 * 8);
        assert_eq!(grid(1 << 16, 256), 16);
        assert_eq!(grid(1 << 14, 256), 4);
        assert_eq!(grid(10, 256), 1);
        assert_eq!(grid(100_000_000, 1024), 132 * 2);
        assert_eq!(grid(100_000_000, 1), 132 * 32);
        assert_eq!(Shape::choose(1 << 16, 64, 256, None, "sm_90").unwrap().grid, 4);
    }

    #[test]
    fn the_architecture_decides_what_is_resident() {
        let grid = |arch| Shape::choose(100_000_000, SHARE, 256, None, arch).unwrap().grid;
        assert_eq!(grid("sm_75"), 40 * 4);
        assert_eq!(grid("sm_90a"), 132 * 8);
        assert_eq!(grid("sm_120"), 170 * 6);
        assert_eq!(grid("sm_110"), 132 * 8);
    }

    #[test]
    fn a_given_grid_is_taken_and_nonsense_is_not() {
        assert_eq!(Shape::choose(10, SHARE, 256, Some(7), "sm_90").unwrap().grid, 7);
        assert!(matches!(Shape::choose(10, SHARE, 0, None, "sm_90"), Err(Error::Block { block: 0 })));
        assert!(matches!(Shape::choose(10, SHARE, 1025, None, "sm_90"), Err(Error::Block { block: 1025 })));
        assert!(matches!(Shape::choose(10, SHARE, 256, Some(0), "sm_90"), Err(Error::Grid)));
    }

    #[test]
    fn the_caption_says_what_was_chosen() {
        let caption = Shape::choose(1 << 14, SHARE, 256, None, "sm_90").unwrap().describe(1 << 14);
        assert!(caption.starts_with("4 blocks of 256 threads, 16.0 vertices per thread; "), "{caption}");
    }
}
