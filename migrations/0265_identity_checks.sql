-- What a check of a signatory's identity came to: Pass or Fail; none was made where it is null.
ALTER TABLE signatories ADD COLUMN identity_check text;
