package cooldown

import "github.com/redis/go-redis/v9"

// The scripts run one operation each, atomically and in one round trip. They
// ask Redis what remains (PTTL) and never for the time, so no clock but that of
// the server counts. A key of ours that somebody gave another type, or no
// expiry, does no harm: such a cooldown or lease does not run.

// scriptText reads text that is not too long, whatever a key holds.
const scriptText = `
local function text(key)
  local v = redis.pcall('GETRANGE', key, 0, 499)
  if type(v) ~= 'string' then return '' end
  return v
end
local function last(key)
  local length, reason = string.match(text(key), '^(%d+) (.*)$')
  return tonumber(length) or 0, reason or ''
end
`

// checkScript: KEYS cooldown. Gives milliseconds (0 and less: none), reason.
var checkScript = redis.NewScript(scriptText + `
return {redis.call('PTTL', KEYS[1]), text(KEYS[1])}
`)

// markScript: KEYS cooldown, last, lease; ARGV how long to rest from now, the
// length that the next cooldown grows from, whether to grow, the reason, the
// memory, the longest that growth makes. Times are milliseconds. Gives what
// checkScript does.
var markScript = redis.NewScript(scriptText + `
local rest, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local reason, memory, longest = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local running = redis.call('PTTL', KEYS[1])
local before = last(KEYS[2])
if running > 0 then
  length = math.max(length, before)
elseif ARGV[3] == '1' then
  length = math.max(length, math.min(math.floor(before * 1.5), longest))
  rest = length
end
if rest > running then
  redis.call('SET', KEYS[1], reason, 'PX', string.format('%.0f', rest))
else
  rest, reason = running, text(KEYS[1])
end
redis.call('SET', KEYS[2], string.format('%.0f ', length) .. reason, 'PX', string.format('%.0f', rest + memory))
redis.call('DEL', KEYS[3])
return {rest, reason}
`)

// beginScript: KEYS cooldown, last, lease; ARGV token, milliseconds of a lease.
// Gives a beginning, milliseconds, reason.
var beginScript = redis.NewScript(scriptText + `
local running = redis.call('PTTL', KEYS[1])
if running > 0 then return {1, running, text(KEYS[1])} end
if redis.call('EXISTS', KEYS[2]) == 0 then return {0, 0, ''} end
local held = redis.call('PTTL', KEYS[3])
if held > 0 then
  local _, reason = last(KEYS[2])
  return {2, held, reason}
end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
return {3, 0, ''}
`)

// endScript: KEYS last, lease; ARGV token, whether the call was answered. Gives
// whether the lease was the token's.
var endScript = redis.NewScript(scriptText + `
if text(KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if ARGV[2] == '1' then redis.call('DEL', KEYS[1]) end
return 1
`)
