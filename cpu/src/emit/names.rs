//! Identifiers of C for registers, variables and functions, and the places of variables.

use cranelift_entity::SecondaryMap;
use ptx_parser::{Kernel, Module, Operand, Parameter, Reg, Space, StmtKind, Symbol, Type, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::refusal::Refusal;

/// The place of a variable or parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// At an offset of the shared memory of the block.
    Shared(u64),
    /// The shared memory whose size the launch decides.
    DynamicShared,
    /// At an offset of the local memory of the thread.
    Local(u64),
    /// A global or constant variable, which is an array of C with this name.
    Global(String),
    /// At an offset of the parameters of the kernel or function that runs.
    Param(u64),
    /// A parameter of calls, at an offset of the local memory of the thread.
    Call(u64),
    /// A result of the function that runs, at an offset of its results.
    Result(u64),
    /// A function of C.
    Function(String),
}

/// The variables of a module, which all kernels share.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleNames {
    /// Identifiers that are taken at file level.
    taken: FxHashSet<String>,
    places: FxHashMap<Box<str>, Place>,
    /// The functions that have bodies.
    bodies: FxHashSet<Box<str>>,
    /// The constant variables: names and bytes.
    pub(crate) constants: Vec<(String, u64)>,
    /// Bytes of static shared memory that the module's variables take.
    pub(crate) shared_bytes: u64,
}

/// The names of one kernel or function.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    regs: SecondaryMap<Reg, String>,
    /// The registers that hold floats of C, with any NaN.
    floats: FxHashMap<Reg, Type>,
    /// The variables that hold addresses of the block's memory which differ by a stride between lanes of a row, with their signs.
    row_addresses: FxHashMap<Reg, String>,
    places: FxHashMap<Symbol, Place>,
    /// Bytes of static shared memory, those of the module among them.
    pub(crate) shared_bytes: u64,
    /// Bytes of local memory of a thread.
    pub(crate) local_bytes: u64,
    /// Bytes of its parameters.
    pub(crate) param_bytes: u64,
}

/// The words that C and C++ reserve, the names of the runtime's headers that text may clash with, and those that emitted code declares in every function.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "const",
    "constexpr",
    "const_cast",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "cta",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "main",
    "memcpy",
    "memset",
    "printf",
    "malloc",
    "free",
    "lane",
    "lanes",
    "l",
    "x",
    "y",
    "z",
    "row",
    "first",
    "from",
    "given",
    "pause",
    "position",
    "members",
    "now",
    "taken",
    "together",
    "values",
    "inside",
    "warp",
    "thread",
    "tid",
    "params",
    "results",
    "local",
    "shared",
    "group",
    "at",
    "state",
    "carry",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "NAN",
    "INFINITY",
    "NULL",
    "EOF",
    "unix",
    "linux",
];

/// The beginnings of the names under which emitted code keeps registers: for a thread of the block, for a row, for all lanes of a row, for each of them, and as an address.
const PREFIXES: &[&str] = &["s_", "row_", "u_", "v_", "a_", "m_b"];

/// Turns a name of PTX into an identifier of C that nobody else has: `%r1` into `r1`, `_Z1kPi` into itself.
fn identifier(name: &str, taken: &mut FxHashSet<String>) -> String {
    let mut text: String =
        name.trim_start_matches('%').chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // Names with two underscores, or with one before a capital, belong to the implementation, and those with a digit in front to nobody.
    let reserved = |text: &str| {
        RESERVED.contains(&text)
            || PREFIXES.iter().any(|prefix| text.starts_with(prefix))
            || text.starts_with("pxrw")
            || text.starts_with("__")
            || text.is_empty()
            || text.starts_with(|c: char| c.is_ascii_digit())
    };
    if reserved(&text) {
        text.insert_str(0, "r_");
    }
    let mut unique = text.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{text}_{number}");
        number += 1;
    }
    unique
}

impl ModuleNames {
    /// Gives each variable and function of a module its name or place.
    pub(crate) fn of(module: &Module) -> ModuleNames {
        let mut names = ModuleNames::default();
        for kernel in module.kernels() {
            let name = identifier(kernel.name(), &mut names.taken);
            // The function that launches it.
            names.taken.insert(format!("{name}_launch_packed"));
            names.places.insert(kernel.name().into(), Place::Function(name));
            if kernel.has_body() {
                names.bodies.insert(kernel.name().into());
            }
        }
        for variable in module.variables() {
            let place = match variable.space {
                Space::Shared => Place::Shared(names.add_shared(variable)),
                _ => Place::Global(identifier(&variable.name, &mut names.taken)),
            };
            if let (Space::Const, Place::Global(name)) = (variable.space, &place) {
                names.constants.push((name.clone(), variable.bytes()));
            }
            names.places.insert(variable.name.clone(), place);
        }
        names
    }

    fn add_shared(&mut self, variable: &Variable) -> u64 {
        // Memory without a size comes behind all other shared memory; `Names::of` knows where that is.
        let offset = self.shared_bytes.next_multiple_of(u64::from(variable.align.max(1)));
        self.shared_bytes = offset.saturating_add(variable.bytes());
        offset
    }

    /// Returns true for a function that has a body.
    pub(crate) fn has_body(&self, name: &str) -> bool {
        self.bodies.contains(name)
    }

    /// The place of a variable or function.
    pub(crate) fn place(&self, name: &str) -> Option<&Place> {
        self.places.get(name)
    }
}

/// The alignment of the shared memory whose size a launch decides. It lies behind all other shared memory.
pub(crate) const DYNAMIC_ALIGN: u64 = 16;

impl Names {
    /// Gives each register and variable of a kernel or function its name or place.
    pub(crate) fn of(kernel: &Kernel, module: &ModuleNames) -> Names {
        let mut taken = module.taken.clone();
        let mut names = Names {
            regs: SecondaryMap::new(),
            floats: super::raw::registers(kernel),
            row_addresses: FxHashMap::default(),
            places: FxHashMap::default(),
            shared_bytes: module.shared_bytes,
            local_bytes: 0,
            param_bytes: layout(kernel.params()).1,
        };
        for reg in kernel.regs() {
            names.regs[reg] = match kernel.carry_flag() == Some(reg) {
                true => "carry".to_owned(),
                false => identifier(kernel.reg_name(reg), &mut taken),
            };
        }
        for (parameters, is_result) in [(kernel.params(), false), (kernel.results(), true)] {
            for (parameter, offset) in parameters.iter().zip(layout(parameters).0) {
                if let Some(symbol) = kernel.parameter_symbol(parameter) {
                    names.places.insert(symbol, if is_result { Place::Result(offset) } else { Place::Param(offset) });
                }
            }
        }
        for stmt in kernel.stmts() {
            let StmtKind::Variables(symbols) = &stmt.kind else { continue };
            for &symbol in symbols.iter() {
                let Some(variable) = kernel.variable(symbol) else { continue };
                names.declare(symbol, variable);
            }
        }
        names.shared_bytes = names.shared_bytes.next_multiple_of(DYNAMIC_ALIGN);
        // So that what is aligned for one thread is aligned for the next one.
        names.local_bytes = names.local_bytes.next_multiple_of(DYNAMIC_ALIGN);
        names
    }

    fn declare(&mut self, symbol: Symbol, variable: &Variable) {
        let next = |bytes: &mut u64| {
            let offset = bytes.next_multiple_of(u64::from(variable.align.max(1)));
            *bytes = offset.saturating_add(variable.bytes());
            offset
        };
        let place = match variable.space {
            Space::Shared => Place::Shared(next(&mut self.shared_bytes)),
            Space::Local => Place::Local(next(&mut self.local_bytes)),
            // They live in the thread's memory, because threads may meet between the accesses to them and the call.
            Space::Param => Place::Call(next(&mut self.local_bytes)),
            _ => return,
        };
        self.places.insert(symbol, place);
    }

    /// The variable of C that holds a register.
    pub(crate) fn reg(&self, reg: Reg) -> &str {
        &self.regs[reg]
    }

    /// The type of a register that holds a float of C; `None` for one that holds bits.
    pub(crate) fn float(&self, reg: Reg) -> Option<Type> {
        self.floats.get(&reg).copied()
    }

    /// The type of C of a register.
    pub(crate) fn ty(&self, kernel: &Kernel, reg: Reg) -> &'static str {
        match self.float(reg) {
            Some(Type::F64) => "double",
            Some(_) => "float",
            None => c_type(kernel.reg(reg).ty),
        }
    }

    /// The same names with a prefix before those of some registers.
    pub(crate) fn prefixed(&self, prefix: &str, regs: impl Iterator<Item = Reg>) -> Names {
        let mut names = self.clone();
        for reg in regs {
            names.regs[reg].insert_str(0, prefix);
        }
        names
    }

    /// The same names, and those of the variables in which a lane keeps addresses of the block's memory.
    pub(crate) fn with_row_addresses(&self, regs: impl Iterator<Item = Reg>) -> Names {
        let mut names = self.clone();
        names.row_addresses = regs.map(|reg| (reg, format!("a_{}", self.reg(reg)))).collect();
        names
    }

    /// The variable of a register that holds an address of the block's memory as a signed number of 64 bits.
    pub(crate) fn row_address(&self, reg: Reg) -> Option<&str> {
        self.row_addresses.get(&reg).map(String::as_str)
    }

    /// The place of a variable, parameter or function that a kernel mentions.
    pub(crate) fn place<'n>(&'n self, kernel: &Kernel, module: &'n ModuleNames, symbol: Symbol) -> Option<Place> {
        if let Some(place) = self.places.get(&symbol) {
            return Some(place.clone());
        }
        let sized = kernel.variable_in_scope(symbol).is_none_or(|variable| variable.count.is_some());
        match module.place(kernel.symbol_name(symbol))? {
            Place::Shared(_) if !sized => Some(Place::DynamicShared),
            place => Some(place.clone()),
        }
    }
}

/// Returns the offsets of parameters or results, and the bytes of all together.
pub(crate) fn layout(parameters: &[Parameter]) -> (Vec<u64>, u64) {
    let mut end = 0;
    let offsets = parameters.iter().map(|parameter| {
        let offset = u64::next_multiple_of(end, u64::from(parameter.align.max(1)));
        end = offset + parameter.bytes();
        offset
    });
    (offsets.collect(), end)
}

/// The type of C that holds the bits of a register.
pub(crate) fn c_type(ty: Type) -> &'static str {
    match ty {
        Type::Pred => "uint8_t",
        _ => match ty.bits() {
            ..=8 => "uint8_t",
            9..=16 => "uint16_t",
            17..=32 => "uint32_t",
            33..=64 => "uint64_t",
            _ => "pxrw_u128",
        },
    }
}

/// The element of an operand that is a vector: the operand itself for any other.
pub(crate) fn elements<'k>(kernel: &'k Kernel, operand: &'k Operand) -> &'k [Operand] {
    match operand.list() {
        Some(list) => kernel.list(list),
        None => std::slice::from_ref(operand),
    }
}

/// Refuses a name that has no place.
pub(crate) fn unknown(kernel: &Kernel, symbol: Symbol) -> Refusal {
    Refusal::declaration(kernel.name(), kernel.symbol_name(symbol), "it is declared nowhere")
}
