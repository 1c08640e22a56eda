//! `fivefold friends`, `fivefold friend` and `fivefold unfriend`

use std::{io::Write, process::ExitCode};

use fivefold_shared::{
    friends::{Friend, FriendList, FriendStanding, OnlineTo, WaitingChallenge},
    protocol::{Addressee, GameSettings, RoomCode},
};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::account_request::{send, server, signed_out};
use crate::{
    cli::{AnswerArgs, ChallengeArgs, FriendArgs, FriendsArgs},
    command::usage::Usage,
    lines::json_output::Json,
    server::http_request::{HttpRequest, Key},
    settings::Settings,
    terminal::output,
};

const PATH: &str = "/api/friends";

/// Lists the friends and the requests that wait, or sets who may see that the player is online.
pub(crate) async fn list(args: &FriendsArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let key = Key::Account(session);
    if let Some(choice) = args.online_to {
        let to = OnlineTo::from(choice);
        let body = Some(json!({"to": to}));
        let path = "/api/friends/online";
        send(&server, &args.server, HttpRequest { method: Method::POST, path, key, body }).await?;
        writeln!(output::stderr(), "{}", online_text(to))?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = send(&server, &args.server, HttpRequest::get(PATH, key)).await?;
    let FriendList { friends, online_to } = answer.json()?;
    if args.json {
        let mut json = Json::new(output::stdout());
        for friend in &friends {
            json.friend(server.at(0), friend)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    for friend in &friends {
        writeln!(output::stdout(), "{}", line(friend))?;
    }
    let mut talk = output::stderr();
    if friends.is_empty() {
        writeln!(
            talk,
            "You have no friends at {server} yet. `fivefold friend NAME` asks somebody."
        )?;
    } else if let Some(Friend { name, .. }) =
        friends.iter().find(|friend| friend.standing == FriendStanding::Asks)
    {
        writeln!(talk, "`fivefold friend {name}` accepts, `fivefold unfriend {name}` declines.")?;
    } else if let Some(Friend { name, .. }) = friends
        .iter()
        .find(|friend| friend.challenge.as_ref().is_some_and(|challenge| !challenge.own))
    {
        writeln!(talk, "`fivefold answer {name}` accepts, with --decline it declines.")?;
    } else if let Some(room) = friends.iter().find_map(|friend| friend.room.as_ref()) {
        writeln!(talk, "To watch: fivefold watch {}", server.at(0).room_link(room))?;
    } else if let Some(Friend { name, .. }) = friends.iter().find(|friend| friend.online) {
        writeln!(talk, "To play: fivefold challenge {name}")?;
    }
    writeln!(talk, "{}", online_text(online_to))?;
    Ok(ExitCode::SUCCESS)
}

fn line(Friend { name, standing, online, room, challenge, .. }: &Friend) -> String {
    let state = match standing {
        FriendStanding::Asks => "asks you",
        FriendStanding::Asked => "asked",
        FriendStanding::Friends if room.is_some() => "playing",
        FriendStanding::Friends if *online => "online",
        FriendStanding::Friends => "offline",
        FriendStanding::Declined => "declined",
    };
    let mut line = format!("{state:8}  {name}");
    if let Some(room) = room {
        line = format!("{line}  {room}");
    }
    match challenge {
        Some(WaitingChallenge { own: true, .. }) => line + "  (your challenge waits)",
        Some(WaitingChallenge { settings, .. }) => {
            format!("{line}  (challenges you: {})", settings.time)
        }
        None => line,
    }
}

const fn online_text(to: OnlineTo) -> &'static str {
    match to {
        OnlineTo::Friends => "Your friends see when you are online.",
        OnlineTo::Nobody => "Nobody sees when you are online.",
    }
}

/// Asks somebody to be friends, or accepts their request.
pub(crate) async fn ask(args: &FriendArgs) -> anyhow::Result<ExitCode> {
    #[derive(Deserialize)]
    struct Asked {
        standing: FriendStanding,
    }

    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let body = Some(json!({"name": args.name}));
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let key = Key::Account(session);
    let request = HttpRequest { method: Method::POST, path: PATH, key, body };
    let Asked { standing } = send(&server, &args.server, request).await?.json()?;
    let name = &args.name;
    match standing {
        FriendStanding::Friends => writeln!(output::stderr(), "You and {name} are friends.")?,
        FriendStanding::Asks | FriendStanding::Asked | FriendStanding::Declined => {
            writeln!(
                output::stderr(),
                "You have asked {name}. `fivefold unfriend {name}` takes it back."
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends a friendship, declines a request, or takes the own one back.
pub(crate) async fn leave(args: &FriendArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let key = Key::Account(session);
    let answer = send(&server, &args.server, HttpRequest::get(PATH, key)).await?;
    let FriendList { friends, .. } = answer.json()?;
    let is_meant = |friend: &&Friend| friend.name.as_str().eq_ignore_ascii_case(&args.name);
    let friend = friends.iter().find(is_meant);
    let Friend { member, name, standing, .. } = friend.ok_or_else(say_who)?;
    let path = format!("{PATH}/{member}");
    let request = HttpRequest { method: Method::DELETE, path: &path, key, body: None };
    send(&server, &args.server, request).await?;
    let text = match standing {
        FriendStanding::Asks => "The request is declined:",
        FriendStanding::Asked => "The request is taken back:",
        FriendStanding::Friends | FriendStanding::Declined => "You are no friends any more:",
    };
    writeln!(output::stderr(), "{text} {name}.")?;
    Ok(ExitCode::SUCCESS)
}

fn say_who() -> anyhow::Error {
    Usage("Say who: `fivefold friends` lists the names.".to_owned()).into()
}

/// Leaves a challenge to a game over days for a friend, who may be offline. Whether it is left: not for others.
pub(in crate::command) async fn challenge(
    args: &ChallengeArgs,
    game: &GameSettings,
) -> anyhow::Result<bool> {
    let settings = Settings::load(&Settings::folder()?)?;
    let options = &args.visit.server;
    let server = server(options, &settings)?;
    let Some(session) = settings.session(&server) else { return Ok(false) };
    let key = Key::Account(session);
    let answer = send(&server, options, HttpRequest::get(PATH, key)).await?;
    let FriendList { friends, .. } = answer.json()?;
    let friend = friends.iter().find(|friend| {
        let is_meant = match &args.to {
            Addressee::Member(member) => friend.member == *member,
            Addressee::Name(name) => friend.name.likeness() == name.likeness(),
        };
        is_meant && friend.standing == FriendStanding::Friends
    });
    let Some(Friend { member, name, .. }) = friend else { return Ok(false) };
    let path = format!("{PATH}/{member}/challenge");
    let body = Some(json!({"settings": game}));
    send(&server, options, HttpRequest { method: Method::POST, path: &path, key, body }).await?;
    writeln!(
        output::stderr(),
        "{name} sees your challenge at the next visit, for up to 14 days. \
         `fivefold answer {name} --decline` takes it back."
    )?;
    Ok(true)
}

/// Accepts the challenge of a friend, declines it, or takes the own one back.
pub(crate) async fn answer(args: &AnswerArgs) -> anyhow::Result<ExitCode> {
    #[derive(Deserialize)]
    struct Began {
        room: RoomCode,
    }

    let settings = Settings::load(&Settings::folder()?)?;
    let server = server(&args.server, &settings)?;
    let Some(session) = settings.session(&server) else { return signed_out(&server) };
    let key = Key::Account(session);
    let answer = send(&server, &args.server, HttpRequest::get(PATH, key)).await?;
    let FriendList { friends, .. } = answer.json()?;
    let is_meant = |friend: &&Friend| friend.name.as_str().eq_ignore_ascii_case(&args.name);
    let Friend { member, name, .. } = friends.iter().find(is_meant).ok_or_else(say_who)?;
    if args.decline {
        let path = format!("{PATH}/{member}/challenge");
        let request = HttpRequest { method: Method::DELETE, path: &path, key, body: None };
        send(&server, &args.server, request).await?;
        writeln!(output::stderr(), "No challenge waits between you and {name}.")?;
    } else {
        let path = format!("{PATH}/{member}/challenge/accept");
        let body = Some(json!({}));
        let request = HttpRequest { method: Method::POST, path: &path, key, body };
        let Began { room } = send(&server, &args.server, request).await?.json()?;
        let link = server.at(0).room_link(&room);
        writeln!(output::stdout(), "{link}")?;
        writeln!(output::stderr(), "The game has begun. To play: fivefold join {link}")?;
    }
    Ok(ExitCode::SUCCESS)
}
