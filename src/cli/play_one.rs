//! play_one
