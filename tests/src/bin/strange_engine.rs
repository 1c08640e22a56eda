//! A test engine that speaks Gomocup's protocol and follows its command line: plays simply, or
//! misbehaves. For the tests of the code that runs engines.
//!
//! `strange_engine HOW`, where HOW is one of:
//!
//! - `plain`: plays the first empty point, row by row, and sends messages about it.
//! - `suggest`: the same, but suggests its moves first.
//! - `terse`: plays, and says `UNKNOWN` to `INFO` and `ABOUT`.
//! - `refuse`: refuses every board.
//! - `late-refuse`: takes every board, and refuses to move.
//! - `hang`, `crash`, `garbage`, `illegal`, `outside`, `greedy`: from its second move on it
//!   stays silent, exits, sends nonsense, plays on a stone or beside the board, takes endless
//!   memory.
//! - `filling`: takes all memory that it may use for one table, as some engines do, and answers with an
//!   error without it.
//! - `unready`: takes two seconds for its first move, as engines do that prepare their memory only then.
//! - `rude`: from its second move on it sends a secret in every way that it can.
//! - `clingy SECONDS`: plays, and ignores the command to exit; it starts a child that sleeps this
//!   long, and another in its own session whose parent has exited.
//! - `crowd SECONDS`: plays, with 150 children that sleep this long, and ignores the command to exit.
//! - `silent`, `exit`: sends nothing, exits at once.
//! - `probe WHAT ARGUMENT...`: no engine; does one thing and prints the result in a line:
//!   `env`, `read FILE`, `write FILE BYTES`, `memory BYTES`, `connect ADDRESS`, `send ADDRESS` by
//!   UDP, `unix PATH`, `abstract NAME`, `pair` of sockets, `kill PROCESS`, `spin`, `limits`,
//!   `crowd SECONDS`, which counts the children that it may have, `commands` of all processes,
//!   `sleep SECONDS` by an orphaned child.

#![expect(clippy::print_stdout, reason = "an engine speaks on standard output")]

#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(target_os = "linux")]
use std::os::{linux::net::SocketAddrExt, unix::net::SocketAddr};
use std::{
    env, fs, io,
    net::{TcpStream, UdpSocket},
    path::Path,
    process::{Command as Spawn, Stdio, exit},
    thread,
    time::Duration,
};

use fivefold_shared::{
    notation::gomocup::{Command, Info, Placed, Reader, Reply, Side},
    rules::Point,
};

fn main() {
    let how = env::args().nth(1).unwrap_or_default();
    let mut engine =
        Engine { how, width: 0, height: 0, stones: Vec::new(), moves: 0, table: Vec::new() };
    match engine.how.as_str() {
        "clingy" => {
            // The child inherits our standard output, and so keeps the pipe open.
            drop(Spawn::new("sleep").args(env::args().nth(2)).spawn());
            lose_child(&env::args().nth(2).unwrap_or_default());
        }
        "crowd" => drop(crowd(150, &env::args().nth(2).unwrap_or_default())),
        "silent" => thread::sleep(Duration::from_secs(600)),
        "exit" => return,
        "probe" => {
            let words: Vec<String> = env::args().skip(2).collect();
            println!("{}", probe(&words));
            return;
        }
        _ => {}
    }
    let mut reader = Reader::default();
    for line in io::stdin().lines().map_while(Result::ok) {
        if let Some(Ok(command)) = reader.line(line.as_bytes()) {
            engine.obey(command);
        }
    }
    if ["clingy", "crowd"].contains(&engine.how.as_str()) {
        thread::sleep(Duration::from_secs(600));
    }
}

/// Starts a process that sleeps this long, in its own session and without a parent.
fn lose_child(seconds: &str) {
    drop(Spawn::new("setsid").args(["--fork", "sleep", seconds]).status());
}

/// Starts so many processes that sleep this long, and counts those that the system allows.
fn crowd(children: usize, seconds: &str) -> usize {
    let child = || Spawn::new("sleep").arg(seconds).stdout(Stdio::null()).spawn();
    (0..children).map_while(|_| child().ok()).count()
}

fn probe(words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said =
        |result: io::Result<()>| result.map_or_else(|error| error.to_string(), |()| "done".into());
    match words[..] {
        ["env"] => {
            let here = env::current_dir().unwrap_or_default();
            let variables: Vec<String> =
                env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} {}", here.display(), variables.join(" "))
        }
        ["read", file] => said(fs::read(file).map(|_| ())),
        ["write", file, bytes] => {
            let home = env::var("HOME").unwrap_or_default();
            let bytes = bytes.parse().unwrap_or(0);
            said(fs::write(Path::new(&home).join(file), vec![b'x'; bytes]))
        }
        ["memory", bytes] => {
            let mut all: Vec<u8> = Vec::new();
            let bytes = bytes.parse().unwrap_or(0);
            let got = all.try_reserve_exact(bytes).map_err(io::Error::other);
            said(got)
        }
        ["connect", address] => said(TcpStream::connect(address).map(|_| ())),
        ["send", address] => said(
            UdpSocket::bind("0.0.0.0:0")
                .and_then(|socket| socket.send_to(b"out", address).map(|_| ())),
        ),
        #[cfg(unix)]
        ["unix", path] => said(UnixStream::connect(path).map(|_| ())),
        #[cfg(target_os = "linux")]
        ["abstract", name] => said(
            SocketAddr::from_abstract_name(name)
                .and_then(|address| UnixStream::connect_addr(&address).map(|_| ())),
        ),
        #[cfg(unix)]
        ["pair"] => said(UnixStream::pair().map(|_| ())),
        ["crowd", seconds] => crowd(1_000, seconds).to_string(),
        ["commands"] => {
            let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
            let command = |folder: fs::DirEntry| fs::read(folder.path().join("cmdline")).ok();
            let commands: Vec<String> = processes
                .filter_map(command)
                .map(|words| String::from_utf8_lossy(&words).replace('\0', " "))
                .collect();
            commands.join(";")
        }
        ["kill", process] => {
            let killed = Spawn::new("kill").arg(process).stderr(Stdio::null()).status();
            killed.map_or_else(|error| error.to_string(), |status| status.success().to_string())
        }
        ["sleep", seconds] => {
            lose_child(seconds);
            "done".into()
        }
        ["limits"] => fs::read_to_string("/proc/self/limits").unwrap_or_default(),
        ["spin"] => loop {
            std::hint::spin_loop();
        },
        _ => "nothing".into(),
    }
}

struct Engine {
    how: String,
    width: u8,
    height: u8,
    stones: Vec<Point>,
    moves: u32,
    table: Vec<u8>,
}

impl Engine {
    fn obey(&mut self, command: Command) {
        match command {
            Command::Start { .. } if self.how == "refuse" => {
                println!("{}", Reply::Error("no board is good enough".into()));
            }
            Command::Start { width, height } => {
                (self.width, self.height) = (width, height);
                self.stones.clear();
                println!("{}", Reply::Ok);
            }
            Command::Info(Info::MaxMemory(bytes)) if self.how == "filling" => {
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
                if self.table.try_reserve_exact(bytes).is_err() {
                    println!("{}", Reply::Error("the table does not fit".into()));
                }
            }
            Command::Info(_) if self.how == "terse" => println!("UNKNOWN"),
            Command::About if self.how == "terse" => println!("UNKNOWN"),
            Command::Restart => {
                self.stones.clear();
                println!("{}", Reply::Ok);
            }
            Command::Begin => self.turn(),
            Command::Turn(point) => {
                self.stones.push(point);
                self.turn();
            }
            Command::Board(stones) => {
                let own = stones.iter().filter(|stone| stone.side == Side::Own).count();
                println!("MESSAGE {own} of {} stones are mine", stones.len());
                self.stones = stones.into_iter().map(|Placed { point, .. }| point).collect();
                self.turn();
            }
            Command::Play(point) => self.play(point),
            Command::About => println!("name=\"Strange {}\", version=\"1\"", self.how),
            Command::End if self.how == "clingy" => thread::sleep(Duration::from_secs(600)),
            Command::End => exit(0),
            Command::Show(_)
            | Command::TakeBack(_)
            | Command::Swap2(_)
            | Command::Info(_)
            | Command::ShowForbidden
            | Command::Best(_)
            | Command::Stop => {}
        }
    }

    fn turn(&mut self) {
        self.moves += 1;
        // All modes make the first move, so that they get a seat.
        match (self.moves, self.how.as_str()) {
            (_, "late-refuse") => println!("{}", Reply::Error("this rule is not for me".into())),
            (3.., "hang") => thread::sleep(Duration::from_secs(600)),
            (3.., "crash") => exit(3),
            (3.., "garbage") => (0..10_000).for_each(|_| println!("7;7 is \u{1b}[31mbest")),
            (3.., "rude") => {
                for word in ["MESSAGE", "DEBUG", "UNKNOWN", "ERROR"] {
                    println!("{word} my secret");
                }
            }
            (3.., "illegal") => println!("{}", Reply::Move(self.stones[0])),
            (3.., "outside") => println!("{}", Reply::Move(Point::new(i32::MAX, -1))),
            (3.., "greedy") => {
                let mut all: Vec<Vec<u8>> = Vec::new();
                loop {
                    // Taken, but not written to: that is quick on a busy machine too.
                    all.push(std::hint::black_box(Vec::with_capacity(16 << 20)));
                }
            }
            (1, "unready") => {
                thread::sleep(Duration::from_secs(2));
                self.play(self.first_empty());
            }
            (_, "suggest") => println!("{}", Reply::Suggest(self.first_empty())),
            _ => self.play(self.first_empty()),
        }
    }

    fn play(&mut self, point: Point) {
        println!("DEBUG 3,3 would be worse");
        println!("{}", Reply::Message(format!("move {}", self.moves)));
        println!("{}", Reply::Move(point));
        self.stones.push(point);
    }

    fn first_empty(&self) -> Point {
        let points = (0..i32::from(self.height))
            .flat_map(|y| (0..i32::from(self.width)).map(move |x| Point::new(x, y)));
        points.into_iter().find(|point| !self.stones.contains(point)).unwrap_or_default()
    }
}
