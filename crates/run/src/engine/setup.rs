//! Setup of a debate: checks that the game can be played, the cast can be called and the topic fits. Contacts
//! and creates nothing.

use super::cost::Estimator;
use super::cost::find_unpriced_models;
use super::seats::LinesFromRun;
use super::seats::read_lines;
use super::seats::typed_prices;
use super::seats::{CastRequest, seat_of_person};
use super::seats::{Seats, models_of};
use elenchus_game::debate::event::{Created, FORMAT, MemoryLookup, MemoryUse, Participant};
use elenchus_game::debate::protocol::{SettingValue, Settings};
use elenchus_game::debate::topic::{Document, ReferenceAnswer};
use elenchus_game::debate::{Protocol, SessionId, Topic};
use elenchus_records::library::Game;
use elenchus_records::library::Library;
use elenchus_records::library::software_name;
use elenchus_records::workspace::Clock;
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_records::workspace::memory::namespace_for;
use elenchus_records::workspace::memory::{
    Accepting, check_memory_has_effect, check_memory_is_seen,
};
use elenchus_records::workspace::run::ChairLines;
use elenchus_records::workspace::{CastError, WorkspaceError};
use elenchus_store::Layout;
use elenchus_text::safe_text::{Keep, make_visible};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// Requested game.
#[derive(Debug, Clone)]
pub struct GamePlan<'a> {
    /// A protocol's id, or the path of its file or folder.
    pub protocol: &'a str,
    pub settings: Settings,
    /// Replaces the setting of that name.
    pub rounds: Option<u32>,
    /// Number of named debaters: naming four of them means a game of four, unless the settings
    /// say otherwise.
    pub debaters: usize,
}

impl<'a> GamePlan<'a> {
    /// Returns a game as it is by default.
    pub fn from_protocol(protocol: &'a str) -> Self {
        Self {
            protocol,
            settings: Settings::new(),
            rounds: None,
            debaters: 0,
        }
    }
}

impl GamePlan<'_> {
    /// Reads and rehearses the game.
    ///
    /// # Errors
    /// When there is no such game, a setting is wrong, or a template of any round fails.
    pub fn load_game(&self, library: &Library) -> Result<Game, WorkspaceError> {
        let mut settings = self.settings.clone();
        let protocol = self.protocol;
        // A folder means the protocol in it.
        let within = Path::new(protocol).join("protocol.toml");
        let protocol_file = within.to_str().filter(|_| within.is_file());
        let protocol = protocol_file
            .filter(|_| protocol.contains('/'))
            .unwrap_or(protocol);
        if let Some(rounds) = self.rounds {
            settings.insert("rounds".to_owned(), SettingValue::Integer(rounds.into()));
        }
        let is_file = protocol.ends_with(".toml") || protocol.contains('/');
        if self.debaters > 1 && !settings.contains_key("debaters") && !is_file {
            let definition = library.read_protocol(protocol)?;
            if definition.settings().contains_key("debaters") {
                let count = i64::try_from(self.debaters).unwrap_or(i64::MAX);
                settings.insert("debaters".to_owned(), SettingValue::Integer(count));
            }
        }
        let game = if is_file {
            library.load_game_from_file(Path::new(protocol), &settings)?
        } else {
            library.load_game(protocol, &settings)?
        };
        // A template of the last round must not fail after the others have been paid for.
        let faults = game.list_template_faults();
        if !faults.is_empty() {
            return Err(WorkspaceError::Invalid(format!(
                "protocol '{protocol}' cannot be played; see 'elenchus protocols check {protocol}'\n{}",
                faults.join("\n")
            )));
        }
        Ok(game)
    }
}

/// Presence of a person who can be asked when a human seat is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attendance {
    Somebody,
    Nobody,
}

/// Requested cast and ceiling.
#[derive(Debug, Clone)]
pub struct SeatingPlan<'a> {
    pub cast: &'a CastRequest,
    /// Fills seats that the cast leaves open; `None` where every seat must be named.
    pub default_model: Option<&'a str>,
    pub present: Attendance,
    /// The namespace of long-term memory.
    pub namespace: &'a str,
    /// In US dollars.
    pub budget_usd: Option<f64>,
}

/// Game with its cast.
#[derive(Debug, Clone)]
pub struct SeatedGame {
    pub game: Game,
    pub cast: Vec<Participant>,
    /// Chairs that repeat their turns about the same topic in an earlier run.
    pub run_lines: Vec<LinesFromRun>,
}

impl SeatedGame {
    /// Fills the seats, and checks that every participant can play.
    ///
    /// # Errors
    /// When a seat or model does not exist, a model cannot be called or has no price under a
    /// ceiling, a human seat has no person to ask, or a name or number is invalid.
    pub fn from_plan(
        game: Game,
        plan: &SeatingPlan<'_>,
        seats: &Seats,
        layout: &Layout,
    ) -> Result<Self, WorkspaceError> {
        let mut cast = plan.cast.seat_all(&game, seats, plan.default_model)?;
        plan.cast.check_guardrail_seat(&game)?;
        let run_lines = read_lines(layout, &game, &mut cast)?;
        if let (Attendance::Nobody, Some(seat)) = (plan.present, seat_of_person(&cast)) {
            return Err(CastError::NoTerminal(seat.to_string()).into());
        }
        // A name that is no name is refused before anything is begun.
        layout.memory_path(&namespace_for(plan.namespace, true), "run")?;
        check_budget(plan.budget_usd)?;
        check_models(
            &cast,
            seats,
            CostCeiling::from_budget(plan.budget_usd, &game.protocol),
        )?;
        let rules = game.protocol.judging.iter().filter(|rule| rule.enabled);
        for command in rules.filter_map(|rule| rule.command.as_ref()) {
            seats.graders().find_program(command)?;
        }
        Ok(Self {
            game,
            cast,
            run_lines,
        })
    }

    /// Returns the use of long-term memory: lessons are kept wherever a game
    /// has them written, and shown where that is asked for.
    ///
    /// # Errors
    /// When lessons are to be shown and no seat of the game sees memory.
    pub fn memory_use(
        &self,
        shown: MemoryShown,
        namespace: &str,
    ) -> Result<MemoryUse, WorkspaceError> {
        let is_simulated = self.cast.iter().any(|one| one.player.is_simulated());
        let reads = match shown {
            MemoryShown::Lessons | MemoryShown::Both => true,
            MemoryShown::Nothing | MemoryShown::Guardrails => false,
        };
        if reads {
            check_memory_is_seen(&self.game.protocol)?;
        }
        Ok(MemoryUse {
            reads,
            writes: !self.game.protocol.feedback.is_empty(),
            merges: true,
            namespace: namespace_for(namespace, is_simulated),
            guards: shown.asks_guardrails(),
            as_of: None,
            first: None,
            lookup: (reads || shown.asks_guardrails()).then(MemoryLookup::default),
            given: None,
            given_guards: None,
            learning: None,
            continuous: None,
            guard_examples: None,
        })
    }

    /// Returns the lines of chairs that repeat an earlier run.
    ///
    /// # Errors
    /// When the run has no such debate, or a turn has no line.
    pub fn collect_chair_lines(
        &self,
        layout: &Layout,
        topic: &Topic,
        rollout: u32,
        cast: u32,
    ) -> Result<Vec<ChairLines>, WorkspaceError> {
        let run_lines = self.run_lines.iter();
        let lines = run_lines.map(|said| said.find_lines(layout, &self.game, topic, rollout, cast));
        Ok(lines.collect::<Result<_, _>>()?)
    }

    /// Returns the first event of one debate that is played by itself, with what it will cost.
    ///
    /// # Errors
    /// As [`build_first_event`](Self::build_first_event), and when the memory that is asked for holds nothing that could have
    /// an effect.
    pub fn single_debate(
        &self,
        layout: &Layout,
        clock: Clock,
        debate: DebateInputs,
    ) -> Result<Created, WorkspaceError> {
        let (protocol, now) = (&self.game.protocol, clock.now());
        check_memory_has_effect(layout, protocol, &debate.memory, Accepting::Never, &now)?;
        self.build_first_event(layout, clock, debate)
    }

    /// Returns the first event of one debate about a topic, with what it will cost.
    ///
    /// # Errors
    /// When the topic offers too few options, or a chair has no line for it.
    pub fn build_first_event(
        &self,
        layout: &Layout,
        clock: Clock,
        debate: DebateInputs,
    ) -> Result<Created, WorkspaceError> {
        check_options(&self.game.protocol, [&debate.topic])?;
        let mut cast = self.cast.clone();
        let lines = self.collect_chair_lines(layout, &debate.topic, 0, 0)?;
        ChairLines::hand_out(&lines, &mut cast);
        let game = &self.game;
        let session = SessionId::new(clock.fresh_id());
        let mut created = created_of(game, session, cast, debate);
        Estimator::default().add_estimate(&mut created, game, 0);
        Ok(created)
    }
}

/// Returns the first event of a debate of a game, without what it will cost.
pub fn created_of(
    game: &Game,
    session: SessionId,
    cast: Vec<Participant>,
    debate: DebateInputs,
) -> Created {
    Created {
        format: FORMAT,
        session,
        software: software_name(),
        protocol: game.protocol.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        unpinned: game.unpinned_files(),
        cast,
        topic: debate.topic,
        settings: game.settings.clone(),
        seed: debate.seed,
        memory: debate.memory,
        run: None,
        template_texts: Default::default(),
        estimate: None,
    }
}

/// Inputs of one debate that can differ between debates of one seated game.
#[derive(Debug, Clone)]
pub struct DebateInputs {
    pub topic: Topic,
    pub seed: u64,
    pub memory: MemoryUse,
}

/// Memory shown to seats whose stage sees memory.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, strum::VariantArray, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryShown {
    #[default]
    Nothing,
    /// Lessons of earlier debates, retrieved for the topic.
    Lessons,
    /// No lessons; accepted guardrails are applied.
    Guardrails,
    /// Lessons; accepted guardrails are applied.
    Both,
}

impl MemoryShown {
    /// Every choice, in the order in which they are offered.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the choice that shows these kinds of memory.
    pub fn from_kinds(kinds: &[MemoryKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        match (has(MemoryKind::Textual), has(MemoryKind::Guardrails)) {
            (false, false) => MemoryShown::Nothing,
            (true, false) => MemoryShown::Lessons,
            (false, true) => MemoryShown::Guardrails,
            (true, true) => MemoryShown::Both,
        }
    }

    /// Says whether guardrails are asked.
    pub(super) fn asks_guardrails(self) -> bool {
        match self {
            MemoryShown::Guardrails | MemoryShown::Both => true,
            MemoryShown::Nothing | MemoryShown::Lessons => false,
        }
    }
}

/// Returns a game with the templates for guardrail decisions.
///
/// # Errors
/// When no seat of the game is judged turn by turn, so that none could be refused, or a template
/// cannot be read.
pub fn add_guardrails(game: &Game, library: &Library) -> Result<Game, WorkspaceError> {
    if game.protocol.judged_chairs().is_empty() {
        return Err(WorkspaceError::Invalid(format!(
            "no evaluator of protocol '{}' judges single turns, so there is no seat that a guardrail could keep from speaking: \
             leave 'guardrails' out of the memory, or play a game whose turns are judged, as pred",
            game.protocol.id
        )));
    }
    let game = game.with_guardrails(library)?;
    let faults = game.list_template_faults();
    if !faults.is_empty() {
        return Err(WorkspaceError::Invalid(faults.join("\n")));
    }
    Ok(game)
}

/// Topic typed by a person.
#[derive(Debug, Clone, Default)]
pub struct TypedTopic {
    pub text: String,
    pub documents: Vec<Document>,
    pub options: Vec<String>,
    /// For graders alone.
    pub reference: Option<String>,
}

impl TypedTopic {
    /// Returns the topic; its id is made of its text.
    ///
    /// # Errors
    /// When the text or an option is empty.
    pub fn into_topic(self) -> Result<Topic, WorkspaceError> {
        let text = self.text.trim();
        if text.is_empty() {
            return Err(WorkspaceError::Invalid("the topic is empty".to_owned()));
        }
        if self.options.iter().any(|option| option.trim().is_empty()) {
            return Err(WorkspaceError::Invalid(
                "an --option is empty: give each a text, or leave it out".to_owned(),
            ));
        }
        let digest = Sha256::digest(text.as_bytes());
        let short: String = digest
            .iter()
            .take(6)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let options = self.options.iter().map(|option| option.trim().to_owned());
        Ok(Topic {
            id: format!("typed-{short}"),
            text: text.to_owned(),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: self.reference.map(|answer| ReferenceAnswer {
                answer,
                aliases: Vec::new(),
            }),
            expected: None,
            documents: self.documents,
            options: options.collect(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        })
    }
}

/// Refuses topics that offer fewer options than there are chairs to argue for one.
///
/// # Errors
/// Names the first such topic.
pub fn check_options<'a>(
    protocol: &Protocol,
    topics: impl IntoIterator<Item = &'a Topic>,
) -> Result<(), WorkspaceError> {
    let min_options = protocol.count_needed_options();
    let mut topics = topics.into_iter();
    let Some(topic) = topics.find(|topic| topic.options.len() < min_options) else {
        return Ok(());
    };
    let option_count = match topic.options.len() {
        1 => "1 option".to_owned(),
        count => format!("{count} options"),
    };
    Err(WorkspaceError::Invalid(format!(
        "topic '{}' offers {option_count}, and {min_options} chairs of '{}' are to argue for one each: give it more \
         (--option, or the column 'options' of a dataset), or let the seats choose \
         ('elenchus protocols show {}' tells the setting)",
        make_visible(&topic.id, Keep::Nothing),
        protocol.id,
        protocol.id
    )))
}

/// Refuses an invalid ceiling.
///
/// # Errors
/// When it is negative or no number.
pub fn check_budget(budget_usd: Option<f64>) -> Result<(), WorkspaceError> {
    match budget_usd {
        Some(usd) if !(usd.is_finite() && usd >= 0.0) => Err(WorkspaceError::Invalid(
            "--budget-usd must be 0 or more".to_owned(),
        )),
        Some(_) | None => Ok(()),
    }
}

/// Presence of a ceiling on cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostCeiling {
    None,
    Set,
}

impl CostCeiling {
    /// Says whether a run's or a game's ceiling is set.
    pub fn from_budget(budget_usd: Option<f64>, protocol: &Protocol) -> Self {
        if budget_usd.is_some() || protocol.ceilings.cost_usd.is_some() {
            CostCeiling::Set
        } else {
            CostCeiling::None
        }
    }
}

/// Checks before anything is sent that every model can be called, and has a price where a ceiling needs
/// one.
///
/// # Errors
/// Names the first model that cannot be called, and all that have no price.
pub fn check_models(
    cast: &[Participant],
    seats: &Seats,
    ceiling: CostCeiling,
) -> Result<(), WorkspaceError> {
    let mut unpriced_names = BTreeSet::new();
    for player in models_of(cast) {
        let seat = seats.make_ready(player)?;
        if typed_prices::price_of_settings(&seat.settings).is_none() {
            unpriced_names.insert(player.model.clone());
        }
    }
    if ceiling == CostCeiling::Set && !unpriced_names.is_empty() {
        let players: Vec<_> = models_of(cast).collect();
        let models = unpriced_names.into_iter().collect();
        let unpriced_models = find_unpriced_models(seats.model_table(), &players, models);
        return Err(CastError::Unpriced(Box::new(unpriced_models)).into());
    }
    Ok(())
}
