//! Planner of an import: a file's content as sessions, marks and passes.

use super::imported_protocol::ImportedProtocols;
use super::imported_session::{address, imported_session};
use super::label_map::{LabelMap, WordMeaning, foreign, value};
use super::plan::ImportPlan;
use super::skip_note::skip_note;
use super::{id_of, joined, unknown_codebook};
use elenchus_game::debate::event::{Finding, Outcome};
use elenchus_game::debate::{AttemptId, SessionId};
use elenchus_records::exchange::{
    FinishedFile, FinishedItem, FinishedTurn, FoundSkip, LabelFileKind, LabelledBy, RefusedRow,
};
use elenchus_records::library::GameError;
use elenchus_records::library::LabelBook;
use elenchus_records::library::Library;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Blindness, Label, LabelRole,
    OnAttempt, QueueDraw, attempt_hash,
};
use elenchus_records::workspace::pass::{ImportedPass, ImportedVerdict};
use elenchus_store::Hash;
use std::collections::BTreeMap;

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

fn skips(finished: &FinishedItem) -> impl Iterator<Item = (&FinishedTurn, &FoundSkip)> {
    let turns = finished.turns.iter();
    turns.flat_map(|turn| turn.skips.iter().map(move |skip| (turn, skip)))
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
                faults.push(foreign(
                    &found.label,
                    &self.place(found.by, &found.column),
                    set,
                ));
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
        let session = imported_session(&self.games, self.source, finished, id)?;
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
        for (turn, skip) in skips(finished) {
            let attempt = AttemptId {
                turn: address(turn),
                attempt: 0,
            };
            let event = self.note_skip(finished, (turn, &attempt), skip, &session.id);
            marks.push((self.person(&skip.by), event));
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

    /// Notes that a person was shown a turn and gave no label: a note is seen beside the turn, and is none.
    fn note_skip(
        &self,
        finished: &FinishedItem,
        (turn, attempt): (&FinishedTurn, &AttemptId),
        skip: &FoundSkip,
        session: &SessionId,
    ) -> AnnotationEvent {
        let id = id_of(&["skip", session.as_str(), &attempt.to_string(), &skip.by]);
        let set = self.finds.set.as_deref().unwrap_or_default();
        AnnotationEvent {
            id: AnnotationId::new(id),
            mark: Annotation::Noted {
                on: AnnotationTarget {
                    session: session.clone(),
                    attempt: Some(OnAttempt {
                        id: attempt.clone(),
                        sha256: attempt_hash(attempt, &turn.text),
                    }),
                },
                text: skip_note(set, &skip.why, &format!("{}:{}", self.file, finished.line)),
            },
        }
    }

    /// Says where a word stands: in a column, or where one column holds the labels of all people, by whom.
    fn place(&self, by: LabelledBy, column: &str) -> String {
        let reading = self.finds.reading.as_ref();
        let is_by_name = reading.is_some_and(|reading| reading.kind != LabelFileKind::Wide);
        match by {
            LabelledBy::Person if is_by_name => format!("by '{column}'"),
            LabelledBy::Person | LabelledBy::Settled | LabelledBy::Program => {
                format!("in column '{column}'")
            }
        }
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
            return Err(foreign(label, &self.place(by, column), &book.set));
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
            drawn: self.drawn(finished, column)?,
            blind: Blindness::Unknown,
            role: match by {
                LabelledBy::Settled => LabelRole::Adjudicator,
                LabelledBy::Person | LabelledBy::Program => LabelRole::Annotator,
            },
            repeat: 0,
            spent_ms: None,
            source: Some(format!("{}:{}", self.file, finished.line)),
            marks_cut: false,
        })
    }

    /// Where the file states a probability, it is that one. Where every row has a label, they are a census.
    /// Otherwise it is unknown how the labelled rows were chosen.
    fn drawn(&self, finished: &FinishedItem, column: &str) -> Result<Option<QueueDraw>, String> {
        match finished.probability {
            Some(probability) => {
                let queue = format!("probabilities of {}", self.file);
                QueueDraw::stated(queue, probability).map(Some)
            }
            None => Ok(self.census(column)),
        }
    }

    fn census(&self, column: &str) -> Option<QueueDraw> {
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
            is_stated: false,
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
                return Outcome::Unparsed { why, cause: None };
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
}
