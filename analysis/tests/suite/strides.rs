//! Strides: what a kernel's values grow by from lane to lane.
use analysis::{Analyses, Strides};
use ptx_parser::Module;

/// The strides other than 0 of the values of a body, with the registers' names.
fn strides(body: &str) -> String {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n)\n{{\n.reg .pred %p<9>;\n\
         .reg .b32 %r<19>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap();
    let kernel = &module.kernels()[0];
    let all = Analyses::of(kernel);
    Strides::of(kernel, &all.cfg, &all.values, &all.divergence).describe(kernel, &all.values)
}

#[test]
fn an_index_keeps_its_stride_through_a_loop_and_an_address_has_that_of_its_elements() {
    let body = "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd1, %rd1; ld.param.u32 %r9, [n];
                mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
                H: mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];
                add.s32 %r4, %r4, %r3; setp.lt.s32 %p1, %r4, %r9; @%p1 bra H;";
    let found = strides(body);
    let mut lines: Vec<&str> = found.lines().collect();
    lines.sort_unstable();
    // %r4 is the first index, the one that goes round, and the next one.
    assert_eq!(lines, ["%r1: 1", "%r4: 1", "%r4: 1", "%r4: 1", "%rd2: 4", "%rd3: 4"]);
}

#[test]
fn what_is_not_linear_in_the_lane_has_none() {
    // A difference, a negative step, a product with an unknown number, bits, a guarded write, and an index that each lane loads.
    let body = "mov.u32 %r1, %laneid; ld.param.u32 %r9, [n]; sub.s32 %r2, %r9, %r1; shl.b32 %r3, %r2, 3;
                mul.lo.s32 %r4, %r1, %r9; and.b32 %r5, %r1, 7; setp.lt.u32 %p1, %r9, 3; mov.u32 %r6, %r1;
                @%p1 mov.u32 %r6, 5; ld.global.u32 %r7, [%rd1]; add.s32 %r8, %r7, %r1; mov.u32 %r10, %tid.y;";
    assert_eq!(strides(body), "%r1: 1\n%r2: -1\n%r3: -8\n%r6: 1\n");
}
