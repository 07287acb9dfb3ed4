-- The premium of health insurance that a National Medical Support Notice orders, per payment period of the order.
ALTER TABLE garnishments ADD COLUMN health_insurance_premium bigint;
