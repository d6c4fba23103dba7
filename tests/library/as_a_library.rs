//! The examples of the library: each is compiled here, and does what it says.

use tempfile::tempdir;

#[path = "../../examples/compute_figure.rs"]
#[allow(dead_code, reason = "its main is the example's")]
mod compute_figure;
#[path = "../../examples/play_debate.rs"]
#[allow(dead_code, reason = "its main is the example's")]
mod play_debate;
#[path = "../../examples/read_store.rs"]
#[allow(dead_code, reason = "its main is the example's")]
mod read_store;

#[tokio::test]
async fn a_debate_that_is_played_is_read_and_counted() {
    let folder = tempdir().unwrap();
    let store = folder.path().join("store");
    let said = play_debate::play_debate(&store, "Is it fine to leave a candle burning?");
    let said = said.await.unwrap();
    assert_eq!(said.lines().count(), 6, "{said}");
    assert!(said.starts_with("r1.answer.debater-0: "), "{said}");
    let read = read_store::read_store(&store).unwrap();
    assert!(read.contains(" pred complete ssssss Is it fine"), "{read}");
    let figure = compute_figure::compute_figure(&store).unwrap();
    assert_eq!(figure, "simulated: error rate 0.000, 1 topics\n");
}
