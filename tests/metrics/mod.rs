//! Figures of debates that the real program played.

mod played_games;
