//! Queues as a person who labels sees them, and a new one as it is typed.

use super::work::count_other_annotators;
use crate::queue::{
    ChoicesOf, ItemOrder, NO_CHOICES, PlayedBy, QueueChoices, QueueFilter, QueueKind, QueuePlan,
    QueueUnit, REPEATS_PERCENT, Sampling, StratifyBy, compute_progress, filter_from_words,
    find_labelled_queue, read_queues,
};
use elenchus_game::debate::RunId;
use elenchus_game::judge::LabelTarget;
use elenchus_records::library::{LabelBook, Library};
use elenchus_records::workspace::annotations::{annotator_name, read_annotations};
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_store::Layout;
use std::collections::BTreeSet;

/// The usual size of a sample.
const USUAL_SAMPLE: &str = "50";
/// The usual label set, where it is there.
const USUAL_SET: &str = "safety";

/// The queues of a store, and who labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueList {
    /// The person whose labels are given.
    pub annotator: String,
    /// Everybody who has labelled something.
    pub people: Vec<String>,
    /// The label sets there are.
    pub sets: Vec<SetLine>,
    pub queues: Vec<QueueLine>,
    /// Names that no new queue can have, those of removed ones too.
    pub taken_names: Vec<String>,
}

/// A label set, and what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetLine {
    pub name: String,
    pub of: LabelTarget,
}

/// A queue in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueLine {
    pub queue: String,
    pub set: String,
    /// Noun of what is labelled.
    pub unit: &'static str,
    /// Number of items the person has labelled; hidden repeats are not counted.
    pub labelled: usize,
    pub of: usize,
    /// Everything is labelled, hidden repeats too.
    pub is_done: bool,
    /// Number of other annotators who have labelled any of it.
    pub others: usize,
}

impl QueueLine {
    /// Returns the queue in one self.
    pub fn describe(&self) -> String {
        let others = match self.others {
            0 => String::new(),
            1 => ", and by another".to_owned(),
            many => format!(", and by {many} others"),
        };
        // Turns are what is labelled where nothing else is said.
        let kind = match self.unit {
            "turn" => String::new(),
            unit => format!("{unit}s "),
        };
        let done_text = match self.is_done {
            true => ", done",
            false => "",
        };
        format!(
            "{}  {kind}by '{}'  {} of {} labelled{done_text}{others}",
            self.queue, self.set, self.labelled, self.of
        )
    }
}

/// Values of a new queue, as a person types them.
#[derive(Debug, Clone)]
pub struct QueueDraft {
    pub name: String,
    pub set: String,
    /// The label sets there are.
    pub sets: Vec<SetLine>,
    /// What there is to draw from; `None` until that was counted.
    choices: Option<QueueChoices>,
    pub of: PlayedBy,
    /// The run, protocol, verdict and arm that are drawn from alone.
    pub run: Option<String>,
    pub protocol: Option<String>,
    pub verdict: Option<String>,
    pub arm: Option<String>,
    /// More conditions, in words.
    pub filter: String,
    pub unit: QueueUnit,
    /// What divides the population.
    pub strata: Vec<StratifyBy>,
    /// How many are drawn; empty for all.
    pub sample: String,
    pub order: ItemOrder,
}

impl QueueDraft {
    /// A sample of turns under a name that no queue has.
    pub fn new(list: &QueueList) -> Self {
        let usual = list.sets.iter().find(|set| set.name == USUAL_SET);
        let set = usual.or(list.sets.first());
        Self {
            name: find_free_name(&list.taken_names),
            set: set.map(|set| set.name.clone()).unwrap_or_default(),
            sets: list.sets.clone(),
            choices: None,
            of: PlayedBy::default(),
            run: None,
            protocol: None,
            verdict: None,
            arm: None,
            filter: String::new(),
            unit: QueueUnit::from_target(set.map(|set| set.of).unwrap_or_default()),
            strata: Vec::new(),
            sample: USUAL_SAMPLE.to_owned(),
            order: ItemOrder::default(),
        }
    }

    /// Takes what there is to draw from. Where only simulated models played, it is drawn from these.
    pub fn take_choices(&mut self, choices: QueueChoices) {
        if choices.is_simulated_alone() {
            self.of = PlayedBy::Simulated;
        }
        self.choices = Some(choices);
    }

    /// Returns what can be chosen of the unit and the kind of debates that is drawn from.
    pub(super) fn choices_here(&self) -> &ChoicesOf {
        let kind = (self.target(), self.unit);
        let choices = self.choices.as_ref();
        choices.map_or(&NO_CHOICES, |choices| choices.choices(self.of, kind))
    }

    /// Says whether what there is to draw from is still being counted.
    pub(super) fn is_counting(&self) -> bool {
        self.choices.is_none()
    }

    /// Returns what the label set is about.
    pub(super) fn target(&self) -> LabelTarget {
        let set = self.sets.iter().find(|set| set.name == self.set);
        set.map(|set| set.of).unwrap_or_default()
    }

    /// Returns the noun for what is drawn.
    pub fn unit_noun(&self) -> &'static str {
        self.unit.noun(self.target())
    }

    /// Labels by another set, which says what is drawn.
    pub(super) fn label_by(&mut self, set: &SetLine) {
        if set.of != self.target() {
            self.unit = QueueUnit::from_target(set.of);
        }
        self.set.clone_from(&set.name);
    }

    /// Draws things of another kind, by the first set about them where the one that was chosen is about others.
    pub(super) fn draw_kind(&mut self, (of, unit): QueueKind) {
        if of != self.target()
            && let Some(set) = self.sets.iter().find(|set| set.of == of).cloned()
        {
            self.label_by(&set);
        }
        self.unit = unit;
    }

    /// Draws from the other kind of debates: what was chosen of the first is not there.
    pub(super) fn draw_from(&mut self, of: PlayedBy) {
        self.of = of;
        (self.run, self.protocol, self.verdict, self.arm) = (None, None, None, None);
    }

    /// Returns the conditions: those that are chosen, and those in words. Both hold.
    fn build_filter(&self, layout: &Layout) -> Result<QueueFilter, WorkspaceError> {
        let mut filter = filter_from_words(layout, &self.filter)?;
        if filter.of == PlayedBy::Simulated && self.of == PlayedBy::Models {
            return reject(
                "only: 'simulated' contradicts the row 'played by', which chooses real models",
            );
        }
        filter.of = self.of;
        filter.arms = self.find_arms(&filter.arms)?;
        narrow("run", &mut filter.runs, self.run.clone().map(RunId::new))?;
        narrow("protocol", &mut filter.protocols, self.protocol.clone())?;
        narrow("verdict", &mut filter.verdicts, self.verdict.clone())?;
        narrow("arm", &mut filter.arms, self.arm.clone())?;
        Ok(filter)
    }

    /// Returns the whole names of the arms that these are parts of: a name has blanks and commas, which part words.
    fn find_arms(&self, parts: &[String]) -> Result<Vec<String>, WorkspaceError> {
        let arms = || self.choices_here().arms.iter().map(|arm| &arm.value);
        if let Some(part) = (parts.iter()).find(|part| !arms().any(|arm| arm.contains(*part))) {
            return reject(format!(
                "only: no arm has '{part}' in its name; the row 'arm' lists those there are"
            ));
        }
        let is_meant = |arm: &&String| parts.iter().any(|part| arm.contains(part));
        Ok(arms().filter(is_meant).cloned().collect())
    }
}

/// Narrows what is said in words to what a row chooses; both would else be drawn from.
fn narrow<T: PartialEq>(
    row: &str,
    words: &mut Vec<T>,
    chosen: Option<T>,
) -> Result<(), WorkspaceError> {
    let Some(chosen) = chosen else {
        return Ok(());
    };
    if !words.is_empty() && !words.contains(&chosen) {
        return reject(format!(
            "only: '{row}:' contradicts the row '{row}', which chooses another; change one of them"
        ));
    }
    *words = vec![chosen];
    Ok(())
}

/// Returns the first name for a queue that none has.
fn find_free_name(taken_names: &[String]) -> String {
    let mut names = (1..).map(|at| format!("queue-{at}"));
    let free = names.find(|name| !taken_names.contains(name));
    free.unwrap_or_default()
}

/// Returns a name that no queue of a store has or had. Blocks while it reads.
///
/// # Errors
/// When queues cannot be read.
pub fn read_free_queue_name(layout: &Layout) -> Result<String, WorkspaceError> {
    let names = read_queues(layout)?.into_iter().map(|(name, _)| name);
    Ok(find_free_name(&names.collect::<Vec<_>>()))
}

/// Lists the queues of a store as a person sees them. Blocks while it reads.
///
/// # Errors
/// When queues or annotations cannot be read.
pub fn list_queues(
    layout: &Layout,
    library: &Library,
    person: &str,
) -> Result<QueueList, WorkspaceError> {
    let (annotations, _) = read_annotations(layout)?;
    let who = annotator_name(person);
    let mut people: Vec<String> = annotations.annotators().map(str::to_owned).collect();
    if !people.contains(&who) {
        people.insert(0, who.clone());
    }
    let named_queues = read_queues(layout)?;
    let taken_names = named_queues.iter().map(|(name, _)| name.clone()).collect();
    let lines = named_queues
        .into_iter()
        .filter_map(|(_, queue)| queue.ok().filter(|queue| queue.removed_at.is_none()))
        .map(|queue| {
            let mine = compute_progress(&queue, &annotations, &who);
            QueueLine {
                others: count_other_annotators(&queue, &annotations, &who),
                labelled: mine.shown_labelled,
                of: mine.shown_of,
                unit: queue.definition.unit_noun(),
                is_done: mine.labelled == mine.of,
                set: queue.definition.set,
                queue: queue.definition.queue,
            }
        });
    Ok(QueueList {
        queues: lines.collect(),
        sets: list_sets(library),
        annotator: who,
        people,
        taken_names,
    })
}

/// Returns everything that can be drawn: what some set is about, and of turns pairs as well.
pub fn list_kinds(sets: &[SetLine]) -> Vec<QueueKind> {
    let targets: BTreeSet<LabelTarget> = sets.iter().map(|set| set.of).collect();
    let kinds = targets.into_iter().flat_map(|of| {
        let pair = (of == LabelTarget::Turn).then_some((of, QueueUnit::Pair));
        [(of, QueueUnit::from_target(of))].into_iter().chain(pair)
    });
    kinds.collect()
}

/// Returns the label sets that can be read, each with what it is about.
pub fn list_sets(library: &Library) -> Vec<SetLine> {
    let sets = library.list_label_sets().into_iter();
    let sets = sets.filter_map(|(name, _)| {
        let of = library.read_label_set(&name).ok()?.set.of;
        Some(SetLine { name, of })
    });
    sets.collect()
}

/// Reads a new queue as it was typed, with the codebook that it is labelled by.
///
/// # Errors
/// Says which value cannot be read, or that there is such a queue already.
pub fn plan_queue(
    layout: &Layout,
    library: &Library,
    draft: &QueueDraft,
) -> Result<(LabelBook, QueuePlan), WorkspaceError> {
    let book = library.read_label_set(&draft.set);
    let book = book?;
    // A name that is taken is said before anything is labelled by it.
    let path = layout.queue_path(&draft.name);
    if path?.exists() {
        let state = match find_labelled_queue(layout, &draft.name) {
            Ok(_) => "is there already",
            Err(_) => "was there before: its labels name it",
        };
        return reject(format!("a queue '{}' {state}", draft.name));
    }
    let sampling = match draft.sample.as_str() {
        "" => Sampling::All,
        text => match text.parse() {
            Ok(units) => Sampling::Sample { units },
            Err(_) => return reject("how many: a whole number, or empty for all"),
        },
    };
    let plan = QueuePlan {
        queue: draft.name.clone(),
        filter: draft.build_filter(layout)?,
        unit: draft.unit,
        sampling,
        strata: draft.strata.clone(),
        order: draft.order,
        repeats_percent: REPEATS_PERCENT,
        seed: 0,
    };
    Ok((book, plan))
}
