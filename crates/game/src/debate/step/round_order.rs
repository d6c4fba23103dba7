//! Games whose rounds follow one another: in each, everything that is read or judged waits for a turn
//! of the round before. There, rounds far ahead need not be searched for open steps.

use crate::debate::protocol::{JudgeWhen, JudgedThing, NamedRounds, Protocol, RoundSet};
use crate::debate::protocol::{RoundsSeen, Sees, Stage, TurnSelector};

impl Protocol {
    /// Returns whether no turn, and no verdict on a round, can come in a round while no turn of the
    /// round before is settled. May say no where that is so: the answer only saves work.
    pub(super) fn waits_for_the_round_before(&self) -> bool {
        let mut stages: Vec<&Stage> = Vec::new();
        for stage in self.stages.iter().filter(|stage| stage.enabled) {
            if !self.waits_for_earlier_turn(&stage.sees, Some(stage), &stages) {
                return false;
            }
            stages.push(stage);
        }
        let mut rules = self.judging.iter().filter(|rule| {
            rule.enabled && rule.of == JudgedThing::Round && rule.when == JudgeWhen::Soon
        });
        !stages.is_empty()
            && rules.all(|rule| self.waits_for_earlier_turn(&rule.sees, None, &stages))
    }

    /// Returns whether a view holds a turn of the round before, or of one of the stages before it in
    /// its own round.
    fn waits_for_earlier_turn(
        &self,
        sees: &Sees,
        reader: Option<&Stage>,
        before: &[&Stage],
    ) -> bool {
        sees.turns.iter().any(|selector| match selector.rounds {
            RoundsSeen::Before => {
                self.shows_one(selector, reader, self.stages.iter())
                    || self.shows_one(selector, reader, before.iter().copied())
            }
            RoundsSeen::Earlier | RoundsSeen::Previous => {
                self.shows_one(selector, reader, self.stages.iter())
            }
            RoundsSeen::This => self.shows_one(selector, reader, before.iter().copied()),
            RoundsSeen::First => false,
        })
    }

    /// Returns whether the selector shows every chair of the reader a turn of one of the stages, in
    /// each round.
    fn shows_one<'a>(
        &self,
        selector: &TurnSelector,
        reader: Option<&Stage>,
        mut stages: impl Iterator<Item = &'a Stage>,
    ) -> bool {
        let is_own = |stage: &Stage, least: u32| {
            reader.is_some_and(|reader| {
                reader.seats.iter().all(|seat| {
                    let count = self.find_seat(seat).map_or(0, |seat| seat.count);
                    stage.seats.contains(seat) && count >= least
                })
            })
        };
        let every_round = RoundSet::Named(NamedRounds::All);
        stages.any(|stage| {
            let plays_every_round =
                stage.enabled && stage.in_last_round && stage.rounds == every_round;
            let is_shown = selector.stages.as_ref();
            plays_every_round
                && !stage.private
                && is_shown.is_none_or(|stages| stages.contains(&stage.id))
                && selector.seats.iter().any(|seat| match seat.as_str() {
                    "self" => is_own(stage, 1),
                    "peers" => is_own(stage, 2),
                    _ => {
                        stage.seats.contains(seat)
                            && self.find_seat(seat).is_some_and(|seat| seat.count > 0)
                    }
                })
        })
    }
}
