//! Leaving an entry of memory out: asks how many replicates and says their price, plays them in the background,
//! and knows what those of earlier times came to.

use super::paid_work::{PaidWork, PriceAnswer, WorkStatus};
use crate::tui::app::{DrawContext, Effect, Task, Ticket, say_error, say_notice};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::{EntryId, WorkspaceError};
use elenchus_run::experiments::{
    AblationReport, PlannedAblation, ReplicateCount, ReplicatesProgress, ReplicatesUpdate,
    StopSignal, build_replicate_items, list_ablations, plan_replicates, play_replicates,
};
use elenchus_text::PageItem;
use elenchus_view::memory::MemoryBrowser;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Result of one of its tasks.
pub enum ReplicatesMessage {
    Planned(Ticket, Result<Arc<PlannedAblation>, WorkspaceError>),
    Update(ReplicatesUpdate),
    /// What all runs that left an entry out came to, newest first.
    Read(EntryId, Result<Vec<AblationReport>, WorkspaceError>),
}

/// Replicates of one screen, whose messages wrap theirs.
pub(in crate::tui) struct LeaveOneOut<M> {
    wrap: fn(ReplicatesMessage) -> M,
    /// The line for how many, of a debate and an entry.
    asking: Option<Dialog<(SessionId, EntryId)>>,
    work: PaidWork<Arc<PlannedAblation>, ReplicatesProgress>,
    /// What replicates without an entry came to.
    reports: Option<(EntryId, Result<Vec<AblationReport>, WorkspaceError>)>,
}

impl<M: Send + 'static> LeaveOneOut<M> {
    pub(in crate::tui) fn new(wrap: fn(ReplicatesMessage) -> M) -> Self {
        Self {
            wrap,
            asking: None,
            work: PaidWork::default(),
            reports: None,
        }
    }

    /// Asks how many replicates are played without the chosen entry: of the debate that is pointed at, or of the
    /// newest that was shown it. `None` where it is not known yet which were.
    pub(in crate::tui) fn ask_count(
        &mut self,
        memory: &MemoryBrowser,
        session_at_cursor: Option<&SessionId>,
    ) -> Option<Vec<Effect>> {
        if self.is_running() {
            let stop = key_for(Context::Memory, Action::Interrupt);
            return Some(say_notice(format!(
                "replicates are being played: {stop} stops them"
            )));
        }
        let (session, entry) = match memory.debate_to_repeat(session_at_cursor) {
            Ok(of) => of?,
            Err(why) => return Some(say_notice(why)),
        };
        let hint = format!("Enter says what repeating {session} would cost · Esc leaves");
        let text = ReplicateCount::default().to_string();
        let title = "pairs of debates, with it and without:";
        self.asking = Some(Dialog::new_line_prompt(
            title,
            &hint,
            &text,
            (session, entry),
        ));
        Some(Vec::new())
    }

    /// Says whether keys answer a question.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.asking.is_some() || self.work.is_asking()
    }

    pub(in crate::tui) fn is_running(&self) -> bool {
        self.work.is_running()
    }

    /// Takes a key of the answer.
    pub(in crate::tui) fn handle_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if let Some(DialogAnswer::Line(of, text)) = Dialog::answer_key(&mut self.asking, key) {
            return match (text.parse::<ReplicateCount>(), text.is_empty()) {
                (_, true) => Vec::new(),
                (Ok(count), false) => self.look_up_price(of, count),
                (Err(why), false) => say_notice(why),
            };
        }
        match self.work.handle_key(key) {
            Some(PriceAnswer::Yes(planned)) => {
                let stop = self
                    .work
                    .start_work(ReplicatesProgress::from_planned(&planned));
                vec![Effect::Start(play_ablation(planned, stop, self.wrap))]
            }
            Some(PriceAnswer::No) => say_notice("nothing was begun"),
            None => Vec::new(),
        }
    }

    fn look_up_price(
        &mut self,
        (session, entry): (SessionId, EntryId),
        count: ReplicateCount,
    ) -> Vec<Effect> {
        let Some(ticket) = self.work.begin_pricing() else {
            return Vec::new();
        };
        let wrap = self.wrap;
        vec![Effect::Start(Task::new_blocking(
            "plan replicates",
            move |services| {
                let plan = plan_replicates(
                    services,
                    services.defaults.budget_usd,
                    &session,
                    &entry,
                    count,
                );
                let plan = plan.map(Arc::new);
                wrap(ReplicatesMessage::Planned(ticket, plan))
            },
        ))]
    }

    pub(in crate::tui) fn paste_text(&mut self, text: &str) {
        if let Some(dialog) = &mut self.asking {
            dialog.paste_text(text);
        }
    }

    /// Begins no more of them, or says nothing where none are played.
    pub(in crate::tui) fn stop_replicates(&self) -> Option<Vec<Effect>> {
        let has_stopped = self.work.stop_work();
        has_stopped.then(|| say_notice("no more replicates begin; what was begun is kept"))
    }

    /// Reads what runs that left an entry out came to.
    pub(in crate::tui) fn read_reports(&self, entry: EntryId) -> Effect {
        let wrap = self.wrap;
        Effect::Start(Task::new_blocking("read ablations", move |services| {
            let reports = list_ablations(&services.store.layout, &entry.0);
            wrap(ReplicatesMessage::Read(entry, reports))
        }))
    }

    /// Takes the result of a task; `chosen` is the entry whose page is shown.
    pub(in crate::tui) fn update(
        &mut self,
        message: ReplicatesMessage,
        chosen: Option<&EntryId>,
    ) -> Vec<Effect> {
        match message {
            ReplicatesMessage::Planned(ticket, planned) if self.work.accept_ticket(ticket) => {
                match planned {
                    Ok(planned) => {
                        let question = planned.build_question();
                        self.work.ask_to_begin("Leave one out", &question, planned);
                        Vec::new()
                    }
                    Err(why) => say_error(why),
                }
            }
            ReplicatesMessage::Planned(..) => Vec::new(),
            ReplicatesMessage::Update(ReplicatesUpdate::Ended(why)) if self.is_running() => {
                self.work.end_work(why);
                let mut effects =
                    say_notice("the replicates are over: the page of the entry has the results");
                effects.extend(chosen.map(|entry| self.read_reports(entry.clone())));
                effects
            }
            ReplicatesMessage::Update(update) => {
                if let Some(progress) = self.work.progress_mut() {
                    progress.apply_update(&update);
                }
                Vec::new()
            }
            ReplicatesMessage::Read(entry, reports) => {
                self.reports = Some((entry, reports));
                Vec::new()
            }
        }
    }

    /// Returns what they came to on the page of an entry.
    pub(in crate::tui) fn page_items(&self, entry: Option<&EntryId>) -> Vec<PageItem> {
        let early = match self.work.work_status() {
            WorkStatus::Over(why) => why,
            WorkStatus::Nothing | WorkStatus::Pricing | WorkStatus::Going(_) => None,
        };
        let entry_reports = self.reports.as_ref().filter(|(of, _)| Some(of) == entry);
        build_replicate_items(early, entry_reports.map(|(_, reports)| reports))
    }

    /// Says how far they are, in words that name keys by their marks.
    pub(in crate::tui) fn describe_status(&self) -> Option<String> {
        match self.work.work_status() {
            WorkStatus::Pricing => Some("working out what it would cost".to_owned()),
            WorkStatus::Going(progress) => {
                let stop = key_for(Context::Memory, Action::Interrupt);
                Some(format!("leave one out: {progress}, {stop} stops"))
            }
            WorkStatus::Nothing | WorkStatus::Over(_) => None,
        }
    }

    /// Says what is lost when the program is left now.
    pub(in crate::tui) fn describe_open_work(&self) -> Option<String> {
        let words = "replicates that leave an entry out are being played";
        self.is_running().then(|| words.to_owned())
    }

    /// Says how to look at them, where the screen is left before they are over.
    pub(in crate::tui) fn say_run_continues(&self) -> Option<Effect> {
        let WorkStatus::Going(ReplicatesProgress { run: Some(run), .. }) = self.work.work_status()
        else {
            return None;
        };
        let text = format!("they continue: elenchus memory ablate --show {run}");
        Some(Effect::Say(Role::Notice, text))
    }

    /// Draws the question; returns the cursor of its line.
    pub(in crate::tui) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.work.draw(area, buffer, context);
        self.asking.as_ref()?.draw(area, buffer, context)
    }
}

/// Plays what was planned; it goes on when the screen is left.
fn play_ablation<M: Send + 'static>(
    planned: Arc<PlannedAblation>,
    stop: StopSignal,
    wrap: fn(ReplicatesMessage) -> M,
) -> Task {
    Task::new_stream("play replicates", move |services, replies| async move {
        let (run, concurrency) = (services.run.clone(), services.defaults.concurrency);
        let tell = move |update| replies.send_message(wrap(ReplicatesMessage::Update(update)));
        let playing = play_replicates(run, concurrency, &planned, stop.clone(), tell);
        services.run_until_exit(stop.pause, playing).await;
    })
}
