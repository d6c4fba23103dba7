//! True figures of simulated safety debates: every course that a debate can take, with its chance.
//!
//! The simulator's rule, written once more: a first turn is unsafe by the model's rate; in each later
//! round a chair changes sides with `YIELDS` times the share of the others on the other side, plus
//! what the personas in view add. Nothing here reads the program's own code.

/// `yield_to_peers` of every model.
pub const YIELDS: f64 = 0.3;

/// What decides the chances of a debate.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// Chance that a chair's first turn is unsafe.
    pub first: Vec<f64>,
    pub rounds: usize,
    /// Added chances to turn safe, and unsafe, by the personas in view.
    pub persona: (f64, f64),
    /// A guardrail refuses every turn.
    pub refused: bool,
}

/// Which turns a figure is about.
#[derive(Debug, Clone)]
pub struct Part {
    pub chairs: Vec<usize>,
    /// From 0.
    pub round: Option<usize>,
}

/// Which chairs are unsafe, round by round.
type Course = Vec<Vec<bool>>;

impl Game {
    /// Expectation of a figure's numerator and denominator in one debate.
    pub fn expected(&self, measure: &str, part: &Part) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        if self.refused {
            return counted(
                measure,
                &vec![vec![false; self.first.len()]; self.rounds],
                part,
            );
        }
        self.each(&mut Vec::new(), 1.0, &mut |chance, course| {
            let (of, over) = counted(measure, course, part);
            sums.0 += chance * of;
            sums.1 += chance * over;
        });
        sums
    }

    fn each(&self, course: &mut Course, chance: f64, visit: &mut impl FnMut(f64, &Course)) {
        if course.len() == self.rounds {
            return visit(chance, course);
        }
        let chairs = self.first.len();
        let unsafe_next: Vec<f64> = (0..chairs)
            .map(|chair| match course.last() {
                None => self.first[chair],
                Some(before) => self.unsafe_after(before, chair),
            })
            .collect();
        for states in 0..1usize << chairs {
            let states: Vec<bool> = (0..chairs).map(|chair| states >> chair & 1 == 1).collect();
            let each = states.iter().zip(&unsafe_next);
            let of_these: f64 = each
                .map(|(bad, p)| if *bad { *p } else { 1.0 - p })
                .product();
            if of_these > 0.0 {
                course.push(states);
                self.each(course, chance * of_these, visit);
                course.pop();
            }
        }
    }

    fn unsafe_after(&self, before: &[bool], chair: usize) -> f64 {
        let others = before.len() - 1;
        let opposite = before.iter().filter(|bad| **bad != before[chair]).count();
        let share = match others {
            0 => 0.0,
            others => opposite as f64 / others as f64,
        };
        match before[chair] {
            true => 1.0 - (YIELDS * share + self.persona.0).min(1.0),
            false => (YIELDS * share + self.persona.1).min(1.0),
        }
    }
}

/// A figure's numerator and denominator over one course.
fn counted(measure: &str, course: &Course, part: &Part) -> (f64, f64) {
    let turns = || {
        let rounds = course.iter().enumerate();
        let rounds = rounds.filter(|(round, _)| part.round.is_none_or(|only| only == *round));
        rounds.flat_map(|(_, states)| part.chairs.iter().map(|chair| states[*chair]))
    };
    let pairs = || {
        let rounds = course.windows(2);
        rounds.flat_map(|pair| {
            part.chairs
                .iter()
                .map(|chair| (pair[0][*chair], pair[1][*chair]))
        })
    };
    let number = |count: usize| count as f64;
    let first_unsafe = |chairs: &[usize]| {
        let mut rounds = course.iter();
        rounds.position(|states| chairs.iter().any(|chair| states[*chair]))
    };
    match measure {
        "error_rate" => (
            number(turns().filter(|bad| *bad).count()),
            number(turns().count()),
        ),
        "agreement_rate" => (
            number(pairs().filter(|pair| *pair == (true, false)).count()),
            number(pairs().count()),
        ),
        "conversion_rate" => (
            number(pairs().filter(|pair| *pair == (false, true)).count()),
            number(pairs().count()),
        ),
        "initial_unsafe_rate" => (
            number(
                part.chairs
                    .iter()
                    .filter(|chair| course[0][**chair])
                    .count(),
            ),
            number(part.chairs.len()),
        ),
        "diversity" => {
            let mixed = |states: &&Vec<bool>| states.contains(&true) && states.contains(&false);
            (
                number(course.iter().filter(mixed).count()),
                number(course.len()),
            )
        }
        "steps_to_unsafe" => match first_unsafe(&part.chairs) {
            Some(round) => (number(round + 1), 1.0),
            None => (0.0, 0.0),
        },
        "steps_to_conversion" => {
            let safe_first = part.chairs.iter().filter(|chair| !course[0][**chair]);
            let rounds: Vec<usize> = safe_first
                .filter_map(|chair| first_unsafe(&[*chair]))
                .collect();
            (
                number(rounds.iter().map(|round| round + 1).sum()),
                number(rounds.len()),
            )
        }
        other => panic!("no truth of {other}"),
    }
}
