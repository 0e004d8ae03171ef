//! Puts the text of a spliced module together: all items of this module, the taken bodies in their places, and what is added.

use cranelift_entity::EntityRef;
use rustc_hash::{FxHashMap, FxHashSet};

use super::SpliceError;
use super::debug::{Positions, with_entries};
use super::inventory::{Content, Inventory, ItemId, outer_names, without_linkage};
use super::resolve::{Fate, Resolver};
use crate::entities::Symbol;
use crate::kernel::Kernel;
use crate::print;
use crate::print::tokens;
use crate::stmt::StmtKind;
use crate::tables::Name;

/// Writes the spliced module.
pub(super) fn write(
    own: &Inventory<'_>,
    other: &Inventory<'_>,
    resolver: Resolver<'_, '_>,
) -> Result<String, SpliceError> {
    let positions = Positions::new(own, other)?;
    let mut writer = Writer { own, other, renames: renames(&resolver), resolver, positions };
    writer.write()
}

/// The names that are other ones in this module.
fn renames(resolver: &Resolver<'_, '_>) -> FxHashMap<Box<str>, Box<str>> {
    let changed = resolver.targets.iter().filter(|(name, target)| **name != target.name);
    changed.map(|(name, target)| (name.clone(), target.name.clone())).collect()
}

struct Writer<'a, 'm> {
    own: &'a Inventory<'m>,
    other: &'a Inventory<'m>,
    resolver: Resolver<'a, 'm>,
    renames: FxHashMap<Box<str>, Box<str>>,
    positions: Positions<'a, 'm>,
}

impl Writer<'_, '_> {
    fn write(&mut self) -> Result<String, SpliceError> {
        let (own, other) = (self.own, self.other);
        let mut replaced: FxHashMap<ItemId, String> = FxHashMap::default();
        for (name, _) in self.with_fate(Fate::Replaced) {
            if let Some((item, kernel)) = own.body(&name).zip(other.function(&name)) {
                replaced.insert(item, self.function(kernel, None)?);
            }
        }
        let functions = own.last(|content| matches!(content, Content::Function(_)));
        let behind = functions.map_or(own.contents.next_key(), |last| ItemId::new(last.index() + 1));
        let place = replaced.keys().copied().min().unwrap_or(behind);
        let block = self.prototypes(place)? + &self.added()?;
        self.check_order(place)?;
        Ok(self.join(place, &block, &replaced))
    }

    /// The names of the other module that have a fate, in its textual order.
    fn with_fate(&self, fate: Fate) -> Vec<(Box<str>, usize)> {
        let targets = self.resolver.targets.iter().filter(|(_, target)| target.fate == fate);
        let mut list: Vec<_> = targets
            .map(|(name, _)| (name.clone(), self.other.items(name).first().map_or(0, |item| item.index())))
            .collect();
        list.sort_by(|(a, x), (b, y)| (x, a).cmp(&(y, b)));
        list
    }

    /// The additions, in the order of the other module, in which everything is declared before it is used.
    fn added(&mut self) -> Result<String, SpliceError> {
        let other = self.other;
        let names = self.with_fate(Fate::Added);
        let mut items: Vec<ItemId> = names.iter().flat_map(|(name, _)| other.items(name)).copied().collect();
        items.sort_unstable();
        items.dedup();
        let mut text = String::new();
        for item in items {
            text.push('\n');
            match &other.contents[item] {
                Content::Function(kernel) => {
                    let name = self.renames.get(kernel.name()).cloned();
                    text += &self.function(kernel, name.as_deref())?;
                }
                _ => {
                    let declaration = other.text(item);
                    let renamed = tokens::renamed_by(declaration, |name| self.renames.get(name).map(|name| &**name));
                    text += &renamed.unwrap_or_else(|| declaration.to_owned());
                }
            }
        }
        Ok(text)
    }

    /// Prototypes of functions that this module declares only behind the place where something is inserted that mentions them.
    fn prototypes(&self, place: ItemId) -> Result<String, SpliceError> {
        let mut names: Vec<Box<str>> = Vec::new();
        for (user, fate) in self.users() {
            for name in self.other.references(&user) {
                let is_own = self.resolver.targets.get(&name).is_some_and(|target| target.fate != Fate::Added);
                let place = if fate == Fate::Replaced { self.own.body(&user).unwrap_or(place) } else { place };
                let is_behind = self
                    .own
                    .items(&name)
                    .first()
                    .is_some_and(|&first| first > place || (first == place && fate == Fate::Added));
                if is_own && is_behind && self.own.function(&name).is_some() && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names.sort();
        let headers = names.iter().filter_map(|name| self.own.function(name)).map(Kernel::header_tokens);
        Ok(headers
            .map(|header| {
                format!(
                    "
{header};"
                )
            })
            .collect())
    }

    /// The names whose definitions are in the result as the other module has them.
    fn users(&self) -> Vec<(Box<str>, Fate)> {
        [Fate::Replaced, Fate::Added]
            .into_iter()
            .flat_map(|fate| self.with_fate(fate).into_iter().map(move |(name, _)| (name, fate)))
            .collect()
    }

    /// Refuses mentions of variables that this module declares only behind them: they have no prototypes.
    fn check_order(&self, place: ItemId) -> Result<(), SpliceError> {
        for (user, fate) in self.users() {
            let place = match fate {
                Fate::Replaced => self.own.body(&user).unwrap_or(place),
                _ => place,
            };
            for name in self.other.references(&user) {
                let Some(target) = self.resolver.targets.get(&name) else { continue };
                let first = self.own.items(&target.name).first();
                if target.fate == Fate::Shared
                    && self.own.function(&target.name).is_none()
                    && first.is_some_and(|&first| first >= place)
                {
                    return Err(SpliceError::Order { name: target.name.to_string(), user: user.to_string() });
                }
            }
        }
        Ok(())
    }

    /// The text of a function of the other module with the names, files and strings of this one.
    fn function(&mut self, kernel: &Kernel, name: Option<&str>) -> Result<String, SpliceError> {
        let mut copy = kernel.clone();
        copy.rename_mentions(&self.renames)?;
        let positions = copy.stmts.iter().enumerate().filter_map(|(index, stmt)| match stmt.kind {
            StmtKind::Loc(position) => Some((index, position, copy.own_text(stmt).into_owned())),
            _ => None,
        });
        for (index, position, text) in positions.collect::<Vec<_>>() {
            let resolver = &mut self.resolver;
            let new = self.positions.translate(&text, &mut || resolver.fresh("$L__info_string").into())?;
            if new != text {
                let loc = &mut copy.locs[position];
                loc.file = self.positions.file(loc.file);
                if let Some((file, ..)) = &mut loc.inlined_at {
                    *file = self.positions.file(*file);
                }
                copy.set_text(index, new);
            }
        }
        if let Some(name) = name {
            copy.rename_header(name);
            // Nobody outside knows the new name, and another module may have chosen the same.
            let header = without_linkage(copy.header_text()).to_owned();
            copy.edits.header = Some(header.into());
        }
        Ok(copy.to_string())
    }

    /// All items of this module with what is inserted among them.
    fn join(&self, place: ItemId, block: &str, replaced: &FxHashMap<ItemId, String>) -> String {
        let own = self.own;
        let strings = self.positions.string_text();
        let section = own.last(|content| matches!(content, Content::Section(_)));
        let files = self.positions.file_text();
        let behind = own.last(|content| matches!(content, Content::File { .. })).or(own.last(|_| true));
        let mut text = String::new();
        for (index, item) in &own.module_items {
            if index == place {
                text += block;
            }
            match replaced.get(&index) {
                Some(body) => text = text + print::lead(own.module, item) + body,
                None => {
                    let mut printed = String::new();
                    // Writing to a string does not fail.
                    let _ = print::write_item(own.module, item, &mut printed);
                    match section == Some(index) && !strings.is_empty() {
                        true => text += &with_entries(&printed, &strings),
                        false => text += &printed,
                    }
                }
            }
            if Some(index) == behind {
                text += &files;
            }
        }
        if !own.contents.is_valid(place) {
            text += block;
        }
        if section.is_none() && !strings.is_empty() {
            text = text + "\n\t.section\t.debug_str\n\t{" + &strings + "\n\n\t}";
        }
        let tail = own.module.tail;
        text + own.module.source.get(tail.start as usize..tail.end as usize).unwrap_or("")
    }
}

impl Kernel {
    /// Gives other names to what the kernel mentions of its module, all at once, so that names can be exchanged.
    fn rename_mentions(&mut self, names: &FxHashMap<Box<str>, Box<str>>) -> Result<(), SpliceError> {
        let mentioned: FxHashSet<Box<str>> = outer_names(self).into_iter().collect();
        let mut renamed: Vec<&Box<str>> = names.keys().filter(|name| mentioned.contains(*name)).collect();
        renamed.sort();
        if renamed.is_empty() {
            return Ok(());
        }
        for &from in &renamed {
            let to = &names[from];
            let hidden = |name: &str| SpliceError::Hidden { function: self.name().to_owned(), name: name.to_owned() };
            if self.declares(from) {
                return Err(hidden(from));
            }
            if self.declares(to) {
                return Err(hidden(to));
            }
            if !mentioned.contains(to) && self.has_name(to) {
                return Err(SpliceError::Hidden { function: self.name().to_owned(), name: to.to_string() });
            }
        }
        let new = |name: &str| names.get(name).filter(|_| mentioned.contains(name));
        let outer = |kernel: &Kernel, symbol: Symbol| !kernel.is_local(symbol);
        let symbols: Vec<(Symbol, Box<str>)> = self
            .symbols
            .keys()
            .filter(|&symbol| outer(self, symbol))
            .filter_map(|symbol| Some((symbol, new(self.symbol_name(symbol))?.clone())))
            .collect();
        for (symbol, to) in &symbols {
            self.symbols[*symbol] = Name::Made(Box::new(to.clone()));
        }
        let texts = self.stmts.iter().enumerate().filter_map(|(index, stmt)| match stmt.kind {
            StmtKind::Variables(_) | StmtKind::Directive => {
                let text = tokens::renamed_by(&self.own_text(stmt), |name| new(name).map(|name| &**name))?;
                Some((index, text))
            }
            _ => None,
        });
        for (index, text) in texts.collect::<Vec<_>>() {
            self.set_text(index, text);
        }
        for address in self.variables.values_mut().flat_map(|v| &mut v.init).flat_map(|init| &mut init.addresses) {
            if let Some(to) = new(&address.name) {
                address.name = to.clone();
            }
        }
        self.print_anew(|kernel, inst| symbols.iter().any(|(symbol, _)| kernel.mentions(inst, *symbol)));
        Ok(())
    }
}
