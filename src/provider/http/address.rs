//! Base addresses: which may be used, and how a request's address is made from one.

use crate::offer::Text;
use crate::provider::FetchError;
use reqwest::Url;
use std::net::IpAddr;

/// A base address that may be used: `https`, or plain `http` to this machine itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// Checks `text`. Plain `http` would show keys to everybody on the way, so it is only accepted
    /// where there is no way: to a loopback address.
    pub fn parse(text: &str) -> Result<Address, FetchError> {
        let refused = |why| FetchError::BadAddress(Text::new(text).to_string(), why);
        let url = Url::parse(text.trim()).map_err(|_| refused("it is not an address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::BadAddress(
                "(with a user name)".to_string(),
                "a base address holds no user name and no password",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("a base address has no ? and no #"));
        }
        match url.scheme() {
            "https" if url.has_host() => Ok(Address(url)),
            "http" if is_loopback(&url) => Ok(Address(url)),
            "http" => Err(refused("plain http is only for loopback addresses; use https")),
            _ => Err(refused("it must begin with https://")),
        }
    }

    /// The address of `path` (which begins with `/`) below this one.
    pub fn join(&self, path: &str) -> Result<Url, FetchError> {
        let whole = format!("{}{path}", self.0.as_str().trim_end_matches('/'));
        Url::parse(&whole)
            .map_err(|_| FetchError::BadAddress(Text::new(&whole).to_string(), "not an address"))
    }

    /// A link that an answer holds (the next page), if it leads to this same host; the rest of the
    /// address is taken from the link.
    pub fn follow(&self, link: &str) -> Result<Url, FetchError> {
        let url = self.0.join(link).map_err(|_| FetchError::Unreadable("a broken link".into()))?;
        if same_origin(&self.0, &url) { Ok(url) } else { Err(FetchError::Redirected) }
    }

    /// Does it lead to this machine itself?
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

/// Same scheme, host and port: only then may a key go along.
pub(super) fn same_origin(a: &Url, b: &Url) -> bool {
    a.scheme() == b.scheme()
        && a.host_str() == b.host_str()
        && a.port_or_known_default() == b.port_or_known_default()
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_only_to_this_machine() {
        for good in [
            "https://console.vast.ai",
            "http://127.0.0.1:8899/vast",
            "http://[::1]:1/",
            "http://localhost:1",
        ] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "http://console.vast.ai",
            "http://10.0.0.1",
            "http://localhost.evil.example",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "https://user:secret@host.example",
            "vast.ai",
            "",
        ] {
            let error = Address::parse(bad).unwrap_err();
            assert!(matches!(error, FetchError::BadAddress(..)), "{bad}");
            assert!(!error.to_string().contains("secret"));
        }
    }

    #[test]
    fn the_path_is_put_below_the_base_and_its_slash_stays() {
        let base = Address::parse("http://127.0.0.1:8899/vast/").unwrap();
        let url = base.join("/api/v0/bundles/").unwrap();
        assert_eq!(url.as_str(), "http://127.0.0.1:8899/vast/api/v0/bundles/");
    }

    #[test]
    fn a_next_page_elsewhere_is_refused() {
        let base = Address::parse("https://prices.example/api").unwrap();
        assert!(base.follow("https://prices.example:443/api?x=1").is_ok());
        assert_eq!(base.follow("https://evil.example/api"), Err(FetchError::Redirected));
        assert_eq!(base.follow("http://prices.example/api"), Err(FetchError::Redirected));
    }
}
