//! Variables and parameters: where each lies, allocated when it is first mentioned.

use cranelift_entity::EntityRef;
use ptx_parser::{Space, Symbol, Variable};

use super::rows::Width;
use super::variables::Location;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::program::registers::{Source, untagged};
use crate::program::storage::GlobalId;

/// The largest module variable that is allocated.
const MAX_VARIABLE_BYTES: u64 = 16 << 30;

impl<'m> Decoder<'m> {
    /// The place of a symbol.
    pub(super) fn place(&mut self, view: &View<'_, 'm>, symbol: Symbol) -> Result<Location, Error> {
        let kernel = view.frame.kernel;
        let name = kernel.symbol_name(symbol);
        if let Some(variable) = kernel.variable(symbol) {
            let function = view.frame.function;
            if let Some(place) = self.functions.place(function, symbol) {
                return Ok(place);
            }
            // Memory that no call has for itself is one, by whatever calls the function is reached.
            let is_common = matches!(variable.space, Space::Shared | Space::Global | Space::Const);
            let common = if is_common { self.functions.common_place(function, symbol) } else { None };
            let place = match common {
                Some(place) => place,
                None => self.allocate(view, variable)?,
            };
            self.functions.set_place(function, symbol, place);
            return Ok(place);
        }
        if let Some(&place) = view.frame.params.get(name) {
            return Ok(place);
        }
        if let Some(&place) = self.variables.places.get(name) {
            return Ok(place);
        }
        match self.module.variables().iter().find(|variable| &*variable.name == name) {
            Some(variable) => {
                let place = self.allocate(view, variable)?;
                self.variables.places.insert(name.into(), place);
                Ok(place)
            }
            None if let Some(address) = self.function_address(name) => Ok(Location::Function(address)),
            None => {
                let (site, _) = self.position(view.frame, view.inst);
                Err(Error::UnknownSymbol { site, name: name.into() })
            }
        }
    }

    fn allocate(&mut self, view: &View<'_, 'm>, variable: &Variable) -> Result<Location, Error> {
        let align = u64::from(variable.align.max(1));
        if variable.bytes() > MAX_VARIABLE_BYTES {
            return Err(self.too_large(view, variable));
        }
        match variable.space {
            Space::Shared => {
                self.variables.shared_bytes = self.variables.shared_bytes.next_multiple_of(align);
                // An array without a size begins where the declared variables end; see `dynamic_shared`.
                let offset =
                    if variable.count.is_none() { self.static_shared(view) } else { self.variables.shared_bytes };
                Ok(self.variables.add_shared(variable, offset))
            }
            Space::Local | Space::Param if let Some(host) = self.functions.host => {
                let frame = &mut self.frames.list[host].bytes;
                // Frames begin at multiples of 16, so that no more than that can be promised.
                let offset = frame.next_multiple_of(align);
                *frame = offset.saturating_add(variable.bytes());
                Ok(Location::Frame(offset))
            }
            Space::Local | Space::Param => Ok(self.variables.add_local(variable)),
            Space::Global | Space::Const => {
                let mut next = self.variables.globals.next_key();
                let place = self.variables.add_global(variable);
                // Initial values may be addresses of variables that the kernel does not mention, and so on from there.
                while let Some(global) = self.variables.globals.get(next) {
                    let mentioned: Vec<Box<str>> = global.init.addresses.iter().map(|a| a.name.clone()).collect();
                    for name in mentioned {
                        self.also_needed(view, &name)?;
                    }
                    next = GlobalId::new(next.index() + 1);
                }
                Ok(place)
            }
            space => Err(self.unsupported(view, format!("variables in {space} are not modelled"))),
        }
    }

    fn too_large(&self, view: &View<'_, 'm>, variable: &Variable) -> Error {
        self.unsupported(view, format!("the variable `{}` is larger than 16 GiB", variable.name))
    }

    /// A module variable whose address another one's initial value is.
    fn also_needed(&mut self, view: &View<'_, 'm>, name: &str) -> Result<(), Error> {
        if self.variables.places.contains_key(name) || self.function_address(name).is_some() {
            return Ok(());
        }
        let module = self.module;
        match module.variables().iter().find(|v| &*v.name == name && matches!(v.space, Space::Global | Space::Const)) {
            Some(variable) if variable.bytes() > MAX_VARIABLE_BYTES => Err(self.too_large(view, variable)),
            Some(variable) => {
                self.variables.add_global(variable);
                Ok(())
            }
            None => {
                Err(self.unsupported(view, format!("it needs the address of `{name}`, which is no variable in memory")))
            }
        }
    }

    /// The constant variables of the module, whether the kernel mentions them or not: for each the row of its address and its length.
    pub(super) fn constant_variables(&mut self, view: &View<'_, 'm>) -> Result<Vec<u32>, Error> {
        let module = self.module;
        let mut list = Vec::new();
        for variable in module.variables().iter().filter(|variable| variable.space == Space::Const) {
            let known = self.variables.places.get(&variable.name).copied();
            let place = match known {
                Some(place) => place,
                None => self.allocate(view, variable)?,
            };
            if let Location::Global(number) = place {
                list.push(untagged(self.constant(Width::W64, Source::Global(number, 0))));
                list.push(u32::try_from(variable.bytes()).unwrap_or(u32::MAX));
            }
        }
        Ok(list)
    }

    /// Allocates every sized shared variable that the kernel can see and returns where they end.
    fn static_shared(&mut self, view: &View<'_, 'm>) -> u64 {
        let kernel = view.frame.kernel;
        let mut symbols: Vec<Symbol> = kernel
            .variables()
            .filter(|(_, variable)| variable.space == Space::Shared && variable.count.is_some())
            .map(|(symbol, _)| symbol)
            .collect();
        symbols.sort();
        for symbol in symbols {
            // A shared variable with a size cannot fail to be allocated.
            let _ = self.place(view, symbol);
        }
        let module = self.module;
        let sized = module.variables().iter().filter(|v| v.space == Space::Shared && v.count.is_some());
        for variable in sized {
            if !self.variables.places.contains_key(&variable.name)
                && let Ok(place) = self.allocate(view, variable)
            {
                self.variables.places.insert(variable.name.clone(), place);
            }
        }
        // Dynamic shared memory is aligned as generously as any access needs.
        self.variables.shared_bytes = self.variables.shared_bytes.next_multiple_of(16);
        self.variables.shared_bytes
    }
}
