//! Catalogue of prompts with their current texts.

use super::name::PromptName;
use crate::library::{FileOrigin, GameVariant, Library, SHARED, guardrail_file};
use crate::workspace::error::{Result, reject};
use elenchus_game::debate::Protocol;
use elenchus_game::prompt::{DECISION, DERIVATION, Engine, REPAIR, Template};
use elenchus_store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// Every prompt of every game.
#[derive(Debug, Clone, Default)]
pub struct PromptCatalogue {
    /// By protocol, then in the order of the template's names.
    pub prompts: Vec<PromptOverview>,
    /// Their texts.
    pub texts: BTreeMap<PromptName, String>,
    /// Games that cannot be used, with the reason.
    pub broken: Vec<(String, String)>,
}

/// Overview of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptOverview {
    pub name: PromptName,
    /// Its users, as text: seats with their stages, judges with their rules.
    pub users: String,
    pub description: String,
    /// Path of its file below a folder of prompts.
    pub file: String,
    pub origin: FileOrigin,
    /// Of the whole text: its version.
    pub hash: Hash,
    /// Why the text cannot be used, with its line.
    pub fault: Option<String>,
}

/// A prompt as it is used now.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptText {
    pub overview: PromptOverview,
    pub text: String,
}

/// Lists every prompt. Blocks while it reads.
pub fn prompt_catalogue(library: &Library) -> PromptCatalogue {
    let mut all = PromptCatalogue::default();
    for (id, _) in library.list_protocols() {
        let variants = match library.read_variants(&id) {
            Ok(variants) => variants,
            Err(error) => {
                all.broken.push((id, error.to_string()));
                continue;
            }
        };
        let mut of_game: BTreeMap<&String, (&GameVariant, &String)> = BTreeMap::new();
        for variant in &variants {
            for (template, text) in &variant.parts.templates {
                of_game.entry(template).or_insert((variant, text));
            }
        }
        for (template, (variant, text)) in of_game {
            let name = PromptName {
                protocol: id.clone(),
                template: template.clone(),
            };
            all.texts.insert(name.clone(), text.clone());
            all.prompts
                .push(build_overview(library, variant, name, text));
        }
    }
    all
}

/// Reads a prompt as it is used now. Blocks.
///
/// # Errors
/// When there is no such game or template; names those that there are.
pub fn read_prompt(library: &Library, name: &PromptName) -> Result<PromptText> {
    let variant = library.read_variant_with(&name.protocol, &name.template)?;
    let Some(text) = variant.parts.templates.get(&name.template) else {
        let variants = library.read_variants(&name.protocol)?;
        let templates = variants.iter().map(|variant| &variant.parts.templates);
        let template_names: BTreeSet<&str> = templates
            .flat_map(BTreeMap::keys)
            .map(String::as_str)
            .collect();
        return reject(format!(
            "protocol '{}' has no template '{}'; it has {}",
            name.protocol,
            name.template,
            Vec::from_iter(template_names).join(", ")
        ));
    };
    Ok(PromptText {
        overview: build_overview(library, &variant, name.clone(), text),
        text: text.clone(),
    })
}

fn build_overview(
    library: &Library,
    variant: &GameVariant,
    name: PromptName,
    text: &str,
) -> PromptOverview {
    let file = variant.parts.files.get(&name.template).cloned();
    let file = file.unwrap_or_else(|| format!("{}/{}.md", name.protocol, name.template));
    let alone = BTreeMap::from([(file.clone(), text.to_owned())]);
    let fault = Engine::new(&alone).err().map(|error| error.to_string());
    let users = describe_users(&variant.protocol, &name.template);
    let description = Template::parse(&file, text).map(|template| template.description);
    PromptOverview {
        users: match variant.chosen.is_empty() {
            true => users,
            false => format!("{users} with {}", variant.describe_choice()),
        },
        description: description.unwrap_or_default(),
        fault,
        origin: library.file_origin(&file),
        file,
        hash: Hash::digest(text.as_bytes()),
        name,
    }
}

impl PromptOverview {
    /// Says whether other games use the same file.
    pub fn is_shared(&self) -> bool {
        !self.file.starts_with(&format!("{}/", self.name.protocol))
    }

    /// Says whether it holds every one of some words, which are in lower case.
    pub fn matches_words(&self, words: &[String]) -> bool {
        let text = format!(
            "{} {} {} {}",
            self.name, self.users, self.description, self.origin
        );
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    }

    /// Returns where it comes from, in a word.
    pub fn origin_word(&self) -> &'static str {
        match &self.origin {
            FileOrigin::BuiltIn => "built-in",
            FileOrigin::Folder(folder) if folder.ends_with(".elenchus/prompts") => "project",
            FileOrigin::Folder(_) => "user",
        }
    }

    /// Returns the path of its file, where it is not built in.
    pub fn location(&self) -> String {
        match &self.origin {
            FileOrigin::BuiltIn => "built in".to_owned(),
            FileOrigin::Folder(folder) => folder.join(&self.file).display().to_string(),
        }
    }

    /// Returns the file that a changed text is written to, below a folder of prompts: a template that
    /// several games take from the built-in ones becomes this game's own.
    pub fn own_file(&self) -> String {
        let built_in = self.origin == FileOrigin::BuiltIn;
        match self.file.strip_prefix(&format!("{SHARED}/")) {
            Some(_) if built_in && is_about_guardrails(&self.name.template) => {
                let file = guardrail_file(&self.name.template);
                format!("{}/{file}", self.name.protocol)
            }
            Some(file) if built_in => format!("{}/{file}", self.name.protocol),
            Some(_) | None => self.file.clone(),
        }
    }
}

fn is_about_guardrails(template: &str) -> bool {
    [DECISION, DERIVATION, REPAIR].contains(&template)
}

/// Describes the users of a template: seats with their stages, judges with their rules.
fn describe_users(protocol: &Protocol, template: &str) -> String {
    let mut who = Vec::new();
    for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
        for seat in &stage.seats {
            if protocol.template_name(stage, seat) == template {
                who.push(format!("{seat} in {}", stage.id));
            }
        }
        let retries = stage.retry.iter();
        if retries
            .flat_map(|rule| &rule.template)
            .any(|name| name == template)
        {
            who.push(format!("a reply sent back in {}", stage.id));
        }
    }
    for judging in protocol.judging.iter().filter(|judging| judging.enabled) {
        let rubric = judging.rubric.as_ref();
        let is_its = rubric.is_some_and(|rubric| template == format!("rubric:{rubric}"));
        if let (true, Some(by)) = (is_its, &judging.by) {
            who.push(format!("{by} for {}", judging.id));
        }
        let repair = judging.repair.as_ref();
        if repair.is_some_and(|repair| repair.template == template) {
            who.push(format!("a judge asked again for {}", judging.id));
        }
    }
    for feedback in &protocol.feedback {
        if feedback.template_name() == template {
            who.push(match &feedback.learner {
                None => format!("{} for the lesson", feedback.by),
                Some(learner) => format!("{} for the lesson of {learner}", feedback.by),
            });
        }
    }
    match template {
        DECISION => {
            let chairs = protocol.judged_chairs().into_iter();
            let seats: BTreeSet<String> = chairs.map(|chair| chair.seat.to_string()).collect();
            let seats = seats.into_iter();
            who.extend(seats.map(|seat| format!("{seat} about guardrails")));
        }
        DERIVATION => who.push("the writer of guardrails, from the lesson".to_owned()),
        REPAIR => who.push("the writer of guardrails, a reply sent back".to_owned()),
        _ => {}
    }
    who.join(", ")
}
