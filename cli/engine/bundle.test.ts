// The engine alone starts from a few files into which its modules were put: bin/bundle.js.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { root } from '../places.ts'

const { engineBundle, isEngineAlone } = createRequire(import.meta.url)('../../bin/bundle-cache.cjs') as {
  engineBundle(root: string, folder: string): string | undefined
  isEngineAlone(args: string[]): boolean
}
const canBundle = existsSync(join(root, 'node_modules/rolldown'))
const isRoot = process.getuid?.() === 0

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
      const entry = engineBundle(root, cache) ?? ''
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
      expect(readFileSync(engineBundle(root, cache) ?? '', 'utf8')).not.toContain('from the bundle')
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
    let said = ''
    await new Promise<void>((resolve) => {
      const hear = (text: string) => {
        said += text
        if (said.includes('Atoll is ready')) resolve()
      }
      engine.child.stdout?.setEncoding('utf8').on('data', hear)
      engine.child.stderr?.setEncoding('utf8').on('data', hear)
      void engine.ended.then(() => resolve())
    })
    engine.kill('SIGTERM')
    await engine.ended
    return said
  } finally {
    await host.stop()
  }
}
