//! The ways to run a program, and the devices for them.

use std::sync::Arc;

use ::cpu::{Cache, Sync};
use device::{Device, EmulatorOptions, Monitor, Selection, TranslatedOptions};

use super::case::Case;
use crate::error::Error;
use crate::grid_size::chip;

/// The code that runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// C++.
    Native,
    /// OpenCL C, by PoCL.
    OpenCl,
    /// The kernels translated to C, in one of the treatments.
    Translated(Sync),
    /// The kernels after CCC, translated with `splitting`.
    Rewritten,
    /// The kernels on the emulator.
    Emulator,
}

impl Code {
    /// Its name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Code::Native => "native",
            Code::OpenCl => OPENCL,
            Code::Translated(sync) => sync.name(),
            Code::Rewritten => REWRITTEN,
            Code::Emulator => "emulator",
        }
    }
}

/// The name of [`Code::Rewritten`] in reports.
pub(super) const REWRITTEN: &str = "splitting after CCC";

/// The name of [`Code::OpenCl`] in reports.
pub(super) const OPENCL: &str = "opencl";

/// The kernels of a program.
pub(super) struct Texts {
    /// The PTX as nvcc makes it.
    pub(super) ptx: String,
    /// The PTX after CCC, of a program that is made for it.
    pub(super) rewritten: Option<String>,
}

impl Texts {
    /// Returns the PTX for a code.
    pub(super) fn of(&self, code: Code) -> &str {
        match code {
            Code::Rewritten => self.rewritten.as_deref().unwrap_or(&self.ptx),
            _ => &self.ptx,
        }
    }
}

/// The settings of devices that all ways share.
pub(super) struct Settings {
    pub(super) cache: Cache,
    pub(super) arch: String,
    /// Ends the emulator.
    pub(super) monitor: Arc<Monitor>,
}

/// A code with its host threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) code: Code,
    pub(super) threads: u32,
}

impl Way {
    /// All ways of these codes, with one thread and with all of them, and the emulator with all.
    pub(super) fn all(threads: u32, codes: &[Code]) -> Vec<Way> {
        let mut counts = vec![1, threads];
        counts.dedup();
        let mut ways: Vec<Way> =
            counts.iter().flat_map(|&threads| codes.iter().map(move |&code| Way { code, threads })).collect();
        ways.push(Way { code: Code::Emulator, threads });
        ways
    }

    /// Returns the device that runs it; `None` for a program of its own.
    fn selection(self, settings: &Settings) -> Option<Selection> {
        match self.code {
            Code::Native | Code::OpenCl => None,
            Code::Translated(_) | Code::Rewritten => {
                let sync = if let Code::Translated(sync) = self.code { sync } else { Sync::Splitting };
                let cache = Some(settings.cache.clone());
                let options = TranslatedOptions { sync, threads: self.threads, cache, ..TranslatedOptions::default() };
                Some(Selection::Cpu(options))
            }
            Code::Emulator => {
                let (threads, chip) = (self.threads as usize, chip(&settings.arch));
                let monitor = Some(Arc::clone(&settings.monitor));
                Some(Selection::Emulator(EmulatorOptions { threads, chip, monitor, ..EmulatorOptions::default() }))
            }
        }
    }
}

/// The devices of a program, with its kernels loaded.
pub(super) struct Devices {
    ready: Vec<(Way, Option<Box<dyn Device>>)>,
    /// The ways that cannot run it, and why.
    pub(super) refused: Vec<(Way, String)>,
}

impl Devices {
    /// Opens a device for each way and loads the kernels. Those that are translated are compiled, or taken from the cache.
    ///
    /// # Errors
    /// The device's error for the code. That a kernel is not translated is none.
    pub(super) fn open(ways: &[Way], case: &Case, texts: &Texts, settings: &Settings) -> Result<Devices, Error> {
        let mut devices = Devices { ready: Vec::new(), refused: Vec::new() };
        for &way in ways {
            let Some(selection) = way.selection(settings) else {
                devices.ready.push((way, None));
                continue;
            };
            let mut device = selection.open()?;
            let loaded = case.kernels.iter().try_for_each(|kernel| device.load(texts.of(way.code), kernel).map(|_| ()));
            match loaded {
                Ok(()) => devices.ready.push((way, Some(device))),
                Err(error @ device::Error::NotTranslated(_)) => devices.refused.push((way, error.to_string())),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(devices)
    }

    /// Returns the ways that can run.
    pub(super) fn ways(&self) -> Vec<Way> {
        self.ready.iter().map(|(way, _)| *way).collect()
    }

    /// Returns the device of a way; `None` for a program of its own.
    pub(super) fn device(&mut self, way: Way) -> Option<&mut dyn Device> {
        let (_, device) = self.ready.iter_mut().find(|(other, _)| *other == way)?;
        device.as_deref_mut().map(|device| device as &mut dyn Device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_has_no_second_set_of_rows() {
        let codes = [Code::Native, Code::Translated(Sync::Splitting)];
        let names = |threads: u32| -> Vec<String> {
            let ways = Way::all(threads, &codes);
            ways.iter().map(|way| format!("{} {}", way.code.name(), way.threads)).collect()
        };
        assert_eq!(names(1), ["native 1", "splitting 1", "emulator 1"]);
        assert_eq!(names(8), ["native 1", "splitting 1", "native 8", "splitting 8", "emulator 8"]);
    }
}
