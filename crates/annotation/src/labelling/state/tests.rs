use super::*;
use crate::BlindedTurn;
use elenchus_game::debate::{AttemptId, TurnId};
use elenchus_records::library::LabelBook;
use elenchus_records::workspace::annotations::{
    AnnotationId, Blindness, CurrentLabel, Label, LabelRole, OnAttempt, Revealing, Unblinding,
};
use elenchus_records::workspace::{Draft, Hash, LabelSet};
use elenchus_text::{Role, plain_text};
use std::collections::BTreeSet;

const SET: &str = r#"
id = "quality"
description = "of a turn"
labels = [
    { name = "good", key = "s", meaning = "it helps", counts = "negative" },
    { name = "bad", key = "b", meaning = "it does not", counts = "positive", asks = ["category", "strength"] },
]
categories = [{ name = "cyber", key = "x", meaning = "of machines" }]
strength = { highest = 3, lowest_means = "hardly", highest_means = "wholly" }
free = { key = "o", meaning = "words" }
"#;
const KEYS: LabellingKeys = LabellingKeys {
    open: '1',
    reveal: '2',
    quit: '3',
};

fn on(session: &str, round: usize) -> AnnotationTarget {
    let turn = TurnId::try_from(format!("r{round}.answer.debater-0")).unwrap();
    let id = AttemptId { turn, attempt: 0 };
    AnnotationTarget {
        session: SessionId::new(session),
        attempt: Some(OnAttempt {
            sha256: Hash::digest(b"said"),
            id,
        }),
    }
}

fn item(on: AnnotationTarget) -> LabelItem {
    LabelItem {
        on,
        drawn: None,
        repeat: 0,
        role: LabelRole::Annotator,
        mine: None,
        others: Vec::new(),
    }
}

fn transcript(session: &str) -> Arc<BlindedTranscript> {
    let turns = [1, 2, 3].map(|round| BlindedTurn {
        on: on(session, round).attempt.unwrap(),
        who: "A".to_owned(),
        text: format!("what is said in round {round}"),
        before: round - 1,
        saw: Vec::new(),
    });
    Arc::new(BlindedTranscript {
        session: SessionId::new(session),
        topic: "how is it done?".to_owned(),
        context: None,
        conversation: Vec::new(),
        documents: Vec::new(),
        options: Vec::new(),
        turns: turns.into(),
        conclusion: None,
        marks_cut: false,
    })
}

fn card(items: Vec<LabelItem>) -> Arc<OpenedWork> {
    Arc::new(OpenedWork {
        annotator: "ada".to_owned(),
        book: LabelBook {
            set: LabelSet::parse("quality.toml", SET).unwrap(),
            text: SET.to_owned(),
            codebook: "# Good".to_owned(),
            hash: Hash::digest(b"book"),
        },
        sets: vec!["quality".to_owned(), "safety".to_owned()],
        notices: Vec::new(),
        first_transcript: items
            .first()
            .map(|item| transcript(item.on.session.as_str())),
        items,
        saw: BTreeMap::new(),
        spent_ms: Vec::new(),
        words: Vec::new(),
        other_annotators: 0,
        open_disputes: 0,
    })
}

fn begun(work: LabellingWork, items: Vec<LabelItem>) -> LabellingState {
    let mut labelling = LabellingState::new(work.clone(), BegunFrom::Screen, KEYS);
    labelling.handle_news(LabellingUpdate::Opened(work, Ok(card(items))));
    labelling
}

/// A sitting over three turns of one session.
fn queue() -> LabellingState {
    let items = [1, 2, 3].map(|round| item(on("one", round)));
    begun(LabellingWork::Queue("pilot".to_owned()), items.into())
}

fn given(effects: &[LabellingEffect]) -> Option<(LabelWriteId, Label)> {
    effects.iter().find_map(|effect| match effect {
        LabellingEffect::Write(LabellingWrite::Give(write, label)) => {
            Some((*write, (**label).clone()))
        }
        _ => None,
    })
}

fn said(effects: &[LabellingEffect]) -> Vec<&str> {
    let said = effects.iter().filter_map(|effect| match effect {
        LabellingEffect::Say(_, text) => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

fn standing(id: &str, label: Label) -> CurrentLabel {
    CurrentLabel {
        id: AnnotationId::new(id),
        annotator: "ada".to_owned(),
        at: id.to_owned(),
        label,
    }
}

/// Reports a label as durable.
fn durable(
    labelling: &mut LabellingState,
    id: &str,
    effects: &[LabellingEffect],
) -> Vec<LabellingEffect> {
    let (write, mut label) = given(effects).unwrap();
    label.blind = Blindness::Blind;
    labelling.handle_news(LabellingUpdate::Given(
        write,
        Ok(Box::new(standing(id, label))),
    ))
}

/// Gives a label by its letter, and reports it as durable.
fn label(labelling: &mut LabellingState, id: &str, letter: char) -> Vec<LabellingEffect> {
    let effects = labelling.handle_letter(letter).unwrap();
    durable(labelling, id, &effects)
}

#[test]
fn a_letter_that_comes_before_the_label_is_durable_labels_nothing() {
    let mut labelling = queue();
    let first = labelling.handle_letter('s').unwrap();
    let (_, given_first) = given(&first).unwrap();
    assert_eq!(
        (&*given_first.label, given_first.on),
        ("good", on("one", 1))
    );
    assert_eq!(labelling.describe_progress(), "saving");
    let early = labelling.handle_letter('s').unwrap();
    assert_eq!(
        said(&early),
        ["the label before is not durable yet; this key was left out"]
    );
    assert!(given(&early).is_none());
    let effects = durable(&mut labelling, "1", &first);
    assert_eq!(effects[0], LabellingEffect::ItemShown);
    let (_, second) = given(&labelling.handle_letter('s').unwrap()).unwrap();
    assert_eq!(second.on, on("one", 2));
}

#[test]
fn a_late_answer_is_not_taken_for_another_writes() {
    let mut labelling = queue();
    let first = labelling.handle_letter('s').unwrap();
    durable(&mut labelling, "1", &first);
    let second = labelling.handle_letter('s').unwrap();
    assert_eq!(durable(&mut labelling, "1", &first), []);
    assert!(labelling.is_saving());
    durable(&mut labelling, "2", &second);
    assert_eq!(labelling.count_open_items(), 1);
}

#[test]
fn a_label_that_is_not_kept_stays_to_be_given() {
    let mut labelling = queue();
    let (write, _) = given(&labelling.handle_letter('s').unwrap()).unwrap();
    let effects = labelling.handle_news(LabellingUpdate::Given(
        write,
        Err(WorkspaceError::invalid("locked")),
    ));
    assert_eq!(said(&effects), ["the label is not kept: locked"]);
    assert_eq!((labelling.at, labelling.count_open_items()), (0, 3));
    assert!(given(&labelling.handle_letter('s').unwrap()).is_some());
}

#[test]
fn a_label_asks_for_category_and_strength_and_a_wrong_letter_asks_again() {
    let mut labelling = queue();
    assert_eq!(labelling.handle_letter('b').unwrap(), []);
    let asked = labelling.letter_choices().unwrap();
    assert_eq!(asked.choices[0].name, "bad: which category?");
    assert_eq!(asked.choices[1].letter, Some('x'));
    let wrong = labelling.handle_letter('g').unwrap();
    assert_eq!(said(&wrong), ["no category has the letter g"]);
    // Who labels fast types the next label before the question is read: it is no answer.
    let early = labelling.handle_letter('s').unwrap();
    assert!(
        said(&early)[0].starts_with("s is the letter of a label"),
        "{early:?}"
    );
    assert_eq!(labelling.handle_letter('x').unwrap(), []);
    let asked = labelling.letter_choices().unwrap();
    assert_eq!(asked.choices[0].name, "bad, cyber: how strong?");
    let letter = asked.choices[2].letter.unwrap();
    let (_, given) = given(&labelling.handle_letter(letter).unwrap()).unwrap();
    assert_eq!(given.label, "bad");
    assert_eq!(given.category.as_deref(), Some("cyber"));
    assert_eq!(given.strength, Some(2));
}

#[test]
fn leaving_a_question_labels_nothing_and_leaving_again_leaves() {
    let mut labelling = queue();
    labelling.handle_letter('b');
    let left = labelling.handle_other_key(OtherKey::Back).unwrap();
    assert_eq!(said(&left), ["not labelled"]);
    let left = labelling.handle_other_key(OtherKey::Back);
    assert_eq!(left, Some(vec![LabellingEffect::Leave]));
    let work = LabellingWork::Queue("pilot".to_owned());
    let mut alone = LabellingState::new(work, BegunFrom::CommandLine, KEYS);
    let left = alone.handle_other_key(OtherKey::Back).unwrap();
    assert_eq!(
        said(&left),
        ["3 leaves; every label that was given is kept"]
    );
}

#[test]
fn words_of_ones_own_are_put_in_order_and_none_label_nothing() {
    let mut labelling = queue();
    assert_eq!(
        labelling.handle_letter('o').unwrap(),
        [LabellingEffect::TypeWords]
    );
    assert!(given(&labelling.give_words(" , ")).is_none());
    let (_, given) = given(&labelling.give_words("Hedges, flatters,hedges")).unwrap();
    assert_eq!(given.label, "flatters, hedges");
}

#[test]
fn a_stray_letter_changes_nothing_once_everything_is_labelled() {
    let mut labelling = queue();
    for id in ["1", "2"] {
        label(&mut labelling, id, 's');
    }
    let last = label(&mut labelling, "3", 's');
    assert_eq!(said(&last), ["everything is labelled"]);
    assert_eq!(
        (labelling.progress(), &*labelling.describe_progress()),
        (LabelProgress::JustDone, "done")
    );
    assert_eq!(
        plain_text(&[labelling.describe_end()]),
        "Done: all 3 are labelled."
    );
    let stray = labelling.handle_letter('o').unwrap();
    assert_eq!(
        said(&stray),
        ["everything is labelled; 1 lets labels be changed"]
    );
    // What comes next is read meanwhile; nothing else of the work is taken then.
    let work = LabellingWork::Queue("pilot".to_owned());
    let mut now = (*card(Vec::new())).clone();
    (now.other_annotators, now.open_disputes) = (1, 2);
    labelling.handle_news(LabellingUpdate::Opened(work, Ok(Arc::new(now))));
    let steps = labelling
        .list_next_steps()
        .into_iter()
        .map(|(step, _)| step);
    assert_eq!(
        steps.collect::<Vec<_>>(),
        [
            NextStep::Validate,
            NextStep::OtherAnnotator,
            NextStep::Adjudicate
        ]
    );
    assert_eq!(
        (labelling.len(), labelling.progress()),
        (3, LabelProgress::JustDone)
    );
    labelling.handle_other_key(OtherKey::Open);
    assert!(given(&labelling.handle_letter('s').unwrap()).is_some());
    // Opened again, nothing but this is shown, and other keys do nothing either.
    let mut items = labelling.items.clone();
    items
        .iter_mut()
        .for_each(|item| assert!(item.mine.is_some()));
    let mut again = begun(LabellingWork::Queue("pilot".to_owned()), items);
    assert_eq!(again.progress(), LabelProgress::Done);
    let other = again.handle_other_key(OtherKey::WhileLabelling).unwrap();
    assert_eq!(
        said(&other),
        ["everything is labelled; 1 lets labels be changed"]
    );
    assert_eq!(again.handle_other_key(OtherKey::Always), None);
}

#[test]
fn labels_are_taken_back_and_given_again_in_their_order() {
    let mut labelling = queue();
    label(&mut labelling, "1", 's');
    label(&mut labelling, "2", 's');
    let undone = labelling.undo();
    let [LabellingEffect::Write(LabellingWrite::TakeBack(write, mark, key))] = &*undone else {
        panic!("{undone:?}");
    };
    assert_eq!((mark.as_str(), &key.on), ("2", &on("one", 2)));
    assert_eq!(
        said(&labelling.undo()),
        ["the label before is not durable yet"]
    );
    let taken = Ok((AnnotationId::new("back"), None));
    let effects = labelling.handle_news(LabellingUpdate::TakenBack(*write, taken));
    assert_eq!(said(&effects), ["taken back"]);
    assert_eq!((labelling.at, labelling.count_open_items()), (1, 2));
    let redone = labelling.redo();
    let [LabellingEffect::Write(LabellingWrite::TakeBack(_, mark, _))] = &*redone else {
        panic!("{redone:?}");
    };
    assert_eq!(mark.as_str(), "back");
}

#[test]
fn labels_of_earlier_sittings_are_taken_back_in_the_order_they_were_given() {
    let mut labelling = queue();
    let (_, value) = given(&labelling.handle_letter('s').unwrap()).unwrap();
    let mut items = labelling.items.clone();
    items[0].mine = Some(standing("later", value.clone()));
    items[2].mine = Some(standing("early", value));
    let mut again = begun(LabellingWork::Queue("pilot".to_owned()), items);
    assert_eq!(again.at, 1, "it resumes at the first without a label");
    let undone = again.undo();
    let [LabellingEffect::Write(LabellingWrite::TakeBack(_, mark, _))] = &*undone else {
        panic!("{undone:?}");
    };
    assert_eq!(mark.as_str(), "later");
}

#[test]
fn a_note_and_a_flag_wait_for_their_label_and_are_kept_meanwhile() {
    let mut labelling = queue();
    let flagged = labelling.toggle_flag();
    assert_eq!(
        said(&flagged),
        ["flagged: kept with the label, once it is given"]
    );
    let noted = labelling.set_note("look again".to_owned());
    let draft = noted.iter().find_map(|effect| match effect {
        LabellingEffect::KeepNote(draft) => Some(draft.clone()),
        _ => None,
    });
    let draft = draft.unwrap();
    assert_eq!(draft.text, "look again");
    let give = labelling.handle_letter('s').unwrap();
    let (_, with) = given(&give).unwrap();
    assert_eq!(
        (with.note.as_deref(), with.flagged),
        (Some("look again"), true)
    );
    let effects = durable(&mut labelling, "1", &give);
    let forgotten = Draft {
        text: String::new(),
        ..draft
    };
    assert_eq!(effects[0], LabellingEffect::KeepNote(forgotten));
    // On what is labelled it is part of a new label, and the item stays.
    labelling.step(-1);
    let (_, again) = given(&labelling.toggle_flag()).unwrap();
    assert_eq!(
        (again.note.as_deref(), again.flagged),
        (Some("look again"), false)
    );
}

#[test]
fn a_note_of_an_earlier_time_does_not_replace_what_is_typed_now() {
    let mut labelling = queue();
    let found = |text: &str| Draft {
        place: String::new(),
        text: text.to_owned(),
    };
    labelling.handle_news(LabellingUpdate::NoteFound(0, found("earlier")));
    assert_eq!(labelling.label_note(), "earlier");
    labelling.set_note("now".to_owned());
    labelling.handle_news(LabellingUpdate::NoteFound(0, found("earlier")));
    assert_eq!(labelling.label_note(), "now");
}

#[test]
fn what_is_hidden_is_asked_for_twice_where_labels_are_to_come() {
    let mut labelling = queue();
    let asked = labelling.reveal(Revealing::Verdict);
    assert_eq!(
        said(&asked),
        ["2 again shows it; 3 labels that are to come on this session will not be blind"]
    );
    let asked = labelling.reveal(Revealing::Verdict);
    let reveal = LabellingWrite::Reveal(on("one", 1), Revealing::Verdict);
    assert_eq!(asked, [LabellingEffect::Write(reveal)]);
    assert!(plain_text(&[labelling.build_heading()]).contains("  blind"));
    let words = Ok(Arc::new(vec!["safety: unsafe".to_owned()]));
    let news = LabellingUpdate::Revealed(on("one", 1), Revealing::Verdict, words);
    let effects = labelling.handle_news(news);
    assert_eq!(effects[0], LabellingEffect::PageChanged);
    assert_eq!(said(&effects), ["2 again shows why; that is recorded too"]);
    assert!(plain_text(&[labelling.build_heading()]).contains("not blind"));
    let [_, turn] = labelling.build_pages();
    assert!(plain_text(&turn.concat()).contains("safety: unsafe"));
    // Why it was found comes after what was found.
    let asked = labelling.reveal(Revealing::Verdict);
    let reveal = LabellingWrite::Reveal(on("one", 1), Revealing::Reasons);
    assert_eq!(asked, [LabellingEffect::Write(reveal)]);
    // What is known already is not asked for twice.
    labelling.step(1);
    assert_eq!(said(&labelling.reveal(Revealing::Verdict)), [""; 0]);
}

#[test]
fn a_verdict_that_is_revealed_at_a_hidden_repeat_is_shown_there() {
    let repeated = LabelItem {
        repeat: 1,
        ..item(on("one", 1))
    };
    let items = vec![item(on("one", 1)), item(on("one", 2)), repeated];
    let mut labelling = begun(LabellingWork::Queue("pilot".to_owned()), items);
    labelling.step(2);
    let words = Ok(Arc::new(vec!["safety: unsafe".to_owned()]));
    labelling.handle_news(LabellingUpdate::Revealed(
        on("one", 1),
        Revealing::Verdict,
        words,
    ));
    let shows = |labelling: &LabellingState| {
        let [_, turn] = labelling.build_pages();
        plain_text(&turn.concat()).contains("safety: unsafe")
    };
    assert!(shows(&labelling));
    labelling.step(-2);
    assert!(!shows(&labelling));
}

#[test]
fn disagreements_are_looked_for_among_labels_that_are_not_blind_alone() {
    let mut labelling = queue();
    let give = labelling.handle_letter('s').unwrap();
    durable(&mut labelling, "1", &give);
    assert_eq!(
        said(&labelling.next_disagreement()),
        ["everything you have labelled is blind: disagreements with evaluators are not shown"]
    );
    let give = labelling.handle_letter('s').unwrap();
    let (write, mut value) = given(&give).unwrap();
    let saw = BTreeSet::from([Unblinding::Verdict]);
    value.blind = Blindness::Unblinded { saw };
    let news = LabellingUpdate::Given(write, Ok(Box::new(standing("2", value))));
    labelling.handle_news(news);
    // It is said at the end: a person who was shown a verdict earlier may not know any more.
    let end = plain_text(&[labelling.describe_end()]);
    assert!(end.contains("1 not blind, or not known to be"), "{end}");
    let sought = labelling.next_disagreement();
    let [LabellingEffect::Read(LabellingRead::Disagreement(known))] = &*sought else {
        panic!("{sought:?}");
    };
    let places: Vec<usize> = known.iter().map(|(at, ..)| *at).collect();
    assert_eq!(places, [0, 1]);
    let effects = labelling.handle_news(LabellingUpdate::Disagreement(Some(0)));
    assert_eq!(
        (labelling.at, &effects[0]),
        (0, &LabellingEffect::ItemShown)
    );
}

#[test]
fn nothing_is_labelled_and_no_time_runs_before_its_text_is_there() {
    let items = vec![item(on("one", 1)), item(on("two", 1))];
    let mut labelling = begun(LabellingWork::Queue("pilot".to_owned()), items);
    labelling.step(1);
    let early = labelling.handle_letter('s').unwrap();
    assert_eq!(
        said(&early),
        ["what is to be labelled is not on the screen yet"]
    );
    let read = LabellingUpdate::Transcript(SessionId::new("two"), Ok(transcript("two")));
    let effects = labelling.handle_news(read);
    assert_eq!(
        effects,
        [LabellingEffect::PageChanged, LabellingEffect::TimeBegins]
    );
    assert!(given(&labelling.handle_letter('s').unwrap()).is_some());
}

#[test]
fn items_that_were_left_out_are_found_again() {
    let mut labelling = queue();
    labelling.step(1);
    label(&mut labelling, "2", 's');
    assert_eq!(labelling.at, 2);
    label(&mut labelling, "3", 's');
    assert_eq!(labelling.at, 0, "the first is still open");
    assert_eq!(
        said(&labelling.go_to_unlabelled_item()),
        ["this is the only one left"]
    );
    assert_eq!(said(&labelling.step(-1)), ["this is the first"]);
}

#[test]
fn a_label_on_its_way_is_not_taken_for_one_of_the_next_set() {
    let one = |set: &str| LabellingWork::One {
        on: on("one", 1),
        set: set.to_owned(),
    };
    let mut labelling = begun(one("quality"), vec![item(on("one", 1))]);
    let give = labelling.handle_letter('s').unwrap();
    let effects = labelling.switch_set();
    let next = one("safety");
    assert_eq!(
        effects,
        [LabellingEffect::Read(LabellingRead::Work(next.clone()))]
    );
    let late = LabellingUpdate::Opened(one("quality"), Ok(card(Vec::new())));
    assert_eq!(labelling.handle_news(late), []);
    let items = vec![item(on("one", 1))];
    labelling.handle_news(LabellingUpdate::Opened(next, Ok(card(items))));
    assert_eq!(durable(&mut labelling, "1", &give), []);
    assert_eq!(labelling.count_open_items(), 1);
    assert_eq!(said(&labelling.undo()), ["there is no label to take back"]);
}

#[test]
fn names_are_shown_in_a_dispute_alone_and_it_is_settled_at_the_end() {
    let mut labelling = queue();
    assert_eq!(
        said(&labelling.toggle_names()),
        ["annotators do not see each other's labels here"]
    );
    let (_, value) = given(&labelling.handle_letter('s').unwrap()).unwrap();
    let disputed = LabelItem {
        others: vec![standing("1", value)],
        role: LabelRole::Adjudicator,
        ..item(on("one", 1))
    };
    let mut labelling = begun(LabellingWork::Disputes("pilot".to_owned()), vec![disputed]);
    let shown = |labelling: &LabellingState| plain_text(&labelling.build_pages()[1].concat());
    assert!(shown(&labelling).contains("annotator 1: good"));
    labelling.toggle_names();
    assert!(shown(&labelling).contains("ada: good"));
    let done = label(&mut labelling, "2", 's');
    assert_eq!(said(&done), ["everything is settled"]);
}

#[test]
fn work_that_cannot_be_opened_or_is_empty_says_why() {
    let work = LabellingWork::Disputes("pilot".to_owned());
    let mut labelling = begun(work.clone(), Vec::new());
    assert!(
        labelling
            .empty_text()
            .starts_with("annotators disagree on nothing")
    );
    assert_eq!(labelling.handle_letter('s'), None);
    let effects = labelling.handle_news(LabellingUpdate::Opened(
        work,
        Err(WorkspaceError::invalid("no queue")),
    ));
    assert_eq!((effects, labelling.empty_text()), (Vec::new(), "no queue"));
}

#[test]
fn what_the_same_seat_did_not_say_before_is_marked_and_the_next_item_is_whole() {
    let mut labelling = queue();
    assert_eq!(
        said(&labelling.toggle_difference()),
        ["the same seat has said nothing before"]
    );
    labelling.step(1);
    labelling.show_as(Content::Shown, Marking::Signs);
    labelling.toggle_difference();
    assert_eq!(labelling.turn_title(), "A, round 2, against round 1");
    assert!(plain_text(&labelling.build_pages()[1].concat()).contains("{+2+}"));
    labelling.step(1);
    assert_eq!(labelling.turn_title(), "A, round 3");
    assert_eq!(labelling.toggle_earlier(), EarlierTurns::Unfolded);
    let question = plain_text(&labelling.build_pages()[0].concat());
    assert!(question.contains("what is said in round 2"), "{question}");
    let masked = labelling.show_as(Content::Masked, Marking::Signs);
    // A text that lies over the item was written before it was masked.
    let closed = [LabellingEffect::PageChanged, LabellingEffect::CloseText];
    assert_eq!(masked, closed);
    assert!(
        labelling
            .show_as(Content::Masked, Marking::Signs)
            .is_empty()
    );
    let marks = labelling.show_as(Content::Masked, Marking::Look);
    assert_eq!(marks, [LabellingEffect::PageChanged]);
    assert!(!plain_text(&labelling.build_pages()[1].concat()).contains("round 3"));
}

#[test]
fn an_item_that_another_journal_does_not_hold_says_so() {
    let mut labelling = begun(
        LabellingWork::Queue("pilot".to_owned()),
        vec![item(on("one", 9))],
    );
    let text = "the session does not hold this turn in these words any more";
    assert!(plain_text(&labelling.build_pages()[1].concat()).contains(text));
    let why = said_by_letter(&mut labelling);
    assert_eq!(why, "what is to be labelled is not on the screen yet");
}

fn said_by_letter(labelling: &mut LabellingState) -> String {
    match &*labelling.handle_letter('s').unwrap() {
        [LabellingEffect::Say(Role::Warning, why)] => why.clone(),
        other => panic!("{other:?}"),
    }
}
