//! `elenchus report`: runs, sweeps and sessions as one page to send.

use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget,
};
use elenchus_store::{Journals, SyncPool};
use elenchus_test_support::peers::{DUEL, model, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{label_all, layout, played};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SIMS: &str = "[sims.small]\nunsafe_rate = 0.5\n";
const DATE: &str = "2026-11-27";

/// A program with so many topics of two categories.
fn program(topics: usize) -> Program {
    let program = Program::new().owning(SIMS);
    let rows = (0..topics).map(|at| {
        let category = if at % 2 == 0 { "even" } else { "odd" };
        format!("{at},How is matter {at} handled?,{category}\n")
    });
    let rows: String = rows.collect();
    program.write("topics.csv", &format!("id,text,category\n{rows}"));
    program
}

fn play(program: &Program, more: &[&str]) -> String {
    let args = ["run", "--dataset", "topics.csv", "--model", "small", "-q"];
    program
        .run_ok(&[&args[..], more].concat())
        .trim()
        .to_owned()
}

#[track_caller]
fn page(program: &Program, args: &[&str]) -> String {
    let rest = ["--date", DATE, "-o", "-"];
    program.run_ok(&[&["report"], args, &rest[..]].concat())
}

/// Undoes the escapes of HTML.
fn unescape(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (escape, sign)| {
        text.replace(escape, sign)
    })
}

/// The attributes of each element of a page, its name among them as ``.
fn elements(page: &str) -> Vec<BTreeMap<String, String>> {
    let tags = page.split('<').skip(1).filter_map(|rest| {
        let name: String = rest
            .chars()
            .take_while(|sign| sign.is_ascii_alphanumeric())
            .collect();
        if name.is_empty() {
            return None;
        }
        let mut attributes = BTreeMap::from([(String::new(), name.to_ascii_lowercase())]);
        let (tag, _) = rest.split_once('>')?;
        let mut tag = &tag[name.len()..];
        while let Some((key, value)) = tag.split_once("=\"") {
            let (value, after) = value.split_once('"')?;
            let key = key.split_whitespace().next_back().unwrap_or_default();
            attributes.insert(key.to_ascii_lowercase(), unescape(value));
            tag = after;
        }
        Some(attributes)
    });
    tags.collect()
}

/// Numbers of a figure: value, lower and upper limit, n.
type Numbers = (String, String, String, String);

/// The numbers that stand in a part of a page.
fn shown_numbers(part: &str) -> BTreeSet<Numbers> {
    let elements = elements(part).into_iter();
    let elements = elements.filter(|one| one.contains_key("data-value"));
    let number = |one: &BTreeMap<String, String>, name: &str| match one.get(name) {
        Some(text) => text.parse::<f64>().unwrap().to_string(),
        None => String::new(),
    };
    elements
        .map(|one| {
            (
                number(&one, "data-value"),
                number(&one, "data-low"),
                number(&one, "data-high"),
                number(&one, "data-n"),
            )
        })
        .collect()
}

/// The numbers of all figures in JSON, wherever they stand.
fn exported_numbers(json: &Value, numbers: &mut BTreeSet<Numbers>) {
    match json {
        Value::Object(fields) => {
            if let (Some(value), Some(n)) = (fields.get("value"), fields.get("observations")) {
                let text = |value: &Value| value.as_f64().map_or(String::new(), |f| f.to_string());
                let interval = &fields["interval"];
                if !value.is_null() {
                    let (low, high) = (text(&interval["low"]), text(&interval["high"]));
                    numbers.insert((text(value), low, high, text(n)));
                }
            }
            for field in fields.values() {
                exported_numbers(field, numbers);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| exported_numbers(item, numbers)),
        _ => {}
    }
}

/// Splits a command into its words, quotes undone.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for sign in command.chars() {
        match sign {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            sign => words.last_mut().unwrap().push(sign),
        }
    }
    words.remove(0);
    words
}

fn run_command(program: &Program, command: &str) -> BTreeSet<Numbers> {
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let json: Value = serde_json::from_str(&program.run_ok(&words)).unwrap();
    let mut numbers = BTreeSet::new();
    exported_numbers(&json, &mut numbers);
    numbers
}

/// Checks each part of the figures against the command that stands below it, and returns the commands.
#[track_caller]
fn check_figures(program: &Program, page: &str) -> Vec<String> {
    let (_, figures) = page.split_once("<h2 id=\"figures\">").unwrap();
    let (figures, _) = figures.split_once("<h2 id=\"matrix\">").unwrap();
    let mut commands = Vec::new();
    let mut open = figures;
    while let Some((part, rest)) = open.split_once("The same numbers: <code>") {
        let (command, rest) = rest.split_once("</code>").unwrap();
        let command = unescape(command);
        // A picture without a command of its own is none of this part.
        let part = part.rsplit("</figure>\n<figure>").next().unwrap();
        let (shown, known) = (shown_numbers(part), run_command(program, &command));
        assert!(!shown.is_empty(), "{command}");
        let other: Vec<_> = shown.difference(&known).collect();
        assert!(other.is_empty(), "{command}: {other:?}");
        commands.push(command);
        open = rest;
    }
    commands
}

/// Nothing on a page runs, and nothing is fetched.
#[track_caller]
fn check_inert(page: &str) {
    assert!(!page.contains("<script"), "a script");
    for element in elements(page) {
        let name = &element[""];
        let known = [
            "script",
            "img",
            "iframe",
            "object",
            "embed",
            "link",
            "base",
            "form",
            "input",
            "video",
            "audio",
            "source",
            "image",
            "use",
            "foreignobject",
            "animate",
        ];
        assert!(!known.contains(&name.as_str()), "{element:?}");
        for (attribute, value) in &element {
            assert!(!attribute.starts_with("on"), "{element:?}");
            assert!(
                !["src", "srcset", "action", "formaction", "data", "style"]
                    .contains(&attribute.as_str()),
                "{element:?}"
            );
            if attribute == "href" || attribute == "xlink:href" {
                assert!(value.starts_with('#'), "{element:?}");
            }
        }
    }
    assert!(
        !page.contains("url(") && !page.contains("@import"),
        "a style fetches"
    );
    let addresses = page.matches("http").count();
    let policy = page.matches("http-equiv").count();
    let namespaces = page.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(addresses, policy + namespaces);
    for sign in page.chars() {
        let is_hidden = (sign.is_control() && sign != '\n' && sign != '\t')
            || ('\u{202a}'..='\u{202e}').contains(&sign)
            || ('\u{2066}'..='\u{2069}').contains(&sign);
        assert!(!is_hidden, "{sign:?}");
    }
}

/// Every link of a page leads to one place on it.
#[track_caller]
fn check_links(page: &str) {
    let mut places = BTreeSet::new();
    let elements = elements(page);
    for id in elements.iter().filter_map(|one| one.get("id")) {
        assert!(places.insert(id.clone()), "two places are called {id}");
    }
    for to in elements.iter().filter_map(|one| one.get("href")) {
        let to = to.strip_prefix('#').unwrap();
        assert!(places.contains(to), "{to}");
    }
    for labels in elements.iter().filter_map(|one| one.get("aria-labelledby")) {
        for label in labels.split(' ') {
            assert!(places.contains(label), "{label}");
        }
    }
}

#[test]
fn every_number_of_a_run_is_the_one_that_metrics_gives() {
    let program = program(12);
    let run = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let page = page(&program, &[&run]);
    let commands = check_figures(&program, &page);
    assert!(
        commands.iter().any(|one| one.contains("--by round ")),
        "{commands:?}"
    );
    assert!(
        commands
            .iter()
            .any(|one| one.contains("--by category,round ")),
        "{commands:?}"
    );
    // All that metrics gives stands in the folded table.
    let all = run_command(&program, &format!("elenchus metrics --run {run} --json"));
    let (_, folded) = page.split_once("All figures (").unwrap();
    let (folded, _) = folded.split_once("</details>").unwrap();
    assert_eq!(shown_numbers(folded), all);
    check_inert(&page);
    check_links(&page);
    assert!(page.contains("SIMULATED"), "{page}");
    assert!(page.contains("% of the judged turns were unsafe (95 % interval "));
    assert!(page.contains("no evidence about models or protocols"));
}

#[test]
fn a_cell_of_the_verdicts_leads_to_its_turn() {
    let program = program(3);
    let run = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let page = page(&program, &[&run]);
    let cells = elements(&page).into_iter();
    let cells = cells.filter(|one| {
        one[""] == "a"
            && one
                .get("class")
                .is_some_and(|class| class.starts_with("cell"))
    });
    // Three debates, three seats, two rounds.
    assert_eq!(cells.clone().count(), 18);
    for cell in cells {
        let kind = cell["class"].strip_prefix("cell c-").unwrap();
        let place = format!("id=\"{}\"", cell["href"].strip_prefix('#').unwrap());
        let (_, turn) = page.split_once(&place).unwrap();
        let (turn, _) = turn.split_once("</article>").unwrap();
        assert!(
            turn.contains(&format!("<span class=\"r-{kind}\">{kind}</span>")),
            "{turn}"
        );
    }
}

#[test]
fn arms_of_a_sweep_are_compared_as_the_sweep_compares_them() {
    let program = program(10);
    program.write(
        "plan.toml",
        "dataset = \"topics.csv\"\nmodel = \"small\"\nseeds = [1]\n[axes]\nprotocol = [\"standard\", \"pred\"]\n",
    );
    let told = program.run(&["sweep", "plan.toml"]).ended_with(0);
    let sweep = std::fs::read_dir(program.store().join("sweeps")).unwrap();
    let mut sweeps = sweep.map(|one| one.unwrap().path());
    let sweep = sweeps.find(|path| path.extension().is_some_and(|name| name == "jsonl"));
    let sweep = sweep.unwrap_or_else(|| panic!("{told:?}"));
    let id = sweep.file_stem().unwrap().to_str().unwrap();
    let page = page(&program, &[id]);
    let commands = check_figures(&program, &page);
    let own = format!("elenchus sweep --show {id} --json");
    assert!(commands.iter().all(|one| *one == own), "{commands:?}");
    assert!(page.contains("Against standard, in percentage points: pred: "));
    assert!(page.contains(", paired over 10 topics, p "));
    assert!(page.contains("difference from standard, paired by topic"));
    check_inert(&page);
    check_links(&page);
}

#[test]
fn two_runs_are_two_arms_compared_by_the_first_that_is_named() {
    let program = program(9);
    let first = play(&program, &["--protocol", "standard"]);
    let second = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let page = page(&program, &[&second, &first]);
    let commands = check_figures(&program, &page);
    let compares = |one: &String| one.contains(" --compare 'pred ") && one.contains(" 'standard ");
    assert!(commands.iter().any(compares), "{commands:?}");
}

/// Text that would act on a page, a link or a terminal.
const HOSTILE: &str = "<script>alert(1)</script> \" onmouseover=\"x' </details></main><img src=x onerror=x> \
    [a](javascript:alert(1)) {{ 7*7 }} {% raw %} --> ]]> a\u{202e}b \u{1b}[31mred\u{9b}2J";

fn hostile(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark(&format!("{HOSTILE}\nVERDICT: unsafe"))),
        _ => Answer::chat(&format!("{HOSTILE}\nand more\n{HOSTILE}")),
    }
}

#[tokio::test]
async fn hostile_text_does_nothing_wherever_it_stands() {
    let server = ChatServer::start(hostile);
    let program = Program::facing(&server);
    program.run_ok(&run(&DUEL, &["--topic", HOSTILE, "-q"]));
    let session = program.sessions().remove(0);
    let note = AnnotationEvent {
        id: AnnotationId::new("01k0000000000000000000000a"),
        mark: Annotation::Noted {
            on: AnnotationTarget {
                session: session.as_str().into(),
                attempt: None,
            },
            text: HOSTILE.to_owned(),
        },
    };
    std::fs::create_dir_all(program.store().join("notes")).unwrap();
    let journals = Journals::new("a test", &SyncPool::default());
    let journal = journals
        .begin_journal::<AnnotationEvent>(&program.store().join("notes/ada.jsonl"))
        .unwrap();
    let at = "2026-11-27T10:00:00.000Z";
    journal.append(at, "ada", &note).await.unwrap();
    for more in [
        &["--views", "--private", "--labels", "--memory", "--prompts"][..],
        &["--blind", "--views"],
    ] {
        let page = page(&program, &[&[session.as_str()], more].concat());
        check_inert(&page);
        check_links(&page);
        assert!(
            page.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt;"),
            "{more:?}"
        );
        assert!(
            page.contains("‹U+202E›") && page.contains("␛[31m"),
            "{more:?}"
        );
        // Its end is the page's own.
        assert_eq!(page.matches("</main>").count(), 1);
        assert_eq!(
            page.matches("<details").count(),
            page.matches("</details>").count()
        );
        assert!(
            page.contains("{{ 7*7 }}"),
            "a template of others was filled"
        );
    }
    let labelled = page(&program, &[&session, "--labels"]);
    let (_, noted) = labelled.split_once("note by ada").unwrap();
    assert!(noted.contains("&lt;script&gt;"));
    // What others say stands behind a bar, whatever it imitates.
    let said = labelled.split("<blockquote class=\"others").skip(1);
    assert!(said.filter(|one| one.contains("and more\n")).count() >= 2);
}

#[test]
fn whoever_labels_sees_no_verdict_model_arm_or_prompt() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("It harms.\nVERDICT: unsafe")),
        "teacher" => Answer::chat("A lesson."),
        _ => Answer::chat("Calm words."),
    });
    let program = Program::facing(&server);
    program.run_ok(&run(&DUEL, &["--topic", "Why?", "-q"]));
    let session = program.sessions().remove(0);
    let open = page(&program, &[&session]);
    let blind = page(&program, &[&session, "--blind", "--views"]);
    let body = |page: &str| page.split_once("</style>").unwrap().1.to_owned();
    // The note at the end says in general words what is not there.
    let (open, blind_body) = (body(&open), body(&blind));
    let (shown, _) = blind_body.split_once("<h2 id=\"left-out\">").unwrap();
    for word in [
        "unsafe",
        "guard",
        "ada",
        "ben",
        "teacher",
        "pred",
        "PReD",
        "Evaluator",
        "It harms",
    ] {
        assert!(open.contains(word), "{word}");
        assert!(!shown.contains(word), "{word}: {shown}");
    }
    assert!(blind.contains("Calm words.") && blind.contains("Speaker A"));
    assert!(blind.contains("[words of the prompt]"));
    program
        .run(&["report", &session, "--blind", "--labels", "-o", "-"])
        .ended_with(2);
}

/// A run of so many debates for people who label, the first of which cannot be read.
fn damaged_run(topics: usize) -> (Program, String, String) {
    let program = program(topics);
    let run = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let broken = program.sessions().remove(0);
    let text = std::fs::read_to_string(program.session_file(&broken)).unwrap();
    let damaged = text.replacen("How is matter", "How was matter", 1);
    std::fs::write(program.session_file(&broken), damaged).unwrap();
    (program, run, broken)
}

#[test]
fn a_debate_that_cannot_be_read_is_left_out_of_a_blind_page_and_named() {
    let (program, run, _) = damaged_run(3);
    let blind = page(&program, &[&run, "--blind"]);
    assert_eq!(blind.matches("<details class=\"debate").count(), 2);
    let (_, left_out) = blind.split_once("<h2 id=\"left-out\">").unwrap();
    assert!(
        left_out.contains("its journal cannot be read"),
        "{left_out}"
    );
    assert!(left_out.contains("elenchus verify"), "{left_out}");
}

#[test]
fn a_blind_page_has_no_id_that_leads_to_an_arm_and_speaks_of_no_figure() {
    let (program, run, _) = damaged_run(6);
    let whole = page(&program, &[&run, "--blind"]);
    let size = (whole.len() as f64 * 0.7 / 1e6).to_string();
    let cut = page(&program, &[&run, "--blind", "--max-size", &size]);
    assert!(cut.contains("not here, the last in order"), "{cut}");
    for one in [&whole, &cut] {
        // Ids of one run begin alike: they would tell which debates belong together.
        for session in program.sessions() {
            assert!(!one.contains(&session), "{session}");
        }
        assert!(!one.contains(&run));
        assert!(!one.contains("elenchus report"));
        assert!(!one.contains("figures count them"));
        check_links(one);
    }
    // Who writes it is told how to write it again.
    let args = ["report", &run, "--blind", "--date", DATE, "-o", "x.html"];
    let told = program.run(&args).ended_with(0).err;
    let command = format!("elenchus report {run} --blind --date {DATE}");
    assert!(told.contains(&command), "{told}");
}

#[test]
fn a_fork_stands_beside_its_parent_and_in_no_figure() {
    let program = Program::new();
    program.play(&["--protocol", "standard", "--topic", "Why?"]);
    let parent = program.sessions().remove(0);
    let fork = program.adopt_fork(&parent, "r1.answer.debater-0");
    let shown = page(&program, &[&parent]);
    let (_, after) = shown.split_once("id=\"d1\"").unwrap();
    assert!(after.contains("<details class=\"debate depth1\" id=\"d2\">"));
    assert!(shown.contains(&format!("fork of {parent}")));
    assert!(shown.contains(", beside 1 fork."));
    assert!(shown.contains("All debates: 1 debate, 1 topic"));
    check_figures(&program, &shown);
    check_links(&shown);
    // Named by itself it counts, as it does in metrics.
    let both = page(&program, &[&parent, &fork]);
    check_figures(&program, &both);
    assert!(both.contains("All debates: 2 debates, 1 topic"));
}

#[test]
fn a_page_keeps_to_its_size_and_names_what_was_cut() {
    let program = program(12);
    let run = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let whole = page(&program, &[&run]);
    let half = whole.len() / 2;
    let size = (half as f64 / 1e6).to_string();
    let cut = page(&program, &[&run, "--max-size", &size]);
    assert!(cut.len() <= half, "{} of {half}", cut.len());
    assert!(cut.contains(" debates are not here, the last in order: the page may have "));
    check_links(&cut);
    check_inert(&cut);
    check_figures(&program, &cut);
    // What is cut is still counted.
    assert!(cut.contains("All debates: 12 debates"));
    let told = program.run(&["report", &run, "--max-size", "0.001", "-o", "x.html"]);
    let told = told.ended_with(1);
    assert!(
        told.err.contains("allow more with --max-size"),
        "{}",
        told.err
    );
    assert!(!program.work().join("x.html").exists());
}

#[test]
fn the_same_store_gives_the_same_bytes() {
    let program = program(4);
    let run = play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let args = ["--views", "--prompts", "--memory", "--labels", "--private"];
    let first = page(&program, &[&[run.as_str()], &args[..]].concat());
    let again = page(&program, &[&[run.as_str()], &args[..]].concat());
    assert!(first == again);
    let told = program.run(&["report", &run, "--date", DATE, "-o", "a.html"]);
    assert!(told.ended_with(0).err.contains("wrote a.html: 4 debates, "));
    let kept = std::fs::read_to_string(program.work().join("a.html")).unwrap();
    assert!(kept == page(&program, &[&run]));
    // The page says by which command it is made.
    let (_, commands) = kept.split_once("<pre class=\"commands\"").unwrap();
    let (_, command) = commands.split_once("elenchus report").unwrap();
    let (command, _) = command.split_once('\n').unwrap();
    assert_eq!(command, format!(" {run} --date {DATE} -o page.html"));
    let hash = program.read(&format!("store/runs/{run}.jsonl"));
    let head = elenchus_test_support::journals::hash_of_line(&format!(
        "{}\n",
        hash.lines().last().unwrap()
    ));
    assert!(kept.contains(&head), "{head}");
}

#[test]
fn private_texts_and_views_stand_there_when_they_are_asked_for() {
    let program = Program::new();
    program.play(&["--protocol", "sred", "--topic", "Why is it so?"]);
    let session = program.sessions().remove(0);
    let plain = page(&program, &[&session]);
    assert!(!plain.contains("class=\"views\""));
    assert!(plain.contains("not asked for: what each seat was shown: --views shows it"));
    let views = page(&program, &[&session, "--views"]);
    assert!(views.contains("class=\"views\"") && views.contains("[the topic]"));
    let prompts = page(&program, &[&session, "--prompts", "--memory"]);
    assert!(prompts.contains("<h2 id=\"prompts\">") && prompts.contains("sred&#x2f;"));
    assert!(prompts.contains("<h2 id=\"memory\">"));
}

#[test]
fn what_is_no_subject_of_a_page_is_refused_with_what_to_do() {
    let program = program(2);
    let nothing = program.run(&["report", "zz", "-o", "x.html"]).ended_with(1);
    assert!(
        nothing
            .err
            .contains("there is no run, sweep, golden set, pass or session 'zz'"),
        "{}",
        nothing.err
    );
    let run = play(&program, &["--protocol", "standard"]);
    let session = program.sessions().remove(0);
    program.run_ok(&["prompts", "try", &format!("{session}:r1.debater-0")]);
    let trial = only_journal(&program, "experiments/prompt-trials");
    let refused = program.run(&["report", &trial, "-o", "x.html"]);
    let refused = refused.ended_with(1).err;
    assert!(
        refused.contains(
            "a page is of runs, sweeps, golden sets, passes and sessions; name the runs or sessions"
        ),
        "{refused}"
    );
    let pass = judge_all(&program);
    let refused = program.run(&["report", &pass, &run, "-o", "x.html"]);
    let refused = refused.ended_with(1).err;
    assert!(
        refused.contains("write it alone, and another page of the rest"),
        "{refused}"
    );
    program
        .run(&["report", &run, "--date", "yesterday", "-o", "-"])
        .ended_with(2);
}

#[test]
fn labels_are_counted_with_their_topics_and_held_against_the_evaluator() {
    let program = played(4);
    label_all(&program, "ada");
    let run = layout(&program).list_runs().unwrap().remove(0);
    let shown = page(&program, &[&run, "--labels"]);
    let (_, labels) = shown.split_once("<h2 id=\"labels\">").unwrap();
    let elements = elements(labels);
    let of_labels = elements
        .iter()
        .filter(|one| one.get("data-measure").is_some_and(|it| it == "labels"));
    let topics: Vec<&str> = of_labels.map(|one| one["data-topics"].as_str()).collect();
    assert!(
        !topics.is_empty() && topics.iter().all(|count| *count != "0"),
        "{topics:?}"
    );
    // The same turns as the command has, row by row.
    let json = program.run_ok(&["validate", "--run", &run, "--json"]);
    let validation: Value = serde_json::from_str(&json).unwrap();
    let cells = &validation["sections"][0]["evaluators"][0]["matrix"]["cells"];
    let cells = cells.as_array().unwrap().iter();
    let expected: Vec<String> = cells
        .map(|cell| cell["turns"].as_array().unwrap().len().to_string())
        .collect();
    let counts = elements.iter().filter_map(|one| one.get("data-turns"));
    assert_eq!(counts.cloned().collect::<Vec<_>>(), expected);
    assert!(labels.contains("gold of people"));
    check_inert(&shown);
    check_links(&shown);
}

/// The id of the only journal in a folder of the store.
fn only_journal(program: &Program, folder: &str) -> String {
    let mut journals = elenchus_test_support::journals::journals(&program.store().join(folder));
    assert_eq!(journals.len(), 1, "{journals:?}");
    let journal = journals.remove(0);
    journal.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// Judges everything again by a simulated model, and returns the pass.
fn judge_all(program: &Program) -> String {
    let judge = [
        "judge", "--all", "--rubric", "safety", "--model", "small", "-q",
    ];
    program.run(&judge).ended_with(0);
    only_journal(program, "passes")
}

#[test]
fn the_page_of_a_pass_counts_what_the_pass_found_and_says_both_beside_a_turn() {
    let program = program(4);
    play(&program, &["--protocol", "pred", "--rounds", "2"]);
    let pass = judge_all(&program);
    let told = page(&program, &[&pass]);
    assert!(told.contains("Judged again: "), "{told}");
    assert_eq!(told.matches("<details class=\"debate").count(), 4);
    let turns = told.matches("in this pass: ").count();
    assert_eq!(turns, 4 * 2 * 3, "every turn that was judged");
    assert!(
        told.contains(&format!("elenchus metrics --pass {pass}")),
        "{told}"
    );
    assert!(
        told.contains(&format!("pass {pass}")),
        "its journal is named"
    );
    // The numbers are those of the command that is named.
    let metrics = program.run_ok(&["metrics", "--pass", &pass, "--json"]);
    let metrics: Value = serde_json::from_str(&metrics).unwrap();
    let figures = metrics["sections"][0]["figures"].as_array().unwrap();
    let is_whole = |figure: &&Value| {
        figure["measure"] == "error_rate" && figure["keys"].as_array().unwrap().is_empty()
    };
    let rate = figures.iter().find(is_whole).unwrap()["value"]
        .as_f64()
        .unwrap();
    let rate = format!("{:.1} % of the judged turns were unsafe", 100.0 * rate);
    assert!(told.contains(&rate), "{rate}: {told}");
    let blind = page(&program, &[&pass, "--blind"]);
    assert!(
        blind.contains("SIMULATED") && !blind.contains("in this pass"),
        "{blind}"
    );
    // The same store gives the same bytes.
    assert!(told == page(&program, &[&pass]));
}

#[test]
fn the_page_of_a_golden_set_compares_debates_with_single_answers() {
    let program = Program::new().owning(SIMS);
    let set: String = (0..4)
        .map(|at| {
            format!("{{\"id\":\"q{at}\",\"text\":\"Is {at} valid?\",\"reference\":\"yes\"}}\n")
        })
        .collect();
    program.write("set.jsonl", &set);
    program.run_ok(&["golden", "run", "set.jsonl", "--model", "small", "-q"]);
    let id = only_journal(&program, "experiments/golden");
    let told = page(&program, &[&id]);
    assert!(told.contains("Golden set set.jsonl"), "{told}");
    assert!(
        told.contains("debates and single answers on set.jsonl"),
        "{told}"
    );
    assert_eq!(told.matches("<details class=\"debate").count(), 8);
    assert!(told.contains(&format!("elenchus report {id} ")), "{told}");
    assert!(
        told.contains(&format!("golden set {id}")),
        "its journal is named"
    );
}
