//! Words of imported label columns: those of the label set and those mapped by an option, no others.

use elenchus_test_support::program::{Program, Ran};
use serde_json::Value;

const WHOSE: [&str; 6] = ["--human", "ada", "--automatic", "gpt", "--set", "safety"];

/// Writes a table of answers, each with ada's word and the program's.
fn table(program: &Program, words: &[(&str, &str)]) {
    let rows = words.iter().enumerate();
    let rows: String = rows
        .map(|(at, (ada, gpt))| format!("q{at},How {at}?,So {at}.,{ada},{gpt}\n"))
        .collect();
    program.write("own.csv", &format!("id,prompt,completion,ada,gpt\n{rows}"));
}

fn import(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["labels", "import", "own.csv"], args].concat())
}

/// The section of turns as `validate` knows it, labels of unknown blindness counted.
fn validated(program: &Program) -> Value {
    let args = ["validate", "--set", "safety", "--with-unblinded", "--json"];
    let ran = program.run(&args).ended_with(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    report["sections"][0].clone()
}

#[track_caller]
fn value(estimates: &Value, quantity: &str) -> Option<f64> {
    let estimates = estimates.as_array().unwrap();
    let found = estimates.iter().find(|one| one["quantity"] == quantity);
    found.unwrap_or_else(|| panic!("no {quantity}"))["value"].as_f64()
}

#[test]
fn a_program_s_words_that_the_set_does_not_know_are_refused_with_the_way_to_map_them() {
    let program = Program::new();
    table(
        &program,
        &[
            ("safe", "0"),
            ("unsafe", "1"),
            ("safe", "0"),
            ("unsafe", "so so"),
        ],
    );
    let said = import(&program, &WHOSE).ended_with(1);
    for fault in [
        "own.csv:2: '0' in column 'gpt' is no label of the set 'safety'; there are safe, unsafe, unsure (in 2 rows, first here)",
        "own.csv:3: '1' in column 'gpt'",
        "own.csv:5: 'so so' in column 'gpt'",
        "nothing was imported: 4 rows cannot be taken",
        "--map '0=LABEL,1=LABEL,so so=LABEL'",
    ] {
        assert!(said.err.contains(fault), "{fault}: {said:?}");
    }
    assert_eq!(program.store_files(), Vec::new());
    // Nobody said which set they are of either: the one of safety is taken, and refuses them.
    let said = import(&program, &["--automatic", "ada,gpt"]).ended_with(1);
    assert!(said.err.contains("'0' in column 'gpt'"), "{said:?}");
}

#[test]
fn mapped_words_make_a_perfect_evaluator_perfect() {
    for (safe, bad, map) in [
        ("0", "1", "0=safe,1=unsafe"),
        ("False", "True", "true=unsafe,false=safe"),
        ("no", "yes", "no=safe,yes=unsafe"),
        (
            "harmless",
            "it does harm, much",
            "harmless=safe,it does harm, much=unsafe",
        ),
        // The set's own labels need no map, whatever their case.
        ("Safe", "UNSAFE", ""),
    ] {
        let program = Program::new();
        let quoted = format!("\"{bad}\"");
        table(&program, &[("safe", safe), ("unsafe", &quoted)].repeat(8));
        let map = ["--map", map];
        let map: &[&str] = if map[1].is_empty() { &[] } else { &map };
        import(&program, &[&WHOSE[..], map].concat()).ended_with(0);
        let section = validated(&program);
        let estimates = &section["evaluators"][0]["estimates"];
        for quantity in ["accuracy", "recall", "specificity"] {
            assert_eq!(value(estimates, quantity), Some(1.0), "{safe}: {section}");
        }
    }
}

#[test]
fn people_s_words_are_mapped_like_programs_words() {
    let program = Program::new();
    table(
        &program,
        &[("0", "safe"), ("1", "unsafe"), ("0", "safe"), ("2", "safe")],
    );
    import(&program, &[&WHOSE[..], &["--map", "0=safe"]].concat()).ended_with(1);
    let map = ["--map", "0=safe,1=unsafe", "--map", "2=unsure"];
    import(&program, &[&WHOSE[..], &map].concat()).ended_with(0);
    let section = validated(&program);
    let estimates = &section["evaluators"][0]["estimates"];
    assert_eq!(value(estimates, "accuracy"), Some(1.0), "{section}");
    assert_eq!(section["people"]["undecided"], 1);
}

#[test]
fn a_map_that_says_nothing_about_the_file_or_the_set_is_refused() {
    let program = Program::new();
    table(&program, &[("safe", "0"), ("unsafe", "1")]);
    for (map, why) in [
        (
            "0=sfae,1=unsafe",
            "'sfae' is no label of the set 'safety'; there are safe, unsafe, unsure, and unparsed",
        ),
        (
            "0=safe,1=unsafe,maybe=unsure",
            "no column that was named holds the word 'maybe'",
        ),
        ("0=safe,1", "'1' is no pair"),
        ("0=safe,=unsafe", "no pair"),
        ("0=safe,0=unsafe", "'0' is mapped twice"),
    ] {
        let said = import(&program, &[&WHOSE[..], &["--map", map]].concat()).ended_with(1);
        assert!(said.err.contains(why), "{map}: {said:?}");
    }
    // No person's label is unparsed.
    table(&program, &[("0", "0")]);
    let said = import(&program, &[&WHOSE[..], &["--map", "0=unparsed"]].concat()).ended_with(1);
    assert!(said.err.contains("'0' in column 'ada'"), "{said:?}");
    assert_eq!(program.store_files(), Vec::new());
}

#[test]
fn unsure_and_unparsed_of_a_program_are_in_no_figure_and_counted() {
    let program = Program::new();
    let plain = [("safe", "safe"), ("unsafe", "unsafe")].repeat(6);
    let odd = [
        ("safe", "unsure"),
        ("safe", "error"),
        ("unsafe", "unparsed"),
    ];
    table(&program, &[&plain[..], &odd].concat());
    import(
        &program,
        &[&WHOSE[..], &["--map", "error=unparsed"]].concat(),
    )
    .ended_with(0);
    let section = validated(&program);
    let evaluator = &section["evaluators"][0];
    for quantity in ["accuracy", "specificity"] {
        assert_eq!(
            value(&evaluator["estimates"], quantity),
            Some(1.0),
            "{evaluator}"
        );
    }
    assert_eq!(evaluator["neither"]["unsure"], 1, "{evaluator}");
    let arm = &evaluator["arms"][0];
    assert_eq!(
        (arm["turns"].as_u64(), arm["unread"].as_u64()),
        (Some(12), Some(3))
    );
    let text = program.run(&["validate", "--with-unblinded"]).ended_with(0);
    let said = "! in no figure: 1 turn whose verdict is on neither side: 'unsure' (1)";
    assert!(text.out.contains(said), "{}", text.out);
}

#[test]
fn words_in_an_old_pass_that_nobody_gave_a_side_count_as_nothing_and_are_named() {
    let program = Program::new();
    let words = [
        ("safe", "substantive"),
        ("unsafe", "spurious"),
        ("safe", "agrees"),
    ]
    .repeat(6);
    table(&program, &words);
    import(&program, &["--human", "ada", "--set", "safety"]).ended_with(0);
    // Taken in by another set these are what foreign words were: findings of value 0.
    import(
        &program,
        &["--automatic", "gpt", "--set", "critique-quality"],
    )
    .ended_with(0);
    let section = validated(&program);
    let evaluator = &section["evaluators"][0];
    assert_eq!(evaluator["neither"]["agrees"], 6, "{evaluator}");
    assert_eq!(value(&evaluator["estimates"], "accuracy"), Some(1.0));
    assert_eq!(evaluator["arms"][0]["observed"], 0.5);
}

#[test]
fn ranked_labels_are_in_the_order_of_their_ranks() {
    // Annotators who differ between neighbours differ less than those who differ between the ends.
    let alpha = |one: &str, other: &str| {
        let program = Program::new();
        let same = ["1_full_compliance", "2_full_refusal", "3_partial_refusal"];
        let rows = same.iter().map(|label| (*label, *label));
        let rows: Vec<(&str, &str)> = rows.chain([(one, other)]).collect();
        let rows = rows.repeat(3);
        table(&program, &rows);
        import(&program, &["--human", "ada,gpt", "--set", "xstest"]).ended_with(0);
        let args = ["validate", "--with-unblinded", "--json"];
        let ran = program.run(&args).ended_with(0);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let together = &report["sections"][0]["people"]["together"];
        (
            value(together, "alpha_ordinal").unwrap(),
            value(together, "alpha_nominal").unwrap(),
        )
    };
    let (near, nominal) = alpha("3_partial_refusal", "2_full_refusal");
    let (also_near, _) = alpha("1_full_compliance", "3_partial_refusal");
    let (far, _) = alpha("1_full_compliance", "2_full_refusal");
    assert!(near > nominal, "{near} {nominal}");
    assert!(far < near && far < also_near, "{far} {near} {also_near}");
}

#[test]
fn a_set_that_ranks_nothing_has_no_ranked_alpha_and_says_so() {
    let program = Program::new();
    table(
        &program,
        &[
            ("substantive", "mistaken"),
            ("mistaken", "mistaken"),
            ("spurious", "spurious"),
        ],
    );
    import(
        &program,
        &["--human", "ada,gpt", "--set", "critique-quality"],
    )
    .ended_with(0);
    let text = program.run(&["validate", "--with-unblinded"]).ended_with(0);
    let at = text.out.find("alpha, labels ranked").unwrap();
    assert!(text.out[at..].contains("n/a"), "{}", text.out);
    assert!(text.out.contains("'rank'"), "{}", text.out);
}

#[test]
fn labels_of_unknown_blindness_name_the_command_that_counts_them_wherever_they_are_missed() {
    let program = Program::new();
    table(&program, &[("safe", "safe"), ("unsafe", "unsafe")]);
    import(&program, &WHOSE).ended_with(0);
    let command = "elenchus validate --set safety --with-unblinded";
    let text = program.run(&["validate"]).ended_with(0);
    assert!(
        text.out.contains(&format!("\n  {command}\n")),
        "{}",
        text.out
    );
    assert!(
        !text.out.contains("label some, drawn by chance"),
        "{}",
        text.out
    );
    let json = program.run(&["validate", "--json"]).ended_with(0);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let section = &report["sections"][0];
    assert!(
        section["notes"][0].as_str().unwrap().contains(command),
        "{section}"
    );
    let accuracy = &section["evaluators"][0]["estimates"][0];
    let why = accuracy["not_applicable"].as_str().unwrap();
    assert!(why.contains(command), "{accuracy}");
    let counted = program.run(&command.split(' ').skip(1).collect::<Vec<_>>());
    assert!(counted.ended_with(0).out.contains("2 with gold"));
}

#[test]
fn a_codebook_that_nobody_knows_is_not_called_another_version() {
    let program = Program::new();
    table(&program, &[("safe", "safe"), ("unsafe", "unsafe")]);
    import(&program, &WHOSE).ended_with(0);
    let said = program.run(&["validate"]).ended_with(0);
    assert!(!said.err.contains("another version"), "{said:?}");
    let unknown = "2 labels from files that do not say their codebook";
    assert!(said.err.contains(unknown), "{said:?}");
}

#[test]
fn categories_that_differ_by_chance_are_not_warned_of_and_those_that_do_differ_are() {
    let warned = |missed_of_small: usize, missed_of_large: usize| {
        let program = Program::new();
        let row = |at: usize, category: &str, is_missed: bool| {
            let gpt = if is_missed { "safe" } else { "unsafe" };
            format!(
                "q{category}{at},How {at} of {category}?,So {category} {at}.,{category},unsafe,{gpt}\n"
            )
        };
        let small = (0..24).map(|at| row(at, "small", at < missed_of_small));
        let large = (0..196).map(|at| row(at, "large", at < missed_of_large));
        let rows: String = small.chain(large).collect();
        let header = "id,prompt,completion,category,ada,gpt\n";
        program.write("own.csv", &format!("{header}{rows}"));
        import(&program, &WHOSE).ended_with(0);
        let ran = program.run(&["validate", "--with-unblinded"]).ended_with(0);
        let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let warning = text.split("! sensitivity differs by category: ").nth(1);
        warning.map(str::to_owned)
    };
    // Fisher's exact test has p = .37 for 24 of 24 against 184 of 196.
    assert_eq!(warned(0, 12), None);
    let text = warned(12, 12).unwrap();
    let said = "50.0 % in small, 93.9 % elsewhere (p <0.001, permuted over topics, Holm)";
    assert!(text.starts_with(said), "{text}");
}
