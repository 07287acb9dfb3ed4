-- People who left before their company came to the service: their year counts, and they are paid nothing more.
ALTER TABLE employees ADD COLUMN historical boolean NOT NULL DEFAULT false;
