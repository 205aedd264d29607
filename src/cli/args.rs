//! The command line: names of commands and options are promises to scripts.

use super::setup_flags::{Hinted, SetupFlags};
use crate::market::FIELDS;
use crate::offer::Provider;
use crate::units::Hours;
use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::sync::LazyLock;

/// Ranks rented GPUs by what your finished fine-tuning job costs, and says whether it fits in memory.
///
/// Without a command it opens the screen. Exit codes: 0 yes, 1 failure, 2 usage, 3 nothing matches,
/// 4 partial data with --strict, 5 timeout, 6 gate exceeded.
#[derive(Debug, Parser)]
#[command(name = "haggle", version, max_term_width = 100, args_conflicts_with_subcommands = false)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The setup of the screen; a command's own flags win over it.
    #[command(flatten)]
    pub setup: SetupFlags,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How much is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// What went wrong
    Error,
    /// … and what a provider failed at
    Warn,
    /// … and whatever changes with a provider
    #[default]
    Info,
    /// … and every request
    Debug,
}

/// How the answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For programs; see `haggle schema`.
    Json,
    /// For spreadsheets.
    Csv,
    /// For people and programs.
    Yaml,
    /// For pull requests.
    Markdown,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// How the answer is written
    #[arg(long, global = true, value_enum, default_value = "table", hide_default_value = true)]
    pub format: Format,
    /// Ask nobody: use what was saved before
    #[arg(long, global = true)]
    pub offline: bool,
    /// Use this saved market (or a gpuhunt or SkyPilot catalogue; `-` is standard input) and ask
    /// nobody
    #[arg(long, global = true, value_name = "FILE", value_parser = source(), value_hint = ValueHint::FilePath)]
    pub from: Option<PathBuf>,
    /// Save the market to this file
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
    /// Only these providers
    #[arg(long = "provider", global = true, value_name = "NAME,…", value_delimiter = ',', ignore_case = true, value_parser = provider_parser())]
    pub providers: Vec<Provider>,
    /// Rows older than this count as missing
    #[arg(long, global = true, value_name = "DURATION", value_parser = duration)]
    pub max_age: Option<Hours>,
    /// Fail (4) when a provider is missing or stale
    #[arg(long, global = true)]
    pub strict: bool,
    /// The settings file
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: Color,
    /// Line by line, without boxes, for screen readers
    #[arg(long, global = true)]
    pub plain: bool,
    /// Write a log to this file
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log: Option<PathBuf>,
    /// How much goes into it
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "LEVEL",
        default_value = "info",
        hide_default_value = true
    )]
    pub log_level: LogLevel,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The table: offers with fit, hours and total, cheapest job first
    List(ListArgs),
    /// The cheapest offer that matches
    Best(BestArgs),
    /// The bill of one offer
    Quote(OfferArgs),
    /// Fit and speed on a GPU, without a market
    Estimate(EstimateArgs),
    /// What hides what, and what would bring it back
    Why(WhyArgs),
    /// The front of cost against hours
    Pareto(QueryArgs),
    /// Hand an offer over: a launch command, a task file, a trainer's config
    Export(ExportArgs),
    /// Wait until an offer meets a condition
    Watch(WatchArgs),
    /// Fail (6) when the plan costs more than allowed
    Gate(GateArgs),
    /// Predictions beside published measurements
    Evidence(EvidenceArgs),
    /// Record a run of your own, so that later estimates use it
    Learn(LearnArgs),
    /// The setup that would be used, in full
    Setup(SetupArgs),
    /// The built-in models
    Models(SearchArgs),
    /// The catalogue of GPUs
    Gpus(GpusArgs),
    /// The providers and how they fare
    Providers,
    /// Where settings come from
    Config(ConfigArgs),
    /// What is found where, and what to do next
    Doctor,
    /// The JSON Schema of what --format json prints
    Schema,
    /// Completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

/// Words of a query, and the setup.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// The query, as in the screen: `vram>=24 rel>95% region:eu total<20$`
    ///
    /// Words that name no field are searched for. All fields stand below `haggle list --help`, the
    /// rules in docs/query.md. Quote it, so that the shell does not take `>` for its own.
    #[arg(value_name = "QUERY", value_parser = field_parser(), hide_possible_values = true)]
    pub query: Vec<String>,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `list`
#[derive(Debug, Args)]
#[command(after_long_help = FIELD_HELP.as_str())]
pub struct ListArgs {
    /// Which offers, in which order.
    #[command(flatten)]
    pub ranked: BestArgs,
    /// Rows at most; 0 is all [default: 50 for a table on a terminal, else all]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub limit: Option<usize>,
}

/// `best`
#[derive(Debug, Args)]
pub struct BestArgs {
    /// Which offers, for which job.
    #[command(flatten)]
    pub query: QueryArgs,
    /// Sort keys, the most important first; `-` in front turns one round [default: what runs, total]
    #[arg(
        long,
        value_name = "KEY,…",
        value_delimiter = ',',
        value_parser = field_parser(),
        hide_possible_values = true,
        allow_hyphen_values = true
    )]
    pub sort: Vec<String>,
}

/// `quote`
#[derive(Debug, Args)]
pub struct OfferArgs {
    /// The offer's id, as `list` prints it: `vast:12345-1`
    #[arg(value_name = "OFFER")]
    pub offer: String,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `estimate`
#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// The card, as `haggle gpus` or a provider names it: `RTX 4090`, `h100-sxm`
    #[arg(long, value_name = "NAME", value_parser = gpu_parser(), hide_possible_values = true)]
    pub gpu: String,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The query, and perhaps an offer's id at the end
    #[arg(value_name = "QUERY… [OFFER]", value_parser = field_parser(), hide_possible_values = true)]
    pub words: Vec<String>,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The offer's id, as `list` prints it: `vast:12345-1`
    #[arg(value_name = "OFFER")]
    pub offer: String,
    /// What to write
    #[arg(long = "as", value_name = "FORMAT", value_parser = export_parser())]
    pub target: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Let the job report to this project of Weights & Biases
    #[arg(long, value_name = "PROJECT")]
    pub wandb: Option<String>,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `watch`
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Which offers, for which job.
    #[command(flatten)]
    pub query: QueryArgs,
    /// The condition, a query: `total<15$`
    #[arg(long, value_name = "COND", value_parser = field_parser(), hide_possible_values = true)]
    pub until: String,
    /// Time between looks
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    pub every: Hours,
    /// Give up (5) after this long [default: never]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Hours>,
    /// Run this when it comes true, with the offer as JSON on its standard input
    #[arg(long, value_name = "CMD", value_hint = ValueHint::CommandString)]
    pub exec: Option<String>,
}

/// `gate`
#[derive(Debug, Args)]
pub struct GateArgs {
    /// Which offers, for which job.
    #[command(flatten)]
    pub query: QueryArgs,
    /// The most that the cheapest offer's job may cost: `20$`
    #[arg(long, value_name = "USD", value_parser = dollars, allow_negative_numbers = true)]
    pub max_total: f64,
}

/// `evidence`
#[derive(Debug, Args)]
pub struct EvidenceArgs {
    /// Measurements of your own, as CSV
    #[arg(value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `learn`
#[derive(Debug, Args)]
pub struct LearnArgs {
    /// The card that it ran on, as `haggle gpus` or a provider names it
    #[arg(long, value_name = "NAME", value_parser = gpu_parser(), hide_possible_values = true)]
    pub gpu: String,
    /// Tokens per second of all GPUs together
    #[arg(long, value_name = "X", value_parser = positive, allow_negative_numbers = true)]
    pub tokens_per_second: f64,
    /// Peak of what PyTorch allocated on one GPU, in GiB
    #[arg(long, value_name = "GIB", value_parser = positive, allow_negative_numbers = true)]
    pub peak_gib: Option<f64>,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `setup`
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// Write it as a job.yaml that -f reads back
    #[arg(long)]
    pub print: bool,
    /// The job.
    #[command(flatten)]
    pub setup: SetupFlags,
}

/// `models`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Only what matches these words
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
}

/// `gpus`
#[derive(Debug, Args)]
pub struct GpusArgs {
    /// Only what matches these words
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// What the market holds that the catalogue does not know
    #[arg(long)]
    pub unmapped: bool,
}

/// `config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print a settings file with every default, to start from
    #[arg(long)]
    pub defaults: bool,
}

/// The file that standard input is.
pub const STDIN: &str = "/dev/stdin";

fn source() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|file| match file.to_str() {
        Some("-") => PathBuf::from(STDIN),
        _ => file,
    })
}

fn provider_parser() -> impl TypedValueParser<Value = Provider> {
    PossibleValuesParser::new(Provider::ALL.map(Provider::name))
        .try_map(|word| Provider::from_name(&word).ok_or("no such provider"))
}

fn export_parser() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(crate::export::EXPORTS.iter().map(|e| e.name))
}

/// Names of cards as one word that no shell takes apart: `RTX-4090`.
static CARDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let word = |name: &str| name.replace(' ', "-").replace(['(', ')'], "");
    crate::gpu::catalogue().iter().map(|(_, card)| word(card.name)).collect()
});

fn gpu_parser() -> Hinted {
    Hinted(CARDS.iter().map(String::as_str).collect())
}

/// Any text; completion offers the fields that a query or an order can name.
fn field_parser() -> Hinted {
    Hinted(FIELDS.iter().map(|f| f.name).collect())
}

/// The fields of queries and orders, for the help of `list`.
static FIELD_HELP: LazyLock<String> = LazyLock::new(|| {
    let line = |f: &crate::market::FieldInfo| format!("  {:<10} {}\n", f.name, f.help);
    let lines: String = FIELDS.iter().map(line).collect();
    format!("Fields of QUERY and --sort:\n{lines}")
});

fn duration(text: &str) -> Result<Hours, String> {
    <Hours as crate::setup::Value>::read(text)
}

fn whole(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is no whole number"))
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    number.ok_or_else(|| format!("`{text}` is no number above 0"))
}

fn dollars(text: &str) -> Result<f64, String> {
    let bare = text.trim().trim_start_matches('$').trim_end_matches('$');
    let bare = bare.strip_suffix("usd").or_else(|| bare.strip_suffix("USD")).unwrap_or(bare);
    positive(bare).map_err(|_| format!("`{text}` is no amount, as 20 or 20$"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_card_is_found_by_the_word_that_completion_offers() {
        let catalogue = crate::gpu::catalogue();
        for ((id, card), word) in catalogue.iter().zip(CARDS.iter()) {
            assert_eq!(catalogue.find(word), Ok(id), "{word} for {}", card.name);
        }
    }

    #[test]
    fn amounts_and_durations_are_read_as_people_write_them() {
        assert_eq!(dollars("20$"), Ok(20.0));
        assert_eq!(dollars("$19.5"), Ok(19.5));
        assert!(dollars("cheap").is_err() && dollars("-1").is_err() && dollars("NaN").is_err());
        assert_eq!(duration("90m"), Ok(Hours::new(1.5)));
    }
}
