//! The words of opcodes as data: [`Mnemonic`] and [`Modifier`].
//!
//! [`listed`] has every word that the rows have, and is written from them; a word that no row has is `Other`, so that an opcode that
//! the table does not know is kept like any other.

mod listed;

use crate::types::{Space, Type};
use listed::{mnemonics, modifiers};

/// The dimensions of a matrix instruction: `m16n8k32`, or `m8n8` where it has no third one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MatrixShape {
    /// Rows of the result.
    pub m: u16,
    /// Columns of the result.
    pub n: u16,
    /// Columns of the first factor, which are rows of the second; 0 where the shape names none.
    pub k: u16,
}

impl MatrixShape {
    fn from_text(text: &str) -> Option<MatrixShape> {
        let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = match rest.split_once('k') {
            Some((n, k)) => (n, number(k)?),
            None => (rest, 0),
        };
        Some(MatrixShape { m: number(m)?, n: number(n)?, k })
    }
}

macro_rules! define_mnemonic {
    ($($variant:ident = $text:literal,)*) => {
        /// The first word of an opcode, which names the instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Mnemonic {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A word that is no mnemonic of the table.
            Other,
        }

        impl Mnemonic {
            /// Every mnemonic of the table with its text, in the order of their bytes.
            pub(crate) const LISTED: &'static [(&'static str, Mnemonic)] = &[$(($text, Mnemonic::$variant)),*];
        }
    };
}
mnemonics!(define_mnemonic);

macro_rules! define_modifier {
    ($($variant:ident = $text:literal,)*) => {
        /// A word behind the mnemonic, without its dot.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Modifier {
            $(#[doc = concat!("`.", $text, "`")] $variant,)*
            /// A type.
            Type(Type),
            /// The dimensions of matrices.
            Shape(MatrixShape),
            /// A word that is no modifier of any instruction of the table.
            Other,
        }

        impl Modifier {
            /// Every modifier of the table that is neither a type nor a shape, with its text, in the order of their bytes.
            pub(crate) const LISTED: &'static [(&'static str, Modifier)] = &[$(($text, Modifier::$variant)),*];
        }
    };
}
modifiers!(define_modifier);

fn find<T: Copy>(listed: &[(&str, T)], text: &str) -> Option<T> {
    let at = listed.binary_search_by(|(word, _)| (*word).cmp(text)).ok()?;
    listed.get(at).map(|(_, word)| *word)
}

impl Mnemonic {
    /// Returns the mnemonic that is written so.
    #[must_use]
    pub fn from_text(text: &str) -> Mnemonic {
        find(Mnemonic::LISTED, text).unwrap_or(Mnemonic::Other)
    }
}

impl Modifier {
    /// Returns the modifier that is written so, without its dot.
    #[must_use]
    pub fn from_text(text: &str) -> Modifier {
        let listed = || find(Modifier::LISTED, text);
        let ty = || Type::from_text(text).map(Modifier::Type);
        let shape = || MatrixShape::from_text(text).map(Modifier::Shape);
        ty().or_else(listed).or_else(shape).unwrap_or(Modifier::Other)
    }

    /// Returns the state space that the modifier of an access names, or one of its windows: shared memory of `.shared::cta`.
    #[must_use]
    pub fn space(self) -> Option<Space> {
        Some(match self {
            Modifier::Const => Space::Const,
            Modifier::Global => Space::Global,
            Modifier::Local => Space::Local,
            Modifier::Param | Modifier::ParamEntry | Modifier::ParamFunc => Space::Param,
            Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster => Space::Shared,
            _ => return None,
        })
    }

    /// Returns the number of elements that `.v2`, `.v4` and `.v8` say.
    #[must_use]
    pub fn lanes(self) -> Option<u8> {
        match self {
            Modifier::V2 => Some(2),
            Modifier::V4 => Some(4),
            Modifier::V8 => Some(8),
            _ => None,
        }
    }

    /// Returns the type that the modifier is.
    #[must_use]
    pub fn ty(self) -> Option<Type> {
        match self {
            Modifier::Type(ty) => Some(ty),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use super::*;
    use crate::table::lexicon::{lexicon, mnemonics};

    /// Returns the name of a word in code: `MbarrierCompleteTxBytes` of `mbarrier::complete_tx::bytes`, `N2d` of `2d`.
    fn variant(text: &str) -> String {
        let mut name = String::new();
        for part in text.split("::").flat_map(|part| part.split('_')) {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            if digit(name.chars().next_back()) && digit(part.chars().next()) {
                name.push('_');
            }
            let mut letters = part.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.extend(letters);
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("N{name}") } else { name }
    }

    fn block(name: &str, words: &BTreeSet<&str>) -> String {
        let mut text = format!("macro_rules! {name} {{\n    ($then:ident) => {{\n        $then! {{\n");
        words.iter().for_each(|word| writeln!(text, "            {} = \"{word}\",", variant(word)).unwrap());
        text + "        }\n    };\n}\npub(super) use " + name + ";\n"
    }

    #[test]
    fn the_lists_have_the_words_of_the_rows() {
        let all: BTreeSet<&str> = mnemonics().collect();
        let plain = |word: &&str| Type::from_text(word).is_none() && MatrixShape::from_text(word).is_none();
        let of_rows = all.iter().filter_map(|mnemonic| lexicon(mnemonic)).flat_map(|lexicon| &lexicon.words);
        let modifiers: BTreeSet<&str> = of_rows.map(|word| &*word.text).filter(plain).collect();
        let head = "//! Every mnemonic and every modifier of the rows, in the order of their bytes. `PXRW_BLESS=1 cargo test -p pxrw-ptx --lib words`\n\
                    //! writes this file from the rows.\n\n";
        let written = format!("{head}{}\n{}", block("mnemonics", &all), block("modifiers", &modifiers));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/table/words/listed.rs");
        if std::env::var_os("PXRW_BLESS").is_some() {
            std::fs::write(path, &written).unwrap();
        }
        let stands = std::fs::read_to_string(path).unwrap();
        assert!(stands == written, "the rows have other words: run `PXRW_BLESS=1 cargo test -p pxrw-ptx --lib words`");
    }

    #[test]
    fn words_are_read_back() {
        assert!(Mnemonic::LISTED.iter().all(|&(text, word)| Mnemonic::from_text(text) == word));
        assert!(Modifier::LISTED.iter().all(|&(text, word)| Modifier::from_text(text) == word));
        assert!(Type::ALL.iter().all(|&ty| Modifier::from_text(ty.text()) == Modifier::Type(ty)));
        assert_eq!(Modifier::from_text("m64n256k16"), Modifier::Shape(MatrixShape { m: 64, n: 256, k: 16 }));
        assert_eq!(Modifier::from_text("m8n16"), Modifier::Shape(MatrixShape { m: 8, n: 16, k: 0 }));
        for other in ["", "m8n", "m+8n8", "Add", "mbarrier::complete_tx"] {
            assert_eq!(Modifier::from_text(other), Modifier::Other, "{other}");
        }
        assert_eq!(Mnemonic::from_text("ad"), Mnemonic::Other);
    }
}
