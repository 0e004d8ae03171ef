//! The papers' kernels, inputs and tables.
