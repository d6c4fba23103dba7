//! Checks of a protocol: faults that make it unplayable, found before it is played.

mod judging;
mod outcome;

use super::locate::PathSegment;
use super::{
    Detector, JudgeWhen, JudgedThing, MAX_CHAIRS, MAX_PARTS, MAX_RETRIES, MAX_ROUNDS, Protocol,
    RetryRule, RoundsSeen, SeatKind, Sees, Stage, StageOrder, Stance,
};
use crate::debate::ids::{SeatId, StageId};
use std::collections::BTreeSet;
use std::fmt;

/// Longest name of a template, rubric or list, in bytes.
const MAX_FILE_STEM: usize = 80;

/// A fault of a protocol with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolFault {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub why: String,
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.why)
    }
}

/// A fault whose line is not known yet.
pub(super) struct PathFault {
    pub path: Vec<PathSegment>,
    pub why: String,
}

/// Returns all faults that make the protocol unplayable.
pub(super) fn faults(protocol: &Protocol) -> Vec<PathFault> {
    let mut check = Check {
        protocol,
        faults: Vec::new(),
    };
    check.counts();
    if !check.faults.is_empty() {
        // The others would name each of too many parts.
        return check.faults;
    }
    check.names();
    check.files();
    check.sizes();
    check.stages();
    check.judging();
    check.rewards();
    check.feedback();
    check.stops();
    check.gauges();
    check.record();
    check.faults
}

struct Check<'a> {
    protocol: &'a Protocol,
    faults: Vec<PathFault>,
}

impl Check<'_> {
    fn fault(&mut self, path: &[PathSegment], why: impl Into<String>) {
        self.faults.push(PathFault {
            path: path.to_vec(),
            why: why.into(),
        });
    }

    fn counts(&mut self) {
        let protocol = self.protocol;
        let counts = [
            ("seats", protocol.seats.len()),
            ("stages", protocol.stages.len()),
            ("judging", protocol.judging.len()),
        ];
        for (parts, count) in counts {
            if count > MAX_PARTS {
                let path = [parts.into(), MAX_PARTS.into(), "id".into()];
                let why = format!(
                    "there are {count} of [[{parts}]], and a protocol may have {MAX_PARTS}; repeat \
                     stages with `rounds`, and seats with `count`"
                );
                self.fault(&path, why);
            }
        }
    }

    fn names(&mut self) {
        let protocol = self.protocol;
        if !usable(&protocol.id) {
            self.fault(&["id".into()], name_rule("the protocol's id", &protocol.id));
        }
        let mut seen = BTreeSet::new();
        for (at, seat) in protocol.seats.iter().enumerate() {
            let path = ["seats".into(), at.into(), "id".into()];
            let name = seat.id.as_str();
            if !usable(name) || name == "self" || name == "peers" {
                self.fault(&path, name_rule("a seat", name));
            }
            if !seen.insert(name) {
                self.fault(&path, format!("there are two seats '{name}'"));
            }
        }
        let mut seen = BTreeSet::new();
        for (at, stage) in protocol.stages.iter().enumerate() {
            let path = ["stages".into(), at.into(), "id".into()];
            if !usable(stage.id.as_str()) {
                self.fault(&path, name_rule("a stage", stage.id.as_str()));
            }
            if !seen.insert(stage.id.as_str()) {
                self.fault(&path, format!("there are two stages '{}'", stage.id));
            }
        }
        let mut seen = BTreeSet::new();
        for (at, judging) in protocol.judging.iter().enumerate() {
            let path = ["judging".into(), at.into(), "id".into()];
            if !usable(judging.id.as_str()) {
                self.fault(&path, name_rule("a judging rule", judging.id.as_str()));
            }
            // Rules of one id are alternatives: a setting enables one of them.
            if judging.enabled && !seen.insert(judging.id.as_str()) {
                self.fault(
                    &path,
                    format!(
                        "there are two judging rules '{}', and both are enabled",
                        judging.id
                    ),
                );
            }
        }
    }

    /// Checks names that become part of a path: none may lead out of the prompts folder.
    fn files(&mut self) {
        let protocol = self.protocol;
        let mut named: Vec<(Vec<PathSegment>, &str, &str)> = Vec::new();
        for (at, stage) in protocol.stages.iter().enumerate() {
            let here = |key: &str| vec!["stages".into(), at.into(), key.into()];
            let retries = stage.retry.iter().filter_map(|rule| rule.template.as_ref());
            let of_seats = stage.templates.values();
            named.extend(of_seats.map(|name| (here("templates"), "a template", name.as_str())));
            named.extend(
                stage
                    .template
                    .iter()
                    .map(|name| (here("template"), "a template", name.as_str())),
            );
            named.extend(retries.map(|name| (here("retry"), "a template", name.as_str())));
            let lists = stage.draw.values();
            named.extend(lists.map(|name| (here("draw"), "a list", name.as_str())));
        }
        for (at, judging) in protocol.judging.iter().enumerate() {
            let here = vec!["judging".into(), at.into(), "rubric".into()];
            let rubric = judging.rubric.iter();
            named.extend(rubric.map(|name| (here.clone(), "a rubric", name.as_str())));
            let here = vec!["judging".into(), at.into(), "repair".into()];
            let repair = judging.repair.iter().map(|repair| repair.template.as_str());
            named.extend(repair.map(|name| (here.clone(), "a template", name)));
        }
        if let Some(feedback) = &protocol.feedback {
            let here = vec!["feedback".into(), "template".into()];
            let template = feedback.template.iter();
            named.extend(template.map(|name| (here.clone(), "a template", name.as_str())));
        }
        for (path, what, name) in named {
            if !is_file_stem(name) {
                self.fault(
                    &path,
                    format!(
                        "{what} cannot be called '{name}': it names a file, so letters, digits, \
                         '-', '_' and '.' only, and no '.' at the beginning"
                    ),
                );
            }
        }
    }

    fn sizes(&mut self) {
        let protocol = self.protocol;
        if !(1..=MAX_ROUNDS).contains(&protocol.rounds) {
            self.fault(
                &["rounds".into()],
                format!("rounds must be from 1 to {MAX_ROUNDS}"),
            );
        }
        for (at, seat) in protocol.seats.iter().enumerate() {
            if !(1..=MAX_CHAIRS).contains(&seat.count) {
                self.fault(
                    &["seats".into(), at.into(), "count".into()],
                    format!("seat '{}' must have from 1 to {MAX_CHAIRS} chairs", seat.id),
                );
            }
            if seat.stance != Stance::Chosen && seat.kind != SeatKind::Speaker {
                self.fault(
                    &["seats".into(), at.into(), "stance".into()],
                    format!(
                        "seat '{}' argues for nothing: only speakers have a stance",
                        seat.id
                    ),
                );
            }
        }
        if protocol.stages.is_empty() {
            self.fault(&[], "a protocol needs at least one [[stages]]");
        }
    }

    fn stages(&mut self) {
        let protocol = self.protocol;
        for (at, stage) in protocol.stages.iter().enumerate() {
            let here: [PathSegment; 2] = ["stages".into(), at.into()];
            if stage.seats.is_empty() {
                self.fault(&here, format!("stage '{}' names no seats", stage.id));
            }
            let mut twice = BTreeSet::new();
            for seat in &stage.seats {
                let path = [here[0].clone(), here[1].clone(), "seats".into()];
                if !twice.insert(seat) {
                    self.fault(&path, format!("seat '{seat}' speaks twice in one stage"));
                }
                self.seat_of_kind(&path, seat, &[SeatKind::Speaker], "speak in a stage");
            }
            let sees = [here[0].clone(), here[1].clone(), "sees".into()];
            self.sees(&sees, &stage.sees, true);
            self.own_stage_is_not_shown(&sees, stage);
            for (index, rule) in stage.retry.iter().enumerate() {
                let mut path = here.to_vec();
                path.extend(["retry".into(), index.into()]);
                self.retry(&path, stage, rule);
            }
            for seat in stage.templates.keys() {
                if !stage.seats.contains(seat) {
                    let why = format!(
                        "`templates` names the seat '{seat}', which does not speak in stage '{}'",
                        stage.id
                    );
                    self.fault(&here, why);
                }
            }
        }
    }

    fn retry(&mut self, path: &[PathSegment], stage: &Stage, rule: &RetryRule) {
        if stage.output.is_none() {
            let why = match &rule.field {
                Some(field) => {
                    format!("a retry on the field '{field}' needs an output schema in the stage")
                }
                None => {
                    "a retry of unparsed replies needs an output schema in the stage".to_owned()
                }
            };
            self.fault(path, why);
        }
        match (&rule.field, rule.below, rule.unparsed) {
            (Some(_), Some(_), false) | (None, None, true) => {}
            (Some(_) | None, Some(_) | None, true | false) => self.fault(
                path,
                "a retry rule needs either `field` and `below`, or `unparsed = true`",
            ),
        }
        if !(1..=MAX_RETRIES).contains(&rule.at_most) {
            self.fault(path, format!("`at_most` must be from 1 to {MAX_RETRIES}"));
        }
    }

    fn own_stage_is_not_shown(&mut self, path: &[PathSegment], stage: &Stage) {
        if stage.order != StageOrder::Simultaneous {
            return;
        }
        for selector in &stage.sees.turns {
            let only_own = selector.stages.as_ref().is_some_and(|stages| {
                stages.iter().all(|id| id == &stage.id) && selector.rounds == RoundsSeen::This
            });
            if only_own {
                self.fault(
                    path,
                    format!(
                        "in the simultaneous stage '{}' nobody can see its own turns of this round",
                        stage.id
                    ),
                );
            }
        }
    }

    fn sees(&mut self, path: &[PathSegment], sees: &Sees, by_speaker: bool) {
        for (at, selector) in sees.turns.iter().enumerate() {
            let mut here = path.to_vec();
            here.extend([PathSegment::from("turns"), at.into()]);
            for seat in &selector.seats {
                match seat.as_str() {
                    "self" | "peers" if by_speaker => {}
                    "self" | "peers" => self.fault(
                        &here,
                        format!("'{seat}' is for speakers; name the seats whose turns are shown"),
                    ),
                    _ => self.seat_of_kind(&here, seat, &[SeatKind::Speaker], "be shown"),
                }
            }
            self.known_stages(&here, selector.stages.as_deref());
        }
        self.rulings(path, sees, by_speaker);
        if sees.memory && !by_speaker {
            self.fault(path, "long-term memory is shown to speakers alone");
        }
        if sees.verdicts
            && self
                .protocol
                .judging
                .iter()
                .all(|judging| judging.of != JudgedThing::Turn)
        {
            self.fault(path, "verdicts cannot be shown where no turns are judged");
        }
    }

    fn rulings(&mut self, path: &[PathSegment], sees: &Sees, by_speaker: bool) {
        for id in &sees.rulings {
            match self.protocol.judging(id) {
                None => self.fault(path, format!("there is no judging '{id}'")),
                Some(rule) if rule.of != JudgedThing::Round || rule.when == JudgeWhen::End => self
                    .fault(
                        path,
                        format!(
                            "`rulings` names '{id}', which is not found round by round: it needs \
                             of = \"round\" and when = \"soon\""
                        ),
                    ),
                Some(_) => {}
            }
        }
        let Some(id) = &sees.screened_by else { return };
        if by_speaker {
            self.fault(path, "`screened_by` is for judges");
        }
        match self.protocol.judging(id) {
            None => self.fault(path, format!("there is no judging '{id}'")),
            Some(rule) if rule.detector != Some(Detector::Citations) => self.fault(
                path,
                format!("`screened_by` names '{id}', which is no detector of citations"),
            ),
            Some(_) => {}
        }
    }

    fn known_stages(&mut self, path: &[PathSegment], stages: Option<&[StageId]>) {
        for id in stages.unwrap_or_default() {
            match self.protocol.stage(id) {
                None => self.fault(path, format!("there is no stage '{id}'")),
                Some(stage) if stage.private => self.fault(
                    path,
                    format!("stage '{id}' is private: nobody else may be shown it"),
                ),
                Some(_) => {}
            }
        }
    }

    fn seat_of_kind(&mut self, path: &[PathSegment], id: &SeatId, kinds: &[SeatKind], to: &str) {
        match self.protocol.seat(id) {
            None => {
                let known: Vec<&str> = self
                    .protocol
                    .seats
                    .iter()
                    .map(|seat| seat.id.as_str())
                    .collect();
                self.fault(
                    path,
                    format!("there is no seat '{id}'; there are {}", known.join(", ")),
                );
            }
            Some(seat) if !kinds.contains(&seat.kind) => {
                self.fault(path, format!("seat '{id}' is of a kind that cannot {to}"));
            }
            Some(_) => {}
        }
    }
}

fn usable(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
        && name.len() <= 40
}

/// Returns whether a name is a plain file name, which no path can leave.
fn is_file_stem(name: &str) -> bool {
    (1..=MAX_FILE_STEM).contains(&name.len())
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn name_rule(what: &str, name: &str) -> String {
    format!(
        "{what} cannot be called '{name}': names are lower-case letters, digits, '-' and '_', \
         begin with a letter and have at most 40 characters"
    )
}
