//! News about the players of a daily game, as inputs of its room.

use fivefold_shared::{protocol::MemberId, room::Input};
use fivefold_storage::{DailyNews, PlannedMoves};

/// The inputs that tell a room this news, in the order in which it has to learn it.
pub(crate) fn inputs_of(mut news: Vec<(MemberId, DailyNews)>) -> Vec<Input> {
    news.sort_by_key(|(_, news)| is_told_last(news));
    news.into_iter().map(|(member, news)| input_of(member, news)).collect()
}

/// Whether other news comes first: before a room ends a game, it has to know all time off and all planned replies.
pub(crate) const fn is_told_last(news: &DailyNews) -> bool {
    matches!(news, DailyNews::Gone)
}

/// The input that tells a room this news.
pub(crate) fn input_of(member: MemberId, news: DailyNews) -> Input {
    match news {
        DailyNews::Gone => Input::AccountGone { member },
        DailyNews::TimeOff(off) => Input::TimeOff { member, off },
        DailyNews::ConditionalMoves(PlannedMoves { number, moves }) => {
            // Another version of the server has written what cannot be read here.
            let moves = moves.and_then(|moves| serde_json::from_str(&moves).ok());
            Input::ConditionalMoves { member, number, moves }
        }
    }
}
