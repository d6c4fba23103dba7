//! `elenchus gate`: whether a question is worth a debate, and what the debate would cost.

mod args;

use super::common::{CommandContext, Exit, Page, TopicText, estimate, output, text_input};
use super::run::{CastNotices, GameRequest, plan};
use anyhow::{Context, Result, bail};
pub(crate) use args::GateArgs;
use elenchus_game::debate::event::{Created, MemoryUse};
use elenchus_game::debate::{CostEstimate, SessionId};
use elenchus_run::engine::cost::estimate_cost as estimate_of;
use elenchus_run::engine::seats::models_of;
use elenchus_run::engine::{
    ConditionName, DebateInputs, GateDecision, GateQuestion, GateRule, created_of, decide_debate,
};
use std::collections::BTreeSet;

/// Protocol that is estimated by default.
const DEFAULT_PROTOCOL: &str = "moderated";
/// What is estimated where no topic is given: a question of usual length.
const NO_TOPIC: &str =
    "Should we do this, given what we know, and what would be lost if it is wrong?";
/// How wide the column of condition names is.
const NAMES: usize = 24;

/// Answers, and prints the conditions with the figures they rest on.
///
/// # Errors
/// When a figure is out of range, the game cannot be played, or a model has no price.
pub fn run(args: &GateArgs, context: &CommandContext) -> Result<Exit> {
    if args.answer.as_deref() == Some("-") && args.topic.as_deref() == Some("-") {
        bail!("--answer and --topic cannot both be read from standard input");
    }
    let (created, estimate) = estimate_debate(args, context)?;
    let answer = args
        .answer
        .as_deref()
        .map(text_input::read_text_or_stdin)
        .transpose()?;
    let debate_usd = estimate
        .likely
        .cost_usd
        .with_context(|| describe_missing_prices(&created))?;
    let question = GateQuestion {
        task: &args.task,
        confidence: args.confidence,
        downside_usd: args.downside,
        answer: answer.as_deref(),
        debate_usd,
    };
    let decision = decide_debate(&context.config.gate, &question)?;
    if args.output.json {
        output::print_json_lines([decision_to_json(&created, &decision, &estimate)])?;
    } else {
        output::print_text(&format_decision(&created, &decision, &estimate, context))?;
    }
    Ok(match (args.exit_code, decision.debate) {
        (true, false) => Exit::NoDebate,
        (true, true) | (false, _) => Exit::Fine,
    })
}

fn estimate_debate(args: &GateArgs, context: &CommandContext) -> Result<(Created, CostEstimate)> {
    let request = GameRequest {
        protocol: args.protocol.as_deref().unwrap_or(DEFAULT_PROTOCOL),
        set: &args.set,
        rounds: args.rounds,
        cast: &args.cast,
        telling: CastNotices::Print,
    };
    let game = plan::load_game(&request, context)?;
    let cast = plan::read_cast_request(&args.cast)?.seat_all(
        &game,
        &context.seats,
        context.config.default_model(),
    )?;
    let text = args.topic.as_deref().unwrap_or(NO_TOPIC);
    let topic = text_input::read_topic(&TopicText {
        text,
        documents: &args.document,
        options: &args.option,
        reference: None,
    })?;
    let debate = DebateInputs {
        topic,
        seed: 0,
        memory: MemoryUse::default(),
    };
    let creation = created_of(&game, SessionId::new("gate"), cast, debate);
    let Some(estimate) = estimate_of(&creation, &game) else {
        bail!(
            "protocol '{}' is too large to be estimated; give fewer --rounds",
            game.protocol.id
        );
    };
    Ok((creation, estimate))
}

fn describe_missing_prices(created: &Created) -> String {
    let models = models_of(&created.cast).map(|model| model.model.clone());
    let models = Vec::from_iter(models.collect::<BTreeSet<_>>());
    format!(
        "what the debate costs is not known, because not every one of its models has prices ({}); \
         give them price_in_usd_per_mtok and price_out_usd_per_mtok in the configuration",
        models.join(", ")
    )
}

fn format_yes_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn format_decision(
    created: &Created,
    decision: &GateDecision,
    estimate: &CostEstimate,
    context: &CommandContext,
) -> String {
    let mut page = Page::new(output::width(), context.colour);
    let is_unchecked = decision.rule != GateRule::All
        && decision.debate
        && decision
            .conditions
            .iter()
            .any(|condition| condition.is_no_check);
    page.add_line(&match is_unchecked {
        true => {
            "debate: yes, though the downside was not weighed: name models that have prices, with \
                 --model"
                .to_owned()
        }
        false => format!("debate: {}", format_yes_no(decision.debate)),
    });
    for condition in &decision.conditions {
        let name = match condition.name {
            ConditionName::AsymmetricDownside => "asymmetric downside",
            ConditionName::ObservableUncertainty => "observable uncertainty",
            ConditionName::HighRiskTask => "high-risk task",
            ConditionName::GenuinelyContested => "genuinely contested",
        };
        let holds = match condition.is_no_check {
            true => "-",
            false => format_yes_no(condition.holds),
        };
        let condition_text = format!("{holds:3}  {}", condition.because);
        page.add_field(0, name, NAMES, &condition_text);
    }
    let rule = match decision.rule {
        GateRule::Downside => "downside: the downside decides, for whatever is no look-up",
        GateRule::All => "all: every condition must hold",
        GateRule::Any => "any: one condition is enough, for whatever is no look-up",
    };
    page.add_field(0, "rule", NAMES, rule);
    let estimate_text = format!("{} ({})", estimate::line(estimate), created.protocol.id);
    page.add_field(0, "estimate", NAMES, &estimate_text);
    if created.is_simulated() {
        page.add_line("SIMULATED: simulated models cost nothing; name real ones with --model");
    }
    page.into_text()
}

fn decision_to_json(
    created: &Created,
    decision: &GateDecision,
    estimate: &CostEstimate,
) -> serde_json::Value {
    serde_json::json!({
        "debate": decision.debate,
        "rule": decision.rule,
        "conditions": decision.conditions,
        "protocol": created.protocol.id,
        "simulated": created.is_simulated(),
        "estimate": estimate,
    })
}
