//! `fivefold friends`, `fivefold friend` and `fivefold unfriend`

use std::{
    io::{self, Write},
    process::ExitCode,
};

use fivefold_shared::{
    friends::{Friend, FriendList, FriendStanding, OnlineTo, WaitingChallenge},
    protocol::{Addressee, GameSettings, MemberId, Name, RoomCode},
};
use hyper::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    account_request::{send, server},
    account_session::{AccountSession, with_session},
};
use crate::{
    cli::{AnswerArgs, ChallengeArgs, FriendArgs, FriendsArgs},
    command::usage::Usage,
    lines::json_output::Json,
    server::http_request::{HttpRequest, Key},
    settings::Settings,
    terminal::output,
};

const PATH: &str = "/api/friends";

/// What a command has done, as a JSON line. `docs/clients/json.md` documents these lines: change both together.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Done<'a> {
    Friendship {
        name: &'a str,
        standing: Option<FriendStanding>,
    },
    OnlineTo {
        to: OnlineTo,
    },
    ChallengeWaits {
        member: &'a MemberId,
        name: &'a Name,
        #[serde(flatten)]
        settings: &'a GameSettings,
    },
    ChallengeAccepted {
        member: &'a MemberId,
        name: &'a Name,
        room: &'a RoomCode,
        link: &'a str,
    },
    ChallengeOver {
        member: &'a MemberId,
        name: &'a Name,
    },
}

impl Done<'_> {
    /// Writes this as JSON for a program, or else the text for people.
    fn say(&self, as_json: bool, text: &str) -> io::Result<()> {
        match as_json {
            true => Json::new(output::stdout()).write(self),
            false => writeln!(output::stderr(), "{text}"),
        }
    }
}

/// Lists the friends and the requests that wait, or sets who can see whether the player is online.
pub(crate) async fn list(args: &FriendsArgs) -> anyhow::Result<ExitCode> {
    with_session(&args.server, async |at| match args.online_to {
        Some(choice) => {
            let to = OnlineTo::from(choice);
            at.send(Method::POST, "/api/friends/online", Some(json!({"to": to}))).await?;
            Done::OnlineTo { to }.say(args.json, online_text(to))?;
            Ok(())
        }
        None => {
            let list = read(at).await?;
            if args.json { show_json(at, &list) } else { show(at, &list) }
        }
    })
    .await
}

/// Asks for the list.
async fn read(at: &AccountSession<'_>) -> anyhow::Result<FriendList> {
    at.send(Method::GET, PATH, None).await?.json()
}

/// Somebody on the list, by the name that the list shows.
async fn find(at: &AccountSession<'_>, name: &str) -> anyhow::Result<Friend> {
    let mut friends = read(at).await?.friends.into_iter();
    let friend = friends.find(|friend| friend.name.as_str().eq_ignore_ascii_case(name));
    friend.ok_or_else(|| Usage("Say who: `fivefold friends` lists the names.".to_owned()).into())
}

fn show_json(at: &AccountSession<'_>, list: &FriendList) -> anyhow::Result<()> {
    let mut json = Json::new(output::stdout());
    for friend in &list.friends {
        json.friend(at.server.at(0), friend)?;
    }
    Ok(())
}

fn show(at: &AccountSession<'_>, list: &FriendList) -> anyhow::Result<()> {
    let FriendList { friends, online_to } = list;
    for friend in friends {
        writeln!(output::stdout(), "{}", line(friend))?;
    }
    let server = at.server;
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
    writeln!(talk, "{}", online_text(*online_to))?;
    Ok(())
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

    let name = &args.name;
    with_session(&args.server, async |at| {
        let answer = at.send(Method::POST, PATH, Some(json!({"name": name}))).await?;
        let Asked { standing } = answer.json()?;
        let text = match standing {
            FriendStanding::Friends => format!("You and {name} are friends."),
            FriendStanding::Asks | FriendStanding::Asked | FriendStanding::Declined => {
                format!("You have asked {name}. `fivefold unfriend {name}` takes it back.")
            }
        };
        Done::Friendship { name, standing: Some(standing) }.say(args.json, &text)?;
        Ok(())
    })
    .await
}

/// Ends a friendship, declines a request, or takes the own one back.
pub(crate) async fn leave(args: &FriendArgs) -> anyhow::Result<ExitCode> {
    with_session(&args.server, async |at| {
        let Friend { member, name, standing, .. } = find(at, &args.name).await?;
        at.send(Method::DELETE, &format!("{PATH}/{member}"), None).await?;
        let text = match standing {
            FriendStanding::Asks => "The request is declined:",
            FriendStanding::Asked => "The request is taken back:",
            FriendStanding::Friends | FriendStanding::Declined => "You are no friends any more:",
        };
        Done::Friendship { name: name.as_str(), standing: None }
            .say(args.json, &format!("{text} {name}."))?;
        Ok(())
    })
    .await
}

/// Leaves a challenge to a daily game for a friend, who may be offline. Whether it is left: not for others.
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
    let text = format!(
        "{name} sees your challenge at the next visit, for up to 14 days. \
         `fivefold answer {name} --decline` takes it back."
    );
    Done::ChallengeWaits { member, name, settings: game }.say(args.view.json, &text)?;
    Ok(true)
}

/// Accepts the challenge of a friend, declines it, or takes the own one back.
pub(crate) async fn answer(args: &AnswerArgs) -> anyhow::Result<ExitCode> {
    #[derive(Deserialize)]
    struct Began {
        room: RoomCode,
    }

    with_session(&args.server, async |at| {
        let Friend { member, name, .. } = find(at, &args.name).await?;
        let path = format!("{PATH}/{member}/challenge");
        if args.decline {
            at.send(Method::DELETE, &path, None).await?;
            let text = format!("No challenge waits between you and {name}.");
            Done::ChallengeOver { member: &member, name: &name }.say(args.json, &text)?;
        } else {
            let answer = at.send(Method::POST, &format!("{path}/accept"), Some(json!({}))).await?;
            let Began { room } = answer.json()?;
            let link = at.server.at(0).room_link(&room);
            if !args.json {
                writeln!(output::stdout(), "{link}")?;
            }
            let text = format!("The game has begun. To play: fivefold join {link}");
            Done::ChallengeAccepted { member: &member, name: &name, room: &room, link: &link }
                .say(args.json, &text)?;
        }
        Ok(())
    })
    .await
}
