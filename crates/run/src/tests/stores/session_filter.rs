//! Filters of sessions by their fields, on what the index holds.

use crate::tests::simulated::{SimulatedStore, plan};
use elenchus_records::workspace::annotations::{Annotation, AnnotationJournal, session_marks};
use elenchus_records::workspace::{
    FilteredSession, Reopen, SessionFilter, StoreIndex, all_overviews, fork_point, fork_session,
    summarize_session,
};
use elenchus_store::Layout;
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;

/// The sessions that a filter lets through, by what the index holds.
fn filtered(layout: &Layout, filter: &str) -> Vec<String> {
    let (index, notice) = StoreIndex::read_overviews(layout);
    assert_eq!(notice, None);
    let filter: SessionFilter = filter.parse().unwrap();
    let marks = session_marks(&index).unwrap();
    let (found, unreadable) = all_overviews(&index).unwrap();
    assert!(unreadable.is_empty());
    index.write_changes();
    let passed = found.iter().filter(|one| {
        let tags = marks.session_tags(&one.summary.session);
        filter.matches_session(FilteredSession {
            id: &one.summary.session,
            overview: Some(one),
            name: marks.session_name(&one.summary.session),
            tags: &tags,
            is_example: false,
            now: "2999-01-01T00:00:00Z".parse().ok(),
        })
    });
    passed.map(|one| one.summary.session.to_string()).collect()
}

#[tokio::test]
async fn sessions_are_filtered_by_every_field_that_the_index_has() {
    let store = SimulatedStore::new();
    let store_context = &store.store;
    let parent = store.played(&plan("pred")).await;
    let point = fork_point(&store.records(&parent), &Reopen::Lesson).unwrap();
    let child = fork_session(store_context, &parent, &point)
        .await
        .unwrap()
        .id
        .clone();
    let mut book = AnnotationJournal::open(store_context, "ada").unwrap();
    let name = |name: Option<&str>| Annotation::Named {
        session: parent.clone(),
        name: name.map(str::to_owned),
    };
    let tag = |tag: &str| Annotation::Tagged {
        session: child.clone(),
        tag: tag.to_owned(),
    };
    book.record_annotation(name(Some("the salty one")))
        .await
        .unwrap();
    book.record_annotation(tag("keep")).await.unwrap();
    book.record_annotation(tag("lost")).await.unwrap();
    book.undo_last().await.unwrap();
    let state = store.state(&parent);
    let summary = summarize_session(&parent, &state).unwrap();
    let (day, _) = summary.begun_at.split_once('T').unwrap();
    let (parent, child) = (parent.to_string(), child.to_string());
    let both = [parent.clone(), child.clone()];
    let (first, second) = (&both[..1], &both[1..]);
    let unsafe_turns = summary.verdicts.matches('u').count();
    let cases: [(&str, &[String]); 34] = [
        ("protocol=PRED", &both),
        ("protocol=pre", &[]),
        ("protocol~pre", &both),
        ("model=sim", &both),
        ("state=complete", first),
        ("state=open", second),
        ("verdicts>0", &both),
        (&format!("unsafe={unsafe_turns}"), &both),
        (&format!("unsafe>{unsafe_turns}"), &[]),
        ("unparsed<1", &both),
        ("cost=0", &both),
        ("cost>0.1", &[]),
        (&format!("parent={parent}"), second),
        (&format!("parent={}", &parent[..20]), second),
        ("run=x", &[]),
        ("arm~debater", &both),
        ("simulated=yes", &both),
        ("simulated=no", &[]),
        (&format!("begun={day}"), &both),
        (&format!("begun>{day}"), &[]),
        ("last<2000", &[]),
        ("last > 2000", &both),
        ("tag=keep", second),
        ("tag=lost", &[]),
        ("name~salty", first),
        ("-tag=keep", first),
        ("is:fork", second),
        ("is=tagged", second),
        ("!is:named", second),
        ("verdict:unparsed", &[]),
        ("state:comp", first),
        ("age>1d", &both),
        ("rounds>=1 ", &both),
        (&format!("id:{}", &child[..20]), second),
    ];
    for (filter, passed) in cases {
        assert_eq!(filtered(&store_context.layout, filter), passed, "{filter}");
    }
    #[cfg(target_os = "linux")]
    {
        let opened = OpenedFiles::watch(store_context.layout.root());
        assert_eq!(filtered(&store_context.layout, "name~salty"), first);
        assert_eq!(filtered(&store_context.layout, "cost<1"), both);
        // Whose journal it is stands in its first line; nothing else is opened.
        assert_eq!(opened.names(), ["ada.jsonl", "ada.jsonl"]);
    }
    // What is taken back is gone from the index as well.
    book.record_annotation(name(None)).await.unwrap();
    assert_eq!(
        filtered(&store_context.layout, "name~salty"),
        Vec::<String>::new()
    );
}

#[test]
fn a_filter_that_means_nothing_is_refused_with_what_there_is() {
    let refused = |filter: &str| filter.parse::<SessionFilter>().unwrap_err();
    assert!(
        refused("colour=red")
            .to_string()
            .contains("'colour' is no field; there are protocol, model,")
    );
    assert!(
        refused("state")
            .to_string()
            .contains("after 'state' comes : or =")
    );
    assert!(
        refused("state>open")
            .to_string()
            .contains("compared with : or =, or ~")
    );
    assert!(refused("cost=cheap").to_string().contains("a number"));
    assert!(refused("unsafe~1").to_string().contains("a number"));
    assert!(
        refused("simulated=perhaps")
            .to_string()
            .contains("is one of yes, no")
    );
    assert!(
        refused("state=comp")
            .to_string()
            .contains("is one of open,")
    );
    assert!(
        refused("begun>yesterday")
            .to_string()
            .contains("a time or its beginning")
    );
    assert!(refused("tag=").to_string().contains("has no value"));
    assert!(refused("age<2").to_string().contains("has no value"));
}
