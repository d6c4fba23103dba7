//! Numbers: complex approximations, and beside them exact remainders where a number is rational.
//!
//! A remainder modulo a prime tells 2¹⁰⁰ from 2¹⁰⁰ + 1, which no floating-point number does, in
//! constant space.

/// The prime 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;
/// Largest relative difference of equal numbers of which one is no rational.
const TOLERANCE: f64 = 1e-9;
/// Difference below which two numbers are equal next to zero.
const NEXT_TO_ZERO: f64 = 1e-12;
/// Largest argument of a factorial.
const MAX_FACTORIAL: f64 = 2_000.0;

/// A number: its approximation, and its remainder modulo [`PRIME`] if it is rational.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Value {
    pub re: f64,
    pub im: f64,
    remainder: Option<u64>,
}

impl Value {
    pub(super) fn real(re: f64) -> Self {
        Self::complex(re, 0.0)
    }

    pub(super) fn complex(re: f64, im: f64) -> Self {
        let remainder = None;
        Self { re, im, remainder }
    }

    pub(super) fn whole(number: i64) -> Self {
        Self {
            remainder: Some(i128::from(number).rem_euclid(i128::from(PRIME)) as u64),
            ..Self::real(number as f64)
        }
    }

    /// Reads digits; their approximation may be infinite.
    pub(super) fn from_digits(digits: &str) -> Self {
        let remainder = digits.bytes().fold(0, |sum, digit| {
            add_modulo(multiply_modulo(sum, 10), u64::from(digit - b'0'))
        });
        Self {
            remainder: Some(remainder),
            ..Self::real(match digits {
                "" => 0.0,
                _ => digits.parse().unwrap_or(f64::INFINITY),
            })
        }
    }

    pub(super) fn is_real(self) -> bool {
        self.im.abs() <= NEXT_TO_ZERO.max(self.re.abs() * TOLERANCE)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
            remainder: combine_remainders(self, other, add_modulo),
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(other.negate())
    }

    pub(super) fn negate(self) -> Self {
        Self {
            re: -self.re,
            im: -self.im,
            remainder: self.remainder.map(negate_modulo),
        }
    }

    pub(super) fn times(self, other: Self) -> Self {
        // Without this, an infinite part times a zero imaginary part is no number.
        let (re, im) = if self.im == 0.0 && other.im == 0.0 {
            (self.re * other.re, 0.0)
        } else {
            (
                self.re * other.re - self.im * other.im,
                self.re * other.im + self.im * other.re,
            )
        };
        Self {
            re,
            im,
            remainder: combine_remainders(self, other, multiply_modulo),
        }
    }

    /// Divides; `None` by zero.
    pub(super) fn divide_by(self, other: Self) -> Option<Self> {
        if other.im == 0.0 {
            if other.re == 0.0 {
                return None;
            }
            let (re, im) = (self.re / other.re, self.im / other.re);
            let remainder = match (self.remainder, other.remainder) {
                (Some(top), Some(bottom)) if bottom != 0 => {
                    Some(multiply_modulo(top, inverse_modulo(bottom)))
                }
                _ => None,
            };
            return Some(Self { re, im, remainder });
        }
        let size = other.re * other.re + other.im * other.im;
        (size != 0.0).then(|| {
            Self::complex(
                (self.re * other.re + self.im * other.im) / size,
                (self.im * other.re - self.re * other.im) / size,
            )
        })
    }

    /// Raises to a power: exactly to a whole one, else by the principal branch.
    pub(super) fn to_power(self, power: Self) -> Option<Self> {
        if power.is_whole() && power.re.abs() <= 1e9 {
            return self.to_whole_power(power.re as i64);
        }
        if self.re == 0.0 && self.im == 0.0 {
            return (power.re > 0.0).then(|| Self::whole(0));
        }
        if self.im == 0.0 && power.im == 0.0 && self.re > 0.0 {
            return Some(Self::real(self.re.powf(power.re)));
        }
        Some(self.ln()?.times(power).exp())
    }

    fn is_whole(self) -> bool {
        self.im == 0.0 && self.re.fract() == 0.0
    }

    fn to_whole_power(self, power: i64) -> Option<Self> {
        let exponent = power.unsigned_abs();
        let result = if self.im == 0.0 {
            Self {
                re: self.re.powf(exponent as f64),
                im: 0.0,
                remainder: self.remainder.map(|base| power_modulo(base, exponent)),
            }
        } else {
            self.power_by_squaring(exponent)
        };
        match power < 0 {
            true => Self::whole(1).divide_by(result),
            false => Some(result),
        }
    }

    fn power_by_squaring(self, mut exponent: u64) -> Self {
        let (mut base, mut product) = (self, Self::whole(1));
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = product.times(base);
            }
            base = base.times(base);
            exponent >>= 1;
        }
        product
    }

    /// Takes a root; an odd one of a negative number is negative.
    pub(super) fn root(self, degree: Self) -> Option<Self> {
        let is_odd = degree.is_whole() && degree.re.rem_euclid(2.0) == 1.0;
        if is_odd && self.im == 0.0 && self.re < 0.0 {
            return Some(self.negate().root(degree)?.negate());
        }
        self.to_power(Self::whole(1).divide_by(degree)?)
    }

    pub(super) fn exp(self) -> Self {
        let size = self.re.exp();
        Self::complex(size * self.im.cos(), size * self.im.sin())
    }

    /// Takes the principal logarithm; `None` of zero.
    pub(super) fn ln(self) -> Option<Self> {
        let size = self.re.hypot(self.im);
        (size > 0.0).then(|| Self::complex(size.ln(), self.im.atan2(self.re)))
    }

    pub(super) fn absolute_value(self) -> Self {
        let sign = if self.re < 0.0 { self.negate() } else { self };
        match self.im == 0.0 {
            true => sign,
            false => Self::real(self.re.hypot(self.im)),
        }
    }

    pub(super) fn factorial(self) -> Option<Self> {
        let fits = self.is_whole() && (0.0..=MAX_FACTORIAL).contains(&self.re);
        let factors = 1..=(fits.then_some(self.re as i64)?);
        Some(factors.fold(Self::whole(1), |product, factor| {
            product.times(Self::whole(factor))
        }))
    }

    /// Returns how many ways there are to choose from so many.
    pub(super) fn binomial(self, chosen: Self) -> Option<Self> {
        let fits = self.is_whole() && chosen.is_whole() && self.re <= MAX_FACTORIAL;
        if !fits || chosen.re < 0.0 || chosen.re > self.re {
            return None;
        }
        let mut ways = Self::whole(1);
        for at in 1..=chosen.re as i64 {
            let left = self.minus(chosen).plus(Self::whole(at));
            ways = ways.times(left).divide_by(Self::whole(at))?;
        }
        Some(ways)
    }

    /// Returns whether two numbers are equal: exactly where both are rational, else nearly.
    pub(super) fn equals(self, other: Self) -> bool {
        if let (Some(a), Some(b)) = (self.remainder, other.remainder)
            && a != b
        {
            return false;
        }
        let near = is_near(self.re, other.re, self.max_abs().max(other.max_abs()))
            && is_near(self.im, other.im, self.max_abs().max(other.max_abs()));
        // Too large for an approximation: the remainders alone decide.
        let beyond = self.re == other.re && self.re.is_infinite();
        near || (beyond && self.remainder.is_some() && other.remainder.is_some())
    }

    fn max_abs(self) -> f64 {
        self.re.abs().max(self.im.abs())
    }
}

fn is_near(a: f64, b: f64, scale: f64) -> bool {
    let apart = (a - b).abs();
    apart <= NEXT_TO_ZERO || (scale.is_finite() && apart <= scale * TOLERANCE)
}

fn combine_remainders(a: Value, b: Value, of: impl Fn(u64, u64) -> u64) -> Option<u64> {
    Some(of(a.remainder?, b.remainder?))
}

fn add_modulo(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn negate_modulo(a: u64) -> u64 {
    (PRIME - a) % PRIME
}

fn multiply_modulo(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power_modulo(base: u64, mut exponent: u64) -> u64 {
    let (mut base, mut product) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = multiply_modulo(product, base);
        }
        base = multiply_modulo(base, base);
        exponent >>= 1;
    }
    product
}

/// Returns the inverse by Fermat's little theorem.
fn inverse_modulo(a: u64) -> u64 {
    power_modulo(a, PRIME - 2)
}
