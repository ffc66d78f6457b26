// The engine as programs use it: dockerode, and testcontainers on top of it.

import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { projectFolder } from './project-folder.ts'
import { member, startRegistry } from './registry.ts'
import { runToEnd } from './run-to-end.ts'

const lacks = lacking('docker-registry')
let server: EngineServer
let docker: Docker

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  docker = new Docker({ socketPath: server.socketPath })
}, 120_000)

afterAll(async () => {
  await server?.stop()
}, 60_000)

/** What a stream of both kinds held, once it ended. */
async function demultiplexed(stream: NodeJS.ReadableStream): Promise<{ out: string; err: string }> {
  const out = new PassThrough()
  const err = new PassThrough()
  docker.modem.demuxStream(stream, out, err)
  const texts = Promise.all([text(out), text(err)])
  await once(stream, 'end')
  out.end()
  err.end()
  const [outText, errText] = await texts
  return { out: outText, err: errText }
}

const finished = (stream: NodeJS.ReadableStream) =>
  new Promise<{ status?: string }[]>((resolve, reject) => {
    docker.modem.followProgress(stream, (problem, messages) => (problem ? reject(problem) : resolve(messages)))
  })

async function running(script: string): Promise<Docker.Container> {
  const container = await docker.createContainer({ Image: 'busybox', Cmd: ['sh', '-c', script] })
  await container.start()
  return container
}

describe.skipIf(lacks.length > 0)('dockerode', { timeout: 30_000 }, () => {
  it('creates, attaches before the start, types, and hears both streams to the end', async () => {
    const container = await docker.createContainer({
      ...{ Image: 'busybox', name: 'typed', OpenStdin: true, StdinOnce: true, AttachStdin: true },
      Cmd: ['sh', '-c', 'read word; echo "out $word"; echo "err $word" >&2; exit 4'],
    })
    const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true })
    const heard = demultiplexed(stream)
    await container.start()
    stream.write('hello\n')
    expect(await container.wait()).toMatchObject({ StatusCode: 4 })
    expect(await heard).toEqual({ out: 'out hello\n', err: 'err hello\n' })
    const facts = await container.inspect()
    expect(facts.State).toMatchObject({ Status: 'exited', ExitCode: 4, Running: false })
    await container.remove()
    await expect(container.inspect()).rejects.toMatchObject({ statusCode: 404 })
  })

  it('runs a command to its end with one call', async () => {
    const out = new PassThrough()
    const said = text(out)
    const [result, container] = await docker.run('busybox', ['echo', 'one call'], out)
    expect(result).toMatchObject({ StatusCode: 0 })
    expect((await said).trim()).toBe('one call')
    await container.remove()
  })

  it('executes commands in a running container', async () => {
    const container = await running('exec top')
    const exec = await container.exec({
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Env: ['WORD=yes'], WorkingDir: '/tmp' },
      Cmd: ['sh', '-c', 'cat; echo $WORD $PWD; echo oops >&2; exit 9'],
    })
    const stream = await exec.start({ hijack: true, stdin: true })
    stream.end('typed\n')
    expect(await demultiplexed(stream)).toEqual({ out: 'typed\nyes /tmp\n', err: 'oops\n' })
    expect(await exec.inspect()).toMatchObject({ ExitCode: 9, Running: false })
    await container.remove({ force: true })
  })

  it('reads logs at once and while they are written', async () => {
    const container = await running('for i in 1 2 3; do echo $i; sleep 0.1; done; echo end >&2')
    const followed = await container.logs({ follow: true, stdout: true, stderr: true })
    expect(await demultiplexed(followed)).toEqual({ out: '1\n2\n3\n', err: 'end\n' })
    const all = await container.logs({ follow: false, stdout: true, stderr: false, tail: 1 })
    expect(all.subarray(8).toString()).toBe('3\n')
    await container.remove()
  })

  it('takes statistics once and as a stream', async () => {
    const container = await running('exec top')
    const once = await container.stats({ stream: false, 'one-shot': true })
    expect(once.pids_stats?.current).toBe(1)
    expect(once.memory_stats.usage).toBeGreaterThan(0)
    expect(Object.keys(once.networks)).toEqual(['eth0'])
    const stream = await container.stats({ stream: true })
    let text = ''
    for await (const chunk of stream) {
      text += chunk
      if (text.split('\n').length > 2) break
    }
    for (const sample of text.split('\n').slice(0, 2))
      expect(JSON.parse(sample).cpu_stats.online_cpus).toBeGreaterThan(0)
    await container.remove({ force: true })
  })

  it('puts an archive into a container and gets it back', async () => {
    const container = await running('exec top')
    const archive = await runToEnd(
      'tar',
      ['-C', server.folder, '-cf', `${server.folder}/etc.tar`, 'busybox/etc'],
      server,
    )
    expect(archive.code).toBe(0)
    await container.putArchive(`${server.folder}/etc.tar`, { path: '/tmp' })
    const got = await buffer(await container.getArchive({ path: '/tmp/busybox/etc/passwd' }))
    expect(got.subarray(0, 6).toString()).toBe('passwd')
    expect(got.toString()).toContain('nobody:x:65534')
    await expect(container.getArchive({ path: '/nowhere' })).rejects.toMatchObject({ statusCode: 404 })
    await container.remove({ force: true })
  })

  it('hears events as they happen', async () => {
    const stream = await docker.getEvents({ filters: { type: ['container'], event: ['create', 'start', 'die'] } })
    let heard = ''
    stream.on('data', (chunk) => (heard += chunk))
    const container = await running('true')
    await container.wait()
    while (!heard.includes('"die"')) await setTimeout(10)
    ;(stream as NodeJS.ReadableStream & { destroy(): void }).destroy()
    const actions = heard
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).Action)
    expect(actions).toEqual(['create', 'start', 'die'])
    await container.remove()
  })

  it('tags, pushes and pulls with progress', async () => {
    const registry = await startRegistry(server)
    await docker.getImage('busybox').tag({ repo: `${registry.address}/box`, tag: '2' })
    const name = `${registry.address}/box:2`
    const pushed = await finished(await docker.getImage(name).push({ authconfig: { username: '', password: '' } }))
    expect(pushed.some(({ status }) => status?.includes('digest: sha256:'))).toBe(true)
    await docker.getImage(name).remove()
    const pulled = await finished(await docker.pull(name))
    expect(pulled.at(-1)?.status).toMatch(/^Status: .* for 127\.0\.0\.1/)
    expect((await docker.listImages()).flatMap(({ RepoTags }) => RepoTags)).toContain(name)
    await registry.stop()
  })

  it("builds by BuildKit on an image that only the client's session may pull", async () => {
    const registry = await startRegistry(server, { forMembers: true })
    const name = `${registry.address}/members/box:1`
    await docker.getImage('busybox').tag({ repo: `${registry.address}/members/box`, tag: '1' })
    await finished(await docker.getImage(name).push({ authconfig: { ...member, serveraddress: registry.address } }))
    await docker.getImage(name).remove()
    const folder = projectFolder(server.folder, 'rode', { Dockerfile: `FROM ${name}\nRUN echo built > /f\n` })
    const build = async (authconfig?: Docker.AuthConfig) => {
      const asked = { t: 'rode:2', version: '2', pull: true, authconfig } as const
      return text(await docker.buildImage({ context: folder, src: ['Dockerfile'] }, asked))
    }
    expect(await build()).toContain('"error":"no basic auth credentials"')
    expect(await build({ ...member, serveraddress: registry.address })).not.toContain('"error"')
    const said = new PassThrough()
    await docker.run('rode:2', ['cat', '/f'], said)
    expect(String(said.read())).toContain('built')
    await registry.stop()
  })

  it('makes networks and volumes and lists what there is', async () => {
    const network = await docker.createNetwork({ Name: 'rode', Labels: { by: 'dockerode' } })
    await docker.createVolume({ Name: 'rode' })
    const container = await docker.createContainer({
      ...{ Image: 'busybox', name: 'member', Labels: { by: 'dockerode' }, Cmd: ['top'] },
      HostConfig: { Binds: ['rode:/data'], NetworkMode: 'rode' },
    })
    await container.start()
    expect(Object.values((await network.inspect()).Containers ?? {})).toMatchObject([{ Name: 'member' }])
    const [listed] = await docker.listContainers({ filters: { label: ['by=dockerode'] } })
    expect(listed).toMatchObject({ Names: ['/member'], State: 'running', Mounts: [{ Name: 'rode' }] })
    await expect(docker.getVolume('rode').remove()).rejects.toMatchObject({ statusCode: 409 })
    await container.remove({ force: true })
    await network.remove()
    await docker.getVolume('rode').remove()
  })
})
