//! `pxrw cpu`: kernels as C for the CPU, or compiled for this machine.

use std::path::{Path, PathBuf};

use cpu::{Build, Cache, Interface, Refusal, Translation, translate_possible};
use ptx_parser::{KernelKind, Module};
use toolkit::Scratch;

use super::compiling::while_compiling;
use super::run::source::Source;
use crate::Verdict;
use crate::arguments::{Cpu, CpuArguments};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit, refuse_errors};
use crate::kernels::{names, shown_name};
use crate::output;
use crate::reports::cpu::{CpuReport, KernelEntry, RefusalEntry, Status};
use crate::reports::lanes::LanesEntry;
use crate::reports::ssde::PlaceEntry;

/// The files that the result is written to.
enum Files {
    /// The C text goes to standard output.
    Standard,
    /// The C text, and its header.
    Text { source: PathBuf, header: PathBuf },
    /// A shared object.
    Object(PathBuf),
}

pub(crate) fn run(options: &Cpu) -> Result<Verdict, Failure> {
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let arch = &options.common.arch;
    let compiler = input.options(&options.compiler, arch)?;
    let files = Files::of(options.output.as_deref(), &options.input)?;
    files.check_compiler(&options.cpu)?;
    let compiled = input.compile(arch, &compiler, &mut LazyToolkit::new(options.common.cuda_path.as_ref()))?;
    if language == Language::Ptx {
        refuse_errors(&name, &text, &compiled.module)?;
    }
    let kernels = wanted(&compiled.module, options.kernel.as_deref(), &name)?;
    let wanted: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let CpuArguments { sync, .. } = options.cpu;
    let settings = cpu::Options { sync };
    let (translation, refusals) = translate_possible(&compiled.module, Some(&wanted), &settings);
    let source = Source { name: &name, text: &text, language, compiled: &compiled };
    source.not_translated(&refusals).iter().for_each(Diagnostic::print);
    let notes = translation.as_ref().map_or(&[][..], |translation| &translation.notes);
    notes.iter().for_each(|note| Diagnostic::remark(note).print());
    let written = match &translation {
        Some(translation) => files.write(translation, &options.cpu)?,
        None => Vec::new(),
    };
    let report = report(&source, &kernels, translation.as_ref(), &refusals, written, options.explain);
    let shown = output::shown(options.common.report, &report, || report.text())?;
    // With the result on standard output, the report must not be mixed into it.
    match options.output.is_some() {
        true => output::write(None, shown.as_bytes())?,
        false => output::stderr_text(&shown),
    }
    Ok(if report.is_incomplete() { Verdict::Found } else { Verdict::Done })
}

/// Returns the names of the kernels that are to be translated.
///
/// # Errors
/// There is none.
fn wanted(module: &Module, name: Option<&str>, file: &str) -> Result<Vec<String>, Failure> {
    if let Some(name) = name {
        return names(module, name, file);
    }
    let entries = module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry && kernel.has_body());
    let all: Vec<String> = entries.map(|kernel| kernel.name().to_owned()).collect();
    // Without a kernel, this is the error.
    if all.is_empty() { names(module, "", file) } else { Ok(all) }
}

fn report(
    source: &Source<'_>,
    kernels: &[String],
    translation: Option<&Translation>,
    refusals: &[Refusal],
    written: Vec<String>,
    explain: bool,
) -> CpuReport {
    let lanes = |name: &String| {
        let found = translation?.synchronisation.iter().find(|lanes| lanes.kernel == *name).filter(|_| explain)?;
        let place = |ptx_line: u32| {
            let (place, _) = source.place(ptx_line);
            PlaceEntry { file: place.file, line: place.position.line, ptx_line }
        };
        Some(LanesEntry::of(found, &place))
    };
    let interface =
        |name: &String| -> Option<&Interface> { translation?.kernels.iter().find(|interface| interface.name == *name) };
    let kernels = kernels.iter().map(|name| {
        let found = interface(name);
        KernelEntry {
            name: shown_name(name),
            status: if found.is_some() { Status::Translated } else { Status::Refused },
            function: found.map(|found| format!("{}_launch_packed", found.symbol)),
            param_bytes: found.map(|found| found.param_bytes),
            lanes: lanes(name),
        }
    });
    let refusals = refusals.iter().map(|refusal| {
        let ptx_line = refusal.position.map_or(0, |position| position.line);
        let place = (ptx_line > 0).then(|| source.place(ptx_line).0);
        let (file, line) = place.map_or((source.name.to_owned(), 0), |place| (place.file, place.position.line));
        RefusalEntry {
            kernel: shown_name(&refusal.kernel),
            at: PlaceEntry { file, line, ptx_line },
            what: refusal.what.clone(),
            reason: refusal.reason.clone(),
        }
    });
    CpuReport {
        kernels: kernels.collect(),
        refusals: refusals.collect(),
        notes: translation.map(|translation| translation.notes.clone()).unwrap_or_default(),
        written,
    }
}

impl Files {
    /// Decides by the name of the output what is written, and checks that it can be.
    ///
    /// # Errors
    /// A name with another ending, or a place that cannot be written.
    fn of(path: Option<&Path>, input: &Path) -> Result<Files, Failure> {
        let Some(path) = path else { return Ok(Files::Standard) };
        let files = match path.extension().and_then(|extension| extension.to_str()) {
            Some("c") => Files::Text { source: path.to_owned(), header: path.with_extension("h") },
            Some("so") => Files::Object(path.to_owned()),
            _ => {
                let error = Diagnostic::error(format!("`{}` is neither C nor a shared object", path.display()));
                return Err(error.help("the name must end in `.c` or `.so`").into());
            }
        };
        for path in files.paths() {
            output::check(Some(path))?;
            output::check_apart(Some(path), input)?;
        }
        Ok(files)
    }

    /// Refuses a compiler for a text that is not compiled.
    fn check_compiler(&self, options: &CpuArguments) -> Result<(), Failure> {
        if options.cc.is_none() || matches!(self, Files::Object(_)) {
            return Ok(());
        }
        let error = Diagnostic::error("`--cc` has no effect: the C text is not compiled");
        Err(error.help("leave it out, or let `-o` name a shared object, `OUT.so`").into())
    }

    fn paths(&self) -> Vec<&Path> {
        match self {
            Files::Standard => Vec::new(),
            Files::Text { source, header } => vec![source, header],
            Files::Object(object) => vec![object],
        }
    }

    /// Writes a translation, and returns the names of the files.
    fn write(&self, translation: &Translation, options: &CpuArguments) -> Result<Vec<String>, Failure> {
        match self {
            Files::Standard => output::write(None, translation.source.as_bytes())?,
            Files::Text { source, header } => {
                let files = [(header, &translation.header), (source, &translation.source)];
                output::write_files(&files.map(|(path, text)| (path.as_path(), text.as_bytes())))?;
            }
            Files::Object(object) => {
                let scratch = Scratch::new()?;
                let build =
                    Build { cc: options.cc.clone(), cache: Cache::of_user(), scratch: Some(scratch.path().to_owned()) };
                let built = while_compiling(|| build.object(&translation.source));
                let built = built.map_err(|error| Diagnostic::error(error.to_string()))?;
                built.note.iter().for_each(|note| Diagnostic::remark(note).print());
                output::write(Some(object), &built.object)?;
            }
        }
        Ok(self.paths().into_iter().map(|path| path.display().to_string()).collect())
    }
}
