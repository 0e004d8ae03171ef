//! Texts that tell the user what to do about a refusal.

use super::Refusal;

impl Refusal {
    /// Returns what the user can do.
    #[must_use]
    pub fn help(&self) -> &'static str {
        use Refusal::*;
        match self {
            Unrolled => "mark a loop whose length the compiler does not know",
            NoLoop => "put `#CCC for` above the loop whose iterations are independent",
            InnerLoop { .. } => {
                "mark the innermost loop around the path with `#CCC for`, or collect that loop itself with `#CCC while`"
            }
            AlwaysTaken => {
                "there is nothing to collect, or the compiler has joined the branch with an earlier one of the same condition; remove the directive, check that the condition can be false, or put both under one `if`"
            }
            Dependent { .. } => "move what depends on the path into it, or into a loop of its own behind this one",
            Waits { .. } => "let the path do what the loop waits for before the iteration ends: leave it unmarked",
            SameObject { .. } => {
                "say that they never do with `independent` behind the directive, or move what depends on the path into it"
            }
            Assumed { .. } => {
                "say that they never do with `independent` behind the directive, or with `__restrict__` pointers; without `--strict` it is assumed"
            }
            Carried { .. } => {
                "give each iteration memory of its own, or keep in a variable what one iteration needs; for sums there are atomics and `reduce`"
            }
            Again { .. } => {
                "read what the path needs into variables in front of it; or say with `independent` behind the directive that iterations never meet there, \
                 nor the path and what follows it in its iteration"
            }
            SecondEntry { .. } => {
                "let the path be one block with one way in: no `||` whose sides jump into it, no `continue` past code behind it"
            }
            Leaves { .. } => "let the path end where the `if` ends; test the condition for leaving after the `if`",
            LeavesInStep { .. } => {
                "let every way out of the inner loop end its task; test behind the task whether the marked loop is to be left"
            }
            Endless { .. } => {
                "let it end; where it does, and the compiler has unrolled it, `#pragma unroll 1` above it; one that only some lanes of the path reach, that no other code shares and that accesses no memory is no obstacle"
            }
            CallOutside { .. } => {
                "let the function be inlined (`__forceinline__`), move the call out of the marked loop, or let all lanes run the same iterations"
            }
            LiveOut { .. } => {
                "move the use into the marked path, or write the value to memory there, to a `volatile` place if the compiler then keeps it in a register all the \
                 same; a sum that is read behind the loop only may be named with `#CCC for reduce(+:x)`"
            }
            NoReduction { .. } => {
                "update it by the operator alone, as in `x += e`, wherever the loop does, and read it behind the loop only; the smaller and the larger of two floats \
                 are `fminf` and `fmaxf`, since a comparison gives something else for NaN; keep in an `int` what has 8 or 16 bits"
            }
            Convergent { .. } => "move the barrier, vote or shuffle out of the marked path",
            Asynchronous { .. } => "copy by loads and stores in the marked path, or copy and wait outside of it",
            CallByPointer { .. } => {
                "call the function by its name and let it be inlined; where there are several, choose by a `switch`"
            }
            DebugInformation => "compile without `-G`; `-lineinfo` keeps the lines of the source",
            Unoptimised { .. } => "compile without `-Xcicc -O0`",
            ConvergentLoop { .. } => "move it out of the marked loop, or let all lanes run the same iterations",
            Local { alone: true, .. } => {
                "keep the values in registers: constant indices, unrolled loops, single variables; or put the array into global memory, a part for each iteration; \
                 `printf` takes its arguments from local memory, and `sinf`, `cosf` and `tanf` have a table for large ones, which `__sinf` and `--use_fast_math` do without"
            }
            Local { .. } => {
                "keep the values in registers: constant indices, smaller arrays, no address of a local variable, `const __grid_constant__` before a parameter that is a structure; `printf` takes its arguments from there, and `sinf`, `cosf` and `tanf` have a table for large ones, which `__sinf` and `--use_fast_math` do without"
            }
            EscapedLocal { .. } => {
                "do not store the address of a local variable, nor pass it to a function that is not inlined; or let the path use pointers to global \
                 memory that are parameters of the kernel"
            }
            Call { .. } => {
                "let the function be inlined (`__forceinline__`); those of CUDA's headers are, without `-Xcicc -O0` and `-Xcicc -O1`"
            }
            Unknown { .. } => "move it out of the marked path",
            ThreadState { .. } => "move it out of the marked path",
            DivergentLoop { .. } => {
                "let all lanes of a warp run the loops around it, and those between an `if` and it, equally often"
            }
            Function { .. } => "let the function be inlined (`__forceinline__`), or mark a loop in the kernel",
            ControlFlow { .. } => "write the loop without it",
            ContextType { .. } => "use scalar registers",
            SharedMemory { .. } => {
                "say the largest block size with `--block N`, or with `block(N)` behind `#CCC for` or `#CCC grid`, or use a smaller one, or less shared memory"
            }
            Occupancy { .. } => "give it a stack nevertheless with `--lower-occupancy`, or use smaller blocks",
            Most { .. } => "raise `--most`",
            NotWorth { .. } => "leave it as it is, or collect it nevertheless with `--all`",
            Target { .. } => "compile for sm_70 or newer",
            Version { .. } => "compile for sm_70 or newer with CUDA 9 or newer",
            Nested { .. } => {
                "put braces around the loop that is run in steps, so that its task ends before the path; or mark one of the two"
            }
            InTask { .. } | SharedRest { .. } => {
                "mark one of the two, or let what follows both read nothing that they write, or do that in a loop of its own"
            }
            NoSteps => "remove the directive: the loop runs once, or not at all",
            Recursion => {
                "let the function call itself once, as the last thing that it does, and let it be inlined; or write the recursion as a loop, with `#CCC while`"
            }
            AlreadyRewritten => "rewrite the PTX that the compiler made, with all `#CCC if` of the loop at once",
            Grid { .. } | GridRegister { .. } => {
                "write the loop over items yourself, with `#CCC for`, or leave `#CCC grid` out"
            }
            Internal { .. } => "this is a defect of pxrw: please report it with the PTX",
        }
    }
}
