//! Fresh draws of a decision: debates in which what was selected is repeated, and others answer and decide anew.
//!
//! A decision that pays a reward is no figure of what the reward selected: it was chosen for being favourable. A
//! repetition with another seed knows nothing of that choice.

use std::collections::{BTreeMap, BTreeSet};

use super::SelectionError;
use super::speech::{Answer, ComparedBy};
use crate::rows::DebateRow;

/// What a repetition answers about the selection by a seat's reward.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    /// Everything that was said is repeated: the judge alone was lucky or was not.
    FreshJudge,
    /// The seat that speaks first is repeated; these seats answer anew.
    FreshAnswers(BTreeSet<String>),
    /// The seat answers others, whose turns are the same in what it is chosen among.
    OnFrozenTurns { seat: String, before: String },
}

impl Question {
    /// Returns the words of a heading.
    pub(super) fn label(&self) -> String {
        match self {
            Self::FreshJudge => "a fresh judge on the same transcripts".to_owned(),
            Self::FreshAnswers(seats) => {
                let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
                format!(
                    "a fresh {} and judge on the same proposals",
                    seats.join(", ")
                )
            }
            Self::OnFrozenTurns { seat, before } => {
                format!("the {seat} selected, on frozen turns of {before}")
            }
        }
    }

    /// Returns what rollouts are compared by.
    pub(super) fn compared_by(&self) -> ComparedBy {
        match self {
            Self::FreshJudge => ComparedBy::Transcript,
            Self::FreshAnswers(_) | Self::OnFrozenTurns { .. } => ComparedBy::Speech,
        }
    }
}

/// How the draws of the debates that are measured and of their repetitions go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawnBy {
    /// The same seats and judges: all are draws of one chance, and are divided into halves.
    SamePlayers,
    /// Others: the first choose, the repetitions measure.
    OtherPlayers,
}

/// Repetitions, by what they repeat.
pub(super) struct FreshDraws<'a> {
    pub question: Question,
    pub drawn_by: DrawnBy,
    by_answer: BTreeMap<Repeated<'a>, Vec<&'a DebateRow>>,
}

/// Run, topic and answer that are repeated.
type Repeated<'a> = (&'a str, &'a str, Answer<'a>);

impl<'a> FreshDraws<'a> {
    /// Reads which question repetitions answer about a seat, and by what they can be found.
    ///
    /// # Errors
    /// When they repeat other runs or other seats, were drawn with the same seed, or are not of one kind.
    pub(super) fn new(
        debates: &[&'a DebateRow],
        repetitions: &'a [DebateRow],
        seat: &str,
    ) -> Result<Self, SelectionError> {
        let seats = seats_of_all(repetitions)?;
        if !seats.contains(seat) {
            return Err(SelectionError::SeatNotRepeated(seat.to_owned()));
        }
        refuse_other_runs(debates, repetitions)?;
        refuse_equal_seeds(debates, repetitions)?;
        let question = determine_question(repetitions, seat, &seats)?;
        let drawn_by = determine_drawn_by(debates, repetitions, &seats)?;
        let mut by_answer: BTreeMap<_, Vec<&DebateRow>> = BTreeMap::new();
        for row in repetitions {
            if let Some(run) = repeated_run(row) {
                let answer = Answer::from_debate(row, seat, question.compared_by());
                let key = (run, row.topic.key.as_str(), answer);
                by_answer.entry(key).or_default().push(row);
            }
        }
        for rows in by_answer.values_mut() {
            rows.sort_by_key(|row| (&row.origin.run, row.rollout, &row.session));
        }
        Ok(Self {
            question,
            drawn_by,
            by_answer,
        })
    }

    /// Returns the repetitions of an answer that was given in these runs about one topic.
    pub(super) fn repetitions_of(
        &self,
        runs: &BTreeSet<&'a str>,
        topic: &'a str,
        answer: &Answer<'a>,
    ) -> Vec<&'a DebateRow> {
        let repetitions = runs
            .iter()
            .filter_map(|run| self.by_answer.get(&(*run, topic, answer.clone())));
        repetitions.flatten().copied().collect()
    }
}

/// Returns the seats whose turns every one of these debates repeats.
pub fn repeated_seats(debates: &[DebateRow]) -> BTreeSet<String> {
    let mut all = debates.iter().map(repeated_seats_of);
    let first = all.next().unwrap_or_default();
    all.fold(first, |common, seats| &common & &seats)
}

fn repeated_seats_of(debate: &DebateRow) -> BTreeSet<String> {
    let repeated_turns = debate
        .turns
        .iter()
        .filter(|turn| turn.repeats_run.is_some());
    repeated_turns.map(|turn| turn.seat.clone()).collect()
}

fn repeated_run(debate: &DebateRow) -> Option<&str> {
    debate
        .turns
        .iter()
        .find_map(|turn| turn.repeats_run.as_deref())
}

fn name_of(debate: &DebateRow) -> String {
    debate
        .origin
        .run
        .clone()
        .unwrap_or_else(|| debate.session.clone())
}

/// Returns the seats that are repeated, which are the same in all.
fn seats_of_all(repetitions: &[DebateRow]) -> Result<BTreeSet<String>, SelectionError> {
    let Some(first) = repetitions.first() else {
        return Err(SelectionError::NoRepetitions);
    };
    let seats = repeated_seats_of(first);
    for row in repetitions {
        let own = repeated_seats_of(row);
        if own.is_empty() {
            return Err(SelectionError::RepeatsNothing(name_of(row)));
        }
        if own != seats {
            return Err(SelectionError::OtherSeats(name_of(first), name_of(row)));
        }
    }
    Ok(seats)
}

fn refuse_other_runs(
    debates: &[&DebateRow],
    repetitions: &[DebateRow],
) -> Result<(), SelectionError> {
    let measured_runs: BTreeSet<&str> = debates
        .iter()
        .filter_map(|debate| debate.origin.run.as_deref())
        .collect();
    for row in repetitions {
        let runs = row
            .turns
            .iter()
            .filter_map(|turn| turn.repeats_run.as_deref());
        if let Some(other) = runs.into_iter().find(|run| !measured_runs.contains(run)) {
            return Err(SelectionError::RepeatsOther {
                run: name_of(row),
                other: other.to_owned(),
            });
        }
    }
    Ok(())
}

/// Draws of one seed are one draw.
fn refuse_equal_seeds(
    debates: &[&DebateRow],
    repetitions: &[DebateRow],
) -> Result<(), SelectionError> {
    let repeated_runs: BTreeSet<&str> = repetitions.iter().filter_map(repeated_run).collect();
    let first = debates.iter().copied().filter(|debate| {
        let run = debate.origin.run.as_deref();
        run.is_some_and(|run| repeated_runs.contains(run))
    });
    let mut seeds: BTreeMap<u64, String> = BTreeMap::new();
    for row in first.chain(repetitions) {
        let Some(seed) = row.origin.seed else {
            continue;
        };
        let run = name_of(row);
        let first_run = seeds.entry(seed).or_insert_with(|| run.clone());
        // Runs that are measured may share a seed: none of them repeats another.
        let is_repetition = row.turns.iter().any(|turn| turn.repeats_run.is_some());
        if *first_run != run && is_repetition {
            return Err(SelectionError::EqualSeeds {
                run,
                other: first_run.clone(),
                seed,
            });
        }
    }
    Ok(())
}

fn determine_question(
    repetitions: &[DebateRow],
    seat: &str,
    repeated: &BTreeSet<String>,
) -> Result<Question, SelectionError> {
    let speaking_seats: BTreeSet<&str> = repetitions
        .iter()
        .flat_map(|row| &row.turns)
        .map(|turn| turn.seat.as_str())
        .collect();
    let anew: BTreeSet<String> = speaking_seats
        .iter()
        .filter(|seat| !repeated.contains(**seat))
        .map(|seat| (*seat).to_owned())
        .collect();
    let before: BTreeSet<&str> = repetitions
        .iter()
        .flat_map(|row| seats_before(row, seat))
        .collect();
    if let Some(other) = before.iter().find(|other| !repeated.contains(**other)) {
        return Err(SelectionError::BeforeNotRepeated {
            seat: seat.to_owned(),
            before: (*other).to_owned(),
        });
    }
    Ok(match (before.is_empty(), anew.is_empty()) {
        (true, true) => Question::FreshJudge,
        (true, false) => Question::FreshAnswers(anew),
        (false, _) => Question::OnFrozenTurns {
            seat: seat.to_owned(),
            before: before.into_iter().collect::<Vec<_>>().join(", "),
        },
    })
}

fn seats_before<'a>(row: &'a DebateRow, seat: &str) -> Vec<&'a str> {
    let Some(first) = row.turns.iter().find(|turn| turn.seat == seat) else {
        return Vec::new();
    };
    row.turns
        .iter()
        .take_while(|turn| (turn.round, &turn.stage) != (first.round, &first.stage))
        .map(|turn| turn.seat.as_str())
        .filter(|other| *other != seat)
        .collect()
}

/// Who plays and decides anew: prompts, rules and settings, and who sits on the chairs that repeat nothing.
type Players<'a> = (
    Option<&'a String>,
    Option<&'a String>,
    Option<&'a String>,
    Vec<(&'a String, &'a String)>,
);

fn players_of<'a>(row: &'a DebateRow, repeated: &BTreeSet<String>) -> Players<'a> {
    let conditions = &row.origin.conditions;
    let anew = row.players.iter().filter(|(chair, _)| {
        let seat = chair
            .rsplit_once('-')
            .map_or(chair.as_str(), |(seat, _)| seat);
        !repeated.contains(seat)
    });
    (
        conditions.get("prompts"),
        conditions.get("rules"),
        row.origin.settings.as_ref(),
        anew.collect(),
    )
}

fn determine_drawn_by(
    debates: &[&DebateRow],
    repetitions: &[DebateRow],
    repeated: &BTreeSet<String>,
) -> Result<DrawnBy, SelectionError> {
    let mut of_runs: BTreeMap<&str, BTreeSet<Players<'_>>> = BTreeMap::new();
    for debate in debates {
        if let Some(run) = debate.origin.run.as_deref() {
            let run_players = of_runs.entry(run).or_default();
            run_players.insert(players_of(debate, repeated));
        }
    }
    let mut by_run: BTreeMap<&str, BTreeSet<Players<'_>>> = BTreeMap::new();
    for row in repetitions {
        if let Some(run) = repeated_run(row) {
            let run_players = by_run.entry(run).or_default();
            run_players.insert(players_of(row, repeated));
        }
    }
    let same = |run: &str, players: &BTreeSet<Players<'_>>| of_runs.get(run) == Some(players);
    if by_run.iter().all(|(run, players)| same(run, players)) {
        return Ok(DrawnBy::SamePlayers);
    }
    // Half of the repetitions by the same players and half by others would be neither.
    match by_run.values().all(|players| players.len() == 1) {
        true => Ok(DrawnBy::OtherPlayers),
        false => Err(SelectionError::SeveralPlayers),
    }
}
