//! Memory of a store.

mod indexed;
