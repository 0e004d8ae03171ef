//! All runs of a program on a reconvergence stack, for whichever side of a branch goes first and in whatever order lanes of one instruction
//! come to memory.

use rustc_hash::FxHashMap;

use super::code::{Code, Next};

/// More states than this are not searched.
const MOST_STATES: usize = 100_000;

/// Silent operations in a row after which lanes are taken to go round for ever.
const MOST_SILENT: usize = 10_000;

/// Lanes that go on at a place until they come to where they meet others.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Entry {
    at: usize,
    meets: usize,
    lanes: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The last one runs.
    stack: Vec<Entry>,
    registers: Vec<Vec<u32>>,
    words: Vec<u32>,
}

/// Returns whether a program may run for ever on a stack, from what the words are at first; `None` if there are too many states.
#[must_use]
pub fn hangs_on_stack(code: &Code, lanes: usize, words: &[u32]) -> Option<bool> {
    let all = (1 << lanes) - 1;
    // Nobody meets behind the end.
    let entry = Entry { at: 0, meets: usize::MAX, lanes: all };
    let start = State { stack: vec![entry], registers: vec![vec![0; code.registers()]; lanes], words: words.to_vec() };
    // Depth first: a state that is on the path already closes a cycle.
    let mut on_path: FxHashMap<State, bool> = FxHashMap::default();
    let mut path: Vec<(State, Vec<State>)> = Vec::new();
    let Some(next) = successors(code, start.clone()) else { return Some(true) };
    on_path.insert(start.clone(), true);
    path.push((start, next));
    while let Some((_, next)) = path.last_mut() {
        match next.pop() {
            Some(state) => match on_path.get(&state) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => {
                    let Some(next) = successors(code, state.clone()) else { return Some(true) };
                    on_path.insert(state.clone(), true);
                    path.push((state, next));
                    if on_path.len() > MOST_STATES {
                        return None;
                    }
                }
            },
            None => {
                if let Some((state, _)) = path.pop() {
                    on_path.insert(state, false);
                }
            }
        }
    }
    Some(false)
}

/// The states behind the next choice; none at the end, `None` if lanes go round without a choice.
fn successors(code: &Code, mut state: State) -> Option<Vec<State>> {
    for _ in 0..MOST_SILENT {
        while state.stack.last().is_some_and(|top| top.lanes == 0 || top.at == top.meets) {
            state.stack.pop();
        }
        let Some(top) = state.stack.last_mut() else { return Some(Vec::new()) };
        let (at, running) = (top.at, lanes(top.lanes));
        match code.next(at) {
            Next::End => {
                let ended = top.lanes;
                state.stack.iter_mut().for_each(|entry| entry.lanes &= !ended);
            }
            Next::Silent => {
                for &lane in &running {
                    top.at = code.step(at, lane, &mut state.registers[lane], &mut state.words);
                }
            }
            Next::Branch => {
                let (mut taken, mut left) = (0, 0);
                let mut target = at + 1;
                for &lane in &running {
                    let next = code.step(at, lane, &mut state.registers[lane], &mut state.words);
                    match next == at + 1 {
                        true => left |= 1 << lane,
                        false => (taken, target) = (taken | 1 << lane, next),
                    }
                }
                if taken == 0 || left == 0 {
                    top.at = if taken == 0 { at + 1 } else { target };
                    continue;
                }
                return Some(both_orders(code, &state, [(target, taken), (at + 1, left)]));
            }
            Next::Access => return Some(all_orders(code, &state, at, &running)),
        }
    }
    None
}

/// The lanes of a mask.
fn lanes(mask: u32) -> Vec<usize> {
    (0..32).filter(|&lane| mask >> lane & 1 != 0).collect()
}

/// Two sides of a branch, either first.
fn both_orders(code: &Code, state: &State, sides: [(usize, u32); 2]) -> Vec<State> {
    let mut below = state.clone();
    let Some(top) = below.stack.pop() else { return Vec::new() };
    let meets = code.meets(top.at);
    // Lanes that would only wait where the ones below do need no entry.
    if meets != top.meets && meets != code.end() {
        below.stack.push(Entry { at: meets, ..top });
    }
    let meets = if meets == code.end() { usize::MAX } else { meets };
    let with = |sides: [(usize, u32); 2]| {
        let mut state = below.clone();
        state.stack.extend(sides.map(|(at, lanes)| Entry { at, meets, lanes }));
        state.forget(code);
        state
    };
    vec![with(sides), with([sides[1], sides[0]])]
}

/// Lanes that access memory in one instruction, in every order.
fn all_orders(code: &Code, state: &State, at: usize, running: &[usize]) -> Vec<State> {
    let mut found: Vec<State> = Vec::new();
    for order in orders(running) {
        let mut after = state.clone();
        for lane in order {
            code.step(at, lane, &mut after.registers[lane], &mut after.words);
        }
        if let Some(top) = after.stack.last_mut() {
            top.at = at + 1;
        }
        after.forget(code);
        if !found.contains(&after) {
            found.push(after);
        }
    }
    found
}

fn orders(lanes: &[usize]) -> Vec<Vec<usize>> {
    let Some((&first, rest)) = lanes.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, first);
            all.push(order);
        }
    }
    all
}

impl State {
    /// Sets registers to 0 that lanes do not read any more.
    fn forget(&mut self, code: &Code) {
        let mut seen = 0;
        for entry in self.stack.iter().rev() {
            for lane in lanes(entry.lanes & !seen) {
                code.forget(entry.at, &mut self.registers[lane]);
            }
            seen |= entry.lanes;
        }
        for (lane, registers) in self.registers.iter_mut().enumerate() {
            if seen >> lane & 1 == 0 {
                registers.fill(0);
            }
        }
    }
}
