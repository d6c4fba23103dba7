//! Writing of a page to send: the file is asked for, the page is made in the background, and never written over a file
//! that is there.

use crate::tui::app::{DrawContext, Effect, Task, say_error, say_notice, say_outcome};
use crate::tui::popups::{Dialog, DialogAnswer};
use elenchus_html::{
    PageError, PageOptions, PageRequest, PageSource, Subject, build_page, write_page,
};
use elenchus_records::workspace::{WorkspaceError, read_rows_index, write_new_private};
use elenchus_run::experiments::ListedExperiment;
use elenchus_text::{Role, format_noun_count};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::path::{Path, PathBuf};

/// The day of a time in RFC 3339.
const DAY: usize = 10;

/// What came of a page: the file with what is on it, or why there is none.
pub struct PageWritten(Result<(PathBuf, usize, usize), WorkspaceError>);

impl PageWritten {
    /// Says what came of it.
    pub(in crate::tui) fn say(self) -> Vec<Effect> {
        match self.0 {
            Ok((path, debates, cuts)) => {
                let cut = match cuts {
                    0 => "",
                    _ => "; it was cut, and says where",
                };
                let text = format!(
                    "a page of {} is written to {}{cut}",
                    format_noun_count(debates, "debate"),
                    path.display()
                );
                say_outcome(Some((Role::Notice, text)))
            }
            Err(why) => say_error(why),
        }
    }
}

/// The question for a page's file, while it is asked.
#[derive(Default)]
pub(in crate::tui) struct PageWriting {
    asking: Option<Dialog<Vec<Subject>>>,
}

impl PageWriting {
    /// Asks where to write a page of some subjects.
    pub(in crate::tui) fn ask_file(&mut self, subjects: Vec<Subject>, name: &str) {
        self.asking = Some(Dialog::new_line_prompt(
            "Write a page to send: to which file?",
            "figures, verdicts and debates as one HTML file; Enter writes it",
            &format!("elenchus-{name}.html"),
            subjects,
        ));
    }

    /// Asks where to write a page of some experiments, or says why there is none.
    pub(in crate::tui) fn ask_page_of(&mut self, experiments: &[ListedExperiment]) -> Vec<Effect> {
        let Some((first, others)) = experiments.split_first() else {
            return say_notice("there is no experiment to write a page of");
        };
        let mut subjects = Vec::new();
        for one in experiments {
            match Subject::from_experiment(one) {
                Some(subject) => subjects.push(subject),
                None => {
                    return say_notice(format!(
                        "a page to send is of runs, sweeps or sessions, and of no {}",
                        one.summary.kind
                    ));
                }
            }
        }
        let name = match others.len() {
            0 => first.summary.id.clone(),
            more => format!("{}-and-{more}-more", first.summary.id),
        };
        self.ask_file(subjects, &name);
        Vec::new()
    }

    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.asking.is_some()
    }

    /// Takes a key of the answer, and begins to write.
    pub(in crate::tui) fn handle_key<M: Send + 'static>(
        &mut self,
        key: KeyEvent,
        wrap: fn(PageWritten) -> M,
    ) -> Vec<Effect> {
        match Dialog::answer_key(&mut self.asking, key) {
            Some(DialogAnswer::Line(_, name)) if name.trim().is_empty() => {
                say_notice("a page needs the name of a file")
            }
            Some(DialogAnswer::Line(subjects, name)) => {
                let path = Path::new(name.trim()).to_owned();
                vec![Effect::Start(write_page_to(subjects, path, wrap))]
            }
            Some(_) | None => Vec::new(),
        }
    }

    pub(in crate::tui) fn paste_text(&mut self, text: &str) {
        if let Some(dialog) = &mut self.asking {
            dialog.paste_text(text);
        }
    }

    /// Draws the question, and returns the cursor of its line.
    pub(in crate::tui) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.asking.as_ref()?.draw(area, buffer, context)
    }
}

/// Reads a page and writes it to a new file.
pub(in crate::tui) fn write_page_to<M: Send + 'static>(
    subjects: Vec<Subject>,
    path: PathBuf,
    wrap: impl FnOnce(PageWritten) -> M + Send + 'static,
) -> Task {
    Task::new_with_index("write a page", read_rows_index, move |services, index| {
        let options = PageOptions::default();
        let now = services.store.clock.now();
        let date = now.get(..DAY).unwrap_or(&now).to_owned();
        let request = PageRequest {
            subjects,
            date,
            options,
        };
        let source = PageSource {
            index,
            library: &services.library,
        };
        let write = || -> Result<_, WorkspaceError> {
            let page = build_page(source, &request)?;
            let written = write_page(&page, options.max_bytes).map_err(advise_on_size)?;
            write_new_private(&path, written.html.as_bytes())?;
            Ok((path, written.debates, written.cuts.len()))
        };
        wrap(PageWritten(write()))
    })
}

/// Says how a page becomes smaller, or is written all the same.
fn advise_on_size(error: PageError) -> WorkspaceError {
    WorkspaceError::invalid(match error {
        PageError::Needs(..) => {
            format!(
                "{error}; mark fewer, or write it with 'elenchus report', which can be told a larger size"
            )
        }
        PageError::Template(_) => error.to_string(),
    })
}
