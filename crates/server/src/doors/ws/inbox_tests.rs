//! The other side is tungstenite's client here: what it writes must be read as it was meant.

use std::io::Cursor;

use proptest::prelude::*;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::{CloseFrame, Role, WebSocket};

use super::*;

/// The bytes a client sends for these.
fn sent(messages: impl IntoIterator<Item = tungstenite::Message>) -> Vec<u8> {
    let mut client = WebSocket::from_raw_socket(Cursor::new(Vec::new()), Role::Client, None);
    for message in messages {
        client.send(message).unwrap();
    }
    client.into_inner().into_inner()
}

fn piece(code: Data, text: &[u8], is_final: bool) -> tungstenite::Message {
    tungstenite::Message::Frame(Frame::message(text.to_vec(), OpCode::Data(code), is_final))
}

/// Everything that is read of bytes that come in these pieces, and how it ended.
fn read<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<WholeMessage>, Option<BrokenFrame>) {
    let (mut inbox, mut messages) = (Inbox::default(), Vec::new());
    for piece in pieces {
        inbox.room().extend_from_slice(piece);
        loop {
            match inbox.next() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(broken) => return (messages, Some(broken)),
            }
        }
        inbox.rest();
    }
    (messages, None)
}

/// A message as a client says it, in pieces of up to `size` bytes, and as it is understood.
fn said() -> impl Strategy<Value = (Vec<tungstenite::Message>, WholeMessage)> {
    let lengths = prop_oneof![0..130_usize, 65_530..65_540_usize];
    let text = (lengths, "[a-zß€😀]").prop_map(|(length, sign)| sign.repeat(length / sign.len()));
    prop_oneof![
        text.clone().prop_map(|text| {
            let said = tungstenite::Message::text(text.clone());
            (vec![said], WholeMessage::Text(text))
        }),
        (text, 1..9000_usize).prop_map(|(text, size)| {
            let mut pieces = vec![piece(Data::Text, &[], false)];
            let rest = text.as_bytes().chunks(size);
            pieces.extend(rest.map(|bytes| piece(Data::Continue, bytes, false)));
            pieces.push(piece(Data::Continue, &[], true));
            (pieces, WholeMessage::Text(text))
        }),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| {
            let said = tungstenite::Message::binary(bytes);
            (vec![said], WholeMessage::NotText)
        }),
        prop::collection::vec(any::<u8>(), 0..=125).prop_map(|bytes| {
            let said = tungstenite::Message::Ping(bytes.clone().into());
            (vec![said], WholeMessage::Ping(bytes))
        }),
    ]
}

proptest! {
    #[test]
    fn what_a_client_says_is_read_however_it_arrives(
        said in prop::collection::vec(said(), 0..6),
        size in 1..5000_usize,
    ) {
        let (said, meant): (Vec<_>, Vec<_>) = said.into_iter().unzip();
        let bytes = sent(said.into_iter().flatten());
        prop_assert_eq!(read(bytes.chunks(size)), (meant, None));
    }

    #[test]
    fn any_bytes_are_read_the_same_however_they_arrive(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        masked in any::<bool>(),
        size in 1..50_usize,
    ) {
        let mut bytes = bytes;
        if masked && let [first, second, ..] = bytes.as_mut_slice() {
            // Further than the first two checks.
            (*first, *second) = (*first & 0x8f, *second | 0x80);
        }
        prop_assert_eq!(read(bytes.chunks(size)), read([bytes.as_slice()]));
    }
}

#[test]
fn control_frames_come_in_the_middle_of_a_message() {
    let bytes = sent([
        piece(Data::Text, "half ".as_bytes(), false),
        tungstenite::Message::Ping(b"there?".to_vec().into()),
        piece(Data::Continue, "and half".as_bytes(), true),
        tungstenite::Message::Close(Some(CloseFrame {
            code: 4321.into(),
            reason: "bye".into(),
        })),
    ]);
    let messages = vec![
        WholeMessage::Ping(b"there?".to_vec()),
        WholeMessage::Text("half and half".to_owned()),
        WholeMessage::Close(Some(4321)),
    ];
    assert_eq!(read([bytes.as_slice()]), (messages, None));
}

#[test]
fn what_breaks_the_rules_is_named() {
    let unknown = "unknown frame type";
    let control = "control frame is fragmented or too long";
    let cases: [(&[u8], &str); 10] = [
        (&[0x83, 0x80, 0, 0, 0, 0], unknown),
        (&[0x8b, 0x80, 0, 0, 0, 0], unknown),
        (&[0xc1, 0x80, 0, 0, 0, 0], "extension was not negotiated"),
        (&[0x81, 0x00], "frame is not masked"),
        (&[0x09, 0x80, 0, 0, 0, 0], control),
        (&[0x89, 0xfe, 0, 126, 0, 0, 0, 0], control),
        (
            &[0x80, 0x80, 0, 0, 0, 0],
            "continuation frame without a message",
        ),
        (
            &[0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0],
            "new message before the last one ended",
        ),
        (&[0x88, 0x81, 0, 0, 0, 0, 3], "incomplete close frame"),
        (
            // 1005 stands for "no reason was given" and is never sent.
            &[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xed],
            "invalid close code",
        ),
    ];
    for (bytes, reason) in cases {
        assert_eq!(
            read([bytes]),
            (vec![], Some(BrokenFrame::Rules(reason))),
            "{bytes:x?}"
        );
    }
}

#[test]
fn texts_that_are_none_end_it() {
    for text in [&b"\xff"[..], &b"\xe2\x82"[..]] {
        let bytes = sent([piece(Data::Text, text, true)]);
        assert_eq!(
            read([bytes.as_slice()]),
            (vec![], Some(BrokenFrame::NotUtf8))
        );
    }
    // A character may lie across two pieces.
    let bytes = sent([
        piece(Data::Text, b"\xe2\x82", false),
        piece(Data::Continue, b"\xac", true),
    ]);
    let euro = vec![WholeMessage::Text("€".to_owned())];
    assert_eq!(read([bytes.as_slice()]), (euro, None));
}

#[test]
fn too_large_is_read_and_far_too_large_is_not() {
    let over = vec![b'x'; limits::FRAME_BYTES_MAX + 1];
    let bytes = sent([
        piece(Data::Text, &over, true),
        piece(Data::Text, b"{}", true),
    ]);
    let messages = vec![WholeMessage::TooLarge, WholeMessage::Text("{}".to_owned())];
    assert_eq!(read(bytes.chunks(100_000)), (messages, None));

    let in_pieces = [
        piece(Data::Text, &over, false),
        piece(Data::Continue, &over, true),
    ];
    for bytes in [
        sent(in_pieces),
        // Only the head: nothing is kept for what was only announced.
        vec![0x81, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        assert_eq!(
            read(bytes.chunks(100_000)),
            (vec![], Some(BrokenFrame::FarTooLarge))
        );
    }
}

#[test]
fn a_quiet_inbox_holds_nothing() {
    let mut inbox = Inbox::default();
    let bytes = sent([piece(Data::Text, b"hello", true)]);
    inbox.room().extend_from_slice(&bytes);
    assert_eq!(
        inbox.next(),
        Ok(Some(WholeMessage::Text("hello".to_owned())))
    );
    assert_eq!(inbox.next(), Ok(None));
    inbox.rest();
    assert_eq!(inbox.bytes.capacity(), 0);
}
