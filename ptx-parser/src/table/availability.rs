//! The least PTX version and target of an instruction, and where it is gone again (the "PTX ISA Notes" and "Target ISA Notes" of the manual).
//!
//! A need is written `8.6:100f,110f`: the version, and behind the colon the targets that have it, of which one must
//! fit. `90` is that target and all later ones, `90a` that architecture alone, `100f` the family that begins there. `1.2-6.4:70` is gone from
//! PTX 6.4 on for target 70 and later ones.

use std::fmt;

/// The targets that have a feature, as the table writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature(&'static str);

impl Feature {
    /// Returns true if a target, written as in `.target` (`sm_90a`), has it.
    #[must_use]
    pub fn is_in(self, target: &str) -> bool {
        let Some((number, suffix)) = split(target.strip_prefix("sm_").unwrap_or(target)) else { return true };
        self.0.is_empty()
            || self.0.split(',').filter_map(split).any(|(least, kind)| match kind {
                "a" => number == least && suffix == "a",
                // A family has one decade of numbers: 100 and 103 belong to one, 110 and 120 begin others.
                "f" => number >= least && number / 10 == least / 10 && (suffix == "a" || suffix == "f"),
                _ => number >= least,
            })
    }

    /// The least number among the targets, by which the stricter of two is found; one architecture counts as stricter
    /// than all that follow it.
    fn rank(self) -> (bool, u32) {
        let restricted = self.0.contains(['a', 'f']);
        (restricted, self.0.split(',').filter_map(split).map(|(number, _)| number).min().unwrap_or(0))
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, target) in self.0.split(',').enumerate() {
            let open = !target.contains(['a', 'f']);
            let joint = if index == 0 { "" } else { ", " };
            write!(f, "{joint}sm_{target}{}", if open { " or later" } else { "" })?;
        }
        Ok(())
    }
}

/// The number and the suffix of a target without its `sm_`.
fn split(target: &str) -> Option<(u32, &str)> {
    let digits = target.find(|c: char| !c.is_ascii_digit()).unwrap_or(target.len());
    let (number, suffix) = target.split_at(digits);
    Some((number.parse().ok()?, suffix))
}

/// The PTX version and target that an instruction needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// The least PTX version, major and minor.
    pub version: (u32, u32),
    /// The targets that have it.
    pub target: Feature,
    /// From this PTX version on, targets from this number on have it no more.
    pub gone: Option<((u32, u32), u32)>,
}

impl Needs {
    /// The first version and every target.
    pub const NOTHING: Needs = Needs { version: (1, 0), target: Feature(""), gone: None };

    /// The requirements of an access of 256 bits.
    pub(super) const WIDE_ACCESS: Needs = Needs { version: (8, 8), target: Feature("100"), gone: None };

    /// Reads `7.8:90`; each half may be missing. Behind a `-` stands what has it no more.
    pub(super) fn from_text(text: &'static str) -> Option<Needs> {
        let (text, gone) = text.split_once('-').map_or((text, None), |(text, gone)| (text, Some(gone)));
        let gone = match gone {
            None => None,
            Some(gone) => {
                let (since, target) = gone.split_once(':')?;
                Some((numbers(since)?, target.parse().ok()?))
            }
        };
        let (version, target) = text.split_once(':').unwrap_or((text, ""));
        let version = if version.is_empty() { (1, 0) } else { numbers(version)? };
        let readable = target.is_empty() || target.split(',').all(|target| split(target).is_some());
        readable.then_some(Needs { version, target: Feature(target), gone })
    }

    /// Returns true if an instruction is gone for a target, written as in `.target`, in a version.
    #[must_use]
    pub fn is_gone(&self, version: (u32, u32), target: &str) -> bool {
        let number = split(target.strip_prefix("sm_").unwrap_or(target)).map_or(0, |(number, _)| number);
        self.gone.is_some_and(|(since, least)| version >= since && number >= least)
    }

    /// Returns true if it asks for no later version and no later target than another.
    pub(crate) fn is_within(self, other: Needs) -> bool {
        self.version <= other.version && self.target.rank() <= other.target.rank()
    }

    /// The stricter of two in each half.
    #[must_use]
    pub(super) fn and(self, other: Needs) -> Needs {
        let target = if other.target.rank() > self.target.rank() { other.target } else { self.target };
        Needs { version: self.version.max(other.version), target, gone: self.gone.or(other.gone) }
    }
}

/// Reads `7.8`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
