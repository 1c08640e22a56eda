//! `fivefold seat --seek` and `--accept-challenges`: an engine plays one game after another against
//! everybody who comes, without a person who watches it.

use std::{
    future::Future,
    io::{Stderr, Stdout, Write},
    process::ExitCode,
    time::Duration,
};

use anyhow::bail;
use fivefold_shared::{
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{GameSettings, MemberId, OpenSeek, RoomCode, Wanted},
    rules::{Rules, Size, Variant},
};
use tokio::time::{Instant, sleep_until};

use super::{
    output_mode::interrupted,
    seat_engine::{introduce, started, warn_if_open},
    usage::{Usage, exit_code},
    visit::Visit,
};
use crate::{
    cli::SeatArgs,
    engines::engine_player::{self, ReadyEngine, SeatOptions},
    lines::{line_interface::View, lobby_lines::LobbyView, plain_output::Plain},
    play::{
        exit_reason::ExitReason,
        lobby::{Lobby, LobbyEvent, Search},
        table::Table,
    },
    terminal::output::{self, Output},
    words::lobby_sentences as sentences,
};

/// How long to wait before a seek that is refused for the moment, or was ended, is sent again.
const AGAIN_AFTER: Duration = Duration::from_secs(15);

type PlainView = Plain<Output<Stdout>, Output<Stderr>>;

/// Plays until enough games are played, the engine gives up, or Ctrl-C.
pub(super) async fn run(
    args: &SeatArgs,
    options: SeatOptions,
    visit: Visit,
) -> anyhow::Result<ExitCode> {
    let mut interrupt = Box::pin(interrupted());
    let player = tokio::select! {
        player = SeekingEngine::enter(args, options, visit) => player?,
        () = &mut interrupt => return Ok(exit_code(&ExitReason::Interrupted)),
    };
    let reason = Box::pin(player.play(&mut interrupt)).await?;
    Ok(exit_code(&reason))
}

/// An engine on its own.
struct SeekingEngine<'a> {
    args: &'a SeatArgs,
    me: MemberId,
    lobby: Lobby,
    at_table: AtTable,
}

/// What plays at tables.
struct AtTable {
    options: SeatOptions,
    /// The engine, and the game that it is ready for.
    ready: Option<(GameSettings, ReadyEngine)>,
    /// How many games were played.
    games: u32,
    view: PlainView,
}

impl<'a> SeekingEngine<'a> {
    /// Starts the engine for the pool's game, and enters the lobby.
    async fn enter(args: &'a SeatArgs, options: SeatOptions, visit: Visit) -> anyhow::Result<Self> {
        let Visit { connection, mut welcome, .. } = visit;
        let mut view = Plain::of_program(output::stdout(), output::stderr());
        let me = welcome.you.clone();
        let mut lobby = Lobby::enter(connection, me.clone(), true).await?;
        let settings = match &args.seek {
            Some(name) => match lobby.state().pool(name) {
                Some(pool) => Some(pool.settings),
                None => {
                    let pools = lobby.state().pools().iter();
                    let pools: Vec<&str> = pools.map(|pool| pool.name.as_str()).collect();
                    let text = format!("no pool {name}: {}", pools.join(", "));
                    return Err(Usage(text).into());
                }
            },
            None => None,
        };
        // Without a pool, the usual game is a trial of the engine.
        let trial = settings.unwrap_or(GameSettings {
            rules: Rules::new(Variant::Freestyle, Size::square(15))?,
            time: TimeControl::None,
            opening: OpeningKind::Free,
            rated: false,
        });
        let (ready, name) = started(&options, trial.rules, trial.opening).await?;
        introduce(args, lobby.connection(), &mut welcome, &name).await?;
        view.connected(lobby.server(), &welcome)?;
        warn_if_open(args, &ready)?;
        let ready = Some((trial, ready));
        Ok(Self { args, me, lobby, at_table: AtTable { options, ready, games: 0, view } })
    }

    async fn play(
        mut self,
        interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> anyhow::Result<ExitReason> {
        self.seek()?;
        loop {
            let Some(room) = self.wait(interrupt).await? else {
                self.lobby.leave().await;
                return Ok(ExitReason::Interrupted);
            };
            let (mut table, own) = self.lobby.go_to(room).await?;
            let stay = self.at_table.play(&mut table, interrupt).await;
            let reason = match stay {
                Ok(reason) if !self.at_table.has_finished() => reason,
                stay => {
                    table.leave().await;
                    return stay;
                }
            };
            if reason == ExitReason::Interrupted {
                table.leave().await;
                return Ok(reason);
            }
            let own = own.filter(|_| reason == ExitReason::Aborted);
            let Some(connection) = table.leave_room().await? else { bail!("there is no lobby") };
            self.lobby = match own {
                Some(own) => Lobby::enter_again(connection, self.me.clone(), true, own).await?,
                None => Lobby::enter(connection, self.me.clone(), true).await?,
            };
            self.seek()?;
        }
    }

    /// Seeks, unless it accepts challenges alone or seeks already.
    fn seek(&mut self) -> anyhow::Result<()> {
        if let Some(pool) = &self.args.seek
            && self.lobby.state().search().is_none()
        {
            self.lobby.begin(Search::Seek(Wanted::Pool(pool.clone())))?;
        }
        Ok(())
    }

    /// Waits for a game; `None` after Ctrl-C.
    async fn wait(
        &mut self,
        interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> anyhow::Result<Option<RoomCode>> {
        let mut again = None;
        loop {
            let pause = async {
                match again {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let event = tokio::select! {
                event = self.lobby.next() => event,
                () = pause => {
                    again = None;
                    self.seek()?;
                    continue;
                }
                () = &mut *interrupt => return Ok(None),
            };
            self.at_table.view.lobby_event(&self.lobby, &event)?;
            match event {
                LobbyEvent::Paired { room, .. } => return Ok(Some(room)),
                LobbyEvent::Challenged { challenge, .. } => self.answer(challenge).await?,
                LobbyEvent::Refused { refusal, is_own: true } => {
                    let wait = refusal.values.wait_ms.map(Duration::from_millis);
                    match wait
                        .or_else(|| refusal.reason.class().is_passing().then_some(AGAIN_AFTER))
                    {
                        Some(wait) => again = Some(Instant::now() + wait),
                        None => bail!("{}", refusal.text),
                    }
                }
                LobbyEvent::Over { .. } => again = Some(Instant::now() + AGAIN_AFTER),
                LobbyEvent::Ended { reason } => bail!("{reason}"),
                LobbyEvent::Listed
                | LobbyEvent::Changed { .. }
                | LobbyEvent::Seeking { .. }
                | LobbyEvent::ChallengeOver { .. }
                | LobbyEvent::AccountChanged { .. }
                | LobbyEvent::Announced { .. }
                | LobbyEvent::Refused { is_own: false, .. }
                | LobbyEvent::Lost { .. }
                | LobbyEvent::Back => {}
            }
        }
    }

    /// Accepts a challenge if the engine plays such games, and is asked to.
    async fn answer(&mut self, challenge: OpenSeek) -> anyhow::Result<()> {
        let plays = self.args.accept_challenges && self.at_table.prepare(challenge.settings).await;
        if plays {
            self.lobby.accept(challenge.seek);
        } else {
            let name = sentences::name(&challenge);
            writeln!(output::stderr(), "The challenge of {name} is declined.")?;
            self.lobby.decline(challenge.seek);
        }
        Ok(())
    }
}

impl AtTable {
    /// Gets the engine ready for such a game; `false` if it does not play it.
    async fn prepare(&mut self, settings: GameSettings) -> bool {
        let is_ready = |(known, _): &(GameSettings, ReadyEngine)| {
            (known.rules, known.opening) == (settings.rules, settings.opening)
        };
        if self.ready.as_ref().is_some_and(is_ready) {
            return true;
        }
        match started(&self.options, settings.rules, settings.opening).await {
            Ok((engine, _)) => {
                self.ready = Some((settings, engine));
                true
            }
            Err(_) => false,
        }
    }

    /// Whether all games are played.
    fn has_finished(&self) -> bool {
        self.options.games.is_some_and(|games| self.games >= games)
    }

    /// Plays at a table until the game and a rematch are over.
    async fn play(
        &mut self,
        table: &mut Table,
        interrupt: &mut (impl Future<Output = ()> + Unpin),
    ) -> anyhow::Result<ExitReason> {
        let room = table.room();
        let settings = GameSettings {
            rules: room.rules,
            time: room.time,
            opening: room.opening,
            rated: room.game.as_ref().is_some_and(|game| game.rated),
        };
        if !self.prepare(settings).await {
            bail!("{} cannot play {} here", self.options.engine.words[0], settings.rules);
        }
        let Some((_, engine)) = self.ready.take() else { bail!("the engine is not ready") };
        self.view.joined(table)?;
        let games = self.options.games.map(|games| games - self.games);
        let options = SeatOptions { games, ..self.options.clone() };
        let stay = engine_player::stay(table, engine, &options, &mut self.view, interrupt).await?;
        self.games += stay.games;
        self.ready = stay.engine.map(|engine| (settings, engine));
        Ok(stay.exit_reason)
    }
}
