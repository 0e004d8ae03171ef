//! Builds a kernel from nothing and prints it: `y[i] = a * x[i] + y[i]`.
//!
//! ```text
//! cargo run -p pxrw-ptx --example build > saxpy.ptx && ptxas -arch=sm_90 saxpy.ptx
//! ```

use ptx_parser::{Base, Code, Component, Error, Module, Patch, Relation, Space, SpecialName, Type};

fn main() -> Result<(), Error> {
    print!("{}", saxpy()?.canonical());
    Ok(())
}

/// A module with the entry `saxpy(n, a, x, y)`.
pub fn saxpy() -> Result<Module, Error> {
    use SpecialName::{Ctaid, Ntid, Tid};
    use Type::{B32, B64, F32, Pred, U32, U64};
    let mut module = Module::new((9, 0), "sm_90", 64)?;
    let kernel = module.add_entry("saxpy", &[U32, F32, U64, U64])?;
    let [n, i, t] = ["n", "i", "t"].map(|stem| kernel.new_reg(stem, B32));
    let [a, u, v] = ["a", "u", "v"].map(|stem| kernel.new_reg(stem, F32));
    let [x, y, offset] = ["x", "y", "offset"].map(|stem| kernel.new_reg(stem, B64));
    let (out, end) = (kernel.new_reg("out", Pred), kernel.new_label("end"));

    let mut code = Code::new();
    for (index, (reg, ty)) in [(n, U32), (a, F32), (x, U64), (y, U64)].into_iter().enumerate() {
        let param = kernel.symbol(&format!("saxpy_param_{index}"))?;
        code.ins().ld(Space::Param, ty, reg, Base::Symbol(param), 0);
    }
    code.ins().mov(U32, i, Ctaid.component(Component::X));
    code.ins().mov(U32, t, Ntid.component(Component::X));
    code.ins().mul_lo(U32, i, i, t);
    code.ins().mov(U32, t, Tid.component(Component::X));
    code.ins().add(U32, i, i, t);
    code.ins().setp(Relation::GreaterOrEqual, U32, out, i, n);
    code.when(out).bra(end);
    code.ins().mul_wide(U32, offset, i, 4);
    for array in [x, y] {
        code.ins().cvta_to(Space::Global, U64, array, array);
        code.ins().add(U64, array, array, offset);
    }
    code.ins().ld(Space::Global, F32, u, Base::Reg(x), 0);
    code.ins().ld(Space::Global, F32, v, Base::Reg(y), 0);
    code.ins().fma(F32, v, a, u, v);
    code.ins().st(Space::Global, F32, Base::Reg(y), 0, v);
    code.label(end);
    code.ins().ret();

    let mut patch = Patch::new();
    patch.append(kernel.build(code)?);
    kernel.apply(patch)?;
    Ok(module)
}
