# 预览：各步骤如何处理样本记录。
preview = 预览
preview-empty = 请先绘制：预览会显示每个步骤如何处理样本记录。
preview-run = 运行预览
preview-running = 正在运行…
preview-safe = 不会写入任何内容
preview-limit = { $count } 条记录
preview-records = 记录
preview-record = 记录编号
preview-steps = 步骤
preview-sample = 样本
preview-edited = 已编辑
preview-edit = 编辑
preview-from-source = 取自数据源
preview-read = 从数据源读取
preview-before = 输入
preview-after = 输出
preview-would-write = 将会写入
preview-output = 输出端口
preview-filtered = 被规则丢弃
preview-filtered-count = { $count } 条被规则丢弃
preview-refused-count = { $count } 条被拒绝
preview-not-reached = 没有记录到达此处。
preview-failed = 此步骤无法运行
preview-no-records = 数据源目前没有记录。
preview-nothing-came = 没有记录进入。
preview-null = 空值
preview-was = 原值：{ $value }
preview-hidden = 另有 { $count } 条未显示
preview-only-changed = 仅显示有变化的列
mark-changed = 已更改
mark-added = 新增
mark-removed = 已移除
sample-title = { $name } 的样本
sample-help = 每行一个 JSON 对象、一个 JSON 列表，或带表头的 CSV。这些记录将代替数据源自身的记录，直到您改回数据源。
sample-none = 尚无记录
sample-count = { $count ->
   *[other] { $count } 条记录
}
sample-fault = 第 { $line } 行：{ $why }
sample-file = 从文件读取

view = 视图
view-logical = 逻辑
view-physical = 物理
physical-runs = 当前部署的形态
physical-would = 部署后的形态
physical-errors = 草稿存在问题，因此尚无可绘制的计划。
task-direct = 从源到目标
task-source = 源
task-sink = 目标
task-unplaced = 未运行
stream-kafka = Kafka 主题

preview-pin = 固定样本
preview-pin-help = 固定：在此浏览器中为此通道保留这些记录，并用它们再次运行
preview-not-kept = 浏览器无法保存样本，仅在此窗口有效。
