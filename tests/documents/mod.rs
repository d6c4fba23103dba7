//! The manual: README.md and every page of docs/. What it shows is what the program does.

mod commands;
mod examples;
mod figures;
mod games;
mod keys;
mod links;
mod pages;
mod pictures;
mod screens;
mod svg;
