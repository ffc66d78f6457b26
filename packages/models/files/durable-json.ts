// Small JSON files that are there whole or not at all.
import { open, readFile, rename, stat } from 'node:fs/promises'
import type { z } from 'zod'

const maxJsonBytes = 4 * 1024 * 1024

export async function writeJson(path: string, value: unknown): Promise<void> {
  const draft = `${path}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(value))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
}

/** Undefined when it is absent, or not what it should be. */
export async function readJson<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    if ((await stat(path)).size > maxJsonBytes) return undefined
    return schema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
