//! This process: its clock, logs, signals, files and threads, and the queues in which its work waits.

pub(crate) mod alarm;
pub(crate) mod audit;
pub mod backups;
pub mod clock;
pub(crate) mod disk;
pub(crate) mod fair_queue;
pub mod file_limit;
pub mod health;
pub(crate) mod idle_first;
pub(crate) mod ids;
pub(crate) mod jobs;
pub mod logs;
pub mod operation;
pub mod operator_link;
pub(crate) mod priority;
pub(crate) mod pruning;
pub(crate) mod read_pool;
pub mod service_manager;
pub(crate) mod storage_check;
pub mod unix_signals;
