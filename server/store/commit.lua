-- Keeps one decided command, or the answer to a refused one: all of it or nothing. Every check stands before the first
-- write, because an error in a script does not undo what it has already written.
-- KEYS 1 meta  2 st  3 log  4 cmd  then a stream per patch, then a stream per new epoch
-- ARGV 1 "commit" | "refuse"  2 head decided on  3 command id  4 entry  5 channel  6 seq ("" = no decision)  7 digest
--      8 reply  9 stream length  10 "1" = rewound  11 cells  12 gone  13 patches  14 epochs (how many of each), then
--      cells * (field, bytes)  gone * field  patches * (audience, bytes)  epochs * (audience, epoch)
local meta, st, log, cmd = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local kind, expected, command, entry, seq = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[6])
local cells, gone, patches, epochs = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14])

local at = redis.call('HMGET', meta, 'version', 'head')
local version, head = tonumber(at[1]), at[2]
if not head then return {'gone'} end

-- 1. Asked again after a lost answer: this very entry stands on that very head.
if kind == 'commit' and head ~= expected then
  local after = (tonumber(string.match(expected, '^%d+')) or 0) + 1
  local kept = redis.call('XRANGE', log, after .. '-0', after .. '-0')[1]
  if kept and kept[2][2] == entry and kept[2][4] == after .. ':' .. command then return {'ok', after, kept[2][4]} end
end
-- 2. A decision once made wins over everything else.
local slot = seq and tostring(seq % 16)
if seq then
  local kept = redis.call('HMGET', cmd, 'last', slot)
  if seq <= tonumber(kept[1] or 0) then
    local s, digest, reply = string.match(kept[2] or '', '^(%d+)|(%x*)|(.*)$')
    if tonumber(s) ~= seq then return {'old'} end
    if digest ~= ARGV[7] then return {'reused'} end
    return {'repeated', reply}
  end
end
-- 3. The fence.
if head ~= expected then return {'stale', version, head} end
-- 4. The caller's own mistakes.
if #ARGV ~= 14 + 2 * cells + gone + 2 * patches + 2 * epochs or #KEYS ~= 4 + patches + epochs then
  return redis.error_reply('ERR overseer: wrong number of arguments')
end
local cells_at = 15
local gone_at = cells_at + 2 * cells
local patches_at = gone_at + gone
local epochs_at = patches_at + 2 * patches
for i = 0, patches - 1 do
  if redis.call('HEXISTS', meta, 'e:' .. ARGV[patches_at + 2 * i]) == 0 then
    return redis.error_reply('ERR overseer: patch for an audience without an epoch: ' .. ARGV[patches_at + 2 * i])
  end
end

-- 5. The writes. The one that may be refused (out of memory, an id that exists) is the first.
if kind == 'commit' then
  version = version + 1
  head = version .. ':' .. command
  redis.call('XADD', log, version .. '-0', 'e', entry, 'h', head)
  for i = cells_at, gone_at - 1, 2000 do  -- in slices: unpack has a limit near 8,000
    redis.call('HSET', st, unpack(ARGV, i, math.min(i + 1999, gone_at - 1)))
  end
  for i = gone_at, patches_at - 1, 2000 do
    redis.call('HDEL', st, unpack(ARGV, i, math.min(i + 1999, patches_at - 1)))
  end
  for i = 0, patches - 1 do
    local n = redis.call('HINCRBY', meta, 'n:' .. ARGV[patches_at + 2 * i], 1)
    redis.call('XADD', KEYS[5 + i], 'MAXLEN', ARGV[9], n .. '-0', 'b', ARGV[patches_at + 2 * i + 1])
  end
  for i = 0, epochs - 1 do
    local audience, epoch = ARGV[epochs_at + 2 * i], ARGV[epochs_at + 2 * i + 1]
    redis.call('HSET', meta, 'e:' .. audience, epoch, 'n:' .. audience, 0, 'r:' .. audience, 0)
    redis.call('DEL', KEYS[5 + patches + i])
  end
  if ARGV[10] == '1' then
    for _, name in ipairs(redis.call('HKEYS', meta)) do
      if string.sub(name, 1, 2) == 'n:' then
        redis.call('HSET', meta, 'r:' .. string.sub(name, 3), redis.call('HGET', meta, name))
      end
    end
  end
  redis.call('HSET', meta, 'version', version, 'head', head)
end
if seq then
  redis.call('HSET', cmd, 'last', seq, slot, seq .. '|' .. ARGV[7] .. '|' .. ARGV[8])
  redis.call('EXPIRE', cmd, 2592000)  -- 30 days after its last command nobody asks again
end
if kind == 'commit' then redis.call('PUBLISH', ARGV[5], version) end
return {'ok', version, head}
