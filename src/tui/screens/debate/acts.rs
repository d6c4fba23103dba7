//! What each action does in the debate screen.

use super::Debate;
use super::chart::Pane;
use super::dialog::{Asking, Choice, Choosing, Dialog, Purpose, Question};
use super::moves::Scrolling;
use super::others;
use crate::debate::event::Outcome;
use crate::debate::step::{Judge, Step, StepId, Target};
use crate::debate::{AttemptId, SessionId, TurnId};
use crate::driver::desk::Reopen;
use crate::driver::live::{Order, Pace, Rest};
use crate::driver::{Question as Asked, QuestionKind};
use crate::tui::app::{Deed, Effect, ExportAs, Opened};
use crate::tui::keys::Action;
use crate::tui::parts::LineInput;
use crate::tui::parts::Rows;
use crate::tui::theme::Role;
use std::sync::Arc;

impl Debate {
    /// Answers an action.
    pub(super) fn act_on(&mut self, action: Action) -> Vec<Effect> {
        if matches!(self.dialog, Some(Dialog::Choose(_))) {
            return self.choose(action);
        }
        match action {
            Action::Back => self.leave(),
            Action::Interrupt => self.interrupt(),
            Action::Up => self.scrolled(Scrolling::Lines(-1)),
            Action::Down => self.scrolled(Scrolling::Lines(1)),
            Action::PageUp => self.scrolled(Scrolling::Pages(-1)),
            Action::PageDown => self.scrolled(Scrolling::Pages(1)),
            Action::Top => self.scrolled(Scrolling::Top),
            Action::Bottom => self.scrolled(Scrolling::Bottom),
            Action::Left | Action::FocusPrevious => self.focused(-1),
            Action::Right | Action::FocusNext => self.focused(1),
            Action::NextTurn => self.step_cursor(1),
            Action::PreviousTurn => self.step_cursor(-1),
            Action::FirstUnsafe => self.first_unsafe(),
            Action::NextDisagreement => self.next_disagreement(),
            Action::Search => {
                self.begin_search();
                Vec::new()
            }
            Action::SearchNext => self.hit(1),
            Action::SearchPrevious => self.hit(-1),
            Action::Zoom | Action::Wider | Action::Narrower | Action::Even => {
                self.arrange(action);
                Vec::new()
            }
            Action::Private => self.toggled(|show| show.private = !show.private),
            Action::Difference => self.toggled(|show| show.difference = !show.difference),
            Action::Fold => self.toggled(|show| show.fold = !show.fold),
            Action::StepTurn => self.play(Pace::Turn),
            Action::StepStage => self.play(Pace::Stage),
            Action::StepRound => self.play(Pace::Round),
            Action::RunToEnd => self.play(Pace::End),
            Action::Pause => self.pause(),
            Action::StopStream => self.stop_stream(),
            Action::Retry => self.order(Order::Retry),
            Action::Inspect | Action::Open => self.inspect(),
            Action::Edit => self.edit(),
            Action::EditOutside => self.edit_outside(),
            Action::Reroll => self.reroll(),
            Action::Attempts => self.attempts(),
            Action::TakeOver => self.take_over(),
            Action::GiveVerdict => self.give_verdict(),
            Action::Fork => self.fork_here(),
            Action::Tree => others::tree(&self.id),
            Action::Compare => self.compare(),
            Action::Memory => others::memory(&self.state),
            Action::Note => self.note(),
            Action::Copy => self.with_text(Deed::Copy),
            Action::Pager => self.with_text(Deed::Page),
            Action::Export => self.export(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Quit
            | Action::Suspend
            | Action::Help
            | Action::Palette
            | Action::Themes
            | Action::Mask
            | Action::Redraw
            | Action::New
            | Action::Filter
            | Action::SearchAll
            | Action::Sort
            | Action::SortReverse
            | Action::Group
            | Action::Rename
            | Action::Tag
            | Action::Delete
            | Action::Mark
            | Action::SearchMemory
            | Action::TryTopic
            | Action::AddEntry
            | Action::EditEntry
            | Action::DisableEntry
            | Action::DeleteEntry
            | Action::ListDeleted
            | Action::LeaveOut
            | Action::Rejudge => Vec::new(),
        }
    }

    fn scrolled(&mut self, how: Scrolling) -> Vec<Effect> {
        self.scroll(how);
        Vec::new()
    }

    fn focused(&mut self, by: isize) -> Vec<Effect> {
        self.move_focus(by);
        Vec::new()
    }

    fn hit(&mut self, by: isize) -> Vec<Effect> {
        self.next_hit(by);
        Vec::new()
    }

    fn toggled(&mut self, change: impl FnOnce(&mut super::Show)) -> Vec<Effect> {
        change(&mut self.show);
        for pane in self.panes.values_mut() {
            pane.forget();
        }
        Vec::new()
    }

    fn leave(&mut self) -> Vec<Effect> {
        if self.search.take().is_some() {
            return Vec::new();
        }
        if self.how.zoomed {
            self.how.zoomed = false;
            return Vec::new();
        }
        vec![Effect::Leave]
    }

    fn interrupt(&mut self) -> Vec<Effect> {
        if self.streams.live().next().is_some() || self.hand.playing {
            let mut effects = self.order(Order::Pause);
            for step in self.streams.live().cloned().collect::<Vec<_>>() {
                effects.extend(self.order(Order::StopCall(step)));
            }
            let text = "stopped; what was sent may still cost its worst case";
            effects.push(Effect::Say(Role::Warning, text.to_owned()));
            return effects;
        }
        vec![Effect::Quit]
    }

    fn play(&mut self, pace: Pace) -> Vec<Effect> {
        if self.done.is_some() {
            let text = "the debate is over: f forks it after the turn under the cursor, r asks that seat again";
            return vec![Effect::Say(Role::Notice, text.to_owned())];
        }
        if self.coming.is_empty() && self.blocked > 0 {
            let text = "its open steps failed: X tries them again";
            return vec![Effect::Say(Role::Warning, text.to_owned())];
        }
        self.order(Order::Play(pace))
    }

    fn pause(&mut self) -> Vec<Effect> {
        if !self.hand.is_taken() {
            return say("nothing is being played here");
        }
        let mut effects = self.order(Order::Pause);
        let live = self.streams.live().count();
        let text = match live {
            0 => "paused".to_owned(),
            1 => "paused: one reply is still on its way, x stops it".to_owned(),
            live => format!("paused: {live} replies are still on their way, x stops one"),
        };
        effects.push(Effect::Say(Role::Notice, text));
        effects
    }

    fn stop_stream(&mut self) -> Vec<Effect> {
        let here = self
            .focused_live()
            .or_else(|| self.streams.live().next().cloned());
        match here {
            Some(step) => self.order(Order::StopCall(step)),
            None => say("no reply is on its way"),
        }
    }

    /// Returns the call whose reply arrives in the focused pane.
    fn focused_live(&self) -> Option<StepId> {
        let Pane::Chair(chair) = &self.how.focus else {
            return None;
        };
        let mut live = self.streams.live();
        live.find(|step| step.turn().is_some_and(|turn| turn.chair == *chair))
            .cloned()
    }

    /// Shows what the open step of the focused pane would be shown, else what the turn under the
    /// cursor was shown.
    fn inspect(&mut self) -> Vec<Effect> {
        let at_end = match &self.how.focus {
            Pane::Chair(chair) => {
                let coming = self.coming.iter().find(|step| match step {
                    Step::Speak(speak) | Step::AwaitSpeaker(speak) => speak.turn.chair == *chair,
                    _ => false,
                });
                let follows = self
                    .panes
                    .get(&self.how.focus)
                    .is_some_and(super::Scroll::follows);
                coming.filter(|_| follows)
            }
            Pane::Record | Pane::Rail => None,
        };
        if let Some(step) = at_end.cloned() {
            return self.inspect_step(step);
        }
        if let Some((id, _)) = self
            .cursor
            .as_ref()
            .and_then(|turn| self.state.chosen(turn))
            && !matches!(self.how.focus, Pane::Record | Pane::Rail)
        {
            return others::attempt_view(&self.id, &self.state, &id);
        }
        if let Some(step) = self.next_asked().cloned() {
            return self.inspect_step(step);
        }
        match self.state.verdicts().last() {
            Some((judging, target, _)) => {
                others::verdict_view(&self.id, &self.state, judging, target)
            }
            None => say("there is nothing to look into yet"),
        }
    }

    fn inspect_step(&self, step: Step) -> Vec<Effect> {
        others::step_view(&self.id, &self.state, step, self.hold())
    }

    fn under_cursor(&self) -> Option<(AttemptId, String)> {
        let turn = self.cursor.as_ref()?;
        let (id, attempt) = self.state.chosen(turn)?;
        Some((id, attempt.reply.text.clone()))
    }

    fn edit(&mut self) -> Vec<Effect> {
        let Some((id, text)) = self.under_cursor() else {
            return say("put the cursor on a turn first: [ and ] move it");
        };
        let title = self.title("edit", &id.turn);
        self.write(title, &text, Purpose::Edit(id.turn))
    }

    fn edit_outside(&mut self) -> Vec<Effect> {
        let mut effects = self.edit();
        effects.extend(self.key_typed(crate::tui::input::Key::ctrl('e')));
        effects
    }

    /// Names an act on a turn, and says where it makes a fork.
    fn title(&self, what: &str, turn: &TurnId) -> String {
        let fork = if self.needs_fork(turn) {
            ", in a fork: it has been seen"
        } else {
            ""
        };
        let name = match self.state.protocol() {
            Some(protocol) => protocol.name_of(&turn.chair),
            None => turn.chair.to_string(),
        };
        format!("{what} {name}, round {} {}{fork}", turn.round, turn.stage)
    }

    fn reroll(&mut self) -> Vec<Effect> {
        let Some((id, _)) = self.under_cursor() else {
            return say("put the cursor on a turn first: [ and ] move it");
        };
        let title = self.title("ask again", &id.turn);
        let question = format!("{title}: how many times? (1)");
        self.dialog = Some(Dialog::Ask(Asking {
            question,
            // Nothing stands there: a number typed behind another one would be a dear mistake.
            line: LineInput::default(),
            purpose: Question::Reroll(id.turn),
        }));
        Vec::new()
    }

    fn attempts(&mut self) -> Vec<Effect> {
        let Some((id, _)) = self.under_cursor() else {
            return say("put the cursor on a turn first: [ and ] move it");
        };
        others::attempts(&self.id, &self.state, id.turn, self.hold())
    }

    fn take_over(&mut self) -> Vec<Effect> {
        let here = match &self.how.focus {
            Pane::Chair(chair) => self.coming.iter().find(|step| match step {
                Step::Speak(speak) | Step::AwaitSpeaker(speak) => speak.turn.chair == *chair,
                _ => false,
            }),
            Pane::Record | Pane::Rail => None,
        };
        let Some(step) = here.or_else(|| self.next_asked()).cloned() else {
            return say("no step is open: e edits the turn under the cursor");
        };
        match &step {
            Step::Judge(_) | Step::AwaitJudge(_) => self.offer_labels(&step),
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => {
                let title = self.title("speak for", &speak.turn);
                self.write(title, "", Purpose::Answer(step.id()))
            }
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => self.write(
                "the lesson of this debate".to_owned(),
                "",
                Purpose::Answer(step.id()),
            ),
            Step::Retrieve | Step::Recite(_) | Step::Grade { .. } => Vec::new(),
        }
    }

    /// A person's seat is open.
    pub(super) fn asked(&mut self, question: &Asked, step: &StepId) -> Vec<Effect> {
        if self.dialog.is_some() {
            return say("your seat waits: t answers");
        }
        match &question.kind {
            QuestionKind::Turn(speak) => {
                self.how.focus = Pane::Chair(speak.turn.chair.clone());
                let title = self.title("your turn,", &speak.turn);
                self.write(title, "", Purpose::Answer(step.clone()))
            }
            QuestionKind::Verdict { judge, .. } => {
                self.offer_labels(&Step::AwaitJudge(judge.clone()))
            }
            QuestionKind::Lesson(_) => self.write(
                "the lesson of this debate".to_owned(),
                "",
                Purpose::Answer(step.clone()),
            ),
        }
    }

    /// Sits on the judge's seat: for an open verdict, else for one that was given, in a fork.
    fn give_verdict(&mut self) -> Vec<Effect> {
        let on_cursor = |target: &Target| match (target, &self.cursor) {
            (Target::Attempt(attempt), Some(cursor)) => attempt.turn == *cursor,
            (Target::Attempt(_), None) => false,
            (Target::Round(_) | Target::Debate, _) => self.how.focus == Pane::Record,
        };
        let open = self.coming.iter().filter_map(|step| match step {
            Step::Judge(judge) | Step::AwaitJudge(judge) => Some((step, judge)),
            _ => None,
        });
        let open: Vec<(&Step, &Judge)> = open.collect();
        let first = open
            .iter()
            .find(|(_, judge)| on_cursor(&judge.target))
            .or(open.first());
        if let Some((step, _)) = first {
            let step = (*step).clone();
            return self.offer_labels(&step);
        }
        let target = match (&self.how.focus, self.under_cursor()) {
            (Pane::Record, _) | (_, None) => Target::Debate,
            (_, Some((id, _))) => Target::Attempt(id),
        };
        let Some((judging, slot)) = self.verdicts_at(&target).into_iter().next() else {
            return say("no judge looks at this turn: focus the record for verdicts on the debate");
        };
        let chair = self.state.protocol().and_then(|protocol| {
            let seat = protocol.judging(&judging)?.by.clone()?;
            Some(crate::debate::Chair {
                seat,
                index: slot.chair,
            })
        });
        let Some(chair) = chair else {
            return Vec::new();
        };
        let step = Step::Judge(Judge {
            judging: judging.clone(),
            chair,
            target: target.clone(),
            order: slot.order,
            attempt: 0,
        })
        .id();
        let labels = self.labels_of(&judging);
        let items: Vec<(String, Choice)> = labels
            .iter()
            .map(|label| {
                let choice = Choice::VerdictAnew {
                    judging: judging.clone(),
                    target: target.clone(),
                    slot,
                    step: step.clone(),
                    says: label.says.clone(),
                };
                (super::dialog::label_line(label), choice)
            })
            .collect();
        self.dialog = Some(Dialog::Choose(Choosing {
            title: format!("{judging} on {target}, in a fork: a verdict was given"),
            rows: Rows::new(items.len()),
            items,
        }));
        Vec::new()
    }

    fn fork_here(&mut self) -> Vec<Effect> {
        let reopen = match &self.cursor {
            Some(turn) => Reopen::After(turn.clone()),
            None => Reopen::Nothing,
        };
        self.fork(reopen, Vec::new())
    }

    /// A fork was made, or could not be.
    pub(super) fn forked(
        &mut self,
        result: &Result<(SessionId, Arc<Opened>), String>,
    ) -> Vec<Effect> {
        self.hand.forking = false;
        match result {
            Ok((child, _)) => vec![
                Effect::Say(
                    Role::Notice,
                    format!(
                        "a fork, {child}: the parent stays as it was; F shows the tree, u goes back"
                    ),
                ),
                Effect::OpenForked(child.clone()),
            ],
            Err(why) => vec![Effect::Say(Role::Error, why.clone())],
        }
    }

    fn compare(&mut self) -> Vec<Effect> {
        match self.state.forked_from().last() {
            Some(parent) => others::compare(parent, &self.id, &self.state),
            None => say(
                "this session has no parent: mark another with m in the list, then c there; F shows forks",
            ),
        }
    }

    fn note(&mut self) -> Vec<Effect> {
        let on = match self.how.focus {
            Pane::Record | Pane::Rail => None,
            Pane::Chair(_) => self.under_cursor().map(|(id, _)| id),
        };
        let title = match &on {
            Some(id) => self.title("note on", &id.turn),
            None => "note on the debate".to_owned(),
        };
        self.write(title, "", Purpose::Note(on))
    }

    fn with_text(&mut self, deed: impl FnOnce(String) -> Deed) -> Vec<Effect> {
        let text = match &self.how.focus {
            Pane::Chair(_) => self.under_cursor().map(|(_, text)| text),
            Pane::Record | Pane::Rail => self.record_text(),
        };
        match text {
            Some(text) => vec![Effect::Do(deed(text))],
            None => say("there is nothing here to copy or read"),
        }
    }

    fn record_text(&self) -> Option<String> {
        let created = self.state.created()?;
        let mut text = created.topic.text.clone();
        for (judging, target, by_slot) in self.state.verdicts() {
            for verdict in by_slot.values() {
                let words = verdict.outcome.as_ref().map(Outcome::words);
                let words = words.unwrap_or_else(|| "none".to_owned());
                text.push_str(&format!("\n{judging} on {target}: {words}"));
            }
        }
        if let Some(lesson) = self.state.feedback() {
            text.push_str(&format!("\n\n{}", lesson.reply.text));
        }
        Some(text)
    }

    fn export(&mut self) -> Vec<Effect> {
        let items = vec![
            (
                "the journal with its checksums, to be imported elsewhere".to_owned(),
                Choice::Export(ExportAs::Parcel),
            ),
            (
                "the transcript as text".to_owned(),
                Choice::Export(ExportAs::Transcript),
            ),
        ];
        self.dialog = Some(Dialog::Choose(Choosing {
            title: "export this session as".to_owned(),
            rows: Rows::new(items.len()),
            items,
        }));
        Vec::new()
    }

    /// Says what is going on, for the status line.
    pub(super) fn standing(&self) -> String {
        if let Some(search) = &self.search {
            return search.standing();
        }
        if !self.empty.is_empty() {
            return String::new();
        }
        let live = self.streams.live().count();
        let (_, state) = super::words::ended(self.done.as_ref(), self.blocked);
        let mut words = match (live, self.rest_words()) {
            (0, Some(rest)) if !matches!(self.rest, Some(Rest::Done(_))) => {
                format!("{state} · {rest}")
            }
            (0, _) => state,
            (1, _) => "playing: one reply on its way".to_owned(),
            (live, _) => format!("playing: {live} replies on their way"),
        };
        if let Some(who) = self.driven_by.as_ref().filter(|_| !self.hand.is_taken()) {
            words = format!("{words} · played by {who}");
        }
        if self.example {
            words = format!("recorded example · {words}");
        }
        format!("{words} · {}", super::words::cost(&self.state))
    }

    /// Returns the actions worth a hint now.
    pub(super) fn useful(&self) -> Vec<Action> {
        match &self.dialog {
            Some(Dialog::Choose(_)) => return vec![Action::Open, Action::Back],
            Some(Dialog::Write(_) | Dialog::Ask(_)) => return Vec::new(),
            None => {}
        }
        if self.search.is_some() {
            return vec![Action::SearchNext, Action::SearchPrevious, Action::Back];
        }
        if self.streams.live().next().is_some() {
            return vec![Action::Pause, Action::StopStream, Action::Help];
        }
        let opening_done = self.coming.is_empty();
        let mut hints = if opening_done {
            vec![
                Action::NextTurn,
                Action::PreviousTurn,
                Action::Fork,
                Action::Reroll,
            ]
        } else {
            vec![Action::StepTurn, Action::StepRound, Action::RunToEnd]
        };
        hints.extend([Action::Inspect, Action::FocusNext, Action::Help]);
        hints
    }
}

fn say(text: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_owned())]
}
