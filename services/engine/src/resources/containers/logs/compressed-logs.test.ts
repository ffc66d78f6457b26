import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../../streams/testing/hijacked.ts'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'

let engine: StreamingEngine
beforeAll(async () => {
  engine = await startStreamingEngine()
})
afterAll(() => engine.close())

const linesOf = (body: Buffer): string[] => {
  const { frames } = Object.assign(Object.create(Hijacked.prototype) as Hijacked, { body })
  return frames.flatMap(({ text }) => text.trimEnd().split('\n'))
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const lineCount = 4_000
const script = `i=0; while [ $i -lt ${lineCount} ]; do echo "line $i of a log that says much"; i=$((i+1)); done; read x; echo end`
const expected = Array.from({ length: lineCount }, (_, n) => `line ${n} of a log that says much`)

describe('a log whose older files are compressed', () => {
  it('keeps them as gzip, and is read and followed as if they were not', async () => {
    const Config = { 'max-size': '20k', 'max-file': '100', compress: 'true' }
    const id = await engine.create({ OpenStdin: true }, { LogConfig: { Type: 'json-file', Config } })
    const streams = await engine.run(id, script)
    const { response } = await engine.open(`/containers/${id}/logs?stdout=1&follow=1`)
    const followed = readAll(response)
    const folder = dirname(engine.logPathOf(id))
    const older = () => readdirSync(folder).filter((name) => /^log\.json\.\d+(\.gz)?$/.test(name))
    const read = (query: string) => engine.ask('GET', `/containers/${id}/logs?stdout=1&${query}`)
    await expect.poll(async () => linesOf((await read('tail=1')).body), { timeout: 20_000 }).toEqual(expected.slice(-1))
    // The thread that compresses comes after the one that writes.
    await expect.poll(() => older().filter((name) => !name.endsWith('.gz')), { timeout: 10_000 }).toEqual([])
    expect(older().length).toBeGreaterThan(10)
    const oldest = readFileSync(`${folder}/log.json.${older().length}.gz`)
    const text = gunzipSync(oldest).toString()
    expect(text).toMatch(/^\{"log":"line 0 of/)
    expect(text.length).toBeLessThanOrEqual(20 * 1024)
    expect(oldest.length).toBeLessThan(text.length / 4)
    expect(linesOf((await read('tail=all')).body)).toEqual(expected)
    expect(linesOf((await read('tail=3500')).body)).toEqual(expected.slice(-3500))
    await streams.write('\n')
    expect(linesOf(await followed)).toEqual([...expected, 'end'])
  })

  it('drops the oldest when there are as many as it may have', async () => {
    const Config = { 'max-size': '4k', 'max-file': '3' }
    const id = await engine.create({}, { LogConfig: { Type: 'local', Config } })
    await (await engine.run(id, script.replace('; read x; echo end', ''))).exited
    const names = readdirSync(dirname(engine.logPathOf(id))).filter((name) => name.startsWith('log.json'))
    expect(new Set(names.map((name) => name.replace(/\.gz$/, '')))).toEqual(
      new Set(['log.json', 'log.json.1', 'log.json.2']),
    )
    const { body } = await engine.ask('GET', `/containers/${id}/logs?stdout=1`)
    const lines = linesOf(body)
    expect(lines.length).toBeGreaterThan(20)
    expect(lines).toEqual(expected.slice(-lines.length))
  })
})
