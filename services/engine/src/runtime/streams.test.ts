// Output, input and logs of containers: what clients see, and what stays on disk.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RuntimeKit, readAll, unframe } from './testing/runtime-kit.ts'

let kit: RuntimeKit
beforeAll(async () => {
  kit = await RuntimeKit.open({ clientMilliseconds: 1500 })
})
afterAll(async () => {
  expect(kit.leftovers()).toEqual([])
  await kit.close()
})

async function finished(id: string): Promise<number> {
  const { exitCode } = await kit.runtime.exited(id)
  await kit.runtime.destroy(id)
  return exitCode
}

describe('logs', () => {
  it('keeps long lines in pieces of 16 KiB, never half a character, and replaces what is no UTF-8', async () => {
    const script = `printf 'a'; yes é | head -n 9000 | tr -d '\\n'; echo; printf '\\377\\200ok\\n'; printf '"\\t\\001'`
    const id = await kit.started(['sh', '-c', script])
    await kit.runtime.exited(id)
    const log = kit.log(id).map((entry) => entry.log)
    expect(log.map((entry) => Buffer.byteLength(entry))).toEqual([16383, 1619, 9, 3])
    expect(log.slice(0, 2).join('')).toBe(`a${'é'.repeat(9000)}\n`)
    expect(log.slice(2)).toEqual(['\ufffd\ufffdok\n', '"\t\u0001'])
    expect(kit.log(id)[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    await kit.runtime.destroy(id)
  })

  it('rotates by size and count, and loses no line between the files', async () => {
    const id = kit.newId()
    const log = { path: kit.logPath(id), maxBytes: 4000, maxFiles: 3 }
    await kit.started(['sh', '-c', 'i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done'], { id, log })
    await kit.runtime.exited(id)
    const files = ['.2', '.1', ''].map((end) => readFileSync(log.path + end, 'utf8'))
    for (const file of files) expect(file.length).toBeLessThanOrEqual(4000)
    expect(existsSync(`${log.path}.3`)).toBe(false)
    const lines = files
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { log: string })
    expect(lines.at(-1)?.log).toBe('line 199\n')
    const first = 200 - lines.length
    expect(lines.map((line) => line.log)).toEqual(lines.map((_, index) => `line ${first + index}\n`))
    await kit.runtime.destroy(id)
  })

  it('cuts off what a crash left of a line, and keeps none when told so', async () => {
    const container = kit.container(['echo', 'next'])
    writeFileSync(kit.logPath(container.id), '{"log":"whole\\n","stream":"stdout","time":"t"}\n{"log":"ha')
    await kit.runtime.create(container)
    await kit.runtime.start(container.id)
    await kit.runtime.exited(container.id)
    expect(kit.log(container.id).map(({ log }) => log)).toEqual(['whole\n', 'next\n'])
    await kit.runtime.destroy(container.id)
    const quiet = await kit.started(['echo', 'x'], { log: { maxBytes: 0, maxFiles: 1 } })
    expect(await finished(quiet)).toBe(0)
    expect(existsSync(kit.logPath(quiet))).toBe(false)
  })
})

describe('attached clients', () => {
  it('sees the streams it asked for, and closes no input it did not ask for', async () => {
    const container = kit.container(['sh', '-c', 'echo out; echo err >&2; cat'], { openStdin: true, stdinOnce: true })
    await kit.runtime.create(container)
    const onlyOut = await kit.runtime.attach(container.id, { stdin: false, stderr: false })
    const onlyErr = await kit.runtime.attach(container.id, { stdin: false, stdout: false })
    const all = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    onlyOut.connection.end()
    await sleep(100)
    all.connection.end('typed')
    const [out, err, both] = await Promise.all([onlyOut, onlyErr, all].map(({ connection }) => readAll(connection)))
    expect(unframe(out!)).toEqual({ stdout: 'out\ntyped', stderr: '' })
    expect(unframe(err!)).toEqual({ stdout: '', stderr: 'err\n' })
    expect(unframe(both!)).toEqual({ stdout: 'out\ntyped', stderr: 'err\n' })
    expect(await finished(container.id)).toBe(0)
  })

  it('takes more input than the process reads at once, byte for byte', async () => {
    const container = kit.container(['sh', '-c', 'sleep 0.2; wc -c'], { openStdin: true, stdinOnce: true })
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    connection.end(Buffer.alloc(3_000_000, 'x'))
    expect(unframe(await readAll(connection)).stdout.trim()).toBe('3000000')
    expect(await finished(container.id)).toBe(0)
  })

  it('keeps input open for the next client when it is not closed with the first', async () => {
    const container = kit.container(['sh', '-c', 'read a; read b; echo $a $b'], { openStdin: true })
    await kit.runtime.create(container)
    await kit.runtime.start(container.id)
    const first = await kit.runtime.attach(container.id)
    first.connection.end('one\n')
    const second = await kit.runtime.attach(container.id)
    await sleep(50)
    second.connection.write('two\n')
    expect(unframe(await readAll(second.connection)).stdout).toBe('one two\n')
    expect(await finished(container.id)).toBe(0)
  })

  it('makes output wait for a slow client, and loses nothing', async () => {
    const megabytes = 8
    const script = `yes | head -c ${megabytes << 20}; touch /done`
    const container = kit.container(['sh', '-c', script], { log: { maxBytes: 0, maxFiles: 1 } })
    const done = join(container.rootfs.upper, 'done')
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    await sleep(500)
    expect(existsSync(done)).toBe(false)
    expect(unframe(await readAll(connection)).stdout).toBe('y\n'.repeat(megabytes << 19))
    expect(existsSync(done)).toBe(true)
    expect(await finished(container.id)).toBe(0)
  })

  it('drops a client that reads nothing for too long, and goes on', async () => {
    const container = kit.container(['sh', '-c', 'yes | head -c 8388608; exit 6'], {
      log: { maxBytes: 0, maxFiles: 1 },
    })
    await kit.runtime.create(container)
    const { connection } = await kit.runtime.attach(container.id)
    await kit.runtime.start(container.id)
    expect((await kit.runtime.exited(container.id)).exitCode).toBe(6)
    connection.destroy()
    await kit.runtime.destroy(container.id)
  })
})

describe('the root file system', () => {
  it('has as many layers as an image may, in folders with long names', async () => {
    const count = 120
    const lower = Array.from({ length: count }, (_, index) => {
      const folder = join(kit.folder, 'layers', `${index}-`.padEnd(100, 'x:,'))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, `file-${index}`), '')
      return folder
    })
    const id = await kit.started(['sh', '-c', 'ls / | grep -c file-'], {
      lower: [...lower, join(kit.folder, 'layers/busybox')],
    })
    await kit.runtime.exited(id)
    expect(kit.log(id)[0]?.log).toBe(`${count}\n`)
    await kit.runtime.destroy(id)
  })
})
