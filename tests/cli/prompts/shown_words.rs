//! Words of a reply, printed as they come.

use elenchus::cli::prompts::ShownWords;

#[test]
fn of_a_whole_reply_the_words_are_printed_that_did_not_come_as_pieces() {
    let unseen = |shown: &str, reply| ShownWords(shown.to_owned()).unprinted_rest(reply);
    assert_eq!(unseen("", "Why that?"), "Why that?");
    assert_eq!(
        unseen("Why that, ", "Why that, and not less?"),
        "and not less?"
    );
    assert_eq!(
        unseen("\n Why that, ", "Why that, and not less?"),
        "and not less?"
    );
    assert_eq!(unseen("Why that?", "Why that?"), "");
    assert_eq!(unseen("Why that?\n\n", "Why that?"), "");
    assert_eq!(unseen("I think. Why", "Why that?"), "\nWhy that?");
}
