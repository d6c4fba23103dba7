//! Rules by which a pass judges, and its manifest.

use super::replaced::ReplacedCritique;
use crate::workspace::{BudgetFields, RepeatKey};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::ModelPlayer;
use elenchus_game::debate::protocol::{Ceilings, Combine, Detector, Orders};
use elenchus_game::debate::view::TemplateTexts;
use serde::{Deserialize, Serialize};

/// Name in place of a model for a rule that needs none.
const BY_RULE: &str = "rule";
/// Begins the names of detectors where rubrics are named, so that none is taken for a rubric.
const DETECTOR: &str = "detector:";
/// Begins the names of columns of imported files where rubrics are named.
const IMPORTED: &str = "imported:";

/// Rules by which a pass judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PassRules {
    /// Each session's own rules that ask a judge or evaluator.
    Own {
        /// Model that judges in place of the session's own judge, by its name in the configuration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A rubric of the library, on what it is about ([`RubricSubject`](elenchus_game::judge::RubricSubject)): where it
    /// says nothing, on every turn that the session's own rules on single turns judge; where there are none, on
    /// everything that was said in public.
    Rubric { rubric: String, model: String },
    /// A rule that asks no model, on the same turns.
    Detector { detector: Detector },
    /// Several evaluators, each on the same turns, with one finding on each.
    Ensemble {
        members: Vec<Evaluator>,
        #[serde(default)]
        combine: Combine,
    },
    /// Nothing judged: the labels stood in a column of a file that sessions were imported from.
    Imported { column: String, file: String },
}

/// One evaluator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evaluator {
    Rubric { rubric: String, model: String },
    Detector { detector: Detector },
}

impl Evaluator {
    /// Returns what verdicts name in the place of a rubric.
    pub fn rubric_name(&self) -> String {
        match self {
            Evaluator::Rubric { rubric, .. } => rubric.clone(),
            Evaluator::Detector { detector } => format!("{DETECTOR}{}", detector.name()),
        }
    }

    /// Returns the model's name in the configuration, or the name in its place.
    pub fn model_name(&self) -> &str {
        match self {
            Evaluator::Rubric { model, .. } => model,
            Evaluator::Detector { .. } => BY_RULE,
        }
    }
}

impl std::fmt::Display for Evaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Evaluator::Rubric { rubric, model } => write!(f, "{rubric} by {model}"),
            Evaluator::Detector { .. } => f.write_str(&self.rubric_name()),
        }
    }
}

impl PassRules {
    /// Returns the evaluators that a pass brings along; none where sessions bring their own.
    pub fn list_evaluators(&self) -> Vec<Evaluator> {
        match self {
            PassRules::Own { .. } | PassRules::Imported { .. } => Vec::new(),
            PassRules::Rubric { rubric, model } => vec![Evaluator::Rubric {
                rubric: rubric.clone(),
                model: model.clone(),
            }],
            PassRules::Detector { detector } => vec![Evaluator::Detector {
                detector: *detector,
            }],
            PassRules::Ensemble { members, .. } => members.clone(),
        }
    }
}

impl std::fmt::Display for PassRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PassRules::Own { model: None } => f.write_str("own rules"),
            PassRules::Own { model: Some(model) } => write!(f, "own rules by {model}"),
            PassRules::Rubric { .. } | PassRules::Detector { .. } => {
                for evaluator in self.list_evaluators() {
                    write!(f, "{evaluator}")?;
                }
                Ok(())
            }
            PassRules::Ensemble { members, combine } => {
                let how = match combine {
                    Combine::Majority => "majority",
                    Combine::Mean => "mean",
                };
                let names: Vec<String> = members.iter().map(ToString::to_string).collect();
                write!(f, "{how} of {}", names.join(" + "))
            }
            PassRules::Imported { column, file } => write!(f, "{IMPORTED}{column} ({file})"),
        }
    }
}

/// Name in place of a rubric for verdicts that came with a file.
pub(super) fn imported_rubric(column: &str) -> String {
    format!("{IMPORTED}{column}")
}

/// Manifest of a pass, with everything needed to go on when files have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassManifest {
    pub format: u32,
    pub pass: String,
    /// The program and version that wrote this.
    pub software: String,
    pub rules: PassRules,
    /// The texts of the rubric, where the pass brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<BroughtRubric>,
    /// The judge, where the pass names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelPlayer>,
    /// Members of an ensemble, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<PassMember>,
    /// Critiques that each session's judge is shown in place of the one that was played; empty where debates are
    /// judged as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critiques: Vec<ReplacedCritique>,
    /// Whether each session's judge is asked once more with the proposer's and the critic's places exchanged.
    #[serde(default, skip_serializing_if = "is_one_order")]
    pub orders: Orders,
    pub sessions: Vec<SessionId>,
    /// Fixed words of templates that views refer to, besides those of each session; empty in passes of
    /// version 0.1.0.
    #[serde(default, skip_serializing_if = "TemplateTexts::is_empty")]
    pub template_texts: TemplateTexts,
    /// Ceilings that pause it.
    #[serde(flatten, with = "BudgetFields")]
    pub ceilings: Ceilings,
    /// Key under which it was begun, where it was under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Box<RepeatKey>>,
}

fn is_one_order(orders: &Orders) -> bool {
    *orders == Orders::One
}

/// Model and rubric of one member; both absent for a rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PassMember {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brought: Option<BroughtRubric>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelPlayer>,
}

/// A rubric of the library as it was when the pass began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BroughtRubric {
    pub rubric: String,
    pub template: String,
}

impl PassManifest {
    /// Returns the models that judge, where the pass names any.
    pub fn judges(&self) -> impl Iterator<Item = &ModelPlayer> {
        let members = self.members.iter().map(|member| &member.judge);
        members.chain([&self.judge]).flatten()
    }

    /// Returns each evaluator that the pass brings along with what it brings.
    pub fn list_members(&self) -> Vec<(Evaluator, PassMember)> {
        let alone = PassMember {
            brought: self.brought.clone(),
            judge: self.judge.clone(),
        };
        let members = match &self.rules {
            PassRules::Own { .. } | PassRules::Imported { .. } => Vec::new(),
            PassRules::Rubric { .. } | PassRules::Detector { .. } => vec![alone],
            PassRules::Ensemble { .. } => self.members.clone(),
        };
        self.rules
            .list_evaluators()
            .into_iter()
            .zip(members)
            .collect()
    }
}
