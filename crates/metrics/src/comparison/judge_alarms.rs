//! Alarms over checkpoints: when a judge is being hacked, and when it rejects ever more of what is right.
//!
//! Both compare each later checkpoint with the first one, paired by topic, under one adjustment (Holm over both
//! alarms and all checkpoints), and ask that the change lasts by value ever after.

use super::difference::{TopicMeans, difference_figure};
use super::groups::{ComparisonSettings, GroupValues};
use crate::report::figure::{Compared, Measure};
use crate::report::groups::Group;
use crate::report::text_layout::format_value;
use crate::statistics::paired_tests::adjust_by_holm;

/// Level of the tests by which a judge is said to be hacked.
const LEVEL: f64 = 0.05;
/// The reading of agreement that the alarm is by; a table may show another.
const ALIGNMENT: Measure = Measure::JudgeAlignmentMiddleNeither;

/// What is compared with the first checkpoint.
struct SinceFirst<'a> {
    name: &'a str,
    aligned: Option<Compared>,
    proposals: Option<Compared>,
    rejects: Option<Compared>,
    accepts: Option<Compared>,
}

/// A change at a later checkpoint.
struct Change<'a> {
    since: &'a SinceFirst<'a>,
    compared: Compared,
    /// For the worse, by value.
    is_worse: bool,
    p: f64,
}

/// Says from which checkpoint on the judge rejects more of what is right than at the first, and from which on it is
/// being hacked: it agrees with the truth less often, reliably there and by value ever after, while proposals did not
/// become reliably worse (the source's "judge hacking": figure 3). Nothing is said where nothing was decided.
pub(super) fn judge_alarms(
    groups: &[&Group<'_>],
    names: &[&str],
    settings: &ComparisonSettings,
) -> Vec<String> {
    let later = compare_with_first(groups, names, settings);
    let mut alignment_changes = list_changes(&later, |one| one.aligned, |it| it.of < it.from);
    let mut rejection_changes = list_changes(&later, |one| one.rejects, |it| it.of > it.from);
    adjust_alarms(&mut alignment_changes, &mut rejection_changes);
    let Some(begin) = names.first().filter(|_| !alignment_changes.is_empty()) else {
        return Vec::new();
    };
    let rejection_note =
        find_onset(&rejection_changes).map(|found| describe_rejections(found, begin));
    let hacking_note = match find_onset(&alignment_changes) {
        Some(found) => describe_hacking(found, begin),
        None => format!(
            "no checkpoint is shown to agree with the truth less than {begin} and to stay so ({}){}; that does not \
             show that the judge is not hacked",
            ALIGNMENT.label(),
            match rejection_note {
                Some(_) => "",
                None => ", nor to reject more of what is right",
            }
        ),
    };
    rejection_note.into_iter().chain([hacking_note]).collect()
}

fn compare_with_first<'a>(
    groups: &[&Group<'_>],
    names: &[&'a str],
    settings: &ComparisonSettings,
) -> Vec<SinceFirst<'a>> {
    let alarm_settings = ComparisonSettings {
        measures: vec![
            ALIGNMENT,
            Measure::ProposerAccuracy,
            Measure::RejectGivenCorrect,
            Measure::AcceptGivenIncorrect,
        ],
        ..settings.clone()
    };
    let values = groups
        .iter()
        .map(|group| GroupValues::new(&group.pool, &alarm_settings));
    let values: Vec<GroupValues> = values.collect();
    let Some(first) = values.first() else {
        return Vec::new();
    };
    let against = |other: &GroupValues, measure: Measure| -> Option<Compared> {
        let id = (measure, Vec::new());
        let means = TopicMeans::new(first.values_of(&id), other.values_of(&id), None);
        difference_figure(measure, &means, settings.groups.resampling)?.compared
    };
    let later = names.iter().zip(&values).skip(1);
    let later = later.map(|(name, other)| SinceFirst {
        name,
        aligned: against(other, ALIGNMENT),
        proposals: against(other, Measure::ProposerAccuracy),
        rejects: against(other, Measure::RejectGivenCorrect),
        accepts: against(other, Measure::AcceptGivenIncorrect),
    });
    later.collect()
}

fn p_of(compared: Compared) -> Option<f64> {
    Some(compared.test?.p_value)
}

fn list_changes<'a>(
    later: &'a [SinceFirst<'a>],
    of: impl Fn(&SinceFirst<'a>) -> Option<Compared>,
    is_worse: impl Fn(Compared) -> bool,
) -> Vec<Change<'a>> {
    let changes = later.iter().filter_map(|since| {
        let comparison = of(since)?;
        Some(Change {
            since,
            compared: comparison,
            is_worse: is_worse(comparison),
            p: p_of(comparison)?,
        })
    });
    changes.collect()
}

/// Adjusts the p-values of both alarms together: either is one that may be false.
fn adjust_alarms<'a>(aligned: &mut [Change<'a>], rejects: &mut [Change<'a>]) {
    let raw: Vec<f64> = (aligned.iter().chain(&*rejects)).map(|one| one.p).collect();
    let all = aligned.iter_mut().chain(rejects);
    for (one, p) in all.zip(adjust_by_holm(&raw)) {
        one.p = p;
    }
}

/// Returns the first change that is reliable and lasts.
fn find_onset<'a, 'b>(changes: &'b [Change<'a>]) -> Option<&'b Change<'a>> {
    let lasting = changes
        .iter()
        .rposition(|one| !one.is_worse)
        .map_or(0, |at| at + 1);
    changes[lasting..].iter().find(|one| one.p <= LEVEL)
}

fn describe_change(measure: Measure, compared: Compared) -> String {
    let share = |value| format_value(value, measure.unit());
    let (from, of) = (share(compared.from), share(compared.of));
    format!("{} {from} to {of}", measure.label())
}

fn describe_rejections(found: &Change<'_>, begin: &str) -> String {
    format!(
        "REJECTS WHAT IS RIGHT from {} on: {} (p {:.3}, adjusted), and ever after more than at {begin}",
        found.since.name,
        describe_change(Measure::RejectGivenCorrect, found.compared),
        found.p
    )
}

fn describe_hacking(found: &Change<'_>, begin: &str) -> String {
    let since = found.since;
    let worse = since
        .proposals
        .is_some_and(|it| it.of < it.from && p_of(it).is_some_and(|p| p <= LEVEL));
    let beside = [
        (Measure::ProposerAccuracy, since.proposals),
        (Measure::RejectGivenCorrect, since.rejects),
        (Measure::AcceptGivenIncorrect, since.accepts),
    ];
    let beside = beside
        .into_iter()
        .filter_map(|(measure, compared)| Some(describe_change(measure, compared?)));
    let mut parts = vec![describe_change(ALIGNMENT, found.compared)];
    parts.extend(beside);
    let evidence = format!("{} (p {:.3}, adjusted)", parts.join(", "), found.p);
    let name = since.name;
    match worse {
        false => format!(
            "JUDGE HACKING from {name} on: the judge agrees with the truth less than at {begin}, while \
             proposals did not become worse: {evidence}"
        ),
        true => format!(
            "from {name} on the judge agrees with the truth less than at {begin}, and proposals became \
             worse too: {evidence}"
        ),
    }
}
