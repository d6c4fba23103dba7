//! A namespace as a person goes through it, without a terminal: what is written is really written.

use crate::engine::{MemoryNews, change_memory, memory_index};
use crate::experiments::ReplicateCount;
use crate::tests::simulated::SimulatedStore;
use elenchus_records::workspace::memory::{EntryAction, EntrySearch, WithNotices};
use elenchus_records::workspace::{EntryKind, StoreContext, WorkspaceError};
use elenchus_text::{Content, Role, plain_text};
use elenchus_view::memory::{
    BrowserKeys, EntryDraft, MemoryBrowser, PageKeys, ReadNamespace, WantedChange,
};
use std::sync::Arc;

const KEYS: BrowserKeys = BrowserKeys {
    page: PageKeys {
        open: 'o',
        leave_out: 'l',
    },
    back: 'b',
    other_kind: 'k',
    add: 'a',
    delete: 'd',
    disable: 'x',
    undo: 'u',
    unmask: 'm',
};

fn read_again(store: &StoreContext, browser: &mut MemoryBrowser) {
    let read = ReadNamespace::read(&memory_index(store), browser.namespace(), None).unwrap();
    let news = MemoryNews::Read(Ok(Arc::new(read)));
    assert_eq!(news.take_into(browser), None);
}

/// Makes a change, and returns what is said of it and the draft that is not needed any more.
async fn make(
    store: &StoreContext,
    browser: &mut MemoryBrowser,
    wanted: Result<WantedChange, WorkspaceError>,
) -> (String, Option<String>) {
    let changed = change_memory(store, wanted.unwrap()).await.unwrap();
    let said = browser.finish_change(*changed).unwrap();
    read_again(store, browser);
    said
}

fn listed(browser: &MemoryBrowser) -> Vec<String> {
    let rows = (0..browser.row_count()).filter_map(|row| browser.entry_row(row, Content::Shown));
    rows.map(|row| row.text).collect()
}

#[tokio::test]
async fn changes_are_made_one_at_a_time_taken_back_and_made_again_in_order() {
    let store = SimulatedStore::new();
    let store_context = &store.store;
    let mut browser = MemoryBrowser::new(None, None, KEYS);
    assert_eq!(browser.empty_words().as_deref(), Some("reading memory"));
    let nothing = browser.change_chosen(|_| EntryAction::Delete);
    assert_eq!(nothing.unwrap_err().to_string(), "choose an entry first");
    read_again(store_context, &mut browser);
    let draft = EntryDraft::Add(EntryKind::Lesson);
    for text in ["Ask who pays.", "Say what is not known."] {
        let change = draft.parse_change(text).unwrap();
        let wanted = browser.request_change(change, Some(browser.draft_place(&draft)));
        // Nothing else is changed before this is durable.
        assert!(browser.undo().is_err());
        let (words, place) = make(store_context, &mut browser, wanted).await;
        assert!(words.starts_with("kept: debates"), "{words}");
        assert_eq!(place.as_deref(), Some("memory default add"));
    }
    assert_eq!(
        listed(&browser),
        ["Say what is not known.", "Ask who pays."]
    );
    // The cursor is on what was written last.
    assert_eq!(browser.row_index(), 0);
    browser.choose_row(1);
    let wanted = browser.change_chosen(|_| EntryAction::Delete);
    let (words, _) = make(store_context, &mut browser, wanted).await;
    assert_eq!(words, "deleted: u restores it");
    assert_eq!(listed(&browser), ["Say what is not known."]);
    assert!(browser.toggle_deleted().contains("d restores one"));
    assert_eq!(browser.row_count(), 2);
    let wanted = browser.undo();
    make(store_context, &mut browser, wanted).await;
    assert_eq!(
        browser.chosen_entry().map(|entry| entry.deleted),
        Some(false)
    );
    let wanted = browser.redo();
    make(store_context, &mut browser, wanted).await;
    assert_eq!(
        browser.chosen_entry().map(|entry| entry.deleted),
        Some(true)
    );
    assert_eq!(browser.redo().unwrap_err().to_string(), "nothing to redo");
    let why = browser.build_edit_draft(Content::Shown).unwrap_err();
    assert_eq!(why.to_string(), "this entry is deleted: d restores it");
    assert!(
        browser
            .build_edit_draft(Content::Masked)
            .unwrap_err()
            .to_string()
            .contains("m unmasks")
    );
}

#[tokio::test]
async fn an_answer_to_an_earlier_question_lists_nothing() {
    let store = SimulatedStore::new();
    let store_context = &store.store;
    let mut browser = MemoryBrowser::new(None, None, KEYS);
    read_again(store_context, &mut browser);
    let draft = EntryDraft::Add(EntryKind::Lesson);
    let wanted = browser.request_change(draft.parse_change("Ask who pays.").unwrap(), None);
    make(store_context, &mut browser, wanted).await;
    let all = browser.page_subject();
    let found = || {
        let found = EntrySearch {
            retriever: "bm25/1".to_owned(),
            entries: Vec::new(),
        };
        Ok(WithNotices {
            found,
            notices: vec!["by words".to_owned()],
        })
    };
    let (first, second) = (
        browser.start_search("one".to_owned()),
        browser.start_search("two".to_owned()),
    );
    assert_eq!(
        MemoryNews::Found(first, found()).take_into(&mut browser),
        None
    );
    assert_eq!(browser.place_words(), "memory: looking");
    let said = MemoryNews::Found(second, found()).take_into(&mut browser);
    assert_eq!(said, Some((Role::Notice, "by words".to_owned())));
    let line = plain_text(&[browser.describe_listing(Content::Shown)]);
    assert_eq!(line.trim(), "0 near two, found by words; b lists all");
    assert_ne!(browser.page_subject(), all);
    assert!(browser.leave_search() && !browser.leave_search());
    assert_eq!((browser.row_count(), browser.page_subject()), (1, all));
    let asked = browser.start_search("three".to_owned());
    let failed = MemoryNews::Found(asked, Err(WorkspaceError::invalid("no model")));
    assert_eq!(
        failed.take_into(&mut browser),
        Some((Role::Error, "no model".to_owned()))
    );
    assert_eq!(browser.row_count(), 1);
    assert_eq!(browser.debate_to_repeat(None).unwrap(), None);
    assert!(
        browser
            .propose_acceptance(Content::Shown)
            .unwrap_err()
            .to_string()
            .contains("k lists them")
    );
    assert!(
        browser
            .go_to_namespace(1)
            .unwrap_err()
            .to_string()
            .contains("no other namespace")
    );
}

/// Its answer comes when another namespace is shown: undo there must not reach it.
#[tokio::test]
async fn a_change_that_is_written_while_another_namespace_is_opened_is_not_taken_back_there() {
    let store = SimulatedStore::new();
    let store_context = &store.store;
    let draft = EntryDraft::Add(EntryKind::Lesson);
    for namespace in ["first", "second"] {
        let wanted = WantedChange {
            namespace: namespace.to_owned(),
            change: draft.parse_change("Ask who pays.").unwrap(),
        };
        change_memory(store_context, wanted).await.unwrap();
    }
    let mut browser = MemoryBrowser::new(Some("first".to_owned()), None, KEYS);
    read_again(store_context, &mut browser);
    let wanted = browser.change_chosen(|_| EntryAction::Disable).unwrap();
    browser.go_to_namespace(1).unwrap();
    read_again(store_context, &mut browser);
    let changed = change_memory(store_context, wanted).await.unwrap();
    let (words, _) = browser.finish_change(*changed).unwrap();
    assert!(words.starts_with("disabled"), "{words}");
    assert_eq!(browser.namespace(), Some("second"));
    assert_eq!(browser.undo().unwrap_err().to_string(), "nothing to undo");
    assert!(!browser.can_undo());
}

#[test]
fn replicates_are_asked_for_by_a_number_and_a_seed() {
    let read = |text: &str| {
        text.parse::<ReplicateCount>()
            .map(|read| (read.pairs, read.seed))
    };
    assert_eq!(read("4").unwrap(), (4, 0));
    assert_eq!(read(" 4, seed 9 ").unwrap(), (4, 9));
    assert_eq!(
        read(&ReplicateCount::default().to_string()).unwrap(),
        (10, 0)
    );
    for wrong in ["", "0", "1001", "four", "4 seed", "4 of 9"] {
        assert!(
            read(wrong)
                .unwrap_err()
                .to_string()
                .contains("a number from 1 to 1000"),
            "{wrong}"
        );
    }
}
