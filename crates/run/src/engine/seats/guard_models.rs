//! Guard models by name, each with the rubric that asks it in its own format.
//!
//! A guard model is trained on one format. Asked in another it still answers, and the reply would be read as a
//! verdict that it never gave. The table is data: `guards.toml`, next to the protocols.

use super::cast::CastRequest;
use super::models::Seats;
use super::recorded_model::kept_settings;
use crate::engine::setup::GamePlan;
use elenchus_game::debate::event::{ModelPlayer, Participant};
use elenchus_game::debate::protocol::{Judging, SettingValue};
use elenchus_model::Api;
use elenchus_records::library::Library;
use elenchus_records::library::SelfJudging;
use elenchus_records::library::{Game, GameError};
use elenchus_records::library::{RECORDED_PROVIDER, model_tables, parse_table};
use elenchus_records::workspace::WorkspaceError;
use serde::Deserialize;
use std::collections::BTreeSet;

/// File next to the protocols that lists the guard models.
const GUARDS: &str = "guards.toml";
/// The setting by which a game takes the rubric of its evaluator.
const RUBRIC: &str = "rubric";
/// The guards that are known.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardModels {
    guards: Vec<GuardModel>,
}

/// A guard, or a family of guards that are asked alike.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardModel {
    /// Display name.
    pub name: String,
    /// The rubric that asks it in its own format.
    pub rubric: String,
    /// Words that its names hold, one after the other.
    models: Vec<String>,
    /// Words that names of others hold.
    #[serde(default)]
    except: Vec<String>,
    /// It is known by what it is asked for as well.
    #[serde(default)]
    api: Option<Api>,
}

impl GuardModels {
    /// Reads which models are known as guards, and the rubric of each.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn read(library: &Library) -> Result<Self, GameError> {
        match library.find_file(GUARDS)? {
            Some(found) => Self::parse(&found.name, &found.text),
            None => Ok(Self::default()),
        }
    }

    /// Reads the text of the table. `file` is the name that errors give.
    ///
    /// # Errors
    /// When the text is not what the format says.
    pub fn parse(file: &str, text: &str) -> Result<Self, GameError> {
        parse_table(file, text)
    }

    /// Returns the guard that a model is, by the name that is sent to its server, else by its name in
    /// the configuration; none for a simulated model.
    pub fn find_guard(&self, player: &ModelPlayer) -> Option<&GuardModel> {
        if player.simulated {
            return None;
        }
        let api = kept_settings(player).map(|settings| settings.effective_api());
        let by_api = |guard: &&GuardModel| guard.api.is_some() && guard.api == api;
        let guard_by_api = self.guards.iter().find(by_api);
        guard_by_api
            .or_else(|| self.find_by_name(&player.name))
            .or_else(|| self.find_by_name(&player.model))
    }

    /// Returns the guard that is called by a name; none for any other model.
    pub fn find_by_name(&self, name: &str) -> Option<&GuardModel> {
        self.guards.iter().find(|guard| guard.has_name(name))
    }

    fn find_by_rubric(&self, rubric: &str) -> Option<&GuardModel> {
        self.guards.iter().find(|guard| guard.rubric == rubric)
    }

    /// Says what is wrong where a guard is asked by another rubric than its own, or another model by a
    /// guard's; none where nothing is wrong, or no model is asked.
    pub fn describe_mismatch(&self, player: &ModelPlayer, rubric: &str) -> Option<String> {
        if player.simulated || player.provider == RECORDED_PROVIDER {
            return None;
        }
        let model = &player.model;
        match (self.find_guard(player), self.find_by_rubric(rubric)) {
            (Some(guard), _) if guard.rubric == rubric => None,
            (Some(guard), _) => Some(format!(
                "'{model}' is {}: its rubric is '{}', not '{rubric}'; what it answers in a format that \
                 is not its own may be no verdict",
                guard.name, guard.rubric
            )),
            (None, Some(guard)) => Some(format!(
                "'{model}' is not {} by its name, and rubric '{rubric}' asks in that format: what it \
                 answers may not be read, or mean something else",
                guard.name
            )),
            (None, None) => None,
        }
    }
}

impl GuardModel {
    fn has_name(&self, name: &str) -> bool {
        model_tables::matches_patterns(name, &self.models, &self.except)
    }

    /// Says that a model is asked by this guard's rubric, because of its name.
    pub fn rubric_notice(&self, model: &str) -> String {
        format!(
            "'{model}' is {}, asked in its own format: rubric '{}'",
            self.name, self.rubric
        )
    }
}

/// A game as those play it who sit in it.
pub struct GameForCast {
    pub game: Game,
    /// Notice of the guard that its evaluator is, and the rubric chosen for it; none where none was chosen.
    pub guard: Option<String>,
    /// Notices of guard models that are asked in another format than their own.
    pub mismatches: Vec<String>,
    /// Judges that judge their own model or model family.
    pub self_judging: Vec<SelfJudging>,
}

impl GamePlan<'_> {
    /// Reads and rehearses the game for its cast: where no rubric is named and the
    /// evaluators are a known guard, they are asked by its rubric.
    ///
    /// # Errors
    /// As [`GamePlan::load_game`], and when a participant cannot be seated.
    pub fn load_game_for_cast(
        &self,
        library: &Library,
        cast: &CastRequest,
        seats: &Seats,
        default_model: Option<&str>,
    ) -> Result<GameForCast, WorkspaceError> {
        let guards = GuardModels::read(library)?;
        let mut game = self.load_game(library)?;
        let cast = cast.seat_all(&game, seats, default_model)?;
        let mut notice = None;
        if let Some((guard, model)) = self.find_common_guard(&game, &cast, &guards) {
            let rubric = SettingValue::Text(guard.rubric.clone());
            let mut plan = self.clone();
            plan.settings.insert(RUBRIC.to_owned(), rubric);
            game = plan.load_game(library)?;
            notice = Some(guard.rubric_notice(model));
        }
        Ok(GameForCast {
            mismatches: list_mismatches(&game, &cast, &guards),
            self_judging: library.read_families()?.self_judging(&game.protocol, &cast),
            game,
            guard: notice,
        })
    }

    /// Returns the guard that everybody is who judges by the rubric that the game lets one choose, and
    /// the first one's name; none where a rubric was chosen, or the game does not take the guard's.
    fn find_common_guard<'a>(
        &self,
        game: &Game,
        cast: &'a [Participant],
        guards: &'a GuardModels,
    ) -> Option<(&'a GuardModel, &'a str)> {
        let spec = game.protocol.settings.get(RUBRIC)?;
        if self.settings.contains_key(RUBRIC) {
            return None;
        }
        let usual = spec.default.to_string();
        let rubric_judges =
            list_model_judges(game, cast).filter(|(rule, _)| rule.rubric.as_ref() == Some(&usual));
        let mut first = None;
        for (_, player) in rubric_judges {
            let guard = guards.find_guard(player);
            let guard = guard.filter(|_| player.provider != RECORDED_PROVIDER)?;
            let (first_guard, _) = *first.get_or_insert((guard, player.model.as_str()));
            if first_guard.rubric != guard.rubric {
                return None;
            }
        }
        let takes = |rubric: &str| {
            spec.check_value(&SettingValue::Text(rubric.to_owned()))
                .is_ok()
        };
        first.filter(|(guard, _)| takes(&guard.rubric))
    }
}

/// Says which evaluators and judges are asked in a format that is not theirs, each once.
fn list_mismatches(game: &Game, cast: &[Participant], guards: &GuardModels) -> Vec<String> {
    let notices: BTreeSet<String> = list_model_judges(game, cast)
        .filter_map(|(rule, player)| guards.describe_mismatch(player, rule.rubric.as_deref()?))
        .collect();
    notices.into_iter().collect()
}

/// Returns every rule that asks a model by a rubric, with each model that it asks.
fn list_model_judges<'game, 'cast>(
    game: &'game Game,
    cast: &'cast [Participant],
) -> impl Iterator<Item = (&'game Judging, &'cast ModelPlayer)> {
    let rules = game.protocol.judging.iter();
    let rules = rules.filter(|rule| rule.enabled && rule.rubric.is_some());
    rules.flat_map(move |rule| {
        let sits = |one: &&Participant| rule.by.as_ref() == Some(&one.chair.seat);
        cast.iter()
            .filter(sits)
            .filter_map(move |one| Some((rule, one.player.as_model()?)))
    })
}
