//! Trial that is watched: the recorded reply and the samples of one turn, as columns whose first is the recorded
//! reply; what can be asked of them, and what is said about them. Pure.

use super::live_sample::LiveSample;
use super::question::{TrialAnswer, TrialPurpose, TrialQuestion};
use super::text::{self, TrialLayout};
use super::trial_turn::{TrialTurn, TryWish, list_rolls};
use crate::experiments::StopSignal;
use crate::experiments::prompt_trial::{
    MAX_SAMPLES, RollForward, TrialUpdate, TriedCall, TryPlan, list_target_findings,
};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::{SessionId, State, Target};
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::{Content, Paragraph, Role, cost};
use elenchus_view::debate_text::{AttemptOptions, finding_label, role_of};

/// What a trial leaves as it was.
pub const OFF_THE_PATH: &str = "one step off the recorded path: the session is as it was";

/// A trial while somebody watches it.
pub struct LiveTrial {
    pub wish: TryWish,
    /// The turn; the reason why there is none.
    pub card: Result<Box<TrialTurn>, WorkspaceError>,
    samples: Vec<LiveSample>,
    /// Roll-forward of the last samples.
    roll: RollForward,
    playing: Option<(TryPlan, StopSignal)>,
}

/// What a column is called in one word, with what was found on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialTab {
    pub name: String,
    pub finding: String,
    pub role: Role,
}

/// Returns what samples cost together, in words.
pub fn describe_sample_cost<'a>(samples: impl Iterator<Item = &'a State>) -> String {
    let (mut usd, mut unpriced_calls) = (0.0, 0);
    for spend in samples.map(State::spend) {
        usd += spend.cost_usd;
        unpriced_calls += spend.unpriced_calls;
    }
    cost::format_cost_sum(usd, unpriced_calls)
}

impl LiveTrial {
    /// A trial whose turn is still to be read.
    pub fn new(wish: TryWish) -> Self {
        Self {
            wish,
            card: reject("reading the turn"),
            samples: Vec::new(),
            roll: RollForward::Turn,
            playing: None,
        }
    }

    /// Returns the number of columns.
    pub fn column_count(&self) -> usize {
        self.samples.len() + 1
    }

    /// Returns the sample in a column; `None` for the recorded reply.
    pub fn sample(&self, column: usize) -> Option<&LiveSample> {
        self.samples.get(column.checked_sub(1)?)
    }

    /// Returns the plan of the samples that are being played.
    pub fn playing_plan(&self) -> Option<&TryPlan> {
        self.playing.as_ref().map(|(plan, _)| plan)
    }

    /// Returns the question before samples are asked for; without any samples it is about the first ones. `stop`
    /// is the mark of the key that stops samples.
    ///
    /// # Errors
    /// When none can be asked for now; says why.
    pub fn build_question(
        &self,
        purpose: TrialPurpose,
        stop: char,
    ) -> Result<TrialQuestion, WorkspaceError> {
        if let Err(why) = &self.card {
            return Err(why.clone());
        }
        if self.playing.is_some() {
            return reject(format!("samples are being played: {stop} stops them"));
        }
        let present = u32::try_from(self.samples.len()).unwrap_or(u32::MAX);
        let purpose = match present {
            0 => TrialPurpose::More,
            _ => purpose,
        };
        if purpose == TrialPurpose::Onward && self.wish.call.turn().is_none() {
            return reject(format!(
                "{} is asked for alone: no debate goes on with it",
                self.wish.call
            ));
        }
        if purpose == TrialPurpose::More && present >= MAX_SAMPLES {
            return reject(format!(
                "there are {MAX_SAMPLES} samples: a comparison takes more"
            ));
        }
        let rolls = list_rolls(&self.wish.call);
        Ok(TrialQuestion::new(purpose, present, (self.roll, rolls)))
    }

    /// Returns the plan of an answer, and what stops it: samples that go on or are asked anew keep their numbers.
    pub fn begin_samples(&mut self, answer: TrialAnswer) -> (TryPlan, StopSignal) {
        let mut numbers = self.samples.iter().map(|sample| sample.number);
        let first_sample = match answer.purpose {
            TrialPurpose::More => numbers.max().map_or(0, |last| last.saturating_add(1)),
            TrialPurpose::Onward | TrialPurpose::Anew => numbers.next().unwrap_or(0),
        };
        self.roll = answer.roll;
        let budget_usd = self.card.as_ref().map_or(None, |card| card.budget_usd);
        let plan = TryPlan {
            samples: answer.samples,
            first_sample,
            repeats: answer.purpose.repeats(),
            ..self.wish.plan_one_sample(answer.roll, budget_usd)
        };
        self.playing
            .insert((plan, StopSignal::new_immediate()))
            .clone()
    }

    /// Plays no more samples; says whether any were played.
    pub fn stop_samples(&self) -> bool {
        if let Some((_, stop)) = &self.playing {
            stop.pause.cancel();
        }
        self.playing.is_some()
    }

    /// Nothing is played any more.
    pub fn end_play(&mut self) {
        self.playing = None;
    }

    /// Takes in what came of a sample, and returns its column.
    pub fn apply_update(&mut self, update: TrialUpdate) -> Option<usize> {
        let number = match &update {
            TrialUpdate::Begun { number, .. }
            | TrialUpdate::Live { number, .. }
            | TrialUpdate::Ended { number, .. } => *number,
        };
        let place = self.samples.binary_search_by_key(&number, |one| one.number);
        let at = match (update, place) {
            (TrialUpdate::Begun { session, state, .. }, place) => {
                let sample = LiveSample::new(number, session, state);
                match place {
                    // It is begun again.
                    Ok(at) => self.samples.splice(at..=at, [sample]).for_each(drop),
                    Err(at) => self.samples.insert(at, sample),
                }
                place.unwrap_or_else(|at| at)
            }
            (TrialUpdate::Live { event, .. }, Ok(at)) => {
                self.samples.get_mut(at)?.apply_event(&event);
                at
            }
            (TrialUpdate::Ended { end, .. }, Ok(at)) => {
                self.samples.get_mut(at)?.end_sample(end);
                at
            }
            (TrialUpdate::Live { .. } | TrialUpdate::Ended { .. }, Err(_)) => return None,
        };
        Some(at + 1)
    }

    /// Returns the sample in a column, if it can be made a session of its own. `next` is the mark of the key that
    /// goes to the next column.
    ///
    /// # Errors
    /// When it cannot; says why.
    pub fn adoptable_sample(
        &self,
        column: usize,
        next: char,
    ) -> Result<&LiveSample, WorkspaceError> {
        let Some(sample) = self.sample(column) else {
            return reject(format!(
                "this is the recorded reply: {next} goes to the samples"
            ));
        };
        if !sample.is_over() {
            return reject("this sample is still being played");
        }
        if !sample.has_reply(&self.wish.call) {
            let why = "this sample brought no reply: there is nothing to adopt";
            return reject(why);
        }
        Ok(sample)
    }

    /// A sample was made a session of its own; says whether it is still among the columns.
    pub fn note_adoption(&mut self, session: &SessionId) -> bool {
        let mut samples = self.samples.iter_mut();
        let sample = samples.find(|sample| sample.session == *session);
        sample.map(|sample| sample.adopted = true).is_some()
    }

    /// Returns the session of a column.
    pub fn column_session(&self, column: usize) -> &SessionId {
        let sample = self.sample(column).map(|sample| &sample.session);
        sample.unwrap_or(&self.wish.session)
    }

    /// Returns the state of a column; `None` where no reply came yet.
    pub fn column_state(&self, column: usize) -> Option<&State> {
        match self.sample(column) {
            Some(sample) => sample.has_reply(&self.wish.call).then_some(&*sample.state),
            None => Some(&self.card.as_ref().ok()?.recorded),
        }
    }

    /// Returns the words of a column.
    pub fn reply_text(&self, column: usize) -> Option<String> {
        let state = self.column_state(column)?;
        self.wish.call.find_text(state)
    }

    /// Returns the first finding on a column.
    fn first_finding(&self, column: usize) -> Option<Outcome> {
        let findings = self.wish.call.list_findings(self.column_state(column)?);
        findings.into_iter().next().map(|(_, found)| found)
    }

    /// Returns what a column is called, with what was found on a sample.
    pub fn column_title(&self, column: usize) -> String {
        let Some(sample) = self.sample(column) else {
            return "recorded".to_owned();
        };
        let finding = self.first_finding(column);
        let finding_text = finding.map(|found| format!(" · {}", finding_label(&found)));
        let adoption_note = if sample.adopted { " · adopted" } else { "" };
        format!(
            "sample {}{}{adoption_note}",
            sample.number + 1,
            finding_text.unwrap_or_default()
        )
    }

    /// Says whether the text of a column still grows.
    pub fn is_growing(&self, column: usize) -> bool {
        let sample = self.sample(column);
        sample.is_some_and(|sample| !sample.coming.is_empty())
    }

    /// Returns the text of a column; the recorded reply is compared with the sample in another one.
    pub fn column_page(
        &self,
        column: usize,
        against: Option<usize>,
        (layout, show): (TrialLayout, AttemptOptions),
    ) -> Vec<Paragraph> {
        let Ok(card) = &self.card else {
            return Vec::new();
        };
        let call = &self.wish.call;
        match self.sample(column) {
            Some(sample) => text::sample_page(sample, &card.recorded, call, (layout, show)),
            None => {
                let other = against.filter(|_| layout == TrialLayout::Beside);
                let other = other.and_then(|column| self.sample(column));
                text::recorded_page(&card.recorded, call, other, show)
            }
        }
    }

    /// Returns all replies as one text, masked where content is.
    pub fn whole_text(&self, content: Content) -> String {
        let mut page = format!("{} of session {}\n", self.wish.call, self.wish.session);
        for column in 0..self.column_count() {
            let text = content.show_or_mask(&self.reply_text(column).unwrap_or_default());
            page.push_str(&format!("\n=== {}\n{text}\n", self.column_title(column)));
        }
        page
    }

    /// Returns the tab of a column.
    pub fn column_tab(&self, column: usize) -> TrialTab {
        let finding = self.first_finding(column);
        let label_and_role = finding.map(|found| (finding_label(&found), role_of(&found)));
        let (name, found) = match self.sample(column) {
            Some(sample) => {
                let sample_finding =
                    label_and_role.unwrap_or_else(|| self.describe_no_finding(sample));
                ((sample.number + 1).to_string(), Some(sample_finding))
            }
            None => ("recorded".to_owned(), label_and_role),
        };
        let role = found.as_ref().map_or(Role::Muted, |(_, role)| *role);
        let finding_text = found.map_or_else(String::new, |(found, _)| format!(": {found}"));
        TrialTab {
            name,
            finding: finding_text,
            role,
        }
    }

    /// Says how a sample without a finding is: of a seat that is never judged, what was found on the turns that
    /// followed.
    fn describe_no_finding(&self, sample: &LiveSample) -> (String, Role) {
        if !sample.is_over() {
            return ("speaking".to_owned(), Role::Streaming);
        }
        if !sample.has_reply(&self.wish.call) {
            return ("none".to_owned(), Role::Error);
        }
        let turn = match &self.wish.call {
            TriedCall::Turn(turn) => turn,
            TriedCall::Verdict(_) => return ("no verdict".to_owned(), Role::Muted),
            TriedCall::GuardDecision(_) => return ("no decision".to_owned(), Role::Muted),
            TriedCall::Lesson(_) | TriedCall::Derivation(_) => {
                return ("written".to_owned(), Role::Muted);
            }
        };
        let later_turns = sample.following_turns(turn).into_iter();
        let findings =
            later_turns.flat_map(|id| list_target_findings(&sample.state, &Target::Attempt(id)));
        let roles: Vec<Role> = findings.map(|(_, outcome)| role_of(&outcome)).collect();
        let bad = roles.iter().filter(|role| **role == Role::Unsafe).count();
        match (roles.len(), bad) {
            (0, _) => ("not judged".to_owned(), Role::Muted),
            (all, 0) => (format!("0 of {all} judged unsafe"), Role::Safe),
            (all, bad) => (format!("{bad} of {all} judged unsafe"), Role::Unsafe),
        }
    }

    /// Returns what is tried on which turn.
    pub fn heading(&self) -> Paragraph {
        let call = &self.wish.call;
        let mut line = Paragraph::new(Role::Strong, format!("try {call}"));
        if let Ok(card) = &self.card {
            // Before what a narrow screen cuts off.
            if card.is_simulated() {
                line = line.with_run(Role::Simulated, " SIMULATED");
            }
            if let Some(chair) = call.find_chair(&card.recorded) {
                let name = card.recorded.name_of(&chair);
                line = line.with_run(Role::Muted, format!(" · {name}"));
            }
        }
        let with = match &self.wish.change {
            Some(change) => format!(" · {} as in {}", change.template, change.named),
            None => " · the prompt as it was recorded".to_owned(),
        };
        line.with_run(Role::Muted, with)
    }

    /// Says what a trial is, and what is marked in it.
    pub fn footer(&self, show: AttemptOptions) -> Paragraph {
        let how = match show.difference && !self.samples.is_empty() {
            true => "; marked: what differs from the recorded reply",
            false => "",
        };
        Paragraph::new(Role::Muted, format!("{OFF_THE_PATH}{how}"))
    }

    /// Says how far the samples are, and what they cost.
    pub fn describe_progress(&self) -> String {
        let over = self.samples.iter().filter(|sample| sample.is_over());
        let cost = describe_sample_cost(self.samples.iter().map(|sample| &*sample.state));
        match (self.samples.len(), self.playing.is_some()) {
            (0, false) => String::new(),
            (0, true) => "the seat is being asked".to_owned(),
            (all, true) => format!("{} of {all} over, {cost}", over.count()),
            (1, false) => format!("1 sample, {cost}"),
            (all, false) => format!("{all} samples, {cost}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Repeats;
    use crate::experiments::prompt_trial::SampleEnd;
    use elenchus_game::debate::TurnId;
    use std::sync::Arc;

    fn trial() -> LiveTrial {
        LiveTrial::new(TryWish {
            session: SessionId::new("01SESSION"),
            call: TriedCall::Turn(TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap()),
            change: None,
        })
    }

    /// A trial whose turn was read.
    fn ready() -> LiveTrial {
        let card = TrialTurn {
            recorded: State::default(),
            prices: Vec::new(),
            budget_usd: Some(2.5),
        };
        LiveTrial {
            card: Ok(Box::new(card)),
            ..trial()
        }
    }

    fn begins(trial: &mut LiveTrial, number: u32) -> Option<usize> {
        trial.apply_update(TrialUpdate::Begun {
            number,
            session: SessionId::new(format!("01SAMPLE{number}")),
            state: Arc::default(),
        })
    }

    #[test]
    fn nothing_is_asked_before_the_turn_is_read_or_while_samples_are_played() {
        let mut trial = trial();
        let why = trial.build_question(TrialPurpose::More, 'x').unwrap_err();
        assert_eq!(why.to_string(), "reading the turn");
        trial.card = ready().card;
        // Without samples none can go on.
        let question = trial.build_question(TrialPurpose::Onward, 'x').unwrap();
        assert_eq!(question.purpose, TrialPurpose::More);
        let (_, stop) = trial.begin_samples(question.parse_answer("2").unwrap());
        let why = trial.build_question(TrialPurpose::More, 'x').unwrap_err();
        assert_eq!(why.to_string(), "samples are being played: x stops them");
        assert_eq!(trial.describe_progress(), "the seat is being asked");
        assert!(trial.stop_samples() && stop.pause.is_cancelled());
        trial.end_play();
        assert!(!trial.stop_samples() && trial.playing_plan().is_none());
    }

    #[test]
    fn more_samples_get_new_numbers_and_others_keep_theirs() {
        let mut trial = ready();
        for number in [2, 1] {
            begins(&mut trial, number);
        }
        let mut planned = |purpose| {
            let question = trial.build_question(purpose, 'x').unwrap();
            let (plan, _) = trial.begin_samples(question.parse_answer("3").unwrap());
            trial.end_play();
            (plan.first_sample, plan.samples, plan.roll, plan.repeats)
        };
        let (serve, turn) = (Repeats::Serve, RollForward::Turn);
        assert_eq!(planned(TrialPurpose::More), (3, 3, turn, serve));
        let onward = (1, 2, RollForward::Next, serve);
        assert_eq!(planned(TrialPurpose::Onward), onward);
        // As far as the last ones.
        let anew = (1, 2, RollForward::Next, Repeats::AskAnew);
        assert_eq!(planned(TrialPurpose::Anew), anew);
    }

    #[test]
    fn samples_stand_in_the_order_of_their_numbers_and_one_that_is_begun_again_stays_there() {
        let mut trial = ready();
        assert_eq!(begins(&mut trial, 1), Some(1));
        assert_eq!(begins(&mut trial, 0), Some(1));
        let left = |number| TrialUpdate::Ended {
            number,
            end: SampleEnd::Stopped,
        };
        assert_eq!(trial.apply_update(left(1)), Some(2));
        assert_eq!(trial.apply_update(left(7)), None);
        assert_eq!(trial.column_tab(2).finding, ": none");
        assert_eq!(begins(&mut trial, 1), Some(2));
        assert_eq!(trial.column_count(), 3);
        assert_eq!(trial.column_tab(2).finding, ": speaking");
        assert_eq!(trial.describe_progress(), "2 samples, $0.0000");
    }

    #[test]
    fn only_a_sample_that_brought_a_reply_is_adopted() {
        let mut trial = ready();
        begins(&mut trial, 0);
        let why = |trial: &LiveTrial, column| trial.adoptable_sample(column, ']').err().unwrap();
        assert!(
            why(&trial, 0)
                .to_string()
                .ends_with("] goes to the samples")
        );
        assert_eq!(
            why(&trial, 1).to_string(),
            "this sample is still being played"
        );
        trial.apply_update(TrialUpdate::Ended {
            number: 0,
            end: SampleEnd::Played,
        });
        assert!(why(&trial, 1).to_string().contains("brought no reply"));
    }
}
