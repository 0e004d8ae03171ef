//! `pxrw ssde --verify`: whether one PTX text is a faithful rewrite of another; and the same check of what `pxrw ssde` itself is to write.

use std::path::Path;

use ptx_parser::{Kernel, KernelKind, Module, Position};
use serde::{Deserialize, Serialize};
use ssde_ptx::{Certificate, Linked, Mismatch, SeenByCallers, certify, compared, find_among, same_outside, verify};

use frontend::Compiled;

use super::{CALLS_ITSELF, PARTED, linked};
use crate::Verdict;
use crate::arguments::Ssde;
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit};
use crate::kernels::{self, shown_name};
use crate::output;
use crate::reports::verify::{VerifiedKernel, VerifyReport};

/// The certificates of a module, one for each kernel that was rewritten.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::commands) struct Certificates {
    kernels: Vec<Certificate>,
}

/// Checks what was rewritten, as ptxas would read it, before anything is written.
pub(in crate::commands) fn certified(before: &Module, text: &str) -> Result<Certificates, Failure> {
    let defect = |what: String, notes: Vec<String>| -> Failure {
        let error = notes.into_iter().fold(Diagnostic::error(what), Diagnostic::note);
        error.help("this is a defect of pxrw, please report it; nothing was written").into()
    };
    let after = Module::parse(text)
        .map_err(|errors| defect(format!("the rewritten PTX cannot be read: {}", errors.first()), Vec::new()))?;
    let refused = |mismatch: Mismatch| defect(format!("the rewrite is not faithful: {mismatch}"), notes(&mismatch));
    same_outside(before, &after).map_err(refused)?;
    let certificates = changed(before, &after).map(|(kernel, after)| certify(&compared(before, kernel, after), after));
    Ok(Certificates { kernels: certificates.collect::<Result<_, _>>().map_err(refused)? })
}

/// The kernels whose text is not the same.
fn changed<'m>(before: &'m Module, after: &'m Module) -> impl Iterator<Item = (&'m Kernel, &'m Kernel)> {
    pairs(before, after).filter(|(before, after)| before.to_string() != after.to_string())
}

fn pairs<'m>(before: &'m Module, after: &'m Module) -> impl Iterator<Item = (&'m Kernel, &'m Kernel)> {
    let bodies = |module: &'m Module| module.kernels().iter().filter(|kernel| kernel.has_body());
    bodies(before).zip(bodies(after))
}

/// Writes certificates to a file.
pub(super) fn write(path: &Path, certificates: &Certificates) -> Result<(), Failure> {
    output::write(Some(path), output::json(certificates)?.as_bytes())
}

/// Returns where a mismatch shows, for people.
fn notes(mismatch: &Mismatch) -> Vec<String> {
    let place = |what: &str, place: &Option<ssde_ptx::ProgramPoint>| {
        place.as_ref().map(|place| format!("{what} is at {place}"))
    };
    let mut notes: Vec<String> = place("the input", &mismatch.before).into_iter().collect();
    notes.extend(place("the output", &mismatch.after));
    let path: Vec<String> = mismatch.path.iter().map(ToString::to_string).collect();
    if !path.is_empty() {
        notes.push(format!("on the way there, in the input, {}", path.join(", then ")));
    }
    notes
}

/// Says of two texts whether the second is a faithful rewrite of the first in which nothing is found.
pub(super) fn run(options: &Ssde, rewritten: &Path) -> Result<Verdict, Failure> {
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let (input, output) = (Input::read(&options.input)?, Input::read(rewritten)?);
    if output.language != Language::Ptx {
        let error = Diagnostic::error(format!("`{}` is no PTX", output.name));
        return Err(error.help("name what `pxrw ssde IN -o OUT.ptx` wrote").into());
    }
    let compiler = input.options(&options.compiler, &options.common.arch)?;
    let claims = options.certificate.as_deref().map(read).transpose()?;
    let name = output.name.clone();
    let before_name = input.name.clone();
    let Compiled { module: before, may_be_linked, .. } =
        input.compile(&options.common.arch, &compiler, &mut toolkit)?;
    let Compiled { module: after, ptx: text, .. } = output.compile(&options.common.arch, &[], &mut toolkit)?;
    let named = options.kernel.as_deref().map(|kernel| kernels::names(&before, kernel, &before_name)).transpose()?;
    let check = Check { name, text, claims, named, strict: options.strict, linked: linked(may_be_linked) };
    let report = check.modules(&before, &after);
    let shown = output::shown(options.common.report, &report, || report.text())?;
    output::write(None, shown.as_bytes())?;
    Ok(if report.is_faithful() { Verdict::Done } else { Verdict::Found })
}

fn read(path: &Path) -> Result<Certificates, Failure> {
    let wrong = |what: String| {
        let error = Diagnostic::error(format!("cannot read the certificate `{}`: {what}", path.display()));
        Failure::from(error.help("name what `pxrw ssde IN -o OUT --certificate FILE` wrote"))
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// The output that is checked, and the claims and options for the check.
struct Check {
    /// The output, for messages.
    name: String,
    text: String,
    /// The certificates that it has to agree with.
    claims: Option<Certificates>,
    /// The kernels that may have changed; all if none are named.
    named: Option<Vec<String>>,
    /// Nothing is assumed of lock-free loops.
    strict: bool,
    linked: Linked,
}

impl Check {
    fn modules(&self, before: &Module, after: &Module) -> VerifyReport {
        let mut report = VerifyReport { outside: None, kernels: Vec::new() };
        if let Err(mismatch) = same_outside(before, after) {
            self.explain("the module has changed outside of the kernels", &mismatch);
            report.outside = Some(mismatch.to_string());
            return report;
        }
        let seen = SeenByCallers::of_rewrite(before, after, self.linked).strictly(self.strict);
        report.kernels = pairs(before, after).map(|pair| self.kernel((before, after), &seen, pair)).collect();
        let claims = self.claims.iter().flat_map(|claims| &claims.kernels);
        for claim in claims.filter(|claim| pairs(before, after).all(|(kernel, _)| kernel.name() != claim.kernel)) {
            let what = format!("the certificate is about `{}`, which there is not", claim.kernel);
            Diagnostic::error(what.as_str()).print();
            report.outside = Some(what);
        }
        report
    }

    /// Compares a kernel, and looks for what its rewrite was to remove.
    fn kernel(
        &self,
        modules: (&Module, &Module),
        seen: &SeenByCallers,
        (before, after): (&Kernel, &Kernel),
    ) -> VerifiedKernel {
        let function = after.kind() == KernelKind::Func;
        let name = shown_name(after.name());
        let changed = before.to_string() != after.to_string();
        let before = &*compared(modules.0, before, after);
        let meant = self.named.as_ref().is_none_or(|named| named.iter().any(|name| name == after.name()));
        let claim = self.claims.as_ref().map(|claims| claims.kernels.iter().find(|claim| claim.kernel == after.name()));
        let outcome = match claim {
            _ if changed && !meant => Err(None),
            Some(None) if changed => Err(None),
            None | Some(None) => certify(before, after).map(drop).map_err(Some),
            Some(Some(claim)) => verify(before, after, claim).map_err(Some),
        };
        let reason = match &outcome {
            Ok(()) => None,
            Err(Some(mismatch)) => Some(mismatch.to_string()),
            Err(None) if meant => Some("it changed, and there is no certificate of it".to_owned()),
            Err(None) => Some("it changed, and it is not the kernel that was named".to_owned()),
        };
        let kind = if function { "function" } else { "kernel" };
        let title = format!("{kind} `{name}` is not rewritten faithfully");
        match &outcome {
            Ok(()) => {}
            Err(Some(mismatch)) => self.explain(&title, mismatch),
            Err(None) => Diagnostic::error(format!("{title}: {}", reason.as_deref().unwrap_or_default())).print(),
        }
        let found = meant.then(|| find_among(seen, modules.1, after));
        let (findings, assumptions, both_ways, recursions) = found
            .map(|found| (found.findings, found.assumptions, found.both_ways, found.recursions))
            .unwrap_or_default();
        let assumed = |what: &str| {
            let title = format!("assumes that {what}; `pxrw ssde --detect` says why");
            Diagnostic::remark(title).help("`--strict` assumes nothing")
        };
        let assumed_or =
            |may_be: &str, what: &str| if self.strict { Diagnostic::warning(may_be) } else { assumed(what) };
        for assumption in &assumptions {
            let at = assumption.at.map_or(Position::UNKNOWN, |at| at.text);
            assumed("this loop does not wait").at(self.place(at)).print();
        }
        for finding in &findings {
            let warning =
                Diagnostic::warning("this loop may still wait for ever on a machine with a reconvergence stack");
            warning.at(self.place(finding.at.map_or(Position::UNKNOWN, |at| at.text))).print();
        }
        for branch in &both_ways {
            let at = branch.branch.text;
            assumed_or(PARTED, "all lanes of a warp take the same side of this branch").at(self.place(at)).print();
        }
        for recursion in &recursions {
            let at = recursion.read.text;
            assumed_or(CALLS_ITSELF, "recursive calls do not wait").at(self.place(at)).print();
        }
        let places =
            |mismatch: &Mismatch| [&mismatch.before, &mismatch.after].map(|at| at.as_ref().map(ToString::to_string));
        let [before, after] = outcome.err().flatten().as_ref().map(places).unwrap_or_default();
        VerifiedKernel {
            name,
            function,
            changed,
            faithful: reason.is_none(),
            reason,
            before,
            after,
            findings: meant.then_some(findings.len()),
            branches: if self.strict { both_ways.len() } else { 0 },
            calls: if self.strict { recursions.len() } else { 0 },
        }
    }

    fn place(&self, position: Position) -> Place {
        Place::in_text(&self.name, &self.text, position)
    }

    fn explain(&self, title: &str, mismatch: &Mismatch) {
        let error = Diagnostic::error(format!("{title}: {mismatch}"));
        let error = match &mismatch.after {
            Some(place) => error.at(self.place(place.position)),
            None => error,
        };
        notes(mismatch).into_iter().fold(error, Diagnostic::note).print();
    }
}
