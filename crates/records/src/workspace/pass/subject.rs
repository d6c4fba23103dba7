//! What of a game the rubric of a pass is about: the turns, rounds or debates that it is asked about, and what its
//! judge is shown.

use super::rules::{Evaluator, PassMember};
use crate::library::IMPORTED;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::{
    DocumentsSeen, JudgedThing, Judging, NamedRounds, Orders, Protocol, RoundSet, RoundsSeen,
    SeatKind, Sees, TargetSelector, TurnSelector,
};
use elenchus_game::debate::{JudgingId, SeatId};
use elenchus_game::judge::{Rubric, RubricSubject};
use std::collections::BTreeSet;

/// What one evaluator of a pass is asked about in a game.
pub(super) struct JudgedSubject {
    /// The game's own rule in whose place it judges.
    pub own: Option<JudgingId>,
    pub of: JudgedThing,
    /// Empty where it is not about turns.
    pub turns: Vec<TargetSelector>,
    pub rounds: RoundSet,
    pub orders: Orders,
    pub tie_value: f64,
    pub sees: Sees,
}

/// Returns what a rubric says that it is about; `None` where it says nothing, and for rules without a model.
pub fn find_subject(member: &PassMember) -> Option<RubricSubject> {
    read_rubric(member)?.of
}

fn read_rubric(member: &PassMember) -> Option<Rubric> {
    let text = &member.brought.as_ref()?.rubric;
    Rubric::parse("rubric", text).ok()
}

/// Returns what an evaluator is asked about; `None` where the game has nothing of the kind.
pub(super) fn find_judged_subject(
    created: &Created,
    evaluator: &Evaluator,
    member: &PassMember,
) -> Option<JudgedSubject> {
    let mut subject = find_subject_in_game(created, evaluator, member)?;
    // A judge is shown what was thought in private where its own rubric asks for it, and nowhere else.
    subject.sees.judged_private = read_rubric(member).is_some_and(|rubric| rubric.private);
    Some(subject)
}

fn find_subject_in_game(
    created: &Created,
    evaluator: &Evaluator,
    member: &PassMember,
) -> Option<JudgedSubject> {
    let protocol = &created.protocol;
    match find_subject(member) {
        None | Some(RubricSubject::Turn) => Some(find_judged_turns(protocol, evaluator)),
        Some(RubricSubject::Proposal) => {
            let rule = protocol.find_proposal_rule()?;
            Some(judge_turns(rule.turns.clone(), see_topic()))
        }
        Some(RubricSubject::Critique) => find_critiques(protocol, evaluator),
        Some(RubricSubject::Round) => Some(judge_whole(created, member, JudgedThing::Round)),
        Some(RubricSubject::Debate) => Some(judge_whole(created, member, JudgedThing::Debate)),
    }
}

/// The turns that the game's own rule on turns looks at, shown as it is, else everything that speakers say in public.
fn find_judged_turns(protocol: &Protocol, evaluator: &Evaluator) -> JudgedSubject {
    let mut rules = protocol.judging.iter();
    let own = rules.find(|rule| {
        rule.enabled && rule.of == JudgedThing::Turn && rule.has_judge() && rule.rubric.is_some()
    });
    // An imported game judges nothing and says which turns are no mere context.
    let imported_turns = || {
        let mut rules = protocol.judging.iter();
        let imported_rule = rules
            .find(|rule| !rule.enabled && rule.of == JudgedThing::Turn && protocol.id == IMPORTED);
        imported_rule.map(|rule| rule.turns.clone())
    };
    let (turns, sees) = match own {
        Some(own) => (own.turns.clone(), own.sees.clone()),
        None => (
            imported_turns().unwrap_or_else(|| vec![said_in_public(protocol)]),
            see_topic(),
        ),
    };
    // Lessons that the debate was shown, for a rubric whose template asks for them.
    let memory = match evaluator {
        Evaluator::Rubric { .. } => true,
        Evaluator::Detector { .. } => false,
    };
    JudgedSubject {
        own: own.map(|own| own.id.clone()),
        ..judge_turns(turns, Sees { memory, ..sees })
    }
}

/// The turns that the game's rules on critiques look at, shown as by the rule of the same rubric where there is one,
/// else the critic's turns after all that was said.
fn find_critiques(protocol: &Protocol, evaluator: &Evaluator) -> Option<JudgedSubject> {
    let rubric = evaluator.rubric_name();
    let mut rules = protocol.critique_rules();
    if let Some(rule) = rules.find(|rule| rule.rubric.as_ref() == Some(&rubric)) {
        return Some(judge_turns(rule.turns.clone(), rule.sees.clone()));
    }
    let turns = protocol.critique_turns();
    let all_said = Sees {
        turns: vec![all_turns(protocol, RoundsSeen::default())],
        ..see_topic()
    };
    (!turns.is_empty()).then(|| judge_turns(turns, all_said))
}

/// Whole rounds or debates: in place of the game's own rule that gives these labels, shown what that is shown; else
/// what its first rule of the kind is shown, or everything said in public.
fn judge_whole(created: &Created, member: &PassMember, of: JudgedThing) -> JudgedSubject {
    let protocol = &created.protocol;
    let rubric = read_rubric(member);
    let rules = || {
        let rules = protocol.judging.iter();
        rules.filter(move |rule| rule.of == of && rule.has_judge())
    };
    let named = |rule: &&Judging| {
        let name = rubric.as_ref().map(|rubric| rubric.id.as_str());
        rule.rubric.as_deref() == name
    };
    let labelled_alike = |rule: &&Judging| {
        let own = rule.rubric.as_ref().and_then(|name| {
            let text = created.rubrics.get(name)?;
            Rubric::parse(name, text).ok()
        });
        let own = own.map(|own| list_labels(&own)).unwrap_or_default();
        let labels = rubric.as_ref().map(list_labels).unwrap_or_default();
        rule.enabled && !labels.is_empty() && labels.is_subset(&own)
    };
    let own = rules().find(named).or_else(|| rules().find(labelled_alike));
    let shown_as = own.or_else(|| rules().find(|rule| rule.enabled));
    let has_mirrors = rubric
        .as_ref()
        .is_some_and(|rubric| rubric.labels.iter().any(|label| label.mirror.is_some()));
    let sees = shown_as.map_or_else(
        || Sees {
            turns: vec![all_turns(protocol, RoundsSeen::default())],
            ..see_topic()
        },
        // These rules are not asked here.
        |rule| Sees {
            rulings: Vec::new(),
            screened_by: None,
            ..rule.sees.clone()
        },
    );
    JudgedSubject {
        own: own.map(|own| own.id.clone()),
        of,
        turns: Vec::new(),
        rounds: shown_as.map(|rule| rule.rounds.clone()).unwrap_or_default(),
        orders: match own.filter(|_| has_mirrors) {
            Some(own) => own.orders,
            None => Orders::One,
        },
        tie_value: own.map_or(0.0, |own| own.tie_value),
        sees,
    }
}

fn list_labels(rubric: &Rubric) -> BTreeSet<String> {
    let labels = rubric.labels.iter();
    labels.map(|label| label.name.clone()).collect()
}

fn judge_turns(turns: Vec<TargetSelector>, sees: Sees) -> JudgedSubject {
    JudgedSubject {
        own: None,
        of: JudgedThing::Turn,
        turns,
        rounds: RoundSet::default(),
        orders: Orders::One,
        tie_value: 0.0,
        sees,
    }
}

fn see_topic() -> Sees {
    Sees {
        topic: true,
        documents: DocumentsSeen::All,
        ..Sees::default()
    }
}

fn speakers(protocol: &Protocol) -> Vec<SeatId> {
    let seats = protocol.seats.iter();
    let speakers = seats.filter(|seat| seat.kind == SeatKind::Speaker);
    speakers.map(|seat| seat.id.clone()).collect()
}

fn all_turns(protocol: &Protocol, rounds: RoundsSeen) -> TurnSelector {
    TurnSelector {
        seats: speakers(protocol),
        stages: None,
        rounds,
    }
}

fn said_in_public(protocol: &Protocol) -> TargetSelector {
    TargetSelector {
        seats: speakers(protocol),
        stages: None,
        rounds: RoundSet::Named(NamedRounds::All),
    }
}
