-- Counts one more address, unless the account seems to be guessing: so many different ones were asked about already, and
-- more than that share of them is missing. In one step, so that of those who ask at once no more pass than may.
-- KEYS: the parts of a day of those that were asked about, the running one first, then as many of those that are missing.
-- ARGV: the address, the lifetime of a part in milliseconds, how many addresses nobody wonders about, the share.
-- Answers 1 where it was counted, else 0.
local half = #KEYS / 2
local asked = redis.call('PFCOUNT', unpack(KEYS, 1, half))
if asked >= tonumber(ARGV[3]) then
  local missing = redis.call('PFCOUNT', unpack(KEYS, half + 1))
  if missing > asked * tonumber(ARGV[4]) then return 0 end
end
if redis.call('PFADD', KEYS[1], ARGV[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
