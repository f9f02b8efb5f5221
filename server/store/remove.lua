-- Takes a whole table out of the store, if nothing has happened at it since. Answers 1 = it is gone; 0 = it has moved on.
-- KEYS 1 meta, then everything else of it  ARGV 1 head  2 channel
local head, version = unpack(redis.call('HMGET', KEYS[1], 'head', 'version'))
if not head then return 1 end
if head ~= ARGV[1] then return 0 end
redis.call('DEL', unpack(KEYS))
redis.call('PUBLISH', ARGV[2], version + 1)  -- whoever has it open looks, and finds nothing
return 1
