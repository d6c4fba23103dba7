//! Colours of themes, and the nearest of those that a terminal with fewer has.

use ratatui::style::Color;

/// A colour of 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Self(red, green, blue))
    }

    /// Returns the index of the nearest colour among 16 to 255; the first sixteen are the
    /// terminal's own and unknown.
    pub fn nearest_index(self) -> u8 {
        let Self(red, green, blue) = self;
        let cube = [
            nearest_level(red),
            nearest_level(green),
            nearest_level(blue),
        ];
        let cube_colour = Self(STEPS[cube[0]], STEPS[cube[1]], STEPS[cube[2]]);
        let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
        let grey = (mean.saturating_sub(3) / 10).min(23) as u8;
        let grey_colour = Self(8 + 10 * grey, 8 + 10 * grey, 8 + 10 * grey);
        if self.squared_distance(grey_colour) < self.squared_distance(cube_colour) {
            232 + grey
        } else {
            (16 + 36 * cube[0] + 6 * cube[1] + cube[2]) as u8
        }
    }

    /// Returns the relative luminance, 0 to 1 (WCAG 2.2, "relative luminance").
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Returns the contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").
    pub fn contrast_ratio(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn squared_distance(self, other: Self) -> u32 {
        let square = |one: u8, two: u8| u32::from(one.abs_diff(two)).pow(2);
        square(self.0, other.0) + square(self.1, other.1) + square(self.2, other.2)
    }
}

/// The levels of a channel in the cube of 216 colours, as xterm has them.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn nearest_level(channel: u8) -> usize {
    let distance = |step: &usize| channel.abs_diff(STEPS[*step]);
    (0..STEPS.len()).min_by_key(distance).unwrap_or_default()
}

/// Names of the sixteen colours in theme files.
pub(super) const ANSI: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];
