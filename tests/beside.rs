//! Screens that lie over a debate: the inspector, attempts, the tree of forks, comparisons.

mod aligned;
mod attempts;
mod compare;
mod compared;
mod inspect;
mod kit;
mod tree;
mod tried;
