//! CCC directives in CUDA source, turned into markers that reach the PTX.
