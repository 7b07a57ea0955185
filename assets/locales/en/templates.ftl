# Templates: channels to begin with.
templates-title = Begin with a template
template-runs = Runs with the sample data
template-late-flights = Late flights into a table
template-late-flights-text = Reads a CSV file, keeps late flights, gives fields their types, hides registrations, and writes a SQLite table. Refused records go to a file of their own.
template-weather-by-airport = Weather, one file per airport
template-weather-by-airport-text = Chooses columns and sends each record by a rule to the CSV file of its airport.
template-csv-to-json-lines = CSV to JSON lines
template-csv-to-json-lines-text = Reads a CSV file, renames a field and writes a JSON object a line.
template-webhook-to-table = Webhook to table
template-webhook-to-table-text = Takes orders by HTTP on a port of its own, checks them against a schema and keeps the latest state of each. What is unsound goes to a file.
template-kafka-to-postgres = Kafka to PostgreSQL
template-kafka-to-postgres-text = Reads a topic, drops repeats and keeps one row for each id. Fill in brokers and database.
template-postgres-to-kafka = PostgreSQL changes to Kafka
template-postgres-to-kafka-text = Reads new and changed rows, leaves out what is private and writes them to a topic by key. Fill in database and brokers.
