// The other half of these tests: the project's Python, which these tests are run by, or which `make dev` has installed.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const PYTHON = process.env['OVERSEER_PYTHON'] ?? join(ROOT, '.venv/bin/python')
const OVERSEER = join(dirname(PYTHON), 'overseer')
const run = promisify(execFile)
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OVERSEER_')))
const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 }

/** What a module prints. */
export async function python(module: string): Promise<string> {
  return (await run(PYTHON, ['-m', module], options)).stdout
}

/** A real `overseer serve` with a data directory of its own. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'overseer-js-'))
  #process: ChildProcess | null = null
  #port = '0'

  /** Starts it, again where it was before. */
  async start(): Promise<void> {
    const words = ['serve', '--data-dir', this.folder, '--port', this.#port, '--heartbeat-s', '1']
    const process = (this.#process = spawn(OVERSEER, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
    let said = ''
    process.stderr!.on('data', (text) => (said += text))
    await new Promise<void>((ready, failed) => {
      process.stdout!.on('data', (text) => {
        said += text
        const found = /ready at http:\/\/\S+:(\d+)/.exec(said)
        if (found) {
          this.#port = found[1]!
          ready()
        }
      })
      process.once('exit', () => failed(new Error(`the server did not start: ${said}`)))
    })
  }

  /** As a power cut would. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const process = this.#process
    this.#process = null
    if (process === null) return
    const gone = new Promise((then) => process.once('exit', then))
    process.kill(signal)
    await gone
  }

  /** Whatever the command line can do beside it; the invitation that it prints. */
  async invitation(...words: string[]): Promise<string> {
    const { stdout } = await run(OVERSEER, [...words, '--data-dir', this.folder], options)
    return /^\s*(http\S+#\S+)$/m.exec(stdout)![1]!
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM')
    rmSync(this.folder, { recursive: true, force: true })
  }
}
