//! stub
#![allow(missing_docs)]
use crate::debate::event::{Fields, Outcome};
use crate::debate::protocol::Grader;
use crate::debate::topic::Reference;
#[derive(Debug, Clone)]
pub struct Rubric { pub id: String, pub labels: Vec<RubricLabel>, pub fence: RubricFence }
#[derive(Debug, Clone)]
pub struct RubricLabel { pub name: String, pub meaning: String, pub says: String, pub value: f64 }
#[derive(Debug, Clone, Copy)]
pub enum RubricFence { Marks, ChatRole }
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct RubricError;
impl Rubric { pub fn parse(_: &str, _: &str) -> Result<Self, RubricError> { Err(RubricError) } }
pub fn read(_: &Rubric, _: &str) -> Outcome { todo!() }
pub fn fields(_: &serde_json::Value, _: &str) -> Fields { todo!() }
pub fn grade(_: Grader, _: &Reference, _: &str) -> Outcome { todo!() }
