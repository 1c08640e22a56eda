//! A simulation of many people who seek a game in one pool: how many are paired in time, how well they
//! fit, and what it costs. Only the pairing itself runs; rooms are made at once.

use std::{collections::HashMap, fmt, time::Duration};

use fivefold_server::{
    moderation::dealings::OwnDealings,
    pairing::{Effect, Input, NewPair, Pairing, Rating, Seeker, pools::Pools, rating_window},
};
use fivefold_shared::{
    protocol::{CommandId, MemberId, Name, ROOM_CODE_ALPHABET, RoomCode, SeekId, Wanted},
    room::SessionId,
    seat::Seat,
};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};
use rustix::time::{ClockId, clock_gettime};

use crate::{Times, normal};

/// People who are paired later than this are too late.
const IN_TIME_MS: u64 = 5_000;
/// The mean of the ratings and their standard deviation.
const RATINGS: (f64, f64) = (1_500.0, 300.0);
/// The deviation of everybody's rating: they are sure, so that it widens no window.
const DEVIATION: i32 = 60;
/// The time between two rounds.
const ROUND_MS: u64 = 1_000;

/// Who seeks when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many seek.
    pub seekers: usize,
    /// They come evenly spread over this time.
    pub within: Duration,
    /// Another seed gives other ratings and times.
    pub seed: u64,
}

/// What became of the seekers.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many people.
    pub seekers: usize,
    /// How many were paired within 5 seconds.
    pub in_time: usize,
    /// How many were paired within a minute after the last one came.
    pub paired: usize,
    /// The sum of all differences of ratings, over the pairs.
    differences: i64,
    pairs: usize,
    /// How many pairs differed by more than their window.
    pub violations: usize,
    /// How many people were in two pairs.
    pub doubled: usize,
    /// How long people waited.
    pub waits: Times,
    /// Processor time of each round.
    pub rounds: Times,
    /// Processor time of each seek.
    pub seeks: Times,
}

impl Report {
    /// The share of those who were paired in time.
    pub fn share_in_time(&self) -> f64 {
        self.in_time as f64 / self.seekers as f64
    }

    /// The mean difference of the ratings in a pair.
    pub fn mean_difference(&self) -> f64 {
        self.differences as f64 / self.pairs as f64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "| {} | {:.1} % | {:.1} % | {:.1} | {} | {} | {:.2} s | {:.2} ms | {:.3} ms |",
            self.seekers,
            100.0 * self.share_in_time(),
            100.0 * self.paired as f64 / self.seekers as f64,
            self.mean_difference(),
            self.violations,
            self.doubled,
            self.waits.quantile(0.5).as_secs_f64(),
            1e3 * self.rounds.quantile(0.99).as_secs_f64(),
            1e3 * self.seeks.quantile(0.99).as_secs_f64(),
        )
    }
}

/// Lets everybody seek, and goes on for a minute after the last one.
///
/// # Panics
/// When the pairing sends an effect that nothing here leads to.
pub fn run(plan: Plan) -> Report {
    let Plan { seekers, within, seed } = plan;
    let mut random = StdRng::seed_from_u64(seed);
    let within_ms = u64::try_from(within.as_millis()).expect("a short time").max(1);
    let mut times: Vec<u64> = (0..seekers as u64).map(|n| n * within_ms / seekers as u64).collect();
    times.shuffle(&mut random);
    let ratings: Vec<Rating> = (0..seekers).map(|_| rating(&mut random)).collect();
    let mut order: Vec<usize> = (0..seekers).collect();
    order.sort_by_key(|&number| times[number]);

    let mut world = World {
        pairing: Pairing::new(Pools::default()),
        ratings,
        times,
        paired_at: HashMap::new(),
        waits: Vec::new(),
        rounds: Vec::new(),
        seeks: Vec::new(),
        report: Report { seekers, ..Report::default() },
    };
    let wanted = Wanted::Pool(Pools::default().as_slice()[0].name.clone());
    let mut coming = order.into_iter().peekable();
    let phase = random.random_range(0..ROUND_MS);
    let last = within_ms + 60_000;
    for now in (phase..last).step_by(usize::try_from(ROUND_MS).expect("a small number")) {
        while let Some(number) = coming.next_if(|&number| world.times[number] <= now) {
            let id = SeekId::try_from(letters(number)).expect("letters");
            let by = world.seeker(number);
            let time =
                world.apply(world.times[number], Input::Seek { by, id, wanted: wanted.clone() });
            world.seeks.push(time);
        }
        let time = world.apply(now, Input::Tick);
        world.rounds.push(time);
    }
    world.finish()
}

struct World {
    pairing: Pairing,
    ratings: Vec<Rating>,
    times: Vec<u64>,
    paired_at: HashMap<usize, u64>,
    waits: Vec<Duration>,
    rounds: Vec<Duration>,
    seeks: Vec<Duration>,
    report: Report,
}

impl World {
    fn seeker(&self, number: usize) -> Seeker {
        Seeker {
            daily_most: None,
            member: MemberId::try_from(format!("{number:016x}")).expect("an id"),
            name: Name::new(&format!("Player {number}")).expect("a name"),
            identity: None,
            engine: false,
            account: false,
            owner: None,
            session: SessionId(number as u64),
            command: CommandId::try_from("seek").expect("an id"),
            rating: self.ratings[number],
            friend: false,
            blocked: Vec::new(),
            dealings: OwnDealings::default(),
            address: None,
        }
    }

    /// Applies an input and what follows from it. Returns the processor time of the pairing.
    fn apply(&mut self, now: u64, input: Input) -> Duration {
        let began = processor_time();
        let effects = self.pairing.apply(now, input);
        let mut time = processor_time().saturating_sub(began);
        for effect in effects {
            if let Effect::Make(pair) = effect {
                let number = pair.number;
                self.note(now, &pair);
                let room = RoomCode::try_from(letters(self.report.pairs)).expect("letters");
                time += self.apply(now, Input::Made { pair: number, room });
            }
        }
        time
    }

    fn note(&mut self, now: u64, pair: &NewPair) {
        let numbers = Seat::BOTH.map(|seat| {
            let session = pair.players[seat].session.0;
            usize::try_from(session).expect("a small number")
        });
        let [one, other] = numbers.map(|number| self.ratings[number]);
        let waited = numbers.map(|number| now - self.times[number]);
        let difference = i64::from(one.value.abs_diff(other.value));
        let is_violation = difference > rating_window([one, other], waited);
        self.report.violations += usize::from(is_violation);
        self.report.differences += difference;
        self.report.pairs += 1;
        for (number, waited) in numbers.into_iter().zip(waited) {
            self.waits.push(Duration::from_millis(waited));
            if self.paired_at.insert(number, now).is_some() {
                self.report.doubled += 1;
            }
        }
    }

    fn finish(self) -> Report {
        let Self { times, paired_at, waits, rounds, seeks, mut report, .. } = self;
        report.waits = waits.into_iter().collect();
        report.rounds = rounds.into_iter().collect();
        report.seeks = seeks.into_iter().collect();
        report.paired = paired_at.len();
        let in_time = paired_at.iter().filter(|(number, at)| **at - times[**number] <= IN_TIME_MS);
        report.in_time = in_time.count();
        report
    }
}

/// A rating.
fn rating(random: &mut StdRng) -> Rating {
    #[expect(clippy::cast_possible_truncation, reason = "ratings are a few thousand points")]
    let value = normal(random, RATINGS).round() as i32;
    Rating { value, deviation: DEVIATION }
}

/// Text of twelve letters that stands for a number.
fn letters(mut number: usize) -> String {
    let alphabet = ROOM_CODE_ALPHABET;
    let letter = |_| {
        let letter = alphabet[number % alphabet.len()];
        number /= alphabet.len();
        char::from(letter)
    };
    (0..12).map(letter).collect()
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().expect("it does not go back")
}
