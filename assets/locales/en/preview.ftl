# Preview: what each step makes of sample records.
preview = Preview
preview-empty = Draw something first: the preview shows what each step makes of sample records.
preview-run = Run preview
preview-running = Running…
preview-safe = Nothing is written
preview-limit = { $count } records
preview-records = Records
preview-record = Record
preview-steps = Steps
preview-sample = Sample
preview-edited = edited
preview-edit = Edit
preview-from-source = From the source
preview-read = Read from the source
preview-before = In
preview-after = Out
preview-would-write = Would be written
preview-output = Output
preview-filtered = Dropped by a rule
preview-filtered-count = { $count } dropped by a rule
preview-refused-count = { $count } refused
preview-not-reached = No record comes this far.
preview-failed = This step could not run
preview-no-records = The source has no records now.
preview-nothing-came = No records came in.
preview-null = null
preview-was = Was: { $value }
preview-hidden = { $count } more not shown
preview-only-changed = Changed columns only
mark-changed = changed
mark-added = new
mark-removed = gone
sample-title = Sample of { $name }
sample-help = One JSON object a line, a JSON list, or CSV with a header. These records stand in the place of the source’s own until you take those again.
sample-none = No records yet
sample-count = { $count ->
    [one] { $count } record
   *[other] { $count } records
}
sample-fault = Line { $line }: { $why }
sample-file = Take from a file

view = View
view-logical = Logical
view-physical = Physical
physical-runs = As it is deployed
physical-would = As a deploy would run it
physical-errors = The draft has problems, so there is no plan to draw yet.
task-direct = source to target
task-source = source
task-sink = target
task-unplaced = not running
stream-kafka = Kafka topic

preview-pin = Pin the sample
preview-pin-help = Pin: keep these records for this channel in this browser, and run on them again
preview-not-kept = The browser does not keep the sample; it holds for this window.
preview-none-passes = None of the { $count } sample records passes “{ $step }”.
preview-more = Take { $count } records
