-- Counts requests in an exact sliding window and admits one more if it fits. All replicas share the window because
-- they share this key, and the clock is Redis's own.
-- KEYS[1]: the subject's window. ARGV: limit, window in microseconds, a member that is unique to the request.
-- Answers: admitted (1 or 0), requests counted, time now and time when the oldest leaves, both in microseconds.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))
-- Entries from the future exist only after the clock was set back; they would block the subject until then.
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
local count = redis.call('ZCARD', KEYS[1])
local admitted = 0
if count < limit then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  count = count + 1
  admitted = 1
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local leaves = now
if oldest[2] then leaves = tonumber(oldest[2]) + window end
return { admitted, count, string.format('%.0f', now), string.format('%.0f', leaves) }
