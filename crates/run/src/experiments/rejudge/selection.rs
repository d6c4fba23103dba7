//! Selection of a pass: the sessions that are judged again, and who judges them.

use elenchus_game::debate::protocol::{Combine, Detector};
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::pass::{Evaluator, PassRules};
use elenchus_records::workspace::read_whole_run;
use elenchus_records::workspace::{Result, read_session, reject};
use elenchus_store::Layout;
use std::collections::BTreeSet;

/// Sessions that are asked for. Without runs and sessions all of the store are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSelection {
    pub runs: Vec<RunId>,
    pub sessions: Vec<SessionId>,
    /// Only sessions of this protocol.
    pub protocol: Option<String>,
}

/// Sessions that can be judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectedSessions {
    /// The oldest first.
    pub sessions: Vec<SessionId>,
    /// Runs with debates that are left out because turns are missing, and how many.
    pub unspoken: Vec<(RunId, usize)>,
}

impl SessionSelection {
    /// Finds the sessions. Blocks while it reads runs and sessions.
    ///
    /// # Errors
    /// When a run cannot be read, or the store cannot be listed.
    pub fn select_sessions(&self, layout: &Layout) -> Result<SelectedSessions> {
        let mut selection = SelectedSessions::default();
        let mut ids: BTreeSet<SessionId> = self.sessions.iter().cloned().collect();
        let mut seen_runs = BTreeSet::new();
        for id in &self.runs {
            let run = read_whole_run(layout, id)?;
            if !seen_runs.insert(run.manifest.run.clone()) {
                continue;
            }
            let mut unspoken = 0;
            for item in &run.items {
                if run.finished.contains_key(&item.item) || is_spoken(layout, &item.session)? {
                    ids.insert(item.session.clone());
                } else {
                    unspoken += 1;
                }
            }
            if unspoken > 0 {
                selection.unspoken.push((id.clone(), unspoken));
            }
        }
        if self.runs.is_empty() && self.sessions.is_empty() {
            ids.extend(layout.list_sessions()?.into_iter().map(SessionId::new));
        }
        for id in ids {
            if self.has_protocol(layout, &id)? {
                selection.sessions.push(id);
            }
        }
        Ok(selection)
    }

    /// What cannot be read has no protocol that anybody could ask for.
    fn has_protocol(&self, layout: &Layout, id: &SessionId) -> Result<bool> {
        let Some(protocol) = &self.protocol else {
            return Ok(true);
        };
        let state = read_session(&layout.session_path(id.as_str())?).ok();
        let session_protocol = state.as_ref().and_then(|state| state.protocol());
        Ok(session_protocol.is_some_and(|played| &played.id == protocol))
    }
}

/// Says whether a session of a run only lacks verdicts, its calls to evaluators having failed. What
/// was planned and never begun has no journal.
fn is_spoken(layout: &Layout, session: &SessionId) -> Result<bool> {
    let path = layout.session_path(session.as_str())?;
    Ok(path.exists() && read_session(&path).is_ok_and(|state| state.is_spoken()))
}

/// Pairs rubrics with models: one model for all rubrics, one for each, or several for one rubric. Several
/// evaluators are an ensemble; a model alone judges by each session's own rules.
///
/// # Errors
/// When they do not pair.
pub fn pair_evaluators(
    rubrics: &[String],
    models: &[String],
    detectors: &[Detector],
    combine: Combine,
) -> Result<PassRules> {
    let pairs: Vec<(&String, &String)> = match (rubrics, models) {
        ([], []) if !detectors.is_empty() => Vec::new(),
        ([], [] | [_]) if detectors.is_empty() => {
            return Ok(PassRules::Own {
                model: models.first().cloned(),
            });
        }
        ([], _) if detectors.is_empty() => {
            return reject("several models need a --rubric to judge by");
        }
        ([], _) => {
            return reject("--model has no use with --detector alone; name a --rubric for it");
        }
        ([rubric], models) => models.iter().map(|model| (rubric, model)).collect(),
        (rubrics, [model]) => rubrics.iter().map(|rubric| (rubric, model)).collect(),
        (rubrics, models) if rubrics.len() == models.len() => rubrics.iter().zip(models).collect(),
        (rubrics, models) => {
            return reject(format!(
                "{} rubrics and {} models were given; give one model for all rubrics, or one for each",
                rubrics.len(),
                models.len()
            ));
        }
    };
    let by_models = pairs.into_iter().map(|(rubric, model)| Evaluator::Rubric {
        rubric: rubric.clone(),
        model: model.clone(),
    });
    let by_rules = detectors.iter().map(|detector| Evaluator::Detector {
        detector: *detector,
    });
    let mut members: Vec<Evaluator> = by_models.chain(by_rules).collect();
    Ok(match (members.len(), members.pop()) {
        (1, Some(Evaluator::Rubric { rubric, model })) => PassRules::Rubric { rubric, model },
        (1, Some(Evaluator::Detector { detector })) => PassRules::Detector { detector },
        (_, last) => PassRules::Ensemble {
            members: members.into_iter().chain(last).collect(),
            combine,
        },
    })
}
