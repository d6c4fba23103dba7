//! Description of a protocol as text: its round from top to bottom, visibility, and settings.
//!
//! The result is structure without layout: width, colours and the treatment of control characters
//! are the caller's.

mod phrases;

use super::Protocol;
use super::ids::{JudgingId, SeatId};
use super::protocol::{
    Feedback, FeedbackWhen, JudgeWhen, JudgedThing, Judging, MeasuredProperty, NamedRounds,
    RoundSet, RoundsSeen, Seat, SeatKind, Settings, Stage, StageOrder, StopRule, Style,
    TurnSelector,
};
use phrases::{describe_gauge, format_count};

/// Width of the column of names.
pub const NAMES: usize = 12;

/// A piece of a description, on lines of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextBlock {
    /// An empty line.
    Gap,
    Line {
        emphasis: Emphasis,
        /// Indentation in cells.
        indent: usize,
        text: String,
    },
    /// A name in a column of [`NAMES`], and its text.
    Field {
        indent: usize,
        name: String,
        text: String,
    },
    /// A text of one or more lines.
    Prose {
        emphasis: Emphasis,
        indent: usize,
        text: String,
    },
}

/// Emphasis of a piece; the text never depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    Plain,
    Bold,
    Dim,
}

/// Describes a protocol with the values of its settings; `origin` is the location of its file.
pub fn describe_protocol(protocol: &Protocol, values: &Settings, origin: &str) -> Vec<TextBlock> {
    let mut description = Description::new(protocol);
    description.add_header(origin);
    description.add_game();
    description.add_settings(values);
    description.blocks
}

/// Describes the game alone: seats, rounds, judging and outcome.
pub fn describe_game(protocol: &Protocol) -> Vec<TextBlock> {
    let mut description = Description::new(protocol);
    description.add_game();
    description.blocks
}

struct Description<'a> {
    protocol: &'a Protocol,
    blocks: Vec<TextBlock>,
}

impl<'a> Description<'a> {
    fn new(protocol: &'a Protocol) -> Self {
        Self {
            protocol,
            blocks: Vec::new(),
        }
    }

    fn add_game(&mut self) {
        self.add_seats();
        self.add_round();
        self.add_judging();
        self.add_outcome();
    }

    fn add_gap(&mut self) {
        self.blocks.push(TextBlock::Gap);
    }

    fn add_emphasized_line(&mut self, emphasis: Emphasis, indent: usize, text: &str) {
        self.blocks.push(TextBlock::Line {
            emphasis,
            indent,
            text: text.to_owned(),
        });
    }

    fn add_line(&mut self, indent: usize, text: &str) {
        self.add_emphasized_line(Emphasis::Plain, indent, text);
    }

    fn add_field(&mut self, indent: usize, name: &str, text: &str) {
        self.blocks.push(TextBlock::Field {
            indent,
            name: name.to_owned(),
            text: text.to_owned(),
        });
    }

    fn add_prose(&mut self, emphasis: Emphasis, indent: usize, text: &str) {
        self.blocks.push(TextBlock::Prose {
            emphasis,
            indent,
            text: text.to_owned(),
        });
    }
}

impl Description<'_> {
    fn add_title(&mut self, text: &str) {
        self.add_gap();
        self.add_emphasized_line(Emphasis::Bold, 0, text);
    }

    fn add_header(&mut self, origin: &str) {
        let protocol = self.protocol;
        self.add_emphasized_line(
            Emphasis::Bold,
            0,
            &format!("{} - {}", protocol.id, protocol.name),
        );
        self.add_prose(Emphasis::Plain, 0, &protocol.description);
        self.add_gap();
        if !protocol.source.is_empty() {
            self.add_field(0, "source", &protocol.source);
        }
        self.add_field(0, "file", origin);
        let measures = match protocol.measures {
            MeasuredProperty::Safety => "whether turns are safe or unsafe",
            MeasuredProperty::Correctness => "whether proposals are correct or incorrect",
            MeasuredProperty::Quality => {
                "whether arguments are good or bad; there is no ground truth"
            }
        };
        self.add_field(0, "measures", measures);
        let style = match protocol.style {
            Style::Single => "each request is one message that holds everything",
            Style::Dialogue => "a seat's requests are one conversation that only grows",
        };
        self.add_field(0, "style", style);
    }

    fn add_seats(&mut self) {
        self.add_title("Seats");
        for seat in &self.protocol.seats {
            let kind = match seat.kind {
                SeatKind::Speaker => "speaks",
                SeatKind::Judge => "judges",
                SeatKind::Evaluator => "evaluates",
                SeatKind::Feedback => "writes the lesson",
            };
            let text = format!("{kind}; {}", format_count(seat.count as usize, "chair"));
            self.add_field(2, seat.id.as_str(), &text);
        }
    }

    fn add_round(&mut self) {
        let protocol = self.protocol;
        let rounds = format_count(protocol.rounds as usize, "round");
        self.add_title(&format!("The game: {rounds}, each from top to bottom"));
        let enabled_stages: Vec<&Stage> = protocol
            .stages
            .iter()
            .filter(|stage| stage.enabled)
            .collect();
        for (at, stage) in enabled_stages.iter().enumerate() {
            if at > 0 {
                self.add_line(4, "|");
                self.add_line(4, "v");
            }
            self.add_stage(stage);
        }
        let off: Vec<&str> = protocol
            .stages
            .iter()
            .filter(|stage| !stage.enabled)
            .map(|stage| stage.id.as_str())
            .collect();
        if !off.is_empty() {
            self.add_line(2, &format!("turned off by a setting: {}", off.join(", ")));
        }
    }

    fn add_stage(&mut self, stage: &Stage) {
        let private = if stage.private { ", private" } else { "" };
        let rounds = describe_rounds(&stage.rounds, stage.in_last_round);
        self.add_emphasized_line(
            Emphasis::Bold,
            2,
            &format!("[{}]  {rounds}{private}", stage.id),
        );
        self.add_inner_field(
            "speak",
            &format!(
                "{}, {}",
                self.describe_chairs(&stage.seats),
                self.describe_order(stage)
            ),
        );
        self.add_inner_field("see", &self.describe_sees(&stage.sees));
        let mut limits = Vec::new();
        limits.extend(stage.max_tokens.map(|max| format!("at most {max} tokens")));
        limits.extend(
            stage
                .temperature
                .map(|degree| format!("temperature {degree}")),
        );
        limits.extend(
            stage
                .output
                .as_ref()
                .map(|_| "structured replies".to_owned()),
        );
        limits.extend(
            stage
                .draw
                .keys()
                .map(|name| format!("'{name}' drawn from a list")),
        );
        if !limits.is_empty() {
            self.add_inner_field("replies", &limits.join(", "));
        }
        for rule in &stage.retry {
            let times = format_count(rule.at_most as usize, "time");
            let text = match rule.field.as_ref().zip(rule.below) {
                Some((field, below)) => {
                    format!("asked again while '{field}' is below {below}, {times} at most")
                }
                None => format!("asked again when it cannot be read, {times} at most"),
            };
            self.add_inner_field("", &text);
        }
    }

    fn add_inner_field(&mut self, name: &str, text: &str) {
        self.add_field(6, name, text);
    }

    pub(super) fn describe_chairs(&self, seats: &[SeatId]) -> String {
        let texts: Vec<String> = seats
            .iter()
            .map(|id| match self.protocol.find_seat(id) {
                Some(Seat { count, .. }) if *count > 1 => format!("{count} x {id}"),
                Some(_) | None => id.to_string(),
            })
            .collect();
        texts.join(", ")
    }

    fn describe_order(&self, stage: &Stage) -> &'static str {
        match (self.protocol.chairs_of(stage).len(), stage.order) {
            (0 | 1, _) => "alone",
            (_, StageOrder::Simultaneous) => "all at once: nobody sees a turn of this stage",
            (_, StageOrder::Sequential) => "one after another",
        }
    }

    /// Describes the judging rules.
    fn add_judging(&mut self) {
        let rules: Vec<&Judging> = self
            .protocol
            .judging
            .iter()
            .filter(|rule| rule.enabled)
            .collect();
        if rules.is_empty() {
            return;
        }
        self.add_title("Judging");
        for rule in rules {
            self.add_emphasized_line(
                Emphasis::Bold,
                2,
                &format!("[{}]  {}", rule.id, self.describe_targets(rule)),
            );
            self.add_inner_field("by", &self.describe_judge(rule));
            if rule.by.is_some() {
                self.add_inner_field("sees", &self.describe_sees(&rule.sees));
            }
            let when = match (rule.when, rule.of) {
                (_, JudgedThing::Debate) | (JudgeWhen::End, _) => "when the last round is over",
                (JudgeWhen::Soon, JudgedThing::Turn) => {
                    "as soon as a turn is there, beside the game"
                }
                (JudgeWhen::Soon, JudgedThing::Round) => "as soon as a round is over",
            };
            self.add_inner_field("when", when);
        }
    }

    fn describe_targets(&self, rule: &Judging) -> String {
        match rule.of {
            JudgedThing::Debate => "the debate as a whole".to_owned(),
            JudgedThing::Round => "each round as a whole".to_owned(),
            JudgedThing::Turn => {
                let turns: Vec<String> = rule
                    .turns
                    .iter()
                    .map(|turns| {
                        let stages = describe_stages(turns.stages.as_deref());
                        format!(
                            "turns of {}{stages}, {}",
                            describe_seats(&turns.seats),
                            describe_rounds(&turns.rounds, true)
                        )
                    })
                    .collect();
                turns.join("; ")
            }
        }
    }

    fn add_outcome(&mut self) {
        let protocol = self.protocol;
        if !protocol.rewards.is_empty() {
            self.add_title("Rewards");
            let has_enabled_rule =
                |id: &JudgingId| protocol.find_judging(id).is_some_and(|rule| rule.enabled);
            for (judging, table) in protocol
                .rewards
                .iter()
                .filter(|(id, _)| has_enabled_rule(id))
            {
                for (label, seats) in table {
                    let seats: Vec<String> = seats
                        .iter()
                        .map(|(seat, reward)| format!("{seat} {reward:+}"))
                        .collect();
                    self.add_line(2, &format!("{judging} = {label}: {}", seats.join(", ")));
                }
            }
        }
        if !protocol.feedback.is_empty() {
            self.add_title("Lesson");
        }
        for feedback in &protocol.feedback {
            let learner = match &feedback.learner {
                Some(learner) => format!(" for {learner} alone"),
                None => String::new(),
            };
            let text = format!(
                "{} writes one{learner} {}; it sees {}",
                feedback.by,
                describe_when_written(feedback),
                self.describe_sees(&feedback.sees)
            );
            self.add_line(2, &text);
        }
        if !protocol.stop.is_empty() {
            self.add_title("Ends early");
            for rule in &protocol.stop {
                self.add_line(
                    2,
                    &format!("after a round in which {}", describe_stop_rule(rule)),
                );
            }
        }
        let ceilings = protocol.ceilings;
        let mut limits = Vec::new();
        limits.extend(ceilings.cost_usd.map(|usd| format!("${usd}")));
        limits.extend(ceilings.calls.map(|calls| format!("{calls} calls")));
        limits.extend(ceilings.tokens.map(|tokens| format!("{tokens} tokens")));
        if !limits.is_empty() {
            self.add_title("Ceilings");
            let text = format!(
                "{}; a debate that meets one is DEBATE_TRUNCATED",
                limits.join(", ")
            );
            self.add_line(2, &text);
        }
        if !protocol.gauges.is_empty() {
            self.add_title("Gauges, shown by 'metrics'");
            for gauge in &protocol.gauges {
                self.add_line(2, &format!("{}: {}", gauge.id, describe_gauge(gauge)));
            }
        }
    }

    fn add_settings(&mut self, values: &Settings) {
        let protocol = self.protocol;
        if protocol.settings.is_empty() {
            return;
        }
        self.add_title("Settings (--set NAME=VALUE)");
        for (name, spec) in &protocol.settings {
            let value = values.get(name).unwrap_or(&spec.default);
            let default = if value == &spec.default {
                String::new()
            } else {
                format!("; by default {}", spec.default)
            };
            self.add_line(
                2,
                &format!(
                    "{name} = {value}  ({}{default})",
                    spec.describe_accepted_values()
                ),
            );
            self.add_prose(Emphasis::Dim, 6, &spec.help);
        }
    }
}

fn describe_rounds(set: &RoundSet, in_last_round: bool) -> String {
    let text = match set {
        RoundSet::Named(NamedRounds::All) => "every round".to_owned(),
        RoundSet::Named(NamedRounds::First) => "the first round".to_owned(),
        RoundSet::Named(NamedRounds::Last) => "the last round".to_owned(),
        RoundSet::Named(NamedRounds::NotFirst) => "every round but the first".to_owned(),
        RoundSet::Named(NamedRounds::NotLast) => "every round but the last".to_owned(),
        RoundSet::List(list) => {
            let list: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("rounds {}", list.join(", "))
        }
    };
    if in_last_round {
        text
    } else {
        format!("{text}, not in the last")
    }
}

fn describe_seats(seats: &[SeatId]) -> String {
    let names: Vec<&str> = seats
        .iter()
        .map(|seat| match seat.as_str() {
            "self" => "its own chair",
            "peers" => "the other chairs of its seat",
            name => name,
        })
        .collect();
    names.join(", ")
}

fn describe_stages(stages: Option<&[super::StageId]>) -> String {
    match stages {
        None => String::new(),
        Some(stages) => {
            let names: Vec<&str> = stages.iter().map(|stage| stage.as_str()).collect();
            format!(" in [{}]", names.join("], ["))
        }
    }
}

pub(super) fn describe_turns_seen(turns: &TurnSelector) -> String {
    let rounds = match turns.rounds {
        RoundsSeen::Before => "so far",
        RoundsSeen::Earlier => "of earlier rounds",
        RoundsSeen::Previous => "of the round before",
        RoundsSeen::This => "of this round",
        RoundsSeen::First => "of the first round",
    };
    format!(
        "turns of {}{} {rounds}",
        describe_seats(&turns.seats),
        describe_stages(turns.stages.as_deref())
    )
}

fn describe_when_written(feedback: &Feedback) -> String {
    match (feedback.when, &feedback.judging) {
        (FeedbackWhen::Always, _) => "after every debate that teaches".to_owned(),
        (FeedbackWhen::Labels, Some(judging)) => {
            let labels = feedback.labels.join(" or ");
            format!("when any verdict of '{judging}' is {labels}")
        }
        (FeedbackWhen::Labels, None) => "never".to_owned(),
    }
}

fn describe_stop_rule(rule: &StopRule) -> String {
    let mut conditions = Vec::new();
    let whose = match (&rule.judging, &rule.stage) {
        (Some(judging), _) => format!("verdict of '{judging}'"),
        (None, Some(stage)) => format!("reply in [{stage}]"),
        (None, None) => "verdict".to_owned(),
    };
    if !rule.labels.is_empty() {
        conditions.push(format!("every {whose} is {}", rule.labels.join(" or ")));
    }
    if let Some(field) = &rule.field {
        let value = rule
            .equals
            .as_ref()
            .map_or("set".to_owned(), ToString::to_string);
        conditions.push(format!("'{field}' of every {whose} is {value}"));
    }
    if conditions.is_empty() {
        conditions.push(format!("there is a {whose}"));
    }
    conditions.join(" and ")
}
