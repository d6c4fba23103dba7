//! Drawing of the labelling screen: position, question and turn, and the letters of labels below.

use super::over::{Over, OverlayPage, TypedLine};
use super::{Annotate, AnnotatePane, LabelProgress, TurnDisplay};
use crate::annotation::labelling::{LabellingWork, turn_heading};
use crate::exchange::{Keep, visible};
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Marking, Paragraph, Split, StyledLine, body_and_foot, cells, draw_lines, draw_text,
    fill, frame, hint_on_edge, lay_out, lines_and_rest,
};
use crate::workspace::FollowUp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, question and turn are side by side.
const WIDE: u16 = 120;
/// Share of the height that the question takes above the turn, at most, as a divisor.
const QUESTION_PART: u16 = 3;
/// Rows of letters below at most.
const MAX_LETTERS: usize = 5;
/// Between two choices.
const BETWEEN: &str = "   ";

impl Annotate {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.mark_by(Marking::on(brush.look));
        if self.work.is_none() {
            return self.choice.draw(buffer, area, brush, &self.empty);
        }
        if self.posts.is_empty() {
            let inner = frame(area, buffer, brush.look, "labels", Focus::Focused);
            let text = Paragraph::of(Role::Notice, self.empty.clone());
            draw_text(buffer, inner, brush.look, &[text]);
            return None;
        }
        if self.progress == LabelProgress::Done {
            self.draw_done(buffer, area, brush);
            return None;
        }
        let head = lay_out(&[self.head()], usize::from(area.width));
        let letters = self.letters(brush, usize::from(area.width));
        let letters: Vec<StyledLine> = letters.into_iter().take(MAX_LETTERS).collect();
        let below = u16::try_from(letters.len()).unwrap_or(0);
        let body = lines_and_rest(buffer, area, brush.look, head.get(..1).unwrap_or_default());
        let [body, foot] = body_and_foot(body, below);
        draw_lines(buffer, foot, brush.look, &letters);
        let [question, turn] = self.split(body);
        for (pane, area) in [
            (AnnotatePane::Question, question),
            (AnnotatePane::Turn, turn),
        ] {
            brush
                .rows
                .note_pane(area, pane as usize, self.focus as usize);
            self.draw_side(buffer, area, pane, brush);
        }
        self.draw_over(buffer, body, brush)
    }

    /// Position, in one line. How the item was drawn is not in it.
    fn head(&self) -> Paragraph {
        let Some(card) = &self.card else {
            return Paragraph::gap();
        };
        let name = match &self.work {
            Some(LabellingWork::Queue(name)) => name.clone(),
            Some(LabellingWork::Disputes(name)) => format!("{name}: to be settled"),
            Some(LabellingWork::One { .. }) | None => "one turn".to_owned(),
        };
        let of = self.posts.len();
        let mut head = Paragraph::of(Role::Strong, name)
            .and(Role::Muted, format!("  {}  ", card.book.set.id))
            .and(Role::Text, format!("{} of {of}", self.at + 1))
            .and(Role::Muted, format!("  {} labelled", of - self.left()))
            .and(Role::Muted, format!("  {}  ", card.annotator));
        let here = self.post().map(|post| &post.on.session);
        head = match here.and_then(|session| card.saw.get(session)) {
            Some(_) => head.and(Role::Warning, "not blind"),
            None => head.and(Role::Safe, "blind"),
        };
        head
    }

    /// The letters that mean something now, and what was said with them so far.
    fn letters(&self, brush: DrawContext<'_>, width: usize) -> Vec<StyledLine> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let set = &card.book.set;
        if let Some(asking) = &self.asking {
            let lead = match (&asking.category, asking.now) {
                (_, FollowUp::Category) => format!("{}: which category?", asking.label),
                (None, FollowUp::Strength) => format!("{}: how strong?", asking.label),
                (Some(category), FollowUp::Strength) => {
                    format!("{}, {category}: how strong?", asking.label)
                }
            };
            let mut choices = vec![(Role::Strong, String::new(), lead)];
            let mut ends = Vec::new();
            match asking.now {
                FollowUp::Category => {
                    let all = set.categories.iter();
                    choices.extend(all.map(|it| choice(it.key, &it.name)));
                }
                FollowUp::Strength => {
                    let scale = set.strength.iter();
                    let keys = scale.clone().flat_map(|scale| scale.keys());
                    choices.extend(keys.map(|(key, value)| choice(key, &value.to_string())));
                    let ends_of = scale.map(|scale| {
                        format!(
                            "1: {}; {}: {}",
                            scale.lowest_means, scale.highest, scale.highest_means
                        )
                    });
                    ends.extend(ends_of.map(|text| Paragraph::of(Role::Muted, text)));
                }
            }
            let mut lines = packed(&choices, width);
            lines.extend(lay_out(&ends, width));
            return lines;
        }
        let mine = self.post().and_then(|post| post.mine.as_ref());
        let chosen = mine.map(|mine| mine.label.label.as_str());
        let labels = set.labels.iter().map(|label| match chosen {
            Some(chosen) if chosen == label.name => {
                let (_, key, name) = choice(label.key, &format!("[{}]", label.name));
                (Role::Selection, key, name)
            }
            Some(_) | None => choice(label.key, &label.name),
        });
        let free = set.free.iter();
        let free = free.map(|free| choice(free.key, "words of your own"));
        let choices: Vec<LetterChoice> = labels.chain(free).collect();
        let mut lines = packed(&choices, width);
        let pending = self.pending.get(&self.at);
        let said = match (mine, pending) {
            (Some(mine), _) => {
                Paragraph::of(Role::Muted, "labelled: ").and(Role::HumanLabel, mine.describe())
            }
            (None, Some(pending)) => {
                let mut text = "not labelled yet; with the label goes".to_owned();
                if pending.flagged {
                    text.push_str(" a flag");
                }
                if let Some(note) = &pending.note {
                    text.push_str(&format!(" the note: {note}"));
                }
                Paragraph::of(Role::Muted, text)
            }
            (None, None) => Paragraph::of(Role::Muted, "not labelled"),
        };
        let more = format!(
            "   ({} codebook, {} note, {} flag)",
            key_for(Context::Annotate, Action::Codebook),
            key_for(Context::Annotate, Action::Note),
            key_for(Context::Annotate, Action::Flag)
        );
        let said = said.and(Role::Muted, brush.spelled(&more));
        lines.extend(lay_out(&[said], width).into_iter().take(1));
        lines
    }

    /// Areas of question and turn: side by side, or one over the other.
    fn split(&self, area: Rect) -> [Rect; 2] {
        let width = usize::from(area.width.saturating_sub(4));
        let items = self.question.items().iter();
        let lines: usize = items.map(|item| lay_out(item, width).len()).sum();
        let wanted = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2);
        let part = match self.focus {
            AnnotatePane::Question => area.height * 2 / QUESTION_PART,
            AnnotatePane::Turn => area.height / QUESTION_PART,
        };
        Split::shared(WIDE, 40, wanted.min(part.max(3))).areas(area)
    }

    fn draw_side(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        pane: AnnotatePane,
        brush: DrawContext<'_>,
    ) {
        let focus = match self.focus == pane {
            true => Focus::Focused,
            false => Focus::Unfocused,
        };
        let title = match pane {
            AnnotatePane::Question => "question".to_owned(),
            AnnotatePane::Turn => self.turn_title(),
        };
        let inner = frame(area, buffer, brush.look, &title, focus);
        let page = match pane {
            AnnotatePane::Question => &mut self.question,
            AnnotatePane::Turn => &mut self.turn,
        };
        page.draw(buffer, inner, brush);
    }

    fn turn_title(&self) -> String {
        let Some((sheet, at)) = self.sheet() else {
            return "turn".to_owned();
        };
        let Some(turn) = at.and_then(|at| sheet.turns.get(at)) else {
            return "debate".to_owned();
        };
        let heading = turn_heading(turn).runs;
        let mut title: String = heading.into_iter().map(|(_, text)| text).collect();
        if self.shows.turn == TurnDisplay::Difference
            && let Some(before) = at.and_then(|at| sheet.before(at))
        {
            title.push_str(&format!(", against round {}", before.turn().round));
        }
        title
    }

    fn draw_over(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let words = self.card.as_ref().map(|card| card.words.join(", "));
        let hint = self.over.as_ref().map(Over::hint).unwrap_or_default();
        match &mut self.over {
            None => None,
            Some(Over::Page(page)) => {
                draw_page(page, &brush.spelled(&hint), buffer, area, brush);
                None
            }
            Some(Over::Line(line, typed)) => {
                let [_, at] = body_and_foot(area, 3.min(area.height));
                fill(at, buffer, brush.look);
                let title = match (line, words.filter(|words| !words.is_empty())) {
                    (TypedLine::Note, _) => "note; Enter keeps it, Esc does not".to_owned(),
                    (TypedLine::Words, None) => "words, with commas; Enter labels".to_owned(),
                    (TypedLine::Words, Some(words)) => {
                        let room = usize::from(area.width).saturating_sub(30);
                        format!("words, with commas; so far {}", cut(&words, room))
                    }
                };
                let inner = frame(at, buffer, brush.look, &title, Focus::Focused);
                Some(typed.draw(inner, buffer, brush.look, Role::Text))
            }
        }
    }

    /// Says that nothing is left, and what can be done then.
    fn draw_done(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let inner = frame(area, buffer, brush.look, "done", Focus::Focused);
        let of = self.posts.len();
        let (back, enter) = (
            key_for(Context::Annotate, Action::Back),
            key_for(Context::Annotate, Action::Open),
        );
        let keys =
            format!("{enter} goes back to the labels and lets them be changed; {back} goes back.");
        let page = [
            self.head(),
            Paragraph::gap(),
            Paragraph::of(Role::Strong, format!("Done: all {of} are labelled.")),
            Paragraph::of(Role::Muted, brush.spelled(&keys)),
        ];
        draw_text(buffer, inner, brush.look, &page);
    }
}

/// Role, key and name of a choice.
type LetterChoice = (Role, String, String);

fn choice(key: char, name: &str) -> LetterChoice {
    (Role::Text, format!("{key} "), name.to_owned())
}

/// Puts choices into lines; none is parted from its key.
fn packed(choices: &[LetterChoice], width: usize) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::default()];
    let mut used = 0;
    for (role, key, name) in choices {
        let wide = cells(key) + cells(name) + BETWEEN.len();
        if used > 0 && used + wide > width + BETWEEN.len() {
            lines.push(StyledLine::default());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            line.runs.push((Role::KeyHint, key.clone()));
            line.runs
                .push((*role, visible(name, Keep::Nothing).into_owned()));
            line.runs.push((Role::Text, BETWEEN.to_owned()));
        }
        used += wide;
    }
    lines
}

fn draw_page(
    page: &mut OverlayPage,
    hint: &str,
    buffer: &mut Buffer,
    area: Rect,
    brush: DrawContext<'_>,
) {
    fill(area, buffer, brush.look);
    let inner = frame(area, buffer, brush.look, &page.title, Focus::Focused);
    page.page.draw(buffer, inner, brush);
    hint_on_edge(buffer, area, brush.look, Role::Muted, hint);
}
