-- Publishes a table that was brought here: its log and streams lie there already (bring.lua), unseen and running out.
-- Answers 1 = it is there, by this call or an earlier try of this very call (same head); 0 = part of it has run out.
-- KEYS 1 meta  2 st  3 log  4 key  5 auth  6 base  then every stream
-- ARGV 1 head  2 version  3 name  4 schema  5 created  6 base ("" = none)  7 cells  8 secrets  9 seats  10 audiences (how
--      many of each)  11 where the log begins, then the pairs of each; an audience is (name, epoch, n, n at the last rewind)
local head, version = ARGV[1], ARGV[2]
local at = redis.call('HGET', KEYS[1], 'head')
if at then return at == head and 1 or 0 end
local cells, secrets, seats, audiences = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
if #ARGV ~= 11 + 2 * (cells + secrets + seats) + 4 * audiences or #KEYS ~= 6 + audiences then
  return redis.error_reply('ERR overseer: wrong number of arguments')
end
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
if not last or last[1] ~= version .. '-0' then return 0 end
local secrets_at = 12 + 2 * cells
local seats_at = secrets_at + 2 * secrets
local audiences_at = seats_at + 2 * seats
for i = 0, audiences - 1 do
  local n = tonumber(ARGV[audiences_at + 4 * i + 2])
  local newest = redis.call('EXISTS', KEYS[7 + i]) == 1 and redis.call('XREVRANGE', KEYS[7 + i], '+', '-', 'COUNT', 1)[1]
  if newest and newest[1] ~= n .. '-0' then return 0 end
end

for i = 12, secrets_at - 1, 2000 do redis.call('HSET', KEYS[2], unpack(ARGV, i, math.min(i + 1999, secrets_at - 1))) end
for i = secrets_at, seats_at - 1, 2 do redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1]) end
for i = seats_at, audiences_at - 1, 2 do redis.call('HSET', KEYS[5], ARGV[i], ARGV[i + 1]) end
if ARGV[6] ~= '' then
  redis.call('SET', KEYS[6], ARGV[6])
  redis.call('HSET', KEYS[1], 'base', ARGV[11])
end
redis.call('PERSIST', KEYS[3])
for i = 0, audiences - 1 do redis.call('PERSIST', KEYS[7 + i]) end
for i = audiences_at, #ARGV, 4 do
  redis.call('HSET', KEYS[1], 'e:' .. ARGV[i], ARGV[i + 1], 'n:' .. ARGV[i], ARGV[i + 2], 'r:' .. ARGV[i], ARGV[i + 3])
end
redis.call('HSET', KEYS[1], 'version', version, 'head', head, 'schema', ARGV[4], 'name', ARGV[3], 'created', ARGV[5])
return 1
