//! Statements that are copied from one kernel into another one, or within one.
use crate::common::check;
use ptx_parser::{Base, Code, Copier, Inst, Kernel, Loc, Module, Operand, Patch, Space, Stmt, StmtKind, Type};

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// A module with a function and a kernel, and the two by themselves.
fn pair(function: &str, kernel: &str) -> (Module, Kernel) {
    let text = format!("{HEADER}.global .u64 word;\n{function}\n.entry k(.param .u64 out)\n{{\n{kernel}\n}}\n");
    let module = Module::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let function = module.kernels()[0].clone();
    (module, function)
}

/// The statements of a function with their tag, copied in front of a kernel.
fn copies(
    copier: &mut Copier<'_>,
    from: &Kernel,
    into: &mut Kernel,
    tag: &str,
) -> Result<Vec<Stmt>, ptx_parser::Error> {
    copier.open_scope(into, 0..from.stmts().len(), tag);
    let copies = from.stmts().iter().map(|stmt| copier.copy(into, stmt)).collect();
    copier.close_scope();
    copies
}

fn put(kernel: &mut Kernel, stmts: Vec<Stmt>) {
    let mut patch = Patch::new();
    patch.insert_before(0, stmts);
    kernel.apply(patch).unwrap();
}

/// The body of the kernel once the function is copied there; it prints and reads as what it is.
fn copied(function: &str, kernel: &str) -> String {
    let (mut module, from) = pair(function, kernel);
    let into = &mut module.kernels_mut()[1];
    let stmts = copies(&mut Copier::of(&from), &from, into, "_c").unwrap();
    put(into, stmts);
    body(&check(&module))
}

fn body(text: &str) -> String {
    let (_, body) = text.split_once(".entry k(.param .u64 out)\n{").unwrap();
    let lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n").trim_end_matches('}').trim().to_owned()
}

fn why(function: &str, kernel: &str) -> String {
    let (mut module, from) = pair(function, kernel);
    let before = module.kernels()[1].to_string();
    let into = &mut module.kernels_mut()[1];
    let error = copies(&mut Copier::of(&from), &from, into, "_c").unwrap_err();
    let stmts = into.stmts().len();
    assert_eq!(stmts, Module::parse(&format!("{HEADER}{before}")).unwrap().kernels()[0].stmts().len());
    error.to_string()
}

fn inst(stmt: &Stmt) -> Inst {
    match stmt.kind {
        StmtKind::Inst(inst) => inst,
        _ => panic!("{stmt:?} is no instruction"),
    }
}

#[test]
fn what_is_declared_gets_other_names() {
    let function = ".func f()\n{\n.reg .pred %p<2>, q;\n.reg .b32 %r<4>, %r7;\n.reg .v2 .f32 %v;\n.local .align 8 .b8 a[16];\n\
         AGAIN:\nld.local.v2.b32 {%r1, _}, [a+8];\n@!%p1 add.u32 %r7, %r1, %r3;\nsetp.eq.u32 q|%p1, %r7, 4;\n\
         mov.b32 %r2, %v.x;\nst.global.u64 [word], a;\n@q bra AGAIN;\n}";
    let expected = ".reg .pred %p_c < 2 >, q_c;\n.reg .b32 %r_c < 4 >, %r7_c;\n.reg .v2 .f32 %v_c;\n\
         .local .align 8 .b8 a_c [ 16 ];\nAGAIN_c:\nld.local.v2.b32 {%r_c1, _}, [a_c+8];\n\
         @!%p_c1 add.u32 %r7_c, %r_c1, %r_c3;\nsetp.eq.u32 q_c|%p_c1, %r7_c, 4;\nmov.b32 %r_c2, %v_c.x;\n\
         st.global.u64 [word], a_c;\n@q_c bra AGAIN_c;\nret;";
    assert_eq!(copied(function, "ret;"), expected);
}

#[test]
fn a_name_that_is_taken_is_followed_by_a_number() {
    let function = ".func f()\n{\n.reg .b32 %x;\n.shared .b32 s;\nL:\nst.shared.u32 [s], %x;\nbra L;\n}";
    let kernel = ".reg .b32 %x_c;\n.shared .b32 s_c;\nL_c:\nst.shared.u32 [s_c], %x_c;\nret;";
    let expected = ".reg .b32 %x_c_1;\n.shared .b32 s_c_1;\nL_c_1:\nst.shared.u32 [s_c_1], %x_c_1;\nbra L_c_1;\n";
    let all = copied(function, kernel);
    assert_eq!(all, format!("{expected}{kernel}"));
}

#[test]
fn lists_prototypes_and_labels_of_scopes_are_led_to_their_copies() {
    let function = ".func f()\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nt: .branchtargets A, B;\nbrx.idx %r1, t;\n\
         A:\n{\n.param .b32 p;\nst.param.b32 [p], %r1;\nproto: .callprototype _ (.param .b32 _);\n\
         call %rd1, (p), proto;\nbra A;\nA:\n}\nB:\nbra A;\n}";
    let (mut module, from) = pair(function, "ret;");
    let into = &mut module.kernels_mut()[1];
    let mut copier = Copier::of(&from);
    let open = from.stmts().iter().position(|stmt| stmt.kind == StmtKind::Open).unwrap();
    let close = from.stmts().iter().rposition(|stmt| stmt.kind == StmtKind::Close).unwrap();
    let mut stmts = Vec::new();
    copier.open_scope(into, 0..from.stmts().len(), "_o");
    for (index, stmt) in from.stmts().iter().enumerate() {
        if index == open {
            copier.open_scope(into, open + 1..close, "_i");
        } else if index == close {
            copier.close_scope();
        } else {
            stmts.push(copier.copy(into, stmt).unwrap());
        }
    }
    put(into, stmts);
    let expected = ".reg .b32 %r_o < 3 >;\n.reg .b64 %rd_o < 2 >;\nt_o : .branchtargets A_o, B_o;\nbrx.idx %r_o1, t_o;\nA_o:\n\
         .param .b32 p_i;\nst.param.b32 [p_i], %r_o1;\nproto_i : .callprototype _ ( .param .b32 _ );\n\
         call %rd_o1, (p_i), proto_i;\nbra A_i;\nA_i:\nB_o:\nbra A_o;\nret;";
    assert_eq!(body(&check(&module)), expected);
    let kernel = &module.kernels()[1];
    let indirect = kernel.stmts().iter().find(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).map(inst).unwrap();
    assert_eq!(kernel.branch_targets(indirect).len(), 2);
}

#[test]
fn a_scope_may_stay() {
    let function = ".func f()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 2;\n}\nmov.u32 %r2, %r1;\n}";
    let expected = ".reg .b32 %r_c < 3 >;\nmov.u32 %r_c1, 1;\n{\n.reg .b32 %r_c < 3 >;\nmov.u32 %r_c1, 2;\n}\nmov.u32 %r_c2, %r_c1;\nret;";
    assert_eq!(copied(function, "ret;"), expected);
    // Nothing outside can mention its registers.
    let (mut module, from) = pair(".func f()\n{\n{\n.reg .b32 %r<3>;\n}\n.reg .b32 %s<3>;\n}", "ret;");
    let into = &mut module.kernels_mut()[1];
    let stmts = copies(&mut Copier::of(&from), &from, into, "_c").unwrap();
    put(into, stmts);
    assert!(into.fragment("mov.u32 %s_c1, 1;").is_ok() && into.fragment("mov.u32 %r_c1, 1;").is_err());
}

#[test]
fn parameters_mean_what_is_set() {
    let function =
        ".func f(.param .b32 p, .reg .b32 %a)\n{\n.reg .b32 %x;\nld.param.b32 %x, [p];\nadd.u32 %x, %x, %a;\n}";
    let (mut module, from) = pair(function, "ret;");
    let into = &mut module.kernels_mut()[1];
    let (own, declaration) = into.declare_reg("%arg", Type::B32);
    let (array, place) = into.declare_local("place", 4, 4);
    let mut copier = Copier::of(&from);
    copier.set_symbol(from.parameter_symbol(&from.params()[0]).unwrap(), array);
    copier.set_reg(from.parameter_reg(&from.params()[1]).unwrap(), own);
    copier.open_scope(into, 0..from.stmts().len(), "_c");
    let registers = copier.copy(into, &from.stmts()[0]).unwrap();
    let load = copier.copy_access(into, inst(&from.stmts()[1]), (Space::Param, Space::Local)).unwrap();
    let sum = copier.copy(into, &from.stmts()[2]).unwrap();
    put(into, vec![declaration, place, registers, load, sum]);
    let expected = ".reg .b32 %arg;\n.local .align 4 .b8 place[4];\n.reg .b32 %x_c;\nld.local.b32 %x_c, [place];\n\
         add.u32 %x_c, %x_c, %arg;\nret;";
    assert_eq!(body(&check(&module)), expected);
}

#[test]
fn positions_and_the_carry_flag_come_along() {
    let text = format!(
        "{HEADER}.file 1 \"a.cu\"\n.func f()\n{{\n.reg .b32 %r<3>;\n.loc 1 5 0\nadd.cc.u32 %r1, %r1, %r2;\n\
         .loc 1 7 2, function_name name, inlined_at 1 5 0\naddc.u32 %r2, %r2, 0;\n}}\n\
         .entry k(.param .u64 out)\n{{\n.loc 1 9 0\nret;\n}}\n.section .debug_str\n{{\nname:\n.b8 0\n}}\n"
    );
    let mut module = Module::parse(&text).unwrap();
    let from = module.kernels()[0].clone();
    let into = &mut module.kernels_mut()[1];
    let mut code = Code::new();
    code.ins().trap();
    let mut stmts = into.build(code).unwrap();
    stmts.extend(copies(&mut Copier::of(&from), &from, into, "_c").unwrap());
    let (loc, StmtKind::Loc(in_force)) = (into.stmts()[0].clone(), into.stmts()[0].kind.clone()) else { panic!() };
    stmts.push(into.repeat_loc(&loc).unwrap());
    into.place_locs(&stmts, Some(in_force));
    let lines = |kernel: &Kernel, stmts: &[Stmt]| {
        let insts = stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).map(inst);
        insts.map(|inst| kernel.loc(inst).map_or(0, |Loc { line, .. }| line)).collect::<Vec<_>>()
    };
    assert_eq!(lines(into, &stmts), [9, 5, 7]);
    let add = stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).map(inst).nth(1).unwrap();
    assert!(into.carry_flag().is_some_and(|flag| into.defs(add).contains(&flag)));
    let mut patch = Patch::new();
    patch.insert_after(0, stmts);
    into.apply(patch).unwrap();
    let expected = ".loc 1 9 0\ntrap;\n.reg .b32 %r_c < 3 >;\n.loc 1 5 0\nadd.cc.u32 %r_c1, %r_c1, %r_c2;\n\
         .loc 1 7 2, function_name name, inlined_at 1 5 0\naddc.u32 %r_c2, %r_c2, 0;\n.loc 1 9 0\nret;";
    assert_eq!(body(check(&module).split(".section").next().unwrap()), expected);
}

#[test]
fn within_a_kernel_what_is_not_copied_stays() {
    let kernel = ".reg .b32 %r<3>;\nL:\nmov.u32 %r1, 1;\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 2;\n}\nbra L;";
    let (mut module, _) = pair(".func f() { }", kernel);
    let from = module.kernels()[1].clone();
    let into = &mut module.kernels_mut()[1];
    let mut copier = Copier::within(&from);
    copier.open_scope(into, 4..6, "_i");
    let mut stmts: Vec<Stmt> = (4..6).map(|index| copier.copy(into, &from.stmts()[index]).unwrap()).collect();
    copier.close_scope();
    stmts.push(copier.copy(into, &from.stmts()[2]).unwrap());
    stmts.push(copier.copy(into, &from.stmts()[7]).unwrap());
    let outer = inst(&from.stmts()[2]);
    assert_eq!(into.operands(inst(&stmts[2])), from.operands(outer));
    let mut patch = Patch::new();
    patch.replace(3..7, stmts);
    into.apply(patch).unwrap();
    let expected = ".reg .b32 %r<3>;\nL:\nmov.u32 %r1, 1;\n.reg .b32 %r_i < 3 >;\nmov.u32 %r_i1, 2;\nmov.u32 %r1, 1;\nbra L;\nbra L;";
    assert_eq!(body(&check(&module)), expected);
}

#[test]
fn two_instructions_share_no_list() {
    let function = ".func f()\n{\n.reg .b32 %r<3>;\n.local .b64 a;\nld.local.v2.b32 {%r1, %r2}, [a];\n}";
    let (mut module, from) = pair(function, "ret;");
    let into = &mut module.kernels_mut()[1];
    let stmts = copies(&mut Copier::of(&from), &from, into, "_c").unwrap();
    let load = inst(&stmts[2]);
    let (Operand::Vector(list), Operand::Address(Base::Symbol(_), _)) =
        (into.operands(load)[0], into.operands(load)[1])
    else {
        panic!("{:?}", into.operands(load));
    };
    assert!(
        into.list(list)
            .iter()
            .all(|element| matches!(element, Operand::Reg(reg) if into.reg_name(*reg).contains("_c")))
    );
}

#[test]
fn what_would_mean_something_else_is_refused() {
    let ret = "ret;";
    assert_eq!(
        why(".func f(.param .b32 p)\n{\n.reg .b32 %x;\nld.param.b32 %x, [p];\n}", ret),
        "`p` of another kernel is mentioned, and its declaration was not copied"
    );
    assert_eq!(
        why(".func f(.reg .b32 %a)\n{\n.reg .b32 %x;\nmov.b32 %x, %a;\n}", ".reg .b32 %a;\nret;"),
        "register `%a` of another kernel is mentioned, and its declaration was not copied"
    );
    assert_eq!(
        why(".func f()\n{\n.reg .b64 %x;\nmov.u64 %x, word;\n}", ".local .b64 word;\nret;"),
        "`word` means something of `k` where it is copied to"
    );
    assert_eq!(why(".func f()\n{\n.local .b32 a<4>;\n}", ret), "a family of variables is declared");
    // The family of the copy would have a register of the kernel.
    let (mut module, from) = pair(".func f()\n{\n.reg .b32 %r<4>;\n}", ".reg .b32 %r_c3;\nret;");
    let into = &mut module.kernels_mut()[1];
    let stmts = copies(&mut Copier::of(&from), &from, into, "_c").unwrap();
    let mut patch = Patch::new();
    patch.insert_before(0, stmts);
    assert_eq!(into.apply(patch).unwrap_err().to_string(), "`%r_c3` is declared twice in one scope");
    // A label and a register outside of what is copied.
    let (mut module, from) = pair(".func f()\n{\n.reg .b32 %x;\nL:\nmov.u32 %x, 1;\nbra L;\n}", ret);
    let into = &mut module.kernels_mut()[1];
    for (index, message) in [(2, "register `%x`"), (3, "label `L`")] {
        let error = Copier::of(&from).copy(into, &from.stmts()[index]).unwrap_err().to_string();
        assert_eq!(error, format!("{message} of another kernel is mentioned, and its declaration was not copied"));
    }
}
