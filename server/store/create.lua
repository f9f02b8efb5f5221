-- Makes a new table at version 1, unless there is one of that id. Answers 1 = made, by this call or an earlier try of
-- this very call (same head); 0 = there was one.
-- KEYS 1 meta  2 st  3 log  4 key
-- ARGV 1 head  2 name  3 schema  4 entry  5 cells  6 secrets  7 epochs (how many of each), then the pairs of each
local head = redis.call('HGET', KEYS[1], 'head')
if head then return head == ARGV[1] and 1 or 0 end
local cells, secrets, epochs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
if #ARGV ~= 7 + 2 * (cells + secrets + epochs) then return redis.error_reply('ERR overseer: wrong number of arguments') end
local secrets_at = 8 + 2 * cells
local epochs_at = secrets_at + 2 * secrets
local time = redis.call('TIME')
local created = time[1] * 1000 + math.floor(time[2] / 1000)

redis.call('XADD', KEYS[3], '1-0', 'e', ARGV[4], 'h', ARGV[1])
for i = 8, secrets_at - 1, 2000 do redis.call('HSET', KEYS[2], unpack(ARGV, i, math.min(i + 1999, secrets_at - 1))) end
for i = secrets_at, epochs_at - 1, 2 do redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1]) end
for i = epochs_at, #ARGV, 2 do
  redis.call('HSET', KEYS[1], 'e:' .. ARGV[i], ARGV[i + 1], 'n:' .. ARGV[i], 0, 'r:' .. ARGV[i], 0)
end
redis.call('HSET', KEYS[1], 'version', 1, 'head', ARGV[1], 'schema', ARGV[3], 'name', ARGV[2],
  'created', string.format('%d', created))
return 1
