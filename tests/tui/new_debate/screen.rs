//! The form without a terminal.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::{Command, Screen, UiState};
use elenchus::tui::screens::new_debate::{Message, NewDebate};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::{SettingValue, Settings};
use elenchus_game::debate::{CostEstimate, Document, ExpectedUse, SessionId, State, Topic};
use elenchus_records::library::Library;
use elenchus_records::workspace::{CastError, Draft, WorkspaceError, reject};
use elenchus_run::drafts::debate_draft::{DebateChoices, ReadyPlan, RowSource, SetupResult};
use elenchus_run::engine::{DebatePlan, PreparedDebate, TypedTopic};
use elenchus_run::engine::{GameLine, LibraryList, ModelLine};
use elenchus_view::OpenedSession;
use std::sync::Arc;

fn library() -> LibraryList {
    let library = Library::default();
    let games = ["dared", "moderated", "pred", "sred", "two-candidate"].map(|id| {
        let game = library.load_game(id, &Settings::default());
        let protocol = game.map(|game| game.protocol).unwrap();
        GameLine {
            id: id.to_owned(),
            name: protocol.name,
            description: protocol.description,
            origin: "built in".to_owned(),
        }
    });
    let model = |name: &str, simulated, about: &str| ModelLine {
        name: name.to_owned(),
        simulated,
        about: about.to_owned(),
    };
    LibraryList {
        games: games.into(),
        models: vec![
            model("llama", false, "llama-3.1-8b at ollama"),
            model("sim", true, "simulated: fast, free, never evidence"),
        ],
        server_faults: Vec::new(),
        any_model_of: Some("http://127.0.0.1:8000/v1".to_owned()),
        default_model: Some("sim".to_owned()),
        default_why: "configured",
        default_protocol: Some("pred".to_owned()),
    }
}

fn read(id: &str) -> Message {
    let game = Library::default()
        .load_game(id, &Settings::default())
        .unwrap();
    Message::Setup(SetupResult::Game(
        id.to_owned(),
        Ok(Arc::new(game.protocol)),
    ))
}

/// What the program says to a plan, without models.
fn prepared(plan: &DebatePlan, usd: Option<f64>) -> PreparedDebate {
    let game = Library::default()
        .load_game(&plan.protocol, &plan.settings)
        .unwrap();
    let expected = |calls, cost_usd| ExpectedUse {
        calls,
        input_tokens: 9_000,
        output_tokens: 4_000,
        cost_usd,
    };
    let created = Created {
        format: 1,
        session: SessionId::new("s1"),
        software: "elenchus".to_owned(),
        protocol: game.protocol.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        unpinned: game.unpinned_files(),
        cast: Vec::new(),
        topic: plan.topic.clone(),
        settings: game.settings.clone(),
        seed: plan.seed,
        memory: Default::default(),
        run: None,
        template_texts: Default::default(),
        estimate: Some(CostEstimate {
            likely: expected(19, usd),
            at_most: expected(31, usd.map(|usd| usd * 4.0)),
        }),
    };
    PreparedDebate {
        game,
        created,
        notices: Vec::new(),
        unlisted_models: Vec::new(),
    }
}

/// A form, and how often it asked for the cost.
struct Form {
    stage: TestScreen<NewDebate>,
    questions: u64,
}

impl Form {
    /// Returns what was asked for, but for the draft of all fields, which is kept whenever one changes.
    fn asked(&mut self) -> Vec<String> {
        let mut asked = self.stage.asked();
        asked.retain(|one| !one.contains("new-debate-form"));
        asked
    }
}

impl std::ops::Deref for Form {
    type Target = TestScreen<NewDebate>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

impl std::ops::DerefMut for Form {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.stage
    }
}

fn form(screen: NewDebate, game: &str) -> Form {
    let stage = TestScreen::plain(screen);
    let mut form = Form {
        stage,
        questions: 0,
    };
    form.update(Message::Library(Arc::new(library())));
    form.update(read(game));
    answer(&mut form);
    form
}

fn stage() -> Form {
    form(NewDebate::default(), "pred")
}

/// Answers the latest question for the cost; returns its plan.
fn answer(form: &mut Form) -> DebatePlan {
    let (ticket, plan) = asked(form);
    let ready = ReadyPlan::Debate(Arc::new(prepared(&plan, Some(0.0421))));
    form.update(Message::Setup(SetupResult::Estimate(ticket, Ok(ready))));
    plan
}

/// Returns the number of the latest question for the cost, and the plan that it is about.
fn asked(form: &mut Form) -> (u64, DebatePlan) {
    let asked = form.asked();
    let questions = asked
        .iter()
        .filter(|asked| *asked == "start: prepare what the form says");
    let questions = questions.count() as u64;
    assert!(questions > 0, "the cost was asked for: {asked:?}");
    form.questions += questions;
    (form.questions, form.screen.debate_plan().unwrap())
}

/// Moves to the row of that name.
fn go(stage: &mut Form, name: &str) {
    stage.press("Home");
    for _ in 0..60 {
        let drawn = stage.draw_with_cursor(120, 60);
        let chosen = drawn.lines().find(|line| line.starts_with("> "));
        if chosen.is_some_and(|line| line[2..].trim_start().starts_with(name)) {
            return;
        }
        stage.press("Down");
    }
    panic!(
        "there is no row '{name}':\n{}",
        stage.draw_with_cursor(120, 60)
    );
}

#[test]
fn the_form_is_readable_at_three_sizes() {
    insta::assert_snapshot!("new_80", stage().draw_with_cursor(80, 24));
    insta::assert_snapshot!("new_120", stage().draw_with_cursor(120, 40));
    insta::assert_snapshot!("new_60", stage().draw_with_cursor(60, 15));
}

#[test]
fn games_are_chosen_from_a_list_with_a_drawing_of_their_round() {
    let mut stage = stage();
    go(&mut stage, "game");
    stage.press("Enter").write("socrat");
    assert!(stage.asked().contains(&"start: read a game".to_owned()));
    stage.update(read("sred"));
    insta::assert_snapshot!("new_games_80", stage.draw_with_cursor(80, 24));
    stage.press("Enter");
    assert_eq!(answer(&mut stage).protocol, "sred");
    assert!(stage.draw_with_cursor(120, 40).contains("socratic"));
}

#[test]
fn a_topic_is_written_kept_as_a_draft_and_makes_the_debate_ready() {
    let mut stage = stage();
    assert!(stage.draw_with_cursor(80, 24).contains("needs: topic"));
    stage
        .write("Is a shorter")
        .press("Ctrl-J")
        .write("week good?");
    insta::assert_snapshot!("new_topic_80", stage.draw_with_cursor(80, 24));
    let drafts = stage.commands();
    let last = drafts.last().unwrap();
    assert!(
        matches!(last, Command::Draft(draft) if draft.text == "Is a shorter\nweek good?" && draft.place == "new-debate")
    );
    stage.press("Esc");
    let plan = answer(&mut stage);
    assert_eq!(plan.topic.text, "Is a shorter\nweek good?");
    assert_eq!(
        stage.screen.describe_status(),
        "letters write; ready to begin"
    );
    stage.press("End Enter");
    assert_eq!(stage.asked(), ["start: begin the debate"]);
}

#[test]
fn beginning_without_a_topic_leads_to_the_topic() {
    let mut stage = stage();
    stage.press("End Enter");
    assert!(stage.asked()[0].starts_with("say: topic: type or paste one"));
    stage.paste("Should homework be optional?\nThink of all.");
    assert_eq!(answer(&mut stage).topic.text.lines().count(), 2);
}

#[test]
fn pasting_elsewhere_says_where_to_paste() {
    let mut stage = stage();
    go(&mut stage, "game");
    stage.paste("text");
    assert_eq!(stage.asked(), ["say: move to the topic to paste it there"]);
}

#[test]
fn a_row_of_a_data_set_becomes_the_topic_with_all_that_belongs_to_it() {
    let row = |id: &str, text: &str| {
        let typed = TypedTopic {
            text: text.to_owned(),
            ..TypedTopic::default()
        };
        Topic {
            id: id.to_owned(),
            category: Some("misc".to_owned()),
            context: Some("a context".to_owned()),
            ..typed.into_topic().unwrap()
        }
    };
    let mut stage = stage();
    go(&mut stage, "or from data set");
    stage.write("own:topics.csv\n");
    assert_eq!(stage.asked(), ["start: read a data set"]);
    let rows = vec![
        row("a1", "Why is the sky blue?"),
        row("a2", "Why is grass green?"),
    ];
    stage.update(Message::Setup(SetupResult::Rows(
        RowSource::from_dataset("own:topics.csv"),
        Ok(Arc::new(rows)),
    )));
    insta::assert_snapshot!("new_choice_80", stage.draw_with_cursor(80, 24));
    stage.press("Enter").write("grass");
    insta::assert_snapshot!("new_rows_80", stage.draw_with_cursor(80, 24));
    stage.press("Enter");
    let plan = answer(&mut stage);
    assert_eq!(
        (plan.topic.id.as_str(), plan.topic.context.is_some()),
        ("a2", true)
    );
    // Another text is another topic.
    stage.write("x").press("Esc");
    let plan = answer(&mut stage);
    assert!(plan.topic.id.starts_with("typed-"), "{}", plan.topic.id);
}

#[test]
fn a_data_set_that_cannot_be_read_says_so_at_its_field() {
    let mut stage = stage();
    go(&mut stage, "or from data set");
    stage.write("own:nowhere.csv\n");
    stage.update(Message::Setup(SetupResult::Rows(
        RowSource::from_dataset("own:nowhere.csv"),
        reject("cannot read nowhere.csv: no such file"),
    )));
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("cannot read nowhere.csv"), "{drawn}");
}

#[test]
fn chairs_are_given_to_models_and_people_one_by_one() {
    let mut stage = stage();
    go(&mut stage, "every seat");
    stage.press("Enter").write("llama").press("Enter");
    assert_eq!(answer(&mut stage).cast.model.as_deref(), Some("llama"));
    go(&mut stage, "debater 2");
    stage.press("Enter");
    insta::assert_snapshot!("new_sitters_80", stage.draw_with_cursor(80, 24));
    stage.write("person").press("Enter");
    let plan = answer(&mut stage);
    let debaters = plan.cast.seats.values().next().unwrap();
    assert_eq!(debaters.models, ["llama", "human", "llama"]);
    stage.press("Enter").write("gpt-x");
    insta::assert_snapshot!("new_typed_model_80", stage.draw_with_cursor(80, 24));
    stage.press("Enter");
    let plan = answer(&mut stage);
    assert_eq!(plan.cast.seats.values().next().unwrap().models[1], "gpt-x");
    stage.press("l l");
    assert!(
        answer(&mut stage)
            .cast
            .seats
            .values()
            .next()
            .unwrap()
            .models
            .contains(&"llama".to_owned())
    );
}

#[test]
fn settings_take_allowed_values_and_say_why_others_are_wrong() {
    let mut stage = stage();
    go(&mut stage, "rounds");
    stage.press("l");
    let plan = answer(&mut stage);
    assert_eq!(plan.settings["rounds"], SettingValue::Integer(4));
    stage.write("99\n");
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("a whole number from 1 to 20"), "{drawn}");
    assert!(!asked(&mut stage).1.settings.contains_key("rounds"));
    go(&mut stage, "rounds");
    stage.press("Ctrl-U").write("3\n");
    assert!(
        answer(&mut stage).settings.is_empty(),
        "the default is no change"
    );
}

#[test]
fn more_debaters_are_more_chairs_once_the_game_was_read_with_them() {
    let mut stage = stage();
    go(&mut stage, "debaters");
    stage.press("l");
    answer(&mut stage);
    assert!(stage.draw_with_cursor(120, 60).contains("debater 4"));
}

#[test]
fn an_answer_to_an_older_question_is_not_taken() {
    let mut stage = stage();
    go(&mut stage, "memory");
    stage.press("l");
    let (old, plan) = asked(&mut stage);
    stage.press("l");
    let (new, _) = asked(&mut stage);
    assert!(new > old);
    let dear = prepared(&plan, Some(77.0));
    let dear = ReadyPlan::Debate(Arc::new(dear));
    stage.update(Message::Setup(SetupResult::Estimate(old, Ok(dear))));
    assert!(!stage.draw_with_cursor(80, 24).contains("$77"));
}

#[test]
fn an_error_that_names_a_seat_is_shown_there() {
    let mut stage = stage();
    go(&mut stage, "evaluator");
    stage.press("l");
    let (ticket, _) = asked(&mut stage);
    let why = CastError::Model {
        model: "llama".to_owned(),
        why: "it has no price, and a ceiling is set".to_owned(),
    };
    stage.update(Message::Setup(SetupResult::Estimate(
        ticket,
        Err(why.into()),
    )));
    let drawn = stage.draw_with_cursor(80, 24);
    let rows: Vec<&str> = drawn.lines().collect();
    let at = rows
        .iter()
        .position(|row| row.contains("evaluator"))
        .unwrap();
    assert!(rows[at + 1].contains("has no price"), "{drawn}");
}

#[test]
fn a_draft_comes_back_and_never_over_what_is_written() {
    let mut stage = stage();
    let draft = Draft {
        place: "new-debate".to_owned(),
        text: "half a topic".to_owned(),
    };
    stage.update(Message::Draft(draft.clone()));
    assert!(stage.asked()[0].contains("writing last time"));
    assert!(stage.draw_with_cursor(80, 24).contains("half a topic"));
    stage.write(", whole").press("Esc");
    stage.update(Message::Draft(draft));
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("half a topic, whole"), "{drawn}");
}

#[test]
fn documents_are_read_for_games_that_show_them_and_can_be_taken_away() {
    let mut stage = stage();
    go(&mut stage, "game");
    stage.press("Enter").write("moderated").press("Enter");
    stage.update(read("moderated"));
    answer(&mut stage);
    go(&mut stage, "documents");
    stage.write("notes.txt\n");
    assert_eq!(stage.asked(), ["start: read a document"]);
    let document = Document {
        name: "notes.txt".to_owned(),
        text: "a note".to_owned(),
    };
    stage.update(Message::Setup(SetupResult::Document(Ok(document))));
    assert_eq!(asked(&mut stage).1.topic.documents.len(), 1);
    go(&mut stage, "documents");
    stage.write("-\n");
    assert!(asked(&mut stage).1.topic.documents.is_empty());
}

fn opened() -> Arc<OpenedSession> {
    Arc::new(OpenedSession {
        state: State::default().into(),
        driven_by: None,
        imported: false,
        example: false,
        annotations: Default::default(),
        labels: Default::default(),
        forms: Default::default(),
    })
}

#[test]
fn a_debate_that_began_takes_the_place_of_the_form() {
    let mut stage = stage();
    stage.paste("Is it so?").press("End Enter");
    // What it costs is not known yet.
    assert!(
        stage
            .screen
            .describe_status()
            .contains("beginning: counting the cost")
    );
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("being counted"), "{drawn}");
    assert!(!drawn.contains("19 calls"), "{drawn}");
    answer(&mut stage);
    assert_eq!(stage.asked(), ["start: begin the debate"]);
    stage.effects.clear();
    stage.update(Message::Begun(Err(WorkspaceError::invalid(
        "the disk is full",
    ))));
    assert_eq!(stage.asked(), ["say: the disk is full"]);
    stage.press("Enter");
    assert_eq!(stage.asked(), ["start: begin the debate"]);
    stage.update(Message::Begun(Ok((SessionId::new("s9"), opened()))));
    let asked = stage.asked();
    assert!(
        asked[0].contains("text: \"\""),
        "the draft is dropped: {asked:?}"
    );
    assert_eq!(asked[1..], ["leave", "open s9, which began"]);
}

#[test]
fn the_next_form_begins_with_what_was_played_last() {
    let mut first = stage();
    go(&mut first, "every seat");
    first.press("Enter").write("llama").press("Enter");
    answer(&mut first);
    go(&mut first, "debater 2");
    first.press("Enter").write("human").press("Enter");
    answer(&mut first);
    go(&mut first, "debaters");
    first.write("4\n");
    let played = answer(&mut first);
    let mut kept = UiState::default();
    first.screen.save_state(&mut kept);
    assert_eq!(kept.last_debate, None, "it did not begin");
    first.update(Message::Begun(Ok((SessionId::new("s9"), opened()))));
    first.screen.save_state(&mut kept);
    let text = serde_json::to_string(&kept).unwrap();
    let kept: UiState = serde_json::from_str(&text).unwrap();

    let mut screen = NewDebate::default();
    screen.restore_state(&kept);
    let mut next = form(screen, "pred");
    go(&mut next, "budget");
    next.write("1\n");
    let plan = answer(&mut next);
    assert_eq!(plan.protocol, played.protocol);
    assert_eq!(plan.settings, played.settings);
    assert_eq!(plan.cast.model, played.cast.model);
    let models = |plan: &DebatePlan| plan.cast.seats.values().next().unwrap().models.clone();
    assert_eq!(models(&plan), ["llama", "human", "llama", "llama"]);
    assert!(plan.topic.text.is_empty());
    let drawn = next.draw_with_cursor(120, 40);
    assert!(drawn.contains("begun with what was played last"), "{drawn}");
}

#[test]
fn a_game_that_is_gone_makes_way_for_the_usual_one() {
    let mut screen = NewDebate::default();
    screen.restore_state(&UiState {
        last_debate: Some(DebateChoices {
            game: "gone".to_owned(),
            ..DebateChoices::default()
        }),
        ..UiState::default()
    });
    let stage = form(screen, "pred");
    assert_eq!(stage.screen.debate_plan().unwrap().protocol, "pred");
}

#[test]
fn letters_type_on_texts_and_digits_on_numbers_and_all_else_stays_a_command() {
    let mut stage = stage();
    go(&mut stage, "seed");
    stage.press("4 2 Down");
    assert_eq!(answer(&mut stage).seed, 42);
    stage.press("j k k k");
    let drawn = stage.draw_with_cursor(120, 40);
    assert!(!stage.is_typing(), "letters move on a number: {drawn}");
    go(&mut stage, "topic");
    stage.write("quick").press("Tab");
    assert_eq!(answer(&mut stage).topic.text, "quick");
    assert!(!stage.is_typing());
}

#[test]
fn a_server_that_does_not_answer_is_said_where_a_model_is_chosen() {
    let mut stage = stage();
    stage.update(Message::Library(Arc::new(LibraryList {
        server_faults: vec!["http://127.0.0.1:8000/v1 does not answer: start it".to_owned()],
        ..library()
    })));
    assert!(!stage.draw_with_cursor(80, 24).contains("does not answer"));
    go(&mut stage, "every seat");
    assert!(stage.draw_with_cursor(80, 24).contains("does not answer"));
    stage.press("Enter");
    assert!(stage.draw_with_cursor(80, 24).contains("does not answer"));
}
