//! Where a part of a view comes from, as it is shown: a role, three letters and words. Pure.

use crate::debate::event::Created;
use crate::debate::state::State;
use crate::debate::view::Source;
use crate::debate::{Chair, SessionId};
use crate::tui::theme::Role;
use std::collections::BTreeMap;

/// The kinds of origins, in the order the legend lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
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

impl Kind {
    /// Returns the letters that stand before each line of such a part.
    pub fn tag(self) -> &'static str {
        match self {
            Kind::Template => "tpl",
            Kind::Persona => "per",
            Kind::Draw => "drw",
            Kind::Topic => "top",
            Kind::Context => "ctx",
            Kind::Conversation => "cnv",
            Kind::Options => "opt",
            Kind::Document => "doc",
            Kind::Memory => "mem",
            Kind::Peer => "trn",
            Kind::Own => "own",
            Kind::Private => "prv",
            Kind::Verdict => "vdt",
            Kind::Fence => "fnc",
            Kind::Person => "typ",
        }
    }

    /// Returns what the letters stand for.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Template => "template",
            Kind::Persona => "persona",
            Kind::Draw => "drawn",
            Kind::Topic => "topic",
            Kind::Context => "its context",
            Kind::Conversation => "conversation before",
            Kind::Options => "option",
            Kind::Document => "document",
            Kind::Memory => "memory",
            Kind::Peer => "another's turn",
            Kind::Own => "own turn",
            Kind::Private => "own private",
            Kind::Verdict => "verdict",
            Kind::Fence => "fence",
            Kind::Person => "typed",
        }
    }

    /// Returns how such parts look.
    pub fn role(self) -> Role {
        match self {
            Kind::Template | Kind::Draw => Role::FromTemplate,
            Kind::Persona => Role::FromPersona,
            Kind::Topic | Kind::Context | Kind::Conversation | Kind::Options => Role::FromTopic,
            Kind::Document => Role::FromDocument,
            Kind::Memory => Role::FromMemory,
            Kind::Peer => Role::FromPeer,
            Kind::Own => Role::FromOwn,
            Kind::Private => Role::Private,
            Kind::Verdict => Role::FromVerdict,
            Kind::Fence => Role::Muted,
            Kind::Person => Role::FromPerson,
        }
    }
}

/// Where one part comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub kind: Kind,
    /// In full, for instance with the address of a turn or the origin of a memory entry.
    pub words: String,
    /// The same in a few letters.
    pub short: String,
}

/// What is looked up to say where parts come from.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    reader: Option<Chair>,
    names: BTreeMap<Chair, String>,
    documents: Vec<String>,
    memory: BTreeMap<String, (f64, Vec<SessionId>)>,
    namespace: Option<String>,
}

impl Origins {
    /// Returns the namespace that its memory entries are from.
    pub fn namespace(&self) -> Option<String> {
        self.namespace.clone()
    }

    /// Takes what is needed out of a session, for what one chair reads.
    pub fn of(state: &State, reader: Option<Chair>) -> Self {
        let Some(created) = state.created() else {
            return Self::default();
        };
        let entries = state.retrieved().map(|retrieved| &retrieved.entries);
        Self {
            reader,
            names: names(created),
            documents: created
                .topic
                .documents
                .iter()
                .map(|document| document.name.clone())
                .collect(),
            memory: entries
                .into_iter()
                .flatten()
                .map(|entry| {
                    let from = entry.origin.iter().chain(&entry.also_from);
                    (entry.id.clone(), (entry.score, from.cloned().collect()))
                })
                .collect(),
            namespace: Some(created.memory.namespace.clone()).filter(|name| !name.is_empty()),
        }
    }

    /// Returns what a chair is called.
    pub fn name(&self, chair: &Chair) -> String {
        let name = self.names.get(chair);
        name.cloned().unwrap_or_else(|| chair.to_string())
    }

    /// Returns where a part comes from.
    pub fn origin(&self, from: &Source) -> Origin {
        let (kind, words) = match from {
            Source::Template(name) => (Kind::Template, format!("words of the template {name}")),
            Source::Topic => (Kind::Topic, "the topic".to_owned()),
            Source::Context => (
                Kind::Context,
                "what the topic cannot be understood without".to_owned(),
            ),
            Source::Conversation(at) => (
                Kind::Conversation,
                format!("utterance {} of the conversation before", at + 1),
            ),
            Source::Document(at) => {
                let name = self.documents.get(*at).map_or("?", String::as_str);
                (Kind::Document, format!("document {}: {name}", at + 1))
            }
            Source::Option(at) => (Kind::Options, format!("option {} of the topic", at + 1)),
            Source::Turn(id) if self.reader.as_ref() == Some(&id.turn.chair) => {
                (Kind::Own, format!("the seat's own turn {id}"))
            }
            Source::Turn(id) => {
                let name = self.name(&id.turn.chair);
                (Kind::Peer, format!("turn {id} of {name}"))
            }
            Source::OwnPrivate(id) => (
                Kind::Private,
                format!("the seat's own private reasoning {id}"),
            ),
            Source::Verdict { judging, attempt } => {
                (Kind::Verdict, format!("verdict {judging} on {attempt}"))
            }
            Source::Ruling { judging, target } => {
                (Kind::Verdict, format!("what {judging} found on {target}"))
            }
            Source::Memory(id) => (Kind::Memory, self.entry(id)),
            Source::Guardrail(id) => (Kind::Memory, format!("guardrail {id}")),
            Source::Persona => (Kind::Persona, "the persona of the chair".to_owned()),
            Source::Draw(name) => (Kind::Draw, format!("drawn for this turn: {name}")),
            Source::Fence => (
                Kind::Fence,
                "a fence around text under judgement".to_owned(),
            ),
            Source::Person => (
                Kind::Person,
                "typed by a person, for this call only".to_owned(),
            ),
        };
        let short = match from {
            Source::Template(name) | Source::Draw(name) => name.clone(),
            Source::Document(at) => {
                let name = self.documents.get(*at).map_or("?", String::as_str);
                format!("{} {name}", at + 1)
            }
            Source::Conversation(at) | Source::Option(at) => format!("{} {}", kind.word(), at + 1),
            Source::Turn(id) | Source::OwnPrivate(id) => id.to_string(),
            Source::Verdict { judging, attempt } => format!("{judging} {attempt}"),
            Source::Ruling { judging, target } => format!("{judging} {target}"),
            Source::Memory(id) => match self.memory.get(id) {
                Some((score, _)) => format!("{score:.2} {id}"),
                None => id.clone(),
            },
            Source::Guardrail(id) => id.clone(),
            Source::Topic | Source::Context | Source::Persona | Source::Fence | Source::Person => {
                kind.word().to_owned()
            }
        };
        Origin { kind, words, short }
    }

    fn entry(&self, id: &str) -> String {
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

fn names(created: &Created) -> BTreeMap<Chair, String> {
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
