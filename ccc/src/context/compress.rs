//! Context compression (paper, Section 4.1): what a lane can compute from the rest of a context does not travel.
//!
//! ```text
//! before                               after
//!     here = base + 4 * i                  here = base + 4 * i
//!     context = i, here                    context = i
//!     …                                    …
//! REGION: st [here'], i'               REGION: here' = base + 4 * i'
//!                                              st [here'], i'
//! ```
//!
//! # Why the result is the same
//!
//! Values are those of [`analysis::Values`]: each is written at one place, which every way to the region's entry passes. So
//! at the entry, a value is what its instruction makes of the values that its inputs have *there*: had an input come into being
//! again since, the instruction would have run again too. (From the later input there would else be a way to the entry that
//! avoids the instruction.) A value is only stored while a register still holds it, and the registers of values that every lane
//! knows hold them for as long as the loop runs.
//!
//! All that holds where a lane takes up a step of a task as well as at the first: what the steps change has several definitions at the
//! loop's header, and is stored, unless it follows from the loop's counter ([`crate::context::derived_induction`]) or from another such register
//! ([`crate::context::functional_dependence`]). The bound of a range that lanes share is
//! stored, and nothing is computed from it, because each part has its own. What a region inside another one is computed from must be in that one's registers.
//!
//! What is stored and what is done again, a minimum cut decides ([`crate::context::min_cut`]).

use analysis::{Value, ValueKind};
use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};
use ptx_parser::{Inst, Reg, Type};
use rustc_hash::FxHashMap;

use crate::context::derived_induction::{Derived, Family};
use crate::context::functional_dependence::alike;
use crate::context::min_cut::{Cut, Network, Step, StepData, Vertex, VertexData};
use crate::context::rematerialization::{Holder, Recomputed, Rematerialization, Stored};
use crate::context::value::{Context, ContextValue, Source};
use crate::context::{self, derived_induction};
use crate::facts::rematerializable::Obstacle;
use crate::facts::{Facts, rematerializable};
use crate::layout;
use crate::options::Options;
use crate::region::Region;
use crate::region::arrival::Arrival;

/// Instructions further than this from the region are not looked at: a chain that long would pass any sensible limit.
const FARTHEST: u32 = 64;

/// Takes the values out of a context that the region can compute from the others.
pub(crate) fn compress(
    facts: &Facts<'_>,
    region: &Region,
    arrival: &Arrival,
    outer: Option<(&Region, &Context)>,
    context: &mut Context,
    options: &Options,
) {
    let graph = Graph::of(facts, region, arrival, outer, context);
    let cut = graph.network.cut(u64::from(options.recompute));
    let value_of = |reg: Reg| facts.values.live_in(region.entry, reg);
    let mut values: Vec<ContextValue> = Vec::new();
    for mut value in std::mem::take(&mut context.values) {
        let Source::Reg(reg) = value.source else {
            values.push(value);
            continue;
        };
        if region.bound == Some(reg) {
            value.stored = Some(Stored::Shared);
            values.push(value);
            continue;
        }
        // A value that nobody knows is no vertex, and stays.
        match value_of(reg).and_then(|value| graph.vertex_of.get(&value)) {
            Some(&vertex) if !cut.stores(vertex) => {
                context.recomputed.push(graph.recomputed(facts, &cut, vertex, value.ty));
            }
            vertex => {
                value.stored = vertex.map(|&vertex| graph.reason(facts, vertex));
                values.push(value);
            }
        }
    }
    for &vertex in &cut.stored {
        let source = graph.values[vertex];
        let reg = facts.values.reg(source);
        if values.iter().any(|value| value.source == Source::Reg(reg)) {
            continue;
        }
        let why = context::why(facts, region, arrival, source, &mut Vec::new());
        let stored = Some(graph.reason(facts, vertex));
        let why = why.unwrap_or(context::Why::Reused);
        values.push(ContextValue { source: Source::Reg(reg), ty: facts.kernel.reg(reg).ty, why, stored });
    }
    context.values = values;
    context.operations = cut.operations;
    context.again = cut.steps.iter().flat_map(|&step| graph.repeated_values(facts, &cut, step)).collect();
    for &step in &cut.steps {
        for (_, moved) in graph.known_inputs(facts, step) {
            context.hoist(moved);
        }
    }
}

/// The values that the context is computed from, backwards from the region.
struct Graph {
    network: Network,
    values: PrimaryMap<Vertex, Value>,
    /// The reasons why no step computes them.
    obstacles: SecondaryMap<Vertex, Option<Obstacle>>,
    vertex_of: FxHashMap<Value, Vertex>,
    computations: PrimaryMap<Step, Computation>,
    /// Values that every lane knows, and what has to be moved up for that.
    known: FxHashMap<Value, Vec<Inst>>,
}

/// The instructions of a step.
enum Computation {
    One(Inst),
    /// A register that follows from another one, and how.
    Follows(Value, Derived),
}

impl Graph {
    fn of(
        facts: &Facts<'_>,
        region: &Region,
        arrival: &Arrival,
        outer: Option<(&Region, &Context)>,
        context: &Context,
    ) -> Graph {
        let mut graph = Graph {
            network: Network::default(),
            values: PrimaryMap::new(),
            obstacles: SecondaryMap::new(),
            vertex_of: FxHashMap::default(),
            computations: PrimaryMap::new(),
            known: FxHashMap::default(),
        };
        let named = rematerializable::named(facts);
        // In an outer region, a lane has what that region computes and what it was given, and nothing else of the iteration.
        let at_hand = |value: Value| {
            outer.is_none_or(|(outer, context)| {
                outer.contains(facts.values.block(value)) || context.brings(facts.values.reg(value))
            })
        };
        let storable = &|value: Value| {
            let reg = facts.values.reg(value);
            // The copy of a register that is loaded before the region holds what is loaded.
            let free = context.loads.loads.iter().all(|load| load.reg != reg);
            let can = free
                && region.bound != Some(reg)
                && named.contains(reg)
                && rematerializable::is_scalar(facts, reg)
                && at_hand(value)
                && rematerializable::still_holds(facts, value, region.entry);
            can.then(|| u64::from(layout::width(facts.kernel.reg(reg).ty)))
        };
        for value in &context.values {
            let Source::Reg(reg) = value.source else { continue };
            let Some(entry) = facts.values.live_in(region.entry, reg).filter(|_| region.bound != Some(reg)) else {
                continue;
            };
            let vertex = graph.vertex(entry);
            graph.network.vertices[vertex].needed = true;
            graph.network.vertices[vertex].bytes = Some(u64::from(layout::width(value.ty)));
        }
        let family = facts.loops.innermost(region.entry).filter(|_| region.counter_stays);
        let family = family.and_then(|steps| Family::of(facts, &named, steps));
        // Breadth first, so that what is near is found on its shortest way.
        let mut steps: FxHashMap<Inst, Step> = FxHashMap::default();
        let mut level: Vec<Vertex> = graph.values.keys().collect();
        for _ in 0..FARTHEST {
            let first_new = graph.values.len();
            for vertex in level {
                let value = graph.values[vertex];
                let derived = family.as_ref().and_then(|family| family.derived(value));
                let derived = derived.filter(|derived| graph.vertex_of.contains_key(&derived.from));
                let derived = derived.or_else(|| alike(facts, &named, value, graph.needed()));
                if let Some(derived) = derived {
                    let (made, start) = (derived.made(facts), derived.start);
                    let mut inputs = vec![graph.vertex(derived.from)];
                    for &(_, input) in derived.chain.iter().flat_map(|&inst| facts.values.uses(inst)) {
                        let own = made.contains(&input) || derived_induction::copied(facts, input) == start;
                        if !own && !graph.is_known(facts, region, arrival, &named, input) {
                            inputs.push(graph.input(input, storable));
                        }
                    }
                    let operations = derived.operations;
                    let step = graph.step(Computation::Follows(value, derived), operations, inputs);
                    graph.network.vertices[vertex].step = Some(step);
                    continue;
                }
                let (inst, operations) = match rematerializable::computed_by(facts, &named, value) {
                    Ok(found) => found,
                    Err(obstacle) => {
                        graph.obstacles[vertex] = Some(obstacle);
                        continue;
                    }
                };
                if let Some(&step) = steps.get(&inst) {
                    graph.network.vertices[vertex].step = Some(step);
                    continue;
                }
                let mut inputs = Vec::new();
                for &(_, input) in facts.values.uses(inst) {
                    if graph.is_known(facts, region, arrival, &named, input) {
                        continue;
                    }
                    inputs.push(graph.input(input, storable));
                }
                let step = graph.step(Computation::One(inst), operations, inputs);
                graph.network.vertices[vertex].step = Some(step);
                steps.insert(inst, step);
            }
            level = graph.values.keys().skip(first_new).collect();
        }
        graph
    }

    /// Returns what the region needs.
    fn needed(&self) -> impl Iterator<Item = Value> + '_ {
        let needed = self.network.vertices.values().zip(self.values.values()).filter(|(vertex, _)| vertex.needed);
        needed.map(|(_, &value)| value)
    }

    fn vertex(&mut self, value: Value) -> Vertex {
        *self.vertex_of.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.network.vertices.push(VertexData::default())
        })
    }

    fn step(&mut self, computation: Computation, operations: u64, inputs: Vec<Vertex>) -> Step {
        self.computations.push(computation);
        self.network.steps.push(StepData { operations, inputs })
    }

    /// The vertex of an input, which may be stored for so many bytes if it is none that the region needs.
    fn input(&mut self, value: Value, storable: impl Fn(Value) -> Option<u64>) -> Vertex {
        let fresh = !self.vertex_of.contains_key(&value);
        let vertex = self.vertex(value);
        if fresh {
            self.network.vertices[vertex].bytes = storable(value);
        }
        vertex
    }

    /// Returns true if every lane has a value in its register for as long as the loop runs.
    fn is_known(
        &mut self,
        facts: &Facts<'_>,
        region: &Region,
        arrival: &Arrival,
        named: &EntitySet<Reg>,
        value: Value,
    ) -> bool {
        if self.known.contains_key(&value) {
            return true;
        }
        let reg = facts.values.reg(value);
        // Alive at the entry and not written in the loop, the register holds it in the whole loop; else it must be all that is ever
        // written to the register.
        let only = || matches!(facts.values.kind(value), ValueKind::Def(..)) && context::defs_of(facts, reg) == 1;
        let lasting = facts.values.live_in(region.entry, reg) == Some(value) || only();
        let plain = named.contains(reg) && rematerializable::is_scalar(facts, reg);
        let undefined = matches!(facts.values.kind(value), ValueKind::Undefined(_));
        let mut moved = Vec::new();
        let known = plain && lasting && !undefined && context::why(facts, region, arrival, value, &mut moved).is_none();
        if known {
            self.known.insert(value, moved);
        }
        known
    }

    /// The inputs of a step that every lane knows, each with what has to be moved up for that.
    fn known_inputs(&self, facts: &Facts<'_>, step: Step) -> Vec<(Reg, &[Inst])> {
        let uses = self.chain(step).iter().flat_map(|&inst| facts.values.uses(inst));
        uses.filter_map(|(reg, value)| Some((*reg, self.known.get(value)?.as_slice()))).collect()
    }

    /// The instructions of a step, in order.
    fn chain(&self, step: Step) -> &[Inst] {
        match &self.computations[step] {
            Computation::One(inst) => std::slice::from_ref(inst),
            Computation::Follows(_, derived) => &derived.chain,
        }
    }

    /// Returns the reason why a vertex is stored.
    fn reason(&self, facts: &Facts<'_>, vertex: Vertex) -> Stored {
        if let Some(obstacle) = &self.obstacles[vertex] {
            return Stored::Obstacle(obstacle.clone());
        }
        let mut seen = vec![vertex];
        let mut next = 0;
        while let Some(&vertex) = seen.get(next) {
            next += 1;
            let Some(step) = self.network.vertices[vertex].step else {
                if self.network.vertices[vertex].bytes.is_none() {
                    return Stored::Overwritten(
                        facts.kernel.reg_name(facts.values.reg(self.values[vertex])).to_owned(),
                    );
                }
                continue;
            };
            for &input in &self.network.steps[step].inputs {
                if !seen.contains(&input) {
                    seen.push(input);
                }
            }
        }
        Stored::Cheapest
    }

    /// Returns what is said of a value that is computed again.
    fn recomputed(&self, facts: &Facts<'_>, cut: &Cut, vertex: Vertex, ty: Type) -> Recomputed {
        let (mut stored, mut known, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut work = vec![vertex];
        while let Some(vertex) = work.pop() {
            let step = self.network.vertices[vertex].step.filter(|_| !cut.stores(vertex));
            let Some(step) = step else {
                stored.push(facts.values.reg(self.values[vertex]));
                continue;
            };
            if !steps.contains(&step) {
                steps.push(step);
                work.extend(self.network.steps[step].inputs.iter().copied());
                known.extend(self.known_inputs(facts, step).into_iter().map(|(reg, _)| reg));
            }
        }
        let mut from = Vec::new();
        for reg in stored.into_iter().chain(known) {
            if !from.contains(&reg) {
                from.push(reg);
            }
        }
        let operations = steps.into_iter().map(|step| self.network.steps[step].operations).sum();
        Recomputed { reg: facts.values.reg(self.values[vertex]), ty, from, operations }
    }

    /// Returns what has to be written to do a step again.
    fn repeated_values(&self, facts: &Facts<'_>, cut: &Cut, step: Step) -> Vec<Rematerialization> {
        let place = |&(reg, value): &(Reg, Value)| match self.vertex_of.get(&value) {
            Some(&vertex) if self.network.vertices[vertex].needed || cut.stores(vertex) => (reg, Holder::Copy(reg)),
            None if self.known.contains_key(&value) => (reg, Holder::Known(reg)),
            _ => (reg, Holder::Own(value)),
        };
        let (follower, derived) = match &self.computations[step] {
            &Computation::One(inst) => {
                let inputs = facts.values.uses(inst).iter().map(place).collect();
                let results = facts.values.defs(inst).iter().map(place).collect();
                return vec![Rematerialization { inst, inputs, results }];
            }
            Computation::Follows(follower, derived) => (follower, derived),
        };
        let (Derived { from, start, chain, .. }, made) = (derived, derived.made(facts));
        let input = |&(reg, value): &(Reg, Value)| match derived_induction::copied(facts, value) == *start {
            true => (reg, Holder::Copy(facts.values.reg(*from))),
            false if made.contains(&value) => (reg, Holder::Follows(*follower, value)),
            false => place(&(reg, value)),
        };
        let result = |inst: Inst, &(reg, value): &(Reg, Value)| match chain.last() == Some(&inst) {
            true => (reg, Holder::Copy(facts.values.reg(*follower))),
            false => (reg, Holder::Follows(*follower, value)),
        };
        let again = |&inst: &Inst| Rematerialization {
            inst,
            inputs: facts.values.uses(inst).iter().map(input).collect(),
            results: facts.values.defs(inst).iter().map(|def| result(inst, def)).collect(),
        };
        chain.iter().map(again).collect()
    }
}
