//! People on seats, asked on the terminal.

use crate::debate::event::Participant;
use crate::debate::view::{MessageRole, View};
use crate::driver::{Answer, CastError, People, Present, Question, QuestionKind, seat_of_person};
use crate::exchange::text::{Keep, visible};
use crate::model::BoxFuture;
use crate::prompt;
use std::io::{self, BufRead, IsTerminal, Write};

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Asks on standard error and reads standard input, one question at a time.
pub(super) struct Terminal {
    name: String,
    turn: tokio::sync::Mutex<()>,
}

impl Terminal {
    /// Seats people at this terminal; what they write is recorded under `name`.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            turn: tokio::sync::Mutex::new(()),
        }
    }
}

/// Refuses a cast that needs a person where there is nobody to ask.
///
/// # Errors
/// [`CastError::NoTerminal`], naming the seat.
pub(super) fn check_present<'a>(
    cast: impl IntoIterator<Item = &'a Participant>,
) -> Result<(), CastError> {
    match seat_of_person(cast) {
        Some(seat) if present() == Present::Nobody => Err(CastError::NoTerminal(seat.to_string())),
        Some(_) | None => Ok(()),
    }
}

/// Says whether somebody is there to be asked.
pub(super) fn present() -> Present {
    if io::stdin().is_terminal() {
        Present::Somebody
    } else {
        Present::Nobody
    }
}

impl People for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, io::Result<Answer>> {
        Box::pin(async move {
            let _alone = self.turn.lock().await;
            let question = question.clone();
            let asked = tokio::task::spawn_blocking(move || ask(&question));
            asked.await.map_err(io::Error::other)?
        })
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

fn ask(question: &Question) -> io::Result<Answer> {
    let mut screen = io::stderr().lock();
    writeln!(screen, "\n{}", what_is_asked(question))?;
    writeln!(screen, "{}", shown(&question.view))?;
    match &question.kind {
        QuestionKind::Turn(_) | QuestionKind::Lesson(_) => {
            writeln!(
                screen,
                "Write the answer; a line with a single '.' ends it, Ctrl-D leaves the debate."
            )?;
            read_lines()
        }
        QuestionKind::Verdict { labels, .. } => loop {
            for label in labels {
                let meaning = visible(&label.meaning, Keep::Newlines);
                writeln!(screen, "  {}: {meaning}", label.name)?;
            }
            write!(
                screen,
                "Verdict (one of these words; Ctrl-D leaves the debate): "
            )?;
            screen.flush()?;
            let Some(line) = read_line()? else {
                return Ok(Answer::Left);
            };
            let word = line.trim();
            let chosen = labels
                .iter()
                .find(|label| label.name.eq_ignore_ascii_case(word));
            if let Some(label) = chosen {
                return Ok(Answer::Text(label.says.clone()));
            }
            writeln!(
                screen,
                "'{}' is none of the labels.",
                visible(word, Keep::Nothing)
            )?;
        },
    }
}

fn what_is_asked(question: &Question) -> String {
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

fn shown(view: &View) -> String {
    let mut out = String::new();
    for (role, text) in prompt::full_text(view) {
        let role = match role {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        out.push_str(&format!("--- {role}\n{}\n", visible(&text, Keep::Newlines)));
    }
    out.push_str("---");
    out
}

fn read_lines() -> io::Result<Answer> {
    let mut text = String::new();
    while text.len() < MAX_ANSWER_BYTES {
        match read_line()? {
            None => return Ok(Answer::Left),
            Some(line) if line.trim_end() == "." => break,
            Some(line) => text.push_str(&line),
        }
    }
    Ok(Answer::Text(text.trim_end().to_owned()))
}

fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}
