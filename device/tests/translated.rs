//! The CPU behind the trait: what goes in, what comes back, and what is said about wrong use.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use device::{
    Argument, Buffer, Counts, Device, Error, KernelHandle, LaunchConfig, OutcomeKind, Selection, TranslatedOptions,
};

/// `scale`, a counter of launches, a trap, and shared memory.
const KERNELS: &str = concat!(
    include_str!("scale.ptx"),
    "
.visible .global .align 4 .u32 launches = 5;
.entry add()
{
  .reg .b32 %r;
  ld.global.u32 %r, [launches];
  add.u32 %r, %r, 1;
  st.global.u32 [launches], %r;
  ret;
}
.entry read(.param .u64 out)
{
  .reg .b32 %r;
  .reg .b64 %o;
  ld.param.u64 %o, [out];
  ld.global.u32 %r, [launches];
  st.global.u32 [%o], %r;
  ret;
}
.entry crash()
{
  .reg .pred %p;
  .reg .b32 %t, %b;
  mov.u32 %t, %tid.y;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %t, %b, 100, %t;
  setp.eq.u32 %p, %t, 103;
  @%p trap;
  ret;
}
.entry reverse(.param .u64 data)
{
  .reg .b32 %t, %s, %r, %a;
  .reg .b64 %d, %at;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %d, [data];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  add.u64 %d, %d, %at;
  ld.global.u32 %r, [%d];
  mov.u32 %s, tile;
  shl.b32 %a, %t, 2;
  add.u32 %a, %a, %s;
  st.shared.u32 [%a], %r;
  bar.sync 0;
  sub.u32 %t, 63, %t;
  shl.b32 %a, %t, 2;
  add.u32 %a, %a, %s;
  ld.shared.u32 %r, [%a];
  st.global.u32 [%d], %r;
  ret;
}
.func helper() { ret; }
"
);

fn cpu() -> Box<dyn Device> {
    Selection::Cpu(TranslatedOptions { cache: None, ..TranslatedOptions::default() }).open().unwrap()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn words(device: &dyn Device, buffer: Buffer, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    device.download(buffer, 0, &mut bytes).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn a_kernel_runs_and_has_a_time() {
    let mut device = cpu();
    let kernel = device.load(KERNELS, "scale").unwrap();
    let values: Vec<f32> = (0..40).map(|value| value as f32).collect();
    let input = device.alloc(160, "in").unwrap();
    let output = device.alloc(160, "out").unwrap();
    device.upload(input, 0, &floats(&values)).unwrap();
    let arguments = [output.into(), input.into(), 0.5_f32.into(), 40_u32.into()];
    let report = device.launch(kernel, &LaunchConfig::linear(2, 32), &arguments).unwrap();

    let mut bytes = vec![0; 160];
    device.download(output, 0, &mut bytes).unwrap();
    assert_eq!(bytes, floats(&values.iter().map(|value| value * 0.5).collect::<Vec<_>>()));
    assert_eq!((report.kernel.as_str(), report.machine), ("scale", None));
    assert_eq!((report.outcome, report.line, report.message), (OutcomeKind::Finished, None, None));
    assert!(report.time.is_some_and(|seconds| seconds > 0.0));
    assert_eq!(report.counts, Counts::default());
    assert_eq!(device.name(), "cpu (splitting)");
}

#[test]
fn threads_of_a_block_meet_at_barriers() {
    for threads in [1, 3] {
        let options = TranslatedOptions { cache: None, threads, ..TranslatedOptions::default() };
        let mut device = Selection::Cpu(options).open().unwrap();
        let kernel = device.load(KERNELS, "reverse").unwrap();
        let data = device.alloc(256, "data").unwrap();
        device.upload(data, 0, &(0..64_u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).unwrap();
        device.launch(kernel, &LaunchConfig::linear(1, 64), &[data.into()]).unwrap();
        assert_eq!(words(device.as_ref(), data, 64), (0..64).rev().collect::<Vec<u32>>());
    }
}

#[test]
fn kernels_of_a_text_share_its_variables_on_one_device() {
    let read = |device: &mut dyn Device, kernel: KernelHandle| {
        let out = device.alloc(4, "out").unwrap();
        device.launch(kernel, &LaunchConfig::linear(1, 1), &[out.into()]).unwrap();
        words(device, out, 1)[0]
    };
    let mut device = cpu();
    let add = device.load(KERNELS, "add").unwrap();
    for _ in 0..3 {
        device.launch(add, &LaunchConfig::linear(1, 1), &[]).unwrap();
    }
    let kernel = device.load(KERNELS, "read").unwrap();
    assert_eq!(read(device.as_mut(), kernel), 8);
    let mut other = cpu();
    let kernel = other.load(KERNELS, "read").unwrap();
    assert_eq!(read(other.as_mut(), kernel), 5);
}

#[test]
fn a_trap_is_a_fault_with_its_line_and_thread() {
    let mut device = cpu();
    let kernel = device.load(KERNELS, "crash").unwrap();
    let config = LaunchConfig { grid: [3, 1, 1], block: [2, 4, 1], ..LaunchConfig::linear(1, 1) };
    let report = device.launch(kernel, &config, &[]).unwrap();
    let line = KERNELS.lines().position(|line| line.contains("trap")).unwrap() + 1;
    assert_eq!((report.outcome, report.time, report.line), (OutcomeKind::Fault, None, None));
    let message = report.message.unwrap();
    let who = format!("PTX line {line}: block (1,0,0) thread (");
    assert!(message.starts_with(&who) && message.ends_with(",3,0) executed `trap`"), "{message}");
    // What is in the buffers can still be read, and other kernels run.
    let data = device.alloc(4, "data").unwrap();
    assert_eq!(words(device.as_ref(), data, 1), [0]);
    assert_eq!(device.launch(kernel, &LaunchConfig::linear(1, 1), &[]).unwrap().outcome, OutcomeKind::Finished);
}

#[test]
fn parts_of_buffers_are_read_and_written() {
    let mut device = cpu();
    let buffer = device.alloc(8, "b").unwrap();
    device.upload(buffer, 3, &[1, 2, 3]).unwrap();
    let mut bytes = [9; 8];
    device.download(buffer, 0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 0, 1, 2, 3, 0, 0]);
    device.download(buffer, 8, &mut []).unwrap();
    let error = device.upload(buffer, 6, &[1, 2, 3]).unwrap_err();
    assert_eq!(error.to_string(), "bytes 6 to 9 are not within the 8 bytes of buffer `b`");
    assert!(device.download(buffer, u64::MAX, &mut bytes).is_err());
    device.free(buffer).unwrap();
    let gone = "this buffer is not one of this device's, or it was freed before; allocate it first";
    assert_eq!(device.free(buffer).unwrap_err().to_string(), gone);
    assert_eq!(device.upload(buffer, 0, &[]).unwrap_err().to_string(), gone);
    let huge = device.alloc(u64::MAX, "huge").unwrap_err().to_string();
    assert!(huge.contains("no memory for the 18446744073709551615 bytes of buffer `huge`"), "{huge}");
}

#[test]
fn buffers_together_take_what_they_may() {
    let options = TranslatedOptions { memory_bytes: Some(1000), ..TranslatedOptions::default() };
    let mut device = Selection::Cpu(options).open().unwrap();
    let first = device.alloc(600, "first").unwrap();
    assert!(matches!(device.alloc(401, "second"), Err(Error::OutOfMemory { .. })));
    device.free(first).unwrap();
    device.alloc(1000, "second").unwrap();
}

#[test]
fn wrong_use_is_named() {
    let mut device = cpu();
    let missing = device.load(KERNELS, "nothing").unwrap_err().to_string();
    assert!(missing.contains("there is no kernel `nothing`"), "{missing}");
    let function = device.load(KERNELS, "helper").unwrap_err().to_string();
    assert!(function.contains("there is no kernel `helper`"), "{function}");
    let kernel = device.load(KERNELS, "scale").unwrap();
    let few = device.launch(kernel, &LaunchConfig::linear(1, 32), &[1_u32.into()]).unwrap_err().to_string();
    assert!(few.contains("has 4 parameters, but 1 arguments are given"), "{few}");
    let wrong: [Argument; 4] = [1_u32.into(), 1_u64.into(), 1_f32.into(), 1_u32.into()];
    let wrong = device.launch(kernel, &LaunchConfig::linear(1, 32), &wrong).unwrap_err().to_string();
    assert!(wrong.contains("parameter 0 (`out`) of kernel `scale` has 8 bytes"), "{wrong}");
    let good: [Argument; 4] = [1_u64.into(), 1_u64.into(), 1_f32.into(), 0_u32.into()];
    let large = device.launch(kernel, &LaunchConfig::linear(1, 1025), &good).unwrap_err().to_string();
    assert!(large.contains("the block has 1025 threads in x; it may have 1 to 1024"), "{large}");
}

#[test]
fn a_compiler_that_is_not_there_is_an_error_of_the_load() {
    let options = TranslatedOptions { cc: Some("/no/such/cc".into()), cache: None, ..TranslatedOptions::default() };
    let mut device = Selection::Cpu(options).open().unwrap();
    let error = device.load(KERNELS, "scale").unwrap_err().to_string();
    assert!(error.contains("there is no C compiler: `/no/such/cc`") && error.contains("apt-get install"), "{error}");
}

#[test]
fn what_is_not_translated_is_named_with_its_line() {
    let ptx =
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n  .reg .b32 %r;\n  unheard.of %r;\n  ret;\n}\n";
    let error = cpu().load(ptx, "k").unwrap_err().to_string();
    assert!(error.contains("PTX line 7: `unheard.of`: ") && error.contains("`--device emulator`"), "{error}");
}
