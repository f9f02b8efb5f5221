-- Keeps decided commands of one table, and the answers to refused ones, in their order. Each is kept whole or not at all:
-- every check of it stands before its first write, because an error in a script does not undo what it has already written.
-- Each was decided on what those before it in this call make: if one of them was not kept, all after it are stale. (Heads
-- do not tell: the same act of the clock, or the same command, may have been kept by another node, with other effects.)
-- KEYS 1 meta  2 st  3 log, then of each command: its cmd, a stream per patch, a stream per new epoch
-- ARGV 1 channel ("" = who called tells the others)  2 stream length  3 how many commands, then of each:
--      1 "commit" | "refuse"  2 head decided on ("" = any)  3 command id  4 entry  5 seq ("" = no decision)  6 digest  7 reply
--      8 "1" = rewound  9 cells  10 gone  11 patches  12 epochs (how many of each), then
--      cells * (field, bytes)  gone * field  patches * (audience, bytes)  epochs * (audience, epoch)
-- Answers a list per command: ok version head | repeated reply | stale version head | reused | old | gone | wrong text; then
-- how many listeners heard of what is new (0: nothing is).
local meta, st, log, channel, stream_length = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
local at = redis.call('HMGET', meta, 'version', 'head')
local version, head = tonumber(at[1]), at[2]

-- The first place after a command whose own places begin behind `a` (in ARGV) and `k` (in KEYS).
local function after(a, k)
  local cells, gone, patches, epochs = ARGV[a + 9], ARGV[a + 10], ARGV[a + 11], ARGV[a + 12]
  return a + 12 + 2 * cells + gone + 2 * patches + 2 * epochs, k + 1 + patches + epochs
end

local function keep(a, k)
  local kind, expected, command, entry = ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  local seq, given_digest, reply, cmd = tonumber(ARGV[a + 5]), ARGV[a + 6], ARGV[a + 7], KEYS[k + 1]
  local patches, epochs = tonumber(ARGV[a + 11]), tonumber(ARGV[a + 12])
  local cells_at = a + 13
  local gone_at = cells_at + 2 * ARGV[a + 9]
  local patches_at = gone_at + ARGV[a + 10]
  local epochs_at = patches_at + 2 * patches

  -- 1. Asked again after a lost answer: this very entry stands on that very head.
  if kind == 'commit' and head ~= expected then
    local next = (tonumber(string.match(expected, '^%d+')) or 0) + 1
    local kept = redis.call('XRANGE', log, next .. '-0', next .. '-0')[1]
    if kept and kept[2][2] == entry and kept[2][4] == next .. ':' .. command then return {'ok', next, kept[2][4]} end
  end
  -- 2. A decision once made wins over everything else.
  local slot = seq and tostring(seq % 16)
  if seq then
    local kept = redis.call('HMGET', cmd, 'last', slot)
    if seq <= tonumber(kept[1] or 0) then
      local s, digest, answer = string.match(kept[2] or '', '^(%d+)|(%x*)|(.*)$')
      if tonumber(s) ~= seq then return {'old'} end
      if digest ~= given_digest then return {'reused'} end
      return {'repeated', answer}
    end
  end
  -- 3. The fence. An answer that says nothing of the table ("busy") is given on any head.
  if expected == '' then expected = head end
  if head ~= expected then return {'stale', version, head} end
  -- 4. The caller's own mistakes.
  for i = patches_at, epochs_at - 1, 2 do
    if redis.call('HEXISTS', meta, 'e:' .. ARGV[i]) == 0 then
      return {'wrong', 'patch for an audience without an epoch: ' .. ARGV[i]}
    end
  end

  -- 5. The writes. The one that may be refused (out of memory, an id that exists) is the first.
  if kind == 'commit' then
    local made = (version + 1) .. ':' .. command
    redis.call('XADD', log, (version + 1) .. '-0', 'e', entry, 'h', made)
    version, head = version + 1, made
    for i = cells_at, gone_at - 1, 2000 do  -- in slices: unpack has a limit near 8,000
      redis.call('HSET', st, unpack(ARGV, i, math.min(i + 1999, gone_at - 1)))
    end
    for i = gone_at, patches_at - 1, 2000 do
      redis.call('HDEL', st, unpack(ARGV, i, math.min(i + 1999, patches_at - 1)))
    end
    for i = 0, patches - 1 do
      local n = redis.call('HINCRBY', meta, 'n:' .. ARGV[patches_at + 2 * i], 1)
      redis.call('XADD', KEYS[k + 2 + i], 'MAXLEN', stream_length, n .. '-0', 'b', ARGV[patches_at + 2 * i + 1])
      if ARGV[a + 8] == '1' then redis.call('HSET', meta, 'r:' .. ARGV[patches_at + 2 * i], n) end
    end
    for i = 0, epochs - 1 do
      local audience, epoch = ARGV[epochs_at + 2 * i], ARGV[epochs_at + 2 * i + 1]
      redis.call('HSET', meta, 'e:' .. audience, epoch, 'n:' .. audience, 0, 'r:' .. audience, 0)
      redis.call('DEL', KEYS[k + 2 + patches + i])
    end
    redis.call('HSET', meta, 'version', version, 'head', head)
  end
  if seq then
    redis.call('HSET', cmd, 'last', seq, slot, seq .. '|' .. given_digest .. '|' .. reply)
    redis.call('EXPIRE', cmd, 2592000)  -- 30 days after its last command nobody asks again
  end
  return {'ok', version, head}
end

local a, k = 3, 3
for _ = 1, tonumber(ARGV[3]) do
  if not ARGV[a + 12] then break end
  a, k = after(a, k)
end
if a ~= #ARGV or k ~= #KEYS then return redis.error_reply('ERR overseer: wrong number of arguments') end

local answers, before, apart = {}, version, false
a, k = 3, 3
for i = 1, tonumber(ARGV[3]) do
  answers[i] = not head and {'gone'} or apart and {'stale', version, head} or keep(a, k)
  apart = apart or ARGV[a + 1] == 'commit' and answers[i][1] ~= 'ok'
  a, k = after(a, k)
end
answers[#answers + 1] = (version == before or channel == '') and 0 or redis.call('PUBLISH', channel, version)
return answers
