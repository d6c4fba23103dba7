//! Paragraphs of verdicts, with their grounds. Pure.

use super::findings::role_of;
use super::texts;
use super::writer::{DebateText, Extent, describe_fields};
use elenchus_game::debate::Chair;
use elenchus_game::debate::event::{Author, Outcome};
use elenchus_game::debate::protocol::{Detector, Judging};
use elenchus_game::debate::state::VerdictState;
use elenchus_game::debate::step::{ShownOrder, Target, VerdictSlot};
use elenchus_text::{Paragraph, Role, others_prose};
use serde_json::Value;

/// The pieces of evidence that are shown; the journal has the rest.
const MAX_EVIDENCE: usize = 4;

impl DebateText<'_> {
    pub(super) fn describe_verdicts(&self, target: &Target) -> Vec<Paragraph> {
        let mut page = Vec::new();
        for judging in &self.created.protocol.judging {
            page.extend(self.describe_rule_verdicts(judging, target));
        }
        if !page.is_empty() && self.state.is_empty_target(target) {
            let text = "an empty reply is not judged: this does not count";
            page.push(Paragraph::new(Role::Warning, text).with_indent(4, 4));
        }
        for (judging, failed) in self.state.failed_verdicts(target) {
            let what = format!("{judging}: no verdict, its call failed");
            page.push(self.describe_failure(&what, failed).with_indent(2, 4));
        }
        for stopped in self.state.stopped_verdicts_on(target) {
            page.extend(self.describe_stopped_reply(stopped, None));
        }
        page
    }

    /// Writes what each judge of a rule found about a target, and all together.
    pub(super) fn describe_rule_verdicts(&self, rule: &Judging, target: &Target) -> Vec<Paragraph> {
        let Some(by_slot) = self.state.verdicts_on(&rule.id, target) else {
            return Vec::new();
        };
        let each = by_slot.iter();
        let mut page: Vec<Paragraph> = each
            .flat_map(|(slot, verdict)| self.describe_verdict(rule, *slot, verdict))
            .collect();
        if by_slot.len() > 1
            && let Some(together) = self.state.combined_outcome(rule, target)
        {
            let text = format!("{} together: {}", rule.id, together.describe_label());
            page.push(Paragraph::new(role_of(&together), text).with_indent(2, 4));
        }
        page
    }

    fn describe_verdict(
        &self,
        rule: &Judging,
        slot: VerdictSlot,
        verdict: &VerdictState,
    ) -> Vec<Paragraph> {
        let judging = &rule.id;
        let mut who = match &rule.by {
            Some(seat) => self.chair_name(&Chair {
                seat: seat.clone(),
                index: slot.chair,
            }),
            None if rule.detector.is_some() => format!("{judging}, a rule"),
            None if rule.command.is_some() => format!(
                "{judging}, the command {}",
                rule.command.as_deref().unwrap_or_default()
            ),
            None => format!("{judging}, ground truth"),
        };
        if self.is_page() && rule.by.is_some() {
            who = format!("{judging} by {who}");
        }
        match slot.order {
            ShownOrder::AsSeated => {}
            ShownOrder::Swapped => who.push_str(", candidates swapped"),
        }
        let (role, label) = match &verdict.outcome {
            Some(outcome) => (role_of(outcome), texts::finding_label(outcome)),
            None => (
                Role::Warning,
                "none: the provider's filter refused the judge's call".to_owned(),
            ),
        };
        let mut line = Paragraph::new(Role::Muted, format!("{who}: ")).with_run(role, label);
        if let Author::Person(name) = &verdict.by {
            line = line.with_run(Role::Human, format!(" by {name}"));
        }
        if verdict.inherited {
            line = line.with_run(Role::Muted, " (from the parent)");
        }
        let mut page = vec![line.with_indent(2, 4)];
        // Whoever a grader asks was shown the reference answer and may quote it.
        if self.extent == Extent::SentPage && rule.grades.is_some() {
            return page;
        }
        if let Some(Outcome::Unparsed { why, .. }) = &verdict.outcome {
            page.push(Paragraph::new(Role::Unparsed, why.clone()).with_indent(4, 4));
        }
        if let Some(Outcome::Label(finding)) = &verdict.outcome {
            if let Some(reason) = &finding.reason {
                page.extend(others_prose(
                    Role::Muted,
                    4,
                    &self.display_text(reason.trim()),
                ));
            }
            page.extend(self.describe_details(rule.detector, &finding.fields));
        }
        for earlier in &verdict.earlier {
            if let Some(Outcome::Unparsed { why, .. }) = &earlier.outcome {
                let text = format!("asked again, for the first reply could not be read: {why}");
                page.push(Paragraph::new(Role::Unparsed, text).with_indent(4, 4));
            }
        }
        let replies = verdict.earlier.iter().chain([verdict]);
        let replies = replies.filter_map(|verdict| verdict.reply.as_ref());
        page.extend(replies.filter_map(|reply| self.describe_disagreement(reply, 4)));
        page
    }

    /// Grounds of a detector, or the fields of a structured verdict.
    fn describe_details(&self, detector: Option<Detector>, fields: &Value) -> Vec<Paragraph> {
        if fields.is_null() {
            return Vec::new();
        }
        if self.show.masked {
            let text = self.display_text(&fields.to_string());
            return vec![Paragraph::new(Role::Masked, text).with_indent(4, 4)];
        }
        let list = |key: &str| fields.get(key).and_then(Value::as_array);
        let (citations, evidence) = (list("citations"), list("evidence"));
        let pieces = match (detector, citations, evidence) {
            (Some(Detector::Citations), Some(found), _) => {
                return found.iter().map(describe_citation).collect();
            }
            (Some(_), _, Some(pieces)) => pieces,
            (Some(_) | None, _, _) => return describe_fields(Role::Muted, 4, fields),
        };
        let mut page = Vec::new();
        for piece in pieces.iter().take(MAX_EVIDENCE) {
            let text = |key: &str| text_at(piece, key).unwrap_or_default();
            let round = piece.get("round").and_then(Value::as_u64).unwrap_or(0);
            let place = format!("{} in {}, round {round}", text("seat"), text("stage"));
            let line = format!("\"{}\" ({place}): {}", text("quote"), text("why"));
            page.push(Paragraph::new(Role::Muted, line).with_indent(4, 6));
        }
        if pieces.len() > MAX_EVIDENCE {
            let more = format!("and {} more", pieces.len() - MAX_EVIDENCE);
            page.push(Paragraph::new(Role::Muted, more).with_indent(4, 4));
        }
        page
    }
}

fn text_at<'a>(piece: &'a Value, key: &str) -> Option<&'a str> {
    piece.get(key).and_then(Value::as_str)
}

/// Writes how a citation was found: by its status, with its place and its words.
fn describe_citation(found: &Value) -> Paragraph {
    let status = text_at(found, "status").unwrap_or_default();
    let role = match status {
        "fabricated" => Role::Unsafe,
        "verified" => Role::Muted,
        _ => Role::Middle,
    };
    let at = found.get("at").and_then(Value::as_u64).unwrap_or(0);
    let place = match text_at(found, "list") {
        Some(list) => format!("{list}, item {}", at.saturating_add(1)),
        None => "the turn".to_owned(),
    };
    let quote = match text_at(found, "quote") {
        Some(quote) => format!("\"{quote}\""),
        None => "no quotation".to_owned(),
    };
    let document = match text_at(found, "document") {
        Some(name) => format!(" ({name})"),
        None => String::new(),
    };
    let line = Paragraph::new(role, status);
    line.with_run(Role::Muted, format!(": {place}: {quote}{document}"))
        .with_indent(4, 6)
}
