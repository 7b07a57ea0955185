# The inspector and its forms.
inspector = Settings of the selection
node-title = Title
unknown-component = This Fairway has no component “{ $name }”. The node is kept as it is.
about-component = About this component
nothing-to-set = There is nothing to set.
more-settings = More settings
delete-node = Delete this node
delete-nodes = { $count ->
    [one] Delete { $count } node
   *[other] Delete { $count } nodes
}
many-title = { $count } nodes selected
many-text = Drag any of them to move them all. Copy, cut and duplicate work on all of them.
required = Required
choose = Choose…
empty-text = empty text
add-word = Add…
remove-word = Remove { $word }
add-row = Add
add-another = Add another
row-more = More: { $fields }
row-up = Move up
row-down = Move down
row-remove = Remove
map-add = Add a name…
map-name = Name
map-value = Value
secret-none = No secret
secret-new = Store a new secret…
secret-name = Name
secret-value = Secret value
secret-store = Store
edge-title = Edge
edge-errors-title = Errors edge
edge-errors-text = Records that the first node refuses go here instead of into the dead-letter store.
edge-from = From
edge-to = To
edge-records = Records passed
edge-rate = Now
edge-fill = Queue filled
delete-edge = Delete this edge
channel-settings = Channel
channel-title = Title
channel-name = Name
channel-name-help = Names the channel in exports, the command line and the API.
channel-description = Description
policy = Records that a node refuses
policy-dead-letter = Set aside
policy-dead-letter-help = They wait as dead letters, with their error.
policy-stop = Stop the channel
policy-stop-help = The first one stops everything.
policy-drop = Drop
policy-drop-help = They are counted, and gone.
attempts = Tries per record
attempts-help = How often a record that its target refuses is tried, with growing pauses, before it is set aside. Outages do not count: they are waited out.
schedule = Schedule
schedule-none = Runs as long as it is deployed
schedule-help = Five cron words: minute, hour, day of the month, month, day of the week. `0 2 * * *` is every night at two. At each time it runs until it has caught up.
timezone = Time zone
missed = Times at which Fairway did not run
missed-run-once = Make up for them with one run
missed-skip = Leave them out
delivery = Least delivery guarantee
delivery-help = A plan that promises less is refused.
delivery-at-least-once = At least once
delivery-idempotent = Idempotent
delivery-exactly-once = Exactly once
stream = Between tasks
stream-auto = Automatic
stream-direct = Directly, in one process
stream-topic = Through Kafka topics
secret-bad-name = Letters A–Z, digits, dot, dash, slash and underscore only
secret-exists = “{ $name }” exists: its value is replaced
secret-help = The value goes to Fairway once and is never shown again. Documents hold its name only.
secret-written-out = (written out, hidden)

mapper-select = Which fields stay
mapper-rename = New names
mapper-cast = Types
mapper-set = Copied to
mapper-stays = stays
mapper-as-it-is = as it is
mapper-copy-to = another field
mapper-of = What becomes of { $field }
mapper-waiting = Looking at sample records…
mapper-nothing = No records come here, so there are no fields to choose from.
field-missing = No sample record has this field.
edge-fields = { $count ->
    [one] { $count } field
   *[other] { $count } fields
}
edge-fields-help = As sample records have them. A question mark means that some lack it.

as-list = As a list
edge-most = At most { $rate } a second, of the last ones
tap = Records that pass
tap-open = Look at records
tap-close = Stop looking
tap-help = Shows some of the records that pass, at most 20 a second, for one minute. The channel does not wait for it, and its activity says that somebody looked.
tap-left = { $passed } passed · ends in { $seconds } s
tap-ended = { $passed } passed · ended
tap-hidden = Masked by the channel, so never shown: { $fields }

bulk-title = { $component }: settings of all
bulk-help = What you change here is changed at all { $count } of them, as one step.
bulk-differs = Not the same at all of them; the first is shown.
