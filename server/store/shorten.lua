-- Gives up the log before a version: where it begins from now on is kept with it. Answers 1 = done, by this call or an
-- earlier try of it; 0 = somebody else has shortened it meanwhile, or there is no such table.
-- KEYS 1 meta  2 log  3 base  ARGV 1 where it began  2 where it begins  3 base
local head, base = unpack(redis.call('HMGET', KEYS[1], 'head', 'base'))
if not head then return 0 end
if base == ARGV[2] then return 1 end
if (base or '0') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
redis.call('HSET', KEYS[1], 'base', ARGV[2])
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[2] .. '-0')  -- the entry of that version stays: who stands there must find it
return 1
