// Atoll in an image of its own, made from the Dockerfile at the root by our engine, and run by it.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { findPlugin } from './docker-plugins.ts'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { importMachine } from './machine-image.ts'
import { runToEnd } from './run-to-end.ts'

const lacks = lacking('gcc', 'ldd')
const buildx = findPlugin('docker-buildx')
const buildTimeoutMs = 180_000
let server: EngineServer

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  await importMachine(server)
  if (buildx === undefined) return
  mkdirSync(join(server.folder, 'docker-config/cli-plugins'), { recursive: true })
  symlinkSync(buildx, join(server.folder, 'docker-config/cli-plugins/docker-buildx'))
}, 240_000)
afterAll(async () => {
  await server?.stop()
}, 180_000)

const docker = (args: string[], env: Record<string, string> = {}) =>
  runToEnd('docker', args, { env: { ...server.env, ...env }, timeoutMs: buildTimeoutMs, isMerged: true })

const healthOf = async (id: string) => (await docker(['inspect', '-f', '{{.State.Health.Status}}', id])).stdout.trim()

/** Loaded by models at their first use, and large: what is tried here needs none of them. */
const packagesOfModels =
  /^(node-linux-|@rolldown\/|rolldown$|@iconify-json\/|onnxruntime|@node-llama-cpp\/|gpt-tokenizer$|@echogarden\/|@img\/|@libav\.js\/|@resvg\/|@expo-google-fonts\/)/

/** What `packages` would install, as it is installed here, with the machine's Node for Atoll's own. */
function installedPackages(): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const folder = join(server.folder, 'packages')
  const modules = join(folder, 'atoll/node_modules')
  for (const [path, entry] of Object.entries<{ dev?: boolean; devOptional?: boolean; link?: boolean }>(lock)) {
    const [, name] = /^(?:[a-z]+\/)*node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    if (name === undefined || entry.dev || entry.devOptional || packagesOfModels.test(name)) continue
    if (!existsSync(join(root, path))) continue
    // A workspace is a link to its folder.
    cpSync(join(root, path), join(folder, 'atoll', path), { recursive: true, verbatimSymlinks: true })
  }
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync('/usr/local/bin/node', join(modules, '.bin/node'))
  writeFileSync(join(modules, '.atoll-ready'), '')
  return folder
}

describe.skipIf(lacks.length > 0 || buildx === undefined)('Atoll in an image of its own', () => {
  it('is built from its Dockerfile, runs as nobody in particular, is healthy and answers', {
    timeout: buildTimeoutMs + 120_000,
  }, async () => {
    const contexts = ['--build-context', `packages=${installedPackages()}`]
    const asked = ['build', '--progress=plain', '--build-arg', 'BASE=machine', ...contexts, '-t', 'atoll', root]
    const built = await docker(asked, { DOCKER_BUILDKIT: '1', BUILDX_CONFIG: join(server.folder, 'buildx') })
    expect(built.code, built.stdout.slice(-3_000)).toBe(0)
    const id = (await docker(['run', '-d', 'atoll'])).stdout.trim()
    const said = async () => `${await healthOf(id)} ${(await docker(['logs', id])).stdout.slice(-2_000)}`
    await expect.poll(said, { timeout: 100_000, interval: 1_000 }).toMatch(/^healthy/)
    const script =
      "fetch('http://127.0.0.1:8080/v1/models').then(async (answer) => console.log(answer.status, process.getuid(), await answer.text()))"
    const answered = (await docker(['exec', id, 'node_modules/.bin/node', '-e', script])).stdout
    expect(answered).toMatch(/^401 10001 .*API key/s)
    expect((await docker(['exec', id, 'touch', '/atoll/written'])).code).not.toBe(0)
    await docker(['rm', '-f', '-v', id])
  })
})
