//! Takes the terminal for the screen, and restores it on every way out, panics included.

use std::{
    io::{self, Stdout, Write},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend, layout::Rect};

use crate::output;

/// Whether the terminal is taken, as a panic anywhere must know it. Giving it back twice would move
/// the cursor back, and what was printed in between would be overwritten.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal that shows the screen. Dropping it gives the terminal back.
#[derive(Debug)]
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When there is none, or it does not obey.
    pub(super) fn take(mouse: bool) -> io::Result<Self> {
        restore_on_panic();
        let terminal = Terminal::new(CrosstermBackend::new(output::terminal()))?;
        let mut screen = Self { terminal, mouse };
        screen.enter()?;
        Ok(screen)
    }

    /// Takes the terminal again after [`give_back`], and whenever others may have
    /// changed it.
    ///
    /// # Errors
    /// When the terminal does not obey.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(output::terminal(), EnterAlternateScreen, EnableBracketedPaste)?;
        self.take_mouse(self.mouse)?;
        self.clear()
    }

    /// Takes the mouse, or leaves it to the terminal, so that text can be selected.
    ///
    /// # Errors
    /// When the terminal does not obey.
    pub(super) fn take_mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        match mouse {
            true => execute!(output::terminal(), EnableMouseCapture),
            false => execute!(output::terminal(), DisableMouseCapture),
        }
    }

    /// Draws what differs from the last time.
    ///
    /// # Errors
    /// When the terminal does not obey.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }

    /// Forgets what is on the terminal, so that the next drawing draws every cell.
    ///
    /// # Errors
    /// When the terminal does not obey.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal where its cursor is, and the answer never comes while
        // the keys are being read. A new size clears as well, without the question.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that has gone away needs nothing any more.
        drop(give_back());
    }
}

/// Rings the bell.
///
/// # Errors
/// When the terminal does not obey.
pub(super) fn ring() -> io::Result<()> {
    let mut out = output::terminal();
    out.write_all(b"\x07")?;
    out.flush()
}

/// Puts the terminal back as it was, if it was taken. Each step is tried whatever became of the
/// others.
///
/// # Errors
/// When the terminal does not obey.
pub(super) fn give_back() -> io::Result<()> {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let screen = execute!(
        output::terminal(),
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    disable_raw_mode().and(screen)
}

/// Has a panic put the terminal back before it is reported, so that the report can be read.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            drop(give_back());
            report(info);
        }));
    });
}
