//! Selection of a comparison: which template is compared, and on which recorded turns.

use super::contexts::{FoundContexts, TurnFilter, find_contexts};
use super::event::{AbContext, AbPlan, ContextKind, VerdictTruth};
use super::report::is_one_text;
use crate::engine::seats::Seats;
use crate::engine::{CostCeiling, check_models};
use crate::experiments::prompt_trial::is_template_judged;
use elenchus_game::debate::{Protocol, SeatId, SessionId};
use elenchus_game::prompt;
use elenchus_records::library::rubric_template;
use elenchus_records::workspace::{Result, read_session, reject};
use elenchus_store::Layout;
use elenchus_text::format_noun_count;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a template that is to be compared; whatever is left out, one template must fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct TemplateFilter<'a> {
    pub protocol: Option<&'a str>,
    pub seat: Option<&'a str>,
    pub template: Option<&'a str>,
}

/// A template of a protocol, with the sessions that were asked by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedTemplate {
    pub template: String,
    pub protocol: String,
    pub sessions: Vec<SessionId>,
}

/// Recorded turns that a comparison can be made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedTurns {
    pub contexts: Vec<AbContext>,
    /// What they are; what could be found, where there are none.
    pub kind: ContextKind,
    /// Some debate judges turns that the template asks for.
    pub is_judged: bool,
    /// Why sessions are left out.
    pub unread: Vec<String>,
    /// Verdicts or decisions that are left out: nothing says what they should have been.
    pub without_truth: usize,
    pub simulated: bool,
}

impl ComparedTurns {
    /// Says what is left out, and why.
    pub fn list_notices(&self) -> Vec<String> {
        let unread = self.unread.iter();
        let mut notices: Vec<String> = unread
            .map(|why| format!("a session is left out: {why}"))
            .collect();
        if self.without_truth > 0 {
            notices.push(format!(
                "{} are left out: nothing says what they should have been",
                format_noun_count(self.without_truth, self.kind.noun())
            ));
        }
        notices
    }
}

impl TemplateFilter<'_> {
    /// Finds the template among sessions; those of others are left out. Blocks.
    ///
    /// # Errors
    /// When none or several fit; names those.
    pub fn find_template(
        &self,
        layout: &Layout,
        sessions: &[SessionId],
    ) -> Result<ComparedTemplate> {
        let mut sessions_by_template: BTreeMap<(String, String), Vec<SessionId>> = BTreeMap::new();
        for id in sessions {
            let Ok(state) = read_session(&layout.session_path(id.as_str())?) else {
                continue;
            };
            let Some(protocol) = state.protocol() else {
                continue;
            };
            if self.protocol.is_some_and(|wanted| wanted != protocol.id) {
                continue;
            }
            for name in self.list_templates(protocol) {
                let entry = sessions_by_template.entry((name, protocol.id.clone()));
                entry.or_default().push(id.clone());
            }
        }
        require_single(sessions_by_template)
    }

    /// Returns the template of a game.
    ///
    /// # Errors
    /// As [`find_template`](Self::find_template).
    pub fn find_game_template(&self, protocol: &Protocol) -> Result<ComparedTemplate> {
        let names = self.list_templates(protocol).into_iter();
        require_single(names.map(|name| ((name, protocol.id.clone()), Vec::new())))
    }

    /// Returns the prompt templates of a game's seats that fit.
    fn list_templates(&self, protocol: &Protocol) -> BTreeSet<String> {
        let stages = protocol.stages.iter().filter(|stage| stage.enabled);
        let seat_templates = stages.flat_map(|stage| {
            let seats = stage.seats.iter();
            seats.map(|seat| (seat, protocol.template_name(stage, seat)))
        });
        let fits = |(told, name): &(&SeatId, &str)| {
            self.seat.is_none_or(|seat| told.as_str() == seat)
                && self.template.is_none_or(|template| *name == template)
        };
        let mut names: BTreeSet<String> = seat_templates
            .filter(fits)
            .map(|(_, name)| name.to_owned())
            .collect();
        names.extend(self.list_named_templates(protocol));
        // A judge's prompt has to be asked for: what is compared by itself is what seats say.
        if self.seat.is_some() || self.template.is_some() {
            // What a grader's seat found is the truth, which its own prompt cannot be scored by.
            let rules = protocol.judging.iter();
            let rules = rules.filter(|rule| rule.enabled && rule.has_judge());
            let of_judges = rules.filter_map(|rule| {
                let name = rubric_template(rule.rubric.as_ref()?);
                fits(&(rule.by.as_ref()?, &name)).then_some(name)
            });
            names.extend(of_judges);
        }
        names
    }

    /// Returns the templates that are compared where they are asked for by name: those that send a reply back, and
    /// those of lessons and of guardrails, which the seats of a game share with what they say.
    fn list_named_templates(&self, protocol: &Protocol) -> Vec<String> {
        let Some(template) = self.template else {
            return Vec::new();
        };
        let is_seat = |seat: &SeatId| self.seat.is_none_or(|wanted| seat.as_str() == wanted);
        let stages = protocol.stages.iter().filter(|stage| stage.enabled);
        let sends_back = stages
            .filter(|stage| stage.seats.iter().any(is_seat))
            .flat_map(|stage| &stage.retry)
            .any(|rule| rule.template.as_deref() == Some(template));
        let mut lessons = protocol.feedback.iter();
        let asks_for_lesson =
            lessons.any(|rule| rule.template_name() == template && is_seat(&rule.by));
        let mut guarded = protocol.judged_chairs().into_iter();
        let decides = template == prompt::DECISION && guarded.any(|chair| is_seat(&chair.seat));
        let writes = template == prompt::DERIVATION && !protocol.feedback.is_empty();
        let is_named = sends_back || asks_for_lesson || decides || writes;
        is_named.then(|| template.to_owned()).into_iter().collect()
    }
}

/// Returns the only template that fits.
fn require_single(
    found: impl IntoIterator<Item = ((String, String), Vec<SessionId>)>,
) -> Result<ComparedTemplate> {
    let mut options: Vec<_> = found.into_iter().collect();
    let why = match (options.pop(), options.is_empty()) {
        (Some(((template, protocol), sessions)), true) => {
            return Ok(ComparedTemplate {
                template,
                protocol,
                sessions,
            });
        }
        (None, _) => "no debate of this store has a seat or template like that; 'elenchus prompts \
             list' has the templates, 'elenchus ls' the debates"
            .to_owned(),
        (Some(last), false) => {
            let all = options.iter().chain([&last]);
            let all = all.map(|((template, protocol), _)| format!("{protocol}/{template}"));
            format!(
                "several templates fit: {}; choose one with --protocol and --seat or --template",
                all.collect::<Vec<_>>().join(", ")
            )
        }
    };
    reject(why)
}

/// Finds recorded turns, and checks that their models can be asked. Blocks.
///
/// # Errors
/// When a session cannot be read, a model cannot be called or has no price under a ceiling, or some
/// sessions are simulated and others are not.
pub fn select_turns(
    layout: &Layout,
    seats: &Seats,
    filter: &TurnFilter,
    (seed, budget_usd): (u64, Option<f64>),
) -> Result<ComparedTurns> {
    let FoundContexts {
        contexts,
        unreadable,
        without_truth,
    } = find_contexts(layout, filter, seed);
    if contexts.is_empty() && without_truth > 0 {
        let count = format_noun_count(without_truth, filter.scored_kind().noun());
        return reject(refuse_unknown_truth(filter, &count));
    }
    let kind = contexts
        .first()
        .map_or(filter.scored_kind(), AbContext::kind);
    let sessions: BTreeSet<&SessionId> = contexts.iter().map(|context| &context.session).collect();
    let (mut simulated_count, mut all, mut is_judged) = (0, 0, false);
    for session in sessions {
        let state = read_session(&layout.session_path(session.as_str())?)?;
        if let Some(created) = state.first_event() {
            let ceiling = CostCeiling::from_budget(budget_usd, &created.protocol);
            check_models(&created.cast, seats, ceiling)?;
            simulated_count += u32::from(created.is_simulated());
            all += 1;
            is_judged |= is_template_judged(&created.protocol, &filter.template);
        }
    }
    if simulated_count > 0 && simulated_count < all {
        return reject(format!(
            "{simulated_count} of {all} sessions are simulated: those are never pooled with others; choose \
             some of one kind, as with --run or --session"
        ));
    }
    Ok(ComparedTurns {
        contexts,
        kind,
        is_judged: is_judged || kind.is_asked_alone(),
        unread: unreadable,
        without_truth,
        simulated: simulated_count > 0,
    })
}

/// Says why verdicts or decisions can be held against nothing.
fn refuse_unknown_truth(filter: &TurnFilter, count: &str) -> String {
    let any = format!("any of the {count} by this prompt is about");
    match &filter.truth.source() {
        VerdictTruth::Grader if filter.scored_kind() == ContextKind::GuardDecision => format!(
            "no topic says what it is expected to be, and no evaluator judged what {any}: choose debates on topics with \
             an expected label, as those of XSTest; or hold them against people's labels or another judge ('right by' in \
             the form, --truth labels:safety or pass:last)"
        ),
        VerdictTruth::Grader => format!(
            "no grader decided what {any}: hold them against people's labels or another judge ('right by' in the form, \
             --truth labels:safety or pass:last), or choose debates of a game with a grader on topics with a reference"
        ),
        VerdictTruth::Labels(set) => format!(
            "nobody labelled blind what {any}, by the label set '{set}': 'elenchus label' begins a queue of them"
        ),
        VerdictTruth::Pass(pass) => {
            format!("pass {pass} found nothing on what {any}: 'elenchus judge list' has the passes")
        }
    }
}

/// Says whether both prompts of a plan have the same words on all its turns, so that they can differ by
/// chance alone. Blocks.
///
/// # Errors
/// When a session cannot be read.
pub fn has_one_text(layout: &Layout, plan: &AbPlan) -> Result<bool> {
    let sessions: BTreeSet<&SessionId> = plan.contexts.iter().map(|on| &on.session).collect();
    for session in &sessions {
        let mut contexts = plan.contexts.iter();
        let context = contexts.find(|context| &context.session == *session);
        let state = context
            .map(|context| context.read_state(layout))
            .transpose()?;
        if state.is_some_and(|state| !is_one_text(plan, &state)) {
            return Ok(false);
        }
    }
    Ok(!sessions.is_empty())
}
