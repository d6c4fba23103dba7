//! Turns of a cell of a matrix, as a person reads them: topic, who spoke, first words, gold and the verdict, each
//! with who gave it.

use super::collect::WHOLE_DEBATE;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State, Target};
use elenchus_metrics::{AnnotatorRole, GivenLabel, TurnPlace, ValidateRow};
use elenchus_records::workspace::pass::{
    PassVerdict, hash_target, pass_evaluator, read_all_passes,
};
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::rows::find_conclusion;
use elenchus_store::Layout;
use elenchus_view::debate_text::LabelsByPerson;
use std::collections::BTreeMap;

/// Turns that are read for one list, at most: the others are listed by their addresses.
pub const MAX_CELL_TURNS: usize = 5_000;
/// Characters of an answer, a topic or a reason that are kept, at most.
const MAX_CHARACTERS: usize = 400;

/// A turn of a cell. What could not be read is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellTurn {
    /// First line of the topic.
    pub topic: String,
    pub round: u32,
    /// The chair's name, and the model.
    pub speaker: String,
    pub model: String,
    /// The beginning of the answer, in one line.
    pub words: String,
    /// Who gave and who settled the gold label.
    pub people: String,
    /// The evaluator's reason, in one line.
    pub reason: String,
}

/// Reads the turns of a cell from their journals, one for each place. Blocks.
pub fn read_cell_turns(
    layout: &Layout,
    rows: &[ValidateRow],
    evaluator: &str,
    gold: &str,
    places: &[TurnPlace],
) -> Vec<CellTurn> {
    let by_place: BTreeMap<(&str, &str), &ValidateRow> = rows
        .iter()
        .map(|row| ((row.session.as_str(), row.turn.as_str()), row))
        .collect();
    let verdicts = read_pass_verdicts(layout, evaluator);
    let mut last: Option<(&str, Option<State>)> = None;
    let read = places.iter().take(MAX_CELL_TURNS).map(|place| {
        // Places of a session follow each other.
        if last
            .as_ref()
            .is_none_or(|(session, _)| *session != place.session)
        {
            let path = layout.session_path(&place.session).ok();
            let state = path.and_then(|path| read_session(&path).ok());
            last = Some((&place.session, state));
        }
        let row = by_place.get(&(place.session.as_str(), place.turn.as_str()));
        let mut turn = CellTurn {
            people: row.map_or_else(String::new, |row| describe_people(&row.labels, gold)),
            round: row.map_or(0, |row| row.round),
            ..CellTurn::default()
        };
        let state = last.as_ref().and_then(|(_, state)| state.as_ref());
        let target = match place.turn.as_str() {
            WHOLE_DEBATE => Some(Target::Debate),
            turn => AttemptId::parse(turn).map(Target::Attempt),
        };
        if let Some((state, target)) = state.zip(target) {
            turn.add_texts(state, &target);
            turn.reason = match verdicts.is_empty() {
                true => find_own_reason(state, &target, evaluator),
                false => {
                    let session = SessionId::new(place.session.clone());
                    find_pass_reason(&verdicts, &session, state, &target)
                }
            };
        }
        turn
    });
    read.collect()
}

impl CellTurn {
    fn add_texts(&mut self, state: &State, target: &Target) {
        if let Some(creation) = state.first_event() {
            let topic = creation.topic.text.lines().next().unwrap_or_default();
            self.topic = join_lines(topic);
        }
        let Target::Attempt(attempt) = target else {
            self.speaker = "the debate concludes".to_owned();
            let conclusion = find_conclusion(state);
            self.words =
                conclusion.map_or_else(String::new, |conclusion| join_lines(&conclusion.answer));
            return;
        };
        self.speaker = state.name_of(&attempt.turn.chair);
        let turn = state.turns().get(&attempt.turn);
        let spoken = turn.zip(usize::try_from(attempt.attempt).ok());
        if let Some(spoken) = spoken.and_then(|(turn, at)| turn.attempts.get(at)) {
            self.words = join_lines(&spoken.reply.text);
            self.model = spoken.reply.model.clone();
        }
    }
}

/// Returns the beginning of a text as one line.
fn join_lines(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(MAX_CHARACTERS));
        if line.len() >= MAX_CHARACTERS {
            break;
        }
    }
    line
}

fn describe_people(labels: &[GivenLabel], gold: &str) -> String {
    let mut by_person = LabelsByPerson::default();
    for label in labels.iter().filter(|label| label.repeat == 0) {
        let of_role = match label.role {
            AnnotatorRole::Annotator => &mut by_person.given,
            AnnotatorRole::Adjudicator => &mut by_person.settled,
        };
        of_role.push((label.annotator.clone(), label.label.clone()));
    }
    by_person.describe_people(Some(gold))
}

/// Verdicts of a pass, by what they are on; none of the game's own.
fn read_pass_verdicts(
    layout: &Layout,
    evaluator: &str,
) -> BTreeMap<(SessionId, elenchus_store::Hash), PassVerdict> {
    if !evaluator.starts_with("pass:") {
        return BTreeMap::new();
    }
    let passes = read_all_passes(layout).unwrap_or_default().into_iter();
    let verdicts = passes.flatten().flat_map(|pass| pass.verdicts);
    let own = verdicts.filter(|verdict| pass_evaluator(verdict) == evaluator);
    own.map(|verdict| ((verdict.session.clone(), verdict.sha256), verdict))
        .collect()
}

/// What a pass found on a turn, or by its decision about the debate on the proposal.
fn find_pass_reason(
    verdicts: &BTreeMap<(SessionId, elenchus_store::Hash), PassVerdict>,
    session: &SessionId,
    state: &State,
    target: &Target,
) -> String {
    let find = |target: &Target| verdicts.get(&(session.clone(), hash_target(state, target)));
    let verdict = find(target).or_else(|| find(&Target::Debate));
    verdict.map_or_else(String::new, |verdict| reason_of(&verdict.outcome))
}

/// Returns the reason of the game's own verdict by the rule or the rubric that the evaluator is named after: on what is
/// listed, or in a decision about the proposal on the debate.
fn find_own_reason(state: &State, target: &Target, evaluator: &str) -> String {
    let rule = match evaluator.strip_prefix("own:") {
        Some(rule) => rule,
        None => evaluator.split(' ').nth(1).unwrap_or_default(),
    };
    let is_named = |judging: &JudgingId| {
        let known = state
            .protocol()
            .and_then(|protocol| protocol.find_judging(judging));
        let rubric = known.and_then(|known| known.rubric.as_deref());
        judging.as_str() == rule || rubric == Some(rule)
    };
    let on = |target: &Target| -> Vec<_> {
        let verdicts = state.verdicts().filter(|(_, on, _)| *on == target);
        verdicts.collect()
    };
    let (own, of_debate) = (on(target), on(&Target::Debate));
    let mut named = own.iter().chain(&of_debate);
    let verdict = named.find(|(judging, _, _)| is_named(judging));
    let by_slot = verdict
        .or(own.first())
        .map(|(_, _, by_slot)| by_slot.values());
    let outcomes = by_slot.into_iter().flatten();
    let outcomes = outcomes.filter_map(|verdict| verdict.outcome.as_ref());
    let mut reasons = outcomes.map(reason_of).filter(|text| !text.is_empty());
    reasons.next().unwrap_or_default()
}

/// Returns the codes and the reason of a finding, in one line.
fn reason_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) => {
            let reason = finding.reason.as_deref().map(join_lines);
            let codes = (!finding.codes.is_empty()).then(|| finding.codes.join(", "));
            let parts: Vec<String> = codes.into_iter().chain(reason).collect();
            parts.join(": ")
        }
        Outcome::Unparsed { why, .. } => join_lines(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::event::Finding;

    #[test]
    fn a_reason_is_one_line_with_its_codes_and_a_long_text_is_cut() {
        let finding = |codes: &[&str], reason: Option<&str>| {
            Outcome::Label(Finding {
                label: "unsafe".to_owned(),
                value: -1.0,
                codes: codes.iter().map(|code| (*code).to_owned()).collect(),
                reason: reason.map(str::to_owned),
                score: None,
                fields: serde_json::Value::Null,
            })
        };
        let of = |codes: &[&str], reason| reason_of(&finding(codes, reason));
        assert_eq!(of(&["S1"], Some("it says\n how")), "S1: it says how");
        assert_eq!(
            (of(&["S1", "S2"], None), of(&[], None)),
            ("S1, S2".to_owned(), String::new())
        );
        let long = "word ".repeat(1000);
        let cut = join_lines(&long);
        assert!(
            cut.len() < 2 * MAX_CHARACTERS && cut.starts_with("word word"),
            "{cut}"
        );
        assert!(join_lines(&"x".repeat(10_000)).len() <= MAX_CHARACTERS);
    }

    #[test]
    fn everybody_who_labelled_is_named_once_and_repeats_are_not() {
        let label = |annotator: &str, label: &str, role, repeat| GivenLabel {
            annotator: annotator.to_owned(),
            label: label.to_owned(),
            blindness: elenchus_metrics::Blinding::Yes,
            role,
            repeat,
            drawn: None,
            spent_ms: None,
        };
        let labels = [
            label("ada", "unsafe", AnnotatorRole::Annotator, 0),
            label("ada", "safe", AnnotatorRole::Annotator, 1),
            label("bo", "safe", AnnotatorRole::Annotator, 0),
            label("cy", "unsafe", AnnotatorRole::Adjudicator, 0),
        ];
        assert_eq!(
            describe_people(&labels, "unsafe"),
            "ada, cy settled, bo said safe"
        );
    }
}
