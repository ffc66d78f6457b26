// The console's built files, for the server. They are built when somebody first opens the console and the sources have
// changed since: a start takes no time for it, and a machine that never shows it has no work with it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HostRule } from '@atoll/kernel/http/own-host'
import type { SiteFile, SiteFiles, StaticSite } from '@atoll/kernel/http/site/site'
import { type BuiltConsole, freshBuild } from './build.ts'

export const consoleSite = (isOwnHost: HostRule): StaticSite => ({
  path: '/console',
  isOwnHost,
  async load() {
    const built = await freshBuild()
    return 'problem' in built ? built : readFiles(built)
  },
})

const packed = promisify(gzip)

async function readFiles({ folder, index, assets }: BuiltConsole): Promise<SiteFiles> {
  const read = async (name: string): Promise<SiteFile> => {
    const body = await readFile(join(folder, name))
    return { body, contentType: typeOf(name), gzip: await packed(body) }
  }
  const files = new Map<string, SiteFile>()
  for (const name of assets) files.set(name, await read(name))
  return { index: await read(index), assets: files }
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const typeOf = (name: string): string => types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
