//! Lists the declarations of a module and their references.

use std::borrow::Cow;

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::{Kernel, KernelKind};
use crate::module::{Item, ItemKind, Module};
use crate::operand::Operand;
use crate::print::tokens::{self, Kind, Token};
use crate::stmt::StmtKind;
use crate::syntax::lexical::{cut, past};
use crate::table::Mnemonic;
use crate::variable::Variable;

/// The words that say who else can see a name.
const LINKAGES: [&str; 4] = [".visible", ".extern", ".weak", ".common"];

/// An item of a module. The ids are in textual order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ItemId(u32);
entity_impl!(ItemId, "item");

/// An item of a module, as far as splicing has to know it.
pub(super) enum Content<'m> {
    Function(&'m Kernel),
    Variables(Declaration<'m>),
    Alias {
        name: &'m str,
        target: &'m str,
    },
    /// A `.file` with the tokens behind its index.
    File {
        index: u32,
        rest: String,
    },
    /// A section of a name, `.debug_str`.
    Section(&'m str),
    /// A `.pragma` of the whole module.
    Pragma(String),
    Other,
}

/// A declaration of one or more variables.
pub(super) struct Declaration<'m> {
    pub(super) variables: Vec<Variable>,
    /// `.visible`, `.extern`, `.weak`, `.common`, or nothing for a variable that only this module sees.
    pub(super) linkage: &'m str,
    /// The tokens before the first name, without linkage and alignment.
    pub(super) shape: String,
    /// The tokens from the first name on, if the representation does not hold the initial value: of textures, samplers and surfaces.
    pub(super) properties: Option<String>,
}

impl Declaration<'_> {
    /// Returns whether other modules see the variables.
    pub(super) fn is_external(&self) -> bool {
        !self.linkage.is_empty()
    }
}

/// The definition of a name, or its declaration where the module has no definition.
#[derive(Clone, Copy)]
pub(super) enum Definition<'i, 'm> {
    Function(&'m Kernel),
    Variable(&'i Declaration<'m>, &'i Variable),
}

/// The items of a module, by the names that they declare.
pub(super) struct Inventory<'m> {
    pub(super) module: &'m Module,
    pub(super) module_items: PrimaryMap<ItemId, &'m Item>,
    pub(super) contents: PrimaryMap<ItemId, Content<'m>>,
    /// The items that declare or define a name, in textual order.
    declared: FxHashMap<Box<str>, Vec<ItemId>>,
    /// The functions whose address is somewhere.
    addressed: FxHashSet<Box<str>>,
}

impl<'m> Inventory<'m> {
    pub(super) fn of(module: &'m Module) -> Inventory<'m> {
        let module_items: PrimaryMap<ItemId, &Item> = module.items.iter().collect();
        let contents: PrimaryMap<ItemId, Content<'m>> = module.items.iter().map(|item| content(module, item)).collect();
        let mut declared: FxHashMap<Box<str>, Vec<ItemId>> = FxHashMap::default();
        for (item, content) in &contents {
            for name in names(content) {
                let items = declared.entry(name.into()).or_default();
                if items.last() != Some(&item) {
                    items.push(item);
                }
            }
        }
        let addressed = addressed(contents.values());
        Inventory { module, module_items, contents, declared, addressed }
    }

    /// Returns whether the optimiser had to keep the parameters of a function, because it does not see all callers: other modules see the function,
    /// or its address is somewhere.
    pub(super) fn has_fixed_parameters(&self, name: &str) -> bool {
        let Some(kernel) = self.function(name) else { return false };
        kernel.kind() == KernelKind::Entry || !signature(kernel).0.is_empty() || self.addressed.contains(name)
    }

    /// The declarations that refer to each name.
    pub(super) fn users(&self) -> FxHashMap<Box<str>, Vec<&str>> {
        let mut users: FxHashMap<Box<str>, Vec<&str>> = FxHashMap::default();
        for name in self.names() {
            for mentioned in self.references(name) {
                users.entry(mentioned).or_default().push(name);
            }
        }
        users.values_mut().for_each(|list| list.sort_unstable());
        users
    }

    /// The items that declare, define or alias a name.
    pub(super) fn items(&self, name: &str) -> &[ItemId] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.declared.contains_key(name)
    }

    /// The names that the module declares.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.declared.keys().map(|name| &**name)
    }

    /// The names that an item declares.
    pub(super) fn names_of(&self, item: ItemId) -> Vec<&str> {
        names(&self.contents[item])
    }

    /// The definition of a name; if there is none, its first declaration.
    pub(super) fn definition(&self, name: &str) -> Option<Definition<'_, 'm>> {
        let all = || self.items(name).iter().filter_map(|&item| self.defined_by(item, name));
        let defines = |definition: &Definition<'_, '_>| match definition {
            Definition::Function(kernel) => kernel.has_body(),
            Definition::Variable(_, variable) => !variable.external,
        };
        all().find(defines).or_else(|| all().next())
    }

    fn defined_by(&self, item: ItemId, name: &str) -> Option<Definition<'_, 'm>> {
        match &self.contents[item] {
            Content::Function(kernel) => Some(Definition::Function(kernel)),
            Content::Variables(declaration) => {
                let variable = declaration.variables.iter().find(|variable| &*variable.name == name)?;
                Some(Definition::Variable(declaration, variable))
            }
            _ => None,
        }
    }

    /// The kernel or function of a name, if that is what the name stands for.
    pub(super) fn function(&self, name: &str) -> Option<&'m Kernel> {
        match self.definition(name)? {
            Definition::Function(kernel) => Some(kernel),
            Definition::Variable(..) => None,
        }
    }

    /// The function that a name is an alias of.
    pub(super) fn alias(&self, name: &str) -> Option<&'m str> {
        self.items(name).iter().find_map(|&item| match self.contents[item] {
            Content::Alias { target, .. } => Some(target),
            _ => None,
        })
    }

    /// The item that holds the body of a kernel or function.
    pub(super) fn body(&self, name: &str) -> Option<ItemId> {
        let has_body = |&item: &ItemId| matches!(self.contents[item], Content::Function(kernel) if kernel.has_body());
        self.items(name).iter().copied().find(has_body)
    }

    /// The names of the module that the definition of a name refers to.
    pub(super) fn references(&self, name: &str) -> Vec<Box<str>> {
        let mut all: Vec<Box<str>> = match self.definition(name) {
            Some(Definition::Function(kernel)) => outer_names(kernel),
            Some(Definition::Variable(_, variable)) => {
                variable.init.iter().flat_map(|init| &init.addresses).map(|address| address.name.clone()).collect()
            }
            None => Vec::new(),
        };
        all.extend(self.alias(name).map(Into::into));
        all.retain(|name| self.has(name));
        all
    }

    /// The source text of an item from its first token on.
    pub(super) fn text(&self, item: ItemId) -> &'m str {
        from_first_token(self.module_items[item].text(&self.module.source))
    }

    /// The last item of a kind.
    pub(super) fn last(&self, kind: impl Fn(&Content<'_>) -> bool) -> Option<ItemId> {
        self.contents.iter().rfind(|(_, content)| kind(content)).map(|(item, _)| item)
    }

    /// The declaration of a name for a message: short and in one line.
    pub(super) fn describe(&self, name: &str) -> String {
        let text = match self.definition(name) {
            Some(Definition::Function(kernel)) => kernel.header_tokens(),
            Some(Definition::Variable(..)) => {
                let of_variable = |&item: &ItemId| matches!(self.contents[item], Content::Variables(_));
                self.items(name)
                    .iter()
                    .copied()
                    .find(of_variable)
                    .map_or(String::new(), |item| tokens::bare(self.text(item)))
            }
            None => "nothing".to_owned(),
        };
        match text.char_indices().nth(160) {
            Some((end, _)) => format!("{}…", cut(&text, end).0),
            None => text,
        }
    }
}

/// The functions whose address a body or an initial value holds.
fn addressed<'c>(contents: impl Iterator<Item = &'c Content<'c>>) -> FxHashSet<Box<str>> {
    let mut found = FxHashSet::default();
    for content in contents {
        match content {
            Content::Function(kernel) => {
                let moves = kernel.stmts().iter().filter_map(|stmt| match stmt.kind {
                    StmtKind::Inst(inst) if kernel.opcode(inst).mnemonic() == Mnemonic::Mov => Some(inst),
                    _ => None,
                });
                for operand in moves.flat_map(|inst| kernel.operands(inst)) {
                    if let Operand::Symbol(symbol, _) = *operand
                        && !kernel.is_local(symbol)
                    {
                        found.insert(kernel.symbol_name(symbol).into());
                    }
                }
            }
            Content::Variables(declaration) => {
                let values = declaration.variables.iter().filter_map(|variable| variable.init.as_ref());
                found.extend(values.flat_map(|init| &init.addresses).map(|address| address.name.clone()));
            }
            _ => {}
        }
    }
    found
}

/// The names that an item declares.
fn names<'c>(content: &'c Content<'_>) -> Vec<&'c str> {
    match content {
        Content::Function(kernel) => vec![kernel.name()],
        Content::Variables(declaration) => declaration.variables.iter().map(|variable| &*variable.name).collect(),
        Content::Alias { name, .. } => vec![name],
        _ => Vec::new(),
    }
}

fn content<'m>(module: &'m Module, item: &'m Item) -> Content<'m> {
    let text = item.text(&module.source);
    if let Some(kernel) = module.kernel_of(item) {
        return Content::Function(kernel);
    }
    match item.kind() {
        ItemKind::File(number, _) => {
            let rest = code(text).skip(2).map(|token| token.text).collect::<Vec<_>>().join(" ");
            return Content::File { index: *number, rest };
        }
        ItemKind::Directive => {}
        _ => return Content::Other,
    }
    let mut words = code(text);
    let Some(first) = words.next() else { return Content::Other };
    match first.text {
        ".section" => Content::Section(words.next().map_or("", |token| token.text)),
        ".pragma" => Content::Pragma(tokens::bare(text)),
        ".alias" => {
            let mut names = words.filter(|token| token.kind == Kind::Word).map(|token| token.text);
            Content::Alias { name: names.next().unwrap_or(""), target: names.next().unwrap_or("") }
        }
        // `@@DWARF` lines of old compilers.
        "@" => Content::Section("@@DWARF"),
        ".reg" => Content::Other,
        _ => declaration(text).map_or(Content::Other, Content::Variables),
    }
}

fn declaration(text: &str) -> Option<Declaration<'_>> {
    let variables = Module::parse(text).ok()?.variables;
    let list: Vec<Token<'_>> = code(text).collect();
    let linkage = list.first().map(|token| token.text).filter(|text| LINKAGES.contains(text)).unwrap_or("");
    let name = list.iter().position(|token| token.kind == Kind::Word)?;
    let mut shape = Vec::new();
    let mut prefix = list.iter().take(name).skip(usize::from(!linkage.is_empty())).map(|token| token.text);
    while let Some(text) = prefix.next() {
        match text {
            ".align" => _ = prefix.next(),
            text => shape.push(text),
        }
    }
    let opaque = shape.iter().any(|text| [".texref", ".samplerref", ".surfref"].contains(text));
    let properties = opaque.then(|| list.iter().skip(name).map(|token| token.text).collect::<Vec<_>>().join(" "));
    Some(Declaration { variables, linkage, shape: shape.join(" "), properties })
}

/// The tokens of a text without its comments.
pub(super) fn code(text: &str) -> impl Iterator<Item = Token<'_>> {
    tokens::tokens(text).filter(|token| !token.is_comment())
}

fn from_first_token(text: &str) -> &str {
    let start = code(text).next().map_or(text.len(), |token| token.at);
    past(text, start)
}

/// The names that a body mentions and does not declare itself, each once, in the order in which they are mentioned.
pub(super) fn outer_names(kernel: &Kernel) -> Vec<Box<str>> {
    let mut own: FxHashSet<Box<str>> = kernel.params().iter().chain(kernel.results()).map(|p| p.name.clone()).collect();
    for stmt in kernel.stmts().iter().filter(|stmt| stmt.kind == StmtKind::Directive) {
        let text = kernel.own_text(stmt);
        let mut words = code(&text);
        // `name: .callprototype …`
        if let (Some(name), Some(colon)) = (words.next(), words.next())
            && colon.is(":")
        {
            own.insert(name.text.into());
        }
    }
    let variables: FxHashSet<&str> = kernel.variables().map(|(_, variable)| &*variable.name).collect();
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut add = |name: &str| {
        if !own.contains(name) && seen.insert(Box::<str>::from(name)) {
            found.push(name.into());
        }
    };
    for stmt in kernel.stmts() {
        match &stmt.kind {
            StmtKind::Inst(inst) => kernel.visit_symbols(*inst, |symbol| {
                if !kernel.is_local(symbol) {
                    add(kernel.symbol_name(symbol));
                }
            }),
            StmtKind::Variables(_) | StmtKind::Directive => {
                let text: Cow<'_, str> = kernel.own_text(stmt);
                let words = code(&text).filter(|token| token.kind == Kind::Word && !variables.contains(token.text));
                words.for_each(|token| add(token.text));
            }
            _ => {}
        }
    }
    found
}

/// The header of a kernel or function without its names: who sees it, and everything else that a caller or `ptxas` must know.
pub(super) fn signature(kernel: &Kernel) -> (String, String) {
    let header = kernel.header_tokens();
    let named = |text: &str| {
        kernel.name() == text
            || kernel.params().iter().chain(kernel.results()).any(|parameter| &*parameter.name == text)
    };
    let mut words: Vec<&str> =
        code(&header).filter(|token| token.kind != Kind::Word || !named(token.text)).map(|token| token.text).collect();
    let linkage = match words.first() {
        Some(first) if LINKAGES.contains(first) => words.remove(0).to_owned(),
        _ => String::new(),
    };
    // An empty list of parameters says the same as none.
    let text = words.join(" ");
    (linkage, text.strip_suffix("( )").map_or(text.clone(), |text| text.trim_end().to_owned()))
}

/// The header of a function without the word that lets other modules see it.
pub(super) fn without_linkage(header: &str) -> &str {
    let mut words = code(header);
    match words.next() {
        Some(first) if LINKAGES.contains(&first.text) => words.next().map_or(header, |next| past(header, next.at)),
        _ => header,
    }
}
