-- Adds to a stream of a table that is being brought here; what an earlier try of this very call has added is left out.
-- Until the table is whole (settle.lua) the stream runs out by itself, so that an import that ends midway leaves nothing.
-- KEYS 1 stream  ARGV 1 seconds until it runs out  2 fields of an entry  then (number, fields * (name, value)) of each
local fields = tonumber(ARGV[2])
local newest = redis.call('EXISTS', KEYS[1]) == 1 and redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local last = newest and tonumber(string.match(newest[1], '^%d+')) or 0
local width = 1 + 2 * fields
for i = 3, #ARGV, width do
  if tonumber(ARGV[i]) > last then redis.call('XADD', KEYS[1], ARGV[i] .. '-0', unpack(ARGV, i + 1, i + width - 1)) end
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
