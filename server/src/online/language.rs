//! The languages of the page, for what the server writes in them: pushes, calendars and feeds.

/// The languages of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    English,
    Spanish,
    Russian,
}

impl Language {
    /// The language that the page calls so; English if there is none.
    pub(crate) fn of(code: &str) -> Self {
        match code {
            "es" => Self::Spanish,
            "ru" => Self::Russian,
            _ => Self::English,
        }
    }

    /// How the page calls it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::Russian => "ru",
        }
    }

    /// Says that it is the reader's move. A bot of the server has no name here.
    pub(crate) fn own_turn(self, opponent: Option<&str>) -> String {
        match (self, opponent) {
            (Self::English, Some(name)) => format!("Your move against {name}"),
            (Self::English, None) => "Your move".to_owned(),
            (Self::Spanish, Some(name)) => format!("Te toca contra {name}"),
            (Self::Spanish, None) => "Te toca".to_owned(),
            (Self::Russian, Some(name)) => format!("Ваш ход: партия с {name}"),
            (Self::Russian, None) => "Ваш ход".to_owned(),
        }
    }

    /// The form of a word after a number.
    pub(super) fn counted(self, number: usize, forms: [&'static str; 3]) -> String {
        let [one, few, many] = forms;
        let is_teen = (11..=14).contains(&(number % 100));
        let form = match (self, number % 10) {
            (Self::English | Self::Spanish, _) => {
                if number == 1 {
                    one
                } else {
                    many
                }
            }
            (Self::Russian, 1) if !is_teen => one,
            (Self::Russian, 2..=4) if !is_teen => few,
            (Self::Russian, _) => many,
        };
        format!("{number} {form}")
    }
}
