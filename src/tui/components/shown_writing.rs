//! Writing of what a screen shows, as text, as a picture or as a page to send: a form is chosen where there are several,
//! the file is asked for, and nothing is written over a file that is there. What of verdicts leaves so is recorded as
//! shown.

use crate::tui::app::{
    Command, DrawContext, Effect, Task, record_listing, say_error, say_notice, say_outcome,
};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker};
use elenchus_annotation::refuse_hidden_verdicts;
use elenchus_game::debate::SessionId;
use elenchus_html::{
    PageError, PageOptions, PageRequest, PageSource, Subject, build_page, list_page_sessions,
    write_page,
};
use elenchus_records::workspace::annotations::Unblinding;
use elenchus_records::workspace::{
    WorkspaceError, read_rows_index, refuse_existing, reject, write_new_private,
};
use elenchus_run::experiments::ListedExperiment;
use elenchus_text::{Keep, Role, format_noun_count, make_visible};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::path::{Path, PathBuf};
use tokio::runtime::Handle;

/// The day of a time in RFC 3339.
const DAY: usize = 10;

/// What came of a page: the file with what is on it, or why there is none.
pub struct PageWritten(Result<WrittenFile, WorkspaceError>);

/// A page that was written.
struct WrittenFile {
    path: PathBuf,
    debates: usize,
    cuts: usize,
}

impl PageWritten {
    /// Says what came of it.
    pub(in crate::tui) fn say(self) -> Vec<Effect> {
        match self.0 {
            Ok(written) => {
                let cut = match written.cuts {
                    0 => "",
                    _ => "; it was cut, and says where",
                };
                let text = format!(
                    "a page of {} is written to {}{cut}",
                    format_noun_count(written.debates, "debate"),
                    written.path.display()
                );
                say_outcome(Some((Role::Notice, text)))
            }
            Err(why) => say_error(why),
        }
    }
}

/// A form in which what is shown can be written.
pub(in crate::tui) struct ShownForm {
    /// What it is, as `the table as text`.
    pub what: &'static str,
    /// The file that is offered.
    pub file: String,
    pub content: ShownContent,
}

/// What is written.
pub(in crate::tui) enum ShownContent {
    /// A text, and the sessions whose verdicts are in it.
    Text(String, Vec<SessionId>),
    /// A picture as SVG.
    Picture(String),
    Page(Vec<Subject>),
}

impl ShownForm {
    /// Says whether there is nothing in it, as while it is read.
    fn is_empty(&self) -> bool {
        match &self.content {
            ShownContent::Text(text, _) | ShownContent::Picture(text) => text.trim().is_empty(),
            ShownContent::Page(subjects) => subjects.is_empty(),
        }
    }

    /// A page to send of some experiments.
    ///
    /// # Errors
    /// With the reason why there is none.
    fn page_of_experiments(experiments: &[ListedExperiment]) -> Result<Self, WorkspaceError> {
        let Some((first, others)) = experiments.split_first() else {
            return reject("there is no experiment to write a page of");
        };
        let subjects = experiments.iter().map(|one| {
            Subject::from_experiment(one).ok_or_else(|| {
                WorkspaceError::invalid(format!(
                    "a page to send is of runs, sweeps, golden sets, passes or sessions, and of no {}",
                    one.summary.kind
                ))
            })
        });
        let name = match others.len() {
            0 => first.summary.id.clone(),
            more => format!("{}-and-{more}-more", first.summary.id),
        };
        Ok(Self::page_of(subjects.collect::<Result<_, _>>()?, &name))
    }

    /// A page to send of some subjects.
    pub(in crate::tui) fn page_of(subjects: Vec<Subject>, name: &str) -> Self {
        Self {
            what: "a page to send",
            file: format!("elenchus-{name}.html"),
            content: ShownContent::Page(subjects),
        }
    }
}

/// A question, while it is asked.
enum Question {
    Form(Vec<ShownForm>),
    File(ShownContent),
}

/// The questions for the form and for the file.
#[derive(Default)]
pub(in crate::tui) struct ShownWriting {
    asking: Option<Dialog<Question>>,
}

impl ShownWriting {
    /// Asks in which of some forms to write what is shown, where there are several, and to which file.
    pub(in crate::tui) fn ask_form(&mut self, mut forms: Vec<ShownForm>) -> Vec<Effect> {
        forms.retain(|form| !form.is_empty());
        match forms.len() {
            0 => return say_notice("there is nothing to write yet"),
            1 => forms.into_iter().for_each(|only| self.ask_file(only)),
            2.. => {
                let items = forms.iter().map(|form| PickItem {
                    label: form.what.to_owned(),
                    detail: form.file.clone(),
                    ..PickItem::default()
                });
                let picker = Picker::new("Write what is shown as", items.collect());
                self.asking = Some(Dialog::new_list(picker, Question::Form(forms)));
            }
        }
        Vec::new()
    }

    /// Asks where to write a form.
    fn ask_file(&mut self, form: ShownForm) {
        let hint = match form.content {
            ShownContent::Page(_) => {
                "figures, verdicts and debates as one HTML file; Enter writes it"
            }
            ShownContent::Text(..) => "as it would be copied; Enter writes it",
            ShownContent::Picture(_) => "one SVG file; Enter writes it",
        };
        self.asking = Some(Dialog::new_line_prompt(
            &format!("Write {}: to which file?", form.what),
            hint,
            &form.file,
            Question::File(form.content),
        ));
    }

    /// Asks in which form to write some experiments: as a page to send, or as what a screen shows of them. Where
    /// there is neither, says why.
    pub(in crate::tui) fn ask_form_of(
        &mut self,
        experiments: &[ListedExperiment],
        shown: Vec<ShownForm>,
    ) -> Vec<Effect> {
        match ShownForm::page_of_experiments(experiments) {
            Ok(page) => self.ask_form([page].into_iter().chain(shown).collect()),
            Err(why) if shown.iter().all(ShownForm::is_empty) => say_notice(why.to_string()),
            Err(_) => self.ask_form(shown),
        }
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
            Some(DialogAnswer::Item(Question::Form(forms), at, _)) => {
                forms
                    .into_iter()
                    .skip(at)
                    .take(1)
                    .for_each(|form| self.ask_file(form));
                Vec::new()
            }
            Some(DialogAnswer::Line(Question::File(_), name)) if name.trim().is_empty() => {
                say_notice("it needs the name of a file")
            }
            Some(DialogAnswer::Line(Question::File(content), name)) => {
                let path = Path::new(name.trim()).to_owned();
                write_content_to(content, path, wrap)
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

/// Writes a form to a new file.
fn write_content_to<M: Send + 'static>(
    content: ShownContent,
    path: PathBuf,
    wrap: fn(PageWritten) -> M,
) -> Vec<Effect> {
    match content {
        ShownContent::Page(subjects) => {
            let mut effects = say_notice("the page is being written");
            effects.push(Effect::Start(write_page_to(subjects, path, wrap)));
            effects
        }
        ShownContent::Picture(svg) => vec![Effect::Do(Command::WriteText(path, svg))],
        ShownContent::Text(text, shown) => {
            // Models and servers wrote parts of it, and the file will be printed.
            let text = make_visible(&text, Keep::NewlinesAndTabs).into_owned();
            let record = (!shown.is_empty())
                .then(|| Effect::Start(Task::record_listing(shown, Unblinding::of_list())));
            let write = Effect::Do(Command::WriteText(path, text));
            record.into_iter().chain([write]).collect()
        }
    }
}

/// Reads a page and writes it to a new file. A page shows verdicts: none is written of a debate that the person is
/// labelling, and of the others it is recorded that they were shown.
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
            refuse_existing(&path)?;
            let sessions = list_page_sessions(source, &request.subjects)?;
            refuse_hidden_verdicts(&services.store, &sessions)?;
            let page = build_page(source, &request)?;
            let written = write_page(&page, options.max_bytes).map_err(advise_on_size)?;
            // Before the file is there, and whatever becomes of the screen that asked.
            let shown = record_listing(services, sessions, Unblinding::of_page());
            Handle::current().block_on(shown)?;
            write_new_private(&path, written.html.as_bytes())?;
            Ok(WrittenFile {
                path,
                debates: written.debates,
                cuts: written.cuts.len(),
            })
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
