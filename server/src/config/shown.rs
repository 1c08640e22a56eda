//! Settings as lines of a settings file. A secret is never in them.

use super::settings::{Setting, Settings};

impl Settings {
    /// How many settings are given, besides the file in which they stand.
    pub(crate) fn given_count(&self) -> usize {
        self.given.keys().filter(|key| **key != "config").count()
    }
}

impl Setting {
    /// The setting, and where it comes from. What is not given is a comment, and so is what cannot stand in a file.
    pub(crate) fn line(&self, settings: &Settings) -> String {
        let (key, shown) = (self.key(), (self.show)(settings));
        let Some(place) = settings.given.get(key) else {
            return if self.is_value(&shown) {
                format!("# {key} = {} # default", toml(&shown))
            } else {
                format!("# {key}: {shown} # default")
            };
        };
        let from = place.short.replace(char::is_control, "?");
        match &place.file {
            Some(file) => format!("{key}-file = {} # {from}", toml(file)),
            None if self.is_secret => format!("# {key}: {shown} # {from}"),
            None if key == "config" => format!("# {key} = {} # {from}", toml(&shown)),
            None => format!("{key} = {} # {from}", toml(&shown)),
        }
    }

    /// Whether the text of the default is a value, and not words about what applies.
    fn is_value(&self, default: &str) -> bool {
        let mut settings = Settings::default();
        (self.set)(&mut settings, default).is_ok() && settings == Settings::default()
    }
}

/// A text as a value of a settings file.
fn toml(text: &str) -> String {
    let is_number = text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    if is_number || matches!(text, "true" | "false") {
        return text.to_owned();
    }
    // TOML escapes as JSON does, and this character, too.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
