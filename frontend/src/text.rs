//! Source text in any encoding, as text that can be marked and written back byte for byte.

/// A text, and how its bytes became characters.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Each byte is one character, because the bytes are no UTF-8: older sources have comments and literals in Latin-1.
    bytewise: bool,
}

impl Text {
    pub(crate) fn of(bytes: Vec<u8>) -> Text {
        match String::from_utf8(bytes) {
            Ok(text) => Text { text, bytewise: false },
            Err(error) => {
                Text { text: error.as_bytes().iter().map(|&byte| char::from(byte)).collect(), bytewise: true }
            }
        }
    }

    /// The bytes of a text that was made from this one.
    pub(crate) fn bytes(&self, text: String) -> Vec<u8> {
        if !self.bytewise {
            return text.into_bytes();
        }
        // What was put in is ASCII, or from the text itself.
        text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_encoding_come_back() {
        for bytes in [&b"// caf\xe9\nx"[..], "// café\n".as_bytes(), &[0xff, 0x80, b'a']] {
            let text = Text::of(bytes.to_vec());
            let same = text.text.clone();
            assert_eq!(text.bytes(same), bytes);
        }
    }
}
