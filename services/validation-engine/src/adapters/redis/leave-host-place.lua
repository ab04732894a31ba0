-- Gives a place at a mail host back and answers how many others are in use. A host that turned this session away takes
-- at most as many as are there without it, and fewer than it was offered; only the end of KEYS[2] raises the cap again.
-- A host that throttled us, or turned away a session that was alone there from its beginning, gets sessions at half the
-- pace, once for all that had begun by the time of the last halving.
-- KEYS[1]: the places in use. KEYS[2]: the learned cap. KEYS[3]: how often the pace was halved, and when last.
-- ARGV: the name of the place, how it was there (fine, crowded or throttled), our cap, how long a learned cap lasts in
-- milliseconds, when the session began, the most halvings, time in milliseconds after which a halving is taken back,
-- 1 when no other session was there as this one began.
redis.call('ZREM', KEYS[1], ARGV[1])
local others = redis.call('ZCARD', KEYS[1])
if ARGV[2] == 'crowded' and others > 0 then
  local cap = tonumber(redis.call('GET', KEYS[2]) or ARGV[3])
  redis.call('SET', KEYS[2], math.max(1, math.min(cap - 1, others)), 'PX', ARGV[4])
elseif ARGV[2] == 'throttled' or (ARGV[2] == 'crowded' and ARGV[8] == '1') then
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  local recovery = tonumber(ARGV[7])
  local slowed = redis.call('HMGET', KEYS[3], 'level', 'at')
  local level = 0
  if slowed[1] then level = math.max(0, slowed[1] - math.floor((now - slowed[2]) / recovery)) end
  if level == 0 or tonumber(ARGV[5]) > tonumber(slowed[2]) then
    level = math.min(tonumber(ARGV[6]), level + 1)
    redis.call('HSET', KEYS[3], 'level', level, 'at', now)
    redis.call('PEXPIRE', KEYS[3], level * recovery)
  end
end
return others
