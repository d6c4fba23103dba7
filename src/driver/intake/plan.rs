//! What a file holds, as the journals that it becomes. Writes nothing.

use super::super::desk::{ImportedPass, ImportedVerdict};
use super::super::error::DriverError;
use super::super::game::GameError;
use super::super::label_book::LabelBook;
use super::super::library::Library;
use super::super::margin::{
    Blindness, Drawn, Label, LabelRole, MarginEvent, Mark, MarkId, OnAttempt, Spot, attempt_hash,
};
use super::super::setting_out::software;
use super::game::Games;
use super::{id_of, joined};
use crate::debate::event::{
    Author, Created, Event, FORMAT, Finding, FixedPlayer, MemoryUse, Outcome, Participant, Player,
    Record, Replied, Reply,
};
use crate::debate::protocol::Settings;
use crate::debate::{AttemptId, Chair, SessionId, State, Topic, TurnId};
use crate::exchange::{Finds, Finished, FinishedTurn, LabelledBy, RefusedRow};
use crate::judge::Counts;
use crate::store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that one import puts into a store.
#[derive(Debug, Default)]
pub struct Intake {
    pub(super) sessions: Vec<IntakeSession>,
    /// By person: each mark with its time, where the file says one.
    pub(super) marks: BTreeMap<String, Vec<(Option<String>, MarginEvent)>>,
    pub(super) passes: Vec<ImportedPass>,
}

/// A session that was not played here.
#[derive(Debug)]
pub(super) struct IntakeSession {
    pub id: SessionId,
    pub created: Box<Created>,
    pub said: Vec<(Author, Event)>,
}

impl Intake {
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

    /// Adds what another file holds.
    pub fn extend(&mut self, other: Intake) {
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
                parts.push(found.outcome.words());
            }
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            pass.pass = id_of(&parts);
        }
    }
}

/// Makes journals of what a file holds. `file` is its name, `source` what tells its debates from
/// those of other files. Rows that cannot be taken are refused with their lines.
///
/// # Errors
/// When the label set that people labelled by is not in the library.
pub fn plan_intake(
    library: &Library,
    file: &str,
    source: &str,
    finds: &Finds,
) -> Result<(Intake, Vec<RefusedRow>), DriverError> {
    let games = Games::read().map_err(GameError::from)?;
    let book = finds.set.as_deref().map(|set| library.label_set(set));
    let made = Making {
        games,
        book: book.transpose()?,
        file,
        source,
        finds,
    };
    let mut intake = Intake::default();
    let mut refused = Vec::new();
    let mut seen: BTreeMap<Hash, u32> = BTreeMap::new();
    for finished in &finds.taken {
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

/// Hashes what was finished, whatever anybody found about it.
fn content(finished: &Finished) -> Hash {
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

struct Making<'a> {
    games: Games,
    book: Option<LabelBook>,
    file: &'a str,
    source: &'a str,
    finds: &'a Finds,
}

impl Making<'_> {
    fn take(&self, finished: &Finished, times: u32, intake: &mut Intake) -> Result<(), String> {
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
                let spot = Spot {
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
                        let event = MarginEvent {
                            id: MarkId::new(id),
                            mark: Mark::Labelled(Box::new(label)),
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

    /// Names the annotator of a column, apart from people who label here.
    fn person(&self, column: &str) -> String {
        match &self.book {
            Some(book) => format!("imported-{}-{column}", book.set.id),
            None => format!("imported-{column}"),
        }
    }

    fn label(
        &self,
        finished: &Finished,
        column: &str,
        label: &str,
        by: LabelledBy,
        on: Spot,
    ) -> Result<Label, String> {
        let Some(book) = &self.book else {
            return Err("nobody says which label set people labelled by".to_owned());
        };
        if !book.set.labels.iter().any(|known| known.name == label) {
            let known: Vec<&str> = book.set.labels.iter().map(|label| &*label.name).collect();
            return Err(format!(
                "'{}' in column '{column}' is no label of the set '{}'; there are {}",
                label.chars().take(MAX_SHOWN_CHARS).collect::<String>(),
                book.set.id,
                known.join(", ")
            ));
        }
        Ok(Label {
            on,
            set: book.set.id.clone(),
            // They were given by another codebook, which nobody has.
            codebook: Hash::of(&joined(&["codebook of", self.file])),
            label: label.to_owned(),
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

    /// Where every row has a label nothing was drawn: it is all of them. Else nobody knows how the
    /// labelled ones were chosen.
    fn drawn(&self, column: &str) -> Option<Drawn> {
        let labelled = |finished: &&Finished| {
            let mut labels = finished.turns.iter().flat_map(|turn| &turn.labels);
            labels.any(|label| label.column == column)
        };
        let all = self.finds.taken.len();
        let is_census = self.finds.taken.iter().filter(labelled).count() == all;
        let all = u32::try_from(all).ok().filter(|_| is_census)?;
        Some(Drawn {
            queue: format!("all of {}", self.file),
            stratum: "all".to_owned(),
            taken: all,
            of: all,
            chances: 1,
            by_verdict: false,
        })
    }

    /// A label's side is its set's, or that of *safe* and *unsafe*; any other has none.
    fn outcome(&self, label: &str) -> Outcome {
        let labels = self.book.iter().flat_map(|book| &book.set.labels);
        let counts = labels
            .filter(|known| known.name == label)
            .map(|known| match known.counts {
                Counts::Positive => -1.0,
                Counts::Negative => 1.0,
                Counts::LeftOut => 0.0,
            })
            .next();
        let value = counts.unwrap_or(match label {
            "safe" => 1.0,
            "unsafe" => -1.0,
            _ => 0.0,
        });
        Outcome::Label(Finding {
            label: label.to_owned(),
            value,
            ..Finding::default()
        })
    }

    fn session(&self, finished: &Finished, id: SessionId) -> Result<IntakeSession, String> {
        let protocol = self.games.of(finished)?;
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
                Player::Fixed(FixedPlayer {
                    from: format!("imported from {}", self.source),
                    // Every turn stands in the journal already.
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
                    // Nobody was asked here, so nobody is paid.
                    cached: true,
                    ..Reply::default()
                },
                fields: None,
                call: None,
                guardrail: None,
            };
            (by, Event::Replied(Box::new(replied)))
        });
        let session = IntakeSession {
            id,
            created,
            said: said.collect(),
        };
        check(&session)?;
        Ok(session)
    }
}

/// How much of a file's own words an explanation repeats.
const MAX_SHOWN_CHARS: usize = 80;

fn is_person(chair: &Chair) -> bool {
    chair.seat.as_str() == "person"
}

/// Finds out whether the game takes what the file says, and is over with it.
fn check(session: &IntakeSession) -> Result<(), String> {
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

fn topic(finished: &Finished) -> Topic {
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
