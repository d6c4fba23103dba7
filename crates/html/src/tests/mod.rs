//! Tests of pages from data alone.

use crate::page::{
    DebateItem, DebatePart, Fact, FigureTable, HtmlPage, PagePicture, SettingsPart, TextBlock,
    TextRun, TurnColumn,
};
use crate::size::{PageError, write_page};

fn others(text: &str) -> TextBlock {
    TextBlock {
        is_by_others: true,
        indent: 1,
        runs: vec![TextRun {
            role: "text",
            text: text.to_owned(),
        }],
    }
}

fn debate(number: usize, said: &str) -> DebatePart {
    DebatePart {
        anchor: format!("d{number}"),
        title: format!("{number}. {said}"),
        facts: vec![said.to_owned()],
        items: vec![DebateItem::Turn {
            anchor: format!("d{number}-r1"),
            heading: None,
            columns: vec![TurnColumn {
                said: vec![others(said)],
                found: vec![others(said)],
            }],
            views: Vec::new(),
        }],
        ..DebatePart::default()
    }
}

fn page(text: &str, debates: usize) -> HtmlPage {
    HtmlPage {
        title: text.to_owned(),
        about: text.to_owned(),
        warnings: vec![text.to_owned()],
        facts: vec![Fact::new(text, text)],
        summary: vec![text.to_owned()],
        tables: vec![FigureTable {
            caption: text.to_owned(),
            notes: vec![text.to_owned()],
            command: Some(text.to_owned()),
            ..FigureTable::default()
        }],
        pictures: vec![PagePicture {
            caption: text.to_owned(),
            svg: "<svg><title>ours</title></svg>".to_owned(),
            command: None,
        }],
        debates: (1..=debates).map(|at| debate(at, text)).collect(),
        left_out: vec![text.to_owned()],
        settings: vec![SettingsPart {
            title: text.to_owned(),
            facts: vec![Fact::new(text, text)],
        }],
        commands: vec![text.to_owned()],
        ..HtmlPage::default()
    }
}

#[test]
fn text_is_text_wherever_it_stands() {
    let text = "</style><b title='\"'>&amp;{{ page }}\u{202e}\u{7}";
    let html = write_page(&page(text, 1), 1_000_000).unwrap().html;
    assert!(!html.contains("<b title"), "{html}");
    assert_eq!(html.matches("</style>").count(), 1);
    assert!(!html.contains('\u{202e}') && !html.contains('\u{7}'));
    assert!(html.contains("&lt;b title=&#x27;&quot;&#x27;&gt;&amp;amp;{{ page }}‹U+202E›␇"));
    // Our own markup stays.
    assert!(html.contains("<svg><title>ours</title></svg>"));
}

#[test]
fn line_breaks_stay_in_what_others_wrote_and_nowhere_else() {
    let html = write_page(&page("one\ntwo", 1), 1_000_000).unwrap().html;
    assert!(
        html.contains("<span class=\"r-text\">one\ntwo</span>"),
        "{html}"
    );
    assert!(html.contains("<h1>one␊two</h1>"), "{html}");
}

#[test]
fn debates_go_first_and_from_the_end() {
    let whole = write_page(&page("said", 40), 1_000_000).unwrap();
    assert_eq!((whole.debates, whole.cuts.len()), (40, 0));
    let mut before = 40;
    for size in [whole.html.len() - 1, whole.html.len() * 3 / 4] {
        let cut = write_page(&page("said", 40), size).unwrap();
        assert!(cut.html.len() <= size && cut.debates < before, "{size}");
        before = cut.debates;
        assert!(cut.html.contains("id=\"d1\"") && !cut.html.contains("id=\"d40\""));
        let told = format!("{} debates are not here", 40 - cut.debates);
        assert!(
            cut.html.contains(&told) || cut.html.contains("1 debate is not here"),
            "{told}"
        );
    }
}

#[test]
fn a_page_that_cannot_be_cut_enough_is_refused_with_its_size() {
    let refused = write_page(&page("said", 3), 100);
    assert!(
        matches!(refused, Err(PageError::Needs(bytes, 100)) if bytes > 1_000),
        "{refused:?}"
    );
}

#[test]
fn a_blind_page_that_is_cut_speaks_of_no_figures() {
    for (blind, speaks) in [(true, false), (false, true)] {
        let page = HtmlPage {
            blind,
            ..page("said", 40)
        };
        let whole = write_page(&page, 1_000_000).unwrap();
        let cut = write_page(&page, whole.html.len() - 1).unwrap();
        assert_eq!(cut.cuts[0].contains("figures count them"), speaks);
    }
}
