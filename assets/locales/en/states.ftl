# States of a channel and of a task.
state-draft = Draft
state-starting = Starting
state-running = Running
state-degraded = Degraded
state-restarting = Restarting
state-paused = Paused
state-hold = On hold
state-stopped = Stopped
state-scheduled = Scheduled
state-completed = Completed
state-failed = Failed
