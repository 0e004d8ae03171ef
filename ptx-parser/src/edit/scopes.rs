//! Registers of inner scopes `{ .reg .b32 %tmp; … }`, declared for the whole body instead, and scopes that nothing is declared in.

use rustc_hash::FxHashSet;

use crate::entities::Reg;
use crate::index::{NameIndex, clean};
use crate::kernel::Kernel;
use crate::stmt::StmtKind;
use crate::tables::{HOME_TOP, Name};

impl Kernel {
    /// Declares the registers of inner scopes at the top of the body, each under a name that nothing else has, and takes away the braces of scopes in which then
    /// nothing is declared. Returns true if there was anything to do.
    ///
    /// Then an instruction may be moved or copied out of its scope, and the name of a register says which one is meant: nvcc puts `%tmp` into a scope for each
    /// address of shared memory that it converts, and inline assembly may call its registers as the function calls others, or have braces for no reason. A register
    /// keeps nothing from one execution of its scope to the next that the text may rely on, so that it makes no difference where it is declared.
    ///
    /// Indices of statements change. Scopes with variables, labels or directives stay.
    pub fn widen_register_scopes(&mut self) -> bool {
        let has_registers = self.move_registers_out();
        self.remove_empty_scopes() || has_registers
    }

    /// Removes the braces of scopes in which nothing is declared. Returns true if there were any.
    fn remove_empty_scopes(&mut self) -> bool {
        // The places of scopes that are open, each with whether something is declared between them.
        let (mut open, mut removed) = (Vec::new(), FxHashSet::default());
        for (index, stmt) in self.stmts.iter().enumerate() {
            match stmt.kind {
                StmtKind::Open => open.push((index, false)),
                StmtKind::Close => {
                    if let Some((begin, false)) = open.pop() {
                        removed.extend([begin, index]);
                    }
                }
                StmtKind::Inst(_) | StmtKind::Loc(_) | StmtKind::Marker(_) => {}
                _ => {
                    if let Some((_, declares)) = open.last_mut() {
                        *declares = true;
                    }
                }
            }
        }
        if removed.is_empty() {
            return false;
        }
        let mut index = 0..;
        self.retain_stmts(|_| !index.next().is_some_and(|index| removed.contains(&index)));
        self.print_anew(|_, _| false);
        true
    }

    fn move_registers_out(&mut self) -> bool {
        let (mut depth, mut inner) = (0_usize, FxHashSet::default());
        for stmt in &self.stmts {
            match stmt.kind {
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth = depth.saturating_sub(1),
                StmtKind::Registers if depth > 0 => _ = inner.insert(stmt.origin.home()),
                _ => {}
            }
        }
        if inner.is_empty() {
            return false;
        }
        let mut index = NameIndex::of(self);
        let scoped = self.regs.iter().filter(|(_, data)| inner.contains(&data.home)).map(|(reg, _)| reg);
        let scoped: Vec<Reg> = scoped.collect();
        for &reg in &scoped {
            let name = index.fresh(&format!("%{}", clean(self.reg_name(reg))));
            index.take(&name);
            self.regs[reg].name = Name::Made(Box::new(name));
            self.regs[reg].home = HOME_TOP;
            self.edits.regs.push(reg);
        }
        // Members of families that no text mentions have no register, and need none.
        self.families.retain(|family| !inner.contains(&family.home));
        self.retain_stmts(|stmt| stmt.kind != StmtKind::Registers || !inner.contains(&stmt.origin.home()));
        let renamed: FxHashSet<Reg> = scoped.into_iter().collect();
        self.print_anew(|kernel, inst| {
            let mut found = false;
            kernel.visit(inst, |mentioned, _| found |= renamed.contains(&mentioned));
            found
        });
        true
    }
}
