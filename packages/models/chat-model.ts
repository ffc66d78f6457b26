// Which file answers chats when none was named.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelProblem } from './problem.ts'

/** The GGUF file that came into the folder last; undefined when there is none. */
export async function newestModelFile(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  let newest: { path: string; at: number } | undefined
  for (const name of names.filter((name) => name.endsWith('.gguf')).sort()) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() && (newest === undefined || found.mtimeMs > newest.at)) newest = { path, at: found.mtimeMs }
  }
  return newest?.path
}

export const missingChatModel = (): ModelProblem =>
  new ModelProblem(
    'No chat model is installed. Download one with ./atoll models pull NAME, or start with ./atoll up --model FILE and the path of a GGUF file.',
    { kind: 'not_installed' },
  )
