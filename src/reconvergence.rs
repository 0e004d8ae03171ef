//! The points at which AWARE delays the reconvergence of branches, as a file. `pxrw ssde --emit reconvergence` writes it, and `pxrw run
//! --machine aware --reconvergence FILE` reads it.
//!
//! ```json
//! [{ "kernel": "count", "points": [{ "branch": 17, "point": 25 }, { "branch": 40, "point": "end" }] }]
//! ```
//!
//! Branches and points are lines of the PTX; lanes meet before that line, or at the end of the kernel.

use std::path::Path;

use ptx_parser::{Kernel, Module};
use serde::{Deserialize, Serialize};
use ssde_ptx::{Meeting, NoMeeting, SeenByCallers, meetings_among};

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// One kernel.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    kernel: String,
    points: Vec<Delayed>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Delayed {
    branch: u32,
    point: Point,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Point {
    Line(u32),
    Word(Word),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    End,
}

impl Entry {
    /// Points for what is found in a kernel and in the functions that it calls; no points where nothing is.
    pub(crate) fn of(seen: &SeenByCallers, module: &Module, kernel: &Kernel) -> Result<Entry, NoMeeting> {
        let point = |meeting: Meeting| Delayed {
            branch: meeting.branch,
            point: meeting.point.map_or(Point::Word(Word::End), Point::Line),
        };
        let points = meetings_among(seen, module, kernel)?.into_iter().map(point).collect();
        Ok(Entry { kernel: kernel.name().to_owned(), points })
    }
}

/// Returns true if a text is of this form, and not lines of labels.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

/// Returns what a file says of a kernel.
pub(crate) fn read(path: &Path, text: &str, kernel: &str) -> Result<Vec<Meeting>, Failure> {
    let help = "`pxrw ssde FILE --emit reconvergence` writes such files";
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| {
        Diagnostic::error(format!("{} does not say where lanes meet: {error}", path.display())).help(help)
    })?;
    let Some(entry) = entries.into_iter().find(|entry| entry.kernel == kernel) else {
        let title = format!("{} has no entry for the kernel `{kernel}`", path.display());
        return Err(Diagnostic::error(title).help(help).into());
    };
    let meeting = |delayed: Delayed| Meeting {
        branch: delayed.branch,
        point: match delayed.point {
            Point::Line(line) => Some(line),
            Point::Word(Word::End) => None,
        },
    };
    Ok(entry.points.into_iter().map(meeting).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_lines_or_the_end() {
        let text = r#"[{"kernel":"k","points":[{"branch":17,"point":25},{"branch":40,"point":"end"}]}]"#;
        let path = Path::new("f.json");
        assert!(is_json(text) && !is_json("17 exit"));
        let expected = [Meeting { branch: 17, point: Some(25) }, Meeting { branch: 40, point: None }];
        assert_eq!(read(path, text, "k").unwrap(), expected);
        let says = |text: &str| read(path, text, "other").unwrap_err().diagnostics[0].title.clone();
        assert_eq!(says(text), "f.json has no entry for the kernel `other`");
        assert!(says("[1]").starts_with("f.json does not say where lanes meet: "));
        let written = serde_json::to_string(&serde_json::from_str::<Vec<Entry>>(text).unwrap()).unwrap();
        assert_eq!(written, text);
    }
}
