//! Columns as the real program reads them: what it says before a run, what it plays, what the plan keeps.

use super::{played_topics, program};
use elenchus_test_support::program::Program;

/// Estimates a run over a file; returns what is said on both streams.
fn estimate(program: &Program, dataset: &str, more: &[&str]) -> (String, String) {
    let args = [
        "run",
        "--protocol",
        "standard",
        "--model",
        "sim",
        "--dataset",
        dataset,
    ];
    let args: Vec<&str> = args
        .iter()
        .chain(more)
        .copied()
        .chain(["--estimate"])
        .collect();
    let said = program.run(&args).ended_with(0);
    assert_eq!(program.sessions(), Vec::<String>::new());
    (said.out, said.err)
}

#[test]
fn the_reading_is_said_before_a_run_and_the_first_topics_with_an_estimate() {
    let program = program();
    for (file, columns, topic) in [
        (
            "jailbreakbench.csv",
            "columns: Index = id, Goal = text, Category = category; not read: Target, Behavior, Source\n",
            "│ Write a guide to whistling in a library\n  │ (category Noise)",
        ),
        (
            "strongreject.csv",
            "columns: category = category, forbidden_prompt = text; not read: source\n",
            "│ How do I whistle in a library unnoticed?\n",
        ),
        (
            "advbench.csv",
            "columns: goal = text; not read: target\n",
            "│ Explain how to hide a biscuit\n",
        ),
        (
            "do_not_answer.csv",
            "question = text; not read: types_of_harm, specific_harms\n",
            "│ Where can I play a trumpet?\n  │ (category Household)",
        ),
        (
            "beavertails.jsonl",
            "prompt = text; not read: is_safe, response\n",
            "│ How do I hide a biscuit?\n  │ (category theft)",
        ),
        (
            "truthfulqa.csv",
            "Best Answer = reference, Correct Answers = aliases; not read: Type, Incorrect Answers, Source\n",
            "(category Myths; reference No, they do not)",
        ),
        (
            "gsm8k.jsonl",
            "answer = reference, question = text\n",
            "(reference 4,500)",
        ),
        (
            "mmlu.jsonl",
            "choices = options",
            "reference Ostrich; options: 4",
        ),
        (
            "mmlu_bare.csv",
            "A = option",
            "reference Cygnet; options: 4",
        ),
        (
            "promptfoo_tests.csv",
            "; not read: __expected\n",
            "│ Is a whale a fish?\n  │ (category animals)",
        ),
        (
            "promptfoo_tests.yaml",
            "prompt = text; not read: assert\n",
            "│ Is it rude to whistle in a library?\n",
        ),
        (
            "promptfoo_config.yaml",
            "columns: question = text\n",
            "│ How do I whistle?\n",
        ),
        (
            "lm_eval_samples.jsonl",
            "question = text",
            "(reference four)",
        ),
        (
            "sharegpt.json",
            "conversations = conversation",
            "│ How do I whistle?\n  │ (turns before it: 2)",
        ),
        (
            "chat_parts.jsonl",
            "messages = conversation",
            "│ How do I whistle?\n  │ (turns before it: 1)",
        ),
        (
            "batch.jsonl",
            "custom_id = id, messages = conversation",
            "  call-7\n  │ How do I whistle?\n",
        ),
        (
            "messy.csv",
            "label = expected label",
            "(expected label unsafe; reference 4)",
        ),
    ] {
        let (out, err) = estimate(&program, file, &[]);
        assert!(err.contains(columns), "{file}: {err}");
        assert!(out.contains(topic), "{file}: {out}");
    }
}

#[test]
fn what_is_left_out_or_repeated_is_noted_with_its_count() {
    let program = program();
    for (file, note) in [
        (
            "number_labels.csv",
            "note: column `label`: `0` is no label (safe or unsafe) and is left out (2 rows, the first on line 2)",
        ),
        (
            "promptfoo_tests.csv",
            "`contains: no` is an assertion of promptfoo about a reply",
        ),
        ("python_nan.jsonl", "row left out: line 2: `prompt` is NaN"),
        (
            "python_nan.jsonl",
            "column `reference`: `NaN` stands for a missing value and is no reference (1 row, on line 1)",
        ),
        ("messy.csv", "row left out: line 3: `text` is nan"),
        (
            "messy.csv",
            "column `category`: `n/a` stands for a missing value",
        ),
        (
            "twice.csv",
            "note: 1 row has the text of an earlier one (line 4 that of line 2): each is played, and rows of one text \
             are one topic in figures",
        ),
        ("chat_parts.jsonl", "a part that is no text (image_url)"),
    ] {
        let (_, err) = estimate(&program, file, &[]);
        assert!(err.contains(note), "{file}: {err}");
    }
}

#[test]
fn a_table_of_markdown_is_refused_with_the_way_out() {
    let program = program();
    for (file, place) in [
        ("table.md", "its name ends in .md"),
        ("table.txt", "(line 2)"),
    ] {
        let said = program.run(&["run", "--dataset", file]).ended_with(1);
        assert!(
            said.err.contains(place) && said.err.contains("as CSV"),
            "{}",
            said.err
        );
    }
    assert_eq!(program.sessions(), Vec::<String>::new());
}

#[test]
fn columns_are_named_on_the_command_line_and_kept_in_the_plan() {
    let program = program();
    let unknown = program
        .run(&["run", "--dataset", "unknown.csv"])
        .ended_with(1);
    let told = "there are nr, Die Frage, Gebiet, remark; name one text, prompt or question, or say which it is, \
                as with --column text=NAME";
    assert!(unknown.err.contains(told), "{}", unknown.err);
    let missing = ["run", "--dataset", "unknown.csv", "--column", "text=Frage"];
    let missing = program.run(&missing).ended_with(1);
    let told =
        "the dataset unknown.csv has no column `Frage`: there are nr, Die Frage, Gebiet, remark";
    assert!(missing.err.contains(told), "{}", missing.err);
    assert_eq!(program.sessions(), Vec::<String>::new());
    let run = [
        "--protocol",
        "standard",
        "--model",
        "sim",
        "--dataset",
        "unknown.csv",
        "--column",
        "text=Die Frage,category=Gebiet",
        "--column",
        "id=nr",
        "--ignore",
        "remark",
    ];
    program.play(&run);
    let topics = played_topics(&program);
    assert_eq!(topics.len(), 2);
    assert_eq!(topics[0]["text"], "Wie pfeift man, leise?");
    assert_eq!(
        (&topics[0]["id"], &topics[0]["category"]),
        (&"1".into(), &"Klang".into())
    );
    let runs = program.store().join("runs");
    let journal = std::fs::read_dir(runs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let journal = match journal.is_dir() {
        true => std::fs::read_dir(journal)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path(),
        false => journal,
    };
    let plan = std::fs::read_to_string(journal).unwrap();
    let kept =
        r#""columns":{"category":"Gebiet","id":"nr","text":"Die Frage"},"ignored":["remark"]"#;
    assert!(plan.contains(kept), "{}", plan.lines().next().unwrap());
}

#[test]
fn a_choice_of_columns_holds_for_every_data_set_that_has_them() {
    let program = program();
    program.write("more.csv", "prompt,kind\nHow do I hum?,b\n");
    let sets = ["--dataset", "more.csv", "--column", "text=Die Frage"];
    let (out, err) = estimate(&program, "unknown.csv", &sets);
    assert!(out.starts_with("3 debates"), "{out}");
    assert!(
        err.contains("the dataset more.csv has no column `Die Frage`"),
        "{err}"
    );
    assert!(
        err.contains("columns of more.csv: prompt = text; not read: kind"),
        "{err}"
    );
}

#[test]
fn a_sweep_names_columns_in_its_file() {
    let program = program();
    let plan = "dataset = \"unknown.csv\"\ncolumn = [\"text=Die Frage\", \"category=Gebiet\"]\n\
                ignore = \"remark\"\nprotocol = \"pred\"\nmodel = \"sim\"\n[axes]\nrounds = [1, 2]\n";
    program.write("sweep.toml", plan);
    let said = program
        .run(&["sweep", "sweep.toml", "--estimate"])
        .ended_with(0);
    let told = "columns: Die Frage = text, Gebiet = category; not read: nr, remark";
    assert!(said.err.contains(told), "{}", said.err);
    program.write("wrong.toml", &plan.replace("text=Die", "txt=Die"));
    let said = program
        .run(&["sweep", "wrong.toml", "--estimate"])
        .ended_with(1);
    assert!(
        said.err
            .contains("wrong.toml:2: `txt` is no field of a topic"),
        "{}",
        said.err
    );
}

#[test]
fn a_golden_set_is_read_with_the_columns_that_are_named() {
    let program = program();
    program.write(
        "gold.csv",
        "Frage,Art,Antwort\nHow many wings has a bee?,insects,4\n",
    );
    let golden = [
        "golden",
        "run",
        "gold.csv",
        "--protocol",
        "pcd-2",
        "--estimate",
        "--column",
        "text=Frage,reference=Antwort,category=Art",
    ];
    let said = program.run(&golden).ended_with(0);
    let told = "columns: Frage = text, Art = category, Antwort = reference";
    assert!(said.err.contains(told), "{}", said.err);
}

#[test]
fn columns_are_named_in_a_quickstart_and_in_the_command_that_plays_the_same() {
    let program = program();
    let quick = [
        "quickstart",
        "unknown.csv",
        "--debaters",
        "sim",
        "--evaluator",
        "sim",
        "--yes",
        "--then",
        "nothing",
    ];
    let refused = program.run(&quick).ended_with(1);
    assert!(
        refused.err.contains("--column text=NAME"),
        "{}",
        refused.err
    );
    let columns = [
        "--column",
        "text=Die Frage,category=Gebiet",
        "--ignore",
        "remark",
    ];
    let played = program.run(&[&quick[..], &columns].concat()).ended_with(0);
    let again = "--column category=Gebiet --column 'text=Die Frage' --ignore remark";
    assert!(played.err.contains(again), "{}", played.err);
    let topics = played_topics(&program);
    assert_eq!(topics.len(), 2);
    assert_eq!(topics[0]["category"], "Klang");
}

#[test]
fn columns_of_the_benign_prompts_are_named_and_kept_in_the_plan() {
    let program = program();
    program.write(
        "benign.csv",
        "Satz,Art,Notiz\nHow do I hum?,safe,x\nHow do I sing?,safe,y\n",
    );
    let run = [
        "run",
        "--protocol",
        "sred",
        "--model",
        "sim",
        "--dataset",
        "four.csv",
        "--memory",
        "guardrails",
        "--accept-guardrails",
        "1",
        "--benign",
        "own:benign.csv",
        "-q",
    ];
    let refused = program.run(&run).ended_with(1);
    assert!(
        refused.err.contains("there are Satz, Art, Notiz"),
        "{}",
        refused.err
    );
    let alone = [
        "run",
        "--dataset",
        "four.csv",
        "--benign-column",
        "text=Satz",
    ];
    let alone = program.run(&alone).ended_with(2);
    assert!(alone.err.contains("--benign"), "{}", alone.err);
    let columns = [
        "--benign-column",
        "text=Satz,label=Art",
        "--benign-ignore",
        "Notiz",
    ];
    program.run(&[&run[..], &columns].concat()).ended_with(0);
    let id = program.run_id().unwrap();
    let path = program
        .store_files()
        .into_iter()
        .map(|(path, _)| path)
        .find(|path| {
            let name = path.to_string_lossy();
            name.contains("runs") && name.contains(&id) && name.ends_with(".jsonl")
        });
    let plan = std::fs::read_to_string(path.unwrap()).unwrap();
    let kept = r#""columns":{"label":"Art","text":"Satz"},"ignored":["Notiz"]"#;
    assert!(plan.contains(kept), "{}", plan.lines().next().unwrap());
}
