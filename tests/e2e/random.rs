//! Tests random games of every variant and size class; `--example random_games` plays many more.

use fivefold_tests::{Server, random_games};

#[tokio::test]
async fn players_and_spectators_see_the_same_final_boards() {
    let server = Server::start();
    for rules in random_games::classes() {
        let tally = random_games::play(&server, rules, 3, 1).await;
        assert_eq!(tally.games, 3, "{rules}");
        assert!(tally.moves >= tally.games * usize::from(rules.variant().k()), "{rules}");
    }
}
