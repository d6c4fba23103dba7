//! Pairs of answers made by rule: equal ones in two forms, unequal ones that look alike. False
//! accepts and false rejects each stay below 1 %, the upper end of their interval too.

use super::grade_box;
use elenchus_game::judge::{CORRECT, INCORRECT};

/// Pairs of each rule.
const PAIRS: usize = 80;
/// Normal quantile of an interval of 95 %.
const Z: f64 = 1.959_964;

/// A fixed sequence of numbers (Knuth's MMIX).
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % end as u64) as i64
    }

    fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(to - from + 1)
    }

    /// A number that is not 0.
    fn nonzero(&mut self, most: i64) -> i64 {
        let size = self.between(1, most);
        if self.below(2) == 0 { size } else { -size }
    }

    fn one_of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as i64) as usize]
    }
}

type Rule = (&'static str, fn(&mut Draw) -> (String, String));

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// A reduced fraction that is not whole.
fn fraction(draw: &mut Draw) -> (i64, i64) {
    loop {
        let (top, bottom) = (draw.nonzero(60), draw.between(2, 30));
        if gcd(top, bottom) == 1 {
            return (top, bottom);
        }
    }
}

fn grouped(number: i64, by: &str) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(by);
        }
        out.push(digit);
    }
    out
}

fn signed(number: i64) -> String {
    format!("{number:+}")
}

fn not_a_square(draw: &mut Draw) -> i64 {
    [2, 3, 5, 6, 7, 10, 11, 13, 15][draw.below(9) as usize]
}

fn tex_fraction(draw: &mut Draw, top: i64, bottom: i64) -> String {
    let by = draw.between(1, 4);
    let name = draw.one_of(&["\\frac", "\\dfrac", "\\tfrac"]);
    match draw.below(4) {
        0 => format!("{name}{{{top}}}{{{bottom}}}"),
        1 => format!("{name}{{{}}}{{{}}}", top * by, bottom * by),
        2 if top < 0 => format!("-{name}{{{}}}{{{bottom}}}", -top),
        _ => format!("{top}/{bottom}"),
    }
}

fn elements(draw: &mut Draw) -> Vec<i64> {
    let mut elements: Vec<i64> = (0..draw.between(2, 5)).map(|_| draw.nonzero(40)).collect();
    elements.sort_unstable();
    elements.dedup();
    if elements.len() < 2 {
        elements.push(elements[0] + 1);
    }
    elements
}

fn joined(numbers: &[i64], by: &str) -> String {
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    texts.join(by)
}

const EQUAL: &[Rule] = &[
    ("whole numbers", |draw| {
        let number = draw.between(1_000, 9_999_999);
        let by = draw.one_of(&[",", "{,}", ",\\!", "\\,", ""]);
        let around = draw.one_of(&[
            "#",
            "$#$",
            "#.",
            "#.0",
            "n=#",
            "x_1 = #",
            "\\displaystyle #",
        ]);
        (
            number.to_string(),
            around.replace('#', &grouped(number, by)),
        )
    }),
    ("fractions", |draw| {
        let (top, bottom) = fraction(draw);
        (
            format!("\\frac{{{top}}}{{{bottom}}}"),
            tex_fraction(draw, top, bottom),
        )
    }),
    ("decimals", |draw| {
        let places = draw.between(1, 3);
        let ten = 10i64.pow(places as u32);
        let number = draw.between(1, 40 * ten);
        let (whole, rest) = (number / ten, number % ten);
        let decimal = format!("{whole}.{rest:0width$}", width = places as usize);
        let short = if whole == 0 {
            decimal[1..].to_owned()
        } else {
            decimal
        };
        (tex_fraction(draw, number, ten), short)
    }),
    ("mixed numbers", |draw| {
        let (top, bottom) = (draw.between(1, 8), draw.between(9, 12));
        let whole = draw.between(1, 20);
        let mixed = match draw.below(2) {
            0 => format!("{whole}\\frac{{{top}}}{{{bottom}}}"),
            _ => format!("{whole} {top}/{bottom}"),
        };
        (tex_fraction(draw, whole * bottom + top, bottom), mixed)
    }),
    ("repeating decimals", |draw| {
        let digit = draw.between(1, 8);
        (
            tex_fraction(draw, digit, 9),
            format!("0.\\overline{{{digit}}}"),
        )
    }),
    ("roots", |draw| {
        let (a, b) = (draw.between(2, 12), not_a_square(draw));
        (
            format!("{a}\\sqrt{{{b}}}"),
            format!("\\sqrt{{{}}}", a * a * b),
        )
    }),
    ("rationalised roots", |draw| {
        let (a, b, c) = (draw.between(1, 9), not_a_square(draw), draw.between(2, 9));
        (
            format!("\\frac{{{a}\\sqrt{{{b}}}}}{{{c}}}"),
            format!("\\frac{{{}}}{{{c}\\sqrt{b_}}}", a * b, b_ = braces(b)),
        )
    }),
    ("sums of roots", |draw| {
        let (a, b, c) = (draw.nonzero(20), draw.between(2, 9), not_a_square(draw));
        (
            format!("{a}+{b}\\sqrt{{{c}}}"),
            format!("{b} \\sqrt {c} {}", signed(a)),
        )
    }),
    ("multiples of pi", |draw| {
        let (top, bottom) = fraction(draw);
        (
            format!("\\frac{{{top}\\pi}}{{{bottom}}}"),
            format!("{}\\pi", tex_fraction_braced(top, bottom)),
        )
    }),
    ("complex numbers", |draw| {
        let (a, b) = (draw.nonzero(30), draw.between(2, 30));
        (format!("{a}+{b}i"), format!("{b}i {}", signed(a)))
    }),
    ("powers", |draw| {
        let (base, power) = (draw.between(2, 9), draw.between(2, 9));
        (
            base.pow(power as u32).to_string(),
            format!("{base}^{{{power}}}"),
        )
    }),
    ("scientific notation", |draw| {
        let (digits, power) = (draw.between(11, 99), draw.between(2, 9));
        let times = draw.one_of(&["\\times", "\\cdot", "×"]);
        (
            (digits * 10i64.pow(power as u32 - 1)).to_string(),
            format!("{}.{} {times} 10^{power}", digits / 10, digits % 10),
        )
    }),
    ("expanded products", |draw| {
        let (a, b, c, d) = (
            draw.between(2, 9),
            draw.nonzero(9),
            draw.between(2, 9),
            draw.nonzero(9),
        );
        (
            format!("({a}x{})({c}x{})", signed(b), signed(d)),
            format!("{}x^2 {}x {}", a * c, signed(a * d + b * c), signed(b * d)),
        )
    }),
    ("terms in another order", |draw| {
        let (a, b, c) = (draw.between(2, 20), draw.between(2, 20), draw.nonzero(50));
        (
            format!("{a}x^{{2}}+{b}y{}", signed(c)),
            format!("{c} + {b} \\cdot y + {a}x^2"),
        )
    }),
    ("tuples", |draw| {
        let (top, bottom) = fraction(draw);
        let other = draw.nonzero(50);
        (
            format!("\\left( \\frac{{{top}}}{{{bottom}}}, {other} \\right)"),
            format!("({},{other})", tex_fraction(draw, top, bottom)),
        )
    }),
    ("sets", |draw| {
        let numbers = elements(draw);
        let mut other = numbers.clone();
        other.reverse();
        (
            format!("\\{{{}\\}}", joined(&numbers, ",")),
            format!("\\left\\{{ {} \\right\\}}", joined(&other, ", ")),
        )
    }),
    ("lists", |draw| {
        let numbers = elements(draw);
        let mut other = numbers.clone();
        other.rotate_left(1);
        let by = draw.one_of(&[", ", "\\text{ and }", " or ", "; "]);
        (joined(&numbers, ","), joined(&other, by))
    }),
    ("both signs", |draw| {
        let (a, b) = (draw.nonzero(20), not_a_square(draw));
        (
            format!("{a} \\pm \\sqrt{{{b}}}"),
            format!("{a}-\\sqrt{{{b}}}, {a}+\\sqrt{{{b}}}"),
        )
    }),
    ("intervals as inequalities", |draw| {
        let low = draw.nonzero(30);
        let high = low + draw.between(1, 40);
        match draw.below(3) {
            0 => (format!("[{low},{high})"), format!("{low} \\le x < {high}")),
            1 => (format!("({low},\\infty)"), format!("x > {low}")),
            _ => (format!("(-\\infty,{high}]"), format!("x \\leq {high}")),
        }
    }),
    ("unions", |draw| {
        let low = draw.nonzero(30);
        let high = low + draw.between(1, 40);
        (
            format!("(-\\infty,{low})\\cup({high},\\infty)"),
            format!("({high}, \\infty) \\cup (-\\infty, {low})"),
        )
    }),
    ("matrices", |draw| {
        let [a, b, c, d] = [(); 4].map(|()| draw.nonzero(20));
        let cells = format!("{a} & {b} \\\\ {c} & {d}");
        (
            format!("\\begin{{pmatrix}} {cells} \\end{{pmatrix}}"),
            format!(
                "\\begin{{bmatrix}}{}\\end{{bmatrix}}",
                cells.replace(' ', "")
            ),
        )
    }),
    ("lines", |draw| {
        let (a, b) = (draw.between(2, 20), draw.nonzero(30));
        let moved = format!("{a}x - y = {}", -b);
        let named = format!("y = {a}x {}", signed(b));
        (
            named.clone(),
            if draw.below(2) == 0 {
                moved
            } else {
                named.replace("y =", "f(x) =")
            },
        )
    }),
    ("units", |draw| {
        let number = draw.between(2, 900);
        let (a, b) = [
            ("\\text{ cm}", "\\text{ centimeters}"),
            ("\\text{ cm}^2", "\\text{ square centimeters}"),
            ("\\text{ m/s}", "\\text{ meters per second}"),
            ("\\text{ feet}", "\\ \\mathrm{ft}"),
            ("^\\circ", "\\text{ degrees}"),
            ("\\text{ hours}", ""),
            ("\\%", "\\text{ percent}"),
            ("\\text{ miles}", " miles"),
            ("", "\\text{ square units}"),
            ("\\text{ cents}", "\\text{ cent}"),
        ][draw.below(10) as usize];
        (format!("{number}{a}"), format!("{number}{b}"))
    }),
    ("money", |draw| {
        let (dollars, cents) = (draw.between(1, 9_999), draw.between(10, 99));
        (
            format!("\\${dollars}.{cents}"),
            format!(
                "{}.{cents}{}",
                grouped(dollars, ","),
                draw.one_of(&["", "\\text{ dollars}"])
            ),
        )
    }),
    ("shares", |draw| {
        let percent = draw.between(1, 99);
        (
            format!("{percent}\\%"),
            match draw.below(3) {
                0 => format!("{percent}"),
                1 => format!("0.{percent:02}"),
                _ => format!("\\frac{{{percent}}}{{100}}"),
            },
        )
    }),
    ("bases", |draw| {
        let digits = format!("{:b}", draw.between(5, 200));
        (
            format!("{digits}_2"),
            format!("{digits}_{{{}}}", draw.one_of(&["2", " 2 "])),
        )
    }),
    ("words", |draw| {
        let word = draw.one_of(&[
            "Monday",
            "even",
            "Evelyn",
            "Ellipse",
            "yes",
            "neither",
            "isosceles",
        ]);
        (
            format!("\\text{{{word}}}"),
            match draw.below(3) {
                0 => word.to_lowercase(),
                1 => format!("\\textbf{{{word}}}"),
                _ => format!("\\mbox{{the {word}}}"),
            },
        )
    }),
    ("options", |draw| {
        let letter = draw.one_of(&["A", "B", "C", "D", "E"]);
        let around = draw.one_of(&["\\text{(#)}", "(#)", "\\textbf{(#)}", "#", "\\text{#}"]);
        (letter.to_owned(), around.replace('#', letter))
    }),
];

const UNEQUAL: &[Rule] = &[
    ("whole numbers", |draw| {
        let number = draw.between(1_000, 9_999_999);
        (number.to_string(), grouped(number + draw.nonzero(3), ","))
    }),
    ("groups of digits", |draw| {
        let number = draw.between(1_000, 9_999);
        let text = number.to_string();
        (text.clone(), format!("{},{}", &text[..2], &text[2..]))
    }),
    ("signs", |draw| {
        let (top, bottom) = fraction(draw);
        (
            tex_fraction(draw, top, bottom),
            tex_fraction(draw, -top, bottom),
        )
    }),
    ("fractions upside down", |draw| {
        let (top, bottom) = fraction(draw);
        let top = if top.abs() == 1 { 3 * bottom + 1 } else { top };
        (
            format!("\\frac{{{top}}}{{{bottom}}}"),
            format!("\\frac{{{bottom}}}{{{top}}}"),
        )
    }),
    ("rounded fractions", |draw| {
        let (top, bottom) = (draw.between(1, 60), [3, 7, 9, 11][draw.below(4) as usize]);
        let top = top * bottom + 1;
        (
            format!("\\frac{{{top}}}{{{bottom}}}"),
            format!("{:.2}", top as f64 / bottom as f64),
        )
    }),
    ("roots", |draw| {
        let (a, b) = (draw.between(2, 12), not_a_square(draw));
        (
            format!("{a}\\sqrt{{{b}}}"),
            format!("{}\\sqrt{{{b}}}", a + 1),
        )
    }),
    ("roots as decimals", |draw| {
        let b = not_a_square(draw);
        (
            format!("\\sqrt{{{b}}}"),
            format!("{:.2}", (b as f64).sqrt()),
        )
    }),
    ("powers", |draw| {
        let (base, power) = (draw.between(2, 9), draw.between(20, 400));
        (
            format!("{base}^{{{power}}}"),
            format!("{base}^{{{power}}}+1"),
        )
    }),
    ("coefficients", |draw| {
        let (a, b, c) = (draw.between(2, 20), draw.nonzero(20), draw.nonzero(50));
        (
            format!("{a}x^2{}x{}", signed(b), signed(c)),
            format!("{a}x^2{}x{}", signed(b), signed(c + draw.nonzero(3))),
        )
    }),
    ("variables", |draw| {
        let a = draw.between(2, 20);
        (format!("{a}x+y"), format!("{a}y+x"))
    }),
    ("tuples in another order", |draw| {
        let a = draw.nonzero(20);
        (format!("({a},{})", a + 1), format!("({},{a})", a + 1))
    }),
    ("tuples and intervals", |draw| {
        let a = draw.nonzero(20);
        let b = a + draw.between(1, 9);
        (
            format!("({a},{b})"),
            draw.one_of(&["[#]", "(#]", "[#)"])
                .replace('#', &format!("{a},{b}")),
        )
    }),
    ("sets", |draw| {
        let numbers = elements(draw);
        let mut other = numbers.clone();
        match draw.below(2) {
            0 => other[0] -= 1,
            _ => {
                other.pop();
            }
        }
        (
            format!("\\{{{}\\}}", joined(&numbers, ",")),
            format!("\\{{{}\\}}", joined(&other, ",")),
        )
    }),
    ("both signs", |draw| {
        let (a, b) = (draw.nonzero(20), not_a_square(draw));
        (
            format!("{a} \\pm \\sqrt{{{b}}}"),
            format!("{a} {} \\sqrt{{{b}}}", draw.one_of(&["+", "-"])),
        )
    }),
    ("ends of intervals", |draw| {
        let low = draw.nonzero(30);
        let high = low + draw.between(1, 40);
        match draw.below(3) {
            0 => (format!("[{low},{high}]"), format!("[{low},{}]", high + 1)),
            1 => (format!("({low},\\infty)"), format!("x \\ge {low}")),
            _ => (format!("({low},\\infty)"), format!("(-\\infty,{low})")),
        }
    }),
    ("matrices", |draw| {
        let [a, b, c, d] = [(); 4].map(|()| draw.nonzero(20));
        let b = if b == c { b + 1 } else { b };
        (
            format!("\\begin{{pmatrix}}{a}&{b}\\\\{c}&{d}\\end{{pmatrix}}"),
            format!("\\begin{{pmatrix}}{a}&{c}\\\\{b}&{d}\\end{{pmatrix}}"),
        )
    }),
    ("lines", |draw| {
        let (a, b) = (draw.between(2, 20), draw.nonzero(30));
        (
            format!("y={a}x{}", signed(b)),
            format!("y={a}x{}", signed(-b)),
        )
    }),
    ("units", |draw| {
        let number = draw.between(2, 900);
        let (a, b) = [
            ("\\text{ cm}", "\\text{ m}"),
            ("\\text{ cm}", "\\text{ cm}^2"),
            ("\\text{ hours}", "\\text{ minutes}"),
            ("^\\circ", "\\text{ radians}"),
            ("\\text{ feet}", "\\text{ inches}"),
            ("\\text{ dollars}", "\\text{ cents}"),
            ("\\text{ km/h}", "\\text{ m/s}"),
            ("\\%", "\\text{ cm}"),
        ][draw.below(8) as usize];
        (format!("{number}{a}"), format!("{number}{b}"))
    }),
    ("shares", |draw| {
        let percent = draw.between(1, 99);
        (
            format!("{percent}\\%"),
            match draw.below(2) {
                0 => format!("0.0{percent:02}"),
                _ => format!("{}\\%", percent + 1),
            },
        )
    }),
    ("bases", |draw| {
        let digits = format!("{:b}", draw.between(5, 200));
        (
            format!("{digits}_2"),
            format!("{digits}_{}", draw.between(3, 9)),
        )
    }),
    ("words", |_| {
        ("\\text{even}".to_owned(), "\\text{odd}".to_owned())
    }),
    ("options", |draw| {
        let at = draw.below(4) as usize;
        let letters = ["A", "B", "C", "D", "E"];
        (
            letters[at].to_owned(),
            format!("\\text{{({})}}", letters[at + 1]),
        )
    }),
];

fn braces(number: i64) -> String {
    format!("{{{number}}}")
}

fn tex_fraction_braced(top: i64, bottom: i64) -> String {
    format!("\\frac{{{top}}}{{{bottom}}}")
}

/// Grades pairs of every rule in both directions; returns how many there are and those that come to
/// anything else.
fn grade_pairs(rules: &[Rule], expected: &str) -> (usize, Vec<String>) {
    let mut draw = Draw(20_261_126);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, pair) in rules {
        for _ in 0..PAIRS {
            let (a, b) = pair(&mut draw);
            for (reference, answer) in [(&a, &b), (&b, &a)] {
                count += 1;
                let found = grade_box(reference, answer);
                if found != expected {
                    wrong.push(format!("{name}: {reference} against {answer}: {found}"));
                }
            }
        }
    }
    (count, wrong)
}

/// Wilson's interval of a share.
pub(super) fn wilson(hits: usize, of: usize) -> (f64, f64) {
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let centre = p + Z * Z / (2.0 * n);
    let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    ((centre - reach) / scale, (centre + reach) / scale)
}

fn assert_below_one_percent(what: &str, (count, wrong): (usize, Vec<String>)) {
    let (low, high) = wilson(wrong.len(), count);
    let figure = format!(
        "{what}: {} of {count}, {:.2} % to {:.2} %",
        wrong.len(),
        100.0 * low,
        100.0 * high
    );
    println!("{figure}");
    assert!(high < 0.01, "{figure}\n{}", wrong.join("\n"));
}

#[test]
fn under_one_percent_of_equal_answers_are_rejected() {
    assert_below_one_percent("false rejects", grade_pairs(EQUAL, CORRECT));
}

#[test]
fn under_one_percent_of_unequal_answers_are_accepted() {
    assert_below_one_percent("false accepts", grade_pairs(UNEQUAL, INCORRECT));
}
