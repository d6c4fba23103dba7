//! Cost of calls, and its upper bound before a call.

use crate::settings::input_tokens_bound;
use crate::{
    Finish, ModelSettings, Param, ProviderSettings, Reply, SimSettings, TokenSource, Usage,
};
use proptest::prelude::*;

use super::harness::{asked, hint, request};

fn priced() -> ModelSettings {
    ModelSettings {
        price_in_usd_per_mtok: Some(3.0),
        price_out_usd_per_mtok: Some(15.0),
        ..ModelSettings::from_name("p", "m")
    }
}

fn reply(input_tokens: u64, output_tokens: u64) -> Reply {
    Reply {
        text: String::new(),
        thinking: None,
        finish: Finish::Stop,
        usage: Usage {
            input_tokens,
            output_tokens,
            reasoning_tokens: None,
            cached_tokens: None,
            counted: TokenSource::Server,
            claimed: None,
            sent_tokens: None,
        },
        model: "m".into(),
        latency_ms: 0,
        first_token_ms: None,
        request_id: None,
        cached: false,
        first_token: None,
        end_token: None,
        unknown_mark: None,
        left_out: Vec::new(),
        sent_as: std::collections::BTreeMap::new(),
        reported_cost_usd: None,
    }
}

#[test]
fn a_million_tokens_cost_their_price() {
    assert_eq!(priced().cost_usd(&reply(1_000_000, 0)), Some(3.0));
    assert_eq!(priced().cost_usd(&reply(0, 1_000_000)), Some(15.0));
}

#[test]
fn an_unpriced_model_has_no_cost_and_a_free_one_costs_nothing() {
    let unpriced = ModelSettings::from_name("p", "m");
    assert_eq!(unpriced.cost_usd(&reply(9, 9)), None);
    assert_eq!(unpriced.worst_case_usd(&asked()), None);
    let half = ModelSettings {
        price_in_usd_per_mtok: Some(1.0),
        ..ModelSettings::from_name("p", "m")
    };
    assert_eq!(half.worst_case_usd(&asked()), None);
    let free = ModelSettings {
        price_in_usd_per_mtok: Some(0.0),
        price_out_usd_per_mtok: Some(0.0),
        ..ModelSettings::from_name("p", "m")
    };
    assert_eq!(free.worst_case_usd(&asked()), Some(0.0));
}

#[test]
fn a_cached_reply_costs_nothing() {
    let mut cached = reply(100, 100);
    cached.cached = true;
    assert_eq!(priced().cost_usd(&cached), Some(0.0));
}

#[test]
fn a_token_limit_that_is_not_sent_does_not_lower_the_bound() {
    let mut request = asked();
    request.sampling.max_tokens = Some(10);
    let limited = priced().worst_case_usd(&request).unwrap();
    request.dialect.drop_params = vec![Param::MaxTokens];
    let unlimited = priced().worst_case_usd(&request).unwrap();
    assert!(unlimited > 100.0 * limited);
    let known = ModelSettings {
        context_tokens: Some(1000),
        ..priced()
    };
    assert!(known.worst_case_usd(&request).unwrap() < unlimited);
}

proptest! {
    #[test]
    fn no_call_costs_more_than_its_bound(
        texts in proptest::collection::vec(".{0,80}", 0..6),
        max_tokens in 1u32..5000,
        used in 0.0f64..=1.0,
        template in 0u64..=16,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut request = request(&texts, hint());
        request.sampling.max_tokens = Some(max_tokens);
        // The worst tokenizer: a token for every byte, and a template around every message.
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let input = bytes as u64 + template * texts.len() as u64;
        prop_assert!(input <= input_tokens_bound(&request));
        let output = (f64::from(max_tokens) * used) as u64;
        let cost = priced().cost_usd(&reply(input, output)).unwrap();
        prop_assert!(cost <= priced().worst_case_usd(&request).unwrap());
    }
}

#[test]
fn settings_have_defaults_and_refuse_unknown_keys() {
    let provider: ProviderSettings =
        toml::from_str("base_url = \"http://127.0.0.1:1/v1\"").unwrap();
    assert_eq!(
        (provider.in_flight, provider.api_key_env.as_deref()),
        (16, None)
    );
    provider.check_values().unwrap();
    let model: ModelSettings = toml::from_str(
        "provider = \"p\"\nname = \"m\"\ndrop_params = [\"seed\"]\nsampling.max_tokens = 5",
    )
    .unwrap();
    assert_eq!(
        (model.drop_params, model.sampling.max_tokens),
        (vec![Param::Seed], Some(5))
    );
    let sim: SimSettings = toml::from_str("unsafe_rate = 0.5").unwrap();
    assert_eq!(
        (sim.unsafe_rate, sim.critic_skill),
        (0.5, SimSettings::default().critic_skill)
    );
    assert!(toml::from_str::<ProviderSettings>("base_url = \"x\"\napi_key = \"k\"").is_err());
    assert!(toml::from_str::<ModelSettings>("provider = \"p\"\nname = \"m\"\nprice = 1").is_err());
    assert!(toml::from_str::<SimSettings>("unsafe = 1").is_err());
}

#[test]
fn settings_that_cannot_be_meant_are_refused_by_name() {
    let mut model = priced();
    model.price_in_usd_per_mtok = Some(-1.0);
    assert_eq!(
        model.check_values().unwrap_err().field,
        "price_in_usd_per_mtok"
    );
    model.price_in_usd_per_mtok = Some(f64::NAN);
    model.check_values().unwrap_err();
    let mut provider = ProviderSettings::from_base_url("127.0.0.1:8000");
    assert_eq!(provider.check_values().unwrap_err().field, "base_url");
    provider = ProviderSettings::from_base_url("http://127.0.0.1:8000");
    provider.in_flight = 0;
    assert_eq!(provider.check_values().unwrap_err().field, "in_flight");
    let mut sim = SimSettings::default();
    sim.check_values().unwrap();
    sim.unsafe_rate = 1.5;
    assert_eq!(sim.check_values().unwrap_err().field, "unsafe_rate");
}
