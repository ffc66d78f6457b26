// Follows the pages about the gateway: what they say to set is started, what they say to run is run there and prints what
// the page says it prints.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { adminToken, type HooksServer, hookToken, startHooks } from '@atoll/hooks/testing/hooks-server'
import { sqliteTarget } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, describe, expect, it } from 'vitest'
import { loadAtollConfig } from '../config.ts'
import { root } from '../places.ts'
import { type Block, blocksIn, titleOf } from './blocks.ts'

const folder = join(root, 'docs', 'hooks')
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))
const languages = ['yaml', 'ts', 'sh', 'text']
const timeoutMs = 60_000

/** What a reader has done so far. */
class Reader {
  #settings = '{}'
  readonly #files = new Map<string, string>()
  #server: HooksServer | undefined
  #printed = ''

  /** A new configuration is a new start. */
  async set(settings: string): Promise<void> {
    await this.close()
    this.#settings = settings
    await loadAtollConfig({ file: await this.#written(), env: {} })
  }

  /** Named by its first line. */
  put(source: string): void {
    const [, name] = /^\/\/ (\S+)\n/.exec(source) ?? []
    expect(name, 'the name of the file in the first line').toBeDefined()
    this.#files.set(name ?? '', source)
  }

  async run(script: string): Promise<void> {
    const { url } = await this.start()
    const env = { ATOLL_HOOKS_URL: url, ATOLL_HOOKS_TOKEN: hookToken, ATOLL_HOOKS_ADMIN_TOKEN: adminToken }
    const bash = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env: { ...process.env, ...env } })
    this.#printed = (await bash).stdout
  }

  /** `…` stands for anything within a line. */
  compare(expected: string): void {
    const parts = expected.trimEnd().split('…')
    const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\n"]+')
    expect(this.#printed.trimEnd()).toMatch(new RegExp(`^${pattern}$`))
  }

  async start(): Promise<HooksServer> {
    if (this.#server !== undefined) return this.#server
    const { hooks, agents, channels } = await loadAtollConfig({ file: await this.#written(), env: {} })
    this.#server = await startHooks(sqliteTarget, { hooks, agents, channels })
    return this.#server
  }

  async close(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
  }

  async #written(): Promise<string> {
    const place = await tempDir()
    for (const [name, source] of this.#files) {
      await mkdir(join(place, dirname(name)), { recursive: true })
      await writeFile(join(place, name), source)
    }
    await writeFile(join(place, 'atoll.yaml'), this.#settings)
    return join(place, 'atoll.yaml')
  }
}

async function follow(reader: Reader, { language, code }: Block, next: Block | undefined): Promise<void> {
  if (language === 'yaml') {
    await reader.set(code)
    // Settings that nothing is run with must be fit to start with all the same.
    if (next === undefined || next.language === 'yaml') await reader.start()
  } else if (language === 'ts') reader.put(code)
  else if (language === 'sh') {
    expect(next?.language, 'what it prints follows').toBe('text')
    await reader.run(code)
  } else reader.compare(code)
}

describe.each(pages)('docs/hooks/%s', (page) => {
  const blocks = blocksIn(readFileSync(join(folder, page), 'utf8'))
  const reader = new Reader()
  afterAll(() => reader.close())

  it('has blocks, and only such as can be followed', () => {
    expect(blocks.length).toBeGreaterThan(0)
    for (const { language, line } of blocks) expect(languages, `line ${line}`).toContain(language)
  })

  for (const [index, block] of blocks.entries()) {
    it(titleOf(block), () => follow(reader, block, blocks[index + 1]), timeoutMs)
  }
})
