//! Cast of a debate: participants from a cast file or from flags.

use super::cast_pins;
use super::models::Seats;
use super::scripted;
use elenchus_game::debate::event::{Participant, Player};
use elenchus_game::debate::guardrail_chair;
use elenchus_game::debate::ids::{Chair, SeatId};
use elenchus_game::debate::protocol::{Seat, SeatKind};
use elenchus_game::prompt;
use elenchus_model::bare_address;
use elenchus_records::library::Game;
use elenchus_records::workspace::CastError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The name that puts a person on a chair.
pub const HUMAN: &str = "human";

/// Requested cast, before chairs are counted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CastRequest {
    /// The model of every seat that is not named.
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub seats: BTreeMap<SeatId, SeatRequest>,
    /// The beginnings of the SHA-256 values that prompts must have, by template or PROTOCOL/TEMPLATE.
    #[serde(default)]
    pub pins: BTreeMap<String, String>,
    /// The file that it was read from, as errors call it.
    #[serde(skip)]
    pub file: Option<String>,
    /// The file that chose `model`; `None` where it was typed.
    #[serde(skip)]
    pub model_file: Option<String>,
}

/// Requested participants of a seat.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatRequest {
    /// One for all chairs, or one for each.
    #[serde(default)]
    pub models: Vec<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub persona: Option<String>,
    /// The file that chose the models; `None` where they were typed.
    #[serde(skip)]
    pub file: Option<String>,
}

impl CastRequest {
    /// Parses a cast file. `file` is the name that errors give.
    ///
    /// # Errors
    /// With file and line, when the text does not follow the format.
    pub fn parse(file: &str, text: &str) -> Result<Self, String> {
        let mut request: Self = toml::from_str(text).map_err(|error| {
            let before = |span: std::ops::Range<usize>| text[..span.start].matches('\n').count();
            let line = error.span().map_or(1, |span| 1 + before(span));
            format!("{file}:{line}: {}", error.message().trim())
        })?;
        let file = Some(file.to_owned());
        request.file.clone_from(&file);
        request.model_file.clone_from(&file);
        for seat in request.seats.values_mut() {
            seat.file.clone_from(&file);
        }
        Ok(request)
    }

    /// Seats everybody.
    ///
    /// Seats without a named participant get `model`, else `default`; without either that is an error.
    /// Judges whose rules are all turned off
    /// are left out. Chairs whose lines are written down get
    /// them from [`read_lines`](crate::engine::seats::scripted::read_lines).
    ///
    /// # Errors
    /// When a seat or model does not exist, the number of models fits no number of chairs, or a prompt
    /// is not the one that is pinned.
    pub fn seat_all(
        &self,
        game: &Game,
        seats: &Seats,
        default: Option<&str>,
    ) -> Result<Vec<Participant>, CastError> {
        self.check_seats(game)?;
        cast_pins::check_pins(&self.pins, self.file.as_deref().unwrap_or("the cast"), game)?;
        let mut cast = Vec::new();
        let protocol = &game.protocol;
        for seat in protocol
            .seats
            .iter()
            .filter(|seat| protocol.is_played(seat))
        {
            let request = self.seats.get(&seat.id).cloned().unwrap_or_default();
            let mut models = request.models;
            models.extend(request.model);
            let mut file = request.file;
            if models.is_empty() {
                file = self.model_file.clone().filter(|_| self.model.is_some());
                let usual = self.model.as_deref().or(default);
                let usual = usual.ok_or_else(|| no_participant_error(seat, seats))?;
                models.push(usual.to_owned());
            }
            if models.len() != 1 && models.len() != seat.count as usize {
                return Err(CastError::WrongCount {
                    seat: seat.id.to_string(),
                    chairs: seat.count,
                    given: models.len(),
                });
            }
            for model in &models {
                let bounds = &seats.model_table().bounds;
                let check = |file: &String| bounds.check_player(Path::new(file), model);
                file.as_ref().map_or(Ok(()), check)?;
            }
            for (index, model) in (0..seat.count).zip(models.iter().cycle()) {
                let chair = Chair {
                    seat: seat.id.clone(),
                    index,
                };
                cast.push(Participant {
                    player: parse_player(model, &chair, seat, seats)?,
                    chair,
                    persona: request.persona.clone(),
                });
            }
        }
        cast.extend(self.seat_guardrail_writer(game, seats)?);
        Ok(cast)
    }

    /// Returns who writes guardrails, where somebody is named and the game asks about them.
    fn seat_guardrail_writer(
        &self,
        game: &Game,
        seats: &Seats,
    ) -> Result<Option<Participant>, CastError> {
        let chair = guardrail_chair();
        let request = self.seats.get(&chair.seat);
        let Some(request) = request.filter(|_| writes_guardrails(game)) else {
            return Ok(None);
        };
        let mut models = request.models.iter().chain(&request.model);
        let (Some(model), None) = (models.next(), models.next()) else {
            return Err(CastError::WrongCount {
                seat: chair.seat.to_string(),
                chairs: 1,
                given: request.models.len() + usize::from(request.model.is_some()),
            });
        };
        let bounds = &seats.model_table().bounds;
        if let Some(file) = &request.file {
            bounds.check_player(Path::new(file), model)?;
        }
        Ok(Some(Participant {
            player: Player::Model(seats.find_player(model, &chair)?),
            chair,
            persona: None,
        }))
    }

    /// Refuses a model for guardrails where none are written.
    ///
    /// # Errors
    /// When the seat is named and the game asks about no guardrails.
    pub fn check_guardrail_seat(&self, game: &Game) -> Result<(), CastError> {
        let seat = guardrail_chair().seat;
        let is_named = self.seats.contains_key(&seat);
        match is_named && game.protocol.find_seat(&seat).is_none() && !writes_guardrails(game) {
            true => Err(CastError::Model {
                model: seat.to_string(),
                why: "the seat writes guardrails, and none are written here: add --memory guardrails, or take \
                      the seat out of the cast"
                    .to_owned(),
            }),
            false => Ok(()),
        }
    }

    fn check_seats(&self, game: &Game) -> Result<(), CastError> {
        let guardrail_seat = guardrail_chair().seat;
        for seat in self.seats.keys() {
            // Whether guardrails are written is known later.
            let is_writer = *seat == guardrail_seat && !game.protocol.feedback.is_empty();
            if game.protocol.find_seat(seat).is_none() && !is_writer {
                return Err(CastError::NoSuchSeat {
                    protocol: game.protocol.id.clone(),
                    seat: seat.to_string(),
                    known: game
                        .protocol
                        .seats
                        .iter()
                        .map(|seat| seat.id.as_str())
                        .collect::<Vec<_>>()
                        .join(", "),
                });
            }
        }
        Ok(())
    }
}

/// Returns whether a game writes guardrails, and has no seat that is called as their writer's.
fn writes_guardrails(game: &Game) -> bool {
    let asks = game.templates.contains_key(prompt::DERIVATION);
    let is_own_seat = game.protocol.find_seat(&guardrail_chair().seat).is_some();
    asks && !game.protocol.feedback.is_empty() && !is_own_seat
}

fn no_participant_error(seat: &Seat, seats: &Seats) -> CastError {
    let servers = seats.model_table().providers.values();
    let servers: Vec<String> = servers.map(|at| bare_address(&at.base_url)).collect();
    CastError::NobodyNamed {
        seat: seat.id.to_string(),
        servers: servers.join(", "),
    }
}

fn parse_player(
    model: &str,
    chair: &Chair,
    seat: &Seat,
    seats: &Seats,
) -> Result<Player, CastError> {
    if let Some(nobody) = scripted::parse_scripted_player(model, seat)? {
        return Ok(Player::Fixed(nobody));
    }
    match model.strip_prefix(HUMAN) {
        Some("") => Ok(Player::Human { name: None }),
        Some(name) if name.starts_with(':') => Ok(Player::Human {
            name: Some(name[1..].to_owned()),
        }),
        Some(_) | None => Ok(Player::Model(seats.find_player(model, chair)?)),
    }
}

/// Returns the first seat of a cast that is a person's.
pub fn seat_of_person<'a>(cast: impl IntoIterator<Item = &'a Participant>) -> Option<&'a SeatId> {
    cast.into_iter()
        .find(|participant| match participant.player {
            Player::Human { .. } => true,
            Player::Model(_) | Player::Fixed(_) => false,
        })
        .map(|participant| &participant.chair.seat)
}

/// Returns every distinct assignment of the speakers' players to the speakers' chairs.
///
/// The first source played each assignment of its three models to debater, angel and devil, and
/// averaged (RedDebate §4).
pub fn permute_cast(game: &Game, cast: &[Participant]) -> Vec<Vec<Participant>> {
    let speakers: Vec<usize> = cast
        .iter()
        .enumerate()
        .filter(|(_, participant)| match participant.player {
            Player::Model(_) | Player::Human { .. } => game
                .protocol
                .find_seat(&participant.chair.seat)
                .is_some_and(|seat| seat.kind == SeatKind::Speaker),
            // Lines belong to their chair's stages.
            Player::Fixed(_) => false,
        })
        .map(|(at, _)| at)
        .collect();
    let mut orders = vec![Vec::new()];
    for _ in &speakers {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                let free: Vec<usize> = speakers
                    .iter()
                    .copied()
                    .filter(|at| !order.contains(at))
                    .collect();
                free.into_iter().map(move |at| {
                    let mut longer = order.clone();
                    longer.push(at);
                    longer
                })
            })
            .take(MAX_PERMUTATIONS)
            .collect();
    }
    let mut casts: Vec<Vec<Participant>> = Vec::new();
    for order in orders {
        let mut new_cast = cast.to_vec();
        for (chair, from) in speakers.iter().zip(&order) {
            new_cast[*chair].player = cast[*from].player.clone();
        }
        if !casts.contains(&new_cast) {
            casts.push(new_cast);
        }
    }
    casts
}

/// Maximum number of assignments: six chairs have 720.
const MAX_PERMUTATIONS: usize = 720;
