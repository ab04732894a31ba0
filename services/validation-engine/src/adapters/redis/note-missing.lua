-- Notes an address that does not exist in a part of a day.
-- KEYS[1]: the part. ARGV: the address, the lifetime of a part in milliseconds.
if redis.call('PFADD', KEYS[1], ARGV[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
