//! MATH: answers in boxes, levels, and folders of problems.

use super::*;

#[test]
fn the_answer_of_a_math_problem_is_what_its_solutions_last_box_holds() {
    for (solution, answer) in [
        (r"So $\boxed{4}$.", "4"),
        (
            r"First \boxed{3}, then \boxed{\frac{1}{2}}.",
            r"\frac{1}{2}",
        ),
        (r"\fbox{ \left\{ 1, 2 \right\} }", r"\left\{ 1, 2 \right\}"),
        (r"\boxed{5} and \boxed{never closed", "5"),
        (r"It is $\boxed 7$.", "7"),
    ] {
        let loaded = parsed("m.jsonl", problem("Why?", "Level 3", solution));
        assert_eq!(loaded.kind, DatasetKind::Math);
        assert_eq!(answers(&loaded), [answer], "{solution}");
        let topic = &loaded.topics[0];
        assert_eq!(
            (topic.level, topic.category.as_deref()),
            (Some(3), Some("Algebra"))
        );
        assert!(!serde_json::to_string(topic).unwrap().contains("boxed"));
    }
}

#[test]
fn a_math_problem_without_an_answer_is_refused_on_its_line() {
    let rows = [
        problem("One?", "Level 1", r"\boxed{1}"),
        problem("Two?", "Level 2", "It is two."),
        problem("Three?", "Level 3", r"\boxed{}"),
        r#"{"problem": "Four?", "level": "Level 4", "type": "Algebra"}"#.to_owned(),
        r#"{"solution": "\\boxed{5}", "level": 5, "type": "Algebra"}"#.to_owned(),
        r#"{"problem": "Six?", "answer": "6", "level": 5, "subject": "Algebra"}"#.to_owned(),
    ];
    let loaded = parsed("m.jsonl", rows.join("\n"));
    assert_eq!(answers(&loaded), ["1", "6"]);
    assert_eq!(lines(&loaded), [2, 3, 4, 5]);
    for (said, expected) in why(&loaded).iter().zip([
        r"no \boxed{…}",
        "last box is empty",
        "no `solution`",
        "`problem` is missing or empty",
    ]) {
        assert!(said.1.contains(expected), "{said:?}");
    }
}

#[test]
fn math_is_recognised_in_every_way_it_is_written() {
    let row = problem("Why?", "Level 5", r"\boxed{42}");
    let table = "problem,level,type,solution\nWhy?,Level 5,Algebra,\\boxed{42}\n".to_owned();
    let viewer = format!(
        r#"{{"features": [{{"name": "problem"}}], "rows": [{{"row_idx": 0, "row": {row}, "truncated_cells": []}}]}}"#
    );
    for (name, bytes) in [
        ("m.json", row.clone()),
        ("m.json", format!("[\n{row}\n]")),
        ("m.jsonl", format!("{row}\n")),
        ("m.json", viewer.clone()),
        ("m.csv", table),
    ] {
        let loaded = parsed(name, &bytes);
        assert_eq!(
            (loaded.kind, answers(&loaded)),
            (DatasetKind::Math, vec!["42"]),
            "{bytes}"
        );
        assert_eq!(loaded.topics[0].level, Some(5), "{bytes}");
    }
    let cut = viewer.replace(
        r#""truncated_cells": []"#,
        r#""truncated_cells": ["solution"]"#,
    );
    let loaded = parsed("m.json", &cut);
    assert!(loaded.topics.is_empty());
    assert!(loaded.refused[0].why.contains("`solution` was cut off"));
}

#[test]
fn a_folder_of_math_is_read_in_the_order_of_its_paths_and_names_problems_after_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "geometry/2.json",
        &problem("Angle?", "Level 4", r"\boxed{90}"),
    );
    write("algebra/10.json", &problem("Sum?", "Level 5", r"\boxed{2}"));
    write(
        "algebra/3.json",
        "{\n \"problem\": \"Broken?\",\n \"level\"\n}",
    );
    write("algebra/4.json", &problem("No box?", "Level 1", "none"));
    write("algebra/5.json", "");
    write(
        "algebra/6.json",
        &format!("[{0},\n{0}]", problem("Two?", "Level 2", r"\boxed{2}")),
    );
    write("README", "about");
    for kind in [None, Some(DatasetKind::Math)] {
        let path = folder.path().to_owned();
        let loaded = load_dataset(&DatasetSpec { kind, path }).unwrap();
        assert_eq!(
            (loaded.kind, loaded.format),
            (DatasetKind::Math, DatasetFormat::Folder)
        );
        assert_eq!(
            ids(&loaded.topics),
            ["algebra/10", "algebra/6:1", "algebra/6:2", "geometry/2"]
        );
        let places: Vec<String> = loaded.refused.iter().map(|r| r.format_place()).collect();
        assert_eq!(
            places,
            [
                "algebra/3.json line 4",
                "algebra/4.json line 1",
                "algebra/5.json line 1"
            ]
        );
        assert_eq!(loaded.notes.len(), 1);
        assert!(loaded.notes[0].format_place().starts_with("README"));
    }
    let before = load_dataset(&DatasetSpec {
        kind: None,
        path: folder.path().to_owned(),
    })
    .unwrap();
    write(
        "geometry/2.json",
        &problem("Angle?", "Level 4", r"\boxed{91}"),
    );
    let after = load_dataset(&DatasetSpec {
        kind: None,
        path: folder.path().to_owned(),
    })
    .unwrap();
    assert_ne!(before.sha256, after.sha256);
}

#[test]
fn a_folder_that_is_neither_math_nor_cosafe_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(error_of(path, None).contains("holds no .json file"));
    fs::write(path.join("a.json"), "{\"text\": \"hello\"}").unwrap();
    assert!(error_of(path, None).contains("are read from a folder"));
    assert!(
        error_of(path, Some(DatasetKind::XsTest)).contains("of any other dataset name one file")
    );
    let deep = (0..10).fold(path.to_owned(), |path, _| path.join("in"));
    fs::create_dir_all(deep).unwrap();
    assert!(error_of(path, Some(DatasetKind::Math)).contains("more than 8 deep"));
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_of_math_are_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("math");
    fs::create_dir(&folder).unwrap();
    fs::write(
        place.path().join("away.json"),
        problem("Far?", "Level 1", r"\boxed{1}"),
    )
    .unwrap();
    fs::write(
        folder.join("here.json"),
        problem("Near?", "Level 1", r"\boxed{2}"),
    )
    .unwrap();
    std::os::unix::fs::symlink(place.path().join("away.json"), folder.join("link.json")).unwrap();
    std::os::unix::fs::symlink(place.path(), folder.join("up")).unwrap();
    let loaded = load_dataset(&DatasetSpec {
        kind: None,
        path: folder,
    })
    .unwrap();
    assert_eq!(ids(&loaded.topics), ["here"]);
    assert!(
        loaded.notes[0].what.contains("1 more"),
        "{:?}",
        loaded.notes
    );
}
