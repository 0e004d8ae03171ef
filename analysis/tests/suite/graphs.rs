//! Dominators, postdominators and loops of random graphs, against what their definitions say.
use std::collections::BTreeSet;

use crate::random::{Program, Random};
use analysis::{Block, Cfg, Dominators, Loops, PostDominators};
use ptx_parser::Module;

const PROGRAMS: u64 = 1500;

/// A graph over blocks as plain sets; `None` is the virtual exit.
struct Graph {
    edges: BTreeSet<(Block, Option<Block>)>,
}

impl Graph {
    fn of(cfg: &Cfg, endless: impl Fn(Block) -> bool) -> Graph {
        let mut edges = BTreeSet::new();
        for block in cfg.blocks() {
            edges.extend(cfg.succs(block).iter().map(|successor| (block, Some(successor.block))));
            if cfg.exits(block) || endless(block) {
                edges.insert((block, None));
            }
        }
        Graph { edges }
    }

    /// What a walk from `start` meets that does not pass through `without`.
    fn reach(&self, start: Block, without: Option<Block>) -> BTreeSet<Option<Block>> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![Some(start)];
        while let Some(at) = stack.pop() {
            if (without.is_some() && at == without) || !seen.insert(at) {
                continue;
            }
            stack.extend(self.edges.iter().filter(|(from, _)| Some(*from) == at).map(|(_, to)| *to));
        }
        seen
    }
}

fn each_program(test: impl Fn(&Cfg, &str)) {
    for seed in 0..PROGRAMS {
        let program = Program::random(&mut Random::new(seed));
        let module = program.module();
        test(&Cfg::of(&module.kernels()[0]), &format!("seed {seed}\n{}", program.text()));
    }
}

#[test]
fn reachable_blocks_come_in_reverse_postorder() {
    each_program(|cfg, text| {
        let reachable = Graph::of(cfg, |_| false).reach(cfg.entry(), None);
        let order: BTreeSet<_> = cfg.reverse_postorder().iter().map(|&block| Some(block)).collect();
        assert_eq!(order, reachable.into_iter().filter(Option::is_some).collect(), "{text}");
        assert_eq!(cfg.reverse_postorder().first(), Some(&cfg.entry()), "{text}");
        // Every statement and instruction is in the block that says so.
        for block in cfg.blocks() {
            assert!(cfg.stmts(block).all(|stmt| cfg.block_of_stmt(stmt) == Some(block)), "{text}");
            assert!(cfg.insts(block).iter().all(|&inst| cfg.block_of(inst) == Some(block)), "{text}");
            let is_pred = |pred: Block| cfg.succs(pred).iter().any(|successor| successor.block == block);
            assert_eq!(cfg.preds(block), cfg.blocks().filter(|&pred| is_pred(pred)).collect::<Vec<_>>(), "{text}");
        }
        assert!(cfg.preds(cfg.entry()).is_empty(), "{text}");
    });
}

#[test]
fn a_dominator_cuts_its_blocks_off_the_entry() {
    each_program(|cfg, text| {
        let (graph, dominators) = (Graph::of(cfg, |_| false), Dominators::of(cfg));
        let reachable = graph.reach(cfg.entry(), None);
        for a in cfg.blocks() {
            let without = graph.reach(cfg.entry(), Some(a));
            for b in cfg.blocks() {
                let both = reachable.contains(&Some(a)) && reachable.contains(&Some(b));
                assert_eq!(dominators.dominates(a, b), both && !without.contains(&Some(b)), "{a} over {b}\n{text}");
            }
        }
        for b in cfg.blocks() {
            let strict: Vec<Block> = cfg.blocks().filter(|&a| a != b && dominators.dominates(a, b)).collect();
            let nearest = strict.iter().copied().find(|&a| strict.iter().all(|&other| dominators.dominates(other, a)));
            assert_eq!(dominators.idom(b), nearest, "{b}\n{text}");
            for a in cfg.blocks() {
                let above = |block: Block| dominators.dominates(block, a) && dominators.dominates(block, b);
                let deepest = cfg
                    .blocks()
                    .filter(|&c| above(c))
                    .find(|&c| cfg.blocks().filter(|&other| above(other)).all(|other| dominators.dominates(other, c)));
                assert_eq!(dominators.common(a, b), deepest, "{a} and {b}\n{text}");
            }
        }
    });
}

#[test]
fn a_postdominator_cuts_its_blocks_off_the_exit() {
    each_program(|cfg, text| {
        let postdominators = PostDominators::of(cfg);
        let real = Graph::of(cfg, |_| false);
        let graph = Graph::of(cfg, |block| postdominators.is_endless_latch(block));
        for block in cfg.blocks() {
            let endless = !real.reach(block, None).contains(&None);
            assert!(endless || !postdominators.is_endless_latch(block), "{block} can leave\n{text}");
            assert!(graph.reach(block, None).contains(&None), "{block} has no way to the exit\n{text}");
        }
        for a in cfg.blocks() {
            for b in cfg.blocks() {
                let expected = a == b || !graph.reach(b, Some(a)).contains(&None);
                assert_eq!(postdominators.postdominates(a, b), expected, "{a} over {b}\n{text}");
            }
        }
        for b in cfg.blocks() {
            let strict: Vec<Block> = cfg.blocks().filter(|&a| a != b && postdominators.postdominates(a, b)).collect();
            let nearest = |&a: &Block| strict.iter().all(|&other| postdominators.postdominates(other, a));
            assert_eq!(postdominators.ipdom(b), strict.iter().copied().find(nearest), "{b}\n{text}");
            assert!(postdominators.children(postdominators.ipdom(b)).contains(&b), "{b}\n{text}");
        }
    });
}

#[test]
fn a_loop_is_what_reaches_its_latches_without_the_header() {
    each_program(|cfg, text| {
        let dominators = Dominators::of(cfg);
        let loops = Loops::of(cfg, &dominators);
        let graph = Graph::of(cfg, |_| false);
        let is_back = |from: Block, to: Block| dominators.dominates(to, from);
        let headers = cfg.blocks().filter(|&header| cfg.preds(header).iter().any(|&pred| is_back(pred, header)));
        assert_eq!(loops.iter().map(|id| loops.header(id)).collect::<BTreeSet<_>>(), headers.collect(), "{text}");
        for id in loops.iter() {
            let header = loops.header(id);
            let latches: Vec<Block> = cfg.preds(header).iter().copied().filter(|&pred| is_back(pred, header)).collect();
            assert_eq!(loops.latches(id), latches, "{text}");
            let reaches_latch = |&block: &Block| {
                let reach = graph.reach(block, Some(header));
                block == header
                    || (cfg.is_reachable(block) && latches.iter().any(|&latch| reach.contains(&Some(latch))))
            };
            let blocks: Vec<Block> = cfg.blocks().filter(reaches_latch).collect();
            assert_eq!(loops.blocks(id), blocks, "{id}\n{text}");
            let around = |other: &analysis::Loop| *other != id && loops.contains(*other, header);
            let parent = loops.iter().filter(around).max_by_key(|&other| loops.depth(other));
            assert_eq!(loops.parent(id), parent, "{id}\n{text}");
            assert_eq!(loops.depth(id) as usize, 1 + loops.iter().filter(around).count(), "{id}\n{text}");
            let leaving =
                blocks.iter().flat_map(|&from| cfg.distinct_succs(from).into_iter().map(move |to| (from, to)));
            let leaving: BTreeSet<_> = leaving.filter(|(_, to)| !blocks.contains(to)).collect();
            assert_eq!(
                loops.exits(id).iter().map(|edge| (edge.from, edge.to)).collect::<BTreeSet<_>>(),
                leaving,
                "{text}"
            );
        }
        for block in cfg.blocks() {
            let innermost = loops.iter().filter(|&id| loops.contains(id, block)).max_by_key(|&id| loops.depth(id));
            assert_eq!(loops.innermost(block), innermost, "{block}\n{text}");
        }
    });
}

#[test]
fn an_irreducible_cycle_goes_round_without_back_edges() {
    let mut found = 0;
    for seed in 0..PROGRAMS {
        let program = Program::random(&mut Random::new(seed));
        let module = program.module();
        let cfg = Cfg::of(&module.kernels()[0]);
        let dominators = Dominators::of(&cfg);
        let loops = Loops::of(&cfg, &dominators);
        let mut graph = Graph::of(&cfg, |_| false);
        graph
            .edges
            .retain(|(from, to)| to.is_some_and(|to| cfg.is_reachable(*from) && !dominators.dominates(to, *from)));
        let follows = |a: Block, b: Block| graph.reach(a, None).contains(&Some(b));
        for block in cfg.blocks() {
            let cycles = cfg
                .distinct_succs(block)
                .into_iter()
                .any(|next| graph.edges.contains(&(block, Some(next))) && follows(next, block));
            assert_eq!(loops.is_irreducible(block), cycles, "{block}, seed {seed}\n{}", program.text());
        }
        for cycle in loops.irreducible() {
            found += 1;
            assert!(cycle.entries.len() > 1, "seed {seed}\n{}", program.text());
            assert!(cycle.blocks.iter().all(|&a| cycle.blocks.iter().all(|&b| follows(a, b))), "seed {seed}");
        }
    }
    assert!(found > 50, "only {found} irreducible cycles among the random graphs");
}

#[test]
fn paths_that_trap_lead_to_no_exit_where_others_do() {
    let tree = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n{body}\n}}\n"
        );
        let module = Module::parse(&text).unwrap();
        let kernel = &module.kernels()[0];
        let cfg = Cfg::of(kernel);
        [PostDominators::of(&cfg), PostDominators::beside_traps(kernel, &cfg)].map(|tree| {
            let text = tree.describe(kernel, &cfg);
            text.strip_prefix("entry postdominated by A\n").unwrap_or(&text).to_owned()
        })
    };
    let [with, beside] = tree("A: @%p1 bra C;\nB: trap;\nC: ret;");
    assert_eq!(with, "A postdominated by exit\nB postdominated by exit\nC postdominated by exit\n");
    assert_eq!(beside, "A postdominated by C\nB postdominated by exit\nC postdominated by exit\n");
    let [with, beside] = tree("A: mov.u32 %r1, 1;\n@%p1 trap;\nC: ret;");
    assert_eq!(
        (with.lines().next(), beside.lines().next()),
        (Some("A postdominated by exit"), Some("A postdominated by C"))
    );
    // Where every path traps, the ways there still have an order.
    let [with, beside] = tree("A: @%p1 bra C;\nB: mov.u32 %r1, 1;\nC: trap;");
    assert_eq!(with, beside);
    assert!(beside.starts_with("A postdominated by C\nB postdominated by C\n"), "{beside}");
    // A loop that is left by a trap alone.
    let [with, beside] = tree("A: @%p1 bra C;\nB: @%p2 bra A;\nbra A;\nC: trap;");
    assert_eq!(with, beside);
}
