//! Models by name, made ready to be called.

use super::model_table::{ModelTable, SIM};
use super::present_settings::{describe_differences, find_present_settings};
use super::recorded_model::{RecordedSettings, compose_player, free_settings, parse_kept_settings};
use super::replay::Replay;
use super::typed_prices::{self, Prices};
use crate::engine::grader_programs::GraderPrograms;
use crate::engine::reply_cache::ReplyCache;
use elenchus_game::debate::event::{ModelPlayer, Participant, Player};
use elenchus_game::debate::{Chair, guardrail_chair};
use elenchus_model::{
    Api, CachedModel, Model, ModelSettings, Provider, ProviderSettings, Reply, Sim, SimSettings,
    Usage, bare_address, check_key_variable,
};
use elenchus_records::workspace::{CastError, WorkspaceError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Begins the name of a participant that replays a session.
pub const RECORDED: &str = "recorded:";

/// Looks an environment variable up.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// Opens a recorded session for replay, by its id.
pub type OpenRecording = Arc<dyn Fn(&str) -> Result<Replay, WorkspaceError> + Send + Sync>;

/// Shows a line to a person.
pub type Announce = Arc<dyn Fn(&str) + Send + Sync>;

/// Models that can be called.
pub struct Seats {
    table: ModelTable,
    environment: Environment,
    recordings: OpenRecording,
    announce: Announce,
    ready: Mutex<BTreeMap<String, ReadyModel>>,
    /// Shared by all callers, so that a server's limit in flight holds for all of them.
    providers: Arc<Mutex<BTreeMap<String, Provider>>>,
    replies: Option<ReplyCache>,
    /// Programs that grade.
    graders: Arc<GraderPrograms>,
    /// Whether a token limit stays in every request even where a server refuses it.
    holds_limits: bool,
    /// What servers said of their models, shared as the providers are.
    server_words: Arc<Mutex<ServerWords>>,
}

/// What servers said of their models.
#[derive(Default)]
struct ServerWords {
    /// Contexts in tokens, by provider and the model's name there.
    contexts: BTreeMap<(String, String), u32>,
    /// Replies to requests of which the server read far fewer tokens than were sent, by model.
    short_reads: BTreeMap<String, u32>,
    /// Models of which a reply with an unknown mark was told.
    told_marks: BTreeSet<String>,
}

/// One count may be wrong; at so many a person is told.
const TOLD_SHORT_READS: u32 = 2;

/// Model that is ready to be called.
#[derive(Clone)]
pub struct ReadyModel {
    pub model: Arc<dyn Model>,
    /// Prices, sampling and limits; a simulated model is free.
    pub settings: ModelSettings,
}

/// Provider and name under which a model is asked.
pub(crate) struct AskedAt {
    /// The provider's name in the configuration.
    pub provider: String,
    /// Of its server, without a password.
    pub address: String,
    /// As it was named.
    pub model: String,
    /// As its server knows it.
    pub name: String,
    /// The configuration has a table for it.
    pub is_configured: bool,
}

impl Seats {
    /// Makes models ready on demand; nothing is contacted before it is called.
    pub fn new(table: ModelTable, environment: Environment, recordings: OpenRecording) -> Self {
        Self {
            table,
            environment,
            recordings,
            announce: Arc::new(|_| {}),
            ready: Mutex::default(),
            providers: Arc::default(),
            replies: None,
            graders: Arc::default(),
            holds_limits: false,
            server_words: Arc::default(),
        }
    }

    /// Returns the same models, with a function that shows a server that is not configured before
    /// it is first asked.
    #[must_use]
    pub fn with_announce(self, announce: Announce) -> Self {
        Self { announce, ..self }
    }

    /// Returns the same models with a cache before those that are asked over the network.
    pub(crate) fn with_reply_cache(&self, replies: ReplyCache) -> Self {
        Self {
            replies: Some(replies),
            ..self.without_ready_models()
        }
    }

    /// Returns the same models, with programs that grade.
    #[must_use]
    pub fn with_graders(&self, graders: GraderPrograms) -> Self {
        Self {
            graders: Arc::new(graders),
            ..self.without_ready_models()
        }
    }

    /// Returns the programs that grade.
    pub fn graders(&self) -> &Arc<GraderPrograms> {
        &self.graders
    }

    /// Returns the same models at prices that were typed.
    #[must_use]
    pub fn with_prices(&self, prices: Prices) -> Self {
        let mut seats = self.without_ready_models();
        seats.table.prices = prices;
        seats
    }

    /// Returns the same models, none of which is asked without a token limit because its server
    /// refuses one.
    #[must_use]
    pub fn holding_limits(&self) -> Self {
        Self {
            holds_limits: true,
            ..self.without_ready_models()
        }
    }

    /// The same models, before any of them was made ready.
    fn without_ready_models(&self) -> Self {
        Self {
            table: self.table.clone(),
            environment: Arc::clone(&self.environment),
            recordings: Arc::clone(&self.recordings),
            announce: Arc::clone(&self.announce),
            ready: Mutex::default(),
            providers: Arc::clone(&self.providers),
            replies: self.replies.clone(),
            graders: Arc::clone(&self.graders),
            holds_limits: self.holds_limits,
            server_words: Arc::clone(&self.server_words),
        }
    }

    /// Takes note of the contexts that a server's list names. The user's own word counts more.
    pub(super) fn note_contexts(&self, provider: &str, contexts: &BTreeMap<String, u32>) {
        let has_own_context = |name: &str| {
            let mut models = self.table.models.values();
            models.any(|model| model.name == name && model.context_tokens.is_some())
        };
        let contexts = contexts.iter().filter(|(name, _)| !has_own_context(name));
        let ready = self.ready_providers();
        let ready: Vec<&Provider> = ready
            .values()
            .filter(|one| one.name() == provider)
            .collect();
        let mut server_words = self.lock_server_words();
        for (name, tokens) in contexts {
            ready
                .iter()
                .for_each(|one| one.record_context(name, *tokens));
            server_words
                .contexts
                .insert((provider.to_owned(), name.clone()), *tokens);
        }
    }

    fn ready_providers(&self) -> MutexGuard<'_, BTreeMap<String, Provider>> {
        self.providers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a reply, and returns what a person is to be told of it, each thing once for each
    /// model.
    pub(crate) fn note_reply(&self, model: &str, reply: &Reply) -> Vec<String> {
        let short_read = self.note_short_read(model, &reply.usage);
        let mark = reply.unknown_mark.as_deref();
        let unknown_mark = mark.and_then(|mark| self.note_unknown_mark(model, mark));
        short_read.into_iter().chain(unknown_mark).collect()
    }

    fn note_unknown_mark(&self, model: &str, mark: &str) -> Option<String> {
        let is_first = self.lock_server_words().told_marks.insert(model.to_owned());
        is_first.then(|| {
            format!(
                "a reply of {model} holds '{mark}', which is no mark that is known: it was passed on, and \
                 what the model thought may be in it; if it marks private reasoning, name it and what \
                 closes it under the model: reasoning_marks = [[\"{mark}\", \"…\"]]"
            )
        })
    }

    /// Returns once that a model's server reads far fewer tokens than are sent.
    fn note_short_read(&self, model: &str, usage: &Usage) -> Option<String> {
        let sent_tokens = usage.sent_tokens?;
        let read = usage
            .claimed
            .map_or(usage.input_tokens, |claimed| claimed.input_tokens);
        let mut server_words = self.lock_server_words();
        let count = server_words
            .short_reads
            .entry(model.to_owned())
            .or_default();
        let before = *count;
        // Equal counts of unequal requests are two calls already.
        *count += if read.saturating_mul(2) < sent_tokens {
            1
        } else {
            TOLD_SHORT_READS
        };
        (before < TOLD_SHORT_READS && *count >= TOLD_SHORT_READS).then(|| {
            format!(
                "the server of {model} says that it read {read} tokens where about {sent_tokens} were sent: \
                 it may cut what is longer than its context without a word; raise its context \
                 (Ollama: num_ctx), or set context_tokens for this model"
            )
        })
    }

    fn lock_server_words(&self) -> MutexGuard<'_, ServerWords> {
        self.server_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the variables that hold keys of servers.
    pub(crate) fn key_variables(&self) -> BTreeSet<String> {
        let providers = self.table.providers.values();
        let variables = providers.flat_map(ProviderSettings::key_variables);
        variables.map(str::to_owned).collect()
    }

    pub(crate) fn environment(&self) -> Environment {
        Arc::clone(&self.environment)
    }

    /// Returns where a participant's model would be asked; none where no server that lists models is.
    pub(super) fn find_place(&self, player: &ModelPlayer) -> Option<AskedAt> {
        let Ok(RecordedSettings::Server { model, provider }) = parse_kept_settings(player) else {
            return None;
        };
        let now = find_present_settings(&self.table, player, (&model, &provider)).ok()?;
        (now.model.effective_api() == Api::Chat).then(|| AskedAt {
            provider: now.place.to_owned(),
            address: bare_address(&now.provider.base_url),
            is_configured: self.table.models.contains_key(&player.model),
            model: player.model.clone(),
            name: served_name(player, &now.model).to_owned(),
        })
    }

    /// Lists the typed prices that replace configured ones.
    ///
    /// # Errors
    /// When a typed price is for a model outside the cast.
    pub fn check_prices<'a>(
        &self,
        players: impl IntoIterator<Item = &'a ModelPlayer>,
    ) -> Result<Vec<String>, CastError> {
        typed_prices::check_prices(&self.table, players)
    }

    /// Returns the models that are configured, by name.
    pub fn model_table(&self) -> &ModelTable {
        &self.table
    }

    /// Returns what a session keeps of the model of that name on a chair.
    ///
    /// # Errors
    /// When no such model is configured, or its provider is not; when a recorded session cannot
    /// be read or has no participant to replay on this chair.
    pub fn find_player(&self, name: &str, chair: &Chair) -> Result<ModelPlayer, CastError> {
        if let Some(session) = name.strip_prefix(RECORDED) {
            return self.recorded_player(name, session, chair);
        }
        if let Some(settings) = self.table.models.get(name) {
            return self.server_player(name, settings);
        }
        let sim = self.table.sims.get(name).cloned();
        if let Some(settings) = sim.or_else(|| (name == SIM).then(SimSettings::default)) {
            let version = settings.version.clone();
            let mut player = compose_player(
                name,
                "sim",
                name,
                &RecordedSettings::Sim(Box::new(settings)),
            );
            player.version = version;
            player.simulated = true;
            return Ok(player);
        }
        match &self.table.fallback {
            Some(provider) => self.server_player(name, &ModelSettings::from_name(provider, name)),
            None => Err(self.table.no_such_model(name)),
        }
    }

    /// Returns a model that writes guardrails.
    ///
    /// # Errors
    /// As [`find_player`](Self::find_player).
    pub fn find_guardrail_writer(&self, name: &str) -> Result<ModelPlayer, CastError> {
        self.find_player(name, &guardrail_chair())
    }

    /// Returns a model that a server plays, with its settings.
    ///
    /// # Errors
    /// When no such model is configured, or its provider is not.
    pub(super) fn find_served_player(
        &self,
        name: &str,
    ) -> Result<(ModelPlayer, ModelSettings), CastError> {
        let fallback = || {
            let provider = self.table.fallback.as_ref()?;
            Some(ModelSettings::from_name(provider, name))
        };
        let configured = self.table.models.get(name).cloned().or_else(fallback);
        let settings = configured.ok_or_else(|| self.table.no_such_model(name))?;
        Ok((self.server_player(name, &settings)?, settings))
    }

    fn recorded_player(
        &self,
        name: &str,
        session: &str,
        chair: &Chair,
    ) -> Result<ModelPlayer, CastError> {
        let fault = |why: String| CastError::Model {
            model: name.to_owned(),
            why,
        };
        let replay = (self.recordings)(session).map_err(|error| fault(error.to_string()))?;
        let original = replay
            .cast
            .iter()
            .find(|participant| &participant.chair == chair);
        let original = match original.map(|participant| &participant.player) {
            Some(Player::Model(original)) => original,
            Some(Player::Human { .. }) => {
                return Err(fault(format!(
                    "a person sat on {chair} in that session; seat a person there"
                )));
            }
            Some(Player::Fixed(_)) => {
                return Err(fault(format!(
                    "{chair} was scripted in that session; seat said:{session} there"
                )));
            }
            None => {
                return Err(fault(format!("that session has no participant on {chair}")));
            }
        };
        let settings = match serde_json::from_value(original.settings.clone()) {
            Ok(
                RecordedSettings::Server { model, .. } | RecordedSettings::Recorded { model, .. },
            ) => ModelSettings {
                price_in_usd_per_mtok: Some(0.0),
                price_out_usd_per_mtok: Some(0.0),
                ..model
            },
            Ok(RecordedSettings::Sim(_)) => free_settings(&original.name),
            Err(error) => return Err(fault(error.to_string())),
        };
        let record = RecordedSettings::Recorded {
            session: session.to_owned(),
            model: settings,
        };
        let mut player = compose_player(name, "recorded", &original.name, &record);
        player.family.clone_from(&original.family);
        player.version.clone_from(&original.version);
        player.simulated = original.simulated;
        Ok(player)
    }

    fn server_player(
        &self,
        name: &str,
        settings: &ModelSettings,
    ) -> Result<ModelPlayer, CastError> {
        let environment = |name: &str| (self.environment)(name);
        for place in settings.provider_names() {
            let provider = self.find_provider(name, place)?;
            check_key_variable(place, provider, &environment).map_err(|error| {
                CastError::Provider {
                    model: name.to_owned(),
                    error: Box::new(error),
                }
            })?;
        }
        let provider = self.find_provider(name, &settings.provider)?;
        let mut model = self.table.prices.apply_to(name, settings.clone());
        model.add_provider_body(provider);
        let record = RecordedSettings::Server {
            model,
            provider: provider.clone(),
        };
        let mut player = compose_player(name, &settings.provider, &settings.name, &record);
        player.family.clone_from(&settings.family);
        player.version.clone_from(&settings.version);
        Ok(player)
    }

    fn find_provider(&self, model: &str, provider: &str) -> Result<&ProviderSettings, CastError> {
        let provider_settings = self.table.providers.get(provider);
        provider_settings.ok_or_else(|| CastError::NoSuchProvider {
            model: model.to_owned(),
            provider: provider.to_owned(),
        })
    }

    /// Says of which models the configuration holds other settings than their session recorded, and
    /// which: they are asked as the configuration says.
    pub fn describe_changes<'a>(
        &self,
        players: impl IntoIterator<Item = &'a ModelPlayer>,
    ) -> Vec<String> {
        let mut changes: Vec<String> = Vec::new();
        for player in players {
            let Ok(RecordedSettings::Server { model, provider }) = parse_kept_settings(player)
            else {
                continue;
            };
            let original = (&model, &provider);
            // A model that is not configured is reported when it is made ready, with what to do.
            let Ok(present) = find_present_settings(&self.table, player, original) else {
                continue;
            };
            let difference = describe_differences(player, original, &present);
            changes.extend(difference.filter(|said| !changes.contains(said)));
        }
        changes
    }

    /// Makes a participant's model ready, from what its session kept of the experiment and what the
    /// configuration says today of its server.
    ///
    /// Participants of one provider share its connections and its limit in flight.
    ///
    /// # Errors
    /// When the configuration has no such model, when its server is not trusted with the text or the
    /// key, when the settings cannot be used or a key's variable is not set.
    pub fn make_ready(&self, player: &ModelPlayer) -> Result<ReadyModel, CastError> {
        // Adapters of one base differ in their names alone.
        let key = format!("{} {} {}", player.model, player.name, player.settings);
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = ready.get(&key) {
            return Ok(seat.clone());
        }
        let seat = self.make_model(player)?;
        ready.insert(key, seat.clone());
        Ok(seat)
    }

    /// Names the server that no file configures, where one of these models is asked there.
    pub fn describe_stand_in<'a>(
        &self,
        players: impl IntoIterator<Item = &'a ModelPlayer>,
    ) -> Option<String> {
        players.into_iter().find_map(|player| {
            let Ok(RecordedSettings::Server {
                model,
                provider: at,
            }) = parse_kept_settings(player)
            else {
                return None;
            };
            let now = find_present_settings(&self.table, player, (&model, &at)).ok()?;
            self.notice_of(now.place, now.provider)
        })
    }

    /// Names a server that is asked because the environment says so.
    fn notice_of(&self, provider: &str, settings: &ProviderSettings) -> Option<String> {
        let table = &self.table;
        if table.fallback.as_deref() == Some(provider) {
            return Some(describe_fallback_server(settings));
        }
        let of_environment = table.of_environment.as_ref();
        let of_environment = of_environment.filter(|it| it.provider == provider)?;
        let instead_of = bare_address(of_environment.instead_of.as_ref()?);
        let place = bare_address(&settings.base_url);
        Some(format!(
            "the provider '{provider}' is asked at {place}, as OPENAI_BASE_URL says, and not at \
             {instead_of}, as its file does"
        ))
    }

    /// Returns how a participant's model is asked: as configured today, else as its session kept it.
    /// No server needs to be available.
    ///
    /// # Errors
    /// When what its session kept cannot be read.
    pub(crate) fn current_settings(
        &self,
        player: &ModelPlayer,
    ) -> Result<ModelSettings, CastError> {
        if let RecordedSettings::Server { model, provider } = parse_kept_settings(player)?
            && let Ok(now) = find_present_settings(&self.table, player, (&model, &provider))
        {
            return Ok(with_adapter(player, now.model));
        }
        let kept = parse_kept_settings(player)?.into_settings(player);
        Ok(with_adapter(player, kept))
    }

    fn make_model(&self, player: &ModelPlayer) -> Result<ReadyModel, CastError> {
        let fault = |why: String| CastError::Model {
            model: player.model.clone(),
            why,
        };
        match parse_kept_settings(player)? {
            RecordedSettings::Server { model, provider } => {
                let now = find_present_settings(&self.table, player, (&model, &provider))?;
                let model = with_adapter(player, now.model);
                model
                    .check_values()
                    .map_err(|error| fault(error.to_string()))?;
                let address = now.provider.base_url.clone();
                let provider = self.make_provider(player, now.place, now.provider)?;
                let apply_limits = |provider: Provider| match self.holds_limits {
                    true => provider.with_held_limits(),
                    false => provider,
                };
                let provider = apply_limits(provider);
                let others = now.others.into_iter();
                let others = others.map(|(name, settings)| {
                    self.make_provider(player, name, settings).map(apply_limits)
                });
                let others: Vec<Provider> = others.collect::<Result<_, _>>()?;
                let bare = provider.build_shared_model(&others, &model, 0);
                Ok(ReadyModel {
                    model: match &self.replies {
                        Some(kept) => {
                            let (lookup, save) = (kept.lookup_function(), kept.save_function());
                            Arc::new(CachedModel::new(bare, &address, lookup, save))
                        }
                        None => bare,
                    },
                    settings: model,
                })
            }
            RecordedSettings::Sim(settings) => Ok(ReadyModel {
                model: Arc::new(Sim::new(*settings).map_err(|error| fault(error.to_string()))?),
                settings: free_settings(&player.name),
            }),
            RecordedSettings::Recorded { session, model } => {
                let replay =
                    (self.recordings)(&session).map_err(|error| fault(error.to_string()))?;
                Ok(ReadyModel {
                    model: replay.model,
                    settings: model,
                })
            }
        }
    }

    fn make_provider(
        &self,
        player: &ModelPlayer,
        name: &str,
        settings: &ProviderSettings,
    ) -> Result<Provider, CastError> {
        let fault = |why: String| CastError::Model {
            model: player.model.clone(),
            why,
        };
        let settings_text =
            serde_json::to_string(settings).map_err(|error| fault(error.to_string()))?;
        // Two providers may differ in headers alone, which are not written anywhere.
        let key = format!("{name} {settings_text}");
        let mut providers = self.ready_providers();
        if let Some(provider) = providers.get(&key) {
            return Ok(provider.clone());
        }
        let environment = Arc::clone(&self.environment);
        let lookup = move |name: &str| environment(name);
        let provider =
            Provider::new(name, settings, &self.table.trust, &lookup).map_err(|error| {
                CastError::Provider {
                    model: player.model.clone(),
                    error: Box::new(error),
                }
            })?;
        for ((at, model), tokens) in &self.lock_server_words().contexts {
            if at == name {
                provider.record_context(model, *tokens);
            }
        }
        providers.insert(key, provider.clone());
        if let Some(notice) = self.notice_of(name, settings) {
            (self.announce)(&notice);
        }
        Ok(provider)
    }
}

/// Returns the name that a participant's server is asked for: its adapter's, where it plays with one.
fn served_name<'a>(player: &'a ModelPlayer, model: &'a ModelSettings) -> &'a str {
    match player.adapter.as_deref().filter(|_| !player.simulated) {
        Some(adapter) => &adapter.model,
        None => &model.name,
    }
}

fn with_adapter(player: &ModelPlayer, model: ModelSettings) -> ModelSettings {
    let name = served_name(player, &model).to_owned();
    ModelSettings { name, ..model }
}

/// Names the server that models are asked of where none is configured.
pub fn describe_fallback_server(settings: &ProviderSettings) -> String {
    let place = bare_address(&settings.base_url);
    let key = match &settings.api_key_env {
        Some(variable) => format!("with the key in {variable}"),
        None => "without a key".to_owned(),
    };
    format!("models are asked at {place} {key}, as none is configured")
}

/// Returns the models that sit on chairs.
pub fn models_of<'a>(
    cast: impl IntoIterator<Item = &'a Participant>,
) -> impl Iterator<Item = &'a ModelPlayer> {
    cast.into_iter().filter_map(|one| one.player.as_model())
}
