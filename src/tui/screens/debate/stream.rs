//! Streaming replies. Their text is provisional: only what is durable counts.

use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Paragraph, StyledLine, WrappedText};
use elenchus_game::debate::{StepId, TurnId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

/// The most of a reply that is kept while it comes; the whole of it is in the journal afterwards.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// State of a coming turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StreamStatus {
    /// It can be played.
    Open,
    /// A person is to speak.
    Person,
    /// The call was sent.
    Live,
    /// A try failed, and another follows.
    Again(String),
}

/// One reply that is coming.
#[derive(Debug)]
struct Stream {
    status: StreamStatus,
    text: String,
    thinking_chars: usize,
    /// Tries that failed.
    failed: u32,
    /// When the call was first drawn.
    start: Option<Instant>,
    progress: CallFigures,
    wrapped: RefCell<Wrapped>,
}

/// Figures of a call under way, taken once a second: with every token they would cost as much as the
/// token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CallFigures {
    seconds: u64,
    tokens: usize,
}

/// Characters of a token, about: servers say the number when the reply is whole.
const CHARS_PER_TOKEN: usize = 4;

/// Lines of what came so far: what is over is wrapped once.
#[derive(Debug, Default)]
struct Wrapped {
    lines: WrappedText,
    /// Bytes of the text that those lines hold.
    upto: usize,
    last: LastParagraph,
}

/// Whether what comes goes on with the last paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LastParagraph {
    #[default]
    Over,
    Growing,
}

/// The turns that are coming, by their step.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: BTreeMap<StepId, Stream>,
    content: Content,
}

impl Streams {
    /// Takes the steps that are open now; those that are gone are dropped.
    pub(super) fn set_open(&mut self, open: &[(StepId, StreamStatus)]) {
        self.streams.retain(|step, stream| {
            stream.status == StreamStatus::Live || open.iter().any(|(one, _)| one == step)
        });
        for (step, standing) in open {
            let stream = self.stream_mut(step);
            if matches!(stream.status, StreamStatus::Open | StreamStatus::Person) {
                stream.status = standing.clone();
            }
        }
    }

    /// Masks or shows what comes.
    pub(super) fn set_content(&mut self, content: Content) {
        if self.content != content {
            self.content = content;
            for stream in self.streams.values_mut() {
                *stream.wrapped.borrow_mut() = Wrapped::default();
            }
        }
    }

    /// Takes the time at which the calls under way are drawn.
    pub(super) fn set_time(&mut self, now: Instant) {
        for stream in self.streams.values_mut() {
            match stream.status {
                StreamStatus::Live | StreamStatus::Again(_) => {}
                StreamStatus::Open | StreamStatus::Person => continue,
            }
            let start = *stream.start.get_or_insert(now);
            let seconds = now.duration_since(start).as_secs();
            if seconds != stream.progress.seconds {
                let chars = stream.text.chars().count() + stream.thinking_chars;
                stream.progress = CallFigures {
                    seconds,
                    tokens: chars / CHARS_PER_TOKEN,
                };
            }
        }
    }

    fn stream_mut(&mut self, step: &StepId) -> &mut Stream {
        self.streams.entry(step.clone()).or_insert_with(|| Stream {
            status: StreamStatus::Open,
            text: String::new(),
            thinking_chars: 0,
            failed: 0,
            start: None,
            progress: CallFigures::default(),
            wrapped: RefCell::default(),
        })
    }

    /// A call was sent.
    pub fn start_stream(&mut self, step: &StepId) {
        let stream = self.stream_mut(step);
        stream.status = StreamStatus::Live;
        stream.text.clear();
        stream.thinking_chars = 0;
        *stream.wrapped.borrow_mut() = Wrapped::default();
    }

    /// More public text came.
    pub fn add_text(&mut self, step: &StepId, text: &str) {
        let stream = self.stream_mut(step);
        stream.status = StreamStatus::Live;
        if stream.text.len() + text.len() <= MAX_BYTES {
            stream.text.push_str(text);
        }
    }

    /// More of the model's own thinking came.
    pub fn add_thinking(&mut self, step: &StepId, text: &str) {
        let stream = self.stream_mut(step);
        stream.status = StreamStatus::Live;
        stream.thinking_chars += text.chars().count();
    }

    /// Voids the text received so far.
    pub fn void_text(&mut self, step: &StepId, why: &str) {
        self.start_stream(step);
        let stream = self.stream_mut(step);
        stream.status = StreamStatus::Again(why.to_owned());
        stream.failed += 1;
    }

    /// The call is over; its reply, if any, is a turn now.
    pub fn remove_stream(&mut self, step: &StepId) {
        self.streams.remove(step);
    }

    /// Says whether text is coming.
    pub(super) fn is_live(&self, step: &StepId) -> bool {
        self.streams.get(step).is_some_and(|stream| {
            matches!(stream.status, StreamStatus::Live | StreamStatus::Again(_))
        })
    }

    /// Returns the calls that are on their way.
    pub fn live_steps(&self) -> impl Iterator<Item = &StepId> {
        self.streams
            .iter()
            .filter(|(_, stream)| {
                matches!(stream.status, StreamStatus::Live | StreamStatus::Again(_))
            })
            .map(|(step, _)| step)
    }

    /// Returns how many lines a coming turn takes.
    pub fn count_lines(&self, step: &StepId, width: usize) -> usize {
        match self.streams.get(step) {
            Some(stream) => 1 + stream.wrap_body(width, self.content),
            None => 1,
        }
    }

    /// Returns one line of a coming turn; the first is its heading.
    pub fn line_at(
        &self,
        step: &StepId,
        turn: &TurnId,
        speaker: Option<String>,
        at: usize,
        width: usize,
    ) -> Option<StyledLine> {
        let stream = self.streams.get(step);
        let Some(below) = at.checked_sub(1) else {
            return Some(build_heading(turn, speaker, stream));
        };
        let stream = stream?;
        stream.wrap_body(width, self.content);
        stream.wrapped.borrow().lines.line_at(below)
    }
}

fn build_heading(turn: &TurnId, speaker: Option<String>, stream: Option<&Stream>) -> StyledLine {
    let place = format!("round {} · {}", turn.round, turn.stage);
    let mut runs = match speaker {
        Some(speaker) => vec![
            (Role::Strong, speaker),
            (Role::Accent, format!(" · {place}")),
        ],
        None => vec![(Role::Accent, place)],
    };
    match stream.map(|stream| &stream.status) {
        None | Some(StreamStatus::Open) => runs.push((Role::Muted, " · next".to_owned())),
        Some(StreamStatus::Person) => runs.push((Role::Human, " · your turn".to_owned())),
        Some(StreamStatus::Live) => {
            runs.push((Role::Streaming, " · speaking".to_owned()));
            if stream.is_some_and(|stream| stream.thinking_chars > 0 && stream.text.is_empty()) {
                runs.push((Role::Thinking, " (thinking)".to_owned()));
            }
        }
        Some(StreamStatus::Again(_)) => {
            runs.push((Role::Warning, " · trying again".to_owned()));
        }
    }
    if let Some(stream) = stream {
        runs.push((Role::Muted, stream.progress_text()));
        // Last: a narrow screen cuts it off.
        if let StreamStatus::Again(why) = &stream.status {
            runs.push((Role::Warning, format!(" · {why}")));
        }
    }
    StyledLine::from_runs(runs)
}

impl Stream {
    /// Returns the seconds, tokens and tries of a call that takes a while.
    fn progress_text(&self) -> String {
        let CallFigures { seconds, tokens } = self.progress;
        let mut text = String::new();
        if seconds > 0 {
            text.push_str(&format!(" · {seconds} s"));
            match tokens {
                0 => text.push_str(" · nothing yet"),
                tokens => text.push_str(&format!(" · ~{tokens} tokens")),
            }
        }
        if self.failed > 0 {
            text.push_str(&format!(" · try {}", self.failed + 1));
        }
        text
    }

    /// Wraps what is new and returns how many lines there are.
    fn wrap_body(&self, width: usize, content: Content) -> usize {
        match content {
            Content::Shown => {}
            Content::Masked => return 0,
        }
        let mut cache = self.wrapped.borrow_mut();
        if cache.lines.width() != width.max(1) {
            *cache = Wrapped {
                lines: WrappedText::new(width),
                ..Wrapped::default()
            };
        }
        // A return at the end may be half of a line's end.
        let whole = self.text.trim_end_matches('\r');
        for piece in whole
            .get(cache.upto..)
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            cache.push_piece(piece);
        }
        cache.upto = whole.len();
        cache.lines.len()
    }
}

impl Wrapped {
    /// Takes more of the text, with its line's end if that has come.
    fn push_piece(&mut self, piece: &str) {
        let line = piece.strip_suffix('\n');
        let text = line.map(|line| line.strip_suffix('\r').unwrap_or(line));
        let text = text.unwrap_or(piece);
        match self.last {
            LastParagraph::Over => {
                let paragraph = Paragraph::new(Role::Streaming, text);
                self.lines
                    .push_paragraph(&paragraph.with_indent(2, 2).mark_as_others());
            }
            LastParagraph::Growing => self.lines.extend_last(Role::Streaming, text),
        }
        self.last = match line {
            Some(_) => LastParagraph::Over,
            None => LastParagraph::Growing,
        };
    }
}
