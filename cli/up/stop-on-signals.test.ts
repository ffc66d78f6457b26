// A hangup means two things: read the configuration again, or the terminal is gone.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, describe, it } from 'vitest'
import { findProgram } from '../programs/search.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-signals-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Notes what it was told in a file, which begins with its process id. */
function program(name: string, canReload: boolean): { path: string; notes: string } {
  const notes = join(folder, `${name}.txt`)
  const path = join(folder, `${name}.mts`)
  const note = (word: string) => `async () => appendFileSync('${notes}', '${word} ')`
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs'
import { stopOnSignals } from '${new URL('./stop-on-signals.ts', import.meta.url).pathname}'
stopOnSignals({ graceSeconds: () => 1, close: ${note('closed')}${canReload ? `, reload: ${note('reloaded')}` : ''} })
appendFileSync('${notes}', process.pid + ' ')
setInterval(() => {}, 1_000)
`,
  )
  return { path, notes }
}

async function until(notes: string, form: RegExp): Promise<RegExpExecArray> {
  for (let tries = 0; tries < 1_000; tries++) {
    const found = existsSync(notes) ? form.exec(readFileSync(notes, 'utf8')) : null
    if (found !== null) return found
    await setTimeout(10)
  }
  throw new Error(`No ${form} in ${existsSync(notes) ? readFileSync(notes, 'utf8') : 'nothing'}`)
}

describe('a hangup', () => {
  it('reads the configuration again without a terminal, as often as it comes; other signals stop', async () => {
    const { path, notes } = program('daemon', true)
    const child = spawn('setsid', ['--wait', process.execPath, path])
    children.push(child)
    const pid = Number((await until(notes, /^(\d+) /))[1])
    for (const done of [/reloaded $/, /reloaded reloaded $/]) {
      process.kill(pid, 'SIGHUP')
      await until(notes, done)
    }
    process.kill(pid, 'SIGTERM')
    await until(notes, /reloaded reloaded closed $/)
  })

  it('stops what has nothing to read again', async () => {
    const { path, notes } = program('plain', false)
    children.push(spawn('setsid', ['--wait', process.execPath, path]))
    process.kill(Number((await until(notes, /^(\d+) /))[1]), 'SIGHUP')
    await until(notes, /^\d+ closed $/)
  })

  it.skipIf(findProgram('script') === undefined)('stops when it is the terminal that was closed', async () => {
    const { path, notes } = program('terminal', true)
    const line = `${process.execPath} ${path}`
    const terminal = spawn('script', ['--quiet', '--command', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'] })
    children.push(terminal)
    process.kill(Number((await until(notes, /^(\d+) /))[1]), 'SIGHUP')
    await until(notes, /reloaded $/)
    terminal.kill('SIGKILL')
    await until(notes, /reloaded closed $/)
  })
})
