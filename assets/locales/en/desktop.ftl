# Files of the user's own, in the desktop app.
desktop-deaf = The app does not answer
file-open = Open file
file-open-key = Open a channel document (Ctrl+O)
file-recent = Recent files
file-gone = This file is no longer there
file-unreadable = The file cannot be opened
file-unwritable = The file cannot be written
file-opened-as-copy = A channel of this name exists: the file was opened as a copy
file-save = Save to file
file-save-key = Save to file (Ctrl+S)
file-save-as = Save as… (Ctrl+Shift+S)
file-more = More about the file
file-read-again = Read the file again
file-saved = Saved to { $name }
file-has-all = The file has all changes
file-lacks = The file does not have the latest changes
file-close-title =
    { $count ->
        [one] The file of a channel does not have the latest changes
       *[other] The files of { $count } channels do not have the latest changes
    }
file-close-text = Fairway keeps what you drew in any case. Save if the files are to have it as well.
file-close-unsaved = Close without saving
file-save-and-close = Save and close
