//! The functions that have been met, and what the frames of some of them need.

use cranelift_entity::{PrimaryMap, entity_impl};
use ptx_parser::{Inst, Kernel, Parameter, Reg, Space, Symbol, Type};
use rustc_hash::FxHashMap;

use super::draft_blocks::Drafts;
use super::rows::{Rows, Width};
use super::variables::Location;
use crate::exec::frame::FRAME_HEAD;
use crate::program::code::{BlockId, OpId, SwitchId};
use crate::program::listing::InstId;
use crate::program::registers::untagged;

/// The number of a function that has been met, by which its registers and variables are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FunctionId(u32);
entity_impl!(FunctionId, "function");

/// The kernel, which is met first.
pub(super) const KERNEL: FunctionId = FunctionId(0);

/// The number of a function with frames.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FramedId(u32);
entity_impl!(FramedId, "framed");

/// The number of a call by address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SiteId(u32);
entity_impl!(SiteId, "site");

/// A function that has been met.
#[derive(Default)]
pub(super) struct Function<'m> {
    pub(super) name: &'m str,
    /// The function with frames that it is part of; `None` for the kernel. See [`super::frames`].
    pub(super) host: Option<FramedId>,
    /// Rows of its registers: the first one, and how many.
    pub(super) rows: FxHashMap<Reg, (u32, u32)>,
    /// Places of its variables.
    pub(super) places: FxHashMap<Symbol, Location>,
}

/// The functions that have been met, the kernel among them.
#[derive(Default)]
pub(super) struct Functions<'m> {
    list: PrimaryMap<FunctionId, Function<'m>>,
    /// The function with frames whose code is being decoded; `None` for the kernel.
    pub(super) host: Option<FramedId>,
    /// Names of those being decoded, outermost first.
    pub(super) stack: Vec<&'m str>,
    /// True for functions that call themselves. Functions that were not examined are absent.
    pub(super) recursive: FxHashMap<&'m str, bool>,
    /// The first number of each `.sync` operation that moves values, by its function and its place there.
    pub(super) synced: FxHashMap<(FunctionId, Inst), InstId>,
}

impl<'m> Functions<'m> {
    /// The number of a function, by which its registers and variables are known.
    pub(super) fn number(&mut self, name: &'m str) -> FunctionId {
        let host = self.host;
        match self.list.iter().find(|(_, function)| function.name == name && function.host == host) {
            Some((id, _)) => id,
            None => self.list.push(Function { name, host, ..Function::default() }),
        }
    }

    /// The tagged row of a register; its first one if it takes several.
    pub(super) fn row(&mut self, rows: &mut Rows, kernel: &Kernel, function: FunctionId, reg: Reg) -> u32 {
        if let Some(&(row, _)) = self.list[function].rows.get(&reg) {
            return row;
        }
        let width = Width::of(kernel.reg(reg).ty);
        let row = rows.take(width);
        let parts = parts(kernel, reg);
        for _ in 1..parts {
            rows.take(width);
        }
        self.list[function].rows.insert(reg, (row, parts));
        row
    }

    /// Lets a register of the kernel be a row that holds a constant.
    pub(super) fn share_row(&mut self, reg: Reg, row: u32) {
        self.list[KERNEL].rows.insert(reg, (row, 1));
    }

    /// The tagged rows of all registers of a function with frames, and of what is expanded in it.
    pub(super) fn rows_of(&self, framed: FramedId) -> Vec<u32> {
        let hosted = self.list.values().filter(|function| function.host == Some(framed));
        let mut rows: Vec<u32> =
            hosted.flat_map(|function| function.rows.values().flat_map(|&(row, parts)| row..row + parts)).collect();
        rows.sort_unstable();
        rows
    }

    /// The place of a variable of a function, if it has one.
    pub(super) fn place(&self, function: FunctionId, symbol: Symbol) -> Option<Location> {
        self.list[function].places.get(&symbol).copied()
    }

    /// The place that a variable of a function has in another call of that function.
    pub(super) fn common_place(&self, function: FunctionId, symbol: Symbol) -> Option<Location> {
        let name = self.list[function].name;
        let mut others = self.list.values().filter(|other| other.name == name);
        others.find_map(|other| other.places.get(&symbol).copied())
    }

    /// Gives a variable of a function its place.
    pub(super) fn set_place(&mut self, function: FunctionId, symbol: Symbol, place: Location) {
        self.list[function].places.insert(symbol, place);
    }
}

/// Returns how many rows a register takes: two for 128 bits, one per component for a vector.
pub(super) fn parts(kernel: &Kernel, reg: Reg) -> u32 {
    let data = kernel.reg(reg);
    u32::from(data.lanes.max(1)) * if data.ty == Type::B128 { 2 } else { 1 }
}

/// A function with frames.
pub(super) struct Framed<'m> {
    pub(super) kernel: &'m Kernel,
    pub(super) entry: BlockId,
    /// The block that returns.
    pub(super) last: BlockId,
    /// The ops that take and give back the frame, once the body is decoded.
    pub(super) ops: Option<[OpId; 2]>,
    /// Bytes of head, results, parameters and variables.
    pub(super) bytes: u64,
    /// Bytes of head, results and parameters.
    pub(super) parameters: u64,
}

/// A call by address, whose targets are known when everything else is.
pub(super) struct Site {
    /// Its table of switches.
    pub(super) table: SwitchId,
    pub(super) dispatch: OpId,
    /// The sizes of results and arguments.
    pub(super) sizes: (Vec<u64>, Vec<u64>),
}

/// The rows that functions with frames need.
#[derive(Clone, Copy)]
pub(super) struct StackRows {
    pub(super) sp: u32,
    pub(super) fp: u32,
    pub(super) place: u32,
    /// The table of landing blocks.
    pub(super) landings: SwitchId,
}

/// The functions with frames, and the calls of them.
#[derive(Default)]
pub(super) struct Frames<'m> {
    pub(super) list: PrimaryMap<FramedId, Framed<'m>>,
    /// Functions whose address is taken.
    pub(super) taken: Vec<&'m str>,
    pub(super) sites: PrimaryMap<SiteId, Site>,
    /// The blocks to which calls return, by number.
    pub(super) landings: Vec<BlockId>,
    /// The rows of the stack, once there is one.
    pub(super) rows: Option<StackRows>,
    /// Bytes of the stack.
    pub(super) stack_bytes: u32,
    /// The longest head, results and parameters of a frame.
    pub(super) reach: u64,
}

impl<'m> Frames<'m> {
    /// The number of a function with frames, whose body is decoded later.
    pub(super) fn number(&mut self, drafts: &mut Drafts, callee: &'m Kernel) -> FramedId {
        if let Some((id, _)) = self.list.iter().find(|(_, framed)| framed.kernel.name() == callee.name()) {
            return id;
        }
        let sizes = callee.results().iter().chain(callee.params()).map(formal_bytes);
        let (_, parameters) = layout(sizes);
        let (entry, last) = (drafts.new_block(), drafts.new_block());
        self.list.push(Framed { kernel: callee, entry, last, ops: None, bytes: parameters, parameters })
    }

    /// Adds a place that calls come back to and returns its number.
    pub(super) fn add_landing(&mut self, block: BlockId) -> u32 {
        self.landings.push(block);
        self.landings.len() as u32 - 1
    }

    /// The rows of the stack, made when the first call with a frame is met.
    pub(super) fn stack_rows(&mut self, rows: &mut Rows, drafts: &mut Drafts) -> StackRows {
        *self.rows.get_or_insert_with(|| StackRows {
            landings: drafts.add_switch(Box::default()),
            sp: untagged(rows.take(Width::W64)),
            fp: untagged(rows.take(Width::W64)),
            place: rows.take(Width::W32),
        })
    }
}

/// Frame offsets of results and parameters of these sizes, and where they end.
pub(super) fn layout(sizes: impl Iterator<Item = u64>) -> (Vec<u32>, u64) {
    let mut end = u64::from(FRAME_HEAD);
    let offsets = sizes.map(|bytes| {
        let at = end;
        end = end.saturating_add(bytes).saturating_add(15) & !15;
        at.min(u64::from(u32::MAX)) as u32
    });
    (offsets.collect(), end)
}

/// The bytes that a formal parameter takes in a frame.
pub(super) fn formal_bytes(formal: &Parameter) -> u64 {
    if formal.space == Space::Reg { 8 } else { formal.bytes() }
}
