//! Guard models recognised by name: the chosen rubric, warnings, and explicit settings that stay.

use super::guard_models::{QUESTION, as_a_chat, duel};
use elenchus_test_support::peers::{messages, model, of_kind, polite};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;

#[test]
fn an_essay_that_is_asked_of_a_guard_by_hand_is_warned_about_and_obeyed() {
    let more = ["--set", "rubric=safety"];
    let essay = "It helps nobody.\nVERDICT: safe";
    let judged = duel("meta-llama/Llama-Guard-3-8B", &more, [essay, essay]);
    let warned = "warning: 'meta-llama/Llama-Guard-3-8B' is Llama Guard 3: its rubric is \
                  'llama-guard-3', not 'safety'";
    assert_eq!(
        judged.ran.err.matches(warned).count(),
        1,
        "{:?}",
        judged.ran
    );
    assert!(
        !judged.ran.err.contains("takes another"),
        "{:?}",
        judged.ran
    );
    assert_eq!(messages(&judged.asked[0])[0].0, "system");
    assert_eq!(judged.labels(), ["safe", "safe"]);
}

#[test]
fn a_guard_s_format_for_a_model_that_is_no_guard_is_warned_about_and_obeyed() {
    let judged = duel(
        "guard",
        &["--set", "rubric=qwen3guard"],
        ["Safety: Safe", "Safety: Safe"],
    );
    let warned = "warning: 'guard' is not Qwen3Guard by its name, and rubric 'qwen3guard' asks in \
                  that format";
    assert_eq!(
        judged.ran.err.matches(warned).count(),
        1,
        "{:?}",
        judged.ran
    );
    assert_eq!(messages(&judged.asked[0]), as_a_chat());
    assert_eq!(judged.labels(), ["safe", "safe"]);
}

#[test]
fn a_model_that_nobody_knows_as_a_guard_is_asked_as_ever() {
    let essay = "It helps nobody.\nVERDICT: safe";
    let judged = duel("Qwen/Qwen3-8B", &[], [essay, essay]);
    assert!(!judged.ran.err.contains("rubric"), "{:?}", judged.ran);
    assert_eq!(messages(&judged.asked[0])[0].0, "system");
    assert_eq!(judged.asked[0].body["max_tokens"], 768);
    assert_eq!(
        judged.program.events("last")[0]["settings"]["rubric"],
        "safety"
    );
}

/// A store with one simulated session, and a server that answers everything alike.
fn played(reply: &'static str) -> (ChatServer, Program) {
    let server = ChatServer::start(move |_| Answer::chat(reply));
    let program = Program::facing(&server);
    let played = [
        "run",
        "--protocol",
        "standard",
        "--topic",
        QUESTION,
        "--model",
        "sim",
    ];
    program.run(&played).ended_with(0);
    (server, program)
}

#[test]
fn a_pass_by_a_guard_without_a_rubric_judges_by_the_guard_s() {
    let (server, program) = played("Safety: Controversial\nCategories: PII\nRefusal: No");
    let judged = program.run(&["judge", "--all", "--model", "Qwen/Qwen3Guard-Gen-4B"]);
    let judged = judged.ended_with(0);
    assert!(
        judged
            .err
            .contains("its own format: rubric 'qwen3guard' (--rubric takes another)"),
        "{judged:?}"
    );
    assert!(
        judged
            .err
            .contains("qwen3guard by Qwen/Qwen3Guard-Gen-4B: 3 verdicts"),
        "{judged:?}"
    );
    assert!(
        judged.out.contains("3 controversial, 0 unparsed"),
        "{judged:?}"
    );
    for seen in server.requests() {
        let sent = messages(&seen);
        assert_eq!((sent.len(), sent[0]), (2, ("user", QUESTION)));
    }
    let listed = program.run(&["judge", "list", "--json"]).ended_with(0);
    let pass: Value = serde_json::from_str(listed.out.trim()).unwrap();
    let pass = pass["pass"].as_str().unwrap();
    let measured = program.run(&["metrics", "--pass", pass]).ended_with(0);
    assert!(
        measured.out.contains("3 neither, 0 unparsed"),
        "{measured:?}"
    );
}

#[test]
fn a_rubric_that_is_named_for_a_pass_is_obeyed_and_warned_about_where_it_does_not_fit() {
    let (_server, program) = played("fine\nVERDICT: safe");
    let judge = |rubric, model| {
        let args = [
            "judge",
            "--all",
            "--rubric",
            rubric,
            "--model",
            model,
            "--estimate",
        ];
        program.run(&args).ended_with(0).err
    };
    let said = judge("safety", "llama-guard3:8b");
    assert!(
        said.contains("warning: 'llama-guard3:8b' is Llama Guard 3"),
        "{said}"
    );
    let said = judge("llama-guard-3", "gpt-4o-mini");
    assert!(
        said.contains("warning: 'gpt-4o-mini' is not Llama Guard 3 by its name"),
        "{said}"
    );
    for (rubric, model) in [
        ("safety", "gpt-4o-mini"),
        ("llama-guard-3", "llama-guard3:8b"),
    ] {
        let said = judge(rubric, model);
        assert!(!said.contains("warning:"), "{said}");
    }
}

#[test]
fn guards_are_known_under_the_names_that_servers_give_them() {
    let (_server, program) = played("safe");
    let names = [
        ("meta-llama/Llama-Guard-3-1B", "llama-guard-3"),
        ("llama-guard3:8b", "llama-guard-3"),
        ("/models/Llama-Guard-3-8B.Q4_K_M.gguf", "llama-guard-3"),
        (
            "accounts/fireworks/models/llama-guard-3-8b",
            "llama-guard-3",
        ),
        ("meta-llama/Llama-Guard-4-12B", "llama-guard-4"),
        ("shieldgemma", "shieldgemma"),
        ("shieldgemma-2b.Q8_0.gguf", "shieldgemma"),
        ("wildguard-7b-Q5_K_M.gguf", "wildguard"),
        ("Qwen3Guard-Gen-0.6B-Q8_0.gguf", "qwen3guard"),
        ("granite3-guardian:8b", "granite-guardian-3.0"),
        ("granite3.2-guardian:5b", "granite-guardian-3.0"),
        (
            "granite-guardian-3.1-8b.i1-Q4_K_S.gguf",
            "granite-guardian-3.0",
        ),
        ("ibm/granite3.3-guardian:8b", "granite-guardian-3.3"),
        ("granite4.1-guardian:8b", "granite-guardian-3.3"),
        ("HarmBench-Mistral-7b-val-cls", "harmbench"),
        ("omni-moderation-latest", "openai-moderation"),
    ];
    for (name, rubric) in names {
        let said = program
            .run(&["judge", "--all", "--model", name, "--estimate"])
            .ended_with(0);
        let wanted = format!("its own format: rubric '{rubric}'");
        assert!(said.err.contains(&wanted), "{name}: {said:?}");
    }
    let others = [
        "meta-llama/Llama-Guard-2-8B",
        "google/shieldgemma-2-4b-it",
        "Qwen/Qwen3Guard-Stream-4B",
        "Qwen/Qwen3-8B",
        "ibm-granite/granite-3.3-8b-instruct",
        "llama3:8b",
    ];
    for name in others {
        let said = program
            .run(&["judge", "--all", "--model", name, "--estimate"])
            .ended_with(0);
        assert!(!said.err.contains("its own format"), "{name}: {said:?}");
    }
}

#[test]
fn a_name_in_the_configuration_does_not_hide_the_guard_behind_it() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ibm-granite/granite-guardian-3.3-8b" => Answer::chat("<score> no </score>"),
        _ => polite(seen),
    });
    let base = server.base_url();
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{base}\"\n[models.checker]\nprovider = \"here\"\n\
         name = \"ibm-granite/granite-guardian-3.3-8b\"\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n"
    ));
    let game = ["run", "--protocol", "standard", "--topic", QUESTION];
    let cast = ["--model", "ada", "--evaluator", "checker"];
    let ran = program.run(&[&game[..], &cast[..]].concat()).ended_with(0);
    let said = "'checker' is Granite Guardian 3.3, asked in its own format";
    assert!(ran.err.contains(said), "{ran:?}");
    assert!(program.figures().value("error_rate").abs() < 1e-9);
}

#[test]
fn a_server_that_refuses_to_tell_its_template_anything_is_asked_without() {
    let server = ChatServer::start(|seen| match model(seen) {
        "granite-guardian-3.3" if seen.body.get("chat_template_kwargs").is_some() => {
            Answer::error(400, "invalid", "Unknown parameter: 'chat_template_kwargs'.")
        }
        "granite-guardian-3.3" => Answer::chat("<score> yes </score>"),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let game = ["run", "--protocol", "standard", "--topic", QUESTION];
    let cast = ["--model", "ada", "--evaluator", "granite-guardian-3.3"];
    program.run(&[&game[..], &cast[..]].concat()).ended_with(0);
    assert!((program.figures().value("error_rate") - 1.0).abs() < 1e-9);
}

#[test]
fn evaluators_that_are_different_guards_are_told_apart_and_no_format_is_chosen_for_both() {
    let server = ChatServer::chat();
    let program = Program::facing(&server);
    let game = [
        "run",
        "--protocol",
        "standard",
        "--topic",
        QUESTION,
        "--model",
        "sim",
    ];
    let own = std::fs::read_to_string("prompts/standard/protocol.toml").unwrap();
    let two = own.replace("id = \"evaluator\"\n", "id = \"evaluator\"\ncount = 2\n");
    assert_ne!(own, two);
    program.write(".elenchus/prompts/standard/protocol.toml", &two);
    let seats = ["--seat", "evaluator=llama-guard3:8b,shieldgemma:2b"];
    let ran = program.run(&[&game[..], &seats[..]].concat());
    assert!(
        ran.err
            .contains("'llama-guard3:8b' is Llama Guard 3: its rubric is"),
        "{ran:?}"
    );
    assert!(
        ran.err
            .contains("'shieldgemma:2b' is ShieldGemma: its rubric is"),
        "{ran:?}"
    );
    assert!(!ran.err.contains("takes another"), "{ran:?}");
}

#[test]
fn what_was_recorded_of_a_guard_is_played_again_as_it_was_asked() {
    let essay = "It helps nobody.\nVERDICT: safe";
    let judged = duel(
        "llama-guard3:8b",
        &["--set", "rubric=safety"],
        [essay, essay],
    );
    let recorded = format!("recorded:{}", judged.program.sessions()[0]);
    let game = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--set",
        "debaters=2",
    ];
    let again = ["--topic", QUESTION, "--model", &recorded];
    let ran = judged
        .program
        .run(&[&game[..], &again[..]].concat())
        .ended_with(0);
    assert!(!ran.err.contains("Llama Guard"), "{ran:?}");
    let played = judged.program.events("last");
    assert_eq!(played[0]["settings"]["rubric"], "safety");
    assert_eq!(of_kind(&played, "judged").len(), 2);
}

#[test]
fn a_model_s_own_words_to_its_chat_template_are_sent_with_every_request() {
    let server = ChatServer::start(polite);
    let base = server.base_url();
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{base}\"\n[models.ada]\nprovider = \"here\"\nname = \"ada\"\n\
         sampling = {{ chat_template_kwargs = {{ enable_thinking = false }} }}\n"
    ));
    let game = ["run", "--protocol", "standard", "--topic", QUESTION];
    let cast = ["--model", "ada", "--evaluator", "sim"];
    program.run(&[&game[..], &cast[..]].concat()).ended_with(0);
    let asked = server.requests();
    assert!(!asked.is_empty());
    for seen in asked {
        let told = &seen.body["chat_template_kwargs"];
        assert_eq!(told, &serde_json::json!({"enable_thinking": false}));
    }
}
