//! The split of private reasoning and public text.

use crate::server::reasoning_marks::ReasoningMarks;
use crate::{Delta, ReasoningSplitter, SplitReply, has_reasoning_marks};
use proptest::prelude::*;

/// Splits pieces; also returns what a watcher was told.
fn split_pieces(pieces: &[&str]) -> (SplitReply, (String, String)) {
    let (mut public, mut thinking) = (String::new(), String::new());
    let mut watch = |delta: Delta<'_>| match delta {
        Delta::Public(text) => public.push_str(text),
        Delta::Thinking(text) => thinking.push_str(text),
        Delta::PublicWasThinking => thinking.push_str(&std::mem::take(&mut public)),
    };
    let mut splitter = ReasoningSplitter::default();
    for piece in pieces {
        splitter.push_text(piece, &mut watch);
    }
    let end = splitter.finish(&mut watch);
    (end, (public, thinking))
}

fn split(text: &str) -> SplitReply {
    split_pieces(&[text]).0
}

fn check(text: &str, public: &str, thinking: Option<&str>) {
    let found = split(text);
    assert_eq!(
        (found.public.as_str(), found.thinking.as_deref()),
        (public, thinking),
        "{text}"
    );
}

/// What a model thinks and says, between each pair of marks and on each channel.
fn marked_replies() -> Vec<String> {
    let marks = ReasoningMarks::common_marks();
    let pairs = marks.pairs.iter().flat_map(|pair| {
        let closes = pair.close.iter();
        closes.map(|close| format!("{}SECRET plan{close}\n\nThe answer.", pair.open))
    });
    let upper = marks.pairs.iter().map(|pair| {
        let (open, close) = (pair.open.to_uppercase(), pair.close[0].to_uppercase());
        format!("  {open}\nSECRET plan\n{close}The answer.")
    });
    let lone = marks.pairs.iter().filter(|pair| pair.lone_close);
    let lone = lone.map(|pair| format!("SECRET plan.\n{}\n\nThe answer.", pair.close[0]));
    let spoken = marks.spoken.iter();
    let spoken = spoken.map(|pair| format!("{} SECRET plan{}The answer.", pair.open, pair.close));
    let channels = [
        "<|channel|>analysis<|message|>SECRET plan<|end|><|start|>assistant<|channel|>final<|message|>The answer.",
        "<|start|>assistant<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>commentary \
         to=functions.x<|message|>{\"SECRET\":1}<|call|><|start|>assistant<|channel|>final \
         <|constrain|>json<|message|>The answer.<|return|>",
        "analysis<|message|>SECRET plan<|end|><|start|>assistant<|channel|>final<|message|>The answer.",
        "<|channel|>musing<|message|>SECRET<|end|><|channel|>final<|message|>The answer.<|end|>\n",
        "<|channel|>final<|message|>The answer.<|end|><|start|>assistant<|channel|>analysis<|message|>SECRET",
        "<|START_THINKING|>SECRET<|END_THINKING|><|START_RESPONSE|>The answer.<|END_RESPONSE|>",
        "<think>SECRET</think>\n<think>more SECRET</think>The answer.<|im_end|>\n",
    ];
    pairs
        .chain(upper)
        .chain(lone)
        .chain(spoken)
        .chain(channels.map(str::to_owned))
        .collect()
}

#[test]
fn marks_of_every_form_keep_what_was_thought_private() {
    for text in marked_replies() {
        let found = split(&text);
        assert_eq!(found.public, "The answer.", "{text}");
        let thinking = found.thinking.unwrap_or_default();
        assert!(thinking.contains("SECRET"), "{text}: {thinking}");
        assert_eq!(found.unknown_mark, None, "{text}");
    }
}

#[test]
fn a_stream_may_be_cut_anywhere_in_a_mark() {
    for text in marked_replies() {
        let whole = split(&text);
        for (at, _) in text.char_indices().skip(1) {
            let (head, tail) = text.split_at(at);
            assert_eq!(split_pieces(&[head, tail]).0, whole, "{head:?} {tail:?}");
        }
        let mut letters = [0; 4];
        let mut splitter = ReasoningSplitter::default();
        for c in text.chars() {
            splitter.push_text(c.encode_utf8(&mut letters), &mut |_| {});
        }
        assert_eq!(splitter.finish(&mut |_| {}), whole, "{text}");
    }
}

#[test]
fn a_mark_that_is_never_closed_makes_everything_private() {
    let marks = ReasoningMarks::common_marks();
    for pair in &marks.pairs {
        check(
            &format!("{}SECRET plan", pair.open),
            "",
            Some("SECRET plan"),
        );
    }
    check("<|channel|>analysis<|message|>SECRET", "", Some("SECRET"));
    check("<|channel|>analysis", "", Some("analysis"));
    check("Well.<|channel>thought\nhm", "", Some("thought\nhmWell."));
    check("<think>a</thin", "", Some("a</thin"));
}

#[test]
fn a_text_about_marks_loses_nothing() {
    for text in [
        "plain",
        " <b>plain</b> < > ",
        "Models write <think> before they reason and </think> after it.",
        "x<think>a</think>y<think>b</think>z",
        "The tag `</think>` ends it.",
        "They close it with \"</think>\".",
        "[think about it] Yes.",
        "Analysis shows that the assistant is right.",
        "analysis of the claim: it fails.",
        "Here is my thought process: first, cost.",
        "<thin",
        "In ChatML, <|im_end|> ends a turn.",
    ] {
        check(text, text, None);
    }
    check("<think></think>b", "b", None);
    check("<think>a<think>b</think>c", "c", Some("a<think>b"));
    check("<think>a</think>b</think>c", "b</think>c", Some("a"));
    check(
        "<think>a</think>b <think>c</think>",
        "b <think>c</think>",
        Some("a"),
    );
}

#[test]
fn the_token_that_ends_a_reply_is_no_part_of_it() {
    for token in &ReasoningMarks::common_marks().tokens.end {
        for text in [
            format!("safe{token}"),
            format!("safe \n{token}\n"),
            format!("safe{token}{token}"),
            format!("<think>hm</think>safe{token}"),
        ] {
            let found = split(&text);
            assert_eq!(found.public, "safe", "{text}");
            assert_eq!(found.end_token.as_deref(), Some(token.as_str()), "{text}");
        }
    }
    let found = split("It ends with <eos> here.");
    assert_eq!(
        (found.public.as_str(), found.end_token),
        ("It ends with <eos> here.", None)
    );
}

#[test]
fn marks_of_a_configuration_are_read_beside_the_known_ones() {
    let own = [("<ponder>".to_owned(), "</ponder>".to_owned())];
    for text in ["<ponder>a</ponder>b", "a</ponder>b", "<think>a</think>b"] {
        let mut splitter = ReasoningSplitter::with_marks(&own);
        splitter.push_text(text, &mut |_| {});
        let found = splitter.finish(&mut |_| {});
        assert_eq!(found.public, "b", "{text}");
        assert_eq!(found.thinking.as_deref(), Some("a"), "{text}");
    }
    let unknown = split("<ponder>a</ponder>b");
    assert_eq!(unknown.unknown_mark.as_deref(), Some("<ponder>"));
    assert_eq!(unknown.public, "<ponder>a</ponder>b");
}

#[test]
fn recorded_texts_with_marks_are_recognised() {
    let spoken = |text: &&String| {
        !ReasoningMarks::common_marks()
            .spoken
            .iter()
            .any(|s| text.starts_with(&s.open))
    };
    for text in marked_replies().iter().filter(spoken) {
        let lone = !text.trim_start().starts_with(['<', '[', '◁']) && !text.contains("<|message|>");
        assert!(lone || has_reasoning_marks(text), "{text}");
    }
    for text in ["", "plain", "Models write <think> first.", "a < b"] {
        assert!(!has_reasoning_marks(text), "{text}");
    }
}

const SNIPPETS: &str = "(<think>|</think>|<\\|channel\\|>|<\\|start\\|>|<\\|message\\|>|<\\|end\\|>|analysis|final|\
                        assistantfinal|<\\|channel>|<channel\\|>|\\[THINK\\]|\\[/THINK\\]|</s>|<th|</|<|◁|👍|\
                        [a-k<>/ ]){0,12}";

proptest! {
    #[test]
    fn any_cutting_gives_the_same_split(
        text in SNIPPETS,
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
        prop_assert_eq!(split_pieces(&pieces).0, split(&text));
    }

    #[test]
    fn a_watcher_ends_with_the_same_public_words_as_the_reply(text in SNIPPETS) {
        let (end, (public, thinking)) = split_pieces(&[&text]);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(bare(&end.public), bare(&public));
        prop_assert_eq!(bare(&end.thinking.unwrap_or_default()), bare(&thinking));
    }
}
