//! Dry run of a game: every step from the first to the last, with replies of assumed length. Measures what
//! each call is shown. Sends nothing and costs nothing.
//!
//! The replies themselves are one character long; wherever a view holds one, its assumed length is
//! added. So a dry run takes the same time however long the replies are assumed to be.

mod json;
mod usage;

pub(crate) use usage::DryRun;

use super::build_request;
use super::call::DEFAULT_MAX_TOKENS;
use super::seats::{kept_settings, simulated_reply_tokens};
use super::step_request::StepRequest;
use elenchus_game::debate::event::{
    Author, Created, Event, FeedbackWritten, Fields, Finding, Judged, Outcome, Player, Record,
    Replied, Reply, Retrieved, RetrievedEntry, SwappedRewards,
};
use elenchus_game::debate::guardrail_events::{
    GuardCandidate, GuardDecision, Guarded, GuardsRetrieved,
};
use elenchus_game::debate::protocol::Stage;
use elenchus_game::debate::step::{Judge, ShownOrder, Speak, Step, Target};
use elenchus_game::debate::view::PartSource;
use elenchus_game::debate::{
    AttemptId, Chair, GuardrailWritten, JudgingId, SeatId, SessionId, State,
};
use elenchus_memory::{DEFAULT_EXAMPLES, DEFAULT_TOP_K, guardrail_bytes};
use elenchus_model::settings::UNLIMITED_REPLY_TOKENS;
use elenchus_model::{CHARS_PER_TOKEN, ModelSettings, Param, ReplyForm};
use elenchus_records::library::Game;
use elenchus_records::library::template_selection;
use elenchus_records::workspace::memory::count_examples;
use json::{count_texts, put_number};
use std::collections::BTreeMap;
use usage::ReplyLength;
use usage::TextSize;

/// Maximum number of steps of a dry run.
const MAX_STEPS: usize = 3_000;
/// The share of its token limit that a reply is taken to fill.
pub(crate) const LIKELY_SHARE: f64 = 0.5;

/// Assumed length of a guardrail in tokens: an intent with some examples.
const LIKELY_GUARDRAIL_TOKENS: u64 = 80;

/// Assumption about retries: each reply is accepted at once, or retried as often as the game allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryAssumption {
    Good,
    Bad,
}

/// Performs a dry run; `None` if the game has too many steps, or a template fails.
pub(super) fn walk_game(
    created: Created,
    game: &Game,
    assumption: RetryAssumption,
) -> Option<DryRun> {
    let (_, walk) =
        DryRunner::from_state(State::default(), game, assumption).walk_from_start(created)?;
    Some(walk)
}

/// Performs a dry run without retries in which each call of a chair takes as long as it is given, in
/// milliseconds. Returns how the debate would end, and its calls.
pub(crate) fn timed_walk(
    created: Created,
    game: &Game,
    latencies: &BTreeMap<Chair, u64>,
) -> Option<(State, DryRun)> {
    let mut walker = DryRunner::from_state(State::default(), game, RetryAssumption::Good);
    walker.latencies.clone_from(latencies);
    walker.walk_from_start(created)
}

/// Continues from a state, over the steps that `next` returns; turns that exist are measured as they are.
pub(crate) fn continue_dry_run(
    state: State,
    game: &Game,
    assumption: RetryAssumption,
    next: impl FnMut(&State) -> Option<Step>,
) -> Option<DryRun> {
    let (_, walk) = DryRunner::from_state(state, game, assumption).walk_steps(next)?;
    Some(walk)
}

struct DryRunner<'a> {
    game: &'a Game,
    assumption: RetryAssumption,
    state: State,
    replies: BTreeMap<AttemptId, ReplyLength>,
    rulings: BTreeMap<(JudgingId, Target), ReplyLength>,
    /// How long a call of a chair takes, in milliseconds; nothing where it is not given.
    latencies: BTreeMap<Chair, u64>,
    walk: DryRun,
}

impl<'a> DryRunner<'a> {
    fn from_state(state: State, game: &'a Game, assumption: RetryAssumption) -> Self {
        Self {
            game,
            assumption,
            state,
            replies: BTreeMap::new(),
            rulings: BTreeMap::new(),
            latencies: BTreeMap::new(),
            walk: DryRun::default(),
        }
    }

    fn walk_from_start(mut self, created: Created) -> Option<(State, DryRun)> {
        self.apply_event(Event::Created(Box::new(created)))?;
        self.walk_steps(|state| state.find_open_steps().steps.into_iter().next())
    }

    fn walk_steps(
        mut self,
        mut next: impl FnMut(&State) -> Option<Step>,
    ) -> Option<(State, DryRun)> {
        for _ in 0..MAX_STEPS {
            let Some(step) = next(&self.state) else {
                return Some((self.state, self.walk));
            };
            self.perform_step(&step)?;
        }
        None
    }

    fn apply_event(&mut self, event: Event) -> Option<()> {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        self.state.apply_event(&record).ok()
    }

    fn perform_step(&mut self, step: &Step) -> Option<()> {
        let request = build_request::build_step_request(&self.state, self.game, step).ok()?;
        let reply_length = request.map(|asked| self.count_request(&asked));
        let event = match step {
            Step::Retrieve(learner) => self.retrieval_event(learner.clone()),
            Step::RetrieveGuards => guard_retrieval_event(),
            // Where nothing matches the most is spent.
            Step::Guard(chair) => Event::Guarded(Box::new(Guarded {
                chair: chair.clone(),
                decision: GuardDecision::NoMatch,
                view: None,
                reply: self.make_reply(chair),
            })),
            Step::DeriveGuardrail(chair) => Event::GuardrailWritten(Box::new(GuardrailWritten {
                chair: chair.clone(),
                view: None,
                reply: self.make_reply(chair),
            })),
            Step::Speak(speak)
            | Step::AwaitSpeaker(speak)
            | Step::Recite(speak)
            | Step::Refuse(speak) => self.turn_event(speak, reply_length)?,
            Step::Judge(judge) | Step::AwaitJudge(judge) => {
                self.verdict_event(judge, reply_length)?
            }
            Step::Grade { judging, target } => self.grade_event(judging, target),
            Step::SwapRewards => Event::RewardsSwapped(Box::new(SwappedRewards {
                from: SessionId::new(String::new()),
                paid: self.state.paid_decisions(),
            })),
            Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
                Event::FeedbackWritten(Box::new(FeedbackWritten {
                    entry: String::new(),
                    learner: lesson.learner.clone(),
                    view: None,
                    reply: self.make_reply(&lesson.chair),
                }))
            }
        };
        self.apply_event(event)
    }

    /// Adds a call to what its chair uses, and returns how long its reply is.
    fn count_request(&mut self, request: &StepRequest) -> ReplyLength {
        let schema = request.form.as_ref().and_then(ReplyForm::as_schema);
        let texts = schema.map_or(1, count_texts).max(1);
        let length = self.expected_length(&request.chair, request.sampling.max_tokens, texts);
        let settings = self.chair_settings(&request.chair);
        let tally = self.walk.tallies.entry(request.chair.clone()).or_default();
        tally.settings = settings;
        tally.calls += 1;
        tally.messages += request.view.messages.len() as u64;
        tally.written.add_length(length);
        if let Some(schema) = schema {
            tally.plain.add_text(&schema.to_string());
        }
        for part in request.view.messages.iter().flat_map(|said| &said.parts) {
            let text = part.text.as_deref().unwrap_or_default();
            match &part.from {
                PartSource::Topic => tally.topic.text += 1,
                PartSource::Context => tally.topic.context += 1,
                PartSource::Conversation(at) => {
                    *tally.topic.conversation.entry(*at).or_default() += 1
                }
                PartSource::Document(at) => *tally.topic.documents.entry(*at).or_default() += 1,
                PartSource::Option(at) => *tally.topic.options.entry(*at).or_default() += 1,
                PartSource::Turn(id) | PartSource::OwnPrivate(id) => {
                    tally.plain.add_text(text);
                    tally
                        .seen
                        .add_length(self.replies.get(id).copied().unwrap_or_default());
                }
                PartSource::Ruling { judging, target } => {
                    tally.plain.add_text(text);
                    let ruling = self.rulings.get(&(judging.clone(), target.clone()));
                    tally.seen.add_length(ruling.copied().unwrap_or_default());
                }
                PartSource::Memory(_) => {
                    tally.plain.add_text(text);
                    tally
                        .seen
                        .add_length(lesson_length(self.state.first_event(), self.game));
                }
                PartSource::Guardrail(_) => {
                    tally.plain.add_text(text);
                    tally
                        .seen
                        .add_length(guardrail_length(self.state.first_event()));
                }
                PartSource::Template(_) => {
                    tally.plain.add_text(text);
                    match self.walk.fixed.get_mut(text) {
                        Some(times) => *times += 1,
                        None => drop(self.walk.fixed.insert(text.to_owned(), 1)),
                    }
                }
                PartSource::Verdict { .. }
                | PartSource::Rewards { .. }
                | PartSource::Persona
                | PartSource::Draw(_)
                | PartSource::Reference
                | PartSource::Fence
                | PartSource::LabelLine
                | PartSource::Person => tally.plain.add_text(text),
            }
        }
        length
    }

    fn make_reply(&self, chair: &Chair) -> Reply {
        Reply {
            text: "x".to_owned(),
            latency_ms: self.latencies.get(chair).copied().unwrap_or(0),
            ..Reply::default()
        }
    }

    fn chair_settings(&self, chair: &Chair) -> Option<ModelSettings> {
        kept_settings(self.state.first_event()?.player_of(chair)?.as_model()?)
    }

    /// Assumed length of a chair's reply under a limit of its stage or rule. The simulated model
    /// writes its length for each of the `texts` that are asked for.
    fn expected_length(&self, chair: &Chair, limit: Option<u32>, texts: u64) -> ReplyLength {
        let player = self
            .state
            .first_event()
            .and_then(|created| created.player_of(chair));
        let model = player.and_then(Player::as_model);
        let settings = model.and_then(kept_settings);
        let own = settings.as_ref().and_then(|own| own.sampling.max_tokens);
        let limit = u64::from(limit.or(own).unwrap_or(DEFAULT_MAX_TOKENS));
        let context = settings
            .as_ref()
            .and_then(|settings| settings.context_tokens)
            .map_or(u64::MAX, u64::from);
        let drops_limit = settings
            .as_ref()
            .is_some_and(|settings| settings.drop_params.contains(&Param::MaxTokens));
        let most = if drops_limit {
            UNLIMITED_REPLY_TOKENS
        } else {
            limit
        };
        let set = model
            .and_then(simulated_reply_tokens)
            .map(|tokens| tokens.saturating_mul(texts));
        let likely = set.unwrap_or((limit as f64 * LIKELY_SHARE).ceil() as u64);
        ReplyLength {
            likely: likely.min(most).min(context),
            most: most.min(context),
        }
    }

    fn retrieval_event(&self, learner: Option<SeatId>) -> Event {
        let created = self.state.first_event();
        let lookup = created.and_then(|created| created.memory.lookup);
        let entries = (0..lookup.unwrap_or_default().k).map(|number| RetrievedEntry {
            id: number.to_string(),
            score: 1.0,
            text: "x".to_owned(),
            origin: None,
            also_from: Vec::new(),
        });
        Event::Retrieved(Retrieved {
            learner,
            retriever: String::new(),
            entries: entries.collect(),
            excluded: Vec::new(),
        })
    }

    fn turn_event(&mut self, speak: &Speak, written: Option<ReplyLength>) -> Option<Event> {
        let created = self.state.first_event()?;
        let turn = &speak.turn;
        let stage = created.protocol.find_stage(&turn.stage)?;
        let length = match created.player_of(&turn.chair) {
            Some(Player::Fixed(fixed)) => {
                let mut size = TextSize::default();
                size.add_text(fixed.find_line(turn).unwrap_or_default());
                ReplyLength {
                    likely: size.chars.div_ceil(CHARS_PER_TOKEN),
                    most: size.bytes,
                }
            }
            Some(Player::Model(_) | Player::Human { .. }) | None => {
                written.unwrap_or_else(|| self.expected_length(&turn.chair, stage.max_tokens, 1))
            }
        };
        let fields = stage
            .output
            .is_some()
            .then(|| self.reply_fields(stage, speak));
        let attempt = AttemptId {
            turn: turn.clone(),
            attempt: speak.attempt,
        };
        self.replies.insert(attempt, length);
        Some(Event::Replied(Box::new(Replied {
            turn: turn.clone(),
            attempt: speak.attempt,
            view: None,
            reply: self.make_reply(&turn.chair),
            fields,
            call: None,
            guardrail: None,
        })))
    }

    /// With bad luck every rule sends the reply back as often as it may.
    fn reply_fields(&self, stage: &Stage, speak: &Speak) -> Fields {
        let turn_state = self.state.turns().get(&speak.turn);
        let sent_back = turn_state.map(|turn| &turn.retries);
        let mut read = serde_json::Map::new();
        for (at, rule) in stage.retry.iter().enumerate() {
            let before = sent_back.and_then(|retries| retries.get(&at)).copied();
            // The attempt that a rule asked for is counted with it once it is there.
            let so_far = before.unwrap_or(0) + u32::from(speak.retry == Some(at));
            let due = self.assumption == RetryAssumption::Bad && so_far < rule.at_most;
            if due && rule.unparsed {
                return Fields::Unparsed { why: String::new() };
            }
            if let Some((path, below)) = rule.field.as_ref().zip(rule.below) {
                let value = if due { below - 1.0 } else { below };
                put_number(&mut read, path, value);
            }
        }
        Fields::Read(serde_json::Value::Object(read))
    }

    fn verdict_event(&mut self, judge: &Judge, written: Option<ReplyLength>) -> Option<Event> {
        let created = self.state.first_event()?;
        let rule = created.protocol.find_judging(&judge.judging)?;
        let repairs = rule.repair.as_ref().map_or(0, |repair| repair.at_most);
        let outcome = if self.assumption == RetryAssumption::Bad && judge.attempt < repairs {
            Outcome::Unparsed {
                why: String::new(),
                cause: None,
            }
        } else {
            Outcome::Label(Finding {
                label: self.choose_label(created, judge),
                ..Finding::default()
            })
        };
        let length =
            written.unwrap_or_else(|| self.expected_length(&judge.chair, rule.max_tokens, 1));
        self.rulings
            .insert((judge.judging.clone(), judge.target.clone()), length);
        Some(Event::Judged(Box::new(Judged {
            judging: judge.judging.clone(),
            chair: judge.chair.index,
            target: judge.target.clone(),
            order: judge.order,
            attempt: judge.attempt,
            outcome,
            view: None,
            reply: Some(self.make_reply(&judge.chair)),
        })))
    }

    /// A label that ends nothing early and leads to the lesson, as far as there is one.
    fn choose_label(&self, created: &Created, judge: &Judge) -> String {
        let protocol = &created.protocol;
        let rule = protocol.find_judging(&judge.judging);
        let rubric = rule
            .and_then(|rule| rule.rubric.as_ref())
            .and_then(|name| self.game.rubrics.get(name));
        let labels = rubric.into_iter().flat_map(|rubric| &rubric.labels);
        let is_last = match &judge.target {
            Target::Attempt(attempt) => attempt.turn.round == protocol.rounds,
            Target::Round(round) => *round == protocol.rounds,
            Target::Debate => true,
        };
        let ends = |label: &str| {
            let is_stop_label = protocol.stop.iter().any(|stop| {
                stop.judging.as_ref() == Some(&judge.judging)
                    && stop.labels.iter().any(|named| named == label)
            });
            is_stop_label && !is_last
        };
        let teaches = |label: &str| {
            protocol.feedback.iter().any(|feedback| {
                feedback.judging.as_ref() == Some(&judge.judging)
                    && feedback.labels.iter().any(|l| l == label)
            })
        };
        labels
            .map(|label| label.name.as_str())
            .min_by_key(|label| (ends(label), !teaches(label)))
            .unwrap_or_default()
            .to_owned()
    }

    fn grade_event(&mut self, judging: &JudgingId, target: &Target) -> Event {
        if let Target::Attempt(checked) = target {
            // A report on a turn quotes it: it is taken to be as long.
            let length = self.replies.get(checked).copied().unwrap_or_default();
            self.rulings
                .insert((judging.clone(), target.clone()), length);
        }
        Event::Judged(Box::new(Judged {
            judging: judging.clone(),
            chair: 0,
            target: target.clone(),
            order: ShownOrder::AsSeated,
            attempt: 0,
            outcome: match self.asks_after_rules(judging) {
                // The most is spent where rules decide nothing.
                true => Outcome::Unparsed {
                    why: String::new(),
                    cause: None,
                },
                false => Outcome::Label(Finding::default()),
            },
            view: None,
            reply: None,
        }))
    }

    /// Says whether somebody is asked about what a grader's rules leave undecided.
    fn asks_after_rules(&self, judging: &JudgingId) -> bool {
        let protocol = self.state.protocol();
        let rule = protocol.and_then(|protocol| protocol.find_judging(judging));
        rule.and_then(|rule| rule.grader.as_ref())
            .is_some_and(|grader| grader.asks.is_some())
    }
}

/// As many guardrails as are shown at most, without their texts.
fn guard_retrieval_event() -> Event {
    let candidates = (0..DEFAULT_TOP_K).map(|number| GuardCandidate {
        id: number.to_string(),
        revision: 0,
        score: 1.0,
        intent: "x".to_owned(),
        examples: Vec::new(),
        origins: Vec::new(),
    });
    Event::GuardsRetrieved(GuardsRetrieved {
        retriever: String::new(),
        candidates: candidates.collect(),
        excluded: Vec::new(),
    })
}

/// The length of a guardrail from memory: at most its limits.
fn guardrail_length(created: Option<&Created>) -> ReplyLength {
    let examples = created.map_or(DEFAULT_EXAMPLES, |created| count_examples(&created.memory));
    ReplyLength {
        likely: LIKELY_GUARDRAIL_TOKENS,
        most: guardrail_bytes(examples),
    }
}

/// The length of a lesson from memory: that of those this game has written.
fn lesson_length(created: Option<&Created>, game: &Game) -> ReplyLength {
    let rule = created.and_then(|created| created.protocol.feedback.first());
    let sampling = game
        .engine
        .find_sampling(rule.map(template_selection::feedback_template));
    let limit = sampling
        .max_tokens
        .or(rule.and_then(|rule| rule.max_tokens));
    let limit = limit.unwrap_or(DEFAULT_MAX_TOKENS);
    ReplyLength {
        likely: (f64::from(limit) * LIKELY_SHARE).ceil() as u64,
        most: u64::from(limit),
    }
}
