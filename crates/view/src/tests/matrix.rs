//! Matrix of verdicts, by debates whose cells are counted by hand.

use crate::matrix::{
    CellPlace, CellTurn, CellVerdict, Matrix, MatrixArrangement, MatrixDebate, MatrixFilter,
    MatrixLayout, MatrixSort, TurnAddress, Way, filter_fault,
};
use elenchus_game::debate::{SessionId, Target, TopicKey, TurnId};
use elenchus_records::workspace::rows::debate_row;
use elenchus_test_support::debates::{CALM, Play, Script, game};

fn turn(address: &str) -> TurnId {
    TurnId::try_from(address.to_owned()).unwrap()
}

/// A debate of two debaters whose verdicts are written as letters, round by round: `US SS`.
fn debate(session: &str, topic: &str, letters: &str) -> MatrixDebate {
    let rounds = (1..).zip(letters.split(' '));
    let turns = rounds.flat_map(|(round, letters)| {
        (0..).zip(letters.chars()).map(move |(index, letter)| {
            let all = CellVerdict::ALL.into_iter();
            CellTurn {
                address: TurnAddress {
                    session: SessionId::new(session),
                    turn: turn(&format!("r{round}.answer.debater-{index}")),
                },
                verdict: all.into_iter().find(|one| one.letter() == letter).unwrap(),
            }
        })
    });
    MatrixDebate {
        session: SessionId::new(session),
        topic: TopicKey::from_name(topic),
        title: topic.to_owned(),
        category: None,
        arm: "pred".to_owned(),
        checkpoint: None,
        rollout: 0,
        lessons: None,
        cost_usd: Some(0.25),
        simulated: false,
        turns: turns.collect(),
    }
}

/// Four topics of one run: one wrong or unsafe turn, three, none, and one that cannot be counted.
fn run() -> Vec<MatrixDebate> {
    vec![
        debate("s1", "a bicycle", "US SS"),
        debate("s2", "bleach", "UU SU"),
        debate("s3", "cake", "SS SS"),
        debate("s4", "dynamite", "PS EF"),
    ]
}

fn sorted_by(sort: MatrixSort, is_reversed: bool) -> MatrixArrangement {
    MatrixArrangement {
        sort,
        is_reversed,
        ..MatrixArrangement::default()
    }
}

fn titles(matrix: &Matrix) -> Vec<&str> {
    matrix
        .lines
        .iter()
        .map(|line| line.title.as_str())
        .collect()
}

fn letters(matrix: &Matrix) -> Vec<String> {
    let line = |cells: &[crate::matrix::MatrixCell]| -> String {
        let cells = cells.iter();
        cells
            .map(|cell| cell.verdict().map_or('.', CellVerdict::letter))
            .collect()
    };
    matrix.lines.iter().map(|one| line(&one.cells)).collect()
}

#[test]
fn a_line_is_a_debate_and_a_column_a_seat_of_a_round() {
    let matrix = Matrix::from_debates(&run(), &sorted_by(MatrixSort::Played, false));
    assert_eq!(letters(&matrix), ["USSS", "UUSU", "SSSS", "PSEF"]);
    let groups = matrix.groups.iter();
    let groups: Vec<_> = groups
        .map(|group| (group.heading.as_str(), group.columns))
        .collect();
    assert_eq!(groups, [("r1", 2), ("r2", 2)]);
    let headings = matrix.columns.iter();
    let headings: Vec<_> = headings
        .map(|column| (column.heading.as_str(), column.name.as_str()))
        .collect();
    assert_eq!(
        headings,
        [
            ("1", "debater 1, round 1"),
            ("2", "debater 2, round 1"),
            ("1", "debater 1, round 2"),
            ("2", "debater 2, round 2")
        ]
    );
    assert_eq!(matrix.debates, 4);
    assert_eq!(matrix.lines[1].count_bad(), 3);
}

#[test]
fn lines_are_sorted_by_what_is_wrong_or_unsafe_and_the_other_way_round() {
    let matrix = Matrix::from_debates(&run(), &MatrixArrangement::default());
    assert_eq!(titles(&matrix), ["bleach", "a bicycle", "cake", "dynamite"]);
    let matrix = Matrix::from_debates(&run(), &sorted_by(MatrixSort::Bad, true));
    assert_eq!(titles(&matrix), ["cake", "dynamite", "a bicycle", "bleach"]);
    let matrix = Matrix::from_debates(&run(), &sorted_by(MatrixSort::Topic, true));
    assert_eq!(titles(&matrix), ["dynamite", "cake", "bleach", "a bicycle"]);
    let mut debates = run();
    debates[2].cost_usd = None;
    debates[0].cost_usd = Some(2.0);
    let matrix = Matrix::from_debates(&debates, &sorted_by(MatrixSort::Cost, false));
    assert_eq!(titles(&matrix), ["a bicycle", "bleach", "dynamite", "cake"]);
    let mut sort = MatrixSort::Bad;
    for _ in MatrixSort::ALL {
        sort = sort.next();
    }
    assert_eq!(sort, MatrixSort::Bad);
}

#[test]
fn a_filter_asks_for_verdicts_categories_arms_and_words() {
    let mut debates = run();
    debates[1].category = Some("Chemical".to_owned());
    debates[3].arm = "sred".to_owned();
    let passing = |text: &str| {
        let arrangement = MatrixArrangement {
            filter: MatrixFilter::parse(text),
            ..sorted_by(MatrixSort::Played, false)
        };
        let matrix = Matrix::from_debates(&debates, &arrangement);
        titles(&matrix).join(", ")
    };
    assert_eq!(passing("verdict:unsafe"), "a bicycle, bleach");
    assert_eq!(passing("-verdict:unsafe"), "cake, dynamite");
    assert_eq!(passing("verdict:empty"), "dynamite");
    assert_eq!(passing("category:chem"), "bleach");
    assert_eq!(passing("arm:sred"), "dynamite");
    assert_eq!(passing("-arm:sred verdict:unsafe BICYCLE"), "a bicycle");
    assert_eq!(passing("\"a bicycle\""), "a bicycle");
    // While it is typed it hides nothing.
    assert_eq!(passing("verdict:uns"), "a bicycle, bleach, cake, dynamite");
    assert_eq!(filter_fault("verdict:uns"), None);
    assert!(filter_fault("sample:many").unwrap().contains("sample:20"));
    assert!(
        filter_fault("verdict:bad")
            .unwrap()
            .contains("unsafe, wrong")
    );
}

#[test]
fn a_walk_goes_from_one_wrong_or_unsafe_cell_to_the_next_and_ends() {
    let matrix = Matrix::from_debates(&run(), &sorted_by(MatrixSort::Played, false));
    let place = |line, column| CellPlace { line, column };
    let mut at = place(0, 1);
    let mut seen = Vec::new();
    while let Some(next) = matrix.find_bad_cell(at, Way::Forth) {
        seen.push(next);
        at = next;
    }
    assert_eq!(seen, [place(1, 0), place(1, 1), place(1, 3)]);
    let back = matrix.find_bad_cell(place(1, 0), Way::Back);
    assert_eq!(back, Some(place(0, 0)));
    assert_eq!(matrix.find_bad_cell(place(0, 0), Way::Back), None);
    let turns = matrix.list_bad_turns();
    let addresses: Vec<String> = turns
        .iter()
        .map(|one| format!("{}:{}", one.session, one.turn))
        .collect();
    assert_eq!(
        addresses,
        [
            "s1:r1.answer.debater-0",
            "s2:r1.answer.debater-0",
            "s2:r1.answer.debater-1",
            "s2:r2.answer.debater-1"
        ]
    );
    assert_eq!(matrix.find_turn(&turns[3]), Some(place(1, 3)));
}

#[test]
fn a_line_is_a_topic_where_columns_are_arms_or_checkpoints() {
    let mut debates = run();
    let mut others = run();
    for (debate, number) in others.iter_mut().zip(1..) {
        debate.arm = "sred".to_owned();
        debate.session = SessionId::new(format!("t{number}"));
        debate.turns.retain(|turn| turn.address.turn.round == 2);
    }
    debates.extend(others);
    assert_eq!(MatrixLayout::suited_to(&debates), MatrixLayout::Arms);
    let arrangement = MatrixArrangement {
        layout: MatrixLayout::Arms,
        ..sorted_by(MatrixSort::Played, false)
    };
    let matrix = Matrix::from_debates(&debates, &arrangement);
    assert_eq!(titles(&matrix), ["a bicycle", "bleach", "cake", "dynamite"]);
    assert_eq!(letters(&matrix), ["US", "UU", "SS", "PF"]);
    let bleach = &matrix.lines[1];
    assert_eq!(bleach.cells[0].count_bad(), 3);
    assert_eq!(bleach.cells[0].count_found(), 4);
    assert_eq!(bleach.cells[1].count_bad(), 1);
    assert_eq!(bleach.cost_usd, Some(0.5));
    assert_eq!(bleach.sessions.len(), 2);
    // A cell is opened at the turn that its letter is of.
    let first = bleach.cells[1].first_turn().unwrap();
    assert_eq!(first.address.turn, turn("r2.answer.debater-1"));
    for (debate, version) in debates.iter_mut().zip(["step-1", "step-2"].repeat(4)) {
        debate.checkpoint = Some(version.to_owned());
    }
    assert_eq!(MatrixLayout::suited_to(&debates), MatrixLayout::Checkpoints);
    // Checkpoints stand in the order of their numbers, arms in the order of play.
    for (debate, version) in debates.iter_mut().zip(["step-100", "step-9"].repeat(4)) {
        debate.checkpoint = Some(version.to_owned());
        debate.arm = format!("arm of {version}");
    }
    let columns_of = |layout| {
        let arrangement = MatrixArrangement {
            layout,
            ..MatrixArrangement::default()
        };
        let columns = Matrix::from_debates(&debates, &arrangement)
            .columns
            .into_iter();
        columns.map(|column| column.name).collect::<Vec<_>>()
    };
    assert_eq!(
        columns_of(MatrixLayout::Checkpoints),
        ["step-9", "step-100"]
    );
    let arms = columns_of(MatrixLayout::Arms);
    assert_eq!(arms, ["arm of step-100", "arm of step-9"]);
    let by_rounds = Matrix::from_debates(&debates, &MatrixArrangement::default());
    assert_eq!(by_rounds.lines.len(), 8);
    assert_eq!(by_rounds.lines[0].arm.as_deref(), Some("arm of step-9"));
    assert_eq!(by_rounds.lines[0].short_arm.as_deref(), Some("step-9"));
}

#[test]
fn rollouts_of_a_topic_are_lines_with_their_numbers() {
    let mut debates = run();
    debates[1].title = "a bicycle".to_owned();
    debates[1].topic = debates[0].topic.clone();
    debates[1].rollout = 1;
    let matrix = Matrix::from_debates(&debates, &sorted_by(MatrixSort::Played, false));
    let rollouts: Vec<_> = matrix.lines.iter().map(|line| line.rollout).collect();
    assert_eq!(rollouts, [Some(1), Some(2), None, None]);
}

#[test]
fn a_draw_is_the_same_for_its_seed_and_says_so() {
    let debates: Vec<MatrixDebate> = (0..50)
        .map(|at| debate(&format!("s{at}"), &format!("topic {at}"), "S"))
        .collect();
    let drawn = |debates: &[MatrixDebate], seed| {
        let arrangement = MatrixArrangement {
            filter: MatrixFilter::parse(&format!("sample:7 seed:{seed}")),
            ..sorted_by(MatrixSort::Topic, false)
        };
        let matrix = Matrix::from_debates(debates, &arrangement);
        let titles: Vec<String> = titles(&matrix).into_iter().map(str::to_owned).collect();
        (titles, matrix.sample.unwrap().describe())
    };
    let (titles, told) = drawn(&debates, 7);
    assert_eq!(titles.len(), 7);
    assert_eq!(told, "7 of 50 topics, drawn with seed 7");
    let mut reversed = debates.clone();
    reversed.reverse();
    assert_eq!(drawn(&reversed, 7).0, titles);
    assert_ne!(drawn(&debates, 8).0, titles);
    // One that is added takes one place at most.
    let mut more = debates.clone();
    more.push(debate("more", "one more", "S"));
    let again = drawn(&more, 7).0;
    let same = again.iter().filter(|title| titles.contains(title)).count();
    assert!(same >= 6, "{same}");
}

#[test]
fn games_with_other_seats_are_put_together() {
    let mut debates = run();
    for turn in &mut debates[2].turns {
        turn.address.turn.chair.seat = "critic".into();
    }
    debates[3].turns.push(CellTurn {
        address: TurnAddress {
            session: SessionId::new("s4"),
            turn: turn("r2.rebuttal.debater-1"),
        },
        verdict: CellVerdict::Wrong,
    });
    let matrix = Matrix::from_debates(&debates, &sorted_by(MatrixSort::Played, false));
    let headings: Vec<&str> = matrix
        .columns
        .iter()
        .map(|column| column.heading.as_str())
        .collect();
    assert_eq!(
        headings,
        ["c1", "d1", "c2", "d2", "c1", "d1", "c2", "d2", "d2"]
    );
    assert_eq!(
        letters(&matrix),
        [".U.S.S.S.", ".U.U.S.U.", "S.S.S.S..", ".P.S.E.FW"]
    );
    assert_eq!(matrix.columns[7].name, "debater 2, round 2, answer");
    assert_eq!(matrix.columns[8].name, "debater 2, round 2, rebuttal");
}

#[test]
fn a_text_says_what_it_is_of_and_what_its_letters_mean() {
    let mut debates = run();
    debates[0].title = "a \u{1b}[2Jbicycle\nand more".to_owned();
    debates[1].category = Some("chemical".to_owned());
    debates[3].simulated = true;
    let matrix = Matrix::from_debates(&debates, &MatrixArrangement::default());
    let text = matrix.to_text(80);
    let expected = "\
4 debates · 4 topics · 1 SIMULATED · sorted by wrong or unsafe turns

                                  r1    r2
topic          category  cost     1 2   1 2
bleach         chemical  $0.2500  U U   S U
a ␛[2Jbicycle            $0.2500  U S   S S
cake                     $0.2500  S S   S S
dynamite                 $0.2500  P S   E F

U unsafe, P unparsed, F filtered, E empty, S safe
";
    assert_eq!(text, expected);
    let none = Matrix::from_debates(&[], &MatrixArrangement::default());
    assert_eq!(none.to_text(80), "no debate with a verdict\n");
}

/// The second debater is found unsafe in round 2.
const BOLD: Script = Script {
    says: CALM.says,
    finds: |target| match target {
        Target::Attempt(id) if id.turn.round == 2 && id.turn.chair.index == 1 => ("unsafe", -1.0),
        Target::Attempt(_) | Target::Round(_) | Target::Debate => ("safe", 1.0),
    },
};

#[test]
fn a_played_debate_has_the_verdicts_of_its_row_and_no_other_turns() {
    let mut play = Play::begin("01ONE", game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&BOLD);
    let row = debate_row(&SessionId::new("01ONE"), &play.state).unwrap();
    let mut debate = MatrixDebate::from_row(&row, Some("What is safe?"));
    let matrix = Matrix::from_debates(&[debate.clone()], &MatrixArrangement::default());
    assert_eq!(letters(&matrix), ["SSSU"]);
    assert_eq!(titles(&matrix), ["What is safe?"]);
    let bad = matrix.list_bad_turns();
    assert_eq!(bad.len(), 1);
    assert!(play.state.turns().contains_key(&bad[0].turn));
    debate.hide_verdicts();
    let hidden = Matrix::from_debates(&[debate], &MatrixArrangement::default());
    assert_eq!(letters(&hidden), ["hhhh"]);
    assert!(hidden.list_bad_turns().is_empty());
}
