-- The page that a kept answer is, as [page, per page, in all]: a repetition carries the same headers.
ALTER TABLE idempotency ADD COLUMN paging json;
