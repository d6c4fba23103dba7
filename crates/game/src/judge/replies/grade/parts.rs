//! Answers as parts: quantities, equations, intervals, tuples, sets, lists, matrices, words.

use super::expression::{self, Expression};
use super::tokens::{Bracket, DigitCommas, Relation, Sign, Token, tokenize};
use super::units::{Unit, split_unit};
use crate::judge::lexicon::MATH;

/// Most parts of a list, cells of a matrix, or branches of `±`.
const MAX_PARTS: usize = 64;
/// Deepest nesting of parts in parts.
const MAX_DEPTH: usize = 6;
/// Most letters of a name on the left side of `=`.
const MAX_NAME_LETTERS: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Quantity(Quantity),
    Equation(Expression, Expression),
    /// An expression that is below zero (strictly or not), or unequal to it.
    Inequality(Inequality, Expression),
    Ordered {
        open: Bracket,
        close: Bracket,
        parts: Vec<Part>,
    },
    /// A set in braces: order and repetition do not count.
    Set(Vec<Part>),
    /// Several answers without brackets.
    List(Vec<Part>),
    Union(Vec<Part>),
    Intersection(Vec<Part>),
    Matrix(Vec<Vec<Part>>),
    /// Digits in a base.
    InBase {
        digits: String,
        base: String,
    },
    Ratio(Vec<Part>, Option<Unit>),
    Words(Vec<String>),
    /// A lettered option, and what stands behind its letter.
    Choice(char, Option<Box<Part>>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// The left side of `k = 5`.
    pub name: Option<Name>,
    pub expression: Expression,
    pub unit: Option<Unit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    Variable(String),
    /// `f(x)`, `\angle ABC`, `Area`: names that the question gave.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inequality {
    Below,
    NotAbove,
    Unequal,
}

/// How an ambiguous text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub commas: DigitCommas,
    /// Single letters after a number are units.
    pub letter_units: bool,
}

/// Reads a normal form; `None` where it is no answer that can be compared.
pub(super) fn parse_normal_form(normal: &str, reading: Reading) -> Option<Part> {
    if let Some(in_base) = parse_in_base(normal) {
        return Some(in_base);
    }
    let tokens = tokenize(normal, reading.commas)?;
    let reader = Reader { reading, depth: 0 };
    let part = match reader.parse_part(&tokens) {
        Some(part) => part,
        None => words_of(normal, &tokens)?,
    };
    Some(resolve_meaning(part))
}

/// Returns the sign or number that words mean.
fn resolve_meaning(part: Part) -> Part {
    let Part::Words(words) = &part else {
        return part;
    };
    let meaning = MATH.meanings.get(&words.join(" "));
    let read = meaning.and_then(|meaning| {
        let tokens = tokenize(meaning, DigitCommas::Group)?;
        let reading = Reading {
            commas: DigitCommas::Group,
            letter_units: false,
        };
        Reader { reading, depth: 0 }.parse_part(&tokens)
    });
    read.unwrap_or(part)
}

/// Reads `1010_2` and `3F_{16}`; digits may be in brackets.
fn parse_in_base(normal: &str) -> Option<Part> {
    let mut tight: String = normal.chars().filter(|c| !c.is_whitespace()).collect();
    for command in ["\\textrm", "\\text", "\\mathrm"] {
        tight = tight.replace(command, "");
    }
    tight.retain(|c| !matches!(c, '{' | '}'));
    let (digits, base) = tight.split_once('_')?;
    let base = MATH
        .meanings
        .get(&base.to_lowercase())
        .map_or(base, String::as_str);
    let digits = digits
        .strip_prefix('(')
        .and_then(|digits| digits.strip_suffix(')'))
        .unwrap_or(digits);
    let is_digits = digits.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_alphanumeric());
    let is_base = !base.is_empty() && base.chars().all(|c| c.is_ascii_alphanumeric());
    (is_digits && is_base).then(|| Part::InBase {
        digits: digits.trim_start_matches('0').to_ascii_uppercase(),
        base: base.to_lowercase(),
    })
}

/// Reads a text that holds words as its words.
fn words_of(normal: &str, tokens: &[Token]) -> Option<Part> {
    let holds = tokens
        .iter()
        .any(|token| matches!(token.sign, Sign::Words(_)));
    holds.then(|| Part::Words(plain_words(normal)))
}

/// Returns the words of a text in lower case, without articles and LaTeX's commands.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        if sign == '\\' {
            while signs.next_if(char::is_ascii_alphabetic).is_some() {}
            plain.push(' ');
        } else if sign.is_alphanumeric() {
            plain.extend(sign.to_lowercase());
        } else if !matches!(sign, '\'' | '’' | '.') {
            plain.push(' ');
        }
    }
    let words = plain.split_whitespace();
    words
        .filter(|word| !matches!(*word, "a" | "an" | "the"))
        .map(str::to_owned)
        .collect()
}

#[derive(Clone, Copy)]
struct Reader {
    reading: Reading,
    depth: usize,
}

impl Reader {
    fn descend(self) -> Option<Self> {
        let depth = self.depth + 1;
        (depth <= MAX_DEPTH).then_some(Self { depth, ..self })
    }

    fn parse_part(self, tokens: &[Token]) -> Option<Part> {
        let inner = self.descend()?;
        let tokens = strip_outer_groups(tokens);
        if tokens.is_empty() {
            return None;
        }
        let items = split(tokens, |sign| *sign == Sign::Comma);
        if items.len() > 1 {
            return inner.parse_list(&items);
        }
        if let Some(choice) = inner.parse_choice(tokens) {
            return Some(choice);
        }
        if let Some(words) = only_words(tokens) {
            return Some(words);
        }
        if let Some(part) = inner.parse_brackets(tokens) {
            return part;
        }
        if tokens.iter().any(|token| is_command(&token.sign, "pm")) {
            return inner.parse_both_signs(tokens);
        }
        if let Some(reals) = inner.parse_reals(tokens) {
            return reals;
        }
        let common = split(tokens, |sign| is_command(sign, "cap"));
        if common.len() > 1 {
            let parts: Option<Vec<Part>> =
                common.iter().map(|part| inner.parse_part(part)).collect();
            return Some(Part::Intersection(parts?));
        }
        let union_sides = split(tokens, |sign| is_command(sign, "cup"));
        if union_sides.len() > 1 {
            let parts: Option<Vec<Part>> = union_sides
                .iter()
                .map(|part| inner.parse_part(part))
                .collect();
            return Some(Part::Union(parts?));
        }
        let sides = split(tokens, |sign| matches!(sign, Sign::Relation(_)));
        if sides.len() > 1 {
            return inner.parse_relations(tokens, &sides);
        }
        inner.parse_quantity(tokens)
    }

    fn parse_list(self, items: &[&[Token]]) -> Option<Part> {
        let items: Vec<&&[Token]> = items.iter().filter(|item| !item.is_empty()).collect();
        if items.len() > MAX_PARTS {
            return None;
        }
        let mut parts = Vec::new();
        for item in items {
            match self.parse_part(item)? {
                Part::List(more) => parts.extend(more),
                one => parts.push(one),
            }
        }
        // `3, 4 and 5 cm`: a unit at the end is that of all.
        let shared_unit = match parts.last() {
            Some(Part::Quantity(last)) => last.unit.clone(),
            Some(_) | None => None,
        };
        for part in &mut parts {
            if let Part::Quantity(quantity) = part
                && quantity.unit.is_none()
            {
                quantity.unit.clone_from(&shared_unit);
            }
        }
        match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(Part::List(parts)),
        }
    }

    /// An option: `(B)`, `\text{(B)}`, and what stands behind it.
    fn parse_choice(self, tokens: &[Token]) -> Option<Part> {
        let (letter, rest) = match tokens {
            [first, rest @ ..] if let Sign::Words(words) = &first.sign => {
                let bare = words.trim_matches(['(', ')', '.', ' ', ':']);
                let has_brackets = bare.len() < words.trim().len();
                let letter = bare.chars().next().filter(|_| bare.chars().count() == 1)?;
                ((has_brackets || rest.is_empty()) && letter.is_ascii_uppercase())
                    .then_some((letter, rest))?
            }
            [open, letter, close, rest @ ..] => {
                let has_brackets = open.sign == Sign::Open(Bracket::Round)
                    && close.sign == Sign::Close(Bracket::Round);
                match letter.sign {
                    Sign::Letter(letter) if has_brackets && letter.is_ascii_uppercase() => {
                        (letter, rest)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        // `(A)+1` is no option.
        if rest.first().is_some_and(|token| !token.after_blank) {
            return None;
        }
        let behind = match rest.is_empty() {
            true => None,
            false => Some(Box::new(self.parse_part(rest)?)),
        };
        Some(Part::Choice(letter, behind))
    }

    /// What is in brackets as a whole: a set, a tuple, an interval, a matrix. `None` for all else.
    fn parse_brackets(self, tokens: &[Token]) -> Option<Option<Part>> {
        if let [first, .., last] = tokens
            && let (Sign::Begin(name), Sign::End) = (&first.sign, &last.sign)
        {
            return Some(self.parse_matrix(name, &tokens[1..tokens.len() - 1]));
        }
        if let [only] = tokens
            && is_command(&only.sign, "emptyset")
        {
            return Some(Some(Part::Set(Vec::new())));
        }
        let inner = strip_brackets(tokens)?;
        // Brackets around an array.
        if let [first, .., last] = inner
            && let (Sign::Begin(name), Sign::End) = (&first.sign, &last.sign)
        {
            return Some(self.parse_matrix(name, &inner[1..inner.len() - 1]));
        }
        let (Sign::Open(open), Sign::Close(close)) =
            (&tokens[0].sign, &tokens[tokens.len() - 1].sign)
        else {
            return None;
        };
        let items = split(inner, |sign| *sign == Sign::Comma);
        match (open, close) {
            // `\{x \mid x > 3\}`.
            (Bracket::Set, Bracket::Set) if set_builder(inner).is_some() => {
                Some(self.parse_part(set_builder(inner)?))
            }
            (Bracket::Set, Bracket::Set) if inner.is_empty() => Some(Some(Part::Set(Vec::new()))),
            (Bracket::Set, Bracket::Set) => Some(self.parse_parts(&items).map(|parts| {
                let flat = parts.into_iter().flat_map(|part| match part {
                    Part::List(parts) => parts,
                    one => vec![one],
                });
                Part::Set(flat.collect())
            })),
            (
                Bracket::Round | Bracket::Square | Bracket::Angle,
                Bracket::Round | Bracket::Square | Bracket::Angle,
            ) if items.len() > 1 => {
                if inner.iter().any(|token| is_command(&token.sign, "pm")) {
                    return None;
                }
                Some(self.parse_parts(&items).map(|parts| Part::Ordered {
                    open: *open,
                    close: *close,
                    parts,
                }))
            }
            _ => None,
        }
    }

    /// Reads the real numbers, and those without some.
    fn parse_reals(self, tokens: &[Token]) -> Option<Option<Part>> {
        let signs: Vec<&Sign> = tokens.iter().take(4).map(|token| &token.sign).collect();
        let letter = Sign::Letter('R');
        let length = match signs.as_slice() {
            [name, Sign::Open(Bracket::Group), named, Sign::Close(_), ..]
                if is_command(name, "mathbb") && **named == letter =>
            {
                4
            }
            [name, named, ..] if is_command(name, "mathbb") && **named == letter => 2,
            _ => return None,
        };
        let without = match &tokens[length..] {
            [] => Vec::new(),
            [sign, set @ ..]
                if sign.sign == Sign::Plain('-')
                    || is_command(&sign.sign, "setminus")
                    || is_command(&sign.sign, "backslash") =>
            {
                match self.parse_part(set) {
                    Some(Part::Set(parts)) => parts,
                    Some(_) | None => return Some(None),
                }
            }
            _ => return None,
        };
        Some(intervals_between(&without))
    }

    fn parse_parts(self, items: &[&[Token]]) -> Option<Vec<Part>> {
        if items.len() > MAX_PARTS {
            return None;
        }
        items.iter().map(|item| self.parse_part(item)).collect()
    }

    fn parse_matrix(self, name: &str, tokens: &[Token]) -> Option<Part> {
        let tokens = match (name, tokens) {
            (_, []) => return None,
            // The columns of an array: `{cc}`.
            ("array", [first, ..]) if first.sign == Sign::Open(Bracket::Group) => {
                let end = tokens
                    .iter()
                    .position(|token| token.sign == Sign::Close(Bracket::Group))?;
                &tokens[end + 1..]
            }
            _ if name.ends_with("matrix") => tokens,
            _ => return None,
        };
        let rows = split(tokens, |sign| *sign == Sign::NextRow);
        let rows = rows.iter().filter(|row| !row.is_empty());
        let cells = |row: &&[Token]| self.parse_parts(&split(row, |sign| *sign == Sign::NextCell));
        let rows: Option<Vec<Vec<Part>>> = rows.map(cells).collect();
        Some(Part::Matrix(rows.filter(|rows| rows.len() <= MAX_PARTS)?))
    }

    fn parse_both_signs(self, tokens: &[Token]) -> Option<Part> {
        let with = |plus: char, minus: char| {
            let tokens = tokens.iter().cloned().map(|mut token| {
                if is_command(&token.sign, "pm") {
                    token.sign = Sign::Plain(plus);
                } else if is_command(&token.sign, "mp") {
                    token.sign = Sign::Plain(minus);
                }
                token
            });
            self.parse_part(&tokens.collect::<Vec<_>>())
        };
        Some(Part::List(vec![with('+', '-')?, with('-', '+')?]))
    }

    fn parse_relations(self, tokens: &[Token], sides: &[&[Token]]) -> Option<Part> {
        let mut relations = split_signs(tokens);
        if relations.contains(&Relation::In) {
            return (relations.len() == 1).then(|| self.parse_part(sides[1]))?;
        }
        if relations
            .iter()
            .all(|relation| *relation == Relation::Equal)
        {
            return self.parse_equalities(sides);
        }
        let mut sides = sides.to_vec();
        if relations
            .iter()
            .all(|relation| matches!(relation, Relation::Greater | Relation::AtLeast))
        {
            sides.reverse();
            relations.reverse();
            for relation in &mut relations {
                *relation = match relation {
                    Relation::Greater => Relation::Less,
                    _ => Relation::AtMost,
                };
            }
        }
        if relations
            .iter()
            .all(|relation| matches!(relation, Relation::Less | Relation::AtMost))
            && let Some(interval) = self.parse_interval(&sides, &relations)
        {
            return Some(interval);
        }
        let ([left, right], [relation]) = (sides.as_slice(), relations.as_slice()) else {
            return None;
        };
        let kind = match relation {
            Relation::Less => Inequality::Below,
            Relation::AtMost => Inequality::NotAbove,
            Relation::NotEqual => Inequality::Unequal,
            Relation::Equal | Relation::Greater | Relation::AtLeast | Relation::In => return None,
        };
        Some(Part::Inequality(kind, parse_difference(left, right)?))
    }

    /// Reads inequalities about one letter as an interval.
    fn parse_interval(self, sides: &[&[Token]], relations: &[Relation]) -> Option<Part> {
        let open = |relation: Relation, bracket| match relation {
            Relation::Less => Bracket::Round,
            _ => bracket,
        };
        let infinite = |negative: bool| {
            let expression = match negative {
                true => Expression::Negative(Box::new(Expression::Infinity)),
                false => Expression::Infinity,
            };
            Part::Quantity(Quantity::from_expression(expression))
        };
        let is_variable = |side: &[Token]| matches!(parse_name(side), Some(Name::Variable(_)));
        let (low, high) = match (sides, relations) {
            ([low, middle, high], [from, to]) if is_variable(middle) => (
                (open(*from, Bracket::Square), self.parse_part(low)?),
                (open(*to, Bracket::Square), self.parse_part(high)?),
            ),
            ([middle, high], [to]) if is_variable(middle) => (
                (Bracket::Round, infinite(true)),
                (open(*to, Bracket::Square), self.parse_part(high)?),
            ),
            ([low, middle], [from]) if is_variable(middle) => (
                (open(*from, Bracket::Square), self.parse_part(low)?),
                (Bracket::Round, infinite(false)),
            ),
            _ => return None,
        };
        Some(Part::Ordered {
            open: low.0,
            close: high.0,
            parts: vec![low.1, high.1],
        })
    }

    fn parse_equalities(self, sides: &[&[Token]]) -> Option<Part> {
        let (first, last) = (*sides.first()?, *sides.last()?);
        let (named, value) = match (parse_name(first), parse_name(last)) {
            (Some(named), _) => (named, last),
            (None, Some(named)) if sides.len() == 2 => (named, first),
            (None, _) => {
                let [left, right] = sides else { return None };
                return self.parse_equation(left, right);
            }
        };
        let mut part = self.parse_part(value)?;
        match &mut part {
            Part::Quantity(quantity) => {
                // `x = 2 + 2 = 5` says two things.
                let between = sides.get(1..sides.len() - 1).unwrap_or_default();
                for side in between {
                    let (side, _) = split_unit(side, self.reading.letter_units);
                    let side = expression::parse(side)?;
                    if super::compare::same_expression(&side, &quantity.expression) != Some(true) {
                        return None;
                    }
                }
                quantity.name = Some(named);
            }
            Part::List(parts) => {
                for part in parts {
                    if let Part::Quantity(quantity) = part {
                        quantity.name = Some(named.clone());
                    }
                }
            }
            _ => {}
        }
        Some(part)
    }

    fn parse_equation(self, left: &[Token], right: &[Token]) -> Option<Part> {
        if is_named_tuple(left) {
            return self.parse_part(right);
        }
        let read = |side| {
            let (side, _) = split_unit(side, self.reading.letter_units);
            expression::parse(side)
        };
        let (left, right_read) = (read(left)?, read(right)?);
        let is_identity = super::compare::is_constant(&left)
            && super::compare::same_expression(&left, &right_read) == Some(true);
        match is_identity {
            // `2 + 3 = 5`.
            true => self.parse_part(right),
            false => Some(Part::Equation(left, right_read)),
        }
    }

    fn parse_quantity(self, tokens: &[Token]) -> Option<Part> {
        let (value, unit) = split_unit(tokens, self.reading.letter_units);
        let value = skip_approx(value);
        let ratio = split(value, |sign| *sign == Sign::Plain(':'));
        if ratio.len() > 1 {
            return Some(Part::Ratio(self.parse_parts(&ratio)?, unit));
        }
        if self.reading.commas == DigitCommas::Separate && value.iter().any(has_leading_zero) {
            return None;
        }
        Some(Part::Quantity(Quantity {
            unit,
            ..Quantity::from_expression(expression::parse(value)?)
        }))
    }
}

impl Quantity {
    fn from_expression(expression: Expression) -> Self {
        Self {
            name: None,
            expression,
            unit: None,
        }
    }
}

/// Returns the intervals that numbers leave of the real ones.
fn intervals_between(numbers: &[Part]) -> Option<Part> {
    let mut ends = Vec::new();
    for number in numbers {
        let Part::Quantity(quantity) = number else {
            return None;
        };
        let value = quantity.expression.evaluate(&|_| None)?;
        ends.push((value.re, quantity.expression.clone()));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut bounds = vec![Expression::Negative(Box::new(Expression::Infinity))];
    bounds.extend(ends.into_iter().map(|(_, end)| end));
    bounds.push(Expression::Infinity);
    let quantity = |end: &Expression| Part::Quantity(Quantity::from_expression(end.clone()));
    let mut intervals: Vec<Part> = bounds
        .windows(2)
        .map(|ends| Part::Ordered {
            open: Bracket::Round,
            close: Bracket::Round,
            parts: ends.iter().map(quantity).collect(),
        })
        .collect();
    match intervals.len() {
        1 => intervals.pop(),
        _ => Some(Part::Union(intervals)),
    }
}

fn has_leading_zero(token: &Token) -> bool {
    matches!(&token.sign, Sign::Number(digits) if digits.whole.len() > 1 && digits.whole.starts_with('0'))
}

/// Skips a sign that says that a number is rounded.
fn skip_approx(tokens: &[Token]) -> &[Token] {
    match tokens {
        [first, rest @ ..] if is_command(&first.sign, "approx") => rest,
        _ => tokens,
    }
}

fn parse_difference(left: &[Token], right: &[Token]) -> Option<Expression> {
    Some(subtract_expressions(
        expression::parse(left)?,
        expression::parse(right)?,
    ))
}

pub(super) fn subtract_expressions(left: Expression, right: Expression) -> Expression {
    Expression::Sum(
        Box::new(left),
        Box::new(Expression::Negative(Box::new(right))),
    )
}

/// Reads a name: up to three letters with indices, a function with its arguments, words.
fn parse_name(side: &[Token]) -> Option<Name> {
    let mut letters = 0;
    let mut variable = String::new();
    let mut rest = side;
    while let [first, after @ ..] = rest {
        match &first.sign {
            Sign::Letter(letter) => {
                letters += 1;
                variable.push(*letter);
            }
            Sign::Plain('_' | '\'') | Sign::Number(_)
                if letters > 0 && (first.sign != Sign::Plain('_') || !after.is_empty()) =>
            {
                // A number after a letter is its index, and nothing else.
                if matches!(first.sign, Sign::Number(_)) && !variable.ends_with('_') {
                    return None;
                }
                variable.push_str(match &first.sign {
                    Sign::Number(digits) => &digits.whole,
                    Sign::Plain('\'') => "'",
                    _ => "_",
                });
            }
            Sign::Open(Bracket::Group) if variable.ends_with('_') => {
                let end = after
                    .iter()
                    .position(|token| token.sign == Sign::Close(Bracket::Group))?;
                for token in &after[..end] {
                    variable.push_str(&expression::index_text(&token.sign));
                }
                rest = &after[end + 1..];
                continue;
            }
            // `f^{-1}(x)`.
            Sign::Plain('^') if letters == 1 => {
                let arguments = after
                    .iter()
                    .position(|token| token.sign == Sign::Open(Bracket::Round))?;
                let power = &after[..arguments];
                let is_power = power.len() == 1 || strip_brackets(power).is_some();
                return (is_power && strip_brackets(&after[arguments..]).is_some())
                    .then_some(Name::Other);
            }
            Sign::Open(Bracket::Round) if (1..=2).contains(&letters) => {
                return strip_brackets(rest).map(|_| Name::Other);
            }
            Sign::Words(_) if letters == 0 => return after.is_empty().then_some(Name::Other),
            Sign::Command(command) if letters <= 1 && is_figure(command) => {
                return Some(Name::Other);
            }
            _ => return None,
        }
        rest = after;
    }
    match letters {
        0 => None,
        1 => Some(Name::Variable(variable)),
        2..=MAX_NAME_LETTERS => Some(Name::Other),
        _ => None,
    }
}

/// Returns the condition of a set that is written as one: what stands behind `x |` or `x :`.
fn set_builder(inner: &[Token]) -> Option<&[Token]> {
    let at = inner
        .iter()
        .position(|token| matches!(token.sign, Sign::Plain('|' | ':')))?;
    let (named, condition) = inner.split_at(at);
    let variable_tokens = split(named, |sign| *sign == Sign::Relation(Relation::In))[0];
    let is_variable = matches!(parse_name(variable_tokens), Some(Name::Variable(_)));
    let relates = !split_signs(condition).is_empty();
    (is_variable && relates).then(|| &condition[1..])
}

fn is_figure(command: &str) -> bool {
    matches!(
        command,
        "angle" | "overline" | "triangle" | "measuredangle" | "widehat" | "vec" | "overrightarrow"
    )
}

/// Returns whether a side is `(x, y)`: names in brackets.
fn is_named_tuple(side: &[Token]) -> bool {
    strip_brackets(side).is_some_and(|inner| {
        let items = split(inner, |sign| *sign == Sign::Comma);
        items.len() > 1 && items.iter().all(|item| parse_name(item).is_some())
    })
}

fn only_words(tokens: &[Token]) -> Option<Part> {
    let mut words = Vec::new();
    for token in tokens {
        match &token.sign {
            Sign::Words(said) => words.extend(plain_words(said)),
            Sign::Plain('-' | '\'' | '.' | '!') => {}
            _ => return None,
        }
    }
    // `\text{12 cm}` is mathematics in a text command.
    let has_digits = words
        .iter()
        .any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    (!words.is_empty() && !has_digits).then_some(Part::Words(words))
}

fn is_command(sign: &Sign, name: &str) -> bool {
    matches!(sign, Sign::Command(command) if command == name)
}

/// Returns the tokens between a bracket at the beginning and the one at the end that closes it.
fn strip_brackets(tokens: &[Token]) -> Option<&[Token]> {
    let [first, .., last] = tokens else {
        return None;
    };
    let (Sign::Open(_), Sign::Close(_)) = (&first.sign, &last.sign) else {
        return None;
    };
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.sign {
            Sign::Open(_) => depth += 1,
            Sign::Close(_) => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && at + 1 < tokens.len() {
                    return None;
                }
            }
            _ => {}
        }
    }
    (depth == 0).then(|| &tokens[1..tokens.len() - 1])
}

fn strip_outer_groups(mut tokens: &[Token]) -> &[Token] {
    while let [first, ..] = tokens
        && first.sign == Sign::Open(Bracket::Group)
        && let Some(inner) = strip_brackets(tokens)
    {
        tokens = inner;
    }
    tokens
}

/// Splits tokens at signs outside of brackets, tables and bars of size.
fn split(tokens: &[Token], at: impl Fn(&Sign) -> bool) -> Vec<&[Token]> {
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, token) in tokens.iter().enumerate() {
        match &token.sign {
            Sign::Open(_) | Sign::Begin(_) => depth += 1,
            Sign::Close(_) | Sign::End => depth = depth.saturating_sub(1),
            sign if depth == 0 && at(sign) => {
                parts.push(&tokens[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

fn split_signs(tokens: &[Token]) -> Vec<Relation> {
    let mut depth = 0usize;
    let mut relations = Vec::new();
    for token in tokens {
        match &token.sign {
            Sign::Open(_) | Sign::Begin(_) => depth += 1,
            Sign::Close(_) | Sign::End => depth = depth.saturating_sub(1),
            Sign::Relation(relation) if depth == 0 => relations.push(*relation),
            _ => {}
        }
    }
    relations
}
