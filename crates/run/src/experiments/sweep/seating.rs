//! Seating of an arm: its game with the settings and prompts that it names, and its cast.

use super::arms::ArmConditions;
use crate::engine::seats::{CastRequest, GameForCast, SeatRequest, seat_of_person};
use crate::engine::{
    Attendance, GamePlan, PlayDefaults, RunContext, SeatedGame, SeatingPlan, add_guardrails,
};
use elenchus_game::debate::Protocol;
use elenchus_game::debate::protocol::Settings;
use elenchus_records::library::Game;
use elenchus_records::library::SelfJudging;
use elenchus_records::workspace::memory::{DEFAULT_NAMESPACE, MemoryKind};
use elenchus_records::workspace::prompts::{NOW, find_version};
use elenchus_records::workspace::{Result, WorkspaceError, reject};
use std::collections::BTreeSet;

/// Seat whose number of models may set the number of debaters.
const DEBATER: &str = "debater";

/// An arm with its game and its cast.
pub struct SeatedArm {
    pub party: SeatedGame,
    /// Notice of the guard that its evaluator is.
    pub guard: Option<String>,
    /// Notices of guard models that are asked in another format than their own.
    pub mismatches: Vec<String>,
    pub self_judging: Vec<SelfJudging>,
}

/// Base settings, seats and prompts that some arm has taken.
#[derive(Debug, Default)]
pub(super) struct UsedNames(BTreeSet<String>);

impl UsedNames {
    fn add_name(&mut self, kind: &str, name: &str) {
        self.0.insert(format!("{kind} '{name}'"));
    }

    /// Returns why a name is given in vain, where one is: its author meant something by it.
    pub fn describe_unused(&self, arms: &[ArmConditions]) -> Option<String> {
        let names = arms.iter().flat_map(|arm| {
            let usual = &arm.usual;
            let settings = usual.settings.keys().map(|name| ("setting", name.clone()));
            let seats = usual.seats.keys().map(|seat| ("seat", seat.to_string()));
            let prompts = arm.prompts.keys().map(|name| ("prompt", name.to_string()));
            settings.chain(seats).chain(prompts)
        });
        let mut names = names.map(|(kind, name)| format!("{kind} '{name}'"));
        let unused_name = names.find(|name| !self.0.contains(name))?;
        Some(format!("no arm's protocol has the {unused_name}"))
    }
}

/// Reads an arm's game and fills its seats.
///
/// Of base settings, seats and prompts those are taken that its protocol has: a baseline need not have
/// them all.
///
/// # Errors
/// When the game cannot be played, a participant cannot be seated, or a person is.
pub(super) fn seat_arm(
    arm: &ArmConditions,
    file: &str,
    (run, defaults): (&RunContext, &PlayDefaults),
    budget_usd: Option<f64>,
    used: &mut UsedNames,
) -> Result<SeatedArm> {
    let (library, seats) = (&run.library, &run.seats);
    let default_model = defaults.model.as_deref();
    let protocol = arm.protocol.as_deref().unwrap_or(&defaults.protocol);
    let bare = GamePlan::from_protocol(protocol);
    let definition = bare.load_game(library)?.protocol;
    let cast = build_cast_request(arm, &definition, used, file)?;
    let debaters = cast.seats.iter();
    let mut debaters = debaters.filter(|(seat, _)| seat.as_str() == DEBATER);
    let plan = GamePlan {
        settings: collect_settings(arm, &definition, used),
        debaters: debaters.next().map_or(0, |(_, seat)| seat.models.len()),
        ..bare
    };
    let GameForCast {
        game,
        guard,
        mismatches,
        self_judging,
    } = plan.load_game_for_cast(library, &cast, seats, default_model)?;
    let mut game = replace_prompts(game, arm, run, used)?;
    if arm.memory.contains(&MemoryKind::Guardrails) {
        game = add_guardrails(&game, library)?;
    }
    let seating = SeatingPlan {
        cast: &cast,
        default_model,
        // Refused below, with the reason.
        present: Attendance::Somebody,
        namespace: DEFAULT_NAMESPACE,
        budget_usd,
    };
    let party = SeatedGame::from_plan(game, &seating, seats, &run.store.layout)?;
    if let Some(seat) = seat_of_person(&party.cast) {
        return reject(format!(
            "seat '{seat}' is a person's, and a sweep asks no person: give the seat a model"
        ));
    }
    Ok(SeatedArm {
        party,
        guard,
        mismatches,
        self_judging,
    })
}

fn collect_settings(arm: &ArmConditions, definition: &Protocol, used: &mut UsedNames) -> Settings {
    let mut settings = Settings::new();
    for (name, value) in &arm.usual.settings {
        if definition.settings.contains_key(name) {
            used.add_name("setting", name);
            settings.insert(name.clone(), value.clone());
        }
    }
    settings.extend(arm.settings.clone());
    settings
}

fn build_cast_request(
    arm: &ArmConditions,
    definition: &Protocol,
    used: &mut UsedNames,
    file: &str,
) -> Result<CastRequest> {
    let mut request = match &arm.cast {
        Some(cast) => {
            let file = cast;
            let text = std::fs::read_to_string(file)
                .map_err(|error| WorkspaceError::Invalid(format!("cannot read {file}: {error}")))?;
            CastRequest::parse(file, &text).map_err(WorkspaceError::Invalid)?
        }
        None => CastRequest::default(),
    };
    if arm.model.is_some() {
        request.model.clone_from(&arm.model);
        request.model_file = Some(file.to_owned());
    }
    let of_file = |asked: &SeatRequest| SeatRequest {
        file: Some(file.to_owned()),
        ..asked.clone()
    };
    for (seat, asked) in &arm.usual.seats {
        if definition.find_seat(seat).is_some() {
            used.add_name("seat", seat.as_str());
            request.seats.insert(seat.clone(), of_file(asked));
        }
    }
    let seats = arm.seats.iter();
    let seats = seats.map(|(seat, asked)| (seat.clone(), of_file(asked)));
    request.seats.extend(seats);
    Ok(request)
}

/// Returns the game with the versions of its prompts that an arm names.
fn replace_prompts(
    mut game: Game,
    arm: &ArmConditions,
    run: &RunContext,
    used: &mut UsedNames,
) -> Result<Game> {
    let protocol = game.protocol.id.clone();
    let prompts = arm.prompts.iter();
    for (name, version) in prompts.filter(|(name, _)| name.protocol == protocol) {
        used.add_name("prompt", &name.to_string());
        let current_text = game.templates.get(&name.template).cloned();
        let text = match version == NOW {
            true => current_text.unwrap_or_default(),
            false => {
                let (layout, library) = (&run.store.layout, &run.library);
                find_version(layout, library, Some(name), version)?
                    .1
                    .to_string()
            }
        };
        game = game.with_template(&name.template, &text)?;
    }
    let faults = game.list_template_faults();
    match faults.is_empty() {
        true => Ok(game),
        false => reject(faults.join("; ")),
    }
}
