//! Families of models by their names, and judges and critics that share a model or a family with a seat they judge
//! or attack.
//!
//! A judge overlooks its own kind of error in others, and so does a critic: a model that judges its own turns, or
//! those of its family, is reported wherever its verdicts are asked for or counted (FIGURES 11), and one that
//! criticises them wherever the debate is. The finding is derived from a cast and never stored. The table is data,
//! `families.toml` next to the protocols.

use super::{GameError, Library, RECORDED_PROVIDER, matches_patterns, parse_table};
use elenchus_game::debate::event::{ModelPlayer, Participant};
use elenchus_game::debate::protocol::{JudgedThing, Judging, SeatKind, TargetSelector};
use elenchus_game::debate::{Protocol, SeatId};
use elenchus_text::safe_text::{Keep, make_visible};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The file, next to the protocols, with the family of each name.
const FAMILIES: &str = "families.toml";
/// The most seats that a sentence names.
const MAX_SEATS: usize = 6;
/// The most characters of a name that a sentence shows.
const MAX_NAME_CHARS: usize = 80;

/// The families that are known.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFamilies {
    families: Vec<Family>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    name: String,
    /// Words that its names hold, one after the other.
    models: Vec<String>,
    /// Words that names of others hold.
    #[serde(default)]
    except: Vec<String>,
}

/// A judge or a critic that shares a model, or the family of one, with speakers whose turns it judges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SelfJudging {
    /// The judge's or the critic's seat.
    pub judge: SeatId,
    /// What it does with what they say.
    pub role: KinRole,
    speakers: BTreeSet<SeatId>,
    shared: Shared,
}

/// What a seat does with the turns of its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KinRole {
    /// It gives verdicts on them.
    Judges,
    /// It speaks against them.
    Criticises,
}

/// Model or family that two players share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    /// They are one: the name that is sent to the server.
    Model(String),
    /// They are of one family: its name.
    Family(String),
}

impl Library {
    /// Reads which families of models are known.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn read_families(&self) -> Result<ModelFamilies, GameError> {
        match self.find_file(FAMILIES)? {
            Some(found) => ModelFamilies::parse(&found.name, &found.text),
            None => Ok(ModelFamilies::default()),
        }
    }
}

impl ModelFamilies {
    /// Reads the text of the table. `file` is the name that errors give.
    ///
    /// # Errors
    /// When the text does not fit the format.
    pub fn parse(file: &str, text: &str) -> Result<Self, GameError> {
        parse_table(file, text)
    }

    /// Returns the families of a model: the configured one, else those that its name belongs to, in the
    /// order of the table; none for an unknown name.
    pub fn families_of(&self, player: &ModelPlayer) -> Vec<String> {
        self.families_by(&ModelNames::from_player(player))
    }

    fn families_by(&self, names: &ModelNames) -> Vec<String> {
        if let Some(configured_family) = &names.family {
            let family = configured_family.trim().to_lowercase();
            return Vec::from_iter((!family.is_empty()).then_some(family));
        }
        let name_families = self.match_name(&names.name);
        match name_families.is_empty() {
            true => self.match_name(&names.model),
            false => name_families,
        }
    }

    /// Matches the last part of a path first: the parts before it are a publisher's name or a folder's.
    fn match_name(&self, name: &str) -> Vec<String> {
        let last = name.trim_end_matches('/').rsplit('/').next();
        let families = self.match_families(last.unwrap_or(name));
        match families.is_empty() {
            true => self.match_families(name),
            false => families,
        }
    }

    fn match_families(&self, name: &str) -> Vec<String> {
        let families = self.families.iter();
        let families =
            families.filter(|family| matches_patterns(name, &family.models, &family.except));
        families.map(|family| family.name.clone()).collect()
    }

    /// Returns what two models share; `None` where that is not known.
    fn find_shared_model(&self, one: &ModelNames, other: &ModelNames) -> Option<Shared> {
        if one.name.eq_ignore_ascii_case(&other.name) {
            return Some(Shared::Model(one.name.clone()));
        }
        let others = self.families_by(other);
        let first = self
            .families_by(one)
            .into_iter()
            .find(|own| others.contains(own));
        first.map(Shared::Family)
    }

    /// Says whether two models are one or of one family.
    pub fn are_kin(&self, one: &ModelPlayer, other: &ModelPlayer) -> bool {
        is_known_model(one)
            && is_known_model(other)
            && (self.find_shared_model(
                &ModelNames::from_player(one),
                &ModelNames::from_player(other),
            ))
            .is_some()
    }

    /// Returns which judges and critics of a game share a model or a family with a seat that they judge or attack.
    pub fn self_judging(&self, protocol: &Protocol, cast: &[Participant]) -> Vec<SelfJudging> {
        self.self_judging_among(&JudgedModels::from_cast(protocol, cast))
    }

    /// As [`self_judging`](Self::self_judging), of what was found of a game earlier.
    pub fn self_judging_among(&self, models: &JudgedModels) -> Vec<SelfJudging> {
        let mut pairs = Pairs::default();
        for (role, seat, judge, speaker, player) in &models.0 {
            if let Some(common) = self.find_shared_model(judge, player) {
                pairs.add_speaker((*role, seat), common, speaker);
            }
        }
        pairs.into_self_judging()
    }
}

/// Says whether something is known of a model by its name: it is not simulated and replays no recording.
fn is_known_model(player: &ModelPlayer) -> bool {
    !player.simulated && player.provider != RECORDED_PROVIDER && !player.name.is_empty()
}

/// What tells which model one is, and of which families.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct ModelNames {
    name: String,
    model: String,
    /// As configured.
    family: Option<String>,
}

impl ModelNames {
    fn from_player(player: &ModelPlayer) -> Self {
        Self {
            // An adapter is its base still, to a judge of that base.
            name: player.adapter.as_deref().map_or_else(
                || player.name.clone(),
                |_| served_base_name(player).to_owned(),
            ),
            model: player.model.clone(),
            family: player.family.clone(),
        }
    }
}

/// Returns what a model's server calls the base of its adapter.
fn served_base_name(player: &ModelPlayer) -> &str {
    let name = player.settings.pointer("/server/model/name");
    name.and_then(|name| name.as_str()).unwrap_or(&player.name)
}

/// The models of a game's judges and critics, each with one that it judges or attacks and the seats of both: all
/// that [`ModelFamilies::self_judging`] asks of a game, whichever families are known.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JudgedModels(BTreeSet<(KinRole, SeatId, ModelNames, SeatId, ModelNames)>);

impl JudgedModels {
    /// Finds them in a game and its cast.
    pub fn from_cast(protocol: &Protocol, cast: &[Participant]) -> Self {
        let mut models = BTreeSet::new();
        let mut add_pairs = |role: KinRole, by: &BTreeSet<&SeatId>, of: &BTreeSet<&SeatId>| {
            for (seat, judge) in models_on(cast, by) {
                models.extend(models_on(cast, of).map(|(speaker, player)| {
                    let (judge, player) = (
                        ModelNames::from_player(judge),
                        ModelNames::from_player(player),
                    );
                    (role, seat.clone(), judge, speaker.clone(), player)
                }));
            }
        };
        for rule in protocol.judging.iter().filter(|rule| rule.enabled) {
            if let Some(by) = &rule.by {
                let target_seats = judged_seats(protocol, rule);
                add_pairs(KinRole::Judges, &BTreeSet::from([by]), &target_seats);
            }
        }
        if let Some(sides) = protocol.find_sides() {
            let (critics, proposers) = (sides.critics.iter(), sides.proposers.iter());
            add_pairs(
                KinRole::Criticises,
                &critics.collect(),
                &proposers.collect(),
            );
        }
        Self(models)
    }
}

fn selected_seats<'a>(turns: impl Iterator<Item = &'a TargetSelector>) -> BTreeSet<&'a SeatId> {
    turns.flat_map(|turns| &turns.seats).collect()
}

/// The seats that share something with a judge or a critic, by that and by what is shared.
#[derive(Default)]
struct Pairs(BTreeMap<(KinRole, SeatId, Shared), BTreeSet<SeatId>>);

impl Pairs {
    fn add_speaker(&mut self, (role, judge): (KinRole, &SeatId), shared: Shared, speaker: &SeatId) {
        let key = (role, judge.clone(), shared);
        self.0.entry(key).or_default().insert(speaker.clone());
    }

    fn into_self_judging(self) -> Vec<SelfJudging> {
        let pairs = self.0.into_iter();
        let sentences = pairs.map(|((role, judge, shared), speakers)| SelfJudging {
            judge,
            role,
            speakers,
            shared,
        });
        sentences.collect()
    }
}

/// Returns the seats that a rule judges; of a round or a debate, all its speakers.
fn judged_seats<'a>(protocol: &'a Protocol, rule: &'a Judging) -> BTreeSet<&'a SeatId> {
    match rule.of {
        JudgedThing::Turn => selected_seats(rule.turns.iter()),
        JudgedThing::Round | JudgedThing::Debate => speaker_seats(protocol).collect(),
    }
}

fn speaker_seats(protocol: &Protocol) -> impl Iterator<Item = &SeatId> {
    let seats = protocol.seats.iter();
    let speakers = seats.filter(|seat| seat.kind == SeatKind::Speaker);
    speakers.map(|seat| &seat.id)
}

fn models_on<'a>(
    cast: &'a [Participant],
    seats: &BTreeSet<&SeatId>,
) -> impl Iterator<Item = (&'a SeatId, &'a ModelPlayer)> {
    let participants = cast.iter();
    let participants = participants.filter(|participant| seats.contains(&participant.chair.seat));
    let models = participants
        .filter_map(|participant| Some((&participant.chair.seat, participant.player.as_model()?)));
    models.filter(|(_, player)| is_known_model(player))
}

impl SelfJudging {
    /// Returns the same with another name for the judge's seat.
    pub(crate) fn with_judge(self, judge: SeatId) -> Self {
        Self { judge, ..self }
    }

    /// Describes it for the setup of a debate, with the remedy.
    pub fn describe_advice(&self) -> String {
        let judge = shorten_name(self.judge.as_str());
        format!("{self}; seat another model as {judge}")
    }

    /// Returns the option of a command that seats another model as this judge.
    pub fn format_option(&self) -> String {
        match self.judge.as_str() {
            seat @ ("evaluator" | "judge") => format!("--{seat} OTHER"),
            seat => format!("--seat {}=OTHER", shorten_name(seat)),
        }
    }
}

impl fmt::Display for SelfJudging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let judge = shorten_name(self.judge.as_str());
        let seats = self.speakers.iter().take(MAX_SEATS);
        let mut seats: Vec<String> = seats.map(|seat| shorten_name(seat.as_str())).collect();
        if self.speakers.len() > MAX_SEATS {
            seats.push("others".to_owned());
        }
        let last = seats.pop().unwrap_or_default();
        let beginning: String = seats.iter().map(|seat| format!(", {seat}")).collect();
        write!(f, "{judge}{beginning} and {last} are ")?;
        match &self.shared {
            Shared::Model(name) => write!(
                f,
                "the same model ({}): it {} itself; expect shared errors",
                shorten_name(name),
                match self.role {
                    KinRole::Judges => "judges",
                    KinRole::Criticises => "criticises",
                }
            ),
            Shared::Family(name) => {
                write!(
                    f,
                    "of one family ({}): expect shared errors",
                    shorten_name(name)
                )
            }
        }
    }
}

fn shorten_name(name: &str) -> String {
    let mut text: String = name.chars().take(MAX_NAME_CHARS).collect();
    if text.len() < name.len() {
        text.push('…');
    }
    make_visible(&text, Keep::Nothing).into_owned()
}
