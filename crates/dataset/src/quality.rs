//! QuALITY: long texts with questions, each of which is a topic with the text as its document.

use serde_json::{Map, Value};

use super::option_answers::OptionList;
use super::selection::compute_rank;
use super::topic_draft::{DocumentSource, TopicDraft, shorten_text};
use elenchus_game::debate::{Document, Topic};

/// The most questions of one text that are read; the release has about twenty.
const MAX_QUESTIONS: usize = 1_000;

/// Returns whether an object with these keys is a text with its questions, and not a list of rows.
pub(super) fn is_text<'a>(mut keys: impl Iterator<Item = &'a str> + Clone) -> bool {
    keys.clone().any(|key| key == "article") && keys.any(|key| key == "questions")
}

/// Returns a draft for each question of a text, or the reason why it is none.
///
/// # Errors
/// When the object has no text or no list of questions.
pub(super) fn build_drafts(value: Value) -> Result<Vec<Result<TopicDraft, String>>, String> {
    let Value::Object(text) = value else {
        return Err("the row is no object with `article` and `questions`".to_owned());
    };
    let Some(article) = find_text(&text, "article") else {
        return Err("there is no text: `article` is missing or empty".to_owned());
    };
    let Some(questions) = text.get("questions").and_then(Value::as_array) else {
        return Err("there is no list of `questions`".to_owned());
    };
    if questions.len() > MAX_QUESTIONS {
        let many = questions.len();
        return Err(format!(
            "the text has {many} questions, and at most {MAX_QUESTIONS} are read: divide it"
        ));
    }
    let name = find_text(&text, "title").or_else(|| find_text(&text, "article_id"));
    let document = Document {
        name: name.unwrap_or_else(|| "article".to_owned()),
        text: article,
    };
    let category = find_text(&text, "source");
    let drafts = questions.iter().enumerate().map(|(at, question)| {
        build_question_draft(question, &document, category.as_ref())
            .map_err(|why| format!("question {} of the text {why}", at + 1))
    });
    Ok(drafts.collect())
}

fn build_question_draft(
    question: &Value,
    document: &Document,
    category: Option<&String>,
) -> Result<TopicDraft, String> {
    let Some(question) = question.as_object() else {
        return Err("is no object".to_owned());
    };
    let options = question.get("options").and_then(Value::as_array);
    let options = options.into_iter().flatten().map(|option| {
        let text = option
            .as_str()
            .map(str::trim)
            .filter(|text| !text.is_empty());
        text.map(str::to_owned)
    });
    let Some(options) = options.collect::<Option<Vec<String>>>() else {
        return Err("has an option that is empty or no text".to_owned());
    };
    if options.len() < 2 {
        return Err("has fewer than two `options`".to_owned());
    }
    let answer = match question.get("gold_label") {
        // The test set withholds them.
        None | Some(Value::Null) => None,
        Some(label) => {
            let number = label.as_u64().and_then(|label| usize::try_from(label).ok());
            let option = number.and_then(|number| options.get(number.checked_sub(1)?));
            Some(option.cloned().ok_or_else(|| {
                format!(
                    "has the gold_label {}, which is the number of none of its {} options",
                    shorten_text(&label.to_string()),
                    options.len()
                )
            })?)
        }
    };
    Ok(TopicDraft {
        id: find_text(question, "question_unique_id"),
        text: Some(find_text(question, "question").ok_or("has no `question`")?),
        category: category.cloned(),
        answer,
        documents: vec![DocumentSource::Inline(document.clone())],
        options: OptionList {
            texts: options,
            ..OptionList::default()
        },
        ..TopicDraft::default()
    })
}

fn find_text(object: &Map<String, Value>, key: &str) -> Option<String> {
    let text = object.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Leaves two options of each topic whose right one is known: that one and another one that is drawn by the
/// seed, in an order that is drawn as well.
pub fn keep_two_options(topics: &mut [Topic], seed: u64) {
    for topic in topics {
        let Some(right) = topic.reference.as_ref().map(|known| known.answer.clone()) else {
            continue;
        };
        if !topic.options.contains(&right) {
            continue;
        }
        let rank =
            |option: &String| compute_rank("distractor", seed, &format!("{} {option}", topic.id));
        let wrong = topic.options.iter().filter(|option| **option != right);
        let Some(wrong) = wrong.min_by_key(|option| rank(option)).cloned() else {
            continue;
        };
        let [byte, ..] = compute_rank("option order", seed, &topic.id);
        topic.options = match byte % 2 {
            0 => vec![right, wrong],
            _ => vec![wrong, right],
        };
    }
}
