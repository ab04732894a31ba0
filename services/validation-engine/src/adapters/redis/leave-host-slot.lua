-- Returns a slot at a mail host and answers how many others are in use. A host that refused this session accepts at
-- most as many as are open without it, and fewer than it was offered; only the expiry of KEYS[2] raises the cap again.
-- A host that throttled us, or refused a session that was the only one from its start, gets sessions at half the pace.
-- The pace is halved once for all sessions that had started by the time of the last halving.
-- KEYS[1]: the slots in use. KEYS[2]: the learned cap. KEYS[3]: how often the pace was halved, and when last.
-- ARGV: the name of the slot, how the session went (fine, crowded or throttled), our cap, how long a learned cap lasts
-- in milliseconds, when the session started, the most halvings, time in milliseconds after which a halving is undone,
-- 1 if no other session was open when this one started.
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
