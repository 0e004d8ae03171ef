//! The source line of each line of PTX, by the `.file` and `.loc` directives of nvcc (PTX ISA, "Debugging Directives").
//!
//! nvcc hands its PTX to ptxas even when only PTX is asked for, so a mistake in an inline `asm` is reported by ptxas
//! against a PTX file that the user never sees. This table leads back to the `.cu` line.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

/// The `.file` names by index, and for each PTX line the `.loc` in force there.
pub(crate) struct LineTable {
    files: HashMap<u32, String>,
    /// Per PTX line (from 0): file index and line of the last `.loc` in the same function.
    locations: Vec<Option<(u32, u32)>>,
}

static LOC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*\.loc\s+(\d+)\s+(\d+)").expect("the pattern is a constant"));
static FILE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"^\s*\.file\s+(\d+)\s+"([^"]*)""#).expect("the pattern is a constant"));

impl LineTable {
    /// Reads the directives of one PTX text.
    pub(crate) fn of(ptx: &str) -> LineTable {
        let mut table = LineTable { files: HashMap::new(), locations: Vec::new() };
        let mut current = None;
        for line in ptx.lines() {
            if let Some(loc) = LOC.captures(line) {
                current = loc[1].parse().ok().zip(loc[2].parse().ok());
            } else if let Some(file) = FILE.captures(line) {
                if let Ok(index) = file[1].parse() {
                    table.files.insert(index, file[2].to_owned());
                }
            } else if line.starts_with('}') {
                // The end of a function: its last location says nothing about what follows.
                current = None;
            }
            table.locations.push(current);
        }
        table
    }

    /// File name (as `.file` spells it) and line for a PTX line, which counts from 1.
    pub(crate) fn source_of(&self, ptx_line: u32) -> Option<(&str, u32)> {
        let index = (ptx_line as usize).checked_sub(1)?;
        let (file, line) = (*self.locations.get(index)?)?;
        Some((self.files.get(&file)?.as_str(), line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_last_loc_of_its_function() {
        let ptx = "\
.visible .entry k()
{
\t.loc\t1 3 2
\tfrob.u32 %r1;
\t.loc\t2 7 1, function_name $L__info_string0, inlined_at 1 4 9
\tret;
}
.visible .entry g()
\t.file\t1 \"/a/user.cu\"
\t.file\t2 \"/a/b.h\"
";
        let table = LineTable::of(ptx);
        assert_eq!(table.source_of(4), Some(("/a/user.cu", 3)));
        assert_eq!(table.source_of(6), Some(("/a/b.h", 7)));
        assert_eq!(table.source_of(2), None);
        assert_eq!(table.source_of(8), None);
        assert_eq!((table.source_of(0), table.source_of(99)), (None, None));
    }
}
