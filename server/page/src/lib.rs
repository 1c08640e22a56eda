//! The files of the web page as they are sent: made by the build script from `server/web`.
//!
//! A change there builds this crate again and, after it, only what sends the files.

use std::fmt;

/// A file of the page.
pub struct Embedded {
    /// Its path in the folder, such as `language/en.js`.
    pub name: &'static str,
    /// As it is.
    pub plain: &'static [u8],
    /// Compressed by Brotli.
    pub brotli: &'static [u8],
    /// Compressed by gzip.
    pub gzip: &'static [u8],
}

// `DIGEST` of all files, and `FILES`.
include!(concat!(env!("OUT_DIR"), "/page/table.rs"));

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("name", &self.name).finish_non_exhaustive()
    }
}
