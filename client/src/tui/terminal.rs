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

use crate::terminal::output;

/// Whether the screen holds the terminal, for the panic hook. Restoring it twice would move the
/// cursor back and overwrite later output.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal that shows the screen. Dropping this restores the terminal.
#[derive(Debug)]
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When there is no terminal, or it fails.
    pub(super) fn take(mouse: bool) -> io::Result<Self> {
        restore_on_panic();
        let terminal = Terminal::new(CrosstermBackend::new(output::terminal()))?;
        let mut screen = Self { terminal, mouse };
        screen.enter()?;
        Ok(screen)
    }

    /// Takes the terminal again after [`give_back`], or after other programs may have changed it.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(output::terminal(), EnterAlternateScreen, EnableBracketedPaste)?;
        self.take_mouse(self.mouse)?;
        self.clear()
    }

    /// Takes the mouse, or leaves it to the terminal for selecting text.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(super) fn take_mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        match mouse {
            true => execute!(output::terminal(), EnableMouseCapture),
            false => execute!(output::terminal(), DisableMouseCapture),
        }
    }

    /// Draws the cells that have changed.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }

    /// Makes the next drawing draw every cell.
    ///
    /// # Errors
    /// When the terminal fails.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` asks the terminal for the cursor's position, and the answer never comes
        // while the keys are being read. Setting the size clears as well, without the question.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A closed terminal needs no restoring.
        drop(give_back());
    }
}

/// Rings the bell.
///
/// # Errors
/// When the terminal fails.
pub(super) fn ring() -> io::Result<()> {
    let mut out = output::terminal();
    out.write_all(b"\x07")?;
    out.flush()
}

/// Restores the terminal if the screen holds it. Tries each step even if another fails.
///
/// # Errors
/// When the terminal fails.
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

/// Makes a panic restore the terminal first, so that its report can be read.
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
