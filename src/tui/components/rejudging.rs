//! Judging again: sessions are judged once more, after the price was said. The list of sessions and the
//! comparison of two do it alike.

use super::paid_work::{PaidWork, PriceAnswer, WorkStatus};
use crate::tui::app::{Effect, Task, Ticket, say_error, say_notice};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::widgets::DrawContext;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::pass::PassRules;
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_run::experiments::StopSignal;
use elenchus_run::experiments::rejudge::{
    PassPlan, PassProgress, PassUpdate, PassWork, RejudgingPass, plan_pass,
};
use elenchus_text::format_grouped_count;
use elenchus_text::price::{describe_ceiling, describe_price};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Result of one of its tasks.
pub enum RejudgeMessage {
    Priced(Ticket, Result<Box<PricedPass>, WorkspaceError>),
    Update(PassUpdate),
}

/// A pass that could begin, with what it has to do.
pub struct PricedPass {
    plan: PassPlan,
    work: PassWork,
    sessions: usize,
    budget_usd: Option<f64>,
}

/// A pass from the question for its price to its end.
#[derive(Default)]
pub(in crate::tui) struct Rejudging(PaidWork<Box<PricedPass>, PassProgress>);

impl Rejudging {
    /// Asks for the price of judging sessions again; stops the pass that goes on.
    pub(in crate::tui) fn ask_price_or_stop<M: Send + 'static>(
        &mut self,
        sessions: Vec<SessionId>,
        wrap: fn(RejudgeMessage) -> M,
    ) -> Vec<Effect> {
        if self.0.stop_work() {
            return Vec::new();
        }
        let price = self.0.begin_pricing();
        let price = price.map(|ticket| Effect::Start(look_up_price(ticket, sessions, wrap)));
        price.into_iter().collect()
    }

    /// Says whether the price is on the screen: keys answer it.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.0.is_asking()
    }

    pub(in crate::tui) fn is_running(&self) -> bool {
        self.0.is_running()
    }

    /// Takes a key of the answer to the price.
    pub(in crate::tui) fn handle_key<M: Send + 'static>(
        &mut self,
        key: KeyEvent,
        wrap: fn(RejudgeMessage) -> M,
    ) -> Vec<Effect> {
        match self.0.handle_key(key) {
            Some(PriceAnswer::Yes(pass)) => {
                let stop = self.0.start_work(PassProgress::default());
                vec![Effect::Start(play_pass(pass.plan, stop, wrap))]
            }
            Some(PriceAnswer::No) | None => Vec::new(),
        }
    }

    /// Takes the result of a task.
    pub(in crate::tui) fn update(&mut self, message: RejudgeMessage) -> Vec<Effect> {
        match message {
            RejudgeMessage::Priced(ticket, priced) if self.0.accept_ticket(ticket) => {
                match priced {
                    Ok(pass) if pass.is_empty() => say_error(
                        "there is nothing to judge again: no turn that counts, or no rule of the \
                     protocol that asks a judge",
                    ),
                    Ok(pass) => {
                        let question = pass.describe_price();
                        self.0.ask_to_begin("Judge again", &question, pass);
                        Vec::new()
                    }
                    Err(why) => say_error(why),
                }
            }
            RejudgeMessage::Priced(..) => Vec::new(),
            RejudgeMessage::Update(update) => self
                .note_progress(&update)
                .map_or_else(Vec::new, say_notice),
        }
    }

    fn note_progress(&mut self, update: &PassUpdate) -> Option<String> {
        let message = self.0.progress_mut()?.apply_update(update);
        if matches!(update, PassUpdate::Ended(_)) {
            self.0.end_work(message.clone());
        }
        message
    }

    /// Returns how far it is, in words that name keys by their marks; not how it ended, which was said then.
    pub(in crate::tui) fn describe_progress(&self, context: Context) -> Option<String> {
        match self.0.work_status() {
            WorkStatus::Nothing | WorkStatus::Over(_) => None,
            WorkStatus::Pricing => Some("looking what judging again costs".to_owned()),
            WorkStatus::Going(progress) => Some(format!(
                "judging again: {progress}; {} stops it",
                key_for(context, Action::Rejudge)
            )),
        }
    }

    /// Returns how far it is, or how it ended.
    pub(in crate::tui) fn describe_status(&self, context: Context) -> Option<String> {
        match self.0.work_status() {
            WorkStatus::Over(said) => said.map(str::to_owned),
            WorkStatus::Nothing | WorkStatus::Pricing | WorkStatus::Going(_) => {
                self.describe_progress(context)
            }
        }
    }

    /// Says what is lost when the program is left now.
    pub(in crate::tui) fn describe_open_work(&self) -> Option<String> {
        self.is_running()
            .then(|| "judging again, which can be resumed".to_owned())
    }

    /// Draws the price and the question.
    pub(in crate::tui) fn draw(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        self.0.draw(area, buffer, context);
    }
}

impl PricedPass {
    fn is_empty(&self) -> bool {
        self.work.verdicts == 0 && self.work.unreadable == 0
    }

    fn describe_price(&self) -> String {
        let unreadable = match self.work.unreadable {
            0 => String::new(),
            count => format!(", {count} of which cannot be judged"),
        };
        let price = match self.work.estimate.at_most.calls {
            0 => "no model is asked, $0".to_owned(),
            _ => describe_price(&self.work.estimate),
        };
        let ceiling = describe_ceiling(self.budget_usd);
        format!(
            "{} in {}{unreadable}, by {}: {price}; {ceiling}. Judge again?",
            format_grouped_count(self.work.verdicts, "verdict"),
            format_grouped_count(self.sessions, "session"),
            self.plan.rules(),
        )
    }
}

fn look_up_price<M: Send + 'static>(
    ticket: Ticket,
    sessions: Vec<SessionId>,
    wrap: fn(RejudgeMessage) -> M,
) -> Task {
    Task::new_blocking("price judging again", move |services| {
        let budget_usd = services.defaults.budget_usd;
        let context = services.experiment_context(StopSignal::new_immediate());
        let count = sessions.len();
        let rules = PassRules::Own { model: None };
        let plan = plan_pass(&context, sessions, rules, Ceilings::from_usd(budget_usd));
        let pass_result = plan.map(|plan| {
            Box::new(PricedPass {
                work: plan.compute_work(),
                plan,
                sessions: count,
                budget_usd,
            })
        });
        wrap(RejudgeMessage::Priced(ticket, pass_result))
    })
}

fn play_pass<M: Send + 'static>(
    plan: PassPlan,
    stop: StopSignal,
    wrap: fn(RejudgeMessage) -> M,
) -> Task {
    Task::new_stream("judge again", move |services, replies| async move {
        let send_update = |update| replies.send_message(wrap(RejudgeMessage::Update(update)));
        let context = services.experiment_context(stop.clone());
        let (tell, mut updates) = tokio::sync::mpsc::unbounded_channel();
        let pass = tokio::spawn(services.clone().run_until_exit(stop.pause, async move {
            let mut pass = RejudgingPass::begin(&context, plan).await?;
            pass.judge_missing(&context, tell).await
        }));
        while let Some(update) = updates.recv().await {
            send_update(update);
        }
        let result = match pass.await {
            Ok(ended) => ended,
            Err(_) => reject("the pass ended abnormally; its verdicts so far are kept"),
        };
        send_update(PassUpdate::Ended(result));
    })
}
