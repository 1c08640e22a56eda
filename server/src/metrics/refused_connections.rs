//! Connections that were refused: counted for the operator, and summed up in one line of the log each
//! minute, so that a flood of them fills no disk.

use std::{
    collections::HashMap,
    convert::Infallible,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::time::sleep;

use crate::{
    limits::operators::{REFUSED_ADDRESSES_MAX, REFUSED_REPORT_INTERVAL},
    metrics::{Metrics, RefusedFor},
    net::{connection_limit::Full, logged_addresses::Addresses, network::network},
};

/// Counts refused connections.
#[derive(Debug)]
pub(crate) struct RefusedConnections {
    addresses: Addresses,
    metrics: Arc<Metrics>,
    /// Since the last line. Locked only to count.
    since: Mutex<Counts>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Counts {
    server: u64,
    address: u64,
    rate: u64,
    tls: u64,
    handshake: u64,
    foreign_page: u64,
    /// By network; those above the limit are not counted here.
    by_address: HashMap<IpAddr, u64>,
}

impl Counts {
    fn count(&mut self, why: RefusedFor) -> &mut u64 {
        match why {
            RefusedFor::Full(Full::Server) => &mut self.server,
            RefusedFor::Full(Full::Address) => &mut self.address,
            RefusedFor::Full(Full::Rate) => &mut self.rate,
            RefusedFor::Tls => &mut self.tls,
            RefusedFor::Handshake => &mut self.handshake,
            RefusedFor::ForeignPage => &mut self.foreign_page,
        }
    }
}

impl RefusedConnections {
    pub(crate) fn new(addresses: Addresses, metrics: Arc<Metrics>) -> Self {
        Self { addresses, metrics, since: Mutex::default() }
    }

    /// Counts a connection from this address.
    pub(crate) fn note(&self, why: RefusedFor, address: IpAddr) {
        self.metrics.refused_connection(why);
        let mut since = self.lock();
        *since.count(why) += 1;
        let address = network(address);
        if since.by_address.len() < REFUSED_ADDRESSES_MAX || since.by_address.contains_key(&address)
        {
            *since.by_address.entry(address).or_default() += 1;
        }
    }

    /// Writes a line each minute in which there was any; never returns.
    pub(crate) async fn report(&self) -> Infallible {
        loop {
            sleep(REFUSED_REPORT_INTERVAL).await;
            let since = std::mem::take(&mut *self.lock());
            let most = since.by_address.iter().max_by_key(|(address, count)| (**count, **address));
            let Some((&most_from, &most)) = most else { continue };
            tracing::warn!(
                server = since.server,
                address = since.address,
                rate = since.rate,
                tls = since.tls,
                handshake = since.handshake,
                foreign_page = since.foreign_page,
                addresses = since.by_address.len(),
                most,
                most_from = self.addresses.shown(most_from).map(tracing::field::display),
                "connections were refused in the last minute",
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Nothing panics while the lock is held.
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use tokio::time::{advance, timeout};
    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    /// Keeps what is logged.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_minute_of_refusals_is_one_line() {
        let kept = Lines::default();
        let logs = tracing_subscriber::fmt().with_writer(kept.clone()).with_ansi(false).finish();
        let _guard = tracing::subscriber::set_default(logs);
        let refused = RefusedConnections::new(Addresses::Network, Arc::new(Metrics::new()));
        let mut report = Box::pin(refused.report());
        let at =
            |last: u32| IpAddr::from((u32::from_be_bytes([198, 51, 100, 0]) + last).to_be_bytes());
        for count in 0..5_000 {
            refused.note(RefusedFor::Full(Full::Rate), at(7));
            refused.note(RefusedFor::Handshake, at(count % 3));
        }
        refused.note(RefusedFor::ForeignPage, at(7));
        for _ in 0..3 {
            advance(REFUSED_REPORT_INTERVAL).await;
            // It never returns, but writes its line.
            timeout(Duration::from_millis(1), &mut report).await.unwrap_err();
        }
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let expected = "connections were refused in the last minute server=0 address=0 rate=5000 tls=0 \
                        handshake=5000 foreign_page=1 addresses=4 most=5001 most_from=198.51.100.0/24";
        assert!(text.trim_end().ends_with(expected), "{text}");
    }
}
