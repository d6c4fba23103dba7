//! Tokens of a normal form: numbers, letters, functions, words, brackets and signs.

use super::normal_form::{GROUPING, NARROW_BLANK, command_name, strip_braces};
use crate::judge::lexicon::{MATH, UNITS};
use std::iter::Peekable;
use std::str::CharIndices;

/// Most tokens of an answer that is compared.
const MAX_TOKENS: usize = 2_000;
/// Fewest letters of a run of letters that is a word and no product of variables.
const MIN_WORD_LETTERS: usize = 4;

/// A token, and whether a blank stands before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub sign: Sign,
    pub after_blank: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sign {
    Number(Digits),
    /// A variable or constant of one letter, by its Unicode letter.
    Letter(char),
    Function(String),
    /// Words, of a text command or of the text itself.
    Words(String),
    /// A command that is none of the others, as `frac` and `pi`.
    Command(String),
    /// `and`, `or`, a comma, a semicolon.
    Comma,
    Relation(Relation),
    Open(Bracket),
    Close(Bracket),
    /// `&` of a table.
    NextCell,
    /// `\\` of a table.
    NextRow,
    Begin(String),
    End,
    /// Any other sign: `+ - / ^ _ ! % | : '` and currencies.
    Plain(char),
}

/// Digits as written: whole part, decimals, and decimals that repeat.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Digits {
    pub whole: String,
    pub decimals: String,
    pub repeating: String,
    /// Commas or blanks group the digits.
    pub grouped: bool,
    /// Dots say that more decimals follow.
    pub goes_on: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    /// Braces that group in LaTeX.
    Group,
    /// `\{ \}`.
    Set,
    Angle,
    Floor,
    Ceiling,
}

/// Meaning of a comma between digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DigitCommas {
    Group,
    Separate,
}

/// Cuts a normal form into tokens; `None` where it is too long or its braces do not close.
pub(super) fn tokenize(text: &str, commas: DigitCommas) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        text,
        signs: text.char_indices().peekable(),
        tokens: Vec::new(),
        commas,
        depth: 0,
        after_blank: false,
    };
    while let Some(&(at, sign)) = lexer.signs.peek() {
        if lexer.tokens.len() >= MAX_TOKENS {
            return None;
        }
        lexer.lex_token(at, sign)?;
    }
    Some(lexer.tokens)
}

struct Lexer<'a> {
    text: &'a str,
    signs: Peekable<CharIndices<'a>>,
    tokens: Vec<Token>,
    commas: DigitCommas,
    /// Open brackets in which commas separate.
    depth: usize,
    after_blank: bool,
}

impl<'a> Lexer<'a> {
    fn push_sign(&mut self, sign: Sign) {
        let after_blank = std::mem::take(&mut self.after_blank);
        self.tokens.push(Token { sign, after_blank });
    }

    fn skip_to(&mut self, end: usize) {
        while self.signs.next_if(|(at, _)| *at < end).is_some() {}
    }

    fn lex_token(&mut self, at: usize, sign: char) -> Option<()> {
        match sign {
            c if c.is_whitespace() => {
                self.after_blank = true;
                self.signs.next();
            }
            '0'..='9' => self.lex_number(at),
            '.' if self.digit_at(at + 1) => self.lex_number(at),
            '\\' => self.lex_command(at)?,
            c if c.is_alphabetic() => self.lex_letters(at),
            _ => {
                self.signs.next();
                self.lex_plain(sign);
            }
        }
        Some(())
    }

    fn lex_plain(&mut self, sign: char) {
        let double = matches!(
            (sign, self.signs.peek()),
            ('<' | '>' | '!' | '=', Some((_, '='))) | ('*', Some((_, '*')))
        );
        if double {
            self.signs.next();
        }
        let sign = match (sign, double) {
            ('<', false) => Sign::Relation(Relation::Less),
            ('<', true) => Sign::Relation(Relation::AtMost),
            ('>', false) => Sign::Relation(Relation::Greater),
            ('>', true) => Sign::Relation(Relation::AtLeast),
            ('!', true) => Sign::Relation(Relation::NotEqual),
            ('=', _) => Sign::Relation(Relation::Equal),
            ('*', true) => Sign::Plain('^'),
            ('*', false) => Sign::Command("cdot".to_owned()),
            ('(', _) => self.open_bracket(Bracket::Round),
            (')', _) => self.close_bracket(Bracket::Round),
            ('[', _) => self.open_bracket(Bracket::Square),
            (']', _) => self.close_bracket(Bracket::Square),
            ('{', _) => Sign::Open(Bracket::Group),
            ('}', _) => Sign::Close(Bracket::Group),
            (',' | ';' | GROUPING, _) => Sign::Comma,
            ('&', _) => Sign::NextCell,
            (other, _) => Sign::Plain(other),
        };
        self.push_sign(sign);
    }

    fn open_bracket(&mut self, bracket: Bracket) -> Sign {
        self.depth += 1;
        Sign::Open(bracket)
    }

    fn close_bracket(&mut self, bracket: Bracket) -> Sign {
        self.depth = self.depth.saturating_sub(1);
        Sign::Close(bracket)
    }

    fn digit_at(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
    }

    fn lex_number(&mut self, start: usize) {
        let mut digits = Digits::default();
        let mut at = start;
        at += take_digits(&self.text[at..], &mut digits.whole);
        while (1..=3).contains(&digits.whole.len()) || digits.grouped {
            let Some(separator) = self.group_separator(at) else {
                break;
            };
            at += separator;
            at += take_digits(&self.text[at..], &mut digits.whole);
            digits.grouped = true;
        }
        if self.text[at..].starts_with('.') {
            if self.digit_at(at + 1) {
                at += 1;
                at += take_digits(&self.text[at..], &mut digits.decimals);
            }
            let dot = usize::from(digits.decimals.is_empty());
            if let Some((repeating, length)) = parse_repeating(&self.text[at + dot..]) {
                digits.repeating = repeating;
                at += dot + length;
            } else if dot == 1 && !self.digit_at(at + 1) {
                // `5.` is 5.
                at += 1;
            }
        }
        if !digits.decimals.is_empty() && self.text[at..].trim_start().starts_with(DOTS) {
            digits.goes_on = true;
            at += self.text[at..].find(DOTS).unwrap_or(0) + DOTS.len();
        }
        let power = power_of_ten(&self.text[at..]);
        self.skip_to(at + power.map_or(0, |power| power.len() + 1));
        self.push_sign(Sign::Number(digits));
        if let Some(power) = power {
            self.push_power_of_ten(power);
        }
    }

    /// `1.5e4`.
    fn push_power_of_ten(&mut self, power: &str) {
        self.push_sign(Sign::Command("cdot".to_owned()));
        let number = |whole: &str| {
            Sign::Number(Digits {
                whole: whole.to_owned(),
                ..Digits::default()
            })
        };
        self.push_sign(number("10"));
        self.push_sign(Sign::Plain('^'));
        self.push_sign(Sign::Open(Bracket::Group));
        if power.starts_with('-') {
            self.push_sign(Sign::Plain('-'));
        }
        self.push_sign(number(power.trim_start_matches(['-', '+'])));
        self.push_sign(Sign::Close(Bracket::Group));
    }

    /// Returns the length of a separator that exactly three digits follow.
    fn group_separator(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let separator = rest.chars().next()?;
        let after = &rest[separator.len_utf8()..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let groups = match separator {
            // No number but a group of digits begins with 0.
            ',' if self.depth > 0 => after.starts_with('0'),
            ',' => self.commas == DigitCommas::Group,
            GROUPING | NARROW_BLANK => true,
            ' ' => !after[digits..].trim_start().starts_with('/'),
            _ => false,
        };
        (groups && digits == 3).then_some(separator.len_utf8())
    }

    fn lex_letters(&mut self, start: usize) {
        let rest = &self.text[start..];
        let length = rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(rest.len());
        let word = &rest[..length];
        let after = &rest[length..];
        let lower = word.to_lowercase();
        self.skip_to(start + length);
        if self.lex_multiplier(&lower) {
            // It is read as its number.
        } else if MATH.separators.contains(&lower) {
            self.push_sign(Sign::Comma);
        } else if !is_unit(&lower)
            && let Some((known, letters)) = known_word(word)
        {
            self.push_sign(known);
            for letter in letters.chars() {
                self.push_sign(Sign::Letter(letter));
            }
        } else if is_word(&lower, word, after) {
            self.push_sign(Sign::Words(word.to_owned()));
        } else {
            for letter in word.chars() {
                self.push_sign(Sign::Letter(letter));
            }
        }
    }

    fn lex_command(&mut self, start: usize) -> Option<()> {
        let after = &self.text[start + 1..];
        let name = command_name(after);
        let end = start + 1 + name.len();
        self.skip_to(end);
        let rest = &self.text[end..];
        if MATH.text_commands.contains(name) {
            let blanks = rest.len() - rest.trim_start().len();
            let Some(inner) = strip_braces(rest.trim_start()) else {
                return (!rest.trim_start().starts_with('{')).then_some(());
            };
            self.skip_to(end + blanks + inner.len() + 2);
            self.lex_text_command(inner);
            return Some(());
        }
        match name {
            "begin" | "end" => {
                let inner = strip_braces(rest)?;
                self.skip_to(end + inner.len() + 2);
                self.push_sign(match name {
                    "begin" => Sign::Begin(inner.trim().to_owned()),
                    _ => Sign::End,
                });
            }
            "{" => {
                let sign = self.open_bracket(Bracket::Set);
                self.push_sign(sign);
            }
            "}" => {
                let sign = self.close_bracket(Bracket::Set);
                self.push_sign(sign);
            }
            _ => self.lex_plain_command(name),
        }
        Some(())
    }

    fn lex_plain_command(&mut self, name: &str) {
        let sign = match name {
            "\\" => Sign::NextRow,
            "langle" => Sign::Open(Bracket::Angle),
            "rangle" => Sign::Close(Bracket::Angle),
            "lfloor" => Sign::Open(Bracket::Floor),
            "rfloor" => Sign::Close(Bracket::Floor),
            "lceil" => Sign::Open(Bracket::Ceiling),
            "rceil" => Sign::Close(Bracket::Ceiling),
            "le" => Sign::Relation(Relation::AtMost),
            "ge" => Sign::Relation(Relation::AtLeast),
            "ne" => Sign::Relation(Relation::NotEqual),
            "in" => Sign::Relation(Relation::In),
            _ => match (MATH.letters.get(name), MATH.functions.get(name)) {
                (Some(letter), _) => Sign::Letter(letter.chars().next().unwrap_or('?')),
                (None, Some(function)) if name != "sqrt" => Sign::Function(function.clone()),
                (None, _) => Sign::Command(name.to_owned()),
            },
        };
        self.push_sign(sign);
    }

    /// Reads a word behind a number that multiplies it, as `million`.
    fn lex_multiplier(&mut self, word: &str) -> bool {
        let behind_number = matches!(
            self.tokens.last(),
            Some(Token {
                sign: Sign::Number(_),
                ..
            })
        );
        let Some(times) = MATH.multiples.get(word).filter(|_| behind_number) else {
            return false;
        };
        self.push_sign(Sign::Command("cdot".to_owned()));
        self.push_sign(Sign::Number(Digits {
            whole: times.clone(),
            ..Digits::default()
        }));
        true
    }

    /// Words of a text command. A single letter is a letter, what begins with a digit is
    /// mathematics.
    fn lex_text_command(&mut self, inner: &str) {
        let words = inner.trim();
        let lower = words.to_lowercase();
        let (first, rest) = lower.split_once(' ').unwrap_or((&lower, ""));
        if words.is_empty() {
            self.after_blank = true;
        } else if self.lex_multiplier(first) {
            self.lex_text_command(rest);
        } else if MATH.separators.contains(&lower) || lower == "," || lower == ";" {
            self.push_sign(Sign::Comma);
        } else if lower == "i" {
            self.push_sign(Sign::Letter('i'));
        } else if let Some(function) = MATH.functions.get(words) {
            self.push_sign(Sign::Function(function.clone()));
        } else if let Some(parts) = split_answers(words) {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    self.push_sign(Sign::Comma);
                }
                self.lex_text_command(part);
            }
        } else {
            self.push_sign(Sign::Words(words.to_owned()));
        }
    }
}

/// Splits words at the words and commas that separate answers: `C and A`.
fn split_answers(words: &str) -> Option<Vec<String>> {
    let spaced_words = words.replace(',', " , ");
    let mut parts = vec![String::new()];
    for word in spaced_words.split_whitespace() {
        match word == "," || MATH.separators.contains(&word.to_lowercase()) {
            true => parts.push(String::new()),
            false => {
                let part = parts.last_mut()?;
                if !part.is_empty() {
                    part.push(' ');
                }
                part.push_str(word);
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    (parts.len() > 1).then_some(parts)
}

fn take_digits(text: &str, into: &mut String) -> usize {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    into.push_str(&text[..length]);
    length
}

/// Reads `\overline{3}`.
fn parse_repeating(text: &str) -> Option<(String, usize)> {
    let name = ["\\overline", "\\bar", "\\dot"]
        .into_iter()
        .find(|name| text.starts_with(name))?;
    let rest = &text[name.len()..];
    let inner = match strip_braces(rest) {
        Some(inner) => inner,
        None => rest.get(..1)?,
    };
    let is_digits = !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit());
    let braces = if rest.starts_with('{') { 2 } else { 0 };
    is_digits.then(|| (inner.to_owned(), name.len() + inner.len() + braces))
}

/// Most letters after the name of a function or constant that are its argument: `sinx`.
const MAX_GLUED_LETTERS: usize = 2;

/// Reads the name of a function or constant, and the letters that stand right after it.
fn known_word(word: &str) -> Option<(Sign, &str)> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    ends.into_iter()
        .take(MAX_GLUED_LETTERS + 1)
        .find_map(|end| {
            let (name, letters) = word.split_at(end);
            let sign = match (name.to_lowercase().as_str(), MATH.functions.get(name)) {
                (_, Some(function)) => Sign::Function(function.clone()),
                ("pi", None) => Sign::Command("pi".to_owned()),
                ("inf" | "infinity", None) => Sign::Command("infty".to_owned()),
                (_, None) => return None,
            };
            Some((sign, letters))
        })
}

fn is_unit(lower: &str) -> bool {
    let mut names = UNITS.unit.iter().flat_map(|unit| &unit.names);
    names.any(|name| name == lower) || UNITS.spelled_out.contains_key(lower)
}

/// Dots behind decimals that go on.
const DOTS: &str = "\\ldots";
/// Most digits of a power of ten behind `e`.
const MAX_POWER_DIGITS: usize = 4;

/// Returns what stands behind the `e` of `1.5e-4`.
fn power_of_ten(text: &str) -> Option<&str> {
    let power = text.strip_prefix(['e', 'E'])?;
    let digits = power.strip_prefix(['-', '+']).unwrap_or(power);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let sign = power.len() - digits.len();
    (1..=MAX_POWER_DIGITS)
        .contains(&length)
        .then(|| &power[..sign + length])
}

/// Returns whether letters are a word and no product of variables: a unit, or many letters of one
/// case. A letter with an index or a power is a variable.
fn is_word(lower: &str, word: &str, after: &str) -> bool {
    let letters = word.chars().count();
    if letters < 2 || after.starts_with('_') {
        return false;
    }
    letters >= MIN_WORD_LETTERS || is_unit(lower) || MATH.plain_words.contains(lower)
}
