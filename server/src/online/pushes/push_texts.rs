//! What pushes say, in the languages of the page. The server writes the texts, so an older service worker can also
//! show kinds of news that were added after it was installed.

use serde::Serialize;

use crate::online::language::Language;

/// What somebody is told. Names are of people; there is none for a bot of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Text<'t> {
    /// It is their turn.
    Turn { opponent: Option<&'t str> },
    /// It is their turn in several games.
    Games(usize),
    /// Their time ends.
    Reminder { opponent: Option<&'t str> },
    /// A game with this opponent has begun without them.
    Found { opponent: &'t str },
    /// A friend challenges them.
    Challenge { by: &'t str },
    /// An operator has decided their report about somebody.
    Report { about: &'t str, acted: bool },
    /// Their time has run out, or that of the opponent.
    TimeUp { opponent: Option<&'t str>, won: bool },
    /// An operator has closed the room of their game, and says why.
    Closed { opponent: Option<&'t str>, why: &'t str },
}

/// Where the service worker writes when the member's time ends, as the clock of the device has it: while a push waits,
/// a number of hours becomes wrong.
pub(super) const TIME: &str = "{time}";

/// A notification, as the service worker shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Notification {
    title: String,
    body: String,
    /// Where a press on it leads.
    path: String,
    /// It takes the place of one with the same tag.
    tag: String,
    /// The language of the texts, as the page calls it.
    lang: &'static str,
    /// When the member's time ends, in milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_at: Option<u64>,
}

impl Text<'_> {
    /// The notification in a language, which leads to this path.
    pub(super) fn notification(
        self,
        language: Language,
        path: String,
        tag: String,
        ends_at: Option<u64>,
    ) -> Notification {
        let (title, body) = self.in_language(language);
        Notification { title, body, path, tag, lang: language.code(), ends_at }
    }

    /// The title and the text in a language.
    pub(super) fn in_language(self, language: Language) -> (String, String) {
        match language {
            Language::English => self.english(),
            Language::Spanish => self.spanish(),
            Language::Russian => self.russian(),
        }
    }

    fn english(self) -> (String, String) {
        let language = Language::English;
        let ends = format!("Your time ends: {TIME}");
        match self {
            Self::Turn { opponent } => (language.own_turn(opponent), ends),
            Self::Games(count) => (
                format!("{} for you", language.counted(count, ["game waits", "", "games wait"])),
                String::new(),
            ),
            Self::Reminder { opponent } => (ends, language.own_turn(opponent)),
            Self::Found { opponent } => {
                ("Your game has begun".to_owned(), format!("Your opponent is {opponent}."))
            }
            Self::Challenge { by } => {
                (format!("{by} challenges you"), "Answer when you have time.".to_owned())
            }
            Self::Report { about, acted } => {
                let body = if acted { "Action was taken." } else { "No violation was found." };
                (format!("Your report about {about}"), body.to_owned())
            }
            Self::Closed { opponent, why } => {
                let title = opponent.map_or_else(
                    || "Your game was closed".to_owned(),
                    |name| format!("Your game with {name} was closed"),
                );
                (title, format!("It has no result. The operator writes: {why}"))
            }
            Self::TimeUp { opponent, won } => {
                let title = match (won, opponent) {
                    (false, _) => "Your time ran out".to_owned(),
                    (true, Some(name)) => format!("{name} ran out of time"),
                    (true, None) => "Your opponent ran out of time".to_owned(),
                };
                let body = if won { "You won the game." } else { "The game is over." };
                (title, body.to_owned())
            }
        }
    }

    fn spanish(self) -> (String, String) {
        let language = Language::Spanish;
        let ends = format!("Tu tiempo termina: {TIME}");
        match self {
            Self::Turn { opponent } => (language.own_turn(opponent), ends),
            Self::Games(count) => {
                let forms = ["partida te espera", "", "partidas te esperan"];
                (language.counted(count, forms), String::new())
            }
            Self::Reminder { opponent } => (ends, language.own_turn(opponent)),
            Self::Found { opponent } => {
                ("Tu partida ha empezado".to_owned(), format!("Juegas contra {opponent}."))
            }
            Self::Challenge { by } => {
                (format!("{by} te reta"), "Responde cuando tengas tiempo.".to_owned())
            }
            Self::Report { about, acted } => {
                let body = if acted {
                    "Se tomaron medidas."
                } else {
                    "No se encontró ninguna infracción."
                };
                (format!("Tu denuncia contra {about}"), body.to_owned())
            }
            Self::Closed { opponent, why } => {
                let title = opponent.map_or_else(
                    || "Se cerró tu partida".to_owned(),
                    |name| format!("Se cerró tu partida con {name}"),
                );
                (title, format!("No tiene resultado. El operador escribe: {why}"))
            }
            Self::TimeUp { opponent, won } => {
                let title = match (won, opponent) {
                    (false, _) => "Se acabó tu tiempo".to_owned(),
                    (true, Some(name)) => format!("A {name} se le acabó el tiempo"),
                    (true, None) => "A tu rival se le acabó el tiempo".to_owned(),
                };
                let body = if won { "Has ganado la partida." } else { "La partida ha terminado." };
                (title, body.to_owned())
            }
        }
    }

    fn russian(self) -> (String, String) {
        let language = Language::Russian;
        let ends = format!("Ваше время истекает: {TIME}");
        match self {
            Self::Turn { opponent } => (language.own_turn(opponent), ends),
            Self::Games(count) => {
                let forms = ["партия ждёт вас", "партии ждут вас", "партий ждут вас"];
                (language.counted(count, forms), String::new())
            }
            Self::Reminder { opponent } => (ends, language.own_turn(opponent)),
            Self::Found { opponent } => {
                ("Ваша партия началась".to_owned(), format!("Ваш соперник: {opponent}."))
            }
            Self::Challenge { by } => {
                (format!("{by} бросает вам вызов"), "Ответьте, когда будет время.".to_owned())
            }
            Self::Report { about, acted } => {
                let body = if acted {
                    "Меры приняты."
                } else {
                    "Нарушений не найдено."
                };
                (format!("Ваша жалоба на игрока {about}"), body.to_owned())
            }
            Self::Closed { opponent, why } => {
                let title = opponent.map_or_else(
                    || "Ваша партия закрыта".to_owned(),
                    |name| format!("Ваша партия закрыта. Соперник: {name}"),
                );
                (title, format!("Результата нет. Оператор пишет: {why}"))
            }
            Self::TimeUp { opponent, won } => {
                let title = match (won, opponent) {
                    (false, _) => "Ваше время истекло".to_owned(),
                    (true, Some(name)) => format!("Время истекло: {name}"),
                    (true, None) => "Время соперника истекло".to_owned(),
                };
                let body = if won {
                    "Вы выиграли партию."
                } else {
                    "Партия окончена."
                };
                (title, body.to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_says_that_it_is_a_turn() {
        let opponent = Some("Bori");
        let ends =
            ["Your time ends: {time}", "Tu tiempo termina: {time}", "Ваше время истекает: {time}"];
        let cases = [
            (
                Text::Turn { opponent },
                ["Your move against Bori", "Te toca contra Bori", "Ваш ход: партия с Bori"],
                ends,
            ),
            (Text::Turn { opponent: None }, ["Your move", "Te toca", "Ваш ход"], ends),
            (
                Text::Games(3),
                ["3 games wait for you", "3 partidas te esperan", "3 партии ждут вас"],
                ["", "", ""],
            ),
            (
                Text::Games(11),
                ["11 games wait for you", "11 partidas te esperan", "11 партий ждут вас"],
                ["", "", ""],
            ),
            (
                Text::Games(21),
                ["21 games wait for you", "21 partidas te esperan", "21 партия ждёт вас"],
                ["", "", ""],
            ),
            (
                Text::Reminder { opponent },
                ends,
                ["Your move against Bori", "Te toca contra Bori", "Ваш ход: партия с Bori"],
            ),
        ];
        assert_said(&cases);
    }

    #[test]
    fn each_language_says_what_is_not_about_a_turn() {
        let opponent = Some("Bori");
        let cases = [
            (
                Text::Challenge { by: "Bori" },
                ["Bori challenges you", "Bori te reta", "Bori бросает вам вызов"],
                [
                    "Answer when you have time.",
                    "Responde cuando tengas tiempo.",
                    "Ответьте, когда будет время.",
                ],
            ),
            (
                Text::Found { opponent: "Bori" },
                ["Your game has begun", "Tu partida ha empezado", "Ваша партия началась"],
                ["Your opponent is Bori.", "Juegas contra Bori.", "Ваш соперник: Bori."],
            ),
            (
                Text::Report { about: "Bori", acted: true },
                ["Your report about Bori", "Tu denuncia contra Bori", "Ваша жалоба на игрока Bori"],
                ["Action was taken.", "Se tomaron medidas.", "Меры приняты."],
            ),
            (
                Text::Report { about: "Bori", acted: false },
                ["Your report about Bori", "Tu denuncia contra Bori", "Ваша жалоба на игрока Bori"],
                [
                    "No violation was found.",
                    "No se encontró ninguna infracción.",
                    "Нарушений не найдено.",
                ],
            ),
            (
                Text::TimeUp { opponent, won: true },
                ["Bori ran out of time", "A Bori se le acabó el tiempo", "Время истекло: Bori"],
                ["You won the game.", "Has ganado la partida.", "Вы выиграли партию."],
            ),
            (
                Text::TimeUp { opponent, won: false },
                ["Your time ran out", "Se acabó tu tiempo", "Ваше время истекло"],
                ["The game is over.", "La partida ha terminado.", "Партия окончена."],
            ),
            (
                Text::Closed { opponent, why: "Insults" },
                [
                    "Your game with Bori was closed",
                    "Se cerró tu partida con Bori",
                    "Ваша партия закрыта. Соперник: Bori",
                ],
                [
                    "It has no result. The operator writes: Insults",
                    "No tiene resultado. El operador escribe: Insults",
                    "Результата нет. Оператор пишет: Insults",
                ],
            ),
        ];
        assert_said(&cases);
        assert_eq!(Language::of("xx"), Language::English);
    }

    /// Checks the titles and the bodies of these texts, in English, Spanish and Russian.
    #[track_caller]
    fn assert_said(cases: &[(Text<'_>, [&str; 3], [&str; 3])]) {
        for (text, titles, bodies) in cases {
            for (place, code) in ["en", "es", "ru"].into_iter().enumerate() {
                let language = Language::of(code);
                assert_eq!(language.code(), code);
                let shown = text.notification(language, "/".to_owned(), "tag".to_owned(), None);
                assert_eq!((&*shown.title, &*shown.body), (titles[place], bodies[place]));
            }
        }
    }
}
