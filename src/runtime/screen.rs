//! The loop of the screen: what comes in goes to the state, what the state asks for is done, and a
//! frame is drawn when something has changed.
//!
//! It waits for keys, providers, signals and at most one timer; never for a lock, a file or a
//! socket. Keys come before rows, so that a flood of rows never makes the program deaf. When
//! nothing happens, nothing is written.

use super::journal::Journal;
use super::world::{Ended, Ending, Heard, Load, Signals, World, now};
use crate::app::{App, Effect, Input, Msg, Outcome};
use crate::market::Query;
use crate::offer::Provider;
use crate::session::Stock;
use crate::tty::{self, Frames, Guard, Out, Wants};
use crate::ui::Screen;
use futures_util::{Stream, StreamExt};
use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

/// Shortest time between two frames, but for those that keys ask for one at a time.
const FRAME: Duration = Duration::from_millis(16);
/// The same under reduced motion, when only rows stream in.
const CALM_FRAME: Duration = Duration::from_secs(1);
/// Ages on the screen are brought up to date this often when nothing else happens.
const AGES_SECONDS: i64 = 60;
/// Updates taken in before the next look at the keys.
const AT_ONCE: usize = 16;

/// Shows `app` on the terminal behind `out` until the user leaves. The terminal is given back
/// before this returns, and on a panic before the message is printed.
///
/// # Errors
/// When the terminal cannot be written to any more.
pub async fn run(app: App, out: Out, world: World) -> io::Result<Ended> {
    tty::install_hook();
    let signals = Signals::new(true)?;
    let guard = Guard::enter(out, Wants { mouse: app.look.mouse })?;
    let screen = Screen::new(Frames::new(out));
    let (answer, answers) = mpsc::channel(8);
    let mut shown = Shown {
        app,
        guard,
        screen,
        out,
        world,
        ended: None,
        own_stop: false,
        answer,
        journal: Journal::default(),
        loaded: None,
        asked_meanwhile: None,
        seen: None,
    };
    let result = shown.show(signals, answers).await;
    let Shown { app, guard, .. } = shown;
    guard.leave();
    result.map(|how| Ended { app, how })
}

struct Shown {
    app: App,
    guard: Guard,
    screen: Screen<Frames<Out>>,
    out: Out,
    world: World,
    ended: Option<Ending>,
    /// We stopped ourselves and have taken the terminal again already.
    own_stop: bool,
    /// Where effects that take their time answer.
    answer: mpsc::Sender<Outcome>,
    journal: Journal,
    /// Where the whole saved market comes from, until it is here.
    loaded: Option<oneshot::Receiver<Result<Stock, String>>>,
    /// Whom the user wanted to be asked before it was here.
    asked_meanwhile: Option<Vec<Provider>>,
    /// The query whose regions were looked at last.
    seen: Option<Query>,
}

/// The whole saved market, when it comes; never when none is expected.
async fn whole(
    loaded: &mut Option<oneshot::Receiver<Result<Stock, String>>>,
) -> Result<Stock, String> {
    match loaded {
        Some(coming) => {
            let gone = |_| Err("the saved market could not be read".to_string());
            coming.await.unwrap_or_else(gone)
        }
        None => std::future::pending().await,
    }
}

/// What has come in and not been taken yet; never waits for more.
async fn at_hand<S: Stream + Unpin>(input: &mut S) -> Option<Option<S::Item>> {
    poll_fn(|context| match input.poll_next_unpin(context) {
        Poll::Ready(event) => Poll::Ready(Some(event)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

impl Shown {
    async fn show(
        &mut self,
        mut signals: Signals,
        mut answers: mpsc::Receiver<Outcome>,
    ) -> io::Result<Ending> {
        self.resized()?;
        match self.world.load.take() {
            Some(load) => self.load(load),
            None => self.ask_first(),
        }
        let mut input = tty::events();
        let mut drawn: Option<Instant> = None;
        let mut dirty = true;
        let mut rows = Vec::new();
        let mut providers_speak = true;
        // Only rows have come since the last frame.
        let mut only_rows = false;
        let mut prepared = false;
        loop {
            dirty |= self.app.take_dirty();
            prepared &= !dirty;
            let pace = if only_rows && self.app.look.calm { CALM_FRAME } else { FRAME };
            let next_frame = drawn.map_or_else(Instant::now, |drawn| drawn + pace);
            if dirty && self.is_due(&mut input, next_frame, only_rows).await? {
                self.screen.draw(&self.app)?;
                dirty = false;
                drawn = Some(Instant::now());
                only_rows = true;
            }
            let wake = if dirty { next_frame } else { self.next_tick() };
            tokio::select! {
                biased;
                heard = signals.next() => self.hear(&heard)?,
                event = input.next() => {
                    only_rows = false;
                    self.take(event.and_then(Result::ok))?;
                }
                Some(outcome) = answers.recv() => self.update(Msg::Done(outcome))?,
                () = self.world.watch.event() => self.look_at_settings()?,
                stock = whole(&mut self.loaded) => {
                    self.loaded = None;
                    self.update(Msg::Loaded(stock.map(Box::new)))?;
                    self.ask_first();
                },
                () = sleep_until(wake) => if !dirty {
                    self.look_at_settings()?;
                    self.ask_again();
                    self.update(Msg::Tick)?;
                },
                count = self.world.updates.recv_many(&mut rows, AT_ONCE), if providers_speak => {
                    providers_speak = count > 0;
                    let updates = std::mem::take(&mut rows);
                    self.update(Msg::Providers(updates))?;
                },
                // Nobody wants anything: what the next keys may need is made ready, bit by bit.
                () = std::future::ready(()), if !dirty && !prepared => {
                    prepared = !self.app.desk.prepare();
                },
            }
            if let Some(how) = self.ended.take() {
                return Ok(how);
            }
        }
    }

    /// Is it time for a frame? What a key has changed is shown at once, unless more keys are here
    /// already.
    async fn is_due<S: Stream<Item = io::Result<Input>> + Unpin>(
        &mut self,
        input: &mut S,
        next_frame: Instant,
        only_rows: bool,
    ) -> io::Result<bool> {
        if only_rows || Instant::now() >= next_frame {
            return Ok(Instant::now() >= next_frame);
        }
        let Some(event) = at_hand(input).await else { return Ok(true) };
        self.take(event.and_then(Result::ok))?;
        Ok(false)
    }

    /// What the user does; nothing when the terminal has gone away.
    fn take(&mut self, event: Option<Input>) -> io::Result<()> {
        let Some(event) = event else {
            self.ended = Some(Ending::Signal(signal_hook::consts::SIGHUP));
            return Ok(());
        };
        if event == Input::Focus(true) {
            self.look_at_settings()?;
        }
        self.update(Msg::Input(event))?;
        if self.loaded.is_none() {
            let providers = self.world.newly_in_view(&self.app, &mut self.seen);
            if !providers.is_empty() {
                self.fetch(&providers);
            }
        }
        Ok(())
    }

    /// The settings file may have changed.
    fn look_at_settings(&mut self) -> io::Result<()> {
        if self.world.watch.has_changed() {
            self.carry_out(Effect::Reload)?;
        }
        Ok(())
    }

    /// When the state wants to be woken at the latest.
    fn next_tick(&self) -> Instant {
        let ages = self.app.now.0 + AGES_SECONDS;
        let due = self.app.next_tick().map_or(ages, |t| t.0.min(ages));
        let seconds = u64::try_from(due - now().0).unwrap_or(0);
        Instant::now() + Duration::from_secs(seconds.max(1))
    }

    fn hear(&mut self, heard: &Heard) -> io::Result<()> {
        match heard {
            Heard::End(number) => self.ended = Some(Ending::Signal(*number)),
            Heard::Stop => self.suspend()?,
            Heard::GoOn if self.own_stop => self.own_stop = false,
            Heard::GoOn => {
                // Somebody else stopped us, and the terminal may have been used meanwhile.
                self.guard.resume()?;
                self.screen.forget();
                self.resized()?;
            }
        }
        Ok(())
    }

    fn update(&mut self, msg: Msg) -> io::Result<()> {
        let effects = self.app.update(msg, now());
        self.journal.note(self.app.desk.statuses(), now());
        for effect in effects {
            if let Some(outcome) = self.carry_out(effect)? {
                self.app.update(Msg::Done(outcome), now());
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect) -> io::Result<Option<Outcome>> {
        let effect = match self.world.carry_out(effect, Some(self.out), &self.answer)? {
            Ok(outcome) => return Ok(outcome),
            Err(effect) => effect,
        };
        match effect {
            Effect::Fetch(providers) => self.fetch(&providers),
            Effect::Mouse(on) => self.guard.mouse(on)?,
            Effect::Redraw => self.screen.forget(),
            Effect::Suspend => self.suspend()?,
            Effect::Quit { print } => self.ended = Some(Ending::Left(print)),
            // The world has carried them out.
            Effect::Write { .. }
            | Effect::Copy { .. }
            | Effect::SaveView { .. }
            | Effect::Keep { .. }
            | Effect::Reload
            | Effect::FindModel(_) => {}
        }
        Ok(None)
    }

    /// Begins to read the whole saved market.
    fn load(&mut self, load: Load) {
        let (sender, receiver) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            // When nobody listens any more, the program is leaving.
            let _ = sender.send(load());
        });
        self.loaded = Some(receiver);
    }

    /// Asks whom the start asks, and whom the user has named meanwhile.
    fn ask_first(&mut self) {
        let first = (self.world.ask_first)(self.app.desk.stock(), now());
        let named = self.asked_meanwhile.take();
        if let Some(providers) = named.or_else(|| (!first.is_empty()).then_some(first)) {
            self.fetch(&providers);
        }
    }

    fn fetch(&mut self, providers: &[Provider]) {
        if self.loaded.is_some() {
            // What they say would go into a market that is about to be replaced.
            self.asked_meanwhile = Some(providers.to_vec());
            return;
        }
        let query = self.app.desk.query().clone();
        (self.world.fetch)(self.app.desk.stock_mut(), &query, providers, now());
        // The lights have changed.
        self.app.update(Msg::Tick, now());
    }

    fn ask_again(&mut self) {
        let old = self.world.grown_old(&self.app, now());
        if !old.is_empty() {
            self.fetch(&old);
        }
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.own_stop = true;
        self.guard.suspend()?;
        self.screen.forget();
        self.resized()
    }

    /// The size may have changed while we did not look.
    fn resized(&mut self) -> io::Result<()> {
        let size = self.screen.size()?;
        self.app.update(Msg::Input(Input::Resize(size.width, size.height)), now());
        Ok(())
    }
}
