//! Messages of the debate screen: its own copy of the state is folded from durable records.

use super::actions::debate_key;
use super::control::Follows;
use super::layout::{BAND_TENTHS, EVEN, MAX_BAND_TENTHS, is_wide};
use super::pane_list::{DebateView, Pane};
use super::scroll::Scroll;
use super::stream::StreamStatus;
use super::{Debate, Message};
use crate::tui::app::{Effect, Update, say_error, say_notice, say_warning};
use crate::tui::components::session_lock::show_fork;
use crate::tui::keys::Action;
use elenchus_game::debate::event::{Event, EventGroup, Record, TurnEvent};
use elenchus_game::debate::step::{Performer, Step};
use elenchus_game::debate::{Chair, TurnId};
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{AnnotationId, Annotations};
use elenchus_run::engine::live::{DeltaKind, IdleReason, LiveEvent};
use elenchus_view::debate_text::{
    Block, BlockSource, Headings, Notes, RepeatedTexts, SpeakerChart, TouchedBlocks, VerdictBoard,
    collect_glances, turns_in_order,
};
use elenchus_view::{OpenedSession, SessionUpdate};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Update for Debate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Read(update) => self.handle_session_update(update),
            Message::Ordered(given) => return self.handle_command_result(given),
            Message::Forked(made) => {
                self.control.is_forking = false;
                return show_fork(&self.id, made);
            }
            Message::Annotated(Ok(written)) => self.handle_annotation(&written),
            Message::Annotated(Err(why)) => return say_error(why),
            // What cannot be read now stays as it is shown.
            Message::Annotations(None) => {}
            Message::Annotations(Some(annotations)) => self.set_annotations(&annotations),
            Message::DraftFound(draft) => return self.handle_draft(&draft),
            Message::Previewed(step, Ok(preview)) => self.take_reading(&step, &preview),
            // The panes stay in sight, and the key of the inspector says why.
            Message::Previewed(_, Err(_)) => {}
            Message::Edited(text) => return self.replace_text(text),
            Message::PageWritten(written) => return written.say(),
        }
        Vec::new()
    }
}

impl Debate {
    /// Takes a session that was read.
    pub(super) fn set_session(&mut self, opened: &OpenedSession) {
        self.source.state = Arc::clone(&opened.state);
        self.is_example = opened.example;
        self.is_imported |= opened.imported;
        self.driven_by.clone_from(&opened.driven_by);
        self.set_annotations(&opened.annotations);
        self.forms.clone_from(&opened.forms);
        self.labels.clone_from(&opened.labels);
        self.empty.clear();
        if let Some(protocol) = self.source.state.protocol() {
            self.chart = SpeakerChart::from_protocol(protocol);
        }
        let panes = DebateView::Panes.list_panes(&self.chart).into_iter();
        let panes = panes.filter(|pane| *pane != Pane::Rail);
        let one = panes.map(|pane| (pane, Scroll::new_following(Headings::OfOneSpeaker)));
        let all = (Pane::Transcript, Scroll::new_following(Headings::OfAll));
        self.panes = one.chain([all]).collect();
        self.source.repeated_texts = RepeatedTexts::from_state(&self.source.state);
        self.rebuild_derived();
        self.place_cursor();
    }

    /// Puts focus and cursor at the last position or at a search hit; else a debate that is over begins
    /// at its first turn, one that goes on at its last.
    fn place_cursor(&mut self) {
        let target = self.target.take().unwrap_or_default();
        let target_pane = target.pane.and_then(|name| {
            let mut panes = self.panes.keys().chain([&Pane::Rail]);
            panes.find(|pane| self.pane_name(pane) == name).cloned()
        });
        self.arrangement.focus = Pane::Transcript;
        if let Some(record) = self.panes.get_mut(&Pane::Record) {
            record.go_to_top();
        }
        let turn = target.turn.filter(|turn| self.order.contains(turn));
        if turn.is_none() && self.done.is_some() {
            self.cursor = self.order.first().cloned();
            for pane in self.panes.values_mut() {
                pane.go_to_top();
            }
        } else if let Some(turn) = turn.or_else(|| self.order.last().cloned()) {
            self.go_to_turn(turn);
        } else {
            // Nothing was said yet: whoever speaks first is meant.
            let mut coming = self.coming.iter().filter_map(Step::as_speak);
            self.cursor = coming.next().map(|speak| speak.turn.clone());
        }
        // A pane that was looked at earlier is looked at again where the cursor is in it.
        let joins = |pane: &Pane| match (pane, &self.cursor) {
            (Pane::Chair(chair), Some(turn)) => turn.chair == *chair,
            (_, _) => true,
        };
        if let Some(pane) = target_pane.filter(joins) {
            self.arrangement.focus = pane;
        }
        self.share_widths();
    }

    /// Gives more room to those who said more, where nobody is to speak any more: text that is being read
    /// while others speak is not wrapped anew.
    fn share_widths(&mut self) {
        self.arrangement.shares.clear();
        self.arrangement.band = BAND_TENTHS;
        if self.done.is_none() {
            return;
        }
        let mut text_by_chair: BTreeMap<Chair, usize> = BTreeMap::new();
        for (turn, known) in self.source.state.turns() {
            let text = known
                .chosen_attempt()
                .map_or(0, |chosen| chosen.reply.text.len());
            *text_by_chair.entry(turn.chair.clone()).or_default() += text;
        }
        let share = |text: usize, of: usize| u16::try_from(text * 10 / of.max(1)).unwrap_or(EVEN);
        let sum = |chairs: &[Chair]| {
            chairs
                .iter()
                .filter_map(|chair| text_by_chair.get(chair))
                .sum()
        };
        let (top, band): (usize, usize) = (sum(&self.chart.top), sum(&self.chart.band));
        self.arrangement.band = share(band, top + band).clamp(BAND_TENTHS, MAX_BAND_TENTHS);
        let most = text_by_chair.values().copied().max().unwrap_or(0);
        let shares = text_by_chair
            .into_iter()
            .map(|(chair, text)| (chair, share(text, most)));
        self.arrangement.shares = shares.collect();
    }

    pub(super) fn set_annotations(&mut self, annotations: &Annotations) {
        self.source.notes = Notes::from_annotations(annotations, &self.id);
        self.annotations = annotations.clone();
    }

    /// Derives again what is derived from the state.
    pub(super) fn rebuild_derived(&mut self) {
        let opening = self.source.state.find_open_steps();
        self.coming = opening.steps;
        self.done = opening.done;
        self.blocked = opening.blocked.len();
        let turns = turns_in_order(&self.source.state, &self.coming);
        let turn_ids = turns.iter().filter_map(|(turn, block)| match block {
            Block::Turn(_) => Some(turn.clone()),
            _ => None,
        });
        self.order = turn_ids.collect();
        // What the cursor was on may be gone, as a step that somebody else has taken.
        let is_there = |cursor: &TurnId| turns.iter().any(|(turn, _)| turn == cursor);
        self.cursor = self.cursor.take().filter(is_there);
        self.glances = collect_glances(&self.source.state);
        self.board = VerdictBoard::from_state(&self.source.state, &self.chart, &self.glances);
        let open: Vec<_> = self
            .coming
            .iter()
            .filter_map(|step| Some((step.id(), initial_status(step)?)))
            .collect();
        self.source.streams.set_open(&open);
        let from = BlockSource {
            state: &self.source.state,
            notes: &self.source.notes,
            turns: &turns,
        };
        for (pane, scroll) in &mut self.panes {
            scroll.set_blocks(pane.list_blocks(&from));
        }
    }

    fn handle_session_update(&mut self, update: SessionUpdate) {
        match update {
            SessionUpdate::Read(Ok(opened)) => self.set_session(&opened),
            SessionUpdate::Read(Err(why)) => {
                self.empty = why.to_string();
                self.is_unreadable = true;
            }
            SessionUpdate::Grew(records) => {
                let stands_at_end = self.stands_at_end();
                for record in &records {
                    self.apply_record(record);
                }
                self.rebuild_derived();
                let mut replied = records.iter().rev().filter_map(replied_turn);
                if let Some(turn) = replied.next() {
                    self.follow_play(turn, stands_at_end);
                }
            }
            SessionUpdate::NotDriven => self.driven_by = None,
        }
    }

    /// A command was given, under the session's lock, or could not be.
    fn handle_command_result(&mut self, given: Result<(), WorkspaceError>) -> Vec<Effect> {
        match given {
            Ok(()) => {
                self.control.is_taken = true;
                Vec::new()
            }
            Err(why) => {
                self.control.let_go();
                say_error(why)
            }
        }
    }

    /// Something was written in the margin.
    fn handle_annotation(&mut self, (annotations, mark): &(Annotations, AnnotationId)) {
        self.set_annotations(annotations);
        self.control.acts.record_note(mark.clone());
        for scroll in self.panes.values_mut() {
            scroll.forget_wrapping();
        }
        self.rebuild_derived();
    }

    /// Folds a record in; changed blocks are wrapped again.
    fn apply_record(&mut self, record: &Record) {
        if let Err(refusal) = Arc::make_mut(&mut self.source.state).apply_event(record) {
            // Records are durable and in order: this is a fault of ours, and it is said.
            self.empty =
                format!("what happened does not fit what is shown: {refusal}; open it again");
            return;
        }
        match record.event.group() {
            EventGroup::Turn(TurnEvent::Replied(replied)) => {
                self.source
                    .repeated_texts
                    .add_turn(&self.source.state, &replied.turn);
            }
            EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_)) => {
                self.source.repeated_texts = RepeatedTexts::from_state(&self.source.state);
            }
            EventGroup::Session(_)
            | EventGroup::Call(_)
            | EventGroup::Memory(_)
            | EventGroup::Verdict(_)
            | EventGroup::Lesson(_) => {}
        }
        let block_changes = TouchedBlocks::from_event(&record.event);
        for scroll in self.panes.values_mut() {
            scroll.forget_blocks(|block| block_changes.covers(block));
        }
    }

    /// Takes in what happens under the lock of this process.
    pub(super) fn handle_live_event(&mut self, update: &LiveEvent) -> Vec<Effect> {
        self.control.is_taken = true;
        match update {
            LiveEvent::Happened(record) => {
                let stands_at_end = self.stands_at_end();
                self.apply_record(record);
                self.rebuild_derived();
                if let Some(turn) = record.event.changed_turn() {
                    self.control.acts.record_choice(&self.source.state, turn);
                }
                if let Some(turn) = replied_turn(record) {
                    // What is read from a file never began.
                    self.look_at_step(turn);
                    self.follow_play(turn, stands_at_end);
                }
                Vec::new()
            }
            LiveEvent::Began { step } => {
                self.idle_reason = None;
                self.source.streams.start_stream(step);
                if let Some(turn) = step.turn() {
                    self.look_at_step(&turn);
                }
                Vec::new()
            }
            LiveEvent::Delta { step, kind, text } => {
                match kind {
                    DeltaKind::Public => self.source.streams.add_text(step, text),
                    DeltaKind::Thinking => self.source.streams.add_thinking(step, text),
                }
                Vec::new()
            }
            LiveEvent::WasThinking { step } => {
                self.source.streams.start_stream(step);
                self.source.streams.add_thinking(step, " ");
                Vec::new()
            }
            LiveEvent::Void { step, why, .. } => {
                self.source.streams.void_text(step, why);
                Vec::new()
            }
            LiveEvent::Ended { step } => {
                self.source.streams.remove_stream(step);
                self.rebuild_derived();
                self.look_at_speaker();
                Vec::new()
            }
            LiveEvent::Asks(question, step) => {
                self.idle_reason = None;
                self.ask_person(question, step)
            }
            LiveEvent::Idle(rest) => {
                self.idle_reason = Some(rest.clone());
                self.control.is_playing = false;
                Vec::new()
            }
            LiveEvent::Refused { command, why } => {
                self.control.acts.cancel_choice();
                say_warning(format!("{command}: {why}"))
            }
            LiveEvent::Mended(notice) => say_notice(notice.to_string()),
            LiveEvent::Noticed(notice) => say_notice(notice.clone()),
            LiveEvent::Broke(why) => {
                self.control.let_go();
                self.idle_reason = None;
                say_error(why.clone())
            }
        }
    }

    /// A single turn that begins is looked at: frame and cursor go to it together.
    fn look_at_step(&mut self, turn: &TurnId) {
        match self.control.follows {
            Follows::Nobody => {}
            Follows::Next => {
                self.control.follows = Follows::Nobody;
                self.go_to_speaker(turn.clone());
            }
            Follows::All => self.look_at_speaker(),
        }
    }

    /// Looks at somebody who speaks, unless that is done already or the person reads something else.
    fn look_at_speaker(&mut self) {
        if self.control.follows != Follows::All {
            return;
        }
        let here = match &self.arrangement.focus {
            Pane::Chair(here) => here,
            Pane::Transcript => return self.follow_pane(&Pane::Transcript),
            Pane::Record | Pane::Rail => return,
        };
        let is_ones_own = matches!(self.open_step_of(here), Some(Step::AwaitSpeaker(_)));
        let live = self.source.streams.live_steps();
        let mut speaking: Vec<TurnId> = live.filter_map(|step| step.turn()).collect();
        let own = speaking.iter().position(|turn| turn.chair == *here);
        let speaker = match own {
            Some(own) => Some(speaking.swap_remove(own)),
            None => speaking.pop().filter(|_| !is_ones_own),
        };
        if let Some(turn) = speaker {
            self.go_to_speaker(turn);
        }
    }

    /// Looks at whoever speaks or is to speak; nothing moves below a text that is written. A record that is read
    /// beside the panes stays in its frame.
    pub(super) fn go_to_speaker(&mut self, turn: TurnId) {
        if self.has_overlay() {
            return;
        }
        let pane = self.pane_of(&turn.chair);
        self.cursor = Some(turn);
        self.follow_pane(&pane);
        let alone = self.arrangement.zoomed || !is_wide(self.area);
        if alone || self.arrangement.focus.has_turns() {
            self.arrangement.focus = pane;
        }
    }

    /// Keeps the end of a pane in sight.
    fn follow_pane(&mut self, pane: &Pane) {
        if let Some(scroll) = self.panes.get_mut(pane)
            && !scroll.is_following()
        {
            scroll.go_to_bottom(&self.source);
        }
        self.lead_row(pane);
    }

    /// Says whether the cursor is where the debate goes on.
    fn stands_at_end(&self) -> bool {
        let scroll = self.panes.get(&self.arrangement.focus);
        scroll.is_some_and(Scroll::is_following) && self.cursor.as_ref() == self.order.last()
    }

    /// While the debate is played, frame and cursor go along where they stood at the end.
    fn follow_play(&mut self, turn: &TurnId, stood_at_end: bool) {
        if self.arrangement.view == DebateView::Transcript {
            let transcript = self.panes.get_mut(&Pane::Transcript);
            if let Some(transcript) = transcript.filter(|pane| pane.is_following()) {
                transcript.update_top(&self.source);
                self.cursor = Some(turn.clone());
            }
            return;
        }
        let here = self.cursor.as_ref();
        let mut live = self.source.streams.live_steps();
        let is_speaking = live.any(|step| here.is_some() && step.turn().as_ref() == here);
        drop(live);
        let goes_along = match self.control.follows {
            Follows::All => !is_speaking,
            Follows::Next | Follows::Nobody => stood_at_end,
        };
        if goes_along && self.arrangement.focus.has_turns() {
            self.go_to_speaker(turn.clone());
        }
    }

    /// Says how the session rests, for the status line.
    pub(super) fn describe_rest(&self) -> Option<String> {
        Some(match self.idle_reason.as_ref()? {
            IdleReason::Held => "open here".to_owned(),
            IdleReason::Done(_) => "over".to_owned(),
            IdleReason::Stuck(failures) => {
                let retry = format!("{} retries it", debate_key(Action::Retry));
                match failures.first() {
                    Some(first) => format!("{retry}: {}", first.message),
                    None => retry,
                }
            }
            IdleReason::Paused => format!(
                "paused: the ceiling allows no more calls, {} raises it",
                debate_key(Action::StepTurn)
            ),
            IdleReason::Waits(_) => "waits for you".to_owned(),
        })
    }
}

/// Returns the state of a coming turn before anything is sent.
fn initial_status(step: &Step) -> Option<StreamStatus> {
    step.is_spoken().then(|| match step.performer() {
        Performer::Person => StreamStatus::Person,
        Performer::Model | Performer::Engine => StreamStatus::Open,
    })
}

/// Returns the turn that was spoken.
fn replied_turn(record: &Record) -> Option<&TurnId> {
    match &record.event {
        Event::Replied(replied) => Some(&replied.turn),
        _ => None,
    }
}
