//! The interface by which an install reports its progress; and the usual listener, which writes to standard error.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

/// Receives what an install has to say. Nothing here can fail: a listener that cannot show something drops it.
pub trait Progress {
    /// One sentence worth telling: a toolkit that was passed over, another process that is waited for.
    fn note(&mut self, text: &str);
    /// A fetch begins: what is fetched, the folder it goes to, and about how many bytes will be written.
    fn begin(&mut self, what: &str, into: &Path, total_bytes: u64);
    /// Bytes on disk so far, and what is going on in a few words.
    fn advance(&mut self, done_bytes: u64, stage: &str);
    /// The fetch ended.
    fn end(&mut self, succeeded: bool);
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn note(&mut self, _: &str) {}
    fn begin(&mut self, _: &str, _: &Path, _: u64) {}
    fn advance(&mut self, _: u64, _: &str) {}
    fn end(&mut self, _: bool) {}
}

/// Writes to standard error: two lines that say what is fetched and where to, and a bar where that is a terminal.
#[derive(Debug, Default)]
pub struct StderrProgress {
    bar: Option<ProgressBar>,
}

impl Progress for StderrProgress {
    fn note(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("note: {text}")),
            None => eprintln!("note: {text}"),
        }
    }

    fn begin(&mut self, what: &str, into: &Path, total_bytes: u64) {
        eprintln!("fetching {what}");
        eprintln!("    into {}", into.display());
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:40} {bytes:>10} of {total_bytes} {elapsed:>4} {wide_msg}");
            let bar = ProgressBar::new(total_bytes);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.bar = Some(bar);
        }
    }

    fn advance(&mut self, done_bytes: u64, stage: &str) {
        if let Some(bar) = &self.bar {
            // The total is what one version of pip writes; another may write a little more.
            bar.set_length(bar.length().unwrap_or(0).max(done_bytes));
            bar.set_position(done_bytes);
            bar.set_message(stage.to_owned());
        }
    }

    fn end(&mut self, succeeded: bool) {
        match self.bar.take() {
            Some(bar) if succeeded => bar.finish_with_message("done"),
            Some(bar) => bar.abandon(),
            None if succeeded => eprintln!("    done"),
            None => {}
        }
    }
}

/// Keeps what it is told, for tests.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) notes: Vec<String>,
    pub(crate) begun: usize,
    pub(crate) ended: Vec<bool>,
}

#[cfg(test)]
impl Progress for Recorded {
    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
    fn begin(&mut self, _: &str, _: &Path, _: u64) {
        self.begun += 1;
    }
    fn advance(&mut self, _: u64, _: &str) {}
    fn end(&mut self, succeeded: bool) {
        self.ended.push(succeeded);
    }
}
