// A module of the engine in a few files: to load it as a thousand takes most of the time that a test's engine needs.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { shared } from '@atoll/testkit/shared-folder'

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

/** Made once for a run of the tests; the module itself where there is none, or no bundler. */
export async function bundled(name: string, module: URL): Promise<URL> {
  if (!existsSync(join(root, 'node_modules/rolldown'))) return module
  const folder = await shared(name, async (place) => {
    const args = [join(root, 'bin/bundle.js'), root, place, 'engine', fileURLToPath(module)]
    await promisify(execFile)(process.execPath, args)
  })
  if (folder === undefined) return module
  const { entry } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { entry: string }
  return pathToFileURL(join(folder, entry))
}
