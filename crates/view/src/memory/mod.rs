//! Memory as a person goes through it: entries listed and chosen, the page of one, the preview of a debate.

mod browser;
mod guardrail_page;
mod page;

pub use browser::{
    BrowserKeys, EntryDraft, EntryRow, MemoryBrowser, PageSubject, ReadNamespace, TopicMemory,
    WantedChange,
};
pub use guardrail_page::{describe_over_refusal, describe_share, report_lines, test_command};
pub use page::{EntryImport, EntryPage, PageKeys, role_of};
