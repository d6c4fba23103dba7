//! Check that a pass asks a rubric about what it is written for: a named rubric is asked about every turn, and
//! one on whole debates would come to a verdict on each of them, at a multiple of the price.

use super::PassWork;
use elenchus_game::debate::protocol::{JudgedThing, Protocol, Settings};
use elenchus_records::library::Library;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::pass::Evaluator;
use std::collections::BTreeMap;

/// Rubrics that no game asks about single turns, each with the games that ask them about something else.
pub(super) struct RubricTargets(BTreeMap<String, (bool, Vec<String>)>);

impl RubricTargets {
    /// Reads which rubrics the library's games ask, and about what. A game that cannot be read asks nothing
    /// here; whoever plays it is told.
    pub(super) fn read(library: &Library) -> Self {
        let mut targets = Self(BTreeMap::new());
        for (id, _) in library.list_protocols() {
            if let Ok(game) = library.load_unpinned_game(&id, &Settings::default()) {
                targets.add_rules(&game.protocol);
            }
        }
        targets
    }

    fn add_rules(&mut self, protocol: &Protocol) {
        for rule in &protocol.judging {
            let Some(rubric) = &rule.rubric else {
                continue;
            };
            let (asks_turns, games) = self.0.entry(rubric.clone()).or_default();
            match rule.of {
                JudgedThing::Turn => *asks_turns = true,
                JudgedThing::Round | JudgedThing::Debate => {
                    let game = protocol.id.clone();
                    if !games.contains(&game) {
                        games.push(game);
                    }
                }
            }
        }
    }

    /// Returns the games that ask an evaluator's rubric about whole debates or rounds, where none asks it
    /// about a turn.
    fn find_other_games(&self, evaluator: &Evaluator) -> Option<&[String]> {
        let Evaluator::Rubric { rubric, .. } = evaluator else {
            return None;
        };
        let (asks_turns, games) = self.0.get(rubric)?;
        (!asks_turns && !games.is_empty()).then_some(games.as_slice())
    }

    /// Refuses evaluators whose rubric is not about turns. `own_rules` returns what a pass by the sessions' own
    /// rules has to do, with the model that is named.
    ///
    /// # Errors
    /// When there is such an evaluator.
    pub(super) fn check_evaluators(
        &self,
        evaluators: &[Evaluator],
        own_rules: impl Fn(&str) -> Result<PassWork, WorkspaceError>,
    ) -> Result<(), WorkspaceError> {
        for evaluator in evaluators {
            let (Some(games), Evaluator::Rubric { rubric, model }) =
                (self.find_other_games(evaluator), evaluator)
            else {
                continue;
            };
            let price = match own_rules(model) {
                Ok(work) => format!(
                    " ({} verdicts, {})",
                    work.verdicts,
                    elenchus_text::cost::describe_estimate(&work.estimate)
                ),
                // Whoever gives that command is told why it cannot be done.
                Err(_) => String::new(),
            };
            return Err(WorkspaceError::Invalid(format!(
                "rubric '{rubric}' is asked about whole debates or rounds ({}), and a pass with a named rubric \
                 asks about every single turn: its findings would mean nothing. To have the same things judged \
                 by another model leave --rubric out: 'elenchus judge --model {model}' with the same \
                 sessions{price}",
                games.join(", ")
            )));
        }
        Ok(())
    }
}
