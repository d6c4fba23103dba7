//! Rehearsal: plays the whole game on sample data, so that every template is rendered before any
//! call is paid for.

use super::engine::{Engine, PromptError};
use super::guardrail_prompt::{DERIVATION, Derivation, REPAIR, derivation_view, guard_view};
use super::judge_prompt::JudgeFrame;
use super::view::{feedback_view, judge_view, speaker_view};
use crate::debate::event::{
    Author, Created, Event, FeedbackWritten, Fields, Finding, Judged, Outcome, Record, Replied,
    Reply, Retrieved, RetrievedEntry, SwappedRewards,
};
use crate::debate::guardrail_events::{GuardCandidate, GuardDecision, Guarded, GuardsRetrieved};
use crate::debate::ids::{Chair, SessionId};
use crate::debate::protocol::{Protocol, Stage};
use crate::debate::state::State;
use crate::debate::step::{Judge, ShownOrder, Speak, Step};
use crate::debate::view::{PartSource, View, ViewPart};
use std::collections::{BTreeMap, BTreeSet};

/// Most steps of a rehearsal.
const MAX_STEPS: usize = 2_000;

/// A fault of a template, found by rendering it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFault {
    /// The step in which it occurred.
    pub step: String,
    pub error: PromptError,
}

impl std::fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (while rendering '{}')", self.error, self.step)
    }
}

/// Plays the game on sample data and returns the faults of its templates, each once.
///
/// `frames` maps the name of each rubric to its layout. Every label that leads to feedback is
/// given, so that its template is rendered too; where such labels end the game early, it is played
/// a second time to its last round.
pub fn rehearse_game(
    created: &Created,
    engine: &Engine,
    frames: &BTreeMap<String, JudgeFrame>,
) -> Vec<TemplateFault> {
    let mut rehearsal = Rehearsal {
        engine,
        frames,
        verdicts: VerdictPlan::LeadingToFeedback,
        state: State::default(),
        faults: Vec::new(),
        seen: BTreeSet::new(),
        sought: None,
    };
    rehearsal.play_game(created);
    if created
        .protocol
        .stop
        .iter()
        .any(|rule| !rule.labels.is_empty())
    {
        rehearsal.verdicts = VerdictPlan::LettingItGoOn;
        rehearsal.state = State::default();
        rehearsal.play_game(created);
    }
    rehearsal.faults
}

/// Plays the game on sample data and returns the last step that renders a template, with the state
/// at that time; `None` where no step does.
pub fn sample_context(
    created: &Created,
    engine: &Engine,
    frames: &BTreeMap<String, JudgeFrame>,
    template: &str,
) -> Option<(State, Step)> {
    let mut rehearsal = Rehearsal {
        engine,
        frames,
        verdicts: VerdictPlan::LeadingToFeedback,
        state: State::default(),
        faults: Vec::new(),
        seen: BTreeSet::new(),
        sought: Some(SoughtStep {
            template: template.to_owned(),
            found: None,
        }),
    };
    rehearsal.play_game(created);
    rehearsal.sought?.found
}

/// The step that is searched for.
struct SoughtStep {
    template: String,
    found: Option<(State, Step)>,
}

/// Verdicts of the judges in a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VerdictPlan {
    LeadingToFeedback,
    /// Labels that no stop rule names, as long as there are any.
    LettingItGoOn,
}

struct Rehearsal<'a> {
    engine: &'a Engine,
    frames: &'a BTreeMap<String, JudgeFrame>,
    verdicts: VerdictPlan,
    state: State,
    faults: Vec<TemplateFault>,
    seen: BTreeSet<String>,
    sought: Option<SoughtStep>,
}

impl Rehearsal<'_> {
    fn play_game(&mut self, created: &Created) {
        let mut created = created.clone();
        // Lessons that are written to memory alone are rendered too.
        created.memory.writes = true;
        self.record_event(Event::Created(Box::new(created.clone())));
        for _ in 0..MAX_STEPS {
            let steps = self.state.find_open_steps().steps;
            let Some(step) = steps.into_iter().next() else {
                break;
            };
            let before = self.state.event_count();
            self.play_step(&created.protocol, step);
            if self.state.event_count() == before {
                break;
            }
        }
    }

    fn record_event(&mut self, event: Event) {
        // Events that the game requested fit; any other leaves the number of events unchanged,
        // which ends the rehearsal.
        let _ = self.state.apply_event(&Record {
            at: String::new(),
            by: Author::Engine,
            event,
        });
    }

    fn record_rendering(&mut self, step: &Step, result: Result<View, PromptError>) {
        match result {
            Ok(view) => self.look_at(step, &view),
            Err(error) => {
                if self.seen.insert(error.to_string()) {
                    self.faults.push(TemplateFault {
                        step: step.id().to_string(),
                        error,
                    });
                }
            }
        }
    }

    fn look_at(&mut self, step: &Step, view: &View) {
        let Some(sought_step) = &mut self.sought else {
            return;
        };
        let mut parts = view.messages.iter().flat_map(|message| &message.parts);
        let of_it =
            |part: &ViewPart| part.from == PartSource::Template(sought_step.template.clone());
        if parts.any(of_it) {
            sought_step.found = Some((self.state.clone(), step.clone()));
        }
    }

    fn play_step(&mut self, protocol: &Protocol, step: Step) {
        match &step {
            Step::Retrieve(learner) => self.record_event(Event::Retrieved(Retrieved {
                learner: learner.clone(),
                retriever: "sample".to_owned(),
                entries: vec![RetrievedEntry {
                    id: "sample".to_owned(),
                    score: 1.0,
                    text: "A lesson from an earlier debate.".to_owned(),
                    origin: None,
                    also_from: Vec::new(),
                }],
                excluded: Vec::new(),
            })),
            Step::RetrieveGuards => self.record_event(Event::GuardsRetrieved(sample_guards())),
            Step::Guard(chair) => {
                let view = guard_view(self.engine, &self.state, chair);
                self.record_rendering(&step, view);
                self.render_derivation(chair, "A lesson.", Some(("A reply.", "it cannot be read")));
                self.record_event(Event::Guarded(Box::new(Guarded {
                    chair: chair.clone(),
                    decision: GuardDecision::NoMatch,
                    view: None,
                    reply: sample_reply("What a model decided."),
                })));
            }
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => {
                let view = speaker_view(self.engine, &self.state, speak);
                self.record_rendering(&step, view);
                self.play_turn(protocol, speak);
            }
            Step::Judge(judge) | Step::AwaitJudge(judge) => {
                if let Some(frame) = self.find_frame(protocol, judge) {
                    let view = judge_view(self.engine, &self.state, judge, &frame);
                    self.record_rendering(&step, view);
                }
                self.play_verdict(protocol, judge);
            }
            Step::Grade { judging, target } => self.record_event(Event::Judged(Box::new(Judged {
                judging: judging.clone(),
                chair: 0,
                target: target.clone(),
                order: ShownOrder::AsSeated,
                attempt: 0,
                // What rules leave undecided is shown to whoever is asked besides.
                outcome: match protocol.find_judging(judging) {
                    Some(rule) if rule.grader.is_some() => Outcome::Unparsed {
                        why: "the sample answer cannot be compared".to_owned(),
                        cause: None,
                    },
                    Some(_) | None => Outcome::Label(sample_check()),
                },
                view: None,
                reply: None,
            }))),
            Step::Recite(speak) | Step::Refuse(speak) => self.play_turn(protocol, speak),
            Step::SwapRewards => {
                let swapped = SwappedRewards {
                    from: SessionId::new("sample".to_owned()),
                    paid: self.state.paid_decisions(),
                };
                self.record_event(Event::RewardsSwapped(Box::new(swapped)));
            }
            Step::DeriveGuardrail(_) => {}
            Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
                let view = feedback_view(self.engine, &self.state, lesson);
                self.record_rendering(&step, view);
                self.record_event(Event::FeedbackWritten(Box::new(FeedbackWritten {
                    entry: "sample".to_owned(),
                    learner: lesson.learner.clone(),
                    view: None,
                    reply: sample_reply("A lesson."),
                })));
                if self.state.retrieved_guards().is_some() {
                    self.render_derivation(&lesson.chair, "A lesson.", None);
                }
            }
        }
    }

    fn render_derivation(&mut self, chair: &Chair, lesson: &str, before: Option<(&str, &str)>) {
        let sample = Derivation {
            chair,
            lesson,
            entry: "sample",
            before,
        };
        match derivation_view(self.engine, &self.state, &sample) {
            // A game in which no lesson is for all holds none.
            Err(PromptError::NoTemplate(name)) if [DERIVATION, REPAIR].contains(&&*name) => {}
            // The step asks for the first reply.
            Ok(_) if before.is_some() => {}
            view => self.record_rendering(&Step::DeriveGuardrail(chair.clone()), view),
        }
    }

    fn play_turn(&mut self, protocol: &Protocol, speak: &Speak) {
        let fields = protocol
            .find_stage(&speak.turn.stage)
            .filter(|stage| stage.output.is_some())
            .map(|stage| sample_fields(stage, speak.attempt));
        self.record_event(Event::Replied(Box::new(Replied {
            turn: speak.turn.clone(),
            attempt: speak.attempt,
            view: None,
            reply: sample_reply("What somebody said."),
            fields,
            call: None,
            guardrail: None,
        })));
    }

    fn find_frame(&self, protocol: &Protocol, judge: &Judge) -> Option<JudgeFrame> {
        let rubric = protocol.find_judging(&judge.judging)?.rubric.as_ref()?;
        self.frames.get(rubric).cloned()
    }

    fn play_verdict(&mut self, protocol: &Protocol, judge: &Judge) {
        let repairs = protocol
            .find_judging(&judge.judging)
            .and_then(|judging| judging.repair.as_ref())
            .map_or(0, |repair| repair.at_most);
        // Every repair request is made once.
        let outcome = if judge.attempt < repairs {
            Outcome::Unparsed {
                why: "the sample reply cannot be read".to_owned(),
                cause: None,
            }
        } else {
            Outcome::Label(Finding {
                label: self.choose_label(protocol, judge),
                ..Finding::default()
            })
        };
        self.record_event(Event::Judged(Box::new(Judged {
            judging: judge.judging.clone(),
            chair: judge.chair.index,
            target: judge.target.clone(),
            order: judge.order,
            attempt: judge.attempt,
            outcome,
            view: None,
            reply: Some(sample_reply("What a judge said.")),
        })));
    }

    fn choose_label(&self, protocol: &Protocol, judge: &Judge) -> String {
        let labels: Vec<String> = self
            .find_frame(protocol, judge)
            .into_iter()
            .flat_map(|frame| frame.labels)
            .map(|label| label.name)
            .collect();
        let preferred_label = match self.verdicts {
            VerdictPlan::LeadingToFeedback => protocol
                .feedback
                .iter()
                .find(|feedback| feedback.judging.as_ref() == Some(&judge.judging))
                .and_then(|feedback| feedback.labels.first()),
            VerdictPlan::LettingItGoOn => labels.iter().find(|label| {
                protocol.stop.iter().all(|rule| {
                    rule.judging.as_ref() != Some(&judge.judging) || !rule.labels.contains(label)
                })
            }),
        };
        preferred_label
            .or(labels.first())
            .cloned()
            .unwrap_or_default()
    }
}

/// Returns fields that each rule sends back once, then fields that it accepts.
fn sample_fields(stage: &Stage, attempt: u32) -> Fields {
    let repairs = stage.retry.iter().any(|rule| rule.unparsed);
    if repairs && attempt == 0 {
        return Fields::Unparsed {
            why: "the sample reply cannot be read".to_owned(),
        };
    }
    let mut fields = serde_json::Map::new();
    for rule in &stage.retry {
        if let Some((field, below)) = rule.field.as_ref().zip(rule.below) {
            let value = if attempt == u32::from(repairs) {
                below - 1.0
            } else {
                below
            };
            fields.insert(field.clone(), value.into());
        }
    }
    Fields::Read(serde_json::Value::Object(fields))
}

fn sample_guards() -> GuardsRetrieved {
    GuardsRetrieved {
        retriever: "sample".to_owned(),
        candidates: vec![GuardCandidate {
            id: "sample".to_owned(),
            revision: 0,
            score: 1.0,
            intent: "What somebody is after.".to_owned(),
            examples: vec!["What they may write.".to_owned()],
            origins: Vec::new(),
        }],
        excluded: Vec::new(),
    }
}

/// Returns the findings of a citation check, so that its report is rendered too.
fn sample_check() -> Finding {
    Finding {
        label: "fabricated".to_owned(),
        fields: serde_json::json!({
            "citations": [{ "status": "fabricated", "quote": "a quotation", "document": "a document" }],
            "discarded": [],
        }),
        ..Finding::default()
    }
}

fn sample_reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        ..Reply::default()
    }
}
