//! The public interface of the searches for wins by threats, for problems and for analysis.

use std::fmt;

use fivefold_shared::{
    rules::{Point, Rules, Size, Stone},
    search_budget::Thinking,
};

use super::{
    grid::Grid,
    grid_window::Window,
    pattern_tables::Tables,
    search_limits::SearchLimits,
    spots::Spot,
    vcf::{Vcf, Verdict},
    vct::Vct,
};

/// How many positions an unhurried search remembers.
const REMEMBERED: usize = 1 << 18;

/// Searches set-up positions for wins by continuous threats.
pub struct ThreatSearch {
    pub(super) grid: Grid,
    placed: Vec<Spot>,
    pub(super) vcf: Vcf,
    pub(super) vct: Vct,
    nodes: u64,
}

impl fmt::Debug for ThreatSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreatSearch").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl ThreatSearch {
    /// A search on an empty bounded board; `None` on the unbounded board, and where more than six
    /// in a row win.
    pub fn new(rules: Rules) -> Option<Self> {
        let Size::Bounded { width, height } = rules.size() else { return None };
        let window = Window::bordered(width, height);
        let grid = Grid::new(Tables::of(rules.variant())?, window);
        Some(Self {
            grid,
            placed: Vec::new(),
            vcf: Vcf::new(REMEMBERED),
            vct: Vct::new(REMEMBERED).with_forks(),
            nodes: 0,
        })
    }

    /// Sets up other stones. Points outside the board and points that come twice are left out.
    pub fn set_up(&mut self, stones: impl IntoIterator<Item = (Point, Stone)>) {
        while let Some(spot) = self.placed.pop() {
            self.grid.take_back(spot);
        }
        for (point, stone) in stones {
            if let Some(spot) = self.grid.window().spot(point)
                && self.grid.stone_at(spot).is_none()
            {
                self.grid.place(spot, stone);
                self.placed.push(spot);
            }
        }
    }

    /// A win of `attacker` by continuous fours, found as quickly as possible; otherwise like
    /// [`ThreatSearch::shortest_vcf`].
    pub fn vcf(&mut self, attacker: Stone, nodes: u64) -> Option<Vec<Point>> {
        let thinking = Thinking::unlimited();
        let mut limits = SearchLimits::new(&thinking);
        let verdict = self.vcf.search(&mut self.grid, attacker, u8::MAX, nodes, &mut limits);
        self.win(verdict, limits.nodes())
    }

    /// The shortest win of `attacker` by continuous fours: its moves and the answers in turn, up
    /// to a five, an open four or two fours at once. `None` where there is none, or none was found
    /// within `nodes` positions.
    pub fn shortest_vcf(&mut self, attacker: Stone, nodes: u64) -> Option<Vec<Point>> {
        let thinking = Thinking::unlimited();
        let mut limits = SearchLimits::new(&thinking);
        let verdict = self.vcf.shortest(&mut self.grid, attacker, u8::MAX, nodes, &mut limits);
        self.win(verdict, limits.nodes())
    }

    /// The first move of a win of `attacker` by continuous fours, open threes and prepared double fours, and how many
    /// moves it needs before fours alone win. `None` where there is none, or none was found in
    /// time.
    pub fn vct(&mut self, attacker: Stone, thinking: &Thinking<'_>) -> Option<(Point, u8)> {
        let mut limits = SearchLimits::new(thinking);
        let Self { grid, vcf, vct, .. } = self;
        let found = vct.search(grid, vcf, attacker, u64::MAX, &mut limits);
        self.nodes = limits.nodes();
        found.and_then(|(spot, moves)| Some((self.grid.window().point(spot)?, moves)))
    }

    fn win(&mut self, verdict: Verdict, nodes: u64) -> Option<Vec<Point>> {
        self.nodes = nodes;
        let window = self.grid.window();
        let line = self.vcf.line().filter_map(|spot| window.point(spot)).collect();
        (verdict == Verdict::Win).then_some(line)
    }

    /// How many positions the last search visited.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }
}
