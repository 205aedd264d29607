//! Key scripts over the whole state, with a fake clock; and what must hold under any keys.

use super::desk::Desk;
use super::layout::Size;
use super::*;
use crate::market::{Query, SortBy, SortKey, synthetic};
use crate::offer::{Offer, Provider};
use crate::provider::Update;
use crate::session::Stock;
use crate::setup::{self, Draft};
use crate::units::UnixSeconds;
use proptest::prelude::*;

const NOW: UnixSeconds = UnixSeconds(synthetic::MADE_AT + 60);

fn app_with(rows: usize, size: (u16, u16)) -> App {
    let mut stock = Stock::new();
    stock.load_rows(&synthetic::market(rows, 7));
    assert_eq!(stock.begin(Provider::Vast), 1, "the generation that the messages carry");
    let draft = Draft::default();
    let model = crate::model::find(draft.model_name()).unwrap();
    let setup = draft.resolve(model).unwrap();
    let mut desk = Desk::new(stock, draft, setup);
    desk.set_query(Query::START).unwrap();
    App::new(desk, Options::default(), Size { width: size.0, height: size.1 }, NOW)
}

pub(super) fn app() -> App {
    app_with(300, (120, 40))
}

/// Types a script: characters as they are, other keys in `<>`: `/h100<enter>jj`.
pub(super) fn script(app: &mut App, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|r| r.split_once('>'));
        let named = named.and_then(|(name, after)| Some((Key::parse(name).ok()?, after)));
        let (key, after) = named.unwrap_or((Key::char(c), &rest[c.len_utf8()..]));
        rest = after;
        effects.extend(app.update(Msg::Input(Input::Key(key)), NOW));
    }
    effects
}

fn selected(app: &App) -> String {
    app.detail.as_ref().map(|d| d.id.clone()).unwrap_or_default()
}

fn toast(app: &App) -> &str {
    app.toast.as_ref().map_or("", |t| t.text.as_str())
}

/// How many of the offers meet a condition, counted apart from the market.
fn count(rows: usize, f: impl Fn(&Offer) -> bool) -> usize {
    let mut seen = std::collections::BTreeMap::new();
    for offer in synthetic::market(rows, 7) {
        seen.insert(offer.id(), f(&offer));
    }
    seen.values().filter(|v| **v).count()
}

#[test]
fn the_start_shows_the_default_query_and_the_cheapest_job_first() {
    let app = app();
    assert_eq!(app.desk.query_text(), Query::START);
    assert_eq!(app.desk.shown(), count(300, |o| o.reliability.is_none_or(|r| r.get() > 0.95)));
    assert_eq!(app.desk.total(), count(300, |_| true));
    assert_eq!(app.cursor.position, 0);
    assert!(app.detail.is_some());
}

#[test]
fn moving_and_paging() {
    let mut app = app();
    let first = selected(&app);
    script(&mut app, "jj");
    assert_eq!(app.cursor.position, 2);
    assert_ne!(selected(&app), first);
    script(&mut app, "G");
    assert_eq!(app.cursor.position, app.desk.shown() - 1);
    script(&mut app, "j<pgdn><end>");
    assert_eq!(app.cursor.position, app.desk.shown() - 1);
    script(&mut app, "gg");
    assert_eq!(selected(&app), first);
    script(&mut app, "<up><ctrl-u><home>");
    assert_eq!(app.cursor.position, 0);
}

#[test]
fn a_key_of_a_sequence_waits_and_another_forgets_it() {
    let mut app = app();
    script(&mut app, "Gg");
    assert_eq!(app.pending, [Key::char('g')]);
    script(&mut app, "x");
    assert!(app.pending.is_empty());
    assert_eq!(app.desk.query_text(), Query::START, "x after g is no action of its own");
}

#[test]
fn filter_keys_edit_the_one_query_and_the_counts_are_right() {
    let mut app = app();
    script(&mut app, "v80<enter>");
    assert_eq!(app.desk.query_text(), "rel>95%? vram>=80");
    // Drivers report a little less than the nominal memory.
    let expected = count(300, |o| {
        o.reliability.is_none_or(|r| r.get() > 0.95)
            && o.hardware.vram.is_some_and(|v| v.get() > 78.0)
    });
    assert_eq!(app.desk.shown(), expected);
    script(&mut app, "v<ctrl-u>24<enter>%<ctrl-u>99<enter>b1gbps<enter>Reu,us<enter>p5<enter>");
    assert_eq!(app.desk.query_text(), "rel>99% vram>=24 down>=1gbps region:eu,us price<=5");
    script(&mut app, "v<ctrl-u><enter>");
    assert_eq!(app.desk.query_text(), "rel>99% down>=1gbps region:eu,us price<=5");
    script(&mut app, "uu");
    assert_eq!(app.desk.query_text(), "rel>99% vram>=24 down>=1gbps region:eu,us");
    script(&mut app, "UU");
    assert_eq!(app.desk.query_text(), "rel>99% down>=1gbps region:eu,us price<=5");
}

#[test]
fn typing_takes_effect_at_once_and_escape_leaves_no_trace() {
    let mut app = app();
    script(&mut app, "jjj");
    let (before, offer) = (app.desk.shown(), selected(&app));
    script(&mut app, "/h100");
    assert!(app.desk.shown() < before);
    script(&mut app, "<esc>");
    assert_eq!((app.desk.shown(), selected(&app)), (before, offer));
    assert_eq!(app.desk.query_text(), Query::START);
    script(&mut app, "u");
    assert_eq!(toast(&app), "nothing to undo");
}

#[test]
fn text_fields_own_all_printable_keys() {
    let mut app = app();
    script(&mut app, "/qjkGuxz? :");
    assert!(matches!(&app.overlay, Some(Overlay::Prompt(p)) if p.line.text() == "qjkGuxz? :"));
    script(&mut app, "<esc>");
    assert_eq!(script(&mut app, "q"), [Effect::Quit { print: None }]);
}

#[test]
fn a_mistake_is_shown_at_its_place_and_never_dropped() {
    let mut app = app();
    script(&mut app, "frel>99% vrma>=24");
    let Some(Overlay::Prompt(prompt)) = &app.overlay else { panic!("the line is open") };
    let mistake = prompt.mistake.clone().unwrap();
    let at = prompt.line.text().find("vrma").unwrap();
    assert_eq!(mistake.span, Some(at..at + 4));
    assert!(mistake.text.contains("vram"), "{}", mistake.text);
    assert_eq!(app.desk.query_text(), "rel>95%? rel>99%", "what can be read is in force");
    script(&mut app, "<enter>");
    assert!(app.overlay.is_some(), "a wrong query does not go away");
    script(&mut app, "<ctrl-u>vram>=24<enter>");
    assert_eq!(app.desk.query_text(), "vram>=24");
}

#[test]
fn completion_offers_fields_and_values() {
    let mut app = app();
    script(&mut app, "f<ctrl-u>vr<tab>");
    let Some(Overlay::Prompt(prompt)) = &app.overlay else { panic!("the line is open") };
    assert_eq!(prompt.line.text(), "vram>=");
    script(&mut app, "<ctrl-u>provider:va<tab><enter>");
    assert_eq!(app.desk.query_text(), "provider:vast");
    assert_eq!(app.desk.shown(), count(300, |o| o.provider == Provider::Vast));
}

#[test]
fn earlier_queries_come_back() {
    let mut app = app();
    script(&mut app, "f<ctrl-u>vram>=24<enter>f<ctrl-u>vram>=48<enter>f<up><up><enter>");
    assert_eq!(app.desk.query_text(), "vram>=24");
}

#[test]
fn columns_sort_both_ways_and_together() {
    let mut app = app();
    let keys = |app: &App| app.sort_keys().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(keys(&app), ["runs", "total"]);
    app.column = Field::Price;
    script(&mut app, "S");
    assert_eq!(keys(&app), ["price"]);
    script(&mut app, "S");
    assert_eq!(keys(&app), ["-price"]);
    app.column = Field::Rel;
    script(&mut app, "a");
    assert_eq!(keys(&app), ["-price", "-rel"]);
    assert_eq!(app.head(Column::of(Field::Price).unwrap()), "$/H▼1");
    assert_eq!(app.head(Column::of(Field::Rel).unwrap()), "REL▼2");
    script(&mut app, "uuu");
    assert_eq!(keys(&app), ["runs", "total"]);
    // The sort page: rel as the only key, then turned round.
    script(&mut app, "s");
    let Some(Overlay::Order(page)) = &mut app.overlay else { panic!("the page is open") };
    page.selected = page.items.iter().position(|i| i.by == SortBy::Field(Field::Rel)).unwrap();
    script(&mut app, "<enter>");
    assert_eq!(app.sort_keys(), [SortKey::descending(Field::Rel)]);
    script(&mut app, "sl<esc>");
    assert_eq!(app.sort_keys(), [SortKey::ascending(Field::Rel)]);
}

#[test]
fn a_digit_sorts_by_the_column_of_that_number() {
    let mut app = app();
    let column = app.grid.columns[1].column.field;
    script(&mut app, "2");
    assert_eq!(app.sort_keys()[0].by, SortBy::Field(column));
}

#[test]
fn the_selection_follows_its_offer_when_rows_arrive_and_the_order_changes() {
    let mut app = app_with(50, (120, 40));
    script(&mut app, "jjjjj");
    let offer = selected(&app);
    let offers = synthetic::market(900, 99);
    app.update(
        Msg::Providers(vec![Update::Rows { provider: Provider::Vast, generation: 1, offers }]),
        NOW,
    );
    assert!(app.desk.total() > 900, "the rows are in");
    assert_eq!(selected(&app), offer);
    app.column = Field::Gpu;
    script(&mut app, "S");
    assert_eq!(selected(&app), offer);
}

#[test]
fn a_frozen_market_lets_nothing_in_until_it_goes_on() {
    let mut app = app_with(50, (120, 40));
    let total = app.desk.total();
    script(&mut app, "z");
    let offers = synthetic::market(400, 99);
    app.update(
        Msg::Providers(vec![Update::Rows { provider: Provider::Vast, generation: 1, offers }]),
        NOW,
    );
    assert_eq!(app.desk.total(), total);
    script(&mut app, "z");
    assert!(app.desk.total() > total);
}

#[test]
fn the_cell_under_the_cursor_can_be_kept_and_excluded() {
    let mut app = app();
    app.column = Field::Provider;
    script(&mut app, "=");
    let provider = app.detail.as_ref().unwrap().offer.provider;
    assert_eq!(app.desk.query_text(), format!("{} provider={}", Query::START, provider.name()));
    script(&mut app, "ux");
    assert_eq!(app.desk.query_text(), format!("{} !provider={}", Query::START, provider.name()));
    script(&mut app, "u");
    // Total: what is as good stays, the row itself included; then only what is better.
    script(&mut app, "jjjj");
    app.column = Field::Total;
    script(&mut app, "j");
    let (offer, shown) = (selected(&app), app.desk.shown());
    script(&mut app, "=");
    assert_eq!(selected(&app), offer, "{}", app.desk.query_text());
    assert!(app.desk.shown() < shown);
    let kept = app.desk.shown();
    script(&mut app, "ux");
    assert!(app.desk.shown() < kept, "{}", app.desk.query_text());
}

#[test]
fn each_change_of_the_setup_ranks_again_and_can_be_undone() {
    let mut app = app();
    let needed = |app: &App| app.detail.as_ref().unwrap().fit.needed.unwrap();
    let before = needed(&app);
    script(&mut app, "J");
    let at = setup::Field::ALL.iter().position(|f| *f == setup::Field::SeqLen).unwrap();
    script(&mut app, &"j".repeat(at));
    script(&mut app, "l");
    assert_eq!(app.desk.setup().seq_len, 4096);
    script(&mut app, "<enter><ctrl-u>1024<enter>");
    assert_eq!(app.desk.setup().seq_len, 1024);
    assert!(needed(&app) < before);
    script(&mut app, "<enter><ctrl-u>banana<enter>");
    let Some(Overlay::Setup(page)) = &app.overlay else { panic!("the page is open") };
    assert!(page.mistake.as_ref().unwrap().starts_with("seq-len"), "{:?}", page.mistake);
    script(&mut app, "<esc><del><esc>");
    assert_eq!(app.desk.setup().seq_len, 2048);
    script(&mut app, "u");
    assert_eq!(app.desk.setup().seq_len, 1024);
}

#[test]
fn a_model_is_found_by_a_few_letters() {
    let mut app = app();
    script(&mut app, "J<enter>qwen2.5 7b<enter>");
    assert!(
        app.desk.setup().model.name.starts_with("Qwen2.5-7B"),
        "{}",
        app.desk.setup().model.name
    );
    assert!(matches!(&app.overlay, Some(Overlay::Setup(p)) if p.edit.is_none()));
}

#[test]
fn a_model_of_the_hub_is_looked_for_and_taken_when_it_comes() {
    let mut app = app();
    let effects = script(&mut app, "J<enter>acme/own-7b<enter>");
    assert_eq!(effects, [Effect::FindModel("acme/own-7b".into())]);
    let name = "acme/own-7b".to_string();
    let before = app.desk.setup().model.name.clone();
    let found = Err("nobody knows it".to_string());
    app.update(Msg::Done(Outcome::Model { name: name.clone(), found }), NOW);
    assert_eq!(app.desk.setup().model.name, before);
    assert!(toast(&app).contains("nobody knows it"));
    let mut model = (*app.desk.setup().model).clone();
    model.name = "own-7b".into();
    app.update(Msg::Done(Outcome::Model { name, found: Ok(model.into()) }), NOW);
    assert_eq!(app.desk.setup().model.name, "own-7b");
    // Undo and redo know it again without asking.
    assert_eq!(script(&mut app, "<esc>uU"), []);
    assert_eq!(app.desk.setup().model.name, "own-7b");
}

#[test]
fn pricing_goes_round_by_one_key() {
    let mut app = app();
    let total = app.desk.total();
    script(&mut app, "oo");
    assert_eq!(app.desk.setup().pricing, setup::Pricing::Both);
    assert!(app.desk.total() >= total);
    script(&mut app, "o");
    assert_eq!(app.desk.setup().pricing, setup::Pricing::OnDemand);
}

#[test]
fn why_proposes_and_one_key_applies() {
    let mut app = app();
    script(&mut app, "f<ctrl-u>rel>99.9% total<1$<enter>");
    let shown = app.desk.shown();
    script(&mut app, "w");
    let Some(Overlay::Why(page)) = &app.overlay else { panic!("the page is open") };
    let first = page.why.relaxations[0].clone();
    let hidden: usize = page.why.conditions.iter().map(|c| c.first).sum();
    assert_eq!(hidden, app.desk.total() - shown);
    script(&mut app, "<enter>");
    assert_eq!(app.desk.shown(), shown + first.brings);
    script(&mut app, "u");
    assert_eq!(app.desk.shown(), shown);
}

#[test]
fn the_exported_json_has_the_total_of_the_panel() {
    let mut app = app();
    script(&mut app, "e");
    let effects = script(&mut app, "<enter>");
    let [Effect::Write { name, text, .. }] = effects.as_slice() else { panic!("{effects:?}") };
    assert!(name.rsplit('.').next() == Some("json"), "{name}");
    assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.'), "{name}");
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let total = app.detail.as_ref().unwrap().quote.total.unwrap().expected.get();
    let exported = json["quote"]["total_usd"]["expected"].as_f64().unwrap();
    assert!((exported - total).abs() < 0.005, "{exported} {total}");
}

#[test]
fn an_export_can_go_to_the_clipboard_or_out() {
    let mut app = app();
    assert!(matches!(script(&mut app, "el<enter>").as_slice(), [Effect::Copy { .. }]));
    let effects = script(&mut app, "ell<enter>");
    assert!(
        matches!(effects.as_slice(), [Effect::Quit { print: Some(text) }] if text.starts_with('{'))
    );
    assert!(
        matches!(script(&mut app, "Y").as_slice(), [Effect::Copy { what, .. }] if what.starts_with("json of"))
    );
}

#[test]
fn marks_are_compared() {
    let mut app = app();
    script(&mut app, "c");
    assert!(toast(&app).contains("mark two to five"));
    script(&mut app, "<space><space><space>");
    assert_eq!(app.marks.len(), 3);
    script(&mut app, "c");
    assert!(matches!(&app.overlay, Some(Overlay::Sheet(_))));
    let lines = super::compare::compared(&app);
    assert!(lines.iter().all(|l| l.values.len() == 3));
    script(&mut app, "qM");
    assert!(app.marks.is_empty() && app.overlay.is_none());
}

#[test]
fn help_finds_and_does() {
    let mut app = app();
    script(&mut app, "?settings<enter>l<esc>");
    assert_eq!(app.look.theme, ThemeName::Dark);
    script(&mut app, ":sort -rel,total<enter>");
    assert_eq!(
        app.sort_keys(),
        [SortKey::descending(Field::Rel), SortKey::ascending(Field::Total)]
    );
    script(&mut app, ":set seq-len 4096<enter>");
    assert_eq!(app.desk.setup().seq_len, 4096);
    script(&mut app, ":query fit:yes<enter>");
    assert_eq!(app.desk.query_text(), "fit:yes");
    script(&mut app, ":xyzzyq<enter>");
    assert!(toast(&app).contains("no command `xyzzyq`"), "{}", toast(&app));
}

#[test]
fn views_are_saved_and_come_back() {
    let mut app = app();
    let effects = script(&mut app, "f<ctrl-u>fit:yes<enter>\"big<enter>");
    let view = SavedView::Ordered { query: "fit:yes".into(), sort: "runs,total".into() };
    assert_eq!(effects, [Effect::SaveView { name: "big".into(), view }]);
    assert!(toast(&app).contains("fit:yes, by runs,total"), "{}", toast(&app));
    script(&mut app, "X:sort hours<enter>'big<enter>");
    assert_eq!(app.desk.query_text(), "fit:yes");
    assert_eq!(app.sort_keys(), SortKey::DEFAULT);
    script(&mut app, "u");
    assert_eq!((app.desk.query_text(), app.sort_keys().len()), ("", 1));
}

#[test]
fn the_chart_walks_along_the_front_and_the_table_follows() {
    let mut app = app();
    script(&mut app, "jjj$");
    let Some(Overlay::Pareto(page)) = &app.overlay else { panic!("the page is open") };
    let front = page.front.clone();
    assert!(front.len() > 2, "{front:?}");
    // The front of the desk, counted apart: nobody in view is cheaper and faster.
    let shown = app.desk.shown();
    let lines = app.desk.window(0, shown);
    for line in lines {
        let Some(point) = app.desk.view().point(app.desk.table(), line) else { continue };
        let beats =
            |p: &&crate::market::FrontPoint| point.total_usd < p.total_usd && point.hours < p.hours;
        assert!(!front.iter().any(|p| beats(&p)));
    }
    script(&mut app, "G");
    for point in &front {
        assert_eq!(app.cursor.line, Some(point.line));
        assert_eq!(app.detail.as_ref().map(|d| d.line), Some(point.line));
        script(&mut app, "h");
    }
    assert_eq!(app.cursor.line, front.last().map(|p| p.line), "the fastest is the end");
    script(&mut app, "lk<right><space>");
    assert_eq!(app.marks, [front[front.len() - 2].line]);
    let line = app.cursor.line;
    script(&mut app, "<enter>");
    assert!(app.overlay.is_none() && app.cursor.line == line, "the table stays where it walked");
}

#[test]
fn the_same_hardware_elsewhere_and_in_other_numbers() {
    let mut app = app();
    script(&mut app, "jjE");
    let Some(Overlay::Around(page)) = &app.overlay else { panic!("the page is open") };
    assert!(page.places.is_sorted_by_key(|p| p.total.unwrap().get()));
    assert!(page.places[page.at].own, "it opens at the offer's own place");
    let shown = page.places.iter().rposition(|p| p.shown).unwrap();
    let line = page.places[shown].line;
    script(&mut app, &format!("gg{}<enter>", "j".repeat(shown)));
    assert_eq!((app.cursor.line, app.overlay.is_none()), (Some(line), true));
    script(&mut app, "n");
    let Some(Overlay::Around(page)) = &app.overlay else { panic!("the page is open") };
    let gpus: Vec<u32> = page.counts.iter().map(|(c, _)| c.gpus).collect();
    assert_eq!(gpus, [1, 2, 4, 8]);
    let own = app.detail.as_ref().unwrap();
    let (count, _) = &page.counts[page.at];
    assert_eq!(Some(f64::from(count.gpus)), own.offer.hardware.gpus);
    assert!(page.rows().iter().all(|cells| cells.len() == page.heads().len()));
    script(&mut app, "G<enter>");
    assert!(app.overlay.is_none() || toast(&app).contains("that"), "{}", toast(&app));
}

#[test]
fn an_assumption_of_the_user_is_said_wherever_its_figures_are() {
    let mut app = app();
    let total = |app: &App| {
        let at = app.grid.columns.iter().position(|c| c.column.field == Field::Total).unwrap();
        app.grid.rows[0].cells[at].text.clone()
    };
    assert!(!total(&app).ends_with('*'));
    script(&mut app, "Wmfu=0.05<enter><esc>");
    assert_eq!(app.desk.setup().assume.mfu, Some(0.05));
    assert!(total(&app).ends_with('*'), "{}", total(&app));
    assert_eq!(app.detail.as_ref().unwrap().quote.what_if.as_deref(), Some("mfu=0.05"));
    let effects = script(&mut app, "Y");
    assert!(matches!(effects.as_slice(), [Effect::Copy { text, .. }] if text.contains("mfu=0.05")));
    script(&mut app, "u");
    assert!(!total(&app).ends_with('*'));
    script(&mut app, ":set assume storage=0.5,hub=100<enter>");
    assert_eq!(app.desk.setup().what_if().as_deref(), Some("hub=100, storage=0.5"));
}

#[test]
fn deadline_and_budget_come_from_keys_or_from_the_query() {
    let mut app = app();
    assert_eq!(app.limits(), pareto_page::Limits::default());
    script(&mut app, "D8h<enter>");
    assert_eq!(app.limits().deadline, Some(8.0));
    script(&mut app, "Bmany<enter>");
    let Some(Overlay::Pareto(page)) = &app.overlay else { panic!("the page is open") };
    assert!(page.mistake.is_some() && page.asked.is_some(), "a wrong figure does not go away");
    script(&mut app, "<ctrl-u>20<enter>D<ctrl-u><enter><esc>");
    assert_eq!(app.limits(), pareto_page::Limits { budget: Some(20.0), ..Default::default() });
    script(&mut app, "f<ctrl-u>done<24h total<900$<enter>");
    assert_eq!(
        app.limits(),
        pareto_page::Limits { deadline: Some(24.0), budget: Some(20.0), hosted: None }
    );
    script(&mut app, "$G");
    let Some(Overlay::Pareto(page)) = &app.overlay else { panic!("the page is open") };
    assert!(page.front.iter().all(|p| p.hours < 24.0 && p.total_usd < 900.0));
    let words = pareto_page::lines(&app, page);
    let over = |p: &crate::market::FrontPoint| p.total_usd > 20.0;
    for (point, words) in page.front.iter().zip(words) {
        assert_eq!(words.contains("over the budget"), over(point), "{words}");
    }
}

#[test]
fn the_mouse_selects_and_sorts() {
    let mut app = app();
    let table = app.layout.as_ref().unwrap().table.unwrap();
    let mouse = |column, row, kind| Msg::Input(Input::Mouse(Mouse { kind, column, row }));
    app.update(mouse(10, table.y + 4, MouseKind::Click), NOW);
    assert_eq!(app.cursor.position, 3);
    app.update(mouse(10, table.y + 4, MouseKind::WheelDown), NOW);
    assert_eq!(app.cursor.position, 6);
    let price = app.grid.columns.iter().find(|c| c.column.field == Field::Price).unwrap();
    app.update(mouse(price.x as u16, table.y, MouseKind::Click), NOW);
    assert_eq!(app.sort_keys()[0].by, SortBy::Field(Field::Price));
}

#[test]
fn a_message_goes_away_by_itself() {
    let mut app = app();
    script(&mut app, "u");
    assert!(app.toast.is_some());
    let tick = app.next_tick().unwrap();
    app.update(Msg::Tick, tick);
    assert!(app.toast.is_none());
    assert_eq!(app.next_tick(), None, "nothing to wait for when nothing happens");
}

#[test]
fn a_value_behind_a_command_answers_what_it_asks() {
    let mut app = app();
    script(&mut app, ":filter-vram 80<enter>");
    assert_eq!(app.desk.query_text(), "rel>95%? vram>=80");
    script(&mut app, ":search h100<enter>");
    assert_eq!(app.desk.query_text(), "rel>95%? vram>=80 h100");
    script(&mut app, ":columns gpu,total,price<enter>");
    assert_eq!(app.columns.len(), 3);
    script(&mut app, ":quit now<enter>");
    assert!(app.overlay.is_none());
    script(&mut app, ":filtr-vram 3<enter>");
    assert!(toast(&app).contains("did you mean `filter-vram`?"), "{}", toast(&app));
}

#[test]
fn a_hidden_offer_is_found_explained_and_shown() {
    let mut app = app();
    script(&mut app, "f<ctrl-u>gpu:h100 rel>99.99%<enter>");
    let shown = app.desk.shown();
    script(&mut app, "H4090<enter>");
    let Some(Overlay::WhyNot(page)) = &app.overlay else { panic!("the page is open") };
    let page = page.clone();
    assert!(page.words.contains("4090"), "{}", page.words);
    assert!(!page.list.shown() && page.list.query.is_some(), "{page:?}");
    script(&mut app, "<enter>");
    assert!(app.desk.shown() > shown);
    assert_eq!(app.cursor.line, Some(page.line), "the offer is selected");
    script(&mut app, "u");
    assert_eq!(app.desk.shown(), shown);
    script(&mut app, &format!(":why {}<enter>", page.id));
    assert!(matches!(&app.overlay, Some(Overlay::WhyNot(p)) if p.id == page.id));
    script(&mut app, "<esc>:why vast:nothing<enter>");
    assert!(toast(&app).contains("no offer `vast:nothing`"), "{}", toast(&app));
}

#[test]
fn any_column_can_be_reached_held_and_explained() {
    let mut app = app_with(300, (60, 24));
    let field = app.grid.dropped.first().unwrap().field;
    script(&mut app, &format!("gc{}<enter>", field.name()));
    assert_eq!(app.column, field);
    assert!(app.grid.columns.iter().any(|s| s.column.field == field), "it has come into view");
    script(&mut app, "gc1<enter>");
    assert_eq!(app.column, app.columns[0].field);
    assert!(!app.grid.columns.iter().any(|s| s.column.field == field), "and gone again");
    // Held, it stays.
    script(&mut app, "C");
    let Some(Overlay::Order(page)) = &mut app.overlay else { panic!("the page is open") };
    page.selected = page.items.iter().position(|i| i.by == SortBy::Field(field)).unwrap();
    script(&mut app, "f<esc>");
    assert!(app.grid.columns.iter().any(|s| s.column.field == field), "it is held");
    app.column = Field::Total;
    script(&mut app, "i");
    let lines = super::explain::explain(&app);
    assert!(lines[0].starts_with("total of "), "{lines:?}");
    assert!(lines.iter().any(|l| l.starts_with("gpu-time") && l.contains('$')), "{lines:?}");
}

#[test]
fn one_offer_is_compared_under_several_setups() {
    let mut app = app();
    script(&mut app, "K:set seq-len 4096<enter>K:set method full<enter>c");
    assert!(super::compare::is_of_setups(&app));
    let (heads, lines) = (super::compare::heads(&app), super::compare::compared(&app));
    assert_eq!(heads.len(), 3);
    assert!(lines.iter().all(|l| l.values.len() == 3), "{lines:?}");
    let seq = lines.iter().find(|l| l.name == "seq-len").unwrap();
    assert_eq!(seq.values[1], "4096");
    let total = lines.iter().find(|l| l.name == "total").unwrap();
    let present = app.detail.as_ref().unwrap().quote.total.unwrap().expected;
    assert_eq!(total.values[2], crate::units::usd(present), "the last is the present one");
    script(&mut app, "qM");
    assert!(app.noted.is_empty());
}

#[test]
fn settings_change_at_once_are_kept_and_read_again() {
    let mut app = app();
    let effects = script(&mut app, ",jjl");
    assert_eq!(
        effects,
        [
            Effect::Mouse(false),
            Effect::Keep { setting: settings::Setting::Mouse, value: Some("no".into()) }
        ]
    );
    assert!(!app.look.mouse);
    script(&mut app, "<esc>f<ctrl-u>vram>=24<enter>,jjjj");
    assert_eq!(app.setting_on_screen(settings::Setting::Query).as_deref(), Some("vram>=24"));
    let effects = script(&mut app, "<enter>");
    assert!(matches!(effects.as_slice(), [Effect::Keep { value: Some(v), .. }] if v == "vram>=24"));
    assert_eq!(app.setting_on_screen(settings::Setting::Query), None);
    let effects = script(&mut app, "<del>");
    assert!(matches!(effects.as_slice(), [Effect::Keep { value: None, .. }]));
    // The file says something else now; what the user asked meanwhile stays.
    let start = Start { query: "rel>99%".into(), ..Start::default() };
    let look = Look { theme: ThemeName::Light, ..Look::default() };
    let keys: Vec<String> = vec!["Q".into()];
    let keymap = keymap::Keymap::new([("quit", keys.as_slice())]).0;
    let options = Options { look, keymap, start: start.clone(), ..Options::default() };
    app.update(Msg::Done(Outcome::Settings(Ok(Box::new(options.clone())))), NOW);
    assert_eq!(app.look.theme, ThemeName::Light);
    assert_eq!(app.desk.query_text(), "rel>99%", "the start's query was on the screen");
    script(&mut app, "<esc>q");
    assert_eq!(script(&mut app, "Q"), [Effect::Quit { print: None }]);
    script(&mut app, "f<ctrl-u>vram>=48<enter>");
    app.update(Msg::Done(Outcome::Settings(Ok(Box::new(options)))), NOW);
    assert_eq!(app.desk.query_text(), "vram>=48", "what the user asked stays");
    app.update(Msg::Done(Outcome::Settings(Err("c.toml:2: unknown field".into()))), NOW);
    assert!(toast(&app).contains("c.toml:2: unknown field; the settings of before stay"));
    assert_eq!(app.look.theme, ThemeName::Light);
}

/// Everything that may be pressed or happen.
fn any_msg() -> impl Strategy<Value = Msg> {
    let keys = "jkhlGgvrbRpTFN=xX'\"wsSaCJtoA[]uU{}dzPeyYcM?:,m0123456789/f .q-%>$DBEnW";
    let chars: Vec<char> = keys.chars().collect();
    let named = [
        "enter",
        "esc",
        "tab",
        "backspace",
        "up",
        "down",
        "pgdn",
        "pgup",
        "space",
        "ctrl-u",
        "ctrl-d",
        "home",
        "end",
        "del",
        "ctrl-w",
        "shift-up",
        "shift-down",
        "backtab",
    ];
    prop_oneof![
        12 => proptest::sample::select(chars).prop_map(|c| Msg::Input(Input::Key(Key::char(c)))),
        6 => proptest::sample::select(named.to_vec())
            .prop_map(|n| Msg::Input(Input::Key(Key::parse(n).unwrap()))),
        1 => (0..220u16, 0..70u16).prop_map(|(w, h)| Msg::Input(Input::Resize(w, h))),
        1 => "\\PC{0,12}".prop_map(|t| Msg::Input(Input::Paste(t))),
        1 => (0..220u16, 0..70u16, 0..3u8).prop_map(|(column, row, k)| {
            let kind = [MouseKind::Click, MouseKind::WheelDown, MouseKind::WheelUp][usize::from(k)];
            Msg::Input(Input::Mouse(Mouse { kind, column, row }))
        }),
        1 => (1..3u64, 0..40u64).prop_map(|(generation, seed)| Msg::Providers(vec![Update::Rows {
            provider: Provider::Vast, generation, offers: synthetic::market(30, seed) }])),
        1 => (0..1u8).prop_map(|_| Msg::Tick),
    ]
}

fn holds_together(app: &App) {
    let shown = app.desk.shown();
    assert!(app.cursor.position < shown.max(1));
    assert_eq!(app.cursor.line.is_some(), shown > 0);
    assert_eq!(app.detail.as_ref().map(|d| d.line), app.cursor.line);
    assert!(shown <= app.desk.total());
    let hidden: usize = app.desk.excluded().iter().map(|e| e.count).sum();
    assert_eq!(hidden, app.desk.total() - shown);
    if let Some(layout) = app.layout.as_ref().filter(|l| l.table.is_some()) {
        let height = layout.table_rows();
        assert!(app.grid.rows.len() <= height);
        let line = app.grid.rows.get(app.cursor.position - app.cursor.offset).map(|r| r.line);
        assert_eq!(line, app.cursor.line, "the selected line is in view");
        let room = layout.table.unwrap().width as usize;
        let end = app.grid.columns.last().map_or(0, |c| c.x + c.width);
        assert!(end <= room || app.grid.columns.len() == 1, "{end} {room}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_breaks_whatever_is_pressed(msgs in proptest::collection::vec(any_msg(), 1..60)) {
        let mut app = app_with(60, (120, 40));
        for msg in msgs {
            app.update(msg, NOW);
            holds_together(&app);
        }
    }

    #[test]
    fn the_cursor_stays_on_its_offer_while_the_market_moves(
        down in 1..20usize,
        seeds in proptest::collection::vec((0..40u64, 1..60usize, any::<bool>()), 1..12),
    ) {
        let mut app = app_with(60, (120, 40));
        script(&mut app, "X");
        script(&mut app, &"j".repeat(down));
        let line = app.cursor.line;
        let offer = selected(&app);
        for (seed, rows, sort) in seeds {
            if sort {
                script(&mut app, "S");
            } else {
                let offers = synthetic::market(rows, seed);
                app.update(Msg::Providers(vec![Update::Rows { provider: Provider::Vast, generation: 1, offers }]), NOW);
            }
            prop_assert_eq!(app.cursor.line, line);
            prop_assert_eq!(selected(&app), offer.clone());
        }
    }
}
