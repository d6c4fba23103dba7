//! What every debate needs before it begins: a game that can be played, a cast that can be called,
//! a topic that fits. Contacts nothing and creates nothing.

use super::cast::{CastRequest, seat_of_person};
use super::clock::Clock;
use super::error::{CastError, DriverError};
use super::estimate::estimate;
use super::fixed::read_lines;
use super::game::Game;
use super::library::Library;
use super::memory_book::namespace_for;
use super::memory_seen::check_memory_is_seen;
use super::price;
use super::run_event::ChairLines;
use super::said::FromRun;
use super::seats::{Seats, models_of};
use super::unpriced::Unpriced;
use crate::debate::event::{Created, FORMAT, MemoryUse, Participant, Player};
use crate::debate::protocol::{SettingValue, Settings};
use crate::debate::topic::{Document, Reference};
use crate::debate::{Protocol, SessionId, Topic};
use crate::exchange::text::{Keep, visible};
use crate::store::Layout;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// A game as it is asked for.
#[derive(Debug, Clone)]
pub struct GamePlan<'a> {
    /// A protocol's id, or the path of its file or folder.
    pub protocol: &'a str,
    pub settings: Settings,
    /// Replaces the setting of that name.
    pub rounds: Option<u32>,
    /// How many debaters are named: naming four of them means a game of four, unless the settings
    /// say otherwise.
    pub debaters: usize,
}

impl GamePlan<'_> {
    /// Reads and rehearses the game.
    ///
    /// # Errors
    /// When there is no such game, a setting is wrong, or a template of any round fails.
    pub fn game(&self, library: &Library) -> Result<Game, DriverError> {
        let mut settings = self.settings.clone();
        let protocol = self.protocol;
        // A folder stands for the protocol in it.
        let within = Path::new(protocol).join("protocol.toml");
        let named = within.to_str().filter(|_| within.is_file());
        let protocol = named.filter(|_| protocol.contains('/')).unwrap_or(protocol);
        if let Some(rounds) = self.rounds {
            settings.insert("rounds".to_owned(), SettingValue::Integer(rounds.into()));
        }
        let is_file = protocol.ends_with(".toml") || protocol.contains('/');
        if self.debaters > 1 && !settings.contains_key("debaters") && !is_file {
            let declared = library.protocol(protocol)?;
            if declared.settings().contains_key("debaters") {
                let count = i64::try_from(self.debaters).unwrap_or(i64::MAX);
                settings.insert("debaters".to_owned(), SettingValue::Integer(count));
            }
        }
        let game = if is_file {
            library.game_from_file(Path::new(protocol), &settings)?
        } else {
            library.game(protocol, &settings)?
        };
        // A template of the last round must not fail after the others have been paid for.
        let faults: Vec<String> = game.rehearse().iter().map(ToString::to_string).collect();
        if !faults.is_empty() {
            return Err(DriverError::Invalid(format!(
                "protocol '{protocol}' cannot be played; 'elenchus protocols check {protocol}' tells more\n{}",
                faults.join("\n")
            )));
        }
        Ok(game)
    }
}

/// Whether somebody is there to be asked when a person's seat is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    Somebody,
    Nobody,
}

/// Who is to play, and under which ceiling.
#[derive(Debug, Clone)]
pub struct PartyPlan<'a> {
    pub cast: &'a CastRequest,
    /// Sits where the cast names nobody; none where somebody must be named.
    pub default_model: Option<&'a str>,
    pub present: Present,
    /// The namespace of long-term memory.
    pub namespace: &'a str,
    /// In US dollars.
    pub budget_usd: Option<f64>,
}

/// A game and who plays it.
#[derive(Debug, Clone)]
pub struct Party {
    pub game: Game,
    pub cast: Vec<Participant>,
    /// Chairs that say what was said about the same topic in an earlier run.
    pub said: Vec<FromRun>,
}

impl Party {
    /// Seats everybody, and finds out whether they can play.
    ///
    /// # Errors
    /// When a seat or model does not exist, a model cannot be called or has no price under a
    /// ceiling, a person's seat has nobody to ask, or a name or number is none.
    pub fn gather(
        game: Game,
        plan: &PartyPlan<'_>,
        seats: &Seats,
        layout: &Layout,
    ) -> Result<Self, DriverError> {
        let mut cast = plan.cast.seat_all(&game, seats, plan.default_model)?;
        let said = read_lines(layout, &game, &mut cast)?;
        if let (Present::Nobody, Some(seat)) = (plan.present, seat_of_person(&cast)) {
            return Err(CastError::NoTerminal(seat.to_string()).into());
        }
        // A name that is no name is refused before anything is begun.
        layout.memory(&namespace_for(plan.namespace, true), "run")?;
        check_budget(plan.budget_usd)?;
        make_ready(&cast, seats, Ceiling::of(plan.budget_usd, &game.protocol))?;
        Ok(Self { game, cast, said })
    }

    /// Returns what a debate reads and writes of long-term memory: lessons are kept wherever a game
    /// has them written, and shown where that is asked for.
    ///
    /// # Errors
    /// When lessons are to be shown and no seat of the game sees memory.
    pub fn memory_use(&self, shown: Shown, namespace: &str) -> Result<MemoryUse, DriverError> {
        let simulated = self
            .cast
            .iter()
            .any(|participant| match &participant.player {
                Player::Model(model) => model.simulated,
                Player::Human { .. } | Player::Fixed(_) => false,
            });
        let reads = match shown {
            Shown::Lessons | Shown::Both => true,
            Shown::Nothing | Shown::Guardrails => false,
        };
        if reads {
            check_memory_is_seen(&self.game.protocol)?;
        }
        Ok(MemoryUse {
            reads,
            writes: self.game.protocol.feedback.is_some(),
            merges: true,
            namespace: namespace_for(namespace, simulated),
            guards: shown.asks_guardrails(),
            as_of: None,
            given: None,
            given_guards: None,
            learning: None,
        })
    }

    /// Returns what chairs say about a topic that they said in an earlier run.
    ///
    /// # Errors
    /// When the run has no such debate, or a turn has no line.
    pub fn lines(
        &self,
        layout: &Layout,
        topic: &Topic,
        rollout: u32,
        cast: u32,
    ) -> Result<Vec<ChairLines>, DriverError> {
        let said = self.said.iter();
        let lines = said.map(|said| said.lines(layout, &self.game, topic, rollout, cast));
        Ok(lines.collect::<Result<_, _>>()?)
    }

    /// Returns the first event of one debate about a topic, with what it will cost.
    ///
    /// # Errors
    /// When the topic offers too few options, or a chair has no line for it.
    pub fn created(
        &self,
        layout: &Layout,
        clock: Clock,
        debate: OneDebate,
    ) -> Result<Created, DriverError> {
        check_options(&self.game.protocol, [&debate.topic])?;
        let mut cast = self.cast.clone();
        let lines = self.lines(layout, &debate.topic, 0, 0)?;
        ChairLines::hand_out(&lines, &mut cast);
        let game = &self.game;
        let mut created = Created {
            format: FORMAT,
            session: SessionId::new(clock.fresh_id()),
            software: software(),
            protocol: game.protocol.clone(),
            templates: game.templates.clone(),
            rubrics: game.rubric_texts.clone(),
            lists: game.lists.clone(),
            cast,
            topic: debate.topic,
            settings: game.settings.clone(),
            seed: debate.seed,
            memory: debate.memory,
            run: None,
            estimate: None,
        };
        created.estimate = estimate(&created, game);
        Ok(created)
    }
}

/// What one debate has that others of its party need not have.
#[derive(Debug, Clone)]
pub struct OneDebate {
    pub topic: Topic,
    pub seed: u64,
    pub memory: MemoryUse,
}

/// What seats whose stage sees memory are shown of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    #[default]
    Nothing,
    /// Lessons of earlier debates, retrieved for the topic.
    Lessons,
    /// Nothing, and what was accepted as harmful is refused.
    Guardrails,
    /// Lessons, and what was accepted as harmful is refused.
    Both,
}

impl Shown {
    /// Returns what kinds of memory come to.
    pub fn of(kinds: &[MemoryKind]) -> Self {
        let has = |kind| kinds.contains(&kind);
        match (has(MemoryKind::Textual), has(MemoryKind::Guardrails)) {
            (false, false) => Shown::Nothing,
            (true, false) => Shown::Lessons,
            (false, true) => Shown::Guardrails,
            (true, true) => Shown::Both,
        }
    }

    /// Returns the next choice of a person who goes through all of them.
    pub fn next(self) -> Self {
        match self {
            Shown::Nothing => Shown::Lessons,
            Shown::Lessons => Shown::Guardrails,
            Shown::Guardrails => Shown::Both,
            Shown::Both => Shown::Nothing,
        }
    }

    /// Says whether guardrails are asked.
    pub fn asks_guardrails(self) -> bool {
        match self {
            Shown::Guardrails | Shown::Both => true,
            Shown::Nothing | Shown::Lessons => false,
        }
    }
}

/// A kind of long-term memory, as it is asked for and kept in a run's manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Lessons as text, the nearest to the topic.
    Textual,
    /// Intents that are refused before a debater answers.
    Guardrails,
}

impl MemoryKind {
    /// Every kind.
    pub const ALL: [MemoryKind; 2] = [MemoryKind::Textual, MemoryKind::Guardrails];

    /// Returns the name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Textual => "textual",
            MemoryKind::Guardrails => "guardrails",
        }
    }

    /// Reads a name; `None` for one that no kind has.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Returns a game with what is asked about guardrails.
///
/// # Errors
/// When no seat of the game is judged turn by turn, so that none could be refused, or a template
/// cannot be read.
pub fn guarded(game: &Game, library: &Library) -> Result<Game, DriverError> {
    if game.protocol.judged_chairs().is_empty() {
        return Err(DriverError::Invalid(format!(
            "no evaluator of protocol '{}' judges single turns, so there is no seat that a guardrail could keep from speaking: \
             leave 'guardrails' out of the memory, or play a game whose turns are judged, as pred",
            game.protocol.id
        )));
    }
    let game = game.with_guardrails(library)?;
    let faults: Vec<String> = game.rehearse().iter().map(ToString::to_string).collect();
    if !faults.is_empty() {
        return Err(DriverError::Invalid(faults.join("\n")));
    }
    Ok(game)
}

/// A topic as it is typed.
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
    pub fn topic(self) -> Result<Topic, DriverError> {
        let text = self.text.trim();
        if text.is_empty() {
            return Err(DriverError::Invalid("the topic is empty".to_owned()));
        }
        if self.options.iter().any(|option| option.trim().is_empty()) {
            return Err(DriverError::Invalid(
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
            reference: self.reference.map(|answer| Reference {
                answer,
                aliases: Vec::new(),
            }),
            expected: None,
            documents: self.documents,
            options: options.collect(),
            level: None,
            needs_hash_check: false,
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
) -> Result<(), DriverError> {
    let needed = protocol.options_needed();
    let mut topics = topics.into_iter();
    let Some(topic) = topics.find(|topic| topic.options.len() < needed) else {
        return Ok(());
    };
    let offered = match topic.options.len() {
        1 => "1 option".to_owned(),
        count => format!("{count} options"),
    };
    Err(DriverError::Invalid(format!(
        "topic '{}' offers {offered}, and {needed} chairs of '{}' are to argue for one each: give it more \
         (--option, or the column 'options' of a dataset), or let the seats choose \
         ('elenchus protocols show {}' tells the setting)",
        visible(&topic.id, Keep::Nothing),
        protocol.id,
        protocol.id
    )))
}

/// Refuses a ceiling that cannot be meant.
///
/// # Errors
/// When it is negative or no number.
pub fn check_budget(budget_usd: Option<f64>) -> Result<(), DriverError> {
    match budget_usd {
        Some(usd) if !(usd.is_finite() && usd >= 0.0) => Err(DriverError::Invalid(
            "--budget-usd must be 0 or more".to_owned(),
        )),
        Some(_) | None => Ok(()),
    }
}

/// Whether anything is to be held to a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    None,
    Set,
}

impl Ceiling {
    /// Says whether a run's or a game's ceiling is set.
    pub fn of(budget_usd: Option<f64>, protocol: &Protocol) -> Self {
        if budget_usd.is_some() || protocol.ceilings.cost_usd.is_some() {
            Ceiling::Set
        } else {
            Ceiling::None
        }
    }
}

/// Finds out before anything is paid for whether every model can be called, and has a price where
/// a ceiling needs one.
///
/// # Errors
/// Names the first model that cannot be called, and all that have no price.
pub fn make_ready(
    cast: &[Participant],
    seats: &Seats,
    ceiling: Ceiling,
) -> Result<(), DriverError> {
    let mut unpriced = BTreeSet::new();
    for player in models_of(cast) {
        let seat = seats.seat(player)?;
        if price::configured(&seat.settings).is_none() {
            unpriced.insert(player.model.clone());
        }
    }
    if ceiling == Ceiling::Set && !unpriced.is_empty() {
        let players: Vec<_> = models_of(cast).collect();
        let models = unpriced.into_iter().collect();
        let unpriced = Unpriced::of(seats.table(), &players, models);
        return Err(CastError::Unpriced(Box::new(unpriced)).into());
    }
    Ok(())
}

/// Names the program and version that writes journals.
pub fn software() -> String {
    concat!("elenchus ", env!("CARGO_PKG_VERSION")).to_owned()
}
