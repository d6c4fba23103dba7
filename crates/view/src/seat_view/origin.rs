//! Origin of a part of a view, for display: a role, three letters and words. Pure.

use elenchus_game::debate::event::Created;
use elenchus_game::debate::state::State;
use elenchus_game::debate::view::PartSource;
use elenchus_game::debate::{Chair, SessionId};
use elenchus_text::Role;
use std::collections::BTreeMap;

/// The kinds of origins, in the order the legend lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OriginKind {
    Template,
    Persona,
    Draw,
    Topic,
    Context,
    Conversation,
    Options,
    Document,
    Memory,
    Peer,
    Own,
    Private,
    Verdict,
    Fence,
    Person,
}

impl OriginKind {
    /// Returns the letters before each line of such a part.
    pub fn tag(self) -> &'static str {
        match self {
            OriginKind::Template => "tpl",
            OriginKind::Persona => "per",
            OriginKind::Draw => "drw",
            OriginKind::Topic => "top",
            OriginKind::Context => "ctx",
            OriginKind::Conversation => "cnv",
            OriginKind::Options => "opt",
            OriginKind::Document => "doc",
            OriginKind::Memory => "mem",
            OriginKind::Peer => "trn",
            OriginKind::Own => "own",
            OriginKind::Private => "prv",
            OriginKind::Verdict => "vdt",
            OriginKind::Fence => "fnc",
            OriginKind::Person => "typ",
        }
    }

    /// Returns the meaning of the letters.
    pub fn word(self) -> &'static str {
        match self {
            OriginKind::Template => "template",
            OriginKind::Persona => "persona",
            OriginKind::Draw => "drawn",
            OriginKind::Topic => "topic",
            OriginKind::Context => "its context",
            OriginKind::Conversation => "conversation before",
            OriginKind::Options => "option",
            OriginKind::Document => "document",
            OriginKind::Memory => "memory",
            OriginKind::Peer => "another's turn",
            OriginKind::Own => "own turn",
            OriginKind::Private => "own private",
            OriginKind::Verdict => "verdict",
            OriginKind::Fence => "fence",
            OriginKind::Person => "typed",
        }
    }

    /// Returns how such parts look.
    pub fn role(self) -> Role {
        match self {
            OriginKind::Template | OriginKind::Draw => Role::FromTemplate,
            OriginKind::Persona => Role::FromPersona,
            OriginKind::Topic
            | OriginKind::Context
            | OriginKind::Conversation
            | OriginKind::Options => Role::FromTopic,
            OriginKind::Document => Role::FromDocument,
            OriginKind::Memory => Role::FromMemory,
            OriginKind::Peer => Role::FromPeer,
            OriginKind::Own => Role::FromOwn,
            OriginKind::Private => Role::Private,
            OriginKind::Verdict => Role::FromVerdict,
            OriginKind::Fence => Role::Muted,
            OriginKind::Person => Role::FromPerson,
        }
    }
}

/// Origin of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartOrigin {
    pub kind: OriginKind,
    /// In full, for instance with the address of a turn or the origin of a memory entry.
    pub words: String,
    /// The same in a few letters.
    pub short: String,
}

/// Lookup tables for the origins of parts.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    reader: Option<Chair>,
    names: BTreeMap<Chair, String>,
    documents: Vec<String>,
    memory: BTreeMap<String, (f64, Vec<SessionId>)>,
    namespace: Option<String>,
    /// The debate whose rewards the authors of lessons were shown in place of this one's.
    others_rewards: Option<SessionId>,
}

impl Origins {
    /// Returns the namespace that its memory entries are from.
    pub fn namespace(&self) -> Option<String> {
        self.namespace.clone()
    }

    /// Takes what is needed out of a session, for what one chair reads.
    pub fn from_state(state: &State, reader: Option<Chair>) -> Self {
        let Some(creation) = state.first_event() else {
            return Self::default();
        };
        let entries = state.retrievals().flat_map(|retrieved| &retrieved.entries);
        Self {
            reader,
            others_rewards: state.swapped_rewards().map(|swapped| swapped.from.clone()),
            names: name_chairs(creation),
            documents: creation
                .topic
                .documents
                .iter()
                .map(|document| document.name.clone())
                .collect(),
            memory: entries
                .map(|entry| {
                    let from = entry.origin.iter().chain(&entry.also_from);
                    (entry.id.clone(), (entry.score, from.cloned().collect()))
                })
                .collect(),
            namespace: Some(creation.memory.namespace.clone()).filter(|name| !name.is_empty()),
        }
    }

    /// Returns what a chair is called.
    pub fn chair_name(&self, chair: &Chair) -> String {
        let name = self.names.get(chair);
        name.cloned().unwrap_or_else(|| chair.to_string())
    }

    /// Returns where a part comes from.
    pub fn part_origin(&self, from: &PartSource) -> PartOrigin {
        let (kind, words) = match from {
            PartSource::Template(name) => (
                OriginKind::Template,
                format!("words of the template {name}"),
            ),
            PartSource::Topic => (OriginKind::Topic, "the topic".to_owned()),
            PartSource::Context => (OriginKind::Context, "context of the topic".to_owned()),
            PartSource::Conversation(at) => (
                OriginKind::Conversation,
                format!("utterance {} of the conversation before", at + 1),
            ),
            PartSource::Document(at) => {
                let name = self.documents.get(*at).map_or("?", String::as_str);
                (OriginKind::Document, format!("document {}: {name}", at + 1))
            }
            PartSource::Option(at) => (
                OriginKind::Options,
                format!("option {} of the topic", at + 1),
            ),
            PartSource::Turn(id) if self.reader.as_ref() == Some(&id.turn.chair) => {
                (OriginKind::Own, format!("the seat's own turn {id}"))
            }
            PartSource::Turn(id) => {
                let name = self.chair_name(&id.turn.chair);
                (OriginKind::Peer, format!("turn {id} of {name}"))
            }
            PartSource::OwnPrivate(id) => (
                OriginKind::Private,
                format!("the seat's own private reasoning {id}"),
            ),
            PartSource::Verdict { judging, attempt } => (
                OriginKind::Verdict,
                format!("verdict {judging} on {attempt}"),
            ),
            PartSource::Ruling { judging, target } => (
                OriginKind::Verdict,
                format!("what {judging} found on {target}"),
            ),
            PartSource::Rewards { of } => (
                OriginKind::Verdict,
                match self.others_rewards.as_ref() == Some(of) {
                    false => "what was decided and paid".to_owned(),
                    true => format!("what was decided and paid in session {of}, in place of its own"),
                },
            ),
            PartSource::Memory(id) => (OriginKind::Memory, self.describe_entry(id)),
            PartSource::Guardrail(id) => (OriginKind::Memory, format!("guardrail {id}")),
            PartSource::Persona => (OriginKind::Persona, "the persona of the chair".to_owned()),
            PartSource::Draw(name) => (OriginKind::Draw, format!("drawn for this turn: {name}")),
            PartSource::Reference => (
                OriginKind::Document,
                "the reference answer, which graders alone are shown".to_owned(),
            ),
            PartSource::Fence => (
                OriginKind::Fence,
                "a fence around text under judgement".to_owned(),
            ),
            PartSource::LabelLine => (
                OriginKind::Draw,
                "a line that states a label; its mark is drawn for this place, and no debater is shown it"
                    .to_owned(),
            ),
            PartSource::Person => (
                OriginKind::Person,
                "typed by a person, for this call only".to_owned(),
            ),
        };
        let short = match from {
            PartSource::Template(name) | PartSource::Draw(name) => name.clone(),
            PartSource::Document(at) => {
                let name = self.documents.get(*at).map_or("?", String::as_str);
                format!("{} {name}", at + 1)
            }
            PartSource::Conversation(at) | PartSource::Option(at) => {
                format!("{} {}", kind.word(), at + 1)
            }
            PartSource::Turn(id) | PartSource::OwnPrivate(id) => id.to_string(),
            PartSource::Verdict { judging, attempt } => format!("{judging} {attempt}"),
            PartSource::Ruling { judging, target } => format!("{judging} {target}"),
            PartSource::Rewards { of } => of.to_string(),
            PartSource::Memory(id) => match self.memory.get(id) {
                Some((score, _)) => format!("{score:.2} {id}"),
                None => id.clone(),
            },
            PartSource::Guardrail(id) => id.clone(),
            PartSource::Topic
            | PartSource::Context
            | PartSource::Persona
            | PartSource::Reference
            | PartSource::Fence
            | PartSource::LabelLine
            | PartSource::Person => kind.word().to_owned(),
        };
        PartOrigin { kind, words, short }
    }

    fn describe_entry(&self, id: &str) -> String {
        match self.memory.get(id) {
            Some((score, from)) if from.is_empty() => {
                format!("memory entry {id}, score {score:.3}, written by a person")
            }
            Some((score, from)) => {
                let from: Vec<&str> = from.iter().map(SessionId::as_str).collect();
                let from = from.join(" and ");
                format!("memory entry {id}, score {score:.3}, learned in session {from}")
            }
            None => format!("memory entry {id}"),
        }
    }
}

fn name_chairs(created: &Created) -> BTreeMap<Chair, String> {
    let mut names = BTreeMap::new();
    for seat in &created.protocol.seats {
        for index in 0..seat.count {
            let chair = Chair {
                seat: seat.id.clone(),
                index,
            };
            names.insert(chair.clone(), created.protocol.name_of(&chair));
        }
    }
    names
}
