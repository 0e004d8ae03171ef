//! Edits after which the text would say something else are refused, and nothing has changed.
use crate::common::{contents, find, insts, kernel, parse, reg};
use ptx_parser::{Base, Error, Kernel, Offset, Operand, Patch, Reg};

/// An edit after which the text would say something else is refused, and nothing has changed.
#[track_caller]
fn refused(text: &str, change: &dyn Fn(&mut Kernel) -> Result<(), Error>, message: &str) {
    let mut module = parse(&kernel(text));
    let before = contents(&module);
    let kernel = &mut module.kernels_mut()[0];
    let error = change(kernel).unwrap_err();
    assert!(error.to_string().starts_with(message), "{error}\n{message}\n{text}");
    assert_eq!(kernel.verify(), Ok(()), "{text}");
    assert_eq!(contents(&module), before);
    assert_eq!(contents(&parse(&module.to_string())), before);
}

#[test]
fn renaming_into_another_scope_is_refused() {
    let scopes = "mov.u32 %r1, 1;\n{ .reg .b32 %r1; mov.u32 %r1, 2; }\nret;";
    let regs = |kernel: &Kernel| -> Vec<Reg> { kernel.regs().filter(|reg| kernel.reg_name(*reg) == "%r1").collect() };
    let outward = |kernel: &mut Kernel| {
        let (regs, inst) = (regs(kernel), insts(kernel)[0]);
        kernel.rename(inst, |reg| if reg == regs[0] { regs[1] } else { reg })
    };
    refused(scopes, &outward, "register `%r1` is used outside of the scope that declares it: `mov.u32 %r1, 1;`");
    let inward = |kernel: &mut Kernel| {
        let (regs, inst) = (regs(kernel), insts(kernel)[1]);
        kernel.rename(inst, |reg| if reg == regs[1] { regs[0] } else { reg })
    };
    refused(scopes, &inward, "register `%r1` is hidden by another one of its name: `mov.u32 %r1, 2;`");
    let family = "mov.u32 %r1, 1;\n{ .reg .b32 %r<3>; mov.u32 %r2, 2; }\nret;";
    let into_family = |kernel: &mut Kernel| {
        let (inner, outer, inst) = (reg(kernel, "%r2"), reg(kernel, "%r1"), insts(kernel)[1]);
        kernel.rename(inst, |reg| if reg == inner { outer } else { reg })
    };
    refused(family, &into_family, "register `%r1` is hidden by another one of its name: `mov.u32 %r1, 2;`");
    let no_predicate = |kernel: &mut Kernel| {
        let (p, r, inst) = (reg(kernel, "%p1"), reg(kernel, "%r1"), insts(kernel)[0]);
        kernel.rename(inst, |reg| if reg == p { r } else { reg })
    };
    refused("@%p1 mov.u32 %r1, 1;", &no_predicate, "`%r1` is no predicate that could be a guard");
}

#[test]
fn leading_a_branch_to_where_it_cannot_go_is_refused() {
    let into_scope = |kernel: &mut Kernel| {
        let (inner, inst) = (kernel.labels().next().unwrap(), insts(kernel)[1]);
        kernel.retarget(inst, inner)
    };
    refused("{ L: trap; }\nbra M;\nM: ret;", &into_scope, "label `L` cannot be reached from here: `bra L;`");
    let undefined = |kernel: &mut Kernel| {
        let (label, inst) = (kernel.new_label("new"), insts(kernel)[0]);
        kernel.retarget(inst, label)
    };
    refused("bra M;\nM: ret;", &undefined, "`bra $new;` goes to a label that is not defined");
}

#[test]
fn patches_that_break_the_body_are_refused() {
    let patched = |change: &'static dyn Fn(&mut Kernel, &mut Patch)| {
        move |kernel: &mut Kernel| {
            let mut patch = Patch::new();
            change(kernel, &mut patch);
            kernel.apply(patch)
        }
    };
    refused(
        "bra M;\nM: ret;",
        &patched(&|kernel, patch| patch.remove(find(kernel, "M:"))),
        "`bra M;` goes to a label that is not defined",
    );
    refused(
        "ret;",
        &patched(&|kernel, patch| patch.append([kernel.stmts()[find(kernel, "ret")].clone()])),
        "`ret;` stands in two places",
    );
    refused(
        "ret;",
        &patched(&|kernel, patch| patch.append(kernel.fragment("{ ret; }").unwrap().into_iter().take(2))),
        "1 scopes are left open",
    );
    refused(
        "{ ret; }",
        &patched(&|kernel, patch| patch.remove(find(kernel, "ret") - 1)),
        "a scope is closed that was not opened",
    );
    refused(
        "mov.u32 %r1, 1;",
        &patched(&|_, patch| patch.remove(2)),
        "register `%r1` is used outside of the scope that declares it: `mov.u32 %r1, 1;`",
    );
    refused(
        "ret;",
        &patched(&|_, patch| {
            let mut other = parse(&kernel("// longer than the first\ntrap; trap;"));
            let kernel = &mut other.kernels_mut()[0];
            patch.append(kernel.stmts().last().cloned());
        }),
        "a statement that is to be inserted does not belong to `k`",
    );
}

#[test]
fn an_indirect_branch_stays_where_its_list_is() {
    let text = "{ T: .branchtargets A; brx.idx %r1, T; A: }\nret;";
    let outward = |kernel: &mut Kernel| {
        let branch = find(kernel, "brx.idx");
        let mut patch = Patch::new();
        patch.append([kernel.stmts()[branch].clone()]);
        patch.remove(branch);
        kernel.apply(patch)
    };
    refused(text, &outward, "the list `T` is used outside of its scope, or hidden: `brx.idx %r1, T;`");
}

#[test]
fn operands_without_a_text_are_refused() {
    let misplaced = |operand: Operand| {
        move |kernel: &mut Kernel| {
            let inst = insts(kernel)[0];
            kernel.edit_operands(inst, |old| *old = operand)
        }
    };
    let label = parse(&kernel("L: ret;")).kernels()[0].labels().next().unwrap();
    refused("mov.u32 %r1, 1;\nL: ret;", &misplaced(Operand::Label(label)), "a label stands in branches only; it stays");
    refused("bra L;\nL: ret;", &misplaced(Operand::Int(1)), "a direct branch has one operand, a label of its kernel");
    let in_vector = |kernel: &mut Kernel| {
        let inst = insts(kernel)[0];
        kernel.edit_operands(inst, |old| {
            if let Operand::Reg(_) = old {
                *old = Operand::Address(Base::Absolute, Offset::ZERO);
            }
        })
    };
    refused("mov.b64 {%r1, %r2}, 1;", &in_vector, "Address(Absolute, 0) cannot be written in a vector or tuple");
    let constant_in_tuple = |kernel: &mut Kernel| {
        let inst = insts(kernel)[0];
        let two = reg(kernel, "%r2");
        kernel.edit_operands(inst, |old| {
            if *old == Operand::Reg(two) {
                *old = Operand::Int(1);
            }
        })
    };
    refused("add.u32 %r1, (%r2, %r3);", &constant_in_tuple, "a list in parentheses that begins with a constant");
    let foreign = parse(&kernel("mov.u32 %r1, %r2; add.u32 %r3, %r4, %r5;")).kernels()[0].regs().last().unwrap();
    refused("mov.u32 %r1, 1;", &misplaced(Operand::Reg(foreign)), &format!("{foreign} is no register of this kernel"));
}

#[test]
fn directives_that_ptx_does_not_have_are_refused() {
    for (name, values) in [("maxntid", &[][..]), ("maxntid", &[1, 1, 1, 1]), ("", &[1]), ("entry", &[1]), ("a b", &[])]
    {
        refused("ret;", &|kernel| kernel.add_directive(name, values), "`.");
    }
}
