-- Extends the lease of a slot at a mail host, unless it was returned or has expired.
-- KEYS[1]: the slots in use. ARGV: length of a lease in milliseconds, the name of the slot.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
