//! `pxrw toolkit`: which nvcc and ptxas are used, and fetching them.

use toolkit::{Origin, Search, StderrProgress, Toolkit};

use crate::Verdict;
use crate::arguments::{ToolkitAction, ToolkitCommand};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(options: &ToolkitCommand) -> Result<Verdict, Failure> {
    let search = Search { nvcc: options.cuda_path.clone(), ..Search::default() };
    match options.action {
        Some(ToolkitAction::Install) => {
            let toolkit = Toolkit::install(&search.install_dir, &mut StderrProgress::default())?;
            show(&toolkit)
        }
        None => {
            let survey = Toolkit::survey(&search)?;
            for note in &survey.notes {
                Diagnostic::warning(note.as_str()).print();
            }
            match survey.found {
                Some(toolkit) => show(&toolkit),
                None => {
                    let text = format!(
                        "no CUDA compiler found\n\nA command that needs one fetches it from PyPI into {}.\n`pxrw toolkit install` does it now; \
                         `--cuda-path` or CUDA_PATH name one that you have.\n",
                        search.install_dir.display()
                    );
                    output::write(None, text.as_bytes())?;
                    Ok(Verdict::Found)
                }
            }
        }
    }
}

fn show(toolkit: &Toolkit) -> Result<Verdict, Failure> {
    let origin = match &toolkit.origin {
        Origin::Flag => "--cuda-path".to_owned(),
        Origin::CudaPath => "CUDA_PATH".to_owned(),
        Origin::CudaHome => "CUDA_HOME".to_owned(),
        Origin::Path => "PATH".to_owned(),
        Origin::UsualPlace => toolkit.root.display().to_string(),
        Origin::Installed(folder) => format!("fetched by pxrw into {}", folder.display()),
    };
    let text = format!(
        "nvcc   {}  {}\nptxas  {}  {}\nfrom   {origin}\n",
        toolkit.nvcc_version,
        toolkit.nvcc.display(),
        toolkit.ptxas_version,
        toolkit.ptxas.display()
    );
    output::write(None, text.as_bytes())?;
    Ok(Verdict::Done)
}
