//! Reads the output of Rust's test runner: how many tests passed, failed, were skipped, and why.
//!
//! The runner knows no skipping at run time. A test that finds its peer missing prints a line
//! `SKIPPED: reason` and returns; the runner calls it passed, and it is counted here as skipped instead.

use std::fmt;

/// What a test prints when it cannot run here.
const SKIPPED: &str = "SKIPPED: ";

/// The sum over all test binaries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    passed: usize,
    pub(super) failed: usize,
    skipped: usize,
    /// Test and reason of each test that skipped itself.
    pub(super) reasons: Vec<String>,
    /// Names of the tests that failed.
    pub(super) failures: Vec<String>,
    /// Tests that failed among all others and passed when they were tried again alone.
    pub(super) unsteady: Vec<String>,
    /// Binaries that began and did not come to their summary.
    begun: usize,
}

impl Counts {
    /// Whether a binary did not come to its summary, which leaves its tests unknown.
    pub(super) fn crashed(&self) -> bool {
        self.begun > 0
    }

    /// Whether every failure has a name.
    pub(super) fn all_named(&self) -> bool {
        !self.crashed() && self.failures.len() == self.failed
    }

    /// Takes the failed tests over as passed, now that a second try of them alone has passed.
    pub(super) fn passed_again(&mut self) {
        self.passed += std::mem::take(&mut self.failed);
        self.unsteady.append(&mut self.failures);
    }

    /// Whether these are the counts of a try in which at least so many tests ran (a name may stand in two binaries), and all
    /// passed.
    pub(super) fn are_all_of(&self, tests: usize) -> bool {
        self.passed >= tests && (self.failed, self.begun) == (0, 0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Where in the output of one binary the reader stands.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Inside the section with the output of tests that passed.
    successes: bool,
    /// The test whose output is being read.
    test: Option<String>,
    /// Tests of this binary that skipped themselves.
    skipped: Vec<String>,
}

impl Reader {
    /// Takes one line, without its end. Tells whether a person wants to see it: what passing tests printed is
    /// noise.
    pub(super) fn line(&mut self, line: &str, counts: &mut Counts) -> bool {
        if let Some(summary) = line.strip_prefix("test result: ") {
            self.finish(summary, counts);
            return true;
        }
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            counts.begun += 1;
        }
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            counts.failures.push(name.to_owned());
        }
        match line {
            // The section comes twice: the output of the tests, then their names.
            "successes:" => self.successes = true,
            "failures:" => self.successes = false,
            _ => {}
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.test = Some(name.to_owned());
        }
        if let Some((_, reason)) = line.split_once(SKIPPED).filter(|_| self.successes) {
            let test = self.test.clone().unwrap_or_default();
            // A test may say so twice; it is one test.
            if !self.skipped.iter().any(|known| known.starts_with(&format!("{test}: "))) {
                self.skipped.push(format!("{test}: {reason}"));
            }
        }
        !self.successes
    }

    fn finish(&mut self, summary: &str, counts: &mut Counts) {
        let number = |what: &str| {
            let mut parts = summary.split(['.', ';']).map(str::trim);
            let part = parts.find_map(|part| part.strip_suffix(what))?;
            part.trim().parse::<usize>().ok()
        };
        let reasons = std::mem::take(self).skipped;
        counts.begun = counts.begun.saturating_sub(1);
        counts.passed += number("passed").unwrap_or(0).saturating_sub(reasons.len());
        counts.failed += number("failed").unwrap_or(0);
        counts.skipped += number("ignored").unwrap_or(0) + reasons.len();
        counts.reasons.extend(reasons);
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Reader};

    fn read(output: &str) -> (Counts, String) {
        let (mut counts, mut reader) = (Counts::default(), Reader::default());
        let shown: Vec<&str> = output.lines().filter(|line| reader.line(line, &mut counts)).collect();
        (counts, shown.join("\n"))
    }

    #[test]
    fn binaries_are_summed_and_skips_are_taken_from_the_passed() {
        let (counts, shown) = read(concat!(
            "running 3 tests\ntest a ... ok\ntest b ... ok\ntest c ... ok\n\nsuccesses:\n\n",
            "---- a stdout ----\nnoise\n\n---- b stdout ----\nSKIPPED: no browser\nSKIPPED: no browser\n\n",
            "\nsuccesses:\n    a\n    b\n    c\n\n",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "running 2 tests\ntest d ... FAILED\ntest e ... ignored\n\nfailures:\n\n---- d stdout ----\nwhy\n",
            "test result: FAILED. 0 passed; 1 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.10s\n",
        ));
        assert_eq!(counts.to_string(), "2 passed, 1 failed, 2 skipped");
        assert_eq!(counts.reasons, ["b: no browser"]);
        assert_eq!(counts.failures, ["d"]);
        assert!(counts.all_named());
        assert!(shown.contains("why") && !shown.contains("noise"), "{shown}");
    }

    #[test]
    fn a_failing_test_is_failed_whatever_it_says() {
        let (counts, _) = read(concat!(
            "successes:\n\nsuccesses:\n    a\n\nfailures:\n\n---- b stdout ----\nSKIPPED: no\npanicked\n",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        ));
        assert_eq!(counts.to_string(), "1 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn a_binary_that_crashes_leaves_failures_without_names() {
        let (counts, _) = read(concat!(
            "running 1 test\ntest a ... FAILED\n\n",
            "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "running 2 tests\ntest b ... ok\n",
        ));
        assert!(!counts.all_named());
    }

    #[test]
    fn a_second_try_counts_only_if_each_test_ran_and_passed() {
        let (mut counts, _) = read(concat!(
            "running 1 test\ntest a ... FAILED\n",
            "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        ));
        let (again, _) = read(concat!(
            "running 0 tests\n",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n",
            "running 1 test\ntest a ... ok\n",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n",
        ));
        assert!(again.are_all_of(1) && !again.are_all_of(2));
        counts.passed_again();
        assert_eq!(
            (counts.to_string().as_str(), &*counts.unsteady),
            ("1 passed, 0 failed, 0 skipped", &["a".to_owned()][..])
        );
    }

    #[test]
    fn no_output_is_no_test() {
        assert_eq!(read("error: could not compile").0, Counts::default());
    }
}
