//! Protocol of an imported debate, fitted to the seats, rounds and stages that its file has.

use elenchus_game::debate::Protocol;
use elenchus_game::debate::ids::{SeatId, StageId};
use elenchus_game::debate::protocol::{
    ProtocolError, ProtocolFile, RoundSet, Seat, Settings, Stage,
};
use elenchus_records::exchange::{FinishedItem, FinishedKind, TurnPart};
use elenchus_records::library::IMPORTED;
use std::collections::{BTreeMap, BTreeSet};

const ANSWER: &str = include_str!("../../../../prompts/imported/answer.toml");
const DEBATE: &str = include_str!("../../../../prompts/imported/debate.toml");
const CONVERSATION: &str = include_str!("../../../../prompts/imported/conversation.toml");

/// Protocols of imported debates and answers.
pub(super) struct ImportedProtocols {
    answer: Protocol,
    debate: Protocol,
    /// With one seat and one stage, of which others are made.
    conversation: Protocol,
}

impl ImportedProtocols {
    /// Reads them.
    ///
    /// # Errors
    /// When one of them is no game, which a test rules out.
    pub(crate) fn load() -> Result<Self, ProtocolError> {
        let read = |name: &str, text: &str| {
            let file = ProtocolFile::parse(&format!("{IMPORTED}/{name}.toml"), text)?;
            Ok(file.resolve_protocol(&Settings::default())?.0)
        };
        Ok(Self {
            answer: read("answer", ANSWER)?,
            debate: read("debate", DEBATE)?,
            conversation: read("conversation", CONVERSATION)?,
        })
    }

    /// Returns the protocol of one finished debate, with its seats, rounds and stages.
    ///
    /// # Errors
    /// Says who is missing in which round where a debate has gaps.
    pub(super) fn protocol_for(&self, finished: &FinishedItem) -> Result<Protocol, String> {
        match finished.form {
            FinishedKind::Answer => Ok(self.answer.clone()),
            FinishedKind::Debate => fit_protocol(self.debate.clone(), finished),
            FinishedKind::Conversation => build_protocol(self.conversation.clone(), finished),
        }
    }
}

/// Makes the seats and stages that a conversation has, in the order in which they come up.
fn build_protocol(mut protocol: Protocol, finished: &FinishedItem) -> Result<Protocol, String> {
    let (Some(seat), Some(stage)) = (protocol.seats.pop(), protocol.stages.pop()) else {
        return Err("the protocol of conversations has no seat to copy".to_owned());
    };
    let mut judged = (Vec::new(), Vec::new());
    for turn in &finished.turns {
        let (seat_id, stage_id) = (SeatId::from(&*turn.seat), StageId::from(&*turn.stage));
        let known_seat = protocol.seats.iter_mut().find(|seat| seat.id == seat_id);
        match known_seat {
            Some(known) => known.count = known.count.max(turn.index + 1),
            None => protocol.seats.push(Seat {
                id: seat_id.clone(),
                label: Some(strip_number(&turn.name).to_owned()),
                count: turn.index + 1,
                ..seat.clone()
            }),
        }
        let mut stages = protocol.stages.iter_mut();
        match stages.find(|stage| stage.id == stage_id) {
            Some(known) => {
                if !known.seats.contains(&seat_id) {
                    known.seats.push(seat_id.clone());
                }
                if let RoundSet::List(rounds) = &mut known.rounds
                    && rounds.last() != Some(&turn.round)
                {
                    rounds.push(turn.round);
                }
            }
            None => protocol.stages.push(Stage {
                id: stage_id.clone(),
                seats: vec![seat_id.clone()],
                rounds: RoundSet::List(vec![turn.round]),
                private: turn.part == TurnPart::Private,
                ..stage.clone()
            }),
        }
        protocol.rounds = protocol.rounds.max(turn.round);
        if turn.part == TurnPart::Speech {
            if !judged.0.contains(&seat_id) {
                judged.0.push(seat_id);
            }
            if !judged.1.contains(&stage_id) {
                judged.1.push(stage_id);
            }
        }
    }
    if judged.0.is_empty() {
        protocol.judging.clear();
    }
    for selector in protocol.judging.iter_mut().flat_map(|rule| &mut rule.turns) {
        selector.seats = judged.0.clone();
        selector.stages = Some(judged.1.clone());
    }
    Ok(protocol)
}

/// Returns the name of a seat out of that of one of its chairs: `Debater 2` is a `Debater`.
fn strip_number(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((seat, number)) if number.parse::<u32>().is_ok() => seat,
        Some(_) | None => name,
    }
}

fn fit_protocol(mut protocol: Protocol, finished: &FinishedItem) -> Result<Protocol, String> {
    let mut chairs: BTreeMap<&str, u32> = BTreeMap::new();
    let mut rounds: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut turn_places: BTreeSet<(&str, &str, u32, u32)> = BTreeSet::new();
    for turn in &finished.turns {
        let count = chairs.entry(&turn.seat).or_default();
        *count = (*count).max(turn.index + 1);
        rounds.entry(&turn.stage).or_default().insert(turn.round);
        turn_places.insert((&turn.stage, &turn.seat, turn.index, turn.round));
    }
    protocol.rounds = finished
        .turns
        .iter()
        .map(|turn| turn.round)
        .max()
        .unwrap_or(1);
    protocol
        .seats
        .retain_mut(|seat| match chairs.get(seat.id.as_str()) {
            Some(count) => {
                seat.count = *count;
                true
            }
            None => false,
        });
    protocol.stages.retain_mut(|stage| {
        let Some(in_rounds) = rounds.get(stage.id.as_str()) else {
            return false;
        };
        let says = |seat: &str| {
            turn_places
                .iter()
                .any(|(at, who, ..)| *at == stage.id.as_str() && *who == seat)
        };
        stage.seats.retain(|seat| says(seat.as_str()));
        stage.rounds = RoundSet::List(in_rounds.iter().copied().collect());
        true
    });
    for stage in &protocol.stages {
        let in_rounds = rounds.get(stage.id.as_str()).into_iter().flatten();
        for round in in_rounds {
            for seat in &stage.seats {
                let count = chairs.get(seat.as_str()).copied().unwrap_or(0);
                let gap = (0..count).find(|index| {
                    !turn_places.contains(&(stage.id.as_str(), seat.as_str(), *index, *round))
                });
                if let Some(index) = gap {
                    return Err(format!(
                        "in round {round} there is nothing of {seat} {}, who speaks in other rounds: a debate with gaps cannot be held",
                        index + 1
                    ));
                }
            }
        }
    }
    let seats: BTreeSet<&str> = chairs.keys().copied().collect();
    let stages: BTreeSet<&str> = rounds.keys().copied().collect();
    for selector in protocol.judging.iter_mut().flat_map(|rule| &mut rule.turns) {
        selector.seats.retain(|seat| seats.contains(seat.as_str()));
        if let Some(stage_names) = &mut selector.stages {
            stage_names.retain(|stage| stages.contains(stage.as_str()));
        }
    }
    Ok(protocol)
}
