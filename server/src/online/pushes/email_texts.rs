//! The texts of e-mails: the messages that a member has asked for, and news of their daily games.

use fivefold_shared::{
    clock::{MINUTE_MS, day},
    protocol::Name,
};
use fivefold_storage::{PushGame, PushSettings, PushState};

use super::push_texts::TIME;
use crate::{net::public_url::PublicUrl, online::language::Language};

/// A message about a member's address or account.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Letter {
    /// Asks whether this address is theirs.
    Confirm { address: String, secret: String },
    /// Tells the confirmed address, in the language of its messages, that another one was named, or that it was deleted.
    Replaced { address: String, language: Language },
    /// Recovers their account.
    Code(String),
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Confirm { .. } => "Confirm",
            Self::Replaced { .. } => "Replaced",
            Self::Code(_) => "Code",
        })
    }
}

/// The texts in one language. A pair is a subject and a body.
struct Words {
    /// Asks to confirm an address, with `{name}` and `{link}`.
    confirm: [&'static str; 2],
    /// Says that another address was named or this one deleted, with `{name}` and `{link}`.
    replaced: [&'static str; 2],
    /// Brings a recovery code, with `{name}`, `{code}` and `{link}`.
    code: [&'static str; 2],
    /// Stands before a time.
    until: &'static str,
    /// Ends a message with news, with `{link}`.
    end: &'static str,
}

const fn words(language: Language) -> Words {
    match language {
        Language::English => Words {
            confirm: [
                "Confirm your e-mail address",
                "Hello {name},\n\nOpen this page to get news of your games at this address:\n\n{link}\n\n\
                 The link works for a day. If you did not ask for it, do nothing: you will get no more \
                 messages.\n",
            ],
            replaced: [
                "The e-mail address of your account changes",
                "Hello {name},\n\nSomebody who is signed in to your account has named another e-mail address, \
                 or deleted this one.\n\nIf it was not you, change your password now, and check the address \
                 under “You”: {link}\n",
            ],
            code: [
                "Your recovery code",
                "Hello {name},\n\nWith this code you can set a new password. It works once, within an \
                 hour:\n\n{code}\n\nOpen {link}, choose “Sign in” and then “Lost your password?”.\n\n\
                 If you did not ask for a code, do nothing.\n",
            ],
            until: "until",
            end: "You are getting this message because you confirmed this address. You can change that under \
                  “You”: {link}\n",
        },
        Language::Spanish => Words {
            confirm: [
                "Confirma tu correo electrónico",
                "Hola, {name}:\n\nAbre esta página para recibir noticias de tus partidas en esta \
                 dirección:\n\n{link}\n\nEl enlace sirve durante un día. Si no lo pediste, no hagas nada: \
                 no recibirás más mensajes.\n",
            ],
            replaced: [
                "Cambia la dirección de correo de tu cuenta",
                "Hola, {name}:\n\nAlguien que ha iniciado sesión en tu cuenta ha indicado otra dirección de \
                 correo, o ha eliminado esta.\n\nSi no has sido tú, cambia ahora tu contraseña y revisa la \
                 dirección en «Tú»: {link}\n",
            ],
            code: [
                "Tu código de recuperación",
                "Hola, {name}:\n\nCon este código puedes poner otra contraseña. Sirve una sola vez, durante \
                 una hora:\n\n{code}\n\nAbre {link}, elige «Iniciar sesión» y después «¿Perdiste la \
                 contraseña?».\n\nSi no pediste un código, no hagas nada.\n",
            ],
            until: "hasta el",
            end: "Recibes este mensaje porque confirmaste esta dirección. Puedes cambiarlo en «Tú»: {link}\n",
        },
        Language::Russian => Words {
            confirm: [
                "Подтвердите адрес электронной почты",
                "Здравствуйте, {name}!\n\nОткройте эту страницу, чтобы получать новости о своих партиях на этот \
                 адрес:\n\n{link}\n\nСсылка действует сутки. Если вы об этом не просили, ничего не делайте: писем \
                 больше не будет.\n",
            ],
            replaced: [
                "Меняется адрес вашего аккаунта",
                "Здравствуйте, {name}!\n\nКто-то, вошедший в ваш аккаунт, указал другой адрес электронной почты \
                 или удалил этот.\n\nЕсли это были не вы, сразу смените пароль и проверьте адрес в разделе \
                 «Вы»: {link}\n",
            ],
            code: [
                "Код восстановления",
                "Здравствуйте, {name}!\n\nС помощью этого кода можно задать новый пароль. Код одноразовый и \
                 действует час:\n\n{code}\n\nОткройте {link}, выберите «Войти», затем «Забыли пароль?».\n\nЕсли вы \
                 не просили код, ничего не делайте.\n",
            ],
            until: "до",
            end: "Вы получили это письмо, потому что подтвердили этот адрес. Изменить это можно в разделе «Вы»: {link}\n",
        },
    }
}

impl Letter {
    /// The subject and the text for the member of this name.
    pub(super) fn text(
        &self,
        name: &Name,
        language: Language,
        site: &PublicUrl,
    ) -> (String, String) {
        let words = words(language);
        let ([subject, body], link, code) = match self {
            Self::Confirm { secret, .. } => (words.confirm, format!("{site}/#email={secret}"), ""),
            Self::Replaced { .. } => (words.replaced, site.to_string(), ""),
            Self::Code(code) => (words.code, site.to_string(), code.as_str()),
        };
        let body = body.replace("{code}", code).replace("{link}", &link);
        // Last, because a name may look like another placeholder.
        (subject.to_owned(), body.replace("{name}", name.as_str()))
    }
}

/// News as an e-mail: what a push would say, and a line for each game that it is about.
pub(super) struct NewsMail<'n> {
    /// The title and the text of a push.
    pub(super) text: (String, String),
    /// When the reader's time ends, if there is one game.
    pub(super) ends_at: Option<u64>,
    pub(super) games: Vec<&'n PushGame>,
}

impl NewsMail<'_> {
    pub(super) fn text(
        self,
        language: Language,
        settings: &PushSettings,
        site: &PublicUrl,
    ) -> (String, String) {
        let words = words(language);
        let time = self.ends_at.map(|at| local_time(settings, at)).unwrap_or_default();
        let (title, text) = self.text;
        let mut body = String::new();
        if self.games.is_empty() {
            body = text.replace(TIME, &time);
        }
        for game in self.games {
            let turn = language.own_turn(game.opponent.as_ref().map(Name::as_str));
            let (until, time) = (words.until, local_time(settings, game.turn.flag_at));
            let gap = if body.is_empty() { "" } else { "\n\n" };
            body = format!("{body}{gap}{turn} ({until} {time})\n{site}/r/{}", game.room);
        }
        let end = words.end.replace("{link}", &site.to_string());
        (title.replace(TIME, &time), format!("{body}\n\n-- \n{end}"))
    }
}

/// The games that a digest is about.
pub(super) fn told(games: &[PushGame]) -> impl Iterator<Item = &PushGame> {
    games.iter().filter(|game| game.state == PushState::Told)
}

/// A time in the member's time zone, such as `2026-11-30 18:05 UTC+1`.
fn local_time(settings: &PushSettings, at: u64) -> String {
    let offset = i64::from(settings.utc_offset);
    let minutes = at.saturating_add_signed(offset * MINUTE_MS.cast_signed()) / MINUTE_MS;
    let zone = match (offset.signum(), offset.abs() / 60, offset.abs() % 60) {
        (0, ..) => "UTC".to_owned(),
        (sign, hours, minutes) => {
            let sign = if sign < 0 { '-' } else { '+' };
            let minutes = if minutes == 0 { String::new() } else { format!(":{minutes:02}") };
            format!("UTC{sign}{hours}{minutes}")
        }
    };
    let day = day(minutes * MINUTE_MS);
    format!("{day} {:02}:{:02} {zone}", minutes / 60 % 24, minutes % 60)
}

#[cfg(test)]
mod tests {
    use fivefold_storage::DailyTurn;

    use super::*;
    use crate::process::ids;

    fn site() -> PublicUrl {
        "https://play.example".parse().unwrap()
    }

    #[test]
    fn letters_are_in_each_language_and_have_all_their_parts() {
        let name = Name::new("Ann {code}").unwrap();
        let address = || "ann@club.example".to_owned();
        let letters = [
            (
                Letter::Confirm { address: address(), secret: "s3cret".to_owned() },
                "/#email=s3cret\n",
            ),
            (
                Letter::Replaced { address: address(), language: Language::English },
                "https://play.example\n",
            ),
            (Letter::Code("ABCD".to_owned()), "\n\nABCD\n\n"),
        ];
        for language in [Language::English, Language::Spanish, Language::Russian] {
            for (letter, part) in &letters {
                let (subject, body) = letter.text(&name, language, &site());
                assert!(body.contains(part) && body.contains("https://play.example"), "{body}");
                assert!(body.contains("Ann {code}"), "{body}");
                for text in [subject, body.replace("Ann {code}", "")] {
                    assert!(!text.contains(['{', '}']), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_digest_has_a_line_for_each_game() {
        let room = ids::room_code();
        let game = PushGame {
            member: ids::new_member_id(),
            room: room.clone(),
            opponent: Some(Name::new("Bori").unwrap()),
            state: PushState::Told,
            since: 0,
            // 2026-11-30 at 18:05 in UTC.
            turn: DailyTurn { number: 1, flag_at: 1_796_061_900_000 },
            due: None,
        };
        let zones = [
            (0, "2026-11-30 18:05 UTC"),
            (150, "2026-11-30 20:35 UTC+2:30"),
            (-480, "2026-11-30 10:05 UTC-8"),
            (360, "2026-12-01 00:05 UTC+6"),
        ];
        for (utc_offset, time) in zones {
            let settings = PushSettings { utc_offset, ..PushSettings::default() };
            let news = NewsMail {
                text: ("2 games wait for you".to_owned(), String::new()),
                ends_at: None,
                games: vec![&game, &game],
            };
            let (subject, body) = news.text(Language::English, &settings, &site());
            let line =
                format!("Your move against Bori (until {time})\nhttps://play.example/r/{room}\n\n");
            assert_eq!(subject, "2 games wait for you");
            assert!(body.starts_with(&format!("{line}{line}-- \n")), "{body}");
        }
    }
}
