// Whether the files that are to answer are models: found at the start, not by the first caller.
import { join } from 'node:path'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { newestModelFile } from '@atoll/models/chat-model'
import type { AtollConfig } from '../config.ts'

interface Named {
  /** What the operator changes. */
  setting: string
  file: string
}

export async function checkModelFiles({ platform, data }: Pick<AtollConfig, 'platform' | 'data'>): Promise<void> {
  const named: Named[] = Object.entries(platform.runtimes).flatMap(([name, runtime]) =>
    runtime.kind === 'llama' ? [{ setting: `platform.runtimes.${name}.file`, file: runtime.file }] : [],
  )
  const chat = await chatFile(platform, data)
  if (chat !== undefined) named.unshift(chat)
  if (named.length === 0) return
  const problems = await Promise.all(named.map(problemOf))
  const found = problems.filter((problem) => problem !== undefined)
  if (found.length > 0) throw new ConfigError(found)
}

async function chatFile({ chatModel, modelsFolder }: AtollConfig['platform'], data: string) {
  if (chatModel !== undefined) return { setting: 'platform.chatModel (--model)', file: chatModel }
  const folder = modelsFolder ?? join(data, 'models')
  const file = await newestModelFile(folder)
  return file === undefined ? undefined : { setting: `the newest model of ${folder}`, file }
}

async function problemOf({ setting, file }: Named): Promise<string | undefined> {
  // Its code is needed by few starts.
  const { readGguf } = await import('@atoll/models/gguf/read')
  try {
    await readGguf(file)
    return undefined
  } catch (error) {
    return `${setting}: ${file} cannot answer: ${reason(error)}`
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  return code === 'EACCES' ? 'no permission to read it' : message
}
