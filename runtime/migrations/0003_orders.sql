-- Orders take all of 64 bits without a sign; they are held moved down by 2^63, so that greater stays greater.

UPDATE position SET rank = rank - 9223372036854775807 - 1, target_rank = target_rank - 9223372036854775807 - 1;
UPDATE dead_letter SET rank = rank - 9223372036854775807 - 1;
UPDATE refusal SET rank = rank - 9223372036854775807 - 1;
UPDATE routed SET rank = rank - 9223372036854775807 - 1;
