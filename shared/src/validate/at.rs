//! Where a value of a config lies, as a chain on the stack: most values are sound, and only for the others is the place
//! written out.

use crate::diagnostic::Place;
use crate::pointer;

/// A value of a config.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// The whole config.
    Config(&'a Place),
    /// A member of an object.
    Member(&'a At<'a>, &'a str),
    /// An element of a list.
    Item(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    /// A member of the object that lies here.
    pub(super) fn member(&'a self, key: &'a str) -> Self {
        Self::Member(self, key)
    }

    /// An element of the list that lies here.
    pub(super) fn item(&'a self, index: usize) -> Self {
        Self::Item(self, index)
    }

    /// The place, written out.
    pub(super) fn place(&self) -> Place {
        let config = self.config();
        let mut place =
            Place { pointer: config.pointer.clone(), node: config.node.clone(), ..Place::default() };
        let field = self.field();
        self.push(&mut place.pointer);
        place.field = Some(field).filter(|field| !field.is_empty());
        place
    }

    /// The JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = self.config().pointer.clone();
        self.push(&mut pointer);
        pointer
    }

    /// The names from the config's root, dotted; empty for the config itself.
    pub(super) fn field(&self) -> String {
        let join = |outer: &At<'_>, name: &str| match outer.field() {
            outer if outer.is_empty() => name.to_owned(),
            outer => format!("{outer}.{name}"),
        };
        match self {
            Self::Config(_) => String::new(),
            Self::Member(outer, key) => join(outer, key),
            Self::Item(outer, index) => join(outer, &index.to_string()),
        }
    }

    fn config(&self) -> &'a Place {
        let mut at = self;
        loop {
            match at {
                Self::Config(place) => return place,
                Self::Member(outer, _) | Self::Item(outer, _) => at = outer,
            }
        }
    }

    fn push(&self, pointer: &mut String) {
        match self {
            Self::Config(_) => {}
            Self::Member(outer, key) => {
                outer.push(pointer);
                pointer::push(pointer, key);
            }
            Self::Item(outer, index) => {
                outer.push(pointer);
                pointer::push(pointer, &index.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_out_in_full() {
        let config = Place::at("/spec/nodes/0/config").of_node("n");
        let root = At::Config(&config);
        assert_eq!(root.place(), config);
        let (columns, key) = (root.member("columns"), "a/b");
        let item = columns.item(2);
        let name = item.member(key);
        let expected =
            Place::at("/spec/nodes/0/config/columns/2/a~1b").of_node("n").of_field("columns.2.a/b");
        assert_eq!(name.place(), expected);
        assert_eq!(name.pointer(), expected.pointer);
    }
}
