//! One line that is asked for at the foot of the list: a filter, a text, a name, a tag, a file. Pure.

use crate::debate::SessionId;
use crate::tui::app::ExportAs;
use crate::tui::parts::LineInput;

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    Filter,
    SearchAll,
    Rename(SessionId),
    Tag(SessionId),
    Export(SessionId, ExportAs),
}

/// The question with what was typed so far.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub ask: Ask,
    pub line: LineInput,
}

impl Prompt {
    /// Asks with a text to begin with.
    pub fn new(ask: Ask, text: &str) -> Self {
        Self {
            ask,
            line: LineInput::new(text),
        }
    }

    /// Asks where to export a session to; beside the folder one is in unless it says otherwise.
    pub fn export(session: SessionId, form: ExportAs) -> Self {
        let file = file_of(&session, form);
        Self::new(Ask::Export(session, form), &file)
    }

    /// Takes the other form of an export; a name that nobody changed follows.
    pub fn turn_form(&mut self) {
        let Ask::Export(session, form) = &mut self.ask else {
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

    /// Returns what stands before the line.
    pub fn label(&self) -> &'static str {
        match &self.ask {
            Ask::Filter => "filter: ",
            Ask::SearchAll => "search all sessions: ",
            Ask::Rename(_) => "name: ",
            Ask::Tag(_) => "tag: ",
            Ask::Export(_, ExportAs::Parcel) => "journal, to the folder: ",
            Ask::Export(_, ExportAs::Transcript) => "transcript, to the file: ",
        }
    }

    /// Returns what the keys do here.
    pub fn help(&self) -> &'static str {
        match &self.ask {
            Ask::Filter => "the list follows as you type; Enter keeps the filter, Esc drops it",
            Ask::SearchAll => {
                "Enter looks through topics, turns, verdicts, lessons and notes; Esc leaves"
            }
            Ask::Rename(_) => "Enter gives the name, an empty one takes it away; Esc leaves",
            Ask::Tag(_) => "Enter adds the tag, one with - before it is taken away; Esc leaves",
            Ask::Export(_, ExportAs::Parcel) => {
                "with its checksums, to be imported elsewhere; Tab: a transcript instead; Enter writes"
            }
            Ask::Export(_, ExportAs::Transcript) => {
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
