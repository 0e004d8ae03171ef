//! The points where AWARE's lanes may meet ([`ssde_ptx::meetings`]), as a launch is told them: by labels.
//!
//! A safe point may lie in the middle of straight-line code, so that a label is put there: at the beginning of its line, so that all lines keep
//! their numbers.

use device::{Branch, Reconvergence};
use ssde_ptx::Meeting;

/// A text with labels at the points, and what a launch of it is told.
#[must_use]
pub fn labelled(ptx: &str, meetings: &[Meeting]) -> (String, Vec<Reconvergence>) {
    let name = |line: u32| format!("$pxrw_meet_{line}");
    let mut text = String::with_capacity(ptx.len() + 32 * meetings.len());
    for (number, line) in (1..).zip(ptx.split_inclusive('\n')) {
        if meetings.iter().any(|meeting| meeting.point == Some(number)) {
            text += &name(number);
            text += ": ";
        }
        text += line;
    }
    let wish =
        |meeting: &Meeting| Reconvergence { branch: Branch::Line(meeting.branch), point: meeting.point.map(name) };
    (text, meetings.iter().map(wish).collect())
}

#[cfg(test)]
mod tests {
    use ptx_parser::Module;
    use ssde_ptx::meetings;

    use super::*;

    /// Figure 1 of the paper.
    const LOCK: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 lock;\n.entry k() {\n\
        .reg .pred %p<2>; .reg .b32 %r<4>;\n\
        LOOP:\n\
        atom.global.cas.b32 %r1, [lock], 0, 1;\n\
        setp.ne.u32 %p1, %r1, 0;\n\
        @%p1 bra LOOP;\n\
        atom.global.exch.b32 %r2, [lock], 0;\n\
        mov.u32 %r3, 0;\n\
        ret;\n}\n";

    #[test]
    fn lanes_meet_behind_the_release_and_lines_keep_their_numbers() {
        let module = Module::parse(LOCK).unwrap();
        let found = meetings(module.kernel("k").unwrap());
        assert_eq!(found, [Meeting { branch: 10, point: Some(12) }]);
        let (text, wishes) = labelled(LOCK, &found);
        assert!(text.contains("\n$pxrw_meet_12: mov.u32 %r3, 0;\n"), "{text}");
        assert_eq!(text.lines().count(), LOCK.lines().count());
        assert_eq!(wishes[0].point.as_deref(), Some("$pxrw_meet_12"));
    }
}
