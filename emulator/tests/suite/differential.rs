//! Random kernels with nested branches, loops, early exits and guarded instructions: every machine, and every way to
//! cut the same threads into blocks, must leave the same memory and execute the same number of thread instructions.

use arbitrary::{Result, Unstructured};
use arbtest::{arbitrary, arbtest};
use emulator::{Launch, Machine, Memory};

use crate::support::{finish, program};

/// Writes statements that compute with `%r10` to `%r15`. Loops count in a register of their own, so that they end.
struct Writer<'a, 'b> {
    source: &'a mut Unstructured<'b>,
    text: String,
    labels: u32,
    counters: u32,
}

impl Writer<'_, '_> {
    fn register(&mut self) -> Result<String> {
        Ok(format!("%r{}", self.source.int_in_range(10..=15)?))
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// `%p1` becomes something that differs between threads.
    fn condition(&mut self) -> Result<()> {
        let (a, b) = (self.register()?, self.source.int_in_range(0..=7)?);
        let relation = self.source.choose(&["eq", "lt", "gt", "ne"])?;
        self.text += &format!("and.b32 %r20, {a}, 7;\nsetp.{relation}.u32 %p1, %r20, {b};\n");
        Ok(())
    }

    fn statements(&mut self, depth: u32) -> Result<()> {
        for _ in 0..self.source.int_in_range(1..=4)? {
            self.statement(depth)?;
        }
        Ok(())
    }

    fn statement(&mut self, depth: u32) -> Result<()> {
        let (d, a, b) = (self.register()?, self.register()?, self.register()?);
        let kind = self.source.int_in_range(0..=if depth == 0 { 3 } else { 9 })?;
        match kind {
            0 => self.text += &format!("mad.lo.u32 {d}, {a}, 5, {b};\n"),
            1 => self.text += &format!("xor.b32 {d}, {a}, {b};\n"),
            2 => self.text += &format!("shr.u32 {d}, {a}, 3;\n"),
            3 => {
                self.condition()?;
                let negated = if self.source.arbitrary()? { "!" } else { "" };
                self.text += &format!("@{negated}%p1 add.u32 {d}, {a}, {b};\n");
            }
            4 | 5 => {
                let (otherwise, end) = (self.label(), self.label());
                self.condition()?;
                self.text += &format!("@%p1 bra {otherwise};\n");
                self.statements(depth - 1)?;
                self.text += &format!("bra.uni {end};\n{otherwise}:\n");
                self.statements(depth - 1)?;
                self.text += &format!("{end}:\n");
            }
            6 | 7 => {
                // The number of iterations differs; some leave early.
                let (head, end) = (self.label(), self.label());
                let counter = format!("%r{}", 30 + self.counters % 30);
                self.counters += 1;
                self.text += &format!("and.b32 {counter}, {a}, 3;\n{head}:\n");
                self.statements(depth - 1)?;
                if self.source.arbitrary()? {
                    self.condition()?;
                    self.text += &format!("@%p1 bra {end};\n");
                    self.statements(depth - 1)?;
                }
                self.text += &format!(
                    "setp.eq.u32 %p2, {counter}, 0;\nsub.u32 {counter}, {counter}, 1;\n@!%p2 bra {head};\n{end}:\n"
                );
            }
            8 => {
                let end = self.label();
                self.condition()?;
                self.text += &format!("@%p1 bra {end};\n");
                self.statements(depth - 1)?;
                self.text += &format!("{end}:\n");
            }
            _ => {
                self.condition()?;
                self.text += "st.global.u32 [%rd2], %r10;\n@%p1 exit;\n";
            }
        }
        Ok(())
    }
}

fn kernel(source: &mut Unstructured<'_>) -> Result<String> {
    let mut writer = Writer { source, text: String::new(), labels: 0, counters: 0 };
    writer.statements(3)?;
    let body = writer.text;
    Ok(format!(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;
         ld.param.u64 %rd1, [a]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
         mov.u32 %r10, %r1; mul.lo.u32 %r11, %r1, 77; shr.u32 %r12, %r1, 2; not.b32 %r13, %r1; mov.u32 %r14, 9;
         mad.lo.u32 %r15, %r1, %r1, 3;
         {body}
         xor.b32 %r10, %r10, %r11; xor.b32 %r10, %r10, %r12; xor.b32 %r10, %r10, %r13; xor.b32 %r10, %r10, %r14;
         xor.b32 %r10, %r10, %r15;
         st.global.u32 [%rd2], %r10;
         ret;"
    ))
}

fn agree(source: &mut Unstructured<'_>) -> Result<()> {
    let text = kernel(source)?;
    let p = program(".param .u64 a", &text);
    let mut first: Option<(Vec<u32>, u64)> = None;
    let mut efficiency = Vec::new();
    // One thread per block has nobody to part from: the meaning of the program.
    for (blocks, threads) in [(120, 1), (1, 120), (4, 30), (3, 40)] {
        for &machine in Machine::ALL {
            let mut memory = Memory::new();
            let a = memory.alloc(4 * 120, "a");
            let report = finish(&p, &mut memory, &Launch::new(blocks, threads).arg(a).on(machine));
            let result = (memory.read::<u32>(a, 120).unwrap(), report.counts.thread_instructions);
            let counts = report.counts;
            assert!(
                counts.thread_instructions <= counts.active_lanes
                    && counts.active_lanes <= 32 * counts.warp_instructions
            );
            if threads == 1 {
                assert_eq!(counts.active_lanes, counts.warp_instructions);
            }
            if machine != Machine::Mimd {
                efficiency.push(counts.warp_execution_efficiency());
            }
            match &first {
                None => first = Some(result),
                Some(first) => assert!(*first == result, "{blocks} x {threads} on {}:\n{text}", machine.name()),
            }
        }
    }
    // Where no lane waits for longer than a machine is patient, lanes reconverge at the same places.
    for same in efficiency.chunks(Machine::ALL.len() - 1) {
        assert!(same.iter().all(|one| *one == same[0]), "{same:?}\n{text}");
    }
    Ok(())
}

#[test]
fn random_kernels_mean_the_same_everywhere() {
    arbtest(agree).size_min(64).size_max(4096).budget_ms(3000);
}

/// The same for much longer: `cargo test -p pxrw-emulator --release -- --ignored random`.
#[test]
#[ignore = "runs for a minute"]
fn many_random_kernels_mean_the_same_everywhere() {
    arbtest(agree).size_min(64).size_max(16384).budget_ms(60_000);
}
