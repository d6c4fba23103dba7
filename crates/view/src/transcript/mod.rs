//! A session as a readable text. Pure: state in, text out.
//!
//! | file | what it writes |
//! |---|---|
//! | `head` | who plays what about what, and what memory gave |
//! | `guardrails` | the guardrails near the topic, and what each debater's model decided |
//! | `rounds` | stages, turns and the verdicts on them |
//! | `stopped` | replies that ended before they were whole |
//! | `fields` | structured replies and findings as outlines |
//! | `views` | what each seat was shown, with where each part came from |
//! | `close` | decision, rewards, lesson, failures, cost and how it ended |

mod close;
mod fields;
mod guardrails;
mod head;
mod rounds;
mod stopped;
mod views;

use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::{Chair, SessionId, State};
use elenchus_records::workspace::Import;
use elenchus_records::workspace::prompts::KeptPrompts;
use elenchus_text::{Colour, Ink, Page};

/// Whether private turns and the models' own thinking are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    Hidden,
    Shown,
}

/// Whether what each seat was shown is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    Hidden,
    Shown,
}

/// How a transcript is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options<'a> {
    /// When and from where the session came, if it was not played here.
    pub imported: Option<&'a Import>,
    pub width: usize,
    pub colour: Colour,
    pub private: Private,
    pub views: Views,
}

/// Writes a session down, safe to print. `kept` has the labels of prompts.
pub fn render(
    session: &SessionId,
    state: &State,
    kept: &KeptPrompts,
    options: Options<'_>,
) -> String {
    let mut page = Page::new(options.width, options.colour);
    let Some(creation) = state.first_event() else {
        page.add_line(&format!("session {session} has not begun"));
        return page.into_text();
    };
    let mut script = Script {
        session,
        state,
        created: creation,
        kept,
        options,
        page,
    };
    script.write_head();
    script.write_memory();
    script.write_guardrails();
    script.write_rounds();
    script.write_closing_part();
    script.page.into_text()
}

struct Script<'a> {
    session: &'a SessionId,
    state: &'a State,
    created: &'a Created,
    kept: &'a KeptPrompts,
    options: Options<'a>,
    page: Page,
}

impl Script<'_> {
    /// Returns what readers call a chair: the seat's label, with a number when there are several.
    fn chair_name(&self, chair: &Chair) -> String {
        self.created.protocol.name_of(chair)
    }

    /// Writes what others than the program wrote.
    fn write_prose(&mut self, ink: Ink, column: usize, text: &str) {
        self.page
            .write_behind_bar(column, |page| page.add_prose(ink, 0, text));
    }

    /// Writes text that only its own chair reads, or says that there is some.
    fn private_text(&mut self, indent: usize, what: &str, text: &str) {
        match self.options.private {
            Private::Shown => {
                self.page.line_at(indent).write_dim(&format!("{what}:"));
                self.write_prose(Ink::Dim, indent, text);
            }
            Private::Hidden => self.page.line_at(indent).write_dim(&format!(
                "[{what}: {}; --private shows it]",
                character_count(text)
            )),
        }
    }
}

fn character_count(text: &str) -> String {
    elenchus_text::format_noun_count(text.chars().count(), "character")
}

/// Returns how a finding is emphasised, by what its rubric says it is worth.
fn ink_of(outcome: &Outcome) -> Ink {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Ink::Good,
        Outcome::Label(finding) if finding.value < 0.0 => Ink::Bad,
        Outcome::Label(_) | Outcome::Unparsed { .. } => Ink::Middle,
    }
}
