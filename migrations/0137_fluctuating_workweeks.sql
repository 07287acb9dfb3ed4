-- Whether the salary of a job is for whatever hours a workweek has (29 CFR 778.114).
ALTER TABLE employee_jobs ADD COLUMN fluctuating_workweek boolean NOT NULL DEFAULT false;
