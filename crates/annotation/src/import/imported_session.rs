//! Session of one finished debate: its turns as the events of a protocol that accepts them. Calls no model.

use super::imported_protocol::ImportedProtocols;
use elenchus_game::debate::event::{
    Author, Created, Event, FORMAT, MemoryUse, Participant, Player, Record, Replied, Reply,
    ScriptedPlayer, Usage,
};
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::{Chair, ReferenceAnswer, SessionId, State, Topic, TurnId};
use elenchus_records::exchange::{FinishedItem, FinishedTurn, FoundCall};
use elenchus_records::library::software_name;
use elenchus_store::Hash;
use std::collections::BTreeMap;

/// Imported session.
#[derive(Debug)]
pub(crate) struct ImportedSession {
    pub id: SessionId,
    pub created: Box<Created>,
    pub said: Vec<(Author, Event)>,
}

/// Makes a session of a finished debate, and its state. `source` distinguishes its scripted seats from those of other files.
///
/// # Errors
/// When no protocol has the shape of its turns, or the protocol does not accept them.
pub(super) fn build_session(
    games: &ImportedProtocols,
    source: &str,
    finished: &FinishedItem,
    id: SessionId,
) -> Result<(ImportedSession, State), String> {
    let protocol = games.protocol_for(finished)?;
    let speakers: BTreeMap<Chair, &FinishedTurn> = finished
        .turns
        .iter()
        .map(|turn| (turn_id(turn).chair, turn))
        .collect();
    let cast = speakers.iter().map(|(chair, turn)| Participant {
        chair: chair.clone(),
        player: if turn.by_person {
            Player::Human {
                name: Some(turn.name.clone()),
            }
        } else {
            Player::Fixed(ScriptedPlayer {
                from: format!("{} (imported)", source),
                // Every turn is in the journal already.
                lines: Vec::new(),
                simulated: finished.simulated,
            })
        },
        persona: None,
    });
    let creation = Box::new(Created {
        format: FORMAT,
        session: id.clone(),
        software: software_name(),
        protocol: protocol.clone(),
        templates: BTreeMap::new(),
        rubrics: BTreeMap::new(),
        lists: BTreeMap::new(),
        unpinned: BTreeMap::new(),
        cast: cast.collect(),
        topic: build_topic(finished),
        settings: Settings::default(),
        seed: 0,
        memory: MemoryUse::default(),
        run: None,
        template_texts: Default::default(),
        estimate: None,
    });
    let mut turns: Vec<&FinishedTurn> = finished.turns.iter().collect();
    turns.sort_by_key(|turn| {
        let stage = protocol.stage_place(&(&*turn.stage).into());
        (turn.round, stage, &*turn.seat, turn.index)
    });
    let events = turns.into_iter().map(|turn| {
        let address = turn_id(turn);
        let by = if turn.by_person {
            Author::Person(turn.name.clone())
        } else {
            Author::Engine
        };
        let reply_event = Replied {
            turn: address,
            attempt: 0,
            view: None,
            reply: Reply {
                text: turn.text.clone(),
                thinking: turn.thinking.clone(),
                // No model was called here: what the file says that its call used is no cost of this store.
                cached: true,
                ..reply_of_call(turn.call.as_ref())
            },
            fields: None,
            call: None,
            guardrail: None,
        };
        (by, Event::Replied(Box::new(reply_event)))
    });
    let session = ImportedSession {
        id,
        created: creation,
        said: events.collect(),
    };
    let state = check_session(&session)?;
    Ok((session, state))
}

fn reply_of_call(call: Option<&FoundCall>) -> Reply {
    let Some(call) = call else {
        return Reply::default();
    };
    Reply {
        model: call.model.clone(),
        usage: Usage {
            input_tokens: call.input_tokens,
            output_tokens: call.output_tokens,
            ..Usage::default()
        },
        cost_usd: call.cost_usd,
        latency_ms: call.latency_ms,
        finish: call.finish.clone(),
        ..Reply::default()
    }
}

/// Checks that the protocol accepts the file's turns and is complete with them.
fn check_session(session: &ImportedSession) -> Result<State, String> {
    let mut state = State::default();
    let first_event = (Author::Engine, Event::Created(session.created.clone()));
    for (by, event) in std::iter::once(&first_event).chain(&session.said) {
        let record = Record {
            at: String::new(),
            by: by.clone(),
            event: event.clone(),
        };
        state
            .apply_event(&record)
            .map_err(|refusal| format!("it cannot be held as a debate: {refusal}"))?;
    }
    match state.find_open_steps().done {
        Some(_) => Ok(state),
        None => Err("it cannot be held as a debate: turns are missing".to_owned()),
    }
}

fn build_topic(finished: &FinishedItem) -> Topic {
    // Rows without an id that answer the same prompt are about one topic.
    let by_text = || {
        let hash = Hash::digest(finished.prompt.as_bytes()).to_string();
        format!(
            "prompt-{}",
            hash.chars().take(TOPIC_HASH_CHARS).collect::<String>()
        )
    };
    Topic {
        id: finished.id.clone().unwrap_or_else(by_text),
        text: finished.prompt.clone(),
        category: finished.category.clone(),
        conversation: finished.conversation.clone(),
        context: finished.context.clone(),
        reference: finished.reference.clone().map(|answer| ReferenceAnswer {
            answer,
            aliases: Vec::new(),
        }),
        expected: finished.expected.clone(),
        documents: Vec::new(),
        options: finished.options.clone(),
        level: None,
        needs_hash_check: false,
        dataset: None,
    }
}

/// How much of a prompt's hash names its topic.
const TOPIC_HASH_CHARS: usize = 12;

pub(super) fn turn_id(turn: &FinishedTurn) -> TurnId {
    TurnId {
        round: turn.round,
        stage: (&*turn.stage).into(),
        chair: Chair {
            seat: (&*turn.seat).into(),
            index: turn.index,
        },
    }
}
