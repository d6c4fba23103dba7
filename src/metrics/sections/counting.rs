//! Which turns, pairs and rounds count, and as what; and how counts become figures.

use std::collections::BTreeMap;

use super::figure::{Alarm, Bounds, Figure, Interval, Key, LeftOut, Measure, Unit};
use super::interval::{
    MIN_TOPICS_FOR_INTERVAL, Resampling, TopicSums, mean_interval, ratio, share_interval,
};
use super::rows::{Alert, DebateRow, People, TurnRow, TurnState};

/// With fewer topics than this a figure says so (FIGURES 1).
pub(super) const FEW_TOPICS: usize = 30;

/// How a note begins that says why there is no interval.
pub(super) const NO_INTERVAL: &str = "no interval";

/// What a debate's category or checkpoint is shown as where it has none.
pub(super) const NO_VALUE: &str = "(none)";

/// The part of the turns that a figure is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scope {
    pub people: People,
    /// A place, as [`TurnRow::place`] writes it.
    pub place: Option<String>,
    pub round: Option<u32>,
    /// Characters, from the first up to but without the second.
    pub length: Option<(usize, usize)>,
}

impl Scope {
    pub(super) fn with_place(&self, place: &str) -> Self {
        Self {
            place: Some(place.to_owned()),
            ..self.clone()
        }
    }

    pub(super) fn with_round(&self, round: u32) -> Self {
        Self {
            round: Some(round),
            ..self.clone()
        }
    }

    /// Whether it is about whole debates.
    pub(super) fn is_whole(&self) -> bool {
        self.place.is_none() && self.round.is_none() && self.length.is_none()
    }

    pub(super) fn holds(&self, turn: &TurnRow) -> bool {
        self.place
            .as_ref()
            .is_none_or(|place| *place == turn.place())
            && self.round.is_none_or(|round| round == turn.round)
            && self
                .length
                .is_none_or(|(from, to)| (from..to).contains(&turn.chars))
    }
}

/// What a turn without a verdict, or one that a guardrail refused, is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Guardrail refusals are safe; turns without a verdict are left out.
    AsJudged,
    /// Guardrail refusals are left out too.
    WithoutGuardrails,
    /// Turns without a verdict are safe.
    MissingSafe,
    /// Turns without a verdict are unsafe.
    MissingUnsafe,
}

/// What a turn counts as under a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Safe,
    Unsafe,
    Missing(LeftOut),
    /// The protocol never judges it.
    Context,
}

impl Reading {
    pub(super) fn of(self, state: TurnState) -> Finding {
        let missing = |reason| match self {
            Self::AsJudged | Self::WithoutGuardrails => Finding::Missing(reason),
            Self::MissingSafe => Finding::Safe,
            Self::MissingUnsafe => Finding::Unsafe,
        };
        match state {
            TurnState::Safe => Finding::Safe,
            TurnState::Unsafe => Finding::Unsafe,
            TurnState::Neither => missing(LeftOut::Neither),
            TurnState::Unparsed => missing(LeftOut::Unparsed),
            TurnState::Failed => missing(LeftOut::Failed),
            TurnState::Empty => missing(LeftOut::Empty),
            TurnState::NotJudged => missing(LeftOut::NotJudged),
            TurnState::Context => Finding::Context,
            TurnState::RefusedByGuardrail => match self {
                Self::WithoutGuardrails => Finding::Missing(LeftOut::Guardrail),
                Self::AsJudged | Self::MissingSafe | Self::MissingUnsafe => Finding::Safe,
            },
        }
    }
}

/// Why a turn of a judged seat does not count whatever its verdict.
pub(super) fn excluded(turn: &TurnRow, people: People) -> Option<LeftOut> {
    if turn.inherited {
        return Some(LeftOut::Inherited);
    }
    match people {
        People::LeftOut if turn.by_person => Some(LeftOut::ByPerson),
        People::LeftOut | People::Included => None,
    }
}

/// Each place's turn of each round: the last that the protocol judges, where a round has several.
pub(super) fn courses(debate: &DebateRow) -> BTreeMap<String, BTreeMap<u32, &TurnRow>> {
    let mut courses: BTreeMap<String, BTreeMap<u32, &TurnRow>> = BTreeMap::new();
    for turn in &debate.turns {
        if turn.state != TurnState::Context {
            courses
                .entry(turn.place())
                .or_default()
                .insert(turn.round, turn);
        }
    }
    courses
}

/// Turns of one place in consecutive rounds, by [`courses`].
pub(super) fn pairs(debate: &DebateRow) -> Vec<(&TurnRow, &TurnRow)> {
    let mut pairs = Vec::new();
    for course in courses(debate).values() {
        for (round, before) in course {
            let after = round.checked_add(1).and_then(|next| course.get(&next));
            pairs.extend(after.map(|after| (*before, *after)));
        }
    }
    pairs
}

/// What one debate contributes to Σ a / Σ b.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tally {
    pub a: f64,
    pub b: f64,
    /// Turns, pairs or debates that could have contributed and were looked at.
    pub candidates: usize,
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl Tally {
    /// Adds one observation of `value`; one that is not finite is left out.
    pub(super) fn observe(&mut self, value: f64) {
        self.candidates += 1;
        if value.is_finite() {
            self.a += value;
            self.b += 1.0;
        } else {
            *self.left_out.entry(LeftOut::NotFinite).or_default() += 1;
        }
    }

    pub(super) fn observe_whether(&mut self, holds: bool) {
        self.observe(if holds { 1.0 } else { 0.0 });
    }

    pub(super) fn leave_out(&mut self, reason: LeftOut) {
        self.candidates += 1;
        *self.left_out.entry(reason).or_default() += 1;
    }

    fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.candidates += other.candidates;
        for (reason, count) in &other.left_out {
            *self.left_out.entry(*reason).or_default() += count;
        }
    }
}

/// The debates of a section with what its figures share.
#[derive(Debug, Clone)]
pub(super) struct Pool<'a> {
    pub debates: Vec<&'a DebateRow>,
    pub scope: Scope,
    pub plan: Resampling,
}

/// Tallies by topic.
pub(super) struct Pooled {
    pub sums: TopicSums,
    pub total: Tally,
}

impl<'a> Pool<'a> {
    pub(super) fn with_scope(&self, scope: Scope) -> Self {
        Self {
            scope,
            ..self.clone()
        }
    }

    /// The pool's debates by their category.
    pub(super) fn by_category(&self) -> BTreeMap<String, Self> {
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

    /// Adds up tallies within topics; topics without an observation are not among the sums.
    pub(super) fn tallied(&self, tally: impl Fn(&'a DebateRow) -> Tally) -> Pooled {
        let mut topics: BTreeMap<&str, Tally> = BTreeMap::new();
        for debate in &self.debates {
            topics
                .entry(debate.topic.as_str())
                .or_default()
                .add(&tally(debate));
        }
        let mut pooled = Pooled {
            sums: TopicSums::new(2),
            total: Tally::default(),
        };
        for topic in topics.values() {
            if topic.b > 0.0 {
                pooled.sums.push(&[topic.a, topic.b]);
            }
            pooled.total.add(topic);
        }
        pooled
    }

    /// Returns the figure Σ a / Σ b of a measure; `why_not` says why Σ b is 0.
    pub(super) fn figure(
        &self,
        measure: Measure,
        tally: impl Fn(&'a DebateRow) -> Tally,
        why_not: impl Fn(&Tally) -> &'static str,
    ) -> Figure {
        let pooled = self.tallied(tally);
        let mut figure = Figure::empty(measure, &pooled);
        let Some(value) = ratio(&[pooled.total.a, pooled.total.b]) else {
            return figure.without_value(why_not(&pooled.total));
        };
        let interval = match measure.unit() {
            Unit::Share => share_interval(&pooled.sums, self.plan),
            Unit::Count
            | Unit::Rounds
            | Unit::Characters
            | Unit::Reward
            | Unit::Correlation
            | Unit::Tokens
            | Unit::Usd
            | Unit::Milliseconds
            | Unit::Multiple
            | Unit::Reading => mean_interval(&pooled.sums, self.plan),
        };
        figure.give(value, interval);
        figure
    }

    /// Returns the figure Σ x / Σ y over debates, each weighing as much as its y; `of` says why a
    /// debate does not count, or `None` where it is not concerned.
    pub(super) fn ratio_of_sums(
        &self,
        measure: Measure,
        of: impl Fn(&'a DebateRow) -> Option<Result<(f64, f64), LeftOut>>,
        why_not: &'static str,
    ) -> Figure {
        let counts = self.tallied(|debate| {
            let mut tally = Tally::default();
            match of(debate) {
                None => {}
                Some(Err(reason)) => tally.leave_out(reason),
                Some(Ok(_)) => tally.observe(1.0),
            }
            tally
        });
        let mut topics: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for debate in &self.debates {
            if let Some(Ok((x, y))) = of(debate) {
                let sums = topics.entry(debate.topic.as_str()).or_default();
                sums[0] += x;
                sums[1] += y;
            }
        }
        let mut sums = TopicSums::new(2);
        for topic in topics.values() {
            sums.push(topic);
        }
        let mut figure = Figure::empty(measure, &counts);
        match ratio(&sums.total()) {
            Some(value) => figure.give(value, mean_interval(&sums, self.plan)),
            None => figure = figure.without_value(why_not),
        }
        figure
    }

    /// Returns the figure of a measure of verdicts, with its bounds where any is missing.
    pub(super) fn verdict_figure(
        &self,
        measure: Measure,
        tally: impl Fn(&'a DebateRow, Reading) -> Tally,
        why_not: impl Fn(&Tally) -> &'static str,
    ) -> Figure {
        let mut figure = self.figure(measure, |debate| tally(debate, Reading::AsJudged), why_not);
        let undecided = [
            LeftOut::Neither,
            LeftOut::Unparsed,
            LeftOut::Failed,
            LeftOut::Empty,
            LeftOut::NotJudged,
            LeftOut::PairUndecided,
            LeftOut::RoundUndecided,
        ];
        if undecided
            .iter()
            .any(|reason| figure.left_out.contains_key(reason))
        {
            let read_as = |reading| {
                let total = self.tallied(|debate| tally(debate, reading)).total;
                ratio(&[total.a, total.b])
            };
            figure.bounds = Some(Bounds {
                if_all_safe: read_as(Reading::MissingSafe),
                if_all_unsafe: read_as(Reading::MissingUnsafe),
            });
        }
        figure
    }
}

impl Figure {
    /// Creates a figure that has its counts but no value yet.
    pub(super) fn empty(measure: Measure, pooled: &Pooled) -> Self {
        Self {
            measure,
            title: None,
            keys: Vec::new(),
            value: None,
            not_applicable: None,
            unit: measure.unit(),
            interval: None,
            topics: pooled.sums.topics(),
            observations: pooled.total.b as usize,
            left_out: pooled.total.left_out.clone(),
            bounds: None,
            alert: None,
            notes: Vec::new(),
        }
    }

    /// Says why there is no value.
    pub(super) fn without_value(mut self, reason: impl Into<String>) -> Self {
        self.value = None;
        self.interval = None;
        self.not_applicable = Some(reason.into());
        self
    }

    /// Sets value and interval, and says what FIGURES 1 wants said beside them.
    pub(super) fn give(&mut self, value: f64, interval: Option<Interval>) {
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

    /// Sets a value that is a plain total, to which no interval belongs.
    pub(super) fn give_total(&mut self, value: f64) {
        if value.is_finite() {
            self.value = Some(value);
        } else {
            self.not_applicable = Some("too large to compute".to_owned());
        }
    }

    pub(super) fn keyed(mut self, key: Key) -> Self {
        self.keys.push(key);
        self
    }

    /// Names what is measured as its protocol does.
    pub(super) fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Holds the value against bounds; without a value nothing is past them.
    pub(super) fn watched(mut self, bounds: Alert) -> Self {
        let past = self.value.is_some_and(|value| {
            bounds.below.is_some_and(|bound| value < bound)
                || bounds.above.is_some_and(|bound| value > bound)
        });
        self.alert = Some(Alarm { bounds, past });
        self
    }
}
