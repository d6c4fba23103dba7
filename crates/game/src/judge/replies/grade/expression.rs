//! Expressions: tokens as trees, and their values with variables at fixed points.

use super::tokens::{Bracket, Digits, Sign, Token};
use super::value::Value;
use std::collections::BTreeSet;

/// Deepest nesting of an expression that is read.
const MAX_DEPTH: usize = 96;
/// Most places of an expression where a sign may join others; each may be a level of the tree.
const MAX_JOINS: usize = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Number(Digits),
    /// A number that is not written.
    Constant(f64),
    Pi,
    Euler,
    Imaginary,
    Infinity,
    Variable(String),
    Negative(Box<Expression>),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Quotient(Box<Expression>, Box<Expression>),
    Power(Box<Expression>, Box<Expression>),
    /// Degree, then radicand.
    Root(Box<Expression>, Box<Expression>),
    /// Base, then argument.
    Logarithm(Box<Expression>, Box<Expression>),
    Binomial(Box<Expression>, Box<Expression>),
    Factorial(Box<Expression>),
    /// An angle in degrees.
    Degrees(Box<Expression>),
    Function(String, Box<Expression>),
}

use Expression as E;

/// Reads all of some tokens as one expression.
pub(super) fn parse(tokens: &[Token]) -> Option<Expression> {
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        open_bars: 0,
        joins: 0,
    };
    let read = parser.parse_whole()?;
    (parser.at == tokens.len()).then_some(read)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    open_bars: usize,
    joins: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Sign> {
        self.tokens.get(self.at).map(|token| &token.sign)
    }

    fn next(&mut self) -> Option<&'a Sign> {
        let sign = self.peek();
        self.at += 1;
        sign
    }

    fn accept(&mut self, sign: &Sign) -> bool {
        let is_next = self.peek() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn accept_plain(&mut self, sign: char) -> bool {
        self.accept(&Sign::Plain(sign))
    }

    /// Counts a place where a sign may join; `None` where there are too many.
    fn count_join(&mut self) -> Option<()> {
        self.joins += 1;
        (self.joins <= MAX_JOINS).then_some(())
    }

    fn is_command(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Sign::Command(command)) if command == name)
    }

    fn parse_sum(&mut self) -> Option<E> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut sum = self.parse_signed_product()?;
        loop {
            self.count_join()?;
            if self.accept_plain('+') {
                sum = E::Sum(Box::new(sum), Box::new(self.parse_signed_product()?));
            } else if self.accept_plain('-') {
                let less = E::Negative(Box::new(self.parse_signed_product()?));
                sum = E::Sum(Box::new(sum), Box::new(less));
            } else {
                self.depth -= 1;
                return Some(sum);
            }
        }
    }

    fn parse_signed_product(&mut self) -> Option<E> {
        let mut negative = false;
        loop {
            if self.accept_plain('-') {
                negative = !negative;
            } else if !self.accept_plain('+') {
                break;
            }
        }
        let product = self.parse_product()?;
        Some(match negative {
            true => E::Negative(Box::new(product)),
            false => product,
        })
    }

    fn parse_product(&mut self) -> Option<E> {
        let mut product = self.parse_factor()?;
        loop {
            self.count_join()?;
            if self.is_command("cdot") {
                self.at += 1;
                product = E::Product(Box::new(product), Box::new(self.parse_signed_factor()?));
            } else if self.accept_plain('/') {
                product = E::Quotient(Box::new(product), Box::new(self.parse_signed_factor()?));
            } else if self.begins_factor() {
                product = E::Product(Box::new(product), Box::new(self.parse_factor()?));
            } else {
                return Some(product);
            }
        }
    }

    fn parse_signed_factor(&mut self) -> Option<E> {
        match self.accept_plain('-') {
            true => Some(E::Negative(Box::new(self.parse_factor()?))),
            false => self.parse_factor(),
        }
    }

    /// Returns whether a factor follows without a sign between. Numbers do so after brackets alone.
    fn begins_factor(&self) -> bool {
        match self.peek() {
            Some(Sign::Letter(_) | Sign::Function(_)) => true,
            Some(Sign::Command(name)) => {
                matches!(name.as_str(), "frac" | "sqrt" | "pi" | "binom" | "infty")
            }
            Some(Sign::Open(
                Bracket::Round
                | Bracket::Square
                | Bracket::Group
                | Bracket::Floor
                | Bracket::Ceiling,
            )) => true,
            Some(Sign::Plain('|')) => self.open_bars == 0,
            Some(Sign::Number(_)) => matches!(
                self.at.checked_sub(1).and_then(|at| self.tokens.get(at)),
                Some(Token {
                    sign: Sign::Close(Bracket::Round | Bracket::Group),
                    ..
                })
            ),
            Some(_) | None => false,
        }
    }

    fn parse_factor(&mut self) -> Option<E> {
        let mut base = self.parse_base()?;
        loop {
            self.count_join()?;
            if self.peek() == Some(&Sign::Plain('^')) {
                self.at += 1;
                if self.is_command("circ") {
                    self.at += 1;
                    base = E::Degrees(Box::new(base));
                    continue;
                }
                let power = self.parse_power()?;
                base = E::Power(Box::new(base), Box::new(power));
            } else if self.accept_plain('!') {
                base = E::Factorial(Box::new(base));
            } else if self.accept_plain('%') {
                let hundred = E::from_whole(100);
                base = E::Quotient(Box::new(base), Box::new(hundred));
            } else {
                return Some(base);
            }
        }
    }

    /// Reads what stands raised: a group, or one sign with its own sign.
    fn parse_power(&mut self) -> Option<E> {
        if self.peek() == Some(&Sign::Open(Bracket::Group)) {
            return self.parse_group();
        }
        if self.accept_plain('-') {
            return Some(E::Negative(Box::new(self.parse_base()?)));
        }
        self.parse_one_sign()
    }

    /// Reads the argument of a command: a group, or one sign. A number is one sign with all of its
    /// digits, because `x^10` and `√12` are no LaTeX.
    fn parse_one_sign(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Open(Bracket::Group) => self.parse_group(),
            Sign::Number(number) => {
                self.at += 1;
                Some(E::Number(number.clone()))
            }
            _ => self.parse_base(),
        }
    }

    fn parse_group(&mut self) -> Option<E> {
        if !self.accept(&Sign::Open(Bracket::Group)) {
            return None;
        }
        let inner = self.parse_whole()?;
        self.accept(&Sign::Close(Bracket::Group)).then_some(inner)
    }

    /// Reads all that a group or bracket holds: also TeX's `1 \over 2` and `5 \choose 2`.
    fn parse_whole(&mut self) -> Option<E> {
        let top = self.parse_sum()?;
        if self.is_command("over") {
            self.at += 1;
            return Some(E::Quotient(Box::new(top), Box::new(self.parse_sum()?)));
        }
        if self.is_command("choose") {
            self.at += 1;
            return Some(E::Binomial(Box::new(top), Box::new(self.parse_sum()?)));
        }
        Some(top)
    }

    fn parse_brackets(&mut self, bracket: Bracket) -> Option<E> {
        self.at += 1;
        let bars = std::mem::take(&mut self.open_bars);
        let inner = self.parse_whole()?;
        self.open_bars = bars;
        self.accept(&Sign::Close(bracket)).then_some(inner)
    }

    fn parse_base(&mut self) -> Option<E> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let base = self.parse_base_within_depth()?;
        self.depth -= 1;
        Some(base)
    }

    fn parse_base_within_depth(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Number(number) => {
                self.at += 1;
                self.parse_number(number)
            }
            Sign::Letter(letter) => {
                self.at += 1;
                Some(self.parse_variable(*letter))
            }
            Sign::Open(Bracket::Group) => self.parse_brackets(Bracket::Group),
            Sign::Open(bracket @ (Bracket::Round | Bracket::Square)) => {
                self.parse_brackets(*bracket)
            }
            Sign::Open(Bracket::Floor) => {
                Some(function_call("floor", self.parse_brackets(Bracket::Floor)?))
            }
            Sign::Open(Bracket::Ceiling) => Some(function_call(
                "ceil",
                self.parse_brackets(Bracket::Ceiling)?,
            )),
            Sign::Plain('|') => self.parse_absolute_value(),
            Sign::Function(name) => {
                self.at += 1;
                self.parse_function(name)
            }
            Sign::Command(name) => {
                self.at += 1;
                self.parse_command(name)
            }
            _ => None,
        }
    }

    fn parse_absolute_value(&mut self) -> Option<E> {
        self.at += 1;
        self.open_bars += 1;
        let inner = self.parse_sum()?;
        self.open_bars -= 1;
        self.accept_plain('|').then(|| function_call("abs", inner))
    }

    /// A number, or a mixed one: `3\frac{1}{2}`, `3 1/2`.
    fn parse_number(&mut self, number: &Digits) -> Option<E> {
        let whole = E::Number(number.clone());
        if !number.decimals.is_empty() || !number.repeating.is_empty() {
            return Some(whole);
        }
        let start = self.at;
        let fraction = if self.is_command("frac") {
            self.at += 1;
            self.parse_group().zip(self.parse_group())
        } else {
            self.parse_plain_fraction()
        };
        match fraction {
            Some((top, bottom)) if is_whole(&top) && is_whole(&bottom) => {
                let fraction = E::Quotient(Box::new(top), Box::new(bottom));
                Some(E::Sum(Box::new(whole), Box::new(fraction)))
            }
            _ => {
                self.at = start;
                Some(whole)
            }
        }
    }

    /// `1/2` after a blank.
    fn parse_plain_fraction(&mut self) -> Option<(E, E)> {
        let signs = self.tokens.get(self.at..self.at + 3)?;
        match (&signs[0], &signs[1].sign, &signs[2].sign) {
            (
                Token {
                    sign: Sign::Number(top),
                    after_blank: true,
                },
                Sign::Plain('/'),
                Sign::Number(bottom),
            ) => {
                self.at += 3;
                Some((E::Number(top.clone()), E::Number(bottom.clone())))
            }
            _ => None,
        }
    }

    /// A variable with its index, or a constant.
    fn parse_variable(&mut self, letter: char) -> E {
        let mut name = letter.to_string();
        if self.accept_plain('_') {
            name.push('_');
            match self.peek() {
                Some(Sign::Open(Bracket::Group)) => {
                    while let Some(sign) = self.next() {
                        if *sign == Sign::Close(Bracket::Group) {
                            break;
                        }
                        name.push_str(&index_text(sign));
                    }
                }
                Some(sign) => {
                    self.at += 1;
                    name.push_str(&index_text(sign));
                }
                None => {}
            }
        }
        while self.accept_plain('\'') {
            name.push('\'');
        }
        match name.as_str() {
            "e" => E::Euler,
            "i" => E::Imaginary,
            _ => E::Variable(name),
        }
    }

    fn parse_command(&mut self, name: &str) -> Option<E> {
        match name {
            "pi" => Some(E::Pi),
            "infty" => Some(E::Infinity),
            "frac" => {
                let (top, bottom) = (self.parse_group()?, self.parse_group()?);
                Some(E::Quotient(Box::new(top), Box::new(bottom)))
            }
            "binom" => {
                let (of, chosen) = (self.parse_group()?, self.parse_group()?);
                Some(E::Binomial(Box::new(of), Box::new(chosen)))
            }
            "sqrt" => {
                let degree = match self.peek() {
                    Some(Sign::Open(Bracket::Square)) => self.parse_brackets(Bracket::Square)?,
                    Some(_) | None => E::from_whole(2),
                };
                let of = self.parse_one_sign()?;
                Some(E::Root(Box::new(degree), Box::new(of)))
            }
            _ => None,
        }
    }

    fn parse_function(&mut self, name: &str) -> Option<E> {
        if name == "sqrt" || name == "cbrt" {
            let degree = E::from_whole(if name == "sqrt" { 2 } else { 3 });
            let of = self.parse_one_sign()?;
            return Some(E::Root(Box::new(degree), Box::new(of)));
        }
        let mut power = None;
        let mut base = None;
        loop {
            if power.is_none() && self.accept_plain('^') {
                power = Some(self.parse_power()?);
            } else if base.is_none() && self.accept_plain('_') {
                base = Some(self.parse_one_sign()?);
            } else {
                break;
            }
        }
        let argument = self.parse_argument()?;
        let inverse = E::Negative(Box::new(E::from_whole(1)));
        let (name, power) = match (power, name) {
            (Some(power), "sin" | "cos" | "tan") if power == inverse => {
                (format!("arc{name}"), None)
            }
            (power, _) => (name.to_owned(), power),
        };
        let call = match (name.as_str(), base) {
            ("log", Some(base)) => E::Logarithm(Box::new(base), Box::new(argument)),
            (_, Some(_)) => return None,
            (_, None) => function_call(&name, argument),
        };
        Some(match power {
            Some(power) => E::Power(Box::new(call), Box::new(power)),
            None => call,
        })
    }

    /// The argument of a function: what stands in brackets, or factors up to the next sign or
    /// function.
    fn parse_argument(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Open(bracket @ (Bracket::Round | Bracket::Square | Bracket::Group)) => {
                self.parse_brackets(*bracket)
            }
            _ => {
                let mut product = self.parse_signed_factor()?;
                while self.begins_factor()
                    && !matches!(
                        self.peek(),
                        Some(Sign::Function(_) | Sign::Open(_) | Sign::Plain('|'))
                    )
                {
                    self.count_join()?;
                    product = E::Product(Box::new(product), Box::new(self.parse_factor()?));
                }
                // `\ln x/2` is read as the half of a logarithm by nobody and by everybody.
                Some(product)
            }
        }
    }
}

fn function_call(name: &str, of: E) -> E {
    E::Function(name.to_owned(), Box::new(of))
}

fn whole_digits(whole: &str) -> Digits {
    Digits {
        whole: whole.to_owned(),
        ..Digits::default()
    }
}

fn is_whole(expression: &E) -> bool {
    matches!(expression, E::Number(digits) if digits.decimals.is_empty() && digits.repeating.is_empty())
}

/// Returns the text of a token of an index.
pub(super) fn index_text(sign: &Sign) -> String {
    match sign {
        Sign::Number(digits) => digits.whole.clone(),
        Sign::Letter(letter) => letter.to_string(),
        Sign::Words(words) | Sign::Command(words) | Sign::Function(words) => words.clone(),
        Sign::Plain(sign) => sign.to_string(),
        Sign::Comma => ",".to_owned(),
        Sign::Relation(_)
        | Sign::Open(_)
        | Sign::Close(_)
        | Sign::NextCell
        | Sign::NextRow
        | Sign::Begin(_)
        | Sign::End => String::new(),
    }
}

impl Expression {
    pub(super) fn from_whole(number: u32) -> Self {
        E::Number(whole_digits(&number.to_string()))
    }

    /// Adds the names of all variables.
    pub(super) fn collect_variables(&self, into: &mut BTreeSet<String>) {
        match self {
            E::Variable(name) => {
                into.insert(name.clone());
            }
            E::Number(_) | E::Constant(_) | E::Pi | E::Euler | E::Imaginary | E::Infinity => {}
            E::Negative(a) | E::Factorial(a) | E::Degrees(a) | E::Function(_, a) => {
                a.collect_variables(into);
            }
            E::Sum(a, b)
            | E::Product(a, b)
            | E::Quotient(a, b)
            | E::Power(a, b)
            | E::Root(a, b)
            | E::Logarithm(a, b)
            | E::Binomial(a, b) => {
                a.collect_variables(into);
                b.collect_variables(into);
            }
        }
    }

    /// Returns whether the expression tells a number from its size.
    pub(super) fn has_absolute_value(&self) -> bool {
        match self {
            E::Function(name, of) => name == "abs" || of.has_absolute_value(),
            E::Variable(_)
            | E::Number(_)
            | E::Constant(_)
            | E::Pi
            | E::Euler
            | E::Imaginary
            | E::Infinity => false,
            E::Negative(a) | E::Factorial(a) | E::Degrees(a) => a.has_absolute_value(),
            E::Sum(a, b)
            | E::Product(a, b)
            | E::Quotient(a, b)
            | E::Power(a, b)
            | E::Root(a, b)
            | E::Logarithm(a, b)
            | E::Binomial(a, b) => a.has_absolute_value() || b.has_absolute_value(),
        }
    }

    /// Returns whether it is made of letters alone, without a number: `a + b`, `xyz`.
    pub(super) fn is_of_letters(&self) -> bool {
        match self {
            E::Variable(_) => true,
            E::Negative(of) => of.is_of_letters(),
            E::Sum(a, b) | E::Product(a, b) | E::Quotient(a, b) => {
                a.is_of_letters() && b.is_of_letters()
            }
            _ => false,
        }
    }

    /// Returns whether digits, a sign and a fraction bar are all that is written.
    pub(super) fn is_written_number(&self) -> bool {
        match self {
            E::Number(_) => true,
            E::Negative(of) => of.is_written_number(),
            E::Quotient(top, bottom) | E::Sum(top, bottom) => {
                top.is_written_number() && bottom.is_written_number()
            }
            _ => false,
        }
    }

    /// Returns the decimals of a number that is written as one, with or without a sign.
    pub(super) fn count_decimals(&self) -> Option<u32> {
        match self {
            E::Number(digits) if !digits.decimals.is_empty() && digits.repeating.is_empty() => {
                u32::try_from(digits.decimals.len()).ok()
            }
            E::Negative(of) => of.count_decimals(),
            _ => None,
        }
    }

    /// Returns the digits of a whole number that is written as such.
    pub(super) fn written_digits(&self) -> Option<&String> {
        match self {
            E::Number(digits) if digits.decimals.is_empty() && digits.repeating.is_empty() => {
                Some(&digits.whole)
            }
            _ => None,
        }
    }

    /// Returns whether the decimals of the written number go on.
    pub(super) fn goes_on(&self) -> bool {
        match self {
            E::Number(digits) => digits.goes_on,
            E::Negative(of) => of.goes_on(),
            _ => false,
        }
    }

    /// Returns the value, with variables as given; `None` where there is none.
    pub(super) fn evaluate(&self, variable: &impl Fn(&str) -> Option<Value>) -> Option<Value> {
        let of = |a: &Self| a.evaluate(variable);
        let result = match self {
            E::Number(digits) => digits.to_value()?,
            E::Constant(number) => Value::real(*number),
            E::Pi => Value::real(std::f64::consts::PI),
            E::Euler => Value::real(std::f64::consts::E),
            E::Imaginary => Value::complex(0.0, 1.0),
            E::Infinity => Value::real(f64::INFINITY),
            E::Variable(name) => variable(name)?,
            E::Negative(a) => of(a)?.negate(),
            E::Sum(a, b) => of(a)?.plus(of(b)?),
            E::Product(a, b) => of(a)?.times(of(b)?),
            E::Quotient(a, b) => of(a)?.divide_by(of(b)?)?,
            E::Power(a, b) if **a == E::Euler => of(b)?.exp(),
            E::Power(a, b) => of(a)?.to_power(of(b)?)?,
            E::Root(degree, a) => of(a)?.root(of(degree)?)?,
            E::Logarithm(base, a) => of(a)?.ln()?.divide_by(of(base)?.ln()?)?,
            E::Binomial(a, b) => of(a)?.binomial(of(b)?)?,
            E::Factorial(a) => of(a)?.factorial()?,
            E::Degrees(a) => of(a)?.times(Value::real(std::f64::consts::PI / 180.0)),
            E::Function(name, a) => apply_function(name, of(a)?)?,
        };
        (!result.re.is_nan() && !result.im.is_nan()).then_some(result)
    }
}

impl Digits {
    pub(super) fn to_value(&self) -> Option<Value> {
        let ten = |places: usize| Value::whole(10).to_power(Value::whole(places as i64));
        let whole = Value::from_digits(&self.whole);
        let decimals = Value::from_digits(&self.decimals).divide_by(ten(self.decimals.len())?);
        let mut value = match self.decimals.is_empty() {
            true => whole,
            false => whole.plus(decimals?),
        };
        if !self.repeating.is_empty() {
            let nines = ten(self.repeating.len())?.minus(Value::whole(1));
            let repeating_part = Value::from_digits(&self.repeating).divide_by(nines)?;
            value = value.plus(repeating_part.divide_by(ten(self.decimals.len())?)?);
        }
        Some(value)
    }
}

fn apply_function(name: &str, of: Value) -> Option<Value> {
    match name {
        "exp" => return Some(of.exp()),
        "ln" => return of.ln(),
        "log" => return of.ln()?.divide_by(Value::whole(10).ln()?),
        "abs" => return Some(of.absolute_value()),
        "cis" => return Some(Value::complex(of.re.cos(), of.re.sin())),
        _ => {}
    }
    if !of.is_real() {
        return None;
    }
    let x = of.re;
    let result = match name {
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "cot" => 1.0 / x.tan(),
        "sec" => 1.0 / x.cos(),
        "csc" => 1.0 / x.sin(),
        "arcsin" => x.asin(),
        "arccos" => x.acos(),
        "arctan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "floor" => return Some(whole_or_real(x.floor())),
        "ceil" => return Some(whole_or_real(x.ceil())),
        _ => return None,
    };
    result.is_finite().then(|| Value::real(result))
}

fn whole_or_real(number: f64) -> Value {
    match number.abs() < 9e15 {
        true => Value::whole(number as i64),
        false => Value::real(number),
    }
}
