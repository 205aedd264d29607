//! Texts with gaps: `@NAME@` stands for a value. One pass, so that a value is never searched for gaps.

/// `template` with each `@NAME@` replaced by the value of that name. A name without a value stays.
pub(super) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(start) = rest.find('@') {
        text.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let gap = after.find('@').map(|end| &after[..end]);
        let value = gap.and_then(|name| values.iter().find(|(n, _)| *n == name));
        if let (Some(name), Some((_, value))) = (gap, value) {
            text.push_str(value);
            rest = &after[name.len() + 1..];
        } else {
            text.push('@');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn gaps_are_filled_once() {
        let values = [("A", "@B@".to_owned()), ("B", "two".to_owned())];
        assert_eq!(fill("x@A@y@B@z", &values), "x@B@ytwoz");
        assert_eq!(fill("me@example.org @B@", &values), "me@example.org two");
        assert_eq!(fill("@", &values), "@");
    }
}
