# 组件及其设置的中文文本。英文文本由组件自身提供。
# 值为标题；.f-路径 为字段标题，.h-路径 为字段说明，.c-路径-值 为选项。

common =
    .g-format = 格式
    .g-access = 访问
    .f-path = 路径
    .f-compression = 压缩
    .f-encoding = 编码
    .f-delimiter = 分隔符
    .f-batch = 批量
    .f-fields = 字段
    .f-field = 字段
    .f-type = 类型
    .f-format = 格式
    .f-mode = 模式
    .f-columns = 列
    .f-name = 名称
    .f-null = 空值
    .f-value = 值
    .f-follow = 持续跟随
    .f-header = 首行为列名
    .f-quote = 引号
    .f-connection = 连接
    .f-table = 表
    .f-topic = 主题
    .f-key = 键
    .f-timeout = 超时
    .h-batch = 一次最多传递的记录数。
    .h-field = 字段的确切名称。
    .h-type = 要转换成的类型。
    .c-bool = 布尔
    .c-int64 = 整数
    .c-uint64 = 无符号整数
    .c-float64 = 浮点数
    .c-decimal = 小数
    .c-string = 文本
    .c-bytes = 字节
    .c-date = 日期
    .c-time = 时间
    .c-timestamp = 时间戳
    .c-uuid = UUID
    .c-json = JSON
    .c-list = 列表
    .c-map = 映射
    .c-auto = 自动
    .c-none = 不压缩
    .c-gzip = gzip
    .c-zstd = Zstandard
    .c-append = 追加
    .c-create = 新建
    .c-overwrite = 覆盖

csv_sink = CSV 文件
    .summary = 将每条记录作为一行写入 CSV 文件，恰好一次。
    .docs =
        将每条记录作为一行写入 CSV 文件，恰好一次。

        列：取自 `columns`，否则取第一条记录的字段，并在首次提交时固定。含有其他字段的记录会被拒绝；记录没有的字段按空值写入。

        值：数字逐位保留，时间按 RFC 3339 书写，字节用 base64，列表和映射写作 JSON。空值写作不带引号的 `null` 设置，因此与空文本 `""` 以及同样的词区分开来。

        文件旁的 `<路径>.fairway` 记录提交进度，请与文件放在一起。崩溃后，未提交的行会被截掉并重新写入。其他程序追加了内容时，通道会停下等待您的决定。

        分卷：文件名中含 `{ "{" }n{ "}" }` 并设置了大小、记录数或时间的限制时，记录写入一系列文件，每个文件都有表头。除最后一个外，其余文件均已完成，可以移走。
    .h-path = 目标文件，含 `{ "{" }n{ "}" }` 时为一系列文件；缺少的文件夹会自动创建。
    .h-mode = 此通道首次写入时，如何处理已存在的文件。
    .h-columns = 要写入的字段及其顺序；留空则取第一条记录的字段。
    .h-header = 每个文件是否以列名开头。
    .h-delimiter = 字段之间的字符；制表符写作 `\t`。
    .h-quote = 包围需要引号的字段的字符，内部重复两次。
    .f-quoting = 加引号
    .h-quoting = 哪些字段加引号。
    .c-quoting-needed = 需要时
    .c-quoting-text = 所有文本
    .c-quoting-all = 全部
    .h-null = 空值写作什么；留空则什么也不写。
    .f-line_end = 行结尾
    .h-line_end = 每行以什么结尾。
    .c-line_end-lf = LF
    .c-line_end-crlf = CRLF
    .h-compression = 文件的压缩方式。
    .g-series = 分卷
    .f-roll_size = 按大小分卷
    .h-roll_size = 文件达到多少字节即为写满；压缩文件为近似值。
    .f-roll_records = 按记录数分卷
    .h-roll_records = 文件达到多少条记录即为写满。
    .f-roll_every = 按时间分卷
    .h-roll_every = 文件开始多久之后，下一次提交写入新文件。

csv_source = CSV 文件
    .summary = 读取 CSV 文件，每条记录只读一次；停止或崩溃之后从中断处继续。
    .docs =
        读取 CSV 文件，每条记录只读一次；停止或崩溃之后从中断处继续。

        类型：选择自动推断时，由每个文件开头的行决定：只有当所有值写回后与原文完全一致时，才采用该类型，因此 `007`、`+5` 和 `1e5` 仍是文本。带小数点或符号的指数形式（`1.5e-07`、`1E+05`）使该列成为浮点数，前提是浮点数能保留每一位数字。之后出现的不符值会连同文件、行、列一起被拒绝，绝不会被更改。

        空值：没有内容的字段为空值，`""` 为空文本。

        表头：列名原样保留。重复的列名依次加上 `_2`、`_3`；没有名称的列按位置命名为 `column_N`。

        损坏：字段数不符、类型不符、编码错误、引号未闭合或过长的记录逐条被拒绝，从错误端口送出。

        文件：文件按内容识别，移动后不会重读。替换了旧文件的新文件从头读取，副本也是如此：以复制方式轮转日志时，请让副本不在通配范围内。管道和设备会被拒绝。压缩文件和非 UTF-8 文件在每次启动和增长时都要从头解码到上次读到的位置。
    .h-path = 一个路径、通配模式（如 `in/**/*.csv`）或其列表。
    .h-header = 第一行是否为列名。
    .h-columns = 如何确定各列的类型：自动推断、全部为文本，或逐列声明。
    .c-columns-infer = 自动推断
    .c-columns-text = 全部为文本
    .c-columns-list = 逐列声明
    .c-columns-array = 逐列声明
    .h-columns-name = 表头中的确切名称；没有表头时为要使用的名称。
    .h-columns-type = 列的类型。
    .h-columns-format = 日期、时间或字节的写法；留空为通常形式。
    .h-columns-null = 表示空值的未加引号的词。
    .h-delimiter = 字段之间的字符；制表符写作 `\t`。
    .h-quote = 包围含分隔符或换行的字段的字符，内部重复两次；留空则引号无特殊含义。
    .h-encoding = 字符编码的名称，如 `gb18030`；留空为 UTF-8，或按字节顺序标记识别的 UTF-16。
    .h-compression = 文件的压缩方式。
    .h-follow = 是否等待文件增长以及新文件出现。
    .f-file_field = 文件名字段
    .h-file_field = 每条记录中存放文件名的字段；留空则不添加。
    .f-max_record_bytes = 单条记录最大字节数
    .h-max_record_bytes = 超过此长度的记录将被拒绝。

generate_source = 模拟记录
    .summary = 生成模拟记录：用于试用通道、演示与压力测试。
    .docs =
        生成模拟记录：用于试用通道、演示与压力测试。

        第 n 条记录只取决于 n、种子以及字段的生成方式：崩溃之后会重新产生完全相同的记录。

        未设置总数时没有终点。设置速率时，记录按时间到来。
    .f-count = 总数
    .h-count = 总共多少条记录；留空则没有终点。
    .f-rate = 速率
    .h-rate = 每秒记录数；留空则与目标所能接收的一样快。
    .h-fields = 记录的字段，以及各字段的生成方式。
    .f-seed = 种子
    .h-seed = 随机的起点：不同的种子产生不同的记录。更改后从第一条记录重新开始。
    .c-fields-sequence = 等差整数
    .c-fields-integer = 随机整数
    .c-fields-decimal = 随机小数
    .c-fields-choice = 若干值之一
    .c-fields-text = 随机文本
    .c-fields-boolean = 真或假
    .c-fields-timestamp = 等间隔时刻
    .c-fields-uuid = 随机 UUID

cast_fields = 转换类型
    .summary = 将字段读取为其他类型，要么精确转换，要么拒绝。
    .docs =
        将字段读取为其他类型，要么精确转换，要么拒绝。

        类型无法无损容纳的值视为该记录的错误，记录原样从错误端口送出。空值保持为空，缺失的字段保持缺失。
    .h-fields = 要转换的字段及其目标类型。
    .h-fields-format = 日期、时间或字节的写法；留空为通常形式。
    .f-fields-zone = 时区
    .h-fields-zone = 未注明时区的时间戳所用的 UTC 偏移，如 `Z` 或 `+08:00`。
    .f-fields-on_null = 遇到空值
    .h-fields-on_null = 如何处理空值。
    .c-fields-on_null-keep = 保持
    .c-fields-on_null-reject = 拒绝

filter_records = 过滤记录
    .summary = 放行符合规则的记录，丢弃其余记录。
    .docs =
        放行符合规则的记录，丢弃其余记录。

        与空值或缺失字段的比较结果为假；要判断这些情况，请使用“为空”和“缺失”。数字按数值精确比较。类型不同的值相互比较视为该记录的错误。

        被丢弃的记录计为已过滤。
    .f-match = 匹配
    .h-match = 记录须符合全部规则，还是任意一条。
    .c-match-all = 全部
    .c-match-any = 任意
    .f-rules = 规则
    .h-rules = 每条规则针对一个字段。
    .f-rules-op = 条件
    .h-rules-op = 对字段的要求。
    .h-rules-value = 比较的值：数字、文本、真或假；“属于”用列表；判断是否存在或为空时不需要。
    .c-rules-op-eq = 等于
    .c-rules-op-ne = 不等于
    .c-rules-op-lt = 小于
    .c-rules-op-le = 小于等于
    .c-rules-op-gt = 大于
    .c-rules-op-ge = 大于等于
    .c-rules-op-contains = 包含
    .c-rules-op-starts_with = 开头是
    .c-rules-op-ends_with = 结尾是
    .c-rules-op-in = 属于
    .c-rules-op-exists = 存在
    .c-rules-op-missing = 缺失
    .c-rules-op-is_null = 为空
    .c-rules-op-not_null = 不为空
    .c-rules-op-matches = 匹配正则

route_records = 分流记录
    .summary = 按规则将每条记录送往所匹配路线的输出端。
    .docs =
        按规则将每条记录送往所匹配路线的输出端。

        每条路线都是节点的一个输出端，以其名称命名；未匹配任何路线的记录从 `unmatched` 送出。没有后续连线的输出端会丢弃其记录，并计为已过滤。

        选择“首条”时，记录走列表中第一条匹配的路线；选择“全部”时，走每一条匹配的路线。规则的含义与 `filter_records` 相同；若记录的去向取决于无法比较的值，则该记录从错误端口送出。
    .f-routes = 路线
    .h-routes = 各条路线，每条都是节点的一个输出端。
    .h-routes-name = 输出端的名称：字母、数字、`_` 和 `-`。连线引用此名称，更改后须随之修改。
    .f-routes-match = 匹配
    .h-routes-match = 记录须符合全部规则，还是任意一条。
    .c-routes-match-all = 全部
    .c-routes-match-any = 任意
    .f-routes-rules = 规则
    .h-routes-rules = 每条规则针对一个字段。
    .f-routes-rules-op = 条件
    .h-routes-rules-op = 对字段的要求。
    .h-routes-rules-value = 比较的值：数字、文本、真或假；“属于”用列表；判断是否存在或为空时不需要。
    .c-routes-rules-op-eq = 等于
    .c-routes-rules-op-ne = 不等于
    .c-routes-rules-op-lt = 小于
    .c-routes-rules-op-le = 小于等于
    .c-routes-rules-op-gt = 大于
    .c-routes-rules-op-ge = 大于等于
    .c-routes-rules-op-contains = 包含
    .c-routes-rules-op-starts_with = 开头是
    .c-routes-rules-op-ends_with = 结尾是
    .c-routes-rules-op-in = 属于
    .c-routes-rules-op-exists = 存在
    .c-routes-rules-op-missing = 缺失
    .c-routes-rules-op-is_null = 为空
    .c-routes-rules-op-not_null = 不为空
    .c-routes-rules-op-matches = 匹配正则
    .f-take = 走哪条路线
    .h-take = 记录匹配多条路线时走哪些。
    .c-take-first = 首条
    .c-take-all = 全部

select_fields = 选择字段
    .summary = 保留指定的字段并丢弃其余字段，或者相反。
    .docs =
        保留指定的字段并丢弃其余字段，或者相反。

        `address.city` 这样的名称指 `address` 对象中的 `city`，也指本身就叫 `address.city` 的字段。途中若有列表，则路径的其余部分适用于其中每一项。

        保留的字段按列出的顺序或记录中的顺序排列。记录没有的字段被略过，空值保持为空，值本身不变。
    .h-mode = 指定的字段是要保留还是要丢弃。
    .c-mode-keep = 保留
    .c-mode-drop = 丢弃
    .h-fields = 字段名称；点号进入对象内部。
    .f-order = 顺序
    .h-order = 所保留字段的顺序。
    .c-order-listed = 按列出的顺序
    .c-order-record = 按记录中的顺序

rename_fields = 重命名字段
    .summary = 一次性重命名字段，因此两个字段可以互换名称。
    .docs =
        一次性重命名字段，因此两个字段可以互换名称。

        字段保持原来的位置和值。记录没有的名称被略过。前缀加在未逐个重命名的所有字段之前。

        若一条记录的两个字段将得到同一名称，则该记录出错，原样从错误端口送出：任何值都不会取代另一个值。
    .h-fields = 字段及其新名称，须完全一致。
    .f-prefix = 前缀
    .h-prefix = 加在所有其他字段名称之前的文本；留空则不加。

flatten_fields = 展开字段
    .summary = 将嵌套对象展开：`address` 中的 `city` 成为字段 `address__city`。
    .docs =
        将嵌套对象展开：`address` 中的 `city` 成为字段 `address__city`。

        新字段位于原对象的位置。列表成为 JSON 文本，或每项一个字段。超过深度的对象、空对象和空列表也成为 JSON 文本，因此不会丢失任何内容。空值保持为空。

        新字段若与记录的其他字段同名，则该记录出错，原样从错误端口送出。
    .h-fields = 要展开的字段；不填则为全部。
    .f-separator = 分隔文本
    .h-separator = 新名称各部分之间的文本。
    .f-depth = 深度
    .h-depth = 展开多少层；更深的内容成为 JSON 文本。
    .f-lists = 列表
    .h-lists = 如何处理列表。
    .c-lists-json = JSON 文本
    .c-lists-index = 每项一个字段

split_records = 拆分记录
    .summary = 由列表的每一项生成一条记录，例如订单的每一行。
    .docs =
        由列表的每一项生成一条记录，例如订单的每一行。

        每条新记录都带有原记录的其他字段、键、标头和时间，并在一个字段中保存该项；对象项也可以展开为字段。`json` 类型的值若为列表也会拆分；看起来像列表的文本仍是文本，可先用“转换类型”转为 `json`。不是列表的值视为记录的错误，记录整体从错误端口送出。

        由同一条记录拆出的记录一同交付。只要其中一条送达，原记录即计为已送达；只要其中一条被拒绝，即计为死信。
    .h-field = 含有列表的字段，须完全一致。
    .f-into = 写入字段
    .h-into = 存放该项的字段；留空则为原来含列表的字段。
    .f-spread = 展开各项
    .h-spread = 对象项的成员是否成为记录的字段。
    .f-prefix = 前缀
    .h-prefix = 加在展开所得字段名称之前的文本。
    .f-keep_parent = 保留其他字段
    .h-keep_parent = 是否保留原记录的其他字段。
    .f-number = 序号字段
    .h-number = 存放该项序号的字段，从 0 开始；留空则不写。
    .f-empty = 没有项时
    .h-empty = 列表为空、为空值或缺失时如何处理记录。
    .c-empty-drop = 丢弃
    .c-empty-keep = 保留
    .c-empty-reject = 拒绝
    .f-most = 最多项数
    .h-most = 一条记录最多的项数；更多则视为该记录的错误。各项同时位于内存中。

convert_time = 转换时间
    .summary = 在自 1970 年的计数、文本、时间戳和时区之间转换日期与时间，精确到微秒。
    .docs =
        在自 1970 年的计数、文本、时间戳和时区之间转换日期与时间，精确到微秒。

        无法读取的值、所在时区跳过或重复的时间，以及会丢失数位的转换，都视为记录的错误，记录原样从错误端口送出。空值保持为空，缺失的字段保持缺失。

        时区可写作 `Asia/Shanghai` 这样的名称、`+08:00` 这样的偏移，或 `Z`。
    .h-fields = 要转换的字段及其结果。
    .f-fields-into = 写入字段
    .h-fields-into = 存放结果的字段；留空则为同一字段。
    .f-fields-from = 现有写法
    .h-fields-from = 值现在的写法。
    .c-fields-from-usual = 日期、时间戳或 RFC 3339 文本
    .c-fields-from-format = 自定格式的文本
    .c-fields-from-epoch_s = 自 1970 年的秒数
    .c-fields-from-epoch_ms = 自 1970 年的毫秒数
    .c-fields-from-epoch_us = 自 1970 年的微秒数
    .c-fields-from-epoch_ns = 自 1970 年的纳秒数
    .f-fields-from_format = 文本格式
    .h-fields-from_format = 文本的格式，用 strftime 表示。
    .f-fields-zone = 时区
    .h-fields-zone = 未注明时区的值所用的时区：名称、偏移或 `Z`；留空则没有。
    .f-fields-to = 转换为
    .h-fields-to = 要转换成的形式。
    .c-fields-to-timestamp = 时间戳
    .c-fields-to-date = 日期
    .c-fields-to-time = 时刻
    .c-fields-to-text = 文本
    .c-fields-to-epoch_s = 自 1970 年的秒数
    .c-fields-to-epoch_ms = 自 1970 年的毫秒数
    .c-fields-to-epoch_us = 自 1970 年的微秒数
    .c-fields-to-epoch_ns = 自 1970 年的纳秒数
    .f-fields-to_format = 输出格式
    .h-fields-to_format = 输出文本的格式，用 strftime 表示；留空为 RFC 3339。
    .f-fields-to_zone = 输出时区
    .h-fields-to_zone = 书写时所用的时区：名称、偏移或 `Z`；留空则不变。
    .f-fields-finer = 更细的数位
    .h-fields-finer = 如何处理结果容纳不下的数位：微秒以下，或计数单位以下。
    .c-fields-finer-reject = 拒绝
    .c-fields-finer-cut = 截去
    .f-fields-twice = 重复的时间
    .h-fields-twice = 时钟回拨使同一时间出现两次时，指的是哪一次。
    .c-fields-twice-reject = 拒绝
    .c-fields-twice-earlier = 较早的一次
    .c-fields-twice-later = 较晚的一次

dedupe_records = 去除重复
    .summary = 丢弃与先前记录重复的记录；以第一条为准。
    .docs =
        丢弃与先前记录重复的记录；以第一条为准。

        所有键字段相同的两条记录即为相同：数字按数值比较，时间戳按时刻比较。没有键字段时比较整条记录。重复的记录计为已过滤。

        已通过的键保存在内存中，数量有限；设有时间窗口时，只与时间相近的记录比较。时间取自字段，从不取自时钟。

        {"**"}重新启动会遗忘。** 停止、部署或崩溃之后重新启动时，什么都不记得，先前记录的重复会再次通过。若绝不允许重复到达，请写入按键识别的目标（模式 `upsert`）。
    .f-keys = 键字段
    .h-keys = 构成键的字段，须完全一致；不填则为整条记录。
    .f-nulls = 空的键
    .h-nulls = 键字段为空或缺失时如何处理记录。
    .c-nulls-pass = 通过
    .c-nulls-compare = 当作值比较
    .c-nulls-reject = 拒绝
    .f-most = 最多键数
    .h-most = 最多记住多少个键；最旧的最先遗忘。每个约占 80 字节内存。
    .f-window = 时间窗口
    .h-window = 重复记录相隔多久以内算作重复，如 `10m` 或 `24h`；留空则不限。
    .f-time_field = 时间字段
    .h-time_field = 用来衡量窗口的时间戳或日期字段。

validate_records = 校验记录
    .summary = 拒绝不符合 JSON Schema 的记录，并指出字段和所违反的规则。
    .docs =
        拒绝不符合 JSON Schema 的记录，并指出字段和所违反的规则。

        合格的记录原样继续。记录按其将被写成的 JSON 对象来判断：小数和大数保留全部数位，时间戳、日期和 UUID 为文本，字节为 base64；记录没有的字段即为不存在。

        引用只能指向模式自身的部分（`#/$defs/…`），不会获取任何外部内容。正则表达式不支持环视和反向引用。
    .f-schema = 模式
    .h-schema = 每条记录都须符合的 JSON Schema。
    .f-formats = 检查格式
    .h-formats = `format`（如 `date-time`、`email`）是否作为规则；否则只作说明。

mask_fields = 脱敏字段
    .summary = 隐藏字段的值：散列、打星、保留部分字符或全部清除。
    .docs =
        隐藏字段的值：散列、打星、保留部分字符或全部清除。

        散列写入加盐后的 SHA-256：相同的值仍然相同，因此仍可关联。没有秘密的盐时，短小的值（如电话号码）可被逐一试出。
    .h-fields = 字段的确切名称。
    .f-method = 方式
    .h-method = 如何隐藏值。
    .c-method-hash = 散列
    .c-method-redact = 打星
    .c-method-partial = 保留部分
    .c-method-null = 置空
    .f-salt = 盐
    .h-salt = 散列前加在每个值之前的秘密文本。
    .f-keep_first = 保留开头
    .h-keep_first = 开头保留多少个字符。
    .f-keep_last = 保留结尾
    .h-keep_last = 结尾保留多少个字符。

set_fields = 设置字段
    .summary = 依次复制字段、将字段设为常量、移除字段。
    .docs =
        依次复制字段、将字段设为常量、移除字段。

        复制读取的是进入时的记录，因此可以互换两个字段。要重命名字段，请复制后移除旧字段。
    .f-fields = 常量
    .h-fields = 字段及其常量值：任意 JSON，数字逐位保留。
    .f-copy = 复制
    .h-copy = 要填写的字段，以及其值所来自的字段。
    .f-remove = 移除
    .h-remove = 最后要移除的字段。
    .f-overwrite = 覆盖已有字段
    .h-overwrite = 记录已有的字段（即使为空）是否也取新值。

jsonl_source = JSON 行文件
    .summary = 读取每行一个 JSON 对象的文件，每条记录只读一次；停止或崩溃之后从中断处继续。
    .docs =
        读取每行一个 JSON 对象的文件，每条记录只读一次；停止或崩溃之后从中断处继续。

        值：无论多大的数字都逐位保留。对象的每个名称成为一个字段；名称重复时取最后一个值。空行会被跳过。

        损坏：不是 JSON 的行、不是对象的行、编码错误的行以及过长的行逐条被拒绝，从错误端口送出。无法读到结尾或读取时变短的文件，在其余内容读完之后作为数据源的错误报告。

        文件：文件按内容识别，移动后不会重读。替换了旧文件的新文件从头读取，副本也是如此：以复制方式轮转日志时，请让副本不在通配范围内。管道和设备会被拒绝。压缩文件和非 UTF-8 文件在每次启动和增长时都要从头解码到上次读到的位置。
    .h-path = 一个路径、通配模式（如 `in/**/*.jsonl`）或其列表。
    .h-encoding = 字符编码的名称，如 `gb18030`；留空为 UTF-8，或按字节顺序标记识别的 UTF-16。
    .h-compression = 文件的压缩方式。
    .h-follow = 是否等待文件增长以及新文件出现。
    .f-file_field = 文件名字段
    .h-file_field = 每条记录中存放文件名的字段；留空则不添加。
    .f-max_record_bytes = 单行最大字节数
    .h-max_record_bytes = 超过此长度的行将被拒绝。

jsonl_sink = JSON 行文件
    .summary = 将每条记录作为一行 JSON 写入文件，恰好一次。
    .docs =
        将每条记录作为一行 JSON 写入文件，恰好一次。

        数字逐位保留，时间按 RFC 3339 书写，字节用 base64。文件旁的 `<路径>.fairway` 记录提交进度，请与文件放在一起。崩溃后，未提交的行会被截掉并重新写入。其他程序追加了内容时，通道会停下等待您的决定。

        分卷：文件名中含 `{ "{" }n{ "}" }` 并设置了大小、记录数或时间的限制时，记录写入一系列文件。除最后一个外，其余文件均已完成，可以移走。
    .h-path = 目标文件，含 `{ "{" }n{ "}" }` 时为一系列文件；缺少的文件夹会自动创建。
    .h-mode = 此通道首次写入时，如何处理已存在的文件。
    .h-compression = 文件的压缩方式。
    .g-series = 分卷
    .f-roll_size = 按大小分卷
    .h-roll_size = 文件达到多少字节即为写满；压缩文件为近似值。
    .f-roll_records = 按记录数分卷
    .h-roll_records = 文件达到多少条记录即为写满。
    .f-roll_every = 按时间分卷
    .h-roll_every = 文件开始多久之后，下一次提交写入新文件。

sqlite_sink = SQLite 表
    .summary = 将每条记录作为一行写入 SQLite 文件中的表，恰好一次。
    .docs =
        将每条记录作为一行写入 SQLite 文件中的表，恰好一次。

        每个字段写入名称完全相同的列。值要么原样保留，要么连同原因被拒绝；小数和超出 64 位的数字以文本保存，逐位不变。新建列的类型取自字段声明的类型，否则取自第一个值，之后不再改变。

        同一文件中的表 `fairway_positions` 记录各数据源的进度，与数据行在同一事务中写入，因此崩溃之后每条记录仍只有一份。
    .h-connection = 指明文件的连接；此处的设置优先。
    .f-path = 文件
    .h-path = 数据库文件；缺少的文件和文件夹会自动创建。
    .h-table = 表的确切名称。
    .h-mode = 如何处理记录。
    .c-mode-insert = 插入
    .c-mode-upsert = 插入或更新
    .c-mode-delete = 删除
    .h-key = 用于区分记录的字段：更新和删除时必需，也是新建表的主键。均不可为空。
    .f-create_table = 自动建表
    .h-create_table = 表不存在时是否创建，以第一条记录的字段为列。
    .f-new_columns = 新字段
    .h-new_columns = 如何处理表中没有对应列的字段。
    .c-new_columns-add = 添加列
    .c-new_columns-ignore = 忽略
    .c-new_columns-reject = 拒绝记录

postgres_sink = PostgreSQL 表
    .summary = 将每条记录作为一行写入 PostgreSQL 中的表，恰好一次。
    .docs =
        将每条记录作为一行写入 PostgreSQL 中的表，恰好一次。

        每个字段写入名称完全相同（含大小写）的列。值要么原样保留，要么连同原因被拒绝：服务器按列的类型读取文本，但会悄悄改变值的写法（舍入、猜测的日期、`007`）一律拒绝。任何文本都不能含有 U+0000。

        同一模式中的表 `fairway_positions` 记录各数据源的进度，与数据行在同一事务中写入，因此崩溃之后每条记录仍只有一份。用户需要有权创建或读写该表；更新和删除还需要创建临时表的权限。
    .h-connection = 指明数据库的连接；此处的设置优先。
    .f-url = 地址
    .h-url = 用一行写出的数据库地址，例如 `postgres://user@host:5432/database`；单项设置优先。其中的密码请用 `${"{"}secret:名称{"}"}` 引用。
    .f-host = 主机
    .h-host = 服务器主机的名称或地址。
    .f-port = 端口
    .h-port = 服务器的端口；未设置时为 5432。
    .f-database = 数据库
    .h-database = 数据库的名称；未设置时与用户同名。
    .f-user = 用户
    .h-user = 用户的名称；未设置时为 `postgres`。
    .f-password = 密码
    .h-password = 用户的密码。
    .f-tls = 加密
    .h-tls = 连接如何加密；未设置时为“优先”。
    .c-tls-off = 关闭
    .c-tls-prefer = 优先
    .c-tls-require = 必须
    .c-tls-verify = 必须并验证
    .f-tls_ca = 证书颁发机构
    .h-tls_ca = 为服务器担保的机构证书文件（PEM）；设置后即为“必须并验证”。
    .f-schema = 模式名
    .h-schema = 表所在模式（schema）的确切名称。
    .h-table = 表的确切名称。
    .h-mode = 如何处理记录。
    .c-mode-insert = 插入
    .c-mode-upsert = 插入或更新
    .c-mode-delete = 删除
    .h-key = 用于区分记录的字段：更新和删除时必需，也是新建表的主键。均不可为空。
    .f-create_table = 自动建表
    .h-create_table = 表不存在时是否创建，以第一条记录的字段为列。
    .f-new_columns = 新字段
    .h-new_columns = 如何处理表中没有对应列的字段。
    .c-new_columns-add = 添加列
    .c-new_columns-ignore = 忽略
    .c-new_columns-reject = 拒绝记录

kafka_sink = Kafka 主题
    .summary = 将每条记录作为一条消息写入 Kafka 主题，至少一次，或恰好一次。
    .docs =
        将每条记录作为一条消息写入 Kafka 主题，至少一次，或恰好一次。

        保证：每条消息都由所有必须持有它的副本确认（`acks=all`）之后，数据源才继续；生产者是幂等的：通道运行期间，无论服务器断开并恢复多少次，都不丢失、不重复、不乱序。如果 Fairway 自身被强行终止，已发送但尚未记下的消息在启动后会再次发送。

        恰好一次：启用 `exactly_once` 后，一组记录及其位点在同一事务中提交；只读取已提交消息（`isolation.level=read_committed`）的读者看到每条记录恰好一次，无论何时被强行终止。这需要集群，且写入集群自身所用的 Kafka，因为事务不能跨越两个 Kafka；消息以工作进程的访问权限发送，并用 lz4 压缩。工作进程未完成的部分由接替者立即撤回，或在十秒后由服务器撤回。

        值：`json` 将全部字段写成一个对象，数字逐位保留。`string` 和 `bytes` 只写一个字段；该字段为空值时写入墓碑（没有值的消息）。使用 `json` 时，删除标记字段为真的记录成为墓碑。

        键：未指定键字段时保留记录带来的键。单个字段原样写入，多个字段写成 JSON 对象。相同的键进入同一分区，选法与其他客户端一致（murmur2）。记录带来的标头和时间会保留。

        被拒绝的有：超过主题上限的消息、写入压缩主题而没有键的消息、不能作为主题名的名称；它们从错误端口送出。缺少的主题按设置自动创建，否则通道等待它出现。
    .h-connection = 指明服务器的连接；此处的设置优先。
    .f-brokers = 服务器
    .h-brokers = 首先联系的服务器，写作 `host:port`，以逗号分隔；其余的由它们找到。
    .h-topic = 主题的确切名称；设置了主题字段时，用于没有该字段的记录。
    .f-topic_field = 主题字段
    .h-topic_field = 指明每条记录所去主题的字段；留空则只有一个主题。
    .f-key_fields = 键字段
    .h-key_fields = 组成键的字段；留空则用记录带来的键。
    .f-key_format = 键的格式
    .h-key_format = 键的写法。
    .c-key_format-text = 文本
    .c-key_format-json = JSON
    .f-value_format = 值的格式
    .h-value_format = 值的写法。
    .c-value_format-json = JSON 对象
    .c-value_format-string = 文本
    .c-value_format-bytes = 字节
    .f-value_field = 值字段
    .h-value_field = 作为整个值写入的字段。
    .f-deleted_field = 删除标记字段
    .h-deleted_field = 此字段为真时，记录成为墓碑。
    .f-headers = 标头
    .h-headers = 是否写入记录带来的标头。
    .f-time = 时间
    .h-time = 消息取哪个时间。
    .c-time-record = 记录的时间
    .c-time-now = 写入的时间
    .h-compression = 批次的压缩方式。
    .c-compression-none = 不压缩
    .c-compression-gzip = gzip
    .c-compression-snappy = Snappy
    .c-compression-lz4 = LZ4
    .c-compression-zstd = Zstandard
    .f-create_topic = 自动创建主题
    .h-create_topic = 主题不存在时是否创建。
    .f-partitions = 分区数
    .h-partitions = 此处所建主题的分区数；留空则按服务器的设置。
    .f-copies = 副本数
    .h-copies = 此处所建主题的副本数；留空则按服务器的设置。
    .f-exactly_once = 恰好一次
    .h-exactly_once = 无论何处崩溃，每条记录是否都只写入一次：在同时保存位点的事务中写入。仅限集群，且写入集群自身所用的 Kafka。
    .f-security = 安全
    .h-security = 如何访问不对所有人开放的服务器。
    .f-security-tls = 加密（TLS）
    .h-security-tls = 到服务器的连接是否加密（TLS）。
    .f-security-ca = 受信任的证书
    .h-security-ca = 受信任签发者证书的文件（PEM）；留空则用系统自带的。
    .f-security-certificate = 自身证书
    .h-security-certificate = Fairway 自身证书的文件（PEM），在服务器要求时使用。
    .f-security-private_key = 私钥
    .h-security-private_key = 该证书私钥的文件（PEM）。
    .f-security-private_key_password = 私钥密码
    .h-security-private_key_password = 私钥的密码（如有）。
    .f-security-sasl = 身份验证
    .h-security-sasl = Fairway 如何表明身份。
    .c-security-sasl-none = 不验证
    .c-security-sasl-plain = PLAIN
    .c-security-sasl-scram_sha_256 = SCRAM-SHA-256
    .c-security-sasl-scram_sha_512 = SCRAM-SHA-512
    .f-security-user = 用户名
    .h-security-user = 用户的名称。
    .f-security-password = 密码
    .h-security-password = 用户的密码。

kafka_source = Kafka 主题
    .summary = 读取 Kafka 主题中的消息，每条只读一次并保持分区内的顺序；停止或崩溃之后从中断处继续。
    .docs =
        读取 Kafka 主题中的消息，每条只读一次并保持分区内的顺序；停止或崩溃之后从中断处继续。

        位置：每个分区的偏移量由 Fairway 自己保存，与各目标的进度在一起。它不加入消费者组，因此目标再慢也不会失去分区。设置了组时，偏移量也会显示在该组中，供监控工具查看，但从不读回。

        起点：只在第一次启动时有效。之后发现的分区从第一条消息读起。如果尚未读取的消息已不存在（保留期、主题被删除或重建），或服务器属于另一个集群，通道会停住并说明原因，绝不会自行从别处继续。

        值：`json` 要求是对象，各名称成为字段，数字逐位保留。`string` 和 `bytes` 将整个值放入一个字段。无法读取的消息连同主题、分区和偏移量被拒绝，从错误端口送出；其后的消息继续。

        键、标头和时间随记录一起传递，Kafka 目标会原样写回：空键不同于空文本，同名标头可以出现多次。

        墓碑：没有值的消息成为删除标记字段为真的记录。使用 `string` 或 `bytes` 时，其值为空。
    .h-connection = 指明服务器的连接；此处的设置优先。
    .f-brokers = 服务器
    .h-brokers = 首先联系的服务器，写作 `host:port`，以逗号分隔；其余的由它们找到。
    .f-topics = 主题
    .h-topics = 主题的确切名称。
    .f-topic_pattern = 主题模式
    .h-topic_pattern = 用正则表达式代替名称，须与主题的完整名称匹配，如 `orders\..*`。之后新建的主题也会被发现。
    .f-start = 起点
    .h-start = 第一次启动时从哪里开始读取。
    .c-start-earliest = 最早的消息
    .c-start-latest = 启动后的新消息
    .c-start-time = 某个时刻
    .f-start_time = 起始时刻
    .h-start_time = 第一条消息的时刻，如 `2026-01-31T00:00:00Z`。
    .f-value_format = 值的格式
    .h-value_format = 值中是什么。
    .c-value_format-json = JSON 对象
    .c-value_format-string = 文本
    .c-value_format-bytes = 字节
    .f-value_field = 值字段
    .h-value_field = 放入整个值的字段。
    .f-deleted_field = 删除标记字段
    .h-deleted_field = 在墓碑的记录中为真的字段。
    .f-key_format = 键的格式
    .h-key_format = 键中是什么。
    .c-key_format-text = 文本
    .c-key_format-bytes = 字节
    .c-key_format-json = JSON
    .f-key_field = 键字段
    .h-key_field = 同时放入键的字段；留空则没有。
    .f-place_field = 位置字段
    .h-place_field = 放入消息所在位置（主题、分区、偏移量、时间）的字段；留空则没有。
    .f-security = 安全
    .h-security = 如何访问不对所有人开放的服务器。
    .f-security-tls = 加密（TLS）
    .h-security-tls = 到服务器的连接是否加密（TLS）。
    .f-security-ca = 受信任的证书
    .h-security-ca = 受信任签发者证书的文件（PEM）；留空则用系统自带的。
    .f-security-certificate = 自身证书
    .h-security-certificate = Fairway 自身证书的文件（PEM），在服务器要求时使用。
    .f-security-private_key = 私钥
    .h-security-private_key = 该证书私钥的文件（PEM）。
    .f-security-private_key_password = 私钥密码
    .h-security-private_key_password = 私钥的密码（如有）。
    .f-security-sasl = 身份验证
    .h-security-sasl = Fairway 如何表明身份。
    .c-security-sasl-none = 不验证
    .c-security-sasl-plain = PLAIN
    .c-security-sasl-scram_sha_256 = SCRAM-SHA-256
    .c-security-sasl-scram_sha_512 = SCRAM-SHA-512
    .f-security-user = 用户名
    .h-security-user = 用户的名称。
    .f-security-password = 密码
    .h-security-password = 用户的密码。
    .f-group = 消费者组
    .h-group = 用于显示通道进度的消费者组；留空则没有。
    .f-read_committed = 仅已提交
    .h-read_committed = 是否略过已中止或尚未结束的事务中的消息。
    .f-discover_seconds = 发现间隔（秒）
    .h-discover_seconds = 每隔多少秒查找新的主题和分区。
    .h-batch = 一次最多传递的记录数。
    .f-ahead_mib = 预取量（MiB）
    .h-ahead_mib = 所有分区总共预取多少 MiB；每个分区至少 64 KiB。

log_sink = 日志
    .summary = 将每条记录以 JSON 写入 Fairway 自身的日志：便于在绘制时观察通道。
    .docs = 将每条记录以 JSON 写入 Fairway 自身的日志：便于在绘制时观察通道。
    .f-level = 级别
    .h-level = 记录的重要程度；是否显示取决于日志的设置。
    .c-level-error = 错误
    .c-level-warn = 警告
    .c-level-info = 信息
    .c-level-debug = 调试
    .c-level-trace = 跟踪
    .f-max_bytes = 最大字节数
    .h-max_bytes = 每条记录最多写入的字节数；更长的会被截断。

discard_sink = 丢弃
    .summary = 接收每条记录但不保存：用于测量其前面的步骤，或作为不再需要的分支的终点。
    .docs =
        接收每条记录但不保存：用于测量其前面的步骤，或作为不再需要的分支的终点。

        在此结束的记录计为已送达。若要按规则排除记录，请使用 `filter_records`，它会计为已过滤。

http_webhook_source = Webhook
    .summary = 接收其他系统通过 HTTP 发来的记录，并在记录安全之后才回应。
    .docs =
        接收其他系统通过 HTTP 发来的记录，并在记录安全之后才回应。

        `POST` 或 `PUT` 带来一个 JSON 对象、一个对象列表，或逐行的对象；每个对象成为一条记录。成功的回应就是回执：只有当所有目标都已存下记录（或其死信）、位置也已保存之后才会发出。收到其他回应时，发送方应当重新发送：记录可能到达两次，但不会丢失。

        401 表示签名不符，413 表示正文（解压之后也计算在内）过大，415 表示类型不受支持，422 表示正文不是 UTF-8 或不是 JSON 对象。429、503 和 504 表示稍后再发：等待的请求过多、通道已暂停或正在停止、目标未能及时存下。

        设置了监听地址时，数据源有自己的端口；否则请求发往 Fairway 自己的地址 `/hooks/<通道 uid>/<节点 id>`，仅在 `fairway serve` 下存在。两者都不要求令牌：凡是他人能访问之处，请设置签名。

        JSON 以 `application/json`、`application/x-ndjson` 之类、`…+json` 或不带 `Content-Type` 的形式接收；其他类型（包括 `text/plain`）须在“其他内容类型”中列出。带有多个 `Host` 标头的请求会以 400 拒绝。

        设置了标识头时，带有相同标识的请求只计一次。
    .f-content_types = 其他内容类型
    .h-content_types = JSON 正文还可以带有的 `Content-Type`，例如 `text/plain`。
    .f-listen = 监听地址
    .h-listen = 监听的地址，写作 `主机:端口`；留空则请求发往 Fairway 自己的地址。
    .h-path = 监听地址上唯一接受的路径；留空则接受所有路径。
    .h-format = 正文的内容。
    .c-format-json = JSON 对象
    .c-format-text = 文本
    .c-format-bytes = 字节
    .h-field = 存放文本或字节的字段。
    .f-signature = 签名
    .h-signature = 发送方如何为请求签名；留空则任何能访问此地址者都可发送。
    .f-signature-header = 头
    .h-signature-header = 带有签名的头。
    .f-signature-secret = 密钥
    .h-signature-secret = 发送方与数据源共有的密钥。
    .h-signature-encoding = 签名的写法。
    .c-signature-encoding-hex = 十六进制
    .c-signature-encoding-base64 = Base64
    .f-signature-prefix = 前缀
    .h-signature-prefix = 签名之前的文字，如 `sha256=`。
    .f-signature-time_header = 时间头
    .h-signature-time_header = 带有发送时间（自 1970 年起的秒数）的头；此时被签名的是 `<时间>.<正文>`。
    .f-signature-tolerance = 时间容差
    .h-signature-tolerance = 该时间与当前时间最多相差多少。
    .f-id_header = 标识头
    .h-id_header = 带有请求标识的头，如 `Idempotency-Key`：重复发来的请求只计一次。
    .f-headers = 保留的头
    .h-headers = 请求中由记录带走的头，名称为小写。
    .f-parameters = 保留的参数
    .h-parameters = 请求中由记录作为头带走的查询参数。
    .f-status = 成功状态
    .h-status = 成功时的状态：200 至 299。204 不带正文。
    .h-timeout = 发送方最多等待回执多久。
    .f-max_body = 最大正文
    .h-max_body = 一个正文的最大字节数，解压之后也计算在内；最多 256 MiB。
    .f-max_waiting = 最多等待请求
    .h-max_waiting = 最多有多少请求等待回执；更多的回应 429。
    .f-max_waiting_bytes = 最多等待字节
    .h-max_waiting_bytes = 等待进入通道的正文最多多少字节；更多的回应 429。
    .f-max_connections = 最多连接
    .h-max_connections = 监听地址同时最多有多少连接；更多的连接排队等待，此时请求之间保持打开的空闲连接会让出位置。
    .f-hosts = 主机名
    .h-hosts = 仅本机可访问的监听地址除本机名称之外还接受的名称，如其前置代理的名称。设置了签名时不需要。

http_sink = HTTP 请求
    .summary = 通过 HTTP 将记录发往一个地址：每个请求一条，或多条一起。
    .docs =
        通过 HTTP 将记录发往一个地址：每个请求一条，或多条一起。

        成功（200 至 299）是目标的回执。400、409、413、415、422、501 以及所设的其他状态针对记录本身：只试一次即成为死信，并附上回应的开头。其余回应、重定向和没有回应都属于目标：通道等待、说明原因并不断重试，遵从 `Retry-After`，最长一小时。

        含多条记录的请求被拒绝时，会一分为二，直到被拒绝的记录单独成行；相邻的记录照常送达。

        记录至少发送一次。设置了幂等头时，每个请求带有无论发送几次、重启之后也不变的名称，目标可据此只接收一次；此时请每个请求只发一条记录。

        地址可包含记录的字段，如 `https://api.example.com/orders/{"{"}id{"}"}`，但只能在主机之后；字段的值会被编码。
    .h-connection = 带有地址和访问方式的连接；此处的设置优先。
    .f-url = 地址
    .h-url = 目标的地址；记录的字段写在花括号中。
    .f-method = 方法
    .h-method = 请求的方法。
    .c-method-post = POST
    .c-method-put = PUT
    .c-method-patch = PATCH
    .c-method-delete = DELETE
    .f-body = 正文
    .h-body = 一个请求的内容。
    .c-body-record = 一条记录
    .c-body-list = JSON 列表
    .c-body-lines = 逐行 JSON
    .c-body-nothing = 无
    .f-max_records = 最多记录
    .h-max_records = 一个请求最多多少条记录。
    .f-max_bytes = 最大字节数
    .h-max_bytes = 一个请求的正文在压缩前最多多少字节；更大的记录单独发送。
    .f-user = 用户
    .h-user = 基本认证的用户。
    .f-password = 密码
    .h-password = 该用户的密码。
    .f-token = 令牌
    .h-token = 令牌，以 `Authorization: Bearer …` 发送。
    .f-headers = 其他头
    .h-headers = 其他头及其值；值可以是秘密。
    .f-ca_file = 证书文件
    .h-ca_file = 除系统证书之外还信任的证书文件（PEM）。
    .f-idempotency_header = 幂等头
    .h-idempotency_header = 带有记录名称的头，每次尝试都相同，如 `Idempotency-Key`。
    .f-concurrency = 并发请求
    .h-concurrency = 同时进行的请求数。多于一个时，记录到达的顺序可能不同。
    .f-order_by = 保序字段
    .h-order_by = 多个请求同时进行时用来保持顺序的字段：值相同的记录依次发送。
    .h-compression = 正文如何压缩；并非每个目标都接受 gzip。
    .h-timeout = 一个请求连同其回应最多可用多久。
    .f-redirects = 重定向
    .h-redirects = 如何处理重定向。
    .c-redirects-refuse = 不跟随
    .c-redirects-follow = 同一主机内跟随
    .f-refused = 拒绝的状态
    .h-refused = 目标用来永久拒绝一条记录的其他状态。
    .f-taken = 成功的状态
    .h-taken = 表示成功的其他状态，如删除时的 404。

sqlite_table_source = SQLite 表
    .summary = 读取 SQLite 文件中各表的行：一次读完，或随到随读新增和更改的行。
    .docs =
        读取 SQLite 文件中各表的行：一次读完，或随到随读新增和更改的行。

        每个表是一个独立的分区，有自己的位置。记录以列为字段，以主键为键；若可能读取多个表，标头 `table` 指明是哪一个。使用模式时，通道运行期间新建的表也会被发现并读取。文件只被读取，其中内容不会改变。

        模式：“全部行”按键的顺序读取所有行，停止后从中断处继续，读完即结束。“递增列”读取编号大于上次的行，即只读新行。“时间列”读取更改时间不早于上次的行；与上次时间相同的行会再次查找，但只交付一次。“时间列加递增列”另用一列区分同一时间的行。“查询”读取一条 SELECT 的结果。被删除的行不会被察觉。为这些列建立索引可避免每批都要排序。

        看不到的情况：比已读编号小的编号不会再读；除非表声明为 `AUTOINCREMENT`，SQLite 会重新使用已删除的最后一行的编号。早于已读时间的行也不会再读。删除后重建的表被视为同一个表：请让数据源重新开始。

        一次还是多次：只要有键，每行对能做到的目标恰好交付一次。没有 `key` 也没有依据列的视图或查询，停止后会从头读起：至少一次。没有主键的表按行号读取；`VACUUM` 可能改变行号，因此读到一半时请勿执行。

        值：SQLite 中存的是什么，读出的就是什么，与列的声明无关。声明为 `BOOLEAN` 的列中 0 和 1 为假和真。不是 UTF-8 的文本会被拒绝。
    .f-max_record_bytes = 单条记录最大字节数
    .h-max_record_bytes = 超过此长度的记录将被拒绝，使其过长的值不会被读取。
    .h-connection = 指明文件的连接；此处的设置优先。
    .f-path = 文件
    .h-path = 数据库文件。
    .f-mode = 模式
    .h-mode = 如何找到尚未读取的行。
    .c-mode-bulk = 全部行，一次
    .c-mode-incrementing = 递增列
    .c-mode-timestamp = 时间列
    .c-mode-timestamp_incrementing = 时间列加递增列
    .c-mode-query = 查询
    .f-tables = 表
    .h-tables = 表和视图：确切名称，或含 `*` 与 `?` 的模式。
    .f-exclude = 排除
    .h-exclude = 从上述表中排除的表：名称或模式。
    .f-query = 查询
    .h-query = 一条 SELECT 语句，按原样执行。
    .f-incrementing_column = 递增列
    .h-incrementing_column = 值只增不减的列，例如自增编号。
    .f-timestamp_column = 时间列
    .h-timestamp_column = 最后更改时间所在的列。其值须能按原样以时间排序。
    .h-key = 用于区分各行的列；留空则为主键。
    .h-columns = 记录所含的列；留空则为全部。
    .f-without_key = 没有键的表
    .h-without_key = 无法区分各行的表和视图。
    .c-without_key-refuse = 报告并等待
    .c-without_key-read_again = 停止后从头重读
    .f-null_cursor = 游标为空值
    .h-null_cursor = 读取所依据的列中没有值的行。
    .c-null_cursor-wait = 报告并等待
    .c-null_cursor-skip = 暂不读取
    .f-poll = 查询间隔
    .h-poll = 两次查找新行之间的时间。
    .h-batch = 一次最多传递的记录数。

postgres_table_source = PostgreSQL 表
    .summary = 读取 PostgreSQL 中各表的行：一次读完，或随到随读新增和更改的行。
    .docs =
        读取 PostgreSQL 中各表的行：一次读完，或随到随读新增和更改的行。

        每个表是一个独立的分区，有自己的位置。记录以列为字段，以主键为键；若可能读取多个表，标头 `table` 指明是哪一个。使用模式时，通道运行期间新建的表也会被发现并读取。会话只能读取；用户只需 `SELECT` 权限。

        模式：“全部行”按键的顺序读取所有行，停止后从中断处继续，读完即结束。“递增列”读取编号大于上次的行，即只读新行。“时间列”读取更改时间不早于上次的行；与上次时间相同的行会再次查找，但只交付一次。“时间列加递增列”另用一列区分同一时间的行。“查询”读取一条 SELECT 的结果。被删除的行不会被察觉。为这些列建立索引可避免服务器每次排序。

        迟到的提交：事务可能先取得编号或时间，却最后才结束；只看可见行的读取者会漏掉它的行。“等待未结束的事务”默认开启：只读到当时仍未结束的事务全部结束之后才确定的位置，因此不会遗漏；一直不结束的事务会挡住新行。按递增列读取时只等待写入该表的事务；按时间读取以及读取视图和查询时，等待整个数据库的事务。关闭它时，或编号、时间并非由服务器在写入时产生时（带 `CACHE` 的序列、应用程序的时钟），可用“延迟”和“重叠”。

        一次还是多次：只要有键，每行对能做到的目标恰好交付一次。没有主键、没有 `key` 也没有依据列的表、视图或查询，停止后会从头读起：至少一次。以同名删除后重建的表是另一个表：数据源会等待您让它重新开始。

        值：任意大小的数字逐位保留；`timestamptz` 以 UTC 给出，精确到微秒；`json` 和 `jsonb` 保持原样；数组和复合类型以 JSON 给出；枚举、网络地址、时间间隔、范围及其他所有类型以 PostgreSQL 的文本给出。
    .f-max_record_bytes = 单条记录最大字节数
    .h-max_record_bytes = 超过此长度的记录将被拒绝，使其过长的值不会被读取。
    .h-connection = 指明数据库位置的连接；此处的设置优先。
    .f-url = 地址
    .h-url = 数据库的完整地址，如 `postgres://user@host:5432/database`；单项设置优先。其中的密码用 `${"{"}secret:名称{"}"}` 引用。
    .f-host = 主机
    .h-host = 服务器的名称或地址。
    .f-port = 端口
    .h-port = 服务器的端口；不填为 5432。
    .f-database = 数据库
    .h-database = 数据库名称；不填则与用户同名。
    .f-user = 用户
    .h-user = 用户名；不填为 `postgres`。
    .f-password = 密码
    .h-password = 用户的密码。
    .f-tls = 加密
    .h-tls = 连接如何加密；不填为“尽量加密”。
    .c-tls-off = 从不
    .c-tls-prefer = 尽量加密
    .c-tls-require = 必须加密
    .c-tls-verify = 加密并核实证书
    .f-tls_ca = 证书文件
    .h-tls_ca = 为服务器作证的机构证书文件（PEM）；设置后即核实证书。
    .f-schema = 模式名
    .h-schema = 各表所在模式（schema）的确切名称。
    .f-mode = 模式
    .h-mode = 如何找到尚未读取的行。
    .c-mode-bulk = 全部行，一次
    .c-mode-incrementing = 递增列
    .c-mode-timestamp = 时间列
    .c-mode-timestamp_incrementing = 时间列加递增列
    .c-mode-query = 查询
    .f-tables = 表
    .h-tables = 表和视图：确切名称，或含 `*` 与 `?` 的模式。
    .f-exclude = 排除
    .h-exclude = 从上述表中排除的表：名称或模式。
    .f-query = 查询
    .h-query = 一条 SELECT 语句，按原样执行。
    .f-incrementing_column = 递增列
    .h-incrementing_column = 值只增不减的列，例如自增编号。
    .f-timestamp_column = 时间列
    .h-timestamp_column = 最后更改时间所在的列：`timestamptz`、`timestamp`（视为 UTC）或 `date`。
    .f-horizon = 等待未结束的事务
    .h-horizon = 各行是否等到首次看到时仍未结束的所有事务都结束，从而不遗漏迟到的提交。
    .f-delay = 延迟
    .h-delay = 行的时间须有多久之后才读取。
    .f-overlap = 重叠
    .h-overlap = 在最新时间之前多长范围内再次查找迟到的行；其中最多记住一万行。
    .f-special_values = 特殊值
    .h-special_values = 无穷的日期和时间、小数中的 NaN 以及其他系统没有的值。
    .c-special_values-refuse = 拒绝该记录
    .c-special_values-text = 作为文本
    .h-key = 用于区分各行的列；留空则为主键。
    .h-columns = 记录所含的列；留空则为全部。
    .f-without_key = 没有键的表
    .h-without_key = 无法区分各行的表和视图。
    .c-without_key-refuse = 报告并等待
    .c-without_key-read_again = 停止后从头重读
    .f-null_cursor = 游标为空值
    .h-null_cursor = 读取所依据的列中没有值的行。
    .c-null_cursor-wait = 报告并等待
    .c-null_cursor-skip = 暂不读取
    .f-poll = 查询间隔
    .h-poll = 两次查找新行之间的时间。
    .h-batch = 一次最多传递的记录数。
