//! Every tool's export in every variant that files come in: the same sessions, labels and skips.

use super::exports::{Written, write};
use super::tools::{Form, Item, Row, TOOLS, Tool, given, items};
use super::{import, labels, notes, validated};
use elenchus_test_support::program::Program;
use serde_json::{Value, json};

/// A file of a tool, its items, and what it is called in a failure.
struct Case {
    what: String,
    items: Vec<Item>,
    rows: Vec<Row>,
    form: Form,
    how: Written,
}

fn cases(tool: &Tool) -> Vec<Case> {
    let mut cases = Vec::new();
    for form in tool.forms {
        let mut add = |what: &str, items: &[Item], change: &dyn Fn(&mut Vec<Row>), how: Written| {
            let mut rows = (tool.rows)(items);
            change(&mut rows);
            cases.push(Case {
                what: format!("{} {form:?} {what}", tool.name),
                items: items.to_vec(),
                rows,
                form: *form,
                how,
            });
        };
        let plain = Written::default();
        let as_it_is = |_: &mut Vec<Row>| {};
        add("plain", &items(), &as_it_is, plain);
        add(
            "mark",
            &items(),
            &as_it_is,
            Written {
                mark: true,
                ..plain
            },
        );
        let returns = Written {
            carriage_returns: true,
            ..plain
        };
        add("CRLF", &items(), &as_it_is, returns);
        add(
            "gz",
            &items(),
            &as_it_is,
            Written {
                packed: true,
                ..plain
            },
        );
        if *form == Form::Csv {
            let semicolons = Written {
                semicolons: true,
                ..plain
            };
            add("semicolons", &items(), &as_it_is, semicolons);
        }
        add("rows reversed", &items(), &|rows| rows.reverse(), plain);
        add(
            "columns reversed",
            &items(),
            &|rows| rows.iter_mut().for_each(|row| row.reverse()),
            plain,
        );
        add(
            "an unknown column",
            &items(),
            &|rows| {
                for row in rows.iter_mut() {
                    row.insert(0, ("zz_batch".to_owned(), json!("b 1")));
                }
            },
            plain,
        );
        add(
            "no ids",
            &items(),
            &|rows| {
                for row in rows.iter_mut() {
                    row.retain(|(key, _)| {
                        !["id", "instance_id", "meta"].contains(&key.as_str())
                            || key == "meta" && tool.name == "doccano"
                    });
                }
            },
            plain,
        );
        let mut renamed = items();
        for item in &mut renamed {
            item.id = json!(format!("task-{}", item.id));
        }
        add("ids as texts", &renamed, &as_it_is, plain);
        let mut unnamed = items();
        unnamed[0].said[1].0 = None;
        unnamed[2].said[0].0 = None;
        unnamed[2].said[1].0 = None;
        add("null annotators", &unnamed, &as_it_is, plain);
    }
    cases
}

#[test]
fn every_export_gives_the_same_sessions_labels_and_skips_in_every_variant() {
    let mut faults = Vec::new();
    let mut count = 0;
    for case in TOOLS
        .iter()
        .flat_map(|tool| cases(tool).into_iter().map(move |case| (tool, case)))
    {
        let (tool, case) = case;
        count += 1;
        let program = Program::new();
        let file = write(&program, "export", &case.rows, case.form, case.how);
        let said = import(&program, &[&file]);
        let labelled = given(&case.items, "export");
        let skips = usize::from(tool.keeps_skips);
        if said.code != 0 {
            faults.push(format!("{}: {}", case.what, said.err));
        } else if labels(&program) != labelled {
            faults.push(format!(
                "{}: {:#?}\n{}",
                case.what,
                labels(&program),
                said.err
            ));
        } else if (program.sessions().len(), notes(&program).len()) != (4, skips) {
            let notes = notes(&program);
            faults.push(format!(
                "{}: {} sessions, {notes:?}",
                case.what,
                program.sessions().len()
            ));
        }
    }
    assert!(count > 100, "{count}");
    assert!(
        faults.is_empty(),
        "{} of {count}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn disagreement_is_between_people_and_no_label_is_made_of_a_skip() {
    for tool in TOOLS {
        let program = Program::new();
        let rows = (tool.rows)(&items());
        let file = write(&program, "export", &rows, tool.forms[0], Written::default());
        import(&program, &[&file]).ended_with(0);
        let section = validated(&program);
        assert_eq!(section["turns"], 4, "{}", tool.name);
        // Three are settled; people are split on one.
        assert_eq!(section["labelled"], 3, "{}: {section}", tool.name);
        assert_eq!(section["left_out"]["tie"], 1, "{}: {section}", tool.name);
        let listed = program.run(&["labels", "list", "--json"]).ended_with(0);
        let lines = listed
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        let people = lines.iter().map(|line| {
            (
                line["annotator"].as_str().unwrap(),
                line["labels"].as_u64().unwrap(),
            )
        });
        let people: Vec<(&str, u64)> = people.collect();
        assert_eq!(
            people,
            [("7-safety", 3), ("ada@example.org-safety", 4)],
            "{}",
            tool.name
        );
    }
}

#[test]
fn the_options_that_are_printed_read_the_same_again() {
    for tool in TOOLS {
        let rows = (tool.rows)(&items());
        let program = Program::new();
        let file = write(&program, "export", &rows, tool.forms[0], Written::default());
        let said = import(&program, &[&file, "--check"]).ended_with(0);
        let lines = || said.err.lines();
        assert!(
            lines().any(|line| line.starts_with("columns of export")),
            "{}",
            said.err
        );
        let command = lines().find_map(|line| line.strip_prefix("as options: elenchus "));
        let command = command.unwrap_or_else(|| panic!("{}: {}", tool.name, said.err));
        assert!(program.store_files().is_empty(), "{}", tool.name);
        let words: Vec<&str> = command.split(' ').collect();
        program.run(&words).ended_with(0);
        assert_eq!(
            labels(&program),
            given(&items(), "export"),
            "{}: {command}",
            tool.name
        );
    }
}

#[test]
fn importing_an_export_twice_doubles_nothing_and_a_later_one_adds_what_is_new() {
    for tool in TOOLS {
        let program = Program::new();
        let (mut begun, all) = (items(), items());
        begun[2].said.pop();
        let rows = (tool.rows)(&begun);
        let file = write(&program, "export", &rows, tool.forms[0], Written::default());
        import(&program, &[&file]).ended_with(0);
        let rows = (tool.rows)(&all);
        write(&program, "export", &rows, tool.forms[0], Written::default());
        let said = import(&program, &[&file]).ended_with(0);
        assert!(
            said.out.contains("1 label of people, 6 there already"),
            "{}: {said:?}",
            tool.name
        );
        let said = import(&program, &[&file]).ended_with(0);
        assert!(
            said.out.contains("0 labels of people, 7 there already"),
            "{}: {said:?}",
            tool.name
        );
        assert_eq!(labels(&program), given(&all, "export"), "{}", tool.name);
        assert_eq!(program.sessions().len(), 4);
    }
}
