//! The edges and switches that a step of the relation passes on both sides.

use analysis::Block;
use ptx_parser::Reg;

use super::added_registers::{State, Value};
use super::code::{Code, Point, Way};
use super::explore::{Relation, Transition};
use super::silent_steps::{self, Stop, Visitor};
use crate::certificate::Constant;

/// An edge of a graph.
pub(super) type Edge = (Block, Block);

/// A step, with the edges and switches that it passes.
#[derive(Clone)]
pub(super) struct Step {
    /// The block of the output that it begins in; none at the start.
    pub(super) from: Option<Block>,
    /// The block of the output in which it ends; none where the thread does.
    pub(super) to: Option<Block>,
    /// The place where the input ends, unless the output joins another path.
    pub(super) stop: Stop,
    /// The edges of the input.
    pub(super) before: Vec<Edge>,
    /// The edges of the output.
    pub(super) after: Vec<Edge>,
    /// The switches that it comes to, in order.
    pub(super) switches: Vec<Arrival>,
    /// True if added registers are touched on the way.
    pub(super) added: bool,
    /// True if lanes draw which way to go.
    pub(super) drawn: bool,
}

/// A step at a switch.
#[derive(Clone)]
pub(super) struct Arrival {
    /// The switch.
    pub(super) at: Block,
    /// The values of the registers that the switch, or a later one, may test.
    pub(super) asked: Vec<Constant>,
    /// True if one of them was set to a constant on the way.
    pub(super) set: bool,
}

/// Follows a step again, by each way that lanes may draw.
pub(super) fn follow(relation: &Relation<'_>, transition: Transition) -> Vec<Step> {
    let Transition { from, before, after, state } = transition;
    let mut crossed = Vec::new();
    let mut last = from.map(|node| node.before);
    let stop = silent_steps::input(&relation.before, before, |point| {
        crossed.extend(edge(&relation.before, last, point));
        last = Some(point);
    });
    let begun = from.and_then(|node| relation.after.block(node.after));
    let (after_edges, switches) = (Vec::new(), Vec::new());
    let step =
        Step { from: begun, to: None, stop, before: crossed, after: after_edges, switches, added: false, drawn: false };
    let last = from.map(|node| node.after);
    let trace = Trace { relation, step, last, written: Vec::new(), arrived: None };
    let mut steps = Vec::new();
    // The exploration has come to the end of each way.
    _ = silent_steps::output(&relation.after, &relation.added, (after, state), trace, |stop, _, mut trace| {
        match stop {
            Stop::At(point) => trace.step.to = relation.after.block(point),
            Stop::Joined => trace.step.stop = Stop::Joined,
            Stop::End(_) | Stop::Never => {}
        }
        steps.push(trace.step);
    });
    steps
}

/// The output on its way.
#[derive(Clone)]
struct Trace<'a, 'k> {
    relation: &'a Relation<'k>,
    step: Step,
    last: Option<Point>,
    /// The added registers that were written since the step began.
    written: Vec<Reg>,
    /// The block that it is in, as it came to it.
    arrived: Option<Arrival>,
}

impl Visitor for Trace<'_, '_> {
    fn pass(&mut self, point: Point, known: &State) {
        let output = &self.relation.after;
        self.step.after.extend(edge(output, self.last, point));
        let enters = self.last.is_none_or(|last| output.crosses(last, point));
        self.last = Some(point);
        let Some((inst, block)) = output.inst(point).zip(output.block(point)) else { return };
        if enters || self.arrived.as_ref().is_none_or(|arrived| arrived.at != block) {
            self.arrived = Some(self.arrive(block, point, known));
        }
        if !self.relation.added.is_mentioned(point) {
            return;
        }
        self.step.added = true;
        self.written.extend(output.kernel.defs(inst));
        let guard = output.guard(point).and_then(|guard| self.relation.added.id(guard.reg));
        let drawn = guard.is_some_and(|reg| known.get(reg) == Some(Value::Drawn));
        self.step.drawn |= drawn;
        // Where lanes draw, nothing is asked for that says where they come from.
        if output.way(point) != Way::On && !drawn {
            // A switch has one arrival, however many branches it is made of.
            let last = self.step.switches.last().map(|last| last.at);
            self.step.switches.extend(self.arrived.clone().filter(|arrived| enters || last != Some(arrived.at)));
        }
    }
}

impl Trace<'_, '_> {
    fn arrive(&self, block: Block, point: Point, known: &State) -> Arrival {
        let Relation { after: output, added, .. } = self.relation;
        let regs: Vec<Reg> = added.live_numbers(output, point).collect();
        let constants = regs.iter().map(|&reg| Constant {
            register: output.kernel.reg_name(reg).to_owned(),
            value: added.id(reg).and_then(|reg| known.get(reg)).and_then(Value::known),
        });
        let asked: Vec<Constant> = constants.collect();
        let constant = |(reg, constant): (&Reg, &Constant)| constant.value.is_some() && self.written.contains(reg);
        let set = regs.iter().zip(&asked).any(constant);
        Arrival { at: block, asked, set }
    }
}

/// The edge that leads from one point to another, if it does.
fn edge(code: &Code<'_>, from: Option<Point>, to: Point) -> Option<Edge> {
    let from = from.filter(|&from| code.crosses(from, to))?;
    code.block(from).zip(code.block(to))
}
