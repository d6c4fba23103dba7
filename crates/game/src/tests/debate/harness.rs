//! Protocols written as text, played by functions that answer every step.

use elenchus_game::debate::event::{
    Author, Created, Event, FORMAT, Failed, FailureKind, FeedbackWritten, Fields, Finding, Judged,
    MemoryUse, ModelPlayer, Outcome, Participant, Player, Record, Replied, Reply, Retrieved,
    SwappedRewards,
};
use elenchus_game::debate::protocol::{ProtocolFile, SettingValue, Settings};
use elenchus_game::debate::{
    Chair, GuardCandidate, GuardDecision, Guarded, GuardrailWritten, GuardsRetrieved, Protocol,
    ReferenceAnswer, SessionId, Speak, State, Step, Topic, seeded_random::seeded_number,
};

/// Resolves a protocol's text with settings.
pub fn protocol(text: &str, settings: &[(&str, SettingValue)]) -> Protocol {
    let given: Settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let file = ProtocolFile::parse("test.toml", text).unwrap();
    file.resolve_protocol(&given).unwrap().0
}

/// Returns how a session of the protocol begins.
pub fn created(protocol: Protocol, seed: u64) -> Created {
    let mut cast = Vec::new();
    for seat in &protocol.seats {
        for index in 0..seat.count {
            cast.push(Participant {
                chair: Chair {
                    seat: seat.id.clone(),
                    index,
                },
                player: Player::Model(ModelPlayer {
                    model: "m".to_owned(),
                    provider: "p".to_owned(),
                    name: "m".to_owned(),
                    family: None,
                    version: None,
                    simulated: true,
                    settings: serde_json::Value::Null,
                    adapter: None,
                }),
                persona: None,
            });
        }
    }
    Created {
        format: FORMAT,
        session: SessionId::new("s"),
        software: "test".to_owned(),
        protocol,
        templates: Default::default(),
        rubrics: Default::default(),
        lists: Default::default(),
        unpinned: Default::default(),
        cast,
        topic: Topic {
            id: "t".to_owned(),
            text: "What is for dinner?".to_owned(),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: Some(ReferenceAnswer {
                answer: "soup".to_owned(),
                aliases: Vec::new(),
            }),
            expected: None,
            documents: Vec::new(),
            options: Vec::new(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        },
        settings: Settings::new(),
        seed,
        memory: MemoryUse {
            reads: true,
            writes: true,
            ..MemoryUse::default()
        },
        run: None,
        template_texts: Default::default(),
        estimate: None,
    }
}

pub fn record(event: Event) -> Record {
    Record {
        at: "2026-01-01T00:00:00Z".to_owned(),
        by: Author::Engine,
        event,
    }
}

pub fn said(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        cost_usd: Some(0.001),
        ..Reply::default()
    }
}

/// Guardrails near the topic, by their ids.
pub fn near(ids: &[&str]) -> GuardsRetrieved {
    let candidates = ids.iter().map(|id| GuardCandidate {
        id: (*id).to_owned(),
        revision: 0,
        score: 1.0,
        intent: format!("Obtain {id}"),
        examples: vec!["May I?".to_owned()],
        origins: Vec::new(),
    });
    GuardsRetrieved {
        retriever: "r".to_owned(),
        candidates: candidates.collect(),
        excluded: Vec::new(),
    }
}

pub fn matched(id: &str) -> GuardDecision {
    GuardDecision::Matched {
        guardrail: id.to_owned(),
    }
}

pub fn guarded(chair: &Chair, decision: GuardDecision) -> Event {
    Event::Guarded(Box::new(Guarded {
        chair: chair.clone(),
        decision,
        view: None,
        reply: said("decision"),
    }))
}

/// The turn that stands where a guardrail keeps a chair from speaking.
pub fn refused(state: &State, speak: &Speak) -> Event {
    Event::Replied(Box::new(Replied {
        turn: speak.turn.clone(),
        attempt: speak.attempt,
        view: None,
        reply: Reply {
            text: "No.".to_owned(),
            cached: true,
            ..Reply::default()
        },
        fields: None,
        call: None,
        guardrail: state.guardrail_of(&speak.turn.chair).map(str::to_owned),
    }))
}

/// Does a step, with an answer that depends on the seed and the step alone.
pub fn perform(state: &State, step: &Step, seed: u64) -> Event {
    let luck = seeded_number(seed, &["answer", step.id().as_str()]);
    let label = if luck.is_multiple_of(3) {
        "bad"
    } else {
        "good"
    };
    let outcome = if luck % 10 == 1 {
        Outcome::Unparsed {
            why: "mumbled".to_owned(),
            cause: None,
        }
    } else {
        Outcome::Label(Finding {
            label: label.to_owned(),
            value: if label == "good" { 1.0 } else { -1.0 },
            ..Finding::default()
        })
    };
    match step {
        Step::Retrieve(learner) => Event::Retrieved(Retrieved {
            learner: learner.clone(),
            retriever: "r".to_owned(),
            entries: Vec::new(),
            excluded: Vec::new(),
        }),
        Step::RetrieveGuards => Event::GuardsRetrieved(near(&["g1", "g2"])),
        Step::DeriveGuardrail(chair) => Event::GuardrailWritten(Box::new(GuardrailWritten {
            chair: chair.clone(),
            view: None,
            reply: Reply::default(),
        })),
        Step::Guard(chair) => match luck % 5 {
            0 => guarded(chair, matched("g2")),
            1 => guarded(
                chair,
                GuardDecision::Unparsed {
                    why: "mumbled".to_owned(),
                    cause: None,
                },
            ),
            2 => Event::Failed(Failed {
                step: step.id(),
                kind: FailureKind::Error,
                message: "nobody there".to_owned(),
                may_have_cost_usd: None,
                may_have_used_tokens: None,
                unsent: false,
            }),
            _ => guarded(chair, GuardDecision::NoMatch),
        },
        Step::Refuse(speak) => refused(state, speak),
        Step::Speak(speak) | Step::AwaitSpeaker(speak) | Step::Recite(speak) => {
            let stage = state
                .protocol()
                .unwrap()
                .find_stage(&speak.turn.stage)
                .unwrap();
            let fields = stage
                .output
                .as_ref()
                .map(|_| Fields::Read(serde_json::json!({ "score": luck % 10 })));
            Event::Replied(Box::new(Replied {
                turn: speak.turn.clone(),
                attempt: speak.attempt,
                view: None,
                reply: said(&format!("{luck}")),
                fields,
                call: None,
                guardrail: None,
            }))
        }
        Step::Judge(judge) | Step::AwaitJudge(judge) => Event::Judged(Box::new(Judged {
            judging: judge.judging.clone(),
            chair: judge.chair.index,
            target: judge.target.clone(),
            order: judge.order,
            attempt: judge.attempt,
            outcome,
            view: None,
            reply: Some(said(label)),
        })),
        Step::Grade { judging, target } => Event::Judged(Box::new(Judged {
            judging: judging.clone(),
            chair: 0,
            target: target.clone(),
            order: elenchus_game::debate::ShownOrder::AsSeated,
            attempt: 0,
            outcome,
            view: None,
            reply: None,
        })),
        Step::SwapRewards => Event::RewardsSwapped(Box::new(SwappedRewards {
            from: SessionId::new("01OTHER"),
            paid: state.paid_decisions(),
        })),
        Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
            Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: "e".to_owned(),
                learner: lesson.learner.clone(),
                view: None,
                reply: said("lesson"),
            }))
        }
    }
}

/// Plays to the end, taking one of the open steps at a time in an order that `order` decides.
pub fn play(begun: Created, order: u64, answers: u64) -> Vec<Record> {
    let mut state = State::default();
    let mut log = vec![record(Event::Created(Box::new(begun)))];
    state.apply_event(&log[0]).unwrap();
    for turn in 0..10_000u64 {
        let opening = state.find_open_steps();
        if opening.done.is_some() {
            return log;
        }
        assert!(
            !opening.steps.is_empty(),
            "nothing is open and nothing is done"
        );
        let pick = seeded_number(order, &["pick", &turn.to_string()]) % opening.steps.len() as u64;
        let step = &opening.steps[pick as usize];
        let next = record(perform(&state, step, answers));
        state.apply_event(&next).unwrap();
        log.push(next);
    }
    panic!("the game never ends");
}
