//! Golden rewrites, ptxas acceptance, differential runs and properties.
