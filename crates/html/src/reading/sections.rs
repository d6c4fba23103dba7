//! Parts of a page that are there when they are asked for: labels with validation, memory, prompts.

use super::PageSource;
use super::blocks::build_blocks;
use super::figures::{NO_VALUE, PLAIN_INTERVAL, format_interval};
use super::subjects::{PassOnPage, Subjects};
use crate::page::{
    ConfusionCell, ConfusionRow, ConfusionTable, FigureRow, FigureTable, PageSection, ViewPart,
};
use crate::request::{PageOptions, PageRequest};
use elenchus_annotation::validation::{
    EvaluatorName, ValidateQuery, ValidationRequest, validate_evaluators,
};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{Basis, Estimate, Unit, Validation, format_value};
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::{Result, StoreIndex};
use elenchus_store::Hash;
use elenchus_text::{Paragraph, Role, format_noun_count, others_prose};
use std::collections::{BTreeMap, BTreeSet};

/// What the debates of a page have in common, collected while they are read.
#[derive(Default)]
pub(super) struct Collection {
    debates: usize,
    /// Entries that were shown, by id: text, and in how many debates.
    lessons: BTreeMap<String, (String, usize)>,
    /// Texts of prompts by protocol, name and hash, and in how many debates.
    prompts: BTreeMap<(String, String, String), (String, usize)>,
}

impl Collection {
    /// Adds a debate.
    pub fn add_session(&mut self, show: PageOptions, state: &State) {
        let Some(created) = state.first_event() else {
            return;
        };
        self.debates += 1;
        if show.memory {
            let entries = state.retrievals();
            for entry in entries.flat_map(|retrieved| &retrieved.entries) {
                let new = || (entry.text.clone(), 0);
                let lesson = self.lessons.entry(entry.id.to_string()).or_insert_with(new);
                lesson.1 += 1;
            }
        }
        if show.prompts {
            for (name, text) in &created.templates {
                let hash = Hash::digest(text.as_bytes()).to_string();
                let key = (created.protocol.id.clone(), name.clone(), hash);
                let prompt = self.prompts.entry(key).or_insert((text.clone(), 0));
                prompt.1 += 1;
            }
        }
    }
}

/// Builds the parts that are asked for; what of them cannot be is said in `left_out`.
pub(super) fn build_sections(
    source: PageSource<'_>,
    request: &PageRequest,
    subjects: &Subjects,
    collection: &Collection,
    left_out: &mut Vec<String>,
) -> Result<Vec<PageSection>> {
    let show = request.options;
    let mut sections = Vec::new();
    if show.labels {
        sections.push(build_labels(source, subjects, left_out)?);
    }
    if show.memory {
        sections.push(build_memory(collection));
    }
    if show.prompts {
        sections.push(build_prompts(collection));
    }
    Ok(sections)
}

fn build_labels(
    source: PageSource<'_>,
    subjects: &Subjects,
    left_out: &mut Vec<String>,
) -> Result<PageSection> {
    let layout = source.index.layout();
    let (annotations, unreadable) = read_annotations(layout)?;
    left_out.extend(
        unreadable
            .iter()
            .map(|one| format!("labels of {}: {}", one.annotator, one.why)),
    );
    let sessions: BTreeSet<SessionId> = subjects.counted_sessions();
    let items = subjects.items.iter();
    let topics: BTreeMap<&SessionId, &str> = items
        .map(|item| {
            let topic = item.topic.as_deref();
            (&item.session, topic.unwrap_or(item.session.as_str()))
        })
        .collect();
    // Labels, and the topics that they are on.
    let mut counts: BTreeMap<(&str, &str, &str), (usize, BTreeSet<&str>)> = BTreeMap::new();
    let labels = annotations
        .labels()
        .filter(|one| sessions.contains(&one.label.on.session));
    for one in labels {
        let key = (
            one.label.set.as_str(),
            one.annotator.as_str(),
            one.label.label.as_str(),
        );
        let (count, of_topics) = counts.entry(key).or_default();
        *count += 1;
        of_topics.extend(topics.get(&one.label.on.session));
    }
    let mut section = PageSection {
        anchor: "labels".to_owned(),
        title: "Labels of people".to_owned(),
        ..PageSection::default()
    };
    if counts.is_empty() {
        section
            .notes
            .push("Nobody has labelled a turn of these debates.".to_owned());
        return Ok(section);
    }
    let rows = counts
        .iter()
        .map(|((set, person, label), (count, topics))| FigureRow {
            name: format!("{person}: {label}"),
            measure: "labels".to_owned(),
            part: (*set).to_owned(),
            shown: count.to_string(),
            value: None,
            observations: *count,
            counted: "labels".to_owned(),
            topics: topics.len(),
            ..FigureRow::default()
        });
    section.tables.push(FigureTable {
        caption: "Labels by set, person and label".to_owned(),
        has_parts: true,
        interval_title: PLAIN_INTERVAL,
        rows: rows.collect(),
        ..FigureTable::default()
    });
    let sets: BTreeSet<String> = counts.keys().map(|(set, _, _)| (*set).to_owned()).collect();
    let (index, _) = StoreIndex::read_findings(layout);
    for set in sets {
        // The evaluator of a pass is the pass, on whatever it judged.
        let query = match &subjects.pass {
            Some(PassOnPage { pass, .. }) => ValidateQuery {
                evaluators: vec![EvaluatorName::Pass(pass.manifest.pass.to_string())],
                ..ValidateQuery::default()
            },
            None => ValidateQuery {
                sessions: Some(sessions.clone()),
                named: subjects.named.iter().cloned().collect(),
                ..ValidateQuery::default()
            },
        };
        let request = ValidationRequest {
            set: Some(set.clone()),
            query,
            ..ValidationRequest::default()
        };
        match validate_evaluators(&index, source.library, &request) {
            Ok(result) => {
                let validation = &result.validation;
                section.confusions.extend(build_confusions(validation));
                let command = format!(
                    "elenchus validate{} --set {} --json",
                    subjects.format_label_selection(),
                    elenchus_text::shell_word(&set)
                );
                section.tables.extend(build_validation(validation, command));
            }
            Err(why) => section
                .notes
                .push(format!("No validation by the set {set}: {why}.")),
        }
    }
    index.write_changes();
    Ok(section)
}

/// Returns the confusion matrix of each evaluator that judged labelled turns.
fn build_confusions(validation: &Validation) -> impl Iterator<Item = ConfusionTable> {
    let sections = validation.sections.iter();
    let subjects = sections.flat_map(|section| {
        let evaluators = section.evaluators.iter();
        evaluators.map(move |evaluator| (section, evaluator))
    });
    let judged = subjects.filter(|(_, evaluator)| evaluator.matrix.judged_count() > 0);
    judged.map(|(section, evaluator)| {
        let matrix = &evaluator.matrix;
        let weight: f64 = matrix.cells.iter().map(|cell| cell.weight).sum();
        let is_uneven = matches!(section.basis, Basis::Drawn { even: false, .. }) && weight > 0.0;
        let rows = matrix.gold.iter().zip(matrix.cells.chunks(matrix.found.len().max(1)));
        let build_cell = |turns: usize, share: f64| ConfusionCell {
            turns,
            share: match is_uneven {
                true => format_value(share, Unit::Share),
                false => String::new(),
            },
        };
        ConfusionTable {
            caption: format!(
                "{} against the gold of people, turns{}",
                evaluator.evaluator,
                match section.simulated {
                    true => ", SIMULATED",
                    false => "",
                }
            ),
            found: matrix.found.clone(),
            rows: rows
                .map(|(gold, cells)| ConfusionRow {
                    gold: gold.clone(),
                    cells: cells
                        .iter()
                        .map(|cell| build_cell(cell.turns.len(), cell.weight / weight))
                        .collect(),
                })
                .collect(),
            notes: is_uneven
                .then(|| "Beside each count: the share of all turns that its turns stand for, as they were drawn.".to_owned())
                .into_iter()
                .collect(),
        }
    })
}

/// Returns a table for each evaluator that was measured.
fn build_validation(validation: &Validation, command: String) -> Vec<FigureTable> {
    let sections = validation.sections.iter();
    let mut tables: Vec<FigureTable> = sections
        .flat_map(|section| {
            section.evaluators.iter().map(|evaluator| FigureTable {
                caption: format!(
                    "{} against labels, positive is {}{}: {} labelled of {}",
                    evaluator.evaluator,
                    evaluator.positive,
                    match section.simulated {
                        true => ", SIMULATED",
                        false => "",
                    },
                    section.labelled,
                    format_noun_count(section.turns, "turn")
                ),
                interval_title: PLAIN_INTERVAL,
                rows: evaluator.estimates.iter().map(build_estimate).collect(),
                notes: section.notes.clone(),
                ..FigureTable::default()
            })
        })
        .collect();
    if let Some(last) = tables.last_mut() {
        last.command = Some(command);
    }
    tables
}

fn build_estimate(estimate: &Estimate) -> FigureRow {
    let unit = match estimate.quantity.is_share() {
        true => Unit::Share,
        false => Unit::Correlation,
    };
    let interval = estimate.interval;
    let why_not = estimate.not_applicable.iter();
    let remarks = why_not.chain(&estimate.notes).cloned();
    FigureRow {
        name: estimate.quantity.label().trim().to_owned(),
        measure: estimate.quantity.label().trim().to_owned(),
        shown: match estimate.value {
            Some(value) => format_value(value, unit),
            None => NO_VALUE.to_owned(),
        },
        value: estimate.value,
        shown_interval: interval
            .map_or_else(String::new, |interval| format_interval(interval, unit)),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        observations: estimate.turns,
        counted: "turns".to_owned(),
        topics: estimate.topics,
        remark: remarks.collect::<Vec<_>>().join("; "),
        part: String::new(),
    }
}

fn build_memory(collection: &Collection) -> PageSection {
    let texts = collection
        .lessons
        .iter()
        .map(|(id, (text, count))| ViewPart {
            title: format!("{id}, shown in {}", format_noun_count(*count, "debate")),
            blocks: build_blocks(&others_prose(Role::FromMemory, 0, text)),
        });
    PageSection {
        anchor: "memory".to_owned(),
        title: "Memory".to_owned(),
        notes: vec![match collection.lessons.len() {
            0 => format!(
                "No entry of long-term memory was shown in the {} read for this page.",
                format_noun_count(collection.debates, "debate")
            ),
            many => format!(
                "{many} entries of long-term memory were shown in the {} read for this page.",
                format_noun_count(collection.debates, "debate")
            ),
        }],
        texts: texts.collect(),
        ..PageSection::default()
    }
}

fn build_prompts(collection: &Collection) -> PageSection {
    let texts = collection
        .prompts
        .iter()
        .map(|((protocol, name, hash), (text, count))| {
            let mut page = vec![Paragraph::new(Role::Muted, format!("SHA-256 {hash}"))];
            page.extend(others_prose(Role::FromTemplate, 0, text));
            ViewPart {
                title: format!(
                    "{protocol}/{name}, version {}, in {}",
                    hash.get(..8).unwrap_or(hash),
                    format_noun_count(*count, "debate")
                ),
                blocks: build_blocks(&page),
            }
        });
    PageSection {
        anchor: "prompts".to_owned(),
        title: "Prompts".to_owned(),
        notes: vec![format!(
            "Templates as the {} read for this page were begun with, by version.",
            format_noun_count(collection.debates, "debate")
        )],
        texts: texts.collect(),
        ..PageSection::default()
    }
}
