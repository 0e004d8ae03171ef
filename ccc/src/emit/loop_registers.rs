//! The registers that all regions of a loop share.

use ptx_parser::{Kernel, Reg, Type};

/// The registers that all regions share.
pub(crate) struct Names {
    pub(crate) active: Reg,
    pub(crate) more: Reg,
    pub(crate) pop: Reg,
    pub(crate) test: Reg,
    pub(crate) mask: Reg,
    pub(crate) below: Reg,
    pub(crate) lanes: Reg,
    pub(crate) takers: Reg,
    pub(crate) total: Reg,
    pub(crate) slot: Reg,
    pub(crate) temp: Reg,
    pub(crate) base: Reg,
    pub(crate) way: Reg,
}

impl Names {
    pub(crate) fn new(kernel: &mut Kernel) -> Names {
        Names {
            active: kernel.new_reg("ccc_active", Type::Pred),
            more: kernel.new_reg("ccc_more", Type::Pred),
            pop: kernel.new_reg("ccc_pop", Type::Pred),
            test: kernel.new_reg("ccc_test", Type::Pred),
            mask: kernel.new_reg("ccc_mask", Type::B32),
            below: kernel.new_reg("ccc_below", Type::B32),
            lanes: kernel.new_reg("ccc_lanes", Type::B32),
            takers: kernel.new_reg("ccc_takers", Type::B32),
            total: kernel.new_reg("ccc_total", Type::B32),
            slot: kernel.new_reg("ccc_slot", Type::B32),
            temp: kernel.new_reg("ccc_temp", Type::B32),
            base: kernel.new_reg("ccc_base", Type::B32),
            way: kernel.new_reg("ccc_way", Type::B32),
        }
    }
}
