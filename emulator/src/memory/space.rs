//! State spaces, and the windows by which a generic address tells them apart.

/// The start of the shared window in the generic address space; a shared address is an offset into it.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000_0000;
/// The start of the local window in the generic address space.
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000_0000;
/// The size of either window.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;
/// The start of the window of function addresses: 16 for each function, from 16 on, in the order of the module.
pub(crate) const CODE_WINDOW: u64 = 0x0400_0000_0000_0000;
/// The address of the kernel parameters, for kernels that take their address.
pub(crate) const PARAM_ADDRESS: u64 = 0x0300_0000_0000_0000;

/// The state space that an access ended up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemorySpace {
    /// Memory of the device: addresses as pointers hold them.
    Global,
    /// Memory of the block: offsets from its beginning.
    Shared,
    /// Memory of the thread: offsets from its beginning.
    Local,
}

impl serde::Serialize for MemorySpace {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl MemorySpace {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MemorySpace::Global => "global",
            MemorySpace::Shared => "shared",
            MemorySpace::Local => "local",
        }
    }
}

/// The offset of a generic address in a window.
#[inline(always)]
pub(crate) fn in_window(address: u64, window: u64) -> Option<u64> {
    let offset = address.wrapping_sub(window);
    (offset < WINDOW_BYTES).then_some(offset)
}
