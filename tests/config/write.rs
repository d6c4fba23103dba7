//! Servers added to and taken out of a configuration file.

use elenchus::config::write::{
    AddedServer, ChangeError, ChangeOutcome, ModelBefore, NewServer, WriteError, add_server,
    change_file, remove_server,
};

const FILE: &str = "\
# Everything of mine.

# The box under the desk.
[providers.box]
base_url = \"http://127.0.0.1:8000/v1\" # not the other one
in_flight = 4

# ---- models ----

# Small and quick.
[models.quick]
provider = \"box\"   # for now
name = \"ada\"
price_in_usd_per_mtok = 0.0
[models.quick.sampling]
temperature = 0.5

[models.both]
providers = [
    \"box\", # near
    \"far\",
]
name = \"ben\"

# Far away.
[providers.far]
base_url = \"https://lab.example/v1\"
api_key_env = \"LAB_KEY\"

[defaults]
model = \"quick\"
# The end.
";

fn server(base_url: &str, models: &[&str]) -> NewServer {
    NewServer {
        base_url: base_url.to_owned(),
        models: models.iter().map(|name| (*name).to_owned()).collect(),
        ..NewServer::default()
    }
}

fn add(text: &str, server: &NewServer) -> AddedServer {
    add_server(text, server).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_server_is_added_behind_everything_and_the_rest_stays_as_it_is() {
    let added = add(FILE, &server("http://gpu17:8000/v1", &["cleo", "a b"]));
    assert_eq!(added.provider, "gpu17-8000");
    let new = "\n[providers.gpu17-8000]\nbase_url = \"http://gpu17:8000/v1\"\n\
               \n[models.cleo]\nprovider = \"gpu17-8000\"\nname = \"cleo\"\n\
               \n[models.\"a b\"]\nprovider = \"gpu17-8000\"\nname = \"a b\"\n";
    assert_eq!(added.text, format!("{FILE}{new}"));
    assert!(
        added
            .models
            .iter()
            .all(|model| model.before == ModelBefore::Nothing)
    );
}

#[test]
fn a_model_that_is_there_is_served_by_one_more() {
    let added = add(FILE, &server("http://localhost:8001/v1", &["ada", "ben"]));
    for (was, is) in [
        (
            "provider = \"box\"   # for now",
            "providers = [\"box\", \"local-8001\"]   # for now",
        ),
        ("    \"far\",\n]", "    \"far\", \"local-8001\",\n]"),
    ] {
        assert!(FILE.contains(was));
        assert!(added.text.contains(is), "{}", added.text);
    }
    let others =
        |names: &[&str]| ModelBefore::Others(names.iter().map(|n| (*n).to_owned()).collect());
    let before: Vec<&ModelBefore> = added.models.iter().map(|model| &model.before).collect();
    assert_eq!(before, [&others(&["box"]), &others(&["box", "far"])]);
}

#[test]
fn the_same_server_again_changes_nothing_but_what_is_new() {
    let once = add(FILE, &server("http://gpu17:8000/v1", &["cleo"]));
    let again = add(&once.text, &server("http://gpu17:8000/v1/", &["cleo"]));
    assert_eq!((&again.text, again.was_known), (&once.text, true));
    let mut keyed = server("http://localhost:8000/v1", &["ada"]);
    keyed.api_key_env = Some("BOX_KEY".to_owned());
    let text = add(FILE, &keyed).text;
    let line = "/v1\" # not the other one\napi_key_env = \"BOX_KEY\"\nin_flight = 4\n";
    assert_eq!(
        text,
        FILE.replace("/v1\" # not the other one\nin_flight = 4\n", line)
    );
}

#[test]
fn what_is_added_is_taken_out_again_to_the_byte() {
    for text in ["", "# mine\n", FILE, "[defaults]\nmodel = \"sim\""] {
        let added = add(text, &server("http://gpu17:8000/v1", &["cleo", "dora"]));
        let removed = remove_server(&added.text, "gpu17-8000").unwrap();
        assert_eq!(removed.text.trim_end(), text.trim_end());
        assert_eq!(removed.models.len(), 2);
    }
    let shared = add(FILE, &server("http://gpu17:8000/v1", &["ben"]));
    let removed = remove_server(&shared.text, "gpu17-8000").unwrap();
    assert_eq!(
        (removed.models.len(), removed.kept_models),
        (0, vec!["both".to_owned()])
    );
}

#[test]
fn a_server_goes_with_its_own_models_and_comments_and_no_others() {
    let removed = remove_server(FILE, "box").unwrap();
    let left = "\
# Everything of mine.

# ---- models ----

[models.both]
providers = [\"far\"]
name = \"ben\"

# Far away.
[providers.far]
base_url = \"https://lab.example/v1\"
api_key_env = \"LAB_KEY\"

[defaults]
model = \"quick\"
# The end.
";
    assert_eq!(removed.text, left);
    assert_eq!(
        (removed.models, removed.kept_models),
        (vec!["quick".to_owned()], vec!["both".to_owned()])
    );
    let first = "[providers.a]\nbase_url = \"http://a/v1\"\n\n[models.x]\nprovider = \"a\"\n\
                 name = \"x\"\n\n[defaults]\n";
    assert_eq!(remove_server(first, "a").unwrap().text, "[defaults]\n");
    assert_eq!(
        remove_server(FILE, "nobody"),
        Err(WriteError::NoSuch {
            name: "nobody".to_owned()
        })
    );
}

#[test]
fn other_forms_of_toml_are_changed_rightly_or_not_at_all() {
    let dotted =
        "providers.a.base_url = \"http://a/v1\"\nmodels.x = { provider = \"a\", name = \"x\" }\n";
    let added = add(dotted, &server("http://b/v1", &["x"]));
    assert!(
        added
            .text
            .contains("models.x = { providers = [\"a\", \"b\"], name = \"x\" }")
    );
    let removed = remove_server(&added.text, "a").unwrap();
    assert!(!removed.text.contains("http://a"), "{}", removed.text);
    let inline =
        "providers = { a = { base_url = \"http://a/v1\" }, c = { base_url = \"http://c/v1\" } }\n";
    for tried in [
        add_server(inline, &server("http://b/v1", &["x"])).map(|added| added.text),
        remove_server(inline, "a").map(|removed| removed.text),
    ] {
        assert!(matches!(tried, Err(WriteError::Form { .. })), "{tried:?}");
    }
    let broken = add_server("a = 1\n= 2\n", &server("http://b/v1", &["x"]));
    assert!(
        matches!(broken, Err(WriteError::Text { line: 2, .. })),
        "{broken:?}"
    );
}

#[test]
fn names_are_taken_from_the_address_and_never_twice() {
    for (url, name) in [
        ("http://127.0.0.1:8000/v1", "local-8000"),
        ("http://[::1]:8080/v1", "local-8080"),
        ("https://api.openai.com/v1", "api-openai-com"),
        (
            "http://gpu_17.lab.example:8000/v1",
            "gpu-17-lab-example-8000",
        ),
        ("http://[2001:db8::1]:80/v1", "2001-db8--1"),
    ] {
        assert_eq!(add("", &server(url, &["x"])).provider, name);
        let given = NewServer {
            name: Some(name.to_owned()),
            ..server(url, &["x"])
        };
        assert_eq!(add("", &given).provider, name);
    }
    let taken = NewServer {
        taken_names: vec!["b".to_owned(), "b-2".to_owned()],
        ..server("http://b/v1", &["x"])
    };
    assert_eq!(add("", &taken).provider, "b-3");
    let named = |name: &str| NewServer {
        name: Some(name.to_owned()),
        ..taken.clone()
    };
    assert_eq!(add("", &named("mine")).provider, "mine");
    for wrong in ["", "two words", "a.b", "b", &"x".repeat(49)] {
        assert!(add_server("", &named(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn no_server_takes_the_place_of_another_model_or_of_what_commands_mean_by_a_name() {
    let file = format!("{FILE}[sims.careless]\n");
    for name in [
        "sim",
        "human",
        "human:ana",
        "recorded:x",
        "said:x",
        "fixed:x",
        "quick",
        "careless",
    ] {
        let added = add(&file, &server("http://b/v1", &[name]));
        assert_eq!(added.models[0].key, format!("b/{name}"));
    }
}

#[test]
fn hostile_names_and_numbers_of_models_are_refused() {
    for wrong in ["", "  ", "a\nb", "a\u{1b}[2J", &"x".repeat(201)] {
        let refused = add_server("", &server("http://b/v1", &[wrong]));
        assert_eq!(refused, Err(WriteError::ModelName), "{wrong:?}");
    }
    let many: Vec<String> = (0..65).map(|number| format!("m{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refused = add_server("", &server("http://b/v1", &many));
    assert_eq!(refused, Err(WriteError::TooManyModels { count: 65 }));
    assert_eq!(
        add_server("", &server("http://b/v1", &[])),
        Err(WriteError::NoModels)
    );
    // What means something to TOML is only text.
    for odd in ["a]\"b", "'''", "a\\u0041", "a.b = 1 # c", "\u{202e}x"] {
        let added = add("", &server("http://b/v1", &[odd]));
        assert_eq!(added.models[0].key, odd);
    }
}

#[test]
fn a_file_is_changed_whole_through_a_link_and_never_over_somebody_elses_change() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("mine.toml"), folder.path().join("link"));
    std::fs::write(&file, FILE).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    let new = server("http://b/v1", &["x"]);
    let change = |text: &str| add_server(text, &new).map(|added| (added.text, added.provider));
    assert_eq!(
        change_file(&link, change).unwrap(),
        ("b".to_owned(), ChangeOutcome::Written)
    );
    assert_eq!(
        change_file(&link, change).unwrap().1,
        ChangeOutcome::Nothing
    );
    assert!(link.is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(written, add(FILE, &new).text);

    let meanwhile = change_file(&link, |text| {
        std::fs::write(&file, MEANWHILE).unwrap();
        remove_server(text, "b").map(|removed| (removed.text, ()))
    });
    assert!(matches!(meanwhile, Err(ChangeError::Meanwhile { .. })));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MEANWHILE);

    // What could not be read as a configuration never gets there.
    let unreadable = change_file(&file, |text| Ok((format!("{text}[nonsense]\n"), ())));
    assert!(matches!(unreadable, Err(ChangeError::Broken { .. })));
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(
        change_file(&link, change),
        Err(ChangeError::NotAFile { .. })
    ));
    assert!(matches!(
        change_file(folder.path(), change),
        Err(ChangeError::NotAFile { .. })
    ));
}

/// A file written by another tool.
const MEANWHILE: &str = "# changed\n";
