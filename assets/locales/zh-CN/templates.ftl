# 模板：可作为起点的通道。
templates-title = 从模板开始
template-runs = 可直接用示例数据运行
template-late-flights = 晚点航班写入数据表
template-late-flights-text = 读取 CSV 文件，保留晚点航班，为字段设定类型，隐去注册号，写入 SQLite 表。被拒绝的记录写入单独的文件。
template-weather-by-airport = 按机场分文件的天气数据
template-weather-by-airport-text = 选取列，并按规则将每条记录写入所属机场的 CSV 文件。
template-csv-to-json-lines = CSV 转 JSON 行
template-csv-to-json-lines-text = 读取 CSV 文件，重命名一个字段，并按每行一个 JSON 对象写出。
template-webhook-to-table = Webhook 写入数据表
template-webhook-to-table-text = 在独立端口通过 HTTP 接收订单，按模式校验，并保留每个订单的最新状态。不合格的记录写入文件。
template-kafka-to-postgres = Kafka 写入 PostgreSQL
template-kafka-to-postgres-text = 读取主题，去除重复，每个标识保留一行。请填写代理地址与数据库。
template-postgres-to-kafka = PostgreSQL 变更写入 Kafka
template-postgres-to-kafka-text = 读取新增与更改的行，去掉隐私字段，按键写入主题。请填写数据库与代理地址。
