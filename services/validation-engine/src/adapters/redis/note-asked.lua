-- Notes an address in a part of a day. KEYS[1]: the part. ARGV: the address, the part's lifetime in milliseconds.
redis.call('PFADD', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
