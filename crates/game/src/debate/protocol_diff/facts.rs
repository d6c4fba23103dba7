//! Decomposition of a protocol into named values.

use super::LeverGroup;
use super::value_text::{
    answer_text, format_value, retry_text, stop_text, target_text, turns_text,
};
use crate::debate::protocol::{
    BeforeUse, Ceilings, Feedback, FeedbackWhen, FieldOf, Gauge, JudgedThing, Judging, RecordRoles,
    RepairRule, Seat, SeatKind, Sees, Stage, StageOrder,
};
use crate::debate::{JudgingId, Protocol};
use serde::Serialize;
use std::collections::BTreeSet;

/// One value of a protocol.
pub(super) struct ProtocolValue {
    pub group: LeverGroup,
    pub of: ValueSubject,
    pub name: String,
    pub value: String,
}

/// Subject of a fact.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueSubject {
    Game,
    /// A seat, stage or judging rule.
    ProtocolPart(String),
    /// The existence of a seat, stage or rule.
    Presence(String),
}

/// The values of a protocol, and its seats, stages and rules.
#[derive(Default)]
pub(super) struct ProtocolValues {
    pub values: Vec<ProtocolValue>,
    pub parts: BTreeSet<String>,
}

impl ProtocolValues {
    /// Decomposes a protocol.
    pub(super) fn from_protocol(protocol: &Protocol) -> Self {
        let Protocol {
            // The id is no lever.
            id: _,
            name: _,
            description: _,
            source: _,
            measures,
            rounds,
            style,
            seats,
            stages,
            judging,
            rewards,
            feedback,
            stop,
            ceilings,
            gauges,
            record,
            pinned,
            pinnable,
            // Their values are already filled in.
            settings: _,
        } = protocol;
        let mut facts = ProtocolValues::default();
        facts.add_game_value(LeverGroup::Measures, "measures", measures);
        facts.add_game_value(LeverGroup::TurnOrder, "rounds", rounds);
        facts.add_game_value(LeverGroup::Layout, "messages", style);
        seats.iter().for_each(|seat| facts.add_seat(seat));
        let enabled_stages: Vec<&Stage> = stages.iter().filter(|stage| stage.enabled).collect();
        let order: Vec<&str> = enabled_stages
            .iter()
            .map(|stage| stage.id.as_str())
            .collect();
        facts.add_game_value(LeverGroup::TurnOrder, "stages", &order);
        enabled_stages
            .into_iter()
            .for_each(|stage| facts.add_stage(stage));
        for rule in judging.iter().filter(|rule| rule.enabled) {
            facts.add_judging(rule);
        }
        // Rewards of a rule that is not enabled have no effect.
        let has_enabled_rule =
            |id: &JudgingId| judging.iter().any(|rule| &rule.id == id && rule.enabled);
        for (judging, table) in rewards.iter().filter(|(id, _)| has_enabled_rule(id)) {
            for (label, seats) in table {
                for (seat, reward) in seats {
                    let name = format!("{judging} = {label}: {seat}");
                    facts.add_value(
                        LeverGroup::Rewards,
                        ValueSubject::Game,
                        name,
                        format!("{reward:+}"),
                    );
                }
            }
        }
        for feedback in feedback {
            facts.add_feedback(feedback);
        }
        for (at, rule) in stop.iter().enumerate() {
            facts.add_game_value(
                LeverGroup::StopRules,
                &format!("rule {}", at + 1),
                &stop_text(rule),
            );
        }
        facts.add_ceilings(ceilings);
        gauges.iter().for_each(|gauge| facts.add_gauge(gauge));
        if let Some(record) = record {
            facts.add_record(record);
        }
        facts.add_game_value(LeverGroup::Measures, "pinned files", pinned);
        facts.add_game_value(LeverGroup::Measures, "files that can be pinned", pinnable);
        facts
    }

    fn add_value(&mut self, group: LeverGroup, of: ValueSubject, name: String, value: String) {
        self.values.push(ProtocolValue {
            group,
            of,
            name,
            value,
        });
    }

    fn add_game_value<T: Serialize + ?Sized>(&mut self, group: LeverGroup, name: &str, value: &T) {
        self.add_value(
            group,
            ValueSubject::Game,
            name.to_owned(),
            format_value(value),
        );
    }

    /// Records a value of a thing under its name.
    fn add_part_value<T: Serialize + ?Sized>(
        &mut self,
        group: LeverGroup,
        thing: &ProtocolPart,
        name: &str,
        value: &T,
    ) {
        let name = format!("{}: {name}", thing.prefix);
        self.add_value(
            group,
            ValueSubject::ProtocolPart(thing.key.clone()),
            name,
            format_value(value),
        );
    }

    fn add_presence(&mut self, group: LeverGroup, thing: &ProtocolPart, value: String) {
        self.parts.insert(thing.key.clone());
        let of = ValueSubject::Presence(thing.key.clone());
        self.add_value(group, of, thing.key.clone(), value);
    }

    fn add_seat(&mut self, seat: &Seat) {
        let Seat {
            id,
            kind,
            count,
            label,
            persona,
            stance,
        } = seat;
        let thing = ProtocolPart::new("seat", id.as_str());
        let (rules, words) = match kind {
            SeatKind::Speaker => (LeverGroup::Seats, LeverGroup::Personas),
            SeatKind::Judge | SeatKind::Evaluator => (LeverGroup::Judge, LeverGroup::Judge),
            SeatKind::Feedback => (LeverGroup::Lesson, LeverGroup::Lesson),
        };
        self.add_presence(
            rules,
            &thing,
            format!("{}, chairs: {count}", format_value(kind)),
        );
        self.add_part_value(rules, &thing, "kind", kind);
        self.add_part_value(rules, &thing, "chairs", count);
        self.add_part_value(rules, &thing, "stance", stance);
        self.add_part_value(words, &thing, "name shown", label);
        self.add_part_value(words, &thing, "persona", persona);
    }

    fn add_stage(&mut self, stage: &Stage) {
        let Stage {
            id,
            seats,
            order,
            rounds,
            in_last_round,
            // Disabled stages are excluded.
            enabled: _,
            private,
            max_tokens,
            temperature,
            // The texts are compared, not the names of their files.
            template: _,
            templates: _,
            style,
            sees,
            output,
            retry,
            draw,
        } = stage;
        let thing = ProtocolPart::new("stage", id.as_str());
        let speak = match order {
            StageOrder::Simultaneous => "at once",
            StageOrder::Sequential => "in order",
        };
        self.add_presence(
            LeverGroup::TurnOrder,
            &thing,
            format!("{} {speak}", format_value(seats)),
        );
        self.add_part_value(LeverGroup::TurnOrder, &thing, "speak", seats);
        self.add_part_value(LeverGroup::TurnOrder, &thing, "order", order);
        self.add_part_value(LeverGroup::TurnOrder, &thing, "rounds", rounds);
        self.add_part_value(
            LeverGroup::TurnOrder,
            &thing,
            "in the last round",
            in_last_round,
        );
        self.add_part_value(LeverGroup::Sight, &thing, "private", private);
        self.add_part_value(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.add_part_value(LeverGroup::Sampling, &thing, "temperature", temperature);
        self.add_part_value(LeverGroup::Layout, &thing, "messages", style);
        self.add_part_value(LeverGroup::TurnOrder, &thing, "reply's form", output);
        for (at, rule) in retry.iter().enumerate() {
            let name = format!("asked again by rule {}", at + 1);
            self.add_part_value(LeverGroup::Retries, &thing, &name, &retry_text(rule));
        }
        let draw_names: Vec<&String> = draw.keys().collect();
        self.add_part_value(LeverGroup::Lists, &thing, "draws", &draw_names);
        self.add_sees(LeverGroup::Sight, &thing, sees);
    }

    fn add_judging(&mut self, rule: &Judging) {
        let Judging {
            id,
            by,
            grader,
            detector,
            // Part of the grader, which is compared.
            grades: _,
            command,
            of,
            answer,
            rounds,
            turns,
            when,
            // Disabled rules are excluded.
            enabled: _,
            // The rubric's text is compared, not the name of its file.
            rubric: _,
            combine,
            orders,
            // Part of the rubric, which is compared.
            tie_value: _,
            grader_version: _,
            repair,
            sees,
            max_tokens,
        } = rule;
        let group = LeverGroup::Judge;
        let thing = ProtocolPart::new("judging", id.as_str());
        let whom = match (by, grader, detector, command) {
            (Some(seat), _, _, _) => seat.to_string(),
            (None, Some(grader), _, _) => format!("grader {}", format_value(grader)),
            (None, None, Some(detector), _) => format!("detector {}", format_value(detector)),
            (None, None, None, Some(command)) => format!("command {command}"),
            (None, None, None, None) => "nobody".to_owned(),
        };
        let what = match of {
            JudgedThing::Turn => "turns",
            JudgedThing::Round => "rounds",
            JudgedThing::Debate => "the debate",
        };
        self.add_presence(group, &thing, format!("{what}, by {whom}"));
        self.add_part_value(group, &thing, "by", &whom);
        self.add_part_value(group, &thing, "of", of);
        self.add_part_value(group, &thing, "answer", &answer.as_ref().map(answer_text));
        self.add_part_value(group, &thing, "rounds", rounds);
        let turns: Vec<String> = turns.iter().map(target_text).collect();
        self.add_part_value(group, &thing, "turns", &turns.join("; "));
        self.add_part_value(group, &thing, "when", when);
        self.add_part_value(group, &thing, "combine", combine);
        self.add_part_value(group, &thing, "orders", orders);
        // Its template is compared with the other texts.
        let repairs = repair.as_ref().map(
            |RepairRule {
                 at_most,
                 template: _,
             }| *at_most,
        );
        self.add_part_value(group, &thing, "asked again", &repairs);
        self.add_part_value(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.add_sees(group, &thing, sees);
    }

    fn add_sees(&mut self, group: LeverGroup, thing: &ProtocolPart, sees: &Sees) {
        let Sees {
            topic,
            documents,
            memory,
            own_private,
            judged_private,
            options,
            verdicts,
            rewards,
            rulings,
            screened_by,
            turns,
            peer_order,
        } = sees;
        let thing = &ProtocolPart {
            key: thing.key.clone(),
            prefix: format!("{} sees", thing.prefix),
        };
        self.add_part_value(group, thing, "topic", topic);
        self.add_part_value(group, thing, "documents", documents);
        self.add_part_value(group, thing, "lessons", memory);
        self.add_part_value(group, thing, "own private turns", own_private);
        if *judged_private {
            self.add_part_value(
                group,
                thing,
                "private turns of who is judged",
                judged_private,
            );
        }
        self.add_part_value(group, thing, "options", options);
        self.add_part_value(group, thing, "verdicts", verdicts);
        if *rewards {
            self.add_part_value(group, thing, "rewards", rewards);
        }
        self.add_part_value(group, thing, "rulings", rulings);
        self.add_part_value(group, thing, "screened by", screened_by);
        let turns: Vec<String> = turns.iter().map(turns_text).collect();
        self.add_part_value(group, thing, "turns", &turns.join("; "));
        self.add_part_value(group, thing, "order of peers", peer_order);
    }

    fn add_feedback(&mut self, feedback: &Feedback) {
        let Feedback {
            by,
            learner,
            // What is not written is no part of a game.
            enabled: _,
            when,
            judging,
            labels,
            // Compared with the other texts.
            template: _,
            sees,
            max_tokens,
        } = feedback;
        let name = match learner {
            None => "lesson".to_owned(),
            Some(learner) => format!("lesson for {learner}"),
        };
        let thing = ProtocolPart {
            key: name.clone(),
            prefix: name,
        };
        let written = match (when, judging) {
            (FeedbackWhen::Labels, Some(judging)) => {
                format!("when {judging} is {}", labels.join(" or "))
            }
            (FeedbackWhen::Always | FeedbackWhen::Labels, _) => "always".to_owned(),
        };
        self.add_presence(LeverGroup::Lesson, &thing, format!("by {by}, {written}"));
        self.add_part_value(LeverGroup::Lesson, &thing, "by", by);
        if let Some(judging) = judging {
            self.add_part_value(LeverGroup::Lesson, &thing, "on verdicts of", judging);
            self.add_part_value(LeverGroup::Lesson, &thing, "when they are", labels);
        }
        self.add_part_value(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.add_sees(LeverGroup::Lesson, &thing, sees);
    }

    fn add_ceilings(&mut self, ceilings: &Ceilings) {
        let Ceilings {
            cost_usd,
            calls,
            tokens,
        } = ceilings;
        self.add_game_value(LeverGroup::Ceilings, "cost in US dollars", cost_usd);
        self.add_game_value(LeverGroup::Ceilings, "calls", calls);
        self.add_game_value(LeverGroup::Ceilings, "tokens", tokens);
    }

    fn add_gauge(&mut self, gauge: &Gauge) {
        let Gauge {
            id,
            name,
            stage,
            judging,
            field,
            take,
            equals,
            minus,
            above,
            same_as,
            alert_below,
            alert_above,
            flag_below,
            flag,
            before_use,
        } = gauge;
        let thing = ProtocolPart::new("gauge", id);
        let group = LeverGroup::Measures;
        self.add_presence(group, &thing, name.clone());
        self.add_part_value(group, &thing, "name", name);
        self.add_part_value(group, &thing, "stage", stage);
        self.add_part_value(group, &thing, "judging", judging);
        self.add_part_value(group, &thing, "field", field);
        self.add_part_value(group, &thing, "takes", take);
        self.add_part_value(group, &thing, "equals", equals);
        self.add_part_value(group, &thing, "minus", minus);
        self.add_part_value(group, &thing, "above", above);
        let same_as = same_as
            .as_ref()
            .map(|FieldOf { stage, field }| format!("{field} of [{stage}]"));
        self.add_part_value(group, &thing, "same as", &same_as);
        self.add_part_value(group, &thing, "alert below", alert_below);
        self.add_part_value(group, &thing, "alert above", alert_above);
        self.add_part_value(group, &thing, "flag below", flag_below);
        self.add_part_value(group, &thing, "flag", flag);
        let before_use = before_use.as_ref().map(|BeforeUse { cases, mean_above }| {
            format!("above {mean_above} over {cases} cases")
        });
        self.add_part_value(group, &thing, "before use", &before_use);
    }

    fn add_record(&mut self, record: &RecordRoles) {
        let RecordRoles {
            proposer,
            critic,
            rebuttal,
            moderator,
            citations,
        } = record;
        let group = LeverGroup::Measures;
        self.add_game_value(group, "record: proposer", proposer);
        self.add_game_value(group, "record: critic", critic);
        self.add_game_value(group, "record: rebuttal", rebuttal);
        self.add_game_value(group, "record: moderator", moderator);
        self.add_game_value(group, "record: citations", citations);
    }
}

/// A seat, stage or rule.
struct ProtocolPart {
    /// Its kind and id, for instance `stage propose`.
    key: String,
    /// Prefix of the names of its values.
    prefix: String,
}

impl ProtocolPart {
    fn new(kind: &str, id: &str) -> Self {
        Self {
            key: format!("{kind} {id}"),
            prefix: id.to_owned(),
        }
    }
}
