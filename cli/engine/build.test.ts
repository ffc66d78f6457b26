// Builds by real clients: docker's own, docker-compose and dockerode; and an engine that is killed while it builds.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { runToEnd } from './run-to-end.ts'

const lacks = lacking('docker-compose')
const rounds = process.env.ATOLL_TEST_LONG === '1' ? 50 : 1
const hasDockerPy = spawnSync('python3', ['-c', 'import docker']).status === 0
let server: EngineServer

beforeAll(async () => {
  if (lacks.length === 0) server = await startEngineServer()
}, 120_000)
afterAll(async () => {
  await server?.stop()
}, 60_000)

const run = (program: string, args: string[]) => runToEnd(program, args, { env: server.env, timeoutMs: 60_000 })
const docker = (...args: string[]) => run('docker', args)

function project(name: string, files: Record<string, string>): string {
  const folder = join(server.folder, name)
  mkdirSync(folder, { recursive: true })
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
  return folder
}

const dockerPyBuilds = `
import docker, io, sys
client = docker.from_env()
image, logs = client.images.build(path=sys.argv[1], tag='py:1', buildargs={'WHO': 'py'}, labels={'l': '1'}, rm=True)
print(image.tags, image.labels['l'], any('hello py' in line.get('stream', '') for line in logs))
def typed(text, **more):
    return client.images.build(fileobj=io.BytesIO(text.encode()), rm=True, **more)
typed('FROM busybox\\nCMD ["echo", "typed"]', tag='py:2')
print(client.containers.run('py:2', remove=True))
try: typed('FROM busybox\\nRUN exit 3')
except docker.errors.BuildError as problem: print(problem)
try: typed('FROM busybox\\nNOPE')
except docker.errors.APIError as problem: print(problem.status_code, problem.explanation)
def hits(**more):
    script = io.BytesIO(b'FROM busybox\\nENV FOO=bar\\nRUN touch baz\\nRUN touch bax')
    return sum('Using cache' in line.get('stream', '') for line in client.api.build(fileobj=script, decode=True, **more))
print(hits(tag='one'), hits(tag='two', cache_from=['one']), hits(tag='two', cache_from=['nosuchtag']))
print(sorted(client.api.prune_builds()))
`

describe.skipIf(lacks.length > 0)('docker build', { timeout: 90_000 }, () => {
  it('builds, tags, uses its cache, ends with the code of a step, and prunes', async () => {
    const folder = project('app', {
      Dockerfile:
        'FROM busybox AS make\nARG WHO=you\nRUN echo hello $WHO > /greeting\nFROM busybox\nCOPY --from=make /greeting /\nCOPY . /app/\nCMD ["cat", "/greeting", "/app/file"]\n',
      '.dockerignore': 'secret\nDockerfile\n',
      file: 'a file\n',
      secret: 'no',
    })
    const built = await docker('build', '-t', 'app:1', '--build-arg', 'WHO=me', '--label', 'l=1', folder)
    expect(built.code, built.stderr).toBe(0)
    expect(built.stdout).toContain('Successfully tagged app:1')
    expect((await docker('run', '--rm', 'app:1')).stdout).toBe('hello me\na file\n')
    expect((await docker('run', '--rm', 'app:1', 'ls', '-A', '/app')).stdout.split('\n')).toEqual([
      '.dockerignore',
      'file',
      '',
    ])
    const again = await docker('build', '-q', '-t', 'app:2', '--build-arg', 'WHO=me', '--label', 'l=1', folder)
    expect(again.stdout.trim()).toBe((await docker('image', 'inspect', '-f', '{{.Id}}', 'app:1')).stdout.trim())
    const failing = project('failing', { Dockerfile: 'FROM busybox\nRUN exit 7\n' })
    expect((await docker('build', failing)).code).toBe(7)
    const wrong = await docker('build', project('wrong', { Dockerfile: 'FROM busybox\nNOPE\n' }))
    expect(wrong.stderr).toContain('dockerfile parse error on line 2: unknown instruction: NOPE')
    expect((await docker('system', 'df')).stdout).toMatch(/Build Cache\s+\d+/)
    expect((await docker('builder', 'prune', '-af')).code).toBe(0)
  })

  it('builds for docker-compose', async () => {
    const folder = project('composed', {
      Dockerfile: 'FROM busybox\nRUN echo composed > /x\nCMD cat /x\n',
      'docker-compose.yml': 'version: "3"\nservices:\n  one:\n    build: .\n    image: composed:1\n',
    })
    const built = await run('docker-compose', ['-f', join(folder, 'docker-compose.yml'), '-p', 'composed', 'build'])
    expect(built.code, built.stderr).toBe(0)
    expect((await docker('run', '--rm', 'composed:1')).stdout).toBe('composed\n')
  })

  it('builds for dockerode', async () => {
    const folder = project('dockerode', { Dockerfile: 'FROM busybox\nCOPY f /f\nRUN cat /f\n', f: 'by dockerode' })
    const client = new Docker({ socketPath: server.socketPath })
    const stream = await client.buildImage({ context: folder, src: ['Dockerfile', 'f'] }, { t: 'dockerode:1' })
    expect(await text(stream)).toContain('by dockerode')
    expect((await client.getImage('dockerode:1').inspect()).RepoTags).toEqual(['dockerode:1'])
  })

  it.skipIf(!hasDockerPy)('builds for docker-py', async () => {
    const folder = project('docker-py', {
      Dockerfile: 'FROM busybox\nARG WHO\nRUN echo hello $WHO\n',
      'build.py': dockerPyBuilds,
    })
    const built = await run('python3', [join(folder, 'build.py'), folder])
    expect(built.stdout.split('\n'), built.stderr).toEqual([
      "['py:1'] 1 True",
      "b'typed\\n'",
      "The command '/bin/sh -c exit 3' returned a non-zero code: 3",
      '400 dockerfile parse error on line 2: unknown instruction: NOPE',
      '0 3 0',
      "['CachesDeleted', 'SpaceReclaimed']",
      '',
    ])
  })

  it(`leaves nothing and no wrong layer when it is killed ${rounds} times in the midst`, {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    const folder = project('killed', {
      Dockerfile:
        'FROM busybox\nCOPY n /n\nRUN cp /n /first\nRUN sleep 1; cp /first /second\nRUN sleep 1; cat /n /first /second > /all\nCMD cat /all\n',
      n: '',
    })
    for (let round = 1; round <= rounds; round++) {
      writeFileSync(join(folder, 'n'), `${round}\n`)
      const building = docker('build', '-t', 'killed:1', folder)
      const client = new EngineClient(server.socketPath)
      await expect
        .poll(async () => (await client.ask<object[]>('GET', '/containers/json')).length, {
          timeout: 30_000,
          interval: 20,
        })
        .toBeGreaterThan(0)
      client.close()
      await server.end('SIGKILL')
      expect((await building).code).not.toBe(0)
      await server.start()
      expect((await docker('ps', '-aq')).stdout).toBe('')
      const engineFolder = join(server.folder, 'data/engine')
      expect(readdirSync(join(engineFolder, 'staging'))).toEqual([])
      expect(readdirSync(join(engineFolder, 'containers'))).toEqual([])
      const built = await docker('build', '-t', 'killed:1', folder)
      expect(built.code, built.stderr).toBe(0)
      expect((await docker('run', '--rm', 'killed:1')).stdout).toBe(`${round}\n`.repeat(3))
    }
  })
})
