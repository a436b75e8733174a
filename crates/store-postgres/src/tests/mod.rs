//! Tests against a real PostgreSQL: the story, turns of several nodes, cut connections, refusals.

mod connections;
mod cuts;
mod neighbours;
mod nodes;
mod place;
mod plans;
mod refusals;
mod story;
mod views;
mod witness;
