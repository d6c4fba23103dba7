//! Negotiation of one call: on which terms the request is sent again after each refusal, and what its
//! server's models are remembered to take. Sends nothing.

use std::time::Duration;

use super::too_long;
use super::unsupported_params::{self, PassingRefusal};
use crate::call::Request;
use crate::context_window::{self, ContextOverflow, ContextSource};
use crate::dialect::Param;
use crate::request_terms::{LearnedTerms, RequestTerms, TermChange};
use crate::{CallError, CallErrorKind};

/// The wait before a refusal that comes and goes is tried again.
const PASSING_WAIT: Duration = Duration::from_millis(500);

/// The terms of one call while its server refuses them.
pub(super) struct Negotiation<'a> {
    request: &'a Request,
    learned: &'a LearnedTerms,
    /// Whether the token limit must be sent, because it bounds the cost of a reply.
    holds_limits: bool,
    pub terms: RequestTerms,
    trial: Option<Trial>,
    /// What refusals taught in this call: remembered once it is answered, for only then was it right.
    changes: Vec<TermChange>,
    /// A limit is mended once a call: a server may name another one each time.
    mended_limit: bool,
    /// The limit was lowered to what the context leaves, after a refusal; once a call.
    fitted_limit: bool,
}

/// An experiment: the request is sent on terms that no message asked for.
enum Trial {
    /// After a failure of the server (500): the schema may be the cause.
    WithoutSchema { first: CallError },
    /// After a refusal that comes and goes: unchanged, then without its parts.
    Passing {
        first: CallError,
        refusal: &'static PassingRefusal,
        /// The terms before anything was left out.
        before: Box<RequestTerms>,
        tries: usize,
    },
    /// After a stream that broke off before its first word: many servers then say why.
    AsWhole { first: CallError },
}

/// A failed try.
pub(super) struct FailedTry<'a> {
    pub error: CallError,
    /// The server's whole message.
    pub words: &'a str,
    /// Whether a reply had begun, and none of its text had arrived.
    pub is_wordless: bool,
}

/// What follows from a failed try.
pub(super) enum NextTry {
    /// The request is sent again on changed terms, or after a wait.
    Again(Duration),
    GiveUp(CallError),
}

impl<'a> Negotiation<'a> {
    /// Begins on the terms that are known; `configured_context` is the context that the settings name.
    ///
    /// # Errors
    /// When the request is clearly longer than the model's context.
    pub(super) fn new(
        request: &'a Request,
        learned: &'a LearnedTerms,
        holds_limits: bool,
        configured_context: Option<u32>,
    ) -> Result<Self, ContextOverflow> {
        let server_context = learned.context_tokens(&request.model);
        let source_of_context = match (configured_context, server_context) {
            (Some(configured), Some(named)) if named < configured => ContextSource::Server,
            (None, Some(_)) => ContextSource::Server,
            (Some(_), _) | (None, None) => ContextSource::Configured,
        };
        let context = configured_context.into_iter().chain(server_context).min();
        let lowered_limit =
            context_window::fit_to_context(request, context).map_err(|long| ContextOverflow {
                source_of_context,
                ..long
            })?;
        let mut terms = learned.build_terms(request);
        terms.lowered_limit = lowered_limit;
        Ok(Self {
            request,
            learned,
            holds_limits,
            terms,
            trial: None,
            changes: Vec::new(),
            mended_limit: false,
            fitted_limit: false,
        })
    }

    /// Decides what follows from a failure.
    pub(super) fn decide_next_try(&mut self, failure: FailedTry<'_>) -> NextTry {
        let FailedTry {
            error,
            words,
            is_wordless,
        } = failure;
        if error.kind == CallErrorKind::ContextLength {
            return self.fit_limit(error, words);
        }
        let term_change =
            unsupported_params::learn_from_refusal(&error.kind, words, self.request, &self.terms);
        if let Some(change) = term_change.filter(|change| self.may_mend(*change)) {
            return self.learn_change(change, error);
        }
        match self.trial.take() {
            Some(Trial::WithoutSchema { first }) if error.kind == CallErrorKind::Status(500) => {
                self.learned
                    .record_failure_without_schema(&self.request.model);
                NextTry::GiveUp(first)
            }
            Some(Trial::Passing {
                first,
                refusal,
                before,
                tries,
            }) => {
                let is_passing = unsupported_params::find_passing(&error.kind, words).is_some();
                match is_passing {
                    true => self.leave_out_parts(first, refusal, before, tries, words),
                    false => NextTry::GiveUp(error),
                }
            }
            Some(Trial::AsWhole { first }) => {
                let is_no_reason = is_broken(&error.kind) || words.contains("stream");
                if is_no_reason {
                    self.learned.record_broken_whole_reply(&self.request.model);
                }
                NextTry::GiveUp(match is_no_reason {
                    true => first,
                    false => error,
                })
            }
            Some(Trial::WithoutSchema { .. }) | None if is_broken(&error.kind) && is_wordless => {
                self.ask_for_whole_reply(error)
            }
            Some(Trial::WithoutSchema { .. }) | None => self.start_trial(error, words),
        }
    }

    /// Lowers the limit to what the context leaves beside the request, where the request fits alone.
    fn fit_limit(&mut self, error: CallError, words: &str) -> NextTry {
        let request = self.request;
        let limit = self.terms.token_limit(request);
        let token_estimate = context_window::estimate_input_tokens(request);
        let length_report = too_long::parse_too_long(words, limit, token_estimate);
        let most = context_window::most_input_tokens(request);
        let Some(context) = length_report.context_tokens else {
            return NextTry::GiveUp(error);
        };
        let with_reply = most.saturating_add(u64::from(limit.unwrap_or(0)));
        if length_report.input_tokens.is_some() || with_reply >= u64::from(context) {
            self.learned.record_context(&request.model, context);
        }
        let input = length_report.input_tokens.map_or(most, u64::from);
        let fitting_limit = limit
            .and_then(|limit| context_window::find_fitting_limit(input, limit, context))
            .filter(|_| !self.fitted_limit);
        let Some(fitting_limit) = fitting_limit else {
            return NextTry::GiveUp(error);
        };
        self.terms.lowered_limit = Some(fitting_limit);
        self.fitted_limit = true;
        NextTry::Again(Duration::ZERO)
    }

    fn ask_for_whole_reply(&mut self, error: CallError) -> NextTry {
        let is_streamed = self.terms.is_sent(Param::Stream, self.request);
        if !is_streamed || !self.learned.may_reply_whole(&self.request.model) {
            return NextTry::GiveUp(error);
        }
        self.terms.apply_change(TermChange::LeaveOut(Param::Stream));
        self.trial = Some(Trial::AsWhole { first: error });
        NextTry::Again(Duration::ZERO)
    }

    /// Remembers what the call taught, once it was answered.
    pub(super) fn record_reply(&self) {
        let model = self.request.model.as_str();
        self.record_changes();
        match &self.trial {
            Some(Trial::WithoutSchema { .. }) => self.learned.record_success_without_schema(model),
            Some(Trial::Passing { refusal, .. }) => {
                let is_left_out = |part: &&Param| !self.terms.is_sent(**part, self.request);
                let was_sent = |part: &&Param| {
                    self.learned
                        .build_terms(self.request)
                        .is_sent(**part, self.request)
                };
                for part in refusal
                    .leave_out
                    .iter()
                    .filter(is_left_out)
                    .filter(was_sent)
                {
                    self.learned
                        .record_change(model, TermChange::LeaveOut(*part));
                }
                self.learned.record_reply(model);
            }
            Some(Trial::AsWhole { .. }) | None
                if self.terms.is_sent(Param::ResponseFormat, self.request) =>
            {
                self.learned.record_schema_reply(model);
            }
            Some(Trial::AsWhole { .. }) | None => self.learned.record_reply(model),
        }
    }

    fn may_mend(&self, change: TermChange) -> bool {
        match change {
            TermChange::LimitAtMost(_) | TermChange::LimitAtLeast(_) => !self.mended_limit,
            TermChange::LeaveOut(_) | TermChange::NameLimit(_) | TermChange::SystemAsDeveloper => {
                true
            }
        }
    }

    fn learn_change(&mut self, change: TermChange, error: CallError) -> NextTry {
        match change {
            TermChange::LeaveOut(Param::MaxTokens) if self.holds_limits => {
                self.record_changes();
                let kind = CallErrorKind::LimitRefused;
                return NextTry::GiveUp(CallError { kind, ..error });
            }
            TermChange::LimitAtMost(_) | TermChange::LimitAtLeast(_) => self.mended_limit = true,
            TermChange::LeaveOut(_) | TermChange::NameLimit(_) | TermChange::SystemAsDeveloper => {}
        }
        self.changes.push(change);
        self.terms.apply_change(change);
        NextTry::Again(Duration::ZERO)
    }

    fn record_changes(&self) {
        for change in &self.changes {
            self.learned.record_change(&self.request.model, *change);
        }
    }

    fn start_trial(&mut self, error: CallError, words: &str) -> NextTry {
        if let Some(refusal) = unsupported_params::find_passing(&error.kind, words) {
            self.trial = Some(Trial::Passing {
                first: error,
                refusal,
                before: Box::new(self.terms.clone()),
                tries: 0,
            });
            return NextTry::Again(PASSING_WAIT);
        }
        let is_suspect = error.kind == CallErrorKind::Status(500)
            && self.terms.is_sent(Param::ResponseFormat, self.request)
            && self.learned.suspects_schema(&self.request.model);
        if !is_suspect {
            return NextTry::GiveUp(error);
        }
        self.terms
            .apply_change(TermChange::LeaveOut(Param::ResponseFormat));
        self.trial = Some(Trial::WithoutSchema { first: error });
        NextTry::Again(Duration::ZERO)
    }

    /// Leaves out the parts that a passing refusal may be about: one after the other, then all.
    fn leave_out_parts(
        &mut self,
        first: CallError,
        refusal: &'static PassingRefusal,
        before: Box<RequestTerms>,
        tries: usize,
        words: &str,
    ) -> NextTry {
        let model = self.request.model.as_str();
        let original_parts: Vec<Param> = (refusal.leave_out.iter().copied())
            .filter(|part| before.is_sent(*part, self.request))
            .collect();
        let may_help = refusal.is_about_a_part(words) && self.learned.may_refuse_a_part(model);
        let parts_to_drop = match original_parts.get(tries) {
            Some(one) => std::slice::from_ref(one),
            None if tries == original_parts.len() && original_parts.len() > 1 => {
                original_parts.as_slice()
            }
            None => &[],
        };
        if !may_help || parts_to_drop.is_empty() {
            if may_help {
                self.learned.record_repeated_refusal(model);
            }
            return NextTry::GiveUp(first);
        }
        self.terms = (*before).clone();
        for part in parts_to_drop {
            self.terms.apply_change(TermChange::LeaveOut(*part));
        }
        self.trial = Some(Trial::Passing {
            first,
            refusal,
            before,
            tries: tries + 1,
        });
        NextTry::Again(Duration::ZERO)
    }
}

/// Returns whether a reply ended without any reason.
fn is_broken(kind: &CallErrorKind) -> bool {
    matches!(
        kind,
        CallErrorKind::BrokenStream | CallErrorKind::NoFinishReason
    )
}
