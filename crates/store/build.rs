//! Compiles the VFS that verifies page checksums (`src/sqlite/checksums.c`).

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    const SOURCE: &str = "src/sqlite/checksums.c";
    println!("cargo:rerun-if-changed={SOURCE}");
    // The directory of sqlite3.h, published by libsqlite3-sys to its direct dependents.
    let include = std::env::var("DEP_SQLITE3_INCLUDE")?;
    let mut build = cc::Build::new();
    build.file(SOURCE).include(include).std("c11").warnings_into_errors(true);
    // Every page passes through it, also in tests.
    build.opt_level(2);
    // Only SQLite refers to it, and its archive may come later on the link line.
    build.link_lib_modifier("+whole-archive").try_compile("checksums")?;
    Ok(())
}
