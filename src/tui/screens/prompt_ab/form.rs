//! Comparison form: turns, plan and cost of a prompt comparison. Nothing is paid for before it
//! begins.

use super::report::ComparisonReport;
use super::tasks;
use crate::experiments::prompt_ab::{AbDraft, AbField, AbPlanned, AbSurvey, AbWish, CompareWish};
use crate::terminal::Paste;
use crate::tui::app::{DrawContext, Effect, Screen, Update, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use crate::tui::widgets::{Form, FormKey, Moved};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// The screen on which a comparison is set out.
pub struct ComparisonForm {
    pub(crate) draft: AbDraft,
    /// Message while there is nothing to choose from.
    pub(crate) empty: String,
    pub(crate) rows: Form<AbField>,
    /// The debates, to be chosen from.
    pub(crate) debates: Option<Dialog<()>>,
    /// Planned comparison with its cost; `None` while that is worked out.
    pub(crate) planned: Option<Result<Box<AbPlanned>, String>>,
    asked: u64,
    /// An answer is on its way; what changed meanwhile is asked for when it is there.
    waits: Option<u64>,
    begins: bool,
}

impl ComparisonForm {
    /// A form that looks for debates once it is opened.
    pub fn of(wish: CompareWish) -> Self {
        Self {
            draft: AbDraft::of(wish),
            empty: "looking for debates".to_owned(),
            rows: Form::at(AbField::Debates),
            debates: None,
            planned: None,
            asked: 0,
            waits: None,
            begins: false,
        }
    }

    /// Asks for the cost of the form; one question is pending at most.
    fn plan(&mut self) -> Vec<Effect> {
        self.asked += 1;
        self.planned = None;
        if self.waits.is_some() {
            return Vec::new();
        }
        let Some(wish) = self.wanted() else {
            return Vec::new();
        };
        self.waits = Some(self.asked);
        vec![Effect::Start(tasks::plan(wish))]
    }

    /// Returns the comparison that the form sets out; `None` where there are no debates.
    pub fn wanted(&self) -> Option<AbWish> {
        self.draft.wish()
    }

    fn surveyed(&mut self, found: Result<AbSurvey, String>) -> Vec<Effect> {
        match found {
            Ok(survey) => {
                self.draft.take_survey(survey);
                self.plan()
            }
            Err(why) => {
                self.empty.clone_from(&why);
                fail(why)
            }
        }
    }

    fn planned(&mut self, found: Result<Box<AbPlanned>, String>) -> Vec<Effect> {
        let is_fresh = self.waits.take() == Some(self.asked);
        if !is_fresh {
            // Something was changed meanwhile.
            return self.plan();
        }
        self.planned = Some(found);
        Vec::new()
    }

    fn open(&mut self) -> Vec<Effect> {
        match self.rows.focus {
            AbField::Begin => return self.begin(),
            AbField::Debates => {
                let Some((sources, chosen)) = self.draft.sources() else {
                    return say(self.empty.clone());
                };
                let items = sources.iter().map(|source| PickItem {
                    label: source.label.clone(),
                    detail: source.detail.clone(),
                    aside: String::new(),
                });
                let mut pick = Picker::new("Debates whose turns are used", items.collect());
                pick.choose(chosen);
                self.debates = Some(Dialog::list(pick, ()));
            }
            other => match self.draft.typed_text(other) {
                Some((_, text)) => self.rows.open(&text),
                None => return self.stepped(1),
            },
        }
        Vec::new()
    }

    fn stepped(&mut self, by: isize) -> Vec<Effect> {
        match self.draft.step(self.rows.focus, by) {
            true => self.plan(),
            false => Vec::new(),
        }
    }

    fn begin(&mut self) -> Vec<Effect> {
        if self.begins {
            return Vec::new();
        }
        match &self.planned {
            None => say("what it costs is being worked out"),
            Some(Err(why)) => fail(why.clone()),
            Some(Ok(planned)) if planned.plan.contexts.is_empty() => {
                say("no recorded turn fits: choose other debates, another seat or another round")
            }
            Some(Ok(planned)) => {
                self.begins = true;
                vec![Effect::Start(tasks::begin(planned.plan.clone()))]
            }
        }
    }

    fn begun(&mut self, begun: Result<String, String>) -> Vec<Effect> {
        self.begins = false;
        match begun {
            Ok(id) => vec![Effect::Replace(Box::new(ComparisonReport::of(id)))],
            Err(why) => fail(why),
        }
    }
}

/// Result of a task of this screen.
pub enum FormMessage {
    Surveyed(Result<AbSurvey, String>),
    Planned(Result<Box<AbPlanned>, String>),
    /// The id of the comparison.
    Begun(Result<String, String>),
}

impl Update for ComparisonForm {
    type Message = FormMessage;

    fn update(&mut self, message: FormMessage) -> Vec<Effect> {
        match message {
            FormMessage::Surveyed(found) => self.surveyed(found),
            FormMessage::Planned(found) => self.planned(found),
            FormMessage::Begun(begun) => self.begun(begun),
        }
    }
}

impl Screen for ComparisonForm {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::survey(
            self.draft.compared.prompt.clone(),
        ))]
    }

    fn is_typing(&self) -> bool {
        self.debates.is_some() || self.rows.is_typing()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        if self.rows.act(action, &AbField::ALL) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Open => self.open(),
            Action::Left => self.stepped(-1),
            Action::Right => self.stepped(1),
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.debates.is_some() {
            return match Dialog::answer(&mut self.debates, key) {
                Some(DialogAnswer::Item((), at, _)) => {
                    self.draft.choose_source(at);
                    self.plan()
                }
                Some(_) | None => Vec::new(),
            };
        }
        let FormKey::Entered(text, then) = self.rows.key(key) else {
            return Vec::new();
        };
        if let Err(why) = self.draft.take(self.rows.focus, &text) {
            self.rows.refuse(&text, why);
            return Vec::new();
        }
        if let Some(action) = then {
            self.rows.act(action, &AbField::ALL);
        }
        self.plan()
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.debates {
            Some(debates) => debates.paste(&paste.text),
            None if self.rows.is_typing() => self.rows.paste(&paste.text),
            None => {
                let open = key_for(Context::PromptsCompared, Action::Open);
                return say(format!("nothing is pasted here: {open} opens the field"));
            }
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        match (&self.planned, self.begins) {
            (_, true) => "beginning".to_owned(),
            (None, false) if self.waits.is_some() => "working out what it costs".to_owned(),
            (None | Some(_), false) => String::new(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Left, Action::Right, Action::Back]
    }
}
