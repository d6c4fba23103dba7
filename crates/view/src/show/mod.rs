//! What `elenchus show` prints, and exports write as a transcript: a session as a readable text, its head,
//! then its blocks, as the panes of the workbench write them, round by round. Pure: state in, text out.

mod head;

use crate::debate_text::{
    Block, BlockOptions, BlockSource, DebateText, Extent, Headings, Notes, RepeatedTexts,
    turns_in_order,
};
use crate::seat_view::{
    SeatView, ViewOptions, view_of_decision, views_of_attempts, views_of_lessons, views_of_verdicts,
};
use elenchus_game::debate::event::{Created, RunPlace};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{SessionId, State, TurnId};
use elenchus_records::workspace::Import;
use elenchus_records::workspace::prompts::KeptPrompts;
use elenchus_text::{Colour, Page, Paragraph, Role, others_prose};
use jiff::Timestamp;

/// The option that shows private texts.
const REVEAL: &str = "--private";

/// How a transcript is written.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptOptions<'a> {
    /// When and from where the session came, if it was not played here.
    pub imported: Option<&'a Import>,
    pub width: usize,
    pub colour: Colour,
    /// Private turns and the models' own thinking are shown.
    pub private: bool,
    /// What each seat was shown is shown, with the labels of prompts.
    pub views: Option<&'a KeptPrompts>,
}

/// Writes a session down, safe to print.
pub fn write_transcript(
    session: &SessionId,
    state: &State,
    options: TranscriptOptions<'_>,
) -> String {
    let mut page = Page::new(options.width, options.colour);
    let Some(creation) = state.first_event() else {
        page.add_line(&format!("session {session} has not begun"));
        return page.into_text();
    };
    head::write_head(&mut page, (session, state, creation), options.imported);
    page.add_gap();
    let resume_command = match state.find_open_steps().done {
        Some(_) => String::new(),
        None => format_resume_command(session, creation),
    };
    let text = DebateText {
        state,
        created: creation,
        repeated_texts: &RepeatedTexts::default(),
        notes: &Notes::default(),
        show: BlockOptions {
            masked: false,
            private: options.private,
            difference: false,
            fold: false,
        },
        headings: Headings::OfAll,
        extent: Extent::Page,
        retry: &resume_command,
        reveal: REVEAL,
    };
    let mut round = 0;
    for block in list_transcript_blocks(state, text.notes) {
        if let Some(now) = round_of(&block).filter(|now| *now > round) {
            round = now;
            page.add_title(&format!("Round {now} of {}", creation.protocol.rounds));
            page.add_gap();
        }
        page.add_paragraphs(&text.describe_block(&block));
        if let Some(kept) = options.views {
            for view in describe_block_views(&text, &block, kept) {
                page.add_paragraphs(&view);
            }
        }
    }
    page.line_at(2).write_dim(&describe_duration(state));
    if !resume_command.is_empty() {
        page.line_at(2)
            .write_plain(&format!("go on: {resume_command}"));
    }
    page.into_text()
}

/// Returns the command that plays a session on.
fn format_resume_command(session: &SessionId, creation: &Created) -> String {
    match &creation.run {
        Some(RunPlace { run, .. }) => format!("elenchus run --resume {run}"),
        None => format!("elenchus run --resume-session {session}"),
    }
}

/// Returns the whole debate: what comes before the turns, then all in the order of speaking.
pub fn list_transcript_blocks(state: &State, notes: &Notes) -> Vec<Block> {
    let source = BlockSource {
        state,
        notes,
        turns: &turns_in_order(state, &[]),
    };
    let mut blocks = source.build_transcript();
    let record = source.build_record().into_iter();
    let beside: Vec<Block> = record.filter(|block| !blocks.contains(block)).collect();
    blocks.splice(1..1, beside);
    blocks
}

fn round_of(block: &Block) -> Option<u32> {
    match block {
        Block::Found(_, Target::Round(round)) => Some(*round),
        block => block.turn().map(|turn| turn.round),
    }
}

/// Writes what seats were shown for what a block shows: the paragraphs of each view, its title first.
pub fn describe_block_views(
    text: &DebateText<'_>,
    block: &Block,
    kept: &KeptPrompts,
) -> Vec<Vec<Paragraph>> {
    let views = list_views(text.state, block).into_iter();
    views.map(|view| describe_view(view, text, kept)).collect()
}

/// Returns the views of what a block shows.
fn list_views(state: &State, block: &Block) -> Vec<SeatView> {
    match block {
        Block::Turn(turn) => views_at_turn(state, turn),
        Block::Found(judging, target) => views_of_verdicts(state, judging, target, None).0,
        Block::Guardrails => {
            let chairs = state.guard_states().keys();
            chairs
                .filter_map(|chair| view_of_decision(state, chair))
                .collect()
        }
        Block::Lesson => views_of_lessons(state),
        _ => Vec::new(),
    }
}

/// Returns the views of a turn's attempts, each with those of the verdicts on it.
fn views_at_turn(state: &State, turn: &TurnId) -> Vec<SeatView> {
    let mut views = Vec::new();
    let rules = state.protocol().map(|protocol| &protocol.judging);
    for (id, view) in views_of_attempts(state, turn) {
        views.push(view);
        let target = Target::Attempt(id);
        for rule in rules.into_iter().flatten() {
            views.extend(views_of_verdicts(state, &rule.id, &target, None).0);
        }
    }
    views
}

fn describe_view(mut view: SeatView, text: &DebateText<'_>, kept: &KeptPrompts) -> Vec<Paragraph> {
    view.label_prompt(kept);
    let show = ViewOptions {
        content: text.show.content(),
        private: text.show.private,
    };
    let mut page = view.full_paragraphs(show, text.reveal);
    if let Some(reply) = &view.reply {
        page.push(Paragraph::new(Role::Muted, "replied:").with_indent(4, 4));
        page.extend(others_prose(Role::Text, 4, &reply.text));
        let thinking = reply.thinking.iter();
        page.extend(thinking.flat_map(|thinking| {
            text.describe_hidden_text(Role::Thinking, "its own thinking", thinking)
        }));
    }
    page.push(Paragraph::gap());
    page
}

/// Returns how long it took, and until when.
fn describe_duration(state: &State) -> String {
    let (first, last) = state.time_span();
    match (first.parse::<Timestamp>(), last.parse::<Timestamp>()) {
        (Ok(first), Ok(last)) => {
            let ms = (last.as_millisecond() - first.as_millisecond()).max(0);
            format!("{}.{:03} s, until {last}", ms / 1000, ms % 1000)
        }
        _ => format!("until {last}"),
    }
}
