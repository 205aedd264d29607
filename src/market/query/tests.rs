use super::*;
use proptest::prelude::*;

fn canonical(text: &str) -> String {
    Query::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}")).to_string()
}

fn error(text: &str) -> QueryError {
    Query::parse(text).map(|q| q.to_string()).expect_err(text)
}

#[test]
fn the_language_reads_as_people_write_it() {
    for (text, printed) in [
        ("", ""),
        ("vram>=24 rel>95%", "vram>=24 rel>95%"),
        ("VRAM >= 24gb and Reliability > 0.95", "vram>=24gb rel>0.95"),
        ("rel>95", "rel>95%"),
        ("region:eu,uk gpu:4090|3090", "region:eu|uk gpu:4090|3090"),
        ("!host:12345", "!host:12345"),
        ("not host:12345", "!host:12345"),
        ("host!=12345", "!host=12345"),
        ("total<20$ done<8h age<10m", "total<20$ hours<8h age<10m"),
        ("total < $20", "total<20$"),
        ("total <= 20 $ rel>95 % (vram>=24 gb) 4090 d", "total<=20$ rel>95% vram>=24gb 4090 d"),
        ("vram≥24 total≤20 gpu≠4090", "vram>=24 total<=20 !gpu=4090"),
        ("vram:24..48", "vram=24..48"),
        ("vram=24..", "vram=24.."),
        ("rel>95%?", "rel>95%?"),
        ("rel:unknown", "rel=unknown"),
        ("fit:fits", "fit:yes"),
        ("fetch<10% fetch<30m", "fetch<10% fetchtime<30m"),
        ("gpu:4090 or gpu:3090 rel>99%", "gpu:4090 or gpu:3090 rel>99%"),
        ("(gpu:4090 or gpu:3090) rel>99%", "(gpu:4090 or gpu:3090) rel>99%"),
        ("!(gpu:4090 or fit:no)", "!(gpu:4090 or fit:no)"),
        ("4090 \"New York\"", "4090 \"New York\""),
        ("gpu:\"RTX 4090\"", "gpu:\"RTX 4090\""),
        ("unknown:keep rel>95%", "rel>95% unknown:keep"),
        ("provider:amazon|gcp", "provider:aws|gcp"),
        ("type:p4d*", "type:p4d*"),
    ] {
        assert_eq!(canonical(text), printed, "{text}");
    }
}

#[test]
fn vast_syntax_means_what_it_means_at_vast() {
    for (text, printed) in [
        (
            "gpu_name=RTX_4090 reliability>0.95 num_gpus=1 geolocation in [DE,FR]",
            "gpu=RTX_4090 rel>0.95 gpus=1 region:DE|FR",
        ),
        ("gpu_name in [\"RTX 4090\", RTX_3090]", "gpu=\"RTX 4090\"|RTX_3090"),
        ("geolocation notin [CN,VN]", "!region:CN|VN"),
        ("geolocation not in [CN]", "!region:CN"),
        ("gpu_ram>=24 inet_down>500 disk_space>100", "vram>=24 down>500 disk>100"),
        ("duration >= 3", "rental>=3d"),
        ("dph_total<0.5 rentable=true rented=false", "price<0.5 avail=yes !avail=no"),
        ("verified=any", "verified=any"),
        ("cuda_vers>=12.4", "cuda>=12.4"),
    ] {
        assert_eq!(canonical(text), printed, "{text}");
    }
}

#[test]
fn a_mistake_is_shown_at_its_place() {
    for (text, at, says, meant) in [
        ("vrma>=24", 0..4, "no field", Some("vram")),
        ("rel>95% regoin:eu", 8..14, "no field", Some("region")),
        ("provider:vats", 9..13, "one of vast", Some("vast")),
        ("fit:yse", 4..7, "one of yes", Some("yes")),
        ("vram>=", 0..6, "needs a value", None),
        ("age<10", 4..6, "minutes or hours", None),
        ("down>10MB/s", 5..11, "bits", None),
        ("gpu>=4090", 0..9, "no figure", None),
        ("vram>=24,48", 0..11, "one figure", None),
        ("vram:48..24", 5..11, "before it begins", Some("24..48")),
        ("(gpu:4090", 0..1, "never closed", None),
        ("gpu:4090)", 8..9, "closes nothing", None),
        ("gpu:\"4090", 4..5, "never closed", None),
        ("()", 0..2, "nothing stands", None),
        ("or gpu:4090", 0..2, "both sides", None),
        ("gpu:4090 or", 9..11, "both sides", None),
        ("gpu:4090 and", 9..12, "after it", None),
        ("gpu:4090 & & eu", 11..12, "both sides", None),
        ("gpu:4090 or not and", 16..19, "both sides", None),
        ("!", 0..1, "missing", None),
        ("dlperf>5", 0..6, "does not carry", None),
        ("cpu_ram>64", 0..7, "whole machine", Some("ram")),
        ("24<=vram", 0..2, "no field", None),
        ("geolocation in []", 15..17, "empty", None),
        ("geolocation in [DE", 15..16, "never closed", None),
        ("geolocation in [DE(", 18..19, "holds no `(`", None),
        ("(unknown:keep)", 1..13, "whole query", None),
        ("unknown:maybe", 8..9, "keep or hide", None),
        ("rel", 0..3, "is a field", None),
        (":x", 0..1, "field", None),
    ] {
        let error = error(text);
        assert_eq!(error.span, at, "{text}: {error:?}");
        assert!(error.message.contains(says), "{text}: {error:?}");
        assert_eq!(error.suggestion.as_deref(), meant, "{text}");
    }
}

#[test]
fn spans_lead_back_to_the_conditions() {
    let text = "  vram>=24   (gpu:4090 or gpu:3090) !host:7";
    let query = Query::parse(text).unwrap();
    let parts: Vec<&str> = (0..3).map(|i| &text[query.span(i).unwrap()]).collect();
    assert_eq!(parts, ["vram>=24", "(gpu:4090 or gpu:3090)", "!host:7"]);
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    for text in ["(".repeat(5000), "!".repeat(5000), "not ".repeat(2000), "a".repeat(9000)] {
        assert!(Query::parse(&text).is_err());
    }
}

fn quantity(kind: UnitKind) -> impl Strategy<Value = Quantity> {
    let units: Vec<&'static str> = kind.names().collect();
    (0u32..10_000, 0usize..8).prop_map(move |(n, at)| {
        let unit = units.get(at % units.len().max(1)).copied().unwrap_or("");
        let amount = f64::from(n) / 4.0;
        let amount = if unit == "%" { amount.min(100.0) } else { amount };
        Quantity::new(amount, kind, unit)
    })
}

fn condition() -> impl Strategy<Value = Expr> {
    (0..FIELDS.len()).prop_flat_map(|at| {
        let info = FIELDS[at];
        let test = match info.kind {
            Kind::Number(unit) => {
                let side = prop_oneof![
                    Just(Comparison::Less),
                    Just(Comparison::AtMost),
                    Just(Comparison::More),
                    Just(Comparison::AtLeast),
                ];
                let item = prop_oneof![
                    quantity(unit).prop_map(Item::Is),
                    (quantity(unit), quantity(unit)).prop_map(|(a, b)| {
                        let (a, b) = if a.value() <= b.value() { (a, b) } else { (b, a) };
                        Item::Between(Some(a), Some(b))
                    }),
                    quantity(unit).prop_map(|q| Item::Between(None, Some(q))),
                    Just(Item::Unknown),
                    Just(Item::Anything),
                ];
                prop_oneof![
                    (side, quantity(unit)).prop_map(|(s, q)| Test::Compare(s, q)),
                    proptest::collection::vec(item, 1..3)
                        .prop_map(|items| Test::OneOf { items, exact: true }),
                ]
                .boxed()
            }
            Kind::Choice(words) => (0..words.len(), any::<bool>())
                .prop_map(move |(w, exact)| Test::OneOf {
                    items: vec![Item::Matches(Pattern::bare(words[w].0))],
                    exact,
                })
                .boxed(),
            Kind::Text => (
                proptest::collection::vec("[a-zA-Z0-9*.:<=_!\" ,|\\\\()é-]{1,12}", 1..3),
                any::<bool>(),
            )
                .prop_map(|(texts, exact)| Test::OneOf {
                    items: texts.iter().map(|t| Item::Matches(Pattern::bare(t))).collect(),
                    exact,
                })
                .boxed(),
        };
        let number = matches!(info.kind, Kind::Number(_));
        (test, any::<bool>()).prop_map(move |(test, keep)| {
            Expr::Test(Condition { field: info.field, test, keep_unknown: keep && number })
        })
    })
}

fn expression() -> impl Strategy<Value = Expr> {
    let word = prop_oneof![
        "[a-z0-9]{5,9}[0-9]".prop_map(|text| Expr::Word { text, exact: false }),
        "[^\u{0}]{0,9}".prop_map(|text| Expr::Word { text, exact: true }),
    ];
    prop_oneof![condition(), word].prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::all),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Expr::any),
            inner.prop_map(|e| Expr::Not(Box::new(e))),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_equal(expr in expression(), policy in 0..3) {
        let conditions = match expr { Expr::And(list) => list, other => vec![other] };
        let unknown = [None, Some(UnknownPolicy::Keep), Some(UnknownPolicy::Hide)][policy as usize];
        let query = Query { conditions, unknown, ..Query::default() };
        let printed = query.to_string();
        match Query::parse(&printed) {
            Ok(read) => prop_assert_eq!(read, query, "{}", printed),
            Err(e) => prop_assert!(false, "{}: {:?}", printed, e),
        }
    }

    #[test]
    fn no_text_can_crash_it_and_errors_lie_within(text in "\\PC{0,40}|[a-z<>=:!()|,.?%\" ]{0,40}") {
        match Query::parse(&text) {
            Ok(query) => {
                let printed = query.to_string();
                prop_assert_eq!(Query::parse(&printed), Ok(query), "{}", printed);
            }
            Err(error) => {
                prop_assert!(error.span.start <= error.span.end);
                prop_assert!(error.span.start <= text.len());
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}

/// The page about the language lists every field, as the program itself describes it.
#[test]
fn the_page_about_the_language_is_up_to_date() {
    let row = |info: &FieldInfo| {
        let names =
            |list: &[&str]| list.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" ");
        let (also, vast, help) =
            (names(info.aliases), names(info.vast), info.help.replace('|', "\\|"));
        format!("| `{}` | {also} | {vast} | {help} |\n", info.name)
    };
    let rows: Vec<String> = FIELDS.iter().map(row).collect();
    let head = "| field | also | at Vast.ai | values |\n|---|---|---|---|\n";
    let table = format!("{head}{}", rows.concat());
    let page = include_str!("../../../docs/query.md");
    assert!(page.contains(&table), "put this into docs/query.md:\n{table}");
    let examples = page.split("```text\n").skip(1).filter_map(|part| part.split("```").next());
    let mut count = 0;
    for line in examples.flat_map(str::lines) {
        let query = line.split("   ").next().unwrap_or(line);
        Query::parse(query).unwrap_or_else(|e| panic!("{query}: {e}"));
        count += 1;
    }
    assert!(count >= 10, "{count} examples");
}
