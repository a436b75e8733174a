//! Requests that pass as they are, and those that are spoiled, however their bytes arrive.

use proptest::prelude::*;

use super::*;

/// What is left of these bytes when they come in pieces of this size.
fn looked_at(bytes: &[u8], size: usize) -> Vec<u8> {
    let (mut reader, mut bytes) = (Reader::default(), bytes.to_vec());
    for piece in bytes.chunks_mut(size) {
        reader.look(piece);
    }
    bytes
}

const GOOD: [&str; 8] = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\n\0\n",
    "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH:3 \r\n\r\nabc",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\nb\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
    "GET / HTTP/1.1\r\nX-A:\r\nContent-Length: 0\r\n\r\n",
    "GET / HTTP/1.1\r\nX-Content-Length: 1\r\nContent-Lengthy: 2\r\n\r\n",
];

const BAD: [&str; 16] = [
    "GET / HTTP/1.1\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\n",
    "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\na",
    "POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\na",
    "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na",
    "POST / HTTP/1.1\r\nContent-Length:\r\n\r\na",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
];

#[test]
fn what_can_be_read_in_one_way_passes_as_it_is() {
    // Each behind each other, so that every end is found where it is.
    for first in GOOD {
        for second in GOOD {
            let both = format!("{first}{second}");
            for size in [1, 2, 3, 7, 4096] {
                assert_eq!(
                    looked_at(both.as_bytes(), size),
                    both.as_bytes(),
                    "{both:?}"
                );
            }
        }
    }
}

#[test]
fn what_could_be_read_in_two_ways_is_spoiled() {
    for good in GOOD {
        for bad in BAD {
            let both = format!("{good}{bad}");
            for size in [1, 2, 3, 7, 4096] {
                let left = looked_at(both.as_bytes(), size);
                assert_eq!(left.get(..good.len()), Some(good.as_bytes()), "{both:?}");
                let changed = left.iter().zip(both.as_bytes());
                assert_eq!(changed.filter(|(a, b)| a != b).count(), 1, "{both:?}");
            }
        }
    }
}

#[test]
fn what_becomes_a_socket_is_not_looked_at() {
    let text = "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\n\r\x01\n";
    assert_eq!(looked_at(text.as_bytes(), 5), text.as_bytes());
}

proptest! {
    #[test]
    fn any_bytes_are_looked_at_the_same_however_they_arrive(
        parts in prop::collection::vec(
            prop_oneof![
                Just("\r\n".to_owned()), Just("\n".to_owned()), Just("\r".to_owned()),
                Just("Content-Length: 4".to_owned()), Just("Transfer-Encoding: chunked".to_owned()),
                Just("GET / HTTP/1.1\r\n".to_owned()), Just("4\r\nabcd".to_owned()),
                "[ -~]{0,9}",
            ],
            0..30,
        ),
        size in 1..40_usize,
    ) {
        let text = parts.concat();
        prop_assert_eq!(looked_at(text.as_bytes(), size), looked_at(text.as_bytes(), usize::MAX));
    }
}
