//! Opcodes as plain data: the text, its words, and what the table knows of them.

use std::fmt;

use crate::syntax::lexical::without_blanks;
use crate::table::{self, Memory, Mnemonic, Modifier, Properties, Resolved, Signature, Typing};
use crate::types::{Space, Type};

/// A distinct opcode, `mnemonic` plus `.modifiers` in the order in which they were written.
///
/// An opcode that the table does not list is kept like any other; [`OpcodeData::typing`] then says why, and every
/// analysis assumes the worst of it.
#[derive(Clone, Debug)]
pub struct OpcodeData {
    text: Box<str>,
    resolved: Resolved,
}

impl OpcodeData {
    /// Reads an opcode as it stands in the text, `ld.global.nc.u32`; blanks and comments between its words are left out.
    #[must_use]
    pub fn new(text: &str) -> OpcodeData {
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"._:$%".contains(&byte);
        if !text.bytes().all(bare) {
            let words = without_blanks(text);
            if words.len() < text.len() {
                return OpcodeData::new(&words);
            }
        }
        OpcodeData { text: text.into(), resolved: table::resolve(text) }
    }

    /// The whole text, as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first word: `ld` of `ld.global.u32`.
    #[must_use]
    pub fn mnemonic(&self) -> Mnemonic {
        self.resolved.spelled.mnemonic
    }

    /// Returns the words behind the mnemonic, in their order.
    #[must_use]
    pub fn modifiers(&self) -> &[Modifier] {
        &self.resolved.spelled.modifiers
    }

    /// Returns true if a modifier is there.
    #[must_use]
    pub fn has(&self, modifier: Modifier) -> bool {
        self.resolved.spelled.has(modifier)
    }

    /// Returns true if one of some modifiers is there.
    #[must_use]
    pub fn has_any(&self, modifiers: &[Modifier]) -> bool {
        modifiers.iter().any(|&modifier| self.has(modifier))
    }

    /// Returns true if all modifiers are types, or among some.
    #[must_use]
    pub fn has_only(&self, modifiers: &[Modifier]) -> bool {
        self.modifiers().iter().all(|modifier| matches!(modifier, Modifier::Type(_)) || modifiers.contains(modifier))
    }

    /// The modifiers that are types, in their order: `[s64, s32]` of `cvt.s64.s32`.
    #[must_use]
    pub fn types(&self) -> &[Type] {
        &self.resolved.spelled.types
    }

    /// Returns what the table says of this opcode.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        &self.resolved.properties
    }

    /// Returns whether a form of the table has these modifiers, and if not, why.
    #[must_use]
    pub fn typing(&self) -> &Typing {
        &self.resolved.typing
    }

    /// The opcode of the same comparison under a predicate, which is one more source: both results are then false where that is (PTX ISA,
    /// "setp"). `None` if it is no comparison into a predicate, has one already, or compares two pairs at once.
    #[must_use]
    pub fn under_predicate(&self) -> Option<OpcodeData> {
        let combined =
            [Modifier::And, Modifier::Or, Modifier::Xor, Modifier::Type(Type::F16x2), Modifier::Type(Type::Bf16x2)];
        if self.mnemonic() != Mnemonic::Setp || self.has_any(&combined) || *self.typing() != Typing::Known {
            return None;
        }
        let mut words: Vec<&str> = self.text.split('.').collect();
        words.insert(2, "and");
        Some(OpcodeData::new(&words.join(".")))
    }

    /// The opcode of the same branch without the promise that all lanes of a warp go the same way (PTX ISA, "bra", `.uni`). `None` if it makes none.
    #[must_use]
    pub fn without_promise(&self) -> Option<OpcodeData> {
        self.text.strip_suffix(".uni").map(OpcodeData::new)
    }

    /// The opcode of the same access to another state space: `ld.local.b32` of `ld.param::func.b32`. A modifier that names a part of the one space names
    /// the other one.
    #[must_use]
    pub fn in_space(&self, one: Space, other: Space) -> OpcodeData {
        let (one, other) = (one.to_string(), other.to_string());
        let (one, other) = (one.trim_start_matches('.'), other.trim_start_matches('.'));
        let is_one = |word: &str| word == one || word.strip_prefix(one).is_some_and(|part| part.starts_with("::"));
        let words = self.text.split('.').map(|word| if is_one(word) { other } else { word });
        OpcodeData::new(&words.collect::<Vec<_>>().join("."))
    }

    /// Returns true if it is a load that promises that nobody writes to its place while the kernel runs (PTX ISA, "ld.global.nc").
    #[must_use]
    pub fn is_noncoherent(&self) -> bool {
        self.properties().memory == Memory::Read && self.has(Modifier::Nc)
    }

    /// Returns true if it takes memory from the thread's stack or gives it back (PTX ISA, "Stack Manipulation Instructions").
    #[must_use]
    pub fn moves_stack(&self) -> bool {
        matches!(self.mnemonic(), Mnemonic::Alloca | Mnemonic::Stacksave | Mnemonic::Stackrestore)
    }

    /// The operands that it may have; none if it is opaque.
    pub(crate) fn signatures(&self) -> &[Signature] {
        &self.resolved.signatures
    }
}

impl fmt::Display for OpcodeData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_goes_to_another_space() {
        let local = |text: &str| OpcodeData::new(text).in_space(Space::Param, Space::Local).to_string();
        assert_eq!(local("ld.param.v2.b32"), "ld.local.v2.b32");
        assert_eq!(local("st.param::func.b8"), "st.local.b8");
        assert_eq!(local("ld.global.u32"), "ld.global.u32");
    }

    #[test]
    fn a_comparison_takes_one_more_predicate() {
        let under = |text: &str| OpcodeData::new(text).under_predicate().map(|opcode| opcode.to_string());
        assert_eq!(under("setp.gt.s32").as_deref(), Some("setp.gt.and.s32"));
        assert_eq!(under("setp.ltu.ftz.f32").as_deref(), Some("setp.ltu.and.ftz.f32"));
        for other in ["setp.gt.or.s32", "setp.eq.f16x2", "set.gt.u32.s32", "setp.gt", "add.s32"] {
            assert_eq!(under(other), None, "{other}");
        }
        assert_eq!(*OpcodeData::new("setp.ltu.and.ftz.f32").typing(), Typing::Known);
    }
}
