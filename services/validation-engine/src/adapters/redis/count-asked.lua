-- Answers how many different addresses were asked about, and how many of them were missing.
-- KEYS: the parts of a day of those that were asked about, then as many of those that were missing.
local half = #KEYS / 2
return { redis.call('PFCOUNT', unpack(KEYS, 1, half)), redis.call('PFCOUNT', unpack(KEYS, half + 1)) }
