//! Files that are sent compressed unpack to the file itself.

use std::io::Read;

use fivefold_page::FILES;
use flate2::read::GzDecoder;

#[test]
fn each_file_is_equal_in_all_encodings() {
    assert!(FILES.iter().any(|file| file.name == "engine/engine.wasm"), "{} files", FILES.len());
    for file in FILES {
        let mut unpacked = Vec::new();
        brotli::Decompressor::new(file.brotli, 4096).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == file.plain, "{} by Brotli; run tests/build-wasm", file.name);
        unpacked.clear();
        GzDecoder::new(file.gzip).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == file.plain, "{} by gzip", file.name);
    }
}
