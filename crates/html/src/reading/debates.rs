//! Debates of a page: turns in the order of speaking with their verdicts, and what stands beside them. Pure.

use super::anchors::{debate_anchor, turn_anchor};
use super::blocks::build_blocks;
use crate::page::{DebateItem, DebatePart, TextBlock, TurnColumn, ViewPart};
use crate::request::PageOptions;
use elenchus_annotation::{BlindedPart, BlindedTranscript};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{SessionId, State, Target, TurnId};
use elenchus_records::workspace::annotations::Annotations;
use elenchus_records::workspace::pass::{Pass, PassVerdict};
use elenchus_records::workspace::prompts::KeptPrompts;
use elenchus_store::Hash;
use elenchus_text::{Paragraph, Role, others_prose};
use elenchus_view::debate_text::{
    Block, BlockOptions, DebateText, Extent, Headings, Notes, RepeatedTexts, texts,
};
use elenchus_view::show::{describe_block_views, list_transcript_blocks};

/// Characters of a topic that are a title.
const TITLE_CHARACTERS: usize = 110;
/// Digits of a hash that name a debate.
const SHORT_HASH: usize = 12;
/// The option that shows private texts.
const REVEAL: &str = "--private";

/// What is known of a debate beside its own state.
pub(super) struct DebateSource<'a> {
    pub number: usize,
    pub session: &'a SessionId,
    pub state: &'a State,
    pub annotations: &'a Annotations,
    pub kept: Option<&'a KeptPrompts>,
    /// The pass whose findings stand beside the turns.
    pub pass: Option<&'a Pass>,
    pub depth: usize,
    /// Name of its arm, where the page has several.
    pub arm: Option<&'a str>,
}

/// Returns a debate; `None` where it has not begun.
pub(super) fn build_debate(source: &DebateSource<'_>, show: PageOptions) -> Option<DebatePart> {
    let state = source.state;
    let created = state.first_event()?;
    let notes = match show.labels {
        true => Notes::from_annotations(source.annotations, source.session),
        false => Notes::default(),
    };
    let repeated_texts = RepeatedTexts::default();
    let text = DebateText {
        state,
        created,
        repeated_texts: &repeated_texts,
        notes: &notes,
        show: BlockOptions {
            masked: false,
            private: show.private,
            difference: false,
            fold: false,
        },
        headings: Headings::OfAll,
        extent: Extent::SentPage,
        retry: "",
        reveal: REVEAL,
    };
    let mut items = Vec::new();
    let mut round = 0;
    for block in list_transcript_blocks(state, &notes) {
        if block == Block::Memory && !show.memory {
            continue;
        }
        if let Some(turn) = block.turn().filter(|turn| turn.round > round) {
            round = turn.round;
            let title = format!("Round {round} of {}", created.protocol.rounds);
            items.push(DebateItem::Round { title });
        }
        items.push(build_item(source, &text, &block));
    }
    Some(DebatePart {
        anchor: debate_anchor(source.number),
        title: format_title(source.number, &created.topic.text),
        depth: source.depth.min(3),
        facts: list_facts(source, created),
        items,
    })
}

/// Returns the beginning of a topic behind the number of its debate.
fn format_title(number: usize, topic: &str) -> String {
    format!("{}. {}", number + 1, shorten_topic(topic))
}

/// Returns the beginning of a topic, in one line.
pub(super) fn shorten_topic(topic: &str) -> String {
    let words: Vec<&str> = topic.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(TITLE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn list_facts(source: &DebateSource<'_>, created: &Created) -> Vec<String> {
    let state = source.state;
    let mut facts = Vec::new();
    if created.is_simulated() {
        facts.push("SIMULATED".to_owned());
    }
    if let Some(arm) = source.arm {
        facts.push(arm.to_owned());
    }
    if let Some(parent) = state.forked_from().last() {
        facts.push(format!("fork of {parent}"));
    }
    facts.push(texts::describe_ending(state).1);
    facts.push(format!("session {}", source.session));
    facts
}

fn build_item(source: &DebateSource<'_>, text: &DebateText<'_>, block: &Block) -> DebateItem {
    let views = source.kept.map_or_else(Vec::new, |kept| {
        let views = describe_block_views(text, block, kept).into_iter();
        views.map(|view| build_view(&view)).collect()
    });
    let Some(turn) = block.turn() else {
        return DebateItem::Record {
            blocks: build_blocks(&text.describe_block(block)),
            views,
        };
    };
    let spoken = match block {
        Block::Turn(turn) => text.describe_turn_columns(turn),
        _ => Vec::new(),
    };
    let mut columns: Vec<TurnColumn> = spoken
        .iter()
        .map(|column| TurnColumn {
            said: build_blocks(&column.said),
            found: build_blocks(&column.found),
        })
        .collect();
    if columns.is_empty() {
        // It failed, was stopped, or is still to come.
        columns.push(TurnColumn {
            said: build_blocks(&text.describe_block(block)),
            found: Vec::new(),
        });
    }
    let found = build_blocks(&describe_pass_verdicts(source, turn));
    if let Some(column) = columns.last_mut() {
        column.found.extend(found);
    }
    let heading = take_heading(&mut columns);
    columns.retain(|column| !column.said.is_empty() || !column.found.is_empty());
    DebateItem::Turn {
        anchor: turn_anchor(source.number, turn),
        heading,
        columns,
        views,
    }
}

/// Says what the pass of the page found on a turn.
fn describe_pass_verdicts(source: &DebateSource<'_>, turn: &TurnId) -> Vec<Paragraph> {
    // Of what stands there now: an attempt that was replaced since said something else.
    let chosen = source.state.chosen_attempt(turn).map(|(id, _)| id);
    let verdicts = source.pass.iter().flat_map(|pass| &pass.verdicts);
    let of_turn = verdicts.filter(|verdict| match &verdict.target {
        Target::Attempt(id) => verdict.session == *source.session && Some(id) == chosen.as_ref(),
        Target::Round(_) | Target::Debate => false,
    });
    let describe = |verdict: &PassVerdict| {
        let by = format!("{} by {}, in this pass: ", verdict.rubric, verdict.model);
        let line = Paragraph::new(Role::Muted, by);
        match verdict.outcome.as_finding() {
            Some(finding) => line.with_run(Role::Strong, finding.label.clone()),
            None => line.with_run(Role::Unparsed, "cannot be read"),
        }
    };
    of_turn.map(describe).collect()
}

/// Takes the first line of a turn, which says who speaks.
fn take_heading(columns: &mut [TurnColumn]) -> Option<TextBlock> {
    let said = &mut columns.first_mut()?.said;
    let is_heading = said.first().is_some_and(|block| !block.is_by_others);
    is_heading.then(|| said.remove(0))
}

/// Returns a view behind its title.
fn build_view(view: &[Paragraph]) -> ViewPart {
    let (title, rest) = match view.split_first() {
        Some((title, rest)) => (
            title.runs.iter().map(|(_, text)| text.as_str()).collect(),
            rest,
        ),
        None => (String::new(), view),
    };
    ViewPart {
        title,
        blocks: build_blocks(rest),
    }
}

/// Returns a debate as people see it who label: its topic and public turns by letters.
pub(super) fn build_blinded_debate(
    number: usize,
    transcript: &BlindedTranscript,
    show: PageOptions,
) -> DebatePart {
    let mut topic = vec![Paragraph::new(Role::Strong, "Topic")];
    topic.extend(others_prose(Role::FromTopic, 2, &transcript.topic));
    if let Some(context) = &transcript.context {
        topic.push(Paragraph::new(Role::Muted, "context:").with_indent(2, 2));
        topic.extend(others_prose(Role::FromTopic, 4, context));
    }
    for (who, said) in &transcript.conversation {
        topic.push(Paragraph::new(Role::Muted, format!("earlier, {who}:")).with_indent(2, 2));
        topic.extend(others_prose(Role::FromTopic, 4, said));
    }
    for (at, option) in transcript.options.iter().enumerate() {
        let line = format!("option {}: {option}", at + 1);
        topic.extend(others_prose(Role::FromTopic, 2, &line));
    }
    for (name, document) in &transcript.documents {
        topic.push(Paragraph::new(Role::Muted, format!("document {name}:")).with_indent(2, 2));
        topic.extend(others_prose(Role::FromDocument, 4, document));
    }
    let mut items = vec![DebateItem::Record {
        blocks: build_blocks(&topic),
        views: Vec::new(),
    }];
    for (at, turn) in transcript.turns.iter().enumerate() {
        let heading = Paragraph::new(Role::Strong, format!("Speaker {}", turn.who))
            .with_run(Role::Muted, format!(" · turn {}", at + 1));
        let messages = turn.saw.iter().filter(|_| show.views);
        let views = messages.map(|message| {
            let parts = message.parts.iter().flat_map(|part| match part {
                BlindedPart::Text(text) => others_prose(Role::Text, 2, text),
                BlindedPart::Hidden(what) => {
                    vec![Paragraph::new(Role::Muted, format!("[{what}]")).with_indent(2, 2)]
                }
            });
            ViewPart {
                title: message.role.clone(),
                blocks: build_blocks(&parts.collect::<Vec<_>>()),
            }
        });
        items.push(DebateItem::Turn {
            anchor: format!("{}-t{}", debate_anchor(number), at + 1),
            heading: build_blocks(&[heading]).pop(),
            columns: vec![TurnColumn {
                said: build_blocks(&others_prose(Role::Text, 2, &turn.text)),
                found: Vec::new(),
            }],
            views: views.collect(),
        });
    }
    DebatePart {
        anchor: debate_anchor(number),
        title: format_title(number, &transcript.topic),
        depth: 0,
        facts: vec![
            name_blinded_debate(number, &transcript.session),
            elenchus_text::format_noun_count(transcript.turns.len(), "turn"),
        ],
        items,
    }
}

/// Names a debate for people who label, who are to see no id: by its number, and by the beginning of the SHA-256 of its
/// session's id, by which whoever has the store finds it.
pub(super) fn name_blinded_debate(number: usize, session: &SessionId) -> String {
    let hash = Hash::digest(session.as_str().as_bytes()).to_string();
    let short = hash.get(..SHORT_HASH).unwrap_or(&hash);
    format!("debate {} ({short})", number + 1)
}
