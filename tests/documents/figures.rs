//! Figures: the page of figures defines every one that a report can show.

use super::pages::Page;
use elenchus_metrics::Measure;

#[test]
fn every_figure_is_defined_on_its_page() {
    let page = Page::read("docs/figures.md").text;
    for measure in Measure::ALL {
        assert!(
            page.contains(measure.label()),
            "'{}' is not on the page of figures",
            measure.label()
        );
    }
}
