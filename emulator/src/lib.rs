//! Runs PTX under a chosen SIMT machine and counts what warps did.
