//! Edge lists as SNAP and KONECT publish them: `u v` on each line, comments behind `#` or `%`.
//!
//! Vertices count from 0, so there are as many as the largest id plus one. What stands behind the two ids (weights,
//! times) is ignored if it is a number, and refused otherwise, because then the line is probably not what it looks like.

use super::csr::{Graph, LIMIT};
use super::lines::{Field, Line};
use crate::error::{Error, FilePosition};

/// The edges read so far.
#[derive(Default)]
pub(super) struct EdgeList {
    edges: Vec<(u32, u32)>,
    largest: Option<(u32, FilePosition)>,
}

impl EdgeList {
    /// Reads one line that is neither blank nor a comment.
    pub(super) fn line(&mut self, line: Line<'_>) -> Result<(), Error> {
        let mut fields = line.fields();
        let from = self.vertex(fields.next(), line)?;
        let to = self.vertex(fields.next(), line)?;
        for field in fields {
            let number = std::str::from_utf8(field.bytes()).ok().and_then(|text| text.parse::<f64>().ok());
            if number.is_none() {
                let what = format!("expected nothing or a number behind the edge, found {}", field.text());
                return Err(field.error(what, "put one edge `u v` on each line, comments on lines of their own"));
            }
        }
        if self.edges.len() >= LIMIT as usize {
            return Err(line.error(0, format!("there are more than {LIMIT} edges"), super::lines::TOO_MANY));
        }
        self.edges.push((from, to));
        Ok(())
    }

    fn vertex(&mut self, field: Option<Field<'_>>, line: Line<'_>) -> Result<u32, Error> {
        let Some(field) = field else {
            return Err(line.error(line.end(), "an edge needs two vertices", "put `u v` on each line"));
        };
        let id = field.number("a vertex id")?;
        let Some(id) = u32::try_from(id).ok().filter(|&id| id < LIMIT) else {
            let what = format!("vertex id {id} is too large");
            return Err(field.error(what, "kernels count vertices with a 32-bit int; renumber them from 0"));
        };
        if self.largest.as_ref().is_none_or(|&(largest, _)| id > largest) {
            self.largest = Some((id, field.position()));
        }
        Ok(id)
    }

    /// The graph, once all lines are read; `None` if there was no edge.
    pub(super) fn finish(self) -> Result<Option<Graph>, Error> {
        let Some((largest, at)) = self.largest else { return Ok(None) };
        if super::lines::is_too_sparse(largest, self.edges.len()) {
            let what = format!("vertex id {largest} is far beyond what {} edges need", self.edges.len());
            let help = "each id up to the largest one is a vertex; renumber the vertices so that they count up from 0";
            return Err(Error::Input { at, what, help: help.into() });
        }
        Ok(Graph::from_edges(largest + 1, &self.edges))
    }
}
