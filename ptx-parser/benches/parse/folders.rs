//! The same figures for the PTX files of folders: what a user's own compiler writes.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use ptx_parser::Module;

use crate::{best, tokens, typed};

/// The PTX files of a folder and of those in it.
fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => files(&path, list),
            Some(extension) if extension == "ptx" => list.push(path),
            _ => {}
        }
    }
}

/// Measures each file by itself and prints what they take together.
pub(crate) fn measure(folders: &[PathBuf]) {
    let mut list = Vec::new();
    folders.iter().for_each(|folder| files(folder, &mut list));
    let texts: Vec<String> = list.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let (texts, refused): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| Module::parse(text).is_ok());
    let (mut bytes, mut insts) = (0, 0);
    let (mut parse, mut with_types, mut print, mut tokenizer) = (0.0, 0.0, 0.0, 0.0);
    for text in &texts {
        let module = Module::parse(text).unwrap();
        bytes += text.len();
        insts += module.kernels().iter().map(ptx_parser::Kernel::inst_count).sum::<usize>();
        parse += best(|| drop(black_box(Module::parse(black_box(text)).unwrap())));
        with_types += best(|| _ = black_box(typed(black_box(text))));
        print += best(|| drop(black_box(module.to_string())));
        tokenizer += best(|| drop(black_box(tokens::tokenize(black_box(text)))));
    }
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} files, {megabytes:.1} MB, {insts} instructions; {} that do not parse are left out",
        texts.len(),
        refused.len()
    );
    println!(
        "MB/s: parse {:.1}, typed {:.1}, print {:.1}, tokenizer {:.1}; typed/tokenizer {:.3}",
        megabytes / parse,
        megabytes / with_types,
        megabytes / print,
        megabytes / tokenizer,
        tokenizer / with_types,
    );
}
