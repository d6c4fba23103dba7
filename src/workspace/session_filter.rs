//! Filter of a list of sessions: a field, a comparison and a value. Pure.

use super::annotations::Annotations;
use super::session_list::SessionOverview;
use std::str::FromStr;

/// Condition on one field of a session, as in `state=failed`, `arm~gpt` or `cost>0.5`.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFilter {
    field: Field,
    comparison: Comparison,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equals,
    Contains,
    Less,
    More,
}

/// Characters of the comparisons.
const COMPARISONS: [(char, Comparison); 4] = [
    ('=', Comparison::Equals),
    ('~', Comparison::Contains),
    ('<', Comparison::Less),
    ('>', Comparison::More),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Protocol,
    Model,
    State,
    /// Verdicts of one letter of a summary's; all where there is none.
    Verdicts(Option<char>),
    Cost,
    Parent,
    Run,
    Arm,
    Simulated,
    Begun,
    Last,
    Tag,
    Name,
}

const FIELDS: [(&str, Field); 18] = [
    ("protocol", Field::Protocol),
    ("model", Field::Model),
    ("state", Field::State),
    ("verdicts", Field::Verdicts(None)),
    ("safe", Field::Verdicts(Some('s'))),
    ("middle", Field::Verdicts(Some('m'))),
    ("unsafe", Field::Verdicts(Some('u'))),
    ("unparsed", Field::Verdicts(Some('?'))),
    ("empty", Field::Verdicts(Some('e'))),
    ("cost", Field::Cost),
    ("parent", Field::Parent),
    ("run", Field::Run),
    ("arm", Field::Arm),
    ("simulated", Field::Simulated),
    ("begun", Field::Begun),
    ("last", Field::Last),
    ("tag", Field::Tag),
    ("name", Field::Name),
];

/// Value of a field of a session; texts are in lower case.
enum FieldValue {
    Text(String),
    /// It may be named by its beginning or end.
    Id(String),
    /// RFC 3339, UTC: a beginning of it is a day or an hour.
    Time(String),
    Number(f64),
}

impl Field {
    fn is_ordered(self) -> bool {
        match self {
            Field::Verdicts(_) | Field::Cost | Field::Begun | Field::Last => true,
            Field::Protocol
            | Field::Model
            | Field::State
            | Field::Parent
            | Field::Run
            | Field::Arm
            | Field::Simulated
            | Field::Tag
            | Field::Name => false,
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Field::Verdicts(_) | Field::Cost)
    }

    /// Returns what a session has in a field; nothing where that is not known.
    fn values(self, session: &SessionOverview, marks: &Annotations) -> Vec<FieldValue> {
        let summary = &session.summary;
        let text = |text: &str| FieldValue::Text(text.to_lowercase());
        let id = |id: &str| FieldValue::Id(id.to_lowercase());
        let time = |time: &str| FieldValue::Time(time.to_lowercase());
        match self {
            Field::Protocol => vec![text(&summary.protocol)],
            Field::Model => session.models.iter().map(|model| text(model)).collect(),
            Field::State => vec![text(summary.state.word())],
            Field::Verdicts(letter) => {
                let letters = summary.verdicts.chars();
                let counted = letters.filter(|one| letter.is_none_or(|letter| letter == *one));
                vec![FieldValue::Number(counted.count() as f64)]
            }
            // An unknown cost is neither more nor less than another.
            Field::Cost => summary
                .cost_usd
                .map(FieldValue::Number)
                .into_iter()
                .collect(),
            Field::Parent => session.parent.iter().map(|one| id(one.as_str())).collect(),
            Field::Run => summary.run.iter().map(|run| id(run.as_str())).collect(),
            Field::Arm => vec![text(&session.arm)],
            Field::Simulated => vec![text(if summary.simulated { "yes" } else { "no" })],
            Field::Begun => vec![time(&summary.begun_at)],
            Field::Last => vec![time(&summary.last_at)],
            Field::Tag => marks
                .tags(&summary.session)
                .iter()
                .map(|tag| text(tag))
                .collect(),
            Field::Name => marks.name(&summary.session).map(text).into_iter().collect(),
        }
    }
}

impl FromStr for SessionFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sign = text.find(|letter| COMPARISONS.iter().any(|(sign, _)| *sign == letter));
        let (name, rest) = text.split_at(sign.unwrap_or(text.len()));
        let names = || FIELDS.map(|(name, _)| name).join(", ");
        let field = FIELDS.iter().find(|(known, _)| *known == name.trim());
        let field = field.map(|(_, field)| *field);
        let field = field.ok_or_else(|| format!("'{name}' is no field; there are {}", names()))?;
        let mut rest = rest.chars();
        let sign = rest.next();
        let comparison = COMPARISONS.iter().find(|(known, _)| Some(*known) == sign);
        let comparison = comparison.map(|(_, comparison)| *comparison);
        let comparison = comparison
            .ok_or_else(|| format!("after '{name}' comes =, ~ (contains), < or >, and a value"))?;
        let value = rest.as_str().trim().to_lowercase();
        let ordered = matches!(comparison, Comparison::Less | Comparison::More);
        if ordered && !field.is_ordered() {
            return Err(format!("'{name}' is compared with = or ~ (contains)"));
        }
        if field.is_number() && (comparison == Comparison::Contains || number(&value).is_none()) {
            return Err(format!("'{name}' is compared with =, < or >, and a number"));
        }
        if field == Field::Simulated && !["yes", "no"].contains(&value.as_str()) {
            return Err(format!("'{name}' is yes or no"));
        }
        Ok(Self {
            field,
            comparison,
            value,
        })
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

impl SessionFilter {
    /// Says whether a list needs tags or names for it.
    pub fn asks_for_marks(&self) -> bool {
        matches!(self.field, Field::Tag | Field::Name)
    }

    /// Says whether a session is let through; `marks` are the tags and names of sessions.
    pub fn passes(&self, session: &SessionOverview, marks: &Annotations) -> bool {
        let values = self.field.values(session, marks);
        values.iter().any(|value| self.compares(value))
    }

    fn compares(&self, value: &FieldValue) -> bool {
        let wanted = self.value.as_str();
        let text = match value {
            FieldValue::Number(value) => {
                return number(wanted).is_some_and(|wanted| match self.comparison {
                    Comparison::Equals | Comparison::Contains => *value == wanted,
                    Comparison::Less => *value < wanted,
                    Comparison::More => *value > wanted,
                });
            }
            FieldValue::Text(text) | FieldValue::Id(text) | FieldValue::Time(text) => text.as_str(),
        };
        match (self.comparison, value) {
            (Comparison::Contains, _) => text.contains(wanted),
            (Comparison::Less, _) => text < wanted,
            // After a day is after its end.
            (Comparison::More, _) => text > wanted && !text.starts_with(wanted),
            (Comparison::Equals, FieldValue::Time(_)) => text.starts_with(wanted),
            (Comparison::Equals, FieldValue::Id(_)) => {
                !wanted.is_empty() && (text.starts_with(wanted) || text.ends_with(wanted))
            }
            (Comparison::Equals, FieldValue::Text(_) | FieldValue::Number(_)) => text == wanted,
        }
    }
}
