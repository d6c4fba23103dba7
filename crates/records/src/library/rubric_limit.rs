//! Token limits of judging rules whose rubric was chosen for a game.

use elenchus_game::debate::Protocol;
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use elenchus_game::judge::Rubric;
use std::collections::BTreeMap;

/// Holds judges to the limit of the rubric that was chosen for them. A rule's own limit is meant for
/// the rubric that its game names unless set otherwise; another one knows better how long its
/// replies are, unless the rule's limit was chosen too.
pub(super) fn limit_chosen_rubrics(
    protocol: &mut Protocol,
    file: &ProtocolFile,
    rubrics: &BTreeMap<String, Rubric>,
) {
    let Ok((unchosen, _)) = file.resolve_protocol(&Settings::new()) else {
        return;
    };
    for rule in &mut protocol.judging {
        let rubric = rule.rubric.as_ref().and_then(|name| rubrics.get(name));
        let (Some(limit), Some(before)) = (
            rubric.and_then(|rubric| rubric.max_tokens),
            unchosen.find_judging(&rule.id),
        ) else {
            continue;
        };
        if before.rubric != rule.rubric && before.max_tokens == rule.max_tokens {
            rule.max_tokens = Some(limit);
        }
    }
}
