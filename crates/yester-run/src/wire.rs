//! How yester and its wardens talk: one socket each, frames of a length and a message.

use std::io::{self, BufWriter, Read, Write};
use std::sync::Arc;

use postcard::experimental::serialized_size;
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

pub(crate) fn send(socket: impl Write, message: &impl Serialize) -> io::Result<()> {
    let length = serialized_size(message).map_err(io::Error::other)?;
    // What is big goes from where it is to the socket. What is small goes with the rest in one piece.
    let mut socket = BufWriter::with_capacity(1 << 16, socket);
    socket.write_all(&(length as u64).to_le_bytes())?;
    let socket = postcard::to_io(message, &mut socket).map_err(io::Error::other)?;
    socket.flush()
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
