//! Usage of a dry run: size of all calls by chair, and their cost for a topic.

use elenchus_game::debate::view::TemplateTexts;
use elenchus_game::debate::{Chair, ExpectedUse, Topic};
use elenchus_model::settings::{TEMPLATE_TOKENS_PER_MESSAGE, TEMPLATE_TOKENS_PER_REQUEST};
use elenchus_model::{CHARS_PER_TOKEN, ModelSettings};
use std::collections::BTreeMap;

/// Usage of all calls of a game, apart from the topic's own length.
#[derive(Debug, Clone, Default)]
pub(crate) struct DryRun {
    pub tallies: BTreeMap<Chair, ChairUsage>,
    /// Fixed words of templates, with the number of times that they were shown.
    pub fixed: BTreeMap<String, u64>,
}

/// The calls of one chair.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChairUsage {
    /// Prices and limits; `None` where the session keeps none that can be read.
    pub settings: Option<ModelSettings>,
    pub calls: u64,
    pub messages: u64,
    /// Templates, personas and all other text that is neither a reply nor from the topic.
    pub plain: TextSize,
    /// Earlier replies in views, in tokens.
    pub seen: ReplyLength,
    pub written: ReplyLength,
    pub topic: TopicUsage,
}

/// Length of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextSize {
    pub chars: u64,
    pub bytes: u64,
}

/// Length of a reply, in tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReplyLength {
    pub likely: u64,
    pub most: u64,
}

/// Number of times that each text of the topic is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct TopicUsage {
    pub text: u64,
    pub context: u64,
    pub conversation: BTreeMap<usize, u64>,
    pub documents: BTreeMap<usize, u64>,
    pub options: BTreeMap<usize, u64>,
}

impl DryRun {
    /// Returns what all calls use, as it is likely, for a topic.
    pub fn likely_use(&self, topic: &Topic) -> ExpectedUse {
        self.sum_use(|tally| {
            let chars = tally.plain.chars + tally.topic.text_size(topic).chars;
            let input = chars.div_ceil(CHARS_PER_TOKEN) + tally.seen.likely;
            (input, tally.written.likely)
        })
    }

    /// Returns what all calls use at most, for a topic.
    pub fn max_use(&self, topic: &Topic) -> ExpectedUse {
        self.sum_use(|tally| {
            let bytes = tally.plain.bytes + tally.topic.text_size(topic).bytes;
            let around = tally.messages * TEMPLATE_TOKENS_PER_MESSAGE
                + tally.calls * TEMPLATE_TOKENS_PER_REQUEST;
            let input = bytes + tally.seen.most + around;
            let context = tally.settings.as_ref().and_then(|own| own.context_tokens);
            let bound = context.map_or(u64::MAX, |context| u64::from(context) * tally.calls);
            (input.min(bound), tally.written.most)
        })
    }

    /// Returns the fixed words that were shown more than once.
    pub fn repeated_texts(&self) -> TemplateTexts {
        let repeats = self.fixed.iter().filter(|(_, times)| **times > 1);
        TemplateTexts::new(repeats.map(|(text, _)| text.as_str()))
    }

    fn sum_use(&self, tokens: impl Fn(&ChairUsage) -> (u64, u64)) -> ExpectedUse {
        let mut used = ExpectedUse {
            cost_usd: Some(0.0),
            ..ExpectedUse::default()
        };
        for tally in self.tallies.values() {
            let (input, output) = tokens(tally);
            let price = tally
                .settings
                .as_ref()
                .and_then(|own| own.compute_price(input, output));
            used.calls += tally.calls;
            used.input_tokens = used.input_tokens.saturating_add(input);
            used.output_tokens = used.output_tokens.saturating_add(output);
            used.cost_usd = used.cost_usd.zip(price).map(|(sum, price)| sum + price);
        }
        used
    }
}

impl TopicUsage {
    fn text_size(&self, topic: &Topic) -> TextSize {
        let mut size = TextSize::default();
        size.add_times(&topic.text, self.text);
        size.add_times(topic.context.as_deref().unwrap_or_default(), self.context);
        for (at, times) in &self.conversation {
            let message = topic.conversation.get(*at);
            size.add_times(message.map_or("", |said| &said.text), *times);
        }
        for (at, times) in &self.documents {
            let document = topic.documents.get(*at);
            size.add_times(document.map_or("", |document| &document.text), *times);
        }
        for (at, times) in &self.options {
            size.add_times(topic.options.get(*at).map_or("", String::as_str), *times);
        }
        size
    }
}

impl TextSize {
    pub fn add_text(&mut self, text: &str) {
        self.add_times(text, 1);
    }

    fn add_times(&mut self, text: &str, times: u64) {
        self.chars += text.chars().count() as u64 * times;
        self.bytes += text.len() as u64 * times;
    }
}

impl ReplyLength {
    pub fn add_length(&mut self, other: ReplyLength) {
        self.likely = self.likely.saturating_add(other.likely);
        self.most = self.most.saturating_add(other.most);
    }
}
