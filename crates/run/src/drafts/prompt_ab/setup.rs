//! Comparison that is being set out: its draft, and what it would cost as far as that was worked out. Pure: whoever
//! holds it has the cost worked out and hands back the result.

use super::draft::{AbDraft, CompareWish};
use crate::experiments::prompt_ab::{AbArm, AbPlan};
use crate::experiments::prompt_ab::{AbPlanned, AbSurvey, AbWish};
use elenchus_records::workspace::WorkspaceError;
use elenchus_text::{Paragraph, Role, format_grouped_count, format_thousands, price};

/// Notices that are shown at most.
const MAX_NOTICES: usize = 2;

/// A comparison as far as it is set out.
#[derive(Debug, Clone)]
pub struct AbSetup {
    pub draft: AbDraft,
    /// Message while there is nothing to choose from.
    empty: String,
    /// Planned comparison with its cost; `None` while that is worked out.
    planned: Option<Result<Box<AbPlanned>, WorkspaceError>>,
    /// Number of changes.
    changes: u64,
    /// The change that an answer is on its way for.
    awaited_change: Option<u64>,
}

/// What beginning leads to.
#[derive(Debug, Clone)]
pub enum AbBegin {
    /// Nothing yet: what it costs is being worked out.
    Wait,
    /// Nothing: there is nothing to compare on, for this reason.
    Refuse(String),
    /// Nothing: it cannot be planned.
    Fail(String),
    Begin(Box<AbPlan>),
}

impl AbSetup {
    /// The usual comparison of two prompts, without debates as yet.
    pub fn from_wish(prompts: CompareWish) -> Self {
        Self {
            draft: AbDraft::from_wish(prompts),
            empty: "looking for debates".to_owned(),
            planned: None,
            changes: 0,
            awaited_change: None,
        }
    }

    /// Takes what it can be made of; returns the comparison whose cost is to be worked out.
    ///
    /// # Errors
    /// Says why there is nothing to choose from.
    pub fn take_survey(
        &mut self,
        result: Result<AbSurvey, WorkspaceError>,
    ) -> Result<Option<AbWish>, WorkspaceError> {
        match result {
            Ok(survey) => {
                self.empty = "there is no debate of this game to compare on".to_owned();
                self.draft.take_survey(survey);
                Ok(self.take_change())
            }
            Err(why) => {
                self.empty = why.to_string();
                Err(why)
            }
        }
    }

    /// Takes note of a change; returns the comparison whose cost is to be worked out. One answer is awaited at
    /// most: what changed meanwhile is asked for when it is there.
    pub fn take_change(&mut self) -> Option<AbWish> {
        self.changes += 1;
        self.planned = None;
        if self.awaited_change.is_some() {
            return None;
        }
        let wish = self.draft.build_wish()?;
        self.awaited_change = Some(self.changes);
        Some(wish)
    }

    /// Takes the cost; returns the comparison as it is now, where something was changed meanwhile.
    pub fn take_plan(&mut self, result: Result<Box<AbPlanned>, WorkspaceError>) -> Option<AbWish> {
        let is_fresh = self.awaited_change.take() == Some(self.changes);
        if !is_fresh {
            return self.take_change();
        }
        self.planned = Some(result);
        None
    }

    /// Returns what beginning leads to.
    pub fn begin_step(&self) -> AbBegin {
        match &self.planned {
            None if self.awaited_change.is_some() => AbBegin::Wait,
            None => AbBegin::Refuse(self.empty.clone()),
            Some(Err(why)) => AbBegin::Fail(why.to_string()),
            Some(Ok(planned)) if planned.plan.contexts.is_empty() => {
                let why =
                    "no recorded turn fits: choose other debates, another seat or another round";
                AbBegin::Refuse(why.to_owned())
            }
            Some(Ok(planned)) => AbBegin::Begin(Box::new(planned.plan.clone())),
        }
    }

    /// Says why there are no debates to choose from.
    pub fn empty_reason(&self) -> &str {
        &self.empty
    }

    /// Says what is worked out.
    pub fn describe_status(&self) -> &'static str {
        match (&self.planned, self.awaited_change) {
            (None, Some(_)) => "working out what it costs",
            (None | Some(_), _) => "",
        }
    }

    /// Returns which prompts are compared.
    pub fn heading(&self) -> Vec<Paragraph> {
        let arm = |letter: &str, arm: &AbArm| {
            let text = match &arm.text {
                Some(text) => format!(
                    ", {} characters",
                    format_thousands(text.chars().count() as u64)
                ),
                None => ", the text of each debate".to_owned(),
            };
            Paragraph::new(Role::Strong, format!(" {letter} "))
                .with_run(Role::Text, arm.name.clone())
                .with_run(Role::Muted, text)
        };
        let CompareWish { prompt, a, b } = &self.draft.prompts;
        vec![
            Paragraph::new(Role::Strong, format!("Compare two prompts: {prompt}")),
            arm("A", a),
            arm("B", b),
        ]
    }

    /// Returns what it would cost, as far as that is known.
    pub fn describe_cost(&self) -> Vec<Paragraph> {
        match &self.planned {
            None if self.draft.list_sources().is_none() => {
                vec![make_line(Role::Notice, &self.empty)]
            }
            None => vec![make_line(Role::Muted, "working out what it costs")],
            Some(Err(why)) => vec![make_line(Role::Error, &why.to_string())],
            Some(Ok(planned)) => describe_plan(planned),
        }
    }
}

/// Returns the turns of a comparison, its cost and the notices before it begins.
fn describe_plan(planned: &AbPlanned) -> Vec<Paragraph> {
    let turns = planned.plan.contexts.len();
    if turns == 0 {
        let text = "no recorded turn fits: choose other debates, another seat or round";
        return vec![make_line(Role::Warning, text)];
    }
    let all = 2 * turns * planned.plan.samples as usize;
    let what = planned.plan.context_kind().noun();
    let text = format!(
        "{} of {}: {}",
        format_grouped_count(turns, what),
        format_grouped_count(planned.topics, "topic"),
        format_grouped_count(all, "sample")
    );
    let mut page = vec![make_line(Role::Strong, &text)];
    if planned.is_one_text {
        let text = "A and B are one text: what would differ between them is chance";
        page.push(make_line(Role::Warning, text));
    }
    let ceiling = format!(
        "; {}",
        price::describe_ceiling(planned.plan.ceilings.cost_usd)
    );
    let (role, text) = match (&planned.estimate, planned.simulated) {
        (Ok(all), true) => (
            Role::Simulated,
            format!("SIMULATED: {}", price::describe_price(all)),
        ),
        (Ok(all), false) => (
            Role::Text,
            format!("{}{ceiling}", price::describe_price(all)),
        ),
        (Err(why), _) => (Role::Warning, format!("{why}{ceiling}")),
    };
    page.push(make_line(role, &text));
    if let Some(power) = &planned.power {
        page.push(make_line(Role::Muted, power));
    }
    if planned.simulated {
        let text = "of a prompt the simulated model reads marked words alone (sim-careful, sim-careless): whatever \
                    else differs between A and B changes nothing";
        page.push(make_line(Role::Muted, text));
    }
    let notices = planned.notices.iter().take(MAX_NOTICES);
    page.extend(notices.map(|why| make_line(Role::Warning, why)));
    page
}

fn make_line(role: Role, text: &str) -> Paragraph {
    Paragraph::new(role, text).with_indent(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drafts::prompt_ab::AbField;
    use crate::experiments::prompt_ab::AbSource;
    use elenchus_records::workspace::prompts::PromptName;
    use elenchus_text::{FormValues, plain_text};

    fn setup() -> AbSetup {
        let prompt = PromptName {
            protocol: "pred".to_owned(),
            template: "debater".to_owned(),
        };
        AbSetup::from_wish(CompareWish::from_edit(&prompt, "used", "edited".to_owned()))
    }

    #[test]
    fn one_cost_is_worked_out_at_a_time_and_the_last_change_wins() {
        let mut setup = setup();
        let survey = AbSurvey {
            sources: vec![AbSource {
                label: "all".to_owned(),
                detail: String::new(),
                sessions: Vec::new(),
            }],
            ..AbSurvey::default()
        };
        let first = setup.take_survey(Ok(survey)).unwrap().unwrap();
        assert_eq!(first.plan.samples, 2);
        assert!(setup.draft.step_value(&AbField::Samples, 1));
        assert!(setup.take_change().is_none(), "an answer is on its way");
        assert_eq!(setup.describe_status(), "working out what it costs");
        let again = setup.take_plan(Err(WorkspaceError::invalid("it is about the first")));
        assert_eq!(again.map(|wish| wish.plan.samples), Some(3));
        assert!(
            setup
                .take_plan(Err(WorkspaceError::invalid("no turn")))
                .is_none()
        );
        assert_eq!(plain_text(&setup.describe_cost()), " no turn");
        assert!(matches!(setup.begin_step(), AbBegin::Fail(why) if why == "no turn"));
    }

    #[test]
    fn without_debates_the_reason_stands_in_the_place_of_the_cost() {
        let mut setup = setup();
        assert_eq!(plain_text(&setup.describe_cost()), " looking for debates");
        assert!(
            setup
                .take_survey(Err(WorkspaceError::invalid("no index")))
                .is_err()
        );
        assert_eq!(plain_text(&setup.describe_cost()), " no index");
    }
}
