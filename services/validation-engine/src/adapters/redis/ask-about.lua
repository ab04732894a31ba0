-- Counts one more address, unless the account seems to be guessing: it has asked about that many different addresses,
-- and more than that share of them is missing. This is atomic, so that concurrent requests cannot exceed the limit.
-- KEYS: the parts of a day of the requested addresses, the current part first, then as many parts of the missing ones.
-- ARGV: the address, the lifetime of a part in milliseconds, how many addresses are unsuspicious, the share.
-- Returns 1 if it was counted, else 0.
local half = #KEYS / 2
local asked = redis.call('PFCOUNT', unpack(KEYS, 1, half))
if asked >= tonumber(ARGV[3]) then
  local missing = redis.call('PFCOUNT', unpack(KEYS, half + 1))
  if missing > asked * tonumber(ARGV[4]) then return 0 end
end
if redis.call('PFADD', KEYS[1], ARGV[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
