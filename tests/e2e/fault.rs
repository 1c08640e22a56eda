//! Runs a short fault test (`tests/examples/fault.rs` runs it for any time).

use std::time::Duration;

use fivefold_tests::fault;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_again_and_again_keeps_what_it_acknowledged() {
    let verdict = fault::run(4, Duration::from_secs(4), 1).await;
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.moves > 0 && verdict.kills > 0 && verdict.full_disks > 0, "{verdict}");
}
