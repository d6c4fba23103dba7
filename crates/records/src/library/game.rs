//! Game that is ready to be played: every file it needs, read and checked together.

use super::catalogue::Library;
use super::catalogue::rubric_template;
use super::game_labels::{check_labels, value_ties};
use super::json_verdict_form::JsonVerdictForm;
use super::pins::PinError;
use super::verdict_form::VerdictForm;
use super::watched_files::WatchedFile;
use elenchus_game::debate::event::{Created, ModelPlayer, Participant, Player};
use elenchus_game::debate::ids::{Chair, SessionId};
use elenchus_game::debate::protocol::{MAX_CHAIRS, ProtocolError, RoundSet, Settings};
use elenchus_game::debate::topic::{Document, ReferenceAnswer, Topic, Utterance, UtteranceRole};
use elenchus_game::debate::{ListItem, Protocol, State, Step, event};
use elenchus_game::judge::{LabelSetError, Rubric, RubricError};
use elenchus_game::prompt::{
    Engine, JudgeFrame, LabelHint, PromptError, TemplateError, TemplateFault, rehearse_game,
    sample_context,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// Why a game cannot be played.
#[derive(Debug, Clone, Error)]
pub enum GameError {
    #[error("there is no protocol '{id}'; there are {known}")]
    NoSuchProtocol { id: String, known: String },
    #[error("there is no rubric '{name}'; there are {known}")]
    NoSuchRubric { name: String, known: String },
    #[error(
        "{template} is not used: a rubric is two files, and {rubric} is not there; put it there{way}"
    )]
    RubricTemplateAlone {
        template: String,
        rubric: String,
        way: String,
    },
    #[error("there is no label set '{name}'; there are {known}")]
    NoSuchLabelSet { name: String, known: String },
    #[error(transparent)]
    LabelSet(#[from] LabelSetError),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    #[error(transparent)]
    Rubric(#[from] RubricError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(
        "protocol '{protocol}' needs the file {path} in its prompts folder, and it is not there"
    )]
    MissingFile { protocol: String, path: String },
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: String },
    #[error("{file}: {why}")]
    List { file: String, why: String },
    #[error(
        "{giver} has no label '{label}', which protocol '{protocol}' names in {place}; it has {known}"
    )]
    NoSuchLabel {
        giver: String,
        label: String,
        protocol: String,
        place: String,
        known: String,
    },
    #[error(transparent)]
    Pin(#[from] Box<PinError>),
    #[error(
        "rubric '{rubric}' cannot be asked in both orders, as '{judging}' of protocol '{protocol}' \
         is: it needs {what}"
    )]
    OneOrderRubric {
        rubric: String,
        protocol: String,
        judging: String,
        what: String,
    },
    #[error("{place}: {error}")]
    At {
        /// File and line.
        place: String,
        error: Box<GameError>,
    },
}

impl GameError {
    /// Returns the name of the setting that does not fit, where it is about one.
    pub fn setting(&self) -> Option<&str> {
        match self {
            Self::Protocol(
                ProtocolError::UnknownSetting { name, .. }
                | ProtocolError::SettingValue { name, .. },
            ) => Some(name),
            Self::At { error, .. } => error.setting(),
            Self::Protocol(ProtocolError::Text { .. } | ProtocolError::Game(_))
            | Self::NoSuchProtocol { .. }
            | Self::NoSuchRubric { .. }
            | Self::RubricTemplateAlone { .. }
            | Self::NoSuchLabelSet { .. }
            | Self::LabelSet(_)
            | Self::Rubric(_)
            | Self::Prompt(_)
            | Self::MissingFile { .. }
            | Self::Unreadable { .. }
            | Self::List { .. }
            | Self::NoSuchLabel { .. }
            | Self::Pin(_)
            | Self::OneOrderRubric { .. } => None,
        }
    }
}

/// A rehearsal plays this many rounds, or as many as the protocol names: more show nothing new.
const REHEARSED_ROUNDS: u32 = 4;

/// Protocol, templates, rubrics and lists, with the templates compiled.
#[derive(Debug, Clone)]
pub struct Game {
    pub protocol: Protocol,
    pub settings: Settings,
    pub templates: BTreeMap<String, String>,
    /// Where, below a folder of prompts, each template was found; empty for a recorded game.
    pub files: BTreeMap<String, String>,
    /// The files besides templates that the game was read from, as [`Game::files`] names them.
    pub more_files: Vec<String>,
    pub rubric_texts: BTreeMap<String, String>,
    pub rubrics: Arc<BTreeMap<String, Rubric>>,
    pub lists: BTreeMap<String, Vec<ListItem>>,
    pub engine: Arc<Engine>,
    /// Files that can be pinned, where the game was read to be played.
    pub(super) watched: Vec<WatchedFile>,
    /// What a session that it was read back from says was not pinned.
    pub(super) unpinned_before: BTreeMap<String, String>,
}

/// Parts of a game besides its protocol.
#[derive(Debug, Clone, Default)]
pub struct GameParts {
    /// Texts by name.
    pub templates: BTreeMap<String, String>,
    /// Where, below a folder of prompts, each template was found.
    pub files: BTreeMap<String, String>,
    /// The same for rubrics and lists.
    pub more_files: Vec<String>,
    pub rubric_texts: BTreeMap<String, String>,
    pub rubrics: BTreeMap<String, Rubric>,
    pub lists: BTreeMap<String, Vec<ListItem>>,
}

impl Game {
    /// Puts a game together.
    ///
    /// # Errors
    /// When a template cannot be compiled, or the protocol names a label no rubric has.
    pub fn new(
        mut protocol: Protocol,
        settings: Settings,
        parts: GameParts,
    ) -> Result<Self, GameError> {
        let engine = Engine::new(&parts.templates)
            .map_err(|error| name_template_file(&parts.files, error))?;
        check_labels(&protocol, &parts.rubrics)?;
        value_ties(&mut protocol, &parts.rubrics);
        Ok(Self {
            protocol,
            settings,
            templates: parts.templates,
            files: parts.files,
            more_files: parts.more_files,
            rubric_texts: parts.rubric_texts,
            rubrics: Arc::new(parts.rubrics),
            lists: parts.lists,
            engine: Arc::new(engine),
            watched: Vec::new(),
            unpinned_before: BTreeMap::new(),
        })
    }

    /// Reads the game back from a session's first event.
    ///
    /// # Errors
    /// When a recorded template or rubric cannot be compiled by this version.
    pub fn from_created(created: &Created) -> Result<Self, GameError> {
        let rubrics = created
            .rubrics
            .iter()
            .map(|(name, text)| Ok((name.clone(), Rubric::parse(name, text)?)))
            .collect::<Result<BTreeMap<_, _>, RubricError>>()?;
        let game = Self::new(
            created.protocol.clone(),
            created.settings.clone(),
            GameParts {
                templates: created.templates.clone(),
                // What a session holds comes from no file.
                files: BTreeMap::new(),
                more_files: Vec::new(),
                rubric_texts: created.rubrics.clone(),
                rubrics,
                lists: created.lists.clone(),
            },
        )?;
        Ok(Self {
            unpinned_before: created.unpinned.clone(),
            ..game
        })
    }

    /// Returns the text of a rubric's template.
    pub fn rubric_template(&self, rubric: &str) -> Option<&str> {
        self.templates
            .get(&rubric_template(rubric))
            .map(String::as_str)
    }

    /// Says whether the game holds what is asked about guardrails.
    fn has_guardrails(&self) -> bool {
        self.templates.contains_key(elenchus_game::prompt::DECISION)
    }

    /// Returns the game with what is asked about guardrails.
    ///
    /// # Errors
    /// When a template cannot be read or compiled.
    pub fn with_guardrails(&self, library: &Library) -> Result<Self, GameError> {
        let mut game = self.clone();
        for template in library.guardrail_templates(&self.protocol.id)? {
            let name = template.name.to_owned();
            game.templates.insert(name.clone(), template.text);
            game.files.insert(name, template.file);
        }
        let engine = Engine::new(&game.templates);
        game.engine = Arc::new(engine.map_err(|error| name_template_file(&game.files, error))?);
        Ok(game)
    }

    /// Returns the game with another text of one of its templates.
    ///
    /// # Errors
    /// When it has no such template, or the text cannot be compiled.
    pub fn with_template(&self, name: &str, text: &str) -> Result<Self, GameError> {
        let mut game = self.clone();
        let Some(template) = game.templates.get_mut(name) else {
            return Err(PromptError::NoTemplate(name.to_owned()).into());
        };
        text.clone_into(template);
        if let Some(file) = game.files.get(name).cloned() {
            game.update_hash(&file, text);
        }
        let engine = Engine::new(&game.templates);
        game.engine = Arc::new(engine.map_err(|error| name_template_file(&game.files, error))?);
        Ok(game)
    }

    /// Says whether a file, as [`Game::files`] names it, is one that the game was read from.
    pub(super) fn plays_with(&self, file: &str) -> bool {
        let mut files = self.files.values().chain(&self.more_files);
        files.any(|known| known == file)
    }

    /// Returns what a rubric asks of its judge's view.
    pub fn judge_frame(&self, rubric: &str) -> Option<JudgeFrame> {
        let definition = self.rubrics.get(rubric)?;
        Some(definition.judge_frame(&rubric_template(rubric)))
    }

    /// Returns the labels of a rubric that a person may give by their words alone; none where the
    /// rubric's replies hold more than a label.
    pub fn labels_of_people(&self, rubric: &str) -> Vec<LabelHint> {
        let whole = |found: &Rubric| match super::verdict_form::form_of_rubric(found) {
            VerdictForm::Whole => true,
            VerdictForm::Label | VerdictForm::LabelAfterReasons => false,
        };
        let definition = self.rubrics.get(rubric).filter(|found| !whole(found));
        definition.map_or_else(Vec::new, |found| found.label_hints())
    }

    /// Returns the form in which a person gives a verdict of a rubric whose replies are objects;
    /// none where a label, or reasons and a label, are enough.
    pub fn form_of_people(&self, rubric: &str) -> Option<JsonVerdictForm> {
        let definition = self.rubrics.get(rubric)?;
        match super::verdict_form::form_of_rubric(definition) {
            VerdictForm::Whole => JsonVerdictForm::from_rubric(definition),
            VerdictForm::Label | VerdictForm::LabelAfterReasons => None,
        }
    }

    /// Renders every template on sample data and says what is wrong with them.
    pub fn list_template_faults(&self) -> Vec<String> {
        let faults = self.rehearse_templates();
        faults.iter().map(ToString::to_string).collect()
    }

    /// Renders every template on sample data and returns what is wrong with them.
    pub fn rehearse_templates(&self) -> Vec<TemplateFault> {
        let frames = self
            .rubrics
            .iter()
            .map(|(name, rubric)| (name.clone(), rubric.judge_frame(&rubric_template(name))))
            .collect();
        let mut sample = self.sample_session();
        let rounds = &mut sample.protocol.rounds;
        *rounds = (*rounds).min(last_named_round(&self.protocol).max(REHEARSED_ROUNDS));
        let faults = rehearse_game(&sample, &self.engine, &frames).into_iter();
        faults
            .map(|fault| TemplateFault {
                error: name_template_file(&self.files, fault.error),
                ..fault
            })
            .collect()
    }

    /// Returns the last moment of the game on sample data at which a template is used.
    pub fn sample_context(&self, template: &str) -> Option<(State, Step)> {
        let frames = self.rubrics.iter();
        let frames = frames
            .map(|(name, rubric)| (name.clone(), rubric.judge_frame(&rubric_template(name))))
            .collect();
        sample_context(&self.sample_session(), &self.engine, &frames, template)
    }

    /// Returns every chair of the game, in the order of its seats.
    pub fn list_chairs(&self) -> Vec<Chair> {
        self.protocol
            .seats
            .iter()
            .flat_map(|seat| {
                (0..seat.count).map(|index| Chair {
                    seat: seat.id.clone(),
                    index,
                })
            })
            .collect()
    }

    pub(crate) fn sample_session(&self) -> Created {
        let utterance = |role, text: &str| Utterance {
            role,
            text: text.to_owned(),
        };
        Created {
            format: event::FORMAT,
            session: SessionId::new("sample"),
            software: String::new(),
            protocol: self.protocol.clone(),
            templates: self.templates.clone(),
            rubrics: self.rubric_texts.clone(),
            lists: self.lists.clone(),
            unpinned: self.unpinned_files(),
            cast: self
                .list_chairs()
                .into_iter()
                .map(|chair| Participant {
                    chair,
                    player: Player::Model(ModelPlayer {
                        model: "sample".to_owned(),
                        provider: String::new(),
                        name: "sample".to_owned(),
                        family: None,
                        version: None,
                        simulated: true,
                        settings: serde_json::Value::Null,
                        adapter: None,
                    }),
                    persona: None,
                })
                .collect(),
            topic: Topic {
                id: "sample".to_owned(),
                text: "Is this a sample topic?".to_owned(),
                category: Some("sample".to_owned()),
                conversation: vec![
                    utterance(UtteranceRole::User, "An earlier question."),
                    utterance(UtteranceRole::Assistant, "An earlier answer."),
                ],
                context: Some("What the topic is about.".to_owned()),
                reference: Some(ReferenceAnswer {
                    answer: "yes".to_owned(),
                    aliases: Vec::new(),
                }),
                expected: None,
                documents: vec![Document {
                    name: "sample.txt".to_owned(),
                    text: "A document.".to_owned(),
                }],
                options: (1..=MAX_CHAIRS)
                    .map(|number| format!("sample option {number}"))
                    .collect(),
                level: None,
                needs_hash_check: false,
                dataset: None,
            },
            settings: self.settings.clone(),
            seed: 0,
            memory: event::MemoryUse {
                reads: true,
                writes: false,
                guards: self.has_guardrails(),
                ..event::MemoryUse::default()
            },
            run: None,
            template_texts: Default::default(),
            estimate: None,
        }
    }
}

/// Returns the latest round that the protocol names by its number.
pub fn last_named_round(protocol: &Protocol) -> u32 {
    let of = |set: &RoundSet| match set {
        RoundSet::List(list) => list.iter().copied().max().unwrap_or(0),
        RoundSet::Named(_) => 0,
    };
    let stages = protocol.stages.iter().map(|stage| of(&stage.rounds));
    let turns = protocol.judging.iter().flat_map(|judging| &judging.turns);
    stages
        .chain(turns.map(|turns| of(&turns.rounds)))
        .max()
        .unwrap_or(0)
}

/// Names the file of a template instead of the name that it has inside.
fn name_template_file(files: &BTreeMap<String, String>, error: PromptError) -> PromptError {
    let file = |template: &str| {
        let path = files.get(template).cloned();
        path.unwrap_or_else(|| template.to_owned())
    };
    match error {
        PromptError::File(error) => PromptError::File(TemplateError {
            name: file(&error.name),
            ..error
        }),
        PromptError::Render {
            template,
            line,
            why,
        } => PromptError::Render {
            template: file(&template),
            line,
            why,
        },
        PromptError::MarkLost { template, line } => PromptError::MarkLost {
            template: file(&template),
            line,
        },
        PromptError::NoTemplate(template) => PromptError::NoTemplate(file(&template)),
        PromptError::NoUserSection(template) => PromptError::NoUserSection(file(&template)),
        PromptError::NotBegun => PromptError::NotBegun,
        PromptError::NoSuchPlace(place) => PromptError::NoSuchPlace(place),
    }
}
