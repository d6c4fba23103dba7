//! Annotations: labels, notes, tags and names that people give sessions, one journal per annotator.
//!
//! No annotation is part of a game: sessions never change by it, and no view holds it.
//!
//! ```text
//! event            AnnotationEvent, Annotation: lines of a journal
//! label            Label with everything that says how far it can be trusted
//! journal          AnnotationJournal for writing; read_annotations for everyone's, session_marks for
//!                  their tags and names alone
//! own_journal      journal of the person who works here
//! annotator_state  fold of one annotator's journal
//! state            Annotations: the folds of all annotators
//! intake           check of marks that come from elsewhere
//! person_files     which journal is whose, and what a new one is called
//! unblinding       record of what a person was shown that unblinds them
//! pending          annotations that a merge took and that are not in their journals yet
//! ```

mod annotator_state;
mod event;
mod intake;
mod journal;
mod label;
mod own_journal;
mod pending;
mod person_files;
mod state;
mod unblinding;

pub use annotator_state::LabelKey;
pub use event::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, OnAttempt, attempt_hash,
};
pub use intake::{MarkIntake, mark_names, target_of};
pub use journal::{
    AnnotationJournal, all_annotations, check_annotation, read_annotations, session_marks,
};
pub use label::{Blindness, CurrentLabel, Label, LabelRole, QueueDraw, Unblinding};
pub use own_journal::{open_own_journal, write_annotation};
pub use pending::{Pending, PendingAnnotation, complete_merges};
pub use person_files::{
    annotator_name, imported_people, journal_of_person, journals_of_people, people_in_one_file,
    person_of_journal,
};
pub(crate) use person_files::{earlier_name, hashed_name, new_name, owner_of};
pub use state::{Annotations, Note};
pub use unblinding::{Revealing, ShownHere, read_unblinding, record_unblinding};
