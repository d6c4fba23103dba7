//! Plan of a pass: its rules, its sessions and its cost, before anything is sent.

use super::rubric_target::RubricTargets;
use super::session_judging::SessionJudging;
use crate::engine::cost::estimate_call;
use crate::engine::seats::{GuardModels, HUMAN, Seats};
use crate::engine::{Call, CostCeiling, check_budget, check_models};
use crate::experiments::engine::ExperimentContext;
use elenchus_game::debate::event::{ModelPlayer, Participant, Player};
use elenchus_game::debate::protocol::{Ceilings, Orders};
use elenchus_game::debate::view::{TemplateTexts, View};
use elenchus_game::debate::{Chair, CostEstimate, SessionId};
use elenchus_game::judge::{self, ReplyFormat, Rubric, RubricSubject};
use elenchus_model::Api;
use elenchus_records::library::software_name;
use elenchus_records::library::{Library, ModelFamilies, SelfJudging};
use elenchus_records::workspace::pass::{
    BroughtRubric, Evaluator, FORMAT, PassManifest, PassMember, PassRules, ReplacedCritique,
    find_subject,
};
use elenchus_records::workspace::{CastError, RepeatKey, Result, WorkspaceError, reject};
use std::collections::{BTreeMap, BTreeSet};

/// Seat of whoever judges.
const JUDGE: &str = "judge";
/// The most critiques that a pass compares.
const MAX_CRITIQUES: usize = 16;
/// The most evaluators of one ensemble.
const MAX_MEMBERS: usize = 16;

/// A pass that can begin.
pub struct PassPlan {
    context: ExperimentContext,
    pub(super) manifest: PassManifest,
    /// Which guard judges, and the rubric that follows; none where a rubric was named, or no guard
    /// is asked.
    pub guard: Option<String>,
    /// What a person should know before it begins: who is asked in a format that is not theirs.
    pub mismatches: Vec<String>,
    families: ModelFamilies,
}

/// What a pass has to do.
#[derive(Debug, Clone, PartialEq)]
pub struct PassWork {
    /// Verdicts of single evaluators.
    pub verdicts: usize,
    /// Calls that a batch file can hold: those of models that a server has.
    pub by_batch: usize,
    /// Verdicts on topics that can only be judged by comparing hashes (FIGURES 12).
    pub hash_checks: usize,
    /// Sessions that cannot be judged; going through them says why.
    pub unreadable: usize,
    /// Sessions with nothing to judge, by their game.
    pub without_subject: BTreeMap<String, usize>,
    /// Who judges themselves or their like, and in how many sessions.
    pub self_judging: BTreeMap<SelfJudging, usize>,
    /// What asking models costs; nothing for rules.
    pub estimate: CostEstimate,
}

/// Finds out before anything is paid for whether a pass can begin.
///
/// # Errors
/// When a session, a rubric or a model does not exist, a model cannot be called, is not of the kind
/// that the rubric reads, or has no price under a ceiling; when members of an ensemble do not give
/// the same labels.
pub fn plan_pass(
    context: &ExperimentContext,
    sessions: Vec<SessionId>,
    rules: PassRules,
    ceilings: Ceilings,
) -> Result<PassPlan> {
    plan_rules(context, sessions, (rules, Shown::AsPlayed), ceilings)
}

/// Finds out the same of a pass that asks each session's judge once as the sides spoke and once with the proposer's and
/// the critic's places exchanged.
///
/// # Errors
/// As [`plan_pass`]; when the model is a guard, which judges no sides.
pub fn plan_exchange_pass(
    context: &ExperimentContext,
    sessions: Vec<SessionId>,
    model: Option<String>,
    ceilings: Ceilings,
) -> Result<PassPlan> {
    let rules = PassRules::Own { model };
    let plan = plan_rules(context, sessions, (rules, Shown::InBothOrders), ceilings)?;
    match &plan.guard {
        Some(guard) => reject(format!("{guard}: it judges no proposer and critic")),
        None => Ok(plan),
    }
}

/// How judges are shown the debates of a pass.
enum Shown {
    AsPlayed,
    WithCritiques(Vec<ReplacedCritique>),
    InBothOrders,
}

/// Finds out the same of a pass that shows each session's judge other critiques in place of the one that was played.
///
/// # Errors
/// As [`plan_pass`]; when no critique is named, one is named twice, or the model is a guard, which judges no debates.
pub fn plan_critique_pass(
    context: &ExperimentContext,
    sessions: Vec<SessionId>,
    model: Option<String>,
    critiques: Vec<ReplacedCritique>,
    ceilings: Ceilings,
) -> Result<PassPlan> {
    let names: BTreeSet<&str> = critiques.iter().map(|one| one.name.as_str()).collect();
    if !(2..=MAX_CRITIQUES).contains(&critiques.len()) || names.len() < critiques.len() {
        return reject(format!(
            "critiques are compared with each other: name from 2 to {MAX_CRITIQUES} of them, each once"
        ));
    }
    let rules = PassRules::Own { model };
    let plan = plan_rules(
        context,
        sessions,
        (rules, Shown::WithCritiques(critiques)),
        ceilings,
    )?;
    match &plan.guard {
        Some(guard) => reject(format!("{guard}: it decides no debate about a proposal")),
        None => Ok(plan),
    }
}

fn plan_rules(
    context: &ExperimentContext,
    sessions: Vec<SessionId>,
    (rules, shown): (PassRules, Shown),
    ceilings: Ceilings,
) -> Result<PassPlan> {
    check_budget(ceilings.cost_usd)?;
    let budget_usd = ceilings.cost_usd;
    if sessions.is_empty() {
        return reject("there is no session to judge again; choose at least one");
    }
    let layout = &context.store.layout;
    for session in &sessions {
        if !layout.session_path(session.as_str())?.exists() {
            return Err(WorkspaceError::NoSuch {
                what: "session",
                id: session.to_string(),
                list: "elenchus ls",
            });
        }
    }
    let guards = GuardModels::read(&context.library)?;
    let (rules, guard) = use_guard_rubric(rules, &guards, &context.seats)?;
    let mut evaluators = rules.list_evaluators();
    evaluators.retain(|evaluator| !says_its_subject(&context.library, evaluator));
    if !evaluators.is_empty() {
        RubricTargets::read(&context.library).check_evaluators(&evaluators, |model| {
            let model = Some(model.to_owned());
            let own_rules = PassRules::Own { model };
            Ok(plan_pass(context, sessions.clone(), own_rules, ceilings)?.compute_work())
        })?;
    }
    let brings = |evaluator: &Evaluator| load_member(context, evaluator, budget_usd);
    let (alone, members) = match &rules {
        PassRules::Own { model } => {
            let model = model.as_deref();
            let judge = model.map(|model| find_judge_player(model, &context.seats, budget_usd));
            let judge = judge.transpose()?;
            let alone = PassMember {
                brought: None,
                judge,
            };
            (alone, Vec::new())
        }
        PassRules::Rubric { .. } | PassRules::Detector { .. } => {
            let rubric_members: Result<Vec<_>, _> =
                rules.list_evaluators().iter().map(brings).collect();
            (rubric_members?.pop().unwrap_or_default(), Vec::new())
        }
        PassRules::Ensemble { members, .. } => {
            let ensemble_members: Result<Vec<_>, _> = members.iter().map(brings).collect();
            let ensemble_members = ensemble_members?;
            check_subjects(members, &ensemble_members)?;
            check_members(members, &ensemble_members)?;
            (PassMember::default(), ensemble_members)
        }
        PassRules::Imported { .. } => return Err(imported_labels_error()),
    };
    let (critiques, orders) = match shown {
        Shown::AsPlayed => (Vec::new(), Orders::One),
        Shown::WithCritiques(critiques) => (critiques, Orders::One),
        Shown::InBothOrders => (Vec::new(), Orders::Both),
    };
    let mut manifest = PassManifest {
        format: FORMAT,
        pass: context.store.clock.fresh_id(),
        software: software_name(),
        rules,
        brought: alone.brought,
        judge: alone.judge,
        members,
        critiques,
        orders,
        sessions,
        template_texts: TemplateTexts::default(),
        ceilings,
        repeat: None,
    };
    manifest.template_texts = collect_fixed_words(context, &manifest);
    let mismatches = list_mismatches(&manifest, &guards);
    Ok(PassPlan {
        families: context.library.read_families()?,
        context: context.clone(),
        manifest,
        guard,
        mismatches,
    })
}

/// Says whether an evaluator's rubric says itself what it is about. One that cannot be read is refused elsewhere.
fn says_its_subject(library: &Library, evaluator: &Evaluator) -> bool {
    let Evaluator::Rubric { rubric, .. } = evaluator else {
        return false;
    };
    let text = library.read_rubric(rubric).ok();
    let own = text.and_then(|(text, _)| Rubric::parse(rubric, &text).ok());
    own.is_some_and(|own| own.of.is_some())
}

/// A known guard model without a named rubric judges by its own: the sessions' rules were written for
/// other models.
fn use_guard_rubric(
    rules: PassRules,
    guards: &GuardModels,
    seats: &Seats,
) -> Result<(PassRules, Option<String>)> {
    let PassRules::Own { model: Some(model) } = &rules else {
        return Ok((rules, None));
    };
    if is_person(model) {
        // Refused where judges are made ready.
        return Ok((rules, None));
    }
    let player = seats.find_player(model, &Chair::first(JUDGE))?;
    let Some(guard) = guards.find_guard(&player) else {
        return Ok((rules, None));
    };
    let notice = guard.rubric_notice(model);
    let rules = PassRules::Rubric {
        rubric: guard.rubric.clone(),
        model: model.clone(),
    };
    Ok((rules, Some(notice)))
}

fn list_mismatches(manifest: &PassManifest, guards: &GuardModels) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for (evaluator, member) in manifest.list_members() {
        let player = member.judge.as_ref();
        let wrong =
            player.and_then(|player| guards.describe_mismatch(player, &evaluator.rubric_name()));
        notices.extend(wrong.filter(|wrong| !notices.contains(wrong)));
    }
    notices
}

impl PassPlan {
    /// Begins it under a key.
    #[must_use]
    pub fn with_repeat_key(mut self, repeat: Option<Box<RepeatKey>>) -> Self {
        self.manifest.repeat = repeat;
        self
    }

    /// Returns by which rules it judges: a known guard by its own rubric where none was named.
    pub fn rules(&self) -> &PassRules {
        &self.manifest.rules
    }

    /// Returns the models that judge by rules that were brought along.
    pub fn judges(&self) -> impl Iterator<Item = &ModelPlayer> {
        self.manifest.judges()
    }

    /// Returns what it has to do and what that costs. Sends nothing. Blocks while it reads sessions.
    ///
    /// **Likely**: four characters are a token and a verdict takes half of its limit. **At most**:
    /// every byte is a token, every verdict takes all of its limit; calls that break and are made
    /// again are not in it.
    pub fn compute_work(&self) -> PassWork {
        let mut work = PassWork {
            verdicts: 0,
            by_batch: 0,
            hash_checks: 0,
            unreadable: 0,
            without_subject: BTreeMap::new(),
            self_judging: BTreeMap::new(),
            estimate: CostEstimate::zero(),
        };
        for session in &self.manifest.sessions {
            let layout = &self.context.store.layout;
            match SessionJudging::load(layout, session, &self.manifest) {
                Ok(bench) => self.count_session(&bench, &mut work),
                Err(_) => work.unreadable += 1,
            }
        }
        work
    }

    /// Says which games have nothing of what the rubric is about, and what fits; `None` where all have, or no rubric
    /// says what it is about.
    pub fn describe_unfit(&self, work: &PassWork) -> Option<String> {
        let games = || -> Vec<String> {
            let games = work.without_subject.iter();
            games
                .map(|(game, sessions)| format!("{game}: {sessions}"))
                .collect()
        };
        if self.manifest.orders == Orders::Both {
            return (!work.without_subject.is_empty()).then(|| {
                format!(
                    "places are exchanged where a judge reads a proposer and a critic by name, and these sessions have \
                     none that does ({}); what fits are sessions of a game such as moderated, pcd-2 or pcd-4 \
                     (--protocol). Two candidates, as in two-candidate, are judged in both orders by their game",
                    games().join(", ")
                )
            });
        }
        let members = self.manifest.list_members();
        let mut subjects = members.iter().filter_map(|(evaluator, member)| {
            Some((evaluator.rubric_name(), find_subject(member)?))
        });
        let (rubric, subject) = subjects.next()?;
        if work.without_subject.is_empty() {
            return None;
        }
        let fits = subject.describe_fitting();
        Some(format!(
            "rubric '{rubric}' is about a {} (of = \"{}\"), and these sessions have none ({}); what fits are {fits} \
             (--protocol), or a rubric about turns",
            subject.name(),
            subject.name(),
            games().join(", ")
        ))
    }

    fn count_session(&self, session_judging: &SessionJudging, work: &mut PassWork) {
        if session_judging.judges.is_empty() {
            let game = session_judging.protocol_id().to_owned();
            *work.without_subject.entry(game).or_default() += 1;
        }
        if !session_judging.judges.is_empty() {
            for found in session_judging.list_self_judging(&self.families) {
                *work.self_judging.entry(found).or_default() += 1;
            }
        }
        for judge in &session_judging.judges {
            work.verdicts += 1;
            work.hash_checks += usize::from(session_judging.needs_hash_check());
            if session_judging.is_by_rule(judge) {
                continue;
            }
            // A step that cannot be asked is reported when it is tried.
            let Ok(Some(call)) = session_judging.build_call(&self.context.seats, judge, None)
            else {
                continue;
            };
            work.by_batch += usize::from(call.seat.model.batch_server().is_some());
            let call = estimate_call(&call.seat.settings, &call.request, None);
            work.estimate = work.estimate.plus(call);
        }
    }
}

/// Returns the fixed words of what the first session's judges are shown: those of all others are shown
/// them again.
fn collect_fixed_words(context: &ExperimentContext, manifest: &PassManifest) -> TemplateTexts {
    let layout = &context.store.layout;
    let mut sessions = manifest.sessions.iter();
    let first = sessions.find_map(|session| SessionJudging::load(layout, session, manifest).ok());
    let Some(first) = first else {
        return TemplateTexts::default();
    };
    let calls = first.judges.iter();
    let calls = calls.filter_map(|judge| first.build_call(&context.seats, judge, None).ok()?);
    let views: Vec<View> = calls.map(Call::into_view).collect();
    let words = views.iter().flat_map(View::template_words);
    TemplateTexts::new(words.filter_map(|(_, text)| text))
}

/// Labels that came with a file were never judged by anybody here.
pub(super) fn imported_labels_error() -> WorkspaceError {
    WorkspaceError::Invalid(
        "the labels of this pass came with an imported file, so there is nothing to go on with; judge its sessions by another evaluator instead".to_owned(),
    )
}

fn load_member(
    context: &ExperimentContext,
    evaluator: &Evaluator,
    budget_usd: Option<f64>,
) -> Result<PassMember> {
    match evaluator {
        Evaluator::Detector { .. } => Ok(PassMember::default()),
        Evaluator::Rubric { rubric, model } => {
            let (text, template) = context.library.read_rubric(rubric)?;
            if names_reference(&template) {
                return reject(format!(
                    "rubric '{rubric}' compares with the reference answer, which a game's grader alone is shown: \
                     name it in a protocol, as grader = {{ by = SEAT, rubric = \"{rubric}\" }}"
                ));
            }
            let player = find_judge_player(model, &context.seats, budget_usd)?;
            let own_rubric =
                Rubric::parse(rubric, &text).map_err(elenchus_records::library::GameError::from)?;
            check_api(&own_rubric, &player, &context.seats)?;
            Ok(PassMember {
                brought: Some(BroughtRubric {
                    rubric: text,
                    template,
                }),
                judge: Some(player),
            })
        }
    }
}

/// Says whether a template prints the reference answer.
fn names_reference(template: &str) -> bool {
    let mut printed = template.split("{{").skip(1);
    printed.any(|value| value.trim_start().starts_with("reference"))
}

/// A moderation endpoint gives flags, which only one kind of rubric reads, and that kind reads
/// nothing else.
fn check_api(rubric: &Rubric, player: &ModelPlayer, seats: &Seats) -> Result<()> {
    if player.simulated {
        return Ok(());
    }
    let api = seats.make_ready(player)?.settings.effective_api();
    let reads_flags = match rubric.reading {
        ReplyFormat::Moderation => true,
        ReplyFormat::LastLine
        | ReplyFormat::LlamaGuard
        | ReplyFormat::Json
        | ReplyFormat::FirstWord
        | ReplyFormat::NamedFields => false,
    };
    let why = match (reads_flags, api) {
        (true, Api::Chat) => format!(
            "rubric '{}' reads what a moderation endpoint answers; set api = \"moderation\" in \
             [models.{}], or choose another rubric",
            rubric.id, player.model
        ),
        (_, Api::Embedding) => {
            "vectors of texts judge nothing; choose a model that answers in words".to_owned()
        }
        (false, Api::Moderation) => format!(
            "a moderation endpoint answers no questions, and rubric '{}' asks one; choose the \
             rubric 'openai-moderation'",
            rubric.id
        ),
        (true, Api::Moderation) | (false, Api::Chat) => return Ok(()),
    };
    let model = player.model.clone();
    Err(CastError::Model { model, why }.into())
}

/// Findings become one only where all members speak of the same labels.
fn check_members(members: &[Evaluator], brought: &[PassMember]) -> Result<()> {
    if !(2..=MAX_MEMBERS).contains(&members.len()) {
        return reject(format!(
            "an ensemble has from 2 to {MAX_MEMBERS} evaluators; {} were given",
            members.len()
        ));
    }
    let mut first_labels: Option<(String, BTreeSet<String>)> = None;
    for (evaluator, brought) in members.iter().zip(brought) {
        let labels = collect_labels(evaluator, brought)?;
        match &first_labels {
            None => first_labels = Some((evaluator.to_string(), labels)),
            Some((first, theirs)) if *theirs != labels => {
                let list = |labels: &BTreeSet<String>| {
                    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                    labels.join(", ")
                };
                return reject(format!(
                    "{first} finds {} and {evaluator} finds {}; an ensemble needs evaluators of the \
                     same labels",
                    list(theirs),
                    list(&labels)
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Findings on different things are none about one.
fn check_subjects(members: &[Evaluator], brought: &[PassMember]) -> Result<()> {
    let named = |subject: Option<RubricSubject>| subject.unwrap_or(RubricSubject::Turn).name();
    let mut all = members.iter().zip(brought);
    let Some((first, theirs)) = all.next() else {
        return Ok(());
    };
    let theirs = named(find_subject(theirs));
    for (evaluator, member) in all {
        let own = named(find_subject(member));
        if own != theirs {
            return reject(format!(
                "{first} is about a {theirs} and {evaluator} about a {own}; an ensemble needs evaluators of the same \
                 thing"
            ));
        }
    }
    Ok(())
}

fn collect_labels(evaluator: &Evaluator, brought: &PassMember) -> Result<BTreeSet<String>> {
    Ok(match (evaluator, &brought.brought) {
        (Evaluator::Detector { detector }, _) => {
            let labels = judge::detector_labels(*detector).iter();
            labels.map(|(label, _)| (*label).to_owned()).collect()
        }
        (Evaluator::Rubric { rubric, .. }, Some(text)) => {
            let own_rubric = Rubric::parse(rubric, &text.rubric)
                .map_err(elenchus_records::library::GameError::from)?;
            own_rubric
                .labels
                .into_iter()
                .map(|label| label.name)
                .collect()
        }
        (Evaluator::Rubric { .. }, None) => BTreeSet::new(),
    })
}

/// Finds out before anything is paid for whether a model can judge.
fn find_judge_player(model: &str, seats: &Seats, budget_usd: Option<f64>) -> Result<ModelPlayer> {
    if is_person(model) {
        return Err(CastError::Model {
            model: model.to_owned(),
            why: "a pass asks models alone; people judge in the debate, or label".to_owned(),
        }
        .into());
    }
    let chair = Chair::first(JUDGE);
    let player = seats.find_player(model, &chair)?;
    let participant = Participant {
        chair,
        player: Player::Model(player.clone()),
        persona: None,
    };
    let ceiling = match budget_usd {
        Some(_) => CostCeiling::Set,
        None => CostCeiling::None,
    };
    check_models(&[participant], seats, ceiling)?;
    Ok(player)
}

fn is_person(model: &str) -> bool {
    model == HUMAN || model.starts_with("human:")
}
