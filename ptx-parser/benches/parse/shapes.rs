//! The four shapes of PTX that the benchmark reads.

use std::fmt::Write as _;
use std::path::Path;

/// A kind of text: its name, the samples that it is made of (files of `tests/data`), none for a text that is made here.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    samples: &'static [&'static str],
}

pub(crate) const SHAPES: [Shape; 4] = [
    Shape { name: "nvcc, tiny kernels", samples: &["bfs", "arithmetic", "memory", "warp", "templates"] },
    Shape { name: "nvcc -G, -lineinfo", samples: &["debug", "lineinfo"] },
    Shape { name: "Triton", samples: &["triton"] },
    Shape { name: "data-heavy", samples: &[] },
];

impl Shape {
    /// One copy of each sample. They cannot be one module: each has its own header.
    pub(crate) fn once(&self) -> Vec<String> {
        if self.samples.is_empty() {
            return vec![tables(8)];
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        self.samples
            .iter()
            .map(|name| std::fs::read_to_string(folder.join(name).with_extension("ptx")).unwrap())
            .collect()
    }

    /// A text of at least `size` bytes: the samples one behind the other, over and over.
    pub(crate) fn text(&self, size: usize) -> String {
        let samples = self.once();
        let mut text = String::with_capacity(size + (1 << 20));
        while text.len() < size {
            for sample in &samples {
                text.push_str(sample);
                text.push('\n');
            }
        }
        text
    }
}

/// Tables of constants, one line each, as compilers write them: bytes, words, and floats as bit patterns.
fn tables(count: u32) -> String {
    let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
    let mut state = 1u32;
    let mut next = || {
        // Any numbers will do, as long as they have all lengths.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> (state >> 27)
    };
    for table in 0..count {
        let mut values = |text: &mut String, each: fn(&mut String, u32)| {
            for index in 0..4096 {
                text.push_str(if index > 0 { ", " } else { "" });
                each(text, next());
            }
            text.push_str("};\n");
        };
        write!(text, ".global .align 1 .b8 bytes{table}[4096] = {{").unwrap();
        values(&mut text, |text, value| write!(text, "{}", value & 255).unwrap());
        write!(text, ".const .align 4 .u32 words{table}[4096] = {{").unwrap();
        values(&mut text, |text, value| write!(text, "{value}").unwrap());
        write!(text, ".global .align 4 .f32 floats{table}[4096] = {{").unwrap();
        values(&mut text, |text, value| write!(text, "0f{value:08X}").unwrap());
    }
    text
}
