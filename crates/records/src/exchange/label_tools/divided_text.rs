//! Texts that show a prompt and a completion to annotators, divided at the words before each.

/// Words before a prompt, and before a completion.
const PROMPTS: [&str; 8] = [
    "question:",
    "prompt:",
    "instruction:",
    "query:",
    "user:",
    "human:",
    "input:",
    "q:",
];
const COMPLETIONS: [&str; 10] = [
    "answer:",
    "completion:",
    "response:",
    "reply:",
    "assistant:",
    "model:",
    "output:",
    "bot:",
    "ai:",
    "a:",
];
/// Line breaks of HTML, which tools show texts in.
const BREAKS: [&str; 3] = ["<br>", "<br/>", "<br />"];

/// Words at which every text of a file is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextMarks {
    pub prompt: &'static str,
    pub completion: &'static str,
}

impl TextMarks {
    /// Returns the marks that all texts have; `None` where they have none, or not the same ones.
    pub(super) fn find_common<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let first = texts.clone().next()?;
        let all = PROMPTS.into_iter().flat_map(|prompt| {
            let with = move |completion| Self { prompt, completion };
            COMPLETIONS.into_iter().map(with)
        });
        let mut fitting = all.filter(|marks| marks.divide(first).is_some());
        fitting.find(|marks| texts.clone().all(|text| marks.divide(text).is_some()))
    }

    /// Divides a text that begins with the first mark and has the second once.
    pub(super) fn divide(self, text: &str) -> Option<(String, String)> {
        let text = text.trim();
        // In ASCII, so that places stay the same.
        let small = text.to_ascii_lowercase();
        let rest = small.strip_prefix(self.prompt)?;
        let from = self.prompt.len();
        let begins_word = |at: usize| {
            let before = rest.get(..at).and_then(|before| before.chars().next_back());
            before.is_some_and(|before| before.is_whitespace() || before == '>')
        };
        let mut places = rest
            .match_indices(self.completion)
            .map(|(at, _)| at)
            .filter(|at| begins_word(*at));
        let (at, None) = (places.next()?, places.next()) else {
            return None;
        };
        let prompt = text.get(from..from + at)?;
        let completion = text.get(from + at + self.completion.len()..)?;
        let (prompt, completion) = (trim_breaks(prompt), trim_breaks(completion));
        (!prompt.is_empty() && !completion.is_empty()).then_some((prompt, completion))
    }
}

fn trim_breaks(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let shorter = BREAKS
            .iter()
            .find_map(|mark| text.strip_suffix(mark).or_else(|| text.strip_prefix(mark)));
        match shorter {
            Some(shorter) => text = shorter.trim(),
            None => return text.to_owned(),
        }
    }
}
