//! Decides what stands where in the text: the markers of each directive.
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
//! becomes, with `«…»` for the inline assembler of a marker,
//!
//! ```text
//!
//!   «loop 2» _Pragma("unroll 1") while (p) { «step_begin 2 loop 1 line 5» { p = next(p); ++steps; } }
//!   out[i] = steps;
//!  «step_end 2» }
//! ```

use std::collections::{HashMap, HashSet};

use crate::directives::Parsed;
use crate::emit::{Edits, Markers, ROLLED};
use crate::error::Error;
use crate::parameters::{Parameter, parameters};
use crate::placement::{Placed, Site};
use crate::tree::{CaseBody, NodeId, NodeKind};
use crate::{Directive, Kind, Marking, Options};

/// A directive, and the statement that it marks.
pub(crate) struct Marked {
    pub(crate) directive: Directive,
    placed: Placed,
}

/// Finds what each directive marks, and numbers the directives from 1 in textual order.
pub(crate) fn resolve(site: &Site<'_, '_>, parsed: &[Parsed], errors: &mut Vec<Error>) -> Vec<Marked> {
    let placed = site.place(parsed, errors);
    let marks_loop = |kind: Kind| matches!(kind, Kind::For { .. } | Kind::Grid { .. });
    let is_loop = |one: &Placed| marks_loop(one.parsed.kind);
    let is_placed = |parsed: &Parsed| placed.iter().any(|one| one.parsed.at == parsed.at);
    let lost: Vec<&Parsed> = parsed.iter().filter(|parsed| marks_loop(parsed.kind) && !is_placed(parsed)).collect();
    let ids: HashMap<NodeId, u32> =
        (1..).zip(&placed).filter(|(_, one)| is_loop(one)).map(|(id, one)| (one.node, id)).collect();
    let enclosing = |one: &Placed| site.enclosing_loop(one, &ids);
    // A loop with something marked in it is no part of another one.
    let outermost: HashSet<NodeId> = placed.iter().filter_map(enclosing).collect();
    let mut all = Vec::new();
    for (id, one) in (1..).zip(placed) {
        let outer = enclosing(&one);
        let part = match one.parsed.kind {
            Kind::Grid { .. } => false,
            Kind::For { .. } => outer.is_some() && !outermost.contains(&one.node),
            Kind::If | Kind::Case | Kind::While | Kind::Recursive => true,
        };
        if part && outer.is_none() {
            // Where the directive of the loop is wrong itself, that is all there is to mend.
            if !lost.iter().any(|lost| lost.next < one.parsed.next && site.function(lost) == site.function(&one.parsed))
            {
                errors.push(Error::IfOutsideLoop { at: one.parsed.at, directive: one.parsed.kind.name() });
            }
            continue;
        }
        let probability = one.parsed.probability.map(|(_, at)| ("probability", at));
        let independent = one.parsed.independent.map(|at| ("independent", at));
        if !part {
            let options = probability.into_iter().chain(independent);
            errors.extend(options.map(|(option, at)| Error::NoPath { at, option }));
        }
        let mut directive = describe(site, &one, id);
        if let (true, Some(outer)) = (part, outer) {
            directive.loop_id = ids.get(&outer).copied();
        }
        all.push(Marked { directive, placed: one });
    }
    all
}

/// The changes that put the markers into the text, and the declarations that they need in front of it.
pub(crate) fn edits(site: &Site<'_, '_>, source: &str, all: &[Marked], options: Options<'_>) -> (Edits, String) {
    let (mut edits, mut markers) = (Edits::default(), Markers::new(options));
    for Marked { directive, placed } in all {
        placed.parsed.ranges.iter().for_each(|&range| edits.remove(source, range));
        if options.without.contains(&directive.loop_id.unwrap_or(directive.id)) {
            continue;
        }
        if options.marking == Marking::Rolled {
            placed.unrolling.iter().for_each(|&range| edits.remove(source, range));
        }
        let outer = all.iter().find(|outer| Some(outer.directive.id) == directive.loop_id);
        let accumulators = outer.map_or(&[][..], |outer| &outer.directive.reduce);
        markers.may_be_constant(site.may_be_constant(&placed.parsed));
        Writer { site, marking: options.marking, edits: &mut edits, markers: &mut markers }.mark(
            placed,
            directive,
            accumulators,
        );
    }
    (edits, markers.declarations())
}

/// Returns true if a directive marks a loop that is run in steps.
fn is_steps(directive: &Directive) -> bool {
    directive.kind == Kind::While || (matches!(directive.kind, Kind::For { .. }) && directive.loop_id.is_some())
}

fn describe(site: &Site<'_, '_>, one: &Placed, id: u32) -> Directive {
    Directive {
        kind: one.parsed.kind,
        id,
        file: one.parsed.at.file,
        line: one.parsed.at.position.line as usize,
        column: one.parsed.at.position.column as usize,
        target_line: match one.parsed.kind {
            Kind::Grid { .. } => one.parsed.at.position.line as usize,
            _ => site.places.line(site.code.start(one.first)),
        },
        block: one.parsed.block,
        probability: one.parsed.probability.map(|(share, _)| share),
        reduce: one.parsed.reduce.clone(),
        independent: one.parsed.independent.is_some(),
        loop_id: None,
        host_function: site.host_function(&one.parsed),
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

/// Writes the markers of one directive.
struct Writer<'w, 'a, 's> {
    site: &'w Site<'a, 's>,
    marking: Marking,
    edits: &'w mut Edits,
    markers: &'w mut Markers,
}

impl Writer<'_, '_, '_> {
    fn marker(&mut self, text: &str) -> String {
        self.markers.marker(text)
    }

    /// Puts text around some tokens, in front of the pragmas that are about them.
    fn wrap(&mut self, depth: usize, (first, last): (usize, usize), open: String, close: String) {
        let (start, open) = self.opening(first, open);
        self.edits.wrap(depth, (start, self.site.code.end(last)), open, close);
    }

    /// The byte in front of a token and of the pragmas that are about it, and what stands there so that it touches no word.
    fn opening(&self, first: usize, open: String) -> (usize, String) {
        let start = self.site.front(first);
        let apart = if start == self.site.code.start(first) { "" } else { " " };
        (start, format!("{apart}{open}"))
    }

    /// Keeps the compiler from unrolling the loop whose keyword is token `first`.
    fn roll(&mut self, depth: usize, first: usize) {
        if self.marking == Marking::Rolled {
            let at = self.site.code.start(first);
            self.edits.wrap(depth, (at, at), ROLLED.to_owned(), String::new());
        }
    }

    /// Names the parameters of the kernel that a directive stands in.
    fn parameters(&self, one: &Placed) -> String {
        let site = self.site;
        let function = site.tree.function(Some(one.node)).map(|id| site.tree.kind(id));
        let Some(NodeKind::Function { parameters: Some(open), .. }) = function else { return String::new() };
        let text = |one: &Parameter<'_>| format!("{}{}", if one.restricted { "*" } else { "" }, one.name);
        let names: Vec<String> = parameters(site.code, *open).iter().map(text).collect();
        if names.is_empty() { String::new() } else { format!(" parameters {}", names.join(",")) }
    }

    fn mark(&mut self, one: &Placed, directive: &Directive, accumulators: &[String]) {
        // Nodes are in source order, each before those inside it; between two there is room for what belongs to the first.
        let site = self.site;
        let (depth, node) = (2 * one.node, site.tree.node(one.node));
        let block = directive.block.map(|n| format!(" block {n}")).unwrap_or_default();
        let (number, line) = (directive.id, directive.target_line);
        if let Kind::Grid { blocks } = directive.kind {
            let blocks = blocks.map(|n| format!(" blocks {n}")).unwrap_or_default();
            let parameters = self.parameters(one);
            let mark = self.marker(&format!("grid {number}{block}{blocks} line {line}{parameters}"));
            let (at, mark) = self.opening(one.parsed.next, mark);
            return self.edits.wrap(depth, (at, at), mark, String::new());
        }
        let Some(outer) = directive.loop_id else {
            let constant = if directive.kind == (Kind::For { constant: true }) { " const" } else { "" };
            let reduce: String = directive.reduce.iter().map(|one| format!(" reduce {one}")).collect();
            let parameters = self.parameters(one);
            let open = self.marker(&format!("for_begin {number}{constant}{block}{reduce} line {line}{parameters}"));
            let close = self.marker(&format!("for_end {number}"));
            self.wrap(depth, (node.first, node.last), format!("{{ {open}"), format!(" {close}}}"));
            return self.roll(depth, node.first);
        };
        // As short as reads back as the same number.
        let mut probability = directive.probability.map(|share| format!(" probability {share:?}")).unwrap_or_default();
        if directive.independent {
            probability += " independent";
        }
        if directive.kind == Kind::Recursive {
            let before = site.tree.nodes().partition_point(|node| node.first < one.first);
            let depth = (2 * before).saturating_sub(1);
            let begin = self.marker(&format!("recursive_begin {number} loop {outer} line {line}{probability}"));
            return self.mark_task(one, (depth, number), begin);
        }
        if let Some((first, last)) = body(site, one.node).filter(|_| is_steps(directive)) {
            let repeated = self.marker(&format!("loop {number}"));
            self.mark_task(one, (depth, number), repeated);
            self.roll(depth, one.first);
            // Iterations of a `for` are independent of each other, so that lanes may share them.
            let shared = if matches!(directive.kind, Kind::For { .. }) { " for" } else { "" };
            let begin = self.marker(&format!("step_begin {number} loop {outer}{shared} line {line}{probability}"));
            return self.wrap(depth + 1, (first, last), format!("{{ {begin}"), " }".to_owned());
        }
        if let Some((first, last, closed)) = marked_tokens(&node.kind) {
            let begin = self.marker(&format!("if_begin {number} loop {outer} line {line}{probability}"));
            let end = self.marker(&format!("if_end {number}"));
            // The compiler neither computes an accumulator in the path from what it was elsewhere, nor moves an update out.
            let names = accumulators.iter().filter_map(|one| one.split_once(':'));
            let parts: String = names.map(|(_, name)| self.markers.keep(&format!("part {name}"), name)).collect();
            let (brace, behind) = if closed { ("{ ", "}") } else { ("", "") };
            self.wrap(depth, (first, last), format!("{brace}{begin}{parts}"), format!(" {parts}{end}{behind}"));
        }
    }

    /// Puts markers before a statement and where its task ends. `ids` are the depth of the change and the directive's number.
    fn mark_task(&mut self, one: &Placed, ids: (usize, u32), begin: String) {
        let ((depth, number), site) = (ids, self.site);
        let (start, begin) = self.opening(one.first, begin);
        let end = self.marker(&format!("step_end {number}"));
        let (to, open, close) = match task_end(site, one.first) {
            TaskEnd::Block(close) => (site.code.start(close), begin, format!(" {end}")),
            TaskEnd::Case(last) => (site.code.end(last), begin, format!(" {end}")),
            TaskEnd::Statement(last) => (site.code.end(last), format!("{{ {begin}"), format!(" {end}}}")),
        };
        self.edits.wrap(depth, (start, to), open, close);
    }
}

/// The tokens of the statement that a loop repeats.
fn body(site: &Site<'_, '_>, id: NodeId) -> Option<(usize, usize)> {
    let node = site.tree.node(id);
    let (first, last) = match node.kind {
        NodeKind::For { open } | NodeKind::While { open } => (site.code.mate(open) + 1, node.last),
        NodeKind::Do { behind } => (node.first + 1, behind.saturating_sub(1)),
        _ => return None,
    };
    (first <= last).then_some((first, last))
}

/// The place where the task of a statement ends.
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
    let around = site.tree.around(site.tree.innermost(first)).take_while(|&id| site.tree.node(id).first > open);
    let governs = |&id: &NodeId| match site.tree.kind(id) {
        NodeKind::Function { .. } | NodeKind::Label | NodeKind::Case { .. } => false,
        _ => site.tree.node(id).first < first,
    };
    if around.into_iter().any(|id| governs(&id)) {
        return TaskEnd::Statement(site.statement_end(first));
    }
    let case = site.tree.nodes().iter().rev().filter(|node| (open..first).contains(&node.first)).find_map(|node| {
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
