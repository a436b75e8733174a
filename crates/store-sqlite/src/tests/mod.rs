//! Tests of the store as a whole: what its files go through, and what it says about them.

mod batch;
mod compact;
mod contained;
mod damage;
mod disk;
mod files;
mod fixture;
mod log;
mod migration;
mod place;
mod points;
mod restore;
mod secret;
mod story;
mod verify;
mod views;
