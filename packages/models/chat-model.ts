// Which file answers chats: the one that was named, else the newest that was downloaded, else the one Atoll brings along.
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { RuntimeSettings } from './config.ts'
import { joinedParts } from './joined-parts.ts'
import { ModelProblem } from './problem.ts'
import { MemoryBudget } from './process/memory-budget.ts'

/** The chat model that came into the folder last; undefined when there is none. Embedding models cannot chat. */
export async function newestModelFile(folder: string): Promise<string | undefined> {
  const { ModelFolder } = await import('./files/folder.ts')
  const models = await new ModelFolder(folder).list()
  const able = models.filter(({ info }) => info !== undefined && info.pooling === undefined)
  return able.toSorted((a, b) => b.modifiedAt - a.modifiedAt)[0]?.path
}

const ownFolder = new URL('../../weights/chat/', import.meta.url)

/** Answers written at the same time, the last for a project that has none yet: each takes up to 80 MB for its conversation. */
const slots = 3

/** The small model in weights/chat, which may lie there in parts, held to its checksum. */
export async function ownChatModel(folder: URL = ownFolder): Promise<RuntimeSettings> {
  try {
    const { file, sha256 } = await ownFile(folder)
    return RuntimeSettings.parse({ kind: 'llama', file, sha256, slots, keyBits: 8, assist: true })
  } catch (error) {
    throw missingChatModel(error)
  }
}

/** What it takes once it is loaded. */
export const ownMemoryBytes = 315_994_400

/**
 * That it is whole, by its size, and that this machine holds it: who loads it looks at its checksum. What its head says
 * is known, and to read its vocabulary at every start would be the hottest loop there.
 */
export async function checkOwnChatModel(folder: URL = ownFolder, budget = new MemoryBudget()): Promise<void> {
  try {
    const { file, bytes } = await ownFile(folder)
    const { size } = await stat(file)
    if (size !== bytes) throw new Error(`${file} has ${size} bytes in place of ${bytes}`)
  } catch (error) {
    throw missingChatModel(error)
  }
  budget.mustHold(ownMemoryBytes)
}

async function ownFile(folder: URL): Promise<{ file: string; bytes: number; sha256: string }> {
  const known = JSON.parse(await readFile(new URL('model.json', folder), 'utf8'))
  const { file, bytes, sha256, parts } = known
  return {
    file: parts ? await joinedParts(fileURLToPath(folder), known) : fileURLToPath(new URL(file, folder)),
    ...{ bytes, sha256 },
  }
}

const missingChatModel = (cause: unknown): ModelProblem =>
  new ModelProblem(
    'The built-in chat model is missing from this installation. Download one with ./atoll models pull NAME, or start with ./atoll up --model FILE and the path of a GGUF file.',
    { kind: 'not_installed' },
    { cause },
  )
