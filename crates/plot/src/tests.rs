//! Pictures of reports that are written by hand.

use elenchus_metrics::{
    Calibration, Compared, ComparisonTest, Dimension, Figure, FigureKey, Interval, IntervalMethod,
    Measure, PairedTest, ReliabilityBin, Report, ReportSection, Unit,
};
use elenchus_text::plain_text;

use crate::{
    CorrectedPair, PictureKind, PlotError, PlotGlyphs, PlottedValue, add_single_runs, draw_picture,
    forest_from_comparison, picture_from_calibration, picture_from_rates, picture_from_report,
    write_svg,
};

fn key(by: Dimension, value: &str) -> FigureKey {
    let value = value.to_owned();
    FigureKey { by, value }
}

fn error_rate(keys: &[FigureKey], value: f64, interval: Option<[f64; 2]>) -> Figure {
    Figure {
        measure: Measure::ErrorRate,
        title: None,
        keys: keys.to_vec(),
        value: Some(value),
        not_applicable: None,
        unit: Unit::Share,
        interval: interval.map(|[low, high]| Interval {
            low,
            high,
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

fn section(group: &[FigureKey], figures: Vec<Figure>) -> ReportSection {
    ReportSection {
        simulated: true,
        hash_check: false,
        group: group.to_vec(),
        against: Vec::new(),
        debates: 20,
        topics: 20,
        notes: vec!["simulated: a check of the instrument".to_owned()],
        figures,
        advantages: Vec::new(),
    }
}

/// Two protocols over three rounds; the second has no interval in the last.
fn by_arm_and_round() -> Report {
    let arm = |name: &str, values: [f64; 3]| {
        let arm = key(Dimension::Arm, &format!("{name} debater-0=one"));
        (1..).zip(values).map(move |(round, value)| {
            let group = [arm.clone(), key(Dimension::Round, &round.to_string())];
            let interval = (value > 0.1).then_some([value - 0.08, value + 0.1]);
            section(&group, vec![error_rate(&[], value, interval)])
        })
    };
    let sections = arm("pred", [0.45, 0.4, 0.35]).chain(arm("sred", [0.44, 0.2, 0.05]));
    Report {
        sections: sections.collect(),
    }
}

fn drawn(report: &Report, kind: PictureKind, glyphs: PlotGlyphs) -> String {
    let picture = picture_from_report(report, Measure::ErrorRate, kind).unwrap();
    let text = plain_text(&draw_picture(&picture, 80, glyphs));
    for line in text.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= 80 || !line.contains('%'), "{width}: {line}");
    }
    text
}

#[test]
fn every_kind_is_drawn_in_a_terminal_with_and_without_unicode() {
    let report = by_arm_and_round();
    for (kind, name) in [
        (PictureKind::Bars, "bars"),
        (PictureKind::Curve, "curve"),
        (PictureKind::Heat, "heat"),
    ] {
        insta::assert_snapshot!(name, drawn(&report, kind, PlotGlyphs::Unicode));
        let ascii = drawn(&report, kind, PlotGlyphs::Ascii);
        assert!(ascii.is_ascii(), "{ascii}");
        insta::assert_snapshot!(format!("{name}_ascii"), ascii);
    }
}

#[test]
fn arms_are_called_by_what_tells_them_apart() {
    let text = drawn(&by_arm_and_round(), PictureKind::Bars, PlotGlyphs::Unicode);
    assert!(text.contains("pred · round 1"), "{text}");
    assert!(!text.contains("debater-0"), "{text}");
}

#[test]
fn arms_that_would_be_called_alike_keep_their_whole_names() {
    let with_memory = key(Dimension::Arm, "pred memory=textual");
    let without = key(Dimension::Arm, "pred");
    let rounds = |arm: &FigureKey, value| {
        let group = [arm.clone(), key(Dimension::Round, "1")];
        section(&group, vec![error_rate(&[], value, None)])
    };
    let sections = vec![rounds(&with_memory, 0.1), rounds(&without, 0.3)];
    let report = Report { sections };
    for kind in [PictureKind::Bars, PictureKind::Curve, PictureKind::Heat] {
        let picture = picture_from_report(&report, Measure::ErrorRate, kind).unwrap();
        assert_eq!(picture.values().len(), 2, "{picture:?}");
        let text = drawn(&report, kind, PlotGlyphs::Unicode);
        assert!(text.contains("memory=textual"), "{text}");
    }
}

#[test]
fn svg_holds_every_number_to_its_last_digit_and_is_the_same_each_time() {
    let mut report = by_arm_and_round();
    report.sections[0].figures[0].value = Some(0.1 + 0.2);
    for kind in [PictureKind::Bars, PictureKind::Curve, PictureKind::Heat] {
        let picture = picture_from_report(&report, Measure::ErrorRate, kind).unwrap();
        let svg = write_svg(&picture, "one");
        assert_eq!(svg, write_svg(&picture, "one"));
        let numbers = svg.split("data-value=\"").skip(1);
        let mut numbers: Vec<f64> = numbers
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        let mut values: Vec<f64> = picture.values().iter().map(|value| value.value).collect();
        numbers.sort_by(f64::total_cmp);
        values.sort_by(f64::total_cmp);
        assert_eq!(numbers, values);
        for wanted in [
            "role=\"img\"",
            "<title id=\"one-title\">",
            "<desc id=\"one-desc\">",
            "SIMULATED",
        ] {
            assert!(svg.contains(wanted), "{wanted}: {svg}");
        }
    }
}

#[test]
fn names_of_others_do_nothing_in_a_picture() {
    let hostile = "a</text><script>alert(1)</script>\u{202e}\u{1b}[2J\" onload=\"x";
    let mut report = by_arm_and_round();
    for section in &mut report.sections {
        section.group[0].value = format!("{hostile}{}", section.group[0].value);
        section.notes = vec![hostile.to_owned()];
    }
    for kind in [PictureKind::Bars, PictureKind::Curve, PictureKind::Heat] {
        let picture = picture_from_report(&report, Measure::ErrorRate, kind).unwrap();
        let text = plain_text(&draw_picture(&picture, 80, PlotGlyphs::Unicode));
        let svg = write_svg(&picture, "x\" onload=\"y");
        for drawing in [&text, &svg] {
            assert!(!drawing.contains(['\u{202e}', '\u{1b}']), "{drawing}");
        }
        for active in ["<script", "onload=\"", "</text><"] {
            let opened = svg.matches(active).count();
            assert_eq!(opened, 0, "{active}: {svg}");
        }
        let mut depth = 0i32;
        for sign in svg.chars() {
            depth += i32::from(sign == '<') - i32::from(sign == '>');
            assert!((0..=1).contains(&depth), "{svg}");
        }
    }
}

#[test]
fn what_a_kind_lacks_is_said_with_what_to_ask_for() {
    let whole = Report {
        sections: vec![section(&[], vec![error_rate(&[], 0.2, None)])],
    };
    let why =
        |report: &Report, measure, kind| picture_from_report(report, measure, kind).unwrap_err();
    assert_eq!(
        why(&whole, Measure::ErrorRate, PictureKind::Curve),
        PlotError::NoOrder
    );
    assert_eq!(
        why(&whole, Measure::ErrorRate, PictureKind::Heat),
        PlotError::NoPlane
    );
    let none = Report {
        sections: Vec::new(),
    };
    assert_eq!(
        why(&none, Measure::ErrorRate, PictureKind::Bars),
        PlotError::NoDebates
    );
    let missing = why(&whole, Measure::Diversity, PictureKind::Bars);
    assert!(missing.to_string().contains("diversity"), "{missing}");
    let many = (0..401).map(|at| {
        section(
            &[key(Dimension::Run, &at.to_string())],
            vec![error_rate(&[], 0.2, None)],
        )
    });
    let many = Report {
        sections: many.collect(),
    };
    assert_eq!(
        why(&many, Measure::ErrorRate, PictureKind::Bars),
        PlotError::TooMany { marks: 401 }
    );
}

#[test]
fn simulated_debates_are_never_drawn_beside_others_and_those_judged_by_hashes_are_apart() {
    let mut report = by_arm_and_round();
    report.sections[0].simulated = false;
    let picture = picture_from_report(&report, Measure::ErrorRate, PictureKind::Bars).unwrap();
    assert_eq!((picture.values().len(), picture.simulated), (1, false));
    assert!(
        picture
            .notes
            .iter()
            .any(|note| note.contains("simulated debates"))
    );
    let mut report = by_arm_and_round();
    report.sections[0].hash_check = true;
    let text = drawn(&report, PictureKind::Bars, PlotGlyphs::Unicode);
    assert!(text.contains("by hashes alone"), "{text}");
    let picture = picture_from_report(&report, Measure::ErrorRate, PictureKind::Curve).unwrap();
    assert_eq!(picture.values().len(), 5);
    assert!(picture.notes.iter().any(|note| note.contains("hashes")));
}

#[test]
fn learning_runs_are_drawn_thin_with_their_numbers_and_a_curve_of_one_run_stays_as_it_is() {
    let by_run = |runs: &[(&str, &str, [f64; 3])]| {
        let sections = runs.iter().flat_map(|(arm, run, values)| {
            let arm = key(Dimension::Arm, &format!("{arm} debater-0=one"));
            (1..).zip(*values).map(move |(round, value)| {
                let round = key(Dimension::Round, &round.to_string());
                let group = [arm.clone(), round, key(Dimension::Run, run)];
                section(&group, vec![error_rate(&[], value, None)])
            })
        });
        Report {
            sections: sections.collect(),
        }
    };
    let runs = by_run(&[
        ("pred", "run-a", [0.5, 0.45, 0.4]),
        ("pred", "run-b", [0.4, 0.35, 0.3]),
        ("sred", "run-c", [0.44, 0.2, 0.05]),
    ]);
    let measure = Measure::ErrorRate;
    let curve = picture_from_report(&by_arm_and_round(), measure, PictureKind::Curve).unwrap();
    let picture = add_single_runs(curve, &runs, measure);
    assert_eq!(picture.values().len(), 12);
    let text = plain_text(&draw_picture(&picture, 80, PlotGlyphs::Unicode));
    assert!(text.contains("thin lines: the 2 learning runs"), "{text}");
    let svg = write_svg(&picture, "one");
    for number in ["0.5", "0.45", "0.3"] {
        assert!(svg.contains(&format!("data-value=\"{number}\"")), "{svg}");
    }
    assert_eq!(svg.matches("stroke-width=\"1\"").count(), 4, "{svg}");
    assert!(svg.contains("run run-a") && !svg.contains("run-c"), "{svg}");
}

#[test]
fn scores_are_drawn_beside_what_people_found() {
    let bin = |from: f64, mean_score, positive, turns| ReliabilityBin {
        from,
        to: from + 0.1,
        turns,
        mean_score,
        positive,
    };
    let calibration = Calibration {
        estimates: Vec::new(),
        bins: vec![
            bin(0.0, 0.04, 0.1, 20),
            bin(0.4, 0.45, 1.0 / 3.0, 12),
            bin(0.9, 0.97, 0.75, 8),
        ],
    };
    let picture = picture_from_calibration(&calibration, "guard \u{1b}[2J", "unsafe", true);
    let draw = |glyphs| plain_text(&draw_picture(&picture, 80, glyphs));
    insta::assert_snapshot!("reliability", draw(PlotGlyphs::Unicode));
    let ascii = draw(PlotGlyphs::Ascii);
    insta::assert_snapshot!("reliability_ascii", ascii);
    let svg = write_svg(&picture, "one");
    assert!(
        svg.contains(&format!("data-value=\"{}\"", 1.0 / 3.0)),
        "{svg}"
    );
    assert!(
        !svg.contains('\u{1b}') && svg.contains("SIMULATED"),
        "{svg}"
    );
}

/// Two arms against a third; the second has no interval.
fn comparison() -> Report {
    let arm = |name: &str| key(Dimension::Arm, &format!("{name} debater-0=one"));
    let difference = |name: &str, value: f64, interval, p_holm| {
        let mut figure = error_rate(&[], value, interval);
        figure.compared = Some(Compared {
            of: 0.35 + value,
            from: 0.35,
            test: Some(ComparisonTest {
                test: PairedTest::SignFlip,
                p_value: p_holm / 2.0,
                p_is_bound: false,
                p_holm,
                family: 2,
            }),
        });
        ReportSection {
            against: vec![arm("pred")],
            ..section(&[arm(name)], vec![figure])
        }
    };
    Report {
        sections: vec![
            difference("dared", -0.131, Some([-0.21, -0.049]), 0.003),
            difference("sred", 0.02, None, 0.7),
        ],
    }
}

#[test]
fn differences_are_drawn_around_zero_with_and_without_unicode() {
    let picture = forest_from_comparison(&comparison(), Measure::ErrorRate).unwrap();
    for (name, glyphs) in [
        ("forest", PlotGlyphs::Unicode),
        ("forest_ascii", PlotGlyphs::Ascii),
    ] {
        let text = plain_text(&draw_picture(&picture, 80, glyphs));
        assert!(glyphs == PlotGlyphs::Unicode || text.is_ascii(), "{text}");
        for part in [
            "minus pred",
            "-13.1 %",
            "-21.0 to -4.9",
            "p 0.003",
            "adjusted for 2",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        insta::assert_snapshot!(name, text);
    }
    let svg = write_svg(&picture, "one");
    let numbers = svg.split("data-value=\"").skip(1);
    let numbers: Vec<f64> = numbers
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers, [-0.131, 0.02]);
    assert!(
        svg.contains("data-low=\"-0.21\" data-high=\"-0.049\""),
        "{svg}"
    );
    let missing = forest_from_comparison(&comparison(), Measure::Diversity).unwrap_err();
    assert!(matches!(missing, PlotError::NoFigure { .. }));
}

#[test]
fn a_difference_of_one_arm_is_called_by_what_tells_it_from_the_other() {
    let mut report = comparison();
    report.sections.truncate(1);
    let text = drawn(&report, PictureKind::Bars, PlotGlyphs::Unicode);
    assert!(
        text.contains("dared") && !text.contains("debater-0"),
        "{text}"
    );
}

#[test]
fn no_two_of_twelve_curves_look_alike_and_bands_of_many_are_not_drawn() {
    let of_protocols = |count: usize| {
        let sections = (0..count).flat_map(|number| {
            let protocol = key(Dimension::Protocol, &format!("game-{number:02}"));
            ["1", "2"].map(|round| {
                let group = [protocol.clone(), key(Dimension::Round, round)];
                section(&group, vec![error_rate(&[], 0.3, Some([0.2, 0.4]))])
            })
        });
        let report = Report {
            sections: sections.collect(),
        };
        let picture = picture_from_report(&report, Measure::ErrorRate, PictureKind::Curve);
        write_svg(&picture.unwrap(), "many")
    };
    let svg = of_protocols(12);
    let legend = svg.lines().filter(|line| line.contains("x2=\"126.0\""));
    let looks: Vec<&str> = legend
        .filter_map(|line| line.split("stroke=").nth(1))
        .collect();
    let different: std::collections::BTreeSet<&&str> = looks.iter().collect();
    assert_eq!((looks.len(), different.len()), (12, 12), "{looks:?}");
    assert!(!svg.contains("<polygon") && svg.contains("no band is drawn for more than 6 curves"));
    let few = of_protocols(6);
    assert_eq!(few.matches("<polygon").count(), 6);
    let last_band = few.rfind("<polygon").unwrap();
    assert!(
        last_band < few.find("<circle").unwrap(),
        "no band lies over a curve"
    );
}

#[test]
fn ticks_are_left_out_evenly_around_zero() {
    let values = [[-0.95, -0.3], [-0.4, 0.35], [0.02, 0.9]];
    for range in values {
        let value =
            crate::picture::PlottedValue::from_figure(&error_rate(&[], range[0], Some(range)));
        for columns in 10..90 {
            let axis = crate::ForestAxis::around(value.iter(), Unit::Share, columns);
            let ticks = axis.draw_ticks();
            let numbers = ticks.replace(" %", "");
            let numbers: Vec<i64> = numbers
                .split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect();
            assert!(numbers.contains(&0), "{columns}: {ticks}");
            let mut steps = numbers.windows(2).map(|pair| pair[1] - pair[0]);
            let first = steps.next();
            assert!(steps.all(|step| Some(step) == first), "{columns}: {ticks}");
        }
    }
}

#[test]
fn long_names_are_read_to_their_ends() {
    let model = |name: &str| key(Dimension::Model, name);
    let category = key(Dimension::Category, "misinformation_and_disinformation");
    let cells = ["small-model", "large-model"].map(|name| {
        section(
            &[category.clone(), model(name)],
            vec![error_rate(&[], 0.3, None)],
        )
    });
    let report = Report {
        sections: cells.to_vec(),
    };
    let svg = |kind| {
        let picture = picture_from_report(&report, Measure::ErrorRate, kind).unwrap();
        write_svg(&picture, "long")
    };
    let bars = svg(PictureKind::Bars);
    assert!(
        bars.contains(">misinformation_and_disinformation · large-model</text>"),
        "{bars}"
    );
    let columns = Report {
        sections: ["chemical_biological", "theft"]
            .map(|name| {
                let group = [model("small"), key(Dimension::Category, name)];
                section(&group, vec![error_rate(&[], 0.3, None)])
            })
            .to_vec(),
    };
    let picture = picture_from_report(&columns, Measure::ErrorRate, PictureKind::Heat).unwrap();
    let heat = write_svg(&picture, "heads");
    assert!(
        heat.contains(">chemical_</text>") && heat.contains(">biological</text>"),
        "{heat}"
    );
}

#[test]
fn corrected_rates_are_hollow_beside_observed_ones_and_say_why_they_are_missing() {
    let value = |value: f64| PlottedValue {
        value,
        interval: Some([value - 0.1, value + 0.1]),
        observations: 60,
        topics: 20,
    };
    let pairs = [
        CorrectedPair {
            group: "pred".to_owned(),
            observed: Some(value(0.4)),
            corrected: Ok(value(0.55)),
        },
        CorrectedPair {
            group: "sred".to_owned(),
            observed: Some(value(0.3)),
            corrected: Err("no turn of this arm has a label: label some".to_owned()),
        },
    ];
    let picture = picture_from_rates("error rate", "by protocol", true, &pairs, Vec::new());
    let picture = picture.unwrap();
    for (glyphs, solid, hollow) in [
        (PlotGlyphs::Unicode, '━', '╌'),
        (PlotGlyphs::Ascii, '=', ':'),
    ] {
        let text = plain_text(&draw_picture(&picture, 80, glyphs));
        let line = |label: &str| text.lines().find(|line| line.starts_with(label)).unwrap();
        assert!(line("pred, observed").contains(solid), "{text}");
        let corrected = line("pred, corrected");
        assert!(
            corrected.contains(hollow) && !corrected.contains(solid),
            "{text}"
        );
        assert!(
            line("sred, corrected").contains("no turn of this arm has a label"),
            "{text}"
        );
    }
    let svg = write_svg(&picture, "rates");
    assert_eq!(svg.matches("fill=\"none\" stroke=").count(), 1);
    assert!(svg.contains("sred is not corrected: no turn of this arm has a label: label some"));
    let none = picture_from_rates("error rate", "by protocol", true, &[], Vec::new());
    assert_eq!(none, Err(PlotError::NoDebates));
}
