//! The workbench: its screens, and what they are drawn with.

mod annotate;
mod app;
mod attempts;
mod budgets;
mod debate;
pub mod drawing;
mod experiment_list;
mod experiments;
mod figures_page;
mod inspect;
mod keys;
mod matrix;
mod memory;
mod new_debate;
mod paid_work;
mod popups;
mod prompt_ab;
mod prompt_editor;
mod prompt_trial;
mod session_diff;
mod sessions;
mod side_by_side;
pub mod test_screen;
mod theme;
mod tree;
mod validate;
mod widgets;
