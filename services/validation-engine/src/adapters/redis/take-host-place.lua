-- Takes a place at a mail host if one is free. Places are leases, so that those of a killed process come free again.
-- KEYS[1]: the places in use, scored by the time at which they come free by themselves. KEYS[2]: a cap learned from the
-- host, lower than ours. ARGV: our cap, length of a lease in milliseconds, the name of the place.
-- Answers 1 with a place, 0 without.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local cap = math.min(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[2]) or ARGV[1]))
if redis.call('ZCARD', KEYS[1]) >= cap then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
