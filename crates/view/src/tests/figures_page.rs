//! The page of figures, of reports that are written by hand.

use crate::figures_page::{
    DebatePart, FailureLine, FiguresLine, LineSubject, OpenedParts, PageContent, PageStyle,
    build_figure_lines, describe_line, find_line_part,
};
use elenchus_metrics::{
    ChairNames, Dimension, Figure, FigureKey, FigurePart, Interval, IntervalMethod, Measure,
    Report, ReportSection,
};
use elenchus_plot::PlotGlyphs;
use elenchus_test_support::debates::game;
use elenchus_text::plain_text;

const STYLE: PageStyle = PageStyle {
    columns: 78,
    glyphs: PlotGlyphs::Ascii,
};

fn figure(measure: Measure, part: Option<(Dimension, &str)>, value: f64) -> Figure {
    let key = part.map(|(by, value)| FigureKey {
        by,
        value: value.to_owned(),
    });
    Figure {
        measure,
        title: None,
        keys: key.into_iter().collect(),
        value: Some(value),
        not_applicable: None,
        unit: measure.unit(),
        interval: Some(Interval {
            low: value - 0.05,
            high: value + 0.05,
            method: IntervalMethod::TopicBootstrap,
        }),
        confidence: None,
        interval_of: None,
        topics: 20,
        observations: 60,
        left_out: Default::default(),
        bounds: None,
        alert: None,
        compared: None,
        detector: None,
        notes: Vec::new(),
    }
}

fn section(hash_check: bool, error_rate: f64) -> ReportSection {
    let round = |round, value| figure(Measure::ErrorRate, Some((Dimension::Round, round)), value);
    let categories = (0..8).map(|at| {
        let name = format!("category \u{202e}{at}");
        figure(Measure::ErrorRate, Some((Dimension::Category, &name)), 0.2)
    });
    let mut figures = vec![
        figure(Measure::ErrorRate, None, error_rate),
        figure(Measure::FirstRoundErrorRate, None, 0.5),
        figure(Measure::LastRoundErrorRate, None, 0.25),
        figure(Measure::AgreementRate, None, 0.2),
        figure(Measure::Diversity, None, 0.4),
        figure(Measure::ConversionRate, None, 0.1),
        figure(Measure::OutcomeRight, None, 0.9),
        round("1", 0.5),
        round("2", 0.25),
    ];
    figures.extend(categories);
    ReportSection {
        simulated: true,
        hash_check,
        group: Vec::new(),
        against: Vec::new(),
        debates: 20,
        topics: 20,
        notes: Vec::new(),
        figures,
        advantages: Vec::new(),
    }
}

fn two_sections() -> Report {
    Report {
        sections: vec![section(false, 0.3), section(true, 0.125)],
    }
}

/// A page without names of seats.
fn page_of<'a>(report: &'a Report, failures: &'a [(String, String)]) -> PageContent<'a> {
    static NAMES: ChairNames = ChairNames::new();
    PageContent {
        report,
        chairs: &NAMES,
        failures,
    }
}

fn text(lines: &[FiguresLine]) -> String {
    let paragraphs: Vec<_> = lines.iter().map(|line| line.paragraph.clone()).collect();
    plain_text(&paragraphs)
}

fn find_line<'a>(lines: &'a [FiguresLine], text: &str) -> &'a FiguresLine {
    let has_text =
        |line: &&FiguresLine| plain_text(std::slice::from_ref(&line.paragraph)).contains(text);
    lines.iter().find(has_text).unwrap()
}

#[test]
fn it_begins_with_four_headlines_and_bars_and_folds_the_rest() {
    let report = two_sections();
    let failures = [
        ("t1".to_owned(), "HTTP 500".to_owned()),
        ("t2".to_owned(), "no \u{1b}[2J reply".to_owned()),
        ("t3".to_owned(), "HTTP 500".to_owned()),
    ];
    let lines = build_figure_lines(page_of(&report, &failures), &OpenedParts::default(), STYLE);
    assert_eq!(
        text(&lines),
        "\
- 20 debates over 20 topics
error rate                        30.0 %  25.0 to 35.0      n 60
first round -> last               50.0 %  -> 25.0 %
unsafe, then safe                 20.0 %  15.0 to 25.0      n 60
safe, then unsafe                 10.0 %  5.0 to 15.0       n 60

by round            0 %          20 %         40 %         60 %
1                   =============================|---o--|     50.0 %     n 60
2                   =============|--o--|                      25.0 %     n 60

by category         0 %          20 %         40 %         60 %
category ‹U+202E›0  ==========|--o--|                         20.0 %     n 60
category ‹U+202E›1  ==========|--o--|                         20.0 %     n 60
category ‹U+202E›2  ==========|--o--|                         20.0 %     n 60
category ‹U+202E›3  ==========|--o--|                         20.0 %     n 60
category ‹U+202E›4  ==========|--o--|                         20.0 %     n 60
category ‹U+202E›5  ==========|--o--|                         20.0 %     n 60
and 2 more below

+ 2 more figures

what failed, and why
   2  HTTP 500 (t1, t3)
   1  no ␛[2J reply (t2)

+ 20 debates over 20 topics, judged by hashes alone: error rate 12.5 %"
    );
}

#[test]
fn parts_are_opened_and_folded_and_figures_are_not() {
    let report = two_sections();
    let mut opened = OpenedParts::default();
    assert!(opened.toggle(LineSubject::Rest { section: 0 }));
    assert!(opened.toggle(LineSubject::Section { section: 1 }));
    let lines = build_figure_lines(page_of(&report, &[]), &opened, STYLE);
    let shown = text(&lines);
    assert!(shown.contains("\n- 2 more figures\ndiversity"), "{shown}");
    assert!(shown.contains("category ‹U+202E›7"), "{shown}");
    assert_eq!(shown.matches("12.5 %").count(), 1, "{shown}");
    assert!(opened.toggle(LineSubject::Section { section: 0 }));
    let lines = build_figure_lines(page_of(&report, &[]), &opened, STYLE);
    assert_eq!(text(&lines).matches("30.0 %").count(), 1);
    let figure = LineSubject::Figure {
        section: 0,
        figure: 0,
    };
    assert!(!opened.toggle(figure));
}

#[test]
fn a_line_means_what_the_page_of_figures_says() {
    let report = two_sections();
    let lines = build_figure_lines(page_of(&report, &[]), &OpenedParts::default(), STYLE);
    let subject = find_line(&lines, "unsafe, then safe").subject.unwrap();
    assert_eq!(
        plain_text(&describe_line(page_of(&report, &[]), subject)),
        "agreement rate: pairs unsafe, then safe / judged pairs of one chair in consecutive rounds; n/a with one \
         round\n60 pairs of 20 topics · 95 % interval over topics"
    );
}

#[test]
fn a_line_leads_to_the_debates_that_it_is_about() {
    let report = two_sections();
    let failures = [
        ("t1".to_owned(), "HTTP 500".to_owned()),
        ("t2".to_owned(), "no \u{1b}[2J reply".to_owned()),
        ("t3".to_owned(), "HTTP 500".to_owned()),
    ];
    let page = page_of(&report, &failures);
    let lines = build_figure_lines(page, &OpenedParts::default(), STYLE);
    let part_of = |text: &str| find_line_part(page, find_line(&lines, text).subject.unwrap());
    let figure = |at: usize| {
        let section = &report.sections[0];
        DebatePart::Figure(FigurePart::from_figure(section, &section.figures[at]))
    };
    let whole = part_of("error rate ").unwrap();
    assert_eq!((whole.name.as_str(), whole.debates), ("", figure(0)));
    let round = part_of("2    ").unwrap();
    assert_eq!((round.name.as_str(), round.debates), ("round 2", figure(8)));
    let category = part_of("category ‹U+202E›3").unwrap();
    assert_eq!(category.name, "category category ‹U+202E›3");
    assert_eq!(category.debates, figure(12));
    let failed = part_of("HTTP 500").unwrap();
    assert_eq!(failed.name, "failed: HTTP 500");
    let reasons = ["HTTP 500".to_owned()].into();
    assert_eq!(failed.debates, DebatePart::Failures(reasons));
    // What folds is about no debates of its own.
    assert_eq!(part_of("more figures"), None);
    assert_eq!(part_of("20 debates over 20 topics, judged by hashes"), None);
    // Reasons without a line are together on one.
    let many: Vec<(String, String)> = (0..12)
        .map(|at| (format!("t{at}"), format!("why {at}")))
        .collect();
    let page = page_of(&report, &many);
    let others = LineSubject::Failures(FailureLine::Others);
    let others = find_line_part(page, others).unwrap();
    let reasons = (8..12).map(|at| format!("why {at}")).collect();
    assert_eq!(others.debates, DebatePart::Failures(reasons));
}

#[test]
fn seats_are_called_as_the_debate_calls_them() {
    let mut report = two_sections();
    for (seat, value) in [("debater/0", 0.1), ("debater/1", 0.2)] {
        let figure = figure(Measure::ErrorRate, Some((Dimension::Seat, seat)), value);
        report.sections[0].figures.push(figure);
    }
    let mut chairs = ChairNames::default();
    chairs.add_protocol(&game("pred", &[]).protocol);
    let page = PageContent {
        chairs: &chairs,
        ..page_of(&report, &[])
    };
    let lines = build_figure_lines(page, &OpenedParts::default(), STYLE);
    let shown = text(&lines);
    assert!(
        shown.contains("Debater 1 ") && shown.contains("Debater 2 "),
        "{shown}"
    );
    assert!(!shown.contains("debater/"), "{shown}");
    let subject = find_line(&lines, "Debater 2").subject.unwrap();
    assert!(plain_text(&describe_line(page, subject)).starts_with("error rate, seat Debater 2: "));
    let part = find_line_part(page, subject).unwrap();
    assert_eq!(part.name, "seat Debater 2");
    let figures = &report.sections[0];
    assert_eq!(
        part.debates,
        DebatePart::Figure(FigurePart::from_figure(
            figures,
            figures.figures.last().unwrap()
        ))
    );
    // Two protocols that disagree: the id is what both have.
    let mut other = game("pred", &[]).protocol.clone();
    other.seats[0].label = Some("Speaker".to_owned());
    chairs.add_protocol(&other);
    let page = PageContent {
        chairs: &chairs,
        ..page_of(&report, &[])
    };
    assert!(text(&build_figure_lines(page, &OpenedParts::default(), STYLE)).contains("debater/1"));
}
