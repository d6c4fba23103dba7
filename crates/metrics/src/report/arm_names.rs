//! Short names of arms: what all of them have alike tells none apart. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// Names of arms by what they differ in. No two arms have one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArmNames {
    /// By whole names.
    short: BTreeMap<String, String>,
}

impl ArmNames {
    /// Shortens the names of arms that stand beside each other. Chairs that have one model in every arm are named by
    /// the model, once. Where that would leave an arm without a name or two with the same, all keep their own.
    pub fn from_arms<'a>(arms: impl IntoIterator<Item = &'a str>) -> Self {
        let arms: BTreeSet<&str> = arms.into_iter().collect();
        let parts: Vec<Vec<ArmPart<'_>>> = arms.iter().map(|arm| read_parts(arm)).collect();
        // A chair that one model has in every arm with such a chair tells no more than the game does.
        let with_chairs = |chairs: ChairsShown| -> Option<Vec<String>> {
            let names = parts
                .iter()
                .map(|own| shorten(own, &parts, chairs).join(" "));
            let names: Vec<String> = names.collect();
            are_own(&names).then_some(names)
        };
        let short_names = with_chairs(ChairsShown::ThatDiffer)
            .or_else(|| with_chairs(ChairsShown::OfSomeArms))
            .filter(|_| arms.len() > 1);
        let short_names =
            short_names.unwrap_or_else(|| arms.iter().map(|arm| (*arm).to_owned()).collect());
        let whole_names = arms.iter().map(|arm| (*arm).to_owned());
        Self {
            short: whole_names.zip(short_names).collect(),
        }
    }

    /// Returns the number of arms.
    pub fn count(&self) -> usize {
        self.short.len()
    }

    /// Returns the names of all arms, whole and short.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.short.iter();
        pairs.map(|(whole, short)| (whole.as_str(), short.as_str()))
    }

    /// Returns the short name of an arm; its own where it is none of them.
    pub fn name_of<'a>(&'a self, arm: &'a str) -> &'a str {
        self.short.get(arm).map_or(arm, String::as_str)
    }
}

/// Names an arm that stands beside no other: a model that sits in several chairs is named once, with the seats that
/// it has where others have other models.
pub fn condense_arm(arm: &str) -> String {
    let parts = read_parts(arm);
    let mut seats: Vec<(&str, Vec<&str>)> = Vec::new();
    for part in &parts {
        let ArmPart::Value(key, value) = part else {
            continue;
        };
        let Some((seat, _)) = key.rsplit_once('-').filter(|_| is_chair(key)) else {
            continue;
        };
        let is_of_seat = |other: &str| other.rsplit_once('-').is_some_and(|(own, _)| own == seat);
        // A seat with several models is named chair by chair.
        let has_one_model = parts.iter().all(|part| match part {
            ArmPart::Value(other, model) => {
                !(is_chair(other) && is_of_seat(other)) || model == value
            }
            ArmPart::Word(_) => true,
        });
        let seat = if has_one_model { seat } else { key };
        match seats.iter_mut().find(|(model, _)| model == value) {
            Some((_, seats)) if seats.contains(&seat) => {}
            Some((_, seats)) => seats.push(seat),
            None => seats.push((value, vec![seat])),
        }
    }
    let models = seats.iter().map(|(model, own)| match seats.len() {
        1 => (*model).to_owned(),
        _ => format!("{}={model}", own.join("+")),
    });
    let is_other = |part: &&ArmPart<'_>| match part {
        ArmPart::Word(_) => true,
        ArmPart::Value(key, _) => !is_chair(key),
    };
    let others = parts.iter().filter(is_other).map(|part| match part {
        ArmPart::Word(word) => (*word).to_owned(),
        ArmPart::Value(key, value) => format!("{key}={value}"),
    });
    others.chain(models).collect::<Vec<_>>().join(" ")
}

/// Which chairs stand in a short name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChairsShown {
    /// Those that several models have.
    ThatDiffer,
    /// Those as well that only some arms have.
    OfSomeArms,
}

/// Says whether there is a name for each, and no two are alike: an arm that lacks a part which the others have alike
/// would be called as they are.
fn are_own(names: &[String]) -> bool {
    let different: BTreeSet<&String> = names.iter().collect();
    different.len() == names.len() && names.iter().all(|name| !name.is_empty())
}

/// Part of an arm's name: a value with its key, or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArmPart<'a> {
    Word(&'a str),
    Value(&'a str, &'a str),
}

fn read_parts(arm: &str) -> Vec<ArmPart<'_>> {
    let parts = arm.split([' ', ',']).filter(|part| !part.is_empty());
    let parts = parts.map(|part| match part.split_once('=') {
        Some((key, value)) => ArmPart::Value(key, value),
        None => ArmPart::Word(part),
    });
    parts.collect()
}

/// Returns the parts of an arm that tell it from the others.
fn shorten(own: &[ArmPart<'_>], all: &[Vec<ArmPart<'_>>], shown: ChairsShown) -> Vec<String> {
    let mut chairs: Vec<Vec<Option<&str>>> = Vec::new();
    let mut short = Vec::new();
    for part in own {
        if all.iter().all(|arm| arm.contains(part)) {
            continue;
        }
        let (key, value) = match *part {
            ArmPart::Value(key, value) => (key, value),
            ArmPart::Word(word) => {
                short.push(word.to_owned());
                continue;
            }
        };
        // Of a key that only some arms have, all parts tell.
        let values: Vec<Option<&str>> = all.iter().map(|arm| find_value(arm, key)).collect();
        let has_one_value = values.iter().flatten().collect::<BTreeSet<_>>().len() == 1;
        if shown == ChairsShown::ThatDiffer && is_chair(key) && has_one_value {
            continue;
        }
        let seated_alike = own.iter().filter(|part| match part {
            ArmPart::Value(other, _) => {
                is_chair(other)
                    && all
                        .iter()
                        .map(|arm| find_value(arm, other))
                        .eq(values.iter().copied())
            }
            ArmPart::Word(_) => false,
        });
        if !is_chair(key) || seated_alike.count() < 2 {
            short.push(format!("{key}={value}"));
        } else if !chairs.contains(&values) {
            short.push(value.to_owned());
            chairs.push(values);
        }
    }
    short
}

fn find_value<'a>(arm: &[ArmPart<'a>], wanted: &str) -> Option<&'a str> {
    let mut parts = arm.iter();
    parts.find_map(|part| match part {
        ArmPart::Value(key, value) if *key == wanted => Some(*value),
        ArmPart::Value(..) | ArmPart::Word(_) => None,
    })
}

/// Says whether a key names a chair: a seat with a number.
fn is_chair(key: &str) -> bool {
    let number = key.rsplit_once('-').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{ArmNames, condense_arm};

    /// Returns the short names in the order of the arms.
    fn short(arms: &[&str]) -> Vec<String> {
        let names = ArmNames::from_arms(arms.iter().copied());
        arms.iter()
            .map(|arm| names.name_of(arm).to_owned())
            .collect()
    }

    #[test]
    fn an_arm_that_stands_alone_names_each_model_once() {
        let all = "sred rounds=2 debater-0=sim,debater-1=sim,evaluator-0=sim";
        assert_eq!(condense_arm(all), "sred rounds=2 sim");
        let two = "pred debater-0=qwen,debater-1=qwen,evaluator-0=llama,feedback-0=llama grader=2";
        assert_eq!(
            condense_arm(two),
            "pred grader=2 debater=qwen evaluator+feedback=llama"
        );
        let mixed = "pred debater-0=qwen,debater-1=llama,evaluator-0=llama";
        assert_eq!(
            condense_arm(mixed),
            "pred debater-0=qwen debater-1+evaluator=llama"
        );
        assert_eq!(condense_arm("imported"), "imported");
    }

    #[test]
    fn arms_are_called_by_what_they_differ_in() {
        let games = [
            "pred debater-0=one,debater-1=one",
            "sred debater-0=one,debater-1=one",
        ];
        assert_eq!(short(&games), ["pred", "sred"]);
        let seats = [
            "pred debater-0=one",
            "sred debater-0=one,socratic-0=one",
            "self-critique agent-0=one",
        ];
        assert_eq!(short(&seats), ["pred", "sred", "self-critique"]);
        let settings = ["pred rounds=2 debater-0=one", "pred rounds=3 debater-0=one"];
        assert_eq!(short(&settings), ["rounds=2", "rounds=3"]);
        let models = [
            "pred debater-0=one,debater-1=one,evaluator-0=guard",
            "pred debater-0=two,debater-1=two,evaluator-0=guard",
        ];
        assert_eq!(short(&models), ["one", "two"]);
        let chairs = [
            "pred debater-0=one,debater-1=two",
            "pred debater-0=two,debater-1=one",
        ];
        assert_eq!(
            short(&chairs),
            ["debater-0=one debater-1=two", "debater-0=two debater-1=one"]
        );
    }

    #[test]
    fn arms_that_would_be_called_alike_or_not_at_all_keep_their_names() {
        let memory = ["pred", "pred memory=textual"];
        assert_eq!(short(&memory), memory);
        assert_eq!(short(&["pred rounds=2"]), ["pred rounds=2"]);
    }
}
