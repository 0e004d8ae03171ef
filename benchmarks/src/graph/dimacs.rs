//! DIMACS shortest-path files (9th DIMACS Implementation Challenge): `c` comments, one `p sp VERTICES ARCS`, and an
//! `a FROM TO WEIGHT` per arc. Vertices count from 1; weights are checked and not kept.

use super::csr::{Graph, LIMIT};
use super::lines::{Field, Line};
use crate::error::{Error, FilePosition};

/// The part of the file that was read so far.
#[derive(Default)]
pub(super) struct Dimacs {
    problem: Option<Problem>,
    arcs: Vec<(u32, u32)>,
}

/// The `p` line.
struct Problem {
    vertices: u32,
    arcs: u64,
    at: FilePosition,
}

impl Dimacs {
    /// Reads one line that is not blank.
    pub(super) fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let mut fields = line.fields();
        let Some(kind) = fields.next() else { return Ok(()) };
        match kind.bytes() {
            b"c" => Ok(()),
            b"p" => self.problem(kind, &mut fields, line),
            b"a" => self.arc(kind, &mut fields, line),
            _ => Err(kind.error(
                format!("expected `c`, `p` or `a`, found {}", kind.text()),
                "lines of a DIMACS .gr file are `c COMMENT`, `p sp VERTICES ARCS` or `a FROM TO WEIGHT`",
            )),
        }
    }

    fn problem<'a>(
        &mut self,
        kind: Field<'a>,
        fields: &mut impl Iterator<Item = Field<'a>>,
        line: Line<'a>,
    ) -> Result<(), Error> {
        if let Some(first) = &self.problem {
            let what = format!("a second `p` line; the first one is line {}", first.at.position.line);
            return Err(kind.error(what, "put one graph into a file"));
        }
        let Some(name) = fields.next() else { return Err(short(line, "p sp VERTICES ARCS")) };
        if name.bytes() != b"sp" {
            let what = format!("expected the problem `sp`, found {}", name.text());
            return Err(name.error(what, "only shortest-path files (`p sp VERTICES ARCS`) are read"));
        }
        let Some(count) = fields.next() else { return Err(short(line, "p sp VERTICES ARCS")) };
        let vertices = count.number("the number of vertices")?;
        let Some(arcs) = fields.next() else { return Err(short(line, "p sp VERTICES ARCS")) };
        let promised = arcs.number("the number of arcs")?;
        let Some(vertices) = u32::try_from(vertices).ok().filter(|&vertices| vertices <= LIMIT) else {
            return Err(count.error(format!("there are more than {LIMIT} vertices"), super::lines::TOO_MANY));
        };
        if promised > u64::from(LIMIT) {
            return Err(arcs.error(format!("there are more than {LIMIT} arcs"), super::lines::TOO_MANY));
        }
        self.problem = Some(Problem { vertices, arcs: promised, at: count.position() });
        end(fields)
    }

    fn arc<'a>(
        &mut self,
        kind: Field<'a>,
        fields: &mut impl Iterator<Item = Field<'a>>,
        line: Line<'a>,
    ) -> Result<(), Error> {
        let Some(problem) = &self.problem else {
            return Err(kind.error("an arc before the `p` line", "put `p sp VERTICES ARCS` before the first arc"));
        };
        let mut vertex = || {
            let Some(field) = fields.next() else { return Err(short(line, "a FROM TO WEIGHT")) };
            let id = field.number("a vertex id")?;
            if id == 0 || id > u64::from(problem.vertices) {
                let what = format!("vertex {id} is not one of the {} vertices of the `p` line", problem.vertices);
                return Err(field.error(what, "vertices of a DIMACS file count from 1"));
            }
            Ok((id - 1) as u32)
        };
        let arc = (vertex()?, vertex()?);
        let Some(weight) = fields.next() else { return Err(short(line, "a FROM TO WEIGHT")) };
        if std::str::from_utf8(weight.bytes()).ok().and_then(|text| text.parse::<f64>().ok()).is_none() {
            return Err(weight.error(format!("expected a weight, found {}", weight.text()), "write a number"));
        }
        if self.arcs.len() as u64 == problem.arcs {
            let what = format!("more arcs than the {} of the `p` line", problem.arcs);
            return Err(kind.error(what, format!("correct line {} or remove the arc", problem.at.position.line)));
        }
        self.arcs.push(arc);
        end(fields)
    }

    /// The graph, once all lines are read; `None` if there was no `p` line.
    pub(super) fn finish(self) -> Result<Option<Graph>, Error> {
        let Some(problem) = self.problem else { return Ok(None) };
        let fail = |what, help: &str| Err(Error::Input { at: problem.at.clone(), what, help: help.into() });
        if (self.arcs.len() as u64) < problem.arcs {
            let what = format!("the `p` line says {} arcs, but the file has {}", problem.arcs, self.arcs.len());
            return fail(what, "the file is probably cut short; fetch it again, or correct the number");
        }
        if super::lines::is_too_sparse(problem.vertices, self.arcs.len()) {
            let what = format!("{} vertices are far beyond what {} arcs need", problem.vertices, self.arcs.len());
            return fail(what, "correct the number of vertices");
        }
        Ok(Graph::from_edges(problem.vertices, &self.arcs))
    }
}

fn short(line: Line<'_>, form: &str) -> Error {
    line.error(line.end(), "the line ends too early", format!("write `{form}`"))
}

fn end<'a>(fields: &mut impl Iterator<Item = Field<'a>>) -> Result<(), Error> {
    match fields.next() {
        None => Ok(()),
        Some(extra) => {
            let what = format!("expected the end of the line, found {}", extra.text());
            Err(extra.error(what, "put one arc on each line; comments are lines that begin with `c`"))
        }
    }
}
