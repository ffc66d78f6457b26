// Atoll in an image of its own, made from the Dockerfile at the root by our engine, asked by whichever docker is here,
// and run by it. The transcript is kept in reports/atoll-image.txt.
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { importBase, importPackages } from './atoll-image-parts.ts'
import { findOlderDocker, findPlugin } from './docker-plugins.ts'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking('ldd', 'curl')
const buildTimeoutMs = 180_000
const healthTimeoutMs = 100_000
const url = 'http://127.0.0.1:8080'
const buildx = findPlugin('docker-buildx')
const builder = findBuilder()
let server: EngineServer
let tour: Transcript

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
  await importBase(server)
  await importPackages(server)
  if (buildx === undefined) return
  mkdirSync(join(server.folder, 'docker-config/cli-plugins'), { recursive: true })
  symlinkSync(buildx, join(server.folder, 'docker-config/cli-plugins/docker-buildx'))
}, 240_000)
afterAll(async () => {
  tour?.write('atoll-image.txt')
  await server?.stop()
}, 180_000)

/** By BuildKit where this machine has a client for it, else by the classic builder. */
function findBuilder() {
  const older = findOlderDocker(23)
  if (buildx !== undefined) return { name: 'buildx', docker: 'docker', isBuildKit: '1' }
  if (older !== undefined) return { name: 'a CLI from before buildx', docker: older, isBuildKit: '1' }
  return { name: 'the classic builder', docker: 'docker', isBuildKit: '0' }
}

const ofContainer = (what: string) => tour.docker('inspect', '--format', `{{.State.${what}}}`, 'atoll')

/** Nothing of the image can be written, as in deploy/compose.yaml; resolves when it is healthy. */
async function start(): Promise<void> {
  await tour.docker(
    ...['run', '--detach', '--name', 'atoll', '--read-only', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--publish', '8080:8080', '--volume', 'atoll:/data', 'atoll'],
  )
  const quiet = new Transcript(server)
  const said = async () => {
    const health = await quiet.docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', 'atoll')
    return `${health}\n${(await quiet.docker('logs', 'atoll')).slice(-2_000)}`
  }
  await expect.poll(said, { timeout: healthTimeoutMs, interval: 500 }).toMatch(/^running healthy/)
  expect(await ofContainer('Health.Status')).toBe('healthy')
}

async function stop(): Promise<void> {
  await tour.docker('stop', '-t', '60', 'atoll')
  expect(await ofContainer('ExitCode')).toBe('0')
  await tour.docker('rm', 'atoll')
}

const curl = (...args: string[]) => tour.onHost('curl', '--silent', '--show-error', ...args)
const status = (...args: string[]) => curl('--output', '/dev/null', '--write-out', '%{http_code}', ...args)

describe.skipIf(lacks.length > 0)(`Atoll in an image of its own, by ${builder.name}`, () => {
  it('is built from its Dockerfile', { timeout: buildTimeoutMs }, async () => {
    tour.title(`docker build, by ${builder.name}`)
    const env = {
      DOCKER_BUILDKIT: builder.isBuildKit,
      BUILDKIT_PROGRESS: 'plain',
      BUILDX_CONFIG: join(server.folder, 'buildx'),
    }
    // From what is here: a base without Node, and packages that are installed already.
    const offline = ['--build-arg', 'BASE=base', '--build-arg', 'PACKAGES=packages']
    const asked = ['build', ...offline, '--tag', 'atoll', root]
    await tour.run(builder.docker, asked, { env, timeoutMs: buildTimeoutMs })
    const format = '{{.Config.User}} {{json .Config.Entrypoint}} {{json .Config.Cmd}} {{json .Config.Volumes}}'
    const made = await tour.docker('image', 'inspect', '--format', format, 'atoll')
    expect(made).toBe('10001:10001 ["./atoll"] ["up"] {"/data":{}}')
  })

  it('runs as nobody in particular with a root that cannot be written, is healthy and answers, stops, and keeps its data', {
    timeout: 2 * healthTimeoutMs + 60_000,
  }, async () => {
    tour.title('docker run --read-only')
    await start()
    expect(await tour.docker('exec', 'atoll', 'stat', '-c', '%u:%g', '/proc/1', '/data/atoll')).toBe(
      '10001:10001\n10001:10001',
    )
    expect(
      await tour.run('docker', ['exec', '--user', '0', 'atoll', 'touch', '/atoll/written'], { code: 1 }),
    ).toContain('Read-only file system')
    tour.title('a key, and a file that it uploads')
    expect(await status(`${url}/v1/models`)).toBe('401')
    const [key] =
      /sk-[\w-]+/.exec(await tour.docker('exec', 'atoll', '/atoll/atoll', 'keys', 'create', 'project')) ?? []
    const allowed = ['--header', `Authorization: Bearer ${key}`]
    expect(await status(...allowed, `${url}/v1/models`)).toBe('200')
    const form = ['--form', 'purpose=user_data', '--form', 'file=what is to be kept;filename=note.txt']
    const { id } = JSON.parse(await curl(...allowed, ...form, `${url}/v1/files`))

    tour.title('docker stop, and another container with the same volume')
    await stop()
    await start()
    expect(await status(...allowed, `${url}/v1/models`)).toBe('200')
    expect(await curl(...allowed, `${url}/v1/files/${id}/content`)).toBe('what is to be kept')
    await stop()
  })
})
