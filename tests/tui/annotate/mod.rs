//! The screen on which turns are labelled.

mod labelling;
mod looks;
mod queues;
