use super::*;

fn held(order: u64) -> Held {
    Held {
        uid: "u".into(),
        node: "n".into(),
        stream: StreamKey::straight("in", ""),
        generation: u64::MAX,
        position: Some(Position {
            order,
            token: serde_json::json!({ "lsn": 123_456_789_012_345_678_901_u128 }),
        }),
    }
}

#[test]
fn a_torn_last_line_is_cut_off_at_every_length() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("side");
    let mut side = SideFile::lock(&path).unwrap();
    side.begin(Identity { inode: 1, ..Identity::default() }, None).unwrap();
    side.append(Line::Held(held(1))).unwrap();
    drop(side);
    let before = std::fs::read(&path).unwrap();
    let mut side = SideFile::lock(&path).unwrap();
    side.append(Line::Held(held(2))).unwrap();
    drop(side);
    let after = std::fs::read(&path).unwrap();
    for cut in before.len()..=after.len() {
        std::fs::write(&path, &after[..cut]).unwrap();
        let side = SideFile::lock(&path).unwrap();
        let expected = if cut == after.len() { held(2) } else { held(1) };
        assert_eq!(side.state().held, [expected], "cut at {cut}");
        assert_eq!(side.size, std::fs::metadata(&path).unwrap().len());
    }
}

#[test]
fn an_uncertain_line_is_looked_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut side = SideFile::lock(&dir.path().join("side")).unwrap();
    side.begin(Identity { inode: 1, start: 5, length: 5, ..Identity::default() }, None).unwrap();
    let commit = Commit {
        length: 9,
        records: 1,
        columns: None,
        uid: "u".into(),
        node: "n".into(),
        generation: 1,
        marks: vec![Mark { stream: StreamKey::straight("in", ""), position: Position::start() }],
    };
    // The line reached the disk, the answer did not reach us.
    let mut bytes = Vec::new();
    write_line(&Line::Commit(commit), &mut bytes).unwrap();
    side.file.seek(SeekFrom::End(0)).unwrap();
    side.file.write_all(&bytes).unwrap();
    side.doubtful = true;
    side.settle().unwrap();
    assert_eq!(side.state().file.as_ref().map(|file| (file.start, file.length)), Some((5, 9)));
    assert_eq!(side.state().held.len(), 1);
}

/// Files begun count only once a commit follows, also when the side file is written anew in between.
#[test]
fn files_begun_belong_to_the_commit_that_follows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("side");
    let mut side = SideFile::lock(&path).unwrap();
    let part =
        |number| Identity { inode: number, number, name: Some(format!("{number}")), ..Identity::default() };
    side.begin(part(1), None).unwrap();
    let commit = |length| {
        Line::Commit(Commit {
            length,
            records: length,
            uid: "u".into(),
            node: "n".into(),
            generation: 1,
            marks: Vec::new(),
            columns: (length == 3).then(|| vec!["a".into()]),
        })
    };
    side.append(commit(3)).unwrap();
    side.note(Line::Writing(3)).unwrap();
    side.append(Line::Roll(part(2))).unwrap();
    side.append(Line::Roll(part(3))).unwrap();
    side.note(Line::Naming("4".into())).unwrap();
    side.rewrite().unwrap();
    drop(side);
    let mut side = SideFile::lock(&path).unwrap();
    assert_eq!(side.state().begun.iter().map(|part| part.number).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(side.state().file.as_ref().map(|part| (part.number, part.length)), Some((1, 3)));
    assert!(side.state().writing && !side.state().clean);
    assert_eq!(side.state().naming.as_deref(), Some("4"));
    side.append(Line::Back(1)).unwrap();
    assert!(side.state().begun.is_empty() && side.state().naming.is_none());
    side.append(Line::Roll(part(2))).unwrap();
    side.append(commit(7)).unwrap();
    side.append(Line::Clean(7)).unwrap();
    side.rewrite().unwrap();
    let state = side.state();
    assert_eq!(state.file.as_ref().map(|part| (part.number, part.length, part.records)), Some((2, 7, 7)));
    assert_eq!((state.columns.as_deref(), state.clean), (Some(&["a".to_owned()][..]), true));
}
