//! Sentence about a fork: what of which turn was changed in it, and by whom. Pure.

use elenchus_game::debate::step::Target;
use elenchus_game::debate::{ForkChange, State, TurnId};

/// Says what a fork is, as `fork of round 2, Debater 1 edited by ada`; `None` where a session is none.
pub fn describe_fork(state: &State) -> Option<String> {
    let origin = state.fork_origin()?;
    let place = |turn: &TurnId| {
        let name = state.name_of(&turn.chair);
        format!("round {}, {name}", turn.round)
    };
    let after = match &origin.after {
        Some(turn) => format!("fork after {}", place(turn)),
        None => "fork of the beginning".to_owned(),
    };
    Some(match &origin.change {
        Some(ForkChange::Edited { turn, by }) => {
            format!("fork of {} edited{}", place(turn), describe_person(by))
        }
        Some(ForkChange::Spoken { turn, by }) => {
            format!("fork of {} spoken{}", place(turn), describe_person(by))
        }
        Some(ForkChange::AskedAgain(turn)) => format!("fork of {} asked again", place(turn)),
        Some(ForkChange::Chosen(turn)) => {
            format!("fork of {} with another attempt", place(turn))
        }
        Some(ForkChange::Judged { target, by }) => {
            let by = describe_person(by);
            match target {
                Target::Attempt(id) => format!("fork of {} judged{by}", place(&id.turn)),
                Target::Round(round) => format!("fork of round {round}, judged{by}"),
                Target::Debate => format!("fork of the debate, judged{by}"),
            }
        }
        Some(ForkChange::Prompted) => format!("{after}, with other prompts"),
        Some(ForkChange::Played) | None => after,
    })
}

fn describe_person(name: &str) -> String {
    match name {
        "" => " by a person".to_owned(),
        name => format!(" by {name}"),
    }
}
