//! One trait over the machines that can run a kernel.
