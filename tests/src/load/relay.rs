//! A plain relay to compare the server with: it forwards each message to everybody in the room,
//! including the sender, as an acknowledgement. It has no rules, no log and no disk, and trusts
//! everybody.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{SinkExt, StreamExt};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use tokio_tungstenite::{
    accept_async_with_config,
    tungstenite::{Message, Utf8Bytes, protocol::WebSocketConfig},
};

/// The channels to everybody in a room, by room. Locked to enter and to copy a message.
type Rooms = Arc<Mutex<HashMap<Utf8Bytes, Vec<mpsc::Sender<Utf8Bytes>>>>>;

/// Most messages queued for one socket; the rest are lost.
const QUEUE_MAX: usize = 64;
/// As small as the server's, so that memory is comparable.
const READ_BUFFER: usize = 1024;
const WRITE_BUFFER: usize = 4 * 1024;

/// Relays until the process ends. A socket's first message is the name of its room.
///
/// # Errors
/// When no connection can be accepted.
pub async fn serve(listener: TcpListener) -> io::Result<()> {
    let rooms = Rooms::default();
    let mut sockets = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        sockets.spawn(relay(stream, Arc::clone(&rooms)));
        while sockets.try_join_next().is_some() {}
    }
}

/// Serves one socket until it ends.
async fn relay(stream: TcpStream, rooms: Rooms) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let config =
        WebSocketConfig::default().read_buffer_size(READ_BUFFER).write_buffer_size(WRITE_BUFFER);
    let mut socket = accept_async_with_config(stream, Some(config)).await.ok()?;
    let room = socket.next().await?.ok()?.into_text().ok()?;
    let (sender, mut queue) = mpsc::channel(QUEUE_MAX);
    rooms
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(room.clone())
        .or_default()
        .push(sender);
    // Confirm the entry.
    socket.send(Message::Text(room.clone())).await.ok()?;
    loop {
        tokio::select! {
            biased;
            Some(text) = queue.recv() => {
                socket.feed(Message::Text(text)).await.ok()?;
                while let Ok(text) = queue.try_recv() {
                    socket.feed(Message::Text(text)).await.ok()?;
                }
                socket.flush().await.ok()?;
            }
            message = socket.next() => {
                let Message::Text(text) = message?.ok()? else { continue };
                let mut rooms = rooms.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(members) = rooms.get_mut(&room) else { continue };
                members.retain(|member| {
                    let sent = member.try_send(text.clone());
                    !matches!(sent, Err(mpsc::error::TrySendError::Closed(_)))
                });
            }
        }
    }
}
