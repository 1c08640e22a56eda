//! Other devices that sign in because a signed-in one lets them: by a code that somebody types there (as
//! RFC 8628 describes), or by a link that a signed-in page shows.
//!
//! A device that waits has a secret code, and asks with it whether it was allowed. The member sees what the
//! device calls itself and from where it asks, and says yes or no.

use fivefold_shared::{
    clock::millis,
    protocol::{AccountNews, MemberId, Reason, Refusal},
};
use fivefold_storage::{Account, AccountStep, KeyHash, KeyStep};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::{Accounts, Device, Opened, SignedIn, new_session};
use crate::{
    limits::accounts::{DEVICE_CODE_KEPT, DEVICE_POLL_AFTER, LINK_KEPT},
    process::ids,
};

/// A device that waits for leave to sign in.
#[derive(Clone, Serialize, Deserialize)]
struct Waiting {
    label: String,
    address: String,
    asked_at: u64,
    /// Who may let it sign in; anybody if it came by a typed code.
    by: Option<MemberId>,
    answer: Answer,
}

/// The member's answer.
#[derive(Clone, Serialize, Deserialize)]
enum Answer {
    None,
    Allowed(MemberId),
    Denied,
}

/// A link that lets one device sign in.
#[derive(Clone, Serialize, Deserialize)]
enum Link {
    /// Nobody has opened it.
    New { member: MemberId, name: String },
    /// A device has, which waits under this key.
    Opened { member: MemberId, device: KeyHash, user_code: String },
}

/// What a new device needs to know. Its codes are secrets, so it has no `Debug`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct NewDevice {
    /// The device asks with it whether it is allowed.
    pub(crate) device_code: String,
    /// The member types it.
    pub(crate) user_code: String,
    /// How long both are valid, in milliseconds.
    pub(crate) expires_ms: u64,
    /// How long to wait between two questions, in milliseconds.
    pub(crate) poll_ms: u64,
}

/// A device that waits, as the member sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ShownDevice {
    pub(crate) label: String,
    pub(crate) address: String,
    /// When it asked, in milliseconds since the Unix epoch.
    pub(crate) asked_at: u64,
}

/// What the device that opens a link needs to know. Its code is a secret, so it has no `Debug`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OpenedLink {
    /// Whose account it is.
    pub(crate) name: String,
    pub(crate) device_code: String,
    pub(crate) poll_ms: u64,
}

/// What a device learns that asks whether it is allowed.
pub(crate) enum Polled {
    /// Nobody has answered.
    Waiting,
    /// It is signed in.
    Opened(Box<Opened>),
}

impl Accounts {
    /// Begins the wait of a device.
    ///
    /// # Errors
    /// If its address has asked too often.
    pub(crate) fn begin_device(&self, device: &Device) -> Result<NewDevice, Refusal> {
        self.tries.device_code(device.address, Instant::now())?;
        let (device_code, user_code) = (ids::device_code(), ids::user_code());
        self.keep_device(device, &device_code, &user_code, None);
        Ok(NewDevice {
            device_code,
            user_code,
            expires_ms: millis(DEVICE_CODE_KEPT),
            poll_ms: millis(DEVICE_POLL_AFTER),
        })
    }

    /// The device with this code, for the member who has typed it.
    ///
    /// # Errors
    /// If the code is wrong, or there were too many wrong ones.
    pub(crate) async fn device(
        &self,
        own: &SignedIn,
        user_code: &str,
        at: &Device,
    ) -> Result<ShownDevice, Refusal> {
        let (_, waiting) = self.waiting(own, user_code, at).await?;
        let Waiting { label, address, asked_at, .. } = waiting;
        Ok(ShownDevice { label, address, asked_at })
    }

    /// Lets the device with this code sign in, or not. Tells all sessions of the account if it may.
    ///
    /// # Errors
    /// If the code is wrong, or there were too many wrong ones.
    pub(crate) async fn answer_device(
        &self,
        own: &SignedIn,
        user_code: &str,
        is_allowed: bool,
        at: &Device,
    ) -> Result<(), Refusal> {
        let (key, waiting) = self.waiting(own, user_code, at).await?;
        let member = own.account.member.clone();
        let label = waiting.label.clone();
        let answer = if is_allowed { Answer::Allowed(member) } else { Answer::Denied };
        // The code is used up.
        let used: Option<KeyHash> = self.short_lived().take(ids::user_code_hash(user_code)).await;
        let answered = Waiting { answer, ..waiting };
        if used.is_none() || !self.short_lived().replace(key, &answered).await {
            return Err(Refusal::new(Reason::WrongDeviceCode));
        }
        if is_allowed {
            self.tell(&own.account.member, AccountNews::DeviceAdded, &label);
        }
        Ok(())
    }

    /// Signs in a device that was allowed.
    ///
    /// # Errors
    /// If its code is not valid, it was denied, it asks too often, or the storage fails.
    pub(crate) async fn poll_device(
        &self,
        device_code: &str,
        device: &Device,
    ) -> Result<Polled, Refusal> {
        let key = ids::device_hash(device_code);
        self.tries.device_poll(key, Instant::now())?;
        let waiting: Option<Waiting> = self.short_lived().read(key).await;
        let Waiting { label, answer, .. } =
            waiting.ok_or_else(|| Refusal::new(Reason::WrongDeviceCode))?;
        let member = match answer {
            Answer::None => return Ok(Polled::Waiting),
            Answer::Denied => return Err(Refusal::new(Reason::DeviceDenied)),
            Answer::Allowed(member) => member,
        };
        // Of several questions at once, one gets the session.
        let taken: Option<Waiting> = self.short_lived().take(key).await;
        taken.ok_or_else(|| Refusal::new(Reason::WrongDeviceCode))?;
        self.moderation.may_sign_in(&member)?;
        let (secret, session) = new_session(&label, self.clock.now(), 0);
        let hash = session.hash;
        let step = AccountStep::Key(KeyStep::Begin(session));
        self.change(&member, step, Reason::WrongDeviceCode).await?;
        let found = self.read(move |reader| reader.account_of_session(hash)).await?;
        let (account, _) = found.ok_or_else(|| Refusal::new(Reason::WrongDeviceCode))?;
        self.note_use(device, &account);
        Ok(Polled::Opened(Box::new(Opened { account, secret })))
    }

    /// Makes a link that lets one other device sign in.
    pub(crate) fn begin_link(&self, own: &SignedIn) -> (String, u64) {
        let code = ids::device_code();
        let Account { member, name, .. } = own.account.clone();
        let link = Link::New { member, name: name.into() };
        let expires_at = self.clock.now() + millis(LINK_KEPT);
        self.logins.short_lived().put(ids::link_hash(&code), &link, expires_at, None);
        (code, millis(LINK_KEPT))
    }

    /// The device that has opened a link of this member, and its code; none if nobody has.
    ///
    /// # Errors
    /// If the link is not valid.
    pub(crate) async fn link(
        &self,
        own: &SignedIn,
        code: &str,
    ) -> Result<Option<(String, ShownDevice)>, Refusal> {
        let wrong = || Refusal::new(Reason::WrongDeviceCode);
        let link: Option<Link> = self.short_lived().read(ids::link_hash(code)).await;
        let (member, opened) = match link.ok_or_else(wrong)? {
            Link::New { member, .. } => (member, None),
            Link::Opened { member, device, user_code } => (member, Some((device, user_code))),
        };
        if member != own.account.member {
            return Err(wrong());
        }
        let Some((device, user_code)) = opened else { return Ok(None) };
        let waiting: Option<Waiting> = self.short_lived().read(device).await;
        let Waiting { label, address, asked_at, .. } = waiting.ok_or_else(wrong)?;
        Ok(Some((user_code, ShownDevice { label, address, asked_at })))
    }

    /// Opens a link on another device, which waits from then on. Works once.
    ///
    /// # Errors
    /// If the link is not valid, or there were too many wrong ones.
    pub(crate) async fn open_link(
        &self,
        code: &str,
        device: &Device,
    ) -> Result<OpenedLink, Refusal> {
        let now = Instant::now();
        self.tries.may_try_device(device.address, now)?;
        let key = ids::link_hash(code);
        let (member, name) = match self.short_lived().take::<Link>(key).await {
            Some(Link::New { member, name }) => (member, name),
            Some(opened @ Link::Opened { .. }) => {
                // Put back what the member looks at.
                let expires_at = self.clock.now() + millis(LINK_KEPT);
                self.logins.short_lived().put(key, &opened, expires_at, None);
                return Err(self.wrong_device(device));
            }
            None => return Err(self.wrong_device(device)),
        };
        let (device_code, user_code) = (ids::device_code(), ids::user_code());
        let waits = self.keep_device(device, &device_code, &user_code, Some(member.clone()));
        let opened = Link::Opened { member, device: waits, user_code };
        let expires_at = self.clock.now() + millis(LINK_KEPT);
        self.logins.short_lived().put(key, &opened, expires_at, None);
        Ok(OpenedLink { name, device_code, poll_ms: millis(DEVICE_POLL_AFTER) })
    }

    /// Keeps a device that waits, and the code that names it.
    fn keep_device(
        &self,
        device: &Device,
        device_code: &str,
        user_code: &str,
        by: Option<MemberId>,
    ) -> KeyHash {
        let now = self.clock.now();
        let key = ids::device_hash(device_code);
        let waiting = Waiting {
            label: device.label.clone(),
            address: device.address.to_string(),
            asked_at: now,
            by,
            answer: Answer::None,
        };
        let expires_at = now + millis(DEVICE_CODE_KEPT);
        self.logins.short_lived().put(key, &waiting, expires_at, None);
        self.logins.short_lived().put(ids::user_code_hash(user_code), &key, expires_at, None);
        key
    }

    /// The device with this code, and its key, if this member may let it sign in.
    async fn waiting(
        &self,
        own: &SignedIn,
        user_code: &str,
        at: &Device,
    ) -> Result<(KeyHash, Waiting), Refusal> {
        self.tries.may_try_device(at.address, Instant::now())?;
        let found: Option<KeyHash> = self.short_lived().read(ids::user_code_hash(user_code)).await;
        let waiting = match found {
            Some(key) => self.short_lived().read(key).await.map(|waiting| (key, waiting)),
            None => None,
        };
        let mine = |waiting: &Waiting| {
            waiting.by.as_ref().is_none_or(|member| *member == own.account.member)
        };
        match waiting {
            Some((key, waiting)) if mine(&waiting) => Ok((key, waiting)),
            Some(_) | None => Err(self.wrong_device(at)),
        }
    }

    fn wrong_device(&self, device: &Device) -> Refusal {
        self.tries.note_wrong_device(device.address, Instant::now());
        Refusal::new(Reason::WrongDeviceCode)
    }
}
