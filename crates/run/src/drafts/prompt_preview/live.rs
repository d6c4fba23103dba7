//! Live preview: what a text shows while it is written, at a place that can be changed. One text is rendered at a
//! time; the last one that could be used stays in sight. Pure.

use super::{PreviewItem, PreviewPlace, PromptPreview, PromptStage};
use elenchus_game::debate::view::PartSource;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::prompts::{PromptAt, TextFault};
use elenchus_text::{Paragraph, Role};
use elenchus_view::seat_view::{Origins, PartOrigin};
use std::sync::Arc;

/// A text to be rendered, and where.
pub type RenderRequest = (Arc<PromptStage>, String);

/// The preview of a text that is written.
#[derive(Default)]
pub struct LivePreview {
    place: Option<Arc<PreviewPlace>>,
    /// What the last usable text shows.
    preview: Option<Box<PromptPreview>>,
    /// Fault of the latest text.
    pub fault: Option<TextFault>,
    rendering: Rendering,
    items: Vec<PreviewItem>,
    origins: Origins,
    /// Differences to what was recorded, instead of parts.
    has_differences: bool,
}

/// State of the work on a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Rendering {
    #[default]
    Idle,
    Busy,
    /// A text is being rendered, and another one waits.
    Behind(String),
}

impl LivePreview {
    /// Returns the place that is looked at; `None` for sample data.
    pub fn place(&self) -> Option<&PromptAt> {
        self.place.as_ref()?.place()
    }

    /// Returns what is on the page.
    pub fn items(&self) -> &[PreviewItem] {
        &self.items
    }

    /// Returns where a part of a message comes from.
    pub fn part_origin(&self, from: &PartSource) -> PartOrigin {
        self.origins.part_origin(from)
    }

    /// Looks at another place; nothing is shown of it before a text is rendered there.
    pub fn set_place(&mut self, place: Arc<PreviewPlace>) {
        self.origins = place.stage.collect_origins();
        self.has_differences &= place.stage.recorded.is_some();
        self.place = Some(place);
        self.preview = None;
        self.turn_page();
    }

    /// Takes the text as it is now, and returns what is to be rendered. A text that comes while another one is
    /// rendered waits, and takes the place of one that waits already.
    pub fn request_render(&mut self, text: String) -> Option<RenderRequest> {
        let place = self.place.as_ref()?;
        if self.rendering != Rendering::Idle {
            self.rendering = Rendering::Behind(text);
            return None;
        }
        self.rendering = Rendering::Busy;
        Some((Arc::clone(&place.stage), text))
    }

    /// Takes what a text shows, or its fault; returns what is to be rendered next.
    pub fn take_preview(
        &mut self,
        result: Result<Box<PromptPreview>, TextFault>,
    ) -> Option<RenderRequest> {
        match result {
            Ok(shown) => {
                self.preview = Some(shown);
                self.fault = None;
                self.turn_page();
            }
            Err(fault) => self.fault = Some(fault),
        }
        match std::mem::take(&mut self.rendering) {
            Rendering::Behind(text) => self.request_render(text),
            Rendering::Idle | Rendering::Busy => None,
        }
    }

    /// Shows differences to what was recorded, or parts again.
    ///
    /// # Errors
    /// When nothing was recorded at this place; says what to do.
    pub fn turn_difference(&mut self) -> Result<(), &'static str> {
        let recording = self.place.as_ref().map(|place| &place.stage.recorded);
        if !self.has_differences && !matches!(recording, Some(Some(_))) {
            return Err("nothing was recorded here to compare with; choose a recorded turn");
        }
        self.has_differences = !self.has_differences;
        self.turn_page();
        Ok(())
    }

    /// Returns the place so many after this one, or before it, in the same session; `None` for sample data.
    /// `choose` is the mark of the key that chooses a place.
    pub fn neighbour(&self, by: isize, choose: char) -> Option<Result<PromptAt, WorkspaceError>> {
        let place = self
            .place
            .as_ref()
            .filter(|place| place.place().is_some())?;
        Some(place.neighbour(by).ok_or_else(|| {
            let end = if by < 0 { "first" } else { "last" };
            WorkspaceError::invalid(format!(
                "that is the {end} in this session; {choose} chooses another session"
            ))
        }))
    }

    /// Returns the messages as they would be sent; nothing before a text was rendered.
    pub fn text(&self) -> String {
        let preview = self.preview.as_ref();
        preview.map_or_else(String::new, |shown| shown.text())
    }

    /// Returns the title of the page.
    pub fn title(&self) -> &'static str {
        match (self.has_differences, &self.fault) {
            (true, _) => "shown, against what was recorded",
            (false, Some(_)) => "shown, by the last text that could be used",
            (false, None) => "shown",
        }
    }

    /// Returns where it is, and the request besides the messages, each on a line.
    pub fn list_facts(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        page.extend(self.place.iter().map(|place| place.stage.heading()));
        let Some(preview) = &self.preview else {
            return page;
        };
        let late = match self.rendering {
            Rendering::Idle => "",
            Rendering::Busy | Rendering::Behind(_) => " (being counted)",
        };
        let tokens = preview.describe_tokens() + late;
        page.push(Paragraph::new(Role::Muted, tokens));
        let request = preview.describe_request();
        page.extend(request.map(|request| Paragraph::new(Role::Muted, request)));
        page
    }

    /// Makes the page of what was shown last.
    fn turn_page(&mut self) {
        self.items = match (&self.preview, &self.place) {
            (Some(shown), place) => {
                let recorded_place = place.as_ref().filter(|_| self.has_differences);
                shown.list_items(recorded_place.and_then(|place| place.stage.recorded.as_ref()))
            }
            (None, Some(_)) => PreviewItem::empty_page("rendering"),
            (None, None) => {
                PreviewItem::empty_page("looking for a place where this prompt was used")
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_records::library::Library;
    use elenchus_records::workspace::prompts::PromptName;
    use elenchus_store::Layout;

    /// A preview on sample data.
    fn preview() -> LivePreview {
        let name = PromptName {
            protocol: "sred".to_owned(),
            template: "socratic".to_owned(),
        };
        let layout = Layout::new("/nowhere");
        let place = PreviewPlace::read_or_sample(&layout, &Library::default(), &name, None);
        let mut preview = LivePreview::default();
        preview.set_place(Arc::new(place.unwrap()));
        preview
    }

    fn shown() -> Box<PromptPreview> {
        Box::new(PromptPreview {
            messages: Vec::new(),
            request: None,
        })
    }

    fn fault() -> TextFault {
        TextFault {
            line: Some(2),
            why: "no such value".to_owned(),
        }
    }

    #[test]
    fn texts_that_come_while_one_is_rendered_wait_and_the_last_of_them_is_rendered() {
        let mut preview = preview();
        assert_eq!(preview.items(), PreviewItem::empty_page("rendering"));
        let asked = |request: Option<RenderRequest>| request.map(|(_, text)| text);
        assert_eq!(
            asked(preview.request_render("a".to_owned())),
            Some("a".to_owned())
        );
        for text in ["ab", "abc"] {
            assert_eq!(asked(preview.request_render(text.to_owned())), None);
        }
        assert_eq!(
            asked(preview.take_preview(Ok(shown()))),
            Some("abc".to_owned())
        );
        assert_eq!(preview.list_facts().len(), 2);
        assert_eq!(asked(preview.take_preview(Ok(shown()))), None);
        assert_eq!(
            asked(preview.request_render("d".to_owned())),
            Some("d".to_owned())
        );
    }

    #[test]
    fn a_fault_leaves_what_the_last_good_text_showed_in_sight() {
        let mut preview = preview();
        preview.request_render("a".to_owned());
        preview.take_preview(Ok(shown()));
        let before = preview.items().to_vec();
        preview.request_render("b".to_owned());
        preview.take_preview(Err(fault()));
        assert_eq!(preview.items(), before);
        assert!(preview.title().contains("last text that could be used"));
        preview.request_render("c".to_owned());
        preview.take_preview(Ok(shown()));
        assert_eq!(preview.fault, None);
    }

    #[test]
    fn sample_data_has_no_record_to_compare_with_and_nothing_beside_it() {
        let mut preview = preview();
        assert!(preview.turn_difference().is_err());
        assert!(preview.neighbour(1, 'o').is_none());
        assert_eq!(preview.place(), None);
    }

    #[test]
    fn without_a_place_nothing_is_rendered() {
        assert!(
            LivePreview::default()
                .request_render("a".to_owned())
                .is_none()
        );
    }
}
