//! The markers that `annotate` left in the PTX, and the regions that they name.
//!
//! A marker is a comment of its own line:
//!
//! ```text
//! //#CCC for_begin 1 [const] [block 256] [reduce +:sum]… line 12 [parameters in,*out]
//! //#CCC for_end 1
//! //#CCC if_begin 2 loop 1 line 15 [probability 0.25] [independent]
//! //#CCC if_end 2
//! //#CCC step_begin 3 loop 1 [for] line 18 [probability 0.25] [independent]
//! //#CCC recursive_begin 4 loop 1 line 25 [probability 0.25] [independent]
//! //#CCC step_end 3
//! //#CCC grid 5 [block 256] [blocks 528] line 9 [parameters in,*out]
//! //#CCC part sum [ctx %r21]
//! ```
//!
//! `step_begin` stands in the loop whose iterations are steps, with `for` if they are independent of each other; `recursive_begin` before the recursion that became one. nvcc may
//! duplicate a marker (inlining, unswitching); each begin of a path that stands in the text is a region of its own. The text
//! between the markers is never trusted: what the region is, control flow says (see [`crate::region`]).
//!
//! A kernel's markers are read once ([`sites`]), before it is rewritten. A [`Site`] has their ids, which hold in every copy of the kernel and
//! after every edit.

use analysis::{Cfg, Dominators};
use ptx_parser::{Error, Kernel, Marker, Operator, Patch, Stmt, StmtKind};

/// The beginning of the note that says which loop was rewritten; readers and this crate recognise a rewritten loop by it.
pub(crate) const LOOP_NOTE: &str = "#pxrw ccc loop";

/// The kind of code that a directive marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A branch: the marker stands where it begins.
    If,
    /// A loop that is run step by step: the marker stands in it.
    Steps,
    /// One whose steps are independent of each other, so that several lanes may share them.
    FreeSteps,
    /// A recursion that the compiler makes a loop: the marker stands before it.
    Recursion,
}

/// The kind of a marker, with what its text says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MarkerKind {
    ForBegin { id: u32, line: u32, block: Option<u32>, reduce: Vec<Operator>, parameters: Vec<Parameter> },
    ForEnd { id: u32 },
    PathBegin { kind: Kind, id: u32, for_id: u32, line: u32, probability: Option<f64>, independent: bool },
    PathEnd { id: u32 },
    Grid { id: u32, line: u32, block: Option<u32>, blocks: Option<u32>, parameters: Vec<Parameter> },
}

/// A parameter of the kernel, of which PTX knows the number alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// It is a `__restrict__` pointer.
    pub(crate) restricted: bool,
}

/// A marked region of a kernel: its markers, and what they say of it.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The marker that begins it. No other region has it.
    pub(crate) marker: Marker,
    pub(crate) kind: Kind,
    /// Number of the directive in its file.
    pub(crate) id: u32,
    /// Number of the loop's directive.
    pub(crate) for_id: u32,
    /// The user's line of the `if`, the loop or the call.
    pub(crate) line: u32,
    /// The user's line of the `for`, if its marker was found.
    pub(crate) for_line: Option<u32>,
    /// The probability that a lane takes the path in an iteration, from the directive.
    pub(crate) probability: Option<f64>,
    /// Largest CTA, from the directive.
    pub(crate) block: Option<u32>,
    /// The operators of the accumulators that the directive of the loop names, one for each name.
    pub(crate) reduce: Vec<Operator>,
    /// The directive promises that the path and what follows it in its iteration access no memory in common that either writes.
    pub(crate) independent: bool,
    /// The markers that end paths of its number.
    pub(crate) ends: Vec<Marker>,
    /// The marker where its task ends, if what follows the path belongs to it ([`crate::prepare::extend`]).
    pub(crate) task_end: Option<Marker>,
    /// The `for_begin` markers of the loop.
    pub(crate) for_begins: Vec<Marker>,
    /// The index of this region among those of the same number, in the textual order of the kernel as it was given.
    pub(crate) copy: usize,
    /// Index of the `.file` directive that the line is in, where `.loc` says it.
    pub(crate) file: Option<u32>,
}

impl Site {
    /// The same region without what follows its path.
    pub(crate) fn unextended(&self) -> Site {
        Site { task_end: None, ..self.clone() }
    }
}

/// Reads a marker; `None` for comments that are something else.
pub(crate) fn parse(text: &str) -> Option<MarkerKind> {
    let mut words = text.strip_prefix("#CCC")?.split_ascii_whitespace();
    let kind = words.next()?;
    let id = words.next()?.parse().ok()?;
    let words: Vec<&str> = words.collect();
    let value = |name: &str| -> Option<u32> {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1)?.parse().ok()
    };
    let operator = |pair: &[&str]| match pair {
        ["reduce", one] => one.split_once(':').and_then(|(operator, _)| self::operator(operator)),
        _ => None,
    };
    let path = match kind {
        "if_begin" => Some(Kind::If),
        "step_begin" if words.contains(&"for") => Some(Kind::FreeSteps),
        "step_begin" => Some(Kind::Steps),
        "recursive_begin" => Some(Kind::Recursion),
        _ => None,
    };
    if let Some(kind) = path {
        let line = value("line").unwrap_or(0);
        // A share that is none says nothing.
        let share = |pair: &[&str]| match pair {
            ["probability", share] => share.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0),
            _ => None,
        };
        let (probability, independent) = (words.windows(2).find_map(share), words.contains(&"independent"));
        return Some(MarkerKind::PathBegin { kind, id, for_id: value("loop")?, line, probability, independent });
    }
    let parameters = || {
        let at = words.iter().position(|word| *word == "parameters");
        let list = at.and_then(|at| words.get(at + 1)).map_or("", |list| *list);
        let parameter =
            |text: &str| Parameter { name: text.trim_start_matches('*').to_owned(), restricted: text.starts_with('*') };
        list.split(',').filter(|text| !text.is_empty()).map(parameter).collect()
    };
    match kind {
        "for_begin" => {
            let reduce = words.windows(2).filter_map(operator).collect();
            let (line, parameters) = (value("line").unwrap_or(0), parameters());
            Some(MarkerKind::ForBegin { id, line, block: value("block"), reduce, parameters })
        }
        "for_end" => Some(MarkerKind::ForEnd { id }),
        "if_end" | "step_end" => Some(MarkerKind::PathEnd { id }),
        "grid" => {
            let line = value("line").unwrap_or(0);
            let (block, blocks) = (value("block"), value("blocks"));
            Some(MarkerKind::Grid { id, line, block, blocks, parameters: parameters() })
        }
        _ => None,
    }
}

/// The kind of the marker that a statement is, if it is one.
pub(crate) fn of_stmt(kernel: &Kernel, stmt: &Stmt) -> Option<MarkerKind> {
    match stmt.kind {
        StmtKind::Marker(marker) => parse(kernel.marker_text(marker)),
        _ => None,
    }
}

/// All marked regions, in the order of the directives and then of the text, so that an outer one comes before those in it.
pub(crate) fn sites(kernel: &Kernel) -> Vec<Site> {
    let kind = |marker: Marker| Some((kernel.index_of(marker)?, marker, parse(kernel.marker_text(marker))?));
    let mut markers: Vec<(usize, Marker, MarkerKind)> = kernel.markers().filter_map(kind).collect();
    markers.sort_by_key(|&(index, ..)| index);
    let mut sites: Vec<Site> = Vec::new();
    for (index, marker, kind) in &markers {
        let &MarkerKind::PathBegin { kind, id, for_id, line, probability, independent } = kind else { continue };
        let mut site = Site {
            marker: *marker,
            kind,
            id,
            for_id,
            line,
            for_line: None,
            probability,
            block: None,
            reduce: Vec::new(),
            independent,
            ends: Vec::new(),
            task_end: None,
            for_begins: Vec::new(),
            copy: sites.iter().filter(|other| other.id == id).count(),
            file: file_of(kernel, *index, line),
        };
        for (_, marker, kind) in &markers {
            match kind {
                MarkerKind::ForBegin { id, line, block, reduce, .. } if *id == for_id => {
                    site.for_begins.push(*marker);
                    site.for_line = Some(*line);
                    site.block = *block;
                    site.reduce.clone_from(reduce);
                }
                MarkerKind::PathEnd { id: of } if *of == id => site.ends.push(*marker),
                _ => {}
            }
        }
        sites.push(site);
    }
    sites.sort_by_key(|site| (site.id, site.copy));
    sites
}

/// Takes away the comments before the markers that still begin paths: the compiler's `// begin inline asm`. The markers keep their ids.
///
/// # Errors
/// None that a kernel as it was read could cause: a comment fits everywhere.
pub(crate) fn drop_comments(kernel: &mut Kernel, sites: &[Site]) -> Result<(), Error> {
    let mut patch = Patch::new();
    for marker in sites.iter().map(|site| site.marker) {
        if let Some(index) = kernel.index_of(marker) {
            patch.replace(index..index + 1, [kernel.marker_stmt(marker)]);
        }
    }
    kernel.apply(patch)
}

/// Returns how a marker of a loop names the parameters of its kernel.
pub(crate) fn parameters_text(parameters: &[Parameter]) -> String {
    let text = |one: &Parameter| format!("{}{}", if one.restricted { "*" } else { "" }, one.name);
    let names: Vec<String> = parameters.iter().map(text).collect();
    if names.is_empty() { String::new() } else { format!(" parameters {}", names.join(",")) }
}

/// The parameters of the kernel, as its markers name them.
pub(crate) fn parameters(kernel: &Kernel) -> Vec<Parameter> {
    let named = |stmt: &Stmt| match of_stmt(kernel, stmt) {
        Some(MarkerKind::ForBegin { parameters, .. } | MarkerKind::Grid { parameters, .. }) => Some(parameters),
        _ => None,
    };
    kernel.stmts().iter().filter_map(named).find(|parameters| !parameters.is_empty()).unwrap_or_default()
}

/// Returns, for the number and the copy of each marked region, the marker of its loop that it is behind. The compiler copies a path within
/// one loop (unrolling, peeling, versions of a loop), or with the whole loop (inlining at several calls), and then the loop's marker too.
pub(crate) fn loop_markers(kernel: &Kernel, sites: &[Site]) -> Vec<((u32, usize), Marker)> {
    let cfg = Cfg::of(kernel);
    let dominators = Dominators::of(&cfg);
    let loop_marker = |site: &Site| {
        let path = cfg.block_of_stmt(kernel.index_of(site.marker)?)?;
        let above = |marker: Marker| {
            let index = kernel.index_of(marker)?;
            let block = cfg.block_of_stmt(index).filter(|&block| dominators.dominates(block, path))?;
            Some((block, index, marker))
        };
        let behind = site.for_begins.iter().filter_map(|&marker| above(marker));
        // Of those that dominate the path, each two dominate one another.
        let (.., nearest) = behind.reduce(|one, other| match one.0 == other.0 {
            true => one.max(other),
            false if dominators.dominates(one.0, other.0) => other,
            false => one,
        })?;
        Some(((site.id, site.copy), nearest))
    };
    sites.iter().filter_map(loop_marker).collect()
}

/// The file of the position nearest to a statement, which a marker's line is in.
fn file_of(kernel: &Kernel, stmt: usize, line: u32) -> Option<u32> {
    let position = |stmt: &Stmt| match stmt.kind {
        StmtKind::Loc(position) => Some(kernel.loc_of(position)).filter(|loc| loc.line > 0),
        _ => None,
    };
    let (before, after) = kernel.stmts().split_at_checked(stmt)?;
    let (before, after) = (before.iter().rev().find_map(position), after.iter().find_map(position));
    let exact = [before, after].into_iter().flatten().find(|loc| loc.line == line);
    exact.or(before).or(after).map(|loc| loc.file)
}

/// Returns how the directive writes an operator.
pub(crate) fn spelling(operator: Operator) -> &'static str {
    SPELLINGS.iter().find(|(_, known)| *known == operator).map_or("?", |(text, _)| text)
}

/// The operator of a spelling.
pub(crate) fn operator(text: &str) -> Option<Operator> {
    SPELLINGS.iter().find(|(known, _)| *known == text).map(|&(_, operator)| operator)
}

const SPELLINGS: [(&str, Operator); 7] = [
    ("+", Operator::Add),
    ("*", Operator::Multiply),
    ("min", Operator::Min),
    ("max", Operator::Max),
    ("&", Operator::And),
    ("|", Operator::Or),
    ("^", Operator::Xor),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_read_whatever_their_options() {
        let begin = parse("#CCC for_begin 1 const block 256 line 12");
        assert_eq!(
            begin,
            Some(MarkerKind::ForBegin {
                id: 1,
                line: 12,
                block: Some(256),
                reduce: Vec::new(),
                parameters: Vec::new()
            })
        );
        let reduce = vec![Operator::Add, Operator::Min];
        let begin = parse("#CCC for_begin 1 reduce +:sum reduce min:low line 12 parameters line,*block");
        let parameter = |name: &str, restricted| Parameter { name: name.to_owned(), restricted };
        let parameters = vec![parameter("line", false), parameter("block", true)];
        assert_eq!(begin, Some(MarkerKind::ForBegin { id: 1, line: 12, block: None, reduce, parameters }));
        let path = |kind, id, line, probability| {
            let independent = false;
            Some(MarkerKind::PathBegin { kind, id, for_id: 1, line, probability, independent })
        };
        let promised = parse("#CCC if_begin 2 loop 1 line 15 probability 0.5 independent");
        assert!(matches!(promised, Some(MarkerKind::PathBegin { independent: true, .. })), "{promised:?}");
        assert_eq!(parse("#CCC if_begin 2 loop 1 line 15 ctx %r20"), path(Kind::If, 2, 15, None));
        assert_eq!(
            parse("#CCC if_begin 2 loop 1 line 15 probability 1e-3 ctx %r20"),
            path(Kind::If, 2, 15, Some(0.001))
        );
        assert_eq!(parse("#CCC step_begin 2 loop 1 for line 15 ctx %r20"), path(Kind::FreeSteps, 2, 15, None));
        for share in ["0.0", "-1", "1.5", "NaN", "often", ""] {
            let text = format!("#CCC if_begin 2 loop 1 line 15 probability {share}");
            assert_eq!(parse(&text), path(Kind::If, 2, 15, None), "{text}");
        }
        assert_eq!(parse("#CCC recursive_begin 3 loop 1 line 25"), path(Kind::Recursion, 3, 25, None));
        assert_eq!(parse("#CCC if_end 2"), Some(MarkerKind::PathEnd { id: 2 }));
        assert_eq!(parse("#CCC step_end 3"), Some(MarkerKind::PathEnd { id: 3 }));
        assert_eq!(parse("#CCC for_end 7"), Some(MarkerKind::ForEnd { id: 7 }));
        let grid = parse("#CCC grid 3 blocks 528 line 9");
        assert_eq!(
            grid,
            Some(MarkerKind::Grid { id: 3, line: 9, block: None, blocks: Some(528), parameters: Vec::new() })
        );
    }

    #[test]
    fn copies_are_regions_of_their_own_and_known_after_an_edit() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t//#CCC if_begin 3 loop 1 line 19\n\
                    \t//#CCC if_begin 2 loop 1 line 15\n\tret;\n\t//#CCC if_end 2\n\t//#CCC if_begin 2 loop 1 line 15\n\tret;\n}\n";
        let mut module = ptx_parser::Module::parse(text).unwrap();
        let kernel = &mut module.kernels_mut()[0];
        let sites = sites(kernel);
        let found: Vec<(u32, usize, usize)> = sites.iter().map(|site| (site.id, site.copy, site.ends.len())).collect();
        assert_eq!(found, [(2, 0, 1), (2, 1, 1), (3, 0, 0)]);
        let places = |kernel: &Kernel| sites.iter().map(|site| kernel.index_of(site.marker)).collect::<Vec<_>>();
        assert_eq!(places(kernel), [Some(1), Some(4), Some(0)]);
        let mut patch = Patch::new();
        patch.remove(1);
        patch.append([kernel.stmts()[0].clone()]);
        patch.remove(0);
        kernel.apply(patch).unwrap();
        assert_eq!(places(kernel), [None, Some(2), Some(4)]);
    }

    #[test]
    fn other_comments_are_no_markers() {
        for text in
            ["#pxrw note", "#CCC", "#CCC if_begin", "#CCC if_begin x loop 1", "#CCC sometimes 3", "#CCC task_end 3"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
