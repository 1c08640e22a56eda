//! The texts of reports, sanctions and answers.

use fivefold_shared::protocol::{ChatText, Refusal};

/// A text of a report, an appeal or a reason, cleaned as a line of chat is.
pub(super) fn case_text(text: &str) -> Result<String, Refusal> {
    let text = ChatText::new(text).map_err(Refusal::malformed)?;
    Ok(text.into())
}
