# The drawer below the canvas.
drawer = Findings and activity
drawer-open = Open the drawer
drawer-close = Close the drawer
problems = Problems
problems-none = No problems: this channel can be deployed
activity = Activity
activity-none = Nothing has happened yet. Deploy the channel to start it.
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
    [one] { $count } record set aside
   *[other] { $count } records set aside
}
dead-when = When
dead-node = Where
dead-why = Why
dead-record = Record
dead-place = { $partition }, record { $order }
dead-more = Show more
dead-discard = Discard all
dead-discard-title = Discard all dead letters?
dead-discard-text = { $count ->
    [one] { $count } record is deleted for good.
   *[other] { $count } records are deleted for good.
}
dead-discarded = { $count ->
    [one] { $count } dead letter was discarded.
   *[other] { $count } dead letters were discarded.
}
