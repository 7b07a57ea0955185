# 画布下方的抽屉。
drawer = 问题与活动
drawer-open = 打开抽屉
drawer-close = 收起抽屉
problems = 问题
problems-none = 没有问题：此通道可以部署
activity = 活动
activity-none = 尚无活动。部署通道即可启动。
activity-waits = 尚无活动：通道正在等待计划的时间。
activity-next = 下次运行：{ $time }
tasks = 任务
task-restarts = 重启 { $count } 次
restart = 重启
dead-letters = 死信
dead-none = 没有死信
dead-count = { $count } 条记录
dead-when = 时间
dead-node = 位置

dead-record = 记录

dead-more = 显示更多
dead-discard = 全部丢弃
dead-discard-title = { $count ->
   *[other] 丢弃 { $count } 条记录？
}
dead-discard-text = { $count } 条记录将被永久删除。
dead-discarded = 已丢弃 { $count } 条死信。
drawer-height = 抽屉高度
task-on = 运行于 { $worker }
start-over = 从头开始…
start-over-title = 从头开始？
start-over-text = 通道将停止，忘记已读取的位置，并从第一条记录重新开始。目标会保留已有内容：先前已送达的记录会再次写入，除非目标按键替换行。如果希望每条记录只出现一次，请先清空目标。死信会保留。
started-over = 通道从头开始。
dead-all = 全部原因
dead-causes = 原因
dead-between = { $first } – { $last }
dead-from = 来自
dead-tried = 尝试
dead-tries = { $count ->
   *[other] { $count } 次尝试
}
dead-waits = 等待重试
dead-replaying = { $count ->
   *[other] 正在重试 { $count } 条记录
}
dead-evicted = { $count ->
   *[other] 为保持在限额之内，已移除 { $count } 条旧记录
}
stage-reading = 读取时
stage-changing = 在此步骤
stage-writing = 写入时
stage-gone = 已不在图中的步骤
as-json = 以 JSON 显示
as-fields = 以字段显示
place-line = 第 { $line } 行
place-byte = 至第 { $byte } 字节
place-offset = 偏移量 { $offset }
place-row = 行位置 { $row }
place-record = 第 { $number } 条记录
place-child = { $place }，第 { $child } 部分
replay-one = 重试
replay-group = 重试本组
replay-all = 全部重试
replay-button = 重试
discard-one = 丢弃
discard-group = 丢弃本组
discard-button = 丢弃
replay-title = { $count ->
   *[other] 重试 { $count } 条记录？
}
replay-text = { $count ->
   *[other] 记录将从拒绝它的步骤重新进入，使用当前部署的设置。送达其目标后即从此处移除；若再次被拒绝，则留在此处。
}
replay-when-running = 通道正在运行，将立即开始。
replay-when-waiting = 通道目前没有传送记录：将在其再次运行时进行。
replay-when-stopped = 通道未运行：将只为这些记录打开，不读取其他内容，然后关闭。
replay-exactly-once = 其后的目标会记录进度，因此即使 Fairway 中断，每条记录也只到达一次。
replay-idempotent = 如果 Fairway 中断，记录可能写入两次；在 { $targets } 处重复写入不会改变结果。
replay-at-least-once = 如果期间 Fairway 中断，记录可能在 { $targets } 处到达两次。
replay-now = { $count ->
   *[other] 正在重试 { $count } 条记录。
}
replay-later = { $count ->
   *[other] 通道运行时将重试 { $count } 条记录。
}
replay-nothing = 这些记录都无法重试。
replay-skipped = { $count ->
   *[other] { $count } 条未包括：被数据源拒绝，或其步骤未部署。
}
replay-not-source = 数据源无法读取它，因此没有可以重新进入的记录。请在源头修正，或将其丢弃。

versions = 版本
versions-none = 尚未部署。每次部署都会产生一个版本。
versions-against = 对比
versions-draft = 当前画布
versions-same = 两者含义相同。
version-in-force = 生效中
version-compare = 对比
version-bring-back = 恢复到草稿
version-roll-back = 回滚…
version-brought-back = 版本 { $version } 已成为草稿，尚未部署。
diff-added = 新增
diff-removed = 移除
diff-changed = 修改
diff-edge-added = 新增连线
diff-edge-removed = 移除连线
diff-channel = 通道
diff-name = 名称
diff-description = 说明
diff-settings = 设置
diff-text = 文本差异

dead-edited = 已编辑
dead-record-edited = 编辑后的记录
dead-show-edited = 显示编辑后的记录
dead-show-refused = 显示被拒绝的记录
edit-letter = 编辑
edit-help = 以 JSON 修改记录并试运行：它将按当前部署的版本进入“{ $node }”。被拒绝的记录会保留，直到编辑后的记录送达或再次被拒绝。
edit-try-out = 试运行
edit-again = 重试这一条…
edit-restore = 恢复被拒绝的记录
edit-stranger = 记录没有“{ $name }”这一部分：只有 value、key、headers 和 time。
edit-no-value = “value”必须是包含字段的对象。
edit-no-object = 这不是 JSON 对象。
edit-not-reached = 未到达
edit-would-write = 将写入该记录
edit-goes-on = 继续传递
deed-letter-edited = 死信 { $id } 已编辑
deed-letter-restored = 死信 { $id } 已恢复为被拒绝的记录
deed-tap-opened = 有人查看了 { $edge }
by-session = 通过浏览器
by-token = 使用令牌
by-command-line = 通过数据目录上的命令
