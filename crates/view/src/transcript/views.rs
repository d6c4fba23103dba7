//! Views of a transcript: the parts that each seat was shown, with their origins.

use super::{Private, Script, Views, characters};
use elenchus_game::debate::event::Reply;
use elenchus_game::debate::protocol::Judging;
use elenchus_game::debate::state::{Attempt, VerdictState};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::view::{PartSource, View, ViewPart};
use elenchus_game::debate::{AttemptId, Guarded, Recorded, TurnId};
use elenchus_game::prompt::expand;
use elenchus_records::library::short;
use elenchus_records::workspace::prompts::{PromptName, version_of};
use elenchus_text::Ink;

/// Where views begin.
const VIEW: usize = 4;

impl Script<'_> {
    pub(crate) fn attempt_view(&mut self, id: &AttemptId, attempt: &Attempt) {
        match attempt.view {
            Some(place) => {
                self.prompt(id);
                self.view(
                    &format!("shown for {id}"),
                    Some(&id.turn),
                    self.state.view(place),
                );
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
        self.page.at(VIEW).dim(&text);
    }

    pub(crate) fn verdict_view(
        &mut self,
        judging: &Judging,
        index: u32,
        target: &Target,
        verdict: &VerdictState,
    ) {
        let what = format!("shown for {} {index} on {target}", judging.id);
        match verdict.view {
            Some(place) => self.view(&what, None, self.state.view(place)),
            None => self.no_view(&format!("{what}: nothing is recorded")),
        }
        verdict.reply.iter().for_each(|reply| self.replied(reply));
    }

    fn replied(&mut self, reply: &Reply) {
        if self.options.views == Views::Shown {
            self.page.at(VIEW).dim("replied:");
            self.others(Ink::Plain, VIEW, &reply.text);
            if let Some(thinking) = &reply.thinking {
                self.private_text(VIEW, "its own thinking", thinking);
            }
        }
    }

    pub(crate) fn feedback_view(&mut self, view: Option<&Recorded<View>>) {
        if let Some(view) = view {
            self.view("shown for the lesson", None, view.read());
        }
    }

    pub(crate) fn guard_view(&mut self, guarded: &Guarded) {
        let what = format!("shown to {} for its decision", self.name(&guarded.chair));
        match &guarded.view {
            Some(view) => self.view(&what, None, view.read()),
            None => self.no_view(&format!("{what}: nothing is recorded")),
        }
        self.replied(&guarded.reply);
    }

    fn no_view(&mut self, text: &str) {
        match self.options.views {
            Views::Shown => self.page.at(VIEW).dim(text),
            Views::Hidden => {}
        }
    }

    fn view(&mut self, what: &str, reader: Option<&TurnId>, view: View) {
        if self.options.views == Views::Hidden {
            return;
        }
        self.page
            .at(VIEW)
            .dim(&format!("{what} (request {})", view.request_sha256));
        for message in &expand(self.state, reader, view).messages {
            let role = message.role.word();
            self.page.at(VIEW + 2).bold(&format!("{role}:"));
            for part in &message.parts {
                self.part(part);
            }
        }
    }

    fn part(&mut self, part: &ViewPart) {
        let origin = self.origin(&part.from);
        let Some(text) = &part.text else {
            self.page
                .at(VIEW + 4)
                .middle(&format!("[{origin}] (the session holds no text for it)"));
            return;
        };
        if is_private(&part.from) && self.options.private == Private::Hidden {
            self.page.at(VIEW + 4).dim(&format!(
                "[{origin}: {}; --private shows it]",
                characters(text)
            ));
            return;
        }
        self.page.at(VIEW + 4).dim(&format!("[{origin}]"));
        self.others(Ink::Plain, VIEW + 4, text);
    }

    fn origin(&self, from: &PartSource) -> String {
        let counted = |at: &usize| at + 1;
        match from {
            PartSource::Template(name) => format!("template {name}"),
            PartSource::Topic => "topic".to_owned(),
            PartSource::Context => "context of the topic".to_owned(),
            PartSource::Conversation(at) => {
                format!("conversation before, utterance {}", counted(at))
            }
            PartSource::Document(at) => {
                let document = self.created.topic.documents.get(*at);
                let name = document.map_or("?", |document| document.name.as_str());
                format!("document {}: {name}", counted(at))
            }
            PartSource::Option(at) => format!("option {} of the topic", counted(at)),
            PartSource::Ruling { judging, target } => format!("finding {judging} on {target}"),
            PartSource::Turn(id) => format!("turn {id} of {}", self.name(&id.turn.chair)),
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
