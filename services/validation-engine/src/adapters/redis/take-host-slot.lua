-- Takes a slot at a mail host if one is free and the pace allows it. Slots are leases, so that those of a killed
-- process expire. The pace is that of `host-pace.ts`.
-- KEYS[1]: the slots in use, scored by the time at which they expire. KEYS[2]: a cap learned from the host, lower than
-- ours. KEYS[3]: the starts of the last minute, scored by their times. KEYS[4]: how often the pace was halved, and when
-- last. ARGV: our cap, length of a lease in milliseconds, the name of the slot, starts a minute, time in milliseconds
-- after which a halving is undone.
-- Returns 1 with a slot, else 0; time in milliseconds until the pace allows another start; time now; other slots in
-- use.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local starts, minute = tonumber(ARGV[4]), 60000

redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - minute)
-- Entries from the future exist only after the clock was set back; they would block every session until then.
redis.call('ZREMRANGEBYSCORE', KEYS[3], '(' .. now, '+inf')
local slowed = redis.call('HMGET', KEYS[4], 'level', 'at')
local level = 0
if slowed[1] then level = math.max(0, slowed[1] - math.floor((now - slowed[2]) / tonumber(ARGV[5]))) end
local wait = 0
if level > 0 then
  local last = redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2]
  if last then wait = math.ceil(last + math.min(minute, minute / starts * 2 ^ level) - now) end
else
  local oldest = redis.call('ZRANGE', KEYS[3], -starts, -starts, 'WITHSCORES')[2]
  if oldest then wait = oldest + minute - now end
end
if wait > 0 then return { 0, wait, now, 0 } end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local cap = math.min(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[2]) or ARGV[1]))
local others = redis.call('ZCARD', KEYS[1])
if others >= cap then return { 0, 0, now, others } end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[3], now, ARGV[3])
redis.call('PEXPIRE', KEYS[3], minute)
return { 1, 0, now, others }
