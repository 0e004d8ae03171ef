//! Replaces bodies of a module by those of another compilation of the same source.
//!
//! A translation unit is compiled twice: as it is, and with markers for a rewriter. The markers may change the optimiser's decisions anywhere.
//! [`Module::splice`] takes the rewritten bodies from the second module. Everything else in the first module stays as it is.
//!
//! - [`inventory`] lists what a module declares, and what each declaration refers to;
//! - [`resolve`] decides what is shared, replaced or added, and under which name;
//! - [`debug`] translates source positions;
//! - [`mod@write`] puts the text together. The text is read again, so that the result is what it prints.

mod debug;
mod inventory;
mod resolve;
mod write;

use thiserror::Error;

use crate::error::Error;
use crate::module::Module;
use inventory::{Content, Inventory};
use resolve::Resolver;

/// The reason why bodies cannot be spliced. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpliceError {
    /// The modules are for different machines or versions.
    #[error("`{directive}` is `{own}` in this module and `{other}` in the other one")]
    Header {
        /// `.version`, `.target`, `.address_size` or `.pragma`.
        directive: &'static str,
        /// Its value in this module.
        own: String,
        /// Its value in the other module.
        other: String,
    },
    /// A module has sections that describe the code byte by byte.
    #[error("debug information cannot be spliced: `{section}` describes the code of its whole module")]
    DebugInformation {
        /// The section.
        section: String,
    },
    /// A name whose body was asked for has none.
    #[error("the other module has no body of `{name}`")]
    NoBody {
        /// The name.
        name: String,
    },
    /// A function is called by a body that has to be taken with it: [`Module::splice_closure`] names them all.
    #[error("`{name}` cannot be taken without `{caller}`, which calls it")]
    Caller {
        /// The function.
        name: String,
        /// The body that calls it in the other module.
        caller: String,
    },
    /// An entry that is not in this module.
    #[error("this module has no entry `{name}`")]
    NoEntry {
        /// Its name.
        name: String,
    },
    /// A name means different things that cannot both be in the module.
    #[error("`{name}` is `{own}` in this module and `{other}` in the other one")]
    Differs {
        /// The name.
        name: String,
        /// The declaration in this module.
        own: String,
        /// The declaration in the other module.
        other: String,
    },
    /// A variable that would be added seems to be one that this module has under another name, so that there would be two.
    #[error("`{name}` of the other module may be the variable `{own}` of this one")]
    Alike {
        /// The name in the other module.
        name: String,
        /// The name in this module.
        own: String,
    },
    /// One variable of a declaration would be shared, another one added.
    #[error("`{name}` is declared together with `{sibling}`, which this module has already")]
    Together {
        /// The variable that this module lacks.
        name: String,
        /// The one that it has.
        sibling: String,
    },
    /// A body or a variable would mention what this module declares only behind it.
    #[error("`{user}` mentions `{name}`, which this module declares only behind it")]
    Order {
        /// The name that is mentioned.
        name: String,
        /// By what.
        user: String,
    },
    /// A body has something of its own under a name that it must use for something of the module.
    #[error("`{function}` cannot mention `{name}`, because it declares a `{name}` itself")]
    Hidden {
        /// The function.
        function: String,
        /// The name.
        name: String,
    },
    /// A `.loc` names a function by something that is no string.
    #[error("`{label}+{offset}` is no string of `.debug_str` in the other module")]
    String {
        /// The label.
        label: String,
        /// The name that is added to it.
        offset: i64,
    },
    /// The result does not read, because one of the modules says something that this edit does not know.
    #[error("the result cannot be read: {0}")]
    Unreadable(Error),
}

impl SpliceError {
    fn debug(section: &str) -> SpliceError {
        SpliceError::DebugInformation { section: section.to_owned() }
    }

    /// The way out for the user.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            SpliceError::Header { .. } => "compile both modules with the same options",
            SpliceError::DebugInformation { .. } => "compile with `-lineinfo` instead of `-G`",
            SpliceError::NoBody { .. } | SpliceError::NoEntry { .. } => "see `Module::kernels`",
            SpliceError::Caller { .. } => "take what `Module::splice_closure` names",
            SpliceError::Differs { .. } | SpliceError::Together { .. } | SpliceError::Order { .. } => {
                "compile both modules from the same source; if they are, take the whole other module"
            }
            SpliceError::Alike { .. } => "compile both modules under the same file name",
            SpliceError::Hidden { .. } => "rename what the function declares",
            SpliceError::String { .. } => "compile without `-lineinfo`",
            SpliceError::Unreadable(_) => "take the whole other module",
        }
    }
}

impl Module {
    /// Replaces the bodies of entries and functions by those of another compilation of the same source.
    ///
    /// All text outside of these bodies stays byte for byte; what the new bodies need and this module lacks is inserted in front of the first of
    /// them. A header goes with its body.
    ///
    /// An entry is replaced in its place. So is a function that both modules have with the same declaration, if its callers are not all known:
    /// it is visible outside, or its address is taken. Of all other functions the optimiser may have changed the parameters in one of the
    /// modules, and equal declarations do not show it (`.b64` may be a pointer, or what it led to). Their callers have to be taken too: see
    /// [`Module::splice_closure`]. Such a function is added beside the one that this module has, unless nothing else calls that one.
    ///
    /// Things that a taken body refers to:
    ///
    /// - A variable that both modules have with the same declaration and initial value is shared, so that it stays one object.
    /// - A constant that the compiler made, such as `$str$1`, is shared with one of the same value, or added under a free name.
    /// - A function that both have with the same declaration is shared if its callers are not all known, or if both have the same body.
    /// - Files and names of inlined functions in `.loc` are those of this module, or are added to it.
    /// - Everything else is added, under a fresh name if its name is taken.
    ///
    /// The module is read anew: ids that edited kernels gave before hold no longer.
    ///
    /// # Errors
    /// [`SpliceError`] if the modules do not fit together. The module is then as it was.
    pub fn splice(&mut self, other: &Module, names: &[&str]) -> Result<(), SpliceError> {
        let own = Inventory::of(self);
        let other = Inventory::of(other);
        check_headers(&own, &other)?;
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return Ok(());
        }
        let mut resolver = Resolver::new(&own, &other);
        resolver.resolve(&names)?;
        let text = write::write(&own, &other, resolver)?;
        let module = Module::parse(&text).map_err(|errors| SpliceError::Unreadable(errors.first().clone()))?;
        *self = module;
        Ok(())
    }

    /// Returns the names that [`Module::splice`] has to be given so that functions rewritten in another module are used, in the textual order
    /// of that module.
    ///
    /// Beside the rewritten functions, these are the callers in the other module of each that cannot be replaced in its place, and their callers
    /// if the same holds for them. Names that the other module does not have are left out.
    #[must_use]
    pub fn splice_closure(&self, other: &Module, rewritten: &[&str]) -> Vec<String> {
        resolve::closure(&Inventory::of(self), &Inventory::of(other), rewritten)
    }
}

/// Refuses modules that do not fit together as a whole.
fn check_headers(own: &Inventory<'_>, other: &Inventory<'_>) -> Result<(), SpliceError> {
    let version = |inventory: &Inventory<'_>| {
        inventory.module.version().map_or(String::new(), |(major, minor)| format!("{major}.{minor}"))
    };
    let pragmas = |inventory: &Inventory<'_>| {
        let list = inventory.contents.values().filter_map(|content| match content {
            Content::Pragma(text) => Some(&**text),
            _ => None,
        });
        list.collect::<Vec<_>>().join(" ")
    };
    let values = |inventory: &Inventory<'_>| {
        let (target, size) = (inventory.module.target().join(", "), inventory.module.address_size().to_string());
        [
            (".version", version(inventory)),
            (".target", target),
            (".address_size", size),
            (".pragma", pragmas(inventory)),
        ]
    };
    for ((directive, own), (_, other)) in values(own).into_iter().zip(values(other)) {
        if own != other {
            return Err(SpliceError::Header { directive, own, other });
        }
    }
    let sections = own.contents.values().chain(other.contents.values()).find_map(|content| match content {
        Content::Section(name) if *name != ".debug_str" => Some(SpliceError::debug(name)),
        _ => None,
    });
    sections.map_or(Ok(()), Err)
}
