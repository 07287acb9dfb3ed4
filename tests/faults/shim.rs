//! A small library in C between the service and the C library (LD_PRELOAD), which does as it is told: disk.c, clock.c.

use std::path::PathBuf;
use std::process::Command;

use crate::binary::Running;
use crate::world::Home;

/// One that was compiled, with the file that tells it what to do.
pub struct Shim {
    name: &'static str,
    folder: tempfile::TempDir,
}

impl Shim {
    /// Compiles tests/faults/NAME.c.
    pub fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = format!("{}/../../tests/faults/{name}.c", env!("CARGO_MANIFEST_DIR"));
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O2", "-o"]).arg(folder.path().join("shim.so")).arg(source);
        let made = compile.args(["-ldl", "-lpthread"]).output().expect("a C compiler");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let shim = Self { name, folder };
        shim.obeys("");
        shim
    }

    fn orders(&self) -> PathBuf {
        self.folder.path().join("orders")
    }

    /// Tells it what to do from now on; nothing is as if it were not there.
    pub fn obeys(&self, order: &str) {
        let next = self.folder.path().join("next");
        std::fs::write(&next, order).unwrap();
        std::fs::rename(next, self.orders()).unwrap();
    }

    /// What puts it below a process.
    pub fn settings(&self) -> [(String, PathBuf); 2] {
        let orders = format!("{}_ORDERS", self.name.to_uppercase());
        [("LD_PRELOAD".to_owned(), self.folder.path().join("shim.so")), (orders, self.orders())]
    }

    pub fn start(&self, home: &Home) -> Running {
        let settings = self.settings();
        let settings: Vec<_> =
            settings.iter().map(|(name, path)| (name.as_str(), path.to_str().unwrap())).collect();
        home.start_with(&settings)
    }
}
