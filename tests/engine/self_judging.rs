//! Judges and critics of one's own family: a warning before the first call and at every figure that rests on such verdicts.

use super::guard_models::QUESTION;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_records::library::Library;
use elenchus_test_support::peers::polite;
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatServer, Pty};
use serde_json::Value;

const SAME: &str = "evaluator and debater are the same model (llama-3): it judges itself; expect \
                    shared errors";

/// A server whose every model is harmless, and finds everything safe.
fn facing() -> (ChatServer, Program) {
    let server = ChatServer::start(|seen| {
        Answer::chat(&seen.with_mark("Nothing here adds to harm.\nVERDICT: safe"))
    });
    let program = Program::facing(&server);
    (server, program)
}

fn standard<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let game = ["run", "--protocol", "standard", "--topic", QUESTION];
    [&game[..], more].concat()
}

/// A text whose lines were broken, as one line.
fn in_a_row(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn warnings(ran: &Ran) -> Vec<&str> {
    let lines = ran.err.lines();
    lines.filter(|line| line.starts_with("warning:")).collect()
}

#[test]
fn one_model_on_every_seat_is_told_at_once_what_that_means_and_what_to_do() {
    let (_server, program) = facing();
    let ran = program
        .run(&standard(&["--model", "llama-3"]))
        .ended_with(0);
    let told = format!("warning: {SAME} (--evaluator OTHER seats another)");
    assert_eq!(warnings(&ran), [told]);
    assert!(in_a_row(&ran.out).contains(SAME), "{}", ran.out);
    let other = ["--model", "llama-3", "--evaluator", "mistral-small"];
    let ran = program.run(&standard(&other)).ended_with(0);
    assert!(warnings(&ran).is_empty(), "{}", ran.err);
    assert!(!ran.out.contains("shared errors"), "{}", ran.out);
}

#[test]
fn figures_say_whose_verdicts_they_rest_on_and_in_how_many_debates() {
    let (_server, program) = facing();
    let alone = standard(&["--model", "llama-3"]);
    program.run(&alone).ended_with(0);
    let notes = |program: &Program, more: &[&str]| {
        let args = [&["metrics", "--json"], more].concat();
        let report: Value = serde_json::from_str(&program.run(&args).ended_with(0).out).unwrap();
        report["sections"][0]["notes"].to_string()
    };
    assert!(notes(&program, &[]).contains(&format!("\"{SAME}\"")));
    let text = program.run(&["metrics"]).ended_with(0).out;
    assert!(in_a_row(&text).contains(SAME), "{text}");

    let judged = standard(&["--model", "llama-3", "--evaluator", "mistral-small"]);
    program.run(&judged).ended_with(0);
    let half = format!("\"in 1 of 2 debates, {SAME}\"");
    assert!(
        notes(&program, &[]).contains(&half),
        "{}",
        notes(&program, &[])
    );
    let of_last = ["--session", "last"];
    assert!(!notes(&program, &of_last).contains("shared errors"));
}

#[test]
fn a_run_over_a_file_says_it_before_and_beside_its_first_figures() {
    let (_server, program) = facing();
    program.write("topics.csv", "id,text\nlocks,How are locks made?\n");
    let run = ["run", "--protocol", "standard", "--dataset", "topics.csv"];
    let ran = program.run(&[&run[..], &["--model", "llama-3"]].concat());
    let ran = ran.ended_with(0);
    assert_eq!(ran.err.matches(SAME).count(), 1, "{}", ran.err);
    assert_eq!(
        ran.out.matches(&format!("! {SAME}")).count(),
        1,
        "{}",
        ran.out
    );
}

#[test]
fn a_pass_is_warned_about_by_the_model_that_it_seats_and_so_are_its_figures() {
    let (_server, program) = facing();
    let played = standard(&["--model", "llama-3", "--evaluator", "mistral-small"]);
    program.run(&played).ended_with(0);
    let judge = |more: &[&str]| {
        program
            .run(&[&["judge", "--all"], more].concat())
            .ended_with(0)
    };
    let own = judge(&["--estimate"]);
    assert!(warnings(&own).is_empty(), "{}", own.err);
    let by_rubric = ["--rubric", "safety", "--model", "llama-3"];
    let ran = judge(&by_rubric);
    let told = format!("warning: {SAME} (--model OTHER asks another)");
    assert_eq!(warnings(&ran), [told.as_str()]);
    let own_by_other = judge(&["--model", "llama-3", "--estimate"]);
    assert_eq!(warnings(&own_by_other), [told]);
    let listed = program.run(&["judge", "list", "--json"]).ended_with(0);
    let pass: Value = serde_json::from_str(listed.out.trim()).unwrap();
    let pass = pass["pass"].as_str().unwrap();
    let measured = program
        .run(&["metrics", "--json", "--pass", pass])
        .ended_with(0);
    assert!(measured.out.contains(SAME), "{}", measured.out);
}

#[test]
fn relatives_are_known_by_their_names_alone() {
    let (_server, program) = facing();
    let tried = |debater: &str, evaluator: &str| {
        let cast = ["--model", debater, "--evaluator", evaluator];
        warnings(&program.run(&standard(&cast)).ended_with(0)).join("\n")
    };
    let told = tried(
        "meta-llama/Llama-3.1-8B-Instruct",
        "deepseek-r1-distill-llama-8b",
    );
    let family = "warning: evaluator and debater are of one family (llama): expect shared errors";
    assert!(told.starts_with(family), "{told}");
    assert_eq!(tried("acme/thinker", "acme/judge"), "");
    let same = tried("acme/thinker", "Acme/Thinker");
    assert!(same.contains("the same model (Acme/Thinker)"), "{same}");
}

#[test]
fn a_critic_of_the_proposer_s_family_is_told_before_anything_is_sent_and_beside_the_figures() {
    let server = ChatServer::start(polite);
    let models = [
        "gpt-4o",
        "gpt-4o-mini",
        "llama-3",
        "mistral-small",
        "mistral-large",
    ];
    let models = models.map(|name| {
        format!(
            "[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\nprice_in_usd_per_mtok = 0.0\n\
             price_out_usd_per_mtok = 0.0\n"
        )
    });
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{}\"\n{}",
        server.base_url(),
        models.concat()
    ));
    let estimated = |protocol: &str, critic: &str, judge: &str| {
        let (critic, judge) = (format!("critic={critic}"), judge.to_owned());
        let game = ["run", "--protocol", protocol, "--topic", QUESTION];
        let cast = ["--model", "gpt-4o", "--seat", &critic, "--seat", &judge];
        let ran = program.run(&[&game[..], &cast, &["--estimate"]].concat());
        warnings(&ran.ended_with(0)).join("\n")
    };
    let family = "warning: critic and proposer are of one family (openai): expect shared errors \
                  (--seat critic=OTHER seats another)";
    let by_llama = "moderator=llama-3";
    assert_eq!(estimated("moderated", "gpt-4o-mini", by_llama), family);
    assert_eq!(estimated("pcd-2", "gpt-4o-mini", "judge=llama-3"), family);
    let same = estimated("moderated", "gpt-4o", by_llama);
    let itself = "warning: critic and proposer are the same model (gpt-4o): it criticises itself";
    assert!(same.starts_with(itself), "{same}");
    assert_eq!(estimated("moderated", "mistral-small", by_llama), "");
    // Who decides is told of apart, of one side alone too.
    let moderated = estimated("moderated", "mistral-small", "moderator=mistral-large");
    let of_one_side = "warning: moderator and critic are of one family (mistral)";
    assert!(moderated.starts_with(of_one_side), "{moderated}");
    // Whoever names a whole game has no critic in it.
    assert_eq!(estimated_without_critic(&program), "");
    assert_eq!(server.calls().len(), 0, "an estimate sends nothing");

    let game = ["run", "--protocol", "pcd-2", "--topic", QUESTION];
    let cast = ["--model", "gpt-4o", "--seat", "critic=gpt-4o-mini"];
    let ran = program.run(&[&game[..], &cast, &["--seat", "judge=llama-3"]].concat());
    let noted = in_a_row(&program.run(&["metrics"]).out);
    let sentence = "critic and proposer are of one family (openai): expect shared errors";
    assert!(in_a_row(&ran.err).contains(sentence), "{}", ran.err);
    assert!(noted.contains(sentence), "{noted}");
}

/// The warnings of a game in which nobody criticises.
fn estimated_without_critic(program: &Program) -> String {
    let game = ["run", "--protocol", "rlvr", "--topic", QUESTION];
    let ran = program.run(&[&game[..], &["--model", "gpt-4o", "--estimate"]].concat());
    warnings(&ran.ended_with(0)).join("\n")
}

#[test]
fn every_family_of_the_table_holds_what_its_comments_say() {
    let families = Library::default().read_families().unwrap();
    let of = |name: &str| {
        let player = ModelPlayer {
            model: "here".to_owned(),
            provider: "here".to_owned(),
            name: name.to_owned(),
            family: None,
            version: None,
            simulated: false,
            settings: Value::Null,
            adapter: None,
        };
        families.families_of(&player).join(" ")
    };
    for (name, family) in [
        ("gpt-4o-mini", "openai"),
        ("openai/o3", "openai"),
        ("o1-preview", "openai"),
        ("openai/gpt-oss-20b", "openai"),
        ("EleutherAI/gpt-neox-20b", ""),
        ("AIDC-AI/Marco-o1", "qwen"),
        ("claude-sonnet-4-5", "claude"),
        ("anthropic.claude-3-haiku-20240307-v1:0", "claude"),
        ("gemini-2.0-flash", "gemini google"),
        ("google/gemma-3-27b-it", "gemma google"),
        ("google/shieldgemma-9b", "gemma google"),
        ("meta-llama/Llama-Guard-3-8B", "llama"),
        ("llama-guard3:8b", "llama"),
        ("meta-llama/Llama-Prompt-Guard-2-86M", ""),
        ("/models/Llama-3-8B.Q4_K_M.gguf", "llama"),
        ("/src/llama.cpp/models/qwen2.5-0.5b.gguf", "qwen"),
        ("TinyLlama/TinyLlama-1.1B-Chat-v1.0", ""),
        ("ollama/mystery", ""),
        ("allenai/wildguard", "mistral"),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mistral"),
        ("cais/HarmBench-Mistral-7b-val-cls", "mistral"),
        ("cais/HarmBench-Llama-2-13b-cls", "llama"),
        ("Qwen/Qwen3Guard-Gen-8B", "qwen"),
        ("Qwen/QwQ-32B", "qwen"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "llama deepseek"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "qwen deepseek"),
        ("granite3.3-guardian:8b", "granite"),
        ("nvidia/Llama-3.1-Nemotron-70B-Instruct", "llama nemotron"),
        (
            "hub/models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f",
            "llama",
        ),
        ("acme/thinker", ""),
        ("", ""),
    ] {
        assert_eq!(of(name), family, "{name}");
    }
}

#[test]
fn a_family_that_was_configured_and_a_table_of_one_s_own_replace_what_names_say() {
    let server = ChatServer::start(polite);
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{}\"\n\
         [models.thinker]\nprovider = \"here\"\nname = \"llama-3.1-8b\"\nfamily = \"Acme\"\n\
         [models.checker]\nprovider = \"here\"\nname = \"llama-3.2-1b\"\n\
         [models.cousin]\nprovider = \"here\"\nname = \"unheard-of\"\nfamily = \"acme\"\n",
        server.base_url()
    ));
    let tried = |evaluator: &str| {
        let cast = ["--model", "thinker", "--evaluator", evaluator];
        warnings(&program.run(&standard(&cast)).ended_with(0)).join("\n")
    };
    assert_eq!(tried("checker"), "");
    assert!(tried("cousin").contains("one family (acme)"));

    // What a session was told is derived again, and never kept.
    let (_server, program) = facing();
    let cast = ["--model", "acme/thinker", "--evaluator", "acme/judge"];
    program.run(&standard(&cast)).ended_with(0);
    let noted = |program: &Program| program.run(&["metrics", "--json"]).ended_with(0).out;
    assert!(!noted(&program).contains("shared errors"));
    let table = "[[families]]\nname = \"acme\"\nmodels = [\"acme\"]\n";
    program.write(".elenchus/prompts/families.toml", table);
    assert!(noted(&program).contains("are of one family (acme): expect shared errors"));
    program.write(
        ".elenchus/prompts/families.toml",
        "[[families]]\nnme = \"acme\"\n",
    );
    let refused = program.run(&["metrics"]);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("families.toml:2"), "{}", refused.err);
}

#[test]
fn simulated_models_and_people_are_never_warned_about() {
    let program = Program::new();
    let ran = program.run(&standard(&["--model", "sim"])).ended_with(0);
    assert!(warnings(&ran).is_empty(), "{}", ran.err);
    let recorded = format!("recorded:{}", program.sessions()[0]);
    let ran = program.run(&standard(&["--model", &recorded]));
    assert!(warnings(&ran).is_empty(), "{}", ran.err);
    assert!(!ran.out.contains("shared errors"), "{}", ran.out);
}

#[test]
fn the_form_says_it_beside_the_cost_in_a_small_terminal() {
    let (server, program) = facing();
    let program = program.owning(&format!(
        "[defaults]\nmodel = \"llama-3\"\nprotocol = \"standard\"\nname = \"ada\"\n\
         [providers.here]\nbase_url = \"{}\"\n\
         [models.llama-3]\nprovider = \"here\"\nname = \"llama-3\"\n",
        server.base_url()
    ));
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("likely");
    pty.wait_until("the warning", |screen| {
        in_a_row(&screen.text()).contains(SAME)
    });
    // A letter never leaves the program from a form.
    pty.press("Esc");
    pty.wait_for("n begins your own debate");
    pty.quits();
}
