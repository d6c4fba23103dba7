//! Session prepared for re-judging, in memory only.

use crate::debate::event::{
    Author, Created, Event, ModelPlayer, Outcome, Participant, Player, Reply,
};
use crate::debate::protocol::{
    Combine, DocumentsSeen, JudgeWhen, JudgedThing, Judging, NamedRounds, Orders, RoundSet, Seat,
    SeatKind, Sees, Stance, TargetSelector,
};
use crate::debate::{
    Chair, Judge, JudgingId, Protocol, SeatId, SessionId, ShownOrder, State, Step, Target, TurnId,
    VerdictState,
};
use crate::engine::seats::Seats;
use crate::engine::{Call, automatic_steps, call, model_request, verdict_event};
use crate::judge::Rubric;
use crate::library::{Game, GameParts, IMPORTED, rubric_template};
use crate::model;
use crate::store::{Hash, Layout};
use crate::workspace::annotations::attempt_hash;
use crate::workspace::pass::{
    Evaluator, PassManifest, PassMember, PassRules, Rejudged, VerdictAddress, member_rule,
};
use crate::workspace::{ModelFamilies, Result, SelfJudging, WorkspaceError, invalid, read_session};
use std::collections::BTreeSet;

/// The seat of the judge that a pass brings along.
const PASS_SEAT: &str = "pass-judge";

/// What people call the seat of a judge that a pass brings along.
const EVALUATOR: &str = "evaluator";

/// Session with the rules that a pass judges it by.
pub(super) struct SessionJudging {
    pub session: SessionId,
    state: State,
    game: Game,
    /// What is to be asked.
    pub judges: Vec<Judge>,
    /// Rules whose judge is a person: only a model can be asked again.
    pub left_out: Vec<JudgingId>,
}

impl SessionJudging {
    /// Reads a session and puts the rules of a pass in place of its own.
    ///
    /// # Errors
    /// When the session cannot be read, or rubric and session do not go together.
    pub(crate) fn set(
        layout: &Layout,
        session: &SessionId,
        manifest: &PassManifest,
    ) -> Result<Self> {
        let path = layout.session(session.as_str())?;
        let state = read_session(&path)?;
        let created = state
            .created()
            .cloned()
            .ok_or_else(|| WorkspaceError::empty(&path))?;
        let created = manifest.seated(created);
        match &manifest.rules {
            PassRules::Own { .. } => {
                let game = Game::of_session(&created)?;
                let asks = |rule: &Judging| rule.rubric.is_some();
                Ok(Self::of(session, state.under(created), game, asks))
            }
            PassRules::Rubric { .. } | PassRules::Detector { .. } | PassRules::Ensemble { .. } => {
                let game = game_of(&created, &manifest.sitting())?;
                Ok(Self::of(session, state.under(created), game, |_| true))
            }
            PassRules::Imported { .. } => Err(super::plan::nothing_to_do()),
        }
    }

    fn of(
        session: &SessionId,
        state: State,
        game: Game,
        wanted: impl Fn(&Judging) -> bool,
    ) -> Self {
        let (mut judges, mut left_out) = (Vec::new(), Vec::new());
        if let Some(created) = state.created() {
            let rules = created.protocol.judging.iter();
            for rule in rules.filter(|rule| rule.enabled && wanted(rule)) {
                let all = match rule.detector {
                    Some(_) => by_rule(&state, rule),
                    None => state.wanted_anew(rule),
                };
                let (asked, people): (Vec<_>, Vec<_>) = all
                    .into_iter()
                    .partition(|judge| !created.sits_a_person(&judge.chair));
                judges.extend(asked);
                if !people.is_empty() {
                    left_out.push(rule.id.clone());
                }
            }
        }
        Self {
            session: session.clone(),
            state,
            game,
            judges,
            left_out,
        }
    }

    /// Returns who judges themselves or their like.
    pub(crate) fn self_judging(&self, families: &ModelFamilies) -> Vec<SelfJudging> {
        let created = self.state.created();
        created.map_or_else(Vec::new, |created| alike(created, families))
    }

    /// Says whether its topic can only be judged by comparing hashes.
    pub(crate) fn needs_hash_check(&self) -> bool {
        let created = self.state.created();
        created.is_some_and(|created| created.topic.needs_hash_check)
    }

    /// Says whether a verdict needs no call.
    pub(super) fn is_by_rule(&self, judge: &Judge) -> bool {
        let rule = self.rule(judge);
        rule.is_some_and(|rule| rule.detector.is_some())
    }

    /// Returns the finding of a rule that asks no model; `None` where a model is to be asked.
    pub(super) fn found_by_rule(&self, judge: &Judge) -> Option<Rejudged> {
        let detector = self.rule(judge)?.detector?;
        let Event::Judged(found) =
            automatic_steps::applied(&self.state, &judge.judging, &judge.target)
        else {
            return None;
        };
        let evaluator = Evaluator::Detector { detector };
        Some(Rejudged {
            asked: VerdictAddress::from_judge(&self.session, judge),
            sha256: hash_of(&self.state, &judge.target),
            rubric: evaluator.rubric(),
            model: evaluator.model().to_owned(),
            attempt: 0,
            outcome: found.outcome,
            view: None,
            reply: None,
        })
    }

    /// Makes the request for a verdict; after `before`, which could not be read, for another one.
    ///
    /// # Errors
    /// When a template fails or the model cannot be made ready.
    pub(crate) fn call(
        &self,
        seats: &Seats,
        judge: &Judge,
        before: Option<&Rejudged>,
    ) -> Result<Option<Call>> {
        let Some(before) = before else {
            let step = Step::Judge(judge.clone());
            return call::prepare(&self.state, &self.game, seats, &step, None);
        };
        let verdict = VerdictState {
            by: Author::Engine,
            at: String::new(),
            outcome: Some(before.outcome.clone()),
            view: None,
            reply: before.reply.clone(),
            inherited: false,
            earlier: Vec::new(),
        };
        let state = self.state.clone().with_verdict(judge, verdict);
        let again = Step::Judge(Judge {
            attempt: before.attempt + 1,
            ..judge.clone()
        });
        call::prepare(&state, &self.game, seats, &again, None)
    }

    /// Says whether a verdict is to be asked for, given its earlier result.
    pub(crate) fn wants(&self, judge: &Judge, before: Option<&Rejudged>) -> bool {
        let Some(before) = before else {
            return true;
        };
        let rule = self.rule(judge);
        let repair = rule.and_then(|rule| rule.repair.as_ref());
        match before.outcome {
            Outcome::Label(_) => false,
            Outcome::Unparsed { .. } => {
                let reply = before.reply.as_ref();
                let is_empty = reply.is_some_and(Reply::is_empty);
                let asks_again = reply.is_some_and(|reply| reply.ask_again);
                asks_again || !is_empty && repair.is_some_and(|rule| before.attempt < rule.at_most)
            }
        }
    }

    /// Returns what a judge's reply becomes.
    pub(crate) fn judged(
        &self,
        judge: &Judge,
        attempt: u32,
        call: Call,
        reply: model::Reply,
    ) -> Rejudged {
        let cost_usd = call.seat.settings.cost_usd(&reply);
        let mut reply = model_request::reply(reply, cost_usd, &call.request);
        reply.ask_again = attempt == 0 && reply.is_empty();
        let protocol = self.state.protocol();
        let rubric = self.rule(judge).and_then(|rule| rule.rubric.clone());
        Rejudged {
            asked: VerdictAddress::from_judge(&self.session, judge),
            sha256: hash_of(&self.state, &judge.target),
            rubric: rubric.unwrap_or_default(),
            model: self.model(judge),
            attempt,
            outcome: verdict_event::read_verdict(protocol, &self.game, judge, &reply),
            view: Some(call.into_view()),
            reply: Some(reply),
        }
    }

    fn rule(&self, judge: &Judge) -> Option<&Judging> {
        self.state.protocol()?.judging(&judge.judging)
    }

    fn model(&self, judge: &Judge) -> String {
        let created = self.state.created();
        let player = created.and_then(|created| created.player(&judge.chair)?.model());
        player.map_or_else(String::new, |player| player.model.clone())
    }
}

/// Hashes what a verdict is about: an attempt, or all attempts that count of a round or a debate,
/// in the order of the game.
pub(super) fn hash_of(state: &State, target: &Target) -> Hash {
    let of = |turn: &TurnId| {
        let (id, attempt) = state.chosen(turn)?;
        Some(attempt_hash(&id, &attempt.reply.text))
    };
    let of_rounds = |rounds: std::ops::RangeInclusive<u32>| {
        let protocol = state.protocol();
        let turns = protocol.map(|game| rounds.flat_map(|round| game.turns_in(round)));
        let mut bytes = Vec::new();
        for turn in turns.into_iter().flatten() {
            if let Some(hash) = of(&turn) {
                bytes.extend_from_slice(hash.as_bytes());
            }
        }
        Hash::of(&bytes)
    };
    match target {
        Target::Attempt(id) => {
            let turn = state.turns().get(&id.turn);
            let attempt = turn.and_then(|turn| turn.attempts.get(id.attempt as usize));
            attempt_hash(id, attempt.map_or("", |attempt| &attempt.reply.text))
        }
        Target::Round(round) => of_rounds(*round..=*round),
        Target::Debate => of_rounds(1..=state.last_round()),
    }
}

impl PassManifest {
    /// Returns a session's first event with the rules and judges of the pass in place of its own.
    fn seated(&self, mut created: Created) -> Created {
        created.template_texts = created.template_texts.and(&self.template_texts);
        match (&self.rules, &self.judge) {
            (PassRules::Own { .. }, Some(judge)) => with_judges(created, judge),
            (PassRules::Own { .. }, None) | (PassRules::Imported { .. }, _) => created,
            (
                PassRules::Rubric { .. } | PassRules::Detector { .. } | PassRules::Ensemble { .. },
                _,
            ) => with_rules(created, &self.sitting()),
        }
    }

    /// Returns who of the pass judges themselves or their like in a session.
    pub(crate) fn self_judging(
        &self,
        created: &Created,
        families: &ModelFamilies,
    ) -> Vec<SelfJudging> {
        match &self.rules {
            // These labels were not given by anybody who sits here.
            PassRules::Imported { .. } => Vec::new(),
            PassRules::Own { .. }
            | PassRules::Rubric { .. }
            | PassRules::Detector { .. }
            | PassRules::Ensemble { .. } => alike(&self.seated(created.clone()), families),
        }
    }
}

/// The seat of a pass is in no game, so its name is replaced in messages.
fn alike(created: &Created, families: &ModelFamilies) -> Vec<SelfJudging> {
    let found = families.self_judging(&created.protocol, &created.cast);
    let named = found.into_iter().map(|found| {
        let is_ours = found.judge.as_str().starts_with(PASS_SEAT);
        match is_ours {
            true => found.by(SeatId::new(EVALUATOR)),
            false => found,
        }
    });
    BTreeSet::from_iter(named).into_iter().collect()
}

/// Puts one model on every chair that judges.
fn with_judges(mut created: Created, judge: &ModelPlayer) -> Created {
    let protocol = &created.protocol;
    let judges = |chair: &Chair| {
        let mut rules = protocol.judging.iter().filter(|rule| rule.enabled);
        rules.any(|rule| rule.by.as_ref() == Some(&chair.seat))
    };
    for participant in &mut created.cast {
        if judges(&participant.chair) {
            participant.player = Player::Model(judge.clone());
        }
    }
    created
}

/// Returns the targets of a rule that asks no model.
fn by_rule(state: &State, rule: &Judging) -> Vec<Judge> {
    let targets = state.targets_of(rule).into_iter();
    let judges = targets.map(|target| Judge {
        judging: rule.id.clone(),
        chair: Chair::first(PASS_SEAT),
        target,
        order: ShownOrder::AsSeated,
        attempt: 0,
    });
    judges.collect()
}

/// Puts one rule on single turns for each evaluator in place of all others: it looks at the turns
/// that the game's own rule on turns looks at and sees the same, else at everything that speakers
/// say in public.
fn with_rules(mut created: Created, sitting: &[(Evaluator, PassMember)]) -> Created {
    let protocol = &mut created.protocol;
    let mut rules = protocol.judging.iter();
    let own = rules.find(|rule| {
        rule.enabled && rule.of == JudgedThing::Turn && rule.by.is_some() && rule.rubric.is_some()
    });
    let own_id = own.map(|own| own.id.clone());
    let all = Sees {
        topic: true,
        documents: DocumentsSeen::All,
        ..Sees::default()
    };
    // An imported game judges nothing and says which turns are no mere context.
    let named = || {
        let mut rules = protocol.judging.iter();
        let named = rules
            .find(|rule| !rule.enabled && rule.of == JudgedThing::Turn && protocol.id == IMPORTED);
        named.map(|rule| rule.turns.clone())
    };
    let (turns, sees) = match own {
        Some(own) => (own.turns.clone(), own.sees.clone()),
        None => (
            named().unwrap_or_else(|| vec![said_in_public(protocol)]),
            all,
        ),
    };
    protocol.judging.clear();
    for (at, (evaluator, brought)) in sitting.iter().enumerate() {
        let (id, seat) = match sitting {
            [_] => (
                own_id.clone().unwrap_or_else(|| named_after(evaluator)),
                SeatId::new(PASS_SEAT),
            ),
            _ => (
                member_rule(at),
                SeatId::new(format!("{PASS_SEAT}-{}", at + 1)),
            ),
        };
        let (by, detector, rubric) = match evaluator {
            Evaluator::Rubric { rubric, .. } => (Some(seat.clone()), None, Some(rubric.clone())),
            Evaluator::Detector { detector } => (None, Some(*detector), None),
        };
        protocol.judging.push(Judging {
            id,
            by,
            grader: None,
            detector,
            of: JudgedThing::Turn,
            answer: None,
            rounds: RoundSet::default(),
            turns: turns.clone(),
            when: JudgeWhen::Soon,
            enabled: true,
            rubric,
            combine: Combine::default(),
            orders: Orders::One,
            tie_value: 0.0,
            repair: None,
            sees: sees.clone(),
            max_tokens: None,
        });
        let Some(judge) = &brought.judge else {
            continue;
        };
        protocol.seats.push(Seat {
            id: seat.clone(),
            kind: SeatKind::Evaluator,
            count: 1,
            label: None,
            persona: None,
            stance: Stance::Chosen,
        });
        created.cast.push(Participant {
            chair: Chair::first(seat),
            player: Player::Model(judge.clone()),
            persona: None,
        });
    }
    created
}

fn named_after(evaluator: &Evaluator) -> JudgingId {
    JudgingId::new(match evaluator {
        Evaluator::Rubric { rubric, .. } => rubric,
        Evaluator::Detector { detector } => detector.name(),
    })
}

fn said_in_public(protocol: &Protocol) -> TargetSelector {
    let speakers = protocol
        .seats
        .iter()
        .filter(|seat| seat.kind == SeatKind::Speaker);
    TargetSelector {
        seats: speakers.map(|seat| seat.id.clone()).collect(),
        stages: None,
        rounds: RoundSet::Named(NamedRounds::All),
    }
}

/// Puts a game together that can judge by rubrics of the library, and play nothing.
fn game_of(created: &Created, sitting: &[(Evaluator, PassMember)]) -> Result<Game> {
    let mut protocol = created.protocol.clone();
    // They name labels of rubrics that are not asked here.
    protocol.rewards.clear();
    protocol.stop.clear();
    protocol.gauges.clear();
    protocol.feedback = None;
    let mut parts = GameParts::default();
    for (evaluator, member) in sitting {
        let (Evaluator::Rubric { rubric, .. }, brought) = (evaluator, &member.brought) else {
            continue;
        };
        let Some(brought) = brought.as_ref().filter(|_| member.judge.is_some()) else {
            return invalid(format!(
                "the pass's manifest holds no text of the rubric '{rubric}' or no judge; begin another"
            ));
        };
        let read =
            Rubric::parse(rubric, &brought.rubric).map_err(crate::library::GameError::from)?;
        let template = brought.template.clone();
        parts.templates.insert(rubric_template(rubric), template);
        let text = brought.rubric.clone();
        parts.rubric_texts.insert(rubric.clone(), text);
        parts.rubrics.insert(rubric.clone(), read);
    }
    Ok(Game::new(protocol, created.settings.clone(), parts)?)
}
