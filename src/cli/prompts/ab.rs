//! `elenchus prompts ab`: two prompts on the same recorded turns.

use super::ab_table;
use super::text::{of_file, of_prompt};
use super::tried::{repeats, roll};
use crate::cli::args_prompts::AbArgs;
use crate::cli::exit::Exit;
use crate::cli::list::resolve_session;
use crate::cli::page::{self, counted};
use crate::cli::run::on_a_runtime;
use crate::cli::workshop::Workshop;
use crate::debate::SessionId;
use crate::debate::protocol::Settings;
use crate::driver::tries::{
    Ab, AbArm, AbEnd, AbPlan, AbState, AbStop, TryFloor, TurnFilter, ab_summary, find_contexts,
    read_ab,
};
use crate::driver::{
    Budget, Ceiling, Library, check_budget, find_run, make_ready, read_run, read_session,
};
use anyhow::{Context, bail};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Names the text that each debate was recorded with.
const RECORDED: &str = "recorded";
/// Names the text that is built in.
const BUILT_IN: &str = "built-in";
/// Progress is told after every so many parts of the whole.
const TOLD_PARTS: usize = 10;

/// Begins a comparison, goes on with one, or shows one.
///
/// # Errors
/// When no turn fits, a text cannot be used, a model cannot be called, or a journal cannot be read.
pub fn run(args: &AbArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.list {
        return list(shop);
    }
    if let Some(id) = &args.show {
        let state = read_ab(&shop.layout, id)?;
        show(args, shop, &state)?;
        return Ok(Exit::Fine);
    }
    on_a_runtime(|cancel| async move { play(args, shop, cancel).await })
}

async fn play(args: &AbArgs, shop: &Workshop, cancel: CancellationToken) -> anyhow::Result<Exit> {
    let asked_usd = args.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(asked_usd)?;
    let (budget_usd, spent_usd) = match &args.resume {
        Some(id) => {
            let state = read_ab(&shop.layout, id)?;
            let kept = state.manifest.budget_usd;
            (args.budget_usd.or(kept), state.committed_usd)
        }
        None => (asked_usd, 0.0),
    };
    let floor = TryFloor {
        desk: super::desk(shop, "prompts ab")?,
        library: shop.library.clone(),
        seats: Arc::clone(&shop.seats),
        budget: Arc::new(Budget::new(budget_usd, spent_usd)),
        concurrency: args.concurrency,
    };
    let mut ab = match &args.resume {
        Some(id) => Ab::resume(&floor, id, args.budget_usd).await?,
        None => Ab::begin(&floor, plan(args, shop, budget_usd)?).await?,
    };
    let id = ab.state().manifest.id.clone();
    let all = all(ab.state());
    page::notice(&format!(
        "comparison {id}: {} on {}, {} of each prompt: {}",
        ab.state().manifest.template,
        counted(ab.state().manifest.contexts.len(), "recorded turn"),
        counted(ab.state().manifest.samples as usize, "sample"),
        counted(all, "sample"),
    ));
    let step = all.div_ceil(TOLD_PARTS).max(1);
    let tell = |state: &AbState| {
        let done = state.played.len();
        if done.is_multiple_of(step) {
            page::notice(&format!("{done} of {all}"));
        }
    };
    let end = ab.play(&floor, tell, &cancel).await?;
    show(args, shop, ab.state())?;
    Ok(match end {
        AbEnd::Completed => Exit::Fine,
        AbEnd::WithFailures(missing) => {
            page::notice(&format!(
                "{} failed; try them again: elenchus prompts ab --resume {id}",
                counted(missing, "sample")
            ));
            Exit::SomeFailed
        }
        AbEnd::Paused(why) => {
            page::notice(&format!(
                "{why}; go on with: elenchus prompts ab --resume {id}"
            ));
            Exit::Unfinished
        }
    })
}

fn all(state: &AbState) -> usize {
    2 * state.manifest.contexts.len() * state.manifest.samples as usize
}

fn plan(args: &AbArgs, shop: &Workshop, budget_usd: Option<f64>) -> anyhow::Result<AbPlan> {
    let (Some(a), Some(b)) = (&args.a, &args.b) else {
        bail!("name both prompts, with --a and --b: a file, 'built-in' or 'recorded'");
    };
    let mut sessions = Vec::new();
    for text in &args.run {
        let id = find_run(&shop.layout, text)?;
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        sessions.extend(run.sessions());
    }
    for text in &args.session {
        sessions.push(resolve_session(shop, text)?);
    }
    if args.run.is_empty() && args.session.is_empty() {
        let all = shop.layout.sessions()?.into_iter();
        sessions.extend(all.map(SessionId::new));
    }
    sessions.sort();
    sessions.dedup();
    let (template, protocol) = template(args, shop, &mut sessions)?;
    let filter = TurnFilter {
        sessions,
        template: template.clone(),
        seat: args.seat.clone(),
        round: args.round,
        sample: args.turns,
    };
    let (contexts, unread) = find_contexts(&shop.layout, &filter, args.seed);
    for why in unread {
        page::notice(&format!("notice: a session is left out: {why}"));
    }
    let mut models = std::collections::BTreeMap::new();
    for context in &contexts {
        let path = shop.layout.session(context.session.as_str())?;
        if models.contains_key(&context.session) {
            continue;
        }
        let state = read_session(&path)?;
        if let Some(created) = state.created() {
            let ceiling = Ceiling::of(budget_usd, &created.protocol);
            make_ready(&created.cast, &shop.seats, ceiling)?;
            models.insert(context.session.clone(), created.is_simulated());
        }
    }
    let simulated = models.values().filter(|simulated| **simulated).count();
    if simulated > 0 && simulated < models.len() {
        bail!(
            "{simulated} of {} are simulated: those are never pooled with others; choose with --run \
             or --session",
            counted(models.len(), "session")
        );
    }
    Ok(AbPlan {
        arms: [
            arm(shop, a, &protocol, &template)?,
            arm(shop, b, &protocol, &template)?,
        ],
        template,
        contexts,
        samples: args.samples,
        roll: roll(args.roll_forward),
        stop: AbStop::Fixed,
        preference: None,
        repeats: repeats(args.ask_anew),
        budget_usd,
        seed: args.seed,
    })
}

/// Returns which template is compared, and of which protocol; other protocols' sessions are left out.
fn template(
    args: &AbArgs,
    shop: &Workshop,
    sessions: &mut Vec<SessionId>,
) -> anyhow::Result<(String, String)> {
    let mut protocols = std::collections::BTreeMap::new();
    for id in &*sessions {
        let Ok(state) = read_session(&shop.layout.session(id.as_str())?) else {
            continue;
        };
        let Some(created) = state.created() else {
            continue;
        };
        let wanted = args.protocol.as_ref();
        if wanted.is_some_and(|wanted| wanted != &created.protocol.id) {
            continue;
        }
        let stages = created.protocol.stages.iter().filter(|stage| stage.enabled);
        let told = stages.flat_map(|stage| {
            let seats = stage.seats.iter();
            seats.map(|seat| (seat, created.protocol.template_name(stage, seat)))
        });
        let fits = |(seat, template): &(&crate::debate::SeatId, &str)| {
            args.seat
                .as_ref()
                .is_none_or(|wanted| seat.as_str() == wanted)
                && args
                    .template
                    .as_ref()
                    .is_none_or(|wanted| template == wanted)
        };
        let names: std::collections::BTreeSet<String> = told
            .filter(fits)
            .map(|(_, template)| template.to_owned())
            .collect();
        for name in names {
            let of: &mut Vec<SessionId> = protocols
                .entry((name, created.protocol.id.clone()))
                .or_default();
            of.push(id.clone());
        }
    }
    let mut found = protocols.into_iter();
    match (found.next(), found.next()) {
        (Some((named, of)), None) => {
            *sessions = of;
            Ok(named)
        }
        (None, _) => bail!(
            "no debate of this store has a seat or template like that; 'elenchus prompts list' has \
             the templates, 'elenchus ls' the debates"
        ),
        (Some((first, _)), Some((second, _))) => {
            let mut all = vec![first, second];
            all.extend(found.map(|(named, _)| named));
            let all: Vec<String> = all
                .into_iter()
                .map(|(template, protocol)| format!("{protocol}/{template}"))
                .collect();
            bail!(
                "several templates fit: {}; choose one with --protocol and --seat or --template",
                all.join(", ")
            )
        }
    }
}

fn arm(shop: &Workshop, named: &str, protocol: &str, template: &str) -> anyhow::Result<AbArm> {
    let text = match named {
        RECORDED => None,
        BUILT_IN => {
            let game = Library::default().unpinned_game(protocol, &Settings::new())?;
            let text = game.templates.get(template).cloned();
            Some(text.with_context(|| {
                format!("there is no built-in template '{template}' of protocol '{protocol}'")
            })?)
        }
        path if Path::new(path).is_file() => Some(of_file(Path::new(path))?),
        prompt if prompt.contains('/') && !prompt.ends_with(".md") => {
            Some(of_prompt(shop, prompt)?.text)
        }
        path => Some(of_file(Path::new(path))?),
    };
    Ok(AbArm {
        name: named.to_owned(),
        text,
    })
}

fn show(args: &AbArgs, shop: &Workshop, state: &AbState) -> anyhow::Result<()> {
    let summary = ab_summary(&shop.layout, state)?;
    if args.json {
        let json = ab_table::as_json(state, &summary);
        return page::out(&(page::harmless_json(&json.to_string()) + "\n"));
    }
    match &summary.comparison {
        Ok(compared) => page::out(&ab_table::drawn(state, compared, shop)),
        Err(error) => {
            page::notice(&format!("nothing to compare: {error}"));
            Ok(())
        }
    }
}

fn list(shop: &Workshop) -> anyhow::Result<Exit> {
    for id in shop.layout.tries().comparisons()?.into_iter().rev() {
        match read_ab(&shop.layout, &id) {
            Ok(state) => {
                let [a, b] = &state.manifest.arms;
                let end = match (&state.paused, state.completed) {
                    (Some(why), _) => format!("paused: {why}"),
                    (None, true) => "complete".to_owned(),
                    (None, false) => "not played to its end".to_owned(),
                };
                page::out(&page::harmless_text(&format!(
                    "{id}  {}: {} against {}, {} of {}, {end}\n",
                    state.manifest.template,
                    a.name,
                    b.name,
                    state.played.len(),
                    counted(all(&state), "sample"),
                )))?;
            }
            Err(error) => page::notice(&format!("notice: {error}")),
        }
    }
    Ok(Exit::Fine)
}
