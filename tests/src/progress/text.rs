//! Programs as PTX.

use std::fmt::Write as _;

use super::program::{Action, Program, Step};

impl Program {
    /// Its PTX: a module with a kernel `k`, which takes the address of the words.
    #[must_use]
    pub fn ptx(&self) -> String {
        let mut body = String::new();
        for thread in 1..self.threads.len() {
            // Threads are numbered as their first lanes are, and lanes that share one are neighbours.
            let first = self.lanes.iter().position(|&of| of == thread).unwrap_or(self.lanes.len());
            let last = self.lanes.iter().rposition(|&of| of == thread).unwrap_or(first);
            let relation =
                if first == last { format!("eq.u32 %p1, %r1, {first}") } else { format!("ge.u32 %p1, %r1, {first}") };
            _ = write!(body, "setp.{relation};\n@%p1 bra T{thread}_0;\n");
        }
        for (number, thread) in self.threads.iter().enumerate() {
            for (at, step) in thread.iter().enumerate() {
                _ = writeln!(body, "T{number}_{at}:");
                write_step(&mut body, step, |target| match target < thread.len() {
                    true => format!("T{number}_{target}"),
                    false => "END".to_owned(),
                });
            }
            if number + 1 < self.threads.len() {
                body += "bra END;\n";
            }
        }
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 words)\n{{\n\
             .reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n.reg .pred %p<2>;\n\
             ld.param.u64 %rd1, [words];\nmov.u32 %r1, %tid.x;\n{body}END:\nret;\n}}\n"
        )
    }
}

fn write_step(body: &mut String, step: &Step, label: impl Fn(usize) -> String) {
    let at = format!("[%rd1+{}]", 4 * step.word);
    _ = match step.action {
        Action::Load => writeln!(body, "ld.volatile.global.u32 %r2, {at};"),
        Action::Store(value) => writeln!(body, "st.volatile.global.u32 {at}, {value};"),
        Action::Exchange(value) => writeln!(body, "atom.global.exch.b32 %r2, {at}, {value};"),
        Action::CompareExchange(old, new) => writeln!(body, "atom.global.cas.b32 %r2, {at}, {old}, {new};"),
    };
    if let Some(branch) = step.branch {
        let (equals, target) = (branch.equals, label(branch.target));
        _ = write!(body, "setp.eq.u32 %p1, %r2, {equals};\n@%p1 bra {target};\n");
    }
}
