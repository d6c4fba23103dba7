//! Line prompt at the foot of the list: a filter, a text, a name, a tag, a file. Pure.

use crate::debate::SessionId;
use crate::tui::app::ExportAs;
use crate::tui::widgets::LineInput;

/// Purpose of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FootQuestion {
    Filter,
    SearchAll,
    Rename(SessionId),
    Tag(SessionId),
    Export(SessionId, ExportAs),
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

    /// Asks for the destination of an export; relative to the current folder unless it says
    /// otherwise.
    pub fn export(session: SessionId, form: ExportAs) -> Self {
        let file = file_of(&session, form);
        Self::new(FootQuestion::Export(session, form), &file)
    }

    /// Switches the form of an export; an unchanged name follows.
    pub(super) fn turn_form(&mut self) {
        let FootQuestion::Export(session, form) = &mut self.ask else {
            return;
        };
        let untouched = self.line.text() == file_of(session, *form);
        *form = match form {
            ExportAs::Parcel => ExportAs::Transcript,
            ExportAs::Transcript => ExportAs::Parcel,
        };
        if untouched {
            self.line = LineInput::new(&file_of(session, *form));
        }
    }

    /// Returns the text before the line.
    pub fn label(&self) -> &'static str {
        match &self.ask {
            FootQuestion::Filter => "filter: ",
            FootQuestion::SearchAll => "search all sessions: ",
            FootQuestion::Rename(_) => "name: ",
            FootQuestion::Tag(_) => "tag: ",
            FootQuestion::Export(_, ExportAs::Parcel) => "journal, to the folder: ",
            FootQuestion::Export(_, ExportAs::Transcript) => "transcript, to the file: ",
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
            FootQuestion::Tag(_) => {
                "Enter adds the tag, one with - before it is taken away; Esc leaves"
            }
            FootQuestion::Export(_, ExportAs::Parcel) => {
                "with its checksums, to be imported elsewhere; Tab: a transcript instead; Enter writes"
            }
            FootQuestion::Export(_, ExportAs::Transcript) => {
                "as text to be read; Tab: the journal instead; Enter writes, Esc leaves"
            }
        }
    }
}

fn file_of(session: &SessionId, form: ExportAs) -> String {
    match form {
        ExportAs::Parcel => format!("elenchus-{session}"),
        ExportAs::Transcript => format!("elenchus-{session}.txt"),
    }
}
