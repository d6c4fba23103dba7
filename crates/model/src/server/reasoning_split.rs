//! Split of private reasoning and public text in one stream, at the marks that models write.
//!
//! Pure. The result does not depend on how the stream was cut into pieces.

use std::borrow::Cow;

use super::reasoning_marks::{MarkPair, OwnMarks, ReasoningMarks, find_mark};
use crate::call::Delta;

/// Characters before a closing mark that show that it is quoted, not meant.
const QUOTING: [char; 12] = [
    '`', '"', '\'', '“', '„', '‘', '‚', '«', '‹', '「', '(', '\\',
];

/// Splits a streamed reply at the marks of private reasoning.
///
/// Pairs count at the beginning of the reply and directly after a closed mark: a text *about* a mark
/// loses nothing. Control tokens (channels, and pairs that are control tokens) count anywhere. What is
/// opened ends at the first mark that closes it; what is never closed makes the whole reply private,
/// unless a part of it was declared to be the answer by its channel. A closing mark that nothing opened
/// makes private all that came before it. Tokens that end a reply are no part of its text.
#[derive(Debug)]
pub struct ReasoningSplitter {
    marks: Cow<'static, ReasoningMarks>,
    /// First characters of all marks but those in words.
    first_chars: Vec<char>,
    public: String,
    thinking: String,
    /// A possible beginning of a mark, kept back until it is decided.
    pending: String,
    /// Tokens that end a reply, kept back until more text shows that they did not.
    trailing: String,
    end_token: Option<String>,
    header: ChannelHeader,
    /// Index of the words that may turn out to have opened private reasoning.
    spoken: Option<usize>,
    state: SplitState,
    /// Whether a mark was closed or a token taken out: then outer white space belongs to no text.
    is_marked: bool,
    /// Whether public text came on a channel that declares it.
    is_declared: bool,
}

/// A finished split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitReply {
    pub public: String,
    pub thinking: Option<String>,
    /// The token that ended the reply, as it was written.
    pub end_token: Option<String>,
    /// A mark or control token of a form that is not known, which the public text holds.
    pub unknown_mark: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SplitState {
    /// Only white space since the reply began.
    #[default]
    Begin,
    /// Only white space since a mark was closed.
    AfterMark,
    Public,
    /// Inside of the pair of this index.
    Inside(usize),
    /// Between the tokens that name a channel.
    Header,
    /// Inside of a message on a channel.
    Channel(Audience),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    Public,
    Private,
}

/// Header of a message as far as it came.
#[derive(Debug, Default)]
struct ChannelHeader {
    text: String,
    /// Whether a channel is named after the role.
    has_channel: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open(usize),
    Close,
    LoneClose,
    SpokenOpen(usize),
    SpokenClose,
    Header,
    Content,
    MessageEnd,
    Answer,
    End,
}

enum MarkMatch {
    Mark(Mark, usize),
    Partial,
    No,
}

impl SplitReply {
    /// Splits a whole text; `thinking` is private reasoning that was apart from it already.
    pub fn from_text(text: &str, thinking: Option<&str>) -> Self {
        let mut splitter = ReasoningSplitter::default();
        if let Some(thinking) = thinking {
            splitter.push_thinking(&format!("{thinking}\n"), &mut |_| {});
        }
        splitter.push_text(text, &mut |_| {});
        splitter.finish(&mut |_| {})
    }
}

impl Default for ReasoningSplitter {
    fn default() -> Self {
        Self::from_marks(Cow::Borrowed(ReasoningMarks::common_marks()))
    }
}

impl ReasoningSplitter {
    /// Returns a splitter that knows marks of a configuration beside those of all models.
    pub fn with_marks(own: &OwnMarks) -> Self {
        match own.is_empty() {
            true => Self::default(),
            false => Self::from_marks(Cow::Owned(
                ReasoningMarks::common_marks().with_own_marks(own),
            )),
        }
    }

    fn from_marks(marks: Cow<'static, ReasoningMarks>) -> Self {
        Self {
            first_chars: marks.collect_first_chars(),
            marks,
            public: String::new(),
            thinking: String::new(),
            pending: String::new(),
            trailing: String::new(),
            end_token: None,
            header: ChannelHeader::default(),
            spoken: None,
            state: SplitState::default(),
            is_marked: false,
            is_declared: false,
        }
    }

    /// Reads the next piece of marked text and reports what is decided.
    pub fn push_text(&mut self, piece: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        let mut text = std::mem::take(&mut self.pending);
        text.push_str(piece);
        let mut rest = text.as_str();
        let mut plain = 0;
        while let Some(c) = rest[plain..].chars().next() {
            match self.match_mark(c, &rest[plain..]) {
                MarkMatch::No => plain += c.len_utf8(),
                MarkMatch::Partial => {
                    self.read_plain(&rest[..plain], watch);
                    rest[plain..].clone_into(&mut self.pending);
                    return;
                }
                MarkMatch::Mark(mark, length) => {
                    let (before, from) = rest.split_at(plain);
                    self.read_plain(before, watch);
                    let (written, after) = from.split_at(length);
                    self.read_mark(mark, written, watch);
                    rest = after;
                    plain = 0;
                }
            }
            // Text that is not blank changes which marks count for what follows.
            if self.is_waiting() && !rest[..plain].trim_start().is_empty() {
                self.state = SplitState::Public;
            }
        }
        self.read_plain(&rest[..plain], watch);
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
    /// White space between private reasoning and the answer belongs to neither.
    pub fn finish(mut self, watch: &mut dyn FnMut(Delta<'_>)) -> SplitReply {
        let pending_text = std::mem::take(&mut self.pending);
        self.read_plain(&pending_text, watch);
        match self.state {
            SplitState::Begin | SplitState::AfterMark | SplitState::Public => {}
            SplitState::Channel(Audience::Public) => {}
            SplitState::Header => {
                let header = std::mem::take(&mut self.header.text);
                self.push_thinking(&header, watch);
                self.withdraw_undeclared_text(watch);
            }
            SplitState::Inside(_) | SplitState::Channel(Audience::Private) => {
                self.withdraw_undeclared_text(watch);
            }
        }
        let public = match self.is_marked {
            true => self.public.trim().to_owned(),
            false if self.trailing.is_empty() => self.public,
            false => self.public.trim_end().to_owned(),
        };
        let thinking = self.thinking.trim();
        SplitReply {
            unknown_mark: self.marks.find_unknown_mark(&public),
            public,
            thinking: (!thinking.is_empty()).then(|| thinking.to_owned()),
            end_token: self.end_token,
        }
    }

    /// Bytes kept so far.
    pub fn len(&self) -> usize {
        [
            &self.public,
            &self.thinking,
            &self.pending,
            &self.trailing,
            &self.header.text,
        ]
        .iter()
        .map(|text| text.len())
        .sum()
    }

    /// Returns whether no text has arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether marks count that only count where no text came since.
    fn is_waiting(&self) -> bool {
        matches!(self.state, SplitState::Begin | SplitState::AfterMark)
    }

    /// Reads text without marks.
    fn read_plain(&mut self, text: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        if text.is_empty() {
            return;
        }
        match self.state {
            SplitState::Inside(_) | SplitState::Channel(Audience::Private) => {
                self.thinking.push_str(text);
                watch(Delta::Thinking(text));
            }
            SplitState::Header => self.header.text.push_str(text),
            SplitState::Begin
            | SplitState::AfterMark
            | SplitState::Public
            | SplitState::Channel(Audience::Public) => {
                let is_blank = text.trim().is_empty();
                if !self.trailing.is_empty() {
                    if is_blank {
                        return self.trailing.push_str(text);
                    }
                    self.end_token = None;
                    let trailing_text = std::mem::take(&mut self.trailing);
                    self.push_public(&trailing_text, watch);
                }
                if !is_blank && self.is_waiting() {
                    self.state = SplitState::Public;
                }
                self.push_public(text, watch);
            }
        }
    }

    fn push_public(&mut self, text: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        self.is_declared |= self.state == SplitState::Channel(Audience::Public);
        self.public.push_str(text);
        watch(Delta::Public(text));
    }

    /// Makes all public text private.
    fn withdraw_public(&mut self, watch: &mut dyn FnMut(Delta<'_>)) {
        self.trailing.clear();
        self.end_token = None;
        if self.public.is_empty() {
            return;
        }
        self.thinking.push_str(&std::mem::take(&mut self.public));
        watch(Delta::PublicWasThinking);
    }

    /// Makes public text private that no channel declared to be the answer.
    fn withdraw_undeclared_text(&mut self, watch: &mut dyn FnMut(Delta<'_>)) {
        if !self.is_declared {
            self.withdraw_public(watch);
        }
        self.is_marked = true;
    }

    fn read_mark(&mut self, mark: Mark, written: &str, watch: &mut dyn FnMut(Delta<'_>)) {
        match mark {
            Mark::Open(pair) => {
                self.trailing.clear();
                self.end_token = None;
                self.is_marked = true;
                self.state = SplitState::Inside(pair);
            }
            Mark::Close => self.close_mark(),
            Mark::LoneClose => match self.is_meant() {
                true => {
                    self.withdraw_public(watch);
                    self.close_mark();
                }
                false => self.read_plain(written, watch),
            },
            Mark::SpokenOpen(pair) => {
                self.spoken = Some(pair);
                self.read_plain(written, watch);
            }
            Mark::SpokenClose => {
                self.spoken = None;
                self.withdraw_public(watch);
                self.close_mark();
            }
            Mark::Header => {
                let names_channel = self.is_channel_token(written);
                if self.state != SplitState::Header || names_channel {
                    self.header = ChannelHeader::default();
                }
                self.header.has_channel |= names_channel;
                self.trailing.clear();
                self.end_token = None;
                self.is_marked = true;
                self.state = SplitState::Header;
            }
            Mark::Content => {
                let audience = self.determine_audience(watch);
                self.is_marked = true;
                self.state = SplitState::Channel(audience);
            }
            Mark::MessageEnd => {
                if self.state == SplitState::Channel(Audience::Public) {
                    self.end_token = Some(written.to_owned());
                }
                self.close_mark();
            }
            Mark::Answer => {
                self.is_marked = true;
                self.state = SplitState::AfterMark;
            }
            Mark::End => {
                self.end_token.get_or_insert_with(|| written.to_owned());
                self.trailing.push_str(written);
            }
        }
    }

    fn close_mark(&mut self) {
        if !self.thinking.is_empty() {
            self.thinking.push('\n');
        }
        self.header = ChannelHeader::default();
        self.is_marked = true;
        self.state = SplitState::AfterMark;
    }

    /// Returns whether a closing mark that nothing opened closes what the prompt opened: it is neither
    /// quoted, nor does a text about marks name an opening one before it.
    fn is_meant(&self) -> bool {
        let is_named = |pair: &MarkPair| find_mark(&self.public, &pair.open).is_some();
        !self.public.ends_with(QUOTING) && !self.marks.pairs.iter().any(is_named)
    }

    fn is_channel_token(&self, token: &str) -> bool {
        let last = self.marks.channels.headers.last();
        last.is_some_and(|channel| channel.eq_ignore_ascii_case(token))
    }

    /// Returns who a message is for, by its header.
    fn determine_audience(&mut self, watch: &mut dyn FnMut(Delta<'_>)) -> Audience {
        let channels = &self.marks.channels;
        let is_public = |name: &str| channels.public.iter().any(|public| public == name);
        let first_word = |text: &str| {
            let word = text.split_whitespace().next().unwrap_or_default();
            word.to_lowercase()
        };
        if self.state == SplitState::Header {
            let name = first_word(&self.header.text);
            let is_for_all = match self.header.has_channel {
                true => is_public(&name),
                false => matches!(name.as_str(), "" | "assistant"),
            };
            return match is_for_all {
                true => Audience::Public,
                false => Audience::Private,
            };
        }
        // The server dropped the first token of the header: what came so far is the name.
        let name = first_word(&self.public);
        let is_name = channels.names.contains(&name) && self.public.split_whitespace().count() <= 2;
        if !is_name {
            return Audience::Public;
        }
        let is_for_all = is_public(&name) || name == "assistant";
        self.withdraw_public(watch);
        match is_for_all {
            true => Audience::Public,
            false => Audience::Private,
        }
    }

    /// Returns the mark that a text with this first character begins with in this state.
    fn match_mark(&self, first: char, text: &str) -> MarkMatch {
        let may_be_spoken = self.is_waiting() || self.spoken.is_some();
        if !may_be_spoken && !self.first_chars.contains(&first.to_ascii_lowercase()) {
            return MarkMatch::No;
        }
        let mut is_partial = false;
        let mut whole_match = None;
        let mut try_token = |mark: Mark, token: &str| {
            if whole_match.is_some() {
                return;
            }
            let common_length = common_prefix_length(text, token);
            if common_length == token.len() {
                whole_match = Some((mark, common_length));
            } else if common_length == text.len() {
                is_partial = true;
            }
        };
        let marks = self.marks.as_ref();
        let open_pairs = |is_waiting: bool| {
            let pairs = marks.pairs.iter().enumerate();
            pairs.filter(move |(_, pair)| is_waiting || pair.anywhere)
        };
        match self.state {
            SplitState::Inside(pair) => {
                let closes = marks
                    .pairs
                    .get(pair)
                    .into_iter()
                    .flat_map(|pair| &pair.close);
                closes.for_each(|token| try_token(Mark::Close, token));
            }
            SplitState::Header => {
                let channels = &marks.channels;
                channels
                    .headers
                    .iter()
                    .for_each(|token| try_token(Mark::Header, token));
                try_token(Mark::Content, &channels.content);
                channels
                    .ends
                    .iter()
                    .for_each(|token| try_token(Mark::MessageEnd, token));
            }
            SplitState::Channel(audience) => {
                let channels = &marks.channels;
                channels
                    .headers
                    .iter()
                    .for_each(|token| try_token(Mark::Header, token));
                channels
                    .ends
                    .iter()
                    .for_each(|token| try_token(Mark::MessageEnd, token));
                if audience == Audience::Public {
                    marks
                        .tokens
                        .end
                        .iter()
                        .for_each(|token| try_token(Mark::End, token));
                }
            }
            SplitState::Begin | SplitState::AfterMark | SplitState::Public => {
                let is_waiting = self.is_waiting();
                for (at, pair) in open_pairs(is_waiting) {
                    try_token(Mark::Open(at), &pair.open);
                }
                let channels = &marks.channels;
                channels
                    .headers
                    .iter()
                    .for_each(|token| try_token(Mark::Header, token));
                try_token(Mark::Content, &channels.content);
                if !self.is_marked {
                    let lone = marks.pairs.iter().filter(|pair| pair.lone_close);
                    let closes = lone.flat_map(|pair| &pair.close);
                    closes.for_each(|token| try_token(Mark::LoneClose, token));
                }
                if is_waiting {
                    let tokens = marks.tokens.answer.iter();
                    tokens.for_each(|token| try_token(Mark::Answer, token));
                }
                if self.state == SplitState::Begin && self.spoken.is_none() {
                    for (at, pair) in marks.spoken.iter().enumerate() {
                        try_token(Mark::SpokenOpen(at), &pair.open);
                    }
                }
                if let Some(spoken_pair) = self.spoken.and_then(|at| marks.spoken.get(at)) {
                    try_token(Mark::SpokenClose, &spoken_pair.close);
                }
                marks
                    .tokens
                    .end
                    .iter()
                    .for_each(|token| try_token(Mark::End, token));
            }
        }
        match whole_match {
            Some((mark, length)) => MarkMatch::Mark(mark, length),
            None if is_partial => MarkMatch::Partial,
            None => MarkMatch::No,
        }
    }
}

/// Returns how many bytes of a mark a text begins with: all of the mark, or all of the text, or 0.
fn common_prefix_length(text: &str, mark: &str) -> usize {
    let common_length = mark.len().min(text.len());
    let (text, mark) = (
        &text.as_bytes()[..common_length],
        &mark.as_bytes()[..common_length],
    );
    match text.eq_ignore_ascii_case(mark) {
        true => common_length,
        false => 0,
    }
}
