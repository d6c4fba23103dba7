//! Check of `elenchus doctor` on what models say that they were trained on.

use super::DoctorFindings;
use crate::cli::common::CommandContext;
use elenchus_model::split_training;
use elenchus_records::workspace::memory::MemoryBook;
use elenchus_text::format_noun_count;

/// Compares what a model says that it was trained on with the lessons of that memory as they are now.
pub(super) fn report_training(
    name: &str,
    lessons: &str,
    context: &CommandContext,
    findings: &mut DoctorFindings,
) {
    let Some((namespace, hash)) = split_training(lessons) else {
        return;
    };
    let (layout, fsync) = (&context.store.layout, &context.store.fsync);
    let held = match MemoryBook::open(layout, fsync, namespace, "doctor", None) {
        Ok(book) => book.all_lessons(),
        Err(error) => {
            return findings.add_problem(
                &format!("{name}: trained on {lessons}, and that memory cannot be read: {error}"),
                "name another with trained_on under its [models] table",
            );
        }
    };
    if held.is_empty() {
        return findings.add_note(&format!(
            "{name}: trained on {lessons}, and memory '{namespace}' holds no lesson here"
        ));
    }
    let count = format_noun_count(held.len(), "lesson");
    match held.find_hash(hash) {
        Some(known) if known == held.len() => findings.add_ok(&format!(
            "{name}: trained on the {count} that memory '{namespace}' holds, those that became part of another included"
        )),
        Some(known) => findings.add_note(&format!(
            "{name}: trained on the first {known} of the {count} that memory '{namespace}' holds now, those that became \
             part of another included"
        )),
        None => findings.add_note(&format!(
            "{name}: trained on {lessons}, which is none of the states of memory '{namespace}' that can be told \
             from its {count} ({}…): they were changed since, are others, or lie in another store",
            held.sha256().chars().take(hash.len().max(8)).collect::<String>()
        )),
    }
}
