//! One debate: panes for each chair, the band of those who speak beside them, verdicts, record and
//! timeline, for every game without code for any of them.

mod blocks;
mod chart;
mod layout;
mod pane;
mod stream;
mod words;
