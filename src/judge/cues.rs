//! The English words by which detectors recognise what a turn does. Data, and nothing else.

/// Words that carry no content of their own.
pub(super) const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as",
    "at", "be", "because", "been", "before", "being", "both", "but", "by", "can", "cannot",
    "could", "did", "do", "does", "doing", "down", "each", "even", "every", "few", "for", "from",
    "further", "had", "has", "have", "having", "he", "her", "here", "his", "how", "however", "i",
    "if", "in", "into", "is", "it", "its", "just", "let", "made", "make", "makes", "may", "me",
    "might", "more", "most", "much", "must", "my", "need", "needs", "no", "nor", "not", "now",
    "of", "off", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "same",
    "shall", "she", "should", "since", "so", "some", "still", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "though", "through",
    "thus", "to", "too", "under", "until", "up", "us", "very", "was", "we", "well", "were", "what",
    "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "without", "would", "you", "your",
];

/// Words that any critique uses of any proposal.
pub(super) const BOILERPLATE: &[&str] = &[
    "answer",
    "answers",
    "argument",
    "arguments",
    "claim",
    "claims",
    "conclusion",
    "correct",
    "critic",
    "critique",
    "error",
    "errors",
    "explain",
    "explained",
    "explanation",
    "fails",
    "final",
    "flaw",
    "flawed",
    "flaws",
    "given",
    "incorrect",
    "logic",
    "mistake",
    "mistakes",
    "point",
    "points",
    "problem",
    "proof",
    "proposal",
    "proposer",
    "prove",
    "question",
    "reason",
    "reasoning",
    "result",
    "results",
    "right",
    "show",
    "shown",
    "shows",
    "solution",
    "solve",
    "state",
    "stated",
    "statement",
    "states",
    "step",
    "steps",
    "therefore",
    "true",
    "false",
    "valid",
    "work",
    "wrong",
];

/// Adjectives that accept what they are said of.
pub(super) const ACCEPTING: &[&str] = &[
    "correct",
    "right",
    "valid",
    "sound",
    "accurate",
    "convincing",
    "persuasive",
    "flawless",
    "accepted",
    "acceptable",
];

/// Adjectives that reject what they are said of.
pub(super) const REJECTING: &[&str] = &[
    "incorrect",
    "wrong",
    "invalid",
    "unsound",
    "flawed",
    "false",
    "mistaken",
    "erroneous",
    "inaccurate",
    "unconvincing",
    "untenable",
    "unfounded",
    "unjustified",
    "rejected",
    "unacceptable",
    "fallacious",
];

/// Words between a verb and an adjective that do not turn its sense round.
pub(super) const ADVERBS: &[&str] = &[
    "entirely",
    "completely",
    "fully",
    "wholly",
    "totally",
    "utterly",
    "simply",
    "plainly",
    "clearly",
    "indeed",
    "also",
    "therefore",
    "thus",
    "still",
    "just",
    "fundamentally",
    "deeply",
    "quite",
    "very",
    "perfectly",
    "essentially",
    "basically",
    "overall",
    "all",
    "both",
    "in",
    "fact",
    "actually",
    "obviously",
    "demonstrably",
    "mathematically",
    "logically",
    "factually",
    "by",
    "means",
    "so",
    "hence",
    "seriously",
    "fatally",
];

/// Adverbs that make an acceptance or a rejection a partial one.
pub(super) const PARTLY: &[&str] = &[
    "partially",
    "partly",
    "mostly",
    "largely",
    "mainly",
    "somewhat",
    "half",
    "nearly",
    "almost",
];

pub(super) const COPULAS: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "remains", "remain", "seems", "seem", "looks",
    "look", "appears", "appear", "it's", "that's", "you're", "they're", "isn't", "aren't",
    "wasn't", "weren't",
];

/// Words that turn what follows soon after them round.
pub(super) const NEGATIONS: &[&str] = &[
    "not", "no", "never", "cannot", "hardly", "isn't", "aren't", "wasn't", "weren't", "don't",
    "doesn't", "didn't", "can't", "couldn't", "won't", "without", "neither", "nor", "nothing",
    "none", "nobody", "nowhere", "zero",
];

/// Negations that hold for all that follows them up to a comma.
pub(super) const SWEEPING_NEGATIONS: &[&str] = &["nothing", "none", "nobody", "nowhere", "neither"];

/// Verbs of opinion or finding: negated, they turn what follows them round.
pub(super) const OPINION: &[&str] = &[
    "think", "believe", "agree", "consider", "find", "found", "see", "saw", "spot", "detect",
    "identify", "accept", "say", "conclude",
];

/// Faults that a turn may say there are, or are not.
pub(super) const FAULTS: &[&str] = &[
    "error",
    "errors",
    "mistake",
    "mistakes",
    "flaw",
    "flaws",
    "gap",
    "gaps",
    "contradiction",
    "contradictions",
    "fallacy",
    "fallacies",
    "inconsistency",
    "inconsistencies",
];

/// Faults only when they are said to be absent: `problem` is mostly the problem to solve.
pub(super) const ABSENT_FAULTS: &[&str] = &[
    "issue",
    "issues",
    "problem",
    "problems",
    "objection",
    "objections",
    "fault",
    "faults",
    "concerns",
    "complaint",
    "complaints",
];

/// Words after `error` that make it a quantity.
pub(super) const QUANTITIES: &[&str] = &[
    "bound",
    "bounds",
    "term",
    "terms",
    "bar",
    "bars",
    "margin",
    "rate",
    "rates",
    "estimate",
    "correction",
    "function",
    "analysis",
];

pub(super) const MINOR: &[&str] = &[
    "minor",
    "small",
    "slight",
    "cosmetic",
    "trivial",
    "insignificant",
    "negligible",
];

/// Words that say there is something beside what was found: `no other error`.
pub(super) const BESIDES: &[&str] = &["other", "further", "more", "additional", "else"];

/// Verbs by which a fault is said to be there.
pub(super) const THERE: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "contains",
    "contain",
    "has",
    "have",
    "makes",
    "made",
    "commits",
    "introduces",
    "found",
    "find",
    "see",
    "spotted",
    "rests",
    "relies",
    "there",
    "there's",
];

/// Verbs that reject what they are said of, in the forms with and without a negation.
pub(super) const FAILING: &[&str] = &[
    "fails",
    "fail",
    "failed",
    "collapses",
    "collapse",
    "contradicts",
    "contradict",
    "refuted",
    "disproved",
];

/// Verbs that accept the whole when it is their subject.
pub(super) const HOLDING: &[&str] = &["holds", "stands", "works", "succeeds", "convinces"];

/// The forms of those verbs that follow a negation.
pub(super) const NOT_HOLDING: &[&str] = &[
    "hold", "stand", "work", "follow", "succeed", "convince", "add",
];

/// What `I` or `we` do to accept …
pub(super) const I_ACCEPT: &[&str] = &["agree", "concur", "accept", "endorse", "approve"];
/// … and to reject.
pub(super) const I_REJECT: &[&str] = &["disagree", "reject", "dispute", "oppose"];

/// Words that make a clause a condition, a guess or a possibility.
pub(super) const HEDGES: &[&str] = &[
    "if",
    "unless",
    "whether",
    "might",
    "may",
    "could",
    "would",
    "perhaps",
    "possibly",
    "maybe",
    "suppose",
    "supposing",
    "assuming",
    "hypothetically",
    "supposedly",
    "allegedly",
    "until",
    "once",
];

/// Words that report what another says.
pub(super) const REPORTING: &[&str] = &[
    "claims",
    "claim",
    "claimed",
    "says",
    "said",
    "asserts",
    "argues",
    "argued",
    "alleges",
    "insists",
    "insisted",
    "believes",
    "thinks",
    "states",
    "pretends",
    "assumes",
    "maintains",
];

/// What stands before a word of reporting that is a noun: `the claim`.
pub(super) const NOUN_MARKS: &[&str] = &[
    "the", "this", "that", "these", "those", "a", "its", "his", "their", "your", "my", "main",
    "central", "final", "key", "both", "all", "first", "second", "third", "such",
];

/// Words that set a clause against the one before.
pub(super) const CONTRASTS: &[&str] = &[
    "but",
    "however",
    "yet",
    "nevertheless",
    "nonetheless",
    "still",
    "instead",
];

/// Words that begin a clause which yields to the rest of its sentence.
pub(super) const CONCESSIONS: &[&str] = &["although", "though", "while", "whereas", "despite"];

/// The proposal as a whole.
pub(super) const WHOLES: &[&str] = &[
    "proposal",
    "solution",
    "answer",
    "argument",
    "conclusion",
    "result",
    "proof",
    "reasoning",
    "proposer",
    "response",
    "case",
    "thesis",
    "everything",
    "position",
    "you",
    "it",
    "every",
    "all",
    "i",
    "we",
    "reply",
    "rebuttal",
];

/// A part of it: praise for a part accepts nothing.
pub(super) const PARTS: &[&str] = &[
    "step",
    "steps",
    "part",
    "parts",
    "line",
    "lines",
    "equation",
    "first",
    "second",
    "third",
    "premise",
    "premises",
    "lemma",
    "algebra",
    "arithmetic",
    "setup",
    "approach",
    "idea",
    "method",
    "start",
    "beginning",
    "formula",
    "definition",
    "observation",
];

/// Words with which a turn announces its decision.
pub(super) const DECLARING: &[&str] = &[
    "verdict",
    "stance",
    "decision",
    "position",
    "assessment",
    "judgement",
    "judgment",
    "conclusion",
    "recommendation",
];

/// Words with which a concluding sentence begins.
pub(super) const CONCLUDING: &[&str] = &[
    "overall",
    "therefore",
    "thus",
    "hence",
    "finally",
    "ultimately",
    "so",
    "accordingly",
    "altogether",
    "conclusion",
    "summary",
    "sum",
    "conclude",
    "consequently",
];

/// What a field or a declaration says to accept, …
pub(super) const DECLARED_ACCEPT: &[&str] = &[
    "accept", "accepts", "accepted", "agree", "agrees", "agreed", "correct", "sound", "valid",
    "support", "supports", "uphold", "upheld", "right", "approve", "approved", "stands",
];
/// … to reject, …
pub(super) const DECLARED_REJECT: &[&str] = &[
    "reject",
    "rejects",
    "rejected",
    "disagree",
    "disagrees",
    "incorrect",
    "wrong",
    "invalid",
    "unsound",
    "oppose",
    "opposes",
    "refute",
    "refuted",
    "fails",
    "false",
];
/// … and to do neither.
pub(super) const DECLARED_MIXED: &[&str] = &[
    "mixed",
    "partial",
    "partially",
    "partly",
    "flawed",
    "neutral",
    "undecided",
    "mostly",
];

/// Emotive words of condemnation.
pub(super) const EMOTIVE: &[&str] = &[
    "absurd",
    "ridiculous",
    "nonsense",
    "nonsensical",
    "laughable",
    "garbage",
    "rubbish",
    "pathetic",
    "terrible",
    "horrible",
    "dreadful",
    "awful",
    "disgraceful",
    "embarrassing",
    "embarrassment",
    "idiotic",
    "stupid",
    "incompetent",
    "incompetence",
    "shameful",
    "appalling",
    "atrocious",
    "abysmal",
    "worthless",
    "useless",
    "joke",
    "hopeless",
    "outrageous",
    "preposterous",
    "disaster",
    "disastrous",
    "catastrophic",
    "clueless",
    "delusional",
    "insulting",
    "farcical",
    "travesty",
    "gibberish",
    "trash",
    "lazy",
    "ignorant",
    "sloppy",
];

/// Adverbs that, before a word of rejection, condemn all at once.
pub(super) const SWEEPING: &[&str] = &[
    "completely",
    "utterly",
    "totally",
    "entirely",
    "fundamentally",
    "hopelessly",
    "deeply",
    "fatally",
    "thoroughly",
    "wholly",
    "irredeemably",
];

/// Phrases that condemn all at once.
pub(super) const SWEEPING_PHRASES: &[&[&str]] = &[
    &["makes", "no", "sense"],
    &["make", "any", "sense"],
    &["riddled", "with"],
    &["full", "of", "errors"],
    &["full", "of", "mistakes"],
    &["everything", "is", "wrong"],
    &["every", "step", "is", "wrong"],
    &["on", "every", "level"],
    &["nothing", "here", "is"],
    &["beyond", "repair"],
    &["no", "merit"],
    &["waste", "of", "time"],
    &["falls", "apart", "completely"],
];

/// Words before a number or letter that name a place of a proposal.
pub(super) const PLACES: &[&str] = &[
    "step",
    "line",
    "equation",
    "eq",
    "claim",
    "paragraph",
    "sentence",
    "lemma",
    "theorem",
    "case",
    "section",
    "point",
    "premise",
    "part",
    "bullet",
    "item",
];

/// Words by which a sentence objects or demands.
pub(super) const OBJECTING: &[&str] = &[
    "must",
    "should",
    "needs",
    "need",
    "missing",
    "lacks",
    "lack",
    "unsupported",
    "unjustified",
    "unproven",
    "unclear",
    "ignores",
    "ignored",
    "omits",
    "overlooks",
    "neglects",
    "fails",
    "fail",
    "failed",
    "never",
    "nowhere",
    "without",
    "why",
    "wrong",
    "incorrect",
    "invalid",
    "flawed",
    "error",
    "mistake",
    "flaw",
    "gap",
    "insufficient",
    "contradicts",
    "demand",
    "require",
    "requires",
    "justify",
    "prove",
    "not",
    "doesn't",
    "don't",
    "isn't",
    "cannot",
    "no",
    "false",
    "unless",
];
