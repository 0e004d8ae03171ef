//! The PTX versions, the targets and the least version of each. Measured with `ptxas` 13.0, which still reads the targets that it cannot
//! make code for; the versions behind 9.0 are those of the manual's "Release History".

/// The PTX versions, as the first and the last minor number of each major one.
const VERSIONS: &[(u32, u32, u32)] =
    &[(1, 0, 5), (2, 0, 3), (3, 0, 2), (4, 0, 3), (5, 0, 1), (6, 0, 5), (7, 0, 8), (8, 0, 8), (9, 0, 4)];

/// The targets, without `sm_` or `compute_`, and the PTX version that each needs.
const TARGETS: &[(&str, (u32, u32))] = &[
    ("10", (1, 0)),
    ("11", (1, 0)),
    ("12", (1, 2)),
    ("13", (1, 2)),
    ("20", (2, 0)),
    ("21", (2, 0)),
    ("30", (3, 0)),
    ("32", (4, 0)),
    ("35", (3, 1)),
    ("37", (4, 1)),
    ("50", (4, 0)),
    ("52", (4, 1)),
    ("53", (4, 2)),
    ("60", (5, 0)),
    ("61", (5, 0)),
    ("62", (5, 0)),
    ("70", (5, 1)),
    ("72", (6, 1)),
    ("75", (6, 3)),
    ("80", (7, 0)),
    ("82", (6, 2)),
    ("86", (7, 1)),
    ("87", (7, 4)),
    ("88", (7, 3)),
    ("89", (7, 8)),
    ("90", (7, 8)),
    ("90a", (8, 0)),
    ("100", (8, 6)),
    ("100a", (8, 6)),
    ("100f", (8, 8)),
    ("101", (8, 6)),
    ("101a", (8, 6)),
    ("101f", (8, 8)),
    ("103", (8, 8)),
    ("103a", (8, 8)),
    ("103f", (8, 8)),
    ("110", (9, 0)),
    ("110a", (9, 0)),
    ("110f", (9, 0)),
    ("120", (8, 7)),
    ("120a", (8, 7)),
    ("120f", (8, 8)),
    ("121", (8, 8)),
    ("121a", (8, 8)),
    ("121f", (8, 8)),
];

/// Returns true if PTX has a version.
pub(crate) fn is_version((major, minor): (u32, u32)) -> bool {
    VERSIONS.iter().any(|&(known, first, last)| known == major && (first..=last).contains(&minor))
}

/// The nearest versions below and above one that there is not.
pub(crate) fn versions_around(version: (u32, u32)) -> [Option<(u32, u32)>; 2] {
    let below = VERSIONS.iter().filter(|known| (known.0, known.2) < version).map(|known| (known.0, known.2)).max();
    let above = VERSIONS.iter().filter(|known| (known.0, known.1) > version).map(|known| (known.0, known.1)).min();
    [below, above]
}

/// The architecture of a word of `.target`, such as `90a` of `sm_90a`; `None` for an option.
pub(crate) fn architecture(word: &str) -> Option<&str> {
    word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"))
}

/// The number of an architecture, such as 90 of `90a`.
pub(crate) fn number(architecture: &str) -> Option<u32> {
    let end = architecture.find(|c: char| !c.is_ascii_digit()).unwrap_or(architecture.len());
    architecture.get(..end)?.parse().ok()
}

/// The least PTX version of an architecture; `None` if it is not known. As for `ptxas`, its number and its last letter count, if that is
/// `a` or `f`: `90b` is `90`.
pub(crate) fn least_version(architecture: &str) -> Option<(u32, u32)> {
    let number = number(architecture)?;
    let suffix = ["a", "f"].into_iter().find(|suffix| architecture.ends_with(suffix)).unwrap_or("");
    let known = format!("{number}{suffix}");
    TARGETS.iter().find(|(name, _)| *name == known).map(|&(_, version)| version)
}

/// The architectures, as they stand behind `sm_`.
pub(crate) fn architectures() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|(known, _)| *known)
}
