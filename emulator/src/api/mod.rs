//! The words in which a launch is asked for and answered: its options, how it ended, and what its report says.

pub(crate) mod checks;
pub(crate) mod chip;
pub(crate) mod error;
pub(crate) mod launch;
pub(crate) mod monitor;
pub(crate) mod options;
pub(crate) mod outcome;
pub(crate) mod report;
pub(crate) mod rule;
pub(crate) mod trace;
