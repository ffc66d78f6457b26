// What builds keep, and that it is never the wrong thing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { type SampleEntry, tarOf } from '../images/testing/sample-tars.ts'
import { build as buildAt, contextOf } from './testing/build-client.ts'

const pairs = process.env.ATOLL_TEST_LONG === '1' ? 200 : 3

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine?.stop(), 60_000)

const build = (query: string, context: Buffer) => buildAt(engine.socketPath, query, context)
const file = (...text: string[]) => ({ name: 'Dockerfile', data: text.join('\n') })
const hits = (text: string): number => text.split('---> Using cache').length - 1
const usage = async () => (await engine.call('GET', '/system/df?type=build-cache')).body.BuildCache
const layersOf = async (image: string) => (await engine.call('GET', `/images/${image}/json`)).body.RootFS.Layers

describe('the build cache', { timeout: 60_000 }, () => {
  it('is used as long as nothing has changed but times', async () => {
    const context = (entry: Partial<SampleEntry>, command = 'cat /b/a') =>
      tarOf([
        file('FROM busybox', 'COPY d /b/', `RUN ${command}`),
        { name: 'd/a', data: 'one', ...entry },
        { name: 'other', data: String(Math.random()) },
      ])
    const first = await build('', context({}))
    expect(hits(first.text)).toBe(0)
    const again = await build('', context({ mtime: 1_600_000_000, uid: 7 }))
    expect(hits(again.text)).toBe(2)
    expect(again.imageId).toBe(first.imageId)
    expect(hits((await build('nocache=1', context({}))).text)).toBe(0)
    expect(hits((await build('', context({}, 'cat /b/a;'))).text)).toBe(1)
    const changes: Partial<SampleEntry>[] = [
      { data: 'two' },
      { mode: 0o600 },
      { name: 'd/b' },
      { type: '2', link: 'x', data: '' },
    ]
    for (const entry of changes) {
      const changed = await build('', context(entry, 'ls -l /b'))
      expect(hits(changed.text), JSON.stringify(entry)).toBe(0)
      expect(changed.imageId).not.toBe(first.imageId)
    }
  })

  it('tells values of variables apart, and what they stand for', async () => {
    const context = contextOf({ Dockerfile: 'FROM busybox\nARG A\nENV B=${A}x\nRUN echo "<$A$B>"\nUSER $A\nRUN id -u' })
    const one = await build(`buildargs=${encodeURIComponent('{"A":"1"}')}`, context)
    const two = await build(`buildargs=${encodeURIComponent('{"A":"2"}')}`, context)
    expect([one.text, two.text].map((text) => /<(.*)>\n/.exec(text.split('Running in')[1] ?? '')?.[1])).toEqual([
      '11x',
      '22x',
    ])
    expect(two.text).toMatch(/\n2\n/)
    expect(hits((await build(`buildargs=${encodeURIComponent('{"A":"1"}')}`, context)).text)).toBe(5)
  })

  it('is told of steps that change settings only, in every stage, until something before them changes', async () => {
    const context = (env: string) =>
      contextOf({
        Dockerfile: [
          ...['FROM busybox AS make', `ENV A=${env}`, 'WORKDIR /', 'WORKDIR /made', 'LABEL b=c'],
          ...['FROM busybox', 'COPY --from=make /made /made', 'EXPOSE 80', 'CMD ["true"]'],
        ].join('\n'),
      })
    expect(hits((await build('', context('settings'))).text)).toBe(0)
    const again = await build('', context('settings'))
    expect(hits(again.text)).toBe(7)
    expect(again.text).not.toContain('Running in')
    // The folder's layer and what stands on it are the same, whatever the variable says.
    expect(hits((await build('', context('other'))).text)).toBe(5)
    expect(hits((await build('nocache=1', context('settings'))).text)).toBe(0)
    await engine.call('POST', '/build/prune?all=1')
    expect(hits((await build('', context('settings'))).text)).toBe(0)
  })

  it('is what the images of cachefrom have, and nothing else, for the classic builder', async () => {
    const context = contextOf({ Dockerfile: 'FROM busybox\nENV FOO=bar\nRUN touch baz\nWORKDIR /bin\nRUN touch bax' })
    const from = (...images: string[]) => `cachefrom=${encodeURIComponent(JSON.stringify(images))}`
    await build('t=build1', context)
    expect(hits((await build(`t=build2&${from('build1')}`, context)).text)).toBe(4)
    expect(hits((await build(`t=build3&${from('nosuchtag')}`, context)).text)).toBe(0)
    expect(hits((await build('t=build4', context)).text)).toBe(4)
  })

  it('takes no layer of a named image for a step that was given other files', async () => {
    const context = (data: string) =>
      contextOf({ Dockerfile: 'FROM busybox\nRUN --mount=target=/c cp /c/data /copied\nRUN cat /copied', data })
    await build('t=mounted:1', context('one\n'))
    const other = await build(`cachefrom=${encodeURIComponent('["mounted:1"]')}`, context('two\n'))
    expect(other.text).toContain('\ntwo\n')
    expect(hits((await build(`cachefrom=${encodeURIComponent('["mounted:1"]')}`, context('one\n'))).text)).toBe(2)
  })

  it('ENG-421 takes layers of images that are named', async () => {
    const context = tarOf([
      file('FROM busybox', 'COPY a /a', 'RUN head -c 32 /dev/urandom > /n'),
      { name: 'a', data: 'cachefrom' },
    ])
    await build('t=source:1', context)
    await engine.call('POST', '/build/prune?all=1')
    expect(await usage()).toEqual([])
    const taken = await build(
      `/v1.25/build?t=taken:1&cachefrom=${encodeURIComponent('["source:1","not-here"]')}`,
      context,
    )
    expect(hits(taken.text)).toBe(2)
    expect(await layersOf('taken:1')).toEqual(await layersOf('source:1'))
    const anew = await build('/v1.25/build?t=anew:1', context)
    expect(hits(anew.text)).toBe(0)
    expect(await layersOf('anew:1')).not.toEqual(await layersOf('source:1'))
    const older = await build(
      `/v1.24/build?nocache=0&cachefrom=${encodeURIComponent('["source:1"]')}&t=older:1`,
      context,
    )
    expect(await layersOf('older:1')).toEqual(await layersOf('anew:1'))
    expect(hits(older.text)).toBe(2)
  })

  it('is listed with sizes, and removed', async () => {
    await engine.call('POST', '/build/prune?all=1')
    const context = contextOf({ Dockerfile: 'FROM busybox\nRUN head -c 100000 /dev/zero > /zeros\nRUN true' })
    const built = await build('', context)
    const records = await usage()
    expect(records).toHaveLength(2)
    const zeros = records.find(({ Description }: { Description: string }) => Description.includes('zeros'))
    expect(zeros).toMatchObject({ Type: 'regular', InUse: false, Shared: true, UsageCount: 1, Parents: [] })
    expect(zeros.Size).toBeGreaterThan(200_000)
    // What an image has frees nothing; without the image it does.
    expect((await engine.call('POST', '/build/prune')).body).toEqual({ CachesDeleted: [], SpaceReclaimed: 0 })
    expect((await engine.call('DELETE', `/images/${built.imageId}`)).status).toBe(200)
    expect(hits((await build('', context)).text)).toBe(2)
    await engine.call('POST', '/images/prune')
    const pruned = (await engine.call('POST', '/build/prune')).body
    expect(pruned.CachesDeleted).toHaveLength(2)
    expect(pruned.SpaceReclaimed).toBeGreaterThan(200_000)
    expect(await usage()).toEqual([])
    expect(hits((await build('', context)).text)).toBe(0)
  })

  it('gives the same bytes as no cache, with SOURCE_DATE_EPOCH', async () => {
    const query = `buildargs=${encodeURIComponent('{"SOURCE_DATE_EPOCH":"1700000000"}')}`
    const context = tarOf([
      file('FROM busybox', 'COPY a /a/', 'RUN echo x > /y'),
      { name: 'a', data: 'a', mtime: 1_800_000_000 },
    ])
    const first = await build(`${query}&t=epoch:1&nocache=1`, context)
    const second = await build(`${query}&t=epoch:2&nocache=1`, context)
    expect(second.imageId).toBe(first.imageId)
  })

  it(`gives what building anew would give, for ${pairs} random changes`, {
    timeout: 60_000 + pairs * 10_000,
  }, async () => {
    let seed = 7
    const pick = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const names = ['a', 'b', 'd/a', 'd/b', 'd/e/f']
    const entries = new Map<string, SampleEntry>(names.map((name) => [name, { name, data: name }]))
    const digest = 'find /w -exec stat -c "%n %F %a" {} + | sort; find /w -type f -exec sha256sum {} + | sort'
    for (let round = 0; round < pairs; round++) {
      const name = names[pick(names.length)]!
      const changes: Partial<SampleEntry>[] = [{ data: String(pick(4)) }, { mode: [0o644, 0o600, 0o755][pick(3)]! }]
      entries.set(name, { ...entries.get(name), name, ...changes[pick(changes.length)], mtime: 1_600_000_000 + round })
      const copies = ['COPY d /w/d', 'COPY a b /w/', 'COPY d/* /w/x/', 'COPY . /w/all'].slice(0, 1 + pick(4))
      const context = tarOf([
        file('FROM busybox', ...copies, `RUN (${digest}) > /sum`, 'RUN cat /sum'),
        ...entries.values(),
      ])
      const cached = await build('t=pair:cached', context)
      const anew = await build('t=pair:anew&nocache=1', context)
      expect(cached.error ?? anew.error).toBeUndefined()
      const [one, other] = await Promise.all(['pair:cached', 'pair:anew'].map(sumOf))
      expect(one, `round ${round}`).toBe(other)
    }
  })
})

async function sumOf(image: string): Promise<string> {
  const id = await engine.run('1.47', '', { Image: image })
  const sum = await engine.inside(id, 'cat /sum')
  await engine.call('DELETE', `/containers/${id}?force=1`)
  return sum
}
