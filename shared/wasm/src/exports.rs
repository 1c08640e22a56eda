//! The functions that JavaScript calls, and those that it provides. Requests and answers are UTF-8
//! in one buffer; a report is only valid during its call.

use std::{cell::RefCell, time::Duration};

use crate::Module;

#[expect(unsafe_code, reason = "declares functions of the page")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// The time since any fixed moment, in milliseconds.
    safe fn now_ms() -> f64;
    /// Takes a report of so many bytes at this address.
    safe fn report(address: *const u8, length: usize);
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Makes space for a request of so many bytes, and returns its address.
#[expect(unsafe_code, reason = "exports the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn request(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer, puts the answer there, and returns its length.
#[expect(unsafe_code, reason = "exports the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> usize {
    let request = BUFFER.take();
    let begun = now_ms();
    let elapsed = move || Duration::from_secs_f64((now_ms() - begun).max(0.0) / 1_000.0);
    let mut pass_on = |text: &str| report(text.as_ptr(), text.len());
    let request = String::from_utf8_lossy(&request);
    let answer = MODULE.with_borrow_mut(|module| module.answer(&request, &elapsed, &mut pass_on));
    BUFFER.replace(answer.into_bytes());
    BUFFER.with_borrow(Vec::len)
}

/// The address of the answer.
#[expect(unsafe_code, reason = "exports the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn answer_address() -> *const u8 {
    BUFFER.with_borrow(Vec::as_ptr)
}
