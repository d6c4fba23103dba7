//! Exported labels as table rows, written and read back: every field of a label and its target.

use super::plan::ImportPlan;
use crate::queue::LaterDraws;
use elenchus_dataset::TableRows;
use elenchus_game::debate::{AttemptId, SessionId, State};
use elenchus_metrics::{defuse_cell, restore_cell};
use elenchus_records::exchange::RefusedRow;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Blindness, CurrentLabel, Label,
    LabelRole, OnAttempt, QueueDraw, Unblinding, attempt_hash,
};
use elenchus_records::workspace::read_session;
use elenchus_store::{Hash, Layout};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The columns of exported labels, in their order. The last three are for readers: importing passes
/// them over.
pub const LABEL_COLUMNS: [&str; 31] = [
    "mark",
    "session",
    "turn",
    "attempt",
    "sha256",
    "set",
    "label",
    "category",
    "strength",
    "note",
    "flagged",
    "annotator",
    "at",
    "blindness",
    "saw",
    "role",
    "repeat",
    "queue",
    "stratum",
    "taken",
    "of",
    "chances",
    "by_verdict",
    "stated",
    "spent_ms",
    "codebook",
    "source",
    "probability",
    "topic",
    "prompt",
    "completion",
];
/// Columns whose values are numbers in JSON.
const NUMBERS: [&str; 8] = [
    "attempt",
    "strength",
    "repeat",
    "taken",
    "of",
    "chances",
    "spent_ms",
    "probability",
];
/// Parts a list within a cell.
const AND: &str = "+";

/// Returns labels as rows under [`LABEL_COLUMNS`]. A session that cannot be read leaves the columns
/// of its text empty. Blocks while it reads.
///
/// # Errors
/// When an id names no file.
pub fn label_rows<'a>(
    layout: &Layout,
    labels: impl Iterator<Item = &'a CurrentLabel>,
) -> Result<Vec<Vec<String>>, WorkspaceError> {
    let labels: Vec<&CurrentLabel> = labels.collect();
    // A label states the chance of its time; whoever reads the table knows of no later draw.
    let later_draws = LaterDraws::read(layout, labels.iter().map(|standing| &standing.label));
    let mut states: BTreeMap<SessionId, Option<State>> = BTreeMap::new();
    let mut rows = Vec::new();
    for standing in labels {
        let session = &standing.label.on.session;
        if !states.contains_key(session) {
            let state = read_session(&layout.session_path(session.as_str())?).ok();
            states.insert(session.clone(), state);
        }
        let state = states.get(session).and_then(Option::as_ref);
        rows.push(build_row(standing, state, &later_draws));
    }
    Ok(rows)
}

fn build_row(
    standing: &CurrentLabel,
    state: Option<&State>,
    later_draws: &LaterDraws,
) -> Vec<String> {
    let label = &standing.label;
    let on = label.on.attempt.as_ref();
    let draw = label.drawn.as_ref();
    let draw = draw.map(|drawn| later_draws.find_draw(drawn, &label.on));
    let or_empty = |text: Option<String>| text.unwrap_or_default();
    let (blindness, saw) = match &label.blind {
        Blindness::Blind => ("blind", String::new()),
        Blindness::Unknown => ("unknown", String::new()),
        Blindness::Unblinded { saw } => {
            let names: Vec<&str> = saw.iter().map(|saw| saw_name(*saw)).collect();
            ("unblinded", names.join(AND))
        }
    };
    let topic = state
        .and_then(State::first_event)
        .map(|created| &created.topic);
    let text = on.zip(state).and_then(|(on, state)| {
        let turn = state.turns().get(&on.id.turn)?;
        let attempt = turn.attempts.get(usize::try_from(on.id.attempt).ok()?)?;
        Some(attempt.reply.text.clone())
    });
    vec![
        standing.id.as_str().to_owned(),
        label.on.session.to_string(),
        or_empty(on.map(|on| on.id.turn.to_string())),
        or_empty(on.map(|on| on.id.attempt.to_string())),
        or_empty(on.map(|on| on.sha256.to_string())),
        label.set.clone(),
        label.label.clone(),
        or_empty(label.category.clone()),
        or_empty(label.strength.map(|strength| strength.to_string())),
        or_empty(label.note.clone()),
        label.flagged.to_string(),
        standing.annotator.clone(),
        standing.at.clone(),
        blindness.to_owned(),
        saw,
        match label.role {
            LabelRole::Annotator => "annotator",
            LabelRole::Adjudicator => "adjudicator",
        }
        .to_owned(),
        label.repeat.to_string(),
        or_empty(draw.map(|drawn| drawn.queue.clone())),
        or_empty(draw.map(|drawn| drawn.stratum.clone())),
        or_empty(draw.map(|drawn| drawn.taken.to_string())),
        or_empty(draw.map(|drawn| drawn.of.to_string())),
        or_empty(draw.map(|drawn| drawn.chances.to_string())),
        or_empty(draw.map(|drawn| drawn.by_verdict.to_string())),
        // Files of earlier versions have no such column: what they hold was counted.
        or_empty(
            draw.filter(|drawn| drawn.is_stated)
                .map(|_| true.to_string()),
        ),
        or_empty(label.spent_ms.map(|spent| spent.to_string())),
        label.codebook.to_string(),
        or_empty(label.source.clone()),
        or_empty(draw.map(|drawn| drawn.probability().to_string())),
        or_empty(topic.map(|topic| topic.id.clone())),
        or_empty(topic.map(|topic| topic.text.clone())),
        or_empty(text),
    ]
}

fn saw_name(saw: Unblinding) -> &'static str {
    match saw {
        Unblinding::Verdict => "verdict",
        Unblinding::Arm => "arm",
        Unblinding::Protocol => "protocol",
        Unblinding::PromptVersion => "prompt_version",
        Unblinding::Reasons => "reasons",
    }
}

/// Makes marks from a table of exported labels; `None` for any other table. What a label is on
/// must be in the store. Blocks while it reads.
pub fn read_label_table(
    layout: &Layout,
    rows: &TableRows,
    texts: CsvTexts,
) -> Option<(ImportPlan, Vec<RefusedRow>)> {
    let place = |name: &str| rows.header.iter().position(|column| column.trim() == name);
    let required_columns = ["mark", "session", "annotator", "sha256", "codebook"];
    if required_columns.iter().any(|name| place(name).is_none()) {
        return None;
    }
    let mut plan = ImportPlan::default();
    let mut refusals: Vec<RefusedRow> = rows
        .broken
        .iter()
        .map(|(line, why)| RefusedRow {
            line: *line,
            why: why.clone(),
        })
        .collect();
    let mut states: BTreeMap<String, Option<State>> = BTreeMap::new();
    for (line, cells) in &rows.rows {
        let cell = |name: &str| {
            let text = cells.get(place(name)?)?;
            let text = match texts {
                CsvTexts::Defused => restore_cell(text),
                CsvTexts::AsTheyAre => text.as_str(),
            };
            (!text.is_empty()).then_some(text)
        };
        match parse_mark(layout, &cell, &mut states) {
            Ok((annotator, at, event)) => {
                let marks = plan.marks.entry(annotator).or_default();
                marks.push((Some(at), event));
            }
            Err(why) => refusals.push(RefusedRow { line: *line, why }),
        }
    }
    refusals.sort_by_key(|refused| refused.line);
    Some((plan, refusals))
}

/// Reads a cell by its column.
type CellReader<'a> = dyn Fn(&str) -> Option<&'a str> + 'a;

fn parse_mark(
    layout: &Layout,
    cell: &CellReader<'_>,
    states: &mut BTreeMap<String, Option<State>>,
) -> Result<(String, String, AnnotationEvent), String> {
    let need = |name: &str| cell(name).ok_or_else(|| format!("'{name}' is empty"));
    let session = need("session")?;
    if !states.contains_key(session) {
        let path = layout
            .session_path(session)
            .map_err(|error| error.to_string())?;
        states.insert(session.to_owned(), read_session(&path).ok());
    }
    let Some(Some(state)) = states.get(session) else {
        return Err(format!(
            "its session {session} is not in this store; bring it first, with 'elenchus export' there and 'elenchus import' here"
        ));
    };
    let label = parse_label(session, state, cell)?;
    let event = AnnotationEvent {
        id: AnnotationId::new(need("mark")?),
        mark: Annotation::Labelled(Box::new(label)),
    };
    let at = need("at")?;
    if at.parse::<jiff::Timestamp>().is_err() {
        return Err(format!("'{at}' is no time"));
    }
    Ok((need("annotator")?.to_owned(), at.to_owned(), event))
}

fn parse_label(session: &str, state: &State, cell: &CellReader<'_>) -> Result<Label, String> {
    let need = |name: &str| cell(name).ok_or_else(|| format!("'{name}' is empty"));
    let on = match cell("turn") {
        None => AnnotationTarget::from_session(SessionId::new(session)),
        Some(_) => AnnotationTarget {
            session: SessionId::new(session),
            attempt: Some(find_attempt(state, cell)?),
        },
    };
    Ok(Label {
        on,
        set: need("set")?.to_owned(),
        codebook: parse_hash(need("codebook")?)?,
        label: need("label")?.to_owned(),
        category: cell("category").map(str::to_owned),
        strength: parse_number(cell, "strength")?,
        note: cell("note").map(str::to_owned),
        flagged: parse_bool(cell, "flagged")?,
        drawn: parse_draw(cell)?,
        blind: parse_blindness(cell)?,
        role: match cell("role") {
            None | Some("annotator") => LabelRole::Annotator,
            Some("adjudicator") => LabelRole::Adjudicator,
            Some(other) => return Err(format!("the role '{other}' is none")),
        },
        repeat: parse_number(cell, "repeat")?.unwrap_or(0),
        spent_ms: parse_number(cell, "spent_ms")?,
        source: cell("source").map(str::to_owned),
        marks_cut: false,
    })
}

fn find_attempt(state: &State, cell: &CellReader<'_>) -> Result<OnAttempt, String> {
    let address = cell("turn").unwrap_or_default();
    let turn = state.turns().iter();
    let mut turn = turn.filter(|(turn, _)| turn.to_string() == address);
    let number: u32 = parse_number(cell, "attempt")?.unwrap_or(0);
    let target = turn.next().and_then(|(turn, known)| {
        let attempt = known.attempts.get(usize::try_from(number).ok()?)?;
        let id = AttemptId {
            turn: turn.clone(),
            attempt: number,
        };
        let sha256 = attempt_hash(&id, &attempt.reply.text);
        Some(OnAttempt { id, sha256 })
    });
    let stated_hash = parse_hash(cell("sha256").unwrap_or_default())?;
    match target {
        Some(on) if on.sha256 == stated_hash => Ok(on),
        Some(_) => Err(format!(
            "the text of {address} is another one here than it was there"
        )),
        None => Err(format!(
            "its session has no turn {address} with attempt {number}"
        )),
    }
}

fn parse_hash(text: &str) -> Result<Hash, String> {
    text.parse().map_err(|_| format!("'{text}' is no hash"))
}

fn parse_number<T: std::str::FromStr>(
    cell: &CellReader<'_>,
    name: &str,
) -> Result<Option<T>, String> {
    let read = |text: &str| {
        text.parse()
            .map_err(|_| format!("'{text}' in '{name}' is no number that fits"))
    };
    cell(name).map(read).transpose()
}

fn parse_bool(cell: &CellReader<'_>, name: &str) -> Result<bool, String> {
    match cell(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(format!("'{other}' in '{name}' is neither true nor false")),
    }
}

fn parse_draw(cell: &CellReader<'_>) -> Result<Option<QueueDraw>, String> {
    let Some(queue) = cell("queue") else {
        return Ok(None);
    };
    let need = |name: &str| parse_number(cell, name)?.ok_or_else(|| format!("'{name}' is empty"));
    let (taken, of) = (need("taken")?, need("of")?);
    if taken > of || taken == 0 {
        return Err(format!("{taken} of {of} is no sample"));
    }
    Ok(Some(QueueDraw {
        queue: queue.to_owned(),
        stratum: cell("stratum").unwrap_or("all").to_owned(),
        taken,
        of,
        // Files of earlier versions have no such column: what they hold was drawn by itself.
        chances: parse_number(cell, "chances")?.unwrap_or(1),
        by_verdict: parse_bool(cell, "by_verdict")?,
        is_stated: parse_bool(cell, "stated")?,
    }))
}

fn parse_blindness(cell: &CellReader<'_>) -> Result<Blindness, String> {
    match cell("blindness") {
        Some("blind") => Ok(Blindness::Blind),
        Some("unknown") | None => Ok(Blindness::Unknown),
        Some("unblinded") => {
            let names = cell("saw").unwrap_or_default().split(AND);
            let all = [
                Unblinding::Verdict,
                Unblinding::Arm,
                Unblinding::Protocol,
                Unblinding::PromptVersion,
                Unblinding::Reasons,
            ];
            let read = names.map(|name| {
                let mut all = all.into_iter();
                let unblinding = all.find(|saw| saw_name(*saw) == name);
                unblinding.ok_or_else(|| format!("'{name}' in 'saw' is no kind of unblinding"))
            });
            let saw: Result<BTreeSet<Unblinding>, String> = read.collect();
            Ok(Blindness::Unblinded { saw: saw? })
        }
        Some(other) => Err(format!("'{other}' is no blindness")),
    }
}

/// How texts that a spreadsheet would run are written in CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvTexts {
    /// With an apostrophe before them.
    Defused,
    AsTheyAre,
}

/// Writes rows under [`LABEL_COLUMNS`] as CSV.
///
/// # Errors
/// When a row cannot be written.
pub fn labels_to_csv(rows: &[Vec<String>], texts: CsvTexts) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(LABEL_COLUMNS)?;
    for row in rows {
        let cells = row.iter().cloned();
        writer.write_record(cells.map(|cell| match texts {
            CsvTexts::Defused => defuse_cell(cell),
            CsvTexts::AsTheyAre => cell,
        }))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes rows under [`LABEL_COLUMNS`] as JSON Lines, without empty fields.
pub fn labels_to_json_lines(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let fields: Map<String, Value> = LABEL_COLUMNS
            .iter()
            .zip(row)
            .filter(|(_, text)| !text.is_empty())
            .map(|(column, text)| ((*column).to_owned(), json_value(column, text)))
            .collect();
        Value::Object(fields).to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

fn json_value(column: &str, text: &str) -> Value {
    let number = || serde_json::from_str(text).ok().filter(Value::is_number);
    let number = NUMBERS.contains(&column).then(number).flatten();
    number.unwrap_or_else(|| Value::String(text.to_owned()))
}
