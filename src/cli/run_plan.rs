//! From the command line to what is to be played.

use super::args::{CastArgs, RunArgs};
use super::ceilings;
use super::page;
use super::people;
use super::typed::read_text;
use super::workshop::Workshop;
use crate::dataset::{self, DatasetSpec, Loaded, Selection};
use crate::debate::chance::shuffle;
use crate::debate::event::{Learning, MemoryUse};
use crate::debate::protocol::{SettingValue, Settings};
use crate::debate::{RunId, SeatId, SessionId, Topic};
use crate::driver::{
    AcceptRule, CastRequest, DatasetPlace, Game, GamePlan, Item, Manifest, MemoryKind, Party,
    PartyPlan, SeatRequest, Shard, Shown, check_options, find_run, guarded, permutations, read_run,
    software,
};
use crate::exchange::text::{Keep, visible};
use anyhow::{Context, bail};
use jiff::Timestamp;

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
    let mut game = game(&asked, shop)?;
    if args.memory.contains(&MemoryKind::Guardrails) {
        game = guarded(&game, &shop.library)?;
    }
    let plan = PartyPlan {
        cast: &cast_request(&args.cast)?,
        default_model: shop.config.default_model(),
        present: people::present(),
        namespace: &args.memory_namespace,
        budget_usd: ceilings::beginning(args, shop)?.cost_usd,
    };
    Ok(Party::gather(game, &plan, &shop.seats, &shop.layout)?)
}

/// A game as a command line names it.
pub(super) struct GameRequest<'a> {
    pub protocol: &'a str,
    pub set: &'a [String],
    pub rounds: Option<u32>,
    pub cast: &'a CastArgs,
}

/// Reads and rehearses a game, and says where its evaluators are guards, or are asked in a format that
/// is not theirs.
pub(super) fn game(args: &GameRequest<'_>, shop: &Workshop) -> anyhow::Result<Game> {
    let plan = GamePlan {
        protocol: args.protocol,
        settings: settings(args.set)?,
        rounds: args.rounds,
        debaters: args.cast.debaters.len(),
    };
    let cast = cast_request(args.cast)?;
    let default_model = shop.config.default_model();
    let for_cast = plan.game_for(&shop.library, &cast, &shop.seats, default_model)?;
    if let Some(guard) = &for_cast.guard {
        page::notice(&format!(
            "notice: {} (--set rubric=NAME takes another)",
            visible(guard, Keep::Nothing)
        ));
    }
    for mismatch in &for_cast.mismatches {
        page::notice(&format!("warning: {}", visible(mismatch, Keep::Nothing)));
    }
    Ok(for_cast.game)
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
    let mut request: CastRequest = match &args.cast {
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
    request.file = args.cast.as_ref().map(|path| path.display().to_string());
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

/// What a debate reads and writes of long-term memory.
///
/// # Errors
/// When no seat of the game sees memory, or a snapshot is neither a time nor a run.
pub(super) fn memory_use(
    args: &RunArgs,
    shop: &Workshop,
    party: &Party,
) -> anyhow::Result<MemoryUse> {
    let used = MemoryUse {
        merges: !args.keep_duplicates,
        ..party.memory_use(Shown::of(&args.memory), &args.memory_namespace)?
    };
    let Some(when) = &args.memory_snapshot else {
        return Ok(used);
    };
    Ok(MemoryUse {
        writes: false,
        as_of: Some(snapshot(shop, when)?),
        ..used
    })
}

/// Reads a snapshot as the time at which memory is read.
fn snapshot(shop: &Workshop, when: &str) -> anyhow::Result<String> {
    let now = shop.clock.now();
    if when == "now" {
        return Ok(now);
    }
    if let Ok(time) = when.parse::<Timestamp>() {
        if now.parse::<Timestamp>().is_ok_and(|now| time > now) {
            bail!(
                "--memory-snapshot {when}: that time is not over, so memory may still change; say 'now'"
            );
        }
        return Ok(time.to_string());
    }
    let run = find_run(&shop.layout, when).with_context(|| {
        format!(
            "--memory-snapshot {when}: give 'now', a time as in 2026-01-31T12:00:00Z, or a run's id"
        )
    })?;
    let run = read_run(&shop.layout.run(run.as_str())?)?;
    Ok(run.manifest.memory.as_of.unwrap_or(run.begun_at))
}

/// Reads the threshold under which guardrails are accepted between batches.
fn accept_rule(args: &RunArgs) -> anyhow::Result<Option<Box<AcceptRule>>> {
    let (Some(share), Some(benign)) = (args.accept_guardrails, &args.benign) else {
        return Ok(None);
    };
    if !args.memory.contains(&MemoryKind::Guardrails) {
        bail!("--accept-guardrails needs --memory guardrails: nothing else proposes any");
    }
    if !(0.0..=1.0).contains(&share) {
        bail!("--accept-guardrails must be between 0 and 1, as in 0.02");
    }
    let loaded = dataset::load(&benign.parse()?)?;
    let is_safe = |topic: &Topic| topic.expected.as_deref() == Some("safe");
    if !loaded.topics.iter().any(is_safe) {
        bail!(
            "{benign} has no prompt whose expected label is 'safe', so over-refusal cannot be measured on it"
        );
    }
    Ok(Some(Box::new(AcceptRule {
        max_over_refusal: share,
        dataset: benign.clone(),
        sha256: loaded.sha256,
        topics: loaded.topics,
    })))
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
    let mut memory = memory_use(args, shop, party)?;
    let learns = memory.reads || memory.guards;
    if learns && shard.is_some() {
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
    let learn_batch = learns.then(|| args.learn_batch.unwrap_or(1));
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
                        lines: party.lines(&shop.layout, &lesson.topic, rollout, cast)?,
                        topic: lesson.topic.clone(),
                        cast,
                        rollout,
                        batch: lesson.batch,
                        teaches: lesson.teaches,
                        given: None,
                        given_guards: None,
                    });
                }
                number += 1;
            }
        }
    }
    if items.is_empty() {
        bail!("this part of the run has nothing to play: there are fewer debates than parts");
    }
    let accept = accept_rule(args)?;
    memory.learning = learn_batch.map(|batch| Learning {
        batch,
        split: args.split,
        accepts_up_to: accept.as_ref().map(|rule| rule.max_over_refusal),
    });
    let game = &party.game;
    let ceilings = ceilings::beginning(args, shop)?;
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
        budget_usd: ceilings.cost_usd,
        budget_calls: ceilings.calls,
        budget_tokens: ceilings.tokens,
        memory,
        memory_kinds: args.memory.clone(),
        accept,
        memory_read: None,
        learn_batch,
        split: args.split,
        items: items.len() as u64,
        ablation: None,
    };
    Ok((manifest, items))
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
