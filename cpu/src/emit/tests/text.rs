//! The text of some statements, and forms that are refused.

use ptx_parser::Module;

use super::inst;
use crate::emit::instruction;
use crate::emit::names::{ModuleNames, Names};
use crate::emit::view::View;

/// Returns the statement for an instruction, or why there is none.
fn statement(text: &str) -> Result<String, String> {
    let source = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n\
         {text}\nret;\n}}\n"
    );
    let module = Module::parse(&source).unwrap();
    let kernel = module.kernel("k").unwrap();
    let module_names = ModuleNames::of(&module);
    let names = Names::of(kernel, &module_names);
    let opcode = text.split(' ').next().unwrap();
    let view = View { kernel, inst: inst(kernel, opcode), names: &names, module: &module_names };
    instruction::emit(&view).map_err(|refusal| refusal.reason)
}

#[test]
fn functions_are_named_as_opcodes_are() {
    let texts = [
        ("add.f32 %r3, %r1, %r2;", "r3 = pxrw_f32(r1) + pxrw_f32(r2);"),
        ("fma.rz.ftz.sat.f32 %r3, %r1, %r2, %r3;", "r3 = pxrw_fma_rz_ftz_sat_f32(r1, r2, r3);"),
        ("mul.f32 %r3, %r1, 0f3F000000;", "r3 = pxrw_f32(r1) * pxrw_f32(0x3f000000u);"),
        ("add.f64 %rd3, %rd1, %rd2;", "rd3 = pxrw_f64(rd1) + pxrw_f64(rd2);"),
        ("add.rn.f32x2 %rd3, %rd1, %rd2;", "rd3 = PXRW_F32X2_2(pxrw_add_f32, rd1, rd2);"),
        ("div.full.f32 %r3, %r1, %r2;", "r3 = pxrw_div_f32(r1, r2);"),
        ("div.approx.f32 %r3, %r1, %r2;", "r3 = pxrw_div_approx_f32(r1, r2);"),
        (
            "max.xorsign.abs.f32 %r3, %r1, %r2;",
            "r3 = pxrw_xorsign_f32(pxrw_max_f32(pxrw_abs_f32(r1), pxrw_abs_f32(r2)), r1, r2);",
        ),
        ("testp.normal.f32 %p1, %r1;", "p1 = pxrw_testp_normal_f32(r1);"),
        ("fma.rn.relu.f16x2 %r3, %r1, %r2, %r3;", "r3 = PXRW_HALVES3(pxrw_fma_relu_f16, r1, r2, r3);"),
        ("add.f16 %h3, %h1, %r2;", "h3 = pxrw_add_f16(h1, (uint16_t)r2);"),
        ("add.f32.f16 %r3, %h1, %r2;", "r3 = pxrw_add_f32(pxrw_widen_f16(h1), r2);"),
        (
            "setp.lt.ftz.f16 %p1, %h1, %h2;",
            "p1 = pxrw_is_lt(pxrw_value_f16(pxrw_flush_f16(h1)), pxrw_value_f16(pxrw_flush_f16(h2)));",
        ),
        ("setp.eq.or.bf16 %p1, %h1, %h2, !%p1;", "p1 = (pxrw_is_eq(pxrw_value_bf16(h1), pxrw_value_bf16(h2)) | !p1);"),
    ];
    for (text, expected) in texts {
        assert_eq!(statement(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn conversions_say_only_what_they_do() {
    let texts = [
        ("cvt.u32.u64 %r1, %rd1;", "r1 = (uint32_t)rd1;"),
        ("cvt.s64.s32 %rd1, %r1;", "rd1 = (int32_t)r1;"),
        ("cvt.u16.u8 %h1, %h2;", "h1 = (uint8_t)h2;"),
        ("cvt.s8.s32 %r1, %r2;", "r1 = (int8_t)r2;"),
        ("cvt.sat.s8.s32 %r1, %r2;", "r1 = pxrw_clamp_signed((int32_t)r2, INT64_C(-128), INT64_C(127));"),
        ("cvt.rn.f32.s32 %r1, %r2;", "r1 = pxrw_bits32((float)(int32_t)r2);"),
        ("cvt.rzi.s32.f32 %r1, %r2;", "r1 = pxrw_s32_of_f32(pxrw_rzi_f32(r2));"),
        ("cvt.rn.f16.f32 %h1, %r2;", "h1 = pxrw_f16_of_f32(pxrw_f32(r2));"),
        ("cvt.f32.f16 %r1, %h2;", "r1 = pxrw_canonical_f32(pxrw_value_f16(h2));"),
        ("cvt.rn.f32.f64 %r1, %rd2;", "r1 = pxrw_canonical_f32((float)pxrw_f64(rd2));"),
        (
            "cvt.rn.bf16x2.f32 %r1, %r2, %r3;",
            "r1 = PXRW_PACK16(pxrw_bf16_of_f32(pxrw_f32(r2)), pxrw_bf16_of_f32(pxrw_f32(r3)));",
        ),
        (
            "cvt.rn.f16x2.e4m3x2 %r1, %h2;",
            "r1 = PXRW_PACK16(pxrw_f16_of_f64(pxrw_decode_e4m3(h2 >> 8 & 255)), pxrw_f16_of_f64(pxrw_decode_e4m3(h2 & 255)));",
        ),
        ("cvt.pack.sat.u16.s32 %r1, %r2, %r3;", "r1 = pxrw_pack_integers(r2, r3, 0u, 16, 0);"),
    ];
    for (text, expected) in texts {
        assert_eq!(statement(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_the_emulator_refuses_is_refused() {
    let texts = [
        ("fma.rn.oob.f16 %h1, %h2, %h3, %h4;", "`.oob` looks for a NaN"),
        ("cvt.rs.f16x2.f32 %r1, %r2, %r3, %r4;", "of `.rs` only `.bf16x2.f32` is modelled"),
        ("cvt.rzi.s32.f32 %rd1, %r2;", "a narrow integer in a 64-bit register is not modelled"),
    ];
    for (text, reason) in texts {
        assert!(statement(text).is_err_and(|found| found.starts_with(reason)), "{text}");
    }
}
