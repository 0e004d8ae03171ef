//! The computation of instructions: one function per instruction form, for all 32 lanes of a warp at once.
//!
//! The decoder picks the function ([`op::Handler`]) of an instruction once; running it is one indirect call. Every form is
//! written as a plain loop over arrays of 32 lanes, which the compiler turns into vector code, and is compiled twice:
//! for any processor, and for one with AVX2 and FMA ([`op::pick`] asks which one the host is). The machines (who runs next,
//! who reconverges) know nothing of this module, and this module nothing of them.

pub(crate) mod access;
pub(crate) mod address_cache;
pub(crate) mod address_pattern;
pub(crate) mod atomic;
pub(crate) mod atomic_rare;
pub(crate) mod calls;
pub(crate) mod carry;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod copy_async;
pub(crate) mod float;
pub(crate) mod formats;
pub(crate) mod frame;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod lanes;
pub(crate) mod mbarrier;
pub(crate) mod moves;
pub(crate) mod op;
pub(crate) mod payload;
pub(crate) mod printf;
pub(crate) mod rounding;
pub(crate) mod rows;
pub(crate) mod rule_violations;
pub(crate) mod scalar;
pub(crate) mod scalar_ops;
pub(crate) mod system;
pub(crate) mod traffic;
pub(crate) mod transfer;
pub(crate) mod video;
pub(crate) mod warp;
