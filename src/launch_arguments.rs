//! Kernel arguments as the user writes them.
