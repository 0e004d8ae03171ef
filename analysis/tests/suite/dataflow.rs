//! Liveness, reaching definitions and values of random programs, against the data-flow equations solved instruction by
//! instruction with plain sets.
use std::collections::{BTreeMap, BTreeSet};

use crate::random::{Program, Random};
use analysis::{Analyses, Block, Cfg, Definitions, ValueKind};
use ptx_parser::{Inst, Kernel, Reg};

const PROGRAMS: u64 = 1000;

fn each_program(test: impl Fn(&Kernel, &Analyses, &str)) {
    for seed in 0..PROGRAMS {
        let program = Program::random(&mut Random::new(seed));
        let module = program.module();
        let kernel = &module.kernels()[0];
        test(kernel, &Analyses::of(kernel), &format!("seed {seed}\n{}", program.text()));
    }
}

/// A write, or `None` for the state at the entry.
type Write = (Option<Inst>, Reg);

/// The writes that reach the begin of each reachable block, by iteration over whole sets.
fn reaching(kernel: &Kernel, cfg: &Cfg) -> BTreeMap<Block, BTreeSet<Write>> {
    let mut at: BTreeMap<Block, BTreeSet<Write>> = cfg.blocks().map(|block| (block, BTreeSet::new())).collect();
    at.insert(cfg.entry(), kernel.regs().map(|reg| (None, reg)).collect());
    loop {
        let before = at.clone();
        for block in cfg.blocks().filter(|&block| cfg.is_reachable(block)) {
            let mut state = at[&block].clone();
            cfg.insts(block).iter().for_each(|&inst| pass(kernel, inst, &mut state));
            for successor in cfg.succs(block) {
                at.get_mut(&successor.block).unwrap().extend(state.iter().copied());
            }
        }
        if at == before {
            return at;
        }
    }
}

fn pass(kernel: &Kernel, inst: Inst, state: &mut BTreeSet<Write>) {
    for reg in kernel.defs(inst) {
        if kernel.inst(inst).guard.is_none() {
            state.retain(|(_, other)| *other != reg);
        }
        state.insert((Some(inst), reg));
    }
}

fn of(state: &BTreeSet<Write>, reg: Reg) -> Definitions {
    let insts = state.iter().filter(|(_, other)| *other == reg).filter_map(|(inst, _)| *inst).collect();
    Definitions { insts, undefined: state.contains(&(None, reg)) }
}

#[test]
fn reaching_definitions_follow_the_equations() {
    each_program(|kernel, all, text| {
        let expected = reaching(kernel, &all.cfg);
        let found = all.reaching(kernel);
        let mut uses: BTreeMap<(Inst, Reg), BTreeSet<Inst>> = BTreeMap::new();
        for block in all.cfg.blocks().filter(|&block| all.cfg.is_reachable(block)) {
            let mut state = expected[&block].clone();
            for reg in kernel.regs() {
                assert_eq!(
                    found.at_block_entry(block, reg),
                    of(&state, reg),
                    "{block} {}\n{text}",
                    kernel.reg_name(reg)
                );
            }
            for &inst in all.cfg.insts(block) {
                for reg in kernel.uses(inst) {
                    let definitions = of(&state, reg);
                    assert_eq!(found.at_use(inst, reg), definitions, "{inst} {}\n{text}", kernel.reg_name(reg));
                    for from in definitions.insts {
                        uses.entry((from, reg)).or_default().insert(inst);
                    }
                }
                pass(kernel, inst, &mut state);
            }
            for reg in kernel.regs() {
                assert_eq!(
                    found.at_block_exit(block, reg),
                    of(&state, reg),
                    "{block} {}\n{text}",
                    kernel.reg_name(reg)
                );
            }
        }
        for inst in all.cfg.blocks().filter(|&b| all.cfg.is_reachable(b)).flat_map(|block| all.cfg.insts(block)) {
            for reg in kernel.defs(*inst) {
                let expected: Vec<Inst> = uses.remove(&(*inst, reg)).unwrap_or_default().into_iter().collect();
                assert_eq!(found.uses_of(*inst, reg), expected, "{inst} {}\n{text}", kernel.reg_name(reg));
            }
        }
    });
}

#[test]
fn liveness_follows_the_equations() {
    each_program(|kernel, all, text| {
        let cfg = &all.cfg;
        let mut live_in: BTreeMap<Block, BTreeSet<Reg>> = cfg.blocks().map(|block| (block, BTreeSet::new())).collect();
        let after = |live_in: &BTreeMap<Block, BTreeSet<Reg>>, block: Block| -> BTreeSet<Reg> {
            cfg.succs(block).iter().flat_map(|successor| live_in[&successor.block].iter().copied()).collect()
        };
        let step = |inst: Inst, live: &mut BTreeSet<Reg>| {
            if kernel.inst(inst).guard.is_none() {
                live.retain(|reg| !kernel.defs(inst).contains(reg));
            }
            live.extend(kernel.uses(inst));
        };
        loop {
            let before = live_in.clone();
            for block in cfg.blocks() {
                let mut live = after(&live_in, block);
                cfg.insts(block).iter().rev().for_each(|&inst| step(inst, &mut live));
                live_in.insert(block, live);
            }
            if live_in == before {
                break;
            }
        }
        for block in cfg.blocks() {
            let mut live = after(&live_in, block);
            assert!(all.liveness.live_out(block).iter().eq(&live), "{block}\n{text}");
            assert!(all.liveness.live_in(block).iter().eq(&live_in[&block]), "{block}\n{text}");
            for &inst in cfg.insts(block).iter().rev() {
                assert!(all.liveness.live_after(kernel, cfg, inst).iter().eq(&live), "{inst}\n{text}");
                step(inst, &mut live);
                assert!(all.liveness.live_before(kernel, cfg, inst).iter().eq(&live), "{inst}\n{text}");
            }
        }
    });
}

#[test]
fn values_are_in_single_assignment_form() {
    each_program(|kernel, all, text| {
        let (cfg, values) = (&all.cfg, &all.values);
        for block in cfg.blocks().filter(|&block| cfg.is_reachable(block)) {
            let preds: Vec<Block> = cfg.preds(block).iter().copied().filter(|&pred| cfg.is_reachable(pred)).collect();
            for &phi in values.phis(block) {
                let from: Vec<Block> = values.phi_inputs(phi).iter().map(|(pred, _)| *pred).collect();
                assert_eq!(from, preds, "one input per predecessor\n{text}");
                for &(pred, input) in values.phi_inputs(phi) {
                    assert_eq!(values.reg(input), values.reg(phi), "{text}");
                    assert!(all.dominators.dominates(values.block(input), pred), "{text}");
                }
                assert!(all.liveness.is_live_in(block, values.reg(phi)), "a phi that nobody reads\n{text}");
            }
            for &inst in cfg.insts(block) {
                for &(reg, value) in values.uses(inst) {
                    assert_eq!(values.reg(value), reg, "{text}");
                    assert!(all.dominators.dominates(values.block(value), block), "{inst} {value}\n{text}");
                }
            }
        }
        for value in values.iter() {
            let guarded = |inst: Inst| kernel.inst(inst).guard.is_some();
            let expected = matches!(values.kind(value), ValueKind::Def(inst, _) if guarded(inst));
            assert_eq!(values.old(value).is_some(), expected, "{text}");
        }
    });
}
