//! The form without a terminal.

use crate::support::test_screen::TestScreen;
use elenchus::debate::event::Created;
use elenchus::debate::protocol::{SettingValue, Settings};
use elenchus::debate::{CostEstimate, Document, ExpectedUse, SessionId, State, Topic};
use elenchus::engine::{DebatePlan, PreparedDebate, TypedTopic};
use elenchus::library::Library;
use elenchus::tui::app::Draft;
use elenchus::tui::app::{
    Deed, Effect, GameCard, GameLine, LibraryList, ModelLine, Opened, RowCard, Screen, Ticket, Told,
};
use elenchus::tui::screens::new_debate::NewDebate;
use std::path::PathBuf;
use std::sync::Arc;

fn library() -> LibraryList {
    let library = Library::default();
    let games = ["dared", "moderated", "pred", "sred", "two-candidate"].map(|id| {
        let game = library.game(id, &Settings::default());
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
        servers: None,
        default_model: Some("sim".to_owned()),
        default_why: "configured",
        default_protocol: Some("pred".to_owned()),
    }
}

fn card(id: &str) -> Told {
    let game = Library::default().game(id, &Settings::default()).unwrap();
    let protocol = game.protocol;
    Told::GameRead(id.to_owned(), Ok(Arc::new(GameCard { protocol })))
}

/// What the program says to a plan, without models.
fn prepared(plan: &DebatePlan, usd: Option<f64>) -> PreparedDebate {
    let game = Library::default()
        .game(&plan.protocol, &plan.settings)
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
        unlisted: Vec::new(),
    }
}

fn stage() -> TestScreen<NewDebate> {
    let mut stage = TestScreen::plain(NewDebate::new());
    stage.tell(Told::Library(Ok(Arc::new(library()))));
    stage.tell(card("pred"));
    answer(&mut stage);
    stage
}

/// Answers the latest question for the cost; returns its plan.
fn answer(stage: &mut TestScreen<NewDebate>) -> DebatePlan {
    let (ticket, plan) = asked(stage);
    let told = prepared(&plan, Some(0.0421));
    stage.tell(Told::Prepared(ticket, Ok(Arc::new(told))));
    plan
}

fn asked(stage: &mut TestScreen<NewDebate>) -> (Ticket, DebatePlan) {
    let deeds = stage.deeds().into_iter();
    let asked = deeds.filter_map(|deed| match deed {
        Deed::Prepare(ticket, plan) => Some((ticket, *plan)),
        _ => None,
    });
    asked.last().expect("the cost was asked for")
}

/// Moves to the row of that name.
fn go(stage: &mut TestScreen<NewDebate>, name: &str) {
    stage.press("Home");
    for _ in 0..60 {
        let drawn = stage.draw_under_status(120, 60);
        let chosen = drawn.lines().find(|line| line.starts_with("> "));
        if chosen.is_some_and(|line| line[2..].trim_start().starts_with(name)) {
            return;
        }
        stage.press("j");
    }
    panic!(
        "there is no row '{name}':\n{}",
        stage.draw_under_status(120, 60)
    );
}

#[test]
fn the_form_is_readable_at_three_sizes() {
    insta::assert_snapshot!("new_80", stage().draw_under_status(80, 24));
    insta::assert_snapshot!("new_120", stage().draw_under_status(120, 40));
    insta::assert_snapshot!("new_60", stage().draw_under_status(60, 15));
}

#[test]
fn games_are_chosen_from_a_list_with_a_drawing_of_their_round() {
    let mut stage = stage();
    stage.press("Enter").write("socrat");
    let mut read = stage.deeds().into_iter();
    assert!(read.any(|deed| matches!(deed, Deed::ReadGame(id) if id == "sred")));
    stage.tell(card("sred"));
    insta::assert_snapshot!("new_games_80", stage.draw_under_status(80, 24));
    stage.press("Enter");
    assert_eq!(answer(&mut stage).protocol, "sred");
    assert!(stage.draw_under_status(120, 40).contains("socratic"));
}

#[test]
fn a_topic_is_written_kept_as_a_draft_and_makes_the_debate_ready() {
    let mut stage = stage();
    assert!(stage.draw_under_status(80, 24).contains("look at: topic"));
    stage.press("j Enter").write("Is a shorter\nweek good?");
    insta::assert_snapshot!("new_topic_80", stage.draw_under_status(80, 24));
    let drafts = stage.deeds();
    let last = drafts.last().unwrap();
    assert!(
        matches!(last, Deed::Draft(draft) if draft.text == "Is a shorter\nweek good?" && draft.place == "new-debate")
    );
    stage.press("Esc");
    let plan = answer(&mut stage);
    assert_eq!(plan.topic.text, "Is a shorter\nweek good?");
    assert_eq!(stage.screen.status(), "ready to begin");
    stage.press("G Enter");
    let begun = stage.deeds();
    assert!(matches!(&begun[..], [Deed::Begin(plan)] if plan.topic.text.contains("week")));
}

#[test]
fn beginning_without_a_topic_leads_to_the_topic() {
    let mut stage = stage();
    stage.press("G Enter");
    assert!(stage.asked()[0].starts_with("say: topic: type or paste one"));
    stage.paste("Should homework be optional?\nThink of all.");
    assert_eq!(answer(&mut stage).topic.text.lines().count(), 2);
}

#[test]
fn pasting_elsewhere_says_where_to_paste() {
    let mut stage = stage();
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
        let topic = Topic {
            id: id.to_owned(),
            category: Some("misc".to_owned()),
            context: Some("a context".to_owned()),
            ..typed.topic().unwrap()
        };
        RowCard { topic }
    };
    let mut stage = stage();
    go(&mut stage, "or from data set");
    stage.press("Enter").write("own:topics.csv\n");
    assert!(matches!(&stage.deeds()[..], [Deed::ReadRows(text)] if text == "own:topics.csv"));
    let rows = vec![
        row("a1", "Why is the sky blue?"),
        row("a2", "Why is grass green?"),
    ];
    stage.tell(Told::RowsRead(
        "own:topics.csv".to_owned(),
        Ok(Arc::new(rows)),
    ));
    insta::assert_snapshot!("new_choice_80", stage.draw_under_status(80, 24));
    stage.press("Enter").write("grass");
    insta::assert_snapshot!("new_rows_80", stage.draw_under_status(80, 24));
    stage.press("Enter");
    let plan = answer(&mut stage);
    assert_eq!(
        (plan.topic.id.as_str(), plan.topic.context.is_some()),
        ("a2", true)
    );
    // Another text is another topic.
    stage.press("Enter").write("x").press("Esc");
    let plan = answer(&mut stage);
    assert!(plan.topic.id.starts_with("typed-"), "{}", plan.topic.id);
}

#[test]
fn a_data_set_that_cannot_be_read_says_so_at_its_field() {
    let mut stage = stage();
    go(&mut stage, "or from data set");
    stage.press("Enter").write("own:nowhere.csv\n");
    let why = "cannot read nowhere.csv: no such file".to_owned();
    stage.tell(Told::RowsRead("own:nowhere.csv".to_owned(), Err(why)));
    let drawn = stage.draw_under_status(80, 24);
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
    insta::assert_snapshot!("new_sitters_80", stage.draw_under_status(80, 24));
    stage.write("person").press("Enter");
    let plan = answer(&mut stage);
    let debaters = plan.cast.seats.values().next().unwrap();
    assert_eq!(debaters.models, ["llama", "human", "llama"]);
    stage
        .press("Enter")
        .write("another")
        .press("Enter")
        .write("gpt-x\n");
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
    stage.press("Enter Ctrl-U").write("99\n");
    let drawn = stage.draw_under_status(80, 24);
    assert!(drawn.contains("a whole number from 1 to 20"), "{drawn}");
    assert!(!asked(&mut stage).1.settings.contains_key("rounds"));
    stage.press("Enter Ctrl-U").write("3\n");
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
    assert!(stage.draw_under_status(120, 60).contains("debater 4"));
}

#[test]
fn an_answer_to_an_older_question_is_not_taken() {
    let mut stage = stage();
    go(&mut stage, "memory");
    stage.press("Enter");
    let (old, plan) = asked(&mut stage);
    stage.press("Enter");
    let (new, _) = asked(&mut stage);
    assert!(new > old);
    let dear = prepared(&plan, Some(77.0));
    stage.tell(Told::Prepared(old, Ok(Arc::new(dear))));
    assert!(!stage.draw_under_status(80, 24).contains("$77"));
}

#[test]
fn an_error_that_names_a_seat_is_shown_there() {
    let mut stage = stage();
    go(&mut stage, "evaluator");
    stage.press("l");
    let (ticket, _) = asked(&mut stage);
    let why = "model 'llama' has no price, and a ceiling is set".to_owned();
    stage.tell(Told::Prepared(ticket, Err(why)));
    let drawn = stage.draw_under_status(80, 24);
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
    stage.tell(Told::DraftFound(draft.clone()));
    assert!(stage.asked()[0].contains("writing last time"));
    assert!(stage.draw_under_status(80, 24).contains("half a topic"));
    stage.press("j Enter").write("other ").press("Esc");
    stage.tell(Told::DraftFound(draft));
    assert!(
        stage
            .draw_under_status(80, 24)
            .contains("other half a topic")
    );
}

#[test]
fn documents_are_read_for_games_that_show_them_and_can_be_taken_away() {
    let mut stage = stage();
    stage.press("Enter").write("moderated").press("Enter");
    stage.tell(card("moderated"));
    answer(&mut stage);
    go(&mut stage, "documents");
    stage.press("Enter").write("notes.txt\n");
    assert!(
        matches!(&stage.deeds()[..], [Deed::ReadDocument(path)] if path.as_os_str() == "notes.txt")
    );
    let document = Document {
        name: "notes.txt".to_owned(),
        text: "a note".to_owned(),
    };
    stage.tell(Told::DocumentRead(
        PathBuf::from("notes.txt"),
        Ok(Arc::new(document)),
    ));
    assert_eq!(asked(&mut stage).1.topic.documents.len(), 1);
    stage.press("Enter").write("-\n");
    assert!(asked(&mut stage).1.topic.documents.is_empty());
}

#[test]
fn a_debate_that_began_takes_the_place_of_the_form() {
    let mut stage = stage();
    stage.press("j").paste("Is it so?").press("G Enter");
    stage.effects.clear();
    stage.tell(Told::Begun(Err("the disk is full".to_owned())));
    assert_eq!(stage.asked(), ["say: the disk is full"]);
    stage.press("Enter");
    assert!(matches!(&stage.effects[..], [Effect::Do(Deed::Begin(_))]));
    stage.effects.clear();
    let opened = Opened {
        state: State::default().into(),
        driven_by: None,
        imported: false,
        example: false,
        annotations: Default::default(),
        labels: Default::default(),
        forms: Default::default(),
    };
    stage.tell(Told::Begun(Ok((SessionId::new("s9"), Arc::new(opened)))));
    let asked = stage.asked();
    assert!(
        asked[0].contains("text: \"\""),
        "the draft is dropped: {asked:?}"
    );
    assert_eq!(asked[1..], ["leave", "open the fork s9"]);
}
