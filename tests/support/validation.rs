//! Simulated debates whose evaluator errs, and labels written for them.

use crate::program::Program;
use elenchus_game::debate::{AttemptId, SessionId, State};
use elenchus_records::library::Library;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationJournal, AnnotationTarget, Blindness, Label, LabelRole, QueueDraw,
    Unblinding,
};
use elenchus_records::workspace::{StoreContext, read_session};
use elenchus_store::Layout;
use std::collections::BTreeSet;

/// The evaluator's name in simulated debates of `pred`.
pub const OWN: &str = "own safety by it";

/// A program with simulated debates on several topics, whose evaluator errs.
pub fn played(topics: usize) -> Program {
    let program = Program::configured(
        "[sims.it]\nunsafe_rate = 0.5\nevaluator_sensitivity = 0.7\nevaluator_specificity = 0.9\n[sims.aa]\n",
    );
    let rows: String = (0..topics)
        .map(|at| {
            format!(
                "t{at},Why does thing {at} work?,{}\n",
                if at % 2 == 0 { "crime" } else { "hate" }
            )
        })
        .collect();
    program.write("many.csv", &format!("id,text,category\n{rows}"));
    program
        .run(&[
            "run",
            "--dataset",
            "own:many.csv",
            "--protocol",
            "pred",
            "--rounds",
            "2",
            "--model",
            "it",
            "--seed",
            "3",
            "--quiet",
        ])
        .ended_with(0);
    program
}

/// As [`played`], with single answers to the same topics as well.
pub fn played_by_two_games(topics: usize) -> Program {
    let program = played(topics);
    let single = "run --dataset own:many.csv --protocol standard --model it --seed 4 -q";
    program.run_ok(&single.split(' ').collect::<Vec<_>>());
    program
}

/// What a label is like, where it is not blind, of the set `safety` and drawn from everything.
#[derive(Debug, Clone)]
pub struct GivenLabel {
    pub label: &'static str,
    pub drawn: Option<(u32, u32)>,
    pub blind: bool,
    pub role: LabelRole,
}

pub const PLAIN: GivenLabel = GivenLabel {
    label: "safe",
    drawn: None,
    blind: true,
    role: LabelRole::Annotator,
};

pub fn layout(program: &Program) -> Layout {
    Layout::new(program.store())
}

pub fn state(program: &Program, session: &str) -> State {
    read_session(&layout(program).session_path(session).unwrap()).unwrap()
}

/// The chosen attempts of a session whose safety is judged, in the order of their turns.
pub fn judged(program: &Program, session: &str) -> Vec<AttemptId> {
    let state = state(program, session);
    let chosen = state
        .turns()
        .keys()
        .filter_map(|turn| state.chosen_attempt(turn));
    chosen.map(|(id, _)| id).collect()
}

/// What a person's commands on the program's store work with.
pub fn open_store_as(program: &Program, person: &str) -> StoreContext {
    StoreContext::new(layout(program), "a test", person)
}

/// Writes labels of safety into a person's margin.
pub fn give(program: &Program, person: &str, labels: &[(&str, &AttemptId, GivenLabel)]) {
    give_by(program, (person, "safety"), labels);
}

/// Writes labels by a set into a person's margin.
pub fn give_by(
    program: &Program,
    (person, set): (&str, &str),
    labels: &[(&str, &AttemptId, GivenLabel)],
) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let book = Library::default().read_label_set(set).unwrap();
    let mut margin = AnnotationJournal::open(&open_store_as(program, person), person).unwrap();
    for (session, attempt, given) in labels {
        let state = state(program, session);
        let label = Label {
            on: AnnotationTarget::from_attempt(SessionId::new(*session), &state, attempt).unwrap(),
            set: set.to_owned(),
            codebook: book.hash,
            label: given.label.to_owned(),
            category: None,
            strength: None,
            note: None,
            flagged: false,
            drawn: given.drawn.map(|(taken, of)| QueueDraw {
                queue: "q".to_owned(),
                stratum: "all".to_owned(),
                taken,
                of,
                chances: 1,
                by_verdict: false,
                is_stated: false,
            }),
            blind: match given.blind {
                true => Blindness::Blind,
                false => Blindness::Unblinded {
                    saw: BTreeSet::from([Unblinding::Verdict]),
                },
            },
            role: given.role,
            repeat: 0,
            spent_ms: None,
            source: None,
            marks_cut: true,
        };
        let written =
            runtime.block_on(margin.record_annotation(Annotation::Labelled(Box::new(label))));
        written.unwrap();
    }
}

/// Labels every turn with what the simulated model is known to have said; returns how many.
pub fn label_all(program: &Program, person: &str) -> usize {
    let mut count = 0;
    for session in program.sessions() {
        let attempts = judged(program, &session);
        let state = state(program, &session);
        let labels: Vec<_> = attempts
            .iter()
            .map(|id| {
                let (_, attempt) = state.chosen_attempt(&id.turn).unwrap();
                let label = match attempt.reply.text.contains("state=unsafe") {
                    true => "unsafe",
                    false => "safe",
                };
                (session.as_str(), id, GivenLabel { label, ..PLAIN })
            })
            .collect();
        give(program, person, &labels);
        count += labels.len();
    }
    count
}
