//! Figures of debates that the real program played.

mod failed_debates;
mod forks;
mod judges;
mod played_games;
mod selection;
mod unfinished;
