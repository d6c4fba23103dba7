//! Stores to open, and a server that sends a word at a time.

use elenchus_test_support::answer::{Answer, Barrier, Step, event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::{ChatRequest, ChatServer};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const TOPIC: &str = "How would a village share one well in a dry year?";

/// Fills a store with sessions that were simulated: so many of them, of so many rounds.
pub fn simulated(sessions: u32, rounds: u32) -> Program {
    let program = Program::new();
    let (rollouts, rounds) = (sessions.to_string(), rounds.to_string());
    program.write("topics.jsonl", &json!({"text": TOPIC}).to_string());
    let mut args = vec!["run", "-q", "--protocol", "pred"];
    args.extend(["--dataset", "own:topics.jsonl"]);
    args.extend(["--rounds", &rounds, "--rollouts", &rollouts]);
    program.run(&args).ended_with(0);
    assert_eq!(program.sessions().len(), sessions as usize);
    program
}

/// The words of a reply: four letters and a blank, no two of them alike, in paragraphs.
pub struct Words {
    pub at_first: u32,
    pub pieces: u32,
    pub per_piece: u32,
}

/// Words in a paragraph.
const PARAGRAPH: u32 = 70;

impl Words {
    /// The word of a number, without what follows it.
    pub fn word(number: u32) -> String {
        let letter = |value: u32| char::from(b'a' + u8::try_from(value % 26).unwrap());
        let letters = [letter(number / 676), letter(number / 26), letter(number)];
        format!("q{}", letters.iter().collect::<String>())
    }

    /// The number of the last word of a piece.
    pub fn last_of(&self, piece: u32) -> u32 {
        self.at_first + (piece + 1) * self.per_piece - 1
    }

    fn events(from: u32, until: u32) -> Vec<u8> {
        let token = |number| {
            let end = if number % PARAGRAPH == PARAGRAPH - 1 {
                "\n\n"
            } else {
                " "
            };
            event(&json!({"content": Self::word(number) + end}))
        };
        (from..until).map(token).collect::<String>().into_bytes()
    }

    /// The reply: the first words at once, then a piece whenever the barrier is met.
    fn reply(&self, barrier: &Arc<Barrier>) -> Answer {
        let mut answer = Answer::sse_open([Self::events(0, self.at_first)]);
        for piece in 0..self.pieces {
            let last = self.last_of(piece) + 1;
            answer = answer
                .then(Step::Meet(Arc::clone(barrier)))
                .then(Step::Chunk(Self::events(last - self.per_piece, last)));
        }
        let over = [finish("stop"), usage(11, 7), "data: [DONE]\n\n".to_owned()];
        answer
            .then(Step::Meet(Arc::clone(barrier)))
            .then(Step::Chunk(over.concat().into_bytes()))
            .then(Step::EndChunks)
    }
}

/// A session that has begun and in which nothing was said, and the server that speaks in it.
pub struct BegunDebate {
    pub program: Program,
    pub session: String,
    /// Met by the server before each piece, and before the end of the reply.
    pub barrier: Arc<Barrier>,
    _server: ChatServer,
}

impl BegunDebate {
    pub fn of(words: Words) -> Self {
        let barrier = Barrier::of(2);
        let word_by_word = Arc::new(AtomicBool::new(false));
        let (met, slowly) = (Arc::clone(&barrier), Arc::clone(&word_by_word));
        let server = ChatServer::start(move |_: &ChatRequest| {
            // What the turn is judged by afterwards comes at once.
            if slowly.swap(false, Ordering::SeqCst) {
                words.reply(&met)
            } else {
                Answer::chat("safe")
            }
        });
        let program = Program::configured(&format!(
            "[providers.openai]\nbase_url = \"{}\"\n[models.ada]\nprovider = \"openai\"\nname = \"ada\"\n",
            server.base_url()
        ));
        let args = ["run", "-q", "--protocol", "pred", "--rounds", "1"];
        let args = [&args[..], &["--topic", TOPIC, "--model", "ada"]].concat();
        program.run(&args).ended_with(0);
        let session = program.sessions().remove(0);
        let path = program.store().join(format!("sessions/{session}.jsonl"));
        let kept = std::fs::read_to_string(&path).unwrap();
        let first = kept.split_inclusive('\n').next().unwrap();
        std::fs::write(&path, first).unwrap();
        program.forget_heads();
        word_by_word.store(true, Ordering::SeqCst);
        Self {
            program,
            session,
            barrier,
            _server: server,
        }
    }
}
