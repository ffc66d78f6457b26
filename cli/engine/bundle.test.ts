// A start runs from a few files into which its modules were put: bin/bundle.js. The engine alone has its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { root } from '../places.ts'

const { bundleOf, isEngineAlone } = createRequire(import.meta.url)('../../bin/bundle-cache.cjs') as {
  bundleOf(root: string, folder: string, args: string[]): string | undefined
  isEngineAlone(args: string[]): boolean
}
const canBundle = existsSync(join(root, 'node_modules/rolldown'))
const isRoot = process.getuid?.() === 0
const alone = ['up', '--only', 'engine']

describe('the engine started alone', () => {
  it('is known by its arguments', () => {
    for (const args of ['up --only engine', 'up --data x --only=engine'])
      expect(isEngineAlone(args.split(' '))).toBe(true)
    for (const args of [
      'up',
      'up --only engine,platform',
      'up --only platform',
      'up --only engine --with cluster',
      'test --only engine',
    ])
      expect(isEngineAlone(args.split(' '))).toBe(false)
  })

  it.skipIf(!canBundle || !isRoot)(
    'runs from its bundle, which is made anew when a module has changed',
    async () => {
      const cache = await tempDir()
      const entry = bundleOf(root, cache, alone) ?? ''
      appendFileSync(entry, "\nprocess.stdout.write('from the bundle\\n')\n")
      expect(await saidByEngine(cache)).toMatch(/from the bundle.*Atoll is ready/s)

      const [folder = ''] = readdirSync(cache).filter((name) => name.startsWith('engine-'))
      const manifest = join(cache, folder, 'manifest.json')
      const written = JSON.parse(readFileSync(manifest, 'utf8'))
      expect(written.modules.every(([path, modified]: [string, number]) => statSync(path).mtimeMs === modified)).toBe(
        true,
      )
      written.modules[0][1] -= 1
      writeFileSync(manifest, JSON.stringify(written))
      expect(readFileSync(bundleOf(root, cache, alone) ?? '', 'utf8')).not.toContain('from the bundle')
    },
    120_000,
  )
})

describe('every other start', () => {
  it.skipIf(!canBundle)(
    'runs from a bundle too',
    async () => {
      const cache = await tempDir()
      const args = ['up', '--only', 'platform', '--port', '0', '--data', join(cache, 'data')]
      // Its own rehearsal, which only compiles, is left out.
      writeFileSync(join(cache, `rehearsed-${process.version}`), '')
      appendFileSync(bundleOf(root, cache, args) ?? '', "\nprocess.stdout.write('from the bundle\\n')\n")
      const env = { ...process.env, NODE_COMPILE_CACHE: cache }
      const child = spawn(process.execPath, [join(root, 'bin/start.cjs'), ...args], { env })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      expect(await saidUntilReady(child, ended)).toMatch(/from the bundle.*Atoll is ready/s)
      child.kill('SIGTERM')
      await ended
    },
    120_000,
  )
})

/** What a start says until it is ready, on a machine of its own. */
async function saidByEngine(cache: string): Promise<string> {
  const host = await isolatedHost()
  try {
    const data = join(cache, 'data')
    mkdirSync(data)
    const args = [join(root, 'bin/start.cjs'), 'up', '--only', 'engine', '--data', data]
    const engine = await host.spawn(process.execPath, args, { env: { NODE_COMPILE_CACHE: cache } })
    const said = await saidUntilReady(engine.child, engine.ended)
    engine.kill('SIGTERM')
    await engine.ended
    return said
  } finally {
    await host.stop()
  }
}

function saidUntilReady({ stdout, stderr }: Pick<ChildProcess, 'stdout' | 'stderr'>, ended: Promise<unknown>) {
  return new Promise<string>((resolve) => {
    let said = ''
    const hear = (text: string) => {
      said += text
      if (said.includes('Atoll is ready')) resolve(said)
    }
    stdout?.setEncoding('utf8').on('data', hear)
    stderr?.setEncoding('utf8').on('data', hear)
    void ended.then(() => resolve(said))
  })
}
