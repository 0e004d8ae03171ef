//! Machines: which lanes of a warp run next, and where they reconverge. They own nothing else.
//!
//! Every machine sees a warp as *groups* of lanes that stand at the same block of code. One group runs at a time; the
//! others stand ready, wait at a barrier or `.sync` operation, or have arrived where their branch's lanes meet.

pub(crate) mod its;
pub(crate) mod stack;

/// A group as it is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) lanes: u32,
    pub(crate) state: State,
}

/// What a group does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// It runs or could run.
    Ready,
    /// It has executed a barrier or `.sync` operation and waits for others.
    Waiting,
    /// It has arrived at a reconvergence point and waits for the rest of its lanes.
    Arrived,
}

/// The control state of one warp.
pub(crate) trait Machine: Send {
    /// Whether a `.sync` operation can wait for lanes that stand elsewhere. A machine with one program counter per warp
    /// cannot: it would wait for lanes that only run once it has gone on.
    const WAITS: bool;
    /// A warp without lanes.
    fn new() -> Self;
    /// The lanes begin at a block.
    fn start(&mut self, entry: u32, lanes: u32);
    /// The block and the lanes that run now; `None` if all lanes have ended or wait.
    fn current(&self) -> Option<(u32, u32)>;
    /// The lanes that have not ended.
    fn live(&self) -> u32;
    /// The current group goes to a block.
    fn goto(&mut self, pc: u32);
    /// The current group parts, to meet at `meet`; the first part runs first.
    fn split(&mut self, parts: &[(u32, u32)], meet: u32);
    /// Lanes of the current group end; the rest goes to `next`.
    fn exit(&mut self, lanes: u32, next: u32);
    /// The current group waits where it stands, in parts that may go on one without the other.
    fn wait(&mut self, parts: &[u32]);
    /// Lanes that wait go on at a block, together where the machine can.
    fn resume(&mut self, lanes: u32, pc: u32);
    /// The current group has had its turn.
    fn rotate(&mut self);
    /// The current group was seen to repeat itself: whoever else there is goes on at once.
    fn give_way(&mut self);
    /// All groups.
    fn groups(&self) -> Vec<Group>;

    /// The lanes that wait at a block.
    fn waiting_at(&self, pc: u32) -> u32 {
        let waiting = |group: &&Group| group.state == State::Waiting && group.pc == pc;
        self.groups().iter().filter(waiting).fold(0, |lanes, group| lanes | group.lanes)
    }
}
