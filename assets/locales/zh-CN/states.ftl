# 通道与任务的状态。
state-draft = 草稿
state-starting = 正在启动
state-running = 运行中
state-degraded = 降级运行
state-restarting = 正在重启
state-paused = 已暂停
state-hold = 等待处理
state-stopped = 已停止
state-scheduled = 按计划等待
state-completed = 已完成
state-failed = 失败
