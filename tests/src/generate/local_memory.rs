//! Local memory of generated kernels: a word that each thread has of its own, and the address of it.

use super::Random;
use super::body::{Body, Known};
use super::emit::{Class, Reg};

/// The accesses to local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalUse {
    /// Iterations read it, and paths read through generic addresses of buffers.
    Kept,
    /// The address is stored besides.
    Stored,
    /// Some paths read through the stored address.
    Read,
}

/// The body's local memory.
pub(super) struct Private {
    pub(super) random: Random,
    pub(super) usage: LocalUse,
    /// The place in shared memory where the thread keeps the address.
    place: Option<Reg>,
    /// The address as this iteration loaded it.
    loaded: Option<Reg>,
}

/// The variables: a word at offset 4, and room for the addresses of the threads of a block.
pub(super) const VARIABLES: &str = "\t.local .align 8 .b8 depot[16];\n\t.shared .align 8 .b8 places[2048];\n";

impl Private {
    pub(super) fn new(seed: u64, usage: LocalUse) -> Private {
        Private { random: Random::new(seed), usage, place: None, loaded: None }
    }
}

impl Body<'_> {
    /// Before the loop. `number` is that of the thread in its block.
    pub(super) fn fill_private(&mut self, thread: Reg, number: Reg) {
        let Some(private) = &mut self.private else { return };
        let code = &mut self.code;
        let (address, word) = (code.reg(Class::Long), code.reg(Class::Word));
        code.line(format!("mov.u64 {address}, depot;"));
        code.line(format!("mad.lo.s32 {word}, {thread}, 77, 5;"));
        code.line(format!("st.local.u32 [{address}+4], {word};"));
        if private.usage == LocalUse::Kept {
            return;
        }
        let [generic, offset, place] = std::array::from_fn(|_| code.reg(Class::Long));
        code.line(format!("cvta.local.u64 {generic}, {address};"));
        code.line(format!("mul.wide.u32 {offset}, {number}, 8;"));
        code.line(format!("mov.u64 {place}, places;"));
        code.line(format!("add.s64 {place}, {place}, {offset};"));
        code.line(format!("st.shared.u64 [{place}], {generic};"));
        private.place = Some(place);
    }

    /// Writes the accesses to local memory at the beginning of an iteration.
    pub(super) fn use_private(&mut self, known: &Known) {
        let Some(private) = &mut self.private else { return };
        let code = &mut self.code;
        let word = code.reg(Class::Word);
        code.line(format!("ld.local.u32 {word}, [depot+4];"));
        code.line(format!("xor.b32 {}, {}, {word};", known.carried, known.carried));
        let early = private.usage == LocalUse::Read && private.random.chance(50);
        private.loaded = private.place.filter(|_| early).map(|place| {
            let loaded = code.reg(Class::Long);
            code.line(format!("ld.shared.u64 {loaded}, [{place}];"));
            loaded
        });
    }

    /// In a path: mixes a word into another one that is loaded through a generic address.
    pub(super) fn read_generic(&mut self, known: &Known, mix: Reg) {
        let Some(private) = &mut self.private else { return };
        let code = &mut self.code;
        let word = code.reg(Class::Word);
        match private.place.filter(|_| private.usage == LocalUse::Read && private.random.chance(50)) {
            Some(place) => {
                let pointer = private.loaded.unwrap_or_else(|| {
                    let pointer = code.reg(Class::Long);
                    code.line(format!("ld.shared.u64 {pointer}, [{place}];"));
                    pointer
                });
                code.line(format!("ld.u32 {word}, [{pointer}+4];"));
            }
            None => {
                let index = code.reg(Class::Word);
                code.line(format!("and.b32 {index}, {mix}, {};", self.mask));
                let address = code.address(known.input, index);
                code.line(format!("ld.u32 {word}, [{address}];"));
            }
        }
        self.code.line(format!("xor.b32 {mix}, {mix}, {word};"));
    }
}
