//! Trial of a prompt as it is watched: the turn before it is asked again, the question with its price, and the
//! samples as they come, in paragraphs.

mod live_sample;
mod live_trial;
mod question;
mod text;
mod trial_turn;

pub use live_sample::LiveSample;
pub use live_trial::{LiveTrial, OFF_THE_PATH, TrialTab, describe_sample_cost};
pub use question::{TrialAnswer, TrialPurpose, TrialQuestion, USUAL_SAMPLES};
pub use text::TrialLayout;
pub use trial_turn::{TrialTurn, TryWish};
