//! Preference judge of a prompt comparison: every pair of replies, in both orders.

use super::event::{AbAnswer, AbCell, AbContext, AbJudge, AbOrder, AbPair, AbPreference};
use super::state::AbState;
use crate::engine::cost::WorstCase;
use crate::engine::model_request::reply_form;
use crate::engine::seats::{ReadyModel, Seats};
use crate::engine::{CallPlace, DEFAULT_MAX_TOKENS, model_request, restore_seat_order};
use crate::experiments::engine::{Asked, ItemEnd, Stage};
use crate::experiments::prompt_trial::{TriedCall, read_sample};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_game::debate::step::ShownOrder;
use elenchus_game::debate::view::{MessageRole, PartSource, View, ViewMessage, ViewPart};
use elenchus_game::debate::{Chair, CostEstimate, ExpectedUse, SessionId, Spend, State};
use elenchus_game::judge::{self, Material, Rubric};
use elenchus_game::prompt::{EMPTY_TURN_TEXT, Engine, JudgeFrame, ReplyPair, preference_view};
use elenchus_metrics::Preferred;
use elenchus_model as model;
use elenchus_model::{
    CHARS_PER_TOKEN, CallContext, FixedReply, JudgeTask, Request, RoleHint, Sampling,
    input_tokens_bound,
};
use elenchus_records::library::Library;
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::{Result, WorkspaceError, reject};
use elenchus_store::Layout;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What requests call the seat of the judge.
const SEAT: &str = "preference";
/// The template's name in its engine.
const TEMPLATE: &str = "rubric:preference";

/// Preference judge, ready to be called.
pub(super) struct PreferenceJudge {
    seat: ReadyModel,
    rubric: Rubric,
    engine: Engine,
    frame: JudgeFrame,
    seed: u64,
}

/// Question to the judge, ready to be sent.
pub(super) struct PreferenceRequest {
    seat: ReadyModel,
    request: Request,
    rubric: Rubric,
    material: Material,
    order: AbOrder,
    pub worst_case: WorstCase,
}

/// Reads everything that a judge is asked with, and finds out whether it compares two replies.
///
/// # Errors
/// When there is no such model or rubric, the rubric does not compare two candidates, or its template
/// does not render with two replies.
pub(super) fn load_judge(
    library: &Library,
    seats: &Seats,
    request: &AbPreference,
) -> Result<AbJudge> {
    let (rubric, template) = library.read_rubric(&request.rubric)?;
    let ab_judge = AbJudge {
        player: seats.find_player(&request.judge, &Chair::first(SEAT))?,
        rubric,
        template,
        is_kin: false,
    };
    let judge = PreferenceJudge::new(seats, &ab_judge, 0)?;
    let compares = |rubric: &Rubric| {
        let mut labels = rubric.labels.iter();
        labels.all(|label| label.mirror.is_some())
    };
    if !compares(&judge.rubric) {
        return reject(format!(
            "rubric '{}' does not compare two candidates: its labels have no mirrors; take \
             'preference' or write one like it",
            request.rubric
        ));
    }
    Ok(ab_judge)
}

/// Says whether a judge is of one family with a seat that it would judge, or the same model. Blocks.
///
/// # Errors
/// When a session cannot be read.
pub(super) fn is_kin(
    layout: &Layout,
    contexts: &[AbContext],
    judge: &AbJudge,
    families: &ModelFamilies,
) -> Result<bool> {
    let mut turns: BTreeMap<&SessionId, Vec<&AbContext>> = BTreeMap::new();
    for context in contexts {
        turns.entry(&context.session).or_default().push(context);
    }
    for of_session in turns.values() {
        let state = of_session.first().map(|context| context.read_state(layout));
        let state = state.transpose()?;
        let mut players = of_session.iter().filter_map(|context| {
            let created = state.as_ref()?.first_event()?;
            let chair = context.call.as_ref()?.find_chair(state.as_ref()?)?;
            created.player_of(&chair)?.as_model()
        });
        if players.any(|player| families.are_kin(&judge.player, player)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says whether it is known what a judge costs.
///
/// # Errors
/// When its model cannot be made ready.
pub(super) fn has_price(seats: &Seats, judge: &AbJudge) -> Result<bool> {
    Ok(seats
        .make_ready(&judge.player)?
        .settings
        .compute_price(1, 1)
        .is_some())
}

impl PreferenceJudge {
    /// Makes a judge ready from what a comparison keeps of it.
    ///
    /// # Errors
    /// When the model cannot be made ready, or its rubric cannot be read by this version.
    pub(crate) fn new(seats: &Seats, kept: &AbJudge, seed: u64) -> Result<Self> {
        let rubric = Rubric::parse(TEMPLATE, &kept.rubric)
            .map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
        let texts = BTreeMap::from([(TEMPLATE.to_owned(), kept.template.clone())]);
        Ok(Self {
            seat: seats.make_ready(&kept.player)?,
            frame: rubric.judge_frame(TEMPLATE),
            engine: Engine::new(&texts)?,
            rubric,
            seed,
        })
    }

    /// Makes the request of a question.
    ///
    /// # Errors
    /// When a sample cannot be read or holds no reply, or the template fails.
    pub(crate) fn build_question(
        &self,
        layout: &Layout,
        state: &AbState,
        pair: AbPair,
    ) -> Result<PreferenceRequest> {
        let place = |arm: u8| AbCell {
            context: pair.context,
            sample: pair.sample,
            arm,
        };
        let (Some(context), Some(a), Some(b)) = (
            state.find_context(place(0)),
            state.played.get(&place(0)),
            state.played.get(&place(1)),
        ) else {
            return reject("there is no such pair");
        };
        let call = require_call(context)?;
        let (a, b) = (
            read_sample(layout, &a.session)?,
            read_sample(layout, &b.session)?,
        );
        let [text_a, text_b] = [find_reply_text(&a, call)?, find_reply_text(&b, call)?];
        self.build_request(&a, call, [&text_a, &text_b], pair)
    }

    fn build_request(
        &self,
        state: &State,
        call: &TriedCall,
        [a, b]: [&str; 2],
        pair: AbPair,
    ) -> Result<PreferenceRequest> {
        let shown_view = call.find_view(state).unwrap_or_else(empty_view);
        let Some(speaker) = call.find_chair(state) else {
            return reject(format!("nobody sits where {call} is asked for"));
        };
        let asked = call.to_string();
        let round = call.turn().map_or(state.last_round(), |turn| turn.round);
        let (first, second) = match pair.order {
            AbOrder::AFirst => (a, b),
            AbOrder::BFirst => (b, a),
        };
        let replies = ReplyPair {
            asked: &asked,
            chair: &speaker,
            round,
            shown: &shown_view,
            first,
            second,
        };
        let view = preference_view(&self.engine, &self.frame, state, replies)?;
        let Some(created) = state.first_event() else {
            return reject("the session has not begun");
        };
        let chair = Chair::first(SEAT);
        let stage = match pair.order {
            AbOrder::AFirst => format!("{SEAT} {asked}"),
            AbOrder::BFirst => format!("{SEAT} {asked} swapped"),
        };
        let place = CallPlace {
            chair: &chair,
            round,
            stage,
            attempt: 0,
            private: false,
            question: JudgeTask::Pick,
            rubric: Some(&self.rubric),
            label_mark: view.label_mark(),
        };
        let hint = CallContext {
            role: RoleHint::Judge,
            ..model_request::build_call_context(created, place)
        };
        let numbers = [pair.context, pair.sample].map(|number| number.to_string());
        let [context, sample] = numbers;
        let sampling_seed =
            seeded_number(self.seed, &["preference", &context, &sample, &hint.stage]);
        let settings = &self.seat.settings;
        let own_limit = settings.sampling.max_tokens;
        let limit = self.rubric.max_tokens;
        let sampling = Sampling {
            // Judges are asked for their most likely verdict, not for a sample.
            temperature: Some(0.0),
            max_tokens: limit.or(own_limit.is_none().then_some(DEFAULT_MAX_TOKENS)),
            seed: Some(sampling_seed & 0x7fff_ffff),
            ..Sampling::default()
        };
        let messages = model_request::messages_of_view(&view);
        let form = reply_form(&self.rubric, view.label_mark());
        let request = settings.build_request(messages, &sampling, form, pair.sample, hint);
        let mut seat = self.seat.clone();
        let mut worst_case = WorstCase::from_request(settings, &request);
        if let Some(reply) = seat.model.find_cached_reply(&request) {
            seat.model = Arc::new(FixedReply::new(seat.model.as_ref(), reply));
            worst_case = WorstCase::NOTHING;
        }
        Ok(PreferenceRequest {
            seat,
            request,
            rubric: self.rubric.clone(),
            material: Material::from_view(&view),
            order: pair.order,
            worst_case,
        })
    }

    /// Returns what one question costs whose replies are as long as limits allow: its template, the
    /// topic and twice the tokens of a reply.
    pub(crate) fn estimate_question(
        &self,
        state: &State,
        call: &TriedCall,
        reply_tokens: [u64; 2],
    ) -> CostEstimate {
        let pair = AbPair {
            context: 0,
            sample: 0,
            order: AbOrder::AFirst,
        };
        let Ok(asking) = self.build_request(state, call, ["x", "x"], pair) else {
            return CostEstimate {
                likely: ExpectedUse::default(),
                at_most: ExpectedUse::default(),
            };
        };
        let [likely, most] = reply_tokens;
        let messages = asking.request.messages.iter();
        let chars: usize = messages.map(|said| said.content.chars().count()).sum();
        let limit = asking.request.sampling.max_tokens;
        let limit = u64::from(limit.unwrap_or(DEFAULT_MAX_TOKENS));
        let expected_use = |input_tokens: u64, output_tokens: u64| ExpectedUse {
            calls: 1,
            input_tokens,
            output_tokens,
            cost_usd: self
                .seat
                .settings
                .compute_price(input_tokens, output_tokens),
        };
        CostEstimate {
            likely: expected_use(
                (chars as u64).div_ceil(CHARS_PER_TOKEN) + 2 * likely,
                limit.div_ceil(2),
            ),
            at_most: expected_use(input_tokens_bound(&asking.request) + 2 * most, limit),
        }
    }
}

fn empty_view() -> View {
    View {
        messages: vec![ViewMessage {
            role: MessageRole::User,
            parts: vec![ViewPart {
                from: PartSource::Topic,
                text: None,
                text_hash: None,
            }],
        }],
        request_sha256: String::new(),
    }
}

fn require_call(context: &AbContext) -> Result<&TriedCall> {
    context.call.as_ref().ok_or_else(|| {
        WorkspaceError::Invalid(
            "a preference compares replies to one recorded turn or lesson, and whole debates have many"
                .to_owned(),
        )
    })
}

fn find_reply_text(state: &State, call: &TriedCall) -> Result<String> {
    let replies = call.list_own_replies(state);
    let text = replies.first().map(|reply| match reply.is_empty() {
        true => EMPTY_TURN_TEXT.to_owned(),
        false => reply.text.clone(),
    });
    text.ok_or_else(|| WorkspaceError::Invalid(format!("a sample holds no reply for {call}")))
}

impl PreferenceRequest {
    /// Sends the question, once the budget has room for it; returns what came, and what that used.
    ///
    /// # Errors
    /// Never; the question was noted before.
    pub(crate) async fn send(self, stage: &Stage) -> Result<(ItemEnd<Box<AbAnswer>>, Spend)> {
        let (seat, request) = (&self.seat, &self.request);
        let start_event = async { Ok(()) };
        let answer = stage.ask_model(seat, request, self.worst_case, start_event, |_, _, _| {});
        let Asked { end, spend, .. } = answer.await?;
        Ok((end.map(|reply| Box::new(self.parse_answer(*reply))), spend))
    }

    fn parse_answer(&self, reply: model::Reply) -> AbAnswer {
        let cost_usd = self.seat.settings.cost_usd(&reply);
        let reply = model_request::to_event_reply(reply, cost_usd, &self.request);
        let order = match self.order {
            AbOrder::AFirst => ShownOrder::AsSeated,
            AbOrder::BFirst => ShownOrder::Swapped,
        };
        let outcome = judge::parse_reply_verdict(&self.rubric, &reply, &self.material);
        let (preference, why) = match restore_seat_order(&self.rubric, order, outcome) {
            Outcome::Label(found) if found.value > 0.0 => (Preferred::A, None),
            Outcome::Label(found) if found.value < 0.0 => (Preferred::B, None),
            Outcome::Label(_) => (Preferred::Tie, None),
            Outcome::Unparsed { why, .. } => (Preferred::Unparsed, Some(why)),
        };
        AbAnswer {
            said: preference,
            why,
            request_sha256: self.request.compute_sha256(),
            cached: reply.cached,
            text: reply.text,
            cost_usd,
        }
    }
}
