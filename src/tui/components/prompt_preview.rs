//! Preview pane of a prompt that is edited: what a seat would be shown, part by part, at a place that can be
//! changed. Beside it stands whatever the text is written in.

use super::tagged_text::lay_out_part;
use crate::tui::app::{Effect, Services, Task, say_error, say_notice};
use crate::tui::components::rows::cut_to_width;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, DrawContext, Focus, Marking, Paragraph, ScrollList, StyledLine, compare_inline,
    draw_frame, draw_top_lines, lay_out,
};
use elenchus_records::workspace;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::prompts::{
    PromptAt, PromptName, PromptPlaces, TextFault, find_places,
};
use elenchus_run::drafts::{LivePreview, PreviewItem, PreviewPlace, PromptPreview, RenderRequest};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Lines of what is known of the place.
const MAX_FACTS: usize = 3;

/// Result of a task of the pane.
pub(in crate::tui) enum PreviewMessage {
    /// Place that it is previewed at, with all of its uses in the same session.
    Placed(Result<Arc<PreviewPlace>, WorkspaceError>),
    Places(Result<Vec<PromptPlaces>, WorkspaceError>),
    Shown(Result<Box<PromptPreview>, TextFault>),
}

/// The pane; `M` is what its screen is told.
pub(in crate::tui) struct PreviewPane<M> {
    name: PromptName,
    wrap: fn(PreviewMessage) -> M,
    pub preview: LivePreview,
    list: ScrollList,
    choosing: Choosing,
    style: TextStyle,
}

/// Choice of another place.
enum Choosing {
    No,
    /// Places are being found.
    Finding,
    /// In the order of the rows; `None` for sample data.
    Among(Option<Dialog<Vec<Option<PromptAt>>>>),
}

type ReadPlace = workspace::Result<PreviewPlace>;

/// How texts were drawn last.
#[derive(Clone, Copy)]
struct TextStyle {
    content: Content,
    marking: Marking,
}

impl<M: Send + 'static> PreviewPane<M> {
    /// A pane without a place.
    pub(in crate::tui) fn new(name: PromptName, wrap: fn(PreviewMessage) -> M) -> Self {
        Self {
            name,
            wrap,
            preview: LivePreview::default(),
            list: ScrollList::default(),
            choosing: Choosing::No,
            style: TextStyle {
                content: Content::Shown,
                marking: Marking::Look,
            },
        }
    }

    /// Finds a place to preview it at: the given one, or the last that used it.
    pub(in crate::tui) fn open_place(&self, at: Option<PromptAt>) -> Effect {
        self.read_place("preview a prompt", |services, name| {
            PreviewPlace::read_or_last(&services.store.layout, &services.library, name, at)
        })
    }

    /// Looks at it somewhere else, on sample data where no place is named.
    fn go_to_place(&self, at: Option<PromptAt>) -> Vec<Effect> {
        vec![
            self.read_place("preview a prompt elsewhere", |services, name| {
                PreviewPlace::read_or_sample(&services.store.layout, &services.library, name, at)
            }),
        ]
    }

    fn read_place(
        &self,
        title: &'static str,
        read: impl FnOnce(&Services, &PromptName) -> ReadPlace + Send + 'static,
    ) -> Effect {
        let (name, wrap) = (self.name.clone(), self.wrap);
        Effect::Start(Task::new_blocking(title, move |services| {
            let place = read(services, &name).map(Arc::new);
            wrap(PreviewMessage::Placed(place))
        }))
    }

    /// Asks what a text shows. A key does not wait for the text of the key before.
    pub(in crate::tui) fn request_preview(&mut self, text: String) -> Option<Effect> {
        let request = self.preview.request_render(text);
        request.map(|request| self.render_preview(request))
    }

    fn render_preview(&self, (stage, text): RenderRequest) -> Effect {
        let wrap = self.wrap;
        Effect::Start(Task::new_blocking("render a prompt", move |services| {
            let preview = stage.preview_text(&services.seats, &text);
            wrap(PreviewMessage::Shown(preview.map(Box::new)))
        }))
    }

    fn choose_place(&mut self) -> Vec<Effect> {
        self.choosing = Choosing::Finding;
        let (name, wrap) = (self.name.clone(), self.wrap);
        let task = Task::new_blocking("find where a prompt was used", move |services| {
            let places = find_places(&services.store.layout, &name);
            wrap(PreviewMessage::Places(places))
        });
        vec![Effect::Start(task)]
    }

    /// Takes in what came of a task; `text` is what is written, where it can be read.
    pub(in crate::tui) fn update(
        &mut self,
        message: PreviewMessage,
        text: impl FnOnce() -> Option<String>,
    ) -> Vec<Effect> {
        match message {
            PreviewMessage::Placed(Ok(place)) => {
                self.preview.set_place(place);
                self.list.set_count(self.preview.items().len());
                let look = text().and_then(|text| self.request_preview(text));
                look.into_iter().collect()
            }
            PreviewMessage::Shown(shown) => {
                let next = self.preview.take_preview(shown);
                self.list.set_count(self.preview.items().len());
                next.map(|next| self.render_preview(next))
                    .into_iter()
                    .collect()
            }
            // It was left meanwhile.
            PreviewMessage::Places(_) if !matches!(self.choosing, Choosing::Finding) => Vec::new(),
            PreviewMessage::Places(Ok(found)) => {
                let dialog = build_place_dialog(&found, self.style.content);
                self.choosing = Choosing::Among(Some(dialog));
                Vec::new()
            }
            PreviewMessage::Places(Err(why)) => {
                self.choosing = Choosing::No;
                say_error(why)
            }
            PreviewMessage::Placed(Err(why)) => say_error(why),
        }
    }

    /// Answers an action on what is previewed, and where.
    pub(in crate::tui) fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        // Its screen gives it no others.
        match action {
            Action::Difference => {
                if let Err(why) = self.preview.turn_difference() {
                    return say_notice(why);
                }
                self.list.set_count(self.preview.items().len());
                Vec::new()
            }
            Action::NextTurn => self.step_place(1),
            Action::PreviousTurn => self.step_place(-1),
            Action::ChooseTurn => self.choose_place(),
            _ => {
                let (preview, style) = (&self.preview, self.style);
                let lay_out = |item, width| lay_out_item(preview, style, item, width);
                self.list.handle_action(action, &lay_out);
                Vec::new()
            }
        }
    }

    /// Looks at the next thing, or the one before, that the prompt asked for in the same session.
    fn step_place(&mut self, by: isize) -> Vec<Effect> {
        let choose = key_for(Context::PromptEditor, Action::ChooseTurn);
        match self.preview.neighbour(by, choose) {
            None => self.choose_place(),
            Some(Ok(next)) => self.go_to_place(Some(next)),
            Some(Err(why)) => say_notice(why),
        }
    }

    /// Says whether a place is chosen: keys are the pane's then.
    pub(in crate::tui) fn is_choosing(&self) -> bool {
        !matches!(self.choosing, Choosing::No)
    }

    pub(in crate::tui) fn handle_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let answer = match &mut self.choosing {
            Choosing::Among(dialog) => {
                let answer = Dialog::answer_key(dialog, key);
                if dialog.is_some() {
                    return Vec::new();
                }
                answer
            }
            Choosing::Finding if key.code == KeyCode::Esc => None,
            Choosing::Finding | Choosing::No => return Vec::new(),
        };
        self.choosing = Choosing::No;
        match answer {
            Some(DialogAnswer::Item(mut at, chosen, _)) if chosen < at.len() => {
                self.go_to_place(at.swap_remove(chosen))
            }
            Some(_) | None => Vec::new(),
        }
    }

    pub(in crate::tui) fn paste_text(&mut self, text: &str) {
        if let Choosing::Among(Some(dialog)) = &mut self.choosing {
            dialog.paste_text(text);
        }
    }

    /// Takes note of how texts are drawn; the pane itself may be out of sight.
    pub(in crate::tui) fn note_style(&mut self, context: DrawContext<'_>) {
        self.style = TextStyle {
            content: context.content,
            marking: context.look.marking(),
        };
    }

    pub(in crate::tui) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        focus: Focus,
    ) {
        let (preview, style) = (&self.preview, self.style);
        let inner = draw_frame(area, buffer, context.look, preview.title(), focus);
        let facts = lay_out(&preview.list_facts(), inner.width.into()).into_iter();
        let facts = facts.map(|line| shorten_line(line, inner.width.into()));
        let facts: Vec<StyledLine> = facts.take(MAX_FACTS).collect();
        let body = draw_top_lines(buffer, inner, context.look, &facts);
        let lay_out = |item, width| lay_out_item(preview, style, item, width);
        self.list.draw(buffer, body, context, focus, &lay_out);
    }

    /// Draws what lies over the screen while a place is chosen.
    pub(in crate::tui) fn draw_dialog(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        match &self.choosing {
            Choosing::Among(Some(dialog)) => dialog.draw(area, buffer, context),
            Choosing::Among(None) | Choosing::Finding | Choosing::No => None,
        }
    }
}

/// The choice among places that a prompt was used at, and sample data.
fn build_place_dialog(found: &[PromptPlaces], content: Content) -> Dialog<Vec<Option<PromptAt>>> {
    let (mut items, mut at) = (Vec::new(), Vec::new());
    for places in found {
        let detail = places.describe_debate(content);
        for place in places.list_places() {
            items.push(PickItem {
                label: place.asked.to_string(),
                detail: detail.clone(),
                aside: String::new(),
            });
            at.push(Some(place));
        }
    }
    items.push(PickItem {
        label: "sample data".to_owned(),
        detail: "the whole game on a made-up topic; no model is asked".to_owned(),
        aside: String::new(),
    });
    at.push(None);
    Dialog::new_list(Picker::new("where it was used", items), at)
}

/// Lays one thing of the page out.
fn lay_out_item(
    preview: &LivePreview,
    style: TextStyle,
    item: usize,
    width: usize,
) -> Vec<StyledLine> {
    let content = style.content;
    match preview.items().get(item) {
        Some(PreviewItem::Heading(text)) => {
            let gap = (item > 0).then(Paragraph::gap);
            let mut page = Vec::from_iter(gap);
            page.push(Paragraph::new(Role::Strong, text.clone()));
            lay_out(&page, width)
        }
        Some(PreviewItem::Part(part)) => {
            let origin = preview.part_origin(&part.from);
            let text = part.text.as_deref().unwrap_or_default();
            lay_out_part(
                &origin,
                origin.kind.role(),
                &content.show_or_mask(text),
                width,
            )
        }
        Some(PreviewItem::Changed { before, now }) => {
            let page = compare_inline(
                &content.show_or_mask(before),
                &content.show_or_mask(now),
                style.marking,
            );
            let too_long = "these texts are too long to be compared word by word";
            let page = page.unwrap_or_else(|| vec![Paragraph::new(Role::Notice, too_long)]);
            lay_out(&page, width)
        }
        Some(PreviewItem::Nothing(why)) => {
            lay_out(&[Paragraph::new(Role::Notice, why.clone())], width)
        }
        None => Vec::new(),
    }
}

fn shorten_line(line: StyledLine, width: usize) -> StyledLine {
    match line.runs.as_slice() {
        [(role, text)] => StyledLine {
            runs: vec![(*role, cut_to_width(text, width))],
            ..line
        },
        _ => line,
    }
}
