//! Human players, asked on the terminal.

use crate::cli::common::{clean_line, clean_lines};
use elenchus_game::debate::event::{Outcome, Participant};
use elenchus_game::debate::view::View;
use elenchus_game::judge::{self, Material};
use elenchus_game::prompt::{self, LabelHint};
use elenchus_model::BoxFuture;
use elenchus_records::library::VerdictForm;
use elenchus_records::workspace::CastError;
use elenchus_run::engine::seats::seat_of_person;
use elenchus_run::engine::{Attendance, People, PersonAnswer, PersonQuestion, QuestionKind};
use std::io::{self, BufRead, IsTerminal, Write};

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Asks on standard error and reads standard input, one question at a time.
pub(crate) struct TerminalPlayer {
    name: String,
    turn: tokio::sync::Mutex<()>,
}

impl TerminalPlayer {
    /// Seats people at this terminal; what they write is recorded under `name`.
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            turn: tokio::sync::Mutex::new(()),
        }
    }
}

/// Refuses a cast with a person where no terminal is attached.
///
/// # Errors
/// [`CastError::NoTerminal`], naming the seat.
pub(crate) fn check_present<'a>(
    cast: impl IntoIterator<Item = &'a Participant>,
) -> Result<(), CastError> {
    match seat_of_person(cast) {
        Some(seat) if attendance() == Attendance::Nobody => {
            Err(CastError::NoTerminal(seat.to_string()))
        }
        Some(_) | None => Ok(()),
    }
}

/// Says whether a person can be asked.
pub(crate) fn attendance() -> Attendance {
    if io::stdin().is_terminal() {
        Attendance::Somebody
    } else {
        Attendance::Nobody
    }
}

impl People for TerminalPlayer {
    fn ask<'a>(&'a self, question: &'a PersonQuestion) -> BoxFuture<'a, io::Result<PersonAnswer>> {
        Box::pin(async move {
            let _alone = self.turn.lock().await;
            let question = question.clone();
            let answer_task = tokio::task::spawn_blocking(move || ask_person(&question));
            answer_task.await.map_err(io::Error::other)?
        })
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

fn ask_person(question: &PersonQuestion) -> io::Result<PersonAnswer> {
    let mut screen = io::stderr().lock();
    writeln!(screen, "\n{}", describe_question(question))?;
    writeln!(screen, "{}", format_view(&question.view))?;
    match &question.kind {
        QuestionKind::Turn(_) | QuestionKind::Lesson(_) => {
            writeln!(
                screen,
                "Write the answer; a line with a single '.' ends it, Ctrl-D leaves the debate."
            )?;
            read_lines()
        }
        QuestionKind::Verdict {
            labels,
            form,
            rubric,
            ..
        } => loop {
            let answer = match form {
                VerdictForm::Label | VerdictForm::LabelAfterReasons => {
                    ask_label(&mut screen, labels, *form)?
                }
                VerdictForm::Whole => ask_whole(&mut screen)?,
            };
            let why = match &answer {
                PersonAnswer::Left => return Ok(answer),
                PersonAnswer::Text(text) => {
                    match judge::parse_verdict(rubric, text, &Material::empty()) {
                        Outcome::Label(_) => return Ok(answer),
                        Outcome::Unparsed { why, .. } => why,
                    }
                }
            };
            let why = clean_line(&why);
            writeln!(screen, "This cannot be read as a verdict: {why}.")?;
        },
    }
}

/// Asks until one of the labels is named, with reasons where the rubric reads them.
fn ask_label(
    screen: &mut impl Write,
    labels: &[LabelHint],
    form: VerdictForm,
) -> io::Result<PersonAnswer> {
    loop {
        for label in labels {
            let meaning = clean_lines(&label.meaning);
            writeln!(screen, "  {}: {meaning}", label.name)?;
        }
        if form == VerdictForm::LabelAfterReasons {
            writeln!(screen, "Reasons may follow the word after a colon.")?;
        }
        write!(
            screen,
            "Verdict (one of these words; Ctrl-D leaves the debate): "
        )?;
        screen.flush()?;
        let Some(line) = read_line()? else {
            return Ok(PersonAnswer::Left);
        };
        let (word, reasons) = match (form, line.split_once(':')) {
            (VerdictForm::LabelAfterReasons, Some((word, reasons))) => (word, reasons.trim()),
            (VerdictForm::LabelAfterReasons, None)
            | (VerdictForm::Label | VerdictForm::Whole, _) => (line.as_str(), ""),
        };
        let word = word.trim();
        let matching_label = labels
            .iter()
            .find(|label| label.name.eq_ignore_ascii_case(word));
        if let Some(label) = matching_label {
            return Ok(PersonAnswer::Text(match reasons {
                "" => label.says.clone(),
                reasons => format!("{reasons}\n{}", label.says),
            }));
        }
        writeln!(screen, "'{}' is none of the labels.", clean_line(word))?;
    }
}

fn ask_whole(screen: &mut impl Write) -> io::Result<PersonAnswer> {
    writeln!(
        screen,
        "Write the verdict as the seat is asked to; a line with a single '.' ends it, Ctrl-D leaves the debate."
    )?;
    read_lines()
}

fn describe_question(question: &PersonQuestion) -> String {
    match &question.kind {
        QuestionKind::Turn(speak) => format!(
            "You sit on {} (round {}, stage {}). This is what the seat is shown:",
            speak.turn.chair, speak.turn.round, speak.turn.stage
        ),
        QuestionKind::Verdict { judge, .. } => format!(
            "You sit on {} and judge {}. This is what the seat is shown:",
            judge.chair, judge.target
        ),
        QuestionKind::Lesson(chair) => {
            format!("You sit on {chair} and write the lesson. This is what the seat is shown:")
        }
    }
}

fn format_view(view: &View) -> String {
    let mut out = String::new();
    for (role, text) in prompt::full_text(view) {
        let role = role.as_str();
        out.push_str(&format!("--- {role}\n{}\n", clean_lines(&text)));
    }
    out.push_str("---");
    out
}

fn read_lines() -> io::Result<PersonAnswer> {
    let mut text = String::new();
    while text.len() < MAX_ANSWER_BYTES {
        match read_line()? {
            None => return Ok(PersonAnswer::Left),
            Some(line) if line.trim_end() == "." => break,
            Some(line) => text.push_str(&line),
        }
    }
    Ok(PersonAnswer::Text(text.trim_end().to_owned()))
}

fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let byte_count = io::stdin().lock().read_line(&mut line)?;
    Ok((byte_count > 0).then_some(line))
}
