// Which file answers chats when none was named.
import { ModelProblem } from './problem.ts'

/** The chat model that came into the folder last; undefined when there is none. Embedding models cannot chat. */
export async function newestModelFile(folder: string): Promise<string | undefined> {
  const { ModelFolder } = await import('./files/folder.ts')
  const models = await new ModelFolder(folder).list()
  const able = models.filter(({ info }) => info !== undefined && info.pooling === undefined)
  return able.toSorted((a, b) => b.modifiedAt - a.modifiedAt)[0]?.path
}

export const missingChatModel = (): ModelProblem =>
  new ModelProblem(
    'No chat model is installed. Download one with ./atoll models pull NAME, or start with ./atoll up --model FILE and the path of a GGUF file.',
    { kind: 'not_installed' },
  )
