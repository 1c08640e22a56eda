//! Until when a certificate is valid: the one field of X.509 (RFC 5280, section 4.1) that operators watch.

/// Tags of DER.
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The last second of a certificate in DER, in seconds since the Unix epoch.
pub(super) fn not_after(certificate: &[u8]) -> Option<i64> {
    let (SEQUENCE, certificate, _) = element(certificate)? else { return None };
    let (SEQUENCE, mut fields, _) = element(certificate)? else { return None };
    // The serial number, the algorithm and the issuer come before it, and in most the version.
    let skipped = if fields.first() == Some(&VERSION) { 4 } else { 3 };
    for _ in 0..skipped {
        (_, _, fields) = element(fields)?;
    }
    let (SEQUENCE, validity, _) = element(fields)? else { return None };
    let (_, _, validity) = element(validity)?;
    let (tag, time, _) = element(validity)?;
    seconds(tag, str::from_utf8(time).ok()?)
}

/// The tag and the content of the first element, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let [tag, length, rest @ ..] = der else { return None };
    let (length, rest) = match *length {
        short @ ..0x80 => (usize::from(short), rest),
        long => {
            let (digits, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            let digits = digits.iter().filter(|_| digits.len() <= 4);
            (digits.fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
    };
    let (content, after) = rest.split_at_checked(length)?;
    Some((*tag, content, after))
}

/// `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ`.
fn seconds(tag: u8, time: &str) -> Option<i64> {
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = time.split_at_checked(2)?;
            let year: i64 = year.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = time.split_at_checked(4)?;
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at + 2)?.parse::<i64>().ok();
    let (month, day) = (part(0)?, part(2)?);
    let time = (part(4)? * 60 + part(6)?) * 60 + part(8)?;
    Some(days_since_epoch(year, month, day) * 86_400 + time)
}

/// Days since 1 January 1970, in the Gregorian calendar. Years begin in March here, so that the leap day
/// comes last.
const fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_read() {
        let cases = [
            ((2031, 2, 3), 1_927_843_200),
            ((2000, 2, 29), 951_782_400),
            ((2050, 1, 1), 2_524_608_000),
        ];
        for ((year, month, day), expected) in cases {
            let mut params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
            params.not_before = rcgen::date_time_ymd(1999, 1, 1);
            params.not_after = rcgen::date_time_ymd(year, month, day);
            let key = rcgen::KeyPair::generate().unwrap();
            let certificate = params.self_signed(&key).unwrap();
            assert_eq!(not_after(certificate.der()), Some(expected), "{year}-{month}-{day}");
            // However it is cut off, it is no certificate.
            for length in 0..60 {
                assert_eq!(not_after(&certificate.der()[..length]), None);
            }
        }
    }
}
