//! What is printed under `--format json`, against the schema that `haggle schema` prints.

use super::{House, sample};
use serde_json::Value;

/// Checks `value` against `schema`: the part of JSON Schema that our schema uses. A property that
/// the schema does not describe is a mistake too: everything that we print is documented.
fn check(schema: &Value, value: &Value, root: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.strip_prefix("#/$defs/").ok_or("foreign reference")?;
        return check(&root["$defs"][name], value, root, at);
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(list) = schema[alternatives].as_array() {
            let errors: Vec<String> =
                list.iter().filter_map(|s| check(s, value, root, at).err()).collect();
            if errors.len() == list.len() {
                return Err(format!("{at} is none of: {}", errors.join(" | ")));
            }
        }
    }
    if let Some(wanted) = schema.get("const")
        && wanted != value
    {
        return Err(format!("{at} is not {wanted}"));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{at}: {value} is none of {words:?}"));
    }
    check_type(schema, value, at)?;
    if let (Some(number), Some(least)) = (value.as_f64(), schema["minimum"].as_f64())
        && number < least
    {
        return Err(format!("{at}: {number} is below {least}"));
    }
    if let (Some(number), Some(most)) = (value.as_f64(), schema["maximum"].as_f64())
        && number > most
    {
        return Err(format!("{at}: {number} is above {most}"));
    }
    check_parts(schema, value, root, at)
}

fn check_type(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    let is = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    if types.iter().any(is) { Ok(()) } else { Err(format!("{at}: {value} is no {types:?}")) }
}

fn check_parts(schema: &Value, value: &Value, root: &Value, at: &str) -> Result<(), String> {
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (number, value) in values.iter().enumerate() {
            check(items, value, root, &format!("{at}[{number}]"))?;
        }
    }
    let (Some(known), Some(fields)) = (schema["properties"].as_object(), value.as_object()) else {
        if let (Some(rest), Some(fields)) = (schema.get("additionalProperties"), value.as_object())
        {
            for (name, value) in fields {
                check(rest, value, root, &format!("{at}.{name}"))?;
            }
        }
        return Ok(());
    };
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !fields.contains_key(name) {
            return Err(format!("{at} lacks {name}"));
        }
    }
    let open = schema["additionalProperties"] == Value::Bool(true);
    for (name, value) in fields {
        match known.get(name) {
            Some(schema) => check(schema, value, root, &format!("{at}.{name}"))?,
            None if open => {}
            None => return Err(format!("{at}.{name} is not described")),
        }
    }
    Ok(())
}

#[test]
fn everything_printed_is_described_by_the_schema() {
    let house = House::new();
    let market = house.market(sample());
    let schema = house.run(&["schema"]).json();
    for words in [
        vec!["list", "--limit", "20"],
        vec!["list", "--pricing", "both", "--method", "full", "--limit", "30"],
        vec!["list", "vram>4000"],
        vec!["best"],
        vec!["pareto"],
        vec!["quote", "vast:own-0"],
        vec!["export", "vast:own-0", "--as", "json"],
        vec!["gate", "--max-total", "1000000"],
        vec!["why", "rel>99% region:eu"],
        vec!["why", "rel>99.9%", "vast:own-0"],
        vec!["providers"],
        vec!["evidence"],
        vec!["evidence", "--method", "qlora"],
        vec!["models"],
        vec!["gpus"],
        vec!["gpus", "--unmapped"],
        vec!["setup"],
        vec!["watch", "--until", "total<1000000$"],
        vec!["learn", "--gpu", "H100 SXM", "--tokens-per-second", "9000", "--peak-gib", "40"],
        vec!["config"],
        vec!["doctor"],
        vec!["estimate", "--gpu", "H100 SXM"],
        vec!["estimate", "--gpu", "RTX 3090", "--method", "full"],
    ] {
        let ran = house.on(&market, &[&words[..], &["--format", "json"]].concat());
        if ran.code == 3 && words[0] == "gate" || ran.err.contains("no card in the catalogue") {
            eprintln!("SKIPPED: {words:?}: {}", ran.err);
            continue;
        }
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.err);
        check(&schema, &ran.json(), &schema, "$").unwrap_or_else(|e| panic!("{words:?}: {e}"));
    }
    let error = house.on(&market, &["quote", "vast:gone", "--format", "json"]).err;
    let error: Value = serde_json::from_str(&error).unwrap();
    check(&schema, &error, &schema, "$").unwrap();
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let house = House::new();
    let schema = house.run(&["schema"]).json();
    let market = house.market(sample());
    let good = house.on(&market, &["list", "--limit", "2", "--format", "json"]).json();
    let spoil = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        check(&schema, &bad, &schema, "$")
    };
    assert!(check(&schema, &good, &schema, "$").is_ok());
    assert!(spoil("/schema", "haggle.list/2".into()).is_err());
    assert!(spoil("/offers/0/reliability", 1.5.into()).is_err());
    assert!(spoil("/offers/0/availability", "maybe".into()).is_err());
    assert!(spoil("/offers/0/price/on_demand_usd_per_hour", "free".into()).is_err());
    assert!(spoil("/shown", (-1).into()).is_err());
    let mut lacking = good.clone();
    lacking["offers"][0].as_object_mut().unwrap().remove("quote");
    assert!(check(&schema, &lacking, &schema, "$").is_err());
}
