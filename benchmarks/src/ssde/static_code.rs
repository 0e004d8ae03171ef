//! The static costs of a version (the paper's Table III): instructions of machine code, registers and stack.
//!
//! ptxas prints the latter two. Instructions are counted in the cubin: the section of a kernel is its code, sixteen bytes to an
//! instruction since Volta, filled up with `NOP`s, which are not counted. Functions that a kernel calls have their own section and are
//! not counted either; without optimisation there are some.

use serde::Serialize;
use toolkit::Toolkit;

use super::paper;
use super::versions::{Version, Versions};
use crate::error::Error;

/// Machine code of one version.
#[derive(Clone, Debug, Serialize)]
pub struct Code {
    /// `M`, `S` or `M+SSDE`.
    pub variant: String,
    /// Instructions of the kernel.
    pub instructions: Option<u32>,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of stack per thread.
    pub stack_bytes: u32,
}

/// A row of Table III.
#[derive(Clone, Debug, Serialize)]
pub struct CodeRow {
    /// The program.
    pub program: String,
    /// `O0` or `O3`; ptxas is told the same.
    pub optimisation: String,
    /// Loops of M that are found.
    pub loops_found: usize,
    /// The reason why there is no M+SSDE.
    pub refused: Option<String>,
    /// M, S and, unless it is refused, M+SSDE.
    pub code: Vec<Code>,
    /// The paper's row.
    pub paper: Option<paper::StaticCode>,
}

impl CodeRow {
    /// Has ptxas assemble all versions.
    ///
    /// # Errors
    /// What ptxas has against one.
    pub(super) fn of(versions: &Versions, arch: &str, toolkit: &Toolkit) -> Result<CodeRow, Error> {
        let mut code = Vec::new();
        for version in Version::ALL {
            let Some(variant) = versions.get(version) else { continue };
            let name = format!("{}-{}.ptx", variant.kernel, variant.name);
            let cubin = toolkit.assemble_with(&variant.ptx, arch, &name, versions.optimisation.options().1)?;
            let resources = cubin.kernel(&variant.kernel);
            code.push(Code {
                variant: version.name().into(),
                instructions: instructions(&cubin.bytes, &variant.kernel),
                registers: resources.map_or(0, |kernel| kernel.registers),
                stack_bytes: resources.map_or(0, |kernel| kernel.stack_bytes),
            });
        }
        Ok(CodeRow {
            program: versions.program.name().into(),
            optimisation: versions.optimisation.name().into(),
            loops_found: versions.found,
            refused: versions.rewritten.as_ref().err().cloned(),
            code,
            paper: paper::StaticCode::of(versions.program, versions.optimisation),
        })
    }
}

/// The instructions of a kernel in a cubin, an ELF file of 64 bits; none if there is no such section.
fn instructions(elf: &[u8], kernel: &str) -> Option<u32> {
    let header = |at: usize| -> Option<(usize, usize, usize)> {
        Some((word(elf, at, 4)?, word(elf, at + 0x18, 8)?, word(elf, at + 0x20, 8)?))
    };
    let table = word(elf, 0x28, 8)?;
    let (size, count, names) = (word(elf, 0x3a, 2)?, word(elf, 0x3c, 2)?, word(elf, 0x3e, 2)?);
    let (_, strings, _) = header(table.checked_add(names * size)?)?;
    let wanted = format!(".text.{kernel}\0");
    for index in 0..count {
        let (name, offset, length) = header(table.checked_add(index * size)?)?;
        let start = strings.checked_add(name)?;
        if elf.get(start..start.checked_add(wanted.len())?) == Some(wanted.as_bytes()) {
            let text = elf.get(offset..offset.checked_add(length)?)?;
            let is_code = |inst: &&[u8; 16]| u16::from_le_bytes([inst[0], inst[1]]) & 0xfff != NOP;
            return Some(text.as_chunks::<16>().0.iter().filter(is_code).count() as u32);
        }
    }
    None
}

/// The opcode of `NOP`, the lowest twelve bits of an instruction.
const NOP: u16 = 0x918;

/// A number of so many bytes, the lowest first.
fn word(elf: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let part = elf.get(at..at.checked_add(bytes)?)?;
    let value = part.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, two sections, their names, and three instructions of which one is a `NOP`.
    fn elf() -> Vec<u8> {
        let mut file = vec![0; 0x40];
        let names = b"\0.text.k\0".as_slice();
        let mut text = [[0u8; 16]; 3].concat();
        text[16] = 0x18;
        text[17] = 0x79;
        let (strings, code) = (0x40, 0x40 + names.len());
        let table = code + text.len();
        file.extend_from_slice(names);
        file.extend_from_slice(&text);
        for (name, offset, length) in [(0u32, strings, names.len()), (1, code, text.len())] {
            let mut section = [0u8; 0x40];
            section[..4].copy_from_slice(&name.to_le_bytes());
            section[0x18..0x20].copy_from_slice(&(offset as u64).to_le_bytes());
            section[0x20..0x28].copy_from_slice(&(length as u64).to_le_bytes());
            file.extend_from_slice(&section);
        }
        file[0x28..0x30].copy_from_slice(&(table as u64).to_le_bytes());
        file[0x3a..0x3c].copy_from_slice(&0x40u16.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&2u16.to_le_bytes());
        file
    }

    #[test]
    fn what_only_fills_up_is_not_counted_and_no_file_is_too_short() {
        let file = elf();
        assert_eq!(instructions(&file, "k"), Some(2));
        assert_eq!(instructions(&file, "other"), None);
        for length in 0..file.len() {
            let _ = instructions(&file[..length], "k");
        }
    }
}
