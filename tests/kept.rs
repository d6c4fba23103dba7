//! What is kept and what can be done again, through the real program and the simulated model.

mod home;

mod killed;
