//! Replies of a debate by model: what servers took of what was asked, and what of it they read.

use elenchus_game::debate::event::{Created, Reply};
use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::{State, VerdictState};
use elenchus_metrics::ServedRow;
use std::collections::{BTreeMap, BTreeSet};

/// A model's reply, and whether it was copied from the session that this one was forked from.
struct ModelReply<'a> {
    chair: Chair,
    reply: &'a Reply,
    inherited: bool,
}

/// Returns what the servers of a debate's models did with its own calls.
pub(super) fn count_served_calls(state: &State, created: &Created) -> Vec<ServedRow> {
    let mut by_model: BTreeMap<String, ServedRow> = BTreeMap::new();
    for said in list_replies(state, created) {
        let model = created
            .player_of(&said.chair)
            .and_then(|player| player.as_model());
        let Some(model) = model.filter(|_| !said.inherited) else {
            continue;
        };
        let row = by_model.entry(model.model.clone()).or_default();
        row.calls += 1;
        for what in said.reply.list_request_changes() {
            *row.asked_otherwise.entry(what).or_default() += 1;
        }
        row.out_of_tokens += u64::from(said.reply.out_of_tokens);
        if let Some(short) = said.reply.usage.short_read() {
            row.short_reads += 1;
            let read = short.read_tokens as f64 / short.sent_tokens.max(1) as f64;
            row.unread_share = row.unread_share.max(1.0 - read);
        }
    }
    let rows = by_model.into_iter().filter(|(_, row)| row.calls > 0);
    rows.map(|(model, row)| ServedRow { model, ..row })
        .collect()
}

/// Returns the part of an arm's name that says what models were asked otherwise than configured; empty
/// where nothing was.
pub(super) fn asked_of_arm(state: &State, created: &Created) -> String {
    let replies = list_replies(state, created).into_iter();
    let deviations: BTreeSet<String> = replies
        .flat_map(|said| said.reply.list_request_changes())
        .collect();
    match deviations.is_empty() {
        true => String::new(),
        false => {
            let deviations: Vec<String> = deviations.into_iter().collect();
            format!(" asked={}", deviations.join(", "))
        }
    }
}

fn list_replies<'a>(state: &'a State, created: &Created) -> Vec<ModelReply<'a>> {
    let turns = state.turns().iter().flat_map(|(turn, known)| {
        let model_attempts = known
            .attempts
            .iter()
            .filter(|attempt| !attempt.by_person && !attempt.edited);
        model_attempts.map(|attempt| ModelReply {
            chair: turn.chair.clone(),
            reply: &attempt.reply,
            inherited: attempt.inherited,
        })
    });
    let verdicts = state.verdicts().flat_map(|(judging, _, by_slot)| {
        let seat = created.protocol.find_judging(judging);
        let seat = seat.and_then(|judging| judging.by.clone());
        by_slot.iter().flat_map(move |(slot, last)| {
            let chair = seat.clone().map(|seat| Chair {
                seat,
                index: slot.chair,
            });
            let tries = last.earlier.iter().chain([&**last]);
            tries.filter_map(move |verdict| verdict_reply(verdict, chair.clone()?))
        })
    });
    let guard_replies = state.guard_states().iter().filter_map(|(chair, guarded)| {
        Some(ModelReply {
            chair: chair.clone(),
            reply: &guarded.decided.as_ref().ok()?.reply,
            inherited: guarded.inherited,
        })
    });
    turns.chain(verdicts).chain(guard_replies).collect()
}

fn verdict_reply(verdict: &VerdictState, chair: Chair) -> Option<ModelReply<'_>> {
    Some(ModelReply {
        chair,
        reply: verdict.reply.as_ref()?,
        inherited: verdict.inherited,
    })
}
