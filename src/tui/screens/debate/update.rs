//! Messages of the debate screen: its own copy of the state is folded from durable records.

use super::actions::key;
use super::control::Follows;
use super::layout::{BAND_TENTHS, EVEN, MAX_BAND_TENTHS, is_wide};
use super::navigation::Scrolling;
use super::pane::Scroll;
use super::pane_list::{DebateView, Pane};
use super::stream::StreamStatus;
use super::{Debate, Message};
use crate::tui::app::{Effect, Update, fail, say, warn};
use crate::tui::components::session_lock::show_fork;
use crate::tui::keys::Action;
use elenchus_game::debate::event::{Event, EventGroup, Record, TurnEvent};
use elenchus_game::debate::step::{Performer, Step};
use elenchus_game::debate::{Chair, TurnId};
use elenchus_records::workspace::annotations::{AnnotationId, Annotations};
use elenchus_run::engine::live::{DeltaKind, IdleReason, LiveEvent};
use elenchus_view::debate_blocks::{
    Block, BlockSource, Echoes, Headings, Labelled, Notes, SpeakerChart, TouchedBlocks,
    VerdictBoard, glances, turns_in_order,
};
use elenchus_view::{Opened, SessionUpdate};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Update for Debate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(update) => self.read(update),
            Message::Ordered(given) => return self.ordered(given),
            Message::Forked(made) => {
                self.control.forking = false;
                return show_fork(&self.id, made);
            }
            Message::Annotated(Ok(written)) => self.annotated(&written),
            Message::Annotated(Err(why)) => return fail(why),
            // What cannot be read now stays as it is shown.
            Message::Annotations(None) => {}
            Message::Annotations(Some(annotations)) => self.take_annotations(&annotations),
            Message::DraftFound(draft) => return self.draft_found(&draft),
            Message::Edited(text) => return self.edited_outside(text),
        }
        Vec::new()
    }
}

impl Debate {
    /// Takes a session that was read.
    pub(super) fn take_in(&mut self, opened: &Opened) {
        self.source.state = Arc::clone(&opened.state);
        self.example = opened.example;
        self.imported |= opened.imported;
        self.driven_by.clone_from(&opened.driven_by);
        self.take_annotations(&opened.annotations);
        self.forms.clone_from(&opened.forms);
        self.labels.clone_from(&opened.labels);
        self.empty.clear();
        if let Some(protocol) = self.source.state.protocol() {
            self.chart = SpeakerChart::of(protocol);
        }
        let panes = DebateView::Panes.panes(&self.chart).into_iter();
        let panes = panes.filter(|pane| *pane != Pane::Rail);
        let one = panes.map(|pane| (pane, Scroll::following(Headings::OfOneSpeaker)));
        let all = (Pane::Transcript, Scroll::following(Headings::OfAll));
        self.panes = one.chain([all]).collect();
        self.source.echoes = Echoes::of(&self.source.state);
        self.refresh();
        self.begin_somewhere();
    }

    /// Puts focus and cursor at the last position or at a search hit; else a debate that is over begins
    /// at its first turn, one that goes on at its last.
    fn begin_somewhere(&mut self) {
        let wanted = self.wanted.take().unwrap_or_default();
        let named = wanted.pane.and_then(|name| {
            let mut panes = self.panes.keys().chain([&Pane::Rail]);
            panes.find(|pane| self.pane_name(pane) == name).cloned()
        });
        self.how.focus = Pane::Transcript;
        if let Some(record) = self.panes.get_mut(&Pane::Record) {
            record.go_to_top();
        }
        let turn = wanted.turn.filter(|turn| self.order.contains(turn));
        if turn.is_none() && self.done.is_some() {
            self.cursor = self.order.first().cloned();
            for pane in self.panes.values_mut() {
                pane.go_to_top();
            }
        } else if let Some(turn) = turn.or_else(|| self.order.last().cloned()) {
            self.go_to(turn);
        } else {
            self.cursor = None;
        }
        if let Some(pane) = named {
            self.how.focus = pane;
        }
        self.share_widths();
    }

    /// Gives more room to those who said more, where nobody is to speak any more: text that is being read
    /// while others speak is not wrapped anew.
    fn share_widths(&mut self) {
        self.how.shares.clear();
        self.how.band = BAND_TENTHS;
        if self.done.is_none() {
            return;
        }
        let mut said: BTreeMap<Chair, usize> = BTreeMap::new();
        for (turn, known) in self.source.state.turns() {
            let text = known.chosen().map_or(0, |chosen| chosen.reply.text.len());
            *said.entry(turn.chair.clone()).or_default() += text;
        }
        let share = |text: usize, of: usize| u16::try_from(text * 10 / of.max(1)).unwrap_or(EVEN);
        let sum = |chairs: &[Chair]| chairs.iter().filter_map(|chair| said.get(chair)).sum();
        let (top, band): (usize, usize) = (sum(&self.chart.top), sum(&self.chart.band));
        self.how.band = share(band, top + band).clamp(BAND_TENTHS, MAX_BAND_TENTHS);
        let most = said.values().copied().max().unwrap_or(0);
        let shares = said
            .into_iter()
            .map(|(chair, text)| (chair, share(text, most)));
        self.how.shares = shares.collect();
    }

    pub(super) fn take_annotations(&mut self, annotations: &Annotations) {
        self.source.notes = Notes::of(annotations, &self.id);
        self.labelled = Labelled::of(annotations, &self.id);
        self.annotations = annotations.clone();
    }

    /// Derives again what is derived from the state.
    pub(super) fn refresh(&mut self) {
        let opening = self.source.state.open();
        self.coming = opening.steps;
        self.done = opening.done;
        self.blocked = opening.blocked.len();
        let turns = turns_in_order(&self.source.state, &self.coming);
        let spoken = turns.iter().filter_map(|(turn, block)| match block {
            Block::Turn(_) => Some(turn.clone()),
            _ => None,
        });
        self.order = spoken.collect();
        self.glances = glances(&self.source.state);
        self.board = VerdictBoard::of(&self.source.state, &self.chart, &self.glances);
        let open: Vec<_> = self
            .coming
            .iter()
            .filter_map(|step| Some((step.id(), standing(step)?)))
            .collect();
        self.source.streams.set_open(&open);
        let from = BlockSource {
            state: &self.source.state,
            notes: &self.source.notes,
            turns: &turns,
        };
        for (pane, scroll) in &mut self.panes {
            scroll.set_blocks(pane.blocks(&from));
        }
    }

    fn read(&mut self, update: SessionUpdate) {
        match update {
            SessionUpdate::Read(Ok(opened)) => self.take_in(&opened),
            SessionUpdate::Read(Err(why)) => {
                self.empty = why;
                self.unreadable = true;
            }
            SessionUpdate::Grew(records) => {
                for record in &records {
                    self.happened(record);
                }
                self.refresh();
            }
            SessionUpdate::NotDriven => self.driven_by = None,
        }
    }

    /// A command was given, under the session's lock, or could not be.
    fn ordered(&mut self, given: Result<(), String>) -> Vec<Effect> {
        match given {
            Ok(()) => {
                self.control.is_taken = true;
                Vec::new()
            }
            Err(why) => {
                self.control.let_go();
                fail(why)
            }
        }
    }

    /// Something was written in the margin.
    fn annotated(&mut self, (annotations, mark): &(Annotations, AnnotationId)) {
        self.take_annotations(annotations);
        self.control.acts.noted(mark.clone());
        for scroll in self.panes.values_mut() {
            scroll.forget();
        }
        self.refresh();
    }

    /// Folds a record in; changed blocks are wrapped again.
    fn happened(&mut self, record: &Record) {
        if let Err(refusal) = Arc::make_mut(&mut self.source.state).apply(record) {
            // Records are durable and in order: this is a fault of ours, and it is said.
            self.empty =
                format!("what happened does not fit what is shown: {refusal}; open it again");
            return;
        }
        match record.event.group() {
            EventGroup::Turn(TurnEvent::Replied(replied)) => {
                self.source.echoes.take(&self.source.state, &replied.turn);
            }
            EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_)) => {
                self.source.echoes = Echoes::of(&self.source.state);
            }
            EventGroup::Session(_)
            | EventGroup::Call(_)
            | EventGroup::Memory(_)
            | EventGroup::Verdict(_)
            | EventGroup::Lesson(_) => {}
        }
        let touched = TouchedBlocks::of(&record.event);
        for scroll in self.panes.values_mut() {
            scroll.forget_where(|block| touched.covers(block));
        }
    }

    /// Takes in what happens under the lock of this process.
    pub(super) fn live(&mut self, update: &LiveEvent) -> Vec<Effect> {
        self.control.is_taken = true;
        match update {
            LiveEvent::Happened(record) => {
                self.happened(record);
                self.refresh();
                if let Some(turn) = record.event.changed_turn() {
                    self.control.acts.changed(&self.source.state, turn);
                }
                if let Event::Replied(replied) = &record.event {
                    // What is read from a file never began.
                    self.look_at_step(&replied.turn);
                }
                self.follow_play(record);
                Vec::new()
            }
            LiveEvent::Began { step } => {
                self.rest = None;
                self.source.streams.began(step);
                if let Some(turn) = step.turn() {
                    self.look_at_step(&turn);
                }
                Vec::new()
            }
            LiveEvent::Delta { step, kind, text } => {
                match kind {
                    DeltaKind::Public => self.source.streams.public(step, text),
                    DeltaKind::Thinking => self.source.streams.thinking(step, text),
                }
                Vec::new()
            }
            LiveEvent::WasThinking { step } => {
                self.source.streams.began(step);
                self.source.streams.thinking(step, " ");
                Vec::new()
            }
            LiveEvent::Void { step, why, .. } => {
                self.source.streams.void(step, why);
                Vec::new()
            }
            LiveEvent::Ended { step } => {
                self.source.streams.ended(step);
                self.refresh();
                self.look_at_speaker();
                Vec::new()
            }
            LiveEvent::Asks(question, step) => {
                self.rest = None;
                self.asked(question, step)
            }
            LiveEvent::Idle(rest) => {
                self.rest = Some(rest.clone());
                self.control.playing = false;
                Vec::new()
            }
            LiveEvent::Refused { command, why } => {
                self.control.acts.refused();
                warn(format!("{command}: {why}"))
            }
            LiveEvent::Mended(notice) => say(notice.to_string()),
            LiveEvent::Noticed(notice) => say(notice.clone()),
            LiveEvent::Broke(why) => {
                self.control.let_go();
                self.rest = None;
                fail(why.clone())
            }
        }
    }

    /// A single turn that begins is looked at where one pane alone is shown: it would be spoken out
    /// of sight.
    fn look_at_step(&mut self, turn: &TurnId) {
        match self.control.follows {
            Follows::Nobody => {}
            Follows::Next => {
                self.control.follows = Follows::Nobody;
                self.look_at(self.pane_of(&turn.chair));
            }
            Follows::All => self.look_at_speaker(),
        }
    }

    /// Looks at somebody who speaks, unless that is done already or the person reads something else.
    fn look_at_speaker(&mut self) {
        if self.control.follows != Follows::All {
            return;
        }
        let here = match &self.how.focus {
            Pane::Chair(here) => here,
            Pane::Transcript => return self.go_along(),
            Pane::Record | Pane::Rail => return,
        };
        let live = self.source.streams.live().filter_map(|step| step.turn());
        let mut speaking = live.map(|turn| turn.chair).collect::<Vec<_>>();
        let is_ones_own = matches!(self.coming_of(here), Some(Step::AwaitSpeaker(_)));
        if is_ones_own || speaking.contains(here) {
            return;
        }
        if let Some(chair) = speaking.pop() {
            self.look_at(Pane::Chair(chair));
        }
    }

    /// Keeps the end of the transcript in sight.
    fn go_along(&mut self) {
        if let Some(transcript) = self.panes.get_mut(&Pane::Transcript)
            && !transcript.follows()
        {
            transcript.go_to_bottom(&self.source);
        }
    }

    fn look_at(&mut self, pane: Pane) {
        if pane == Pane::Transcript {
            self.go_along();
        }
        let alone = self.how.zoomed || !is_wide(self.area);
        if alone && self.how.focus != pane && !self.is_covered() {
            self.how.focus = pane;
            self.scroll(Scrolling::Bottom);
        }
    }

    /// While the debate is played, the cursor goes along where it stood at the end.
    fn follow_play(&mut self, record: &Record) {
        let Event::Replied(replied) = &record.event else {
            return;
        };
        let pane = self.pane_of(&replied.turn.chair);
        if let Some(scroll) = self.panes.get_mut(&pane)
            && scroll.follows()
        {
            scroll.settle(&self.source);
            self.cursor = Some(replied.turn.clone());
        }
    }

    /// Says how the session rests, for the status line.
    pub(super) fn rest_words(&self) -> Option<String> {
        Some(match self.rest.as_ref()? {
            IdleReason::Held => "open here".to_owned(),
            IdleReason::Done(_) => "over".to_owned(),
            IdleReason::Stuck(failures) => {
                let retry = format!("{} retries it", key(Action::Retry));
                match failures.first() {
                    Some(first) => format!("{retry}: {}", first.message),
                    None => retry,
                }
            }
            IdleReason::Paused => format!(
                "paused: the ceiling allows no more calls, {} raises it",
                key(Action::StepTurn)
            ),
            IdleReason::Waits(_) => "waits for you".to_owned(),
        })
    }
}

/// Returns the state of a coming turn before anything is sent.
fn standing(step: &Step) -> Option<StreamStatus> {
    step.is_spoken().then(|| match step.performer() {
        Performer::Person => StreamStatus::Person,
        Performer::Model | Performer::Engine => StreamStatus::Open,
    })
}
