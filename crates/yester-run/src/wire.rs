//! How yester and its wardens talk: one socket each, frames of a length and a message.

use std::io::{self, Read, Write};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The content of a file, sent in one piece and not byte by byte.
#[derive(Debug)]
pub(crate) struct Bytes(pub Arc<[u8]>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(deserializer).map(|bytes| Bytes(bytes.into()))
    }
}

pub(crate) fn send(mut socket: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; 8];
    frame = postcard::to_extend(message, frame).map_err(io::Error::other)?;
    let length = (frame.len() - 8) as u64;
    frame[..8].copy_from_slice(&length.to_le_bytes());
    socket.write_all(&frame)
}

/// The next message, or nothing when the other side is gone.
pub(crate) fn receive<T: DeserializeOwned>(mut socket: impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    if !fill(&mut socket, &mut length)? {
        return Ok(None);
    }
    let mut frame = vec![0; u64::from_le_bytes(length) as usize];
    if !fill(&mut socket, &mut frame)? {
        return Ok(None);
    }
    postcard::from_bytes(&frame)
        .map(Some)
        .map_err(io::Error::other)
}

/// False when the other side is gone, in whichever way the system tells.
fn fill(mut socket: impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    use io::ErrorKind::{ConnectionReset, UnexpectedEof};
    match socket.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), UnexpectedEof | ConnectionReset) => Ok(false),
        Err(error) => Err(error),
    }
}
