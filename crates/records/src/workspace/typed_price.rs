//! Prices of models as a person types them.

use std::str::FromStr;

/// Price of tokens, in US dollars per million.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub read: f64,
    pub written: f64,
}

/// A price as it is typed: of one model, or of all that have none.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedPrice {
    /// The model, by its name in the cast.
    pub model: Option<String>,
    pub price: Price,
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.read, self.written)
    }
}

impl std::fmt::Display for TypedPrice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{model}={}", self.price),
            None => self.price.fmt(f),
        }
    }
}

/// A price that is not written as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "write IN,OUT, the US dollars for a million tokens read and written, both 0 or more, as in \
     0.15,0.60; or MODEL=IN,OUT for one model"
)]
pub struct BadPrice;

impl FromStr for TypedPrice {
    type Err = BadPrice;

    fn from_str(text: &str) -> Result<Self, BadPrice> {
        // A model's name may hold a '=' itself.
        let (model, price) = match text.rsplit_once('=') {
            Some((model, price)) => (Some(model.trim()), price),
            None => (None, text),
        };
        let usd = |text: &str| {
            let usd = text.trim().parse::<f64>().ok();
            // A zero below zero is written as one that is none.
            usd.filter(|usd| usd.is_finite() && *usd >= 0.0)
                .map(f64::abs)
        };
        let read = price
            .split_once(',')
            .and_then(|(read, written)| usd(read).zip(usd(written)));
        let Some((read, written)) = read.filter(|_| model != Some("")) else {
            return Err(BadPrice);
        };
        Ok(Self {
            model: model.map(str::to_owned),
            price: Price { read, written },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_with_or_without_the_model_that_it_is_for() {
        let price = |text: &str| text.parse::<TypedPrice>();
        assert_eq!(price(" 0.5, 2 ").unwrap().to_string(), "0.5,2");
        assert_eq!(price("a=b/c=1,0").unwrap().to_string(), "a=b/c=1,0");
        assert_eq!(price("-0,0").unwrap().to_string(), "0,0");
        for wrong in [
            "", "1", "1,", "1,2,3", "-1,2", "NaN,1", "1,inf", "cheap", "=1,2", "m=", "m=1;2",
        ] {
            assert!(
                price(wrong).unwrap_err().to_string().contains("IN,OUT"),
                "{wrong}"
            );
        }
    }
}
