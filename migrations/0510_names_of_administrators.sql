-- Who administers a company is known to it by what it entered: whoever else gives a role to the same e-mail address learns nothing of it.
-- Roles that are older have no names of their own, and those of the user's account count.
ALTER TABLE company_admins ADD COLUMN first_name text;
ALTER TABLE company_admins ADD COLUMN last_name text;
ALTER TABLE company_admins ADD COLUMN phone text;
