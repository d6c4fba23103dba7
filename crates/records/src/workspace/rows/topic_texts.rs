//! Texts of topics, which rows do not hold: from the overviews of sessions, one for each topic.

use crate::workspace::{SessionOverview, StoreIndex};
use elenchus_game::debate::{SessionId, TopicKey};
use elenchus_metrics::DebateRow;
use std::collections::BTreeMap;

/// Returns the texts of the topics of some rows. A topic is left out where no session of it can be read: its id is
/// all that is known then. Blocks: journals are read that the index, read for overviews, does not know.
pub fn topic_texts(index: &StoreIndex, rows: &[DebateRow]) -> BTreeMap<TopicKey, String> {
    let mut texts: BTreeMap<TopicKey, String> = BTreeMap::new();
    for row in rows {
        if texts.contains_key(&row.topic.key) {
            continue;
        }
        let session = SessionId::new(row.session.as_str());
        let path = index.layout().session_path(session.as_str()).ok();
        let read = path.and_then(|path| index.get_or_derive::<SessionOverview>(&path).ok());
        if let Some(overview) = read {
            texts.insert(row.topic.key.clone(), overview.summary.topic);
        }
    }
    texts
}
