//! Verdict of a judge's reply: read by the rubric, in the order in which the texts were shown.

use elenchus_game::debate::EMPTY_REPLY;
use elenchus_game::debate::event::{Finding, Outcome, Reply};
use elenchus_game::debate::protocol::{Orders, Protocol};
use elenchus_game::debate::step::{Judge, ShownOrder};
use elenchus_game::judge::{self, Material, Rubric};
use elenchus_records::library::Game;

/// Reads a judge's reply by the rubric of its rule; `material` is what the judge was shown.
pub(crate) fn read_verdict(
    protocol: Option<&Protocol>,
    game: &Game,
    judge: &Judge,
    reply: &Reply,
    material: &Material,
) -> Outcome {
    let rule = protocol.and_then(|protocol| protocol.find_judging(&judge.judging));
    let rubric = rule
        .and_then(|rule| rule.rubric.as_ref())
        .and_then(|name| game.rubrics.get(name));
    // Candidates are numbered as they are shown; sides that were exchanged keep their names.
    let order = match rule.map(|rule| rule.orders) {
        Some(Orders::Both) => judge.order,
        Some(Orders::One) | None => ShownOrder::AsSeated,
    };
    match rubric {
        Some(_) if reply.is_empty() => Outcome::Unparsed {
            why: EMPTY_REPLY.to_owned(),
            cause: None,
        },
        Some(rubric) => restore_seat_order(
            rubric,
            order,
            judge::parse_reply_verdict(rubric, reply, material),
        ),
        None => Outcome::Unparsed {
            why: "the session holds no rubric to read it by".to_owned(),
            cause: None,
        },
    }
}

/// Turns round what was said about candidates that were shown the other way round.
pub(crate) fn restore_seat_order(rubric: &Rubric, order: ShownOrder, outcome: Outcome) -> Outcome {
    match (order, outcome) {
        (ShownOrder::Swapped, Outcome::Label(finding)) => {
            match rubric.find_mirror(&finding.label) {
                Some(label) => Outcome::Label(Finding {
                    label: label.name.clone(),
                    value: label.value,
                    ..finding
                }),
                None => Outcome::Unparsed {
                    why: format!(
                        "the rubric does not define '{}' for the other order",
                        finding.label
                    ),
                    cause: None,
                },
            }
        }
        (ShownOrder::AsSeated | ShownOrder::Swapped, said) => said,
    }
}
