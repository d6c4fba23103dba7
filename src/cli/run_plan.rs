//! From the command line to what is to be played.

use super::args::{CastArgs, MemoryKind, RunArgs};
use super::people;
use super::typed::{check_options, read_text};
use super::workshop::Workshop;
use crate::dataset::{self, DatasetSpec, Loaded, Selection};
use crate::debate::chance::shuffle;
use crate::debate::event::{MemoryUse, Participant, Player};
use crate::debate::protocol::{SeatKind, SettingValue, Settings};
use crate::debate::{Protocol, RunId, SeatId, SessionId, Topic};
use crate::driver::{
    CastError, CastRequest, ChairLines, DatasetPlace, FromRun, Game, Item, Manifest, SeatRequest,
    Shard, namespace_for, permutations, read_lines,
};
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::Path;

/// The game and who plays it.
pub(super) struct Party {
    pub game: Game,
    pub cast: Vec<Participant>,
    /// Chairs that say what was said about the same topic in an earlier run.
    pub said: Vec<FromRun>,
    /// Things a person should know before it begins.
    pub notices: Vec<String>,
}

/// Reads game and cast from the command line.
pub(super) fn party(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Party> {
    let protocol = args
        .protocol
        .as_deref()
        .or(shop.config.defaults.protocol.as_deref())
        .context("give the game with --protocol; 'elenchus protocols list' lists them")?;
    let asked = GameRequest {
        protocol,
        set: &args.set,
        rounds: args.rounds,
        cast: &args.cast,
    };
    let game = game(&asked, shop)?;
    let request = cast_request(&args.cast)?;
    let mut cast = request.seat_all(&game, &shop.seats, shop.config.default_model())?;
    let said = read_lines(&shop.layout, &game, &mut cast)?;
    people::check_present(&cast)?;
    // A name that is no name is refused before anything is begun.
    let namespace = namespace_for(&args.memory_namespace, true);
    shop.layout.memory(&namespace, "run")?;
    let budget = args.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(budget)?;
    make_ready(&cast, shop, Ceiling::of(budget, &game.protocol))?;
    let notices = family_notices(&game, &cast);
    Ok(Party {
        game,
        cast,
        said,
        notices,
    })
}

/// A game as a command line names it.
pub(super) struct GameRequest<'a> {
    pub protocol: &'a str,
    pub set: &'a [String],
    pub rounds: Option<u32>,
    pub cast: &'a CastArgs,
}

/// Reads and rehearses a game.
pub(super) fn game(args: &GameRequest<'_>, shop: &Workshop) -> anyhow::Result<Game> {
    let mut settings = settings(args.set)?;
    let protocol = args.protocol;
    // A folder stands for the protocol in it.
    let within = Path::new(protocol).join("protocol.toml");
    let named = within.to_str().filter(|_| within.is_file());
    let protocol = named.filter(|_| protocol.contains('/')).unwrap_or(protocol);
    if let Some(rounds) = args.rounds {
        settings.insert("rounds".to_owned(), SettingValue::Integer(rounds.into()));
    }
    let is_file = protocol.ends_with(".toml") || protocol.contains('/');
    // Naming four debaters means a game of four.
    let debaters = args.cast.debaters.len();
    if debaters > 1 && !settings.contains_key("debaters") && !is_file {
        let declared = shop.library.protocol(protocol)?;
        if declared.settings().contains_key("debaters") {
            let count = i64::try_from(debaters).unwrap_or(i64::MAX);
            settings.insert("debaters".to_owned(), SettingValue::Integer(count));
        }
    }
    let game = if is_file {
        shop.library
            .game_from_file(Path::new(protocol), &settings)?
    } else {
        shop.library.game(protocol, &settings)?
    };
    // A template of the last round must not fail after the others have been paid for.
    let faults: Vec<String> = game.rehearse().iter().map(ToString::to_string).collect();
    if !faults.is_empty() {
        bail!(
            "protocol '{protocol}' cannot be played; 'elenchus protocols check {protocol}' tells more\n{}",
            faults.join("\n")
        );
    }
    Ok(game)
}

/// Reads `NAME=VALUE` settings.
pub(super) fn settings(given: &[String]) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    for pair in given {
        let Some((name, value)) = pair.split_once('=') else {
            bail!("--set {pair}: write NAME=VALUE, as in --set rounds=2");
        };
        let value = SettingValue::from_typed(value.trim());
        settings.insert(name.trim().to_owned(), value);
    }
    Ok(settings)
}

/// Reads who is to sit where.
pub(super) fn cast_request(args: &CastArgs) -> anyhow::Result<CastRequest> {
    let mut request = match &args.cast {
        Some(path) => {
            let text = read_text(path)?;
            toml::from_str(&text).map_err(|error| {
                let line = error
                    .span()
                    .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
                anyhow::anyhow!("{}:{line}: {}", path.display(), error.message().trim())
            })?
        }
        None => CastRequest::default(),
    };
    if args.model.is_some() {
        request.model.clone_from(&args.model);
    }
    let mut seat = |name: &str, models: Vec<String>| {
        if !models.is_empty() {
            let seat: &mut SeatRequest = request.seats.entry(SeatId::new(name)).or_default();
            seat.models = models;
            seat.model = None;
        }
    };
    seat("debater", args.debaters.clone());
    for (name, model) in [
        ("evaluator", &args.evaluator),
        ("feedback", &args.feedback),
        ("socratic", &args.socratic),
        ("angel", &args.angel),
        ("devil", &args.devil),
        ("proposer", &args.proposer),
        ("critic", &args.critic),
        ("judge", &args.judge),
    ] {
        seat(name, model.iter().cloned().collect());
    }
    for pair in &args.seat {
        let Some((name, models)) = pair.split_once('=') else {
            bail!("--seat {pair}: write SEAT=MODEL, as in --seat debater=human");
        };
        seat(
            name.trim(),
            models
                .split(',')
                .map(|model| model.trim().to_owned())
                .collect(),
        );
    }
    Ok(request)
}

/// Refuses a ceiling that cannot be meant.
pub(super) fn check_budget(budget: Option<f64>) -> anyhow::Result<()> {
    match budget {
        Some(usd) if !(usd.is_finite() && usd >= 0.0) => {
            bail!("--budget-usd must be 0 or more")
        }
        Some(_) | None => Ok(()),
    }
}

/// Finds out before anything is paid for whether every model can be called, and has a price where
/// a ceiling needs one.
pub(super) fn make_ready(
    cast: &[Participant],
    shop: &Workshop,
    ceiling: Ceiling,
) -> anyhow::Result<()> {
    for participant in cast {
        let Player::Model(player) = &participant.player else {
            continue;
        };
        let seat = shop.seats.seat(player)?;
        let priced = seat.settings.price_in_usd_per_mtok.is_some()
            && seat.settings.price_out_usd_per_mtok.is_some();
        if ceiling == Ceiling::Set && !priced {
            return Err(CastError::Unpriced {
                model: player.model.clone(),
            }
            .into());
        }
    }
    Ok(())
}

/// Whether anything is to be held to a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceiling {
    None,
    Set,
}

impl Ceiling {
    /// Says whether a run's or a game's ceiling is set.
    pub(super) fn of(budget_usd: Option<f64>, protocol: &Protocol) -> Self {
        if budget_usd.is_some() || protocol.ceilings.cost_usd.is_some() {
            Ceiling::Set
        } else {
            Ceiling::None
        }
    }
}

/// Judges of the debaters' own family share their blind spots (FIGURES 11).
fn family_notices(game: &Game, cast: &[Participant]) -> Vec<String> {
    let families = |judges: bool| -> BTreeSet<&str> {
        cast.iter()
            .filter(|participant| {
                let kind = game
                    .protocol
                    .seat(&participant.chair.seat)
                    .map(|seat| seat.kind);
                match kind {
                    Some(SeatKind::Judge | SeatKind::Evaluator) => judges,
                    Some(SeatKind::Speaker) => !judges,
                    Some(SeatKind::Feedback) | None => false,
                }
            })
            .filter_map(|participant| match &participant.player {
                Player::Model(model) => model.family.as_deref(),
                Player::Human { .. } | Player::Fixed(_) => None,
            })
            .collect()
    };
    families(true)
        .intersection(&families(false))
        .map(|family| {
            format!("judge and speakers are both of the family '{family}': expect shared errors")
        })
        .collect()
}

/// What a debate reads and writes of long-term memory: lessons are kept wherever a game has them
/// written, and shown when the command line says so.
pub(super) fn memory_use(args: &RunArgs, party: &Party) -> MemoryUse {
    let simulated = party
        .cast
        .iter()
        .any(|participant| match &participant.player {
            Player::Model(model) => model.simulated,
            Player::Human { .. } | Player::Fixed(_) => false,
        });
    MemoryUse {
        reads: match args.memory {
            Some(MemoryKind::Textual) => true,
            None => false,
        },
        writes: party.game.protocol.feedback.is_some(),
        namespace: namespace_for(&args.memory_namespace, simulated),
    }
}

/// Reads a dataset, telling which rows were refused.
pub(super) fn load(args: &RunArgs, text: &str) -> anyhow::Result<(Loaded, Vec<Topic>)> {
    let spec: DatasetSpec = text.parse()?;
    let mut loaded = dataset::load(&spec)?;
    let selection = Selection {
        categories: args.category.clone(),
        levels: args.level.clone(),
        limit: args.limit,
        sample: args.sample,
        seed: args.seed,
    };
    let topics = dataset::select(std::mem::take(&mut loaded.topics), &selection)?;
    if topics.is_empty() {
        bail!("the selection leaves no topic to debate");
    }
    Ok((loaded, topics))
}

/// Plans a run over topics.
pub(super) fn plan(
    args: &RunArgs,
    shop: &Workshop,
    party: &Party,
    loaded: &Loaded,
    topics: Vec<Topic>,
) -> anyhow::Result<(Manifest, Vec<Item>)> {
    check_options(&party.game.protocol, &topics)?;
    let shard: Option<Shard> = match &args.shard {
        Some(text) => Some(text.parse().map_err(anyhow::Error::msg)?),
        None => None,
    };
    let memory = memory_use(args, party);
    if memory.reads && shard.is_some() {
        bail!(
            "--memory and --shard do not go together: what a debate has learned would depend on \
             which part it is in"
        );
    }
    let casts = if args.permute_cast {
        permutations(&party.game, &party.cast)
    } else {
        vec![party.cast.clone()]
    };
    let learn_batch = memory.reads.then(|| args.learn_batch.unwrap_or(1));
    let lessons = order_topics(args, topics, learn_batch)?;
    let mut items = Vec::new();
    let mut number = 0;
    for lesson in lessons {
        for cast in 0..casts.len() {
            for rollout in 0..args.rollouts.max(1) {
                let mine = shard
                    .is_none_or(|shard| number % u64::from(shard.of) == u64::from(shard.part - 1));
                if mine {
                    let cast = u32::try_from(cast).unwrap_or(u32::MAX);
                    items.push(Item {
                        item: number,
                        session: SessionId::new(shop.clock.fresh_id()),
                        lines: lines(shop, party, &lesson.topic, rollout, cast)?,
                        topic: lesson.topic.clone(),
                        cast,
                        rollout,
                        batch: lesson.batch,
                        teaches: lesson.teaches,
                    });
                }
                number += 1;
            }
        }
    }
    if items.is_empty() {
        bail!("this part of the run has nothing to play: there are fewer debates than parts");
    }
    let game = &party.game;
    let manifest = Manifest {
        format: crate::debate::event::FORMAT,
        run: RunId::new(shop.clock.fresh_id()),
        software: software(),
        protocol: game.protocol.clone(),
        settings: game.settings.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        casts,
        dataset: DatasetPlace {
            path: args.dataset.clone().unwrap_or_default(),
            kind: loaded.kind.to_string(),
            sha256: loaded.sha256.clone(),
            rows_refused: loaded.refused.len() as u64,
        },
        seed: args.seed,
        rollouts: args.rollouts.max(1),
        shard,
        budget_usd: args.budget_usd.or(shop.config.defaults.budget_usd),
        memory,
        learn_batch,
        split: args.split,
        items: items.len() as u64,
    };
    Ok((manifest, items))
}

/// What chairs say about a topic that they said in an earlier run.
pub(super) fn lines(
    shop: &Workshop,
    party: &Party,
    topic: &Topic,
    rollout: u32,
    cast: u32,
) -> anyhow::Result<Vec<ChairLines>> {
    let lines = party
        .said
        .iter()
        .map(|said| said.lines(&shop.layout, &party.game, topic, rollout, cast));
    Ok(lines.collect::<Result<_, _>>()?)
}

struct Lesson {
    topic: Topic,
    batch: Option<u32>,
    teaches: bool,
}

/// Puts topics in their order and, when debates learn, into batches (FIGURES 9).
fn order_topics(
    args: &RunArgs,
    mut topics: Vec<Topic>,
    learn_batch: Option<u32>,
) -> anyhow::Result<Vec<Lesson>> {
    let Some(size) = learn_batch else {
        let all = topics.into_iter().map(|topic| Lesson {
            topic,
            batch: None,
            teaches: true,
        });
        return Ok(all.collect());
    };
    let (mut teaching, reading) = match args.split {
        Some(share) => dataset::split(topics, share, args.seed)?,
        None => (std::mem::take(&mut topics), Vec::new()),
    };
    shuffle(&mut teaching, args.seed, &["topic order"]);
    let size = size as usize;
    let batches = u32::try_from(teaching.len().div_ceil(size)).unwrap_or(u32::MAX);
    let mut lessons: Vec<Lesson> = teaching
        .into_iter()
        .enumerate()
        .map(|(at, topic)| Lesson {
            topic,
            batch: Some(u32::try_from(at / size).unwrap_or(u32::MAX)),
            teaches: true,
        })
        .collect();
    lessons.extend(reading.into_iter().map(|topic| Lesson {
        topic,
        batch: Some(batches),
        teaches: false,
    }));
    Ok(lessons)
}

/// Names the program and version that writes journals.
pub(super) fn software() -> String {
    concat!("elenchus ", env!("CARGO_PKG_VERSION")).to_owned()
}
