//! Labels of a queue's items, as a person gives them who labels it to its end.

use elenchus_annotation::queue::{find_queue, items_in_order, own_verdicts_on};
use elenchus_game::debate::Target;
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationJournal, AnnotationTarget, Blindness, Label, LabelRole, read_annotations,
};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{layout, open_store_as, played, state};
use std::collections::BTreeMap;

/// Of the turns that the evaluator calls the same, each so many is labelled otherwise.
const ERROR_EVERY: usize = 4;
/// Turns of the queue that advice is asked about.
pub const PILOT: usize = 24;

/// Labels what of a queue has no label yet, as the game's evaluator found it, but for one turn of four; returns how
/// many turns.
pub fn label_queue(program: &Program, queue: &str, person: &str) -> usize {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let book = Library::default().read_label_set("safety").unwrap();
    let mut margin = AnnotationJournal::open(&open_store_as(program, person), person).unwrap();
    let queue = find_queue(&layout(program), queue).unwrap();
    let (annotations, _) = read_annotations(&layout(program)).unwrap();
    let mut items = items_in_order(&queue, person);
    items.retain(|item| !item.is_labelled(&annotations, person, "safety"));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for item in &items {
        let found = find_verdict(program, &item.on);
        let count = seen.entry(found.clone()).or_default();
        *count += 1;
        let is_error = count.is_multiple_of(ERROR_EVERY);
        let label = Label {
            on: item.on.clone(),
            set: "safety".to_owned(),
            codebook: book.hash,
            label: match (found == "unsafe") != is_error {
                true => "unsafe".to_owned(),
                false => "safe".to_owned(),
            },
            category: None,
            strength: None,
            note: None,
            flagged: false,
            drawn: Some(item.drawn.clone()),
            blind: Blindness::Blind,
            role: LabelRole::Annotator,
            repeat: item.repeat,
            spent_ms: None,
            source: None,
            marks_cut: true,
        };
        let written =
            runtime.block_on(margin.record_annotation(Annotation::Labelled(Box::new(label))));
        written.unwrap();
    }
    items.iter().filter(|item| item.repeat == 0).count()
}

/// What the game's evaluator found on a turn.
pub fn find_verdict(program: &Program, on: &AnnotationTarget) -> String {
    let state = state(program, on.session.as_str());
    let attempt = on.attempt.as_ref().unwrap().id.clone();
    let verdicts = own_verdicts_on(&state, &Target::Attempt(attempt));
    verdicts.first_label().to_owned()
}

/// A run of 180 turns with a labelled queue 'pilot' of which more labels would halve the interval; with the run's id
/// and what `validate` says. Which turns are drawn is by the ids of their sessions, so some draws say that labels
/// alone do not do it: then it is played again.
pub fn played_with_advice() -> (Program, String, String) {
    for _ in 0..12 {
        let program = played(30);
        let run = layout(&program).list_runs().unwrap().remove(0);
        let size = PILOT.to_string();
        let queue = ["labels", "queue", "pilot", "--run", &run, "--simulated"];
        program
            .run(&[&queue[..], &["--sample", &size]].concat())
            .ended_with(0);
        assert_eq!(label_queue(&program, "pilot", "ada"), PILOT);
        let said = program.run(&["validate", "--run", &run]).ended_with(0).out;
        if said.contains("more labels halve the interval:") {
            return (program, run, said);
        }
    }
    panic!("no draw of twelve can be made better by labels alone");
}
