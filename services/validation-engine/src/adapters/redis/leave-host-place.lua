-- Gives a place at a mail host back and answers how many others are in use. A host that turned this session away takes
-- at most as many as are there without it, and fewer than it was offered; only the end of KEYS[2] raises the cap again.
-- KEYS[1]: the places in use. KEYS[2]: the learned cap. ARGV: the name of the place, 1 when the host found itself crowded,
-- our cap, how long a learned cap lasts in milliseconds.
redis.call('ZREM', KEYS[1], ARGV[1])
local others = redis.call('ZCARD', KEYS[1])
if ARGV[2] == '1' and others > 0 then
  local cap = tonumber(redis.call('GET', KEYS[2]) or ARGV[3])
  redis.call('SET', KEYS[2], math.max(1, math.min(cap - 1, others)), 'PX', ARGV[4])
end
return others
