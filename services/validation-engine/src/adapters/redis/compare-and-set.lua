-- Writes a value unless another process has changed it since it was read. KEYS[1]: the value.
-- ARGV: the value as it was read, empty for none; the value to write; its lifetime in milliseconds.
-- Returns 1 if it was written.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
