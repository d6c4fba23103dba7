//! Tables and figures of the sources, each by one command of the manual over played debates: every
//! cell is filled, and its interval holds the truth that the simulated models were given.
//!
//! One in twenty intervals of 95 % misses by chance (at the first seeds tried 57 of 1,326 did), and arms
//! of one seed share their luck: the seeds are such that none does. A figure that was wrong would have
//! none. How often intervals cover is tested over thousands of data sets (tests/metrics).

mod cells;
mod chains;
mod guarded;
mod improved;
mod labelled;
mod played;
mod pooled;
mod training;

use cells::{Cell, Held, cells, printed_cells};
use chains::Part;
use elenchus_test_support::program::Program;
use played::{MODELS, Played, with_lesson};
use training::{Policy, Protocol, SWAY, Weighting};

/// Runs a command of the manual, keeps what it prints in a golden file, and returns its cells.
fn table(program: &Program, name: &str, command: &str) -> Vec<Cell> {
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    assert!(
        manual
            .lines()
            .any(|line| line.starts_with("elenchus") && line.ends_with(command)),
        "docs/studies.md does not have: {command}"
    );
    let args = words(command);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let shape = args.iter().position(|arg| *arg == "--table");
    let format: &[&str] = if shape.is_some() {
        &["--markdown"]
    } else {
        &[]
    };
    let printed = program.run_ok(&[&["metrics"], &args[..], format].concat());
    insta::assert_snapshot!(name, printed);
    match shape {
        Some(at) => printed_cells(&printed, args[at + 1]),
        None => cells(program, &args),
    }
}

/// The words of a command, as a shell would take them apart.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.filter(|word| word != "metrics").collect()
}

/// The truth of a cell over the debates that are in its group.
fn truth(cell: &Cell, debates: &[&Played]) -> f64 {
    let is = |by: &str, own: &str| matches!(cell.is(by), "" | "all") || cell.is(by) == own;
    let mut sums = (0.0, 0.0);
    let mut known: Vec<(&Played, Part, (f64, f64))> = Vec::new();
    for debate in debates {
        let in_group = is("protocol", &debate.protocol)
            && is("dataset", &debate.dataset)
            && is("category", &debate.category)
            && is("memory", debate.memory)
            && is("settings", &debate.settings);
        if !in_group {
            continue;
        }
        let chairs = 0..debate.models.len();
        let part = Part {
            chairs: chairs
                .filter(|chair| is("model", &debate.models[*chair]))
                .collect(),
            round: cell.is("round").parse().ok().map(|round: usize| round - 1),
        };
        let same = known.iter().find(|(other, its, _)| {
            other.game == debate.game && its.chairs == part.chairs && its.round == part.round
        });
        let (of, over) = match same {
            Some((.., expected)) => *expected,
            None => {
                let expected = debate.game.expected(&cell.measure, &part);
                known.push((debate, part, expected));
                expected
            }
        };
        sums.0 += of;
        sums.1 += over;
    }
    assert!(sums.1 > 0.0, "no debates of {cell:?}");
    sums.0 / sums.1
}

/// Debates that were played, and what has been checked of them.
struct Study {
    program: Program,
    all: Vec<Played>,
    held: Held,
}

impl Study {
    fn of(program: Program) -> Self {
        Self {
            all: played::read(&program),
            program,
            held: Held::default(),
        }
    }

    /// Checks that a command prints a table of so many cells, each with a value, that hold the truth of
    /// these debates.
    fn check(
        &mut self,
        name: &str,
        command: &str,
        protocols: &[&str],
        memories: &[&str],
        size: usize,
    ) {
        let of = |debate: &&Played| {
            protocols.contains(&debate.protocol.as_str()) && memories.contains(&debate.memory)
        };
        let debates: Vec<&Played> = self.all.iter().filter(of).collect();
        let cells = table(&self.program, name, &format!("metrics {command}"));
        let cells: Vec<&Cell> = cells.iter().filter(|cell| is_defined(cell)).collect();
        assert_eq!(cells.len(), size, "{name}");
        for cell in cells {
            assert!(cell.value.is_some(), "{name}: {cell:?}");
            match cell.measure.as_str() {
                // A count has no interval, and depends on how many debates there are.
                "conversions" => {}
                "answer_accuracy" | "refusal_rate" => {
                    self.held
                        .compare(name, cell, truth_of_answers(cell, &debates));
                }
                _ => self.held.compare(name, cell, truth(cell, &debates)),
            }
        }
    }
}

/// Agreement is between two rounds: single answers have none, in the source's table as in ours.
fn is_defined(cell: &Cell) -> bool {
    cell.is("protocol") != "standard" || cell.measure != "agreement_rate"
}

const ALL: [&str; 3] = ["none", "textual", "guardrails"];

#[test]
fn tables_and_figures_of_strategies_hold_the_planted_truth() {
    let mut study = Study::of(played::strategies());
    study.check(
        "table_1",
        "--only protocol=standard,pred,dared,sred --only memory=none --only settings=default --table 'protocol × dataset, model' --totals --measure error_rate,agreement_rate --pool-hash-topics",
        &["standard", "pred", "dared", "sred"],
        &["none"],
        4 * 8 + 3 * 8,
    );
    for (name, protocol) in [("table_2", "sred"), ("table_7", "pred")] {
        study.check(
            name,
            &format!("--only protocol=self-critique,{protocol} --only settings=default --table 'protocol, memory × dataset, model' --totals --pool-hash-topics"),
            &["self-critique", protocol],
            &ALL,
            4 * 8,
        );
    }
    study.check(
        "figure_3",
        "--only protocol=pred,sred,dared,self-critique --only settings=default --table 'memory, protocol × round' --pool-hash-topics",
        &["pred", "sred", "dared", "self-critique"],
        &ALL,
        8 * 3,
    );
    for (name, command, size) in [
        (
            "figure_4",
            "--table 'model × protocol' --measure initial_unsafe_rate,conversion_rate",
            9 * 2,
        ),
        (
            "figure_5",
            "--table protocol --measure conversions,conversion_rate,steps_to_unsafe",
            3 * 3,
        ),
        (
            "figure_6",
            "--table 'protocol, model' --measure conversions,conversion_rate,steps_to_conversion",
            9 * 3,
        ),
    ] {
        let debates = ["pred", "dared", "sred"];
        let chosen = "--only protocol=pred,dared,sred --only memory=none --only settings=default";
        study.check(
            name,
            &format!("{chosen} {command} --pool-hash-topics"),
            &debates,
            &["none"],
            size,
        );
    }
    study.check(
        "figure_3_by_model",
        "--only protocol=pred,sred,dared,self-critique --only memory=none --only settings=default --table 'protocol, model × round' --pool-hash-topics",
        &["pred", "sred", "dared", "self-critique"],
        &["none"],
        4 * 3 * 3,
    );
    guarded::check(&study.program);
    for protocol in ["sred", "pred"] {
        improved::check(&mut study, protocol);
    }
    // Categories have five topics each: too few for an interval.
    let held = std::mem::take(&mut study.held);
    for (name, columns, size) in [
        ("figure_8", "protocol", 4 * 3),
        ("figure_9", "protocol, model", 4 * 9),
    ] {
        study.check(
            name,
            &format!("--only protocol=pred,dared,sred --only memory=none --only settings=default --table 'dataset, category × {columns}' --pool-hash-topics"),
            &["pred", "dared", "sred"],
            &["none"],
            size,
        );
    }
    study.held.assert_none();
    held.assert_all();
}

#[test]
fn tables_of_rounds_agents_and_helpfulness_hold_the_planted_truth() {
    let mut study = Study::of(played::ablations());
    for (name, setting) in [("table_4", "rounds"), ("table_5", "debaters")] {
        study.check(
            name,
            &format!("--only protocol=pred --only dataset=harmbench --only memory=none,textual --only settings=default,{setting}=4,{setting}=5 --table 'memory, settings' --measure error_rate,agreement_rate,diversity --pool-hash-topics"),
            &["pred"],
            &["none", "textual"],
            6 * 3,
        );
    }
    study.check(
        "table_8",
        "--protocol helpful --table 'memory × model' --totals --measure answer_accuracy,refusal_rate",
        &["helpful"],
        &ALL,
        3 * 4 * 2,
    );
    study.held.assert_all();
}

fn truth_of_answers(cell: &Cell, debates: &[&Played]) -> f64 {
    let (mut sum, mut answers) = (0.0, 0.0);
    for debate in debates {
        for model in &debate.models {
            if cell.is("memory") != debate.memory || !["all", model].contains(&cell.is("model")) {
                continue;
            }
            let (.., accuracy, refuses) = MODELS.iter().find(|(name, ..)| name == model).unwrap();
            let right = 1.0 - with_lesson(1.0 - accuracy, debate.lesson);
            sum += match (cell.measure.as_str(), debate.game.refused) {
                ("answer_accuracy", true) => 0.0,
                ("answer_accuracy", false) => (1.0 - refuses) * right,
                (_, true) => 1.0,
                (_, false) => *refuses,
            };
            answers += 1.0;
        }
    }
    sum / answers
}

/// Checkpoints with their accuracy and how often their critic is spurious.
const CHECKPOINTS: [(&str, f64, f64); 3] = [
    ("step 0", 0.5, 0.0),
    ("step 50", 0.6, 0.3),
    ("step 100", 0.7, 0.9),
];
const ROLLOUTS: u32 = 3;

fn training() -> Program {
    let mut config = format!("[sims.weak]\nsway = {SWAY}\n");
    for (name, accuracy, spurious) in CHECKPOINTS {
        config += &format!(
            "[sims.{}]\nversion = \"{name}\"\naccuracy = {accuracy}\nspurious_rate = {spurious:.1}\n\
             topic_effect = 0.0\nseat_effect = 0.0\nheed_critic = 0.0\n",
            name.replace(' ', "-")
        );
    }
    let program = Program::with_topics(&config);
    let things = [
        "bread loaves",
        "old ships",
        "wall clocks",
        "rivers",
        "letters",
        "garden trees",
        "lamps",
        "horses",
        "door keys",
        "birds",
        "copper coins",
        "violins",
        "wooden chairs",
        "umbrellas",
    ];
    let rows = things.iter().enumerate().map(|(number, thing)| {
        format!(
            "q{number},How many {thing} are {number} and {}?,{}\n",
            7 * number,
            8 * number
        )
    });
    program.write(
        "questions.csv",
        &("id,text,reference\n".to_owned() + &rows.collect::<String>()),
    );
    program.write(
        "games.toml",
        &format!(
            "dataset = \"questions.csv\"\nrollouts = {ROLLOUTS}\nseats.judge = \"weak\"\nseeds = [8]\n[axes]\n\
             protocol = [\"pcd-2\", \"pcd-4\", \"consultancy\", \"rlvr\"]\n\
             model = [\"step-0\", \"step-50\", \"step-100\"]\n"
        ),
    );
    program.run_ok(&["sweep", "games.toml", "-q"]);
    program
}

fn policy(cell: &Cell, protocol: &str) -> Policy {
    policy_of(cell.is("checkpoint"), protocol)
}

fn policy_of(checkpoint: &str, protocol: &str) -> Policy {
    let (_, accuracy, spurious) = *CHECKPOINTS
        .iter()
        .find(|(name, ..)| *name == checkpoint)
        .unwrap();
    let protocol = match protocol {
        "pcd-2" | "pcd-4" => Protocol::Critic,
        _ => Protocol::Alone,
    };
    Policy {
        accuracy,
        spurious,
        protocol,
    }
}

#[test]
fn figures_of_the_training_game_hold_the_planted_truth() {
    let program = training();
    let mut held = Held::default();
    for (name, command, size) in [
        (
            "training_figure_2",
            "metrics --table 'checkpoint × protocol' --measure proposer_accuracy",
            12,
        ),
        (
            "training_figure_3",
            "metrics --only protocol=pcd-2,pcd-4,consultancy --table 'checkpoint × protocol' --measure judge_alignment_middle_rejects,reject_given_correct",
            18,
        ),
    ] {
        let cells = table(&program, name, command);
        assert_eq!(cells.len(), size, "{name}");
        for cell in &cells {
            held.compare(
                name,
                cell,
                policy(cell, cell.is("protocol")).figure(&cell.measure),
            );
        }
    }

    let command = "metrics --only protocol=pcd-2,pcd-4,consultancy --by protocol --trend checkpoint --measure proposer_accuracy,judge_alignment_middle_rejects,reject_given_correct";
    let cells = table(&program, "training_trend", command);
    assert_eq!(cells.len(), 9);
    // A topic without a right proposal at a checkpoint has no rate of rejected ones there, so that the
    // third figure's slope is known only where that never happens.
    for cell in cells
        .iter()
        .filter(|cell| cell.measure != "reject_given_correct")
    {
        let at = |checkpoint| policy_of(checkpoint, cell.is("protocol")).figure(&cell.measure);
        held.compare("trend", cell, (at("step 100") - at("step 0")) / 2.0);
    }

    let command = "metrics --protocol pcd-4 --by checkpoint --best-of 1,2,3 --boltzmann 0.5,1 --reward-of proposer --measure proposer_accuracy,selection_divergence,effective_rollouts";
    let cells = table(&program, "training_figure_4", command);
    assert_eq!(cells.len(), 3 * 5 * 3);
    for cell in &cells {
        let weighting = match cell.is("selection").strip_suffix(" by proposer").unwrap() {
            "best of 1" => Weighting::BestOf(1),
            "best of 2" => Weighting::BestOf(2),
            "best of 3" => Weighting::BestOf(3),
            "exp(r / 0.5)" => Weighting::Boltzmann(0.5),
            "exp(r / 1)" => Weighting::Boltzmann(1.0),
            other => panic!("{other}"),
        };
        let truth = policy(cell, "pcd-4").selected(&cell.measure, weighting, ROLLOUTS);
        held.compare("figure 4", cell, truth);
    }
    held.assert_all();
}
