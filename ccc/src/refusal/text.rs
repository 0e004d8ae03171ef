//! The texts of refusals that name places beside the one that they are about, in whatever words these are given.

use super::Refusal;
use crate::access_pair::AccessPair;
use crate::origin::Origin;

impl Refusal {
    /// The reason, with the places that it names in the words of `place`.
    #[must_use]
    pub fn text(&self, place: impl Fn(Origin) -> String) -> String {
        use Refusal::*;
        let both = |accesses: &AccessPair, text: fn(&str, &str) -> String| {
            text(&accesses.path.at(&place(accesses.path.at)), &accesses.rest.at(&place(accesses.rest.at)))
        };
        match self {
            Dependent { accesses } => both(accesses, dependent),
            Waits { accesses } => both(accesses, waits),
            SameObject { accesses } => both(accesses, same_object),
            Assumed { accesses } => both(accesses, assumed),
            Carried { accesses } => both(accesses, carried),
            Again { accesses } => both(accesses, repeated_accesses),
            EscapedLocal { opcode, escape, .. } => escaped(opcode, &place(*escape)),
            Nested { outer } => nested(&place(*outer)),
            InTask { outer } => in_task(&place(*outer)),
            SharedRest { outer } => shared_rest(&place(*outer)),
            other => other.to_string(),
        }
    }
}

pub(super) fn dependent(path: &str, rest: &str) -> String {
    format!("{rest} depends on {path} of the marked path, which would run later, and cannot run with it")
}

pub(super) fn waits(path: &str, rest: &str) -> String {
    format!("a loop with {rest} waits for {path} of the marked path, which would run later")
}

pub(super) fn same_object(path: &str, rest: &str) -> String {
    format!("{path} of the marked path and {rest} may meet, and the path would run later")
}

pub(super) fn assumed(path: &str, rest: &str) -> String {
    format!("{path} of the marked path and {rest} may meet, by all that is known, and the path would run later")
}

pub(super) fn carried(path: &str, rest: &str) -> String {
    format!(
        "{path} of the marked path and {rest} are to one place in all iterations of a thread, and the path would run when a later iteration has come there"
    )
}

pub(super) fn repeated_accesses(path: &str, rest: &str) -> String {
    format!(
        "{path} of the marked path may meet {rest} of a later iteration: iterations use the same memory, and the path would run later"
    )
}

pub(super) fn escaped(opcode: &str, escape: &str) -> String {
    format!(
        "`{opcode}` in the marked path may access local memory, which another lane cannot reach: {escape} keeps an address of it"
    )
}

pub(super) fn nested(outer: &str) -> String {
    format!("the marked path is inside the marked path of {outer}, which may come to it several times before it is run")
}

pub(super) fn in_task(outer: &str) -> String {
    format!(
        "the marked path is executed as a part of the marked path of {outer}: what follows that path in its iteration depends on it"
    )
}

pub(super) fn shared_rest(outer: &str) -> String {
    format!(
        "what follows the marked path in its iteration depends on it and on the marked path of {outer}, and can run with one of them only"
    )
}

pub(super) fn local(alone: bool) -> &'static str {
    match alone {
        true => {
            "the marked path uses local memory, and pxrw collects no such path, even where no other code uses that memory"
        }
        false => "the marked path uses local memory, which another lane cannot reach",
    }
}
