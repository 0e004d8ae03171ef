//! The paper's Figures 9 and 10, and translated code beside native code, as SVG.

use super::render::threads_in_words;
use super::report::{CodeReport, CpuReport, ProgramReport};
use crate::chart::{Axis, Bars, Content, Figure, Panel, Plot, Role};
use crate::error::Error;
use crate::gpu::Summary;

/// The reason why a code has no bar.
const NO_RATIO: &str = "wrong, refused or not measured";

/// What is absent from the paper's text.
const NO_NUMBERS: &str = "paper: its bars have no numbers";

impl CpuReport {
    /// The treatments of the paper's five programs, and all programs beside native code, as far as they were measured.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let of_the_paper: Vec<&ProgramReport> = self.programs.iter().filter(|program| program.of_the_paper).collect();
        let all: Vec<&ProgramReport> = self.programs.iter().collect();
        let mut plots = Vec::new();
        if !of_the_paper.is_empty() {
            let over = |row: &CodeReport| row.over_basic;
            let series = [("merging", Role::Before), ("splitting", Role::After)];
            let title = "PACT 2011, Figures 9 and 10: time over that of basic (wrong for the first three)";
            let axis = || Axis::ratio("time over that of basic");
            plots.push(self.figure("figures-9-and-10.svg", title, axis, &of_the_paper, &series, over, Some(NO_NUMBERS))?);
        }
        if !all.is_empty() {
            let over = |row: &CodeReport| row.over_native;
            let series = [("basic", Role::Paper), ("merging", Role::Before), ("splitting", Role::After)];
            let title = "Translated kernels: time over that of native C++";
            let axis = || Axis::ratio("time over that of native code");
            plots.push(self.figure("native.svg", title, axis, &all, &series, over, None)?);
        }
        Ok(plots)
    }

    /// Draws a panel with one thread and one with all of them.
    fn figure(
        &self,
        file: &str,
        title: &str,
        axis: impl Fn() -> Axis,
        programs: &[&ProgramReport],
        series: &[(&str, Role)],
        over: impl Fn(&CodeReport) -> Option<Summary>,
        paper: Option<&str>,
    ) -> Result<Plot, Error> {
        let names = || programs.iter().map(|program| program.program.clone()).collect();
        let panel = |threads: u32| {
            let bars = |&(code, role): &(&str, Role)| {
                let value = |program: &&ProgramReport| program.code(code, threads).and_then(&over).map(|ratio| ratio.median);
                Bars::new(&format!("pxrw, {code}"), role, NO_RATIO, programs.iter().map(value).collect())
            };
            Panel {
                title: format!("{title}; {}", threads_in_words(threads)),
                y: axis(),
                content: Content::Bars {
                    of: "program".to_owned(),
                    names: names(),
                    series: series.iter().map(bars).collect(),
                },
                paper: paper.map(str::to_owned),
            }
        };
        let panels = self.thread_counts().into_iter().map(panel).collect();
        Figure { file: file.to_owned(), panels }.draw()
    }
}
