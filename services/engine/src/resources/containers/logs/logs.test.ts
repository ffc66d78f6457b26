import { once } from 'node:events'
import { appendFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../../streams/testing/hijacked.ts'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'

let engine: StreamingEngine
beforeAll(async () => {
  engine = await startStreamingEngine()
})
afterAll(() => engine.close())

const at = (second: number, fraction = '000000000') =>
  `2026-11-15T10:00:${String(second).padStart(2, '0')}.${fraction}Z`
const line = (log: string, stream = 'stdout', time = at(0)) => `${JSON.stringify({ log, stream, time })}\n`

async function withLog(text: string, config = {}, hostConfig = {}): Promise<string> {
  const id = await engine.create(config, hostConfig)
  writeFileSync(engine.logPathOf(id), text)
  return id
}

const unframe = (body: Buffer) => {
  const hijacked = Object.assign(Object.create(Hijacked.prototype) as Hijacked, { body })
  return hijacked.frames
}

const read = async (id: string, query: string, version = '') => {
  const { status, type, body } = await engine.ask('GET', `${version}/containers/${id}/logs?${query}`)
  return { status, type, body, frames: status === 200 ? unframe(body) : [], text: body.toString() }
}
const texts = async (id: string, query: string) => (await read(id, query)).frames.map(({ text }) => text.trim())

/** Collects what comes until the answer ends. */
function follow(response: IncomingMessage) {
  const chunks: Buffer[] = []
  response.on('data', (chunk) => chunks.push(chunk))
  const words = () => unframe(Buffer.concat(chunks)).map(({ text }) => text.trim())
  return {
    words,
    async until(word: string) {
      while (!words().includes(word)) await once(response, 'data')
    },
    ended: new Promise<void>((resolve) => response.once('close', resolve)),
  }
}

describe('GET /containers/:id/logs', () => {
  it('gives only the streams that are asked for, and refuses to give none', async () => {
    const id = await withLog(line('out\n') + line('err\n', 'stderr'))
    expect(await texts(id, 'stderr=true')).toEqual(['err'])
    expect(await texts(id, 'stdout=1')).toEqual(['out'])
    const none = await read(id, 'stdout=0')
    expect(none.status).toBe(400)
    expect(JSON.parse(none.text)).toEqual({ message: 'Bad parameters: you must choose at least one stream' })
  })

  it('answers 404 for an unknown container and 501 for a driver that keeps nothing', async () => {
    expect((await read('nobody', 'stdout=1')).status).toBe(404)
    const id = await engine.create({}, { LogConfig: { Type: 'none', Config: undefined } })
    const answer = await read(id, 'stdout=1')
    expect(answer.status).toBe(501)
    expect(answer.text).toContain('configured logging driver does not support reading')
  })

  it('is empty for a container that never ran, also for followers', async () => {
    const id = await engine.create()
    expect((await read(id, 'stdout=1&follow=1')).text).toBe('')
  })

  it('keeps to since and until, in seconds with fractions and as RFC 3339', async () => {
    const id = await withLog([1, 2, 3, 4].map((n) => line(`l${n}\n`, 'stdout', at(n, '500000001'))).join(''))
    const unix = (n: number, fraction: string) => `${Date.parse('2026-11-15T10:00:00Z') / 1000 + n}.${fraction}`
    expect(await texts(id, `stdout=1&since=${unix(2, '500000001')}`)).toEqual(['l2', 'l3', 'l4'])
    expect(await texts(id, `stdout=1&since=${unix(2, '500000002')}`)).toEqual(['l3', 'l4'])
    expect(await texts(id, `stdout=1&until=${unix(2, '6')}`)).toEqual(['l1', 'l2'])
    expect(await texts(id, `stdout=1&since=2026-11-15T11:00:03%2B01:00&until=2026-11-15T10:00:04Z`)).toEqual(['l3'])
    expect(await texts(id, 'stdout=1&since=0&until=')).toHaveLength(4)
    expect((await read(id, 'stdout=1&since=yesterday')).status).toBe(400)
  })

  it('puts times with nine digits and details of the log options before lines', async () => {
    const config = { Labels: { app: 'a b', other: 'x' }, Env: ['LANG=C', 'OS=1'] }
    const logConfig = { Type: 'json-file', Config: { labels: 'app', 'env-regex': '^L', tag: '{{.Name}}' } }
    const id = await withLog(line('hello\n', 'stdout', '2026-11-15T10:00:01.5Z'), config, { LogConfig: logConfig })
    const { name } = engine.records.get(id)!
    const [frame] = (await read(id, 'stdout=1&timestamps=1&details=1')).frames
    expect(frame?.text).toBe(`2026-11-15T10:00:01.500000000Z LANG=C,app=a+b,tag=${name} hello\n`)
  })

  it('puts times before lines once, however many pieces a line comes in', async () => {
    const id = await withLog(line('a') + line('b\n') + line('c\n'))
    expect((await read(id, 'stdout=1&timestamps=1')).frames.map(({ text }) => text)).toEqual([
      `${at(0)} a`,
      'b\n',
      `${at(0)} c\n`,
    ])
  })
})

describe('the tail of a log', () => {
  it('is counted over the files of a rotated log and in lines of the streams asked for', async () => {
    const id = await withLog(line('l5\n') + line('l6\n'))
    const path = engine.logPathOf(id)
    writeFileSync(`${path}.1`, line('l3\n') + line('e\n', 'stderr') + line('l4\n'))
    writeFileSync(`${path}.2`, line('l1\n') + line('l2\n'))
    expect(await texts(id, 'stdout=1&tail=all')).toEqual(['l1', 'l2', 'l3', 'l4', 'l5', 'l6'])
    expect(await texts(id, 'stdout=1&tail=2')).toEqual(['l5', 'l6'])
    expect(await texts(id, 'stdout=1&tail=4')).toEqual(['l3', 'l4', 'l5', 'l6'])
    expect(await texts(id, 'stdout=1&stderr=1&tail=4')).toEqual(['e', 'l4', 'l5', 'l6'])
    expect(await texts(id, 'stdout=1&tail=99')).toHaveLength(6)
    expect(await texts(id, 'stdout=1&tail=0')).toEqual([])
    expect((await read(id, 'stdout=1&tail=few')).status).toBe(200)
  })

  it('is exact where lines cross the blocks that are read, and counts a line in pieces once', async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => line(`${n} ${'x'.repeat(n % 97)}\n`))
    const id = await withLog(lines.join(''))
    for (const count of [1, 700, 1_234, 2_999]) {
      const got = await texts(id, `stdout=1&tail=${count}`)
      expect(got).toHaveLength(count)
      expect(got[0]).toMatch(new RegExp(`^${3_000 - count}\\b`))
    }
    const pieces = await withLog(line('first\n') + line('a') + line('b') + line('c\n'))
    expect((await texts(pieces, 'stdout=1&tail=1')).join('')).toBe('abc')
  })

  it('passes over what a crash left half-written', async () => {
    const id = await withLog(`${line('l1\n')}{"log":"half\n${line('l2\n')}{"log":"tor`)
    expect(await texts(id, 'stdout=1')).toEqual(['l1', 'l2'])
    expect(await texts(id, 'stdout=1&tail=1')).toEqual(['l2'])
  })
})

describe('following a log', () => {
  it('goes on until the container ends, and gives everything it said', async () => {
    const id = await engine.create({ OpenStdin: true })
    const streams = await engine.run(id, 'echo one; read x; echo $x; read y; echo last $y')
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1`)
    const said = follow(response)
    await said.until('one')
    await streams.write('two\n')
    await said.until('two')
    await streams.write('three\n')
    await said.ended
    expect(said.words()).toEqual(['one', 'two', 'last three'])
    await expect.poll(() => engine.streaming.logs.followed).toBe(0)
  })

  it('loses and repeats nothing through rotations, even several at once', async () => {
    const id = await engine.create()
    const path = engine.logPathOf(id)
    const streams = await engine.run(id, 'exec sleep 60')
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1`)
    const said = follow(response)
    const rotate = () => {
      if (readdirSync(path.replace(/log\.json$/, '')).includes('log.json.1')) renameSync(`${path}.1`, `${path}.2`)
      renameSync(path, `${path}.1`)
    }
    const expected: string[] = []
    for (let n = 0; n < 60; n++) {
      appendFileSync(path, line(`n${n}\n`))
      expected.push(`n${n}`)
      if (n % 5 === 4 && n % 2 === 0) rotate()
      if (n % 20 === 11) {
        rotate()
        appendFileSync(path, line(`m${n}\n`))
        expected.push(`m${n}`)
        await said.until(`m${n}`)
      }
      if (n % 7 === 0) await said.until(`n${n}`)
    }
    await streams.kill()
    await said.ended
    expect(said.words()).toEqual(expected)
  })

  it('notices a log of one file that is emptied when it is full', async () => {
    const id = await engine.create()
    const path = engine.logPathOf(id)
    writeFileSync(path, line('a long first line\n'))
    const streams = await engine.run(id, 'exec sleep 60')
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1`)
    const said = follow(response)
    await said.until('a long first line')
    writeFileSync(path, line('b\n'))
    await said.until('b')
    await streams.kill()
    await said.ended
  })

  it('goes on while its restart policy brings the container back, from the tail on', async () => {
    const id = await engine.create({ OpenStdin: true })
    const first = await engine.run(id, 'echo older; echo old; read x; echo first')
    await expect.poll(() => texts(id, 'stdout=1')).toEqual(['older', 'old'])
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1&tail=1`)
    const said = follow(response)
    await said.until('old')
    engine.setStatus(id, 'restarting')
    await first.write('\n')
    await first.exited
    engine.emit(id, 'die')
    await said.until('first')
    await engine.run(id, 'echo second')
    await said.ended
    expect(said.words()).toEqual(['old', 'first', 'second'])
  })

  it('goes on through a restart that was asked for, and ends when that fails', async () => {
    const id = await engine.create()
    const first = await engine.run(id, 'echo first; exec sleep 60')
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1`)
    const said = follow(response)
    await said.until('first')
    const restart = async (work: () => Promise<unknown>) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      promise.catch(() => undefined)
      engine.restarts.set(id, promise)
      await work()
        .then(() => resolve(), reject)
        .finally(() => engine.restarts.delete(id))
    }
    await restart(async () => {
      await first.kill()
      await first.exited
      await engine.run(id, 'echo second; exec sleep 60')
    })
    await said.until('second')
    const last = engine.kit.runtime.exited(id)
    await restart(async () => {
      await engine.kit.runtime.signal(id, 9)
      await last
      engine.setStatus(id, 'exited')
      engine.emit(id, 'die')
      throw new Error('the container cannot be started again')
    })
    await said.ended
    expect(said.words()).toEqual(['first', 'second'])
  })

  it('serves many followers with one watch, and frees everything when they leave or the container is removed', async () => {
    const id = await engine.create()
    const streams = await engine.run(id, 'exec sleep 60')
    const path = `/containers/${id}/logs?stdout=1&follow=1`
    const followers = await Promise.all(Array.from({ length: 50 }, () => engine.open(path)))
    const said = followers.map(({ response }) => follow(response))
    expect(engine.streaming.logs.followed).toBe(1)
    appendFileSync(engine.logPathOf(id), line('all\n'))
    await Promise.all(said.map((one) => one.until('all')))
    for (const { sent } of followers.slice(1)) sent.destroy()
    engine.records.delete(id)
    engine.events.emit('container', 'destroy', id)
    await said[0]?.ended
    await expect.poll(() => engine.streaming.logs.followed).toBe(0)
    await streams.kill()
  })

  it('ends at the time of until', async () => {
    const id = await engine.create()
    const streams = await engine.run(id, 'echo now; exec sleep 60')
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1&until=${Date.now() / 1000 + 0.5}`)
    const said = follow(response)
    await said.ended
    expect(said.words()).toEqual(['now'])
    await streams.kill()
  })

  it('holds no more of a large log than a reader takes', async () => {
    const id = await withLog(line(`${'x'.repeat(1_000)}\n`).repeat(40_000))
    const before = process.memoryUsage().arrayBuffers
    const { response, sent } = await engine.open(`/containers/${id}/logs?stdout=1`)
    response.pause()
    await once(response, 'readable')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    sent.destroy()
  })
})
