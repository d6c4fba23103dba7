//! Decomposition of a protocol into named values.

use super::LeverGroup;
use super::value_text::{answer_text, literal, retry_text, stop_text, target_text, turns_text};
use crate::debate::protocol::{
    BeforeUse, Ceilings, Feedback, FieldOf, Gauge, JudgedThing, Judging, RecordRoles, RepairRule,
    Seat, SeatKind, Sees, Stage, StageOrder,
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
    pub facts: Vec<ProtocolValue>,
    pub things: BTreeSet<String>,
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
        facts.game(LeverGroup::Measures, "measures", measures);
        facts.game(LeverGroup::TurnOrder, "rounds", rounds);
        facts.game(LeverGroup::Layout, "messages", style);
        seats.iter().for_each(|seat| facts.seat(seat));
        let played: Vec<&Stage> = stages.iter().filter(|stage| stage.enabled).collect();
        let order: Vec<&str> = played.iter().map(|stage| stage.id.as_str()).collect();
        facts.game(LeverGroup::TurnOrder, "stages", &order);
        played.into_iter().for_each(|stage| facts.stage(stage));
        for rule in judging.iter().filter(|rule| rule.enabled) {
            facts.judging(rule);
        }
        // Rewards of a rule that is not enabled have no effect.
        let paid = |id: &JudgingId| judging.iter().any(|rule| &rule.id == id && rule.enabled);
        for (judging, table) in rewards.iter().filter(|(id, _)| paid(id)) {
            for (label, seats) in table {
                for (seat, reward) in seats {
                    let name = format!("{judging} = {label}: {seat}");
                    facts.add(
                        LeverGroup::Rewards,
                        ValueSubject::Game,
                        name,
                        format!("{reward:+}"),
                    );
                }
            }
        }
        if let Some(feedback) = feedback {
            facts.feedback(feedback);
        }
        for (at, rule) in stop.iter().enumerate() {
            facts.game(
                LeverGroup::StopRules,
                &format!("rule {}", at + 1),
                &stop_text(rule),
            );
        }
        facts.ceilings(ceilings);
        gauges.iter().for_each(|gauge| facts.gauge(gauge));
        if let Some(record) = record {
            facts.record(record);
        }
        facts.game(LeverGroup::Measures, "pinned files", pinned);
        facts.game(LeverGroup::Measures, "files that can be pinned", pinnable);
        facts
    }

    fn add(&mut self, group: LeverGroup, of: ValueSubject, name: String, value: String) {
        self.facts.push(ProtocolValue {
            group,
            of,
            name,
            value,
        });
    }

    fn game<T: Serialize + ?Sized>(&mut self, group: LeverGroup, name: &str, value: &T) {
        self.add(group, ValueSubject::Game, name.to_owned(), literal(value));
    }

    /// Records a value of a thing under its name.
    fn thing<T: Serialize + ?Sized>(
        &mut self,
        group: LeverGroup,
        thing: &ProtocolPart,
        name: &str,
        value: &T,
    ) {
        let name = format!("{}: {name}", thing.shown);
        self.add(
            group,
            ValueSubject::ProtocolPart(thing.key.clone()),
            name,
            literal(value),
        );
    }

    fn presence(&mut self, group: LeverGroup, thing: &ProtocolPart, value: String) {
        self.things.insert(thing.key.clone());
        let of = ValueSubject::Presence(thing.key.clone());
        self.add(group, of, thing.key.clone(), value);
    }

    fn seat(&mut self, seat: &Seat) {
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
        self.presence(rules, &thing, format!("{}, chairs: {count}", literal(kind)));
        self.thing(rules, &thing, "kind", kind);
        self.thing(rules, &thing, "chairs", count);
        self.thing(rules, &thing, "stance", stance);
        self.thing(words, &thing, "name shown", label);
        self.thing(words, &thing, "persona", persona);
    }

    fn stage(&mut self, stage: &Stage) {
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
        self.presence(
            LeverGroup::TurnOrder,
            &thing,
            format!("{} {speak}", literal(seats)),
        );
        self.thing(LeverGroup::TurnOrder, &thing, "speak", seats);
        self.thing(LeverGroup::TurnOrder, &thing, "order", order);
        self.thing(LeverGroup::TurnOrder, &thing, "rounds", rounds);
        self.thing(
            LeverGroup::TurnOrder,
            &thing,
            "in the last round",
            in_last_round,
        );
        self.thing(LeverGroup::Sight, &thing, "private", private);
        self.thing(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.thing(LeverGroup::Sampling, &thing, "temperature", temperature);
        self.thing(LeverGroup::Layout, &thing, "messages", style);
        self.thing(LeverGroup::TurnOrder, &thing, "reply's form", output);
        for (at, rule) in retry.iter().enumerate() {
            let name = format!("asked again by rule {}", at + 1);
            self.thing(LeverGroup::Retries, &thing, &name, &retry_text(rule));
        }
        let drawn: Vec<&String> = draw.keys().collect();
        self.thing(LeverGroup::Lists, &thing, "draws", &drawn);
        self.sees(LeverGroup::Sight, &thing, sees);
    }

    fn judging(&mut self, rule: &Judging) {
        let Judging {
            id,
            by,
            grader,
            detector,
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
        let whom = match (by, grader, detector) {
            (Some(seat), _, _) => seat.to_string(),
            (None, Some(grader), _) => format!("grader {}", literal(grader)),
            (None, None, Some(detector)) => format!("detector {}", literal(detector)),
            (None, None, None) => "nobody".to_owned(),
        };
        let what = match of {
            JudgedThing::Turn => "turns",
            JudgedThing::Round => "rounds",
            JudgedThing::Debate => "the debate",
        };
        self.presence(group, &thing, format!("{what}, by {whom}"));
        self.thing(group, &thing, "by", &whom);
        self.thing(group, &thing, "of", of);
        self.thing(group, &thing, "answer", &answer.as_ref().map(answer_text));
        self.thing(group, &thing, "rounds", rounds);
        let turns: Vec<String> = turns.iter().map(target_text).collect();
        self.thing(group, &thing, "turns", &turns.join("; "));
        self.thing(group, &thing, "when", when);
        self.thing(group, &thing, "combine", combine);
        self.thing(group, &thing, "orders", orders);
        // Its template is compared with the other texts.
        let repairs = repair.as_ref().map(
            |RepairRule {
                 at_most,
                 template: _,
             }| *at_most,
        );
        self.thing(group, &thing, "asked again", &repairs);
        self.thing(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.sees(group, &thing, sees);
    }

    fn sees(&mut self, group: LeverGroup, thing: &ProtocolPart, sees: &Sees) {
        let Sees {
            topic,
            documents,
            memory,
            own_private,
            options,
            verdicts,
            rulings,
            screened_by,
            turns,
            peer_order,
        } = sees;
        let thing = &ProtocolPart {
            key: thing.key.clone(),
            shown: format!("{} sees", thing.shown),
        };
        self.thing(group, thing, "topic", topic);
        self.thing(group, thing, "documents", documents);
        self.thing(group, thing, "lessons", memory);
        self.thing(group, thing, "own private turns", own_private);
        self.thing(group, thing, "options", options);
        self.thing(group, thing, "verdicts", verdicts);
        self.thing(group, thing, "rulings", rulings);
        self.thing(group, thing, "screened by", screened_by);
        let turns: Vec<String> = turns.iter().map(turns_text).collect();
        self.thing(group, thing, "turns", &turns.join("; "));
        self.thing(group, thing, "order of peers", peer_order);
    }

    fn feedback(&mut self, feedback: &Feedback) {
        let Feedback {
            by,
            judging,
            labels,
            // Compared with the other texts.
            template: _,
            sees,
            max_tokens,
        } = feedback;
        let thing = ProtocolPart {
            key: "lesson".to_owned(),
            shown: "lesson".to_owned(),
        };
        let value = format!("by {by}, when {judging} is {}", labels.join(" or "));
        self.presence(LeverGroup::Lesson, &thing, value);
        self.thing(LeverGroup::Lesson, &thing, "by", by);
        self.thing(LeverGroup::Lesson, &thing, "on verdicts of", judging);
        self.thing(LeverGroup::Lesson, &thing, "when they are", labels);
        self.thing(LeverGroup::TokenLimits, &thing, "tokens", max_tokens);
        self.sees(LeverGroup::Lesson, &thing, sees);
    }

    fn ceilings(&mut self, ceilings: &Ceilings) {
        let Ceilings {
            cost_usd,
            calls,
            tokens,
        } = ceilings;
        self.game(LeverGroup::Ceilings, "cost in US dollars", cost_usd);
        self.game(LeverGroup::Ceilings, "calls", calls);
        self.game(LeverGroup::Ceilings, "tokens", tokens);
    }

    fn gauge(&mut self, gauge: &Gauge) {
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
        self.presence(group, &thing, name.clone());
        self.thing(group, &thing, "name", name);
        self.thing(group, &thing, "stage", stage);
        self.thing(group, &thing, "judging", judging);
        self.thing(group, &thing, "field", field);
        self.thing(group, &thing, "takes", take);
        self.thing(group, &thing, "equals", equals);
        self.thing(group, &thing, "minus", minus);
        self.thing(group, &thing, "above", above);
        let same_as = same_as
            .as_ref()
            .map(|FieldOf { stage, field }| format!("{field} of [{stage}]"));
        self.thing(group, &thing, "same as", &same_as);
        self.thing(group, &thing, "alert below", alert_below);
        self.thing(group, &thing, "alert above", alert_above);
        self.thing(group, &thing, "flag below", flag_below);
        self.thing(group, &thing, "flag", flag);
        let before_use = before_use.as_ref().map(|BeforeUse { cases, mean_above }| {
            format!("above {mean_above} over {cases} cases")
        });
        self.thing(group, &thing, "before use", &before_use);
    }

    fn record(&mut self, record: &RecordRoles) {
        let RecordRoles {
            proposer,
            critic,
            rebuttal,
            moderator,
            citations,
        } = record;
        let group = LeverGroup::Measures;
        self.game(group, "record: proposer", proposer);
        self.game(group, "record: critic", critic);
        self.game(group, "record: rebuttal", rebuttal);
        self.game(group, "record: moderator", moderator);
        self.game(group, "record: citations", citations);
    }
}

/// A seat, stage or rule.
struct ProtocolPart {
    /// Its kind and id, for instance `stage propose`.
    key: String,
    /// Prefix of the names of its values.
    shown: String,
}

impl ProtocolPart {
    fn new(kind: &str, id: &str) -> Self {
        Self {
            key: format!("{kind} {id}"),
            shown: id.to_owned(),
        }
    }
}
