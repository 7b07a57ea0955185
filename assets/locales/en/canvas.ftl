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
save-refused = Not saved: see the problems
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
key-before = Select all that leads here
key-behind = Select all that follows
key-next = Next node
key-select = Select the focused node
key-find = Find a node
key-minimap = Small map
key-outline = Outline or components
key-physical = Logical or physical view
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

edge-add = Put a step in between
said-cut = { $count ->
    [0] No edge cut
    [one] { $count } edge cut
   *[other] { $count } edges cut
}
edges-cut = { $count ->
    [one] { $count } edge cut.
   *[other] { $count } edges cut.
}
align-left = Align left edges
align-centre = Align middles in a column
align-right = Align right edges
align-top = Align top edges
align-middle = Align middles in a row
align-bottom = Align bottom edges
spread-across = Equal gaps across
spread-down = Equal gaps down
align = Arrange
key-duplicate-drag = Drag a copy
key-slice = Cut edges with a stroke
key-drag = drag
node-slow = { $count ->
    [one] The slow step: { $count } step waits for it
   *[other] The slow step: { $count } steps wait for it
}
key-group = Group
key-ungroup = Ungroup
group-new = Group
key-note = Add a note
note = Note
note-empty = Double-click to write
note-delete = Delete the note
note-resize = Resize the note
group-title = Title of the group
group-delete = Remove the frame
said-grouped = Grouped
said-ungrouped = Ungrouped
keys-change-help = Press the keys of an action to give it others. Esc leaves them as they are, Backspace takes them away.
keys-press = Press keys…
keys-none = none
keys-change = { $what }: { $keys }. Press to give it other keys
keys-taken = taken from “{ $what }”
keys-browser = belongs to the browser
keys-reset = All keys as they were
key-versions = Show versions
export-svg = Save as SVG picture
export-png = Save as PNG picture
print = Print
export-more = Pictures and print
print-failed = The browser does not print this page.

node-lacks = No sample record has { $fields }, which its settings name
guide = Your first channel
guide-begin = Guide me through a channel
guide-source = Source
guide-source-help = Drag a source from the left onto the canvas: CSV files, for example.
guide-set = Where from
guide-set-help = Select the source and fill in on the right where its records come from. samples/flights.csv is there to try.
guide-target = Target
guide-target-help = Drag a target onto the canvas, and an edge from the dot on the right of the source to the dot on its left.
guide-complete = Where to
guide-complete-help = Fill in what the target needs. Problems, below, says what is missing.
guide-preview = Preview
guide-preview-help = Open Preview, below: it shows what every step makes of sample records, and writes nothing.
guide-deploy = Deploy
guide-deploy-help = Press Deploy: you see what will happen before it does.
guide-done = Done. Your channel is deployed, and the canvas shows what passes.
guide-skip = Skip
guide-close = Close
guide-step-done = done
guide-step-open = to do
key-replace = Replace by another component
key-text = The document as text
replace-title = Replace by…
said-no-replace = Select one node to replace it
replaced = Replaced by { $name }.
replaced-lost = Replaced by { $name }, which does not know: { $settings }.
text-title = The document as text
text-help = This is what the drawing is saved and exported as. Applied, it is one step that can be undone.
text-apply = Apply
text-copied = Copied.
text-changes = { $added } added, { $removed } removed, { $changed } changed

merge = Merge…
merge-title = Put both drafts together
merge-help = What only one of you changed is taken. Where both changed the same, choose. The result is one step that you can undo.
merge-no-clash = You changed different things: all of it is taken. The result is one step that you can undo.
merge-mine = Yours
merge-theirs = Theirs
merge-node = the node
merge-gone = taken away
merge-apply = Merge and save
merge-unreadable = The two drafts cannot be put together. Choose one of them.

drift-came = new: { $field }
drift-gone = gone: { $field }
drift-retyped = { $field }: { $was } → { $now }
drift-edge = Samples show other fields than when this was deployed:
drift-plan = Records are not what they were when the version in force was deployed. The steps behind were drawn for those:

palette-favourites = Favourites
palette-recent = Placed last
palette-favourite = { $name }: a favourite
draft-taken-over = This channel was changed elsewhere: you see what it is now.
