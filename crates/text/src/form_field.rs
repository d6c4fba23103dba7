//! Fields of a form, described: what they are called, what they hold and mean, and how they are filled in. Pure:
//! a form of the workbench draws them and reads keys into them.

use super::{Role, wrap_index};

/// Values of a choice that are listed, at most.
const MAX_VALUES: usize = 500;

/// Way in which a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A line that is continued.
    Text,
    /// A line that another one replaces, such as the name of a file.
    Name,
    /// A text of several lines, which has an editor of its own.
    Page,
    Number,
    /// A number that has one before and one after it.
    Count,
    /// One of a few values.
    Choice,
    /// One of the items of a list.
    Listed,
    Button,
}

impl FieldKind {
    /// Says whether letters are its text.
    pub fn takes_letters(self) -> bool {
        matches!(self, FieldKind::Text | FieldKind::Name | FieldKind::Page)
    }
}

/// A field of a form as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormField<F> {
    pub field: F,
    pub kind: FieldKind,
    pub name: String,
    /// What it means, in sentences; of a button, what it does, behind the name of the key.
    pub help: String,
    pub role: Role,
    /// Its value in one line, or what stands there while it is empty.
    pub value: String,
    /// What is typed in it, which a line begins with that changes it.
    pub text: String,
    /// What is typed in it is masked in public.
    pub is_secret: bool,
    pub heading: Option<String>,
    /// What is wrong with it, or still missing.
    pub fault: Option<String>,
    /// An error only once somebody did something.
    pub fault_role: Role,
}

impl<F> FormField<F> {
    /// A field without a value.
    pub fn new(
        field: F,
        kind: FieldKind,
        name: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            field,
            kind,
            name: name.into(),
            help: help.into(),
            role: Role::Text,
            value: String::new(),
            text: String::new(),
            is_secret: false,
            heading: None,
            fault: None,
            fault_role: Role::Error,
        }
    }

    /// Shows a value.
    #[must_use]
    pub fn with_value(mut self, role: Role, value: impl Into<String>) -> Self {
        (self.role, self.value) = (role, value.into());
        self
    }

    /// Shows what is typed in it, or that it is empty.
    #[must_use]
    pub fn with_text(mut self, text: &str, empty: &str) -> Self {
        text.clone_into(&mut self.text);
        match text {
            "" => self.with_value(Role::Muted, empty),
            text => self.with_value(Role::Text, text),
        }
    }

    /// Masks what is typed in it, in public.
    #[must_use]
    pub fn with_mask(mut self) -> Self {
        self.is_secret = true;
        self
    }
}

/// Values that a form fills in.
pub trait FormValues {
    type Field: Clone + PartialEq;

    /// Describes the fields there are, in their order.
    fn list_fields(&self) -> Vec<FormField<Self::Field>>;

    /// Takes what was typed into a field, without blanks around it.
    ///
    /// # Errors
    /// Says what can be typed, where the text is to be mended before anything else.
    fn set_value(&mut self, field: &Self::Field, text: &str) -> Result<(), String>;

    /// Takes a value further on or back, round and round; says whether it changed.
    fn step_value(&mut self, field: &Self::Field, by: isize) -> bool;

    /// Lists the values of a choice, the one there is now first: each is so many steps on.
    fn list_values(&self, field: &FormField<Self::Field>) -> PickList
    where
        Self: Clone,
    {
        list_steps(self, field)
    }

    /// Takes the value of such a list at a place; says whether it is another one.
    fn pick_value(&mut self, field: &Self::Field, at: usize) -> bool {
        take_steps(self, field, at)
    }
}

/// Lists the values that stepping goes through, the one there is now first.
pub fn list_steps<V: FormValues + Clone>(values: &V, field: &FormField<V::Field>) -> PickList {
    let mut values = values.clone();
    let mut labels = vec![field.value.clone()];
    while labels.len() < MAX_VALUES && values.step_value(&field.field, 1) {
        let fields = values.list_fields();
        let next = fields.into_iter().find(|one| one.field == field.field);
        match next.map(|next| next.value) {
            Some(label) if !labels.contains(&label) => labels.push(label),
            Some(_) | None => break,
        }
    }
    let items = labels.into_iter().map(|label| PickItem {
        label,
        ..PickItem::default()
    });
    PickList {
        title: field.name.trim().to_owned(),
        items: items.collect(),
        ..PickList::default()
    }
}

/// Takes a value so many steps on; says whether it is another one.
pub fn take_steps<V: FormValues + ?Sized>(values: &mut V, field: &V::Field, at: usize) -> bool {
    (0..at).fold(false, |changed, _| values.step_value(field, 1) || changed)
}

/// Returns the value so many places further, round and round; the first one after a value that is none of
/// them.
pub fn step_through<T: Clone + PartialEq>(values: &[T], now: &T, by: isize) -> Option<T> {
    let at = values.iter().position(|value| value == now);
    let to = at.map_or(0, |at| wrap_index(at, by, values.len()));
    values.get(to).cloned()
}

/// An item of a list to choose from; label and detail are searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PickItem {
    pub label: String,
    pub detail: String,
    /// At the right, for example a key.
    pub aside: String,
}

/// A list to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PickList {
    pub title: String,
    pub items: Vec<PickItem>,
    /// The item that is chosen now.
    pub chosen: usize,
    /// What taking the typed text means, where it can be taken.
    pub typed: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::step_through;

    #[test]
    fn values_are_stepped_through_round_and_round_from_the_first() {
        let values = ["a", "b", "c"];
        assert_eq!(step_through(&values, &"c", 1), Some("a"));
        assert_eq!(step_through(&values, &"a", -1), Some("c"));
        assert_eq!(step_through(&values, &"unknown", -1), Some("a"));
        assert_eq!(step_through::<u8>(&[], &1, 1), None);
    }
}
