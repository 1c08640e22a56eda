//! People who are paired: the figures of the simulation that `--example pairing` prints.

use std::time::Duration;

use fivefold_tests::pairing::{Plan, run};

#[test]
fn a_thousand_people_are_paired_in_time_and_fit() {
    for (seed, within) in [(1, 1), (2, 10), (3, 1)] {
        let within = Duration::from_secs(within);
        let report = run(Plan { seekers: 1_000, within, seed });
        assert!(report.share_in_time() >= 0.95, "{report}");
        assert!(report.mean_difference() < 30.0, "{report}");
        assert_eq!((report.violations, report.doubled), (0, 0), "{report}");
    }
}
