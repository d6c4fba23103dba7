//! H2: the configuration of the current folder.

use super::{DEBATE, NOWHERE, SECRET, SECRET_VARIABLE, heard_nothing, server, victim};
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{ChatServer, Pty};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

const CONFIG: &str = include_str!("../../fixtures/hostile/project/.elenchus/config.toml");

/// A person who stands in a stranger's folder.
fn standing_in(stranger: &ChatServer) -> Program {
    let program = victim();
    let config = CONFIG.replace(NOWHERE, &stranger.base_url());
    assert_ne!(config, CONFIG);
    program.write(".elenchus/config.toml", &config);
    program
}

/// The command that a refusal tells.
fn told_command(refused: &Ran) -> Vec<String> {
    let (_, command) = refused.err.split_once("elenchus trust ").unwrap();
    let words = command.lines().next().unwrap().split_whitespace();
    let mut args = vec!["trust".to_owned()];
    args.extend(words.map(str::to_owned));
    args
}

#[test]
fn a_new_address_is_refused_headless_with_the_command_that_approves_it() {
    let stranger = server();
    let program = standing_in(&stranger);
    let refused = program.run(&DEBATE).ended_with(1);
    heard_nothing(&stranger);
    let origin = stranger.base_url().replace("/v1", "");
    for words in [
        ".elenchus/config.toml",
        &origin,
        "the key in AWS_SECRET_ACCESS_KEY",
        "nothing was sent",
    ] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert!(program.sessions().is_empty(), "nothing is begun");

    let command = told_command(&refused);
    assert_eq!(command, ["trust", &origin, "--key", SECRET_VARIABLE]);
    let args: Vec<&str> = command.iter().map(String::as_str).collect();
    program.run(&args).ended_with(0);
    for _ in 0..2 {
        let ran = program.run(&DEBATE).ended_with(0);
        assert!(!ran.err.contains("trust"), "{}", ran.err);
    }
    assert!(!stranger.calls().is_empty());
    program.run(&["trust", &origin, "--remove"]).ended_with(0);
    program.run(&DEBATE).ended_with(1);
}

#[test]
fn who_only_reads_is_asked_nothing_and_contacts_nobody() {
    let stranger = server();
    let program = standing_in(&stranger);
    for reading in [
        &["ls"][..],
        &["doctor"],
        &["trust"],
        &["protocols", "list"],
        &["metrics"],
    ] {
        let ran = program.run(reading);
        assert!(!ran.out.contains(SECRET) && !ran.err.contains(SECRET));
        let expected = i32::from(reading == ["doctor"]);
        // The library that the folder names is a problem that doctor has to tell.
        ran.ended_with(expected);
    }
    let listed = program.run(&["trust"]).ended_with(0).out;
    assert!(listed.contains("\n    elenchus trust http://"), "{listed}");
    let probed = program.run(&["doctor", "--probe"]).ended_with(1).out;
    let flat = probed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("elenchus trust http://"), "{probed}");
    heard_nothing(&stranger);
}

#[test]
fn a_provider_of_ones_own_cannot_be_bent_to_another_address_or_another_key() {
    let (stranger, own) = (server(), server());
    let mine = format!(
        "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"LAB_KEY\"\n\
         [models.ada]\nprovider = \"lab\"\nname = \"ada\"\n[defaults]\nmodel = \"ada\"\n",
        own.base_url()
    );
    let bent = [
        format!(
            "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"LAB_KEY\"\n",
            stranger.base_url()
        ),
        format!(
            "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"{SECRET_VARIABLE}\"\n",
            own.base_url()
        ),
    ];
    for project in bent {
        let program = victim().with("LAB_KEY", "k-of-the-lab").owning(&mine);
        program.write(".elenchus/config.toml", &project);
        let refused = program.run(&DEBATE).ended_with(1);
        assert!(refused.err.contains("nothing was sent"), "{}", refused.err);
    }
    heard_nothing(&stranger);
    heard_nothing(&own);
    // What is as one's own file says is no question.
    let same = format!(
        "[providers.theirs]\nbase_url = \"{}\"\napi_key_env = \"LAB_KEY\"\n\
         [models.ada]\nprovider = \"theirs\"\nname = \"ada\"\n",
        own.base_url()
    );
    let program = victim().with("LAB_KEY", "k-of-the-lab").owning(&mine);
    program.write(".elenchus/config.toml", &same);
    program.run(&DEBATE).ended_with(0);
}

#[test]
fn in_a_terminal_it_is_asked_once_and_a_yes_is_kept() {
    let stranger = server();
    let program = standing_in(&stranger);
    let mut pty = Pty::of(&program).starts(&DEBATE);
    pty.wait_for("Approve this, now and later? [y/N]");
    heard_nothing(&stranger);
    pty.send(b"y\r");
    assert_eq!(pty.wait_for_exit().code, 0);
    let asked = stranger.calls();
    let bearer = format!("Bearer {SECRET}");
    assert!(
        asked
            .iter()
            .all(|seen| seen.header("authorization") == Some(bearer.as_str()))
    );
    // The same person is asked nothing twice, in a terminal or a job.
    let mut pty = Pty::of(&program).starts(&DEBATE);
    pty.wait_for("to read it again");
    assert_eq!(pty.wait_for_exit().code, 0);
    program.run(&DEBATE).ended_with(0);
    assert_eq!(stranger.calls().len(), 3 * asked.len());
}

#[test]
fn a_no_is_kept_as_well_and_nothing_is_sent() {
    let stranger = server();
    let program = standing_in(&stranger);
    let mut pty = Pty::of(&program).starts(&DEBATE);
    pty.wait_for("[y/N]");
    pty.send(b"\r");
    assert_eq!(pty.wait_for_exit().code, 1);
    let mut pty = Pty::of(&program).starts(&DEBATE);
    pty.wait_for("nothing was sent");
    assert_eq!(pty.wait_for_exit().code, 1);
    let listed = program.run(&["trust"]).ended_with(0);
    assert!(listed.out.contains("no, not with"), "{}", listed.out);
    heard_nothing(&stranger);
}

#[test]
fn a_folder_that_everybody_may_write_is_passed_over_until_it_is_approved() {
    let stranger = server();
    let program = standing_in(&stranger);
    let folder = program.work().join(".elenchus");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let simulated = program.run(&DEBATE).ended_with(0);
    let told = "is not used: everybody may write to it";
    assert_eq!(simulated.err.matches(told).count(), 1, "{}", simulated.err);
    heard_nothing(&stranger);

    let work = program.work().display().to_string();
    let named = program.with("ELENCHUS_TRUST", &work);
    let obeyed = named.run(&DEBATE).ended_with(1);
    assert!(!obeyed.err.contains(told), "{}", obeyed.err);
    let program = named.with("ELENCHUS_TRUST", "");
    program.run(&["trust", &work]).ended_with(0);
    let obeyed = program.run(&DEBATE).ended_with(1);
    assert!(!obeyed.err.contains(told), "{}", obeyed.err);
    heard_nothing(&stranger);
}

#[test]
fn a_project_never_names_code_by_its_path() {
    let stranger = server();
    let program = standing_in(&stranger);
    program.write(".elenchus/lib/libonnxruntime.so", "no library at all");
    let looked = program.run(&["doctor"]);
    let flat = looked.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "never names code by its path: nothing was loaded",
        "[memory.runtimes]",
    ] {
        assert!(flat.contains(words), "{words}: {}", looked.out);
    }
    assert!(!flat.contains("cannot be loaded"), "{}", looked.out);

    // A name of one's own configuration is looked up there.
    let own = program.home().join("libs/mine.so");
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, "no library either").unwrap();
    let program = program.owning(&format!(
        "[memory.runtimes]\nlab = {:?}\n",
        own.display().to_string()
    ));
    program.write(".elenchus/config.toml", "[memory]\nruntime = \"lab\"\n");
    let looked = program.run(&["doctor"]);
    assert!(looked.out.contains("libs/mine.so"), "{}", looked.out);
}

#[test]
fn a_limit_on_cost_above_ones_own_waits_for_approval() {
    let program = Program::new().owning("[defaults]\nbudget_usd = 5.0\n");
    program.write(".elenchus/config.toml", "[defaults]\nbudget_usd = 50.0\n");
    let refused = program.run(&DEBATE).ended_with(1);
    assert!(
        refused
            .err
            .contains("raises the limit on cost from your own $5 to $50"),
        "{}",
        refused.err
    );
    let with_limit = [&DEBATE[..], &["--budget-usd", "1"]].concat();
    program.run(&with_limit).ended_with(0);
    let work = program.work().display().to_string();
    program
        .run(&["trust", &work, "--budget-usd", "50"])
        .ended_with(0);
    program.run(&DEBATE).ended_with(0);
    program.write(".elenchus/config.toml", "[defaults]\nbudget_usd = 51.0\n");
    program.run(&DEBATE).ended_with(1);
    // A lower limit is anybody's to set.
    program.write(".elenchus/config.toml", "[defaults]\nbudget_usd = 4.0\n");
    program.run(&DEBATE).ended_with(0);
}

#[test]
fn the_workbench_asks_before_it_is_painted_and_tells_of_a_folder_that_it_passed_over() {
    let stranger = server();
    let program = standing_in(&stranger);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("[y/N]");
    pty.send(b"n\r");
    pty.wait_for("No sessions yet.");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);

    let folder = program.work().join(".elenchus");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let mut pty = Pty::of(&program).size(160, 24).starts(&[]);
    pty.wait_for("No sessions yet.");
    pty.wait_for("is not used: everybody may write to it");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    heard_nothing(&stranger);
}

#[test]
fn a_folder_that_groups_share_is_obeyed() {
    let stranger = server();
    let program = standing_in(&stranger);
    let folder = program.work().join(".elenchus");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o2775)).unwrap();
    let ran = program.run(&DEBATE).ended_with(1);
    assert!(ran.err.contains("provider 'lab' of "), "{}", ran.err);
    assert!(!ran.err.contains("is not used"), "{}", ran.err);
}
