//! Settings: where files lie, what the environment and the configuration file say, which keys
//! there are. The only room, with the command line, that reads the environment.

mod env;
mod file;
mod keys;
mod paths;
pub mod store;

pub use env::Env;
pub use file::{ConfigError, FileConfig, ProviderConfig, SavedView, ViewConfig};
pub use keys::{
    Key, KeyOrigin, find_hub_token, find_key, key_problems, key_variable, keys_file_problem,
};
pub use paths::Paths;
