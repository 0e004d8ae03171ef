//! What a file must keep to, and what is said of one that does not.

/// What to do with a file that is in no known format.
pub(super) const FORMATS: &str = "give a list of edges (`u v` on each line, comments behind `#` or `%`) or a DIMACS .gr \
                                  file, plain or compressed with gzip";

/// What to do with a graph beyond [`LIMIT`](super::LIMIT).
pub(super) const TOO_MANY: &str = "kernels count with a 32-bit int; give a smaller graph";

/// Returns true if so many vertices with so few edges are a mistake rather than a graph: memory goes with the vertices, and one
/// stray id could ask for gigabytes.
pub(super) fn is_too_sparse(vertices: u32, edges: usize) -> bool {
    vertices as usize > edges.saturating_mul(64).max(1 << 24)
}
