//! The two formats of metrics: OpenMetrics, which the library writes, and the older text format of
//! Prometheus. The header `Accept` chooses one.

use std::fmt::Write;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// A format of metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MetricsFormat {
    /// Version 0.0.4 of the text format.
    Text,
    /// OpenMetrics 1.0.0.
    OpenMetrics,
}

impl MetricsFormat {
    /// The one that is preferred; the text format where it does not matter.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let ranges = lines.flat_map(|line| line.split(','));
        let (mut text, mut open_metrics) = (0.0_f32, 0.0_f32);
        for range in ranges {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default();
            let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
            let quality: f32 = quality.unwrap_or(1.0);
            match kind {
                "application/openmetrics-text" => open_metrics = open_metrics.max(quality),
                "text/plain" | "text/*" | "*/*" => text = text.max(quality),
                _ => {}
            }
        }
        if open_metrics > text { Self::OpenMetrics } else { Self::Text }
    }

    /// Its media type.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Writes what is given as OpenMetrics.
    pub(crate) fn write(self, open_metrics: String) -> String {
        match self {
            Self::Text => as_text(&open_metrics),
            Self::OpenMetrics => open_metrics,
        }
    }
}

/// In the text format a counter is called as its sample, and there are no units and no end.
fn as_text(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = None;
    for line in open_metrics.lines() {
        let Some(comment) = line.strip_prefix("# ") else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let mut words = comment.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("HELP"), Some(_), Some(words)) => help = Some(words),
            (Some("TYPE"), Some(name), Some(kind)) => {
                let end = if kind == "counter" { "_total" } else { "" };
                let help = help.take().unwrap_or_default();
                // Writing to a string cannot fail.
                writeln!(text, "# HELP {name}{end} {help}\n# TYPE {name}{end} {kind}").ok();
            }
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_what_is_accepted() {
        use MetricsFormat::{OpenMetrics, Text};
        let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,\
                          application/openmetrics-text;version=0.0.1;q=0.4,\
                          text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        let cases = [
            (None, Text),
            (Some("*/*"), Text),
            (Some("text/plain"), Text),
            (Some("application/openmetrics-text"), OpenMetrics),
            (Some(prometheus), OpenMetrics),
            (Some("application/openmetrics-text;q=0.2, text/plain;q=0.3"), Text),
            (Some("text/html"), Text),
        ];
        for (accept, expected) in cases {
            let headers = accept.map(|text| (ACCEPT, text.parse().unwrap()));
            let headers = HeaderMap::from_iter(headers);
            assert_eq!(MetricsFormat::accepted(&headers), expected, "{accept:?}");
        }
    }

    #[test]
    fn counters_are_called_as_their_samples_in_the_text_format() {
        let open_metrics = "# HELP a_seconds How long.\n# TYPE a_seconds counter\n# UNIT a_seconds \
                            seconds\na_seconds_total 1.5\n# HELP b Some.\n# TYPE b gauge\nb 2\n# EOF\n";
        let text = "# HELP a_seconds_total How long.\n# TYPE a_seconds_total counter\n\
                    a_seconds_total 1.5\n# HELP b Some.\n# TYPE b gauge\nb 2\n";
        assert_eq!(as_text(open_metrics), text);
    }
}
