//! Who may connect: a count of guests in all and for each address, with a limit on both.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::network::NetworkCounts;

/// Counts guests and turns away those who are too many.
#[derive(Clone, Debug)]
pub(crate) struct Admission(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    guests_max: usize,
    per_address_max: usize,
    /// Held only to count.
    guests: Mutex<Guests>,
}

#[derive(Debug, Default)]
struct Guests {
    total: usize,
    by_address: NetworkCounts,
}

/// The place of one guest; dropping it gives it up.
#[derive(Debug)]
pub(crate) struct Place {
    admission: Admission,
    /// None for a proxy, which is counted in all alone.
    address: Option<IpAddr>,
}

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The one on all guests.
    Server,
    /// The one on this address.
    Address,
}

impl Admission {
    /// Admits so many guests in all and from each address.
    pub(crate) fn new(guests_max: usize, per_address_max: usize) -> Self {
        let guests = Mutex::default();
        Self(Arc::new(Shared { guests_max, per_address_max, guests }))
    }

    /// Lets a guest in.
    ///
    /// # Errors
    /// When a limit is reached.
    pub(crate) fn admit(&self, address: IpAddr) -> Result<Place, Full> {
        let mut guests = self.lock();
        if guests.total >= self.0.guests_max {
            return Err(Full::Server);
        }
        if !guests.by_address.has_place(address, self.0.per_address_max) {
            return Err(Full::Address);
        }
        guests.by_address.add(address);
        guests.total += 1;
        Ok(Place { admission: self.clone(), address: Some(address) })
    }

    /// Lets a proxy in, which comes for many guests.
    ///
    /// # Errors
    /// When the limit on all is reached.
    pub(crate) fn admit_proxy(&self) -> Result<Place, Full> {
        let mut guests = self.lock();
        if guests.total >= self.0.guests_max {
            return Err(Full::Server);
        }
        guests.total += 1;
        Ok(Place { admission: self.clone(), address: None })
    }

    /// How many guests there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, Guests> {
        // Nothing panics while the lock is held.
        self.0.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut guests = self.admission.lock();
        guests.total -= 1;
        if let Some(address) = self.address {
            guests.by_address.remove(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_counted_by_network() {
        let cases = [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
        ];
        for (one, other, same) in cases {
            let admission = Admission::new(10, 1);
            let place = admission.admit(one.parse().unwrap()).unwrap();
            let second = admission.admit(other.parse().unwrap());
            assert_eq!(second.is_err(), same, "{one} and {other}");
            drop((place, second));
            assert_eq!(admission.count(), 0);
            assert!(admission.admit(other.parse().unwrap()).is_ok());
        }
    }

    #[test]
    fn a_proxy_comes_for_many() {
        let admission = Admission::new(2, 1);
        let places = [admission.admit_proxy().unwrap(), admission.admit_proxy().unwrap()];
        assert_eq!(admission.admit_proxy().unwrap_err(), Full::Server);
        drop(places);
        assert_eq!(admission.count(), 0);
    }

    #[test]
    fn the_whole_server_has_a_limit() {
        let admission = Admission::new(1, 1);
        let _place = admission.admit("192.0.2.1".parse().unwrap()).unwrap();
        assert_eq!(admission.admit("192.0.2.2".parse().unwrap()).unwrap_err(), Full::Server);
    }
}
