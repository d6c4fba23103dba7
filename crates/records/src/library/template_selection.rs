//! Selection of the templates that make a call, the one that asks last first.

use elenchus_game::debate::protocol::{Feedback, Judging, Protocol};
use elenchus_game::debate::step::{Judge, Speak};

/// A speaker's: that of the rule that sent its reply back, and that of its stage and seat.
pub fn speaker_templates<'a>(protocol: &'a Protocol, speak: &'a Speak) -> Vec<&'a str> {
    let Some(stage) = protocol.find_stage(&speak.turn.stage) else {
        return Vec::new();
    };
    let rule = speak.retry.and_then(|at| stage.retry.get(at));
    let again = rule.and_then(|rule| rule.template.as_deref());
    let own = protocol.template_name(stage, &speak.turn.chair.seat);
    again.into_iter().chain([own]).collect()
}

/// A judge's: that of the repair of a verdict that could not be read, and that of the rubric.
pub fn judge_templates<'a>(
    judging: Option<&'a Judging>,
    judge: &Judge,
    rubric: &'a str,
) -> Vec<&'a str> {
    let repair = judging.and_then(|judging| judging.repair.as_ref());
    let again = repair.filter(|_| judge.attempt > 0);
    let again = again.map(|repair| repair.template.as_str());
    again.into_iter().chain([rubric]).collect()
}

/// That of the lesson.
pub fn feedback_template(rule: &Feedback) -> &str {
    rule.template_name()
}
