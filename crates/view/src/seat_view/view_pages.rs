//! Pages of views: the views of a turn's attempts, or of verdicts on one thing, one of which is gone through part
//! by part; its messages can be changed. Pure.

use super::{OriginKind, PartOrigin, SeatView, ViewOptions, estimate_tokens};
use elenchus_game::debate::view::{MessageRole, PartSource, ViewPart};
use elenchus_memory::EntryId;
use elenchus_records::workspace::prompts::KeptPrompts;
use elenchus_text::word_diff::{Marking, compare_inline_or_new};
use elenchus_text::{Content, Paragraph, Role, format_grouped_count, plain_text};
use std::collections::BTreeSet;

/// Views, and the items of the one that is shown.
#[derive(Debug, Clone)]
pub struct ViewPages {
    views: Vec<SeatView>,
    at: usize,
    items: Vec<ViewItem>,
    /// Changed messages are shown as their differences to the originals instead of their parts.
    shows_differences: bool,
}

/// One thing on the page of a view.
#[derive(Debug, Clone, PartialEq)]
enum ViewItem {
    Part {
        message: usize,
        /// It is the first of its message and carries its heading.
        first: bool,
        part: ViewPart,
    },
    /// A message with its differences to the original.
    Changed { message: usize },
    /// Sampling, schema and hash.
    Request,
    /// Message where there is nothing.
    Nothing,
}

impl ViewItem {
    fn message_index(&self) -> Option<usize> {
        match self {
            ViewItem::Part { message, .. } | ViewItem::Changed { message } => Some(*message),
            ViewItem::Request | ViewItem::Nothing => None,
        }
    }

    fn begins_message(&self) -> bool {
        match self {
            ViewItem::Part { first, .. } => *first,
            ViewItem::Changed { .. } | ViewItem::Request | ViewItem::Nothing => true,
        }
    }

    fn source(&self) -> Option<&PartSource> {
        match self {
            ViewItem::Part { part, .. } => Some(&part.from),
            ViewItem::Changed { .. } | ViewItem::Request | ViewItem::Nothing => None,
        }
    }
}

/// Text of an item, to be laid out.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewItemText {
    Part {
        /// Heading of the message whose first part it is; else empty.
        heading: Vec<Paragraph>,
        origin: PartOrigin,
        role: Role,
        text: String,
    },
    Differences {
        heading: Vec<Paragraph>,
        page: Vec<Paragraph>,
    },
    Page(Vec<Paragraph>),
}

/// Marks of the keys that the place of a changed message names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeKeys {
    /// Shows parts in place of differences.
    pub difference: char,
    /// Takes the change back.
    pub undo: char,
}

impl ViewPages {
    pub fn new(views: Vec<SeatView>, at: usize) -> Self {
        let mut pages = Self {
            at: at.min(views.len().saturating_sub(1)),
            views,
            items: Vec::new(),
            shows_differences: false,
        };
        pages.list_items();
        pages
    }

    /// Returns the view that is shown.
    pub fn current_view(&self) -> Option<&SeatView> {
        self.views.get(self.at)
    }

    /// Returns how many views there are.
    pub fn view_count(&self) -> usize {
        self.views.len()
    }

    /// Returns how many items the view that is shown has.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Says whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns how many messages were changed.
    pub fn change_count(&self) -> usize {
        self.current_view()
            .map_or(0, |view| view.messages.change_count())
    }

    /// Changes the view that is shown.
    pub fn change_view<T>(&mut self, change: impl FnOnce(&mut SeatView) -> T) -> Option<T> {
        let result = self.views.get_mut(self.at).map(change);
        self.list_items();
        result
    }

    /// Goes to the next view or the one before; says whether there is one.
    pub fn go_to_view(&mut self, by: isize) -> bool {
        let to = self.at.checked_add_signed(by);
        let Some(to) = to.filter(|to| *to < self.views.len()) else {
            return false;
        };
        self.at = to;
        self.list_items();
        true
    }

    /// Shows changed messages by their differences, or by their parts.
    pub fn toggle_differences(&mut self) {
        self.shows_differences = !self.shows_differences;
        self.list_items();
    }

    /// Adds the labels of prompts' versions.
    pub fn label_prompts(&mut self, kept: &KeptPrompts) {
        for view in &mut self.views {
            view.label_prompt(kept);
        }
    }

    fn list_items(&mut self) {
        self.items = match self.views.get(self.at) {
            Some(view) => build_items(view, self.shows_differences),
            None => vec![ViewItem::Nothing],
        };
    }

    /// Returns the message that an item belongs to.
    pub fn message_index(&self, item: usize) -> Option<usize> {
        self.items.get(item)?.message_index()
    }

    /// Returns the first item of a message.
    pub fn first_item(&self, message: usize) -> Option<usize> {
        let mut items = self.items.iter();
        items.position(|item| item.message_index() == Some(message))
    }

    /// Returns where the next message begins, or the one before.
    pub fn message_beside(&self, item: usize, by: isize) -> Option<usize> {
        let items = self.items.iter().enumerate();
        let starts = items.filter(|(_, item)| item.begins_message());
        let mut starts = starts.map(|(at, _)| at);
        match by > 0 {
            true => starts.find(|at| *at > item),
            false => starts.take_while(|at| *at < item).last(),
        }
    }

    /// Returns the entry of memory that an item is, or else the first one that is shown.
    pub fn memory_entry(&self, item: usize) -> Option<EntryId> {
        let entry_of = |item: &ViewItem| match item.source()? {
            PartSource::Memory(id) | PartSource::Guardrail(id) => Some(EntryId(id.clone())),
            _ => None,
        };
        let under = self.items.get(item).and_then(entry_of);
        under.or_else(|| self.items.iter().find_map(entry_of))
    }

    /// Returns the text of an item as it is, to be copied.
    pub fn item_text(&self, item: usize) -> Option<String> {
        let view = self.current_view()?;
        match self.items.get(item)? {
            ViewItem::Part { part, .. } => Some(part.text.clone().unwrap_or_default()),
            ViewItem::Changed { message } => Some(view.messages.text(*message)),
            ViewItem::Request => Some(plain_text(&view.request)),
            ViewItem::Nothing => None,
        }
    }

    /// Returns an item as it is shown.
    pub fn build_item_text(
        &self,
        item: usize,
        show: ViewOptions,
        marking: Marking,
    ) -> ViewItemText {
        let Some(view) = self.current_view() else {
            let text = "there is nothing to inspect here";
            return ViewItemText::Page(vec![Paragraph::new(Role::Notice, text)]);
        };
        match self.items.get(item) {
            Some(ViewItem::Part {
                message,
                first,
                part,
            }) => {
                let origin = view.origins.part_origin(&part.from);
                ViewItemText::Part {
                    heading: match first {
                        true => view.message_heading(*message),
                        false => Vec::new(),
                    },
                    role: match part.text {
                        Some(_) => origin.kind.role(),
                        None => Role::Warning,
                    },
                    text: origin.visible_text(part.text.as_deref(), show),
                    origin,
                }
            }
            Some(ViewItem::Changed { message }) => ViewItemText::Differences {
                heading: view.message_heading(*message),
                page: view.describe_differences(*message, show.content, marking),
            },
            Some(ViewItem::Request) => {
                let request = view.request.iter().cloned();
                ViewItemText::Page([Paragraph::gap()].into_iter().chain(request).collect())
            }
            Some(ViewItem::Nothing) => {
                let why = view.nothing.clone().unwrap_or_default();
                ViewItemText::Page(vec![Paragraph::new(Role::Notice, why)])
            }
            None => ViewItemText::Page(Vec::new()),
        }
    }

    /// Returns the title of the view that is shown, and which of several it is.
    pub fn title(&self) -> Option<Paragraph> {
        let title = Paragraph::new(Role::Strong, self.current_view()?.title.clone());
        Some(match self.views.len() {
            0 | 1 => title,
            many => title.with_run(Role::Muted, format!(" · {} of {many}", self.at + 1)),
        })
    }

    /// Returns the meaning of the letters on this page; `None` where there is none.
    pub fn build_legend(&self) -> Option<Paragraph> {
        let view = self.current_view()?;
        let sources = self.items.iter().filter_map(ViewItem::source);
        let kinds = sources.map(|from| view.origins.part_origin(from).kind);
        let kinds: BTreeSet<OriginKind> = kinds.collect();
        if kinds.is_empty() {
            return None;
        }
        let mut legend = Paragraph::new(Role::Muted, "from:");
        for kind in kinds {
            legend = legend
                .with_run(kind.role(), format!(" {}", kind.tag()))
                .with_run(Role::Muted, format!(" {} ", kind.word()));
        }
        Some(legend.with_indent(0, 6))
    }

    /// Returns what an item is, and its place among all.
    pub fn describe_place(&self, item: usize, keys: ChangeKeys) -> Paragraph {
        let place = format!("part {} of {}", item + 1, self.items.len());
        match (self.items.get(item), self.current_view()) {
            (Some(ViewItem::Part { part, .. }), Some(view)) => {
                let origin = view.origins.part_origin(&part.from);
                Paragraph::new(Role::Muted, format!("{place} · "))
                    .with_run(origin.kind.role(), origin.kind.tag())
                    .with_run(Role::Text, format!(" {}", origin.words))
            }
            (Some(ViewItem::Changed { .. }), Some(_)) => {
                let ChangeKeys { difference, undo } = keys;
                let text = format!(
                    "{place} · a message you changed: {difference} shows its parts, {undo} takes it back"
                );
                Paragraph::new(Role::Muted, text)
            }
            (Some(ViewItem::Request), Some(_)) => {
                Paragraph::new(Role::Muted, format!("{place} · what else is sent"))
            }
            (Some(ViewItem::Nothing) | None, _) | (_, None) => Paragraph::gap(),
        }
    }
}

fn build_items(view: &SeatView, shows_differences: bool) -> Vec<ViewItem> {
    let mut items = Vec::new();
    for message in 0..view.messages.len() {
        if shows_differences && view.messages.is_changed(message) {
            items.push(ViewItem::Changed { message });
            continue;
        }
        let parts = view.messages.parts(message).into_iter().enumerate();
        items.extend(parts.map(|(at, part)| ViewItem::Part {
            message,
            first: at == 0,
            part,
        }));
    }
    if view.nothing.is_some() {
        items.push(ViewItem::Nothing);
    }
    if !view.request.is_empty() {
        items.push(ViewItem::Request);
    }
    items
}

impl SeatView {
    /// Returns what is known of its call, with the size of all messages.
    pub fn all_facts(&self) -> Vec<Paragraph> {
        let mut facts = self.facts.clone();
        if !self.messages.is_empty() {
            let text = format!(
                "{}, about {} tokens together",
                format_grouped_count(self.messages.len(), "message"),
                self.total_tokens()
            );
            facts.insert(0, Paragraph::new(Role::Muted, text));
        }
        facts
    }

    /// Returns the heading of a message, parted from the one before.
    pub(super) fn message_heading(&self, message: usize) -> Vec<Paragraph> {
        let role = self.messages.role(message).map_or("", MessageRole::as_str);
        let tokens = estimate_tokens(&self.messages.text(message));
        let mut heading = Paragraph::new(Role::Strong, role).with_run(
            Role::Muted,
            format!(
                " · message {} of {} · about {tokens} tokens",
                message + 1,
                self.messages.len()
            ),
        );
        if self.messages.is_changed(message) {
            heading = heading.with_run(Role::FromPerson, " · changed by you");
        }
        let gap = (message > 0).then(Paragraph::gap);
        gap.into_iter().chain([heading]).collect()
    }

    /// Returns a message with what was changed in it.
    fn describe_differences(
        &self,
        message: usize,
        content: Content,
        marking: Marking,
    ) -> Vec<Paragraph> {
        let old = self.messages.original_text(message);
        let new = self.messages.text(message);
        match content {
            Content::Masked => vec![Paragraph::new(Role::Masked, content.show_or_mask(&new))],
            Content::Shown => compare_inline_or_new(&old, &new, marking, Role::FromPerson),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Messages;
    use super::*;
    use elenchus_game::debate::view::ViewMessage;

    const SHOWN: ViewOptions = ViewOptions {
        content: Content::Shown,
        private: false,
    };
    const KEYS: ChangeKeys = ChangeKeys {
        difference: '1',
        undo: '2',
    };

    fn message(role: MessageRole, parts: &[(PartSource, &str)]) -> ViewMessage {
        let parts = parts.iter();
        let parts = parts.map(|(from, text)| ViewPart::new(from.clone(), *text));
        ViewMessage {
            role,
            parts: parts.collect(),
        }
    }

    /// Two messages of three parts, and a request.
    fn view() -> SeatView {
        let template = PartSource::Template("debater".to_owned());
        let memory = PartSource::Memory("lesson-7".to_owned());
        let system = [(template.clone(), "You debate."), (memory, "Be kind.")];
        let user = [(PartSource::Topic, "Is it salty?")];
        SeatView {
            title: "what A was shown".to_owned(),
            messages: Messages::new(vec![
                message(MessageRole::System, &system),
                message(MessageRole::User, &user),
            ]),
            request: vec![Paragraph::new(Role::Strong, "request")],
            ..SeatView::default()
        }
    }

    fn words(page: &Paragraph) -> String {
        plain_text(std::slice::from_ref(page)).trim_end().to_owned()
    }

    #[test]
    fn parts_are_items_and_messages_begin_at_their_first() {
        let pages = ViewPages::new(vec![view()], 0);
        assert_eq!(pages.len(), 4);
        let starts = [0, 1, 2, 3].map(|item| pages.message_beside(item, 1));
        assert_eq!(starts, [Some(2), Some(2), Some(3), None]);
        let starts = [0, 1, 2, 3].map(|item| pages.message_beside(item, -1));
        assert_eq!(starts, [None, Some(0), Some(0), Some(2)]);
        let messages = [0, 1, 2, 3].map(|item| pages.message_index(item));
        assert_eq!(messages, [Some(0), Some(0), Some(1), None]);
        assert_eq!(pages.item_text(2).as_deref(), Some("Is it salty?"));
        assert_eq!(pages.item_text(3).as_deref(), Some("request"));
        let ViewItemText::Part { heading, .. } = pages.build_item_text(2, SHOWN, Marking::Signs)
        else {
            panic!("no part");
        };
        assert!(plain_text(&heading).contains("message 2 of 2 · about 3 tokens"));
    }

    #[test]
    fn a_changed_message_is_shown_by_its_parts_or_by_what_differs() {
        let mut pages = ViewPages::new(vec![view()], 0);
        let text = "Is it very salty?".to_owned();
        pages.change_view(|view| view.messages.change_text(1, text));
        assert_eq!(pages.change_count(), 1);
        pages.toggle_differences();
        let at = pages.first_item(1).unwrap();
        let ViewItemText::Differences { page, .. } =
            pages.build_item_text(at, SHOWN, Marking::Signs)
        else {
            panic!("no differences");
        };
        assert!(plain_text(&page).contains("{+very"), "{page:?}");
        assert_eq!(
            words(&pages.describe_place(at, KEYS)),
            "part 3 of 4 · a message you changed: 1 shows its parts, 2 takes it back"
        );
        let masked = ViewOptions {
            content: Content::Masked,
            ..SHOWN
        };
        let ViewItemText::Differences { page, .. } =
            pages.build_item_text(at, masked, Marking::Signs)
        else {
            panic!("no differences");
        };
        assert!(!plain_text(&page).contains("salty"), "{page:?}");
        assert_eq!(pages.item_text(at).as_deref(), Some("Is it very salty?"));
        pages.toggle_differences();
        assert!(
            words(&pages.describe_place(at, KEYS))
                .ends_with("typed by a person, for this call only")
        );
    }

    #[test]
    fn memory_is_found_under_the_cursor_or_else_the_first_that_is_shown() {
        let pages = ViewPages::new(vec![view()], 0);
        let entry = Some(EntryId("lesson-7".to_owned()));
        assert_eq!(pages.memory_entry(1), entry);
        assert_eq!(pages.memory_entry(2), entry);
        let nothing = ViewPages::new(vec![SeatView::default()], 0);
        assert_eq!(nothing.memory_entry(0), None);
    }

    #[test]
    fn views_are_turned_to_and_nothing_lies_beyond_the_last() {
        let mut pages = ViewPages::new(vec![view(), SeatView::default()], 7);
        assert_eq!(words(&pages.title().unwrap()), " · 2 of 2");
        assert!(pages.is_empty());
        assert!(!pages.go_to_view(1));
        assert!(pages.go_to_view(-1));
        assert!(!pages.go_to_view(-1));
        assert_eq!(pages.len(), 4);
        let legend = words(&pages.build_legend().unwrap());
        assert_eq!(legend, "from: tpl template  top topic  mem memory");
        let facts = pages.current_view().unwrap().all_facts();
        assert_eq!(words(&facts[0]), "2 messages, about 8 tokens together");
    }

    #[test]
    fn where_there_is_no_view_that_is_said() {
        let mut pages = ViewPages::new(Vec::new(), 0);
        let nothing = Paragraph::new(Role::Notice, "there is nothing to inspect here");
        let shown = pages.build_item_text(0, SHOWN, Marking::Signs);
        assert_eq!(shown, ViewItemText::Page(vec![nothing]));
        assert_eq!((pages.len(), pages.item_text(0)), (1, None));
        assert_eq!(pages.change_view(|_| ()), None);
    }
}
