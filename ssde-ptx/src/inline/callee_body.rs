//! The body of a function in the place of a call.

use ptx_parser::{
    Code, Guard, Inst, Kernel, Label, Operand, Parameter, Position, Reg, Relation, Space, Stmt, StmtKind, Type,
};

use super::body::Body;
use super::write::{Writer, told};

impl Writer<'_> {
    /// The body of a function in the place of a call.
    pub(super) fn call(
        &mut self,
        body: &mut Body<'_>,
        inst: Inst,
        callee: &Kernel,
        guard: Option<Guard>,
        out: &mut Vec<Stmt>,
    ) -> Result<(), String> {
        self.inlined += 1;
        let (tag, at) = (self.tag(), self.at(body.kernel, inst));
        let behind = self.into.new_label(&format!("behind{tag}"));
        self.pass_by(guard, behind, at, out)?;
        let parts = body.kernel.call_parts(inst);
        let mut function = Body::of_function(callee);
        let (mut into, mut from) = (Code::new(), Code::new());
        let results = callee.results().iter().zip(parts.results).map(|(formal, actual)| (formal, actual, true));
        let params = callee.params().iter().zip(parts.arguments).map(|(formal, actual)| (formal, actual, false));
        for (formal, actual, is_result) in results.chain(params) {
            if formal.space != Space::Reg {
                self.share(body, &mut function, formal, actual)?;
                continue;
            }
            let (own, declaration) = self.into.declare_reg(&format!("{}{tag}", formal.name), formal.ty);
            out.push(declaration);
            if let Some(reg) = callee.parameter_reg(formal) {
                function.copier.set_reg(reg, own);
            }
            match (*actual, self.register_operand(body, actual)?) {
                (Operand::Sink, _) => {}
                (_, Operand::Reg(to)) if is_result => from.ins().mov(moved_as(formal), to, own),
                (_, value) if !is_result => into.ins().mov(moved_as(formal), own, value),
                _ => return Err("a result is no register".to_owned()),
            }
        }
        self.build(at, into, out)?;
        let loc = self.loc.clone();
        // Where results are moved, the way back leads past that; who does not call goes on behind it.
        let back = if from.is_empty() { behind } else { self.into.new_label(&format!("results{tag}")) };
        function.back = Some(back);
        self.scope(&mut function, 0, out)?;
        self.drop_last_branch(back, out);
        if !from.is_empty() {
            out.push(self.into.label_stmt(back));
            self.build(at, from, out)?;
        }
        self.restore_loc(loc, out);
        out.push(self.into.label_stmt(behind));
        Ok(())
    }

    /// Has a parameter variable of a function be the variable of its caller that is passed.
    fn share(
        &self,
        body: &Body<'_>,
        function: &mut Body<'_>,
        formal: &Parameter,
        actual: &Operand,
    ) -> Result<(), String> {
        let Operand::Symbol(symbol, _) = *actual else { return Err("an argument is no variable".to_owned()) };
        let Some(&store) = body.stores.get(&symbol) else {
            return Err(format!("`{}` is no parameter variable", body.kernel.symbol_name(symbol)));
        };
        if let Some(own) = function.kernel.parameter_symbol(formal) {
            self.keep(function, own, store);
        }
        Ok(())
    }

    /// Puts the `.loc` in force again that was in force before a body.
    fn restore_loc(&mut self, loc: Option<Stmt>, out: &mut Vec<Stmt>) {
        let tokens = |loc: &Option<Stmt>| loc.as_ref().map(|loc| self.into.stmt_tokens(loc));
        if tokens(&loc) != tokens(&self.loc)
            && let Some(again) = loc.as_ref().and_then(|loc| self.into.repeat_loc(loc))
        {
            out.push(again);
        }
        self.loc = loc;
    }

    /// Puts the bodies of all functions that an address may be that of in the place of a call. The address is compared with each of them; a lane whose
    /// address is that of none has a fault, as it had before.
    pub(super) fn call_at(
        &mut self,
        body: &mut Body<'_>,
        inst: Inst,
        (address, callees): (Reg, &[&Kernel]),
        guard: Option<Guard>,
        out: &mut Vec<Stmt>,
    ) -> Result<(), String> {
        let (tag, at) = (self.tag(), self.at(body.kernel, inst));
        let behind = self.into.new_label(&format!("chosen{tag}"));
        self.pass_by(guard, behind, at, out)?;
        let ty = Type::untyped(body.kernel.reg(address).ty.bits());
        let address = body.copier.operand(&mut self.into, &address.into()).map_err(told)?;
        let (function, declaration) = self.into.declare_reg(&format!("%function{tag}"), ty);
        out.push(declaration);
        let (other, declaration) = self.into.declare_reg(&format!("%other{tag}"), Type::Pred);
        out.push(declaration);
        for (number, callee) in callees.iter().enumerate() {
            let next = self.into.new_label(&format!("next{tag}{number}"));
            let name = self.into.symbol(callee.name()).map_err(told)?;
            let mut code = Code::new();
            code.ins().mov(ty, function, name);
            code.ins().setp(Relation::NotEqual, ty, other, address, function);
            code.when(other).bra(next);
            self.build(at, code, out)?;
            self.call(body, inst, callee, None, out)?;
            let mut code = Code::new();
            code.ins().bra(behind);
            code.label(next);
            self.build(at, code, out)?;
        }
        let mut code = Code::new();
        code.ins().trap();
        code.label(behind);
        self.build(at, code, out)
    }

    /// Leads lanes for which a guard does not hold past what is put in the place of a call. Every lane comes to it if there is no guard.
    fn pass_by(
        &mut self,
        guard: Option<Guard>,
        behind: Label,
        at: Position,
        out: &mut Vec<Stmt>,
    ) -> Result<(), String> {
        let Some(guard) = guard else { return Ok(()) };
        let mut code = Code::new();
        code.unless(guard).bra(behind);
        self.build(at, code, out)
    }

    /// Drops the last `ret` of a body, which falls through.
    fn drop_last_branch(&self, back: Label, out: &mut Vec<Stmt>) {
        if let Some(StmtKind::Inst(last)) = out.last().map(|stmt| &stmt.kind)
            && self.into.branch_target(*last) == Some(back)
            && self.into.inst(*last).guard.is_none()
        {
            out.pop();
        }
    }

    /// An argument or result in a register, as the kernel has it.
    fn register_operand(&mut self, body: &mut Body<'_>, actual: &Operand) -> Result<Operand, String> {
        match actual {
            Operand::Reg(_) | Operand::Int(_) | Operand::Sink => {
                body.copier.operand(&mut self.into, actual).map_err(told)
            }
            _ => Err("an argument is neither a register nor a number".to_owned()),
        }
    }
}

/// Returns how a register of a parameter is moved.
fn moved_as(formal: &Parameter) -> Type {
    match formal.ty {
        Type::Pred => Type::Pred,
        ty => Type::untyped(ty.bits().max(16)),
    }
}
