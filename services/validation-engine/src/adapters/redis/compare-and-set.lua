-- Writes a value unless somebody else has changed it since it was read. KEYS[1]: what is kept.
-- ARGV: the value as it was read, empty for none; the value to write; its lifetime in milliseconds.
-- Answers 1 where it was written.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
