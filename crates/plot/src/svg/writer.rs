//! Writer of SVG elements: escapes every text, and writes numbers alike everywhere. Pure.

use std::fmt::Write as _;

use crate::cells::clean_label;
use crate::picture::PlottedValue;

/// Elements that are being written.
#[derive(Debug)]
pub(super) struct SvgWriter {
    text: String,
}

impl SvgWriter {
    pub fn new() -> Self {
        Self {
            text: String::new(),
        }
    }

    /// Adds a text whose line stands at `y`; its class says how it looks and where it is anchored.
    pub fn add_text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>\n",
            escape_text(text)
        ));
    }

    /// Adds a line; `style` has its colour, width and dashes.
    pub fn add_line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>\n"
        ));
    }

    /// Adds a rectangle that shows a value, which it carries.
    pub fn add_value_rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        style: &str,
        value: &PlottedValue,
        name: &str,
    ) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" {style} {}>{}</rect>\n",
            width.max(0.5),
            value_attributes(value),
            title_element(name),
        ));
    }

    /// Adds a dot that shows a value, which it carries.
    pub fn add_value_dot(
        &mut self,
        (x, y): (f64, f64),
        radius: f64,
        style: &str,
        value: &PlottedValue,
        name: &str,
    ) {
        self.add(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" {style} {}>{}</circle>\n",
            value_attributes(value),
            title_element(name),
        ));
    }

    /// Adds a polygon.
    pub fn add_polygon(&mut self, points: &[(f64, f64)], style: &str) {
        let points = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}"));
        self.add(format_args!(
            "<polygon points=\"{}\" {style}/>\n",
            points.collect::<Vec<_>>().join(" ")
        ));
    }

    pub fn into_text(self) -> String {
        self.text
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(element);
    }
}

/// Returns the attributes by which a program reads a value back, to the last digit.
fn value_attributes(value: &PlottedValue) -> String {
    let mut attributes = format!(
        "data-value=\"{}\" data-n=\"{}\"",
        value.value, value.observations
    );
    if let Some([low, high]) = value.interval {
        let _ = write!(attributes, " data-low=\"{low}\" data-high=\"{high}\"");
    }
    attributes
}

fn title_element(name: &str) -> String {
    format!("<title>{}</title>", escape_text(name))
}

/// Returns a text that is text wherever it stands in SVG.
pub(super) fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in clean_label(text).chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            sign => escaped.push(sign),
        }
    }
    escaped
}
