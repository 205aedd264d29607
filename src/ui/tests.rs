//! Whole screens, drawn and compared with pictures of them that somebody has looked at.

use super::paint;
use crate::app::desk::Desk;
use crate::app::layout::Size;
use crate::app::{App, Input, Key, Look, Msg, Options, ThemeName};
use crate::market::{Query, synthetic};
use crate::session::Stock;
use crate::setup::Draft;
use crate::units::UnixSeconds;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

const NOW: UnixSeconds = UnixSeconds(synthetic::MADE_AT + 60);

fn app(rows: usize, size: (u16, u16), look: Look) -> App {
    let mut stock = Stock::new();
    stock.load_rows(&synthetic::market(rows, 7));
    let draft = Draft::default();
    let model = crate::model::find(draft.model_name()).unwrap();
    let setup = draft.resolve(model).unwrap();
    let mut desk = Desk::new(stock, draft, setup);
    desk.set_query(Query::START).unwrap();
    desk.set_sort(vec![crate::market::SortKey::ascending(crate::market::Field::Price)]);
    let options = Options { look, ..Options::default() };
    App::new(desk, options, Size { width: size.0, height: size.1 }, NOW)
}

fn keys(app: &mut App, keys: &str) {
    for key in keys.split(' ') {
        let key = Key::parse(key).unwrap();
        app.update(Msg::Input(Input::Key(key)), NOW);
    }
}

fn type_text(app: &mut App, text: &str) {
    for c in text.chars() {
        app.update(Msg::Input(Input::Key(Key::char(c))), NOW);
    }
}

fn drawn(app: &App) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, app.size.width, app.size.height));
    paint(&mut buffer, app);
    buffer
}

/// A picture in which every figure is made of noughts: what is drawn where, not how much it is.
/// The figures have tests of their own, where they are made.
fn picture(app: &App) -> String {
    text(app).chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// The characters of the screen, line by line.
fn text(app: &App) -> String {
    let buffer = drawn(app);
    let mut lines = Vec::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            if skip > 0 {
                skip -= 1;
                continue;
            }
            line.push_str(symbol);
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
        }
        lines.push(line.trim_end().to_string());
    }
    lines.join("\n")
}

/// The styles of the screen: for each line, where a style begins and what it is.
fn styles(app: &App) -> String {
    let buffer = drawn(app);
    let mut lines = Vec::new();
    for y in 0..buffer.area.height {
        let mut runs = Vec::new();
        let mut last = (Color::Reset, Modifier::empty());
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let style = (cell.fg, cell.modifier);
            if style != last {
                runs.push(format!("{x}:{}{:?}", cell.fg, cell.modifier));
                last = style;
            }
        }
        lines.push(format!("{y:>2} {}", runs.join(" ")));
    }
    lines.join("\n")
}

const PLAIN: Look = Look { theme: ThemeName::Terminal, ascii: false, mouse: true, calm: false };

#[test]
fn the_table_at_every_size() {
    for (width, height) in [(80, 24), (120, 40), (200, 60), (40, 12), (80, 40), (34, 7)] {
        let app = app(300, (width, height), PLAIN);
        insta::assert_snapshot!(format!("table_{width}x{height}"), picture(&app));
    }
}

#[test]
fn the_panel_over_the_table_where_there_is_no_room_beside_it() {
    let mut app = app(300, (80, 24), PLAIN);
    keys(&mut app, "tab");
    insta::assert_snapshot!("panel_80x24", picture(&app));
}

#[test]
fn pages() {
    let pages: &[(&str, &str)] = &[
        ("help", "?"),
        ("setup", "J j j j"),
        ("sort", "s"),
        ("columns", "C"),
        ("why", "w"),
        ("detail", "d j j"),
        ("providers", "P"),
        ("export", "e"),
        ("compare", "space space space c"),
        ("prefix", "g"),
        ("elsewhere", "j j E"),
        ("counts", "j j n"),
        ("settings", ", j j"),
        ("why_not", "H enter"),
        ("explain", "i"),
        ("setups", "K J j l esc c"),
    ];
    for (name, pressed) in pages {
        for (width, height) in [(80, 24), (120, 40)] {
            let mut app = app(300, (width, height), PLAIN);
            keys(&mut app, pressed);
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture(&app));
        }
    }
}

#[test]
fn cost_against_hours_at_every_size() {
    for (width, height) in [(200, 60), (120, 40), (80, 24), (40, 12), (80, 40)] {
        let mut app = app(300, (width, height), PLAIN);
        keys(&mut app, "j space $ left left");
        insta::assert_snapshot!(format!("pareto_{width}x{height}"), picture(&app));
    }
    let mut limited = app(300, (120, 40), Look { ascii: true, ..PLAIN });
    keys(&mut limited, "D");
    type_text(&mut limited, "20h");
    keys(&mut limited, "enter B");
    type_text(&mut limited, "30");
    keys(&mut limited, "enter left");
    insta::assert_snapshot!("pareto_limits_ascii", picture(&limited));
    keys(&mut limited, "D");
    type_text(&mut limited, "soon");
    keys(&mut limited, "enter");
    insta::assert_snapshot!("pareto_mistake_ascii", picture(&limited));
    let nothing = {
        let mut app = app(0, (80, 24), PLAIN);
        keys(&mut app, "$");
        picture(&app)
    };
    assert!(nothing.contains("nothing to draw"), "{nothing}");
}

#[test]
fn a_query_being_typed_with_a_mistake_and_with_completions() {
    let mut app = app(300, (80, 24), PLAIN);
    keys(&mut app, "f");
    type_text(&mut app, "vrma>=24");
    insta::assert_snapshot!("query_mistake", picture(&app));
    keys(&mut app, "ctrl-u");
    type_text(&mut app, "gpu:h");
    keys(&mut app, "tab");
    insta::assert_snapshot!("query_completion", picture(&app));
}

#[test]
fn an_empty_market_and_an_empty_answer_say_what_to_do() {
    let nothing = app(0, (80, 24), PLAIN);
    insta::assert_snapshot!("no_offers", picture(&nothing));
    let mut hidden = app(300, (80, 24), PLAIN);
    keys(&mut hidden, "f");
    type_text(&mut hidden, "price>90000");
    keys(&mut hidden, "enter");
    insta::assert_snapshot!("nothing_matches", picture(&hidden));
}

#[test]
fn styles_of_the_terminal_theme_and_without_colour() {
    let mut coloured = app(300, (80, 24), PLAIN);
    keys(&mut coloured, "j space");
    insta::assert_snapshot!("styles_terminal", styles(&coloured));
    let mut mono = app(300, (80, 24), Look { theme: ThemeName::Mono, ..PLAIN });
    keys(&mut mono, "j space");
    let styles = styles(&mono);
    for colour in ["Red", "Green", "Yellow", "Blue", "Cyan", "Magenta", "#"] {
        assert!(!styles.contains(colour), "{colour} where NO_COLOR was asked for");
    }
    insta::assert_snapshot!("styles_mono", styles);
    assert_eq!(text(&coloured), text(&mono), "colour carries no meaning of its own");
}

#[test]
fn figures_of_the_user_are_marked_in_the_title_the_row_and_the_panel() {
    let mut app = app(300, (200, 60), PLAIN);
    assert!(!text(&app).to_lowercase().contains("what-if"));
    keys(&mut app, "W");
    type_text(&mut app, "hazard=0.1,idle=2");
    keys(&mut app, "enter esc");
    let text = text(&app);
    assert!(text.lines().next().unwrap().contains("WHAT-IF hazard=0.1, idle=2"), "{text}");
    assert!(text.contains("* what-if: hazard=0.1, idle=2"), "{text}");
    assert!(text.contains("$*"), "{text}");
}

#[test]
fn ascii_only_is_ascii_only() {
    let look = Look { ascii: true, ..PLAIN };
    for pressed in
        ["", "?", "J", "w", "d", "P", "e", "s", "space space c", "space $", "D", "E", "n"]
    {
        let mut app = app(300, (120, 40), look);
        if !pressed.is_empty() {
            keys(&mut app, pressed);
        }
        let text = text(&app);
        let foreign: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
        assert!(foreign.is_empty(), "{pressed}: {foreign:?}");
    }
}

#[test]
fn names_of_any_script_never_move_a_column() {
    use crate::offer::Text;
    let names =
        ["東京データセンター", "مركز بيانات", "e\u{301}e\u{301}e\u{301}", "👩‍🔬🚀 lab", "plain"];
    let mut offers = synthetic::market(40, 7);
    for (at, offer) in offers.iter_mut().enumerate() {
        offer.place.raw = Text::new(names[at % names.len()]);
        offer.hardware.gpu_raw = Text::new(names[(at + 1) % names.len()]);
    }
    for width in [60, 80, 120, 200] {
        let mut app = app(0, (width, 24), PLAIN);
        app.desk.stock_mut().load_rows(&offers);
        keys(&mut app, "X");
        let buffer = drawn(&app);
        let total = app.grid.columns.last().unwrap();
        let row = app.layout.as_ref().unwrap().table.unwrap().y;
        for (at, line) in app.grid.rows.iter().enumerate() {
            let y = row + 1 + at as u16;
            let cell: String = (total.x..total.x + total.width)
                .map(|x| buffer[(x as u16, y)].symbol().to_string())
                .collect();
            let expected = &line.cells.last().unwrap().text;
            assert_eq!(cell.trim(), expected, "{}", text(&app));
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 40, ..Default::default() })]

    #[test]
    fn drawing_never_fails_at_any_size(
        width in 0..220u16,
        height in 0..70u16,
        drawn_width in 0..220u16,
        drawn_height in 0..70u16,
        page in proptest::sample::select(vec!["", "?", "J", "w", "d", "P", "e", "s", "C", "f", "/", "v", ":", "tab", "space space c", "space $", "$ D", "B", "E", "n", "W"]),
    ) {
        let mut app = app(40, (width, height), PLAIN);
        if !page.is_empty() {
            keys(&mut app, page);
        }
        // The screen may have changed since the last message.
        let mut buffer = Buffer::empty(Rect::new(0, 0, drawn_width, drawn_height));
        paint(&mut buffer, &app);
        drawn(&app);
    }
}
