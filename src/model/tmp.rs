#![allow(missing_docs)]
use super::*;
pub struct Sim;
impl Sim {
    pub fn new(_: SimSettings) -> Result<Self, SettingsError> {
        Ok(Sim)
    }
}
impl Model for Sim {
    fn complete<'a>(
        &'a self,
        _: &'a Request,
        _: &'a dyn Watch,
        _: &'a tokio_util::sync::CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async {
            Ok(Reply {
                text: "[sim] VERDICT: safe".into(),
                thinking: None,
                finish: Finish::Stop,
                usage: Usage {
                    input_tokens: 1,
                    output_tokens: 1,
                    reasoning_tokens: None,
                    cached_tokens: None,
                    counted: Counted::Simulated,
                },
                model: "sim".into(),
                latency_ms: 0,
                first_token_ms: None,
                request_id: None,
                cached: false,
            })
        })
    }
    fn simulated(&self) -> bool {
        true
    }
}
