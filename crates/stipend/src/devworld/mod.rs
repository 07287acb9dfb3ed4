//! What `stipend dev` has beyond `stipend serve`: a demo world with data in it, and a clock that can be moved.

pub mod bank;
mod california;
mod contractors;
pub mod environment;
mod home;
mod hours;
mod leavers;
pub mod report;
pub mod running;
mod setup;
mod staff;
mod story;
mod world;

pub use home::Home;
pub use story::story_start as story_begins;
pub use world::{build_world, is_in_use};
