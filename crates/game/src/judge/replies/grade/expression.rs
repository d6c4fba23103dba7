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
    let read = parser.whole()?;
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

    fn eat(&mut self, sign: &Sign) -> bool {
        let found = self.peek() == Some(sign);
        self.at += usize::from(found);
        found
    }

    fn eat_plain(&mut self, sign: char) -> bool {
        self.eat(&Sign::Plain(sign))
    }

    /// Counts a place where a sign may join; `None` where there are too many.
    fn join(&mut self) -> Option<()> {
        self.joins += 1;
        (self.joins <= MAX_JOINS).then_some(())
    }

    fn is_command(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Sign::Command(command)) if command == name)
    }

    fn sum(&mut self) -> Option<E> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut sum = self.signed_product()?;
        loop {
            self.join()?;
            if self.eat_plain('+') {
                sum = E::Sum(Box::new(sum), Box::new(self.signed_product()?));
            } else if self.eat_plain('-') {
                let less = E::Negative(Box::new(self.signed_product()?));
                sum = E::Sum(Box::new(sum), Box::new(less));
            } else {
                self.depth -= 1;
                return Some(sum);
            }
        }
    }

    fn signed_product(&mut self) -> Option<E> {
        let mut negative = false;
        loop {
            if self.eat_plain('-') {
                negative = !negative;
            } else if !self.eat_plain('+') {
                break;
            }
        }
        let product = self.product()?;
        Some(match negative {
            true => E::Negative(Box::new(product)),
            false => product,
        })
    }

    fn product(&mut self) -> Option<E> {
        let mut product = self.factor()?;
        loop {
            self.join()?;
            if self.is_command("cdot") {
                self.at += 1;
                product = E::Product(Box::new(product), Box::new(self.signed_factor()?));
            } else if self.eat_plain('/') {
                product = E::Quotient(Box::new(product), Box::new(self.signed_factor()?));
            } else if self.begins_factor() {
                product = E::Product(Box::new(product), Box::new(self.factor()?));
            } else {
                return Some(product);
            }
        }
    }

    fn signed_factor(&mut self) -> Option<E> {
        match self.eat_plain('-') {
            true => Some(E::Negative(Box::new(self.factor()?))),
            false => self.factor(),
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

    fn factor(&mut self) -> Option<E> {
        let mut base = self.base()?;
        loop {
            self.join()?;
            if self.peek() == Some(&Sign::Plain('^')) {
                self.at += 1;
                if self.is_command("circ") {
                    self.at += 1;
                    base = E::Degrees(Box::new(base));
                    continue;
                }
                let power = self.power()?;
                base = E::Power(Box::new(base), Box::new(power));
            } else if self.eat_plain('!') {
                base = E::Factorial(Box::new(base));
            } else if self.eat_plain('%') {
                let hundred = E::whole(100);
                base = E::Quotient(Box::new(base), Box::new(hundred));
            } else {
                return Some(base);
            }
        }
    }

    /// Reads what stands raised: a group, or one sign with its own sign.
    fn power(&mut self) -> Option<E> {
        if self.peek() == Some(&Sign::Open(Bracket::Group)) {
            return self.group();
        }
        if self.eat_plain('-') {
            return Some(E::Negative(Box::new(self.base()?)));
        }
        self.one_sign()
    }

    /// Reads the argument of a command: a group, or one sign. A number is one sign with all of its
    /// digits, because `x^10` and `√12` are no LaTeX.
    fn one_sign(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Open(Bracket::Group) => self.group(),
            Sign::Number(number) => {
                self.at += 1;
                Some(E::Number(number.clone()))
            }
            _ => self.base(),
        }
    }

    fn group(&mut self) -> Option<E> {
        if !self.eat(&Sign::Open(Bracket::Group)) {
            return None;
        }
        let inner = self.whole()?;
        self.eat(&Sign::Close(Bracket::Group)).then_some(inner)
    }

    /// Reads all that a group or bracket holds: also TeX's `1 \over 2` and `5 \choose 2`.
    fn whole(&mut self) -> Option<E> {
        let top = self.sum()?;
        if self.is_command("over") {
            self.at += 1;
            return Some(E::Quotient(Box::new(top), Box::new(self.sum()?)));
        }
        if self.is_command("choose") {
            self.at += 1;
            return Some(E::Binomial(Box::new(top), Box::new(self.sum()?)));
        }
        Some(top)
    }

    fn enclosed(&mut self, bracket: Bracket) -> Option<E> {
        self.at += 1;
        let bars = std::mem::take(&mut self.open_bars);
        let inner = self.whole()?;
        self.open_bars = bars;
        self.eat(&Sign::Close(bracket)).then_some(inner)
    }

    fn base(&mut self) -> Option<E> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let base = self.base_within_depth()?;
        self.depth -= 1;
        Some(base)
    }

    fn base_within_depth(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Number(number) => {
                self.at += 1;
                self.number(number)
            }
            Sign::Letter(letter) => {
                self.at += 1;
                Some(self.variable(*letter))
            }
            Sign::Open(Bracket::Group) => self.enclosed(Bracket::Group),
            Sign::Open(bracket @ (Bracket::Round | Bracket::Square)) => self.enclosed(*bracket),
            Sign::Open(Bracket::Floor) => Some(function("floor", self.enclosed(Bracket::Floor)?)),
            Sign::Open(Bracket::Ceiling) => {
                Some(function("ceil", self.enclosed(Bracket::Ceiling)?))
            }
            Sign::Plain('|') => self.size(),
            Sign::Function(name) => {
                self.at += 1;
                self.function(name)
            }
            Sign::Command(name) => {
                self.at += 1;
                self.command(name)
            }
            _ => None,
        }
    }

    fn size(&mut self) -> Option<E> {
        self.at += 1;
        self.open_bars += 1;
        let inner = self.sum()?;
        self.open_bars -= 1;
        self.eat_plain('|').then(|| function("abs", inner))
    }

    /// A number, or a mixed one: `3\frac{1}{2}`, `3 1/2`.
    fn number(&mut self, number: &Digits) -> Option<E> {
        let whole = E::Number(number.clone());
        if !number.decimals.is_empty() || !number.repeating.is_empty() {
            return Some(whole);
        }
        let start = self.at;
        let fraction = if self.is_command("frac") {
            self.at += 1;
            self.group().zip(self.group())
        } else {
            self.plain_fraction()
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
    fn plain_fraction(&mut self) -> Option<(E, E)> {
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
    fn variable(&mut self, letter: char) -> E {
        let mut name = letter.to_string();
        if self.eat_plain('_') {
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
        while self.eat_plain('\'') {
            name.push('\'');
        }
        match name.as_str() {
            "e" => E::Euler,
            "i" => E::Imaginary,
            _ => E::Variable(name),
        }
    }

    fn command(&mut self, name: &str) -> Option<E> {
        match name {
            "pi" => Some(E::Pi),
            "infty" => Some(E::Infinity),
            "frac" => {
                let (top, bottom) = (self.group()?, self.group()?);
                Some(E::Quotient(Box::new(top), Box::new(bottom)))
            }
            "binom" => {
                let (of, chosen) = (self.group()?, self.group()?);
                Some(E::Binomial(Box::new(of), Box::new(chosen)))
            }
            "sqrt" => {
                let degree = match self.peek() {
                    Some(Sign::Open(Bracket::Square)) => self.enclosed(Bracket::Square)?,
                    Some(_) | None => E::whole(2),
                };
                let of = self.one_sign()?;
                Some(E::Root(Box::new(degree), Box::new(of)))
            }
            _ => None,
        }
    }

    fn function(&mut self, name: &str) -> Option<E> {
        if name == "sqrt" || name == "cbrt" {
            let degree = E::whole(if name == "sqrt" { 2 } else { 3 });
            let of = self.one_sign()?;
            return Some(E::Root(Box::new(degree), Box::new(of)));
        }
        let mut power = None;
        let mut base = None;
        loop {
            if power.is_none() && self.eat_plain('^') {
                power = Some(self.power()?);
            } else if base.is_none() && self.eat_plain('_') {
                base = Some(self.one_sign()?);
            } else {
                break;
            }
        }
        let argument = self.argument()?;
        let inverse = E::Negative(Box::new(E::whole(1)));
        let (name, power) = match (power, name) {
            (Some(power), "sin" | "cos" | "tan") if power == inverse => {
                (format!("arc{name}"), None)
            }
            (power, _) => (name.to_owned(), power),
        };
        let applied = match (name.as_str(), base) {
            ("log", Some(base)) => E::Logarithm(Box::new(base), Box::new(argument)),
            (_, Some(_)) => return None,
            (_, None) => function(&name, argument),
        };
        Some(match power {
            Some(power) => E::Power(Box::new(applied), Box::new(power)),
            None => applied,
        })
    }

    /// The argument of a function: what stands in brackets, or factors up to the next sign or
    /// function.
    fn argument(&mut self) -> Option<E> {
        match self.peek()? {
            Sign::Open(bracket @ (Bracket::Round | Bracket::Square | Bracket::Group)) => {
                self.enclosed(*bracket)
            }
            _ => {
                let mut product = self.signed_factor()?;
                while self.begins_factor()
                    && !matches!(
                        self.peek(),
                        Some(Sign::Function(_) | Sign::Open(_) | Sign::Plain('|'))
                    )
                {
                    self.join()?;
                    product = E::Product(Box::new(product), Box::new(self.factor()?));
                }
                // `\ln x/2` is read as the half of a logarithm by nobody and by everybody.
                Some(product)
            }
        }
    }
}

fn function(name: &str, of: E) -> E {
    E::Function(name.to_owned(), Box::new(of))
}

fn digits(whole: &str) -> Digits {
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
    pub(super) fn whole(number: u32) -> Self {
        E::Number(digits(&number.to_string()))
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
    pub(super) fn has_size(&self) -> bool {
        match self {
            E::Function(name, of) => name == "abs" || of.has_size(),
            E::Variable(_)
            | E::Number(_)
            | E::Constant(_)
            | E::Pi
            | E::Euler
            | E::Imaginary
            | E::Infinity => false,
            E::Negative(a) | E::Factorial(a) | E::Degrees(a) => a.has_size(),
            E::Sum(a, b)
            | E::Product(a, b)
            | E::Quotient(a, b)
            | E::Power(a, b)
            | E::Root(a, b)
            | E::Logarithm(a, b)
            | E::Binomial(a, b) => a.has_size() || b.has_size(),
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
    pub(super) fn decimals(&self) -> Option<u32> {
        match self {
            E::Number(digits) if !digits.decimals.is_empty() && digits.repeating.is_empty() => {
                u32::try_from(digits.decimals.len()).ok()
            }
            E::Negative(of) => of.decimals(),
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
    pub(super) fn value(&self, variable: &impl Fn(&str) -> Option<Value>) -> Option<Value> {
        let of = |a: &Self| a.value(variable);
        let found = match self {
            E::Number(digits) => digits.value()?,
            E::Constant(number) => Value::real(*number),
            E::Pi => Value::real(std::f64::consts::PI),
            E::Euler => Value::real(std::f64::consts::E),
            E::Imaginary => Value::complex(0.0, 1.0),
            E::Infinity => Value::real(f64::INFINITY),
            E::Variable(name) => variable(name)?,
            E::Negative(a) => of(a)?.negated(),
            E::Sum(a, b) => of(a)?.plus(of(b)?),
            E::Product(a, b) => of(a)?.times(of(b)?),
            E::Quotient(a, b) => of(a)?.over(of(b)?)?,
            E::Power(a, b) if **a == E::Euler => of(b)?.exp(),
            E::Power(a, b) => of(a)?.to_power(of(b)?)?,
            E::Root(degree, a) => of(a)?.root(of(degree)?)?,
            E::Logarithm(base, a) => of(a)?.ln()?.over(of(base)?.ln()?)?,
            E::Binomial(a, b) => of(a)?.choose(of(b)?)?,
            E::Factorial(a) => of(a)?.factorial()?,
            E::Degrees(a) => of(a)?.times(Value::real(std::f64::consts::PI / 180.0)),
            E::Function(name, a) => apply(name, of(a)?)?,
        };
        (!found.re.is_nan() && !found.im.is_nan()).then_some(found)
    }
}

impl Digits {
    pub(super) fn value(&self) -> Option<Value> {
        let ten = |places: usize| Value::whole(10).to_power(Value::whole(places as i64));
        let whole = Value::of_digits(&self.whole);
        let decimals = Value::of_digits(&self.decimals).over(ten(self.decimals.len())?);
        let mut value = match self.decimals.is_empty() {
            true => whole,
            false => whole.plus(decimals?),
        };
        if !self.repeating.is_empty() {
            let nines = ten(self.repeating.len())?.minus(Value::whole(1));
            let repeated = Value::of_digits(&self.repeating).over(nines)?;
            value = value.plus(repeated.over(ten(self.decimals.len())?)?);
        }
        Some(value)
    }
}

fn apply(name: &str, of: Value) -> Option<Value> {
    match name {
        "exp" => return Some(of.exp()),
        "ln" => return of.ln(),
        "log" => return of.ln()?.over(Value::whole(10).ln()?),
        "abs" => return Some(of.size()),
        "cis" => return Some(Value::complex(of.re.cos(), of.re.sin())),
        _ => {}
    }
    if !of.is_real() {
        return None;
    }
    let x = of.re;
    let found = match name {
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
        "floor" => return Some(rounded(x.floor())),
        "ceil" => return Some(rounded(x.ceil())),
        _ => return None,
    };
    found.is_finite().then(|| Value::real(found))
}

fn rounded(number: f64) -> Value {
    match number.abs() < 9e15 {
        true => Value::whole(number as i64),
        false => Value::real(number),
    }
}
