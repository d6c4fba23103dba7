//! Hostile servers: damaged streams, and every behaviour of the loopback server cut at every byte.

use super::harness::ask;
use elenchus_test_support::answer::{Step, event, finish, usage};
use elenchus_test_support::damage::cases;
use elenchus_test_support::{Answer, ChatServer};
use futures_util::future::join_all;
use serde_json::json;

/// Damaged streams of each run; each is a call.
const STREAMS: u64 = 150;
/// Bytes between two cuts where nothing else is said; every byte where more cases are asked for.
const CUTS_APART: usize = 11;
/// Calls side by side.
const SIDE_BY_SIDE: usize = 16;
const TEXT: &str = "A village shares one well, and naïve 🦀 nobody pays.";

fn stream() -> Vec<u8> {
    let mut all = Vec::new();
    for piece in TEXT.split_inclusive(' ') {
        all.extend(event(&json!({"content": piece})).bytes());
    }
    all.extend(b": a comment\n\nevent: message\r\nid: 7\r\nretry: 10\r\n");
    all.extend(event(&json!({"reasoning_content": "<think>so</think>"})).bytes());
    all.extend(finish("stop").bytes());
    all.extend(usage(11, 7).bytes());
    all.extend(b"data: [DONE]\n\n");
    all
}

#[tokio::test]
async fn damaged_streams_become_replies_or_errors() {
    let mut read = 0;
    let mut cases = cases(STREAMS).peekable();
    while cases.peek().is_some() {
        let asked = cases.by_ref().take(SIDE_BY_SIDE).map(|mut damage| {
            let bytes = damage.bytes(&stream());
            let pieces = damage.number(1, 40);
            let answer = Answer::sse(bytes.chunks(pieces));
            async move {
                let server = ChatServer::script(vec![answer]);
                let reply = ask(&server).await;
                if let Ok(reply) = &reply {
                    assert!(reply.text.len() <= bytes.len(), "{reply:?}");
                }
                usize::from(reply.is_ok())
            }
        });
        read += join_all(asked).await.iter().sum::<usize>();
    }
    assert!(read > 0, "every one was refused");
}

/// The bytes that an answer puts on the wire.
fn wire(answer: &Answer) -> Vec<u8> {
    let mut bytes = Vec::new();
    for step in &answer.steps {
        match step {
            Step::Raw(raw) => bytes.extend(raw),
            Step::Chunk(chunk) => {
                bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                bytes.extend(chunk);
                bytes.extend(b"\r\n");
            }
            Step::ByCompany { alone, .. } => {
                bytes.extend(format!("{:x}\r\n", alone.len()).bytes());
                bytes.extend(alone);
                bytes.extend(b"\r\n");
            }
            Step::EndChunks => bytes.extend(b"0\r\n\r\n"),
            Step::Wait(_) | Step::Stall | Step::Cut | Step::Meet(_) | Step::Until(_) => {}
        }
    }
    bytes
}

#[tokio::test]
async fn an_answer_that_is_cut_at_any_byte_is_whole_or_an_error() {
    let thinking = json!({"reasoning_content": "so"});
    let behaviours = [
        Answer::chat(TEXT),
        Answer::counted(TEXT, 11, u64::MAX),
        Answer::deltas([thinking, json!({"content": TEXT})]),
        Answer::drip(TEXT, 7),
        Answer::whole(TEXT),
        Answer::interruptible(TEXT),
        Answer::sse_open([stream()]),
        Answer::too_many("1"),
        Answer::error(500, "server_error", "it broke"),
        Answer::refusal(400, &json!({"error": {"message": "no"}})),
        Answer::body(200, "text/html", b"<html>\xff a proxy</html>"),
    ];
    let every_byte = std::env::var_os("ELENCHUS_FUZZ_CASES").is_some();
    let apart = if every_byte { 1 } else { CUTS_APART };
    let mut whole = 0;
    for behaviour in &behaviours {
        let bytes = wire(behaviour);
        let cuts: Vec<usize> = (0..=bytes.len()).step_by(apart).collect();
        for cuts in cuts.chunks(SIDE_BY_SIDE) {
            let asked = cuts.iter().map(|cut| {
                let steps = vec![Step::Raw(bytes[..*cut].to_vec()), Step::Cut];
                async move {
                    let server = ChatServer::script(vec![Answer::of(steps)]);
                    ask(&server).await
                }
            });
            for reply in join_all(asked).await.into_iter().flatten() {
                assert_eq!(reply.text, TEXT);
                whole += 1;
            }
        }
    }
    assert!(whole > 0, "none was whole");
}
