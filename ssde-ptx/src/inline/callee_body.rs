//! The body of a function in the place of a call.

use ptx_parser::{Inst, Kernel, Operand, Parameter, Position, Reg, Space, Type};

use super::name_scopes::{Meaning, Scope, meaning, replaced};
use super::write::{Writer, Written};

impl Writer<'_> {
    /// The body of a function in the place of a call.
    pub(super) fn call(
        &mut self,
        kernel: &Kernel,
        inst: Inst,
        callee: &Kernel,
        scopes: &[Scope],
        guard: &str,
        out: &mut Written,
    ) -> Result<(), String> {
        self.inlined += 1;
        let tag = self.tag();
        let behind = format!("$behind{tag}");
        pass_by(guard, &behind, self.at(kernel, inst), out);
        let parts = kernel.call_parts(inst);
        let mut scope = Scope::default();
        let (mut into, mut from) = (String::new(), String::new());
        let results = callee.results().iter().zip(parts.results).map(|(formal, actual)| (formal, actual, true));
        let params = callee.params().iter().zip(parts.arguments).map(|(formal, actual)| (formal, actual, false));
        for (formal, actual, is_result) in results.chain(params) {
            if formal.space != Space::Reg {
                let Operand::Symbol(symbol, _) = *actual else { return Err("an argument is no variable".to_owned()) };
                let Some(Meaning::Store(store)) = meaning(scopes, kernel.symbol_name(symbol)) else {
                    return Err(format!("`{}` is no parameter variable", kernel.symbol_name(symbol)));
                };
                scope.names.insert(formal.name.to_string(), Meaning::Store(store));
                continue;
            }
            let name = format!("{}{tag}", formal.name);
            out.line(&format!(".reg {} {name};", formal.ty));
            scope.names.insert(formal.name.to_string(), Meaning::Name(name.clone()));
            let Some(actual) = register_operand(kernel, actual, scopes)? else { continue };
            let ty = moved_as(formal);
            match is_result {
                true => from += &format!("mov.{ty} {actual}, {name};\n"),
                false => into += &format!("mov.{ty} {name}, {actual};\n"),
            }
        }
        out.insts(self.at(kernel, inst), &into);
        // The names of the caller mean nothing in the function.
        let mut inner = vec![scope];
        let loc = self.loc.clone();
        // Where results are moved, the way back leads past that; who does not call goes on behind it.
        let back = if from.is_empty() { behind.clone() } else { format!("$results{tag}") };
        self.scope(callee, 0, &mut inner, &back, out)?;
        self.drop_last_branch(&back, out);
        if !from.is_empty() {
            out.line(&format!("{back}:"));
            out.insts(self.at(kernel, inst), &from);
        }
        if !loc.is_empty() && self.loc != loc {
            out.line(&loc);
        }
        self.loc = loc;
        out.line(&format!("{behind}:"));
        Ok(())
    }

    /// Puts the bodies of all functions that an address may be that of in the place of a call. The address is compared with each of them; a lane whose
    /// address is that of none has a fault, as it had before.
    pub(super) fn call_at(
        &mut self,
        kernel: &Kernel,
        inst: Inst,
        (address, callees): (Reg, &[&Kernel]),
        scopes: &[Scope],
        guard: &str,
        out: &mut Written,
    ) -> Result<(), String> {
        let (tag, at) = (self.tag(), self.at(kernel, inst));
        let (behind, function, other) = (format!("$chosen{tag}"), format!("%function{tag}"), format!("%other{tag}"));
        pass_by(guard, &behind, at, out);
        let bits = kernel.reg(address).ty.bits();
        let address = replaced(kernel.reg_name(address), scopes);
        out.line(&format!(".reg .b{bits} {function};"));
        out.line(&format!(".reg .pred {other};"));
        for (number, callee) in callees.iter().enumerate() {
            let next = format!("$next{tag}{number}");
            let name = callee.name();
            out.insts(at, &format!("mov.b{bits} {function}, {name};\nsetp.ne.b{bits} {other}, {address}, {function};"));
            out.insts(at, &format!("@{other} bra {next};"));
            self.call(kernel, inst, callee, scopes, "", out)?;
            out.insts(at, &format!("bra {behind};"));
            out.line(&format!("{next}:"));
        }
        out.insts(at, "trap;");
        out.line(&format!("{behind}:"));
        Ok(())
    }

    /// The last `ret` of a body falls through.
    fn drop_last_branch(&self, behind: &str, out: &mut Written) {
        let branch = format!("bra {behind};\n");
        let begins = out.text.len().saturating_sub(branch.len());
        if out.text.ends_with(&branch) && (begins == 0 || out.text[..begins].ends_with('\n')) {
            out.text.truncate(begins);
            out.positions.pop();
        }
    }
}

/// Returns how a register of a parameter is moved.
fn moved_as(formal: &Parameter) -> String {
    match formal.ty {
        Type::Pred => "pred".to_owned(),
        ty => format!("b{}", ty.bits().max(16)),
    }
}

/// The text of an argument or result in a register; none for one that nobody wants.
fn register_operand(kernel: &Kernel, actual: &Operand, scopes: &[Scope]) -> Result<Option<String>, String> {
    match *actual {
        Operand::Reg(reg) => Ok(Some(replaced(kernel.reg_name(reg), scopes))),
        Operand::Int(value) => Ok(Some(value.to_string())),
        Operand::Sink => Ok(None),
        _ => Err("an argument is neither a register nor a number".to_owned()),
    }
}

/// Leads lanes for which a guard does not hold past what is put in the place of a call. Every lane comes to it if there is no guard.
fn pass_by(guard: &str, behind: &str, at: Position, out: &mut Written) {
    if let Some(condition) = guard.trim_end().strip_prefix('@') {
        let not = condition.strip_prefix('!').map_or_else(|| format!("!{condition}"), str::to_owned);
        out.insts(at, &format!("@{not} bra {behind};"));
    }
}
