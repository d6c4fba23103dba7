//! Session prepared for re-judging, in memory only.

use crate::engine::seats::Seats;
use crate::engine::{Call, automatic_steps, call, model_request, verdict_event};
use elenchus_game::debate::event::{Author, Created, Event, Outcome, Reply};
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::{
    Chair, Judge, JudgingId, SessionId, ShownOrder, State, Step, Target, TurnId, VerdictState,
};
use elenchus_game::judge::Rubric;
use elenchus_model as model;
use elenchus_records::library::{Game, GameParts, rubric_template};
use elenchus_records::library::{ModelFamilies, SelfJudging};
use elenchus_records::workspace::annotations::attempt_hash;
use elenchus_records::workspace::pass::{
    Evaluator, PASS_SEAT, PassManifest, PassMember, PassRules, Rejudged, VerdictAddress,
    find_self_judging,
};
use elenchus_records::workspace::{Result, WorkspaceError, invalid, read_session};
use elenchus_store::{Hash, Layout};

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
        created.map_or_else(Vec::new, |created| find_self_judging(created, families))
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
        reply.ask_again = attempt == 0 && reply.is_empty() && !reply.out_of_tokens;
        let material = call.material(&self.state);
        let protocol = self.state.protocol();
        let rubric = self.rule(judge).and_then(|rule| rule.rubric.clone());
        Rejudged {
            asked: VerdictAddress::from_judge(&self.session, judge),
            sha256: hash_of(&self.state, &judge.target),
            rubric: rubric.unwrap_or_default(),
            model: self.model(judge),
            attempt,
            outcome: verdict_event::read_verdict(protocol, &self.game, judge, &reply, &material),
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
        let read = Rubric::parse(rubric, &brought.rubric)
            .map_err(elenchus_records::library::GameError::from)?;
        let template = brought.template.clone();
        parts.templates.insert(rubric_template(rubric), template);
        let text = brought.rubric.clone();
        parts.rubric_texts.insert(rubric.clone(), text);
        parts.rubrics.insert(rubric.clone(), read);
    }
    Ok(Game::new(protocol, created.settings.clone(), parts)?)
}
