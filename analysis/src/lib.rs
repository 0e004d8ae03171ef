//! Side tables computed from a PTX kernel.
