//! Forms of answers that are one answer, and forms that look alike and are not.

use super::grade_box;
use elenchus_game::judge::{CORRECT, INCORRECT};

fn equal(pairs: &[(&str, &str)]) {
    each(pairs, CORRECT);
}

fn unequal(pairs: &[(&str, &str)]) {
    each(pairs, INCORRECT);
}

fn each(pairs: &[(&str, &str)], expected: &str) {
    let wrong: Vec<String> = pairs
        .iter()
        .filter_map(|(reference, answer)| {
            let found = grade_box(reference, answer);
            (found != expected).then(|| format!("{reference} against {answer}: {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "not {expected}:\n{}", wrong.join("\n"));
}

#[test]
fn the_look_of_an_answer_does_not_count() {
    equal(&[
        (r"\frac{1}{2}", r"\dfrac{1}{2}"),
        (r"\frac{1}{2}", r"\tfrac12"),
        (r"\frac{1}{2}", r"\frac1{2}"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{1}{2}", "0.5"),
        (r"\frac{1}{2}", ".5"),
        (r"\sqrt{3}", r"\sqrt3"),
        (r"x^{2}", "x^2"),
        (r"\left(1,2\right)", "(1, 2)"),
        ("1000", "1,000"),
        ("1000", r"1{,}000"),
        ("1000", r"1,\!000"),
        ("1000", r"1\,000"),
        ("5", "k=5"),
        ("5", "5."),
        ("x=5", "5"),
        (r"2\sqrt{2}", r"x = 2\sqrt2"),
        (r"\text{(B)}", "B"),
        ("(B)", r"\textbf{B}"),
        (r"\text{Evelyn}", "evelyn"),
        ("-3", "−3"),
        (r"2\pi", "2π"),
        ("7", r"\displaystyle 7"),
        (r"\frac{\pi}{4}", "π/4"),
        ("0", "0.0"),
    ]);
}

#[test]
fn numbers_and_roots_are_numbers() {
    equal(&[
        (r"2\sqrt{2}", r"\sqrt{8}"),
        (r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}"),
        (r"3\frac{1}{2}", r"\frac{7}{2}"),
        (r"3\frac12", "3.5"),
        ("3 1/2", "7/2"),
        (r"\sqrt[3]{16}", r"2\sqrt[3]{2}"),
        ("1024", "2^{10}"),
        ("0.333333333", r"\frac13"),
        (r"0.\overline{3}", r"\frac13"),
        (r"0.1\overline{6}", r"\frac16"),
        ("1500", r"1.5 \times 10^3"),
        ("120", "5!"),
        ("10", r"\binom{5}{2}"),
        (r"\log_2 8", "3"),
        (r"3+2i", "2i+3"),
        (r"e^{i\pi}", "-1"),
        (r"\sin 30^\circ", r"\frac{1}{2}"),
        (r"1+\sqrt{2}", r"\sqrt2+1"),
        (r"\sqrt{3+2\sqrt2}", r"1+\sqrt2"),
    ]);
    unequal(&[
        ("1000000", "1000001"),
        ("2^{100}", "2^{100}+1"),
        ("2^{2012}-1", "2^{2012}"),
        (r"\sqrt{2}", "1.41"),
        (r"\frac13", "0.33"),
        ("2", "-2"),
        (r"\frac{1}{2}", r"\frac{2}{1}"),
        (r"2\sqrt{3}", r"3\sqrt{2}"),
        ("1.05", "1.005"),
        ("12", "1,2"),
    ]);
}

#[test]
fn expressions_are_compared_at_points() {
    equal(&[
        ("(x+1)^2", "x^2+2x+1"),
        (r"\frac{x}{2}", r"\frac12 x"),
        (r"2x+2y", "2(x+y)"),
        (r"\sin^2 x+\cos^2 x", "1"),
        ("y=2x+3", "2x+3"),
        ("y=2x+3", "y-2x=3"),
        ("f(x)=x^2", "x^2"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        (r"x\sqrt{x}", "x^{3/2}"),
        (r"e^{2x}", r"(e^x)^2"),
        ("2x+y-3=0", "y=3-2x"),
        (r"\theta + 1", r"1+\theta"),
        ("x-3", "f^{-1}(x) = x-3"),
        ("5", "a+b = 5"),
    ]);
    unequal(&[
        ("(x+1)^2", "x^2+1"),
        ("x+1", "x-1"),
        ("|x|", "x"),
        ("x^2", "2x"),
        ("x", "y"),
        ("x=5", "y=5"),
        ("y=2x+3", "y=3x+2"),
        ("x", "X"),
        ("5", "2a+b = 5"),
        ("x+y=5", "x-y=5"),
    ]);
}

#[test]
fn tuples_sets_and_intervals_are_compared_by_part() {
    equal(&[
        (r"(\frac12, 3)", "(0.5,3)"),
        (r"\{1,2,3\}", r"\{3, 2, 1\}"),
        ("1,2,3", r"\{3,1,2\}"),
        ("1, 2", r"2 \text{ and } 1"),
        (r"3 \pm \sqrt{2}", r"3+\sqrt2, 3-\sqrt2"),
        (r"\pm 2", "-2, 2"),
        (r"x=\pm 2", "2,-2"),
        (r"(-\infty, 3]", r"(-\infty,3]"),
        ("x>3", r"(3,\infty)"),
        (r"[-2,5)", r"-2 \le x < 5"),
        (
            r"(-\infty,-1)\cup(1,\infty)",
            r"(1,\infty) \cup (-\infty,-1)",
        ),
        (r"x \in [1,2]", "[1,2]"),
        (r"\emptyset", r"\{\}"),
        (
            r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            r"\begin{bmatrix}1&2\\3&4\end{bmatrix}",
        ),
        ("x=1, y=2", "y=2, x=1"),
        ("(1,2)", "x=1, y=2"),
        (r"(3,\infty)", r"\{x \mid x > 3\}"),
        (r"(3,\infty)", r"\{ x \in \mathbb{R} : x > 3 \}"),
        (r"(-\infty,2)\cup(2,\infty)", r"\mathbb{R} \setminus \{2\}"),
    ]);
    unequal(&[
        ("(1,2)", "(2,1)"),
        ("(1,2)", "[1,2]"),
        ("(1,2]", "[1,2)"),
        ("(1,2)", "(1,2,3)"),
        (r"\{1,2\}", r"\{1,3\}"),
        ("1,2", "1"),
        (r"\pm 2", "2"),
        (r"3 \pm \sqrt{2}", r"3+\sqrt2"),
        ("x>3", r"x \ge 3"),
        ("x=1, y=2", "x=2, y=1"),
        (r"(-\infty,1)\cup(1,\infty)", r"(-\infty,\infty)"),
        (
            r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            r"\begin{pmatrix} 1 & 3 \\ 2 & 4 \end{pmatrix}",
        ),
    ]);
}

#[test]
fn units_are_compared_where_both_have_one() {
    equal(&[
        (r"5\text{ cm}", "5"),
        ("5", r"5\text{ cm}"),
        (r"5\text{ cm}", "5 centimeters"),
        (r"30\text{ cm}^2", r"30 \text{ square centimeters}"),
        (r"60\text{ mph}", r"60 \text{ miles per hour}"),
        (r"\$5", r"5 \text{ dollars}"),
        (r"\$1,250.50", "1250.5"),
        (r"50\%", "50"),
        (r"50\%", r"\frac12"),
        (r"90^\circ", "90"),
        (r"90^{\circ}", r"90 \text{ degrees}"),
        ("5 m", r"5\text{ m}"),
        (r"100\text{ cm}", r"1\text{ m}"),
        (r"12\text{ students}", "12"),
        ("1500000", r"\$1.5 \text{ million}"),
        ("60", r"5\text{ dozen eggs}"),
        (r"3\,\mathrm{m}/\mathrm{s}", r"3 \text{ m/s}"),
    ]);
    unequal(&[
        (r"5\text{ cm}", r"5\text{ m}"),
        (r"5\text{ cm}", r"5\text{ cm}^2"),
        (r"90^\circ", r"90 \text{ radians}"),
        (r"\$5", r"5 \text{ cents}"),
        (r"50\%", "0.05"),
        (r"50\%", r"5\%"),
        (r"3\text{ hours}", r"3\text{ minutes}"),
        ("5 m", r"5\text{ cm}"),
    ]);
}

#[test]
fn bases_ratios_and_words_are_what_they_are() {
    equal(&[
        ("101_2", "101_{2}"),
        ("1A3_{16}", "1a3_{16}"),
        ("2:3", "2 : 3"),
        (r"\text{Monday}", "monday"),
        (r"\text{does not exist}", "undefined"),
        ("7", r"\text{seven}"),
        (r"\text{The even numbers}", "even numbers"),
    ]);
    unequal(&[
        ("101_2", "101_3"),
        ("101_2", "111_2"),
        ("2:3", "3:2"),
        (r"\text{Monday}", r"\text{Tuesday}"),
        (r"\text{even}", "4"),
        ("4", r"\text{even}"),
        ("B", "C"),
    ]);
}
