//! Code that is put together from typed parts: what each method writes, that `ptxas` takes it, and what is refused.
use crate::common::{check, insts, kernel, parse};
use ptx_parser::{
    Base, Code, Component, Error, Kernel, Loc, Operand, Operator, Patch, Relation, Space, SpecialName, StmtKind, Type,
};

/// Puts code at the beginning of a kernel. Gives the text of each instruction, and the module as text.
fn built(write: impl FnOnce(&mut Kernel) -> Code) -> (Vec<String>, String) {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let code = write(kernel);
    let count = code.instructions();
    let stmts = kernel.build(code).unwrap();
    let mut patch = Patch::new();
    patch.insert_before(0, stmts);
    kernel.apply(patch).unwrap();
    let texts: Vec<String> = insts(kernel).into_iter().take(count).map(|inst| kernel.inst_text(inst)).collect();
    (texts, check(&module))
}

fn refusal(write: impl FnOnce(&mut Kernel) -> Code) -> String {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let code = write(kernel);
    match kernel.build(code) {
        Err(Error::Edit { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_method_writes_its_instruction() {
    use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    use Type::{B8, B16, B32, B64, F32, F64, Pred, S32, S64, U16, U32, U64};
    let (texts, _) = built(|kernel| {
        let [a, b, c] = ["a", "b", "c"].map(|stem| kernel.new_reg(stem, B32));
        let [d, e] = ["d", "e"].map(|stem| kernel.new_reg(stem, B64));
        let [p, q] = ["p", "q"].map(|stem| kernel.new_reg(stem, Pred));
        let (byte, half) = (kernel.new_reg("byte", B8), kernel.new_reg("half", B16));
        let (x, y) = (kernel.new_reg("x", F32), kernel.new_reg("y", F64));
        let (slots, end) = (kernel.new_shared("slots", 8, 256), kernel.new_label("end"));
        let (at, named) = (Base::Reg(a), Base::Symbol(slots));
        let mut code = Code::new();
        code.ins().mov(U32, a, SpecialName::Tid.component(Component::Z));
        code.ins().mov(U32, b, SpecialName::Laneid);
        code.ins().mov(U32, a, slots);
        code.ins().mov(Pred, p, -1);
        code.ins().set(q, false);
        code.ins().test(p, !ptx_parser::Guard::from(q));
        code.ins().test(p, q);
        code.ins().copy(B32, a, b);
        code.ins().copy(F64, y, y);
        code.ins().copy(Type::U8, byte, byte);
        code.ins().copy(Pred, p, q);
        code.ins().cvt(U16, U32, half, a);
        code.ins().pack(B64, d, [a, b]);
        code.ins().unpack(B64, [b, c], e);
        code.ins().not(B32, a, b);
        code.ins().add(S32, a, b, -1);
        code.ins().sub(U32, a, 7u32, b);
        code.ins().mul_lo(U32, a, b, c);
        code.ins().mul_wide(U16, a, half, 8);
        code.ins().mad_lo(U32, a, b, c, a);
        code.ins().mad_wide(S32, d, a, b, d);
        code.ins().div(U64, d, e, 3);
        code.ins().rem(U32, a, b, c);
        code.ins().min(U32, a, b, c);
        code.ins().max(S64, d, e, d);
        code.ins().and(B32, a, b, 0xffff_0000_u32);
        code.ins().or(Pred, p, p, q);
        code.ins().shl(B32, a, 1, b);
        code.ins().shr(U32, a, b, 5);
        code.ins().popc(B32, a, b);
        code.ins().bfind(U32, a, b);
        code.ins().selp(B32, a, b, 0, p);
        code.ins().lop3(B32, a, b, c, 0, 0x30);
        for relation in [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual] {
            code.ins().setp(relation, U32, p, a, b);
        }
        code.ins().setp_and(Greater, S32, p, a, 0, !ptx_parser::Guard::from(q));
        code.ins().setp_or(NotEqual, U32, p, a, 0, q);
        for operator in [Operator::Add, Operator::Multiply, Operator::Min, Operator::Max] {
            code.ins().combine(operator, S32, false, a, a, b);
            code.ins().combine(operator, F32, true, x, x, x);
        }
        for operator in [Operator::And, Operator::Or, Operator::Xor] {
            code.ins().combine(operator, B32, false, a, a, b);
        }
        code.ins().bar_warp_sync(a);
        code.ins().vote_any(p, q, a);
        code.ins().vote_ballot(a, q, b);
        code.ins().shfl_idx(a, b, 3, c);
        code.ins().activemask(a);
        code.ins().match_any(a, b, c);
        code.ins().ld(Space::Shared, B32, b, at, -4);
        code.ins().ld_volatile(Space::Shared, B64, d, named, 8);
        code.ins().ld(Space::Generic, F64, y, Base::Reg(d), 8);
        code.ins().st(Space::Shared, Type::U8, at, 0, b);
        code.ins().cvta_to(Space::Global, U64, d, e);
        code.ins().fma(F32, x, x, x, Operand::Float32(0));
        code.ins().red(Space::Shared, Operator::Add, U32, at, 16, b);
        code.ins().atom_cas(Space::Shared, B32, a, (named, 4), b, c);
        code.when(p).bra(end);
        code.unless(q).trap();
        code.guarded(None).ret();
        code.label(end);
        code
    });
    let expected = "mov.u32 %a, %tid.z; mov.u32 %b, %laneid; mov.u32 %a, slots; mov.pred %p, -1; mov.pred %q, 0; not.pred %p, %q; \
         mov.pred %p, %q; mov.b32 %a, %b; mov.b64 %y, %y; cvt.u8.u8 %byte, %byte; mov.pred %p, %q; cvt.u16.u32 %half, %a; \
         mov.b64 %d, {%a, %b}; mov.b64 {%b, %c}, %e; \
         not.b32 %a, %b; add.s32 %a, %b, -1; sub.u32 %a, 7, %b; mul.lo.u32 %a, %b, %c; mul.wide.u16 %a, %half, 8; \
         mad.lo.u32 %a, %b, %c, %a; mad.wide.s32 %d, %a, %b, %d; div.u64 %d, %e, 3; rem.u32 %a, %b, %c; min.u32 %a, %b, %c; max.s64 %d, %e, %d; \
         and.b32 %a, %b, 4294901760; or.pred %p, %p, %q; shl.b32 %a, 1, %b; shr.u32 %a, %b, 5; popc.b32 %a, %b; \
         bfind.u32 %a, %b; selp.b32 %a, %b, 0, %p; lop3.b32 %a, %b, %c, 0, 48; setp.eq.u32 %p, %a, %b; setp.ne.u32 %p, %a, %b; \
         setp.lt.u32 %p, %a, %b; setp.le.u32 %p, %a, %b; setp.gt.u32 %p, %a, %b; setp.ge.u32 %p, %a, %b; \
         setp.gt.and.s32 %p, %a, 0, !%q; setp.ne.or.u32 %p, %a, 0, %q; add.s32 %a, %a, %b; add.rn.ftz.f32 %x, %x, %x; \
         mul.lo.s32 %a, %a, %b; mul.rn.ftz.f32 %x, %x, %x; min.s32 %a, %a, %b; min.ftz.f32 %x, %x, %x; max.s32 %a, %a, %b; \
         max.ftz.f32 %x, %x, %x; and.b32 %a, %a, %b; or.b32 %a, %a, %b; xor.b32 %a, %a, %b; bar.warp.sync %a; \
         vote.sync.any.pred %p, %q, %a; vote.sync.ballot.b32 %a, %q, %b; shfl.sync.idx.b32 %a, %b, 3, 31, %c; activemask.b32 %a; \
         match.any.sync.b32 %a, %b, %c; ld.shared.b32 %b, [%a+-4]; ld.volatile.shared.b64 %d, [slots+8]; ld.f64 %y, [%d+8]; st.shared.u8 [%a], %b; cvta.to.global.u64 %d, %e; fma.rn.f32 %x, %x, %x, 0f00000000; \
         red.shared.add.u32 [%a+16], %b; atom.shared.cas.b32 %a, [slots+4], %b, %c; @%p bra $end; @!%q trap; ret;";
    assert_eq!(texts.join(" "), expected);
}

#[test]
fn positions_markers_and_labels_stand_where_they_were_put() {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let (head, mut code) = (kernel.new_label("head"), Code::new());
    code.ins().trap();
    code.label(head);
    code.marker("#CCC here");
    code.loc(Loc { file: 1, line: 12, column: 3, inlined_at: None });
    code.ins().bra(head);
    let stmts = kernel.build(code).unwrap();
    let located: Vec<_> = stmts
        .iter()
        .filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { kernel.loc(inst) } else { None })
        .map(|loc| loc.line)
        .collect();
    assert_eq!(located, [12], "the first one has no position");
    let mut patch = Patch::new();
    patch.insert_before(0, stmts);
    kernel.apply(patch).unwrap();
    assert!(module.to_string().contains("\ttrap;\n\n$head:\n\t//#CCC here\n\t.loc 1 12 3\n\tbra $head;"), "{module}");
}

#[test]
fn a_name_is_a_symbol_where_it_says_which() {
    let mut module = parse(&kernel("{ .shared .b32 twice; }\n{ .shared .b32 twice; }\n.shared .b32 once;\nret;"));
    let kernel = &mut module.kernels_mut()[0];
    let once = kernel.symbol("once").unwrap();
    assert_eq!(kernel.symbol("once").unwrap(), once);
    assert!(kernel.variable(once).is_some());
    let function = kernel.symbol("vprintf").unwrap();
    assert_eq!((kernel.symbol("vprintf").unwrap(), kernel.symbol_name(function)), (function, "vprintf"));
    for (name, message) in
        [("twice", "several scopes declare `twice`"), ("a b", "`a b` is no name"), ("", "`` is no name")]
    {
        match kernel.symbol(name) {
            Err(Error::Edit { message: said, .. }) => assert_eq!(said, message),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn instructions_are_counted_on_the_code() {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let [next, other] = ["next", "other"].map(|stem| kernel.new_label(stem));
    let (test, mut code) = (kernel.new_reg("test", Type::Pred), Code::new());
    code.ins().set(test, true);
    code.label(other);
    code.loc(Loc { file: 1, line: 1, column: 0, inlined_at: None });
    code.when(test).bra(next);
    code.ins().bra(next);
    assert_eq!(code.instructions(), 3);
    assert_eq!(code.instructions_until(next), 2, "the first branch to it ends it");
    assert_eq!(code.instructions_until(other), 3, "nothing leads there");
    assert_eq!(code.instructions_behind(other), 2);
    assert_eq!(code.instructions_behind(next), 3, "it is not defined here");
    assert_eq!(code.only_branch(), None);
    let mut branch = Code::new();
    branch.ins().bra(next);
    assert_eq!(branch.only_branch(), Some(next));
    let mut under_guard = Code::new();
    under_guard.when(test).bra(next);
    assert_eq!(under_guard.only_branch(), None, "not every lane takes it");
}

#[test]
fn what_the_table_does_not_have_is_refused() {
    let message = refusal(|kernel| {
        let (word, test, mut code) =
            (kernel.new_reg("word", Type::B32), kernel.new_reg("test", Type::Pred), Code::new());
        code.ins().add(Type::U32, word, word, test);
        code
    });
    assert_eq!(
        message,
        "operand 3 of `add.u32` is the .pred register `%test`, but must be an integer or untyped register of 32 bits or a literal"
    );
    let message = refusal(|kernel| {
        let (word, mut code) = (kernel.new_reg("word", Type::B32), Code::new());
        code.ins().add(Type::B32, word, word, 1);
        code
    });
    assert!(message.starts_with("`add.b32`: "), "{message}");
    let message = refusal(|kernel| {
        let (word, mut code) = (kernel.new_reg("word", Type::B32), Code::new());
        code.when(word).ret();
        code
    });
    assert_eq!(message, "the guard of `ret` is no predicate");
}

#[test]
fn a_copy_that_is_only_analysed_may_have_wider_registers() {
    let mut module = parse(&kernel("ret;"));
    let kernel = &mut module.kernels_mut()[0];
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|stem| kernel.new_reg(stem, Type::B16));
    let (whole, mut code) = (kernel.new_reg("whole", Type::B32), Code::new());
    code.ins().unpack(Type::B32, [a, b, c, d], whole);
    assert!(kernel.build(code.clone()).is_err(), "each part has 8 bits");
    let stmts = kernel.build_unchecked(code);
    let StmtKind::Inst(inst) = stmts[0].kind else { panic!("{stmts:?}") };
    assert_eq!(kernel.inst_text(inst), "mov.b32 {%a, %b, %c, %d}, %whole;");
}
