//! CUDA sources of the repository as PTX, by what was saved beside them (see [`golden::saved`]).
//!
//! With `PXRW_BLESS=1`, a source without saved PTX, or with PTX of an older text, is compiled and saved.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use annotate::{Marking, Unit};
use anyhow::{Context, Result, anyhow, bail, ensure};
use frontend::{Compiled, Saved, SavedMarked};
use golden::saved::Section;
use toolkit::{CudaSource, Search, StderrProgress, Toolkit};

static TOOLKIT: LazyLock<Result<Toolkit, String>> = LazyLock::new(|| {
    Toolkit::locate_or_install(&Search::default(), &mut StderrProgress::default()).map_err(|error| error.to_string())
});

/// The one CUDA toolkit of all tests: found or fetched once, by whichever test needs it first.
///
/// # Errors
/// None was found, and none could be fetched.
pub fn toolkit() -> Result<&'static Toolkit> {
    TOOLKIT.as_ref().map_err(|error| anyhow!("{error}"))
}

/// Returns the folder of this crate, which has the sources.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A source of this crate, and how it is compiled.
#[derive(Clone, Debug)]
pub struct Build {
    source: PathBuf,
    arch: String,
    options: Vec<String>,
    /// False if lines of the source are taken out.
    lines: bool,
}

/// The word in titles that says that lines of the source are taken out.
const WITHOUT_LINES: &str = "without-lines";

impl Build {
    /// A build with `-lineinfo -O3`, unless `options` says otherwise.
    #[must_use]
    pub fn new(source: &Path, arch: &str, options: &[&str]) -> Build {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        Build { source: source.to_owned(), arch: arch.to_owned(), options, lines: true }
    }

    /// The same without the lines of the source, of which the PTX of code with many small functions has more than of anything else.
    #[must_use]
    pub fn without_lines(self) -> Build {
        Build { lines: false, ..self }
    }

    /// Returns the builds that were saved of a source.
    #[must_use]
    pub fn all(source: &Path) -> Vec<Build> {
        let read = |title: String| {
            let mut words: Vec<&str> = title.split(' ').collect();
            let arch = words.remove(0);
            let lines = !words.contains(&WITHOUT_LINES);
            words.retain(|&word| word != WITHOUT_LINES);
            Build { lines, ..Build::new(source, arch, &words) }
        };
        golden::saved::builds(source).into_iter().map(read).collect()
    }

    fn title(&self) -> String {
        let without = (!self.lines).then_some(WITHOUT_LINES);
        let options = self.options.iter().map(String::as_str).chain(without);
        [self.arch.as_str()].into_iter().chain(options).collect::<Vec<_>>().join(" ")
    }

    /// Returns the name that the compiler and messages know the source by.
    fn name(&self) -> String {
        self.source.strip_prefix(root()).unwrap_or(&self.source).display().to_string()
    }

    /// Returns true if the PTX is compressed: all but that of the folders in which each file shows one thing.
    fn is_packed(&self) -> bool {
        !["ccc", "print", "refused", "ssde"]
            .iter()
            .any(|name| self.source.starts_with(root().join("golden").join(name)))
    }

    fn text(&self) -> Result<String> {
        std::fs::read_to_string(&self.source).with_context(|| format!("cannot read {}", self.source.display()))
    }

    /// Returns the module that the compiler made.
    ///
    /// # Errors
    /// Nothing is saved, or the source has changed since.
    pub fn module(&self) -> Result<ptx_parser::Module> {
        self.with(|compiled| Ok(compiled.module.clone()))
    }

    /// Compiles the source now, for tests that are not in every run and have no saved PTX.
    ///
    /// # Errors
    /// The compiler does not take it.
    pub fn compiled_now(&self) -> Result<ptx_parser::Module> {
        self.compile().map(|compiled| compiled.module)
    }

    /// Does something with what the compiler made.
    ///
    /// # Errors
    /// Nothing is saved, the source has changed since, or `work` fails.
    pub fn with<T>(&self, work: impl Fn(&Compiled) -> Result<T>) -> Result<T> {
        let what_to_do = || format!("`{}=1` with the same command compiles `{}` anew", golden::BLESS, self.name());
        let problem = match self.read() {
            Ok(saved) => {
                let compiled = saved.compiled().with_context(what_to_do)?;
                let result = work(&compiled);
                if !compiled.is_missing() {
                    return result;
                }
                anyhow!("the rewrite asks for a way of marking whose PTX is not saved\n{}", what_to_do())
            }
            Err(problem) => problem,
        };
        if !golden::is_blessing() {
            bail!(problem);
        }
        let compiled = self.compile()?;
        // It says which ways of marking the rewrite asks for. What counts is what comes of the text that is saved.
        let _ = work(&compiled);
        let sections = self.sections(compiled.saved())?;
        golden::saved::write(&self.source, self.is_packed(), &toolkit()?.nvcc_version, &self.title(), &sections)
            .map_err(anyhow::Error::msg)?;
        work(&self.read()?.compiled()?)
    }

    /// Compiles the source once more, and compares the result with what is saved. Does nothing where the compiler is another one.
    ///
    /// # Errors
    /// The difference.
    pub fn is_current(&self) -> Result<()> {
        let toolkit = toolkit()?;
        if golden::saved::compiler(&self.source).is_some_and(|made_by| made_by != toolkit.nvcc_version) {
            return Ok(());
        }
        let saved = self.read()?;
        let compiled = self.compile()?;
        for SavedMarked { marking, .. } in &saved.marked {
            compiled.compile_marked(*marking);
        }
        let now = self.clean(compiled.saved()).with_internal_names_of(&saved);
        ensure!(
            without_host(now) == without_host(saved),
            "what the compiler makes of `{}` now differs from what is saved beside it; remove that and run with `{}=1`",
            self.name(),
            golden::BLESS
        );
        Ok(())
    }

    fn compile(&self) -> Result<Compiled> {
        let options: Vec<OsString> = self.options.iter().map(OsString::from).collect();
        let source = CudaSource::new(self.text()?, self.name());
        let include_dir = self.source.parent().map(Path::to_owned);
        let (compiled, _) = frontend::compile(&CudaSource { include_dir, ..source }, &self.arch, &options, toolkit()?)?;
        let wrong = compiled.mistakes.iter();
        let wrong: String =
            wrong.map(|mistake| format!("{}:{}: {}\n", self.name(), mistake.error.span(), mistake.error)).collect();
        ensure!(wrong.is_empty(), "{wrong}");
        Ok(compiled)
    }

    /// Takes out the paths of the machine.
    fn clean(&self, saved: Saved) -> Saved {
        let folders: Vec<&Path> =
            toolkit().iter().flat_map(|kit| [Some(kit.root.as_path()), kit.nvcc.parent()]).flatten().collect();
        let clean = |ptx: String| {
            let ptx = golden::saved::without_paths(&ptx, &folders);
            if self.lines { ptx } else { golden::saved::without_lines(&ptx) }
        };
        let marked = |marked: SavedMarked| SavedMarked { ptx: marked.ptx.map(clean), ..marked };
        Saved { ptx: clean(saved.ptx), marked: saved.marked.into_iter().map(marked).collect() }
    }

    fn read(&self) -> Result<Saved> {
        let sections = golden::saved::read(&self.source, &self.title()).map_err(anyhow::Error::msg)?;
        let mut saved = Saved::default();
        for Section { title, text } in sections {
            let (kind, rest) = title.split_once(' ').unwrap_or((&title, ""));
            match (kind, saved.marked.last_mut()) {
                ("build", _) => saved.ptx = text,
                ("marked", _) => {
                    let (name, hash) = rest.split_once(' ').unwrap_or((rest, ""));
                    let marking = Marking::ALL.into_iter().find(|marking| format!("{marking:?}") == name);
                    let marking = marking.with_context(|| format!("there is no way of marking `{name}`"))?;
                    ensure!(
                        hash == self.markers(marking)?,
                        "the markers of `{}` are others now\n`{}=1` with the same command compiles it anew",
                        self.name(),
                        golden::BLESS
                    );
                    saved.marked.push(SavedMarked { marking, ptx: Ok(text), not_taken: Default::default() });
                }
                ("refused", Some(last)) => last.ptx = Err(rest.to_owned()),
                ("without", Some(last)) => {
                    let (number, said) = rest.split_once(' ').unwrap_or((rest, ""));
                    last.not_taken.insert(number.parse()?, said.to_owned());
                }
                _ => bail!("nothing is called `{title}`"),
            }
        }
        Ok(saved)
    }

    fn sections(&self, saved: Saved) -> Result<Vec<Section>> {
        let Saved { ptx, marked } = self.clean(saved);
        let empty = |title: String| Section { title, text: String::new() };
        let mut sections = vec![Section { title: format!("build {}", self.title()), text: ptx }];
        for SavedMarked { marking, ptx, not_taken } in marked {
            let title = format!("marked {marking:?} {}", self.markers(marking)?);
            let refused = ptx.as_ref().err().map(|why| empty(format!("refused {}", why.replace('\n', " "))));
            sections.push(Section { title, text: ptx.unwrap_or_default() });
            sections.extend(refused);
            sections.extend(not_taken.into_iter().map(|(number, said)| empty(format!("without {number} {said}"))));
        }
        Ok(sections)
    }

    /// Returns a hash of the marked source, which nobody has preprocessed: where markers change, what was compiled with the former ones is stale.
    fn markers(&self, marking: Marking) -> Result<String> {
        let (text, name) = (self.text()?, self.name());
        let options = annotate::Options { marking, constant_evaluation: true, without: &[] };
        let marked = match Unit::read(&text, None, &name) {
            Ok((unit, mistakes)) if mistakes.is_empty() => unit.marked(options),
            // Directives that only the preprocessor brings into their places.
            Ok(_) | Err(_) => text.clone(),
        };
        Ok(golden::saved::hash_of(marked.as_bytes()))
    }
}

/// Takes out what depends on the host's compiler and its headers.
fn without_host(saved: Saved) -> Saved {
    let without = |ptx: String| golden::saved::without_host(&ptx);
    let marked = |marked: SavedMarked| SavedMarked { ptx: marked.ptx.map(without), ..marked };
    Saved { ptx: without(saved.ptx), marked: saved.marked.into_iter().map(marked).collect() }
}
