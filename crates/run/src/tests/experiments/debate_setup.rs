//! Tests of a debate that is being set out.

use crate::drafts::debate_draft::{
    DebateField, DebateList, DebateSetup, PlayedRows, RowSource, SetupResult, SetupSource,
    SetupStep, SetupTask,
};
use crate::engine::{GameLine, LibraryList, ModelLine, TypedTopic};
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::{SessionId, Topic};
use elenchus_records::library::Library;
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::{FieldKind, FormField, FormValues, Role, plain_text};
use std::sync::Arc;

fn library(default_model: Option<&str>) -> Arc<LibraryList> {
    let game = |id: &str| GameLine {
        id: id.to_owned(),
        name: id.to_owned(),
        description: String::new(),
        origin: "built in".to_owned(),
    };
    Arc::new(LibraryList {
        games: vec![game("moderated"), game("pred")],
        models: vec![ModelLine {
            name: "sim".to_owned(),
            simulated: true,
            about: "simulated".to_owned(),
        }],
        default_model: default_model.map(str::to_owned),
        default_why: "configured",
        ..LibraryList::default()
    })
}

fn read(setup: &mut DebateSetup, id: &str) {
    let game = Library::default()
        .load_game(id, &Settings::default())
        .unwrap();
    setup.take_result(SetupResult::Game(
        id.to_owned(),
        Ok(Arc::new(game.protocol)),
    ));
}

/// A setup whose library and game were read, and whose cost was asked for.
fn setup() -> DebateSetup {
    let mut setup = DebateSetup::default();
    setup.take_library(library(Some("sim")));
    assert!(matches!(&setup.take_tasks()[..], [SetupTask::ReadGame(id)] if id == "pred"));
    read(&mut setup, "pred");
    assert_eq!(question(&mut setup), 1);
    setup
}

/// Returns the number of the question for the cost, which is all that is to be done.
fn question(setup: &mut DebateSetup) -> u64 {
    match &setup.take_tasks()[..] {
        [SetupTask::Estimate(number, _)] => *number,
        other => panic!("{other:?}"),
    }
}

fn field(setup: &DebateSetup, of: &DebateField) -> FormField<DebateField> {
    let mut fields = setup.list_fields().into_iter();
    fields.find(|field| field.field == *of).unwrap()
}

fn topics(texts: &[&str]) -> Arc<Vec<Topic>> {
    let topic = |text: &&str| TypedTopic {
        text: (*text).to_owned(),
        ..TypedTopic::default()
    };
    let topics = texts.iter().map(|text| topic(text).into_topic().unwrap());
    Arc::new(topics.collect())
}

#[test]
fn several_changes_are_one_question_for_the_cost() {
    let mut setup = setup();
    setup.set_value(&DebateField::Seed, "7").unwrap();
    setup.set_value(&DebateField::Budget, "2").unwrap();
    assert_eq!(question(&mut setup), 2);
    assert!(setup.take_tasks().is_empty());
}

#[test]
fn an_answer_about_another_game_is_stale_before_that_game_is_read() {
    let mut setup = setup();
    setup.pick_item(DebateList::Game, 0, "");
    let why = "a fault of the first game".to_owned();
    setup.take_result(SetupResult::Estimate(1, reject(&why)));
    assert!(!plain_text(&setup.describe_cost()).contains(&why));
    assert!(matches!(&setup.take_tasks()[..], [SetupTask::ReadGame(id)] if id == "moderated"));
    read(&mut setup, "moderated");
    let number = question(&mut setup);
    setup.take_result(SetupResult::Estimate(number, reject(&why)));
    assert_eq!(plain_text(&setup.describe_cost()), why);
}

#[test]
fn without_a_default_model_one_is_asked_for_before_the_cost() {
    let mut setup = DebateSetup::default();
    setup.take_library(library(None));
    setup.take_tasks();
    read(&mut setup, "pred");
    assert!(setup.take_tasks().is_empty());
    let everybody = field(&setup, &DebateField::Everybody);
    assert_eq!(everybody.role, Role::Warning);
    assert!(everybody.fault.unwrap().contains("choose a model"));
    assert!(setup.step_value(&DebateField::Everybody, 1));
    assert_eq!(
        field(&setup, &DebateField::Everybody).value,
        "sim - simulated"
    );
    question(&mut setup);
}

#[test]
fn values_are_stepped_through_both_ways_and_numbers_within_their_limits() {
    let mut setup = setup();
    let memory = |setup: &DebateSetup| field(setup, &DebateField::Memory).value;
    setup.step_value(&DebateField::Memory, -1);
    assert_eq!(memory(&setup), "lessons are shown, guardrails refuse");
    setup.step_value(&DebateField::Memory, 1);
    assert_eq!(memory(&setup), "off");
    let rounds = DebateField::Setting("rounds".to_owned());
    assert_eq!(field(&setup, &rounds).kind, FieldKind::Count);
    setup.set_value(&rounds, "1").unwrap();
    assert!(
        !setup.step_value(&rounds, -1),
        "there is no round before the first"
    );
    assert!(setup.step_value(&rounds, 1));
    assert_eq!(field(&setup, &rounds).value, "2");
    assert!(!setup.step_value(&DebateField::Seed, 1));
}

#[test]
fn a_sample_that_is_more_than_there_are_becomes_all_of_them() {
    let mut setup = setup();
    setup
        .set_value(&DebateField::Dataset, "own:two.csv")
        .unwrap();
    assert!(
        matches!(&setup.take_tasks()[..], [SetupTask::ReadRows(source)] if *source == RowSource::from_dataset("own:two.csv"))
    );
    let mut read = |name: &str, rows| {
        setup.take_result(SetupResult::Rows(RowSource::from_dataset(name), Ok(rows)))
    };
    let other = read("own:other.csv", topics(&["other"]));
    assert!(matches!(other, SetupStep::Nothing));
    let two = read("own:two.csv", topics(&["one", "two"]));
    assert!(matches!(two, SetupStep::Choose(DebateList::Rows)));
    let after = setup.pick_item(DebateList::Rows, 1, "");
    assert!(matches!(after, SetupStep::Focus(DebateField::SampleSize)));
    assert_eq!(setup.draft.debate_count(), Some(2));
    let after = setup.pick_item(DebateList::Rows, 0, "");
    assert!(matches!(after, SetupStep::Choose(DebateList::Row)));
    let SetupStep::Take(topic) = setup.pick_item(DebateList::Row, 1, "") else {
        panic!("a row is a topic");
    };
    assert_eq!(
        (topic.text.as_str(), setup.draft.rows),
        ("two", PlayedRows::One)
    );
}

#[test]
fn columns_of_a_data_set_are_named_and_its_rows_are_read_again() {
    let mut setup = setup();
    setup
        .set_value(&DebateField::Dataset, "own:two.csv")
        .unwrap();
    setup.take_tasks();
    let failed = reject("two.csv has no column of texts");
    setup.take_result(SetupResult::Rows(
        RowSource::from_dataset("own:two.csv"),
        failed,
    ));
    assert!(field(&setup, &DebateField::Dataset).fault.is_some());
    setup.set_value(&DebateField::Columns, "txt=Frage").unwrap();
    let fault = field(&setup, &DebateField::Columns).fault.unwrap();
    assert!(fault.contains("`txt` is no field"), "{fault}");
    let columns = "text=Frage, lang,category=Art | -Notiz";
    setup.set_value(&DebateField::Columns, columns).unwrap();
    assert!(field(&setup, &DebateField::Dataset).fault.is_none());
    let source = RowSource {
        dataset: "own:two.csv".to_owned(),
        columns: columns.to_owned(),
    };
    let asked = setup.take_tasks();
    let read = |task: &SetupTask| matches!(task, SetupTask::ReadRows(of) if *of == source);
    assert!(asked.iter().any(read), "{asked:?}");
    // What was read without them says nothing.
    let early = RowSource::from_dataset("own:two.csv");
    let early = setup.take_result(SetupResult::Rows(early, Ok(topics(&["one"]))));
    assert!(matches!(early, SetupStep::Nothing));
    setup.take_result(SetupResult::Rows(source, Ok(topics(&["one", "two"]))));
    setup.pick_item(DebateList::Rows, 2, "");
    let plan = setup.build_plan().unwrap();
    let run = setup.draft.run_plan(plan).unwrap();
    assert_eq!(run.columns.named_columns()["text"], "Frage, lang");
    assert_eq!(run.columns.ignored_columns(), ["Notiz"]);
    setup
        .set_value(&DebateField::Dataset, "own:other.csv")
        .unwrap();
    assert_eq!(setup.draft.get(&DebateField::Columns), "");
}

#[test]
fn a_typed_name_takes_a_chair_and_the_first_of_the_list_gives_it_back() {
    let mut setup = setup();
    let everybody = DebateField::Everybody;
    let list = setup.list_of(&everybody);
    let items = setup.list_items(&list);
    assert_eq!(items.title, "Model for all seats");
    assert_eq!(items.items[0].detail, "sim (configured)");
    setup.pick_item(list.clone(), items.items.len(), "human:Ada");
    assert_eq!(field(&setup, &everybody).value, "human:Ada - a person");
    setup.pick_item(list, 0, "");
    assert_eq!(field(&setup, &everybody).role, Role::Muted);
}

#[test]
fn a_session_that_cannot_be_read_makes_way_for_the_usual_game() {
    let session = SessionId::new("s1");
    let mut setup = DebateSetup::new(SetupSource::Session(session.clone()));
    setup.request_source();
    assert!(matches!(&setup.take_tasks()[..], [SetupTask::ReadSession(id)] if *id == session));
    setup.take_library(library(Some("sim")));
    assert!(setup.take_tasks().is_empty(), "the session says which game");
    let after = setup.take_result(SetupResult::Session(Err(WorkspaceError::invalid(
        "it is gone",
    ))));
    assert!(matches!(after, SetupStep::Fail(_)));
    assert!(matches!(&setup.take_tasks()[..], [SetupTask::ReadGame(id)] if id == "pred"));
}
