//! What `stipend dev` has beyond `stipend serve`: a demo world with data in it, and a clock that can be moved.

pub mod environment;
mod home;
mod leavers;
pub mod report;
mod setup;
mod world;

pub use home::Home;
pub use world::build;
