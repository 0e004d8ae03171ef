//! The part of a file that the parser keeps: functions, loops, conditions and labels, nested as in the source.
//!
//! Everything else (blocks, other statements, expressions) matters only for where these begin and end.

/// Index of a [`Node`] in its [`Tree`].
pub(crate) type NodeId = usize;

/// One function, statement or label; `first` and `last` are token indices, both inclusive.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) parent: Option<NodeId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A function body or a lambda body, from `{` to `}`. `name` is the token of its name; `constant` says that the compiler may evaluate it. Of a
    /// kernel, `parameters` is the parenthesis that begins their list.
    Function { device: bool, constant: bool, name: Option<usize>, parameters: Option<usize> },
    /// `open` is the parenthesis of the loop's header.
    For { open: usize },
    /// `open` is the parenthesis of the loop's header.
    While { open: usize },
    /// `behind` is the token behind the body.
    Do { behind: usize },
    /// `then` are the first and the last token of the branch that is taken when the condition holds.
    If { then: (usize, usize) },
    /// The label of a case in a `switch`, and the statements that belong to it.
    Case { body: CaseBody },
    /// A label that a `goto` can name.
    Label,
}

impl NodeKind {
    /// A lambda, which the compiler may evaluate although nothing says so (C++17).
    pub(crate) fn lambda(device: bool) -> NodeKind {
        NodeKind::Function { device, constant: true, name: None, parameters: None }
    }
}

/// The statements of a case: up to its `break`, the next label or the end of the `switch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CaseBody {
    /// The first and the last token, unless there is no statement.
    pub(crate) tokens: Option<(usize, usize)>,
    /// True if braces may stand around them: nothing that they declare can be meant by another case.
    pub(crate) closed: bool,
}

/// The nodes in source order, each before those inside it.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// Stands for the node of an id that is none of the tree's: marks nothing, and is in nothing.
static NOWHERE: Node = Node { kind: NodeKind::Label, first: 0, last: 0, parent: None };

impl Tree {
    /// Adds a node behind all others.
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Says what a node is, once that is known.
    pub(crate) fn set_kind(&mut self, id: NodeId, kind: NodeKind) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.kind = kind;
        }
    }

    /// Ends a node before token `next`.
    pub(crate) fn close(&mut self, id: NodeId, next: usize) {
        if let Some(node) = self.nodes.get_mut(id) {
            node.last = next.saturating_sub(1).max(node.first);
        }
    }

    /// Returns all nodes, each at the index that is its id.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns a node, or one that marks nothing.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id).unwrap_or(&NOWHERE)
    }

    pub(crate) fn kind(&self, id: NodeId) -> &NodeKind {
        &self.node(id).kind
    }

    /// The innermost node that the gap before token `at` lies in.
    pub(crate) fn innermost(&self, at: usize) -> Option<NodeId> {
        let mut id = self.nodes.partition_point(|node| node.first < at).checked_sub(1);
        while let Some(node) = id {
            let node = self.node(node);
            if node.last >= at {
                break;
            }
            id = node.parent;
        }
        id
    }

    /// The loop, condition or case whose keyword is token `at`.
    pub(crate) fn statement(&self, at: usize) -> Option<NodeId> {
        let from = self.nodes.partition_point(|node| node.first < at);
        let here = |node: &&Node| node.first == at;
        let wanted = |node: &Node| !matches!(node.kind, NodeKind::Function { .. } | NodeKind::Label);
        let offset = self.nodes.iter().skip(from).take_while(here).position(wanted)?;
        Some(from + offset)
    }

    /// `id` and the nodes around it, from the inside out.
    pub(crate) fn around(&self, id: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(id, |&id| self.node(id).parent)
    }

    /// The function that `id` lies in (or is).
    pub(crate) fn function(&self, id: Option<NodeId>) -> Option<NodeId> {
        self.around(id).find(|&id| matches!(self.kind(id), NodeKind::Function { .. }))
    }
}
