//! A program that is one launch: buffers in, buffers out.

use std::borrow::Cow;
use std::sync::OnceLock;

use device::{Argument, Buffer, Device, LaunchConfig};

use crate::error::Error;
use crate::native::Counterpart;
use crate::variant::Variant;
use crate::workload::{Ran, Verdict, Work};

/// The CPU's check of the buffers that a launch wrote.
pub(crate) type Check = Box<dyn Fn(&[Vec<u8>]) -> Verdict + Send + Sync>;

/// One parameter of the kernel.
pub(crate) enum Value {
    /// A number.
    Scalar(Argument),
    /// A buffer that the kernel reads: its name and its bytes.
    Input(&'static str, Vec<u8>),
    /// A buffer that the kernel writes: its name and what is in it before.
    Output(&'static str, Vec<u8>),
}

/// A launch with its check.
pub(crate) struct Once {
    /// The parameters in their order.
    pub(crate) values: Vec<Value>,
    /// True if the outputs must be the same bits however tasks are ordered.
    pub(crate) ordered: bool,
    /// Looks at the outputs, in the order of the parameters.
    pub(crate) check: Check,
    /// The first outputs, and what was said of them: the same bytes again need no second look.
    first: OnceLock<(Vec<Vec<u8>>, Verdict)>,
}

impl Once {
    /// A launch with its check.
    pub(crate) fn new(values: Vec<Value>, ordered: bool, check: Check) -> Once {
        Once { values, ordered, check, first: OnceLock::new() }
    }

    /// Returns what the CPU says of the outputs.
    fn judge(&self, results: &[Vec<u8>]) -> Verdict {
        if let Some((_, verdict)) = self.first.get().filter(|(first, _)| first == results) {
            return verdict.clone();
        }
        let verdict = (self.check)(results);
        self.first.get_or_init(|| (results.to_vec(), verdict.clone()));
        verdict
    }
}

impl Work for Once {
    fn run(&self, device: &mut dyn Device, variant: &Variant, config: &LaunchConfig) -> Result<Ran, Error> {
        let kernel = device.load(&variant.ptx, &variant.kernel)?;
        let mut arguments = Vec::new();
        let mut outputs = Vec::new();
        for value in &self.values {
            arguments.push(match value {
                Value::Scalar(argument) => argument.clone(),
                Value::Input(label, bytes) => upload(device, label, bytes)?.into(),
                Value::Output(label, bytes) => {
                    let buffer = upload(device, label, bytes)?;
                    outputs.push((buffer, bytes.len()));
                    buffer.into()
                }
            });
        }
        let run = device.launch(kernel, config, &arguments)?;
        let efficiency = run.counts.warp_execution_efficiency();
        // A device whose launch did not finish may answer nothing any more.
        if let Some(verdict) = Verdict::unfinished(&run) {
            return Ok(Ran { run, launches: 1, efficiency, result: Vec::new(), verdict });
        }
        let results = outputs
            .iter()
            .map(|&(buffer, len)| {
                let mut bytes = vec![0; len];
                device.download(buffer, 0, &mut bytes).map(|()| bytes)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let verdict = self.judge(&results);
        let result = match results.len() {
            _ if !self.ordered => Vec::new(),
            1 => results.into_iter().next().unwrap_or_default(),
            _ => results.concat(),
        };
        Ok(Ran { run, launches: 1, efficiency, result, verdict })
    }

    fn counterpart(&self) -> Option<&dyn Counterpart> {
        Some(self)
    }
}

impl Counterpart for Once {
    fn buffers(&self) -> Vec<Cow<'_, [u8]>> {
        let buffer = |value| match value {
            &Value::Scalar(_) => None,
            Value::Input(_, bytes) | Value::Output(_, bytes) => Some(Cow::Borrowed(bytes.as_slice())),
        };
        self.values.iter().filter_map(buffer).collect()
    }

    fn verdict(&self, results: &[Vec<u8>]) -> Verdict {
        self.judge(results)
    }
}

/// Allocates a buffer with these bytes. A buffer of no bytes would have no address, so it has one byte.
pub(crate) fn upload(device: &mut dyn Device, label: &str, bytes: &[u8]) -> Result<Buffer, Error> {
    if bytes.is_empty() {
        return Ok(device.alloc(1, label)?);
    }
    // All of it is written, so that zeros need not be written first.
    let buffer = device.reserve(bytes.len() as u64, label)?;
    device.upload(buffer, 0, bytes)?;
    Ok(buffer)
}

macro_rules! numbers {
    ($($ty:ident, $width:literal, $bytes:ident, $values:ident;)*) => {
        $(
            /// The bytes of numbers, as a kernel reads them.
            pub(crate) fn $bytes(values: &[$ty]) -> Vec<u8> {
                let mut bytes = vec![0; $width * values.len()];
                let places = bytes.as_chunks_mut::<$width>().0.iter_mut();
                places.zip(values).for_each(|(place, value)| *place = value.to_le_bytes());
                bytes
            }

            /// The numbers of bytes that a kernel wrote.
            pub(crate) fn $values(bytes: &[u8]) -> Vec<$ty> {
                bytes.as_chunks::<$width>().0.iter().map(|&chunk| $ty::from_le_bytes(chunk)).collect()
            }
        )*
    };
}

numbers! {
    i32, 4, from_i32, to_i32;
    u32, 4, from_u32, to_u32;
    u64, 8, from_u64, to_u64;
    f32, 4, from_f32, to_f32;
    f64, 8, from_f64, to_f64;
}
