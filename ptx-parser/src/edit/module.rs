//! Edits of a module as a whole: its header, what it declares, and names that hold beyond one kernel.

use std::collections::HashSet;

use super::refused;
use super::rename::check_symbol;
use crate::entities::Symbol;
use crate::error::Error;
use crate::kernel::{Kernel, KernelKind};
use crate::module::{Item, ItemKind, Module};
use crate::print::tokens;
use crate::stmt::StmtKind;
use crate::syntax::lexical::{cut, past, until};
use crate::types::{Space, Type};

impl Module {
    /// A module without kernels, for a PTX version such as `(9, 0)`, a target such as `sm_90` (or `sm_90, debug`) and addresses of
    /// 32 or 64 bits.
    ///
    /// # Errors
    /// [`Error::Edit`] if the target is not a list of names, or the size is another.
    pub fn new(version: (u32, u32), target: &str, address_size: u32) -> Result<Module, Error> {
        let mut module = parsed("")?;
        module.set_version(version.0, version.1);
        module.set_target(target)?;
        if ![32, 64].contains(&address_size) {
            return Err(refused(format!("addresses of {address_size} bits"), "they have 32 or 64"));
        }
        module.items.push(Item::made(ItemKind::AddressSize(address_size), format!("\n.address_size {address_size}")));
        module.items.push(Item::made(ItemKind::Directive, "\n".to_owned()));
        Ok(module)
    }

    /// Sets the PTX version.
    pub fn set_version(&mut self, major: u32, minor: u32) {
        let item = Item::made(ItemKind::Version(major, minor), format!(".version {major}.{minor}"));
        self.set_header(0, item, |kind| matches!(kind, ItemKind::Version(..)));
    }

    /// Sets the target: one architecture, with options behind it such as `sm_90, debug`.
    ///
    /// # Errors
    /// [`Error::Edit`] if it is not a list of names.
    pub fn set_target(&mut self, target: &str) -> Result<(), Error> {
        let words: Vec<&str> = target.split(',').map(str::trim).collect();
        words.iter().try_for_each(|word| check_symbol(word))?;
        let kind = ItemKind::Target(words.iter().map(|&word| word.into()).collect());
        let item = Item::made(kind, format!("\n.target {}", words.join(", ")));
        self.set_header(1, item, |kind| matches!(kind, ItemKind::Target(_)));
        Ok(())
    }

    /// Puts an item in the place of the one of its kind; if there is none, at an index.
    fn set_header(&mut self, index: usize, mut item: Item, same: impl Fn(&ItemKind) -> bool) {
        match self.items.iter_mut().find(|item| same(item.kind())) {
            Some(old) => {
                let text = old.text(&self.source);
                let start = tokens::tokens(text).find(|token| !token.is_comment()).map_or(0, |token| token.at);
                if let ItemKind::Made(made) = &mut item.kind {
                    made.text = format!("{}{}", cut(text, start).0, made.text.trim_start());
                }
                *old = item;
            }
            None => self.items.insert(index.min(self.items.len()), item),
        }
    }

    /// Adds what a PTX text declares. Kernels and functions with a body go to the end, everything else in front of the first kernel or
    /// function.
    ///
    /// # Errors
    /// The text does not follow the grammar, or [`Error::Edit`] if it declares a name that the module has already, or directives of
    /// which a module has one.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let added = parsed(text)?;
        for item in &added.items {
            if matches!(item.kind(), ItemKind::Version(..) | ItemKind::Target(_) | ItemKind::AddressSize(_)) {
                let what = format!("`{}` cannot be added", item.text(&added.source).trim());
                return Err(refused(what, "use `set_version` or `set_target`"));
            }
        }
        let names = added.kernels.iter().filter(|kernel| kernel.has_body()).map(Kernel::name);
        for name in names.chain(added.variables.iter().map(|variable| &*variable.name)) {
            if self.defines(name) {
                return Err(refused(format!("the module defines `{name}` already"), "remove or rename one of the two"));
            }
        }
        let Module { source, items, kernels, variables, .. } = added;
        let mut kernels: Vec<Option<Kernel>> = kernels.into_iter().map(Some).collect();
        for item in items {
            let text = item.text(&source).trim();
            match *item.kind() {
                ItemKind::Kernel(index) => {
                    let Some(kernel) = kernels.get_mut(index).and_then(Option::take) else { continue };
                    let has_body = kernel.has_body();
                    // Comments before the header are the item's, the rest is the kernel's.
                    let lead = until(text, &kernel.to_string());
                    self.kernels.push(kernel);
                    let item = Item::made(ItemKind::Kernel(self.kernels.len() - 1), format!("\n\n{lead}"));
                    let end = if has_body { self.items.len() } else { self.first_function() };
                    self.items.insert(end, item);
                }
                ref kind => {
                    let item = Item::made(kind.clone(), format!("\n{text}"));
                    let end = self.first_function();
                    self.items.insert(end, item);
                }
            }
        }
        self.variables.extend(variables);
        Ok(())
    }

    /// Adds an entry with scalar parameters and an empty body, which patches fill. Its parameters are called after it, as nvcc does:
    /// `k_param_0`, `k_param_1`, ….
    ///
    /// # Errors
    /// [`Error::Edit`] if the name is none or is taken, or a parameter is a predicate.
    pub fn add_entry(&mut self, name: &str, params: &[Type]) -> Result<&mut Kernel, Error> {
        check_symbol(name)?;
        if params.contains(&Type::Pred) {
            return Err(refused("a parameter cannot be a predicate", "pass an integer"));
        }
        let list = params.iter().enumerate().map(|(index, ty)| format!("\n\t.param {ty} {name}_param_{index}"));
        let list = list.collect::<Vec<_>>().join(",");
        self.add(&format!(".visible .entry {name}({list}\n)\n{{\n}}"))?;
        match self.kernels.last_mut() {
            Some(kernel) => Ok(kernel),
            None => Err(refused(format!("`{name}` was not added"), "")),
        }
    }

    /// The first item that is a kernel or function.
    fn first_function(&self) -> usize {
        let is_function = |item: &Item| matches!(item.kind(), ItemKind::Kernel(_));
        self.items.iter().position(is_function).unwrap_or(self.items.len())
    }

    fn defines(&self, name: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.has_body() && kernel.name() == name)
            || self.variables.iter().any(|variable| &*variable.name == name && !variable.external)
    }

    /// Removes a kernel, function or variable, its prototypes included.
    ///
    /// # Errors
    /// [`Error::Edit`] if there is none of that name, something else mentions it, or it is declared together with other variables.
    pub fn remove(&mut self, name: &str) -> Result<(), Error> {
        let mut gone = self.items_of(|kernel| kernel.name() == name);
        if gone.is_empty() {
            gone.extend(self.declaration(name)?);
        }
        let user = self.kernels.iter().find(|kernel| kernel.name() != name && kernel.uses_outer(name));
        if let Some(user) = user {
            return Err(refused(format!("`{}` mentions `{name}`", user.name()), "remove the mentions first"));
        }
        for (index, item) in self.items.iter().enumerate() {
            let other = matches!(item.kind(), ItemKind::Directive) && !gone.contains(&index);
            let text = item.text(&self.source);
            if other && !is_section(text) && tokens::renamed(text, name, name).is_some() {
                return Err(refused(format!("`{}` mentions `{name}`", text.trim()), "remove that first"));
            }
        }
        self.remove_items(&gone);
        self.variables.retain(|variable| &*variable.name != name);
        Ok(())
    }

    /// Removes the kernels that are not wanted, with their prototypes, but for those that something mentions: other kernels may launch them. Functions
    /// and variables stay. In a module with debug information (`-G`) all stay: its sections refer to places in all kernels.
    pub fn retain_kernels(&mut self, wanted: impl Fn(&str) -> bool) {
        let mut sections = self.items.iter().map(|item| item.text(&self.source)).filter(|text| is_section(text));
        if sections.any(|text| !text.contains(".debug_str")) {
            return;
        }
        let entries = self.kernels.iter().filter(|kernel| kernel.kind() == KernelKind::Entry);
        let mut unwanted: HashSet<&str> = entries.map(Kernel::name).filter(|name| !wanted(name)).collect();
        for kernel in &self.kernels {
            for symbol in kernel.symbols.keys().filter(|&symbol| !kernel.is_local(symbol)) {
                let name = kernel.symbol_name(symbol);
                if name != kernel.name() {
                    unwanted.remove(name);
                }
            }
            for stmt in &kernel.stmts {
                if matches!(stmt.kind, StmtKind::Variables(_) | StmtKind::Directive) {
                    for token in tokens::tokens(&kernel.own_text(stmt)) {
                        unwanted.remove(token.text);
                    }
                }
            }
        }
        for item in &self.items {
            let text = item.text(&self.source);
            if matches!(item.kind(), ItemKind::Directive) && !is_section(text) {
                for token in tokens::tokens(text) {
                    unwanted.remove(token.text);
                }
            }
        }
        let gone = self.items_of(|kernel| unwanted.contains(kernel.name()));
        self.remove_items(&gone);
    }

    /// The indices of the items that are some kernels and functions, in ascending order.
    fn items_of(&self, which: impl Fn(&Kernel) -> bool) -> Vec<usize> {
        let wanted = |(_, item): &(usize, &Item)| self.kernel_of(item).is_some_and(&which);
        self.items.iter().enumerate().filter(wanted).map(|(index, _)| index).collect()
    }

    /// Removes items, by their indices in ascending order.
    fn remove_items(&mut self, gone: &[usize]) {
        for &index in gone.iter().rev() {
            if let ItemKind::Kernel(kernel) = *self.items.remove(index).kind() {
                self.kernels.remove(kernel);
                self.items.iter_mut().for_each(|item| item.forget_kernel(kernel));
            }
        }
    }

    /// The item that declares a variable and nothing else.
    fn declaration(&self, name: &str) -> Result<Option<usize>, Error> {
        if !self.variables.iter().any(|variable| &*variable.name == name) {
            let help = "kernels, functions and variables of the module can be removed";
            return Err(refused(format!("the module has no `{name}`"), help));
        }
        for (index, item) in self.items.iter().enumerate() {
            let text = item.text(&self.source);
            if !matches!(item.kind(), ItemKind::Directive) || tokens::renamed(text, name, name).is_none() {
                continue;
            }
            let declared = Module::parse(text).map(|module| module.variables).unwrap_or_default();
            match &declared[..] {
                [only] if &*only.name == name => return Ok(Some(index)),
                list if list.iter().any(|variable| &*variable.name == name) => {
                    let what = format!("`{name}` is declared together with other variables");
                    return Err(refused(what, "declare each by itself"));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Gives a kernel, function or variable of the module another name, with all of its mentions: prototypes, calls, addresses, initial
    /// values, aliases and debug sections.
    ///
    /// # Errors
    /// [`Error::Edit`] if there is none of that name, the new name is none or is taken in the module or in a kernel that would mention it.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Error> {
        let known = self.kernels.iter().any(|kernel| kernel.name() == from)
            || self.variables.iter().any(|variable| &*variable.name == from);
        if !known {
            return Err(refused(format!("the module has no `{from}`"), "see `kernels` and `variables`"));
        }
        check_symbol(to)?;
        if from == to {
            return Ok(());
        }
        if self.kernels.iter().any(|k| k.name() == to) || self.variables.iter().any(|v| &*v.name == to) {
            return Err(refused(format!("the module has a `{to}` already"), "take another name"));
        }
        for kernel in &mut self.kernels {
            if kernel.has_name(to) || (kernel.uses_outer(from) && kernel.declares(from)) {
                let what =
                    format!("`{from}` cannot be `{to}`: `{}` has something else of one of these names", kernel.name());
                return Err(refused(what, "take another name"));
            }
        }
        for kernel in &mut self.kernels {
            kernel.rename_outer(from, to);
        }
        self.rename_in_items(from, to, |_| true);
        for variable in &mut self.variables {
            if &*variable.name == from {
                variable.name = to.into();
            }
            variable.rename_addresses(from, to);
        }
        Ok(())
    }

    /// Gives a label of a kernel another name, with all of its mentions, those in debug sections included.
    ///
    /// # Errors
    /// [`Error::Edit`] if the kernel or the label is not there, the new name is none or is taken in the kernel, or several scopes of the
    /// kernel have labels of the name.
    pub fn rename_label(&mut self, kernel: &str, from: &str, to: &str) -> Result<(), Error> {
        let own = self.body_of(kernel)?;
        let labels = own.labels().filter(|&label| own.label_name(label) == from);
        let [label] = labels.collect::<Vec<_>>()[..] else {
            return Err(refused(format!("`{kernel}` has no label `{from}`, or several"), "see `Kernel::labels`"));
        };
        if from == to {
            return Ok(());
        }
        self.check_debug_name(own, from, to)?;
        self.body_of_mut(kernel)?.rename_label(label, to)?;
        self.rename_in_items(from, to, is_section);
        Ok(())
    }

    /// Gives a parameter, or a variable that a body declares, another name, with all of its mentions, those in debug sections included.
    ///
    /// # Errors
    /// As [`Module::rename_label`].
    pub fn rename_local(&mut self, kernel: &str, from: &str, to: &str) -> Result<(), Error> {
        let own = self.body_of_mut(kernel)?;
        if !own.declares(from) {
            return Err(refused(
                format!("`{kernel}` declares no `{from}`"),
                "see `Kernel::params` and `Kernel::variables`",
            ));
        }
        if own
            .params
            .iter()
            .chain(&own.results)
            .any(|parameter| &*parameter.name == from && parameter.space == Space::Reg)
        {
            return Err(refused(format!("`{from}` is a register"), "use `Kernel::rename_reg`"));
        }
        if from == to {
            return Ok(());
        }
        let symbol = own.symbols.keys().find(|&symbol| own.symbol_name(symbol) == from);
        // A parameter that nobody mentions has no id.
        let symbol = symbol.unwrap_or_else(|| own.symbols.push(crate::tables::Name::Made(Box::new(from.into()))));
        self.check_debug_name(self.body_of(kernel)?, from, to)?;
        self.body_of_mut(kernel)?.rename_local(symbol, to)?;
        self.rename_in_items(from, to, is_section);
        Ok(())
    }

    fn body_of(&self, name: &str) -> Result<&Kernel, Error> {
        let found = self.kernels.iter().find(|kernel| kernel.name() == name && kernel.has_body());
        found.ok_or_else(|| no_body(name))
    }

    fn body_of_mut(&mut self, name: &str) -> Result<&mut Kernel, Error> {
        let found = self.kernels.iter_mut().find(|kernel| kernel.name() == name && kernel.has_body());
        found.ok_or_else(|| no_body(name))
    }

    /// Debug sections name labels and variables of all kernels in one list.
    fn check_debug_name(&self, own: &Kernel, from: &str, to: &str) -> Result<(), Error> {
        let mentioned = |name| {
            let mut sections = self.items.iter().map(|item| item.text(&self.source)).filter(|text| is_section(text));
            sections.any(|text| tokens::renamed(text, name, name).is_some())
        };
        let other = |kernel: &Kernel| {
            !std::ptr::eq(kernel, own)
                && (kernel.declares(from) || kernel.labels().any(|label| kernel.label_name(label) == from))
        };
        if mentioned(from) && self.kernels.iter().any(other) {
            return Err(refused(
                format!("several kernels have a `{from}`"),
                "a debug section mentions it, but not which",
            ));
        }
        if mentioned(to) {
            return Err(refused(format!("a debug section mentions a `{to}` already"), "take another name"));
        }
        Ok(())
    }

    /// Replaces a name in the text of items that are no kernels.
    fn rename_in_items(&mut self, from: &str, to: &str, which: impl Fn(&str) -> bool) {
        for item in self.items.iter_mut().filter(|item| matches!(item.kind(), ItemKind::Directive)) {
            let text = item.text(&self.source);
            if which(text)
                && let Some(text) = tokens::renamed(text, from, to)
            {
                *item = Item::made(ItemKind::Directive, text);
            }
        }
    }
}

fn no_body(name: &str) -> Error {
    refused(format!("the module has no kernel or function `{name}` with a body"), "see `kernels`")
}

/// Reads a text; of several errors, the first is given.
fn parsed(text: &str) -> Result<Module, Error> {
    Module::parse(text).map_err(|errors| errors.first().clone())
}

/// Returns true if an item is a debug section.
fn is_section(text: &str) -> bool {
    tokens::tokens(text).find(|token| !token.is_comment()).is_some_and(|token| token.text == ".section")
}

/// Returns true if a directive of a body has this name in front: `name: .callprototype _;`.
fn is_named(text: &str, name: &str) -> bool {
    let mut own = tokens::tokens(text).filter(|token| !token.is_comment());
    own.next().is_some_and(|token| token.text == name) && own.next().is_some_and(|token| token.is(":"))
}

impl Kernel {
    /// Returns true if the header or the body declares a name that is neither a register nor a label.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.params.iter().chain(&self.results).any(|parameter| &*parameter.name == name)
            || self.symbols.keys().any(|symbol| self.symbol_name(symbol) == name && self.is_local(symbol))
            || self.stmts.iter().any(|stmt| stmt.kind == StmtKind::Directive && is_named(&self.own_text(stmt), name))
    }

    /// Returns true if a symbol is a variable or a list of the body.
    pub(super) fn is_local(&self, symbol: Symbol) -> bool {
        self.variables.contains_key(&symbol) || self.branch_tables.contains_key(&symbol)
    }

    /// Returns true if the body mentions something of the module by a name.
    fn uses_outer(&self, name: &str) -> bool {
        let outer = |&symbol: &Symbol| self.symbol_name(symbol) == name && !self.is_local(symbol);
        if let Some(symbol) = self.symbols.keys().find(outer)
            && self.insts.keys().any(|inst| self.mentions(inst, symbol))
        {
            return true;
        }
        self.stmts.iter().any(|stmt| {
            matches!(stmt.kind, StmtKind::Variables(_) | StmtKind::Directive)
                && tokens::renamed(&self.own_text(stmt), name, name).is_some()
        })
    }

    /// Renames something of the module, where the kernel mentions it or is it.
    fn rename_outer(&mut self, from: &str, to: &str) {
        if self.name() == from {
            self.rename_header(to);
        }
        if self.declares(from) || !self.uses_outer(from) {
            return;
        }
        let symbols: Vec<Symbol> = self.symbols.keys().filter(|&symbol| self.symbol_name(symbol) == from).collect();
        for symbol in symbols {
            self.rename_symbol(symbol, from, to);
        }
        self.rename_in_declarations(from, to);
    }

    /// Gives the kernel another name in its header. Its body and other kernels that mention it keep the old one.
    pub(super) fn rename_header(&mut self, to: &str) {
        let header = self.header_text().to_owned();
        // The results stand in front of the name, the parameters behind it.
        let mut depth = 0;
        let name = tokens::tokens(&header).filter(|token| !token.is_comment()).find(|token| {
            depth += i32::from(token.is("(")) - i32::from(token.is(")"));
            depth == 0 && token.text == &*self.name
        });
        if let Some(name) = name {
            let header = format!("{}{to}{}", cut(&header, name.at).0, past(&header, name.at + name.text.len()));
            self.edits.header = Some(header.into());
        }
        self.name = to.into();
        self.edits.changed = true;
    }
}
