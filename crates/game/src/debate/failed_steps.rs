//! Why debates could not go on, in one line each. Pure.

use super::event::Failed;
use super::step::StepId;

/// Returns the cause in a text of [`describe_failures`], without the step that failed first and the number of others:
/// one cause may stop debates anywhere.
pub fn find_cause(why: &str) -> &str {
    let cause = match why.split_once(": ") {
        Some((step, cause)) if StepId::is_written_as(step) => cause,
        Some(_) | None => why,
    };
    let others = cause.rsplit_once(" (and ").filter(|(_, others)| {
        let count = others.strip_suffix(" more)").unwrap_or_default();
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())
    });
    others.map_or(cause, |(cause, _)| cause)
}

/// Says why steps failed, in one line.
pub fn describe_failures(failures: &[Failed]) -> String {
    match failures {
        [] => "nothing can be done, and nothing failed".to_owned(),
        [only] => format!("{}: {}", only.step, only.message),
        [first, rest @ ..] => {
            format!(
                "{}: {} (and {} more)",
                first.step,
                first.message,
                rest.len()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_the_same_whichever_step_failed_first_and_however_many_did() {
        let cause = "lab/m: no connection (os error 111)";
        for text in [
            cause.to_owned(),
            format!("speak r1.answer.debater-1#0: {cause}"),
            format!("judge safety evaluator-0 r1.answer.debater-1#0: {cause} (and 12 more)"),
            format!("feedback: {cause}"),
            format!("retrieve critic: {cause} (and 1 more)"),
        ] {
            assert_eq!(find_cause(&text), cause, "{text}");
        }
        for whole in [
            "feedbacks: none",
            "no reply (and more)",
            "x: y (and 1 more or less)",
        ] {
            assert_eq!(find_cause(whole), whole);
        }
    }
}
