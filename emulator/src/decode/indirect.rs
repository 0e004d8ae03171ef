//! Calls by address, and the addresses of functions.
//!
//! A call by address may mean every function whose address is taken anywhere in the code and whose results and
//! parameters take as much of a frame as the call's. A function that is decoded for that may take further addresses, so
//! the tables of targets are filled last, when no more functions turn up.

use ptx_parser::{Kernel, KernelKind, Parameter};

use super::Decoder;
use super::functions::{Site, SiteId, formal_bytes};
use super::rows::Width;
use crate::exec::frame::Dispatch;
use crate::exec::op::{Op, pick};
use crate::memory::space::CODE_WINDOW;
use crate::program::code::{BlockId, ENTRY, SwitchId};
use crate::program::listing::InstId;
use crate::program::registers::untagged;

impl<'m> Decoder<'m> {
    /// Adds what finds the target of a call by address; returns the row of its index and the table of switches that the
    /// index is for. `address` is the row of the address, `sizes` are the bytes of results and arguments.
    pub(super) fn dispatch(&mut self, id: InstId, address: u32, sizes: (Vec<u64>, Vec<u64>)) -> (u32, SwitchId) {
        let index = untagged(self.rows.take(Width::W32));
        let op = Op { a: address, d: index, id, ..self.op(pick::<Dispatch>()) };
        let dispatch = self.drafts.push(op);
        let table = self.drafts.add_switch(Box::default());
        self.frames.sites.push(Site { table, dispatch, sizes });
        (index, table)
    }

    /// The functions whose address is taken and that fit a call by address.
    pub(super) fn find_targets(&mut self) {
        for site in self.frames.sites.keys() {
            for target in self.targets(site) {
                self.frames.number(&mut self.drafts, target);
            }
        }
    }

    fn targets(&self, site: SiteId) -> Vec<&'m Kernel> {
        let class = |bytes: u64| bytes.div_ceil(16);
        let fits = |formals: &[Parameter], sizes: &[u64]| {
            formals.len() == sizes.len()
                && formals.iter().zip(sizes).all(|(formal, &bytes)| class(formal_bytes(formal)) == class(bytes))
        };
        let (results, arguments) = &self.frames.sites[site].sizes;
        let taken = self.frames.taken.iter().filter_map(|name| self.module.kernel(name));
        taken
            .filter(|f| f.has_body() && f.kind() == KernelKind::Func)
            .filter(|f| fits(f.results(), results) && fits(f.params(), arguments))
            .collect()
    }

    pub(super) fn finish_sites(&mut self) {
        for site in self.frames.sites.keys() {
            let targets = self.targets(site);
            let entry =
                |name: &str| self.frames.list.values().find(|f| f.kernel.name() == name).map_or(ENTRY, |f| f.entry);
            let entries: Vec<BlockId> = targets.iter().map(|target| entry(target.name())).collect();
            let numbers: Vec<u32> = targets.iter().filter_map(|target| self.function_number(target.name())).collect();
            let start = self.list(&numbers);
            let Site { table, dispatch, .. } = self.frames.sites[site];
            self.drafts.switches[table] = entries.into();
            let op = &mut self.drafts.ops[dispatch];
            (op.imm, op.e) = (u64::from(start), numbers.len() as u32);
        }
    }

    /// The number of a function or kernel, from 1, by which its address is told.
    fn function_number(&self, name: &str) -> Option<u32> {
        self.module.kernels().iter().position(|kernel| kernel.name() == name).map(|position| position as u32 + 1)
    }

    /// The address of a function or kernel; a call by address may mean it from now on.
    pub(super) fn function_address(&mut self, name: &str) -> Option<u64> {
        let number = self.function_number(name)?;
        let kernel = self.module.kernels().get(number as usize - 1)?;
        if !self.frames.taken.contains(&kernel.name()) {
            self.frames.taken.push(kernel.name());
        }
        Some(CODE_WINDOW + 16 * u64::from(number))
    }
}
