-- Earning types whose pay a retirement plan leaves out of percentages, by identifier.
ALTER TABLE company_benefits ADD COLUMN excluded_earnings json;
