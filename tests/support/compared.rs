//! Figures of a comparison, from JSON.

use serde_json::Value;

/// Returns the figure of a measure: about the whole, or within a category.
pub fn compared_figure<'a>(report: &'a Value, measure: &str, category: Option<&str>) -> &'a Value {
    let figures = report["sections"][0]["figures"].as_array();
    let mut figures = figures.into_iter().flatten();
    let found = figures.find(|figure| {
        figure["measure"] == measure && figure["keys"][0]["value"].as_str() == category
    });
    found.unwrap_or_else(|| panic!("no {measure} of {category:?} in {report}"))
}
