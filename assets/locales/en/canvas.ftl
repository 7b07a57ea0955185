# The canvas page: bar, palette, surface, keys, plan.
page-title = { $name } · Fairway
skip-to-canvas = Skip to the canvas
to-channels = All channels
missing-title = This channel cannot be opened
try-again = Try again
history = History
undo-key = Undo (Ctrl+Z)
redo-key = Redo (Ctrl+Shift+Z)
plan = Plan
deploy = Deploy
deploy-key = Deploy (Ctrl+Shift+D)
save-saved = Saved
save-pending = Saving…
save-failed = Not saved, trying again…
save-conflict = Not saved
conflict-text = This channel was changed elsewhere, and yours is not written over it. Replacing theirs keeps it as a version.
differs = What differs: { $what }.
differs-theirs = only in theirs:
differs-mine = only in yours:
differs-changed = changed:
differs-channel = name or settings of the channel
differs-more = { $names } and { $count } more
gone-text = This channel was deleted elsewhere. What you see can be kept as a new channel.
keep-copy = Keep mine as a copy
reload = Load theirs
replace-theirs = Replace theirs
to-node = Go to { $name }
edit-refused = That change is not possible.

palette = Components and outline
palette-components = Components
outline = Outline
outline-empty = The canvas is empty.
outline-to = { $port } to { $name }
outline-from = { $port } from { $name }
palette-search = Search components
palette-sources = Sources
palette-transforms = Transforms
palette-sinks = Targets
palette-none = No component matches.
kind-source = Source
kind-transform = Transform
kind-sink = Target

canvas-label = Canvas
canvas-role = canvas
canvas-empty-title = Drag a source from the left to begin
canvas-empty-add = adds a component
canvas-empty-keys = shows all keys
node-label = { $component }, { $kind }, { $name }, { $errors ->
    [0] no problems
    [one] { $errors } problem
   *[other] { $errors } problems
}, { $inputs ->
    [one] { $inputs } input
   *[other] { $inputs } inputs
}, { $outputs ->
    [one] { $outputs } output
   *[other] { $outputs } outputs
}
node-selected = selected
node-errors = { $count ->
    [one] { $count } problem
   *[other] { $count } problems
}
node-warnings = { $count ->
    [one] { $count } warning
   *[other] { $count } warnings
}
count-in = Records in
count-out = Records out
count-errors = Records refused
rate = { $rate }/s
port-in = Input { $name }
port-out = Output { $name }
port-errors = Errors: records that this node refuses
refuse-same = A node cannot feed itself
refuse-outputs = Both ends are outputs
refuse-errors = An errors port leads to an input
refuse-inputs = Both ends are inputs
refuse-joined = These two are joined already
refuse-cycle = This would close a loop: { $path }
quick-add = Add a component
quick-add-next = What comes next?
zoom-controls = View
zoom-in = Zoom in (+)
zoom-out = Zoom out (−)
zoom-reset = Zoom to 100% (0)
fit = Fit everything (F)
tidy = Tidy up (Shift+Alt+T)
physical = Show tasks
paste-not-nodes = There are no nodes in the clipboard.
paste-not-nodes-help = Copy nodes from a canvas, or the text of a channel document.
paste-empty = The clipboard holds a channel without nodes.
paste-other-kind = The clipboard holds a document of another kind ({ $kind }). Import it on the page of all channels.
paste-faulty = What the clipboard holds looks like a document but cannot be read: { $fault }
clipboard-refused = The browser does not give the clipboard away.
clipboard-refused-help = Use the keys for copy, cut and paste instead, or allow this page to use the clipboard.

said-added = { $name } added
said-moved = Moved to { $x }, { $y }
said-joined = Joined
said-undone = Undone
said-redone = Done again
said-no-join = These nodes cannot be joined
said-edge = Edge from { $from } to { $to }
said-copied = { $count ->
    [one] { $count } node copied
   *[other] { $count } nodes copied
}
said-pasted = { $count ->
    [one] { $count } node pasted
   *[other] { $count } nodes pasted
}

keys-title = Keys
keys-draw = Draw
keys-move = Select and move
keys-view = View
keys-run = Channel
key-add = Add a component
key-join = Join two nodes
key-delete = Delete
key-heal = Delete and rejoin neighbours
key-duplicate = Duplicate
key-copy = Copy
key-cut = Cut
key-paste = Paste
key-undo = Undo
key-redo = Redo
key-nudge = Move the selection
key-nudge-far = Move it further
key-walk = Walk along edges
key-all = Select all
key-edit = Open the settings
key-rename = Rename
key-edges = Go through a node's edges
key-escape = Cancel, clear the selection
key-fit = Fit everything
key-fit-selection = Fit the selection
key-zoom-in = Zoom in
key-zoom-out = Zoom out
key-zoom-reset = Zoom to 100%
key-pan = Hold and drag to pan
key-tidy = Tidy up
key-align-left = Align the selection in a column
key-align-top = Align the selection in a row
key-before = Select all that leads here
key-behind = Select all that follows
key-next = Next node
key-select = Select the focused node
key-find = Find a node
key-minimap = Small map
key-outline = Outline or components
key-physical = Show tasks
key-commands = All commands
key-start = Start the channel
key-pause = Pause the channel
key-stop = Stop the channel
key-problems = Show problems
key-activity = Show activity
key-dead-letters = Show dead letters
key-save = Save now
key-deploy = Plan and deploy
key-sheet = This sheet

plan-title = What a deploy would do
planning = Working out what will happen…
plan-errors = These problems keep the channel from being deployed:
plan-summary = { $starts } to start, { $restarts } to restart, { $stops } to stop, { $keeps } untouched
plan-nothing = Everything already runs like this
plan-tasks = Tasks
plan-positions = Positions
plan-targets = What each target is promised
plan-bounded = Every source ends by itself, so the channel completes when all its records are delivered.
plan-next = Next runs: { $times }
task-starts = Starts
task-restarts-now = Restarts
task-stops = Stops
task-keeps = Untouched
task-because = Changed: { $nodes }
position-kept = Goes on
position-new = From the start
position-dropped = Dropped
position-because = Because of { $fields }
deploying = Deploying…
deployed = Version { $version } is deployed.

commands-title = Find a command or a node
commands-key = Commands (Ctrl+K)
commands-none = Nothing matches.
join-title = Join with…
join-to = { $port } leads there
join-from = { $port } of it leads here
minimap = Small map: press or drag to move the view
minimap-key = Small map (M)
edge-removed = Edge removed.
edge-full = { $percent }%
