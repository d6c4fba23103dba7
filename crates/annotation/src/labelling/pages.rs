//! Pages of a person who labels, as paragraphs: question, turns, codebook, and the label that was given. Nothing in
//! them shows a verdict, an arm, a protocol or a prompt's version.

use crate::blinded::{BlindedMessage, BlindedPart, BlindedTranscript, BlindedTurn};
use elenchus_game::judge::LabelTarget;
use elenchus_records::workspace::annotations::{CurrentLabel, OnAttempt};
use elenchus_records::workspace::{FollowUp, LabelSet};
use elenchus_text::{Content, Paragraph, Role, prose_paragraphs};

/// Pieces of a text that are laid out together: a long turn is scrolled through by them.
pub type ParagraphGroups = Vec<Vec<Paragraph>>;

/// Display of earlier turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierTurns {
    Folded,
    Unfolded,
}

/// Returns the question of a debate, and the turns that what is labelled is read with: those before it, of a proposal
/// also those after it, and of a conclusion all. A debate as a whole is read from its first turn, next to the question.
pub fn question_page(
    transcript: &BlindedTranscript,
    (on, of): (Option<&OnAttempt>, LabelTarget),
    shown: EarlierTurns,
    content: Content,
) -> ParagraphGroups {
    let build_section = |who: &str, role: Role, text: &str| {
        let mut page = vec![Paragraph::new(Role::Strong, who)];
        page.extend(prose_paragraphs(role, 2, &content.show_or_mask(text)));
        page
    };
    let mut items = ParagraphGroups::new();
    for (who, text) in &transcript.conversation {
        items.push(build_section(who, Role::Muted, text));
    }
    items.push(prose_paragraphs(
        Role::FromTopic,
        0,
        &content.show_or_mask(&transcript.topic),
    ));
    if let Some(context) = &transcript.context {
        items.push(build_section("with it", Role::FromDocument, context));
    }
    for (name, text) in &transcript.documents {
        items.push(build_section(name, Role::FromDocument, text));
    }
    for option in &transcript.options {
        items.push(build_section("option", Role::FromTopic, option));
    }
    let others = list_other_turns(transcript, on, of);
    match (others.as_slice(), shown) {
        ([], _) => {}
        (others, EarlierTurns::Folded) => {
            let turns = match others.len() {
                1 => "1 turn".to_owned(),
                many => format!("{many} turns"),
            };
            let place = match of {
                LabelTarget::Turn | LabelTarget::Critique => " before",
                LabelTarget::Proposal => " besides",
                LabelTarget::Debate | LabelTarget::Conclusion => "",
            };
            let text = format!("{turns}{place}, folded");
            items.push(vec![Paragraph::gap(), Paragraph::new(Role::Muted, text)]);
        }
        (others, EarlierTurns::Unfolded) => {
            for turn in others {
                items.push(vec![Paragraph::gap(), turn_heading(turn)]);
                items.extend(group_lines(
                    Role::FromPeer,
                    &content.show_or_mask(&turn.text),
                ));
            }
        }
    }
    items
}

fn list_other_turns<'a>(
    transcript: &'a BlindedTranscript,
    on: Option<&OnAttempt>,
    of: LabelTarget,
) -> Vec<&'a BlindedTurn> {
    let place = on.and_then(|on| transcript.find_turn(on));
    let turns = transcript.turns.iter().enumerate();
    match (of, place) {
        (LabelTarget::Debate, _) => Vec::new(),
        (LabelTarget::Conclusion, _) => transcript.turns.iter().collect(),
        (_, None) => Vec::new(),
        // Whoever decides about a proposal reads what was said against it, as its judge did.
        (LabelTarget::Proposal, Some(place)) => {
            let others = turns.filter(|(at, _)| *at != place);
            others.map(|(_, turn)| turn).collect()
        }
        (LabelTarget::Turn | LabelTarget::Critique, Some(place)) => {
            let before = transcript.turns.get(place).map_or(0, |turn| turn.before);
            turns.take(before).map(|(_, turn)| turn).collect()
        }
    }
}

/// Returns what a debate concludes.
pub fn conclusion_page(transcript: &BlindedTranscript, content: Content) -> ParagraphGroups {
    let Some(conclusion) = &transcript.conclusion else {
        let text = "the debate states no conclusion that could be read";
        return vec![vec![Paragraph::new(Role::Notice, text)]];
    };
    let mut items = vec![vec![Paragraph::new(Role::Strong, "answer")]];
    items.extend(group_lines(
        Role::Text,
        &content.show_or_mask(&conclusion.answer),
    ));
    for (name, text) in &conclusion.texts {
        items.push(vec![
            Paragraph::gap(),
            Paragraph::new(Role::Strong, name.as_str()),
        ]);
        items.extend(group_lines(Role::Text, &content.show_or_mask(text)));
    }
    items
}

/// Returns all turns of a debate.
pub fn debate_page(transcript: &BlindedTranscript, content: Content) -> ParagraphGroups {
    let mut items = ParagraphGroups::new();
    for turn in &transcript.turns {
        items.push(vec![turn_heading(turn)]);
        items.extend(group_lines(Role::Text, &content.show_or_mask(&turn.text)));
        items.push(vec![Paragraph::gap()]);
    }
    items
}

/// Returns the text of a turn.
pub fn turn_page(text: &str) -> ParagraphGroups {
    match text.trim().is_empty() {
        true => vec![vec![Paragraph::new(Role::Notice, "nothing was said")]],
        false => group_lines(Role::Text, text),
    }
}

/// Returns what a seat was shown, without what would unblind.
pub fn view_page(turn: &BlindedTurn, content: Content) -> ParagraphGroups {
    let message = |message: &BlindedMessage| {
        let mut page = vec![Paragraph::new(Role::Strong, format!("[{}]", message.role))];
        for part in &message.parts {
            match part {
                BlindedPart::Text(text) => {
                    page.extend(prose_paragraphs(Role::Text, 2, &content.show_or_mask(text)))
                }
                BlindedPart::Hidden(what) => {
                    page.push(Paragraph::new(Role::Muted, format!("[{what}]")).with_indent(2, 2));
                }
            }
        }
        page.push(Paragraph::gap());
        page
    };
    turn.saw.iter().map(message).collect()
}

/// Returns the labels of several annotators, each by its name or only by a number.
pub fn others_page(others: &[CurrentLabel], are_named: bool) -> Vec<Paragraph> {
    let lines = others.iter().enumerate().map(|(at, standing)| {
        let who = match are_named {
            true => standing.annotator.clone(),
            false => format!("annotator {}", at + 1),
        };
        Paragraph::new(Role::Muted, format!("{who}: "))
            .with_run(Role::HumanLabel, standing.describe())
    });
    lines.chain([Paragraph::gap()]).collect()
}

/// Returns the heading of a turn: seat and round.
pub fn turn_heading(turn: &BlindedTurn) -> Paragraph {
    let text = format!("{}, round {}", turn.who, turn.turn_id().round);
    Paragraph::new(Role::Strong, text)
}

fn group_lines(role: Role, text: &str) -> ParagraphGroups {
    let lines = prose_paragraphs(role, 0, text).into_iter();
    lines.map(|line| vec![line]).collect()
}

/// The labels with their keys and what each means.
pub fn label_keys(set: &LabelSet) -> Vec<Paragraph> {
    let line = |key: char, name: &str, meaning: &str| {
        Paragraph::new(Role::KeyHint, format!("{key} "))
            .with_run(Role::Strong, format!("{name}  "))
            .with_run(Role::Text, meaning)
            .with_indent(0, 4)
    };
    let mut page: Vec<Paragraph> = set
        .labels
        .iter()
        .map(|label| line(label.key, &label.name, &label.meaning))
        .collect();
    if let Some(free) = &set.free {
        page.push(line(free.key, "words", &free.meaning));
    }
    if !set.categories.is_empty() {
        let asking = set.labels.iter();
        let asking = asking.filter(|label| label.asks.contains(&FollowUp::Category));
        let names: Vec<&str> = asking.map(|label| label.name.as_str()).collect();
        let text = format!("then, after {}, the category", names.join(" or "));
        page.push(Paragraph::gap());
        page.push(Paragraph::new(Role::Muted, text));
        let categories = set.category_keys().into_iter();
        page.extend(categories.map(|(key, it)| line(key, &it.name, &it.meaning)));
    }
    page.push(Paragraph::gap());
    page
}

/// A codebook piece by piece, so that it can be scrolled through. Lines that its author broke are one
/// paragraph, which is wrapped once; headings and items of lists begin their own.
pub fn codebook_sections(text: &str) -> Vec<Vec<Paragraph>> {
    text.split("\n\n")
        .map(|section| {
            let mut page: Vec<Paragraph> = Vec::new();
            let mut goes_on = false;
            for line in section.lines() {
                let text = line.trim();
                let item = ["- ", "* ", "+ ", "|"]
                    .iter()
                    .any(|mark| text.starts_with(mark));
                let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
                let item = item || (number.len() < text.len() && number.starts_with(". "));
                let heading = text.starts_with('#');
                match page.last_mut() {
                    Some(last) if goes_on && !item && !heading => {
                        last.runs.push((Role::Text, format!(" {text}")));
                    }
                    Some(_) | None => {
                        let role = if heading { Role::Strong } else { Role::Text };
                        let indent = line.len() - line.trim_start().len();
                        let hang = indent + 2 * usize::from(item);
                        let text = text.trim_start_matches(['#', ' ']);
                        page.push(Paragraph::new(role, text).with_indent(indent, hang));
                    }
                }
                goes_on = !heading;
            }
            page.push(Paragraph::gap());
            page
        })
        .collect()
}
