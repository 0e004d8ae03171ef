//! The instruction that is being decoded.

/// The space that an access goes to, once parameters and locals are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Global,
    Constant,
    Shared,
    Local,
    Generic,
}
