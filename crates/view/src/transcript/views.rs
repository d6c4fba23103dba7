//! Views of a transcript: the parts that each seat was shown, with their origins.

use super::{Private, Script, Views, character_count};
use elenchus_game::debate::event::Reply;
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::state::{Attempt, VerdictState};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::view::{PartSource, View, ViewPart};
use elenchus_game::debate::{AttemptId, Guarded, Recorded, TurnId};
use elenchus_game::prompt::expand_view;
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::prompts::{PromptName, version_of};
use elenchus_text::Ink;

/// Where views begin.
const VIEW: usize = 4;

impl Script<'_> {
    pub(crate) fn write_attempt_view(&mut self, id: &AttemptId, attempt: &Attempt) {
        match attempt.view {
            Some(place) => {
                self.write_prompt_version(id);
                self.write_view(
                    &format!("shown for {id}"),
                    Some(&id.turn),
                    self.state.view_at(place),
                );
            }
            None => self.write_missing_view(&format!("shown for {id}: nothing is recorded")),
        }
    }

    /// Says which text of which template the attempt was asked for with.
    fn write_prompt_version(&mut self, id: &AttemptId) {
        let (Views::Shown, Some((template, hash))) =
            (self.options.views, version_of(self.state, id))
        else {
            return;
        };
        let name = PromptName {
            protocol: self.created.protocol.id.clone(),
            template,
        };
        let labels = self.kept.labels_of(&name, &hash).into_iter();
        let labels: String = labels.map(|label| format!(" [{label}]")).collect();
        let text = format!(
            "asked for with {name}, version {}{labels}",
            shorten_hash(&hash)
        );
        self.page.line_at(VIEW).write_dim(&text);
    }

    pub(crate) fn write_verdict_view(
        &mut self,
        judging: &Judging,
        index: u32,
        target: &Target,
        verdict: &VerdictState,
    ) {
        let what = format!("shown for {} {index} on {target}", judging.id);
        match verdict.view {
            Some(place) => self.write_view(&what, None, self.state.view_at(place)),
            None => self.write_missing_view(&format!("{what}: nothing is recorded")),
        }
        verdict
            .reply
            .iter()
            .for_each(|reply| self.write_reply(reply));
    }

    fn write_reply(&mut self, reply: &Reply) {
        if self.options.views == Views::Shown {
            self.page.line_at(VIEW).write_dim("replied:");
            self.write_prose(Ink::Plain, VIEW, &reply.text);
            if let Some(thinking) = &reply.thinking {
                self.private_text(VIEW, "its own thinking", thinking);
            }
        }
    }

    pub(crate) fn write_feedback_view(&mut self, view: Option<&Recorded<View>>) {
        if let Some(view) = view {
            self.write_view("shown for the lesson", None, view.decode());
        }
    }

    pub(crate) fn write_guard_view(&mut self, guarded: &Guarded) {
        let what = format!(
            "shown to {} for its decision",
            self.chair_name(&guarded.chair)
        );
        match &guarded.view {
            Some(view) => self.write_view(&what, None, view.decode()),
            None => self.write_missing_view(&format!("{what}: nothing is recorded")),
        }
        self.write_reply(&guarded.reply);
    }

    fn write_missing_view(&mut self, text: &str) {
        match self.options.views {
            Views::Shown => self.page.line_at(VIEW).write_dim(text),
            Views::Hidden => {}
        }
    }

    fn write_view(&mut self, what: &str, reader: Option<&TurnId>, view: View) {
        if self.options.views == Views::Hidden {
            return;
        }
        self.page
            .line_at(VIEW)
            .write_dim(&format!("{what} (request {})", view.request_sha256));
        for message in &expand_view(self.state, reader, view).messages {
            let role = message.role.as_str();
            self.page.line_at(VIEW + 2).write_bold(&format!("{role}:"));
            for part in &message.parts {
                self.write_part(part);
            }
        }
    }

    fn write_part(&mut self, part: &ViewPart) {
        let origin = self.describe_origin(&part.from);
        let Some(text) = &part.text else {
            self.page
                .line_at(VIEW + 4)
                .write_middle(&format!("[{origin}] (the session holds no text for it)"));
            return;
        };
        if is_private(&part.from) && self.options.private == Private::Hidden {
            self.page.line_at(VIEW + 4).write_dim(&format!(
                "[{origin}: {}; --private shows it]",
                character_count(text)
            ));
            return;
        }
        self.page
            .line_at(VIEW + 4)
            .write_dim(&format!("[{origin}]"));
        self.write_prose(Ink::Plain, VIEW + 4, text);
    }

    fn describe_origin(&self, from: &PartSource) -> String {
        let ordinal = |at: &usize| at + 1;
        match from {
            PartSource::Template(name) => format!("template {name}"),
            PartSource::Topic => "topic".to_owned(),
            PartSource::Context => "context of the topic".to_owned(),
            PartSource::Conversation(at) => {
                format!("conversation before, utterance {}", ordinal(at))
            }
            PartSource::Document(at) => {
                let document = self.created.topic.documents.get(*at);
                let name = document.map_or("?", |document| document.name.as_str());
                format!("document {}: {name}", ordinal(at))
            }
            PartSource::Option(at) => format!("option {} of the topic", ordinal(at)),
            PartSource::Ruling { judging, target } => format!("finding {judging} on {target}"),
            PartSource::Turn(id) => format!("turn {id} of {}", self.chair_name(&id.turn.chair)),
            PartSource::OwnPrivate(id) => format!("own private reasoning {id}"),
            PartSource::Verdict { judging, attempt } => format!("verdict {judging} on {attempt}"),
            PartSource::Memory(id) => format!("memory entry {id}"),
            PartSource::Guardrail(id) => format!("guardrail {id}"),
            PartSource::Persona => "persona".to_owned(),
            PartSource::Draw(name) => format!("drawn: {name}"),
            PartSource::Fence => "fence around text under judgement".to_owned(),
            PartSource::LabelLine => "line of a label, with its mark".to_owned(),
            PartSource::Person => "typed by a person".to_owned(),
        }
    }
}

fn is_private(from: &PartSource) -> bool {
    match from {
        PartSource::OwnPrivate(_) => true,
        PartSource::Template(_)
        | PartSource::Topic
        | PartSource::Context
        | PartSource::Conversation(_)
        | PartSource::Document(_)
        | PartSource::Option(_)
        | PartSource::Ruling { .. }
        | PartSource::Turn(_)
        | PartSource::Verdict { .. }
        | PartSource::Memory(_)
        | PartSource::Guardrail(_)
        | PartSource::Persona
        | PartSource::Draw(_)
        | PartSource::Fence
        | PartSource::LabelLine
        | PartSource::Person => false,
    }
}
