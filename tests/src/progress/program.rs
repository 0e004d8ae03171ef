//! Programs of a few steps, and all of a shape in a fixed order.

/// The action of a step on its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Reads it.
    Load,
    /// Writes it.
    Store(u32),
    /// Writes it and gives what it was.
    Exchange(u32),
    /// Writes the second number if it is the first one, and gives what it was.
    CompareExchange(u32, u32),
}

/// A branch on what a step read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// It is taken if this was read.
    pub equals: u32,
    /// The step that it leads to; the number of steps for the end.
    pub target: usize,
}

/// A step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The word that it is about.
    pub word: u32,
    /// The action on it.
    pub action: Action,
    /// The branch after the action; `None` if it goes to the next step.
    pub branch: Option<Branch>,
}

/// The steps of a thread.
pub type Thread = Vec<Step>;

/// A program of one warp. All words are 0 at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The threads; lanes that run the same one share its code.
    pub threads: Vec<Thread>,
    /// The thread of each lane.
    pub lanes: Vec<usize>,
}

/// A set of programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The steps of each thread.
    pub steps: Vec<usize>,
    /// The thread of each lane.
    pub lanes: Vec<usize>,
    /// The number of words.
    pub words: u32,
    /// True if steps store and compare as well; else they load and exchange.
    pub all_actions: bool,
}

impl Shape {
    /// Programs of one thread per lane, which load and exchange one word.
    #[must_use]
    pub fn new(steps: &[usize]) -> Shape {
        Shape { steps: steps.to_vec(), lanes: (0..steps.len()).collect(), words: 1, all_actions: false }
    }

    /// The steps that a thread may have at a place.
    fn choices(&self, at: usize, steps: usize) -> Vec<Step> {
        let mut actions = vec![Action::Load, Action::Exchange(0), Action::Exchange(1)];
        if self.all_actions {
            let more =
                [Action::Store(0), Action::Store(1), Action::CompareExchange(0, 1), Action::CompareExchange(1, 0)];
            actions.extend(more);
        }
        let mut choices = Vec::new();
        for word in 0..self.words {
            for &action in &actions {
                // A load that nobody asks for and an exchange that stores change nothing that others do not.
                let reads = !matches!(action, Action::Store(_));
                let plain = match action {
                    Action::Load => false,
                    Action::Exchange(_) => !self.all_actions,
                    Action::Store(_) | Action::CompareExchange(..) => true,
                };
                choices.extend(plain.then_some(Step { word, action, branch: None }));
                let targets = (0..=steps).filter(|&target| reads && target != at + 1);
                let branches = targets.flat_map(|target| [0, 1].map(|equals| Branch { equals, target }));
                choices.extend(branches.map(|branch| Step { word, action, branch: Some(branch) }));
            }
        }
        choices
    }
}

/// All programs of a shape, in a fixed order.
pub fn programs(shape: &Shape) -> impl Iterator<Item = Program> + '_ {
    let digits: Vec<Vec<Step>> =
        shape.steps.iter().flat_map(|&steps| (0..steps).map(move |at| shape.choices(at, steps))).collect();
    let count: u64 = digits.iter().map(|digit| digit.len() as u64).product();
    (0..count).map(move |number| {
        let mut rest = number;
        let mut steps = digits.iter().map(|digit| {
            let step = digit[(rest % digit.len() as u64) as usize];
            rest /= digit.len() as u64;
            step
        });
        let threads = shape.steps.iter().map(|&length| steps.by_ref().take(length).collect()).collect();
        Program { threads, lanes: shape.lanes.clone() }
    })
}
