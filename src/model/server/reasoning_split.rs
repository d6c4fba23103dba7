//! Private reasoning apart from public text, when both come in one stream with tags.
//!
//! Pure. The split does not depend on how the stream was cut into pieces.

use super::call::Delta;

/// Tags that open private reasoning.
const OPEN: [&str; 2] = ["<think>", "<thinking>"];
/// Tags that close it.
const CLOSE: [&str; 2] = ["</think>", "</thinking>"];

/// Splits a streamed reply at think tags.
///
/// An opening tag counts wherever it stands: private reasoning shown to peers is worse than a
/// quoted tag taken seriously. It closes at the first closing tag, or at the end. A closing tag
/// that nothing opened makes private all that came before it (chat templates often put the opening
/// tag into the prompt); once anything has been closed, further closing tags are plain text.
#[derive(Debug, Default)]
pub struct Splitter {
    public: String,
    thinking: String,
    /// A possible beginning of a tag, held back until it is decided.
    held: String,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Fresh,
    Inside,
    Closed,
}

enum Tag {
    Open,
    Close,
}

impl Splitter {
    /// Takes the next piece of tagged text and reports what is decided.
    pub fn push(&mut self, piece: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let mut rest = text.as_str();
        while let Some(at) = rest.find('<') {
            let (before, from) = rest.split_at(at);
            self.plain(before, watch);
            rest = match tag_at(from) {
                Found::Tag(tag, length) => {
                    let (written, after) = from.split_at(length);
                    self.tag(tag, written, watch);
                    after
                }
                Found::Perhaps => {
                    self.held = from.to_owned();
                    return;
                }
                Found::No => {
                    let (bracket, after) = from.split_at(1);
                    self.plain(bracket, watch);
                    after
                }
            };
        }
        self.plain(rest, watch);
    }

    /// Takes private reasoning that came in a field of its own.
    pub fn push_thinking(&mut self, piece: &str, watch: &mut dyn FnMut(Delta<'_>)) {
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
            State::Fresh => self.public,
            State::Inside | State::Closed => self.public.trim().to_owned(),
        };
        let thinking = self.thinking.trim();
        let thinking = (!thinking.is_empty()).then(|| thinking.to_owned());
        (public, thinking)
    }

    /// Bytes kept so far.
    pub fn len(&self) -> usize {
        self.public.len() + self.thinking.len() + self.held.len()
    }

    /// Whether no text has arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn plain(&mut self, text: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        if text.is_empty() {
            return;
        }
        match self.state {
            State::Fresh | State::Closed => {
                self.public.push_str(text);
                watch(Delta::Public(text));
            }
            State::Inside => {
                self.thinking.push_str(text);
                watch(Delta::Thinking(text));
            }
        }
    }

    fn tag(&mut self, tag: Tag, written: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        match (tag, self.state) {
            (Tag::Open, State::Fresh | State::Closed) => self.state = State::Inside,
            (Tag::Close, State::Inside) => {
                self.thinking.push('\n');
                self.state = State::Closed;
            }
            (Tag::Close, State::Fresh) => {
                self.thinking.push_str(&std::mem::take(&mut self.public));
                self.thinking.push('\n');
                self.state = State::Closed;
                watch(Delta::PublicWasThinking);
            }
            (Tag::Open, State::Inside) | (Tag::Close, State::Closed) => self.plain(written, watch),
        }
    }
}

enum Found {
    Tag(Tag, usize),
    Perhaps,
    No,
}

fn tag_at(text: &str) -> Found {
    let mut perhaps = false;
    let open = OPEN.iter().map(|tag| (Tag::Open, *tag));
    let close = CLOSE.iter().map(|tag| (Tag::Close, *tag));
    for (kind, tag) in open.chain(close) {
        let shared = tag.len().min(text.len());
        if text.as_bytes()[..shared].eq_ignore_ascii_case(&tag.as_bytes()[..shared]) {
            if shared == tag.len() {
                return Found::Tag(kind, shared);
            }
            perhaps = true;
        }
    }
    if perhaps { Found::Perhaps } else { Found::No }
}
