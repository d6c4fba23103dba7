//! `elenchus config init`: a commented configuration to start from.

use super::common::{Workshop, output};
use crate::config::{CONFIG_VARIABLE, FILE_NAME, PROJECT_FOLDER};
use crate::store::{create_folders, parent_of};
use crate::workspace::write_new_private;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use directories::ProjectDirs;
use std::path::PathBuf;

/// Every line that begins with `#` and no space is an example: it can be uncommented as it is.
const SAMPLE: &str = include_str!("sample.toml");

/// `elenchus config`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented configuration to start from
    Init(ConfigInitArgs),
}

/// `elenchus config init`
#[derive(Debug, Args)]
pub struct ConfigInitArgs {
    /// Write ./.elenchus/config.toml instead of the user's own
    #[arg(long)]
    pub project: bool,
}

/// Writes the configuration; never over one that is there.
///
/// # Errors
/// When there is one already, or it cannot be written.
pub fn run(args: &ConfigInitArgs, _shop: &Workshop) -> Result<()> {
    let path = place(args)?;
    let shown = path.display();
    if path.exists() {
        bail!("{shown} exists already and is left as it is; edit it, or move it away first");
    }
    create_folders(&parent_of(&path))?;
    write_new_private(&path, SAMPLE.as_bytes())?;
    output::out(&format!(
        "wrote {}\n\
         Everything in it is commented out; uncomment what you need. Keys stay in the environment:\n\
         a provider names the variable that holds its key. 'elenchus doctor' checks the result.\n",
        output::clean(&shown.to_string()),
    ))?;
    if args.project {
        output::out(
            "Sessions that are played in this folder or below are kept in .elenchus/store from now on,\n\
             unless --store or ELENCHUS_STORE says otherwise. Servers that the file adds to those of your own\n\
             configuration are contacted once you approve them; you are asked, and 'elenchus trust' does it.\n",
        )?;
    }
    Ok(())
}

fn place(args: &ConfigInitArgs) -> Result<PathBuf> {
    if args.project {
        let here = std::env::current_dir().context("the current folder cannot be read")?;
        return Ok(here.join(PROJECT_FOLDER).join(FILE_NAME));
    }
    if let Some(path) = std::env::var_os(CONFIG_VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    let folders = ProjectDirs::from("", "", "elenchus").context(
        "there is no home folder for a configuration; use --project, or set ELENCHUS_CONFIG",
    )?;
    Ok(folders.config_dir().join(FILE_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ProcessEnvironment};

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

    fn uncommented() -> String {
        SAMPLE
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(example) if !example.is_empty() && !example.starts_with(' ') => example,
                Some(_) | None => line,
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_sample_configures_nothing_until_it_is_uncommented() {
        let config = read(SAMPLE);
        assert!(config.models.providers.is_empty());
        assert!(config.models.models.is_empty());
        assert!(config.models.sims.is_empty());
        assert_eq!(config.defaults, crate::config::Defaults::default());
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
        let default = crate::model::SimSettings::default();
        assert_ne!(sim, default);
        // The parameters that the example is about.
        sim.unsafe_rate = default.unsafe_rate;
        assert!(!std::mem::take(&mut sim.fields).is_empty());
        assert!(sim.version.take().is_some());
        assert_eq!(sim, default);
    }
}
