//! The names of guests who chose none.

use fivefold_shared::protocol::{MemberId, Name};

/// The name of a member who chose none: always the same for the same member.
pub(crate) fn guest_name(member: &MemberId) -> Name {
    let number =
        member.as_str().bytes().fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 10_000);
    Name::new(&format!("Guest {number:04}")).expect("letters, a space and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_has_the_same_name_every_time() {
        let member = MemberId::try_from("00ff00ff00ff00ff".to_owned()).unwrap();
        assert_eq!(guest_name(&member).as_str(), "Guest 6640");
    }
}
