//! How news is sent: by the push services of browsers, and through the operator's SMTP server.

use fivefold_mail::Mailer;
use fivefold_push::Pusher;

use crate::net::public_url::PublicUrl;

/// How this server sends news.
#[derive(Debug)]
pub(super) struct Ways {
    /// Absent without an encrypted public address.
    pub(super) pusher: Option<Pusher>,
    /// Absent if the operator has named no SMTP server.
    pub(super) mail: Option<MailWay>,
}

/// How e-mail is sent.
#[derive(Debug)]
pub(super) struct MailWay {
    pub(super) mailer: Mailer,
    /// Where links lead.
    pub(super) site: PublicUrl,
}
