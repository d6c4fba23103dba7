//! Where a page comes from: its date and program, the settings, the hashes of journals, the commands that make it again.

use super::figures::PageFigures;
use super::list_fact;
use super::subjects::{PassOnPage, Subjects};
use crate::page::{Fact, SettingsPart};
use crate::request::{PageRequest, format_page_command};
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Created, Participant, Player};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_metrics::DebateRow;
use elenchus_records::workspace::Result;
use elenchus_records::workspace::pass::{Pass, PassStanding};
use elenchus_records::workspace::run::RunState;
use elenchus_records::workspace::sweep::SweepState;
use elenchus_run::experiments::{GoldenPlan, plan_path};
use elenchus_store::{Hash, Layout, read_head};
use elenchus_text::{cost, format_noun_count};
use std::collections::{BTreeMap, BTreeSet};

/// The program that writes pages.
const PROGRAM: &str = concat!("elenchus ", env!("CARGO_PKG_VERSION"));
/// Characters of a digest in the head of a page.
const DIGEST_CHARACTERS: usize = 16;

/// Returns what stands in the head of a page.
pub(super) fn list_facts(
    request: &PageRequest,
    subjects: &Subjects,
    rows: &[DebateRow],
) -> Vec<Fact> {
    let mut facts = vec![Fact::new("date", &request.date)];
    let days: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row.origin.began_at.as_deref()?.get(..10))
        .collect();
    let played = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => Some((*first).to_owned()),
        (Some(first), Some(last)) => Some(format!("{first} to {last}")),
        _ => None,
    };
    facts.extend(played.map(|days| Fact::new("played", days)));
    let models = list_models(subjects);
    if !models.is_empty() {
        facts.push(list_fact("models", models));
    }
    facts.push(Fact::new("written by", PROGRAM));
    let programs = list_programs(subjects);
    if !programs.is_empty() {
        facts.push(list_fact("played by", programs));
    }
    facts
}

/// Returns the digest of all journals of a page, in short.
pub(super) fn digest_journals(hashes: &[Fact]) -> Fact {
    let lines: String = hashes
        .iter()
        .map(|fact| format!("{} {}\n", fact.name, fact.text))
        .collect();
    let digest = Hash::digest(lines.as_bytes()).to_string();
    let short = digest.get(..DIGEST_CHARACTERS).unwrap_or(&digest);
    Fact::new(
        "journals",
        format!(
            "{}, digest {short}",
            format_noun_count(hashes.len(), "journal")
        ),
    )
}

fn list_programs(subjects: &Subjects) -> BTreeSet<String> {
    let runs = subjects
        .runs
        .iter()
        .map(|run| run.manifest.software.clone());
    let states = subjects.states.iter().filter_map(State::first_event);
    let of_pass = subjects.pass.iter().flat_map(|pass| pass.programs.clone());
    runs.chain(states.map(|created| created.software.clone()))
        .chain(of_pass)
        .collect()
}

fn list_models(subjects: &Subjects) -> BTreeSet<String> {
    let casts = subjects.runs.iter().flat_map(|run| &run.manifest.casts);
    let states = subjects.states.iter().filter_map(State::first_event);
    let participants = casts
        .flatten()
        .chain(states.flat_map(|created| &created.cast));
    let models = participants.filter_map(|one| one.player.as_model());
    let of_pass = subjects.pass.iter().flat_map(|pass| pass.models.clone());
    models
        .map(|model| model.model.clone())
        .chain(of_pass)
        .collect()
}

/// Returns the settings of everything that the page is of.
pub(super) fn list_settings(subjects: &Subjects, figures: &PageFigures) -> Vec<SettingsPart> {
    let names = figures.arm_names.pairs();
    let names: Vec<Fact> = names
        .map(|(arm, short)| Fact::new(short, arm))
        .filter(|fact| fact.name != fact.text)
        .collect();
    let arms = (!names.is_empty()).then(|| SettingsPart {
        title: "Arms by their whole names".to_owned(),
        facts: names,
    });
    let sweeps = subjects.sweeps.iter().map(describe_sweep);
    let runs = subjects.runs.iter().map(describe_run);
    let sessions = subjects.named.iter().zip(&subjects.states);
    let sessions = sessions.filter_map(|(session, state)| {
        let created = state.first_event()?;
        Some(SettingsPart {
            title: format!("Session {session}"),
            facts: describe_session(state, created),
        })
    });
    let golden_sets = subjects.golden_sets.iter().map(describe_golden_set);
    let pass = subjects.pass.as_ref().map(describe_pass);
    arms.into_iter()
        .chain(sweeps)
        .chain(golden_sets)
        .chain(pass)
        .chain(runs)
        .chain(sessions)
        .collect()
}

fn describe_sweep(sweep: &SweepState) -> SettingsPart {
    let manifest = &sweep.manifest;
    let mut facts = vec![
        Fact::new("begun", &sweep.begun_at),
        Fact::new("plan", &manifest.file),
        list_fact("arms", manifest.arms.iter().map(|arm| arm.name.clone())),
        list_fact("seeds", manifest.seeds.iter().map(u64::to_string)),
        Fact::new("data set", describe_dataset(&manifest.dataset)),
    ];
    facts.extend(describe_ceilings(manifest.ceilings));
    SettingsPart {
        title: format!("Sweep {}", manifest.sweep),
        facts,
    }
}

fn describe_golden_set(set: &GoldenPlan) -> SettingsPart {
    let mut facts = vec![
        Fact::new("questions", &set.dataset),
        Fact::new("run of single answers", set.singles.as_str()),
        Fact::new("run of debates", set.debates.as_str()),
    ];
    facts.extend(describe_ceilings(set.ceilings));
    SettingsPart {
        title: format!("Golden set {}", set.id),
        facts,
    }
}

fn describe_pass(on_page: &PassOnPage) -> SettingsPart {
    let Pass {
        manifest,
        verdicts,
        filtered,
        exchanged,
        filtered_exchanged,
        committed_usd,
        in_batch,
        unpriced_calls,
        end,
    } = &on_page.pass;
    let mut facts = vec![
        Fact::new("judged by", manifest.rules.to_string()),
        Fact::new("sessions", manifest.sessions.len().to_string()),
        Fact::new("verdicts", verdicts.len().to_string()),
    ];
    if !exchanged.is_empty() {
        let count = format!("{}, in none of these figures", exchanged.len());
        facts.push(Fact::new("verdicts with the sides exchanged", count));
    }
    let refused = filtered.len() + filtered_exchanged.len();
    if refused > 0 {
        facts.push(Fact::new("refused by a filter", refused.to_string()));
    }
    if *in_batch > 0 {
        facts.push(Fact::new("waiting in a batch file", in_batch.to_string()));
    }
    facts.extend(describe_ceilings(manifest.ceilings));
    facts.push(Fact::new(
        "standing",
        match end {
            Some(PassStanding::Completed) => "completed".to_owned(),
            Some(PassStanding::Paused(why)) => format!("paused: {why}"),
            None => "not over".to_owned(),
        },
    ));
    let cost = cost::format_cost_sum(*committed_usd, *unpriced_calls);
    facts.push(Fact::new("cost", format!("at most {cost}")));
    SettingsPart {
        title: format!("Pass {}", manifest.pass),
        facts,
    }
}

fn describe_dataset(dataset: &elenchus_records::workspace::run::DatasetPlace) -> String {
    let mut text = format!("{}, SHA-256 {}", dataset.name(), dataset.sha256);
    if dataset.rows_refused > 0 {
        text.push_str(&format!(", {} rows refused", dataset.rows_refused));
    }
    text
}

fn describe_run(run: &RunState) -> SettingsPart {
    let manifest = &run.manifest;
    let mut facts = vec![
        Fact::new("begun", &run.begun_at),
        Fact::new(
            "protocol",
            format!("{} - {}", manifest.protocol.id, manifest.protocol.name),
        ),
    ];
    let settings = manifest.settings.iter();
    let settings: Vec<String> = settings
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if !settings.is_empty() {
        facts.push(list_fact("settings", settings));
    }
    for (at, cast) in manifest.casts.iter().enumerate() {
        let name = match manifest.casts.len() {
            1 => "cast".to_owned(),
            _ => format!("cast {}", at + 1),
        };
        facts.push(list_fact(&name, cast.iter().map(describe_participant)));
    }
    if manifest.ablation.is_none() {
        facts.push(Fact::new("data set", describe_dataset(&manifest.dataset)));
    }
    facts.push(Fact::new("seed", manifest.seed.to_string()));
    facts.push(Fact::new("rollouts", manifest.rollouts.to_string()));
    if let Some(parts) = run.describe_parts() {
        facts.push(Fact::new("shards", parts));
    }
    facts.push(Fact::new("memory", describe_memory(run)));
    facts.extend(describe_ceilings(manifest.ceilings));
    facts.push(Fact::new(
        "debates",
        format!(
            "{} of {} finished, {} failed",
            run.finished.len(),
            run.items.len(),
            run.failed.len()
        ),
    ));
    if let Some(why) = &run.paused {
        facts.push(Fact::new("paused", why));
    }
    facts.push(Fact::new(
        "cost",
        format!("at most {}", cost::format_usd(run.committed_usd())),
    ));
    SettingsPart {
        title: format!("Run {}", manifest.run),
        facts,
    }
}

fn describe_memory(run: &RunState) -> String {
    let memory = &run.manifest.memory;
    let mut text = match (memory.reads, memory.writes) {
        (false, false) => return "none".to_owned(),
        (true, false) => format!("'{}', read", memory.namespace),
        (false, true) => format!("'{}', written", memory.namespace),
        (true, true) => format!("'{}', read and written", memory.namespace),
    };
    if let Some(continuous) = memory.continuous {
        text.push_str(&format!(
            ", debaters trained after every {}",
            format_noun_count(continuous.every as usize, "lesson")
        ));
    }
    if let Some(batch) = run.manifest.learn_batch {
        text.push_str(&format!(", in batches of {batch}"));
    }
    if let Some(split) = run.manifest.split {
        text.push_str(&format!(
            ", written from {:.0} % of the topics",
            100.0 * split
        ));
    }
    text
}

fn describe_ceilings(ceilings: Ceilings) -> Option<Fact> {
    let usd = ceilings
        .cost_usd
        .map(|usd| format!("cost {}", cost::format_usd(usd)));
    let calls = ceilings.calls.map(|calls| format!("{calls} calls"));
    let tokens = ceilings.tokens.map(|tokens| format!("{tokens} tokens"));
    let parts: Vec<String> = usd.into_iter().chain(calls).chain(tokens).collect();
    Some(match parts.is_empty() {
        true => Fact::new("ceilings", "none"),
        false => list_fact("ceilings", parts),
    })
}

fn describe_participant(participant: &Participant) -> String {
    let chair = &participant.chair;
    let player = match &participant.player {
        Player::Model(model) if model.simulated => format!("{} (simulated)", model.model),
        Player::Model(model) => model.model.clone(),
        Player::Human { .. } => "a person".to_owned(),
        Player::Fixed(_) => "written beforehand".to_owned(),
    };
    format!("{chair}: {player}")
}

fn describe_session(state: &State, created: &Created) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("begun", state.time_span().0),
        Fact::new(
            "protocol",
            format!("{} - {}", created.protocol.id, created.protocol.name),
        ),
    ];
    let settings = created.changed_settings();
    if !settings.is_empty() {
        facts.push(list_fact("settings", settings));
    }
    facts.push(list_fact(
        "cast",
        created.cast.iter().map(describe_participant),
    ));
    facts.push(Fact::new("seed", created.seed.to_string()));
    let spend = state.spend();
    facts.push(Fact::new(
        "cost",
        format!(
            "{}; {} tokens",
            cost::format_cost_sum(spend.cost_usd, spend.unpriced_calls),
            spend.total_tokens()
        ),
    ));
    facts
}

/// Returns the heads of all journals of the page: those that runs remember of their debates, else the journals' own.
pub(super) fn list_hashes(layout: &Layout, subjects: &Subjects) -> Result<Vec<Fact>> {
    let mut hashes = Vec::new();
    for sweep in &subjects.sweeps {
        let id = &sweep.manifest.sweep;
        let head = read_head(&layout.sweep_path(id)?)?;
        hashes.push(Fact::new(format!("sweep {id}"), head.hash.to_string()));
    }
    for set in &subjects.golden_sets {
        let id = &set.id;
        let head = read_head(&plan_path::<GoldenPlan>(layout, id)?)?;
        hashes.push(Fact::new(format!("golden set {id}"), head.hash.to_string()));
    }
    if let Some(PassOnPage { pass, .. }) = &subjects.pass {
        let id = &pass.manifest.pass;
        let head = read_head(&layout.pass_path(id)?)?;
        hashes.push(Fact::new(format!("pass {id}"), head.hash.to_string()));
    }
    let mut finished: BTreeMap<&str, &str> = BTreeMap::new();
    for run in &subjects.runs {
        let id = &run.manifest.run;
        let head = read_head(&layout.run_path(id.as_str())?)?;
        hashes.push(Fact::new(format!("run {id}"), head.hash.to_string()));
        let done = run.finished.values();
        finished.extend(done.map(|done| (done.session.as_str(), done.head.as_str())));
    }
    for item in &subjects.items {
        let id = item.session.as_str();
        let hash = match finished.get(id) {
            Some(head) => (*head).to_owned(),
            None => match read_head(&layout.session_path(id)?) {
                Ok(head) => head.hash.to_string(),
                Err(why) => format!("cannot be read: {why}"),
            },
        };
        hashes.push(Fact::new(format!("session {id}"), hash));
    }
    Ok(hashes)
}

/// Returns the commands that make the page and its figures again.
pub(super) fn list_commands(request: &PageRequest, figures: &PageFigures) -> Vec<String> {
    let mut commands = vec![format_page_command(request)];
    commands.extend(figures.report_command.clone());
    let comparison = figures.comparison_command.clone();
    let is_other = |command: &String| Some(command) != figures.report_command.as_ref();
    commands.extend(comparison.filter(is_other));
    commands.push("elenchus verify".to_owned());
    commands
}
