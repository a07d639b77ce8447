package cooldown

import (
	"fmt"

	"github.com/redis/go-redis/v9"

	"xship/sources"
)

// The scripts run one operation each, atomically and in one round trip. They
// ask Redis what remains (PTTL) and never for the time, so no clock but that of
// the server counts. The key of a cooldown cools as long as it lives, whoever set it
// and for how long, as the specification has it; one without an expiry is looked at
// again after the longest of ours. The value 1, which the specification has it hold,
// tells no reason. One that is not what our last mark left is another program's, which
// ends it as it likes: nothing of ours is made of it. A lease or a last cooldown that
// somebody gave another type or no expiry, or that ends later than ours do, does no harm:
// it does not run.

// scriptTimes are the bounds that scripts keep to, in milliseconds.
var scriptTimes = fmt.Sprintf("local LONGEST, MEMORY, LEASE, SAME = %d, %d, %d, %d\n",
	sources.MaxCooldown.Milliseconds(), sources.CooldownMemory.Milliseconds(), sources.CooldownLeaseOf.Milliseconds(), sameEnd.Milliseconds())

// scriptBase reads text that is not too long, whatever a key holds, and what
// remains of a key where that is possible. The last cooldown of a key stays known
// when it was ended before its time, with the length 0.
var scriptBase = scriptTimes + `
local function text(key)
  local v = redis.pcall('GETRANGE', key, 0, 499)
  if type(v) ~= 'string' then return '' end
  return v
end
local function last(key)
  local length, reason = string.match(text(key), '^(%d+) (.*)$')
  return math.min(tonumber(length) or 0, LONGEST), reason or ''
end
local function left(key, most)
  local ms = redis.call('PTTL', key)
  if ms < 0 or ms > most + 1000 then return 0 end
  return math.min(ms, most)
end
local function cooling(key)
  local ms = redis.call('PTTL', key)
  if ms == -1 then return LONGEST end
  return math.max(ms, 0)
end
local function why(key, lastKey)
  local v = text(key)
  if v == '1' and select(2, last(lastKey)) ~= v then return 'set in Redis by another program' end
  return v
end
local function foreign(key, lastKey)
  local running = cooling(key)
  if running == 0 then return 0 end
  local length, reason = last(lastKey)
  local ends = left(lastKey, LONGEST + MEMORY) - MEMORY
  if length > 0 and text(key) == reason and running <= ends + SAME then return 0 end
  return 1
end
local function over(key, ends)
  if ends > 0 then
    redis.call('SET', key, '0 ', 'PX', string.format('%.0f', ends))
  else
    redis.call('DEL', key)
  end
end
`

// checkScript: KEYS cooldown, last. Gives milliseconds (0: none), reason, what remains of
// the last cooldown with its memory (0: nothing is known), and 1 where the cooldown is
// another program's.
var checkScript = redis.NewScript(scriptBase + `
return {cooling(KEYS[1]), why(KEYS[1], KEYS[2]), left(KEYS[2], LONGEST + MEMORY), foreign(KEYS[1], KEYS[2])}
`)

// markScript: KEYS cooldown, last, lease; ARGV how long to rest from now, the
// length that the next cooldown grows from, whether to grow, the reason. Times
// are milliseconds. Gives what checkScript does. A mark that ends before the cooldown of
// another program is remembered as what it is, and not as that.
var markScript = redis.NewScript(scriptBase + `
local rest, length, reason = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[4]
local running = cooling(KEYS[1])
local before = last(KEYS[2])
local theirs, known = foreign(KEYS[1], KEYS[2]), 0
if running > 0 then
  length = math.max(length, before)
elseif ARGV[3] == '1' then
  length = math.max(length, math.min(math.floor(before * 1.5), LONGEST))
  rest = length
end
if rest > running then
  redis.call('SET', KEYS[1], reason, 'PX', string.format('%.0f', rest))
  theirs = 0
elseif theirs == 1 then
  known = math.max(rest + MEMORY, left(KEYS[2], LONGEST + MEMORY))
else
  rest, reason = running, why(KEYS[1], KEYS[2])
end
if theirs == 0 then known = math.min(rest, LONGEST) + MEMORY end
redis.call('SET', KEYS[2], string.format('%.0f ', length) .. reason, 'PX', string.format('%.0f', known))
redis.call('DEL', KEYS[3])
if theirs == 1 then rest, reason = running, why(KEYS[1], KEYS[2]) end
return {rest, reason, known, theirs}
`)

// beginScript: KEYS cooldown, last, lease; ARGV token. Gives a beginning,
// milliseconds, reason, what remains of the last cooldown with its memory, and 1 where
// the cooldown is another program's. A lease stays known for as long after its end as a
// cooldown may, so that an answer that comes late tells as much.
var beginScript = redis.NewScript(scriptBase + `
local running, known = cooling(KEYS[1]), left(KEYS[2], LONGEST + MEMORY)
if running > 0 then return {1, running, why(KEYS[1], KEYS[2]), known, foreign(KEYS[1], KEYS[2])} end
local length, reason = last(KEYS[2])
if known == 0 or length == 0 then return {0, 0, '', known, 0} end
local held = left(KEYS[3], LEASE + MEMORY) - MEMORY
if held > 0 then return {2, held, reason, known, 0} end
redis.call('SET', KEYS[3], ARGV[1], 'PX', LEASE + MEMORY)
return {3, 0, '', known, 0}
`)

// endScript: KEYS last, lease; ARGV token, whether the call was answered. Gives
// whether the lease was the token's, which it is until another call has it.
var endScript = redis.NewScript(scriptBase + `
if text(KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if ARGV[2] == '1' then over(KEYS[1], left(KEYS[1], LONGEST + MEMORY)) end
return 1
`)

// refusedScript: KEYS refused; ARGV link, answer, how long that counts. It keeps to
// state.Refusal. Gives 1 where another link got the same answer before.
var refusedScript = redis.NewScript(scriptBase + `
local link, answer = string.match(text(KEYS[1]), '^(%S+) (%S+)$')
local counts = left(KEYS[1], tonumber(ARGV[3])) > 0
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return counts and link and link ~= ARGV[1] and answer == ARGV[2] and 1 or 0
`)

// clearScript: KEYS cooldown, last, lease, refused. Gives 1 where the cooldown ran.
var clearScript = redis.NewScript(scriptBase + `
local running = cooling(KEYS[1])
local ends = left(KEYS[2], LONGEST + MEMORY)
if running > 0 then ends = math.max(ends, math.min(running, LONGEST) + MEMORY) end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
over(KEYS[2], ends)
return running > 0 and 1 or 0
`)
