//! A page for people who label: topics and turns by letters, and nothing that reveals a verdict, a model, an arm, a
//! protocol or a prompt (FIGURES 8).
//!
//! No id stands on it: those of runs and sessions begin with the time at which they began, and debates of an arm were
//! played one after the other. So the command that writes it again, which names them, is told to who writes it alone.

use super::debates::{build_blinded_debate, name_blinded_debate};
use super::subjects::Subjects;
use super::{MAX_NAMED, PageSource, count_text_bytes};
use crate::page::{Fact, HtmlPage};
use crate::request::PageRequest;
use elenchus_annotation::{TranscriptParts, read_blinded_transcript};
use elenchus_records::workspace::Result;
use elenchus_store::Hash;
use elenchus_text::format_noun_count;

/// Builds it; debates stand in an order that hangs on their ids alone, so that those of an arm are not together.
pub(super) fn build_blind_page(
    source: PageSource<'_>,
    request: &PageRequest,
    subjects: &Subjects,
) -> Result<HtmlPage> {
    let layout = source.index.layout();
    let mut sessions: Vec<_> = subjects.items.iter().map(|item| &item.session).collect();
    sessions.sort_by_key(|session| Hash::digest(session.as_str().as_bytes()));
    let is_simulated = |created: &elenchus_game::debate::event::Created| created.is_simulated();
    let states = subjects
        .states
        .iter()
        .filter_map(|state| state.first_event());
    let runs = subjects.runs.iter().flat_map(|run| &run.manifest.casts);
    let pass = subjects.pass.as_ref();
    let has_simulated = pass.is_some_and(|pass| pass.has_simulated)
        || states.into_iter().any(is_simulated)
        || runs.flatten().any(|one| one.player.is_simulated());
    let mut page = HtmlPage {
        title: "Debates to label".to_owned(),
        about: format!(
            "{} by language models, without verdicts and without the names of models, arms, protocols and prompts.",
            format_noun_count(sessions.len(), "debate")
        ),
        warnings: match has_simulated {
            true => vec!["SIMULATED: simulated models played debates of this page.".to_owned()],
            false => Vec::new(),
        },
        facts: vec![Fact::new("date", &request.date)],
        blind: true,
        left_out: vec![
            "verdicts, figures, arms, models, protocols, prompts and settings: whoever labels must not know them"
                .to_owned(),
            "private turns".to_owned(),
            "the ids of runs and sessions, and the command that writes this page again: who wrote it has them"
                .to_owned(),
        ],
        ..HtmlPage::default()
    };
    let (mut used_bytes, mut unreadable) = (0, Vec::new());
    for (number, session) in sessions.iter().enumerate() {
        if used_bytes > request.options.max_bytes {
            page.unread_debates = sessions.len() - number;
            break;
        }
        let Ok(transcript) = read_blinded_transcript(layout, session, TranscriptParts::default())
        else {
            unreadable.push(name_blinded_debate(number, session));
            continue;
        };
        let debate = build_blinded_debate(number, &transcript, request.options);
        used_bytes += count_text_bytes(&debate);
        page.debates.push(debate);
    }
    let named = unreadable.iter().take(MAX_NAMED);
    // The reason has the path of its journal in it.
    page.left_out.extend(named.map(|name| {
        format!(
            "{name}: it has not begun, or its journal cannot be read; 'elenchus verify' says which"
        )
    }));
    let more = unreadable.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let more = format_noun_count(more, "debate");
        page.left_out
            .push(format!("{more} more that cannot be read"));
    }
    Ok(page)
}
