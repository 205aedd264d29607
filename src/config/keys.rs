//! Provider keys: where they are looked for, and where one was found. A key is never printed.

use super::{Env, Paths, store};
use crate::offer::Provider;
use crate::provider::source;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};
use std::fs;
use std::path::Path;

/// A key and where it came from.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key; only `expose_secret` shows it.
    pub secret: SecretString,
    /// Where it was found.
    pub origin: KeyOrigin,
    /// What is unsafe about that place.
    pub warning: Option<String>,
}

impl Key {
    /// The last four characters, or none of a short key, for people who have several.
    pub fn hint(&self) -> String {
        let key = self.secret.expose_secret();
        let length = key.chars().count();
        let shown = if length >= 16 { 4 } else { 0 };
        let tail: String = key.chars().skip(length - shown).collect();
        format!("…{tail}")
    }
}

/// Where a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// An environment variable.
    Variable(&'static str),
    /// A file that an environment variable names.
    FileVariable(String),
    /// A file of the provider's own program, or ours.
    File(std::path::PathBuf),
}

impl std::fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeyOrigin::Variable(name) => f.write_str(name),
            KeyOrigin::FileVariable(name) => write!(f, "the file named by {name}"),
            KeyOrigin::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The environment variable that holds a provider's key, and the one that names a file with it.
/// `None` for providers whose prices need no key.
pub fn key_variable(provider: Provider) -> Option<(&'static str, String)> {
    let variable = source(provider)?.profile().key_variable?;
    Some((variable, format!("{variable}_FILE")))
}

/// The key of `provider`: from its variable, from the file that its `…_FILE` variable names, from
/// the file of the provider's own program, or from our `keys.toml`; the first that holds one.
pub fn find_key(provider: Provider, env: &Env, paths: &Paths) -> Option<Key> {
    let (variable, file_variable) = key_variable(provider)?;
    from_variables(variable, &file_variable, env)
        .or_else(|| from_provider_file(provider, paths))
        .or_else(|| from_own_file(provider, paths))
}

/// The Hugging Face token: `HF_TOKEN`, `HF_TOKEN_FILE`, or the file that the hub's own program keeps.
pub fn find_hub_token(env: &Env, paths: &Paths) -> Option<Key> {
    from_variables("HF_TOKEN", "HF_TOKEN_FILE", env).or_else(|| {
        let file = paths.home.as_ref()?.join(".cache/huggingface/token");
        let text = read(&file)?;
        key(&text, KeyOrigin::File(file.clone()), readable_by_others(&file))
    })
}

fn from_variables(variable: &'static str, file_variable: &str, env: &Env) -> Option<Key> {
    if let Some(text) = env.get(variable) {
        return key(text, KeyOrigin::Variable(variable), None);
    }
    let file = Path::new(env.get(file_variable)?);
    let text = read(file)?;
    key(&text, KeyOrigin::FileVariable(file_variable.to_owned()), readable_by_others(file))
}

/// The files that the providers' own programs keep: `vastai`, `runpodctl`, Lambda's.
fn from_provider_file(provider: Provider, paths: &Paths) -> Option<Key> {
    let home = paths.home.as_deref()?;
    let config = paths.config_home.as_deref()?;
    let found = |file: std::path::PathBuf, pick: fn(&str) -> Option<String>| {
        let text = read(&file)?;
        let warning = readable_by_others(&file);
        key(&pick(&text)?, KeyOrigin::File(file), warning)
    };
    match provider {
        Provider::Vast => found(config.join("vastai/vast_api_key"), |t| Some(t.to_string()))
            .or_else(|| found(home.join(".vast_api_key"), |t| Some(t.to_string()))),
        // runpodctl writes `apikey`, the Python package a profile.
        Provider::Runpod => found(home.join(".runpod/config.toml"), |text| {
            let table: toml::Table = text.parse().ok()?;
            let profile = table.get("default").and_then(|d| d.get("api_key"));
            let value = table.get("apikey").or_else(|| table.get("apiKey")).or(profile)?;
            value.as_str().map(str::to_string)
        }),
        Provider::Lambda => found(home.join(".lambda_cloud/lambda_keys"), |text| {
            let line = text.lines().find(|l| l.trim_start().starts_with("api_key"))?;
            Some(line.split_once('=')?.1.to_string())
        }),
        Provider::Vultr => found(home.join(".vultr-cli.yaml"), |text| {
            let line = text.lines().find(|l| l.starts_with("api-key"))?;
            Some(line.split_once(':')?.1.trim().trim_matches('\'').to_string())
        }),
        _ => None,
    }
}

/// What is wrong with the places where the key of `provider` is looked for: a variable or a file
/// that is there and holds none, or a file that others can read. Never the key itself.
pub fn key_problems(provider: Provider, env: &Env, paths: &Paths) -> Vec<String> {
    let Some((variable, file_variable)) = key_variable(provider) else { return Vec::new() };
    let mut problems = Vec::new();
    if let Some(text) = env.get(variable)
        && key(text, KeyOrigin::Variable(variable), None).is_none()
    {
        problems.push(format!("{variable} is not used: no key holds spaces or line breaks"));
    }
    if let Some(file) = env.get(&file_variable).filter(|_| env.get(variable).is_none()) {
        match fs::read_to_string(file) {
            Err(e) => problems.push(format!("{file_variable}: {file}: {}", store::problem(&e))),
            Ok(text)
                if key(&text, KeyOrigin::FileVariable(file_variable.clone()), None).is_none() =>
            {
                problems.push(format!("{file_variable}: {file} holds no key on a single line"));
            }
            Ok(_) => {}
        }
    }
    problems.extend(find_key(provider, env, paths).and_then(|key| key.warning));
    problems
}

/// What is wrong with our own file of keys, by line at most.
pub fn keys_file_problem(paths: &Paths) -> Option<String> {
    let file = paths.keys_file()?;
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
        Err(e) => return Some(format!("{}: {}", file.display(), store::problem(&e))),
    };
    let place = |e: toml::de::Error| {
        // The message would quote the line, and the line holds a key.
        let line = e.span().map_or(1, |s| 1 + text[..s.start].matches('\n').count());
        format!("{}:{line} is no TOML; write it like vast = \"KEY\"", file.display())
    };
    match text.parse::<toml::Table>() {
        Err(e) => Some(place(e)),
        Ok(table) => {
            let keyed = Provider::ALL.into_iter().filter(|p| key_variable(*p).is_some());
            let names: Vec<&str> = keyed.map(Provider::name).collect();
            let stray = table.keys().any(|name| !names.contains(&name.as_str()));
            let known = names.join(", ");
            stray.then(|| format!("{}: only {known} take keys", file.display()))
        }
    }
}

fn from_own_file(provider: Provider, paths: &Paths) -> Option<Key> {
    let file = paths.keys_file()?;
    let table: toml::Table = read(&file)?.parse().ok()?;
    let text = table.get(provider.name())?.as_str()?;
    key(text, KeyOrigin::File(file.clone()), readable_by_others(&file))
}

/// A file's text, wiped when it goes.
fn read(file: &Path) -> Option<Zeroizing<String>> {
    fs::read_to_string(file).ok().map(Zeroizing::new)
}

/// Takes `text` as a key when it can stand in a header as it is.
fn key(text: &str, origin: KeyOrigin, warning: Option<String>) -> Option<Key> {
    let text = text.trim().trim_matches('"');
    let usable =
        !text.is_empty() && text.len() <= 4096 && text.chars().all(|c| c.is_ascii_graphic());
    usable.then(|| Key { secret: SecretString::from(text), origin, warning })
}

#[cfg(unix)]
fn readable_by_others(file: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(file).ok()?.permissions().mode();
    let open = mode & 0o077 != 0;
    open.then(|| format!("{0} can be read by others; run: chmod 600 {0}", file.display()))
}

#[cfg(not(unix))]
fn readable_by_others(_file: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Paths) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let paths = Paths::of(&Env::of([("HOME", home)]));
        (folder, paths)
    }

    fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn the_variable_wins_over_the_file() {
        let (folder, paths) = home();
        write(&folder, ".config/vastai/vast_api_key", "from-file-0123456789\n");
        let from_file = find_key(Provider::Vast, &Env::default(), &paths).unwrap();
        assert_eq!(from_file.hint(), "…6789");
        assert!(from_file.warning.is_some(), "a file that everybody can read is worth a word");
        let env = Env::of([("VAST_API_KEY", "short")]);
        let from_env = find_key(Provider::Vast, &env, &paths).unwrap();
        assert_eq!(from_env.origin, KeyOrigin::Variable("VAST_API_KEY"));
        assert_eq!(from_env.hint(), "…", "a short key is not hinted at");
    }

    #[test]
    fn the_providers_own_files_are_understood() {
        let (folder, paths) = home();
        write(&folder, ".runpod/config.toml", "apikey = \"rp_abc\"\n");
        write(&folder, ".lambda_cloud/lambda_keys", "api_key = secret_x\n");
        let none = Env::default();
        let runpod = find_key(Provider::Runpod, &none, &paths).unwrap();
        assert_eq!(runpod.secret.expose_secret(), "rp_abc");
        let lambda = find_key(Provider::Lambda, &none, &paths).unwrap();
        assert_eq!(lambda.secret.expose_secret(), "secret_x");
    }

    #[test]
    fn the_files_of_the_python_package_and_of_vultr_cli_are_understood() {
        let (folder, paths) = home();
        write(&folder, ".runpod/config.toml", "[default]\napi_key = \"rp_def\"\n");
        write(&folder, ".vultr-cli.yaml", "api-key: 'V123'\n");
        let none = Env::default();
        let runpod = find_key(Provider::Runpod, &none, &paths).unwrap();
        assert_eq!(runpod.secret.expose_secret(), "rp_def");
        let vultr = find_key(Provider::Vultr, &none, &paths).unwrap();
        assert_eq!(vultr.secret.expose_secret(), "V123");
    }

    #[test]
    fn what_is_wrong_with_keys_is_said_without_the_key() {
        let (folder, paths) = home();
        write(&folder, "key", "two words\n");
        let file = folder.path().join("key").display().to_string();
        let env = Env::of([
            ("VAST_API_KEY", "planted secret"),
            ("VULTR_API_KEY_FILE", "/no/such/file"),
            ("LAMBDA_API_KEY_FILE", file.as_str()),
        ]);
        let said = |p| key_problems(p, &env, &paths).join("; ");
        assert!(said(Provider::Vast).starts_with("VAST_API_KEY is not used"));
        assert!(said(Provider::Vultr).ends_with("there is no such file"));
        assert!(said(Provider::Lambda).ends_with("holds no key on a single line"));
        assert_eq!(said(Provider::Runpod), "");
        write(&folder, ".config/haggle/keys.toml", "vast = \"a\"\nvultr: planted\n");
        let problem = keys_file_problem(&paths).unwrap();
        assert!(problem.contains("keys.toml:2 is no TOML"), "{problem}");
        assert!(!problem.contains("planted") && !said(Provider::Vast).contains("planted"));
        write(&folder, ".config/haggle/keys.toml", "vast = \"a\"\nacme = \"b\"\n");
        assert!(keys_file_problem(&paths).unwrap().contains("only vast, runpod"));
    }

    #[test]
    fn a_key_that_would_break_a_header_is_no_key() {
        let env = Env::of([("VULTR_API_KEY", "abc\r\nHost: evil")]);
        assert!(find_key(Provider::Vultr, &env, &Paths::default()).is_none());
    }

    #[test]
    fn debug_output_holds_no_key() {
        let env = Env::of([("LAMBDA_API_KEY", "planted-secret")]);
        let key = find_key(Provider::Lambda, &env, &Paths::default()).unwrap();
        assert!(!format!("{key:?}").contains("planted"));
    }
}
