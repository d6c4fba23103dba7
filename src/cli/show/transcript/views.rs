//! What each seat was shown, part by part, with where each part came from.

use super::{Private, Script, Views, characters};
use crate::cli::page::Ink;
use crate::debate::protocol::Judging;
use crate::debate::state::{Attempt, VerdictState};
use crate::debate::step::Target;
use crate::debate::view::{MessageRole, Part, Source, View};
use crate::debate::{AttemptId, Guarded, TurnId};
use crate::driver::prompt_desk::{PromptName, version_of};
use crate::driver::short;
use crate::prompt::expand;

/// Where views begin.
const VIEW: usize = 4;

impl Script<'_> {
    pub(super) fn attempt_view(&mut self, id: &AttemptId, attempt: &Attempt) {
        match &attempt.view {
            Some(view) => {
                self.prompt(id);
                self.view(&format!("shown for {id}"), Some(&id.turn), view);
            }
            None => self.no_view(&format!("shown for {id}: nothing is recorded")),
        }
    }

    /// Says which text of which template the attempt was asked for with.
    fn prompt(&mut self, id: &AttemptId) {
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
        let text = format!("asked for with {name}, version {}{labels}", short(&hash));
        self.page.inked(Ink::Dim, VIEW, &text);
    }

    pub(super) fn verdict_view(
        &mut self,
        judging: &Judging,
        index: u32,
        target: &Target,
        verdict: &VerdictState,
    ) {
        let what = format!("shown for {} {index} on {target}", judging.id);
        match &verdict.view {
            Some(view) => self.view(&what, None, view),
            None => self.no_view(&format!("{what}: nothing is recorded")),
        }
        if let (Views::Shown, Some(reply)) = (self.options.views, &verdict.reply) {
            self.page.inked(Ink::Dim, VIEW, "replied:");
            self.page.prose(Ink::Plain, VIEW + 2, &reply.text);
            if let Some(thinking) = &reply.thinking {
                self.private_text(VIEW, "its own thinking", thinking);
            }
        }
    }

    pub(super) fn feedback_view(&mut self, view: Option<&View>) {
        if let Some(view) = view {
            self.view("shown for the lesson", None, view);
        }
    }

    pub(super) fn guard_view(&mut self, guarded: &Guarded) {
        let what = format!("shown to {} for its decision", self.name(&guarded.chair));
        match &guarded.view {
            Some(view) => self.view(&what, None, view),
            None => self.no_view(&format!("{what}: nothing is recorded")),
        }
        if self.options.views == Views::Shown {
            self.page.inked(Ink::Dim, VIEW, "replied:");
            self.page.prose(Ink::Plain, VIEW + 2, &guarded.reply.text);
            if let Some(thinking) = &guarded.reply.thinking {
                self.private_text(VIEW, "its own thinking", thinking);
            }
        }
    }

    fn no_view(&mut self, text: &str) {
        match self.options.views {
            Views::Shown => self.page.inked(Ink::Dim, VIEW, text),
            Views::Hidden => {}
        }
    }

    fn view(&mut self, what: &str, reader: Option<&TurnId>, view: &View) {
        if self.options.views == Views::Hidden {
            return;
        }
        self.page.inked(
            Ink::Dim,
            VIEW,
            &format!("{what} (request {})", view.request_sha256),
        );
        for message in &expand(self.state, reader, view.clone()).messages {
            let role = match message.role {
                MessageRole::System => "system",
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
            };
            self.page.inked(Ink::Bold, VIEW + 2, &format!("{role}:"));
            for part in &message.parts {
                self.part(part);
            }
        }
    }

    fn part(&mut self, part: &Part) {
        let origin = self.origin(&part.from);
        let Some(text) = &part.text else {
            let gone = format!("[{origin}] (the session holds no text for it)");
            self.page.inked(Ink::Middle, VIEW + 4, &gone);
            return;
        };
        if is_private(&part.from) && self.options.private == Private::Hidden {
            let hidden = format!("[{origin}: {}; --private shows it]", characters(text));
            self.page.inked(Ink::Dim, VIEW + 4, &hidden);
            return;
        }
        self.page.inked(Ink::Dim, VIEW + 4, &format!("[{origin}]"));
        self.page.prose(Ink::Plain, VIEW + 4, text);
    }

    fn origin(&self, from: &Source) -> String {
        let counted = |at: &usize| at + 1;
        match from {
            Source::Template(name) => format!("template {name}"),
            Source::Topic => "topic".to_owned(),
            Source::Context => "context of the topic".to_owned(),
            Source::Conversation(at) => format!("conversation before, utterance {}", counted(at)),
            Source::Document(at) => {
                let document = self.created.topic.documents.get(*at);
                let name = document.map_or("?", |document| document.name.as_str());
                format!("document {}: {name}", counted(at))
            }
            Source::Option(at) => format!("option {} of the topic", counted(at)),
            Source::Ruling { judging, target } => format!("finding {judging} on {target}"),
            Source::Turn(id) => format!("turn {id} of {}", self.name(&id.turn.chair)),
            Source::OwnPrivate(id) => format!("own private reasoning {id}"),
            Source::Verdict { judging, attempt } => format!("verdict {judging} on {attempt}"),
            Source::Memory(id) => format!("memory entry {id}"),
            Source::Guardrail(id) => format!("guardrail {id}"),
            Source::Persona => "persona".to_owned(),
            Source::Draw(name) => format!("drawn: {name}"),
            Source::Fence => "fence around text under judgement".to_owned(),
            Source::Person => "typed by a person".to_owned(),
        }
    }
}

fn is_private(from: &Source) -> bool {
    match from {
        Source::OwnPrivate(_) => true,
        Source::Template(_)
        | Source::Topic
        | Source::Context
        | Source::Conversation(_)
        | Source::Document(_)
        | Source::Option(_)
        | Source::Ruling { .. }
        | Source::Turn(_)
        | Source::Verdict { .. }
        | Source::Memory(_)
        | Source::Guardrail(_)
        | Source::Persona
        | Source::Draw(_)
        | Source::Fence
        | Source::Person => false,
    }
}
