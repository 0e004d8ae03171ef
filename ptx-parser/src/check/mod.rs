//! Semantic checks: what follows the grammar and is wrong all the same.
//!
//! The head is held against the versions and targets that there are ([`module_header`]), the declarations against each other ([`declarations`],
//! [`addresses`]), against the kinds of registers, variables and directives ([`declaration_kinds`]) and against the machine's limits ([`limits`]).
//! Each instruction is held against the grammar table: modifiers, number, class and width of its operands, the PTX
//! version and the target that it needs; then the names that it uses are held against their declarations. What is
//! reported as an error, the assembler refuses; where the table cannot be sure (an instruction that it does not list, a
//! PTX version newer than it knows) there is a warning or nothing.
#![warn(clippy::indexing_slicing)]

mod addresses;
mod calls;
mod coordinates;
mod declaration_kinds;
mod declarations;
mod finding;
mod limits;
mod module_header;
mod names;
mod operand_messages;
mod operand_position;
mod operand_types;
mod text;

use finding::Part;
pub use finding::{Finding, Level};

use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::module::Module;
use crate::stmt::StmtKind;
use crate::table::{Mnemonic, Reason, Typing};
use crate::types::Type;
use names::Names;
pub use text::check;

/// The newest PTX version whose instructions the table is complete for. In a newer module an unknown modifier is a
/// warning.
pub(crate) const COMPLETE: (u32, u32) = (9, 0);

/// For so many findings a similar word is looked for.
const PROPOSALS: usize = 200;

impl Module {
    /// Holds every instruction against the grammar table and the declarations. The findings come in the order of the
    /// text.
    #[must_use]
    pub fn check(&self) -> Vec<Finding> {
        let mut names = Names::of(self);
        let words = self.target().iter().map(AsRef::as_ref);
        let targets = words.filter(|word: &&str| word.starts_with("sm_")).collect();
        let findings = declarations::declarations(self);
        let mut check = Check { findings, version: self.version(), targets, wide: self.address_size() == 64 };
        for (place, kernel) in self.kernels.iter().enumerate() {
            names.enter(kernel, place);
            let complete = text::is_complete(kernel);
            for stmt in &kernel.stmts {
                if let StmtKind::Inst(inst) = stmt.kind
                    && (complete || text::is_declared(kernel, inst))
                {
                    check.inst(kernel, inst, &names);
                }
            }
        }
        check.findings.extend(self.check_edges());
        check.findings.sort_by_key(|finding| finding.at);
        check.findings
    }
}

impl Kernel {
    /// Returns whether the table has the form of an instruction, and if not, why.
    #[must_use]
    pub fn typing(&self, inst: Inst) -> &Typing {
        self.opcode(inst).typing()
    }

    /// Returns true if the operands of an instruction are what the table says: their number, classes and widths. An instruction
    /// that the table does not list passes.
    #[must_use]
    pub fn operands_fit(&self, inst: Inst) -> bool {
        operand_types::misfit(self, inst).is_none()
    }
}

/// Returns what does not fit of the operands of an instruction, if anything.
pub(crate) fn misfit_text(kernel: &Kernel, inst: Inst) -> Option<String> {
    operand_types::misfit(kernel, inst).map(|misfit| operand_messages::misfit(kernel, inst, &misfit).1)
}

struct Check<'m> {
    findings: Vec<Finding>,
    version: Option<(u32, u32)>,
    /// The architectures of `.target`.
    targets: Vec<&'m str>,
    /// True if the module says that addresses have 64 bits.
    wide: bool,
}

impl Check<'_> {
    fn inst(&mut self, kernel: &Kernel, inst: Inst, names: &Names<'_>) {
        if let Typing::Opaque(reason) = kernel.typing(inst) {
            self.opaque(kernel, inst, reason);
        } else {
            if let Some(misfit) = operand_types::misfit(kernel, inst) {
                let (part, message, help) = operand_messages::misfit(kernel, inst, &misfit);
                self.error(kernel, inst, part, message, help);
            } else if let Some((index, message)) = operand_types::misaddressed(kernel, inst, self.wide) {
                self.error(kernel, inst, Part::Operand(index), message, None);
            }
            self.needs(kernel, inst);
        }
        if let Some(guard) = kernel.inst(inst).guard
            && kernel.reg(guard.reg).ty != Type::Pred
        {
            let name = kernel.reg_name(guard.reg);
            let message = format!("the guard `{name}` is no predicate: it is {}", kernel.reg(guard.reg).ty);
            self.error(kernel, inst, Part::Guard, message, None);
        }
        names.check(kernel, inst, &mut |part, message, help| self.error(kernel, inst, part, message, help));
    }

    fn opaque(&mut self, kernel: &Kernel, inst: Inst, reason: &Reason) {
        let part = match reason {
            Reason::Modifier { modifier, .. }
            | Reason::Combination { modifier, .. }
            | Reason::Order { modifier, .. } => Part::Modifier(modifier),
            Reason::Mnemonic(_) | Reason::Missing { .. } => Part::Opcode,
        };
        let dot = if matches!(reason, Reason::Mnemonic(_)) { "" } else { "." };
        // Who has that many errors does not read a proposal for each.
        let nearest = (self.findings.len() < PROPOSALS).then(|| reason.nearest()).flatten();
        let help = match reason {
            Reason::Order { right, .. } => Some(format!("write `{right}`")),
            _ => nearest.map(|near| format!("did you mean `{dot}{near}`?")),
        };
        let newer = self.version.is_none_or(|version| version > COMPLETE);
        let level = match reason {
            // What begins so is an instruction between NVIDIA's own tools, which the manual does not have.
            Reason::Mnemonic(word) if word.starts_with('_') => Level::Warning,
            _ if newer => Level::Warning,
            _ => Level::Error,
        };
        self.report(level, kernel, inst, part, reason.to_string(), help);
    }

    /// Checks that the module's version and target have the instruction.
    fn needs(&mut self, kernel: &Kernel, inst: Inst) {
        let opcode = kernel.opcode(inst);
        let mut needs = kernel.properties(inst).needs;
        if opcode.signatures().len() > 1 {
            // Of several forms the operands say which it is; of those that have the same operands, the one that needs the least.
            let fitting =
                operand_types::needs(kernel, inst).reduce(|one, other| if other.is_within(one) { other } else { one });
            needs = fitting.unwrap_or(needs);
        }
        if let Some(version) = self.version
            && version < needs.version
        {
            let ((major, minor), (is_major, is_minor)) = (needs.version, version);
            let message =
                format!("`{opcode}` needs PTX {major}.{minor}, but the module is of version {is_major}.{is_minor}");
            let help = format!("write `.version {major}.{minor}`");
            self.error(kernel, inst, Part::Opcode, message, Some(help));
        }
        if let &[target] = self.targets.as_slice()
            && !needs.target.is_in(target)
        {
            let message = format!("`{opcode}` needs {}, but the target is {target}", needs.target);
            self.error(kernel, inst, Part::Opcode, message, None);
        }
        if let (Some(version), Some(&target)) = (self.version, self.targets.first())
            && self.targets.iter().all(|target| needs.is_gone(version, target))
        {
            let ((major, minor), least) = needs.gone.unwrap_or_default();
            let message = format!(
                "`{opcode}` is gone from PTX {major}.{minor} on for sm_{least} and later; the target is {target}"
            );
            let help = match kernel.opcode(inst).mnemonic() {
                Mnemonic::Mad => "name a rounding, as in `mad.rn.f32`",
                _ => "put `.sync` behind its name, and the mask of the lanes that take part behind its operands",
            };
            self.error(kernel, inst, Part::Opcode, message, Some(help.to_owned()));
        }
    }

    fn error(&mut self, kernel: &Kernel, inst: Inst, part: Part<'_>, message: String, help: Option<String>) {
        self.report(Level::Error, kernel, inst, part, message, help);
    }

    fn report(
        &mut self,
        level: Level,
        kernel: &Kernel,
        inst: Inst,
        part: Part<'_>,
        message: String,
        help: Option<String>,
    ) {
        self.findings.push(Finding::new(level, operand_position::place(kernel, inst, part), message, help));
    }
}
