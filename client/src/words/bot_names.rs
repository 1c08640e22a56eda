//! The names of bots and programs for people, the same as on the page. Options and commands take the
//! short ones of [`BotSpec`], such as `engine:3`.

use fivefold_shared::{
    bot_spec::{BotKind, BotSpec, LEVEL_MAX},
    protocol::Player,
};

use crate::terminal::sanitize::sanitize;

/// A bot: `Bot, level 3` or `Bot "Attack"`.
pub fn bot(bot: BotSpec) -> String {
    match bot.kind {
        BotKind::Engine => format!("Bot, level {}", bot.level.unwrap_or(LEVEL_MAX)),
        BotKind::Attack => program("Attack"),
        BotKind::Pattern => program("Patterns"),
        BotKind::Minimax => program("Perfect"),
    }
}

/// A program with a name of its own: `Bot "Deep"`.
pub fn program(name: &str) -> String {
    format!("Bot \"{}\"", sanitize(name))
}

/// Anybody in a seat.
pub fn player(player: &Player) -> String {
    match player {
        Player::Bot { bot: spec } => bot(*spec),
        Player::Member { name, engine: true, .. } => program(name.as_str()),
        Player::Member { name, .. } => sanitize(name.as_str()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn bots_have_the_names_of_the_page() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/web/language/en.js");
        let page = fs::read_to_string(page).unwrap();
        let text = |name: &str| {
            let line =
                page.lines().find_map(|line| line.trim().strip_prefix(&format!("{name}: '")));
            line.and_then(|line| line.strip_suffix("',")).unwrap().replace(['“', '”'], "\"")
        };
        for kind in BotKind::ALL {
            let name = match kind {
                BotKind::Engine => text("bot_level").replace("{level}", &LEVEL_MAX.to_string()),
                BotKind::Minimax | BotKind::Attack | BotKind::Pattern => {
                    text("bot_kind").replace("{kind}", &text(&format!("bot_{kind}")))
                }
            };
            assert_eq!(bot(kind.into()), name);
        }
        assert_eq!(bot("engine:3".parse().unwrap()), text("bot_level").replace("{level}", "3"));
    }

    #[test]
    fn a_program_in_a_seat_is_marked_and_a_person_is_not() {
        let seat = |engine: bool| -> Player {
            let member = serde_json::json!({
                "member": "aaaaaaaaaaaaaaaa", "name": "Ann", "engine": engine,
            });
            serde_json::from_value(member).unwrap()
        };
        assert_eq!([true, false].map(|engine| player(&seat(engine))), ["Bot \"Ann\"", "Ann"]);
    }
}
