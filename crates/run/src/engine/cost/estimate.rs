//! Cost estimate of a debate: a dry run with replies of assumed length. Sends nothing.
//!
//! **Likely**: every round of the game, no retry and no repair. A reply takes half of its token
//! limit (a simulated model's: the tokens it is set
//! to, for each text that a schema asks for); four characters are a token; a verdict
//! leads to the lesson and ends nothing early.
//!
//! **At most**: every retry and every repair that the game allows, every reply at its token limit,
//! every byte of templates and topic a token (no tokenizer needs more). Calls that break in transit
//! and are made again are not in it. Ceilings of the game cap both.

use crate::engine::dry_run::DryRun;
use crate::engine::dry_run::{RetryAssumption, walk_game};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::view::TemplateTexts;
use elenchus_game::debate::{CostEstimate, ExpectedUse, Topic};
use elenchus_records::library::{Game, last_named_round};
use std::collections::BTreeMap;

/// A game of more rounds takes three dry runs, with this many and with one and two fewer; each
/// further round adds what the pattern of those says (costs grow as a square with rounds).
const WALKED_ROUNDS: u32 = 8;

/// Estimates debates of one game; topics of one shape share a dry run.
#[derive(Debug, Default)]
pub struct Estimator {
    outlines: BTreeMap<OutlineShape, Option<GameOutline>>,
}

/// Properties of a debate that decide which parts its views have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OutlineShape {
    cast: u32,
    context: bool,
    conversation: usize,
    documents: usize,
    options: usize,
    /// Where memory is only read, no lesson is written.
    writes_memory: bool,
}

/// Dry runs of a game, without the lengths of a topic.
#[derive(Debug, Clone)]
struct GameOutline {
    likely: OutlineLine,
    at_most: OutlineLine,
    /// Fixed words that several of its views share.
    texts: TemplateTexts,
}

/// Walks with growing numbers of rounds: one, or three to draw the others from.
#[derive(Debug, Clone)]
struct OutlineLine {
    walks: Vec<DryRun>,
    /// Rounds beyond the last dry run.
    beyond: u32,
}

impl Estimator {
    /// Adds to the first event of a debate what it will cost, and the fixed words that its views
    /// share; neither where its game is too large for a dry run.
    ///
    /// `cast` distinguishes casts of one run; the game must stay the same.
    pub fn add_estimate(&mut self, created: &mut Created, game: &Game, cast: u32) {
        created.estimate = self.estimate_debate(created, game, cast);
        if let Some(outline) = self.find_outline(created, game, cast) {
            created.template_texts = outline.texts.clone();
        }
    }

    /// Returns what a debate costs; `None` where its game is too large for a dry run.
    ///
    /// `cast` as for [`add_estimate`](Self::add_estimate).
    pub fn estimate_debate(
        &mut self,
        created: &Created,
        game: &Game,
        cast: u32,
    ) -> Option<CostEstimate> {
        let topic = &created.topic;
        let outline = self.find_outline(created, game, cast)?;
        let cap = |used: ExpectedUse| cap_use(used, created);
        Some(CostEstimate {
            likely: cap(outline.likely.compute_use(topic, DryRun::likely_use)),
            at_most: cap(outline.at_most.compute_use(topic, DryRun::max_use)),
        })
    }

    fn find_outline(&mut self, created: &Created, game: &Game, cast: u32) -> Option<&GameOutline> {
        let topic = &created.topic;
        let shape = OutlineShape {
            cast,
            context: topic.context.is_some(),
            conversation: topic.conversation.len(),
            documents: topic.documents.len(),
            options: topic.options.len(),
            writes_memory: created.memory.writes,
        };
        let entry = self.outlines.entry(shape);
        entry
            .or_insert_with(|| build_outline(created, game))
            .as_ref()
    }
}

/// Returns what one debate costs; `None` where its game is too large for a dry run.
pub fn estimate_cost(created: &Created, game: &Game) -> Option<CostEstimate> {
    Estimator::default().estimate_debate(created, game, 0)
}

fn build_outline(created: &Created, game: &Game) -> Option<GameOutline> {
    let likely = build_outline_line(created, game, RetryAssumption::Good)?;
    let protocol = &created.protocol;
    let again = protocol.stages.iter().any(|stage| !stage.retry.is_empty())
        || protocol.judging.iter().any(|rule| rule.repair.is_some());
    let at_most = if again {
        build_outline_line(created, game, RetryAssumption::Bad)?
    } else {
        likely.clone()
    };
    let texts = likely.walks.last().map(DryRun::repeated_texts);
    Some(GameOutline {
        likely,
        at_most,
        texts: texts.unwrap_or_default(),
    })
}

fn build_outline_line(
    created: &Created,
    game: &Game,
    assumption: RetryAssumption,
) -> Option<OutlineLine> {
    let rounds = created.protocol.rounds;
    let last = dry_run_rounds(created);
    let fewer: &[u32] = if rounds > last { &[2, 1, 0] } else { &[0] };
    let walks = fewer
        .iter()
        .map(|fewer| {
            let mut short_debate = created.clone();
            short_debate.protocol.rounds = last - fewer;
            walk_game(short_debate, game, assumption)
        })
        .collect::<Option<Vec<DryRun>>>()?;
    Some(OutlineLine {
        walks,
        beyond: rounds - last,
    })
}

/// Returns how many rounds of a game a dry run plays; the others are drawn from the last of these.
pub(super) fn dry_run_rounds(created: &Created) -> u32 {
    let min_rounds = last_named_round(&created.protocol).saturating_add(2);
    created.protocol.rounds.min(WALKED_ROUNDS.max(min_rounds))
}

impl OutlineLine {
    fn compute_use(&self, topic: &Topic, of: fn(&DryRun, &Topic) -> ExpectedUse) -> ExpectedUse {
        let used: Vec<ExpectedUse> = self.walks.iter().map(|walk| of(walk, topic)).collect();
        let [first, second, third] = used.as_slice() else {
            return used.first().copied().unwrap_or_default();
        };
        let count = |take: fn(&ExpectedUse) -> u64| {
            let values = [first, second, third].map(|used| take(used) as f64);
            // A float that is too large becomes the largest count.
            extend_parabola(values, self.beyond).round() as u64
        };
        ExpectedUse {
            calls: count(|used| used.calls),
            input_tokens: count(|used| used.input_tokens),
            output_tokens: count(|used| used.output_tokens),
            cost_usd: first.cost_usd.zip(second.cost_usd).zip(third.cost_usd).map(
                |((first, second), third)| extend_parabola([first, second, third], self.beyond),
            ),
        }
    }
}

/// Continues the parabola through three neighbouring values by `beyond` steps.
fn extend_parabola([first, second, third]: [f64; 3], beyond: u32) -> f64 {
    let steps = f64::from(beyond);
    let slope = third - second;
    let bend = (slope - (second - first)).max(0.0);
    third + steps * slope + steps * (steps + 1.0) / 2.0 * bend
}

/// A debate ends before it breaks a ceiling of its game.
fn cap_use(usage: ExpectedUse, created: &Created) -> ExpectedUse {
    let ceilings = &created.protocol.ceilings;
    let tokens = ceilings.tokens.unwrap_or(u64::MAX);
    ExpectedUse {
        calls: usage.calls.min(ceilings.calls.unwrap_or(u64::MAX)),
        input_tokens: usage.input_tokens.min(tokens),
        output_tokens: usage.output_tokens.min(tokens),
        cost_usd: usage
            .cost_usd
            .map(|usd| usd.min(ceilings.cost_usd.unwrap_or(f64::INFINITY))),
    }
}

#[cfg(test)]
mod tests {
    use super::extend_parabola;

    #[test]
    fn rounds_beyond_the_walk_continue_its_parabola() {
        let square = |x: f64| 3.0 * x * x + 2.0 * x + 5.0;
        let known = [square(6.0), square(7.0), square(8.0)];
        assert_eq!(extend_parabola(known, 12), square(20.0));
        assert_eq!(extend_parabola(known, 0), square(8.0));
    }
}
