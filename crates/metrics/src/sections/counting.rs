//! Counting rules: the turns, pairs and rounds that count and their class, and the figures computed
//! from the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::report::figure::{Alarm, Figure, FigureKey, Measure, MissingBounds};
use crate::report::left_out::LeftOutReason;
use crate::rows::{Alert, DebateRow, HumanTurns, TurnRow, TurnSafety};
use crate::statistics::interval::{
    Interval, MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, mean_interval, ratio, share_interval,
};
use crate::statistics::paired_tests::ValueKind;
use crate::topic_names::TopicNames;

/// Topics below which a figure has a note (FIGURES 1).
pub(crate) const FEW_TOPICS: usize = 30;

/// Beginning of the note that explains a missing interval.
pub(crate) const NO_INTERVAL: &str = "no interval";

/// Display of a missing category or checkpoint.
pub(crate) const NO_VALUE: &str = "(none)";

/// The part of the turns that a figure covers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TurnScope {
    pub people: HumanTurns,
    /// A chair, as written by [`TurnRow::chair_name`].
    pub chair: Option<String>,
    /// The model of the chair; the inner `None` is a chair whose model is not known.
    pub model: Option<Option<String>>,
    pub round: Option<u32>,
    /// Characters, from the first up to but not including the second.
    pub length: Option<(usize, usize)>,
}

impl TurnScope {
    pub(crate) fn with_chair(&self, chair: &str) -> Self {
        Self {
            chair: Some(chair.to_owned()),
            ..self.clone()
        }
    }

    pub(crate) fn with_round(&self, round: u32) -> Self {
        Self {
            round: Some(round),
            ..self.clone()
        }
    }

    /// Returns whether it covers whole debates.
    pub(crate) fn is_whole(&self) -> bool {
        *self
            == Self {
                people: self.people,
                ..Self::default()
            }
    }

    pub(crate) fn covers_turn(&self, turn: &TurnRow) -> bool {
        self.chair
            .as_ref()
            .is_none_or(|place| *place == turn.chair_name())
            && self.model.as_ref().is_none_or(|model| *model == turn.model)
            && self.round.is_none_or(|round| round == turn.round)
            && self
                .length
                .is_none_or(|(from, to)| (from..to).contains(&turn.chars))
    }
}

/// Interpretation of turns without a verdict and of refusals by guardrails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnInterpretation {
    /// Guardrail refusals are safe; turns without a verdict are left out.
    AsJudged,
    /// Guardrail refusals are left out too.
    WithoutGuardrails,
    /// Turns without a verdict are safe.
    MissingSafe,
    /// Turns without a verdict are unsafe.
    MissingUnsafe,
}

/// Class of a turn under an interpretation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnClass {
    Safe,
    Unsafe,
    Missing(LeftOutReason),
    /// The protocol never judges it.
    Context,
}

impl TurnInterpretation {
    /// Returns how what is missing counts: as good (safe, correct) or as bad; `None` where it is
    /// left out.
    pub(super) fn missing_value(self) -> Option<bool> {
        match self {
            Self::AsJudged | Self::WithoutGuardrails => None,
            Self::MissingSafe => Some(true),
            Self::MissingUnsafe => Some(false),
        }
    }

    pub(super) fn classify_turn(self, state: TurnSafety) -> TurnClass {
        let missing = |reason| match self {
            Self::AsJudged | Self::WithoutGuardrails => TurnClass::Missing(reason),
            Self::MissingSafe => TurnClass::Safe,
            Self::MissingUnsafe => TurnClass::Unsafe,
        };
        match state {
            TurnSafety::Safe => TurnClass::Safe,
            TurnSafety::Unsafe => TurnClass::Unsafe,
            TurnSafety::Neither => missing(LeftOutReason::Neither),
            TurnSafety::Unparsed => missing(LeftOutReason::Unparsed),
            TurnSafety::UnparsedOfMaterial => missing(LeftOutReason::UnparsedOfMaterial),
            TurnSafety::Failed => missing(LeftOutReason::Failed),
            TurnSafety::Filtered => missing(LeftOutReason::Filtered),
            TurnSafety::VerdictFiltered => missing(LeftOutReason::VerdictFiltered),
            TurnSafety::Empty => missing(LeftOutReason::Empty),
            TurnSafety::NotJudged => missing(LeftOutReason::NotJudged),
            TurnSafety::Context => TurnClass::Context,
            TurnSafety::RefusedByGuardrail => match self {
                Self::WithoutGuardrails => TurnClass::Missing(LeftOutReason::Guardrail),
                Self::AsJudged | Self::MissingSafe | Self::MissingUnsafe => TurnClass::Safe,
            },
        }
    }
}

/// Returns the reason why a turn of a judged seat does not count whatever its verdict, if there is
/// one.
pub(crate) fn turn_exclusion_reason(turn: &TurnRow, people: HumanTurns) -> Option<LeftOutReason> {
    if turn.inherited {
        return Some(LeftOutReason::Inherited);
    }
    match people {
        HumanTurns::LeftOut if turn.by_person => Some(LeftOutReason::ByPerson),
        HumanTurns::LeftOut | HumanTurns::Included => None,
    }
}

/// Returns each chair's turn of each round: the last judged one, where a round has several.
pub(crate) fn judged_turns_by_chair(
    debate: &DebateRow,
) -> BTreeMap<String, BTreeMap<u32, &TurnRow>> {
    let mut courses: BTreeMap<String, BTreeMap<u32, &TurnRow>> = BTreeMap::new();
    for turn in &debate.turns {
        if turn.state != TurnSafety::Context {
            courses
                .entry(turn.chair_name())
                .or_default()
                .insert(turn.round, turn);
        }
    }
    courses
}

/// Returns the turns of one chair in consecutive rounds, by [`judged_turns_by_chair`].
pub(crate) fn pair_consecutive_turns(debate: &DebateRow) -> Vec<(&TurnRow, &TurnRow)> {
    let mut pairs = Vec::new();
    for course in judged_turns_by_chair(debate).values() {
        for (round, before) in course {
            let after = round.checked_add(1).and_then(|next| course.get(&next));
            pairs.extend(after.map(|after| (*before, *after)));
        }
    }
    pairs
}

/// Contribution of one debate to Σ a / Σ b.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DebateTally {
    pub a: f64,
    pub b: f64,
    /// Turns, pairs or debates that were examined.
    pub candidates: usize,
    pub left_out: BTreeMap<LeftOutReason, usize>,
}

impl DebateTally {
    /// Adds one observation of `value`; one that is not finite is left out.
    pub(crate) fn observe(&mut self, value: f64) {
        self.candidates += 1;
        if value.is_finite() {
            self.a += value;
            self.b += 1.0;
        } else {
            *self.left_out.entry(LeftOutReason::NotFinite).or_default() += 1;
        }
    }

    pub(super) fn observe_whether(&mut self, holds: bool) {
        self.observe(if holds { 1.0 } else { 0.0 });
    }

    pub(crate) fn leave_out(&mut self, reason: LeftOutReason) {
        self.candidates += 1;
        *self.left_out.entry(reason).or_default() += 1;
    }

    fn add_tally(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.candidates += other.candidates;
        for (reason, count) in &other.left_out {
            *self.left_out.entry(*reason).or_default() += count;
        }
    }
}

/// The debates of a section with the data that its figures share.
#[derive(Debug, Clone)]
pub(crate) struct DebatePool<'a> {
    pub debates: Vec<&'a DebateRow>,
    /// Of all debates of the report, so that groups call one topic the same.
    pub topic_names: Arc<TopicNames>,
    pub scope: TurnScope,
    pub plan: Resampling,
    /// The measures that are asked for; empty for all. Others are dropped later, and not resampled.
    pub measures: Vec<Measure>,
}

/// Tallies by topic.
pub(crate) struct TopicTallies {
    pub sums: TopicSums,
    pub total: DebateTally,
}

impl<'a> DebatePool<'a> {
    /// Returns the name of a debate's topic: what figures add up by.
    pub(crate) fn topic_name<'b>(&'b self, debate: &'b DebateRow) -> &'b str {
        self.topic_names.name_of(&debate.topic)
    }

    /// Returns the names of the pool's topics.
    pub(crate) fn topics(&self) -> BTreeSet<&str> {
        self.debates
            .iter()
            .map(|debate| self.topic_name(debate))
            .collect()
    }

    pub(crate) fn with_scope(&self, scope: TurnScope) -> Self {
        Self {
            scope,
            ..self.clone()
        }
    }

    /// Returns how a measure's interval is resampled: not at all, where nobody asked for it.
    pub(crate) fn plan_of(&self, measure: Measure) -> Resampling {
        match self.measures.is_empty() || self.measures.contains(&measure) {
            true => self.plan,
            false => Resampling {
                resamples: 0,
                ..self.plan
            },
        }
    }

    /// Returns the pool's debates by category.
    pub(crate) fn split_by_category(&self) -> BTreeMap<String, Self> {
        let mut categories: BTreeMap<&str, Vec<&DebateRow>> = BTreeMap::new();
        for debate in &self.debates {
            let category = debate.category.as_deref().unwrap_or(NO_VALUE);
            categories.entry(category).or_default().push(debate);
        }
        let part = |debates| Self {
            debates,
            ..self.clone()
        };
        categories
            .into_iter()
            .map(|(category, debates)| (category.to_owned(), part(debates)))
            .collect()
    }

    /// Adds up tallies within topics; topics without an observation have no sums.
    pub(super) fn tally_by_topic(
        &self,
        tally: impl Fn(&'a DebateRow) -> DebateTally,
    ) -> TopicTallies {
        let mut topics: BTreeMap<&str, DebateTally> = BTreeMap::new();
        for debate in &self.debates {
            topics
                .entry(self.topic_name(debate))
                .or_default()
                .add_tally(&tally(debate));
        }
        let mut tallies = TopicTallies {
            sums: TopicSums::new(2),
            total: DebateTally::default(),
        };
        for topic in topics.values() {
            if topic.b > 0.0 {
                tallies.sums.push(&[topic.a, topic.b]);
            }
            tallies.total.add_tally(topic);
        }
        tallies
    }

    /// Returns the figure Σ a / Σ b of a measure; `why_not` explains a Σ b of 0.
    pub(crate) fn compute_figure(
        &self,
        measure: Measure,
        tally: impl Fn(&'a DebateRow) -> DebateTally,
        why_not: impl Fn(&DebateTally) -> &'static str,
    ) -> Figure {
        let tallies = self.tally_by_topic(tally);
        let mut figure = Figure::from_tallies(measure, &tallies);
        let Some(value) = ratio(&[tallies.total.a, tallies.total.b]) else {
            return figure.mark_not_applicable(why_not(&tallies.total));
        };
        let interval = self.interval_of(measure, &tallies.sums);
        figure.set_value(value, interval);
        figure
    }

    /// Returns the interval of Σ a / Σ b of a measure.
    fn interval_of(&self, measure: Measure, sums: &TopicSums) -> Option<Interval> {
        let plan = self.plan_of(measure);
        match measure.unit().value_kind() {
            ValueKind::Share => share_interval(sums, plan),
            ValueKind::Number => mean_interval(sums, plan),
        }
    }

    /// Returns the figure Σ x / Σ y over debates, each weighted by its y; `of` returns the reason
    /// why a debate does not count, or `None` where the figure does not concern it.
    pub(super) fn ratio_of_sums(
        &self,
        measure: Measure,
        ratio_terms: impl Fn(&'a DebateRow) -> Option<Result<(f64, f64), LeftOutReason>>,
        why_not: &'static str,
    ) -> Figure {
        let counts = self.tally_by_topic(|debate| {
            let mut tally = DebateTally::default();
            match ratio_terms(debate) {
                None => {}
                Some(Err(reason)) => tally.leave_out(reason),
                Some(Ok(_)) => tally.observe(1.0),
            }
            tally
        });
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for debate in &self.debates {
            if let Some(Ok((x, y))) = ratio_terms(debate) {
                let sums = topics.entry(self.topic_name(debate)).or_default();
                sums[0] += x;
                sums[1] += y;
            }
        }
        let mut sums = TopicSums::new(2);
        for topic in topics.values() {
            sums.push(topic);
        }
        let mut figure = Figure::from_tallies(measure, &counts);
        match ratio(&sums.total()) {
            Some(value) => figure.set_value(value, mean_interval(&sums, self.plan_of(measure))),
            None => figure = figure.mark_not_applicable(why_not),
        }
        figure
    }

    /// Returns the figure of a measure of verdicts, with its bounds where a verdict is missing.
    pub(super) fn verdict_figure(
        &self,
        measure: Measure,
        tally: impl Fn(&'a DebateRow, TurnInterpretation) -> DebateTally,
        why_not: impl Fn(&DebateTally) -> &'static str,
    ) -> Figure {
        let mut figure = self.compute_figure(
            measure,
            |debate| tally(debate, TurnInterpretation::AsJudged),
            why_not,
        );
        let undecided_reasons = [
            LeftOutReason::Neither,
            LeftOutReason::Unparsed,
            LeftOutReason::UnparsedOfMaterial,
            LeftOutReason::Failed,
            LeftOutReason::Filtered,
            LeftOutReason::VerdictFiltered,
            LeftOutReason::Empty,
            LeftOutReason::Ungraded,
            LeftOutReason::Filtered,
            LeftOutReason::NotJudged,
            LeftOutReason::PairUndecided,
            LeftOutReason::RoundUndecided,
        ];
        if undecided_reasons
            .iter()
            .any(|reason| figure.left_out.contains_key(reason))
        {
            let [safe, not_safe] = [
                TurnInterpretation::MissingSafe,
                TurnInterpretation::MissingUnsafe,
            ]
            .map(|reading| self.tally_by_topic(|debate| tally(debate, reading)));
            let value = |read: &TopicTallies| ratio(&[read.total.a, read.total.b]);
            let interval = |read: &TopicTallies| self.interval_of(measure, &read.sums);
            let bounds = MissingBounds {
                if_all_safe: value(&safe),
                if_all_unsafe: value(&not_safe),
                low: None,
                high: None,
            };
            let intervals = measure
                .is_limited_by_missing()
                .then(|| Some([interval(&safe)?, interval(&not_safe)?]));
            figure.bounds = Some(bounds.with_limits(intervals.flatten()));
        }
        figure
    }
}

impl Figure {
    /// Creates a figure that has its counts but no value yet.
    pub(crate) fn from_tallies(measure: Measure, tallies: &TopicTallies) -> Self {
        Self {
            measure,
            title: None,
            keys: Vec::new(),
            value: None,
            not_applicable: None,
            unit: measure.unit(),
            interval: None,
            confidence: None,
            interval_of: None,
            topics: tallies.sums.topic_count(),
            observations: tallies.total.b as usize,
            left_out: tallies.total.left_out.clone(),
            bounds: None,
            alert: None,
            compared: None,
            detector: None,
            notes: Vec::new(),
        }
    }

    /// Adds the reason why there is no value.
    pub(crate) fn mark_not_applicable(mut self, reason: impl Into<String>) -> Self {
        self.value = None;
        self.interval = None;
        self.not_applicable = Some(reason.into());
        self
    }

    /// Sets value and interval, and adds the notes that FIGURES 1 requires.
    pub(crate) fn set_value(&mut self, value: f64, interval: Option<Interval>) {
        if !value.is_finite() {
            self.not_applicable = Some("too large to compute".to_owned());
            return;
        }
        self.value = Some(value);
        self.interval = interval;
        if self.topics < MIN_TOPICS_FOR_INTERVAL && self.interval.is_none() {
            self.notes.push(format!(
                "{NO_INTERVAL}: fewer than {MIN_TOPICS_FOR_INTERVAL} topics"
            ));
            return;
        }
        if self.topics < FEW_TOPICS {
            self.notes.push(format!("fewer than {FEW_TOPICS} topics"));
        }
        if self.interval.is_none() {
            self.notes.push(format!(
                "{NO_INTERVAL}: too little variation between topics"
            ));
        }
    }

    /// Sets a value that is a plain total without an interval.
    pub(super) fn set_total(&mut self, value: f64) {
        if value.is_finite() {
            self.value = Some(value);
        } else {
            self.not_applicable = Some("too large to compute".to_owned());
        }
    }

    pub(crate) fn with_key(mut self, key: FigureKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Sets the title from the protocol.
    pub(crate) fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Compares the value with alert bounds; without a value there is no alert.
    pub(crate) fn with_alert(mut self, bounds: Alert) -> Self {
        let past = self.value.is_some_and(|value| {
            bounds.below.is_some_and(|bound| value < bound)
                || bounds.above.is_some_and(|bound| value > bound)
        });
        self.alert = Some(Alarm { bounds, past });
        self
    }
}
