//! Collaborative context collection: a rewriter of PTX loops.
