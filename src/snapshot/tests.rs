use super::*;
use proptest::prelude::*;

fn offers(count: usize) -> Vec<Offer> {
    crate::market::synthetic::market(count, 3)
}

fn head() -> Head {
    Head {
        at: UnixSeconds(1_790_000_000),
        note: "a test".into(),
        providers: vec![ProviderState {
            provider: Provider::Vast,
            rows: 7,
            fetched_at: Some(UnixSeconds(1_789_999_000)),
            coverage: Some(0.4),
            coverage_note: Some("rate limit after 10 pages".into()),
            error: None,
        }],
    }
}

fn snapshot(count: usize) -> Snapshot {
    Snapshot { head: head(), offers: offers(count) }
}

#[test]
fn a_market_comes_back_as_it_was() {
    for packing in [Packing::Stored, Packing::Deflated] {
        for count in [0, 1, 300, 20_000] {
            let market = snapshot(count);
            let bytes = encode(&market, packing);
            assert!(decode(&bytes).as_ref() == Ok(&market), "{count} {packing:?}");
        }
    }
}

#[test]
fn what_is_not_stated_comes_back_as_not_stated() {
    let mut market = snapshot(3);
    market.offers[1].hardware = crate::offer::Hardware::untold("Standard_ND96isr_R200_v7");
    market.offers[2].fees.monthly_cap = None;
    assert_eq!(decode(&encode(&market, Packing::Stored)), Ok(market));
}

#[test]
fn every_card_is_found_by_the_name_it_is_saved_under() {
    for (id, card) in crate::gpu::catalogue().iter() {
        assert_eq!(crate::gpu::catalogue().identify(card.name, None), Some(id), "{}", card.name);
    }
}

#[test]
fn it_is_compact() {
    let market = snapshot(20_000);
    let stored = encode(&market, Packing::Stored).len() / 20_000;
    let deflated = encode(&market, Packing::Deflated).len() / 20_000;
    println!("{stored} bytes an offer stored, {deflated} deflated");
    assert!(stored < 160 && deflated < 60, "{stored} {deflated}");
}

#[test]
fn rows_come_before_the_end_is_reached() {
    let bytes = encode(&snapshot(20_000), Packing::Stored);
    let mut decoder = Decoder::new(&bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(decoder.head(), &head());
    let first = decoder.next_chunk().unwrap().unwrap();
    assert_eq!(first, offers(20_000)[..first.len()]);
    assert_eq!(decoder.next_chunk(), Err(SnapshotError::Truncated { rows: first.len() }));
    assert_eq!(decoder.next_chunk(), Ok(None), "an error is said once");
}

#[test]
fn foreign_newer_and_empty_files_are_told_apart() {
    assert_eq!(decode(b""), Err(SnapshotError::Foreign));
    assert_eq!(decode(b"{\"offers\":[]}"), Err(SnapshotError::Foreign));
    assert_eq!(decode(b"HAGG"), Err(SnapshotError::Truncated { rows: 0 }));
    let mut bytes = encode(&snapshot(3), Packing::Stored);
    bytes[8] = 9;
    assert_eq!(decode(&bytes), Err(SnapshotError::Newer { found: 9 }));
    let text = decode(&bytes).unwrap_err().to_string();
    assert_eq!(text, "snapshot version 9 is newer than 2, the newest that this haggle reads");
}

#[test]
fn a_cut_anywhere_is_noticed() {
    let bytes = encode(&snapshot(50), Packing::Deflated);
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).is_err(), "cut at {len}");
    }
}

#[test]
fn a_bomb_is_stopped() {
    let market = snapshot(100);
    let mut bytes = encode(&market, Packing::Deflated);
    let chunk = frame::first_chunk(&bytes);
    // The chunk says that it unpacks to fewer bytes than it does.
    let raw = u32::from_le_bytes(bytes[chunk + 4..chunk + 8].try_into().unwrap());
    bytes[chunk + 4..chunk + 8].copy_from_slice(&(raw - 1).to_le_bytes());
    let error = SnapshotError::Damaged { what: "a chunk that does not unpack", rows: 0 };
    assert_eq!(decode(&bytes), Err(error));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damage_is_noticed_and_never_a_crash(at in 0.0f64..1.0, flip in 1u8..=255, packed in any::<bool>()) {
        let packing = if packed { Packing::Deflated } else { Packing::Stored };
        let market = snapshot(40);
        let mut bytes = encode(&market, packing);
        let at = (at * bytes.len() as f64) as usize;
        bytes[at] ^= flip;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn noise_behind_a_good_checksum_is_never_a_crash(noise in proptest::collection::vec(any::<u8>(), 0..400), rows in 1u32..40) {
        // What a hostile file would do: right lengths and checksums, wrong contents.
        let mut bytes = Encoder::new(&head(), Packing::Stored).finish();
        bytes.truncate(bytes.len() - 12);
        let mut crc = flate2::Crc::new();
        crc.update(&noise);
        for number in [rows, noise.len() as u32, noise.len() as u32, crc.sum()] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(&noise);
        prop_assert!(decode(&bytes).is_err());
    }
}
