# The drawer below the canvas.
drawer = Findings and activity
drawer-open = Open the drawer
drawer-close = Close the drawer
problems = Problems
problems-none = No problems: this channel can be deployed
activity = Activity
activity-none = Nothing has happened yet. Deploy the channel to start it.
activity-waits = Nothing has happened yet: the channel waits for its time.
activity-next = Next run: { $time }
tasks = Tasks
task-restarts = { $count ->
    [one] { $count } restart
   *[other] { $count } restarts
}
restart = Restart
dead-letters = Dead letters
dead-none = No dead letters
dead-count = { $count ->
    [one] { $count } record
   *[other] { $count } records
}
dead-when = When
dead-node = Where

dead-record = Record

dead-more = Show more
dead-discard = Discard all
dead-discard-title = { $count ->
    [one] Discard { $count } record?
   *[other] Discard { $count } records?
}
dead-discard-text = { $count ->
    [one] { $count } record is deleted for good.
   *[other] { $count } records are deleted for good.
}
dead-discarded = { $count ->
    [one] { $count } dead letter was discarded.
   *[other] { $count } dead letters were discarded.
}
drawer-height = Height of the drawer
task-on = on { $worker }
start-over = Start over…
start-over-title = Start over from the beginning?
start-over-text = The channel stops, forgets how far it has read, and starts again with the first record. Targets keep what they have: records that were delivered before are written a second time, unless the target replaces rows by key. Empty the targets first if you want each record once. Dead letters stay.
started-over = The channel starts over.
dead-all = All causes
dead-causes = Causes
dead-between = { $first } – { $last }
dead-from = From
dead-tried = Tried
dead-tries = { $count ->
    [one] { $count } try
   *[other] { $count } tries
}
dead-waits = to be tried
dead-replaying = { $count ->
    [one] { $count } record is being tried again
   *[other] { $count } records are being tried again
}
dead-evicted = { $count ->
    [one] { $count } old record was removed to keep within the limits
   *[other] { $count } old records were removed to keep within the limits
}
stage-reading = while it was read
stage-changing = at this step
stage-writing = while it was written
stage-gone = a step that is no longer drawn
as-json = As JSON
as-fields = As fields
place-line = line { $line }
place-byte = up to byte { $byte }
place-offset = offset { $offset }
place-row = row position { $row }
place-record = record { $number }
place-child = { $place }, part { $child }
replay-one = Try again
replay-group = Try group again
replay-all = Try all again
replay-button = Try again
discard-one = Discard
discard-group = Discard group
discard-button = Discard
replay-title = { $count ->
    [one] Try { $count } record again?
   *[other] Try { $count } records again?
}
replay-text = { $count ->
    [one] It enters again at the step that refused it, as it is deployed now. It goes from here once its targets have it; refused again, it stays.
   *[other] They enter again at the step that refused them, as it is deployed now. Each goes from here once its targets have it; refused again, it stays.
}
replay-when-running = The channel runs, so this begins at once.
replay-when-waiting = The channel is not moving records now: this happens when it runs again.
replay-when-stopped = The channel does not run: it opens for these records alone, reads nothing else, and closes again.
replay-exactly-once = The targets behind it keep account, so each record arrives once, even if Fairway is interrupted.
replay-idempotent = A record may be written twice if Fairway is interrupted; writing it twice changes nothing at { $targets }.
replay-at-least-once = If Fairway is interrupted meanwhile, a record may arrive twice at { $targets }.
replay-now = { $count ->
    [one] { $count } record is tried again.
   *[other] { $count } records are tried again.
}
replay-later = { $count ->
    [one] { $count } record is tried again when the channel runs.
   *[other] { $count } records are tried again when the channel runs.
}
replay-nothing = None of these can be tried again.
replay-skipped = { $count ->
    [one] { $count } was left out: a source refused it, or its step is not deployed.
   *[other] { $count } were left out: a source refused them, or their step is not deployed.
}
replay-not-source = The source could not read it, so there is no record that could enter anywhere. Mend it at its origin, or discard it.

versions = Versions
versions-none = Nothing was deployed yet. Each deploy makes a version.
versions-against = compared with
versions-draft = the drawing
versions-same = Both mean the same.
version-in-force = in force
version-compare = Compare
version-bring-back = Bring back
version-roll-back = Roll back…
version-brought-back = Version { $version } is the draft now. Nothing is deployed.
diff-added = added
diff-removed = removed
diff-changed = changed
diff-edge-added = edge added
diff-edge-removed = edge removed
diff-channel = channel
diff-name = Name
diff-description = Description
diff-settings = Settings
diff-text = Differences as text

dead-edited = edited
dead-record-edited = Record as it was edited
dead-show-edited = Show the edited one
dead-show-refused = Show the one that was refused
edit-letter = Edit
edit-help = Change the record as JSON and try it out: it enters at “{ $node }”, as deployed now. The record that was refused is kept until the edited one has been delivered or refused.
edit-try-out = Try it out
edit-again = Try this one again…
edit-restore = Back to the refused one
edit-stranger = A record has no part “{ $name }”: value, key, headers and time only.
edit-no-value = “value” must be an object with the fields.
edit-no-object = This is no JSON object.
edit-not-reached = is not reached
edit-would-write = would write it
edit-goes-on = hands it on
deed-letter-edited = Dead letter { $id } was edited
deed-letter-restored = Dead letter { $id } has its refused record again
deed-tap-opened = Somebody looked at { $edge }
by-session = from a browser
by-token = with the token
by-command-line = by a command on the data directory
