//! Looks an opcode up: which forms have its modifiers, what it does, and what its operands must be.

use smallvec::SmallVec;

use super::availability::Needs;
use super::comparison::comparison;
use super::effect::Effect;
use super::lexicon::{Form, Lexicon, SEQUENCES, Set, Slot, lexicon};
use super::linear::linear;
use super::logic::logic;
use super::properties::{Class, Flow, Memory, Ordering, Properties, Scope};
use super::reduction_steps::running;
use super::signature::{Shape, Signature};
use super::throughput::throughput;
use super::typing::{Reason, Typing};
use super::words::{Mnemonic, Modifier};
use crate::types::{Space, Type};

/// The entry of the table for an opcode.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) spelled: Spelled,
    pub(crate) properties: Properties,
    pub(crate) typing: Typing,
    /// The operands that its forms may have; several where the modifiers leave it open.
    pub(crate) signatures: SmallVec<[Signature; 1]>,
}

/// The words of an opcode.
#[derive(Clone, Debug)]
pub(crate) struct Spelled {
    pub(crate) mnemonic: Mnemonic,
    /// All words behind the mnemonic, in their order.
    pub(crate) modifiers: SmallVec<[Modifier; 6]>,
    /// The modifiers that are types, in their order.
    pub(crate) types: SmallVec<[Type; 2]>,
}

impl Spelled {
    fn new(mnemonic: Mnemonic, modifiers: SmallVec<[Modifier; 6]>) -> Spelled {
        let types = modifiers.iter().filter_map(|modifier| modifier.ty()).collect();
        Spelled { mnemonic, modifiers, types }
    }

    pub(crate) fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }
}

/// The result of matching the modifiers of an opcode with a form.
enum Fit<'a> {
    /// All of them do, and nothing is missing; this is what they need.
    Whole(Needs),
    /// One does not: it has this place.
    Extra(usize),
    /// All do, but this slot is empty, and as many in all.
    Missing(&'a Slot, usize),
}

/// The modifiers that the assembler takes twice.
const REPEATABLE: [&str; 9] = ["NaN", "approx", "cc", "relu", "sat", "satfinite", "shiftamt", "sync", "uni"];

/// More modifiers than any form has.
const MOST_MODIFIERS: usize = 40;

/// Looks up an opcode by its text, without blanks.
pub(crate) fn resolve(text: &str) -> Resolved {
    let mut words = text.split('.');
    let mnemonic = words.next().unwrap_or("");
    let words: SmallVec<[&str; 8]> = words.collect();
    let Some(lexicon) = lexicon(mnemonic) else {
        let spelled = Spelled::new(Mnemonic::Other, words.iter().map(|word| Modifier::from_text(word)).collect());
        return opaque(Reason::Mnemonic(mnemonic.into()), None, spelled);
    };
    let mut numbers: SmallVec<[u8; 8]> = SmallVec::new();
    let mut modifiers: SmallVec<[Modifier; 6]> = SmallVec::new();
    let mut unknown = None;
    for word in &words {
        match lexicon.number(word) {
            Some(number) => {
                modifiers.push(lexicon.modifier(number));
                numbers.push(number);
            }
            None => {
                modifiers.push(Modifier::from_text(word));
                unknown = unknown.or(Some(*word));
            }
        }
    }
    let spelled = Spelled::new(lexicon.mnemonic, modifiers);
    let effect = lexicon.forms.first();
    // No form has as many; the search below is quadratic in their number.
    let crowded = words.get(MOST_MODIFIERS).copied();
    if let Some(word) = unknown.or(crowded) {
        let reason = Reason::Modifier { mnemonic: mnemonic.into(), modifier: word.into() };
        return opaque(reason, effect, spelled);
    }
    let present = Set::of(&numbers);
    let fits: SmallVec<[(&Form, Needs); 4]> = lexicon
        .forms
        .iter()
        .filter(|form| form.may_fit(&present))
        .filter_map(|form| match fit(form, lexicon, &numbers) {
            Fit::Whole(needs) => Some((form, needs)),
            _ => None,
        })
        .collect();
    let Some((form, needs)) = fits.first().copied() else {
        return opaque(why(lexicon, mnemonic, &words, &numbers), effect, spelled);
    };
    if let Some(place) = misplaced(lexicon, &numbers) {
        let modifier = words.get(place).copied().unwrap_or("");
        let reason = Reason::Order { modifier: modifier.into(), right: ordered(lexicon, mnemonic, &numbers).into() };
        return opaque(reason, effect, spelled);
    }
    let shape = Shape::of(&spelled.modifiers);
    let signatures = fits.iter().map(|(form, needs)| signature(form, *needs, &spelled.types, shape)).collect();
    let properties = properties(form, &spelled, needs);
    Resolved { spelled, properties, typing: Typing::Known, signatures }
}

/// The first modifier that belongs to the name of the instruction but does not stand where the name has it.
fn misplaced(lexicon: &Lexicon, numbers: &[u8]) -> Option<usize> {
    let places = || numbers.iter().map(|&number| lexicon.place_in_name(number));
    let name = places().take_while(|place| *place > 0).count();
    let unordered = places()
        .take(name)
        .zip(places().skip(1).take(name.saturating_sub(1)))
        .position(|(first, second)| second < first);
    let behind = || places().skip(name).position(|place| place > 0).map(|at| name + at);
    unordered.map(|at| at + 1).or_else(behind)
}

/// The opcode with its name in front.
fn ordered(lexicon: &Lexicon, mnemonic: &str, numbers: &[u8]) -> String {
    let mut numbers: SmallVec<[u8; 8]> = numbers.into();
    numbers.sort_by_key(|number| lexicon.place_in_name(*number).wrapping_sub(1));
    numbers.iter().fold(mnemonic.to_owned(), |opcode, &number| opcode + "." + lexicon.text(number))
}

/// An opcode that no form has. Only where control goes is still believed, so that the graph of the kernel stays right.
fn opaque(reason: Reason, form: Option<&'static Form>, spelled: Spelled) -> Resolved {
    let flow = form.map_or(Flow::Next, |form| form.effect.flow);
    let properties = match flow {
        Flow::Next => Properties::UNKNOWN,
        flow => Properties { flow, roles: "r", ..Properties::UNKNOWN },
    };
    Resolved { spelled, properties, typing: Typing::Opaque(reason), signatures: SmallVec::new() }
}

fn signature(form: &Form, needs: Needs, types: &[Type], shape: Shape) -> Signature {
    let params = form.operands.iter().map(|operand| operand.resolve(types, shape)).collect();
    Signature { params, needs, required: form.required }
}

/// Fills the slots of a form with the modifiers of an opcode.
fn fit<'a>(form: &'a Form, lexicon: &Lexicon, numbers: &[u8]) -> Fit<'a> {
    let mut filled = 0u64;
    let (mut next_type, mut next_of) = (0, [0; SEQUENCES.len()]);
    let mut needs = form.needs;
    let mut demand = |slot: &Slot, number: u8| {
        if let Some((_, more)) = slot.needs.iter().find(|(word, _)| *word == number) {
            needs = needs.and(*more);
        }
    };
    for (place, &number) in numbers.iter().enumerate() {
        if lexicon.modifier(number).ty().is_some() {
            let rest = form.types.get(next_type..).unwrap_or(&[]);
            let skipped = rest.iter().position(|slot| slot.words.has(number) || !slot.optional);
            let Some(slot) = skipped.and_then(|skipped| rest.get(skipped)).filter(|slot| slot.words.has(number)) else {
                return Fit::Extra(place);
            };
            next_type += skipped.unwrap_or(0) + 1;
            demand(slot, number);
            continue;
        }
        let free = |index: usize| filled >> index & 1 == 0;
        let slot = form.slots.iter().enumerate().find(|(index, slot)| free(*index) && slot.words.has(number));
        let sequence = lexicon.sequence(number);
        match slot {
            Some((index, slot)) => {
                if let Some(next) = sequence.and_then(|of| next_of.get_mut(of)) {
                    if index < *next {
                        return Fit::Extra(place);
                    }
                    *next = index;
                }
                filled |= 1 << index;
                demand(slot, number);
            }
            None if numbers.iter().take(place).any(|&before| before == number)
                && REPEATABLE.contains(&lexicon.text(number)) => {}
            None => return Fit::Extra(place),
        }
    }
    let slots = form.slots.iter().enumerate().filter(|(index, _)| filled >> index & 1 == 0).map(|(_, slot)| slot);
    let types = form.types.iter().skip(next_type);
    let mut missing = slots.chain(types).filter(|slot| !slot.optional);
    match missing.next() {
        Some(slot) => Fit::Missing(slot, 1 + missing.count()),
        None if form.effect.accesses => match wide_access(lexicon, numbers) {
            Ok(more) => Fit::Whole(needs.and(more)),
            Err(place) => Fit::Extra(place),
        },
        None => Fit::Whole(needs),
    }
}

/// Returns what a vector access needs: one of 256 bits stands only for global memory and on newer targets, and none is wider.
/// The error is the place of the modifier that is too much.
fn wide_access(lexicon: &Lexicon, numbers: &[u8]) -> Result<Needs, usize> {
    let modifiers = || numbers.iter().map(|&number| lexicon.modifier(number));
    let vector = modifiers().enumerate().find_map(|(place, modifier)| Some((place, modifier.lanes()?)));
    let (Some((vector, lanes)), Some(ty)) = (vector, modifiers().find_map(Modifier::ty)) else {
        return Ok(Needs::NOTHING);
    };
    match u32::from(lanes) * ty.bits() {
        0..=128 => Ok(Needs::NOTHING),
        256 => match modifiers().position(|modifier| modifier.space().is_some_and(|space| space != Space::Global)) {
            Some(space) => Err(space),
            None => Ok(Needs::WIDE_ACCESS),
        },
        _ => Err(vector),
    }
}

/// Returns the reason why no form has these modifiers. It is judged by the forms that fit best: those in which the first modifier that does
/// not fit stands last, or in which the least is missing.
fn why(lexicon: &Lexicon, mnemonic: &str, words: &[&str], numbers: &[u8]) -> Reason {
    let mut longest = 0;
    let mut missing: Vec<&Slot> = Vec::new();
    let mut fewest = usize::MAX;
    for form in &lexicon.forms {
        match fit(form, lexicon, numbers) {
            Fit::Extra(place) => longest = longest.max(place),
            Fit::Missing(slot, count) => {
                if count < fewest {
                    missing.clear();
                    fewest = count;
                }
                if count == fewest {
                    missing.push(slot);
                }
            }
            Fit::Whole(_) => {}
        }
    }
    if missing.is_empty() {
        let modifier = words.get(longest).copied().unwrap_or("");
        Reason::Combination { mnemonic: mnemonic.into(), modifier: modifier.into() }
    } else {
        Reason::Missing { mnemonic: mnemonic.into(), choices: lexicon.choices(&missing).into() }
    }
}

/// Returns what an opcode does, from its family and its modifiers.
fn properties(form: &'static Form, spelled: &Spelled, needs: Needs) -> Properties {
    let effect = form.effect;
    let (mnemonic, modifiers) = (spelled.mnemonic, spelled.modifiers.as_slice());
    let has = |modifier: Modifier| spelled.has(modifier);
    let words = || modifiers.iter().copied();
    let (class, repeats) = throughput(effect.rate, &spelled.types, modifiers);
    let ordering = words().filter_map(ordering).reduce(stronger);
    let default = match effect.memory {
        Memory::Fence | Memory::Unknown => Ordering::Sequential,
        Memory::Atomic => Ordering::Relaxed,
        _ => Ordering::Weak,
    };
    let ordering = ordering.unwrap_or(default);
    let synchronises = !matches!(ordering, Ordering::Weak | Ordering::Volatile);
    let scope = words().find_map(scope).filter(|_| effect.memory != Memory::None);
    let space = words().find_map(Modifier::space).unwrap_or(Space::Generic);
    Properties {
        known: true,
        roles: &form.roles,
        memory: effect.memory,
        space: effect.accesses.then_some(space),
        volatile: effect.volatile || effect.accesses && ordering != Ordering::Weak,
        ordering,
        scope: scope.or((synchronises && effect.memory != Memory::None).then_some(Scope::Gpu)),
        convergent: effect.convergent,
        waits_for: waits_for(effect, spelled),
        waits_for_named: has(Modifier::Sync)
            && (has(Modifier::Warp)
                || matches!(
                    mnemonic,
                    Mnemonic::Vote | Mnemonic::Match | Mnemonic::Shfl | Mnemonic::Redux | Mnemonic::Elect
                )),
        same_in_warp: effect.same_in_warp,
        flow: effect.flow,
        side_effect: effect.side_effect,
        varying: effect.varying,
        class,
        repeats,
        carry_in: matches!(mnemonic, Mnemonic::Addc | Mnemonic::Subc | Mnemonic::Madc),
        carry_out: has(Modifier::Cc),
        fusible: matches!(class, Class::Half | Class::Single | Class::Double)
            && matches!(mnemonic, Mnemonic::Add | Mnemonic::Sub | Mnemonic::Mul | Mnemonic::Mad)
            && ![Modifier::Rn, Modifier::Rz, Modifier::Rm, Modifier::Rp].into_iter().any(has),
        running: running(mnemonic, modifiers),
        linear: linear(mnemonic, modifiers),
        comparison: comparison(mnemonic, modifiers),
        logic: logic(mnemonic, modifiers),
        needs,
    }
}

fn ordering(modifier: Modifier) -> Option<Ordering> {
    Some(match modifier {
        Modifier::Weak => Ordering::Weak,
        Modifier::Volatile => Ordering::Volatile,
        Modifier::Relaxed => Ordering::Relaxed,
        Modifier::Acquire => Ordering::Acquire,
        Modifier::Release => Ordering::Release,
        Modifier::AcqRel => Ordering::AcquireRelease,
        Modifier::Sc => Ordering::Sequential,
        Modifier::Mmio => Ordering::Mmio,
        _ => return None,
    })
}

/// Returns `.mmio` if either ordering is that, as for `.mmio.relaxed`; else the first one.
fn stronger(one: Ordering, other: Ordering) -> Ordering {
    if other == Ordering::Mmio { other } else { one }
}

/// The threads that a barrier waits for; none if it only arrives, or if a mask says which lanes.
fn waits_for(effect: &Effect, spelled: &Spelled) -> Option<Scope> {
    let barrier = effect.memory == Memory::Fence && effect.convergent;
    if !barrier || spelled.has(Modifier::Arrive) || spelled.has(Modifier::Warp) {
        return None;
    }
    Some(if spelled.has(Modifier::Cluster) { Scope::Cluster } else { Scope::Cta })
}

fn scope(modifier: Modifier) -> Option<Scope> {
    Some(match modifier {
        Modifier::Cta => Scope::Cta,
        Modifier::Cluster => Scope::Cluster,
        Modifier::Gpu | Modifier::Gl => Scope::Gpu,
        Modifier::Sys => Scope::System,
        _ => return None,
    })
}
