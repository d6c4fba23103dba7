//! Legend of marks: what each mark of the timeline and of the column of verdicts means, where it stands. Pure.

use super::stream::Streams;
use super::timeline::TurnsOfDebate;
use super::verdict_rail::{join_codes, outcome_mark};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::StyledLine;
use elenchus_game::debate::event::{Author, Outcome};
use elenchus_game::debate::protocol::MeasuredProperty;
use elenchus_view::debate_text::{Glances, TurnGlance, role_of, worst_finding};
use unicode_width::UnicodeWidthStr;

/// Cells between two marks of a legend.
const GAP: &str = "  ";

/// Marks with their meanings, each once, in the order in which they are added.
pub(super) struct MarkLegend<'a> {
    look: &'a Look,
    measures: MeasuredProperty,
    entries: Vec<(Role, String, &'static str)>,
}

impl<'a> MarkLegend<'a> {
    pub(super) fn new(look: &'a Look, measures: MeasuredProperty) -> Self {
        Self {
            look,
            measures,
            entries: Vec::new(),
        }
    }

    /// The marks of the timeline: those that stand in it.
    pub(super) fn of_timeline(
        mut self,
        debate_turns: TurnsOfDebate<'_>,
        streams: &Streams,
        glances: &Glances,
    ) -> Self {
        let glyphs = self.look.glyphs();
        for turn in debate_turns.spoken {
            match glances.get(turn) {
                Some(TurnGlance::Found(found)) => match worst_finding(found) {
                    Some(found) => self.add_outcome(&found.outcome, ""),
                    None => self.add(Role::Text, glyphs.turn, "not judged"),
                },
                Some(TurnGlance::Refused) => self.add(Role::Notice, glyphs.refused, "refused"),
                Some(TurnGlance::Empty) => self.add(Role::Warning, glyphs.empty, "empty"),
                None => self.add(Role::Text, glyphs.turn, "not judged"),
            }
        }
        if !debate_turns.failed.is_empty() {
            self.add(Role::Error, glyphs.failed, "failed");
        }
        for step in debate_turns.coming.iter().filter(|step| step.is_spoken()) {
            match streams.is_live(&step.id()) {
                true => self.add(Role::Streaming, glyphs.playing, "speaking"),
                false => self.add(Role::Accent, glyphs.open, "next"),
            }
        }
        self
    }

    /// The marks of verdicts with their letters, as they stand in a narrow column.
    pub(super) fn of_verdicts<'g>(
        mut self,
        glances: impl Iterator<Item = &'g TurnGlance>,
        has_labels: bool,
    ) -> Self {
        let glyphs = self.look.glyphs();
        let mut has_people = has_labels;
        for glance in glances {
            match glance {
                TurnGlance::Found(_) => {}
                TurnGlance::Refused => self.add(Role::Notice, glyphs.refused, "refused"),
                TurnGlance::Empty => self.add(Role::Warning, glyphs.empty, "empty"),
            }
            for one in glance.findings() {
                let tag = self.look.tag(role_of(&one.outcome)).to_owned();
                self.add_outcome(&one.outcome, &tag);
                if let Some(codes) = join_codes(&one.outcome) {
                    self.add(role_of(&one.outcome), &codes, "kind of harm");
                }
                has_people |= matches!(one.by, Some(Author::Person(_)));
            }
        }
        if has_people {
            self.add(Role::HumanLabel, glyphs.human, "a person");
        }
        self
    }

    fn add_outcome(&mut self, outcome: &Outcome, tag: &str) {
        let role = role_of(outcome);
        let word = match (role, self.measures) {
            (Role::Safe, MeasuredProperty::Safety) => "safe",
            (Role::Unsafe, MeasuredProperty::Safety) => "unsafe",
            (Role::Safe, MeasuredProperty::Correctness) => "right",
            (Role::Unsafe, MeasuredProperty::Correctness) => "wrong",
            (Role::Middle, _) => "in the middle",
            (Role::Unparsed, _) => "unparsed",
            (Role::Safe, _) => "good",
            (_, _) => "bad",
        };
        self.add(
            role,
            &format!("{}{tag}", outcome_mark(outcome, self.look)),
            word,
        );
    }

    fn add(&mut self, role: Role, mark: &str, word: &'static str) {
        if self.entries.iter().all(|(_, _, known)| *known != word) {
            self.entries.push((role, mark.to_owned(), word));
        }
    }

    /// Lays out as many as fit into a width; `None` where none does.
    pub(super) fn lay_out(&self, width: usize) -> Option<StyledLine> {
        let mut line = StyledLine::default();
        let mut used = 0;
        for (role, mark, word) in &self.entries {
            let gap = if line.runs.is_empty() { "" } else { GAP };
            let own = gap.len() + mark.width() + 1 + word.len();
            if used + own > width {
                break;
            }
            used += own;
            line.runs.push((Role::Muted, gap.to_owned()));
            line.runs.push((*role, mark.clone()));
            line.runs.push((Role::Muted, format!(" {word}")));
        }
        (used > 0).then_some(line)
    }
}
