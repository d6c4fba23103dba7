//! Debates and turns that a figure is about: what is kept for it comes to the same figure.

use crate::{
    DebateRow, Dimension, Figure, FigurePart, Measure, ReportSettings, TurnRow, compute_report,
};

use super::{by, judged, quick};

/// Debates of two models over two categories, one of them judged by hashes alone, one of them simulated.
fn debates() -> Vec<DebateRow> {
    let courses = [
        ("a", ["USU", "SSS"]),
        ("b", ["UUS", "SUS"]),
        ("c", ["SSS", "UUU"]),
        ("d", ["SU.", "SS."]),
    ];
    let rows = courses.into_iter().zip(0_usize..);
    rows.map(|((topic, courses), number)| {
        let mut row = judged(topic, &courses);
        row.category = (number > 0).then(|| ["crime", "cybercrime"][number % 2].to_owned());
        row.hash_check = number == 3;
        for turn in &mut row.turns {
            turn.model = Some(["calm", "bold"][turn.index as usize].to_owned());
        }
        row
    })
    .chain([DebateRow {
        simulated: true,
        ..judged("e", &["UUU", "UUU"])
    }])
    .collect()
}

fn error_rate(rows: &[DebateRow]) -> (Option<f64>, usize, usize) {
    let report = compute_report(rows, &quick()).unwrap();
    assert_eq!(report.sections.len(), 1, "what is kept is of one section");
    let figures = &report.sections[0].figures;
    let is_whole = |one: &&Figure| one.measure == Measure::ErrorRate && one.keys.is_empty();
    let figure = figures.iter().find(is_whole).unwrap();
    (figure.value, figure.observations, figure.topics)
}

#[test]
fn what_a_figure_is_about_comes_to_the_same_figure() {
    let rows = debates();
    let mut checked = 0;
    for dimensions in [
        &[][..],
        &[Dimension::Model],
        &[Dimension::Category],
        &[Dimension::Length],
    ] {
        let settings = ReportSettings {
            resampling: quick().resampling,
            ..by(dimensions)
        };
        let report = compute_report(&rows, &settings).unwrap();
        for section in &report.sections {
            let figures = section.figures.iter();
            for figure in figures.filter(|one| one.measure == Measure::ErrorRate) {
                let mut kept = rows.clone();
                FigurePart::from_figure(section, figure).keep_part(&mut kept);
                let own = (figure.value, figure.observations, figure.topics);
                assert_eq!(
                    error_rate(&kept),
                    own,
                    "{:?} {:?}",
                    section.group,
                    figure.keys
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn a_category_is_not_a_part_of_another_one_and_a_seat_has_all_its_chairs() {
    let rows = debates();
    let report = compute_report(&rows, &by(&[Dimension::Category])).unwrap();
    let mut sections = report.sections.iter();
    let crime = sections.find(|one| one.group[0].value == "crime").unwrap();
    let mut kept = rows.clone();
    FigurePart::from_figure(crime, &crime.figures[0]).keep_part(&mut kept);
    let topics: Vec<&str> = kept.iter().map(|row| row.topic.id.as_str()).collect();
    assert_eq!(topics, ["c"]);
    let mut of_seat = crime.figures[0].clone();
    of_seat.keys = vec![crate::FigureKey {
        by: Dimension::Seat,
        value: "debater".to_owned(),
    }];
    FigurePart::from_figure(crime, &of_seat).keep_part(&mut kept);
    let turns: Vec<&TurnRow> = kept.iter().flat_map(|row| &row.turns).collect();
    assert_eq!(turns.len(), 6);
}
