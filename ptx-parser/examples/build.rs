//! Builds a kernel from nothing and prints it: `y[i] = a * x[i] + y[i]`.
//!
//! ```text
//! cargo run -p ptx-parser --example build > saxpy.ptx && ptxas -arch=sm_90 saxpy.ptx
//! ```

use ptx_parser::{Error, Module, Patch, Type};

fn main() -> Result<(), Error> {
    print!("{}", saxpy()?.canonical());
    Ok(())
}

/// A module with the entry `saxpy(n, a, x, y)`.
pub fn saxpy() -> Result<Module, Error> {
    let mut module = Module::new((9, 0), "sm_90", 64)?;
    let kernel = module.add_entry("saxpy", &[Type::U32, Type::F32, Type::U64, Type::U64])?;
    // Names are made by the kernel, so that they collide with nothing; here, where there is nothing yet, they are the stems.
    let mut reg = |stem, ty| {
        let reg = kernel.new_reg(stem, ty);
        kernel.reg_name(reg).to_owned()
    };
    let [n, i, t] = ["n", "i", "t"].map(|stem| reg(stem, Type::B32));
    let [a, u, v] = ["a", "u", "v"].map(|stem| reg(stem, Type::F32));
    let [x, y, offset] = ["x", "y", "offset"].map(|stem| reg(stem, Type::B64));
    let out = reg("out", Type::Pred);
    let end = kernel.new_label("end");
    let end = kernel.label_name(end).to_owned();
    let body = kernel.fragment(&format!(
        "ld.param.u32 {n}, [saxpy_param_0];
         ld.param.f32 {a}, [saxpy_param_1];
         ld.param.u64 {x}, [saxpy_param_2];
         ld.param.u64 {y}, [saxpy_param_3];
         mov.u32 {i}, %ctaid.x;
         mov.u32 {t}, %ntid.x;
         mul.lo.u32 {i}, {i}, {t};
         mov.u32 {t}, %tid.x;
         add.u32 {i}, {i}, {t};
         setp.ge.u32 {out}, {i}, {n};
         @{out} bra {end};
         cvta.to.global.u64 {x}, {x};
         cvta.to.global.u64 {y}, {y};
         mul.wide.u32 {offset}, {i}, 4;
         add.u64 {x}, {x}, {offset};
         add.u64 {y}, {y}, {offset};
         ld.global.f32 {u}, [{x}];
         ld.global.f32 {v}, [{y}];
         fma.rn.f32 {v}, {a}, {u}, {v};
         st.global.f32 [{y}], {v};
         {end}:
         ret;"
    ))?;
    let mut patch = Patch::new();
    patch.append(body);
    kernel.apply(patch)?;
    Ok(module)
}
