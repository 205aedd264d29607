//! What would make a setup fit, with the effect of each change in GiB, hours and dollars, and what a
//! card could take at most.
//!
//! Every change goes through the setup's own table of fields and checks, so that what is advised can
//! be applied as it stands.

mod changes;
mod limits;

pub use limits::{Limits, limits};

use super::HardwareClass;
use super::bill::{Job, RowFacts};
use super::class::{self, ClassEstimate};
use super::fit::{Advice, Effect, Verdict};
use super::memory;
use super::quote::PriceKind;
use crate::gpu::{self, Gpu, Vendor};
use crate::setup::{Draft, Field, Method, Setup};
use crate::units::{Gib, Hours, Usd};
use changes::{able, changes};

/// A change must save at least this share of the need to be worth a line.
const WORTHWHILE: f64 = 0.01;

/// One way to need less: in words, and as fields of the setup.
struct Change {
    words: String,
    set: Vec<(Field, String)>,
    gpus: Option<u32>,
}

/// What helps on one kind of machine: advice, and what its effects follow from. Hours and dollars
/// differ from offer to offer, so they are added by [`Counsel::on`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counsel {
    plans: Vec<Plan>,
    now: Option<Priced>,
    /// What the card could take at most.
    pub limits: Limits,
}

#[derive(Clone, Debug, PartialEq)]
struct Plan {
    advice: Advice,
    then: Option<Priced>,
}

/// What a bill is made from.
#[derive(Clone, Debug, PartialEq)]
struct Priced {
    estimate: ClassEstimate,
    job: Job,
    gpus: Option<f64>,
}

impl Priced {
    fn new(setup: &Setup, class: &HardwareClass) -> Self {
        let estimate = class::estimate(setup, class);
        Self { estimate, job: Job::new(setup), gpus: class.gpus }
    }

    /// Hours and dollars on an offer of `gpus` GPUs; with another number of them, at the price of
    /// one.
    fn on(
        &self,
        facts: &RowFacts,
        gpus: Option<f64>,
        kind: PriceKind,
    ) -> (Option<Hours>, Option<Usd>) {
        let share = self.gpus.zip(gpus).map(|(then, now)| then / now);
        let Some(share) = share.filter(|share| share.is_finite()) else { return (None, None) };
        let facts = RowFacts {
            on_demand: facts.on_demand.map(|p| p * share),
            spot: facts.spot.map(|p| p * share),
            ..*facts
        };
        let quote = self.job.price(&self.estimate, &facts, kind);
        (quote.hours.map(|h| h.expected), quote.total.map(|t| t.expected))
    }

    /// Hours of training alone.
    fn training(&self) -> Option<Hours> {
        let rate = self.estimate.speed.tokens_per_second?.expected.get();
        (rate > 0.0).then(|| Hours::from_seconds(self.job.tokens / rate))
    }
}

impl Counsel {
    /// What helps `setup` on `class`, whose card is `gpu`.
    pub fn of(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Counsel {
        let found = search(setup, gpu, class);
        let now = (!found.is_empty()).then(|| Priced::new(setup, class));
        let plans = found.into_iter().map(|(advice, then)| {
            let then = then.map(|(setup, class)| Priced::new(&setup, &class));
            Plan { advice, then }
        });
        Counsel { plans: plans.collect(), now, limits: limits(setup, gpu, class) }
    }

    /// The advice with its effect on an offer of `gpus` GPUs.
    pub fn on(&self, facts: &RowFacts, gpus: Option<f64>, kind: PriceKind) -> Vec<Advice> {
        self.with_effects(|p| p.on(facts, gpus, kind))
    }

    /// The advice without any market: effects on the hours of training, none on dollars.
    pub fn alone(&self) -> Vec<Advice> {
        self.with_effects(|p| (p.training(), None))
    }

    fn with_effects(&self, price: impl Fn(&Priced) -> (Option<Hours>, Option<Usd>)) -> Vec<Advice> {
        let now = self.now.as_ref().map(&price);
        let effect = |plan: &Plan| {
            let (then, now) = (plan.then.as_ref().map(&price)?, now?);
            let hours = then.0.zip(now.0).map(|(then, now)| then - now);
            let hours = hours.filter(|h| h.get().is_finite());
            let usd = then.1.zip(now.1).map(|(then, now)| then - now);
            let usd = usd.filter(|u| u.get().is_finite());
            Some(Effect { hours, usd })
        };
        let with = |plan: &Plan| Advice {
            effect: effect(plan).unwrap_or_default(),
            ..plan.advice.clone()
        };
        self.plans.iter().map(with).collect()
    }
}

type Found = (Advice, Option<(Setup, HardwareClass)>);

/// Changes that save memory, those that make it fit first, the least intrusive before the others;
/// where none of them does, several together, and if even that is not enough, a larger card.
/// Empty where the setup fits as it is, or memory is not modelled.
fn search(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Vec<Found> {
    let now = memory::fit(setup, gpu, class);
    let (Some(needed), Verdict::No | Verdict::Tight) = (now.needed, now.verdict) else {
        return Vec::new();
    };
    let trial = Trial { setup, gpu, class, now: needed };
    let able = able(setup, gpu);
    let changes = changes(setup, class);
    let alone = std::iter::once(Vec::new()).chain(changes.iter().map(|change| vec![change]));
    let mut found: Vec<Found> = alone
        .filter_map(|made| trial.out(&able.iter().chain(made).collect::<Vec<_>>()))
        .filter(|(a, _)| a.saved.get() > needed.get() * WORTHWHILE || a.verdict < now.verdict)
        .collect();
    found.sort_by_key(|(a, _)| a.verdict);
    let fits = |found: &[Found]| found.first().is_some_and(|(a, _)| a.verdict == Verdict::Fits);
    if fits(&found) {
        // What is not enough is not worth reading where something is.
        found.retain(|(a, _)| a.verdict < now.verdict);
    } else {
        found.splice(0..0, trial.together(&able, &changes));
    }
    if !fits(&found) {
        found.extend(trial.larger_card());
    }
    found
}

/// A setup on a machine, to be varied.
struct Trial<'a> {
    setup: &'a Setup,
    gpu: &'a Gpu,
    class: &'a HardwareClass,
    now: Gib,
}

impl Trial<'_> {
    /// The fewest changes that fit when they are made together: added one by one, then those left
    /// out again without which it fits as well.
    fn together(&self, able: &[Change], changes: &[Change]) -> Option<Found> {
        let mut made: Vec<&Change> = able.iter().collect();
        let mut least: Option<Gib> = None;
        for change in changes {
            made.push(change);
            let Some(result) = self.out(&made) else {
                made.pop();
                continue;
            };
            if least.is_some_and(|least| result.0.needed >= least) {
                made.pop();
            } else if result.0.verdict == Verdict::Fits {
                return Some(self.without_idle(made).unwrap_or(result));
            } else {
                least = Some(result.0.needed);
            }
        }
        None
    }

    fn without_idle(&self, mut made: Vec<&Change>) -> Option<Found> {
        let mut best = None;
        let mut at = 0;
        while made.len() > 1 && at < made.len() {
            let left_out = made.remove(at);
            if let Some(result) = self.out(&made).filter(|(a, _)| a.verdict == Verdict::Fits) {
                best = Some(result);
            } else {
                made.insert(at, left_out);
                at += 1;
            }
        }
        best
    }

    /// The setup with `changes` made, on the hardware that they ask for.
    fn out(&self, changes: &[&Change]) -> Option<Found> {
        let mut draft = self.setup.to_draft();
        let mut class = *self.class;
        for change in changes {
            for (field, value) in &change.set {
                draft.set(*field, value).ok()?;
            }
            class.gpus = change.gpus.map(f64::from).or(class.gpus);
        }
        let model = self.setup.model.clone();
        let (changed, _) = without_contradictions(draft).resolve_beyond(model).ok()?;
        let fit = memory::fit(&changed, self.gpu, &class);
        let needed = fit.needed?;
        let words: Vec<&str> = changes.iter().map(|c| c.words.as_str()).collect();
        let set = changes.iter().flat_map(|c| &c.set);
        let advice = Advice {
            change: words.join(", "),
            set: set.map(|(field, value)| (field.flag(), value.clone())).collect(),
            needed,
            saved: self.now - needed,
            verdict: fit.verdict,
            effect: Effect::default(),
        };
        Some((advice, Some((changed, class))))
    }

    /// The smallest card of the catalogue on which the setup fits as it is. Nothing can be set for
    /// it: another offer is what helps.
    fn larger_card(&self) -> Option<Found> {
        let fits = |card: &&Gpu| {
            let class = HardwareClass { vram: None, ..*self.class };
            memory::fit(self.setup, card, &class).verdict == Verdict::Fits
        };
        let cards = gpu::catalogue().iter().map(|(_, card)| card);
        let card = cards
            .filter(|card| card.vendor == Vendor::Nvidia)
            .filter(fits)
            .min_by(|a, b| a.memory.get().total_cmp(&b.memory.get()))?;
        let change = format!("a card with {:.0} GiB, as {}", card.memory.get(), card.name);
        let advice = Advice {
            change,
            set: Vec::new(),
            needed: self.now,
            saved: Gib::ZERO,
            verdict: Verdict::Fits,
            effect: Effect::default(),
        };
        Some((advice, None))
    }
}

/// Leaves out what belongs to a method that is no longer meant.
fn without_contradictions(mut draft: Draft) -> Draft {
    if draft.method != Some(Method::Qlora) {
        draft.quant = None;
        draft.kbit_prep = None;
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::memory::test_card;
    use crate::model;
    use crate::offer::Link;

    fn class(gpus: f64) -> HardwareClass {
        HardwareClass { gpu: None, gpus: Some(gpus), vram: None, link: Link::Unknown }
    }

    fn advice(setup: &Setup, gpu: &Gpu, class: &HardwareClass) -> Vec<Advice> {
        Counsel::of(setup, gpu, class).alone()
    }

    fn setup(fields: &[(Field, &str)]) -> Setup {
        let mut draft = Draft::default();
        for (field, text) in fields {
            draft.set(*field, text).unwrap();
        }
        draft.resolve(model::find(draft.model_name()).unwrap()).unwrap()
    }

    #[test]
    fn what_fits_needs_no_advice() {
        assert_eq!(advice(&setup(&[]), &test_card(80.0, Some(79.15)), &class(1.0)), vec![]);
    }

    #[test]
    fn the_loss_kernel_or_the_batch_saves_a_job_that_does_not_fit() {
        let setup = setup(&[
            (Field::MicroBatch, "8"),
            (Field::SeqLen, "4096"),
            (Field::Checkpointing, "on"),
        ]);
        let card = test_card(80.0, Some(79.15));
        let found = advice(&setup, &card, &class(1.0));
        let fused = found.iter().find(|a| a.change.contains("fused")).unwrap();
        assert_eq!(fused.verdict, Verdict::Fits);
        assert_eq!(fused.set, vec![("loss-kernel", "fused".to_owned())]);
        let one = found.iter().find(|a| a.change.starts_with("micro-batch 1")).unwrap();
        assert!(one.set.contains(&("grad-accum", "8".to_owned())));
        let order: Vec<Verdict> = found.iter().map(|a| a.verdict).collect();
        assert!(order.is_sorted(), "{order:?}");
    }

    #[test]
    fn full_fine_tuning_on_a_small_card_is_led_to_adapters_or_more_cards() {
        let setup = setup(&[(Field::Method, "full"), (Field::MicroBatch, "4")]);
        let found = advice(&setup, &test_card(24.0, Some(23.6)), &class(1.0));
        assert_eq!(found[0].verdict, Verdict::Fits, "{found:?}");
        for wanted in ["QLoRA", "8 GPUs with fsdp", "8-bit AdamW"] {
            assert!(found.iter().any(|a| a.change.contains(wanted)), "{wanted}");
        }
    }

    #[test]
    fn every_advice_can_be_applied_and_does_what_it_says() {
        let setup = setup(&[(Field::Method, "full"), (Field::MicroBatch, "4")]);
        let card = test_card(24.0, Some(23.6));
        for a in advice(&setup, &card, &class(1.0)) {
            let mut draft = setup.to_draft();
            for (flag, value) in &a.set {
                draft.set(Field::from_name(flag).unwrap(), value).unwrap();
            }
            let changed = draft.resolve(setup.model.clone()).unwrap();
            let class = class(f64::from(changed.gpus.unwrap_or(1)));
            assert_eq!(memory::fit(&changed, &card, &class).needed, Some(a.needed), "{}", a.change);
        }
    }

    #[test]
    fn limits_stand_at_the_edge() {
        let setup = setup(&[(Field::Checkpointing, "on")]);
        let card = test_card(24.0, Some(23.6));
        let limits = limits(&setup, &card, &class(1.0));
        let batch = limits.micro_batch.unwrap();
        let verdict = |micro_batch| {
            memory::fit(&Setup { micro_batch, ..setup.clone() }, &card, &class(1.0)).verdict
        };
        assert_eq!(verdict(batch), Verdict::Fits);
        assert_ne!(verdict(batch + 1), Verdict::Fits);
        assert!(limits.seq_len.unwrap() >= 2048);
        assert!(limits.model.unwrap().params > setup.model.params);
        let tiny = super::limits(&setup, &test_card(4.0, None), &class(1.0));
        assert_eq!(tiny.micro_batch, None);
    }

    #[test]
    fn effects_are_the_differences_of_needs_and_bills() {
        let setup = setup(&[
            (Field::MicroBatch, "8"),
            (Field::SeqLen, "4096"),
            (Field::Checkpointing, "off"),
        ]);
        let id = gpu::catalogue().identify("A100 SXM 80GB", None).unwrap();
        let card = gpu::catalogue().get(id).unwrap();
        let class = HardwareClass { gpu: Some(id), ..class(1.0) };
        let counsel = Counsel::of(&setup, card, &class);
        let now = memory::fit(&setup, card, &class).needed.unwrap();
        let offer = crate::estimate::bill::tests::offer(crate::offer::Provider::Aws, "x");
        let facts = RowFacts::from(&offer);
        for a in counsel.on(&facts, Some(1.0), PriceKind::OnDemand) {
            assert_eq!(a.saved, now - a.needed, "{}", a.change);
            assert!(a.effect.hours.is_some() && a.effect.usd.is_some(), "{}", a.change);
        }
        let on = |found: &[Advice]| found.iter().find(|a| a.change.contains("checkp")).cloned();
        let slower = on(&counsel.on(&facts, Some(1.0), PriceKind::OnDemand)).unwrap();
        assert!(slower.effect.hours.unwrap() > Hours::ZERO, "{slower:?}");
        assert!(slower.effect.usd.unwrap() > Usd::ZERO, "{slower:?}");
        assert_eq!(on(&counsel.alone()).unwrap().effect.usd, None);
    }

    #[test]
    fn several_changes_together_are_no_more_than_needed() {
        let setup = setup(&[(Field::Method, "full"), (Field::MicroBatch, "8")]);
        let card = test_card(12.0, Some(11.6));
        let found = advice(&setup, &card, &class(1.0));
        let best = &found[0];
        assert_eq!(best.verdict, Verdict::Fits, "{found:?}");
        let alone = |a: &Advice| a.set.len() == 1 && a.verdict == Verdict::Fits;
        assert!(best.set.len() > 1 || alone(best), "{best:?}");
    }

    #[test]
    fn where_nothing_helps_a_larger_card_is_named() {
        let setup = setup(&[(Field::Model, "Llama-2-70b-hf"), (Field::Method, "qlora")]);
        let found = advice(&setup, &test_card(4.0, Some(3.8)), &class(1.0));
        let last = found.last().unwrap();
        assert!(last.set.is_empty() && last.verdict == Verdict::Fits, "{found:?}");
        assert!(last.change.starts_with("a card with "), "{}", last.change);
    }

    #[test]
    fn an_old_card_is_led_to_the_format_that_it_has() {
        let setup = setup(&[(Field::Framework, "axolotl"), (Field::SeqLen, "512")]);
        let old = Gpu { bf16: false, flash_attention: false, ..test_card(16.0, Some(14.56)) };
        let best = &advice(&setup, &old, &class(1.0))[0];
        assert_eq!(best.verdict, Verdict::Fits, "{best:?}");
        let wanted = [("precision", "fp16".to_owned()), ("attention", "sdpa".to_owned())];
        assert_eq!(best.set, wanted);
    }
}
