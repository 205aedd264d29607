//! Scripts of plain mode: what is typed, and what is heard.

use super::Reader;
use crate::app::desk::Desk;
use crate::app::layout::Size;
use crate::app::{App, Effect, Look, Msg, Options};
use crate::market::{Query, synthetic};
use crate::offer::Provider;
use crate::provider::{FetchError, Update};
use crate::session::Stock;
use crate::setup::Draft;
use crate::units::UnixSeconds;

const NOW: UnixSeconds = UnixSeconds(synthetic::MADE_AT + 60);

struct Spoken {
    app: App,
    reader: Reader,
}

impl Spoken {
    fn new(rows: usize) -> (Self, Vec<String>) {
        Self::with(rows, Look::default())
    }

    fn with(rows: usize, look: Look) -> (Self, Vec<String>) {
        let mut stock = Stock::new();
        stock.load_rows(&synthetic::market(rows, 7));
        let draft = Draft::default();
        let model = crate::model::find(draft.model_name()).unwrap();
        let setup = draft.resolve(model).unwrap();
        let mut desk = Desk::new(stock, draft, setup);
        desk.set_query(Query::START).unwrap();
        let options = Options { look, ..Options::default() };
        let mut app = App::new(desk, options, Size { width: 1000, height: 14 }, NOW);
        app.hide_panel();
        let mut reader = Reader::default();
        let hello = reader.hello(&app);
        (Self { app, reader }, hello)
    }

    /// What is heard after `line`.
    fn say(&mut self, line: &str) -> Vec<String> {
        self.effects(line).0
    }

    fn effects(&mut self, line: &str) -> (Vec<String>, Vec<Effect>) {
        let (tell, effects) = self.app.obey(line, NOW);
        (self.reader.answer(&self.app, tell), effects)
    }

    fn hear(&mut self, msg: Msg) -> Vec<String> {
        self.app.update(msg, NOW);
        self.reader.changes(&self.app)
    }
}

/// Is there a line that begins so?
fn has(lines: &[String], start: &str) -> bool {
    lines.iter().any(|l| l.starts_with(start))
}

#[test]
fn the_start_says_where_we_are_and_reads_the_first_rows() {
    let (_, hello) = Spoken::new(300);
    assert!(hello[0].starts_with("haggle, plain mode."), "{hello:#?}");
    assert!(has(&hello, "job: qlora of") || has(&hello, "job: "), "{hello:#?}");
    assert!(has(&hello, "1: ") && has(&hello, "10: "), "{hello:#?}");
    assert!(!has(&hello, "11: "), "a page is ten rows: {hello:#?}");
    let first = hello.iter().find(|l| l.starts_with("1: ")).unwrap();
    assert!(first.contains("$ per hour") && first.contains("total "), "{first}");
}

#[test]
fn keys_names_and_numbers_move_and_the_new_row_is_said() {
    let (mut spoken, _) = Spoken::new(300);
    assert!(has(&spoken.say("j"), "row 2 of "));
    assert!(has(&spoken.say("down"), "row 3 of "));
    assert!(has(&spoken.say("40"), "row 40 of "));
    assert!(has(&spoken.say("gg"), "row 1 of "));
    assert!(has(&spoken.say("page-down"), "11: "));
    assert!(has(&spoken.say("left"), "column hours: "));
    assert!(has(&spoken.say("go rel"), "column rel: "));
    let heard = spoken.say("blurb");
    assert!(heard[0].starts_with("problem: there is no command `blurb`"), "{heard:?}");
    assert!(spoken.say("comparr")[0].contains("did you mean `compare`?"));
}

#[test]
fn a_filter_is_answered_at_once_or_when_it_is_asked_for() {
    let (mut spoken, _) = Spoken::new(300);
    let heard = spoken.say("filter-vram 80");
    assert!(has(&heard, "query: rel>95%? vram>=80"), "{heard:?}");
    assert!(heard.iter().any(|l| l.contains(" offers shown; hidden: ")), "{heard:?}");
    let heard = spoken.say("u");
    assert!(has(&heard, "query: rel>95%?"), "{heard:?}");
    let asked = spoken.say("%");
    assert!(asked[0].starts_with("type Reliability above, %"), "{asked:?}");
    assert!(has(&spoken.say("99"), "closed"));
    assert_eq!(spoken.app.desk.query_text(), "rel>99%");
    let heard = spoken.say("query rel>99% vrma>=24");
    assert!(heard[0].contains("vram"), "a mistake is said: {heard:?}");
    assert_eq!(spoken.app.desk.query_text(), "rel>99%", "and changes nothing");
    spoken.say("f");
    let heard = spoken.say("rel>99% vrma>=24");
    assert!(
        heard.iter().any(|l| l.starts_with("problem: ") && l.contains("at character 9")),
        "{heard:?}"
    );
    assert!(has(&spoken.say("esc"), "closed"));
}

#[test]
fn every_page_can_be_heard() {
    let (mut spoken, _) = Spoken::new(300);
    for (line, title, holds) in [
        ("why", "why: ", "rel>95%? hides"),
        ("setup", "training setup", "seq-len = "),
        ("sort", "sort keys", "total, on, smallest first"),
        ("columns", "columns;", "provider, on"),
        ("detail", "every figure", "Offer, provider: "),
        ("explain", "column total", "sum of"),
        ("providers", "Providers", "vast"),
        ("export", "export ", "json: "),
        ("settings", "settings;", "theme = terminal, default"),
        ("pareto", "cost against hours: ", "1 of "),
        ("elsewhere", "", "provider "),
        ("gpu-counts", "How many ", "GPUs "),
        ("why-not", "Hidden offers", "1: "),
    ] {
        let heard = spoken.say(line);
        assert!(heard[0].starts_with(title), "{line}: {heard:#?}");
        assert!(heard.iter().any(|l| l.contains(holds)), "{line}: no {holds} in {heard:#?}");
        assert!(has(&spoken.say("esc"), "closed"), "{line}");
    }
    for line in ["space", "space", "space"] {
        assert!(has(&spoken.say(line), "marked "), "{line}");
    }
    let heard = spoken.say("compare");
    assert!(heard[0].starts_with("compare: A is "), "{heard:#?}");
    assert!(heard.iter().any(|l| l.contains(" best")), "{heard:#?}");
    let heard = spoken.say("offer");
    assert!(has(&heard, "Bill:") && has(&heard, "total: "), "{heard:#?}");
    let heard = spoken.say("help");
    assert!(has(&heard, "why, key w: "), "{heard:#?}");
}

#[test]
fn a_hidden_offer_has_a_checklist_and_one_line_shows_it() {
    let (mut spoken, _) = Spoken::new(300);
    spoken.say("query gpu:h100 rel>99.99%");
    spoken.say("H");
    let heard = spoken.say("1");
    assert!(
        heard.iter().any(|l| l.starts_with("no: ") || l.starts_with("not said: ")),
        "{heard:#?}"
    );
    assert!(has(&heard, "enter shows it"), "{heard:#?}");
    let heard = spoken.say("enter");
    assert!(has(&heard, "query is: ") && has(&heard, "row "), "{heard:#?}");
    let heard = spoken.say("undo");
    assert!(has(&heard, "query: gpu:h100 rel>99.99%"), "{heard:#?}");
}

#[test]
fn what_happens_by_itself_is_said_once() {
    let (mut spoken, _) = Spoken::new(50);
    let generation = spoken.app.desk.stock_mut().begin(Provider::Vast);
    assert_eq!(spoken.hear(Msg::Tick), ["asking vast"]);
    let offers = synthetic::market(400, 99);
    let rows = |offers| {
        Msg::Providers(vec![Update::Rows { provider: Provider::Vast, generation, offers }])
    };
    let heard = spoken.hear(rows(offers));
    assert!(!heard.iter().any(|l| l.contains("offers shown")), "rows are still coming: {heard:?}");
    let outcome = Err(FetchError::Timeout(9));
    let heard = spoken.hear(Msg::Providers(vec![Update::Finished {
        provider: Provider::Vast,
        generation,
        outcome,
    }]));
    assert!(has(&heard, "vast stale: ") || has(&heard, "vast failed: "), "{heard:?}");
    assert!(heard.iter().any(|l| l.contains("offers shown")), "{heard:?}");
    assert_eq!(spoken.hear(Msg::Tick), Vec::<String>::new());
}

#[test]
fn values_are_set_by_one_line_and_the_world_is_asked() {
    let (mut spoken, _) = Spoken::new(300);
    let heard = spoken.say("set seq-len 4096");
    assert!(heard.iter().any(|l| l.contains("sequence 4096")), "{heard:?}");
    let (_, effects) = spoken.effects("save-view big one");
    assert!(matches!(effects.as_slice(), [Effect::SaveView { .. }]), "{effects:?}");
    let (_, effects) = spoken.effects("y");
    assert!(
        matches!(effects.as_slice(), [Effect::Copy { .. }]) || effects.is_empty(),
        "{effects:?}"
    );
    let (_, effects) = spoken.effects("quit");
    assert_eq!(effects, [Effect::Quit { print: None }]);
}

#[test]
fn no_frames_and_with_ascii_nothing_but_ascii() {
    let (mut spoken, hello) = Spoken::with(300, Look { ascii: true, ..Look::default() });
    let mut heard = hello;
    for line in
        ["why", "esc", "detail", "esc", "providers", "esc", "offer", "help", "setup", "esc", "H"]
    {
        heard.extend(spoken.say(line));
    }
    for line in heard {
        assert!(line.is_ascii(), "{line}");
        assert!(!line.contains("---"), "{line}");
    }
}
