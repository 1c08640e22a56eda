//! `fivefold friends`, `fivefold friend` and `fivefold unfriend`

use std::{io::Write, process::ExitCode};

use fivefold_shared::friends::{Friend, FriendList, FriendStanding, OnlineTo};
use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use super::account_request::{send, server, signed_out};
use crate::{
    cli::{FriendArgs, FriendsArgs},
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
    } else if let Some(room) = friends.iter().find_map(|friend| friend.room.as_ref()) {
        writeln!(talk, "To watch: fivefold watch {}", server.at(0).room_link(room))?;
    } else if let Some(Friend { name, .. }) = friends.iter().find(|friend| friend.online) {
        writeln!(talk, "To play: fivefold challenge {name}")?;
    }
    writeln!(talk, "{}", online_text(online_to))?;
    Ok(ExitCode::SUCCESS)
}

fn line(Friend { name, standing, online, room, .. }: &Friend) -> String {
    let state = match standing {
        FriendStanding::Asks => "asks you",
        FriendStanding::Asked => "asked",
        FriendStanding::Friends if room.is_some() => "playing",
        FriendStanding::Friends if *online => "online",
        FriendStanding::Friends => "offline",
        FriendStanding::Declined => "declined",
    };
    match room {
        Some(room) => format!("{state:8}  {name}  {room}"),
        None => format!("{state:8}  {name}"),
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
    let Some(Friend { member, name, standing, .. }) = friends.iter().find(is_meant) else {
        let text = "Say who: `fivefold friends` lists the names.".to_owned();
        return Err(Usage(text).into());
    };
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
