//! Line prompt at the foot of the list: a filter, a text, a name, a tag, a file. Pure.

use crate::debate::SessionId;
use crate::tui::widgets::LineInput;
use crate::workspace::ExportAs;

/// Purpose of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FootQuestion {
    Filter,
    SearchAll,
    Rename(SessionId),
    /// For the marked sessions, or the one under the cursor; so all below.
    Tag,
    Export(ExportAs),
    /// Exports so many sessions.
    ExportAll(usize, ExportAs),
}

/// The question with what was typed so far.
#[derive(Debug, Clone)]
pub(super) struct FootPrompt {
    pub ask: FootQuestion,
    pub line: LineInput,
}

impl FootPrompt {
    /// Asks with a text to begin with.
    pub fn new(ask: FootQuestion, text: &str) -> Self {
        Self {
            ask,
            line: LineInput::new(text),
        }
    }

    /// Returns the text before the line.
    pub fn label(&self) -> String {
        let what = |form| match form {
            ExportAs::Parcel => "journal",
            ExportAs::Transcript => "transcript",
        };
        match &self.ask {
            FootQuestion::Filter => "filter: ".to_owned(),
            FootQuestion::SearchAll => "search all sessions: ".to_owned(),
            FootQuestion::Rename(_) => "name: ".to_owned(),
            FootQuestion::Tag => "tag: ".to_owned(),
            FootQuestion::Export(form) => format!("{}, to the file: ", what(*form)),
            FootQuestion::ExportAll(count, form) => {
                format!("{count} {}s, to the folder: ", what(*form))
            }
        }
    }

    /// Returns what the keys do here.
    pub fn help(&self) -> &'static str {
        match &self.ask {
            FootQuestion::Filter => {
                "words, or state:failed verdict:unsafe model:x cost>0.1 age<2d is:fork tag:x run:x; - before one: without; Enter keeps the filter, Esc drops it"
            }
            FootQuestion::SearchAll => {
                "Enter looks through topics, turns, verdicts, lessons and notes; Esc leaves"
            }
            FootQuestion::Rename(_) => {
                "Enter gives the name, an empty one takes it away; Esc leaves"
            }
            FootQuestion::Tag => {
                "Enter adds the tag, one with - before it is taken away; Esc leaves"
            }
            FootQuestion::Export(ExportAs::Parcel)
            | FootQuestion::ExportAll(_, ExportAs::Parcel) => {
                "to be imported elsewhere; Tab: as a transcript instead; Enter writes"
            }
            FootQuestion::Export(ExportAs::Transcript)
            | FootQuestion::ExportAll(_, ExportAs::Transcript) => {
                "as text to be read; Tab: the journal instead; Enter writes, Esc leaves"
            }
        }
    }
}
