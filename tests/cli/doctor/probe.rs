//! `doctor --probe`: findings about servers, and servers it does not contact.

use elenchus_test_support::answer::event;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;

fn models_or(seen: &ChatRequest, reply: Answer) -> Answer {
    match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["first-listed", "second"]),
        _ => reply,
    }
}

fn with_reasons() -> ChatServer {
    ChatServer::listing(|seen| models_or(seen, Answer::chat("yes")))
}

fn without_reasons() -> ChatServer {
    ChatServer::listing(|seen| {
        let said = event(&json!({"content": "yes"}));
        models_or(seen, Answer::sse([said, "data: [DONE]\n\n".to_owned()]))
    })
}

/// The chat requests that a server got.
fn questions(server: &ChatServer) -> Vec<ChatRequest> {
    let all = server.requests().into_iter();
    all.filter(|seen| seen.path != "/v1/models").collect()
}

/// What a probe prints, on one line.
fn probed(program: &Program, code: i32) -> String {
    let ran = program.run(&["doctor", "--probe"]).ended_with(code);
    ran.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_local_server_is_asked_for_one_short_reply_and_its_finish_reasons_are_told() {
    let server = with_reasons();
    let out = probed(&Program::facing(&server), 0);
    let said = "first-listed of openai, asked for at most 16 tokens, gives finish reasons";
    assert!(out.contains(said), "{out}");
    let questions = questions(&server);
    assert_eq!(questions.len(), 1);
    let body = &questions[0].body;
    assert_eq!(
        (&body["model"], &body["max_tokens"]),
        (&json!("first-listed"), &json!(16))
    );
    assert_eq!(body["stream"], true);
}

#[test]
fn a_server_without_finish_reasons_is_a_problem_until_the_line_is_there() {
    let server = without_reasons();
    let out = probed(&Program::facing(&server), 1);
    assert!(out.contains("gives no finish reasons"), "{out}");
    assert!(
        out.contains("fix: add finish_reason = \"absent\" under [providers.openai]"),
        "{out}"
    );
    assert!(
        out.contains("export ELENCHUS_FINISH_REASON=absent"),
        "{out}"
    );
    let told = Program::facing(&server).with("ELENCHUS_FINISH_REASON", "absent");
    assert!(probed(&told, 0).contains("gives no finish reasons, as configured"));

    let place = format!("[providers.near]\nbase_url = \"{}\"\n", server.base_url());
    let out = probed(&Program::configured(&place), 1);
    assert!(
        out.contains("fix: add finish_reason = \"absent\" under [providers.near]"),
        "{out}"
    );
    assert!(!out.contains("OPENAI_BASE_URL alone"), "{out}");
}

#[test]
fn a_setting_that_hides_interrupted_replies_without_need_is_noted() {
    let server = with_reasons();
    let program = Program::facing(&server).with("ELENCHUS_FINISH_REASON", "absent");
    let out = probed(&program, 0);
    assert!(out.contains("interrupted replies would be found"), "{out}");
}

#[test]
fn a_server_with_a_key_is_asked_only_by_the_name_of_a_configured_model() {
    let server = with_reasons();
    let place = format!(
        "[providers.far]\nbase_url = \"{}\"\napi_key_env = \"FAR_KEY\"\n",
        server.base_url()
    );
    let program = Program::new().owning(&place).with("FAR_KEY", "k-123456");
    let out = probed(&program, 0);
    assert!(
        out.contains("whether far gives finish reasons is unknown"),
        "{out}"
    );
    assert!(questions(&server).is_empty());

    let model = "[models.mine]\nprovider = \"far\"\nname = \"second\"\n";
    let program = Program::new()
        .owning(&format!("{place}{model}"))
        .with("FAR_KEY", "k-123456");
    let out = probed(&program, 0);
    assert!(
        out.contains("second of far, asked for at most 16 tokens, gives finish reasons"),
        "{out}"
    );
    assert_eq!(questions(&server).len(), 1);
}

#[test]
fn a_configured_model_that_cannot_be_asked_is_a_problem() {
    let server = ChatServer::listing(|seen| {
        models_or(seen, Answer::error(404, "model_not_found", "no such model"))
    });
    let place = format!("[providers.near]\nbase_url = \"{}\"\n", server.base_url());
    let model = "[models.mine]\nprovider = \"near\"\nname = \"gone\"\n";
    let out = probed(&Program::configured(&format!("{place}{model}")), 1);
    assert!(
        out.contains("gone of near, asked for at most 16 tokens, gave no reply"),
        "{out}"
    );
    // The first of a list may be no chat model.
    assert!(probed(&Program::configured(&place), 0).contains("gave no reply"));
}
