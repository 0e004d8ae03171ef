//! Random loops that look as if they waited for nobody: they read words, test bits of them, help others by comparing and swapping, follow what they read to other words,
//! count, claim and give back. Some of them wait for another lane all the same, in ways that nobody has thought of.
//!
//! ```text
//! AGAIN: v = word; if (v & 1) { CAS(&other[v >> 1 & 1], v, v & ~1); goto AGAIN; }
//!        if (other[v & 1]) { CAS(&word, v, v ^ 3); goto AGAIN; }
//!        if (CAS(&word, v, v | 1) != v) goto AGAIN;
//!        word = 0;
//! ```
//!
//! Unlike the programs of `program.rs` they are not all of a shape, but drawn by a seed; what may become of them is searched in the same way.

use std::fmt::Write as _;

use crate::generate::Random;

/// The words that a program has: the first is what lanes contend for, two are found by what is read, the last is for anything.
const WORDS: usize = 4;

/// A program whose lanes, all or all but the first, run one loop.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// A module with a kernel `k`, which takes the address of the words.
    pub ptx: String,
    /// The number of lanes that run it.
    pub lanes: usize,
    /// The initial values of the words.
    pub words: Vec<u32>,
}

/// The program of a seed.
#[must_use]
pub fn attempt(seed: u64) -> Attempt {
    let mut random = Random::new(seed ^ 0xa77e_3b75);
    let lanes = 2 + usize::from(random.chance(25));
    let words = (0..WORDS).map(|_| if random.chance(70) { 0 } else { random.below(4) }).collect();
    let mut writer =
        Writer { random, body: String::new(), registers: 2, addresses: 1, predicates: 0, values: Vec::new() };
    writer.program();
    let Writer { body, registers, addresses, predicates, .. } = writer;
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 words)\n{{\n\
         .reg .b32 %r<{}>;\n.reg .b64 %rd<{}>;\n.reg .pred %p<{}>;\n\
         ld.param.u64 %rd1, [words];\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\n{body}END:\nret;\n}}\n",
        registers + 1,
        addresses + 1,
        predicates + 1
    );
    Attempt { ptx, lanes, words }
}

/// The number of the lane and one more.
const OWN: &str = "%r2";

struct Writer {
    random: Random,
    body: String,
    registers: u32,
    addresses: u32,
    predicates: u32,
    /// The registers that hold something where the next line is written.
    values: Vec<String>,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        _ = writeln!(self.body, "{}", line.as_ref());
    }

    fn register(&mut self) -> String {
        self.registers += 1;
        format!("%r{}", self.registers)
    }

    fn program(&mut self) {
        if self.random.chance(25) {
            // The first lane only writes.
            self.line("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra START;");
            self.predicates = 1;
            (0..=self.random.below(3)).for_each(|_| self.write());
            self.line("bra END;\nSTART:");
        }
        self.values.clear();
        if self.random.chance(20) {
            self.write();
        }
        let ticket = self.random.chance(15).then(|| self.count());
        let word = self.register();
        // What is looked at next is read again, or what the atomic of the last round has found.
        let carried = self.random.chance(35);
        self.values = ticket.into_iter().collect();
        if carried {
            self.read(&word, "[%rd1]");
            self.line("AGAIN:");
        } else {
            self.line("AGAIN:");
            self.read(&word, "[%rd1]");
        }
        self.values.push(word.clone());
        let known = self.values.clone();
        for way in 0..self.random.below(3) {
            let past = format!("PAST{way}");
            self.test(&word, &past);
            (0..self.random.below(3)).for_each(|_| self.act());
            if carried && self.random.chance(60) {
                self.read(&word, "[%rd1]");
            }
            let to = if self.random.chance(85) { "AGAIN" } else { "OUT" };
            self.line(format!("bra {to};\n{past}:"));
            self.values.clone_from(&known);
        }
        if self.random.chance(30) {
            self.look();
        }
        if self.random.chance(12) {
            self.walk();
        }
        if self.random.chance(12) {
            let number = self.count();
            self.values.push(number.clone());
            let label = if self.random.chance(50) { "AGAIN" } else { "OUT" };
            self.test(&number, label);
        }
        if self.random.chance(20) {
            self.act();
        }
        if self.random.chance(85) {
            self.attempt(&word, carried);
        }
        self.line("OUT:");
        // On the ways that lead here, other registers may hold nothing yet.
        self.values = known;
        (0..self.random.below(2)).for_each(|_| self.write());
        if self.random.chance(70) {
            self.give_back(&word);
        }
    }

    /// Writes the first word once more, so that another lane may get on.
    fn give_back(&mut self, word: &str) {
        let line = match self.random.below(6) {
            0 | 1 => format!("st.volatile.global.u32 [%rd1], {};", self.random.below(3)),
            2 => format!("atom.global.exch.b32 {}, [%rd1], {word};", self.register()),
            3 => format!("atom.global.and.b32 {}, [%rd1], -{};", self.register(), 2 + self.random.below(3)),
            _ => format!("atom.global.exch.b32 {}, [%rd1], {};", self.register(), self.number()),
        };
        self.line(line);
    }

    /// Reads a word.
    fn read(&mut self, to: &str, at: &str) {
        let line = match self.random.below(6) {
            0 => format!("atom.global.or.b32 {to}, {at}, 0;"),
            1 => format!("atom.global.cas.b32 {to}, {at}, 0, 0;"),
            _ => format!("ld.volatile.global.u32 {to}, {at};"),
        };
        self.line(line);
    }

    /// A place: a word, or one of two that something says.
    fn place(&mut self) -> String {
        if self.random.chance(6) {
            return self.chosen_place();
        }
        if self.values.is_empty() || self.random.chance(65) {
            return format!("[%rd1+{}]", 4 * self.random.below(WORDS as u32));
        }
        let value = self.random.pick(&self.values).clone();
        let value = self.shifted(value, 40);
        let (bit, scaled) = (self.register(), self.register());
        self.addresses += 2;
        let (offset, at) = (self.addresses - 1, self.addresses);
        self.line(format!("and.b32 {bit}, {value}, 1;\nshl.b32 {scaled}, {bit}, 2;"));
        self.line(format!("cvt.u64.u32 %rd{offset}, {scaled};\nadd.s64 %rd{at}, %rd1, %rd{offset};"));
        format!("[%rd{at}+4]")
    }

    /// One of two places, by what another word says.
    fn chosen_place(&mut self) -> String {
        let read = self.register();
        let from = format!("[%rd1+{}]", 4 * self.random.below(WORDS as u32));
        self.read(&read, &from);
        let [one, other] = [(); 2].map(|()| 4 * self.random.below(WORDS as u32));
        self.addresses += 3;
        self.predicates += 1;
        let (first, second, at, by) = (self.addresses - 2, self.addresses - 1, self.addresses, self.predicates);
        self.line(format!("add.s64 %rd{first}, %rd1, {one};\nadd.s64 %rd{second}, %rd1, {other};"));
        let number = self.random.below(2);
        self.line(format!("setp.ne.u32 %p{by}, {read}, {number};"));
        self.line(format!("selp.b64 %rd{at}, %rd{first}, %rd{second}, %p{by};"));
        format!("[%rd{at}]")
    }

    fn shifted(&mut self, value: String, percent: u32) -> String {
        if !self.random.chance(percent) {
            return value;
        }
        let shifted = self.register();
        self.line(format!("shr.u32 {shifted}, {value}, 1;"));
        shifted
    }

    /// Something that is written: a number, the lane's own, or what is made of something that was read.
    fn number(&mut self) -> String {
        match self.random.below(10) {
            0 | 1 => self.random.below(4).to_string(),
            2 => OWN.to_owned(),
            3 => {
                let number = self.register();
                self.line(format!("shl.b32 {number}, {OWN}, 1;"));
                if self.random.chance(60) { self.computed(&number, "or.b32", "1") } else { number }
            }
            _ => self.changed(),
        }
    }

    fn changed(&mut self) -> String {
        let value = match self.values.is_empty() {
            true => OWN.to_owned(),
            false => self.random.pick(&self.values).clone(),
        };
        if self.random.chance(20) {
            return self.turned(&value);
        }
        let (operation, number) = *self.random.pick(&[
            ("or.b32", "1"),
            ("or.b32", "2"),
            ("and.b32", "-2"),
            ("and.b32", "-3"),
            ("and.b32", "1"),
            ("xor.b32", "1"),
            ("add.u32", "1"),
            ("add.u32", "2"),
            ("add.u32", "-1"),
            ("or.b32", OWN),
            ("shr.u32", "1"),
            ("mov.u32", ""),
        ]);
        match operation {
            "mov.u32" => value,
            _ => self.computed(&value, operation, number),
        }
    }

    /// Returns what comes back to a value after some rounds: by a permutation, by a choice from numbers, or by a table in memory.
    fn turned(&mut self, value: &str) -> String {
        match self.random.below(4) {
            0 => {
                let number = (2 + self.random.below(2)).to_string();
                self.computed(value, "xor.b32", &number)
            }
            1 => {
                let (less, cut) = (self.register(), self.register());
                self.line(format!("sub.u32 {less}, 1, {value};\nand.b32 {cut}, {less}, 3;"));
                cut
            }
            2 => {
                let chosen = self.register();
                self.predicates += 1;
                let by = self.predicates;
                let [compared, one, other] = [(); 3].map(|()| self.random.below(4));
                self.line(format!(
                    "setp.eq.u32 %p{by}, {value}, {compared};\nselp.b32 {chosen}, {one}, {other}, %p{by};"
                ));
                chosen
            }
            _ => {
                let (bit, scaled, link) = (self.register(), self.register(), self.register());
                self.addresses += 2;
                let (offset, at) = (self.addresses - 1, self.addresses);
                self.line(format!("and.b32 {bit}, {value}, 1;\nshl.b32 {scaled}, {bit}, 2;"));
                self.line(format!("cvt.u64.u32 %rd{offset}, {scaled};\nadd.s64 %rd{at}, %rd1, %rd{offset};"));
                self.read(&link, &format!("[%rd{at}+4]"));
                link
            }
        }
    }

    fn computed(&mut self, value: &str, operation: &str, number: &str) -> String {
        let computed = self.register();
        self.line(format!("{operation} {computed}, {value}, {number};"));
        // Numbers that only ever grow have no end that a search comes to.
        if operation == "add.u32" {
            let cut = self.register();
            self.line(format!("and.b32 {cut}, {computed}, 7;"));
            return cut;
        }
        computed
    }

    /// A branch to a label by what a register holds.
    fn test(&mut self, register: &str, label: &str) {
        let tested = match self.random.below(4) {
            0 => register.to_owned(),
            1 => self.computed(register, "and.b32", "1"),
            2 => self.computed(register, "and.b32", "2"),
            _ => self.shifted(register.to_owned(), 50),
        };
        let relation = *self.random.pick(&["eq", "eq", "ne", "ne", "lt", "gt"]);
        let against = if self.random.chance(75) { self.random.below(3).to_string() } else { OWN.to_owned() };
        self.branch(&format!("{relation}.u32"), &tested, &against, label);
    }

    fn branch(&mut self, relation: &str, one: &str, other: &str, label: &str) {
        self.predicates += 1;
        let predicate = format!("%p{}", self.predicates);
        self.line(format!("setp.{relation} {predicate}, {one}, {other};\n@{predicate} bra {label};"));
    }

    /// Another word that the way depends on.
    fn look(&mut self) {
        let (place, read) = (self.place(), self.register());
        self.read(&read, &place);
        self.values.push(read.clone());
        let label = if self.random.chance(75) { "AGAIN" } else { "OUT" };
        self.test(&read, label);
    }

    /// Reads one of two words again and again, the next one where the last one says, until it is something.
    fn walk(&mut self) {
        let at = self.register();
        let from = self.random.pick(&self.values).clone();
        let [bit, scaled] = [(); 2].map(|()| self.register());
        self.addresses += 2;
        let (offset, address) = (self.addresses - 1, self.addresses);
        self.line(format!("mov.u32 {at}, {from};\nWALK:\nand.b32 {bit}, {at}, 1;\nshl.b32 {scaled}, {bit}, 2;"));
        self.line(format!("cvt.u64.u32 %rd{offset}, {scaled};\nadd.s64 %rd{address}, %rd1, %rd{offset};"));
        self.read(&at, &format!("[%rd{address}+4]"));
        self.test(&at, "WALK");
        self.values.push(at);
    }

    /// Takes a number that an atomic gives out.
    fn count(&mut self) -> String {
        let (place, number) = (self.place(), self.register());
        let line = match self.random.below(3) {
            0 => format!("atom.global.add.u32 {number}, {place}, 1;"),
            1 => format!("atom.global.inc.u32 {number}, {place}, {};", 1 + self.random.below(6)),
            _ => format!("atom.global.dec.u32 {number}, {place}, {};", 1 + self.random.below(6)),
        };
        self.line(line);
        number
    }

    /// Reads, swaps or writes.
    fn act(&mut self) {
        if self.random.chance(25) {
            let (place, read) = (self.place(), self.register());
            self.read(&read, &place);
            self.values.push(read);
        } else {
            self.write();
        }
    }

    fn write(&mut self) {
        let place = self.place();
        let line = match self.random.below(10) {
            0 => format!("st.volatile.global.u32 {place}, {};", self.number()),
            1 => format!("atom.global.exch.b32 {}, {place}, {};", self.register(), self.number()),
            2 => format!("atom.global.or.b32 {}, {place}, {};", self.register(), self.random.below(4)),
            3 => format!("atom.global.and.b32 {}, {place}, -{};", self.register(), 1 + self.random.below(4)),
            _ => {
                let (wanted, new) = (self.number(), self.number());
                format!("atom.global.cas.b32 {}, {place}, {wanted}, {new};", self.register())
            }
        };
        self.line(line);
    }

    /// Writes an attempt, by which a lane leaves the loop or goes round again.
    fn attempt(&mut self, word: &str, carried: bool) {
        let found = self.register();
        let (wanted, line) = match self.random.below(8) {
            0 => {
                let new = self.number();
                (None, format!("atom.global.exch.b32 {found}, [%rd1], {new};"))
            }
            1 => (None, format!("atom.global.or.b32 {found}, [%rd1], {};", 1 + self.random.below(3))),
            2 => {
                let (wanted, new) = (self.random.below(3).to_string(), self.number());
                let line = format!("atom.global.cas.b32 {found}, [%rd1], {wanted}, {new};");
                (Some(wanted), line)
            }
            3 => {
                // Somewhere else, or with what was read somewhere else.
                let wanted = self.random.pick(&self.values).clone();
                let (place, new) = (self.place(), self.number());
                let line = format!("atom.global.cas.b32 {found}, {place}, {wanted}, {new};");
                (Some(wanted), line)
            }
            _ => {
                let new = self.number();
                let line = format!("atom.global.cas.b32 {found}, [%rd1], {word}, {new};");
                (Some(word.to_owned()), line)
            }
        };
        self.line(line);
        match wanted {
            Some(wanted) if carried => {
                self.branch("eq.u32", &found, &wanted, "OUT");
                self.line(format!("mov.u32 {word}, {found};\nbra AGAIN;"));
            }
            Some(wanted) => self.branch("ne.u32", &found, &wanted, "AGAIN"),
            None if carried => {
                self.test(&found, "OUT");
                self.line(format!("mov.u32 {word}, {found};\nbra AGAIN;"));
            }
            None => self.test(&found, "AGAIN"),
        }
    }
}
