//! The effects of `pxrw nvcc` on the PTX of a build: a line of JSON for each architecture of each source, or text.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::ccc::CccReport;
use super::ssde::SsdeReport;
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// The result for the PTX of one architecture.
#[derive(Debug, Serialize)]
pub(crate) struct NvccReport {
    /// The source, as the command line names it.
    pub(crate) file: String,
    /// The target of the PTX.
    pub(crate) arch: String,
    /// True if the PTX is another one than the compiler's.
    pub(crate) rewritten: bool,
    /// As `pxrw ccc --report json` has it; `null` where there was nothing to collect.
    pub(crate) ccc: Option<CccReport>,
    /// As `pxrw ssde --report json` has it; `null` where that was not asked for.
    pub(crate) ssde: Option<SsdeReport>,
}

/// The destination of reports.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reports {
    /// Nowhere.
    None,
    /// To standard error, as text.
    Text,
    /// Each as a line of JSON behind what is in the file: the compilers of a build share it.
    Lines(PathBuf),
}

impl Reports {
    /// Returns what `PXRW_REPORT` says.
    pub(crate) fn of(variable: Option<std::ffi::OsString>) -> Reports {
        match variable.filter(|value| !value.is_empty()) {
            None => Reports::None,
            Some(value) if value == "-" => Reports::Text,
            Some(value) => Reports::Lines(value.into()),
        }
    }

    /// Writes a report.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn add(&self, report: &NvccReport) -> Result<(), Failure> {
        match self {
            Reports::None => Ok(()),
            Reports::Text => {
                crate::output::stderr_text(&report.text());
                Ok(())
            }
            Reports::Lines(path) => {
                let line = serde_json::to_string(report).map_err(std::io::Error::other);
                let append = |line: String| -> std::io::Result<()> {
                    let mut file = File::options().append(true).create(true).open(path)?;
                    // Others wait, so that lines stay whole.
                    file.lock()?;
                    file.write_all((line + "\n").as_bytes())
                };
                line.and_then(append).map_err(|error| {
                    let title = format!("cannot write the report to `{}`: {error}", path.display());
                    Diagnostic::error(title).help("`PXRW_REPORT` names the file; `-` stands for standard error").into()
                })
            }
        }
    }
}

impl NvccReport {
    fn text(&self) -> String {
        let done = if self.rewritten { "rewritten" } else { "as the compiler made it" };
        let mut text = format!("{} for {}: {done}\n", self.file, self.arch);
        text += &self.ccc.as_ref().map_or(String::new(), CccReport::text);
        text + &self.ssde.as_ref().map_or(String::new(), SsdeReport::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> NvccReport {
        NvccReport { file: "k.cu".into(), arch: "sm_80".into(), rewritten: false, ccc: None, ssde: None }
    }

    #[test]
    fn reports_are_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let reports = Reports::of(Some(path.clone().into()));
        reports.add(&report()).unwrap();
        reports.add(&report()).unwrap();
        let line = r#"{"file":"k.cu","arch":"sm_80","rewritten":false,"ccc":null,"ssde":null}"#;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{line}\n{line}\n"));
        let failure = Reports::of(Some(folder.path().into())).add(&report()).unwrap_err();
        assert!(failure.diagnostics[0].title.starts_with("cannot write the report to"), "{failure:?}");
        assert_eq!(Reports::of(Some("-".into())), Reports::Text);
        assert_eq!(Reports::of(Some("".into())), Reports::None);
        assert_eq!(report().text(), "k.cu for sm_80: as the compiler made it\n");
    }
}
