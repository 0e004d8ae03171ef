//! Arguments that fit their parameters, as data.

use std::path::{Path, PathBuf};

use ptx_parser::Type;

use super::npy::Npy;

/// An argument that fits its parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LaunchArgument {
    /// Counted from 1.
    pub(super) position: usize,
    /// As the user wrote it.
    pub(super) text: String,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Scalar { ty: Type, bits: u64 },
    Buffer(BufferValue),
    Structure(Structure),
}

/// A structure by value, laid out as the device has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Structure {
    pub(super) bytes: Vec<u8>,
    /// The largest alignment of a field, in bytes; 0 while there is none.
    pub(super) align: u64,
    /// The offsets of fields that hold the address of a buffer, with the text of the field.
    pub(super) buffers: Vec<(u64, String, BufferValue)>,
    /// The offset of each field, with its text.
    pub(super) places: Vec<(u64, String)>,
    /// The offset of each number and address, in inner structures too, with its type.
    pub(super) numbers: Vec<(u64, Type)>,
}

/// A buffer: `count` values of a type, and where they come from and go to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BufferValue {
    pub(super) ty: Type,
    pub(super) count: u64,
    pub(super) fill: Fill,
    pub(super) save: Option<PathBuf>,
}

/// The values of a buffer before the launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fill {
    /// The same bits everywhere.
    Number(u64),
    /// 0, 1, 2, …
    Iota,
    /// Random numbers of a seed.
    Random(u64),
    /// The values of a file.
    File(Npy),
    /// Nothing was written there; it reads as zeros.
    Nothing,
}

impl BufferValue {
    /// Checked when the argument was read.
    pub(super) fn bytes(&self) -> u64 {
        self.count.saturating_mul(u64::from(self.ty.bytes()))
    }
}

impl LaunchArgument {
    /// Its buffers: one, or those whose addresses the fields of a structure hold.
    pub(super) fn buffers(&self) -> impl Iterator<Item = &BufferValue> {
        let (one, fields) = match &self.value {
            Value::Scalar { .. } => (None, None),
            Value::Buffer(buffer) => (Some(buffer), None),
            Value::Structure(structure) => (None, Some(structure.buffers())),
        };
        one.into_iter().chain(fields.into_iter().flatten())
    }

    /// Returns where its buffers go after the launch, as far as they do.
    pub(crate) fn save_paths(&self) -> impl Iterator<Item = &Path> {
        self.buffers().filter_map(|buffer| buffer.save.as_deref())
    }

    /// The name of a buffer in messages: the text of the argument or field, without the file that it is written to.
    pub(super) fn label(&self, text: &str, value: &BufferValue) -> String {
        let text = value.save.as_ref().and_then(|_| text.rsplit_once('>')).map_or(text, |(text, _)| text);
        format!("{} (argument {})", text.trim_end(), self.position)
    }
}
