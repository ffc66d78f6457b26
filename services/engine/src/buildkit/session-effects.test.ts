// Sessions of a whole engine: a client that offers files, and builds made of them.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { build as buildAt, contextOf } from '../resources/build/testing/build-client.ts'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'
import { type Offer, type OfferedEntry, offerSession, upgrade } from './testing/session-client.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine?.stop(), 60_000)

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const folderMode = 2 ** 31 + 0o755
const nothing = Buffer.alloc(0)

async function build(version: string, query: string, offer: Offer) {
  const session = await offerSession(engine.socketPath, offer, `/${version}/session`)
  const asked = `/${version}/build?version=2&remote=client-session&session=${session.id}&${query}`
  const answer = await buildAt(engine.socketPath, asked, nothing)
  session.close()
  return { ...answer, asked: session.asked, files: session.files }
}

const offered = (dockerfile: string, context: readonly OfferedEntry[] = []): Offer => ({
  folders: { dockerfile: [{ path: 'Dockerfile', content: dockerfile }], context },
})

async function says(image: string, script: string): Promise<string> {
  const id = await engine.run('1.47', '', { Image: image, Entrypoint: [], Cmd: ['sleep', '60'] })
  const said = await engine.inside(id, script)
  await engine.call('DELETE', `/containers/${id}?force=1`)
  return said
}

describe('a session', { timeout: 60_000 }, () => {
  it('ENG-721 ENG-722 is an experiment from 1.31 to 1.38, which this engine is not started for', async () => {
    await expect(upgrade(engine.socketPath, '/v1.30/session')).rejects.toThrow('404')
    for (const version of ['1.31', '1.38']) {
      await expect(upgrade(engine.socketPath, `/v${version}/session`)).rejects.toThrow(
        /501 .*Start the Docker daemon in experimental mode/,
      )
    }
  })

  it('is not needed where the context comes with the request itself', async () => {
    const context = await contextOf({ Dockerfile: 'FROM busybox\nCOPY word /word\n', word: 'sent along' })
    const answer = await buildAt(engine.socketPath, '/v1.47/build?version=2&t=sent', context)
    expect(answer.error).toBeUndefined()
    expect(answer.messages.some(({ id }) => id === 'moby.buildkit.trace')).toBe(true)
    expect(await says('sent', 'cat /word')).toBe('sent along')
    const broken = await buildAt(engine.socketPath, '/v1.47/build?version=2', nothing)
    expect(broken.error).toContain('failed to read dockerfile')
  })

  it('ENG-723 ENG-724 stays open from 1.39 on, and a build takes what it needs from the client', async () => {
    const context = [
      { path: 'folder', mode: folderMode },
      { path: 'folder/empty', content: '' },
      { path: 'folder/file', content: 'from the client\n', mode: 0o600 },
      { path: 'folder/link', mode: 2 ** 27 + 0o777, linkname: 'file' },
      { path: 'folder/same', mode: 0o600, linkname: 'folder/file' },
      { path: 'unneeded', content: 'x' },
    ]
    const dockerfile = 'FROM busybox\nCOPY folder /folder\nRUN cat /folder/link\n'
    const answer = await build('v1.39', 't=offered', offered(dockerfile, context))
    expect(answer.error).toBeUndefined()
    expect(answer.messages.some(({ id }) => id === 'moby.buildkit.trace')).toBe(true)
    expect(answer.imageId).toMatch(/^sha256:/)
    expect(await says('offered', 'cat /folder/same; ls /folder; stat -c %a /folder/file')).toBe(
      'from the client\nempty\nfile\nlink\nsame\n600\n',
    )
    expect(answer.asked).toEqual([
      'dockerfile Dockerfile Dockerfile.dockerignore dockerfile',
      'context .dockerignore',
      'context folder',
    ])
  })

  it('ENG-416 has a build put out what it made, by `outputs`, from 1.40 on', async () => {
    const pieces: Buffer[] = []
    const offer = { ...offered('FROM scratch\nCOPY a /b\n', [{ path: 'a', content: 'put out' }]) }
    const taking = { ...offer, onArchive: (bytes: Buffer) => void pieces.push(bytes) }
    const outputs = `outputs=${json([{ Type: 'tar', Attrs: {} }])}`
    const answer = await build('v1.40', outputs, taking)
    expect(answer.error).toBeUndefined()
    expect(answer.imageId).toBeUndefined()
    const { stdout } = spawnSync('tar', ['-xO', './b'], { input: Buffer.concat(pieces) })
    expect(stdout.toString()).toBe('put out')
    const older = await build('v1.39', outputs, offer)
    expect(older.imageId).toMatch(/^sha256:/)
    expect((await build('v1.40', `outputs=${json([{ Type: 'fax' }])}`, offer)).error).toContain('fax')
  })

  it.each(['oci', 'docker'])('puts an image out as an archive of type %s, which engines load', async (type) => {
    const pieces: Buffer[] = []
    const offer = offered('FROM busybox\nCOPY a /b\nCMD cat /b\n', [{ path: 'a', content: `as ${type}` }])
    const taking = { ...offer, onArchive: (bytes: Buffer) => void pieces.push(bytes) }
    const outputs = `outputs=${json([{ Type: type, Attrs: { name: `archived:${type}` } }])}`
    expect((await build('v1.47', outputs, taking)).error).toBeUndefined()
    const archive = Buffer.concat(pieces)
    const inside = (name: string) => JSON.parse(spawnSync('tar', ['-xO', name], { input: archive }).stdout.toString())
    expect(inside('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' })
    expect(inside('index.json').manifests).toMatchObject([{ mediaType: 'application/vnd.oci.image.manifest.v1+json' }])
    expect(inside('manifest.json')).toMatchObject([{ RepoTags: [`archived:${type}`] }])
    await engine.call('DELETE', `/images/archived:${type}`)
    expect((await engine.client.call('POST', '/images/load', archive)).status).toBe(200)
    expect(await says(`archived:${type}`, 'cat /b')).toBe(`as ${type}`)
  })

  it('has secrets of a step in memory alone while it runs', async () => {
    const mounts = '--mount=type=secret,id=key --mount=type=secret,id=word,env=WORD'
    const dockerfile = [
      'FROM busybox AS first',
      `RUN ${mounts} while [ ! -e /go ]; do sleep 0.1; done; stat -f -c %T /run/secrets/key > /seen; echo "$WORD" | tr a-z A-Z >> /seen`,
      'FROM scratch',
      'COPY --from=busybox /bin/busybox /bin/other',
      'RUN --mount=type=secret,id=word,env=WORD ["/bin/other", "true"]',
    ].join('\n')
    const secrets = { key: 'in-memory-alone', word: "it's-$quoted" }
    const building = build('v1.47', 't=remembered&target=first', { ...offered(dockerfile), secrets })
    const running = async () => (await engine.call('GET', '/containers/json')).body
    await expect.poll(running, { timeout: 20_000, interval: 20 }).toHaveLength(1)
    const words = ['-e', 'in-memory-alone', '-e', 's-.quoted']
    const found = spawnSync('find', [
      ...[dirname(engine.socketPath), '-xdev', '-type', 'f'],
      ...['-exec', 'grep', '-l', ...words, '{}', '+'],
    ])
    const [{ Id }] = await running()
    await engine.inside(Id, 'touch /go')
    expect((await building).error).toBeUndefined()
    expect(found.stdout.toString()).toBe('')
    expect(await says('remembered', 'cat /seen')).toBe("tmpfs\nIT'S-$QUOTED\n")
    const without = await build('v1.47', '', { ...offered(dockerfile), secrets })
    expect(without.error).toContain('needs /bin/sh in the image')
  })

  it('lends secrets to steps, and keeps none of them', async () => {
    const dockerfile =
      'FROM busybox\nRUN --mount=type=secret,id=key,uid=5 --mount=type=secret,id=word,env=WORD stat -c %u-%a-%s /run/secrets/key > /seen && test ${#WORD} = 6\n'
    const offer = { ...offered(dockerfile), secrets: { key: 'opensesame', word: 'sesame' } }
    const answer = await build('v1.47', 't=secretive', offer)
    expect(answer.error).toBeUndefined()
    expect(await says('secretive', 'cat /seen; ls -d /run* || true')).toBe(
      '5-400-10\nls: /run*: No such file or directory\n',
    )
    const history = await engine.call('GET', '/images/secretive/history')
    const { Id } = (await engine.call('POST', '/containers/create', { Image: 'secretive' })).body
    const files = (await engine.client.call('GET', `/containers/${Id}/export`)).body.toString('latin1')
    await engine.call('DELETE', `/containers/${Id}`)
    expect(files).toContain('5-400')
    expect(JSON.stringify(history.body) + files + JSON.stringify(answer.messages)).not.toContain('opensesame')
    const without = await build('v1.47', '', {
      ...offered(dockerfile.replace('id=key', 'id=other,required=true')),
      secrets: {},
    })
    expect(without.error).toContain('secret other: not found')
  })

  it('asks a client that builds again only for what has changed', async () => {
    const link = 2 ** 27 + 0o777
    const dockerfile = 'FROM busybox\nCOPY . /c/\n'
    const again = async (tag: string, context: readonly OfferedEntry[]) => {
      const answer = await build('v1.47', `t=${tag}`, { ...offered(dockerfile, context), sharedKey: 'same' })
      expect(answer.error).toBeUndefined()
      const seen = await says(
        tag,
        'cd /c; find . | sort | tr "\\n" " "; for f in $(find . -type f | sort); do cat $f; done',
      )
      return { files: answer.files.filter((path) => path !== 'Dockerfile'), seen }
    }
    const first = [
      { path: 'a', content: 'a1 ' },
      { path: 'b', mode: folderMode },
      { path: 'b/x', content: 'x1 ' },
      { path: 'c', content: 'c1 ' },
      { path: 'd', mode: link, linkname: 'a' },
      { path: 'e', content: 'e1 ' },
    ]
    expect(await again('kept:1', first)).toEqual({
      files: ['a', 'b/x', 'c', 'e'],
      seen: '. ./a ./b ./b/x ./c ./d ./e a1 x1 c1 e1 ',
    })
    expect((await again('kept:2', first)).files).toEqual([])
    const second = [
      { path: 'a', content: 'a1 ' },
      { path: 'b', content: 'b2 ' },
      { path: 'c', mode: folderMode },
      { path: 'c/y', content: 'y2 ' },
      { path: 'd', mode: folderMode },
      { path: 'd/z', content: 'z2 ' },
      { path: 'f', content: '', linkname: 'a' },
    ]
    expect(await again('kept:3', second)).toEqual({
      files: ['b', 'c/y', 'd/z'],
      seen: '. ./a ./b ./c ./c/y ./d ./d/z ./f a1 b2 y2 z2 a1 ',
    })
    const changed = second.map((entry) => (entry.path === 'a' ? { ...entry, content: 'a2 ', modTime: 2n } : entry))
    expect(await again('kept:4', changed)).toEqual({
      files: ['a'],
      seen: '. ./a ./b ./c ./c/y ./d ./d/z ./f a2 b2 y2 z2 a2 ',
    })
    const kept = (await engine.call('GET', '/system/df?type=build-cache')).body.BuildCache
    expect(kept.filter(({ Type }: { Type: string }) => Type === 'source.local')).toHaveLength(1)
  })

  it('says nothing before its client speaks or is asked, since some clients lose what comes with the answer', async () => {
    const method = '/moby.filesync.v1.FileSync/DiffCopy'
    const named = { 'x-docker-expose-session-uuid': 'quiet', 'x-docker-expose-session-grpc-method': method }
    const connection = await upgrade(engine.socketPath, '/session', named)
    await engine.call('GET', '/info')
    expect(connection.read()).toBeNull()
    const greeting = once(connection, 'data')
    const asked = '/build?version=2&remote=client-session&session=quiet'
    const answer = buildAt(engine.socketPath, asked, nothing)
    expect(String((await greeting)[0])).toContain('PRI * HTTP/2.0')
    connection.destroy()
    expect((await answer).error).toContain('the client has left')
  })

  it('ends when its client leaves without having been asked', async () => {
    const named = { 'x-docker-expose-session-uuid': 'brief' }
    const first = await upgrade(engine.socketPath, '/session', named)
    await expect(upgrade(engine.socketPath, '/session', named)).rejects.toThrow('409')
    first.destroy()
    const second = await vi.waitFor(() => upgrade(engine.socketPath, '/session', named), 10_000)
    second.destroy()
  })

  it('is over for whoever sends what is no path inside, or less than was promised', async () => {
    const dockerfile = 'FROM busybox\nCOPY . /\n'
    for (const [path, words] of [
      ['../up', 'no path inside'],
      ['/etc/passwd', 'no path inside'],
      ['a/../../b', 'no path inside'],
    ] as const) {
      expect((await build('v1.47', '', offered(dockerfile, [{ path, content: 'x' }]))).error).toContain(words)
    }
    const short = await build('v1.47', '', offered(dockerfile, [{ path: 'a', content: 'x', size: 10n }]))
    expect(short.error).toContain('a became shorter while it was sent')
    await build(
      'v1.47',
      '',
      offered(dockerfile, [
        { path: 'a', mode: 2 ** 27 + 0o777, linkname: '/' },
        { path: 'a/escaped', content: 'x' },
      ]),
    )
    expect(spawnSync('ls', ['/escaped']).status).not.toBe(0)
    const left = await offerSession(engine.socketPath, offered(dockerfile))
    left.close()
    await expect(upgrade(engine.socketPath, '/session', { upgrade: 'websocket' })).rejects.toThrow('400')
    await expect(upgrade(engine.socketPath, '/session')).rejects.toThrow('X-Docker-Expose-Session-Uuid')
    expect((await engine.call('GET', '/containers/json?all=1')).body).toEqual([])
  })
})
