//! Which tables are meant. A name is exact; `*` stands for any run of characters and `?` for one, unless a table is called just
//! so (G12).

/// Names and patterns, and what is left out of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
}

impl Names {
    /// Whether nothing is named at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.include.iter().all(String::is_empty)
    }

    /// Whether this table is meant.
    pub(crate) fn has(&self, table: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern, table));
        any(&self.include) && !any(&self.exclude)
    }

    /// Names that are no patterns: tables that must be there.
    pub(crate) fn exact(&self) -> impl Iterator<Item = &str> {
        let left_out = |name: &str| self.exclude.iter().any(|pattern| fits(pattern, name));
        self.include
            .iter()
            .map(String::as_str)
            .filter(|name| !is_pattern(name))
            .filter(move |name| !left_out(name))
    }

    /// Whether records of several tables may come.
    pub(crate) fn are_many(&self) -> bool {
        self.include.len() > 1 || self.include.iter().any(|name| is_pattern(name))
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

fn fits(pattern: &str, name: &str) -> bool {
    if pattern == name {
        return true;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where to go on when a `*` has to take one character more.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match retry {
                Some((after, taken)) => {
                    retry = Some((after, taken + 1));
                    (p, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_exact_names() {
        for (pattern, name, is) in [
            ("orders", "orders", true),
            ("orders", "Orders", false),
            ("ord*", "orders", true),
            ("*", "", true),
            ("*_log", "a_log_log", true),
            ("*_log", "a_logs", false),
            ("a?c*d", "abcxxd", true),
            ("a?c", "ac", false),
            ("a*b", "a*b", true),
            ("日*", "日志", true),
        ] {
            assert_eq!(fits(pattern, name), is, "{pattern} {name}");
        }
        let names = Names { include: vec!["a*".into(), "b".into(), "ab".into()], exclude: vec!["ab".into()] };
        assert!(names.has("ac") && names.has("b") && !names.has("ab") && !names.has("c"));
        assert_eq!(names.exact().collect::<Vec<_>>(), ["b"]);
    }
}
