//! An engine that speaks Gomocup's protocol and does what it is told on the command line: plays
//! simply, or misbehaves. For the tests of what runs engines.
//!
//! `strange_engine HOW`, where HOW is one of:
//!
//! - `plain`: plays the first empty point, row by row, and talks about it.
//! - `suggest`: the same, but suggests its moves first.
//! - `refuse`: refuses every board.
//! - `late-refuse`: takes every board, and refuses to move.
//! - `hang`, `crash`, `garbage`, `illegal`, `outside`, `greedy`: from its second move on it says
//!   nothing, ends, says nonsense, plays on a stone or beside the board, takes memory without end.
//! - `clingy SECONDS`: plays, and does not end when it is told to; it starts a child that sleeps for
//!   so long.

#![expect(clippy::print_stdout, reason = "an engine speaks on standard output")]

use std::{
    env, io,
    process::{Command as Spawn, exit},
    thread,
    time::Duration,
};

use fivefold_shared::{
    notation::gomocup::{Command, Placed, Reader, Reply, Side},
    rules::Point,
};

fn main() {
    let how = env::args().nth(1).unwrap_or_default();
    let mut engine = Engine { how, width: 0, height: 0, stones: Vec::new(), moves: 0 };
    if engine.how == "clingy" {
        // Its standard output is ours, and so keeps the pipe open.
        drop(Spawn::new("sleep").args(env::args().nth(2)).spawn());
    }
    let mut reader = Reader::default();
    for line in io::stdin().lines().map_while(Result::ok) {
        if let Some(Ok(command)) = reader.line(line.as_bytes()) {
            engine.obey(command);
        }
    }
    if engine.how == "clingy" {
        thread::sleep(Duration::from_secs(600));
    }
}

struct Engine {
    how: String,
    width: u8,
    height: u8,
    stones: Vec<Point>,
    moves: u32,
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
        // The first move is made by all, so that they get a seat.
        match (self.moves, self.how.as_str()) {
            (_, "late-refuse") => println!("{}", Reply::Error("this rule is not for me".into())),
            (3.., "hang") => thread::sleep(Duration::from_secs(600)),
            (3.., "crash") => exit(3),
            (3.., "garbage") => (0..10_000).for_each(|_| println!("7;7 is \u{1b}[31mbest")),
            (3.., "illegal") => println!("{}", Reply::Move(self.stones[0])),
            (3.., "outside") => println!("{}", Reply::Move(Point::new(i32::MAX, -1))),
            (3.., "greedy") => {
                let mut all: Vec<Vec<u8>> = Vec::new();
                loop {
                    all.push(vec![1; 16 << 20]);
                }
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
