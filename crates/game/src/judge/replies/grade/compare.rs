//! Comparison of two answers.

use super::expression::Expression;
use super::normal_form::{normal_form, remove_blanks};
use super::parts::{
    Inequality, Name, Part, Quantity, Reading, parse_normal_form, plain_words, subtract_expressions,
};
use super::tokens::{Bracket, DigitCommas};
use super::units::Unit;
use super::value::Value;
use std::collections::BTreeSet;

/// Longest answer that is compared, in bytes.
const MAX_BYTES: usize = 4_096;
/// Most variables of an expression.
const MAX_VARIABLES: usize = 6;
/// Points at which expressions are compared.
const POINTS: u64 = 6;
/// Fewest points at which both have values.
const MIN_POINTS: usize = 2;
/// Largest relative difference between a rounded number and what it was rounded from.
const ROUNDING: f64 = 1e-6;
/// Fewest decimals before dots by which a number is known.
const MIN_CUT_DECIMALS: u32 = 3;

/// Returns whether two answers are equal; `None` where they cannot be compared.
pub(super) fn same_answer(gold: &str, said: &str) -> Option<bool> {
    if gold.len() > MAX_BYTES || said.len() > MAX_BYTES {
        return None;
    }
    let (gold, said) = (normal_form(gold), normal_form(said));
    if gold.is_empty() || said.is_empty() {
        return None;
    }
    if remove_blanks(&gold) == remove_blanks(&said) {
        return Some(true);
    }
    let mut result = None;
    for reading in possible_readings(&gold, &said) {
        let parts = parse_normal_form(&gold, reading).zip(parse_normal_form(&said, reading));
        match parts.and_then(|(gold, said)| same_part(&gold, &said)) {
            Some(true) => return Some(true),
            Some(false) => result = Some(false),
            None => {}
        }
    }
    result
}

/// Returns the readings of two texts: commas between digits may group them or separate numbers, and
/// a letter after a number may be a unit.
fn possible_readings(gold: &str, said: &str) -> Vec<Reading> {
    let usual = USUAL;
    let separate = Reading {
        commas: DigitCommas::Separate,
        ..usual
    };
    let letters = Reading {
        letter_units: true,
        ..usual
    };
    let mut readings = vec![usual];
    if gold.contains(',') || said.contains(',') {
        readings.push(separate);
    }
    let has_unit = |text: &str| match parse_normal_form(text, usual) {
        Some(Part::Quantity(quantity)) => quantity.unit.is_some(),
        Some(_) | None => false,
    };
    if has_unit(gold) != has_unit(said) {
        readings.push(letters);
    }
    readings
}

fn same_part(gold: &Part, said: &Part) -> Option<bool> {
    match (gold, said) {
        (Part::Quantity(a), Part::Quantity(b)) => same_quantity(a, b),
        (Part::Equation(a, b), Part::Equation(c, d)) => are_proportional(
            &subtract_expressions(a.clone(), b.clone()),
            &subtract_expressions(c.clone(), d.clone()),
            false,
        ),
        (Part::Equation(left, right), Part::Quantity(quantity))
        | (Part::Quantity(quantity), Part::Equation(left, right)) => match as_equation(quantity) {
            Some(other) => are_proportional(
                &subtract_expressions(left.clone(), right.clone()),
                &other,
                false,
            ),
            // `a + b = 5`, where that sum was asked for.
            None if left.is_of_letters() => same_expression(right, &quantity.expression),
            None => Some(false),
        },
        (Part::Inequality(kind, a), Part::Inequality(other, b)) => match kind == other {
            true => are_proportional(a, b, *kind != Inequality::Unequal),
            false => Some(false),
        },
        (
            Part::Ordered { open, close, parts },
            Part::Ordered {
                open: other_open,
                close: other_close,
                parts: others,
            },
        ) => {
            let brackets =
                is_same_bracket(*open, *other_open) && is_same_bracket(*close, *other_close);
            match brackets || parts.len() != 2 {
                true => same_in_order(parts, others),
                false => Some(false),
            }
        }
        (Part::Set(a), Part::Set(b)) => {
            same_in_any_order(&remove_duplicates(a), &remove_duplicates(b))
        }
        (Part::Set(a), Part::List(b)) | (Part::List(b), Part::Set(a)) => {
            same_in_any_order(&remove_duplicates(a), &remove_duplicates(b))
        }
        (Part::List(a), Part::List(b)) => same_list(a, b),
        (Part::Ordered { open, parts, .. }, Part::List(list))
        | (Part::List(list), Part::Ordered { open, parts, .. }) => match open {
            Bracket::Square => Some(false),
            _ => same_in_order(parts, &sort_by_name(list)),
        },
        (Part::Intersection(a), Part::Intersection(b)) => same_in_any_order(a, b),
        (Part::Union(a), Part::Union(b))
        | (Part::Union(a), Part::List(b))
        | (Part::List(a), Part::Union(b)) => same_in_any_order(a, b),
        // A vector is written as a row, as a column and as a tuple.
        (Part::Matrix(rows), Part::Ordered { parts, .. })
        | (Part::Ordered { parts, .. }, Part::Matrix(rows)) => {
            let is_vector = rows.len() == 1 || rows.iter().all(|row| row.len() == 1);
            match is_vector {
                true => same_in_order(&rows.concat(), parts),
                false => Some(false),
            }
        }
        (Part::Matrix(a), Part::Matrix(b)) => {
            if a.len() != b.len() {
                return Some(false);
            }
            all_equal(a.iter().zip(b).map(|(a, b)| same_in_order(a, b)))
        }
        (
            Part::InBase { digits, base },
            Part::InBase {
                digits: other,
                base: other_base,
            },
        ) => Some(digits == other && base == other_base),
        (Part::InBase { digits, .. }, Part::Quantity(quantity))
        | (Part::Quantity(quantity), Part::InBase { digits, .. }) => {
            Some(quantity.expression.written_digits() == Some(digits))
        }
        (Part::Ratio(parts, _), Part::Quantity(quantity))
        | (Part::Quantity(quantity), Part::Ratio(parts, _)) => match parts.as_slice() {
            [Part::Quantity(a), Part::Quantity(b)] => same_expression(
                &Expression::Quotient(
                    Box::new(a.expression.clone()),
                    Box::new(b.expression.clone()),
                ),
                &quantity.expression,
            ),
            _ => Some(false),
        },
        (Part::Ratio(a, unit), Part::Ratio(b, other)) => {
            match unit.is_some() && other.is_some() && unit != other {
                true => Some(false),
                false => same_in_order(a, b),
            }
        }
        (Part::Words(a), Part::Words(b)) => Some(a == b),
        (Part::Choice(a, behind), Part::Choice(b, other)) => match (a == b, behind, other) {
            (false, _, _) => Some(false),
            (true, Some(a), Some(b)) => same_part(a, b),
            (true, _, _) => Some(true),
        },
        (Part::Choice(letter, behind), other) | (other, Part::Choice(letter, behind)) => {
            if is_letter(other, *letter) {
                return Some(true);
            }
            match behind {
                Some(behind) => same_part(behind, other),
                None => Some(false),
            }
        }
        (a, b) => Some(a == b),
    }
}

fn is_letter(part: &Part, letter: char) -> bool {
    match part {
        Part::Quantity(quantity) => {
            matches!(&quantity.expression, Expression::Variable(name) if *name == letter.to_string())
        }
        Part::Words(words) => *words == plain_words(&letter.to_string()),
        _ => false,
    }
}

/// Round brackets and angles are one, as in tuples and vectors.
fn is_same_bracket(a: Bracket, b: Bracket) -> bool {
    (a == Bracket::Square) == (b == Bracket::Square)
}

fn same_in_order(a: &[Part], b: &[Part]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    all_equal(a.iter().zip(b).map(|(a, b)| same_part(a, b)))
}

/// Returns whether all are equal: one that is not decides, one that cannot be compared leaves it
/// open.
fn all_equal(found: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let results: Vec<Option<bool>> = found.collect();
    if results.contains(&Some(false)) {
        return Some(false);
    }
    (!results.contains(&None)).then_some(true)
}

/// Compares parts whose order does not count.
fn same_in_any_order(a: &[Part], b: &[Part]) -> Option<bool> {
    if a.len() != b.len() {
        return Some(false);
    }
    let mut left: Vec<&Part> = b.iter().collect();
    let mut open = false;
    for part in a {
        let results: Vec<Option<bool>> = left.iter().map(|other| same_part(part, other)).collect();
        match results.iter().position(|same| *same == Some(true)) {
            Some(at) => {
                left.remove(at);
            }
            None if results.contains(&None) => open = true,
            None => return Some(false),
        }
    }
    (!open).then_some(true)
}

fn remove_duplicates(parts: &[Part]) -> Vec<Part> {
    let mut distinct_parts: Vec<Part> = Vec::new();
    for part in parts {
        if !distinct_parts
            .iter()
            .any(|other| same_part(other, part) == Some(true))
        {
            distinct_parts.push(part.clone());
        }
    }
    distinct_parts
}

fn same_list(a: &[Part], b: &[Part]) -> Option<bool> {
    match (find_names(a), find_names(b)) {
        // `x = 1, y = 2` against `2, 1`: only names say which is which.
        (Some(_), None) | (None, Some(_)) => same_in_order(&sort_by_name(a), &sort_by_name(b)),
        (Some(_), Some(_)) | (None, None) => same_in_any_order(a, b),
    }
}

/// Returns the names of quantities that all have one of their own. Those of one letter with indices
/// number the solutions, and say nothing.
fn find_names(parts: &[Part]) -> Option<BTreeSet<&str>> {
    let names: Option<BTreeSet<&str>> = parts.iter().map(variable_of).collect();
    let have_indices = |names: &BTreeSet<&str>| {
        let letters: BTreeSet<Option<&str>> = names
            .iter()
            .map(|name| Some(name.split_once('_')?.0))
            .collect();
        letters.len() == 1 && !letters.contains(&None)
    };
    names.filter(|names| names.len() == parts.len() && !have_indices(names))
}

fn variable_of(part: &Part) -> Option<&str> {
    match part {
        Part::Quantity(Quantity {
            name: Some(Name::Variable(name)),
            ..
        }) => Some(name),
        _ => None,
    }
}

fn sort_by_name(parts: &[Part]) -> Vec<Part> {
    let mut sorted_parts = parts.to_vec();
    if find_names(parts).is_some() {
        sorted_parts.sort_by(|a, b| variable_of(a).cmp(&variable_of(b)));
    }
    sorted_parts
}

fn same_quantity(a: &Quantity, b: &Quantity) -> Option<bool> {
    let solution = |name: &str| name.split('_').next().map(str::to_owned);
    if let (Some(Name::Variable(a)), Some(Name::Variable(b))) = (&a.name, &b.name)
        && solution(a) != solution(b)
    {
        return Some(false);
    }
    match (&a.unit, &b.unit) {
        (Some(unit), Some(other)) if unit == other => same_expression(&a.expression, &b.expression),
        (Some(unit), Some(other)) => match unit.measures == other.measures {
            true => same_expression(
                &multiply_quantity(a, unit.times),
                &multiply_quantity(b, other.times),
            ),
            false => Some(false),
        },
        (Some(unit), None) => same_with_unit(a, unit, b),
        (None, Some(unit)) => same_with_unit(b, unit, a),
        (None, None) => same_expression(&a.expression, &b.expression),
    }
}

/// Compares a quantity that has a unit with one that has none. `50%` is 50 and one half.
fn same_with_unit(with: &Quantity, unit: &Unit, without: &Quantity) -> Option<bool> {
    let same = same_expression(&with.expression, &without.expression);
    if same == Some(false) && unit.is_percent() {
        let share = Expression::Quotient(
            Box::new(with.expression.clone()),
            Box::new(Expression::from_whole(100)),
        );
        return same_expression(&share, &without.expression);
    }
    same
}

fn multiply_quantity(quantity: &Quantity, times: f64) -> Expression {
    Expression::Product(
        Box::new(quantity.expression.clone()),
        Box::new(Expression::Constant(times)),
    )
}

/// Returns the equation that a quantity with a name states.
fn as_equation(quantity: &Quantity) -> Option<Expression> {
    let name = match quantity.name.as_ref()? {
        Name::Variable(name) => name.clone(),
        Name::Other => return None,
    };
    Some(Expression::Sum(
        Box::new(Expression::Variable(name)),
        Box::new(Expression::Negative(Box::new(quantity.expression.clone()))),
    ))
}

pub(super) fn is_constant(expression: &Expression) -> bool {
    let mut names = BTreeSet::new();
    expression.collect_variables(&mut names);
    names.is_empty()
}

/// Returns whether two expressions have one value: constants as numbers, others at fixed points.
pub(super) fn same_expression(a: &Expression, b: &Expression) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let names = variables_of_both(a, b)?;
    if names.is_empty() {
        let none = |_: &str| None;
        return match (a.evaluate(&none), b.evaluate(&none)) {
            (Some(x), Some(y)) => Some(x.equals(y) || is_rounding(a, x, b, y)),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => Some(false),
        };
    }
    let negative = a.has_absolute_value() || b.has_absolute_value();
    let mut points = 0;
    for point in 0..POINTS {
        let at = |name: &str| Some(point_of(name, point, negative));
        match (a.evaluate(&at), b.evaluate(&at)) {
            (Some(x), Some(y)) if x.equals(y) => points += 1,
            (None, None) => {}
            _ => return Some(false),
        }
    }
    (points >= MIN_POINTS).then_some(true)
}

fn variables_of_both(a: &Expression, b: &Expression) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    a.collect_variables(&mut names);
    b.collect_variables(&mut names);
    (names.len() <= MAX_VARIABLES).then_some(names)
}

/// Returns the value of a variable at a point: a fraction between a half and three, which differs by
/// name; negative at every other point if asked.
fn point_of(name: &str, point: u64, negative: bool) -> Value {
    let bits = name.bytes().fold(point.wrapping_add(7), |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let top = 12 + (bits >> 40) % 57;
    let value = Value::whole(top as i64)
        .divide_by(Value::whole(23))
        .unwrap_or(Value::whole(1));
    match negative && point % 2 == 1 {
        true => value.negate(),
        false => value,
    }
}

/// Returns whether a number that is written with decimals is the other one, rounded or cut at its
/// last decimal, and nearly equal.
fn is_rounding(a: &Expression, x: Value, b: &Expression, y: Value) -> bool {
    let decimals = match (a.count_decimals(), b.count_decimals()) {
        (Some(a), Some(b)) => (a.min(b), 0.5),
        (Some(only), None) | (None, Some(only)) => (only, 1.0),
        (None, None) => return false,
    };
    let (places, share) = decimals;
    // Dots say that three digits and more were not rounded, but cut.
    let goes_on = (a.goes_on() || b.goes_on()) && places >= MIN_CUT_DECIMALS;
    let nearly = if goes_on { f64::INFINITY } else { ROUNDING };
    let apart = (x.re - y.re).abs();
    let last_place = 10f64.powi(-i32::try_from(places).unwrap_or(i32::MAX));
    x.is_real()
        && y.is_real()
        && apart <= share * last_place * (1.0 + ROUNDING)
        && apart <= nearly * x.re.abs().max(y.re.abs())
}

/// Returns whether one expression is a fixed multiple of the other: then both are zero together.
fn are_proportional(a: &Expression, b: &Expression, positive: bool) -> Option<bool> {
    variables_of_both(a, b)?;
    let mut ratio: Option<Value> = None;
    let mut points = 0;
    for point in 0..POINTS {
        let at = |name: &str| Some(point_of(name, point, false));
        let (x, y) = match (a.evaluate(&at), b.evaluate(&at)) {
            (Some(x), Some(y)) => (x, y),
            (None, None) => continue,
            _ => return Some(false),
        };
        let Some(quotient) = x.divide_by(y) else {
            return Some(false);
        };
        if (positive && quotient.re <= 0.0) || ratio.is_some_and(|ratio| !ratio.equals(quotient)) {
            return Some(false);
        }
        ratio = Some(quotient);
        points += 1;
    }
    (points >= MIN_POINTS).then_some(true)
}

const USUAL: Reading = Reading {
    commas: DigitCommas::Group,
    letter_units: false,
};

/// Returns whether a text is one number, with or without a unit.
pub(super) fn is_number(text: &str) -> bool {
    match read_usual(text) {
        Some(Part::Quantity(quantity)) => quantity.expression.is_written_number(),
        Some(_) | None => false,
    }
}

/// Returns whether a text is read as words, or not at all.
pub(super) fn is_words(text: &str) -> bool {
    matches!(read_usual(text), Some(Part::Words(_)))
}

/// Returns whether a text is read as mathematics.
pub(super) fn is_formula(text: &str) -> bool {
    !matches!(read_usual(text), None | Some(Part::Words(_)))
}

fn read_usual(text: &str) -> Option<Part> {
    match text.len() <= MAX_BYTES {
        true => parse_normal_form(&normal_form(text), USUAL),
        false => None,
    }
}
