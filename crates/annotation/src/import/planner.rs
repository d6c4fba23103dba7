//! Planner of an import: a file's content as sessions, marks and passes.

use super::imported_protocol::ImportedProtocols;
use super::imported_session::{build_session, turn_id};
use super::label_map::{LabelMap, UNPARSED, WordMeaning, describe_unknown_word, side_value};
use super::plan::ImportPlan;
use super::skip_note::skip_note;
use super::{derive_id, join_with_lengths, unknown_codebook};
use elenchus_game::debate::event::{Finding, Outcome};
use elenchus_game::debate::{AttemptId, SessionId, Target};
use elenchus_records::exchange::{
    FindingPlace, FinishedFile, FinishedItem, FinishedTurn, FoundLabel, FoundSkip, LabelFileKind,
    LabelledBy, RefusedRow,
};
use elenchus_records::library::GameError;
use elenchus_records::library::LabelBook;
use elenchus_records::library::Library;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Blindness, Label, LabelRole,
    OnAttempt, QueueDraw, attempt_hash,
};
use elenchus_records::workspace::pass::hash_target;
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
    finished_file: &FinishedFile,
    map: &LabelMap,
) -> Result<(ImportPlan, Vec<RefusedRow>), WorkspaceError> {
    let games = ImportedProtocols::load().map_err(GameError::from)?;
    let book = finished_file
        .set
        .as_deref()
        .map(|set| library.read_label_set(set));
    let book = book.transpose()?;
    if let Some(book) = &book {
        map.check_labels(&book.set)
            .map_err(WorkspaceError::Invalid)?;
    }
    let planner = ImportPlanner {
        games,
        book,
        map,
        file,
        source,
        finished_file,
    };
    let mut plan = ImportPlan::default();
    let mut refusals = Vec::new();
    let mut occurrences: BTreeMap<Hash, u32> = BTreeMap::new();
    for finished in &finished_file.items {
        let faults = planner.read_words(finished, &mut plan);
        if !faults.is_empty() {
            let line = finished.line;
            refusals.extend(faults.into_iter().map(|why| RefusedRow { line, why }));
            continue;
        }
        // The same answer twice is two answers.
        let times = occurrences.entry(hash_content(finished)).or_default();
        match planner.plan_item(finished, *times, &mut plan) {
            Ok(()) => *times += 1,
            Err(why) => refusals.push(RefusedRow {
                line: finished.line,
                why,
            }),
        }
    }
    plan.name_passes();
    Ok((plan, refusals))
}

/// Hashes a finished debate without its labels.
fn hash_content(finished: &FinishedItem) -> Hash {
    let mut parts = vec![
        finished.id.clone().unwrap_or_default(),
        finished.prompt.clone(),
        finished.context.clone().unwrap_or_default(),
    ];
    for turn in &finished.turns {
        parts.push(turn_id(turn).to_string());
        parts.push(turn.text.clone());
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Hash::digest(&join_with_lengths(&parts))
}

fn skips_with_turns(finished: &FinishedItem) -> impl Iterator<Item = (&FinishedTurn, &FoundSkip)> {
    let turns = finished.turns.iter();
    turns.flat_map(|turn| turn.skips.iter().map(move |skip| (turn, skip)))
}

struct ImportPlanner<'a> {
    games: ImportedProtocols,
    book: Option<LabelBook>,
    map: &'a LabelMap,
    file: &'a str,
    source: &'a str,
    finished_file: &'a FinishedFile,
}

impl ImportPlanner<'_> {
    /// Collects the words of the labels, and returns a fault for each unknown one.
    fn read_words(&self, finished: &FinishedItem, plan: &mut ImportPlan) -> Vec<String> {
        let Some(LabelBook { set, .. }) = &self.book else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        for found in finished.turns.iter().flat_map(|turn| &turn.labels) {
            plan.words.insert(found.label.clone());
            let is_known = match (self.map.find_meaning(&found.label, set), found.by) {
                (WordMeaning::Label(_), _) | (WordMeaning::Unparsed, LabelledBy::Program) => true,
                (WordMeaning::Unparsed, LabelledBy::Person | LabelledBy::Settled)
                | (WordMeaning::Unknown, _) => false,
            };
            if !is_known {
                plan.unknown_words.insert(found.label.clone());
                faults.push(describe_unknown_word(
                    &found.label,
                    &self.describe_place(found.by, &found.column),
                    set,
                ));
            }
        }
        faults
    }

    fn plan_item(
        &self,
        finished: &FinishedItem,
        times: u32,
        plan: &mut ImportPlan,
    ) -> Result<(), String> {
        let hash = hash_content(finished).to_string();
        let id = SessionId::new(derive_id(&["session", &hash, &times.to_string()]));
        let (session, state) = build_session(&self.games, self.source, finished, id)?;
        let mut marks = Vec::new();
        let mut verdicts = Vec::new();
        for turn in &finished.turns {
            let attempt = AttemptId {
                turn: turn_id(turn),
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
                        let label = self.build_label(
                            finished,
                            &found.column,
                            &found.label,
                            found.by,
                            spot,
                        )?;
                        let id = derive_id(&[
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
                        marks.push((self.annotator_name(&found.column), event));
                    }
                    LabelledBy::Program => verdicts.push((
                        found.column.clone(),
                        ImportedVerdict {
                            session: session.id.clone(),
                            target: Target::Attempt(attempt.clone()),
                            sha256,
                            outcome: self.parse_outcome(found),
                        },
                    )),
                }
            }
        }
        for (place, found) in &finished.findings {
            let target = match place {
                FindingPlace::Round(round) => Target::Round(*round),
                FindingPlace::Debate => Target::Debate,
            };
            let verdict = ImportedVerdict {
                session: session.id.clone(),
                sha256: hash_target(&state, &target),
                target,
                outcome: self.parse_outcome(found),
            };
            verdicts.push((found.column.clone(), verdict));
        }
        for (turn, skip) in skips_with_turns(finished) {
            let attempt = AttemptId {
                turn: turn_id(turn),
                attempt: 0,
            };
            let event = self.note_skip(finished, (turn, &attempt), skip, &session.id);
            marks.push((self.annotator_name(&skip.by), event));
        }
        plan.sessions.push(session);
        for (person, event) in marks {
            plan.marks.entry(person).or_default().push((None, event));
        }
        for (column, verdict) in verdicts {
            let existing_pass = plan.passes.iter_mut().find(|pass| pass.column == column);
            match existing_pass {
                Some(pass) => pass.found.push(verdict),
                None => plan.passes.push(ImportedPass {
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
        let id = derive_id(&["skip", session.as_str(), &attempt.to_string(), &skip.by]);
        let set = self.finished_file.set.as_deref().unwrap_or_default();
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
    fn describe_place(&self, by: LabelledBy, column: &str) -> String {
        let reading = self.finished_file.reading.as_ref();
        let is_by_name = reading.is_some_and(|reading| reading.kind != LabelFileKind::Wide);
        match by {
            LabelledBy::Person if is_by_name => format!("by '{column}'"),
            LabelledBy::Person | LabelledBy::Settled | LabelledBy::Program => {
                format!("in column '{column}'")
            }
        }
    }

    /// Names the annotator of a column: people of other files may be called the same.
    fn annotator_name(&self, column: &str) -> String {
        match &self.book {
            Some(book) => format!("{column}-{}", book.set.id),
            None => column.to_owned(),
        }
    }

    fn build_label(
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
        let WordMeaning::Label(choice) = self.map.find_meaning(label, &book.set) else {
            return Err(describe_unknown_word(
                label,
                &self.describe_place(by, column),
                &book.set,
            ));
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
            drawn: self.infer_draw(finished, column)?,
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
    fn infer_draw(
        &self,
        finished: &FinishedItem,
        column: &str,
    ) -> Result<Option<QueueDraw>, String> {
        match finished.probability {
            Some(probability) => {
                let queue = format!("probabilities of {}", self.file);
                let draw = QueueDraw::from_probability(queue, probability);
                draw.map(Some).map_err(|error| error.to_string())
            }
            None => Ok(self.infer_census(column)),
        }
    }

    fn infer_census(&self, column: &str) -> Option<QueueDraw> {
        let has_label = |finished: &&FinishedItem| {
            let mut labels = finished.turns.iter().flat_map(|turn| &turn.labels);
            labels.any(|label| label.column == column)
        };
        let all = self.finished_file.items.len();
        let is_census = self.finished_file.items.iter().filter(has_label).count() == all;
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

    /// A label's side is its set's; where there is no set, it is what the source says, and RedDebate's *safe* and
    /// *unsafe* have theirs.
    fn parse_outcome(&self, found: &FoundLabel) -> Outcome {
        let word = found.label.as_str();
        let meaning = match &self.book {
            Some(book) => self.map.find_meaning(word, &book.set),
            None => WordMeaning::Unknown,
        };
        let (label, value) = match (meaning, found.value) {
            (WordMeaning::Label(choice), _) => (choice.name.as_str(), side_value(choice.counts)),
            (WordMeaning::Unparsed, _) => {
                let why = format!("the file says '{word}'");
                return Outcome::Unparsed { why, cause: None };
            }
            (WordMeaning::Unknown, Some(value)) => (word, value),
            (WordMeaning::Unknown, None) => match word {
                "safe" => (word, 1.0),
                "unsafe" => (word, -1.0),
                UNPARSED => {
                    let reason = found.reason.clone();
                    let why = reason.unwrap_or_else(|| format!("the file says '{word}'"));
                    return Outcome::Unparsed { why, cause: None };
                }
                _ => (word, 0.0),
            },
        };
        Outcome::Label(Finding {
            label: label.to_owned(),
            value,
            reason: found.reason.clone(),
            score: found.probability,
            ..Finding::default()
        })
    }
}
