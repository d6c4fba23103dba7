//! Plan of an import: a file's content as sessions, marks and passes. Writes nothing.

use super::imported_protocol::ImportedProtocols;
use super::label_map::{LabelMap, WordMeaning, foreign, value};
use super::{id_of, joined, unknown_codebook};
use crate::debate::event::{
    Author, Created, Event, FORMAT, Finding, MemoryUse, Outcome, Participant, Player, Record,
    Replied, Reply, ScriptedPlayer,
};
use crate::debate::protocol::Settings;
use crate::debate::{AttemptId, Chair, SessionId, State, Topic, TurnId};
use crate::exchange::{FinishedFile, FinishedItem, FinishedTurn, LabelledBy, RefusedRow};
use crate::library::GameError;
use crate::library::LabelBook;
use crate::library::Library;
use crate::library::software;
use crate::store::Hash;
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Blindness, Label, LabelRole,
    OnAttempt, QueueDraw, attempt_hash,
};
use crate::workspace::pass::{ImportedPass, ImportedVerdict};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that one import writes into a store.
#[derive(Debug, Default)]
pub struct ImportPlan {
    pub(crate) sessions: Vec<ImportedSession>,
    /// By person: each mark with its time, where the file says one.
    pub(crate) marks: BTreeMap<String, Vec<(Option<String>, AnnotationEvent)>>,
    pub(crate) passes: Vec<ImportedPass>,
    /// The words of label columns, as the files hold them.
    pub(crate) words: BTreeSet<String>,
    /// Those that are no labels of the set.
    pub(crate) foreign: BTreeSet<String>,
}

/// Imported session.
#[derive(Debug)]
pub(crate) struct ImportedSession {
    pub id: SessionId,
    pub created: Box<Created>,
    pub said: Vec<(Author, Event)>,
}

impl ImportPlan {
    /// Returns how many sessions, labels of people and labels of programs it holds.
    pub fn counts(&self) -> (usize, usize, usize) {
        let marks = self.marks.values().map(Vec::len).sum();
        let found = self.passes.iter().map(|pass| pass.found.len()).sum();
        (self.sessions.len(), marks, found)
    }

    /// Returns the people whose labels it holds.
    pub fn people(&self) -> impl Iterator<Item = &str> {
        self.marks.keys().map(String::as_str)
    }

    /// Returns the columns that become passes.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.passes.iter().map(|pass| pass.column.as_str())
    }

    /// Returns the words of label columns, and those of them that are no labels of the set.
    pub fn label_words(&self) -> (&BTreeSet<String>, &BTreeSet<String>) {
        (&self.words, &self.foreign)
    }

    /// Adds what another file holds.
    pub fn extend(&mut self, other: ImportPlan) {
        self.words.extend(other.words);
        self.foreign.extend(other.foreign);
        let known: BTreeSet<SessionId> = self.sessions.iter().map(|one| one.id.clone()).collect();
        let new = other
            .sessions
            .into_iter()
            .filter(|one| !known.contains(&one.id));
        self.sessions.extend(new);
        for (person, marks) in other.marks {
            self.marks.entry(person).or_default().extend(marks);
        }
        for pass in other.passes {
            let same =
                |known: &&mut ImportedPass| known.column == pass.column && known.file == pass.file;
            match self.passes.iter_mut().find(same) {
                Some(known) => known.found.extend(pass.found),
                None => self.passes.push(pass),
            }
        }
        self.name_passes();
    }

    /// A pass is named after everything that it holds.
    fn name_passes(&mut self) {
        for pass in &mut self.passes {
            let mut parts = vec!["pass".to_owned(), pass.column.clone(), pass.file.clone()];
            for found in &pass.found {
                parts.push(found.session.to_string());
                parts.push(found.attempt.to_string());
                parts.push(found.outcome.describe());
            }
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            pass.pass = id_of(&parts);
        }
    }
}

/// Plans the journals of a file's content. `file` is its name; `source` distinguishes its debates from
/// those of other files; `map` says what words of its label columns mean. Rows that cannot be taken are
/// refused with their lines, one for each fault.
///
/// # Errors
/// When the label set is not in the library, or does not have what words are mapped to.
pub fn plan_import(
    library: &Library,
    file: &str,
    source: &str,
    finds: &FinishedFile,
    map: &LabelMap,
) -> Result<(ImportPlan, Vec<RefusedRow>), WorkspaceError> {
    let games = ImportedProtocols::read().map_err(GameError::from)?;
    let book = finds.set.as_deref().map(|set| library.label_set(set));
    let book = book.transpose()?;
    if let Some(book) = &book {
        map.check(&book.set).map_err(WorkspaceError::Invalid)?;
    }
    let made = ImportPlanner {
        games,
        book,
        map,
        file,
        source,
        finds,
    };
    let mut intake = ImportPlan::default();
    let mut refused = Vec::new();
    let mut seen: BTreeMap<Hash, u32> = BTreeMap::new();
    for finished in &finds.taken {
        let faults = made.read_words(finished, &mut intake);
        if !faults.is_empty() {
            let line = finished.line;
            refused.extend(faults.into_iter().map(|why| RefusedRow { line, why }));
            continue;
        }
        // The same answer twice is two answers.
        let times = seen.entry(content(finished)).or_default();
        match made.take(finished, *times, &mut intake) {
            Ok(()) => *times += 1,
            Err(why) => refused.push(RefusedRow {
                line: finished.line,
                why,
            }),
        }
    }
    intake.name_passes();
    Ok((intake, refused))
}

/// Hashes a finished debate without its labels.
fn content(finished: &FinishedItem) -> Hash {
    let mut parts = vec![
        finished.id.clone().unwrap_or_default(),
        finished.prompt.clone(),
        finished.context.clone().unwrap_or_default(),
    ];
    for turn in &finished.turns {
        parts.push(address(turn).to_string());
        parts.push(turn.text.clone());
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Hash::of(&joined(&parts))
}

fn address(turn: &FinishedTurn) -> TurnId {
    TurnId {
        round: turn.round,
        stage: turn.stage.into(),
        chair: Chair {
            seat: turn.seat.into(),
            index: turn.index,
        },
    }
}

struct ImportPlanner<'a> {
    games: ImportedProtocols,
    book: Option<LabelBook>,
    map: &'a LabelMap,
    file: &'a str,
    source: &'a str,
    finds: &'a FinishedFile,
}

impl ImportPlanner<'_> {
    /// Collects the words of the labels, and returns a fault for each unknown one.
    fn read_words(&self, finished: &FinishedItem, intake: &mut ImportPlan) -> Vec<String> {
        let Some(LabelBook { set, .. }) = &self.book else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        for found in finished.turns.iter().flat_map(|turn| &turn.labels) {
            intake.words.insert(found.label.clone());
            let is_known = match (self.map.meaning(&found.label, set), found.by) {
                (WordMeaning::Label(_), _) | (WordMeaning::Unparsed, LabelledBy::Program) => true,
                (WordMeaning::Unparsed, LabelledBy::Person | LabelledBy::Settled)
                | (WordMeaning::Unknown, _) => false,
            };
            if !is_known {
                intake.foreign.insert(found.label.clone());
                faults.push(foreign(&found.label, &found.column, set));
            }
        }
        faults
    }

    fn take(
        &self,
        finished: &FinishedItem,
        times: u32,
        intake: &mut ImportPlan,
    ) -> Result<(), String> {
        let hash = content(finished).to_string();
        let id = SessionId::new(id_of(&["session", &hash, &times.to_string()]));
        let session = self.session(finished, id)?;
        let mut marks = Vec::new();
        let mut verdicts = Vec::new();
        for turn in &finished.turns {
            let attempt = AttemptId {
                turn: address(turn),
                attempt: 0,
            };
            let sha256 = attempt_hash(&attempt, &turn.text);
            for found in &turn.labels {
                let spot = AnnotationTarget {
                    session: session.id.clone(),
                    attempt: Some(OnAttempt {
                        id: attempt.clone(),
                        sha256,
                    }),
                };
                match found.by {
                    LabelledBy::Person | LabelledBy::Settled => {
                        let label =
                            self.label(finished, &found.column, &found.label, found.by, spot)?;
                        let id = id_of(&[
                            "mark",
                            session.id.as_str(),
                            &attempt.to_string(),
                            &found.column,
                            &label.set,
                        ]);
                        let event = AnnotationEvent {
                            id: AnnotationId::new(id),
                            mark: Annotation::Labelled(Box::new(label)),
                        };
                        marks.push((self.person(&found.column), event));
                    }
                    LabelledBy::Program => verdicts.push((
                        found.column.clone(),
                        ImportedVerdict {
                            session: session.id.clone(),
                            attempt: attempt.clone(),
                            sha256,
                            outcome: self.outcome(&found.label),
                        },
                    )),
                }
            }
        }
        intake.sessions.push(session);
        for (person, event) in marks {
            intake.marks.entry(person).or_default().push((None, event));
        }
        for (column, verdict) in verdicts {
            let known = intake.passes.iter_mut().find(|pass| pass.column == column);
            match known {
                Some(pass) => pass.found.push(verdict),
                None => intake.passes.push(ImportedPass {
                    pass: String::new(),
                    column,
                    file: self.source.to_owned(),
                    found: vec![verdict],
                }),
            }
        }
        Ok(())
    }

    /// Names the annotator of a column: people of other files may be called the same.
    fn person(&self, column: &str) -> String {
        match &self.book {
            Some(book) => format!("{column}-{}", book.set.id),
            None => column.to_owned(),
        }
    }

    fn label(
        &self,
        finished: &FinishedItem,
        column: &str,
        label: &str,
        by: LabelledBy,
        on: AnnotationTarget,
    ) -> Result<Label, String> {
        let Some(book) = &self.book else {
            return Err("the label set of people's labels is not given".to_owned());
        };
        let WordMeaning::Label(choice) = self.map.meaning(label, &book.set) else {
            return Err(foreign(label, column, &book.set));
        };
        Ok(Label {
            on,
            set: book.set.id.clone(),
            codebook: unknown_codebook(self.file),
            label: choice.name.clone(),
            category: None,
            strength: None,
            note: None,
            flagged: false,
            drawn: self.drawn(column),
            blind: Blindness::Unknown,
            role: match by {
                LabelledBy::Settled => LabelRole::Adjudicator,
                LabelledBy::Person | LabelledBy::Program => LabelRole::Annotator,
            },
            repeat: 0,
            spent_ms: None,
            source: Some(format!("{}:{}", self.file, finished.line)),
        })
    }

    /// Where every row has a label, they are a census. Otherwise it is unknown how the
    /// labelled rows were chosen.
    fn drawn(&self, column: &str) -> Option<QueueDraw> {
        let labelled = |finished: &&FinishedItem| {
            let mut labels = finished.turns.iter().flat_map(|turn| &turn.labels);
            labels.any(|label| label.column == column)
        };
        let all = self.finds.taken.len();
        let is_census = self.finds.taken.iter().filter(labelled).count() == all;
        let all = u32::try_from(all).ok().filter(|_| is_census)?;
        Some(QueueDraw {
            queue: format!("all of {}", self.file),
            stratum: "all".to_owned(),
            taken: all,
            of: all,
            chances: 1,
            by_verdict: false,
        })
    }

    /// A label's side is its set's; where there is no set, RedDebate's *safe* and *unsafe* have theirs.
    fn outcome(&self, word: &str) -> Outcome {
        let meaning = match &self.book {
            Some(book) => self.map.meaning(word, &book.set),
            None => WordMeaning::Unknown,
        };
        let (label, value) = match meaning {
            WordMeaning::Label(choice) => (choice.name.as_str(), value(choice.counts)),
            WordMeaning::Unparsed => {
                let why = format!("the file says '{word}'");
                return Outcome::Unparsed { why };
            }
            WordMeaning::Unknown => match word {
                "safe" => (word, 1.0),
                "unsafe" => (word, -1.0),
                _ => (word, 0.0),
            },
        };
        Outcome::Label(Finding {
            label: label.to_owned(),
            value,
            ..Finding::default()
        })
    }

    fn session(&self, finished: &FinishedItem, id: SessionId) -> Result<ImportedSession, String> {
        let protocol = self.games.protocol_for(finished)?;
        let names: BTreeMap<Chair, &str> = finished
            .turns
            .iter()
            .map(|turn| (address(turn).chair, turn.name.as_str()))
            .collect();
        let cast = names.iter().map(|(chair, name)| Participant {
            chair: chair.clone(),
            player: if is_person(chair) {
                Player::Human {
                    name: Some((*name).to_owned()),
                }
            } else {
                Player::Fixed(ScriptedPlayer {
                    from: format!("{} (imported)", self.source),
                    // Every turn is in the journal already.
                    lines: Vec::new(),
                })
            },
            persona: None,
        });
        let created = Box::new(Created {
            format: FORMAT,
            session: id.clone(),
            software: software(),
            protocol: protocol.clone(),
            templates: BTreeMap::new(),
            rubrics: BTreeMap::new(),
            lists: BTreeMap::new(),
            cast: cast.collect(),
            topic: topic(finished),
            settings: Settings::default(),
            seed: 0,
            memory: MemoryUse::default(),
            run: None,
            estimate: None,
        });
        let mut turns: Vec<&FinishedTurn> = finished.turns.iter().collect();
        turns.sort_by_key(|turn| {
            let stage = protocol.stage_place(&turn.stage.into());
            (turn.round, stage, turn.seat, turn.index)
        });
        let said = turns.into_iter().map(|turn| {
            let address = address(turn);
            let by = if is_person(&address.chair) {
                Author::Person(turn.name.clone())
            } else {
                Author::Engine
            };
            let replied = Replied {
                turn: address,
                attempt: 0,
                view: None,
                reply: Reply {
                    text: turn.text.clone(),
                    thinking: turn.thinking.clone(),
                    // No model was called, so there is no cost.
                    cached: true,
                    ..Reply::default()
                },
                fields: None,
                call: None,
                guardrail: None,
            };
            (by, Event::Replied(Box::new(replied)))
        });
        let session = ImportedSession {
            id,
            created,
            said: said.collect(),
        };
        check(&session)?;
        Ok(session)
    }
}

fn is_person(chair: &Chair) -> bool {
    chair.seat.as_str() == "person"
}

/// Checks that the protocol accepts the file's turns and is complete with them.
fn check(session: &ImportedSession) -> Result<(), String> {
    let mut state = State::default();
    let begun = (Author::Engine, Event::Created(session.created.clone()));
    for (by, event) in std::iter::once(&begun).chain(&session.said) {
        let record = Record {
            at: String::new(),
            by: by.clone(),
            event: event.clone(),
        };
        state
            .apply(&record)
            .map_err(|refusal| format!("it cannot be held as a debate: {refusal}"))?;
    }
    match state.open().done {
        Some(_) => Ok(()),
        None => Err("it cannot be held as a debate: turns are missing".to_owned()),
    }
}

fn topic(finished: &FinishedItem) -> Topic {
    // Rows without an id that answer the same prompt are about one topic.
    let by_text = || {
        let hash = Hash::of(finished.prompt.as_bytes()).to_string();
        format!(
            "prompt-{}",
            hash.chars().take(TOPIC_HASH_CHARS).collect::<String>()
        )
    };
    Topic {
        id: finished.id.clone().unwrap_or_else(by_text),
        text: finished.prompt.clone(),
        category: finished.category.clone(),
        conversation: Vec::new(),
        context: finished.context.clone(),
        reference: None,
        expected: finished.expected.clone(),
        documents: Vec::new(),
        options: Vec::new(),
        level: None,
        needs_hash_check: false,
    }
}

/// How much of a prompt's hash names its topic.
const TOPIC_HASH_CHARS: usize = 12;
