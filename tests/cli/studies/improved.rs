//! What memory improves for each model, which tables 2 and 7 of the first source print in gray.

use super::cells::cells;
use super::played::{MODELS, Played};
use super::{Study, truth};

/// Checks that the manual's loop over models prints differences that hold the truth: those over all
/// topics, and within each data set.
pub fn check(study: &mut Study, protocol: &str) {
    let chosen =
        format!("--only protocol={protocol} --only settings=default --by memory,model --compare");
    let rest = "--within dataset --measure error_rate --pool-hash-topics";
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    let shown = format!(
        "for model in mistral llama phi; do elenchus metrics {chosen} \
         \"none, $model\" \"textual, $model\" \"guardrails, $model\" {rest}; done"
    );
    assert!(manual.lines().any(|line| line == shown), "{shown}");
    let debates = study.all.iter();
    let debates: Vec<&Played> = debates
        .filter(|debate| debate.protocol == protocol)
        .collect();
    for (model, ..) in MODELS {
        let groups = ["none", "textual", "guardrails"].map(|memory| format!("{memory}, {model}"));
        let args = chosen.split(' ').chain(groups.iter().map(String::as_str));
        let args: Vec<&str> = args.chain(rest.split(' ')).collect();
        let cells = cells(&study.program, &args);
        assert_eq!(cells.len(), 2 * 3, "{protocol} {model}");
        for cell in &cells {
            let mut without = cell.clone();
            without.of.insert("memory".to_owned(), "none".to_owned());
            let improved = truth(cell, &debates) - truth(&without, &debates);
            study
                .held
                .compare(&format!("{protocol} improved"), cell, improved);
        }
    }
}
