//! What files of a project name: it lies in the project once links are followed, and reads nothing else.

use super::{DEBATE, server};
use elenchus_test_support::Pty;
use elenchus_test_support::program::{Program, Ran};
use std::os::unix::fs::symlink;

/// A text of the person's that no project may read.
const PRIVATE: &str = "-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXk";

/// A person with a private file, in a folder with a stranger's configuration.
fn standing_in(config: &str) -> Program {
    let program = Program::new();
    program.write_at("home/.ssh/id_rsa", PRIVATE);
    program.write(".elenchus/config.toml", config);
    program
}

/// Looks for the private text in what was printed and in everything that was written.
#[track_caller]
fn nothing_of_it(program: &Program, ran: &Ran) {
    let shown = format!("{}{}", ran.out, ran.err);
    assert!(!shown.contains(PRIVATE), "{shown}");
    let has = |bytes: &[u8]| {
        bytes
            .windows(PRIVATE.len())
            .any(|at| at == PRIVATE.as_bytes())
    };
    for (path, bytes) in program.store_files() {
        assert!(!has(&bytes), "{}", path.display());
    }
}

#[track_caller]
fn says(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

/// Approves the folder as the command in a refusal says.
fn approve(program: &Program) {
    let work = program.work().display().to_string();
    program.run_ok(&["trust", &work]);
}

#[test]
fn a_configuration_chooses_no_file_that_is_read_out() {
    let program = standing_in("[defaults]\nmodel = \"fixed:../home/.ssh/id_rsa\"\n");
    let single = ["run", "--protocol", "single", "--topic", "x"];
    let refused = program.run(&single).ended_with(1);
    nothing_of_it(&program, &refused);
    says(
        &refused,
        &[
            ".elenchus/config.toml",
            "fixed:../home/.ssh/id_rsa",
            "--model or --seat",
            "elenchus trust ",
        ],
    );
    assert!(program.sessions().is_empty(), "nothing is begun");
    // A text in the project is refused as well: what is typed is what a person chose.
    program.write("own.txt", "A text of the project.");
    let own = "[defaults]\nmodel = \"fixed:own.txt\"\n";
    program.write(".elenchus/config.toml", own);
    program.run(&single).ended_with(1);
    let told = program.run(&["doctor"]).ended_with(1);
    assert!(told.out.contains("PROBLEM"), "{}", told.out);
    approve(&program);
    program.run(&single).ended_with(0);
    let said = program.run_ok(&["show", "last"]);
    assert!(said.contains("A text of the project."), "{said}");
}

#[test]
fn a_cast_file_of_a_project_chooses_no_text_and_any_other_only_one_beside_it() {
    let program = standing_in("[defaults]\nmodel = \"sim\"\n");
    let single = ["run", "--protocol", "single", "--topic", "x", "--cast"];
    let play = |program: &Program, cast: &str| program.run(&[&single[..], &[cast]].concat());
    program.write("own.txt", "A text of the project.");
    for chosen in ["../home/.ssh/id_rsa", "own.txt"] {
        let cast = format!("model = \"fixed:{chosen}\"\n");
        program.write("cast.toml", &cast);
        let refused = play(&program, "cast.toml").ended_with(1);
        nothing_of_it(&program, &refused);
        says(&refused, &["cast.toml", "--seat", "elenchus trust "]);
    }
    // What is typed wins over the file, and names what it likes.
    let typed = [&single[..], &["cast.toml", "--model", "fixed:own.txt"]].concat();
    program.run(&typed).ended_with(0);

    // Outside a project the text lies beside the cast, also by a link.
    let beside = program.with("ELENCHUS_TRUST", "");
    std::fs::remove_dir_all(beside.work().join(".elenchus")).unwrap();
    play(&beside, "cast.toml").ended_with(0);
    symlink("../home/.ssh/id_rsa", beside.work().join("link.txt")).unwrap();
    for chosen in ["link.txt", "../home/.ssh/id_rsa"] {
        beside.write("cast.toml", &format!("model = \"fixed:{chosen}\"\n"));
        let refused = play(&beside, "cast.toml").ended_with(1);
        nothing_of_it(&beside, &refused);
        says(&refused, &["cast.toml", "lies outside", "--seat"]);
    }
}

#[test]
fn a_plan_of_a_project_names_its_own_files_alone() {
    let program = standing_in("[defaults]\nmodel = \"sim\"\n");
    program.write("topics.txt", "How are locks made?\n");
    program.write_at("home/topics.txt", "How are keys made?\n");
    program.write_at("home/cast.toml", "model = \"sim\"\n");
    let sweep = |text: &str| {
        program.write("sweep.toml", text);
        program.run(&["sweep", "sweep.toml"])
    };
    let good = "dataset = \"own:topics.txt\"\nprotocol = \"single\"\nmodel = \"sim\"\n";
    sweep(good).ended_with(0);
    for bad in [
        good.replace("own:topics.txt", "own:../home/topics.txt"),
        good.replace("model = \"sim\"", "cast = \"../home/cast.toml\""),
    ] {
        let refused = sweep(&bad).ended_with(1);
        says(&refused, &["sweep.toml", "lies outside", "elenchus trust "]);
    }
    let fixed = good.replace("sim", "fixed:../home/.ssh/id_rsa");
    let refused = sweep(&fixed).ended_with(1);
    nothing_of_it(&program, &refused);
    says(&refused, &["sweep.toml chooses it", "elenchus trust "]);
    let study = |text: &str| {
        let run = text.replace("\"own", "[\"own").replace(".txt\"", ".txt\"]");
        let plan = format!("title = \"one\"\n[[run]]\n{run}[[metrics]]\npool = true\n");
        program.write("study.toml", &plan);
        program.run(&["study", "study.toml"])
    };
    study(good).ended_with(0);
    let refused = study(&good.replace("own:topics.txt", "own:../home/topics.txt")).ended_with(1);
    says(&refused, &["study.toml", "lies outside", "elenchus trust "]);
    let refused = study(&fixed).ended_with(1);
    nothing_of_it(&program, &refused);
    says(&refused, &["study.toml chooses it", "elenchus trust "]);
    approve(&program);
    sweep(&good.replace("own:topics.txt", "own:../home/topics.txt")).ended_with(0);
}

#[test]
fn a_template_or_codebook_that_is_a_link_to_elsewhere_is_refused() {
    let program = standing_in("[defaults]\nmodel = \"sim\"\n");
    let labels = program.work().join(".elenchus/prompts/labels");
    std::fs::create_dir_all(&labels).unwrap();
    symlink("../../../../home/.ssh/id_rsa", labels.join("safety.md")).unwrap();
    program.play(&DEBATE[1..]);
    for reading in [
        &["labels", "queue", "q", "--all", "--set", "safety"][..],
        &["labels", "sets", "safety"],
    ] {
        let refused = program.run(reading).ended_with(1);
        nothing_of_it(&program, &refused);
        says(&refused, &["is a link to outside", "elenchus trust "]);
    }
    std::fs::remove_file(labels.join("safety.md")).unwrap();

    let single = program.work().join(".elenchus/prompts/single");
    std::fs::create_dir_all(&single).unwrap();
    program.write_at("home/speaker.md", PRIVATE);
    let templates = program.run_ok(&["prompts", "list"]);
    assert!(templates.contains("single"), "{templates}");
    symlink("../../../../home/speaker.md", single.join("agent.md")).unwrap();
    let play = ["run", "--protocol", "single", "--topic", "x"];
    let refused = program.run(&play).ended_with(1);
    nothing_of_it(&program, &refused);
    says(&refused, &["is a link to outside"]);
    // A link within the folder is a file like any other.
    std::fs::remove_file(single.join("agent.md")).unwrap();
    program.write(
        ".elenchus/texts/agent.md",
        "=== user\nAnswer: {{ topic }}\n",
    );
    symlink("../../texts/agent.md", single.join("agent.md")).unwrap();
    program.run(&play).ended_with(0);
}

#[test]
fn a_theme_that_is_a_link_to_elsewhere_is_refused_until_the_project_is_approved() {
    let program = standing_in("[defaults]\nmodel = \"sim\"\n");
    let themes = program.work().join(".elenchus/themes");
    std::fs::create_dir_all(&themes).unwrap();
    symlink("../../../home/.ssh/id_rsa", themes.join("stolen.toml")).unwrap();
    let open = ["open", "--theme", "stolen"];
    let mut pty = Pty::of(&program).size(160, 60).starts(&open);
    pty.wait_for("is a link to outside");
    assert!(!pty.screen().contains(PRIVATE.trim()), "{}", pty.screen());
    pty.quits();
    // A link within the project's folder is a theme like any other, and so is all of an approved one.
    std::fs::remove_file(themes.join("stolen.toml")).unwrap();
    program.write(".elenchus/own.toml", "description = \"mine\"\n");
    symlink("../own.toml", themes.join("stolen.toml")).unwrap();
    let mut pty = Pty::of(&program).size(160, 60).starts(&open);
    pty.wait_for("No sessions yet");
    assert!(!pty.screen().contains("cannot read"), "{}", pty.screen());
    pty.quits();
}

#[test]
fn a_folder_of_models_lies_in_the_project_and_setup_fills_no_folder_of_others() {
    let program = standing_in("[memory]\nmodel_dir = \"../../home/.docker\"\n");
    let login = "{\"auths\": {\"registry\": {\"auth\": \"c2VjcmV0\"}}}";
    program.write_at("home/.docker/config.json", login);
    let set_up = ["memory", "setup"];
    let refused = program.run(&set_up).ended_with(1);
    says(&refused, &["model_dir", "lies outside", "elenchus trust "]);

    // In the project, by a link of the folder or of a file in it.
    let models = program.work().join("models");
    symlink("../home/.docker", &models).unwrap();
    let config = "[memory]\nmodel_dir = \"../models\"\n";
    program.write(".elenchus/config.toml", config);
    says(&program.run(&set_up).ended_with(1), &["lies outside"]);
    std::fs::remove_file(&models).unwrap();
    std::fs::create_dir(&models).unwrap();
    symlink("../../home/.ssh/id_rsa", models.join("model.onnx")).unwrap();
    let refused = program.run(&set_up).ended_with(1);
    says(&refused, &["models/model.onnx lies outside"]);

    // A folder of the user's own choice that holds something else.
    std::fs::remove_dir_all(program.work().join(".elenchus")).unwrap();
    let docker = program.home().join(".docker");
    let own = format!("[memory]\nmodel_dir = {:?}\n", docker.display().to_string());
    let program = program.owning(&own);
    let refused = program.run(&set_up).ended_with(1);
    says(
        &refused,
        &["holds other files", "config.json", "nothing was changed"],
    );
    assert_eq!(program.read("home/.docker/config.json"), login);
}

#[test]
fn a_project_signs_nothing() {
    let program = standing_in("[defaults]\nmodel = \"sim\"\nname = \"ada\"\n");
    let program = program.with("USER", "mallory");
    let added = program
        .run(&["memory", "add", "Ask for sources."])
        .ended_with(0);
    says(&added, &["the name 'ada' is not used", "[defaults]"]);
    let journals: Vec<String> = program
        .store_files()
        .into_iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    let by = |name: &str| journals.iter().any(|path| path.contains(name));
    assert!(by("mallory") && !by("ada"), "{journals:?}");
}

#[test]
fn a_server_on_this_machine_that_only_a_project_names_is_asked_about_once() {
    let stranger = server();
    let config = format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n\
         [models.ada]\nprovider = \"here\"\nname = \"ada\"\n[defaults]\nmodel = \"ada\"\n",
        stranger.base_url()
    );
    let program = standing_in(&config);
    let refused = program.run(&DEBATE).ended_with(1);
    super::heard_nothing(&stranger);
    let origin = stranger.base_url().replace("/v1", "");
    let command = format!("elenchus trust {origin}");
    let of_job = format!("ELENCHUS_TRUST={origin}");
    says(&refused, &["nothing was sent", &command, &of_job]);
    // However it is spelled.
    let spelled = config.replace("127.0.0.1", "0x7f000001");
    program.write(".elenchus/config.toml", &spelled);
    program.run(&DEBATE).ended_with(1);
    super::heard_nothing(&stranger);
    program.write(".elenchus/config.toml", &config);

    let mut pty = Pty::of(&program).starts(&DEBATE);
    pty.wait_for("Approve this, now and later? [y/N]");
    super::heard_nothing(&stranger);
    pty.send(b"y\r");
    assert_eq!(pty.wait_for_exit().code, 0);
    program.run(&DEBATE).ended_with(0);
    // A job's variable is an answer, and so is a provider of one's own.
    let fresh = standing_in(&config);
    let job = fresh.clone().with("ELENCHUS_TRUST", &origin);
    job.run(&DEBATE).ended_with(0);
    let own = format!("[providers.mine]\nbase_url = \"{}\"\n", stranger.base_url());
    fresh.owning(&own).run(&DEBATE).ended_with(0);
}
