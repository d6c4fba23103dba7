//! What a section says beside its figures: how draws were divided, what is known of the judge, and how what is left out
//! can be had.

use std::collections::BTreeSet;

use super::fresh_draws::DrawnBy;
use super::measured::Measured;
use super::rollouts::MIN_DRAWS;
use super::speech::ComparedBy;
use crate::report::figure::Measure;
use crate::report::left_out::LeftOutReason;

/// What a section says where nothing but the selected decisions is there (FIGURES 22).
const LEFT_OUT: &str = "figures of the decision that pays the selected reward are left out: those debates are chosen in \
    which it was favourable, by luck too; --judged-by RUN measures them on repetitions, as of 'run --proposer said:RUN \
    --seed N'";

impl Measured<'_> {
    /// Returns how the draws were divided, what is known of the judge, and how what is left out can be had.
    pub(super) fn collect_selection_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let too_few = &LeftOutReason::TooFewRollouts;
        if self.rollouts.answers_others && self.rollouts.left_out.contains_key(too_few) {
            notes.push(format!(
                "the {0} answers others, so its rollouts are those on one text of theirs: repeat one rollout of them \
                 in many, as 'run --rollouts N --proposer said:RUN/0' does",
                self.seat
            ));
        }
        let Some(fresh) = self.fresh else {
            let left_out = self
                .why_not(Measure::MeanReward)
                .map(|_| LEFT_OUT.to_owned());
            notes.extend(left_out);
            return notes;
        };
        let counts = self
            .rollouts
            .answers()
            .map(|answer| answer.all_draws().count());
        let counts: BTreeSet<usize> = counts.collect();
        if let (Some(fewest), Some(most)) = (counts.first(), counts.last()) {
            let how = match fresh.drawn_by {
                DrawnBy::SamePlayers => {
                    "half of them choose, the others measure, and the other way round"
                }
                DrawnBy::OtherPlayers => {
                    "those that were played first choose; the repetitions, which were played or judged by others, \
                     measure"
                }
            };
            let draw_counts = match fewest == most {
                true => fewest.to_string(),
                false => format!("{fewest} to {most}"),
            };
            notes.push(format!(
                "{draw_counts} draws of each {}: {how}",
                self.answer_noun()
            ));
        }
        notes.extend(self.rollouts.fewest_draws.map(|fewest| {
            format!(
                "topics are left out in which one {} has fewer than {MIN_DRAWS} draws ({fewest}): repeat them \
                 with {} more seeds",
                self.answer_noun(),
                MIN_DRAWS - fewest.min(MIN_DRAWS)
            )
        }));
        notes.extend(self.certain.as_ref().map(|certain| {
            format!(
                "the judge never differs: {} transcripts were judged more than once, each time alike, so that a \
                 fresh decision is the one that was selected",
                certain.transcripts
            )
        }));
        notes
    }

    fn answer_noun(&self) -> &'static str {
        match self.fresh.map(|fresh| fresh.question.compared_by()) {
            Some(ComparedBy::Transcript) => "transcript",
            Some(ComparedBy::Speech) | None => "answer",
        }
    }
}
