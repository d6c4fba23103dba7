#![allow(missing_docs)]
use super::*;
use std::sync::Arc;
#[derive(Clone)]
pub struct Provider;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct ProviderError;
impl Provider { pub fn new(_: &str, _: &ProviderSettings, _: &dyn Fn(&str)->Option<String>) -> Result<Self, ProviderError> { todo!() } pub fn model(&self, _: &ModelSettings, _: u64) -> Arc<dyn Model> { todo!() } }
pub struct Sim;
impl Sim { pub fn new(_: SimSettings) -> Result<Self, SettingsError> { todo!() } }
impl Model for Sim { fn complete<'a>(&'a self, _: &'a Request, _: &'a dyn Watch, _: &'a tokio_util::sync::CancellationToken) -> BoxFuture<'a, Result<Reply, CallError>> { todo!() } fn simulated(&self) -> bool { true } }
pub struct Recorded;
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedKey { pub seat: String, pub index: u32, pub round: u32, pub stage: String, pub attempt: u32 }
#[derive(Clone)]
pub struct Recording { pub request_sha256: String, pub reply: Reply }
impl Recorded { pub fn new(_: Arc<dyn Fn(&RecordedKey)->Option<Recording> + Send + Sync>) -> Self { todo!() } }
impl Model for Recorded { fn complete<'a>(&'a self, _: &'a Request, _: &'a dyn Watch, _: &'a tokio_util::sync::CancellationToken) -> BoxFuture<'a, Result<Reply, CallError>> { todo!() } fn simulated(&self) -> bool { true } }
pub const PROBE_DEADLINE: std::time::Duration = std::time::Duration::from_secs(2);
pub struct Found { pub models: Vec<String> }
pub async fn probe(_: &Provider, _: std::time::Duration) -> Result<Found, CallError> { todo!() }
