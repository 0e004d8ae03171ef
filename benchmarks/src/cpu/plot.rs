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

/// A plot with a panel for one thread and one for all of them.
struct Treatments<'a> {
    file: &'a str,
    title: &'a str,
    axis: &'a str,
    programs: Vec<&'a ProgramReport>,
    series: &'a [(&'a str, Role)],
    ratio: fn(&CodeReport) -> Option<Summary>,
    paper: Option<String>,
}

impl CpuReport {
    /// The treatments of the paper's five programs, and all programs beside native code, as far as they were measured.
    ///
    /// # Errors
    /// [`Error::Plot`].
    pub fn plots(&self) -> Result<Vec<Plot>, Error> {
        let of_the_paper: Vec<&ProgramReport> = self.programs.iter().filter(|program| program.of_the_paper).collect();
        let over_basic = Treatments {
            file: "figures-9-and-10.svg",
            title: "PACT 2011, Figures 9 and 10: time over that of basic",
            axis: "time over that of basic",
            paper: Some(NO_NUMBERS.to_owned() + &wrong(&of_the_paper)),
            programs: of_the_paper,
            series: &[("merging", Role::Before), ("splitting", Role::After)],
            ratio: |row| row.over_basic,
        };
        let over_native = Treatments {
            file: "native.svg",
            title: "Translated kernels: time over that of native C++",
            axis: "time over that of native code",
            programs: self.programs.iter().collect(),
            series: &[("basic", Role::Other), ("merging", Role::Before), ("splitting", Role::After)],
            ratio: |row| row.over_native,
            paper: Some("paper: it has no such figure".to_owned()),
        };
        let plots = [over_basic, over_native].into_iter().filter(|plot| !plot.programs.is_empty());
        plots.map(|plot| self.draw(&plot)).collect()
    }

    fn draw(&self, plot: &Treatments<'_>) -> Result<Plot, Error> {
        let panel = |threads: u32| {
            let bars = |&(code, role): &(&str, Role)| {
                let ratio = |program: &&ProgramReport| program.code(code, threads).and_then(plot.ratio);
                let values = plot.programs.iter().map(|program| ratio(program).map(|ratio| ratio.median));
                Bars::new(&format!("pxrw, {code}"), role, NO_RATIO, values.collect())
            };
            Panel {
                title: format!("{}; {}", plot.title, threads_in_words(threads)),
                y: Axis::ratio(plot.axis),
                content: Content::Bars {
                    of: "program".to_owned(),
                    names: plot.programs.iter().map(|program| program.program.clone()).collect(),
                    series: plot.series.iter().map(bars).collect(),
                },
                paper: plot.paper.clone(),
            }
        };
        let panels = self.thread_counts().into_iter().map(panel).collect();
        Figure { file: plot.file.to_owned(), panels }.draw()
    }
}

/// Says for which programs `basic` is wrong, as part of a legend.
fn wrong(programs: &[&ProgramReport]) -> String {
    let is_wrong = |program: &ProgramReport| {
        program.codes.iter().any(|row| row.code == "basic" && row.refused.is_none() && !row.results_equal)
    };
    let names: Vec<&str> =
        programs.iter().filter(|program| is_wrong(program)).map(|program| program.program.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; basic is wrong for {}", names.join(", ")) }
}
