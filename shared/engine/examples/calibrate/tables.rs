//! Prints how true the chances of some positions are.

use fivefold_engine::calibration::Calibration;

use crate::{
    fit::{cross_entropy, fit_factor, times},
    judged::{Judged, Sample},
};

/// Lower ends of the ranges of stones.
const STONES: [usize; 5] = [0, 20, 35, 50, 80];
/// Columns of the diagram for ten percent.
const COLUMNS: usize = 5;

/// The positions with a chance in one tenth of all, in percent.
struct Tenth {
    count: usize,
    mean: f64,
    won: f64,
}

pub(crate) fn print(sample: &Sample, found: &Calibration) {
    let Sample { judged, proven, proven_rightly } = sample;
    println!("{} positions; {proven_rightly} of {proven} proven ones ended so", judged.len());
    let of = |calibration: Calibration| {
        move |one: &Judged| calibration.chance(one.searched, one.rules, one.stones)
    };
    let now = of(Calibration::CURRENT);
    let factor = fit_factor(sample);
    let best = cross_entropy(sample, |one| times(one, factor));
    println!("cross entropy, and how often that of the last:");
    let print = |name: &str, loss: f64| println!("  {name}: {loss:.4}, {:.3}", loss / best);
    print("search", cross_entropy(sample, |one| one.searched));
    print("people see", cross_entropy(sample, now));
    print("found", cross_entropy(sample, of(*found)));
    print(&format!("factor {factor:.2}, fitted to these positions"), best);
    print_tenths(judged, now);
    println!("the factor that fits, by stones:");
    for (index, from) in STONES.iter().enumerate() {
        let to = STONES.get(index + 1).copied().unwrap_or(usize::MAX);
        let is_in = |one: &&Judged| (*from..to).contains(&one.stones);
        let judged: Vec<Judged> = judged.iter().filter(is_in).copied().collect();
        if !judged.is_empty() {
            let part = Sample { judged, ..*sample };
            let count = part.judged.len();
            let [before, after] = [fit_factor(&part), fit_factor(&seen(&part, now))];
            println!("  from {from}: {count} positions, {before:.2} before, {after:.2} after");
        }
    }
}

/// The same positions, as if the search had the chances that people see.
fn seen(sample: &Sample, now: impl Fn(&Judged) -> f64) -> Sample {
    let judged = sample.judged.iter().map(|one| Judged { searched: now(one), ..*one });
    Sample { judged: judged.collect(), ..*sample }
}

/// Prints the table and the reliability diagram.
fn print_tenths(judged: &[Judged], now: impl Fn(&Judged) -> f64) {
    let tenths = (0..10).map(|tenth| {
        [self::tenth(judged, tenth, |one| one.searched), self::tenth(judged, tenth, &now)]
    });
    let tenths: Vec<[Tenth; 2]> = tenths.collect();
    println!("| chance | by the search | mean % | won % | for people | mean % | won % |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (index, two) in tenths.iter().enumerate() {
        let columns = two.each_ref().map(|Tenth { count, mean, won }| match count {
            0 => "0 | |".to_owned(),
            _ => format!("{count} | {mean:.1} | {won:.1}"),
        });
        println!("| {} to {} % | {} |", 10 * index, 10 * index + 10, columns.join(" | "));
    }
    println!(
        "won, from 0 to 100 %: s by the search, p for people; the chance lies between the bars"
    );
    for (index, two) in tenths.iter().enumerate() {
        let mut row = [' '; 10 * COLUMNS + 1];
        (row[index * COLUMNS], row[(index + 1) * COLUMNS]) = ('|', '|');
        for (sign, tenth) in ['s', 'p'].into_iter().zip(two).filter(|(_, tenth)| tenth.count > 0) {
            let way = tenth.won / 10.0 * COLUMNS as f64;
            let column = (0..row.len()).rfind(|column| *column as f64 <= way + 0.5).unwrap_or(0);
            row[column] = sign;
        }
        println!("{:>3} %  {}", 10 * index + 5, row.iter().collect::<String>().trim_end());
    }
}

fn tenth(judged: &[Judged], tenth: u8, chance: impl Fn(&Judged) -> f64) -> Tenth {
    let is_in = |chance: f64| (10.0 * chance).floor().clamp(0.0, 9.0) == f64::from(tenth);
    let all = judged.iter().map(|one| (chance(one), one.score));
    let all: Vec<_> = all.filter(|(chance, _)| is_in(*chance)).collect();
    let count = all.len();
    let mean = |of: fn(&(f64, f64)) -> f64| 100.0 * all.iter().map(of).sum::<f64>() / count as f64;
    Tenth { count, mean: mean(|one| one.0), won: mean(|one| one.1) }
}
