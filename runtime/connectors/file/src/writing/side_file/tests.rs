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
    side.begin(Identity { inode: 1, start: 0, length: 0 }).unwrap();
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
    side.begin(Identity { inode: 1, start: 5, length: 5 }).unwrap();
    let commit = Commit {
        length: 9,
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
