use super::super::at;
use super::divergence_tree::MANY;
use super::*;

fn warp(lanes: u32) -> Its {
    let mut its = Its::empty();
    its.start(at(0), lanes, 0);
    its
}

/// A whole round of patience passes.
fn rotation(its: &mut Its) {
    (0..PATIENCE).for_each(|_| its.rotate());
}

#[test]
fn both_sides_meet() {
    let mut its = warp(0b1111);
    its.split(&[(at(1), 0b0011), (at(2), 0b1100)], at(3));
    assert_eq!(its.current(), Some((at(1), 0b0011)));
    its.goto(at(3));
    assert_eq!(its.current(), Some((at(2), 0b1100)));
    its.goto(at(3));
    assert_eq!(its.current(), Some((at(3), 0b1111)));
}

#[test]
fn rotations_choose_whoever_was_chosen_longest_ago() {
    let mut its = warp(0b111);
    its.split(&[(at(1), 0b001), (at(2), 0b010), (at(3), 0b100)], at(9));
    let mut chosen = Vec::new();
    for _ in 0..6 {
        chosen.push(its.current().unwrap().1);
        rotation(&mut its);
    }
    assert_eq!(chosen[..3].iter().fold(0, |all, lane| all | lane), 0b111);
    assert_eq!(chosen[..3], chosen[3..]);
}

#[test]
fn whoever_stood_still_has_a_chance_in_every_turn() {
    let ready = |pc, lanes| Group { pc: at(pc), lanes, state: State::Ready };
    let mut its = Its::adopt(&[ready(1, 0b001), ready(2, 0b010), ready(3, 0b100)]);
    let mut chosen = 0;
    for _ in 0..3 {
        chosen |= its.current().unwrap().1;
        its.rotate();
    }
    assert_eq!(chosen, 0b111);
}

#[test]
fn who_is_released_from_a_barrier_does_not_take_a_turn_that_is_due() {
    let mut its = warp(0b111);
    its.split(&[(at(1), 0b001), (at(2), 0b010), (at(3), 0b100)], at(9));
    its.wait(&[0b001]);
    let spins = its.current().unwrap();
    rotation(&mut its);
    let due = its.current().unwrap();
    assert_ne!(due, spins);
    its.resume(0b001, at(5));
    assert_eq!(its.current(), Some(due));
    // After its turn anybody may go first.
    its.wait(&[due.1]);
    its.rotate();
    its.resume(due.1, at(6));
    assert_eq!(its.current(), Some((at(6), due.1)));
}

#[test]
fn lanes_that_have_arrived_go_on_when_the_others_have_had_their_turns() {
    let mut its = warp(0b1111);
    its.split(&[(at(9), 0b0001), (at(1), 0b0110), (at(2), 0b1000)], at(9));
    assert_eq!(its.groups().iter().filter(|group| group.state == State::Arrived).count(), 1);
    // Two ready groups: the arrived lane goes on at the third rotation.
    rotation(&mut its);
    rotation(&mut its);
    assert!(its.groups().iter().any(|group| (group.lanes, group.state) == (1, State::Arrived)));
    rotation(&mut its);
    assert!(its.groups().iter().any(|group| (group.lanes, group.state) == (1, State::Ready)));
}

/// The lanes leave one by one for meeting points of ever deeper nested branches, until one is left in the innermost; they are
/// let go from there.
fn nest(its: &mut Its, mut lanes: u32, meet: &mut u32) {
    while lanes.count_ones() > 1 {
        let leaving = 1 << (31 - lanes.leading_zeros());
        lanes &= !leaving;
        *meet += 1;
        its.split(&[(at(1), lanes), (at(*meet), leaving)], at(*meet));
        assert_eq!(its.current(), Some((at(1), lanes)));
    }
    while let Some(id) = its.oldest_meeting() {
        its.release(id);
    }
}

#[test]
fn nested_meetings_that_lanes_left_do_not_pile_up() {
    // One lane after the other stays in the innermost of as many nested branches as there are lanes left; the rest comes together
    // as if from a `.sync` operation and begins anew. Without taking out what can be missed that would be 496 meetings.
    let mut its = warp(u32::MAX);
    let mut meet = 100;
    nest(&mut its, u32::MAX, &mut meet);
    for stays in 0..30 {
        let rest = u32::MAX << (stays + 1);
        let alone = |its: &Its| {
            its.nodes.iter().find(|(_, node)| node.kind == Kind::Ready && node.lanes & rest != 0).map(|(id, _)| id)
        };
        while let Some(id) = alone(&its) {
            its.current = id;
            its.wait(&[its.nodes[id].lanes]);
        }
        its.resume(rest, at(1));
        its.current = alone(&its).unwrap();
        nest(&mut its, rest, &mut meet);
        assert!(its.nodes.len() <= MANY + 64, "{}", its.nodes.len());
        assert_eq!(its.groups().iter().fold(0, |all, group| all | group.lanes), u32::MAX);
    }
}
