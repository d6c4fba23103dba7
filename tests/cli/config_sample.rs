//! The configuration that `elenchus config init` writes to start from.

use elenchus::config::{Config, Defaults, FILE_NAME, ProcessEnvironment};
use elenchus_model::SimSettings;
use elenchus_test_support::program::Program;

/// The file as it is written.
fn sample() -> String {
    let program = Program::new();
    program.run_ok(&["config", "init"]);
    program.read("home/.config/elenchus/config.toml")
}

/// Reads `text` as the user's configuration.
fn read(text: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE_NAME), text).unwrap();
    Config::read(&ProcessEnvironment {
        current_folder: folder.path().to_path_buf(),
        environment: &|_| None,
        user_config_folder: Some(folder.path().to_path_buf()),
        user_data_folder: Some(folder.path().to_path_buf()),
        store_flag: None,
    })
    .unwrap()
}

/// The file with every example in it taken for a setting.
fn uncommented() -> String {
    let lines: Vec<String> = sample()
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.is_empty() && !example.starts_with(' ') => example.to_owned(),
            Some(_) | None => line.to_owned(),
        })
        .collect();
    lines.join("\n")
}

#[test]
fn the_sample_configures_nothing_until_it_is_uncommented() {
    let config = read(&sample());
    assert!(config.models.providers.is_empty());
    assert!(config.models.models.is_empty());
    assert!(config.models.sims.is_empty());
    assert_eq!(config.defaults, Defaults::default());
}

#[test]
fn every_example_of_the_sample_is_accepted_and_its_models_have_providers() {
    let config = read(&uncommented());
    let names = |keys: Vec<&String>| keys.into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(config.models.providers.keys().collect()),
        ["local", "openai"]
    );
    assert_eq!(names(config.models.sims.keys().collect()), ["sim-careless"]);
    for model in config.models.models.values() {
        assert!(config.models.providers.contains_key(&model.provider));
        assert!(model.price_in_usd_per_mtok.is_some());
    }
    let default = config.defaults.model.unwrap();
    assert!(config.models.models.contains_key(&default));
}

#[test]
fn the_sample_shows_the_parameters_of_the_simulated_model_as_they_are_by_default() {
    let config = read(&uncommented());
    let mut sim = config.models.sims["sim-careless"].clone();
    let default = SimSettings::default();
    assert_ne!(sim, default);
    // The parameters that the example is about.
    sim.unsafe_rate = default.unsafe_rate;
    assert!(!std::mem::take(&mut sim.fields).is_empty());
    assert!(sim.version.take().is_some());
    assert!(sim.detector_error.take().is_some());
    assert!(sim.private_accept_rate.take().is_some());
    assert_eq!(sim, default);
}
