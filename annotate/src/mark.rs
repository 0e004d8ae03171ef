//! What goes where in the text: the markers of each directive.
//!
//! A loop that is run in steps is marked in its body, where its iterations begin. Its task ends where the block ends that the loop
//! stands in, because what follows there may use what the steps leave:
//!
//! ```text
//!   #CCC while
//!   while (p) { p = next(p); ++steps; }
//!   out[i] = steps;
//! }
//! ```
//!
//! becomes
//!
//! ```text
//!
//!   __CCC_LOOP("loop 2") while (p) { __CCC_MARK("step_begin 2 loop 1 line 5") { p = next(p); ++steps; } }
//!   out[i] = steps;
//!  __CCC_MARK("step_end 2")}
//! ```

use std::collections::{HashMap, HashSet};

use crate::directives::Parsed;
use crate::emit::Edits;
use crate::error::Error;
use crate::lexer::Line;
use crate::pin::Pins;
use crate::place::{Placed, Site};
use crate::tree::{CaseBody, NodeId, NodeKind};
use crate::{Directive, Kind};

/// The changes that the directives ask for, numbered from `first`, and what is said of them.
pub(crate) fn mark_all(
    source: &str,
    (site, pins): (&Site<'_, '_>, &Pins<'_, '_>),
    parsed: &[Parsed],
    first: u32,
    errors: &mut Vec<Error>,
) -> (Edits, Vec<Directive>) {
    let placed = site.place(parsed, errors);
    let mut edits = Edits::default();
    let mut directives = Vec::new();
    let is_loop = |one: &Placed| matches!(one.parsed.kind, Kind::For { .. } | Kind::Grid { .. });
    let ids: HashMap<NodeId, u32> =
        (first..).zip(&placed).filter(|(_, one)| is_loop(one)).map(|(id, one)| (one.node, id)).collect();
    let enclosing = |one: &Placed| site.enclosing_loop(one, &ids);
    // A loop with something marked in it is no part of another one.
    let outermost: HashSet<NodeId> = placed.iter().filter_map(enclosing).collect();
    for (id, one) in (first..).zip(&placed) {
        let outer = enclosing(one);
        let part = match one.parsed.kind {
            Kind::Grid { .. } => false,
            Kind::For { .. } => outer.is_some() && !outermost.contains(&one.node),
            Kind::If | Kind::Case | Kind::While | Kind::Recursive => true,
        };
        if part && outer.is_none() {
            errors.push(Error::IfOutsideLoop { at: one.parsed.at, directive: one.parsed.kind.name() });
            continue;
        }
        if let (false, Some((_, at))) = (part, one.parsed.probability) {
            errors.push(Error::NoPath { at });
        }
        let mut directive = describe(site, one, id);
        if let (true, Some(outer)) = (part, outer) {
            directive.loop_id = ids.get(&outer).copied();
            let copied = match body(site, one.node).filter(|_| is_steps(&directive)) {
                Some(body) => pins.own_variable(one.node, body),
                None => pins.variable(outer, one.node),
            };
            directive.copied = copied.map(str::to_owned);
        }
        for &range in &one.removed {
            edits.remove(source, range);
        }
        let reduced = directives.iter().find(|outer: &&Directive| Some(outer.id) == directive.loop_id);
        let parts = reduced.map(|outer| parts(&outer.reduce)).unwrap_or_default();
        mark_one(site, one, &directive, &parts, &mut edits);
        directives.push(directive);
    }
    (edits, directives)
}

/// The changes that take the directives out, and leave the rest as it is.
pub(crate) fn removed(source: &str, lines: &[Line], parsed: &[Parsed]) -> Edits {
    let mut edits = Edits::default();
    for range in parsed.iter().flat_map(|directive| directive.ranges(lines)) {
        edits.remove(source, range);
    }
    edits
}

/// Whether a directive marks a loop that is run in steps.
fn is_steps(directive: &Directive) -> bool {
    directive.kind == Kind::While || (matches!(directive.kind, Kind::For { .. }) && directive.loop_id.is_some())
}

fn describe(site: &Site<'_, '_>, one: &Placed, id: u32) -> Directive {
    Directive {
        kind: one.parsed.kind,
        id,
        line: one.parsed.at.line,
        column: one.parsed.at.column,
        target_line: match one.parsed.kind {
            Kind::Grid { .. } => one.parsed.at.line,
            _ => site.places.line(site.code.start(one.first)),
        },
        block: one.parsed.block,
        probability: one.parsed.probability.map(|(share, _)| share),
        reduce: one.parsed.reduce.clone(),
        loop_id: None,
        copied: None,
        notes: one.notes.clone(),
    }
}

/// The tokens of a marked path, and whether braces may stand around them.
fn marked_tokens(kind: &NodeKind) -> Option<(usize, usize, bool)> {
    match *kind {
        NodeKind::If { then: (first, last) } => Some((first, last, true)),
        NodeKind::Case { body: CaseBody { tokens: Some((first, last)), closed } } => Some((first, last, closed)),
        _ => None,
    }
}

/// What keeps accumulators in their registers where a marked path begins and ends.
fn parts(reduce: &[String]) -> String {
    let names = reduce.iter().filter_map(|one| one.split_once(':'));
    names.map(|(_, name)| format!("__CCC_PIN(\"part {name}\", {name}) ")).collect()
}

fn mark_one(site: &Site<'_, '_>, one: &Placed, directive: &Directive, parts: &str, edits: &mut Edits) {
    // Nodes are in source order, each before those inside it; between two there is room for what belongs to the first.
    let (depth, node) = (2 * one.node, &site.tree.nodes[one.node]);
    let block = directive.block.map(|n| format!(" block {n}")).unwrap_or_default();
    let bytes = |first, last| (site.code.start(first), site.code.end(last));
    let (number, line) = (directive.id, directive.target_line);
    if let Kind::Grid { blocks } = directive.kind {
        let blocks = blocks.map(|n| format!(" blocks {n}")).unwrap_or_default();
        let at = site.code.start(site.lines[one.parsed.line].next);
        let mark = format!("__CCC_MARK(\"grid {number}{block}{blocks} line {line}\") ");
        return edits.wrap(depth, (at, at), mark, String::new());
    }
    let Some(outer) = directive.loop_id else {
        let constant = if directive.kind == (Kind::For { constant: true }) { " const" } else { "" };
        let reduce: String = directive.reduce.iter().map(|one| format!(" reduce {one}")).collect();
        let open = format!("{{ __CCC_LOOP(\"for_begin {number}{constant}{block}{reduce} line {line}\") ");
        let close = format!(" __CCC_MARK(\"for_end {number}\") }}");
        return edits.wrap(depth, bytes(node.first, node.last), open, close);
    };
    // As short as reads back as the same number.
    let probability = directive.probability.map(|share| format!(" probability {share:?}")).unwrap_or_default();
    if directive.kind == Kind::Recursive {
        let before = site.tree.nodes.partition_point(|node| node.first < one.first);
        let depth = (2 * before).saturating_sub(1);
        let begin = format!("__CCC_MARK(\"recursive_begin {number} loop {outer} line {line}{probability}\") ");
        return mark_task(site, one, (depth, number), begin, edits);
    }
    if let Some((first, last)) = body(site, one.node).filter(|_| is_steps(directive)) {
        mark_task(site, one, (depth, number), format!("__CCC_LOOP(\"loop {number}\") "), edits);
        // Iterations of a `for` are independent of each other, so that lanes may share them.
        let shared = if matches!(directive.kind, Kind::For { .. }) { " for" } else { "" };
        let (open, inner) =
            begin(&format!("step_begin {number} loop {outer}{shared} line {line}{probability}"), directive);
        return edits.wrap(depth + 1, bytes(first, last), format!("{{ {open}"), format!("{inner} }}"));
    }
    if let Some((first, last, closed)) = marked_tokens(&node.kind) {
        let (open, inner) = begin(&format!("if_begin {number} loop {outer} line {line}{probability}"), directive);
        let (brace, end) = if closed { ("{ ", " }") } else { ("", "") };
        let close = format!("{inner} {parts}__CCC_MARK(\"if_end {number}\"){end}");
        edits.wrap(depth, bytes(first, last), format!("{brace}{open}{parts}"), close);
    }
}

/// The marker that begins a path, with the path's copy of the loop variable, and what closes the copy's scope.
fn begin(text: &str, directive: &Directive) -> (String, &'static str) {
    match &directive.copied {
        Some(name) => {
            let copy = format!("__ccc_{name}_{}", directive.id);
            let pin = format!("auto {copy} = {name}; __CCC_PIN(\"{text}\", {copy})");
            (format!("{pin} {{ const auto {name} = {copy}; "), " }")
        }
        None => (format!("__CCC_MARK(\"{text}\") "), ""),
    }
}

/// The tokens of the statement that a loop repeats.
fn body(site: &Site<'_, '_>, id: NodeId) -> Option<(usize, usize)> {
    let node = &site.tree.nodes[id];
    let (first, last) = match node.kind {
        NodeKind::For { open } | NodeKind::While { open } => (site.code.mate(open) + 1, node.last),
        NodeKind::Do { behind } => (node.first + 1, behind.saturating_sub(1)),
        _ => return None,
    };
    (first <= last).then_some((first, last))
}

/// Puts markers before a statement and where its task ends. `ids` are the depth of the change and the directive's number.
fn mark_task(site: &Site<'_, '_>, one: &Placed, ids: (usize, u32), begin: String, edits: &mut Edits) {
    let (depth, number) = ids;
    let start = site.code.start(one.first);
    let end = format!(" __CCC_MARK(\"step_end {number}\")");
    match task_end(site, one.first) {
        TaskEnd::Block(close) => edits.wrap(depth, (start, site.code.start(close)), begin, end),
        TaskEnd::Case(last) => edits.wrap(depth, (start, site.code.end(last)), begin, end),
        TaskEnd::Statement(last) => {
            edits.wrap(depth, (start, site.code.end(last)), format!("{{ {begin}"), format!("{end} }}"));
        }
    }
}

/// Where the task of a statement ends.
enum TaskEnd {
    /// Before the `}` of the block that the statement is in.
    Block(usize),
    /// Behind the last token of the case that it is in.
    Case(usize),
    /// Behind the statement: it is all that a loop or a condition governs.
    Statement(usize),
}

fn task_end(site: &Site<'_, '_>, first: usize) -> TaskEnd {
    let mut at = first;
    let open = loop {
        let Some(before) = at.checked_sub(1) else { break 0 };
        match site.code.text(before) {
            ")" | "]" | "}" => at = site.code.mate(before),
            "{" => break before,
            _ => at = before,
        }
    };
    // What governs the statement alone stands in the same block.
    let around = site.tree.around(site.tree.innermost(first)).take_while(|&id| site.tree.nodes[id].first > open);
    let governs = |&id: &NodeId| match site.tree.nodes[id].kind {
        NodeKind::Function { .. } | NodeKind::Label | NodeKind::Case { .. } => false,
        _ => site.tree.nodes[id].first < first,
    };
    if around.into_iter().any(|id| governs(&id)) {
        return TaskEnd::Statement(statement_end(site, first));
    }
    let case = site.tree.nodes.iter().rev().filter(|node| (open..first).contains(&node.first)).find_map(|node| {
        match node.kind {
            NodeKind::Case { body: CaseBody { tokens: Some((begin, last)), .. } }
                if begin <= first && first <= last =>
            {
                Some(last)
            }
            _ => None,
        }
    });
    case.map_or_else(|| TaskEnd::Block(site.code.mate(open)), TaskEnd::Case)
}

/// The last token of a statement.
fn statement_end(site: &Site<'_, '_>, first: usize) -> usize {
    if let Some(id) = site.tree.statement(first) {
        return site.tree.nodes[id].last;
    }
    let mut at = first;
    while at < site.code.len() && !matches!(site.code.text(at), ";" | "}") {
        at = site.code.mate(at).max(at) + 1;
    }
    at.min(site.code.len().saturating_sub(1))
}
