//! The split of private reasoning and public text.

use crate::Delta;
use crate::ReasoningSplitter;
use proptest::prelude::*;

type Split = (String, Option<String>);

/// Splits pieces; also returns what a watcher was told.
fn split(pieces: &[&str]) -> (Split, Split) {
    let (mut public, mut thinking) = (String::new(), String::new());
    let mut watch = |delta: Delta<'_>| match delta {
        Delta::Public(text) => public.push_str(text),
        Delta::Thinking(text) => thinking.push_str(text),
        Delta::PublicWasThinking => thinking.push_str(&std::mem::take(&mut public)),
    };
    let mut splitter = ReasoningSplitter::default();
    for piece in pieces {
        splitter.push(piece, &mut watch);
    }
    let end = splitter.finish(&mut watch);
    let told = (public, Some(thinking));
    (end, told)
}

fn check(text: &str, public: &str, thinking: Option<&str>) {
    let expected = (public.to_owned(), thinking.map(str::to_owned));
    assert_eq!(split(&[text]).0, expected, "{text}");
}

#[test]
fn tags_are_understood_in_every_form() {
    check("plain", "plain", None);
    check(" <b>plain</b> < > ", " <b>plain</b> < > ", None);
    check("<think>a</think>b", "b", Some("a"));
    check("<Thinking>a</THINKING>\n\nb ", "b", Some("a"));
    check("a</think>b", "b", Some("a"));
    check("<think>a", "", Some("a"));
    check("x<think>a</think>y<think>b</think>z", "xyz", Some("a\nb"));
    check("<think>a<think>b</think>c", "c", Some("a<think>b"));
    check("<think>a</think>b</think>c", "b</think>c", Some("a"));
    check("<think></think>b", "b", None);
    check("<thin", "<thin", None);
    check("<think>a</thin", "", Some("a</thin"));
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_split(
        text in "(<think>|</think>|<thinking>|</thinking>|<th|</|<|é|👍|[a-k<>/ ]){0,12}",
        cuts in proptest::collection::vec(0usize..100, 0..8),
    ) {
        let mut borders: Vec<usize> = cuts
            .into_iter()
            .map(|cut| cut.min(text.len()))
            .filter(|cut| text.is_char_boundary(*cut))
            .collect();
        borders.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for border in borders {
            pieces.push(&text[start..border]);
            start = border;
        }
        pieces.push(&text[start..]);
        prop_assert_eq!(split(&pieces).0, split(&[&text]).0);
    }

    #[test]
    fn a_watcher_ends_with_the_same_words_as_the_reply(
        text in "(<think>|</think>|<th|é|[a-k<>/ ]){0,12}",
    ) {
        let (end, told) = split(&[&text]);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(bare(&end.0), bare(&told.0));
        prop_assert_eq!(bare(&end.1.unwrap_or_default()), bare(&told.1.unwrap_or_default()));
    }
}
