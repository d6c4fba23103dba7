//! Texts about a debate that is being set out: the focused field, the game, the cost, what is missing. Pure.

use super::DebateField;
use super::setup::DebateSetup;
use elenchus_game::debate::ExpectedUse;
use elenchus_text::safe_text::describe_with_causes;
use elenchus_text::{
    Content, Paragraph, Role, cost, described, format_grouped_count, format_thousands,
};

/// Space for details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailRoom {
    /// Enough for the game, whatever field is looked at.
    Wide,
    /// A few lines.
    Narrow,
}

impl DebateSetup {
    /// Says whether a debate or a run is set out.
    pub fn title(&self) -> &'static str {
        match self.draft.is_run() {
            true => "New run",
            false => "New debate",
        }
    }

    /// Returns what there is to say of a field besides what it means.
    pub fn describe_details(
        &self,
        field: &DebateField,
        content: Content,
        room: DetailRoom,
    ) -> Vec<Paragraph> {
        let mut page = Vec::new();
        if *field == DebateField::Topic && !self.draft.topic.is_empty() {
            page.push(Paragraph::gap());
            page.extend(described::text_beginning(&self.draft.topic, content));
            return page;
        }
        if let DebateField::Everybody | DebateField::Chair(_) = field {
            page.extend(self.server_warnings());
        }
        if *field == DebateField::Game || room == DetailRoom::Wide {
            if let Some(protocol) = self.protocol() {
                page.push(Paragraph::gap());
                page.extend(described::describe_protocol(protocol));
            } else if let Some(Some(Err(why))) = self.games.get(&self.draft.game) {
                page.push(Paragraph::new(Role::Error, describe_with_causes(why)));
            }
        }
        page
    }

    /// Returns why models of a server are not listed, and what to do.
    pub(super) fn server_warnings(&self) -> impl Iterator<Item = Paragraph> {
        let faults = self.library.server_faults.iter();
        faults.map(|fault| Paragraph::new(Role::Warning, fault.clone()))
    }

    /// Returns what it would cost, in two lines, and what there is to say before it begins.
    pub fn describe_cost(&self) -> Vec<Paragraph> {
        let ready_plan = match &self.ready_plan {
            _ if self.draft.game.is_empty() => return Vec::new(),
            None if self.needs_model() => {
                let text = "who plays decides what it costs";
                return vec![Paragraph::new(Role::Muted, text)];
            }
            None => return vec![Paragraph::new(Role::Muted, "the cost is being estimated")],
            // It would be the cost of what stood there before.
            Some(_) if !self.is_counted() => {
                let line = Paragraph::new(Role::Strong, "likely  ");
                return vec![line.with_run(Role::Muted, "… being counted")];
            }
            Some(Err(why)) => return vec![Paragraph::new(self.refusal_role(), why.to_string())],
            Some(Ok(ready)) => ready,
        };
        let mut page = match ready_plan.cost_estimate() {
            None => vec![Paragraph::new(
                Role::Muted,
                "the game is too large for its cost to be estimated",
            )],
            Some(estimate) => vec![
                Paragraph::new(Role::Strong, "likely  ")
                    .with_run(Role::Text, describe_use(&estimate.likely)),
                Paragraph::new(Role::Strong, "at most ")
                    .with_run(Role::Text, describe_use(&estimate.at_most)),
            ],
        };
        let notices = ready_plan.notices().iter();
        page.extend(notices.map(|notice| Paragraph::new(Role::Warning, notice.clone())));
        let missing_models = ready_plan.unlisted_models().iter();
        page.extend(missing_models.map(|one| Paragraph::new(Role::Warning, one.to_string())));
        page
    }

    /// Says how far it is set out.
    pub fn describe_status(&self) -> String {
        let faults = self.collect_faults();
        let names = |is_missing: bool| {
            let fields = faults.keys();
            let fields = fields.filter(move |field| self.is_missing(field) == is_missing);
            let names = fields.map(|field| self.field_name(field).trim().to_owned());
            names.collect::<Vec<_>>().join(", ")
        };
        match (names(false), names(true)) {
            (wrong, _) if !wrong.is_empty() => format!("wrong: {wrong}"),
            (_, missing) if !missing.is_empty() => format!("needs: {missing}"),
            _ if self.protocol().is_none() => "reading the game".to_owned(),
            _ if !self.is_counted() => "counting the cost".to_owned(),
            _ => "ready to begin".to_owned(),
        }
    }
}

fn describe_use(expected: &ExpectedUse) -> String {
    let cost = match expected.cost_usd {
        Some(usd) => cost::format_usd(usd),
        None => "unknown: no price".to_owned(),
    };
    format!(
        "{}, {} tokens in and {} out, {cost}",
        format_grouped_count(expected.calls as usize, "call"),
        format_thousands(expected.input_tokens),
        format_thousands(expected.output_tokens)
    )
}
