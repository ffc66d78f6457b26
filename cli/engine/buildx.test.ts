// Builds by BuildKit's own clients: docker with its buildx plugin, compose v2, and a CLI from before buildx.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOlderDocker, findPlugin } from './docker-plugins.ts'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { projectFolder } from './project-folder.ts'
import { startRegistry } from './registry.ts'
import { type RunOptions, runToEnd } from './run-to-end.ts'

const lacks = lacking()
const buildx = findPlugin('docker-buildx')
const compose = findPlugin('docker-compose')
const olderDocker = findOlderDocker(23)
let server: EngineServer
let env: Record<string, string>

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  const { DOCKER_BUILDKIT: _, ...rest } = server.env
  env = { ...rest, BUILDX_CONFIG: join(server.folder, 'buildx') }
  const plugins = join(server.folder, 'docker-config/cli-plugins')
  mkdirSync(plugins, { recursive: true })
  for (const path of [buildx, compose])
    if (path !== undefined) symlinkSync(path, join(plugins, path.split('/').at(-1)!))
}, 120_000)
afterAll(async () => {
  await server?.stop()
}, 60_000)

const run = (program: string, args: string[], options: Partial<RunOptions> = {}) =>
  runToEnd(program, args, { env, timeoutMs: 60_000, isMerged: true, ...options })
const docker = (...args: string[]) => run('docker', args)
/** Without the plugin's words on standard error. */
const says = async (image: string, ...command: string[]) =>
  (await run('docker', ['run', '--rm', image, ...command], { isMerged: false })).stdout

const project = (name: string, files: Record<string, string>) => projectFolder(server.folder, name, files)

/** Asks the agent for its keys, and shows of what kind the answer is: 12 is a list of them. */
const askAgent = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(void) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char answer[64] = {0};
  int agent = socket(AF_UNIX, SOCK_STREAM, 0);
  strncpy(to.sun_path, getenv("SSH_AUTH_SOCK"), sizeof to.sun_path - 1);
  if (connect(agent, (struct sockaddr *)&to, sizeof to) != 0 || write(agent, "\\0\\0\\0\\1\\13", 5) != 5) return 1;
  for (long had = 0, got = 1; had < 5 && got > 0; had += got) got = read(agent, answer + had, sizeof answer - 1 - had);
  printf("kind %d\\n", answer[4]);
  return 0;
}
`

const plain = ['build', '--progress=plain']

describe.skipIf(lacks.length > 0 || buildx === undefined)('docker build with buildx', { timeout: 90_000 }, () => {
  it('builds, tags, labels, uses its cache, and writes down what it made', async () => {
    const folder = project('app', {
      Dockerfile:
        'FROM busybox AS make\nARG WHO=you\nRUN echo hello $WHO > /greeting\nFROM busybox\nCOPY --from=make /greeting /\nCOPY . /app/\nCMD ["cat", "/greeting", "/app/sub/file"]\n',
      '.dockerignore': 'secret\nDockerfile\n*.lög\n',
      'sub/file': 'a file\n',
      'ä.lög': 'left out',
      secret: 'no',
    })
    const [iid, metadata] = [join(server.folder, 'iid'), join(server.folder, 'metadata')]
    const asked = ['-t', 'app:1', '-t', 'app:2', '--build-arg', 'WHO=me', '--label', 'l=1', folder]
    const built = await docker(...plain, '--iidfile', iid, '--metadata-file', metadata, ...asked)
    expect(built.code, built.stdout).toBe(0)
    expect(built.stdout).toMatch(/\[make 2\/2\] RUN echo hello \$WHO > \/greeting\n/)
    expect(built.stdout).toContain('naming to docker.io/library/app:1 done')
    const id = (await docker('image', 'inspect', '-f', '{{.Id}} {{.Config.Labels.l}}', 'app:2')).stdout.trim()
    expect(id).toBe(`${readFileSync(iid, 'utf8')} 1`)
    expect(JSON.parse(readFileSync(metadata, 'utf8'))).toMatchObject({
      'containerimage.config.digest': readFileSync(iid, 'utf8'),
      'image.name': 'docker.io/library/app:1,docker.io/library/app:2',
    })
    expect(await says('app:1')).toBe('hello me\na file\n')
    expect(await says('app:1', 'ls', '-A', '/app')).toBe('.dockerignore\nsub\n')
    const again = await docker(...plain, ...asked)
    expect(again.stdout).toMatch(/\[make 2\/2\] RUN echo hello.*\n#\d+ CACHED/)
    expect((await docker('build', '-q', ...asked)).stdout.trim()).toBe(readFileSync(iid, 'utf8'))
    const without = await docker(...plain, '--no-cache', ...asked)
    expect(without.stdout).not.toContain('CACHED')
  })

  it('tells what failed, and where it stands', async () => {
    const failing = await docker(
      ...plain,
      project('failing', { Dockerfile: 'FROM busybox\n\nRUN echo so far; exit 7\n' }),
    )
    expect(failing.code).toBe(1)
    expect(failing.stdout).toContain('so far')
    expect(failing.stdout).toContain(
      'process "/bin/sh -c echo so far; exit 7" did not complete successfully: exit code: 7',
    )
    expect(failing.stdout).toMatch(/Dockerfile:3\n-+\n[\s\S]*3 \| >>> RUN echo so far; exit 7/)
    const wrong = await docker(...plain, project('wrong', { Dockerfile: 'FROM busybox\nNOPE\n' }))
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toContain('dockerfile parse error on line 2: unknown instruction: NOPE')
    expect(wrong.stdout).toContain('2 | >>> NOPE')
    const missing = await docker(...plain, project('missing', { Dockerfile: 'FROM busybox\nCOPY nothing /\n' }))
    expect(missing.stdout).toContain('nothing: file does not exist')
    for (const [flag, words] of [
      ['--platform=linux/amd64,linux/arm64', /multi-platform|one platform/i],
      ['--sbom=true', /attest/i],
      ['--check', /answers no questions/],
    ] as const) {
      const refused = await docker(...plain, flag, project('wrong', {}))
      expect([flag, refused.code, refused.stdout]).toEqual([flag, 1, expect.stringMatching(words)])
    }
  })

  it('takes contexts from its standard input and by name', async () => {
    const input = 'FROM busybox\nRUN echo typed > /typed\nCMD cat /typed\n'
    const typed = await run('docker', [...plain, '-t', 'typed', '-'], { input })
    expect(typed.code, typed.stdout).toBe(0)
    expect(await says('typed')).toBe('typed\n')
    const folder = project('packed', { Dockerfile: 'FROM busybox\nCOPY in /in\nCMD cat /in\n', in: 'packed\n' })
    const packed = await run('sh', ['-c', `tar -C ${folder} -cz . | docker build --progress=plain -t packed -`])
    expect(packed.code, packed.stdout).toBe(0)
    expect(await says('packed')).toBe('packed\n')
    const other = project('other', { 'deep/file': 'by name\n', '.dockerignore': 'left-out\n', 'left-out': 'x' })
    const named = project('named', {
      Dockerfile:
        'FROM base\nCOPY --from=more . /more\nRUN --mount=type=bind,from=more,target=/m cat /m/deep/file\nCMD ls -A /more\n',
    })
    const contexts = ['--build-context', 'base=docker-image://busybox', '--build-context', `more=${other}`]
    const built = await docker(...plain, ...contexts, '-t', 'named', named)
    expect(built.code, built.stdout).toBe(0)
    expect(built.stdout).toContain('by name')
    expect(await says('named')).toBe('.dockerignore\ndeep\n')
  })

  it('gives steps secrets and hosts, and limits', async () => {
    const folder = project('secretive', {
      Dockerfile:
        '# syntax=docker/dockerfile:1\nFROM busybox\nRUN --mount=type=secret,id=key cat /run/secrets/key | tr a-z A-Z\nRUN cat /etc/hosts; ulimit -n; df -k /dev/shm | tail -1\nRUN <<EOF\necho here > /document\nEOF\nRUN ls -d /run* > /left || true\n',
      key: 'sesame',
    })
    const limits = ['--add-host', 'far:10.9.8.7', '--ulimit', 'nofile=123:456', '--shm-size', '8m']
    const built = await docker(...plain, ...limits, '--secret', `id=key,src=${folder}/key`, '-t', 'secretive', folder)
    expect(built.code, built.stdout).toBe(0)
    expect(built.stdout).toContain('SESAME')
    expect(built.stdout).toMatch(/10\.9\.8\.7\s+far/)
    expect(built.stdout).toMatch(/ 123\n.* 8192 /)
    expect(await says('secretive', 'cat', '/document', '/left')).toBe('here\n')
  })

  it('puts files out instead of an image', async () => {
    const folder = project('put-out', {
      Dockerfile:
        'FROM busybox AS make\nRUN mkdir /out && echo one > /out/one && ln -s one /out/two && ln /out/one /out/three\nFROM scratch\nCOPY --from=make /out /\nCOPY a.b /a/\nCOPY a.b /a.b\n',
      'a.b': 'x',
    })
    const target = join(server.folder, 'target')
    const local = await docker(...plain, '--output', target, folder)
    expect(local.code, local.stdout).toBe(0)
    const listed = await run('sh', [
      '-c',
      `cd ${target} && find . | sort | tr '\\n' ' ' && cat two three && readlink two`,
    ])
    expect(listed.stdout).toBe('. ./a ./a.b ./a/a.b ./one ./three ./two one\none\none\n')
    const archive = join(server.folder, 'target.tar')
    const tar = await docker(...plain, '--output', `type=tar,dest=${archive}`, folder)
    expect(tar.code, tar.stdout).toBe(0)
    expect((await run('tar', ['-xOf', archive, './one'])).stdout).toBe('one\n')
  })

  it.skipIf(lacking('ssh-agent').length > 0)("lends steps the client's SSH agent", async () => {
    const path = join(server.folder, 'agent.sock')
    const agent = spawn('ssh-agent', ['-D', '-a', path], { stdio: 'ignore' })
    await expect.poll(() => existsSync(path)).toBe(true)
    const folder = project('agent', {
      Dockerfile:
        'FROM busybox\nCOPY ask /ask\nRUN --mount=type=ssh /ask && echo $SSH_AUTH_SOCK\nRUN test -z "$SSH_AUTH_SOCK"\n',
      'ask.c': askAgent,
    })
    await run('cc', ['-static', '-o', join(folder, 'ask'), join(folder, 'ask.c')])
    const built = await docker(...plain, '--ssh', `default=${path}`, folder)
    expect(built.code, built.stdout).toBe(0)
    expect(built.stdout).toMatch(/kind 12\n.*\/run\/buildkit\/ssh_agent\.0/)
    agent.kill()
  })

  it.skipIf(lacking('docker-registry').length > 0)('pushes to a registry, and takes its cache from there', async () => {
    const registry = await startRegistry(server)
    const name = `${registry.address}/round:1`
    const folder = project('round', {
      Dockerfile: 'FROM busybox\nCOPY file /file\nRUN head -c 16 /dev/urandom > /random\nCMD cat /file\n',
      file: 'pushed\n',
    })
    const pushed = await docker(...plain, '--push', '-t', name, folder)
    expect(pushed.code, pushed.stdout).toBe(0)
    await docker('rmi', name)
    await docker('buildx', 'prune', '--all', '--force')
    const cached = await docker(...plain, '--cache-from', `type=registry,ref=${name}`, '-t', 'round:2', folder)
    expect(cached.code, cached.stdout).toBe(0)
    expect(cached.stdout).toMatch(/\[3\/3\] RUN head.*\n#\d+ CACHED/)
    await docker('rmi', name, 'round:2')
    expect(await says(name)).toBe('pushed\n')
    const none = await docker(...plain, '--cache-from', `type=registry,ref=${registry.address}/none`, folder)
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/importing cache manifest[\s\S]*ERROR/)])
    await registry.stop()
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'stops when its client is ended by %s, and leaves nothing',
    async (signal) => {
      const folder = project('long', { Dockerfile: 'FROM busybox\nRUN sleep 300\n' })
      const client = new EngineClient(server.socketPath)
      // A group of its own: the plugin is ended with the CLI that called it, without a word to the engine.
      const building = spawn('docker', [...plain, folder], { env, stdio: 'ignore', detached: true })
      const ended = new Promise((resolve) => building.once('exit', resolve))
      const running = async () => (await client.ask<object[]>('GET', '/containers/json')).length
      await expect.poll(running, { timeout: 30_000, interval: 50 }).toBe(1)
      process.kill(-(building.pid ?? Number.NaN), signal)
      await ended
      await expect.poll(running, { timeout: 30_000, interval: 50 }).toBe(0)
      expect((await client.ask<object[]>('GET', '/containers/json?all=1')).length).toBe(0)
      client.close()
    },
  )

  it('lists builders, and what builds keep, and prunes it', async () => {
    expect((await docker('buildx', 'inspect')).stdout).toMatch(/Platforms:\s+linux\//)
    expect((await docker('buildx', 'du')).stdout).toMatch(/Total:\s+[\d.]+[kMG]?B/)
    expect((await docker('buildx', 'prune', '--all', '--force')).stdout).toMatch(/Total:/)
    expect((await docker('buildx', 'du')).stdout).toMatch(/Total:\s+0B/)
  })
})

describe.skipIf(lacks.length > 0 || compose === undefined)('compose v2', { timeout: 90_000 }, () => {
  it('builds the images of its services', async () => {
    const folder = project('composed', {
      'one/Dockerfile': 'FROM busybox\nARG WHAT\nRUN echo $WHAT > /x\nCMD cat /x\n',
      'two/Dockerfile': 'FROM busybox\nCOPY f /x\nCMD cat /x\n',
      'two/f': 'two\n',
      'compose.yaml':
        'services:\n  one:\n    build:\n      context: one\n      args: { WHAT: one }\n    image: composed:1\n  two:\n    build: two\n    image: composed:2\n',
    })
    const built = await docker('compose', '-f', join(folder, 'compose.yaml'), 'build')
    expect(built.code, built.stdout).toBe(0)
    expect(await says('composed:1')).toBe('one\n')
    expect(await says('composed:2')).toBe('two\n')
  })
})

describe.skipIf(lacks.length > 0 || olderDocker === undefined)('a CLI from before buildx', { timeout: 90_000 }, () => {
  const older = (args: string[], options: Partial<RunOptions> = {}) =>
    run(olderDocker ?? 'docker', args, { ...options, env: { ...env, DOCKER_BUILDKIT: '1' } })

  it('builds by BuildKit, with secrets, from its standard input, and puts files out', async () => {
    const folder = project('older', {
      Dockerfile:
        'FROM busybox\nCOPY file /file\nRUN --mount=type=secret,id=key cat /run/secrets/key /file > /both\nCMD cat /both\n',
      file: 'file\n',
      key: 'key\n',
    })
    const secret = ['--secret', `id=key,src=${folder}/key`]
    const built = await older([...plain, ...secret, '-t', 'older', folder])
    expect(built.code, built.stdout).toBe(0)
    expect(built.stdout).toContain('[3/3] RUN --mount=type=secret')
    expect(await says('older')).toBe('key\nfile\n')
    const packed = await run(
      'sh',
      ['-c', `tar -C ${folder} -c . | ${olderDocker} build -q -f Dockerfile ${secret.join(' ')} -`],
      {
        env: { ...env, DOCKER_BUILDKIT: '1' },
      },
    )
    expect(packed.stdout.trim()).toBe((await docker('image', 'inspect', '-f', '{{.Id}}', 'older')).stdout.trim())
    const target = join(server.folder, 'older-target')
    const out = await older([...plain, ...secret, '-o', target, folder])
    expect(out.code, out.stdout).toBe(0)
    expect(readFileSync(join(target, 'both'), 'utf8')).toBe('key\nfile\n')
    const failing = await older([...plain, project('older-failing', { Dockerfile: 'FROM busybox\nRUN exit 3\n' })])
    expect([failing.code, failing.stdout]).toEqual([1, expect.stringContaining('exit code: 3')])
  })
})
