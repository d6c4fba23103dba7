//! stub
#![allow(missing_docs)]
use crate::debate::event::{Fields, Finding, Outcome};
use crate::debate::protocol::Grader;
use crate::debate::topic::Reference;
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Rubric {
    pub id: String,
    pub labels: Vec<RubricLabel>,
    #[serde(default)]
    pub fence: RubricFence,
}
#[derive(Debug, Clone, serde::Deserialize)]
pub struct RubricLabel {
    pub name: String,
    pub meaning: String,
    pub says: String,
    pub value: f64,
}
#[derive(Debug, Clone, Copy, serde::Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum RubricFence {
    #[default]
    Marks,
    ChatRole,
}
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RubricError(String);
impl Rubric {
    pub fn parse(_: &str, t: &str) -> Result<Self, RubricError> {
        toml::from_str(t).map_err(|e| RubricError(e.to_string()))
    }
}
pub fn read(r: &Rubric, t: &str) -> Outcome {
    match r.labels.iter().find(|l| t.ends_with(&l.says)) {
        Some(l) => Outcome::Label(Finding {
            label: l.name.clone(),
            value: l.value,
            ..Default::default()
        }),
        None => Outcome::Unparsed { why: "x".into() },
    }
}
pub fn fields(_: &serde_json::Value, _: &str) -> Fields {
    Fields::Unparsed { why: "x".into() }
}
pub fn grade(_: Grader, _: &Reference, _: &str) -> Outcome {
    Outcome::Unparsed { why: "x".into() }
}
