//! Bots: what every back end must do with their accounts and ratings, and with games against the server's
//! own bots.

use fivefold_shared::{
    bot_spec::BotSpec,
    protocol::{Name, Scope},
    rating_pool::{PoolKind, RatingPool},
    seat::Seat,
};
use fivefold_storage::{
    AccountChange, AccountChanged, AccountStep, ApiToken, Append, KeyStep, NewBot, PoolRating,
    RatingChange, Storage, Undone,
    glicko::{Rating, Score, rate},
    limits::{
        BOTS_MAX, DELETED_ACCOUNT_KEPT, DELETED_NAME_KEPT, PLACEMENT_GAMES, PLACEMENT_PLIES_MIN,
    },
    rating_before,
};
use serde_json::{Value, json};

use crate::{
    accounts::{NOW, apply, change, key, keys, locked, password, session, sign_up},
    contract::every_storage,
    damage::every_check_finds,
    rooms::{ended, game_id, member, rated, sat, won_by},
};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// A new bot of somebody.
pub(crate) fn new_bot(number: u64, owner: u64, name: &str) -> AccountChange {
    let name = Name::new(name).unwrap();
    let new = NewBot {
        owner: member(owner),
        locked: locked(number),
        likeness: name.as_str().to_lowercase(),
        name,
    };
    change(number, NOW, AccountStep::MakeBot(Box::new(new)))
}

fn add_token(storage: &mut dyn Storage, number: u64) {
    let token = ApiToken {
        hash: key(700_000 + number),
        label: "on the server".to_owned(),
        scopes: vec![Scope::Play],
        made_at: NOW,
        used_at: None,
        expires_at: NOW + 1_000 * DAY,
    };
    let step = AccountStep::Key(KeyStep::AddToken(token));
    apply(storage, &change(number, NOW, step), AccountChanged::Done);
}

fn bots(storage: &dyn Storage, owner: u64) -> Vec<String> {
    let bots = storage.reader().unwrap().bots_of(&member(owner)).unwrap();
    assert!(bots.iter().all(|bot| bot.owner == Some(member(owner))), "{bots:?}");
    bots.into_iter().map(|bot| bot.name.to_string()).collect()
}

#[test]
fn a_person_has_bots_up_to_a_limit_and_a_bot_has_none() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        apply(storage, &sign_up(2, None, "bob"), AccountChanged::Done);
        for _ in 0..2 {
            apply(storage, &new_bot(10, 1, "Zed"), AccountChanged::Done);
        }
        apply(storage, &new_bot(11, 1, "zed"), AccountChanged::NameTaken);
        apply(storage, &new_bot(11, 1, "Bob"), AccountChanged::NameTaken);
        apply(storage, &new_bot(11, 10, "Robo"), AccountChanged::Gone);
        apply(storage, &new_bot(11, 99, "Robo"), AccountChanged::Gone);
        assert_eq!((bots(storage, 1), bots(storage, 10)), (vec!["Zed".to_owned()], vec![]));
        for number in 1..BOTS_MAX as u64 {
            apply(storage, &new_bot(10 + number, 1, &format!("Zed{number}")), AccountChanged::Done);
        }
        apply(storage, &new_bot(90, 1, "Zed90"), AccountChanged::Full);
        apply(storage, &new_bot(90, 2, "Zed90"), AccountChanged::Done);
        // A deleted one leaves its place, and keeps its name.
        apply(storage, &change(10, NOW, AccountStep::Delete), AccountChanged::Done);
        apply(storage, &new_bot(91, 1, "Zed"), AccountChanged::NameTaken);
        apply(storage, &new_bot(91, 1, "Zed91"), AccountChanged::Done);
        assert_eq!(bots(storage, 1).len(), BOTS_MAX);
        let found = storage.reader().unwrap().account_named("zed91").unwrap().unwrap();
        assert_eq!((found.member, found.owner), (member(91), Some(member(1))));
    });
}

#[test]
fn a_bot_is_opened_by_its_tokens_and_goes_with_its_owner() {
    every_storage(|storage| {
        apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
        for number in [10, 11] {
            apply(storage, &new_bot(number, 1, &format!("Zed{number}")), AccountChanged::Done);
            add_token(storage, number);
        }
        let of_token = |storage: &dyn Storage| {
            let found = storage.reader().unwrap().account_of_token(key(700_010)).unwrap();
            found.map(|(account, _)| account.name.to_string())
        };
        assert_eq!(of_token(storage).as_deref(), Some("Zed10"));
        // Nothing else opens it.
        let begin = AccountStep::SignIn { session: session(20, NOW), rehashed: None };
        apply(storage, &change(10, NOW, begin), AccountChanged::Gone);
        // A thief may have made its token, who had the owner's password.
        let recover = AccountStep::Recover {
            code: key(10_000),
            password: password("new"),
            session: session(21, NOW),
        };
        apply(storage, &change(1, NOW, recover), AccountChanged::Done);
        assert_eq!((of_token(storage), keys(storage, 10).tokens), (None, vec![]));
        add_token(storage, 10);
        apply(storage, &change(1, NOW, AccountStep::Delete), AccountChanged::Done);
        assert_eq!((of_token(storage), keys(storage, 11).tokens), (None, vec![]));
        apply(storage, &new_bot(12, 1, "Zed12"), AccountChanged::Gone);
        // Its owner may come back, and makes new tokens.
        assert_eq!(bots(storage, 1).len(), 2);
        let kept = u64::try_from(DELETED_ACCOUNT_KEPT.as_millis()).unwrap();
        let named = u64::try_from(DELETED_NAME_KEPT.as_millis()).unwrap();
        while storage.prune_accounts(NOW + kept, 100).unwrap() > 0 {}
        assert_eq!(bots(storage, 1), Vec::<String>::new());
        let mut reader = storage.reader().unwrap();
        let bot = reader.account_named("zed10").unwrap().unwrap();
        assert_eq!((bot.name.as_str(), bot.owner), ("Deleted player", None));
        assert!(bot.deleted_at.is_some());
        while storage.prune_accounts(NOW + kept + named, 100).unwrap() > 0 {}
        assert_eq!(reader.account_named("zed10").unwrap(), None);
    });
}

fn pool(text: &str) -> RatingPool {
    text.parse().unwrap()
}

/// Somebody who sits down as a program.
fn program(seat: &str, number: u64) -> Value {
    let mut sat = sat(seat, number, "Zed");
    sat["player"]["engine"] = json!(true);
    sat
}

fn house(seat: &str, bot: &Value) -> Value {
    json!({"type": "sat", "seat": seat, "player": {"bot": bot}})
}

fn store(storage: &mut dyn Storage, append: Append) -> Vec<RatingChange> {
    storage.append(&[append]).unwrap().remove(0).unwrap()
}

fn ratings(storage: &dyn Storage, number: u64) -> Vec<PoolRating> {
    storage.reader().unwrap().ratings(&member(number)).unwrap()
}

#[test]
fn a_person_gains_half_against_a_bot_whose_rating_has_a_pool_of_its_own() {
    every_storage(|storage| {
        let end = |winner| json!({"type": "ended", "outcome": won_by(winner), "rated": true});
        let seats = || [sat("first", 1, "Ann"), program("second", 2)];
        let changes = store(storage, ended("5+3", 1, seats(), (0, end(Seat::First)), DAY));
        let [person, bot] = rate([Rating::NEW; 2], Score::First, DAY);
        let pools = changes.iter().map(|change| change.pool.to_string()).collect::<Vec<_>>();
        assert_eq!(pools, ["standard/15/normal", "bot/standard/15/normal"]);
        let half = Rating::NEW.part_of_way_to(person, DAY, 2);
        assert_eq!([changes[0].after, changes[1].after], [half.estimate(), bot.estimate()]);
        assert_eq!(ratings(storage, 1)[0].rating, half);
        // Two bots gain and lose all of it.
        let both = [program("first", 2), program("second", 3)];
        let changes = store(storage, ended("5+3", 2, both, (0, end(Seat::Second)), DAY));
        let [_, other] = rate([bot, Rating::NEW], Score::Second, DAY);
        assert_eq!(changes[1].after, other.estimate());
        let mut reader = storage.reader().unwrap();
        let history = reader.rating_history(&member(2), pool("bot/standard/15/normal")).unwrap();
        assert_eq!(history.iter().map(|change| change.number).collect::<Vec<_>>(), [1, 2]);
        // Taken back like any other.
        let Undone::Done(undone) = storage.undo_ratings(&game_id(1), 2 * DAY).unwrap() else {
            panic!("it counts")
        };
        assert_eq!(undone.len(), 2);
    });
}

/// The end of a game with a bot of the server, after so many stones.
fn with_house(number: u64, who: u64, bot: &Value, stones: u64, winner: Seat) -> Append {
    let end = json!({"type": "ended", "outcome": won_by(winner)});
    let seats = [sat("first", who, "Ann"), house("second", bot)];
    ended("5+3", number, seats, (stones, end), DAY + number)
}

#[test]
fn three_games_with_bots_of_the_server_give_a_first_rating() {
    let level = |level: u8| json!({"kind": "engine", "level": level});
    every_storage(|storage| {
        let place = |storage: &mut dyn Storage, number, bot: &Value, stones, winner| {
            store(storage, with_house(number, 1, bot, stones, winner)).len()
        };
        let most = PLACEMENT_PLIES_MIN as u64;
        let few = most - 1;
        assert_eq!(place(storage, 1, &level(5), few, Seat::First), 0, "too few stones");
        let minimax = json!({"kind": "minimax"});
        assert_eq!(place(storage, 2, &minimax, most, Seat::First), 0, "it has no rating");
        let without_clock = ended(
            "none",
            3,
            [sat("first", 1, "Ann"), house("second", &level(5))],
            (most, json!({"type": "ended", "outcome": won_by(Seat::First)})),
            DAY,
        );
        assert_eq!(store(storage, without_clock), []);
        for number in 10..10 + PLACEMENT_GAMES {
            assert_eq!(place(storage, number, &level(5), most, Seat::First), 1);
            let own = ratings(storage, 1);
            let is_whole = own[0].games == PLACEMENT_GAMES;
            let start = rating_before(&own, pool("standard/15/normal"));
            assert_eq!(start != Rating::NEW, is_whole, "{own:?}");
        }
        assert_eq!(place(storage, 20, &level(5), most, Seat::First), 0, "one past the last");
        let of_level_5 = "engine:5".parse::<BotSpec>().unwrap().rating().unwrap();
        let mut expected = Rating::NEW;
        for number in 10..10 + PLACEMENT_GAMES {
            let at = DAY + number;
            [expected, _] =
                rate([expected, Rating::of_house_bot(of_level_5, at)], Score::First, at);
        }
        let own = ratings(storage, 1);
        assert_eq!(
            (own.len(), own[0].pool.kind, own[0].rating),
            (1, PoolKind::Placement, expected)
        );
        // The first rated game begins there, and one in another pool does not.
        let changes = store(storage, rated(30, [1, 2], won_by(Seat::First), 2 * DAY));
        assert_eq!(changes[0].before, expected.after_placement().estimate());
        let own = ratings(storage, 1);
        assert_eq!(
            rating_before(&own, pool("renju/15/fast")).deviation.round(),
            200.0_f64
                .max(
                    own.iter()
                        .find(|own| own.pool.kind == PoolKind::People)
                        .unwrap()
                        .rating
                        .deviation
                )
                .round()
        );
        // Who has a rating is placed no more.
        assert_eq!(store(storage, with_house(40, 2, &level(5), most, Seat::First)), []);
    });
}

fn fill(storage: &mut dyn Storage) {
    apply(storage, &sign_up(1, None, "Ann"), AccountChanged::Done);
    apply(storage, &new_bot(2, 1, "Zed"), AccountChanged::Done);
    let bot = json!({"kind": "engine", "level": 5});
    for number in 1..=PLACEMENT_GAMES {
        store(storage, with_house(number, 1, &bot, 9, Seat::First));
    }
    store(storage, rated(9, [1, 3], won_by(Seat::First), 2 * DAY));
}

/// Damages, and a part of the problem that each is.
const DAMAGES: [(&str, &str); 4] = [
    ("UPDATE account SET owner = 'nobody' WHERE owner IS NOT NULL", "bots belong to nobody"),
    (
        "UPDATE key SET member = (SELECT member FROM account WHERE owner IS NOT NULL)",
        "more than tokens",
    ),
    (
        "UPDATE rating_change SET before = before + 1 WHERE pool = 'standard/15/normal' AND number = 1",
        "does not begin where the placement ended",
    ),
    (
        "UPDATE rating SET games = 4 WHERE pool LIKE 'placement/%'",
        "has too many games in placement/standard/15/normal",
    ),
];

#[test]
fn a_check_finds_bots_and_placements_that_contradict_themselves() {
    every_check_finds(fill, &DAMAGES);
}
