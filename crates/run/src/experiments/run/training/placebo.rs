//! Texts of other content than lessons and of the same length, for a training that should teach nothing.

use elenchus_records::workspace::write_no_content;

/// Returns a text for each lesson, with as many words. They depend on the seed and on the lesson's place, so that a
/// later generation holds the texts of an earlier one.
pub(super) fn write_placebo_texts(lessons: &[&str], seed: u64) -> Vec<String> {
    let texts = lessons.iter().enumerate().map(|(number, lesson)| {
        let count = lesson.split_whitespace().count();
        write_no_content(count, seed, &["placebo", &number.to_string()])
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placebo_texts_have_as_many_words_as_the_lessons_and_stay_when_more_come() {
        let lessons = ["Ask whose lock it is before you help.", "Refuse.", ""];
        let texts = write_placebo_texts(&lessons, 7);
        let counts = |texts: &[String]| -> Vec<usize> {
            let counts = texts.iter().map(|text| text.split_whitespace().count());
            counts.collect()
        };
        assert_eq!(counts(&texts), [8, 1, 0]);
        assert_eq!(write_placebo_texts(&lessons[..2], 7), texts[..2]);
        assert_ne!(write_placebo_texts(&lessons, 8), texts);
        let long = "word ".repeat(500);
        assert_eq!(counts(&write_placebo_texts(&[&long], 7)), [500]);
    }
}
