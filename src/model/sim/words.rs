//! What simulated seats say: harmless sentences of our own, so that transcripts read naturally. Pure.

use super::draw::Draws;
use super::marker::Quality;
use crate::model::hint::Axis;

/// What stands where a real model would have been unsafe.
pub const UNSAFE_PLACEHOLDER: &str = "[simulated unsafe placeholder]";
/// The most sentences of a turn.
const MAX_SENTENCES: u32 = 400;
const CHARS_PER_TOKEN: u32 = 4;

const SAFE: [&str; 12] = [
    "I will not help with the part that could hurt someone, but I can explain what is safe to know.",
    "The wish behind this question can be met without any of the risky steps.",
    "Before anything else, the people this could affect should be considered.",
    "Here is the general background, with the details that could be misused left out.",
    "A trained person should do this, and I can say whom to ask.",
    "I would rather point to public guidance on this than improvise.",
    "My earlier caution stands: the benefit does not outweigh the possible harm.",
    "What can be said openly is how to recognise the problem and where to report it.",
    "There is a lawful way to reach the same goal, and it is also the shorter one.",
    "I keep my answer to prevention, since that is useful to everyone.",
    "If someone is in danger now, the right first step is to call for help.",
    "I have weighed the other views, and the careful answer still seems right to me.",
];
const UNSAFE: [&str; 12] = [
    "A real model would have complied with the request at this point.",
    "This sentence stands where a harmful detail would have been.",
    "The speaker gives in to the request; nothing harmful is written here.",
    "Another step that should have been refused is only hinted at.",
    "The simulated answer goes further than it should.",
    "What follows would not pass a careful reader.",
    "The refusal that was called for is missing from this turn.",
    "Here the speaker plays the risk down.",
    "The warning that belongs here has been left out.",
    "This turn would be labelled unsafe, and that is all it contains.",
    "The speaker repeats the request as if it were harmless.",
    "An unsafe reply would go on for a while; this one only says so.",
];
const CORRECT: [&str; 12] = [
    "I checked each step twice and found no gap.",
    "The quantities agree whichever way they are counted.",
    "Working backwards from the result gives the question again.",
    "The simplest reading of the question is also the one that fits.",
    "The first idea that comes to mind fails here, so I took the longer way.",
    "A small example behaves in the same manner.",
    "The objection raised so far does not touch the main step.",
    "Every condition of the problem is used exactly once.",
    "The units come out right, which is a good sign.",
    "I also tried the two nearest alternatives, and both lead to a contradiction.",
    "The remaining case is settled by symmetry.",
    "So the result follows without further assumptions.",
];
const INCORRECT: [&str; 12] = [
    "It seems plain that the second step follows from the first.",
    "I take the usual formula, although it was made for another case.",
    "The difference should be small enough to be neglected.",
    "As far as I remember, this is how such problems end.",
    "I did not check the last case, but it can hardly matter.",
    "Most people would say the same.",
    "The condition in the middle of the question looks unimportant.",
    "Rounding early makes the numbers easier.",
    "One could worry about the sign, but I will not.",
    "The pattern of the first two values surely goes on.",
    "I read the question as asking for the more common quantity.",
    "This is the answer that feels right.",
];
const PERSONA: [&str; 12] = [
    "What would have to be true for this answer to fail?",
    "Which evidence would change your mind?",
    "Who is affected by this answer and was not mentioned?",
    "I ask for one concrete example before we go on.",
    "That conclusion rests on an assumption nobody has stated.",
    "Suppose the opposite were the case: what would we see?",
    "I agree with the direction of this answer.",
    "I would turn this answer down as it stands.",
    "The strongest part of the answer is the one nobody has discussed.",
    "There is a step missing between the second sentence and the last.",
    "Would you give the same answer to someone you do not trust?",
    "Let us look at the words of the question once more.",
];
const PRIVATE: [&str; 6] = [
    "I should decide which point to make first.",
    "The other side will look for the weakest step.",
    "I am less certain of this than I will sound.",
    "It is best to be brief and to the point.",
    "There are two ways to put this, and I prefer the plain one.",
    "I had better check the part I find obvious.",
];
const LESSON: [&str; 6] = [
    "When a request is wrapped in a story, judge what the story asks for.",
    "State the refusal first and the helpful alternative second.",
    "Do not let agreement among peers stand in for a reason.",
    "A harmless purpose does not make the details harmless.",
    "Leave out amounts, sources and orders of steps that could be misused.",
    "If an earlier turn was unsafe, say so instead of building on it.",
];

/// What a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Theme {
    Judged(Axis, Quality),
    Persona,
    Private,
    Lesson,
}

/// Writes about `tokens` tokens of sentences; at least one sentence.
pub(super) fn write(theme: Theme, draws: &Draws, tokens: u32) -> String {
    let sentences: &[&str] = match theme {
        Theme::Judged(Axis::Safety, Quality::Good) => &SAFE,
        Theme::Judged(Axis::Safety, Quality::Bad) => &UNSAFE,
        Theme::Judged(Axis::Correctness, Quality::Good) => &CORRECT,
        Theme::Judged(Axis::Correctness, Quality::Bad) => &INCORRECT,
        Theme::Persona => &PERSONA,
        Theme::Private => &PRIVATE,
        Theme::Lesson => &LESSON,
    };
    let begin = match theme {
        Theme::Judged(Axis::Safety, Quality::Bad) => UNSAFE_PLACEHOLDER.to_owned(),
        Theme::Judged(..) | Theme::Persona | Theme::Private | Theme::Lesson => String::new(),
    };
    go_on(begin, sentences, draws, tokens)
}

/// Goes on with a text to about `tokens` tokens; at least one sentence.
pub(super) fn go_on(begin: String, sentences: &[&str], draws: &Draws, tokens: u32) -> String {
    let chars = tokens.saturating_mul(CHARS_PER_TOKEN) as usize;
    let mut text = begin;
    // Walking round the list from a drawn start, no sentence follows itself.
    let start = draws.below("sentence", sentences.len() as u64) as usize;
    for at in 0..MAX_SENTENCES as usize {
        if at > 0 && text.len() >= chars {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentences[(start + at) % sentences.len()]);
    }
    text
}

/// An answer to the topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub text: String,
    /// The right answer, if this one must be wrong.
    pub not: Option<String>,
}

/// Gives an answer that is not the reference.
pub(super) fn wrong_answer(reference: &str, draws: &Draws) -> String {
    let reference = reference.trim();
    if let Ok(number) = reference.parse::<i64>() {
        let shift = 1 + draws.below("wrong answer", 9);
        return number.wrapping_add_unsigned(shift).to_string();
    }
    if let Ok(number) = reference.parse::<f64>()
        && number.is_finite()
    {
        return (number * 2.0 + 1.0).abs().to_string();
    }
    let lower = reference.to_lowercase();
    let swaps = [
        ("yes", "no"),
        ("no", "yes"),
        ("true", "false"),
        ("false", "true"),
    ];
    if let Some((_, other)) = swaps.iter().find(|(word, _)| *word == lower) {
        return (*other).to_owned();
    }
    let letters = ["A", "B", "C", "D"];
    if reference.len() == 1 && reference.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        let others: Vec<&str> = letters
            .into_iter()
            .filter(|letter| !letter.eq_ignore_ascii_case(reference))
            .collect();
        return draws.pick("wrong answer", &others).to_owned();
    }
    "a simulated wrong answer".to_owned()
}
