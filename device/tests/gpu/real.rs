//! The GPU of this machine against the emulator. Ignored where there is none: `cargo test -p device -- --ignored`.

use device::{Device, Gpu, GpuOptions, LaunchConfig, OutcomeKind, Selection};

use crate::fake_driver::alone;

/// Every thread walks the Collatz sequence of its number, so that lanes of a warp leave the loop one by one; then each block adds the
/// lengths up in shared memory, a part of which is dynamic, and to one sum for all.
const COLLATZ: &str = "\
.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 4 .b8 lengths[];
.visible .entry collatz(.param .u64 out, .param .u64 sum, .param .u32 count)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [sum];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  add.u32 %r6, %r5, 1;
  mov.u32 %r7, 0;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra STORE;
LOOP:
  setp.le.u32 %p2, %r6, 1;
  @%p2 bra DONE;
  and.b32 %r8, %r6, 1;
  setp.eq.u32 %p3, %r8, 0;
  shr.u32 %r9, %r6, 1;
  mad.lo.u32 %r10, %r6, 3, 1;
  selp.b32 %r6, %r9, %r10, %p3;
  add.u32 %r7, %r7, 1;
  bra LOOP;
DONE:
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r7;
STORE:
  mov.u32 %r11, lengths;
  shl.b32 %r12, %r4, 2;
  add.u32 %r13, %r11, %r12;
  st.shared.u32 [%r13], %r7;
  bar.sync 0;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra END;
  mov.u32 %r14, 0;
ADD:
  ld.shared.u32 %r15, [%r11];
  add.u32 %r14, %r14, %r15;
  add.u32 %r11, %r11, 4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r3;
  @%p1 bra ADD;
  red.global.add.u32 [%rd2], %r14;
END:
  ret;
}
.visible .entry wrong(.param .u64 out)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1+1099511627776], 1;
  ret;
}
";

/// The same with a mistake in its line 18.
fn with_unknown_name() -> String {
    COLLATZ.replace("mov.u32 %r7, 0;", "mov.u32 %r7, nowhere;")
}

/// What the kernel leaves in its buffers.
fn collatz(device: &mut dyn Device) -> Vec<u8> {
    const COUNT: u32 = 10_000;
    let kernel = device.load(COLLATZ, "collatz").unwrap();
    let (out, sum) = (device.alloc(u64::from(COUNT) * 4, "out").unwrap(), device.alloc(4, "sum").unwrap());
    // 96 threads, and shared memory that a kernel has to ask for.
    let config = LaunchConfig {
        grid: [COUNT.div_ceil(96), 1, 1],
        block: [96, 1, 1],
        dynamic_shared: 60_000,
        opt_in_shared: true,
        cooperative: false,
    };
    let report = device.launch(kernel, &config, &[out.into(), sum.into(), COUNT.into()]).unwrap();
    assert_eq!(report.outcome, OutcomeKind::Finished, "{report:?}");
    let mut bytes = vec![0; COUNT as usize * 4 + 4];
    let (lengths, total) = bytes.split_at_mut(COUNT as usize * 4);
    device.download(out, 0, lengths).unwrap();
    device.download(sum, 0, total).unwrap();
    bytes
}

#[test]
fn the_emulator_runs_the_kernel_that_the_gpu_is_compared_with() {
    let bytes = collatz(Selection::default().open().unwrap().as_mut());
    let words: Vec<u32> = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let (sum, lengths) = words.split_last().unwrap();
    assert_eq!((lengths[0], lengths[26], lengths.iter().sum::<u32>()), (0, 111, *sum));
    // The driver is to find what is wrong with this, not the parser before it.
    assert!(ptx_parser::Module::parse(&with_unknown_name()).is_ok());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_gpu_leaves_the_memory_that_the_emulator_leaves() {
    let expected = collatz(Selection::default().open().unwrap().as_mut());
    let mut gpu = Gpu::open(&GpuOptions::default()).unwrap();
    assert!(collatz(&mut gpu) == expected, "{}", gpu.name());
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_fault_of_the_gpu_is_an_outcome() {
    // After it, nothing in the process can use the GPU.
    alone(|| {
        let mut gpu = Gpu::open(&GpuOptions::default()).unwrap();
        let wrong = gpu.load(COLLATZ, "wrong").unwrap();
        let out = gpu.alloc(4, "out").unwrap();
        let report = gpu.launch(wrong, &LaunchConfig::linear(1, 1), &[out.into()]).unwrap();
        assert_eq!((report.outcome, report.time), (OutcomeKind::Fault, None), "{report:?}");
        let error = gpu.download(out, 0, &mut [0; 4]).unwrap_err().to_string();
        assert!(error.contains("cannot be used any more"), "{error}");
    });
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn the_gpu_describes_itself_and_takes_times() {
    let mut gpu = Gpu::open(&GpuOptions::default()).unwrap();
    let kernel = gpu.load(COLLATZ, "collatz").unwrap();
    let properties = gpu.kernel_properties(kernel).unwrap();
    println!("{:?}\n{properties:?}", gpu.properties());
    assert!(properties.registers > 0 && properties.threads_per_block > 0 && gpu.properties().multiprocessors > 0);
    let config = LaunchConfig { dynamic_shared: 1024, ..LaunchConfig::linear(400, 256) };
    let occupancy = gpu.occupancy(kernel, &config).unwrap();
    assert!(occupancy.blocks > 0 && occupancy.share() <= 1.0, "{occupancy:?}");
    let (out, sum) = (gpu.alloc(400_000, "out").unwrap(), gpu.alloc(4, "sum").unwrap());
    let times = gpu.time(kernel, &config, &[out.into(), sum.into(), 100_000_u32.into()], 3, 20).unwrap();
    println!("{times:?}");
    assert!(times.len() == 20 && times.iter().all(|&seconds| seconds > 0.0 && seconds < 1.0), "{times:?}");
    let error = gpu.load(&with_unknown_name(), "collatz").unwrap_err();
    assert!(error.to_string().contains("PTX line 18: "), "{error}");
}
