// The bot of the README, word for word, at a real table.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { connect, type Told } from '@overseer-vtt/sdk'
import { Server } from './python.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const BOT = /<!-- the bot:.*?```js\n(.*?)```/s.exec(README)![1]!
/** Where it and `ws` are found by their names. */
const PACKAGE = join(import.meta.dirname, '..')
const server = new Server()

beforeAll(() => Promise.all([server.start(), build()]), 60_000)
afterAll(() => server.stop())

it('plays, in fifteen lines or so', async () => {
  expect(BOT.trim().split('\n').length).toBeLessThanOrEqual(18)
  const st = await connect(await server.invitation('table', 'new', 'Thursday night'), { WebSocket })
  const forBot = await server.invitation('invite', 'Thursday night', '--seat', 'Bot', '--role', 'player')
  const seat = (await st.until((it) => Object.values(it.state.seats).find((one) => one['name'] === 'Bot'))).id
  const sword = { name: 'sword', act: 'melee_attack', pool: { fixed: 3 }, needs_target: true, damage: 0 }
  const [mira, goro] = await Promise.all(
    [seat, null].map(async (owner, k) => {
      const unit = { name: `Unit ${k}`, side: `side ${k}`, initiative: 9 - k, on_stage: true, tracks: { hp: { value: 9, max: 9 } }, abilities: { sword } }
      return (await st.command('add_unit', { unit, owner })).made![0]!
    }),
  )
  await st.command('set_house', { key: 'reaction_floor_ms', value: 100 })
  await st.command('start_fight', { units: [mira!, goro!] })
  const lines: Told[] = []
  st.on('log', (line) => lines.push(line))
  st.on('prompt', (prompt) => void prompt.pass())

  // As a program of its own: the SDK as it would be published, and the WebSocket of a newer Node.
  const bot = spawn(process.execPath, ['--input-type=module', '-', forBot], { cwd: PACKAGE, stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  bot.stdout.on('data', (text) => (said += text))
  bot.stdin.end(`import WebSocket from 'ws'\nglobalThis.WebSocket ??= WebSocket\n${BOT}`)
  try {
    await st.until((it) => it.active?.id === goro, 15_000)
    expect(lines.map((line) => line.kind)).toEqual(expect.arrayContaining(['declared', 'rolled', 'carried_out', 'action_ended']))
    expect(lines.find((line) => line.kind === 'declared')!.by).toBe(seat)
    await st.command('declare', { unit: goro!, act: { kind: 'attack', slot: 'standard', ability: 'sword', targets: [mira!] } })
    await st.until((it) => it.stack.length === 0, 15_000)
    await st.until(() => lines.some((line) => line.kind === 'passed' || line.kind === 'window_closed'))
    expect(said).toContain('Unit 0: melee attack')
  } finally {
    const gone = new Promise((then) => bot.once('exit', then))
    bot.kill()
    await gone
    st.close()
  }
})

/** The package as it is published. */
async function build(): Promise<void> {
  const npm = spawn('npm', ['run', 'build'], { cwd: PACKAGE, stdio: 'ignore' })
  expect(await new Promise((then) => npm.once('exit', then))).toBe(0)
}
