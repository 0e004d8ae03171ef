//! Verdicts counted by kind of mutation.

use std::collections::BTreeMap;
use std::fmt;

use super::{Kind, Verdict};

/// The count of each verdict.
pub type Row = BTreeMap<Verdict, usize>;

/// A row for each kind that was tried.
#[derive(Clone, Default, Debug)]
pub struct Table {
    rows: BTreeMap<Kind, Row>,
}

/// The columns with their heads.
const COLUMNS: [(&str, &[Verdict]); 8] = [
    (
        "tried",
        &[
            Verdict::BothAccept,
            Verdict::RightLine,
            Verdict::OtherLine,
            Verdict::OnlyWe,
            Verdict::MissedSyntax,
            Verdict::Missed,
            Verdict::NoOpinion,
        ],
    ),
    ("both accept", &[Verdict::BothAccept]),
    ("both refuse", &[Verdict::RightLine, Verdict::OtherLine]),
    ("right line", &[Verdict::RightLine]),
    ("only we refuse", &[Verdict::OnlyWe]),
    ("missed syntax", &[Verdict::MissedSyntax]),
    ("missed other", &[Verdict::Missed]),
    ("ptxas crashed", &[Verdict::NoOpinion]),
];

impl Table {
    pub(super) fn add(&mut self, kind: Kind, verdict: Verdict) {
        *self.rows.entry(kind).or_default().entry(verdict).or_default() += 1;
    }

    /// Returns how many mutations came to a verdict.
    #[must_use]
    pub fn count(&self, wanted: impl Fn(Verdict) -> bool) -> usize {
        let all = self.rows.values().flatten();
        all.filter(|(verdict, _)| wanted(**verdict)).map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}", "")?;
        for (head, _) in COLUMNS {
            write!(f, "{head:>16}")?;
        }
        for (kind, row) in &self.rows {
            write!(f, "\n{:<20}", kind.name())?;
            for (_, verdicts) in COLUMNS {
                let count: usize = verdicts.iter().filter_map(|verdict| row.get(verdict)).sum();
                write!(f, "{count:>16}")?;
            }
        }
        write!(f, "\n{:<20}", "all")?;
        for (_, verdicts) in COLUMNS {
            write!(f, "{:>16}", self.count(|verdict| verdicts.contains(&verdict)))?;
        }
        writeln!(f)
    }
}
