// Builds by the classic builder, of a whole engine, seen from its socket.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PastEvent, pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { tarOf } from '../images/testing/sample-tars.ts'
import { type BuildAnswer, build as buildAt, contextOf, openBuild } from './testing/build-client.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine?.stop(), 60_000)

const lines = (...text: string[]) => text.join('\n')
const build = (query: string, context: Buffer, headers?: Record<string, string>): Promise<BuildAnswer> =>
  buildAt(engine.socketPath, query, context, headers)
const dockerfile = (...text: string[]) => contextOf({ Dockerfile: lines(...text) })
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const inspect = async (image: string) => (await engine.call('GET', `/images/${image}/json`)).body

/** What a script says in a container of an image. */
async function says(image: string, script: string): Promise<string> {
  const id = await engine.run('1.47', '', { Image: image, Entrypoint: [], Cmd: ['sleep', '60'] })
  const said = await engine.inside(id, script)
  await engine.call('DELETE', `/containers/${id}?force=1`)
  return said
}

/** Of images, as they come. */
async function openEvents(version: string) {
  const response = await engine.client.open('GET', `/v${version}/events?filters=${json({ type: ['image'] })}`)
  const lines = createInterface(response)[Symbol.asyncIterator]()
  return {
    next: async (): Promise<PastEvent> => JSON.parse(String((await lines.next()).value)),
    close: () => response.destroy(),
  }
}

async function leftovers() {
  const containers = (await engine.call('GET', '/containers/json?all=1')).body
  return containers.map(({ Names }: { Names: string[] }) => Names[0])
}

describe('a build', { timeout: 60_000 }, () => {
  it('ENG-417 ENG-418 makes an image, tells its id, and says what it does as it goes', async () => {
    const files = { Dockerfile: lines('FROM busybox', 'COPY a.txt sub/', 'RUN echo hi; echo no >&2'), 'a.txt': 'one\n' }
    const answer = await build('/v1.30/build?t=told:1&t=told:2', contextOf(files))
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(
      /^Step 1\/3 : FROM busybox\n ---> [0-9a-f]{12}\nStep 2\/3 : COPY a.txt sub\/\n ---> [0-9a-f]{12}\nStep 3\/3 : RUN echo hi; echo no >&2\n ---> Running in [0-9a-f]{12}\n/,
    )
    expect(answer.text).toContain('hi\n')
    expect(answer.text).toContain('\u001b[91mno\n\u001b[0m')
    expect(answer.text).toMatch(
      /Successfully built [0-9a-f]{12}\nSuccessfully tagged told:1\nSuccessfully tagged told:2\n$/,
    )
    const aux = answer.messages.filter((message) => 'aux' in message)
    expect(aux).toHaveLength(1)
    expect(aux[0]).toEqual({ aux: { ID: (await inspect('told:2')).Id } })
    expect(await says('told:1', 'cat /sub/a.txt')).toBe('one\n')
    const older = await build('/v1.29/build?t=told:3', contextOf(files))
    expect(older.messages.filter((message) => 'aux' in message)).toEqual([])
    expect((await inspect('told:3')).Id).toBe(answer.imageId)
    expect(await leftovers()).toEqual([])
  })

  it('ENG-642 ENG-643 tells of an image that was made, with a tag and without, from 1.46 on', async () => {
    const events = await openEvents('1.46')
    const tagged = await build('t=evented', dockerfile('FROM busybox', 'LABEL told=tagged'))
    const untagged = await build('', dockerfile('FROM busybox', 'LABEL told=untagged'))
    const kit = await build('version=2&t=kit', dockerfile('FROM busybox', 'LABEL told=kit'))
    const told = await Promise.all([events.next(), events.next(), events.next(), events.next(), events.next()])
    events.close()
    expect(told.map(({ Action, Actor }) => [Action, Actor.ID])).toEqual([
      ['create', tagged.imageId],
      ['tag', tagged.imageId],
      ['create', untagged.imageId],
      ['create', kit.imageId],
      ['tag', kit.imageId],
    ])
    const created = (version: string) => pastEvents(engine, version).then((all) => all.filter(isNewImage))
    const isNewImage = ({ Type, Action }: PastEvent) => Type === 'image' && Action === 'create'
    expect((await created('1.46')).map(({ Actor }) => Actor.ID)).toContain(untagged.imageId)
    expect(await created('1.45')).toEqual([])
  })

  it('keeps all settings of the language', async () => {
    const answer = await build(
      `t=settings&labels=${json({ asked: 'yes' })}`,
      dockerfile(
        'FROM busybox',
        'LABEL a=b "c d"="e f"',
        'ENV ONE=1 TWO="two $PATH"',
        'ENV THREE=${TWO:+set}-${NONE:-none}',
        'EXPOSE 80 90-91/udp',
        'VOLUME ["/data"]',
        'WORKDIR /a',
        'WORKDIR b/${ONE}',
        'USER 1000:1000',
        'STOPSIGNAL SIGINT',
        'HEALTHCHECK --interval=5s --retries=2 CMD true',
        'ONBUILD RUN echo triggered > /triggered',
        'SHELL ["/bin/sh", "-ec"]',
        'ENTRYPOINT ["/bin/sh"]',
        'CMD echo $ONE',
        'MAINTAINER me',
      ),
    )
    expect(answer.error).toBeUndefined()
    expect((await inspect('settings')).Config).toMatchObject({
      Labels: { a: 'b', 'c d': 'e f', asked: 'yes' },
      Env: ['PATH=/bin', 'ONE=1', 'TWO=two /bin', 'THREE=set-none'],
      ExposedPorts: { '80/tcp': {}, '90/udp': {}, '91/udp': {} },
      Volumes: { '/data': {} },
      WorkingDir: '/a/b/1',
      User: '1000:1000',
      StopSignal: 'SIGINT',
      Healthcheck: { Test: ['CMD-SHELL', 'true'], Interval: 5e9, Retries: 2 },
      Shell: ['/bin/sh', '-ec'],
      Entrypoint: ['/bin/sh'],
      Cmd: ['/bin/sh', '-ec', 'echo $ONE'],
    })
    const child = await build('t=child', dockerfile('FROM settings', 'USER 0'))
    // The trigger runs as the user that the image has.
    expect(child.error).toContain('returned a non-zero code')
    await build('t=parent', dockerfile('FROM busybox', 'ONBUILD RUN echo triggered > /triggered'))
    const triggered = await build('t=child', dockerfile('FROM parent', 'RUN cat /triggered'))
    expect(triggered.text).toContain('# Executing 1 build trigger\n')
    expect(triggered.text).toContain('triggered\n')
    expect((await inspect('child')).Config.OnBuild ?? []).toEqual([])
  })

  it('copies from stages and images, and builds only what its target needs', async () => {
    const context = contextOf({
      Dockerfile: lines(
        'ARG NAME=final',
        'FROM busybox AS tools',
        'RUN mkdir /out && echo tool > /out/tool && chown 5:6 /out/tool && ln -s tool /out/link',
        'FROM busybox AS unneeded',
        'RUN exit 9',
        'FROM busybox AS ${NAME}ly',
        'RUN true',
        'FROM scratch AS final',
        'COPY --from=tools /out /t/',
        'COPY --from=0 --chown=7:8 --chmod=0700 /out/tool /t/own',
        'COPY --from=busybox /bin/busybox /bin/',
      ).replace('FROM busybox AS ${NAME}ly\nRUN true\n', ''),
    })
    const answer = await build('t=staged&target=final', context)
    expect(answer.error).toBeUndefined()
    expect(answer.text).not.toContain('exit 9')
    const look = '/bin/busybox stat -c "%n %a %u:%g %F" /t/tool /t/own /t/link /bin/busybox; /bin/busybox cat /t/link'
    const id = await engine.run('1.47', '', { Image: 'staged', Cmd: ['/bin/busybox', 'sleep', '60'] })
    const { output } = await engine.client.exec(id, ['/bin/busybox', 'sh', '-c', look])
    expect(output.split('\n')).toEqual([
      '/t/tool 644 5:6 regular file',
      '/t/own 700 7:8 regular file',
      '/t/link 777 0:0 symbolic link',
      '/bin/busybox 755 0:0 regular file',
      'tool',
      '',
    ])
    await engine.call('DELETE', `/containers/${id}?force=1`)
    const missing = await build('target=nowhere', context)
    expect(missing).toMatchObject({ status: 400, error: 'target stage "nowhere" could not be found' })
  })

  it('takes names in a context that climb above it as names in it', async () => {
    const climbing = [
      { name: '../one', data: 'one' },
      { name: 'sub/../../two', data: 'two' },
      { name: '/../three', type: '1', link: '../../one' },
    ]
    const context = contextOf({ Dockerfile: 'FROM busybox\nCOPY one two three /in/\n' }, climbing)
    const { imageId, error } = await build('', context)
    expect(error).toBeUndefined()
    expect(await says(imageId ?? '', 'cat /in/one /in/two /in/three')).toBe('onetwoone')
  })

  it('makes the folders that links in a destination lead to', async () => {
    const links = 'RUN ln -s /new/folder /link && ln -s below/it /relative && mkdir /in && ln -s ../../../up /in/over'
    const loop = 'RUN ln -s two /one && ln -s one /two'
    const copies = lines('ADD foo /link/', 'COPY foo /relative/more/', 'COPY foo /in/over/')
    const answer = await build('', contextOf({ Dockerfile: `FROM busybox\n${links}\n${copies}\n`, foo: 'foo\n' }))
    expect(answer.error).toBeUndefined()
    const places = '/new/folder/foo /link/foo /below/it/more/foo /up/foo'
    expect(await says(answer.imageId ?? '', `cat ${places}; readlink /link`)).toBe(`${'foo\n'.repeat(4)}/new/folder\n`)
    const endless = await build('', contextOf({ Dockerfile: `FROM busybox\n${loop}\nADD foo /one/\n`, foo: 'foo' }))
    expect(endless.error).toBeDefined()
  })

  it('refuses to unpack a tar that is cut, if by a byte', async () => {
    const whole = tarOf([{ name: 'inside', data: 'Hi' }])
    const added = async (tar: Buffer) =>
      build(
        '',
        tarOf([
          { name: 'Dockerfile', data: 'FROM busybox\nADD a.tar /\nRUN cat /inside\n' },
          { name: 'a.tar', data: tar as never },
        ]),
      )
    for (const missing of [1, 511, 513]) {
      expect((await added(whole.subarray(0, whole.length - missing))).error, String(missing)).toBeDefined()
    }
    for (const tar of [whole, whole.subarray(0, -512), Buffer.concat([whole, Buffer.from('rest')])]) {
      expect((await added(tar)).error).toBeUndefined()
    }
  })

  it("builds as the one of docker's two builders that was asked for, where they differ", async () => {
    const args = json({ VERSION: 'given', HTTP_PROXY: 'http://proxy' })
    const context = contextOf({
      x: 'inside',
      Dockerfile: lines(
        'FROM busybox AS one',
        'RUN echo "bob:x:1001:1002::/home:/bin/sh" > /etc/passwd',
        'ENV VERSION=env',
        'ARG VERSION=usual',
        'ARG NAME=named-$VERSION',
        'RUN echo "$VERSION $NAME $http_proxy" > /told',
        'FROM one',
        'USER bob',
        'WORKDIR /work/in',
        'USER 0',
        'RUN echo "$VERSION $NAME" >> /told; stat -c "%u:%g" /work /work/in >> /told',
      ),
    })
    const told = async (tag: string) => {
      const { History } = { History: (await engine.call('GET', `/images/${tag}/history`)).body }
      const words = History.map(({ CreatedBy }: { CreatedBy: string }) => CreatedBy).filter((w: string) =>
        /nop\) ARG/.test(w),
      )
      return { file: await says(tag, 'cat /told'), args: words }
    }
    const written = (name: string) => [`/bin/sh -c #(nop) ARG NAME=${name}`, '/bin/sh -c #(nop) ARG VERSION=usual']
    expect((await build(`t=by-classic&buildargs=${args}`, context)).error).toBeUndefined()
    expect(await told('by-classic')).toEqual({ file: 'env named-env \nenv \n0:0\n0:0\n', args: written('named-env') })
    expect((await build(`version=2&t=by-kit&buildargs=${args}`, context)).error).toBeUndefined()
    expect(await told('by-kit')).toEqual({
      file: 'given named-given http://proxy\nenv named-given\n1001:1002\n1001:1002\n',
      args: written('named-given'),
    })
    const outside = contextOf({ x: 'inside', Dockerfile: 'FROM busybox\nCOPY ../x /x\n' })
    expect((await build('', outside)).error).toBe('COPY failed: forbidden path outside the build context: ../x ()')
    expect((await build('version=2&t=within', outside)).error).toBeUndefined()
    expect(await says('within', 'cat /x')).toBe('inside')
  })

  it('leaves owners in an archive that is added as they are, whatever --chown says', async () => {
    const archive = tarOf([{ name: 'in', data: 'x', uid: 5, gid: 6 }])
    const context = contextOf(
      { Dockerfile: 'FROM busybox\nADD --chown=9:9 a.tar /own/\nADD --chown=9:9 plain /own/\n', plain: 'x' },
      [{ name: 'a.tar', data: archive }],
    )
    expect((await build('t=added', context)).error).toBeUndefined()
    expect(await says('added', 'stat -c %u:%g /own /own/in /own/plain')).toBe('9:9\n5:6\n9:9\n')
  })

  it('gives modes in octal and as chmod takes them', async () => {
    const modes = ['0700', '4755', 'u=rwX,go=rX', 'a+x', 'go-rwx,u+s', 'g=u', '+t']
    const copies = modes.map((mode, at) => `COPY --chmod=${mode} d /m${at}`)
    const context = contextOf({ Dockerfile: lines('FROM busybox', ...copies) }, [
      { name: 'd/plain', data: 'x', mode: 0o640 },
      { name: 'd/run', data: 'x', mode: 0o755 },
      { name: 'd/sub/', type: '5', mode: 0o750 },
    ])
    expect((await build('t=modes', context)).error).toBeUndefined()
    const told = await says('modes', 'for n in 0 1 2 3 4 5 6; do stat -c %a /m$n/plain /m$n/run /m$n/sub | xargs; done')
    expect(told.trim().split('\n')).toEqual([
      '700 700 700',
      '4755 4755 4755',
      '644 755 755',
      '751 755 751',
      '4600 4700 4700',
      '660 775 770',
      '1640 1755 1750',
    ])
    const wrong = await build('', contextOf({ Dockerfile: 'FROM busybox\nCOPY --chmod=u=q a /b\n', a: 'x' }))
    expect(wrong.error).toContain("invalid chmod parameter: 'u=q'")
  })

  it('keeps names of one file together within what one source has', async () => {
    const context = contextOf(
      { Dockerfile: 'FROM busybox\nCOPY d /d\nCOPY d/a d/b /apart/\nCOPY --from=busybox /bin /b\n' },
      [
        { name: 'd/a', data: 'same' },
        { name: 'd/b', type: '1', link: 'd/a' },
        { name: 'd/sub/c', type: '1', link: 'd/a' },
      ],
    )
    expect((await build('t=names', context)).error).toBeUndefined()
    const counts = await says('names', 'stat -c %h /d/a /d/b /d/sub/c /apart/a /apart/b; cat /d/sub/c')
    expect(counts.split('\n')).toEqual(['3', '3', '3', '1', '1', 'same'])
  })

  it('ENG-422 refuses a wrong Dockerfile before any step runs, with the line', async () => {
    const before = (await engine.call('GET', '/images/json?all=1')).body.length
    const refused = async (...text: string[]) => (await build('', dockerfile(...text))) as BuildAnswer
    expect(await refused('FROM busybox', 'RUN touch /ran', 'FOO bar')).toMatchObject({
      status: 400,
      error: 'dockerfile parse error on line 3: unknown instruction: FOO',
      text: '',
    })
    expect(await refused('FROM busybox', 'RUN true', 'COPY --nope a b')).toMatchObject({
      status: 400,
      error: 'dockerfile parse error on line 3, column 6: unknown flag: --nope',
    })
    expect(await refused('')).toMatchObject({ status: 400 })
    expect(await build('dockerfile=other', dockerfile('FROM busybox'))).toMatchObject({
      status: 400,
      error: 'Cannot locate specified Dockerfile: other',
    })
    expect((await engine.call('GET', '/images/json?all=1')).body).toHaveLength(before)
  })

  it('ends with the code of the command that failed, and leaves nothing', async () => {
    const answer = await build('t=failed', dockerfile('FROM busybox', 'RUN echo so far; exit 7', 'RUN echo never'))
    const message = "The command '/bin/sh -c echo so far; exit 7' returned a non-zero code: 7"
    expect(answer.status).toBe(200)
    expect(answer.messages.at(-1)).toEqual({ errorDetail: { code: 7, message }, error: message })
    expect(answer.text).toContain('so far')
    expect(answer.text).not.toContain('never')
    expect((await engine.call('GET', '/images/failed/json')).status).toBe(404)
    expect(await leftovers()).toEqual([])
  })

  it('says nothing but the id when it is to be quiet, and everything when it fails', async () => {
    const quiet = await build('q=1', dockerfile('FROM busybox', 'RUN echo loud'))
    expect(quiet.messages).toEqual([{ stream: expect.stringMatching(/^sha256:[0-9a-f]{64}\n$/) }])
    const failing = await build('q=1', dockerfile('FROM busybox', 'RUN echo loud; exit 3'))
    expect(failing.text).toContain('loud')
    expect(failing.messages.at(-1)).toMatchObject({ errorDetail: { code: 3 } })
  })
})

describe('a build with parameters', { timeout: 60_000 }, () => {
  it('ENG-423 takes variables, and says which of them nobody asked for', async () => {
    const context = dockerfile(
      'ARG TAG',
      'FROM busybox:$TAG',
      'ARG A=1',
      'ARG B=2',
      'ARG TAG',
      'RUN echo "[$A $B $TAG]"',
    )
    const args = json({ A: 'one', TAG: 'latest', UNUSED: 'x', B: null })
    const answer = await build(`/v1.21/build?buildargs=${args}`, context)
    expect(answer.text).toContain('[one 2 latest]\n')
    expect(answer.text).toContain('[Warning] One or more build-args [UNUSED] were not consumed\n')
    expect((await build(`/v1.21/build?buildargs=${json({ A: 'other', TAG: 'latest' })}`, context)).text).toContain(
      '[other 2 latest]',
    )
  })

  it('ENG-419 ENG-420 puts steps into the network that is asked for, with further hosts', async () => {
    const look = dockerfile('FROM busybox', 'RUN grep -c : /proc/net/dev; cat /etc/hosts; ls /sys/class/net')
    const none = await build('/v1.25/build?networkmode=none&nocache=1', look)
    expect(none.text).toMatch(/\n1\n/)
    const bridged = await build('/v1.28/build?nocache=1&extrahosts=one:10.1.2.3&extrahosts=two:10.4.5.6', look)
    expect(bridged.text).toMatch(/10\.1\.2\.3\s+one/)
    expect(bridged.text).toMatch(/10\.4\.5\.6\s+two/)
    expect(bridged.text).toContain('eth0')
    expect((await build('/v1.28/build?nocache=1&networkmode=nowhere', look)).error).toContain('nowhere')
  })

  it('ENG-424 ENG-425 ENG-426 limits what steps use', async () => {
    const isVersion2 = statSync('/sys/fs/cgroup/cgroup.controllers', { throwIfNoEntry: false }) !== undefined
    const files = isVersion2
      ? 'memory.max cpu.max cpu.max'
      : 'memory/memory.limit_in_bytes cpu/cpu.cfs_period_us cpu/cpu.cfs_quota_us'
    const look = dockerfile(
      'FROM busybox',
      `RUN cd /sys/fs/cgroup; echo $(cat ${files}); ulimit -n; df -k /dev/shm | tail -1`,
    )
    const limits = `memory=33554432&cpuperiod=50000&cpuquota=25000&shmsize=1048576&ulimits=${json([{ Name: 'nofile', Soft: 99, Hard: 100 }])}`
    const answer = await build(`/v1.19/build?${limits}`, look)
    expect(answer.text).toContain(isVersion2 ? '33554432 25000 50000 25000 50000\n' : '33554432 50000 25000\n')
    expect(answer.text).toContain('\n99\n')
    expect(answer.text).toMatch(/\b1024\b.*\/dev\/shm/)
  })

  it.each([
    ['squash=1', 'squash is only supported with experimental mode'],
    ['isolation=hyperv', 'invalid isolation'],
    ['buildargs=nonsense', 'buildargs'],
    ['t=UPPER', 'invalid reference format'],
    ['platform=a/b/c/d', 'invalid platform'],
    ['version=3', 'invalid builder version'],
    ['version=2&remote=client-session', 'session is missing'],
  ])('refuses %s', async (query, words) => {
    const answer = await build(query, dockerfile('FROM busybox'))
    expect(answer.status).toBe(400)
    expect(answer.error).toContain(words)
  })

  it('builds for another kind of machine what needs nothing to be run, and refuses the rest before any step', async () => {
    const foreign = process.arch === 'arm64' ? 'linux/amd64' : 'linux/arm64'
    const copying = dockerfile(
      'FROM --platform=$BUILDPLATFORM busybox AS make',
      'ARG TARGETARCH',
      'RUN echo $TARGETARCH > /made',
      'FROM scratch',
      'COPY --from=make /made /',
    )
    const built = await build(`t=foreign&platform=${foreign}`, copying)
    expect(built.error).toBeUndefined()
    const { Os, Architecture } = await inspect('foreign')
    expect(`${Os}/${Architecture}`).toBe(foreign)
    expect(
      (await build('', dockerfile('FROM foreign', 'LABEL a=b', 'COPY --from=busybox /bin /bin'))).error,
    ).toBeUndefined()
    const refused = { status: 400, text: '', error: expect.stringContaining(`cannot be run for ${foreign}`) }
    expect(await build(`platform=${foreign}`, dockerfile('FROM scratch', 'RUN true'))).toMatchObject(refused)
    expect(await build(`platform=${foreign}`, dockerfile('FROM foreign AS one', 'FROM one', 'RUN true'))).toMatchObject(
      refused,
    )
    const later = await build('', dockerfile('FROM foreign', 'LABEL c=d', 'RUN true'))
    expect(later.error).toContain('RUN on line 3 cannot be run for')
    expect(later.text).not.toContain('LABEL')
    const absent = await build(`platform=${foreign}`, dockerfile('FROM busybox', 'COPY --from=make / /'))
    expect(absent.error).toContain(
      `busybox is here for linux/${process.arch === 'arm64' ? 'arm64' : 'amd64'}, not for ${foreign}`,
    )
    expect(await build('platform=foobar', dockerfile('FROM busybox'))).toMatchObject({
      status: 400,
      error: expect.stringContaining('unknown operating system or architecture'),
    })
    for (const [platform, why] of [
      ['windows/amd64', ''],
      ['nowhere/amd64', ' unknown operating system;'],
    ]) {
      const error = `invalid platform ${platform}:${why} this engine builds images for linux alone`
      expect(await build(`platform=${platform}`, dockerfile('FROM busybox'))).toMatchObject({ status: 400, error })
    }
  })

  it('refuses connections that are not upgraded, outputs without BuildKit, and to cancel what is not there', async () => {
    for (const [path, status, words] of [
      ['/session', 400, 'Upgrade: h2c'],
      ['/grpc', 400, 'Upgrade: h2c'],
      ['/build/cancel?id=x', 404, 'no such build'],
      [`/build?outputs=${json([{ Type: 'tar' }])}`, 501, 'version=2'],
    ] as const) {
      const answer = await engine.call('POST', path)
      expect([path, answer.status, answer.body.message]).toEqual([path, status, expect.stringContaining(words)])
    }
  })

  it('ENG-427 is given up when its client leaves, and leaves nothing', async () => {
    const { response, leave } = await openBuild(
      engine.socketPath,
      '/v1.18/build?t=left',
      dockerfile('FROM busybox', 'RUN echo begun; sleep 600'),
    )
    let text = ''
    for await (const piece of response) {
      text += piece
      if (text.includes('begun')) break
    }
    leave()
    await expect.poll(leftovers, { timeout: 20_000 }).toEqual([])
    expect((await engine.call('GET', '/images/left/json')).status).toBe(404)
  })
})

describe('the context of a build', { timeout: 60_000 }, () => {
  const files = () => contextOf({ Dockerfile: 'FROM busybox\nCOPY a /a\nRUN cat /a', a: 'packed' })

  it('comes packed in any way', async () => {
    const packed: [string, Buffer][] = [
      ['plain', files()],
      ['gzip', gzipSync(files())],
      ['zstd', zstdCompressSync(files())],
      ...['bzip2', 'xz'].map((tool): [string, Buffer] => [tool, spawnSync(tool, ['-c'], { input: files() }).stdout]),
    ]
    for (const [name, context] of packed) expect((await build('nocache=1', context)).text, name).toContain('packed')
    expect((await build('', Buffer.from('no tar at all'))).status).toBe(400)
  })

  it('loses its Dockerfile and .dockerignore once they are read, where it says so', async () => {
    const context = contextOf({
      'sub/Other': 'FROM busybox\nCOPY . /all\nRUN find /all -type f | sort',
      '.dockerignore': 'sub/Other\n.dockerignore\n',
      kept: '1',
    })
    const answer = await build('dockerfile=sub/Other', context)
    expect(answer.text.match(/^\/all.*$/gm)).toEqual(['/all/kept'])
  })

  it('leads nowhere else', async () => {
    const entry = (more: object) =>
      tarOf([{ name: 'Dockerfile', data: 'FROM busybox\nCOPY x /x\nRUN cat /x/*' }, more as never])
    expect((await build('', entry({ name: '../x/inside', data: 'still inside' }))).text).toContain('still inside')
    const absolute = await build('', entry({ name: '/x/inside', data: 'inside' }))
    expect(absolute.text).toContain('inside')
    const link = await build('', entry({ name: 'x', type: '2', link: '/etc' }))
    expect(link.error).toContain('file not found in build context')
    const through = tarOf([
      { name: 'Dockerfile', data: 'FROM busybox\nCOPY x/hostname /x' },
      { name: 'x', type: '2', link: '/etc' },
    ])
    expect((await build('', through)).error).toContain('file not found in build context')
    const linked = tarOf([{ name: 'Dockerfile', type: '2', link: '/etc/passwd' }])
    expect(await build('', linked)).toMatchObject({ status: 400 })
  })

  it('is copied with wildcards, exclusions, here-documents and archives', async () => {
    const archive = gzipSync(tarOf([{ name: 'in/side', data: 'unpacked', uid: 3, gid: 4 }]))
    const context = tarOf([
      {
        name: 'Dockerfile',
        data: lines(
          'FROM busybox',
          'ARG WHO=you',
          'COPY *.txt d?r/one /many/',
          'COPY --exclude=*.md --exclude=deep/** tree /tree',
          'COPY --parents tree/deep/x.md ./tree/./deep/y /parents/',
          'ADD archive.tgz /un/',
          'ADD --unpack=false archive.tgz /packed/',
          'COPY <<one <<"two" /docs/',
          'hello $WHO \\$WHO',
          'one',
          'hello $WHO',
          'two',
          'COPY --chmod=640 <<EOF /single',
          'x',
          'EOF',
          'RUN <<EOF',
          'cd / && find many tree parents un packed docs single -type f | sort',
          'cat docs/one docs/two; stat -c "%a %u:%g" single un/in/side',
          'EOF',
          'RUN <<EOF',
          '#!/bin/cat',
          'as a file',
          'EOF',
          'RUN cat <<A - <<B 3<&0',
          'first',
          'A',
          'second',
          'B',
        ),
      },
      ...['a.txt', 'b.txt', 'c.md', 'dir/one', 'tree/x', 'tree/y.md', 'tree/deep/x.md', 'tree/deep/y'].map((name) => ({
        name,
        data: name,
      })),
      { name: 'archive.tgz', data: archive },
    ])
    const answer = await build('', context)
    expect(answer.error).toBeUndefined()
    const listed = answer.text.slice(answer.text.indexOf('docs/one\n'), answer.text.indexOf('hello you'))
    expect(listed.trim().split('\n')).toEqual([
      ...['docs/one', 'docs/two', 'many/a.txt', 'many/b.txt', 'many/one', 'packed/archive.tgz'],
      ...['parents/deep/y', 'parents/tree/deep/x.md', 'single', 'tree/x', 'un/in/side'],
    ])
    expect(answer.text).toContain('hello you $WHO\nhello $WHO\n640 0:0\n644 3:4\n')
    expect(answer.text).toContain('as a file')
    expect(answer.text).toContain('second')
    const none = await build('', contextOf({ Dockerfile: 'FROM busybox\nCOPY *.none /x/' }))
    expect(none.error).toBe('COPY failed: no source files were specified')
  })

  it('is mounted into steps, as are caches that outlive them', async () => {
    const context = contextOf({
      Dockerfile: lines(
        'FROM busybox',
        'RUN --mount=target=/ctx --mount=type=tmpfs,target=/t,size=1m cat /ctx/sub/f; touch /t/x; ! touch /ctx/no',
        'RUN --mount=type=cache,target=/c,id=kept cat /c/n 2>/dev/null; echo was here > /c/n',
        'RUN ls -d /ctx /t /c || echo no traces',
      ),
      'sub/f': 'mounted\n',
    })
    const first = await build('', context)
    expect(first.text).toContain('mounted\n')
    expect(first.text).not.toContain('was here\n')
    expect(first.text).toContain('no traces\n')
    expect((await build('nocache=1', context)).text).toContain('was here\n')
    const secret = await build('', dockerfile('FROM busybox', 'RUN --mount=type=secret,id=x true'))
    expect(secret.error).toContain('needs a client that offers it')
  })

  it('has caches that steps share, lock, or have for themselves', async () => {
    const stages = (steps: Record<string, string>) =>
      dockerfile(
        ...Object.entries(steps).flatMap(([name, step]) => [`FROM busybox AS ${name}`, `RUN ${step}; touch /${name}`]),
        'FROM scratch',
        ...Object.keys(steps).map((name) => `COPY --from=${name} /${name} /`),
      )
    const meeting = '--mount=type=cache,target=/m,id=meeting'
    const meet = (own: string, other: string) => `touch /m/${own}; until [ -e /m/${other} ]; do sleep 0.1; done`
    const both = (mount: string, script: (own: string, other: string) => string) =>
      stages({
        one: `${mount} ${meeting} ${script('one', 'two')}`,
        two: `${mount} ${meeting} ${script('two', 'one')}`,
      })
    // Each waits for the other: so both have it at once.
    const shared = await build('nocache=1', both('--mount=type=tmpfs,target=/t', meet))
    expect(shared.error).toBeUndefined()
    const alone = '[ ! -e /l/busy ] || exit 9; touch /l/busy; sleep 0.3; rm /l/busy'
    const locked = both('--mount=type=cache,target=/l,id=lock,sharing=locked', () => alone)
    expect((await build('nocache=1', locked)).error).toBeUndefined()
    const own = both(
      '--mount=type=cache,target=/p,id=own,sharing=private',
      (name, other) =>
        `touch /p/${name}; ${meet(`private-${name}`, `private-${other}`)}; [ "$(ls /p)" = ${name} ] || exit 8`,
    )
    expect((await build('nocache=1', own)).error).toBeUndefined()
    const again = dockerfile('FROM busybox', 'RUN --mount=type=cache,target=/p,id=own,sharing=private ls /p')
    expect((await build('nocache=1', again)).text).toMatch(/\n(one|two)\n/)
    const wrong = dockerfile('FROM busybox', 'RUN --mount=type=cache,target=/p,sharing=sometimes true')
    expect((await build('', wrong)).error).toContain('unsupported sharing value')
  })
})
