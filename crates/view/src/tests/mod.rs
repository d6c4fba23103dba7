//! Debates and stores as they are shown.

mod debate_text;
mod figures_page;
mod matrix;
mod seat_view;
mod session_browser;
mod session_diff;
mod session_diff_rows;
