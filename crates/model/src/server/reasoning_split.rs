//! Split of private reasoning and public text in one stream with think tags.
//!
//! Pure. The result does not depend on how the stream was cut into pieces.

use crate::call::Delta;

/// Tags that open private reasoning.
const OPEN: [&str; 2] = ["<think>", "<thinking>"];
/// Tags that close it.
const CLOSE: [&str; 2] = ["</think>", "</thinking>"];

/// Splits a streamed reply at think tags.
///
/// An opening tag counts anywhere in the text: private reasoning shown to peers is worse than a
/// quoted tag taken seriously. It closes at the first closing tag, or at the end. A closing tag
/// that nothing opened makes private all that came before it (chat templates often put the opening
/// tag into the prompt); once anything has been closed, further closing tags are plain text.
#[derive(Debug, Default)]
pub struct ReasoningSplitter {
    public: String,
    thinking: String,
    /// A possible beginning of a tag, held back until it is decided.
    held: String,
    state: SplitState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SplitState {
    #[default]
    Fresh,
    Inside,
    Closed,
}

enum Tag {
    Open,
    Close,
}

impl ReasoningSplitter {
    /// Reads the next piece of tagged text and reports what is decided.
    pub fn push(&mut self, piece: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let mut rest = text.as_str();
        while let Some(at) = rest.find('<') {
            let (before, from) = rest.split_at(at);
            self.plain(before, watch);
            rest = match match_tag(from) {
                TagMatch::Tag(tag, length) => {
                    let (written, after) = from.split_at(length);
                    self.tag(tag, written, watch);
                    after
                }
                TagMatch::Partial => {
                    self.held = from.to_owned();
                    return;
                }
                TagMatch::No => {
                    let (bracket, after) = from.split_at(1);
                    self.plain(bracket, watch);
                    after
                }
            };
        }
        self.plain(rest, watch);
    }

    /// Reads private reasoning from a field of its own.
    pub(super) fn push_thinking(&mut self, piece: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        if !piece.is_empty() {
            self.thinking.push_str(piece);
            watch(Delta::Thinking(piece));
        }
    }

    /// Ends the stream and returns public text and private reasoning.
    ///
    /// White space between a think block and the answer belongs to neither.
    pub fn finish(mut self, watch: &mut dyn FnMut(Delta<'_>)) -> (String, Option<String>) {
        let held = std::mem::take(&mut self.held);
        self.plain(&held, watch);
        let public = match self.state {
            SplitState::Fresh => self.public,
            SplitState::Inside | SplitState::Closed => self.public.trim().to_owned(),
        };
        let thinking = self.thinking.trim();
        let thinking = (!thinking.is_empty()).then(|| thinking.to_owned());
        (public, thinking)
    }

    /// Bytes kept so far.
    pub fn len(&self) -> usize {
        self.public.len() + self.thinking.len() + self.held.len()
    }

    /// Returns whether no text has arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn plain(&mut self, text: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        if text.is_empty() {
            return;
        }
        match self.state {
            SplitState::Fresh | SplitState::Closed => {
                self.public.push_str(text);
                watch(Delta::Public(text));
            }
            SplitState::Inside => {
                self.thinking.push_str(text);
                watch(Delta::Thinking(text));
            }
        }
    }

    fn tag(&mut self, tag: Tag, written: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        match (tag, self.state) {
            (Tag::Open, SplitState::Fresh | SplitState::Closed) => self.state = SplitState::Inside,
            (Tag::Close, SplitState::Inside) => {
                self.thinking.push('\n');
                self.state = SplitState::Closed;
            }
            (Tag::Close, SplitState::Fresh) => {
                self.thinking.push_str(&std::mem::take(&mut self.public));
                self.thinking.push('\n');
                self.state = SplitState::Closed;
                watch(Delta::PublicWasThinking);
            }
            (Tag::Open, SplitState::Inside) | (Tag::Close, SplitState::Closed) => {
                self.plain(written, watch)
            }
        }
    }
}

enum TagMatch {
    Tag(Tag, usize),
    Partial,
    No,
}

fn match_tag(text: &str) -> TagMatch {
    let mut perhaps = false;
    let open = OPEN.iter().map(|tag| (Tag::Open, *tag));
    let close = CLOSE.iter().map(|tag| (Tag::Close, *tag));
    for (kind, tag) in open.chain(close) {
        let shared = tag.len().min(text.len());
        if text.as_bytes()[..shared].eq_ignore_ascii_case(&tag.as_bytes()[..shared]) {
            if shared == tag.len() {
                return TagMatch::Tag(kind, shared);
            }
            perhaps = true;
        }
    }
    if perhaps {
        TagMatch::Partial
    } else {
        TagMatch::No
    }
}
