# The list of channels.
channels-title = Channels
channels-count = { $count ->
    [one] { $count } channel
   *[other] { $count } channels
}
channels-search = Search channels
new-channel = New channel
channels-empty-title = Draw your first channel
channels-empty-text = A channel brings records from a source, through the steps you draw, to its targets. Start with an empty canvas, or bring in a document.
channels-none-found = No channel matches “{ $search }”.
import-file = Import a file
import-drop = Drop channel documents to import them
import-unreadable = “{ $name }” cannot be read.
import-not-json = This is not a channel document: it is not JSON.
import-done = { $count ->
    [0] Imported
    [one] { $count } channel imported
   *[other] { $count } channels imported
}
import-secrets = These secrets are missing here: { $names }
import-secrets-help = Set them before you deploy. A document never carries their values.
import-clash-title = “{ $name }” exists already
import-clash-text = What should become of the imported document?
import-copy = Keep both
import-copy-help = It becomes a channel of its own under a free name, with fresh positions.
import-over = Replace the draft
import-over-help = It becomes the draft of the existing channel, which keeps its history and positions. Nothing runs until you deploy.
picture-none = Empty canvas
figure-rate = Records/s
figure-lag = Lag
figure-lag-long = On their way: { $records }; the oldest for { $seconds } s
figure-read = Read
figure-filtered = Filtered
figure-delivered = Delivered
figure-dead = Dead letters
card-version = v{ $version }
card-version-changed = v{ $version }, draft changed
card-saved = saved { $ago }
delete-title = Delete “{ $name }”?
delete-text = The channel stops, and its versions, positions and dead letters are deleted for good. What it has written to its targets stays.
delete-channel = Delete channel
deleted = “{ $name }” was deleted.
new-more = More ways to begin
from-template = From a template
import-paste = Paste a document
import-hint = You can also drop files on this page, or paste a document.
import-no-clipboard = The clipboard cannot be read.
import-no-clipboard-help = Press Ctrl+V on this page instead.
door-blank = Blank canvas
door-blank-text = Place a source and draw on from there.
door-template-text = Start with something that works, and change it.

door-guide = First time here? Be guided through a channel.
