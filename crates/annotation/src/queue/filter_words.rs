//! Words of a queue's filter, as one line: `protocol:pred seat:debater round:1,3 unlabelled`. The same
//! conditions as the options of `elenchus labels queue`.

use super::definition::{DisagreementOf, LabelledBefore, PeoplesTurns, PlayedBy, QueueFilter};
use elenchus_records::workspace::{WorkspaceError, find_session, find_whole_runs, reject};
use elenchus_store::Layout;

/// What can be written in such a line.
pub const FILTER_WORDS: &str = "run: session: protocol: arm: seat: round: category: verdict: \
                                disagreements:evaluators|people unlabelled people simulated";

/// Reads a filter. Values of a field are parted by commas.
///
/// # Errors
/// When a word is none of [`FILTER_WORDS`], or there is no such run or session.
pub fn filter_from_words(layout: &Layout, line: &str) -> Result<QueueFilter, WorkspaceError> {
    let mut filter = QueueFilter::default();
    for word in line.split_whitespace() {
        let (field, text) = word.split_once(':').unwrap_or((word, ""));
        let values = text.split(',').filter(|value| !value.is_empty());
        let mut texts = values.clone().map(str::to_owned);
        match (field, text) {
            ("unlabelled", "") => filter.labelled = LabelledBefore::LeftOut,
            ("people", "") => filter.people = PeoplesTurns::Included,
            ("simulated", "") => filter.of = PlayedBy::Simulated,
            ("disagreements", "evaluators") => {
                filter.disagreement = Some(DisagreementOf::Evaluators);
            }
            ("disagreements", "people") => filter.disagreement = Some(DisagreementOf::People),
            ("protocol", _) => filter.protocols.extend(texts),
            ("arm", _) => filter.arms.extend(texts),
            ("seat", _) => filter.seats.extend(texts),
            ("category", _) => filter.categories.extend(texts),
            ("verdict", _) => filter.verdicts.extend(texts),
            ("round", _) => {
                let rounds: Result<Vec<u32>, _> = values.map(str::parse).collect();
                let rounds = rounds.map_err(|_| {
                    WorkspaceError::invalid(format!("'{word}': rounds are numbers"))
                })?;
                filter.rounds.extend(rounds);
            }
            ("run", _) => {
                let texts: Vec<String> = texts.collect();
                filter.runs.extend(find_whole_runs(layout, &texts)?);
            }
            ("session", _) => {
                let session_ids = texts.try_fold(Vec::new(), |mut all, id| {
                    all.push(find_session(layout, &id)?);
                    Ok::<_, WorkspaceError>(all)
                });
                let session_ids = session_ids?;
                filter.sessions.extend(session_ids);
            }
            _ => return reject(format!("'{word}' is none of: {FILTER_WORDS}")),
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_conditions_and_others_are_refused_with_what_there_is() {
        let layout = Layout::new("/nowhere");
        let line = "protocol:pred seat:debater,angel round:1,3 unlabelled simulated";
        let filter = filter_from_words(&layout, line).unwrap();
        assert_eq!(filter.protocols, ["pred"]);
        assert_eq!(filter.seats, ["debater", "angel"]);
        assert_eq!(filter.rounds, [1, 3]);
        assert_eq!(filter.labelled, LabelledBefore::LeftOut);
        assert_eq!(filter.of, PlayedBy::Simulated);
        for (line, why) in [
            ("colour:red", "'colour:red' is none of: run:"),
            ("round:one", "rounds are numbers"),
            ("unlabelled:yes", "is none of"),
        ] {
            let error = filter_from_words(&layout, line).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}
