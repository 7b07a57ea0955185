# The cluster: workers, tasks, moves.
cluster = Cluster
cluster-alone = This Fairway runs alone. Started as workers of a cluster, several share the channels.
cluster-led = { $name }, led by { $worker } (leader number { $epoch }).
cluster-leaderless = { $name }. A leader is being chosen; tasks run on meanwhile.
cluster-out-of-touch = The worker that answers cannot reach the brokers. What stands here may be old.
workers = { $count ->
    [one] { $count } worker
   *[other] { $count } workers
}
worker-joining = Joining
worker-ready = Ready
worker-drained = Drained
worker-leaving = Leaving
worker-silent = Silent
worker-leads = leads
worker-me = answers here
worker-tasks = Tasks
worker-load = Load
worker-cores = { $cores } cores
worker-capacity = Capacity
worker-heard = Heard
worker-ago = { $seconds } s ago
worker-drain = Drain
worker-undrain = Use again
worker-draining = { $worker } hands its tasks over.
worker-undrained = { $worker } gets tasks again.
cluster-tasks = Who runs what
cluster-no-tasks = Nothing runs.
cluster-moves = What moved
cluster-no-moves = Nothing has moved since this worker started.
place-channel = Channel
place-task = Task
place-state = State
place-worker = Worker
place-why = Why there
place-none = none
place-generation = Number of the grant
place-going = must go: { $why }
place-started = started
place-changed = changed by a deploy
place-stopped = stopped
place-worker-lost = its worker died
place-worker-leaves = its worker leaves
place-worker-drained = its worker is drained
place-misfit = its worker does not fit any more
place-balance = better spread
