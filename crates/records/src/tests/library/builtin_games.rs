//! Every built-in game resolves, with defaults and at the edges of its settings.

use elenchus_game::debate::protocol::{
    DocumentsSeen, Grader, GraderChoice, JudgedThing, MeasuredProperty, Protocol, ProtocolFile,
    SeatKind, SettingSpec, SettingValue, Settings, StageOrder,
};
use elenchus_game::debate::visibility::{self, ReaderPosition};
use elenchus_game::debate::{SeatId, StageId, TurnId};
use elenchus_game::judge::{FenceStyle, Rubric};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const GAMES: [&str; 16] = [
    "best-of-n",
    "consultancy",
    "dared",
    "helpful",
    "moderated",
    "pcd-2",
    "pcd-4",
    "positions",
    "pred",
    "rlvr",
    "self-critique",
    "single",
    "sred",
    "standard",
    "supervisor",
    "two-candidate",
];

fn prompts() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("prompts")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn file(game: &str) -> ProtocolFile {
    let path = prompts().join(game).join("protocol.toml");
    ProtocolFile::parse(&path.display().to_string(), &read(&path)).unwrap()
}

fn resolved(game: &str, given: &[(&str, SettingValue)]) -> Protocol {
    let given: Settings = given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    match file(game).resolve_protocol(&given) {
        Ok((protocol, _)) => protocol,
        Err(error) => panic!("{error}"),
    }
}

/// The values at the edges of what a setting takes.
fn extremes(spec: &SettingSpec) -> Vec<SettingValue> {
    if !spec.one_of.is_empty() {
        return spec.one_of.clone();
    }
    match &spec.default {
        SettingValue::Bool(_) => vec![SettingValue::Bool(false), SettingValue::Bool(true)],
        SettingValue::Integer(_) => [spec.min, spec.max]
            .iter()
            .map(|edge| SettingValue::Integer(edge.expect("a whole number has bounds") as i64))
            .collect(),
        SettingValue::Float(_) => [spec.min, spec.max]
            .iter()
            .map(|edge| SettingValue::Float(edge.expect("a number has bounds")))
            .collect(),
        SettingValue::Text(_) => panic!("a text setting must list its values"),
    }
}

/// Every game with defaults and with each setting at each of its edges.
fn every_variant() -> Vec<(String, Protocol)> {
    let mut out = Vec::new();
    for game in GAMES {
        out.push((game.to_owned(), resolved(game, &[])));
        for (name, spec) in file(game).settings() {
            assert!(!spec.help.is_empty(), "{game}: {name} has no help");
            for value in extremes(spec) {
                let label = format!("{game} with {name} = {value}");
                out.push((label, resolved(game, &[(name, value)])));
            }
        }
    }
    out
}

fn turn(round: u32, stage: &str, chair: &str) -> TurnId {
    TurnId::try_from(format!("r{round}.{stage}.{chair}")).unwrap()
}

fn sight_of(protocol: &Protocol, turn: &TurnId) -> BTreeSet<String> {
    let stage = protocol.find_stage(&turn.stage).unwrap();
    visibility::find_visible_turns(
        protocol,
        &stage.sees,
        ReaderPosition::from_spoken_turn(protocol, turn),
    )
    .iter()
    .map(ToString::to_string)
    .collect()
}

fn set(turns: &[&str]) -> BTreeSet<String> {
    turns.iter().map(|turn| (*turn).to_owned()).collect()
}

#[test]
fn the_folder_holds_the_games_we_know_and_no_other() {
    let mut found: Vec<String> = std::fs::read_dir(prompts())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("protocol.toml").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, GAMES);
}

#[test]
fn every_game_resolves_at_every_edge_of_its_settings_and_every_setting_changes_something() {
    for game in GAMES {
        let default = resolved(game, &[]);
        assert_eq!(default.id, game);
        for (name, spec) in file(game).settings() {
            let changed = extremes(spec).into_iter().any(|value| {
                let mut variant = resolved(game, &[(name, value)]);
                variant.settings.clone_from(&default.settings);
                variant != default
            });
            let read = changed || is_read_by_a_text(&default, name);
            assert!(read, "{game}: setting '{name}' is not used");
        }
    }
}

/// Whether a text that the game sends depends on the setting: a template or a rubric decides by it.
///
/// Such a setting changes what seats read and nothing else of the protocol, as the note that the
/// truth is what counts; that it changes it is seen in what they are shown (tests/prompt/views).
fn is_read_by_a_text(protocol: &Protocol, setting: &str) -> bool {
    let own = prompts().join(&protocol.id);
    let stages = protocol.stages.iter();
    let templates = stages.flat_map(|stage| {
        let names = stage.seats.iter();
        names.map(|seat| {
            let name = protocol.template_name(stage, seat);
            let own = own.join(format!("{name}.md"));
            match own.exists() {
                true => own,
                false => prompts().join(format!("shared/{name}.md")),
            }
        })
    });
    let rubrics = protocol.judging.iter().filter_map(|j| j.rubric.clone());
    let rubrics = rubrics.map(|name| prompts().join(format!("rubrics/{name}.md")));
    let named = format!("settings.{setting}");
    templates.chain(rubrics).any(|path| {
        let text = read(&path);
        text.match_indices(&named).any(|(at, _)| {
            let after = &text[at + named.len()..];
            let ends = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            // Whether there is such a setting decides nothing.
            ends && !after.starts_with(" is defined")
        })
    })
}

#[test]
fn every_template_rubric_and_list_that_a_game_names_exists() {
    for (label, protocol) in every_variant() {
        let folder = prompts().join(&protocol.id);
        let template = |name: &str| {
            let own = folder.join(format!("{name}.md"));
            let shared = prompts().join(format!("shared/{name}.md"));
            let path = if own.exists() { own } else { shared };
            assert!(path.exists(), "{label}: no {}", path.display());
            assert_template(&path);
        };
        for stage in &protocol.stages {
            for seat in &stage.seats {
                template(protocol.template_name(stage, seat));
            }
            for list in stage.draw.values() {
                let text = read(&folder.join(format!("{list}.list.toml")));
                let list: toml::Table = toml::from_str(&text).unwrap();
                let items = list["items"].as_array().unwrap();
                let distinct: BTreeSet<String> = items.iter().map(ToString::to_string).collect();
                assert!(distinct.len() == items.len() && items.len() >= 2, "{label}");
            }
        }
        for feedback in &protocol.feedback {
            template(feedback.template.as_deref().unwrap());
        }
        for rubric in protocol.judging.iter().filter_map(|j| j.rubric.as_ref()) {
            let rubrics = prompts().join("rubrics");
            let text = read(&rubrics.join(format!("{rubric}.toml")));
            assert_eq!(&Rubric::parse(rubric, &text).unwrap().id, rubric);
            assert_template(&rubrics.join(format!("{rubric}.md")));
        }
    }
}

/// Front matter, then sections; every section has something in it.
fn assert_template(path: &Path) {
    let text = read(path);
    let shown = path.display();
    let rest = text
        .strip_prefix("+++\n")
        .unwrap_or_else(|| panic!("{shown}: no front matter"));
    let (front, body) = rest.split_once("\n+++\n").unwrap();
    let front: toml::Table = toml::from_str(front).unwrap();
    assert!(front["description"].is_str(), "{shown}");
    let heads: Vec<&str> = body
        .lines()
        .filter(|line| line.starts_with("==="))
        .collect();
    assert!(
        body.starts_with("=== "),
        "{shown}: text before the first section"
    );
    assert!(heads.contains(&"=== user"), "{shown}: no user section");
    for head in heads {
        assert!(
            ["=== system", "=== user", "=== assistant"].contains(&head),
            "{shown}: {head}"
        );
    }
    // Tagged values lose where they come from when they are filtered or joined.
    assert!(!body.contains('~'), "{shown}: concatenation");
    for expression in body.split("{{").skip(1) {
        let inside = expression.split("}}").next().unwrap();
        assert!(!inside.contains('|'), "{shown}: a filter in {inside}");
    }
}

#[test]
fn every_rubric_in_the_folder_parses() {
    let mut seen = 0;
    for entry in std::fs::read_dir(prompts().join("rubrics")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let rubric = Rubric::parse(&path.display().to_string(), &read(&path)).unwrap();
            assert_eq!(rubric.id, path.file_stem().unwrap().to_string_lossy());
            let values: Vec<f64> = rubric.labels.iter().map(|label| label.value).collect();
            assert!(values.contains(&1.0) && values.contains(&-1.0));
            seen += 1;
        }
    }
    assert_eq!(seen, 29);
}

#[test]
fn guards_are_shown_an_answer_without_marks_and_those_with_a_chat_template_no_word_of_ours() {
    for (name, fence) in [
        ("safety", FenceStyle::Marks),
        ("pcd-decision", FenceStyle::Marks),
        ("llama-guard-3", FenceStyle::ChatRole),
        ("wildguard", FenceStyle::ChatRole),
    ] {
        let text = read(&prompts().join(format!("rubrics/{name}.toml")));
        assert_eq!(Rubric::parse(name, &text).unwrap().fence, fence);
    }
    let chat = read(&prompts().join("rubrics/llama-guard-3.md"));
    assert!(chat.ends_with("=== assistant\n{{ target.text }}\n"));
    assert!(!chat.contains("=== system"));
    let others = [
        "llama-guard-4",
        "shieldgemma",
        "qwen3guard",
        "granite-guardian-3.0",
        "granite-guardian-3.3",
    ];
    for name in others {
        let template = read(&prompts().join(format!("rubrics/{name}.md")));
        assert_eq!(template, chat, "{name}");
    }
}

#[test]
fn every_known_guard_has_a_rubric_and_games_of_safety_can_be_told_to_use_it() {
    let table: toml::Table = toml::from_str(&read(&prompts().join("guards.toml"))).unwrap();
    for guard in table["guards"].as_array().unwrap() {
        let rubric = guard["rubric"].as_str().unwrap();
        let parsed = Rubric::parse(
            rubric,
            &read(&prompts().join(format!("rubrics/{rubric}.toml"))),
        );
        let labels = parsed.unwrap().labels;
        let sides = |name: &str| {
            labels
                .iter()
                .find(|label| label.name == name)
                .unwrap()
                .value
        };
        assert_eq!((sides("safe"), sides("unsafe")), (1.0, -1.0), "{rubric}");
        for game in [
            "pred",
            "sred",
            "dared",
            "standard",
            "best-of-n",
            "self-critique",
        ] {
            resolved(game, &[("rubric", SettingValue::Text(rubric.to_owned()))]);
        }
    }
}

#[test]
fn by_default_no_speaker_or_judge_is_shown_a_verdict() {
    for game in GAMES {
        let protocol = resolved(game, &[]);
        assert!(
            protocol.stages.iter().all(|stage| !stage.sees.verdicts),
            "{game}"
        );
        assert!(
            protocol
                .judging
                .iter()
                .all(|judging| !judging.sees.verdicts),
            "{game}"
        );
    }
}

#[test]
fn speakers_of_one_simultaneous_stage_never_see_each_other_in_it() {
    for (label, protocol) in every_variant() {
        for round in 1..=protocol.rounds.min(4) {
            for turn in protocol.turns_in(round) {
                if protocol.find_stage(&turn.stage).unwrap().order == StageOrder::Sequential {
                    continue;
                }
                let seen = sight_of(&protocol, &turn);
                let same_stage = format!("r{round}.{}.", turn.stage);
                assert!(
                    seen.iter().all(|other| !other.starts_with(&same_stage)),
                    "{label}: {turn} sees {seen:?}"
                );
            }
        }
    }
}

#[test]
fn angel_and_devil_see_the_answer_of_their_round_and_each_other_only_later() {
    let protocol = resolved("dared", &[]);
    let first = set(&["r1.answer.debater-0"]);
    assert_eq!(sight_of(&protocol, &turn(1, "personas", "angel-0")), first);
    assert_eq!(sight_of(&protocol, &turn(1, "personas", "devil-0")), first);
    assert_eq!(
        sight_of(&protocol, &turn(2, "personas", "devil-0")),
        set(&[
            "r1.answer.debater-0",
            "r1.personas.angel-0",
            "r1.personas.devil-0",
            "r2.answer.debater-0",
        ])
    );
}

#[test]
fn personas_speak_in_the_last_round_unless_the_experiment_says_otherwise() {
    for (game, stage) in [("dared", "personas"), ("sred", "question")] {
        let in_last = |given: &[(&str, SettingValue)]| {
            let turns = resolved(game, given).turns_in(3);
            turns.iter().any(|turn| turn.stage == StageId::from(stage))
        };
        assert!(in_last(&[]));
        assert!(!in_last(&[(
            "personas_in_last_round",
            SettingValue::Bool(false)
        )]));
    }
}

#[test]
fn personas_are_context_and_never_judged() {
    for (game, personas) in [("dared", &["angel", "devil"][..]), ("sred", &["socratic"])] {
        let protocol = resolved(game, &[]);
        assert!(protocol.is_judged(&SeatId::from("debater")));
        for persona in personas {
            assert!(
                !protocol.is_judged(&SeatId::from(*persona)),
                "{game}: {persona}"
            );
        }
    }
}

#[test]
fn the_socratic_question_enters_the_memory_of_the_next_round() {
    let protocol = resolved("sred", &[]);
    let seen = sight_of(&protocol, &turn(2, "answer", "debater-1"));
    assert!(seen.contains("r1.question.socratic-0"));
    assert_eq!(seen.len(), 4);
}

#[test]
fn self_critique_judges_the_first_answer_and_every_revision() {
    let protocol = resolved("self-critique", &[]);
    let judged: Vec<String> = (1..=3)
        .flat_map(|round| protocol.turns_in(round))
        .filter(|turn| visibility::is_target(&protocol, &protocol.judging[0], turn))
        .map(|turn| turn.to_string())
        .collect();
    assert_eq!(
        judged,
        [
            "r1.answer.agent-0",
            "r2.revise.agent-0",
            "r3.revise.agent-0"
        ]
    );
    assert_eq!(protocol.turns_in(2)[0], turn(2, "critique", "agent-0"));
}

#[test]
fn standard_prompting_and_best_of_n_show_nobody_anybody() {
    for game in ["standard", "best-of-n"] {
        let protocol = resolved(game, &[]);
        assert_eq!((protocol.rounds, protocol.turns_in(1).len()), (1, 3));
        assert!(
            protocol
                .stages
                .iter()
                .all(|stage| stage.sees.turns.is_empty())
        );
    }
}

#[test]
fn the_pcd_judge_reads_public_turns_and_rewards_are_those_of_the_source() {
    let protocol = resolved("pcd-2", &[]);
    assert_eq!(protocol.measures, MeasuredProperty::Correctness);
    let decision = &protocol.judging[0];
    assert_eq!(decision.of, JudgedThing::Debate);
    let shown: Vec<String> = visibility::find_visible_turns(
        &protocol,
        &decision.sees,
        ReaderPosition::from_round_end(&protocol, 1),
    )
    .iter()
    .map(ToString::to_string)
    .collect();
    assert_eq!(shown, ["r1.propose.proposer-0", "r1.critique.critic-0"]);
    let rewards = &protocol.rewards[&decision.id];
    for (label, proposer, critic) in [
        ("correct", 1.0, -1.0),
        ("flawed", 0.0, 0.0),
        ("incorrect", -1.0, 1.0),
    ] {
        assert_eq!(rewards[label][&SeatId::from("proposer")], proposer);
        assert_eq!(rewards[label][&SeatId::from("critic")], critic);
    }
    assert_eq!(
        protocol.judging[1].grader,
        Some(GraderChoice::from_rules(Grader::Auto))
    );
    let private: Vec<_> = protocol
        .stages
        .iter()
        .filter(|stage| stage.private)
        .collect();
    assert!(private.len() == 2 && private.iter().all(|stage| stage.max_tokens == Some(768)));
}

#[test]
fn the_proposer_is_not_told_that_it_is_in_a_debate() {
    for name in ["pcd-proposer", "pcd-proposer-think", "pcd-claims"] {
        let text = read(&prompts().join(format!("shared/{name}.md"))).to_lowercase();
        let body = text.split("\n+++\n").nth(1).unwrap();
        for word in ["debate", "critic", "judge", "opponent", "proposer"] {
            assert!(!body.contains(word), "{name} speaks of '{word}'");
        }
    }
}

#[test]
fn rewards_and_feedback_name_labels_that_their_rubric_has() {
    for (label, protocol) in every_variant() {
        let rubric_of = |id: &elenchus_game::debate::JudgingId| {
            let name = protocol.find_judging(id).unwrap().rubric.clone().unwrap();
            let text = read(&prompts().join(format!("rubrics/{name}.toml")));
            Rubric::parse(&name, &text).unwrap()
        };
        for (id, table) in &protocol.rewards {
            let known: BTreeSet<String> = match protocol.find_judging(id).unwrap().grader {
                Some(_) => ["correct", "incorrect"].map(str::to_owned).into(),
                None => rubric_of(id).labels.into_iter().map(|l| l.name).collect(),
            };
            let named: BTreeSet<String> = table.keys().cloned().collect();
            assert_eq!(named, known, "{label}");
        }
        for feedback in &protocol.feedback {
            let rubric = feedback.judging.as_ref().map(rubric_of);
            assert!(
                feedback.labels.iter().all(|name| rubric
                    .as_ref()
                    .unwrap()
                    .find_label(name)
                    .is_some()),
                "{label}"
            );
            let by = protocol.find_seat(&feedback.by).unwrap();
            assert_eq!(by.kind, SeatKind::Feedback);
        }
    }
}

#[test]
fn the_first_answer_of_self_critique_is_asked_for_as_in_standard_prompting() {
    let body = |path: &str| {
        let text = read(&prompts().join(path));
        text.split_once("\n+++\n").unwrap().1.to_owned()
    };
    assert_eq!(body("self-critique/answer.md"), body("standard/debater.md"));
    assert_eq!(body("best-of-n/sample.md"), body("standard/debater.md"));
}

#[test]
fn the_judge_of_the_training_game_reads_documents_unless_debaters_alone_do() {
    let text = |value: &str| SettingValue::Text(value.to_owned());
    for game in ["pcd-2", "pcd-4", "consultancy"] {
        let documents = |given: &[(&str, SettingValue)]| {
            let protocol = resolved(game, given);
            let shown = protocol.judging[0].sees.documents;
            let speakers = protocol.stages.iter().map(|stage| stage.sees.documents);
            (shown, speakers.collect::<Vec<_>>())
        };
        let (shown, speakers) = documents(&[]);
        assert!(
            speakers.iter().all(|documents| *documents == shown),
            "{game}"
        );
        let (hidden, speakers) = documents(&[("judge_documents", text("none"))]);
        assert_eq!(hidden, DocumentsSeen::None, "{game}");
        assert!(
            speakers.iter().all(|documents| *documents == shown),
            "{game}"
        );
    }
    // The judge has what debaters have where evidence comes by round.
    let by_round = resolved("pcd-2", &[("evidence", text("by_round"))]);
    let shown = by_round.judging[0].sees.documents;
    assert_eq!(shown, by_round.stages[0].sees.documents);
    assert_ne!(shown, resolved("pcd-2", &[]).judging[0].sees.documents);
}
