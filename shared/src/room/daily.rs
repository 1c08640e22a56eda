//! What only daily games have.

mod conditional_moves;
mod time_off;
