//! Decides for each reference of a taken body whether its target is shared with this module or added to it, and under which name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::SpliceError;
use super::inventory::{Content, Declaration, Definition, Inventory, signature};
use crate::kernel::{Kernel, KernelKind};
use crate::print::tokens::{Kind, tokens};
use crate::stmt::StmtKind;
use crate::syntax::lexical::{cut, past};
use crate::types::Space;
use crate::variable::Variable;

/// The thing of this module that a name of the other one leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// To what this module has.
    Shared,
    /// To what this module has, with the body of the other one.
    Replaced,
    /// To a copy of what the other module has.
    Added,
}

/// The fate of a name, and the name in this module.
pub(super) struct Target {
    pub(super) fate: Fate,
    pub(super) name: Box<str>,
}

/// Returns whether a body of the other module can stand in the place of one that this module has, whoever calls it.
///
/// Equal declarations are not enough where the optimiser knows all callers. It may pass a value in one module, and a pointer to that value in the
/// other one; or drop different parameters. Then only bodies of the same module can call the function.
pub(super) fn is_replaceable(own: &Inventory<'_>, other: &Inventory<'_>, name: &str) -> bool {
    has_same_declaration(own, other, name) && own.has_fixed_parameters(name) && other.has_fixed_parameters(name)
}

/// Returns whether both modules have a body of a name, under the same declaration.
fn has_same_declaration(own: &Inventory<'_>, other: &Inventory<'_>, name: &str) -> bool {
    let bodies = own.function(name).zip(other.function(name)).filter(|(a, b)| a.has_body() && b.has_body());
    bodies.is_some_and(|(a, b)| a.kind() == b.kind() && agree(a, b))
}

/// Returns whether two bodies say the same, but for source positions and markers.
fn same_body(one: &Kernel, other: &Kernel) -> bool {
    let code = |kernel: &Kernel| {
        let stmts = kernel.stmts().iter();
        let stmts = stmts.filter(|stmt| !matches!(stmt.kind, StmtKind::Loc(_) | StmtKind::Marker(_)));
        stmts.map(|stmt| kernel.bare_text(stmt)).collect::<Vec<_>>()
    };
    one.has_body() && other.has_body() && one.header_tokens() == other.header_tokens() && code(one) == code(other)
}

/// Returns whether callers of one function can call the other one. The linkage of prototypes differs from that of bodies elsewhere. An entry may be
/// tuned otherwise.
fn agree(own: &Kernel, other: &Kernel) -> bool {
    let ((own_linkage, own_text), (other_linkage, other_text)) = (signature(own), signature(other));
    if own.kind() == KernelKind::Entry && other.kind() == KernelKind::Entry {
        let shapes = |kernel: &Kernel| {
            let params = kernel.params().iter().map(|p| (p.space, p.ty, p.align, p.count, p.dimensions));
            params.collect::<Vec<_>>()
        };
        return shapes(own) == shapes(other);
    }
    own_text == other_text && (own_linkage == other_linkage || own.has_body() != other.has_body())
}

/// Returns whether a variable is a constant that the compiler made, which has no identity: a string, a lookup table, the initial value of a local
/// array. nvcc writes `$` for the dots of LLVM's names, clang `_$_`.
fn is_generated(declaration: &Declaration<'_>, variable: &Variable) -> bool {
    let name = variable.name.replace("_$_", "$");
    let numbered = |stem: &str| {
        let rest = name.strip_prefix(stem);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'$'))
    };
    let made = numbered("$str")
        || numbered("__unnamed_")
        || ["__const$", "switch$table$"].iter().any(|stem| name.starts_with(stem));
    made && !declaration.is_external()
        && variable.init.is_some()
        && matches!(variable.space, Space::Global | Space::Const)
        && !declaration.shape.contains("attribute")
}

pub(super) struct Resolver<'a, 'm> {
    own: &'a Inventory<'m>,
    other: &'a Inventory<'m>,
    pub(super) targets: FxHashMap<Box<str>, Target>,
    /// Names whose definitions are added or taken, and whose references have not been looked at.
    queue: Vec<Box<str>>,
    /// All words of both modules, once a fresh name is needed.
    words: FxHashSet<String>,
}

impl<'a, 'm> Resolver<'a, 'm> {
    pub(super) fn new(own: &'a Inventory<'m>, other: &'a Inventory<'m>) -> Resolver<'a, 'm> {
        let (targets, queue, words) = Default::default();
        Resolver { own, other, targets, queue, words }
    }

    /// Decides for the bodies that are to be taken, and for everything that they refer to.
    pub(super) fn resolve(&mut self, names: &[&'a str]) -> Result<(), SpliceError> {
        for &name in names {
            let Some(kernel) = self.other.function(name).filter(|kernel| kernel.has_body()) else {
                return Err(SpliceError::NoBody { name: name.into() });
            };
            if kernel.kind() == KernelKind::Entry && !is_replaceable(self.own, self.other, name) {
                return Err(match self.own.has(name) {
                    true => self.differs(name),
                    false => SpliceError::NoEntry { name: name.into() },
                });
            }
        }
        let (replaced, others): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| is_replaceable(self.own, self.other, name));
        replaced.iter().for_each(|name| self.set(name, Fate::Replaced, (*name).into()));
        if !others.is_empty() {
            self.resolve_with_callers(&replaced, others)?;
        }
        while let Some(name) = self.queue.pop() {
            for mentioned in self.other.references(&name) {
                self.decide(&mentioned)?;
            }
        }
        Ok(())
    }

    /// Decides for functions that only bodies of the other module can call. One whose callers are all replaced is replaced as well, the others
    /// are added.
    fn resolve_with_callers(&mut self, replaced: &[&str], mut names: Vec<&str>) -> Result<(), SpliceError> {
        let (own_users, other_users) = (self.own.users(), self.other.users());
        let is_taken = |user: &str, names: &[&str]| replaced.contains(&user) || names.contains(&user);
        for &name in &names {
            let mut callers = other_users.get(name).into_iter().flatten();
            if let Some(caller) = callers.find(|user| self.other.body(user).is_some() && !is_taken(user, &names)) {
                return Err(SpliceError::Caller { name: name.into(), caller: (*caller).into() });
            }
        }
        let mut added: Vec<&str> = Vec::new();
        loop {
            let stays = |name: &&str| {
                let callers = own_users.get(*name).into_iter().flatten();
                has_same_declaration(self.own, self.other, name)
                    && callers.into_iter().all(|user| is_taken(user, &names))
            };
            let (stay, leave): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| stays(name));
            added.extend(&leave);
            names = stay;
            if leave.is_empty() {
                break;
            }
        }
        names.iter().for_each(|name| self.set(name, Fate::Replaced, (*name).into()));
        added.iter().for_each(|name| self.add(name));
        Ok(())
    }

    fn set(&mut self, name: &str, fate: Fate, to: Box<str>) {
        if fate != Fate::Shared {
            self.queue.push(name.into());
        }
        self.targets.insert(name.into(), Target { fate, name: to });
    }

    /// Adds a definition, under its own name if that is free.
    fn add(&mut self, name: &str) {
        let to = if self.own.has(name) { self.fresh(name) } else { name.into() };
        self.set(name, Fate::Added, to);
    }

    fn decide(&mut self, name: &str) -> Result<(), SpliceError> {
        if self.targets.contains_key(name) {
            return Ok(());
        }
        match self.other.definition(name) {
            Some(Definition::Function(kernel)) => self.decide_function(name, kernel),
            Some(Definition::Variable(declaration, variable)) => self.decide_variable(name, declaration, variable),
            // What the other module does not declare either stays as it is.
            None => Ok(()),
        }
    }

    fn decide_function(&mut self, name: &str, kernel: &Kernel) -> Result<(), SpliceError> {
        if let Some(pairs) = self.matched(name, name) {
            pairs.into_iter().for_each(|(other, own)| self.set(&other, Fate::Shared, own));
            return Ok(());
        }
        let defined = kernel.has_body() || self.other.alias(name).is_some();
        // Another module defines it, so that it has no other name; and an entry is launched by its name.
        if self.own.has(name) && (!defined || kernel.kind() == KernelKind::Entry) {
            return Err(self.differs(name));
        }
        if kernel.kind() == KernelKind::Entry {
            return Err(SpliceError::NoEntry { name: name.into() });
        }
        self.add(name);
        Ok(())
    }

    fn decide_variable(
        &mut self,
        name: &str,
        declaration: &'a Declaration<'m>,
        variable: &'a Variable,
    ) -> Result<(), SpliceError> {
        if let Some(pairs) = self.matched(name, name) {
            pairs.into_iter().for_each(|(other, own)| self.set(&other, Fate::Shared, own));
            return Ok(());
        }
        if is_generated(declaration, variable) {
            let mut candidates: Vec<Box<str>> = self.own.names().map(Into::into).collect();
            candidates.sort();
            for own in candidates {
                if let Some(Definition::Variable(declaration, variable)) = self.own.definition(&own)
                    && is_generated(declaration, variable)
                    && let Some(pairs) = self.matched(name, &own)
                {
                    pairs.into_iter().for_each(|(other, own)| self.set(&other, Fate::Shared, own));
                    return Ok(());
                }
            }
        } else if self.own.has(name) {
            return Err(self.differs(name));
        } else if let Some(own) = self.own.names().filter(|own| alike(name, own)).min() {
            return Err(SpliceError::Alike { name: name.into(), own: own.into() });
        }
        self.add(name);
        // What is declared together is added together.
        for &item in self.other.items(name) {
            for sibling in self.other.names_of(item) {
                self.decide(sibling)?;
                if self.targets.get(sibling).is_some_and(|target| target.fate != Fate::Added) {
                    return Err(SpliceError::Together { name: name.into(), sibling: sibling.into() });
                }
            }
        }
        Ok(())
    }

    /// Everything that is the same if a variable of the other module is one of this module: the two, and what their initial values refer
    /// to. `None` if they are not the same. Values may refer to each other in a circle, so that a pair holds until it is refuted.
    fn matched(&self, other: &str, own: &str) -> Option<Vec<(Box<str>, Box<str>)>> {
        let mut pairs: Vec<(Box<str>, Box<str>)> = Vec::new();
        let mut open = vec![(Box::<str>::from(other), Box::<str>::from(own))];
        while let Some(pair) = open.pop() {
            if pairs.contains(&pair) {
                continue;
            }
            let (other, own) = (&*pair.0, &*pair.1);
            match self.targets.get(other) {
                Some(target) if target.fate != Fate::Added && &*target.name == own => continue,
                Some(_) => return None,
                None => {}
            }
            match (self.other.definition(other), self.own.definition(own)) {
                (Some(Definition::Function(a)), Some(Definition::Function(b))) if other == own && agree(b, a) => {
                    if self.other.alias(other) != self.own.alias(own) {
                        return None;
                    }
                    let fixed = self.other.has_fixed_parameters(other) && self.own.has_fixed_parameters(own);
                    if !fixed {
                        if !same_body(a, b) {
                            return None;
                        }
                        let all = self.other.references(other).into_iter().chain(self.own.references(own));
                        open.extend(all.map(|name| (name.clone(), name)));
                    }
                }
                (Some(Definition::Variable(a, x)), Some(Definition::Variable(b, y))) => {
                    let generated = is_generated(a, x) && is_generated(b, y);
                    if (other != own && !generated) || !same_place(a, x, b, y) {
                        return None;
                    }
                    // What other modules see may have its value there.
                    if !a.is_external() {
                        open.extend(same_value(x, y)?);
                    }
                }
                (None, None) if other == own => {}
                _ => return None,
            }
            pairs.push(pair);
        }
        Some(pairs)
    }

    fn differs(&self, name: &str) -> SpliceError {
        SpliceError::Differs { name: name.into(), own: self.own.describe(name), other: self.other.describe(name) }
    }

    /// A name that stands nowhere in either module.
    pub(super) fn fresh(&mut self, stem: &str) -> Box<str> {
        if self.words.is_empty() {
            for module in [self.own.module, self.other.module] {
                let text = module.to_string();
                let words = tokens(&text).filter(|token| token.kind == Kind::Word);
                self.words.extend(words.map(|token| token.text.to_owned()));
            }
            let declared = self.own.names().chain(self.other.names()).map(str::to_owned);
            self.words.extend(declared);
        }
        let mut number = 1u64;
        loop {
            let name = format!("{stem}_{number}");
            if self.words.insert(name.clone()) {
                return name.into();
            }
            number += 1;
        }
    }
}

/// Returns whether two declarations give a variable the same place and shape. What the other module aligns less is aligned well enough.
fn same_place(other: &Declaration<'_>, x: &Variable, own: &Declaration<'_>, y: &Variable) -> bool {
    let linkage =
        other.linkage == own.linkage || (other.is_external() && own.is_external() && (x.external || y.external));
    let unsized_here = x.external && x.count.is_none();
    linkage
        && other.shape == own.shape
        && other.properties == own.properties
        && (x.space, x.ty, x.lanes) == (y.space, y.ty, y.lanes)
        && (unsized_here || (x.count, x.dimensions) == (y.count, y.dimensions))
        && x.align <= y.align
}

/// The addresses in two initial values, pair by pair, if the values are the same but for them.
fn same_value(other: &Variable, own: &Variable) -> Option<Vec<(Box<str>, Box<str>)>> {
    let (x, y) = match (&other.init, &own.init) {
        (Some(x), Some(y)) => (x, y),
        (None, None) => return Some(Vec::new()),
        _ => return None,
    };
    if x.bytes != y.bytes || x.addresses.len() != y.addresses.len() {
        return None;
    }
    let pairs = x.addresses.iter().zip(&y.addresses).map(|(a, b)| {
        let same = (a.at, a.bytes, a.offset, a.generic, a.mask) == (b.at, b.bytes, b.offset, b.generic, b.mask);
        same.then(|| (a.name.clone(), b.name.clone()))
    });
    pairs.collect()
}

/// Returns whether two names may stand for one variable of the source: nvcc names what only one file sees after the path of the file, and the
/// optimiser splits a structure `g` into `g$0`, `g$1`.
fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (one.replace("_$_", "$"), other.replace("_$_", "$"));
    let part = |whole: &str, part: &str| part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('$'));
    one != other && (without_file(&one) == without_file(&other) || part(&one, &other) || part(&other, &one))
}

/// A name with the hash of the file in it blanked: `__nv_static_25__e1a2a681_4_a_cu_counter`.
fn without_file(name: &str) -> String {
    let hash = |text: &str| text.as_bytes().get(..8).is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit));
    let mark = ["_INTERNAL_", "__nv_static_"].iter().find_map(|mark| Some(name.find(mark)? + mark.len()));
    let Some(start) = mark else { return name.to_owned() };
    let digits = past(name, start).bytes().take_while(u8::is_ascii_digit).count();
    let start = match past(name, start + digits).strip_prefix("__") {
        Some(rest) if hash(rest) => start + digits + 2,
        _ => start,
    };
    let (front, rest) = cut(name, start);
    match hash(rest) {
        true => format!("{front}{}", past(rest, 8)),
        false => name.to_owned(),
    }
}

/// The bodies of `other` that must be taken so that every rewritten function is used; see [`Module::splice_closure`](crate::Module).
pub(super) fn closure(own: &Inventory<'_>, other: &Inventory<'_>, rewritten: &[&str]) -> Vec<String> {
    let users = other.users();
    let mut seen: FxHashSet<&str> = rewritten.iter().copied().filter(|name| other.has(name)).collect();
    let mut open: Vec<&str> = seen.iter().copied().collect();
    while let Some(name) = open.pop() {
        if is_replaceable(own, other, name) {
            continue;
        }
        for &user in users.get(name).into_iter().flatten() {
            if seen.insert(user) {
                open.push(user);
            }
        }
    }
    let bodies = other.contents.values().filter_map(|content| match content {
        Content::Function(kernel) if kernel.has_body() && seen.contains(kernel.name()) => {
            Some(kernel.name().to_owned())
        }
        _ => None,
    });
    bodies.collect()
}
