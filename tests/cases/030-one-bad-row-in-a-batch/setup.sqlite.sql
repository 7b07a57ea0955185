CREATE TABLE t(id int PRIMARY KEY, d date NOT NULL CHECK (d = date(d)), q int CHECK (q >= 0));
