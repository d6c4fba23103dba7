//! A judge's reply, read by the rubric of its rule in the order in which it was asked.

use crate::debate::EMPTY_REPLY;
use crate::debate::event::{Finding, Outcome, Reply};
use crate::debate::protocol::Protocol;
use crate::debate::step::{Judge, ShownOrder};
use crate::driver::game::Game;
use crate::judge::{self, Rubric};

/// Reads a judge's reply by the rubric of its rule.
pub(super) fn read_verdict(
    protocol: Option<&Protocol>,
    game: &Game,
    judge: &Judge,
    reply: &Reply,
) -> Outcome {
    let rubric = protocol
        .and_then(|protocol| protocol.judging(&judge.judging))
        .and_then(|judging| judging.rubric.as_ref())
        .and_then(|name| game.rubrics.get(name));
    match rubric {
        Some(_) if reply.is_empty() => Outcome::Unparsed {
            why: EMPTY_REPLY.to_owned(),
        },
        Some(rubric) => as_seated(rubric, judge.order, judge::read_reply(rubric, reply)),
        None => Outcome::Unparsed {
            why: "the session holds no rubric to read it by".to_owned(),
        },
    }
}

/// Turns round what was said about candidates that were shown the other way round.
pub(super) fn as_seated(rubric: &Rubric, order: ShownOrder, said: Outcome) -> Outcome {
    match (order, said) {
        (ShownOrder::Swapped, Outcome::Label(finding)) => match rubric.mirrored(&finding.label) {
            Some(label) => Outcome::Label(Finding {
                label: label.name.clone(),
                value: label.value,
                ..finding
            }),
            None => Outcome::Unparsed {
                why: format!(
                    "the rubric does not say what '{}' means in the other order",
                    finding.label
                ),
            },
        },
        (ShownOrder::AsSeated | ShownOrder::Swapped, said) => said,
    }
}
