//! Commands for developers who receive webhooks: [`signature`] says whether one is right, [`listen`] brings events to a
//! program on this machine, [`trigger`] makes one happen. They speak to a running service over HTTP, as any client.
//! [`progress`] draws how far long work is.

pub mod http;
pub mod listen;
pub mod progress;
pub mod signature;
pub mod trigger;
