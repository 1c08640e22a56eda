//! `fivefold player` and `fivefold leaderboard`

use std::{io::Write, process::ExitCode};

use fivefold_shared::{
    clock::day,
    profile::{Leaders, Place, Profile, ProfileGame, ProfileRating, PuzzleScore, Results},
    protocol::Name,
};

use super::account_request::{send, server};
use crate::{
    cli::{LeaderboardArgs, PlayerArgs, ServerArgs},
    lines::{game_list, json_output::Json},
    server::{
        http_request::{HttpAnswer, HttpRequest, Key},
        server_list::ServerList,
    },
    settings::Settings,
    terminal::output,
};

/// Shows an account's ratings, its last games, and the results against whoever is signed in.
pub(crate) async fn player(args: &PlayerArgs) -> anyhow::Result<ExitCode> {
    let path = format!("/api/player/{}", encoded(&args.name));
    let (server, answer) = read(&args.server, &path).await?;
    let profile: Profile = answer.json()?;
    if args.json {
        Json::new(output::stdout()).profile(&profile)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_renamed =
        Name::new(&args.name).is_ok_and(|asked| asked.likeness() != profile.name.likeness());
    if is_renamed {
        writeln!(output::stderr(), "{} is called {} now.", args.name, profile.name)?;
    }
    let mut out = output::stdout();
    writeln!(out, "{}, since {}", profile.name, day(profile.made_at))?;
    for rating in &profile.ratings {
        writeln!(out, "{}", rating_line(rating))?;
    }
    if let Some(puzzles) = &profile.puzzles {
        writeln!(out, "{}", puzzle_line(puzzles))?;
    }
    if let Some(results) = &profile.against_you {
        writeln!(out, "against you: {}", results_text(results))?;
    }
    for (stone, results) in [("Black", profile.by_stone.black), ("White", profile.by_stone.white)] {
        if results.games > 0 {
            writeln!(out, "with {stone}: {}", results_text(&results))?;
        }
    }
    for opponent in &profile.opponents {
        writeln!(out, "against {}: {}", opponent.name, results_text(&opponent.results))?;
    }
    let columns = output::columns();
    for ProfileGame { game, seat, .. } in &profile.games {
        writeln!(out, "{}", game_list::row(&game_list::finished(Some(*seat), game), columns))?;
    }
    if let Some(ProfileGame { game, .. }) = profile.games.first() {
        game_list::write_ways(&mut output::stderr(), &server.at(0).game_link(&game.id))?;
    }
    if profile.ratings.is_empty() {
        writeln!(output::stderr(), "{} has no rated games yet.", profile.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the best players of a pool.
pub(crate) async fn leaderboard(args: &LeaderboardArgs) -> anyhow::Result<ExitCode> {
    let path = format!("/api/leaderboard?pool={}", args.pool);
    let (_, answer) = read(&args.server, &path).await?;
    let leaders: Leaders = answer.json()?;
    if args.json {
        Json::new(output::stdout()).leaders(&leaders)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    for place in &leaders.places {
        writeln!(out, "{}", place_line(place))?;
    }
    let is_listed = |own: &Place| leaders.places.iter().any(|place| place.member == own.member);
    if let Some(own) = leaders.own.as_ref().filter(|own| !is_listed(own)) {
        writeln!(out, "{}", place_line(own))?;
    }
    if leaders.places.is_empty() {
        writeln!(output::stderr(), "Nobody has enough rated games in {} yet.", args.pool)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads as the account that is signed in, if there is one.
async fn read(args: &ServerArgs, path: &str) -> anyhow::Result<(ServerList, HttpAnswer)> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(args, &settings)?;
    let key = settings.session(&server).map_or(Key::None, Key::Account);
    let answer = send(&server, args, HttpRequest::get(path, key)).await?;
    Ok((server, answer))
}

fn rating_line(rating: &ProfileRating) -> String {
    let ProfileRating { pool, rating, deviation, provisional, results, .. } = rating;
    let mark = if *provisional { "?" } else { "" };
    let points = format!("{rating}{mark}");
    format!("{:24}  {points:>5} ± {deviation:3}  {}", pool.to_string(), results_text(results))
}

fn puzzle_line(score: &PuzzleScore) -> String {
    let PuzzleScore { rating, deviation, provisional, tries, solved, .. } = score;
    let mark = if *provisional { "?" } else { "" };
    let points = format!("{rating}{mark}");
    format!("{:24}  {points:>5} ± {deviation:3}  {solved} of {tries} solved", "puzzles")
}

fn results_text(results: &Results) -> String {
    let Results { games, won, drawn, lost } = results;
    format!("{games} games: {won} won, {drawn} drawn, {lost} lost")
}

fn place_line(place: &Place) -> String {
    let Place { place, name, rating, deviation, games, .. } = place;
    format!("{place:>4}  {:24}  {rating:>5} ± {deviation:3}  {games} games", name.to_string())
}

/// A name as a part of a path: what could mean something else in an address is written in hexadecimal.
fn encoded(name: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_one_part_of_a_path() {
        for (name, path) in [("Ann", "Ann"), ("../a?b", "%2E%2E%2Fa%3Fb"), ("é ", "%C3%A9%20")] {
            assert_eq!(encoded(name), path);
        }
    }

    #[test]
    fn ratings_and_places_are_lines() {
        let rating: ProfileRating = serde_json::from_value(json!({
            "pool": "renju/15/fast", "rating": 1532, "deviation": 120, "provisional": true,
            "games": 4, "won": 1, "drawn": 1, "lost": 2,
        }))
        .unwrap();
        assert_eq!(
            rating_line(&rating),
            "renju/15/fast             1532? ± 120  4 games: 1 won, 1 drawn, 2 lost"
        );
        let puzzles: PuzzleScore = serde_json::from_value(json!({
            "rating": 1611, "deviation": 94, "tries": 21, "solved": 13,
        }))
        .unwrap();
        assert_eq!(puzzle_line(&puzzles), "puzzles                    1611 ±  94  13 of 21 solved");
        let place: Place = serde_json::from_value(json!({
            "place": 2, "member": "5d41402abc4b2a76", "name": "Ann", "rating": 1702,
            "deviation": 60, "games": 31,
        }))
        .unwrap();
        assert_eq!(place_line(&place), "   2  Ann                        1702 ±  60  31 games");
    }
}
