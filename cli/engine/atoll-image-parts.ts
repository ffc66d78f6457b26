// What the root Dockerfile otherwise gets from registries, made of what is on this machine.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../places.ts'
import type { EngineServer } from './engine-server.ts'
import { runToEnd } from './run-to-end.ts'

const importTimeoutMs = 120_000

/** `base:latest`: busybox, and the libraries that Node is linked to. Node itself comes with the packages. */
export function importBase(server: EngineServer): Promise<void> {
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' })
  const libraries = [...linked.matchAll(/\/(\S+) \(0x/g)].map(([, path = '']) => path)
  const sources = ['-C', join(server.folder, 'busybox'), '.', '-C', '/', '--dereference', ...libraries]
  return importTar(server, 'base', sources, ['--change', 'ENV PATH=/bin'])
}

/** Loaded by models and bundles at their first use, and large: what is tried here needs none of them. */
const packagesOfModels =
  /^(@rolldown\/|rolldown$|@iconify-json\/|onnxruntime|@node-llama-cpp\/|gpt-tokenizer$|@echogarden\/|@img\/|@libav\.js\/|@resvg\/|@expo-google-fonts\/)/

/** Half of the files, which no program reads. */
const unread = ['node_modules/node-linux-*/include', '*.d.ts', '*.d.mts', '*.d.cts', '*.map', '*.h', '*.md']

/** `packages:latest`: what the stage `installed` would hold. */
export function importPackages(server: EngineServer): Promise<void> {
  const stamp = join(server.folder, 'stamp')
  mkdirSync(join(stamp, 'node_modules'), { recursive: true })
  writeFileSync(join(stamp, 'node_modules/.atoll-ready'), '')
  const installed = ['-C', root, ...installedPaths(), 'node_modules/.bin/node']
  const rules = [...unread.map((pattern) => `--exclude=${pattern}`), '--transform=flags=r;s,^,atoll/,']
  return importTar(server, 'packages', [...rules, ...installed, '-C', stamp, 'node_modules/.atoll-ready'])
}

function installedPaths(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock).flatMap(([path, { dev, devOptional }]) => {
    const [, name] = /^(?:[a-z]+\/)*node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    const isWanted = name !== undefined && !dev && !devOptional && !packagesOfModels.test(name)
    return isWanted && existsSync(join(root, path)) ? [path] : []
  })
}

async function importTar({ folder, env }: EngineServer, name: string, sources: string[], changes: string[] = []) {
  const archive = join(folder, `${name}.tar`)
  const options = { env, timeoutMs: importTimeoutMs }
  const packed = await runToEnd('tar', ['--owner=0', '--group=0', '-cf', archive, ...sources], options)
  if (packed.code !== 0) throw new Error(`${name} was not packed: ${packed.stderr}`)
  const imported = await runToEnd('docker', ['import', ...changes, archive, `${name}:latest`], options)
  if (imported.code !== 0) throw new Error(`${name} was not imported: ${imported.stderr}`)
}
