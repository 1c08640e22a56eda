//! Runs short fault tests (`tests/examples/fault.rs` runs them for any time).

use std::time::Duration;

use fivefold_tests::fault;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_again_and_again_keeps_what_it_acknowledged() {
    let verdict = fault::run(4, Duration::from_secs(4), 1).await;
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.moves > 0 && verdict.kills > 0 && verdict.full_disks > 0, "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_losses_take_nothing_that_was_acknowledged() {
    let Some(verdict) = fault::run_with_power_losses(4, Duration::from_secs(5), 1).await else {
        return;
    };
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.moves > 0 && verdict.kills > 0, "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_loss_on_a_disk_that_ignores_syncs_is_noticed() {
    let lost = fault::lost_without_syncs(4, Duration::from_secs(2), 1).await;
    assert!(lost.is_none_or(|lost| lost > 0), "{lost:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_who_seek_each_other_are_in_one_game_each_however_often_the_server_is_killed() {
    let verdict = fault::seekers::run(8, Duration::from_secs(5), 1, false).await;
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.found > 0 && verdict.acts > 0 && verdict.kills > 0, "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_rooms_of_a_killed_node_have_an_owner_again_and_go_on() {
    let Some(found) = fault::orphans::run(100, 4, 1).await else { return };
    assert!(found.verdict.is_clean(), "{found}");
    assert_eq!((found.orphans, found.played, found.pauses.count()), (100, 4, 4), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_who_seek_each_other_are_in_one_game_each_however_often_nodes_are_killed() {
    let time = Duration::from_secs(8);
    let Some(verdict) = fault::seekers::run_on_nodes(3, 8, time, 1, (false, false)).await else {
        return;
    };
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.found > 0 && verdict.acts > 0 && verdict.kills > 0, "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_change_of_a_rating_is_lost_or_counted_twice_however_often_the_server_is_killed() {
    let verdict = fault::seekers::run(4, Duration::from_secs(8), 1, true).await;
    assert!(verdict.is_clean(), "{verdict}");
    assert!(verdict.rated > 0 && verdict.changes_read > 0 && verdict.kills > 0, "{verdict}");
}
