# 通道列表。
channels-title = 通道
channels-count = { $count ->
   *[other] { $count } 个通道
}
channels-search = 搜索通道
new-channel = 新建通道
channels-empty-title = 绘制您的第一个通道
channels-empty-text = 通道从数据源取得记录，经过您绘制的步骤，送达各个目标。可以从空白画布开始，也可以导入一份文档。
channels-none-found = 没有与“{ $search }”匹配的通道。
import-file = 导入文件
import-drop = 将通道文档拖放到此处以导入
import-unreadable = 无法读取“{ $name }”。
import-not-json = 这不是通道文档：内容不是 JSON。
import-done = { $count ->
    [0] 导入完成
   *[other] 已导入 { $count } 个通道
}
import-secrets = 此处缺少以下密钥：{ $names }
import-secrets-help = 请在部署前设置它们。文档中从不包含密钥的值。
import-clash-title = “{ $name }”已存在
import-clash-text = 如何处理导入的文档？
import-copy = 两者都保留
import-copy-help = 导入的文档成为一个独立的通道，使用未占用的名称，位点从头开始。
import-over = 替换草稿
import-over-help = 导入的文档成为现有通道的草稿，历史与位点保留。在您部署之前不会有任何变化。
picture-none = 空白画布
figure-rate = 记录/秒
figure-lag = 延迟
figure-lag-long = 在途：{ $records } 条；最早的已 { $seconds } 秒
figure-read = 已读取
figure-filtered = 已过滤
figure-delivered = 已送达
figure-dead = 死信
card-version = v{ $version }
card-version-changed = v{ $version }，草稿已修改
card-saved = { $ago }保存
delete-title = 删除“{ $name }”？
delete-text = 通道将停止，其版本、位点和死信将被永久删除。已写入目标的数据保持不变。
delete-channel = 删除通道
deleted = 已删除“{ $name }”。
new-more = 更多开始方式
from-template = 从模板开始
import-paste = 粘贴文档
import-hint = 也可以将文件拖放到此页面，或直接粘贴文档。
import-no-clipboard = 无法读取剪贴板。
import-no-clipboard-help = 请改为在此页面按 Ctrl+V。
door-blank = 空白画布
door-blank-text = 放置一个数据源，从那里开始绘制。
door-template-text = 从可用的示例开始，再加以修改。

door-guide = 第一次使用？跟随引导完成一个通道。
