//! Session prepared for re-judging, in memory only.

use crate::engine::seats::Seats;
use crate::engine::{Call, automatic_steps, call, model_request, verdict_event};
use elenchus_game::debate::event::{Author, Created, Event, Outcome, Reply};
use elenchus_game::debate::protocol::{Judging, Orders, Protocol};
use elenchus_game::debate::{
    Chair, Judge, JudgingId, SessionId, ShownOrder, State, Step, VerdictState,
};
use elenchus_game::judge::Rubric;
use elenchus_game::prompt::{compact_view, expand_view};
use elenchus_model as model;
use elenchus_records::library::{Game, GameParts, rubric_template};
use elenchus_records::library::{ModelFamilies, SelfJudging};
use elenchus_records::workspace::pass::{
    Evaluator, FrozenExchange, PASS_SEAT, PassManifest, PassMember, PassRules, Rejudged,
    ReplacedCritique, VerdictAddress, find_self_judging, hash_target,
};
use elenchus_records::workspace::{Result, WorkspaceError, read_session, reject};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Session with the rules that a pass judges it by.
pub(super) struct SessionJudging {
    pub session: SessionId,
    state: State,
    game: Game,
    /// What is to be asked.
    pub judges: Vec<Judge>,
    /// Rules whose judge is a person: only a model can be asked again.
    pub left_out: Vec<JudgingId>,
    /// The same debate with other critiques, by the rule that each is judged by.
    replaced: BTreeMap<JudgingId, State>,
}

impl SessionJudging {
    /// Reads a session and puts the rules of a pass in place of its own.
    ///
    /// # Errors
    /// When the session cannot be read, or rubric and session do not go together.
    pub(crate) fn load(
        layout: &Layout,
        session: &SessionId,
        manifest: &PassManifest,
    ) -> Result<Self> {
        let path = layout.session_path(session.as_str())?;
        let state = read_session(&path)?;
        let created = state
            .first_event()
            .cloned()
            .ok_or_else(|| WorkspaceError::empty_journal(&path))?;
        let created = manifest.seat_judges(created);
        match &manifest.rules {
            PassRules::Own { .. } => {
                let game = Game::from_created(&created)?;
                if !manifest.critiques.is_empty() {
                    let state = state.with_first_event(created);
                    return Self::from_critiques(session, state, game, &manifest.critiques);
                }
                let state = state.with_first_event(created);
                Ok(match manifest.orders {
                    Orders::One => {
                        Self::from_rules(session, state, game, |rule| rule.rubric.is_some())
                    }
                    Orders::Both => Self::in_both_orders(session, state, game),
                })
            }
            PassRules::Rubric { .. } | PassRules::Detector { .. } | PassRules::Ensemble { .. } => {
                let game = build_judging_game(&created, &manifest.list_members())?;
                Ok(Self::from_rules(
                    session,
                    state.with_first_event(created),
                    game,
                    |_| true,
                ))
            }
            PassRules::Imported { .. } => Err(super::plan::imported_labels_error()),
        }
    }

    fn from_rules(
        session: &SessionId,
        state: State,
        game: Game,
        is_wanted: impl Fn(&Judging) -> bool,
    ) -> Self {
        let (mut judges, mut left_out) = (Vec::new(), Vec::new());
        if let Some(created) = state.first_event() {
            let rules = created.protocol.judging.iter();
            // Who is shown the reference answer is no judge: it is asked in the debate alone.
            let rules = rules.filter(|rule| rule.grades.is_none());
            for rule in rules.filter(|rule| rule.enabled && is_wanted(rule)) {
                let all = match rule.detector {
                    Some(_) => list_rule_judges(&state, rule),
                    None => state.required_judges(rule),
                };
                let (model_judges, people): (Vec<_>, Vec<_>) = all
                    .into_iter()
                    .partition(|judge| !created.is_played_by_person(&judge.chair));
                judges.extend(model_judges);
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
            replaced: BTreeMap::new(),
        }
    }

    /// Has each rule whose judge reads both sides ask twice: as they spoke, and with their places exchanged.
    fn in_both_orders(session: &SessionId, state: State, game: Game) -> Self {
        let protocol = state.protocol();
        let rules = protocol.into_iter().flat_map(Protocol::exchangeable_rules);
        let rules: BTreeSet<JudgingId> = rules.map(|rule| rule.id.clone()).collect();
        let mut judging = Self::from_rules(session, state, game, |rule| rules.contains(&rule.id));
        let as_seated = std::mem::take(&mut judging.judges).into_iter();
        let both = as_seated.flat_map(|judge| {
            let exchanged = Judge {
                order: ShownOrder::Swapped,
                ..judge.clone()
            };
            [judge, exchanged]
        });
        judging.judges = both.collect();
        judging
    }

    /// Has the rule that decides a debate ask once for each critique.
    fn from_critiques(
        session: &SessionId,
        state: State,
        game: Game,
        critiques: &[ReplacedCritique],
    ) -> Result<Self> {
        let exchange = match FrozenExchange::find(&state) {
            Ok(exchange) => exchange,
            Err(why) => return reject(format!("no critique can be replaced: {why}")),
        };
        let mut judging =
            Self::from_rules(session, state, game, |rule| rule.id == exchange.rule.id);
        let mut judges = Vec::new();
        for critique in critiques {
            let Some(changed) = exchange.replace_critique(&judging.state, critique) else {
                continue;
            };
            let id = critique.rule_id(&exchange.rule.id);
            judges.extend(judging.judges.iter().map(|judge| Judge {
                judging: id.clone(),
                ..judge.clone()
            }));
            judging.replaced.insert(id, changed);
        }
        judging.judges = judges;
        Ok(judging)
    }

    /// Returns the debate as the judge of a verdict is shown it.
    fn state_for(&self, judge: &Judge) -> &State {
        self.replaced.get(&judge.judging).unwrap_or(&self.state)
    }

    /// Returns who judges themselves or their like.
    pub(crate) fn list_self_judging(&self, families: &ModelFamilies) -> Vec<SelfJudging> {
        let created = self.state.first_event();
        created.map_or_else(Vec::new, |created| find_self_judging(created, families))
    }

    /// Says whether its topic can only be judged by comparing hashes.
    pub(crate) fn needs_hash_check(&self) -> bool {
        let created = self.state.first_event();
        created.is_some_and(|created| created.topic.needs_hash_check)
    }

    /// Returns the game that it was played by.
    pub(super) fn protocol_id(&self) -> &str {
        let protocol = self.state.protocol();
        protocol.map_or("", |protocol| &protocol.id)
    }

    /// Says whether a verdict needs no call.
    pub(super) fn is_by_rule(&self, judge: &Judge) -> bool {
        let rule = self.find_rule(judge);
        rule.is_some_and(|rule| rule.detector.is_some())
    }

    /// Returns the finding of a rule that asks no model; `None` where a model is to be asked.
    pub(super) fn judge_by_rule(&self, judge: &Judge) -> Option<Rejudged> {
        let detector = self.find_rule(judge)?.detector?;
        let Event::Judged(verdict) =
            automatic_steps::apply_automatic_rule(&self.state, &judge.judging, &judge.target)
        else {
            return None;
        };
        let evaluator = Evaluator::Detector { detector };
        Some(Rejudged {
            asked: VerdictAddress::from_judge(&self.session, judge),
            sha256: hash_target(&self.state, &judge.target),
            rubric: evaluator.rubric_name(),
            model: evaluator.model_name().to_owned(),
            attempt: 0,
            outcome: verdict.outcome,
            view: None,
            reply: None,
        })
    }

    /// Makes the request for a verdict; after `before`, which could not be read, for another one.
    ///
    /// # Errors
    /// When a template fails or the model cannot be made ready.
    pub(crate) fn build_call(
        &self,
        seats: &Seats,
        judge: &Judge,
        before: Option<&Rejudged>,
    ) -> Result<Option<Call>> {
        let Some(before) = before else {
            let step = Step::Judge(judge.clone());
            return call::prepare_call(self.state_for(judge), &self.game, seats, &step, None);
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
        let state = self.state_for(judge).clone().with_verdict(judge, verdict);
        let again = Step::Judge(Judge {
            attempt: before.attempt + 1,
            ..judge.clone()
        });
        call::prepare_call(&state, &self.game, seats, &again, None)
    }

    /// Says whether a verdict is to be asked for, given its earlier result.
    pub(crate) fn needs_verdict(&self, judge: &Judge, before: Option<&Rejudged>) -> bool {
        let Some(before) = before else {
            return true;
        };
        let rule = self.find_rule(judge);
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
    pub(crate) fn build_verdict(
        &self,
        judge: &Judge,
        attempt: u32,
        call: Call,
        reply: model::Reply,
    ) -> Rejudged {
        let cost_usd = call.seat.settings.cost_usd(&reply);
        let mut reply = model_request::to_event_reply(reply, cost_usd, &call.request);
        reply.ask_again = attempt == 0 && reply.is_empty() && !reply.out_of_tokens;
        let state = self.state_for(judge);
        let material = call.collect_material(state);
        let protocol = state.protocol();
        let rubric = self.find_rule(judge).and_then(|rule| rule.rubric.clone());
        Rejudged {
            asked: VerdictAddress::from_judge(&self.session, judge),
            sha256: hash_target(state, &judge.target),
            rubric: rubric.unwrap_or_default(),
            model: self.model_name(judge),
            attempt,
            outcome: verdict_event::read_verdict(protocol, &self.game, judge, &reply, &material),
            // What the session does not hold stays in the view: a critique that was put in place of its own.
            view: Some(compact_view(
                &self.state,
                None,
                expand_view(state, None, call.into_view()),
            )),
            reply: Some(reply),
        }
    }

    fn find_rule(&self, judge: &Judge) -> Option<&Judging> {
        self.state_for(judge)
            .protocol()?
            .find_judging(&judge.judging)
    }

    fn model_name(&self, judge: &Judge) -> String {
        let created = self.state.first_event();
        let player = created.and_then(|created| created.player_of(&judge.chair)?.as_model());
        player.map_or_else(String::new, |player| player.model.clone())
    }
}

/// Returns the targets of a rule that asks no model.
fn list_rule_judges(state: &State, rule: &Judging) -> Vec<Judge> {
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
fn build_judging_game(created: &Created, members: &[(Evaluator, PassMember)]) -> Result<Game> {
    let mut protocol = created.protocol.clone();
    // They name labels of rubrics that are not asked here.
    protocol.rewards.clear();
    protocol.stop.clear();
    protocol.gauges.clear();
    protocol.feedback.clear();
    let mut parts = GameParts::default();
    for (evaluator, member) in members {
        let (Evaluator::Rubric { rubric, .. }, brought) = (evaluator, &member.brought) else {
            continue;
        };
        let Some(rubric_files) = brought.as_ref().filter(|_| member.judge.is_some()) else {
            return reject(format!(
                "the pass's manifest holds no text of the rubric '{rubric}' or no judge; begin another"
            ));
        };
        let own_rubric = Rubric::parse(rubric, &rubric_files.rubric)
            .map_err(elenchus_records::library::GameError::from)?;
        let template = rubric_files.template.clone();
        parts.templates.insert(rubric_template(rubric), template);
        let text = rubric_files.rubric.clone();
        parts.rubric_texts.insert(rubric.clone(), text);
        parts.rubrics.insert(rubric.clone(), own_rubric);
    }
    Ok(Game::new(protocol, created.settings.clone(), parts)?)
}
