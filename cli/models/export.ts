// ./atoll models export: a fine-tuned model and its base as one file, which any program for GGUF files can load.
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { FineTunedFiles } from '@atoll/platform/resources/fine-tuning/adapter-files'
import { mergeAdapter } from '@atoll/trainer/merge/merge'
import { TrainerProblem } from '@atoll/trainer/problem'
import { CommandProblem, telling } from '../command-problem.ts'
import { ask } from '../control/ask.ts'
import { type FolderFlags, folderOf } from '../control/status.ts'
import { quoted } from '../follow.ts'
import { megabytes } from './progress.ts'

export const exportModel = (id: string, flags: FolderFlags & { output?: string }): Promise<void> =>
  telling(async () => {
    const output = flags.output ?? `${id.replace(/[^\w.-]+/g, '-')}.gguf`
    await checkOutput(output)
    const folder = await folderOf(flags)
    const files = await ask<FineTunedFiles>(folder, 'models.files', id)
    if (files === undefined) {
      throw new CommandProblem(`Atoll does not run on ${folder}. Start it with ./atoll up --detach, then try again.`)
    }
    await mergeAdapter({ ...files, output }).catch((error: unknown) => {
      if (error instanceof TrainerProblem) throw new CommandProblem(`the model cannot be exported: ${error.message}.`)
      throw error
    })
    console.log(`Written: ${output} (${megabytes((await stat(output)).size)}).`)
    console.log(`To answer chats with it: ./atoll up --model ${quoted(output)}`)
  })

/** Before there is any work: a large model takes minutes. */
async function checkOutput(output: string): Promise<void> {
  if (output === '') throw new CommandProblem('--output is empty; name the file to write.')
  if (existsSync(output)) throw new CommandProblem(`${output} is there already; choose another with --output.`)
  const folder = dirname(output)
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    const name = basename(output)
    throw new CommandProblem(`there is no folder ${folder} for ${name}; make it, or choose another with --output.`)
  }
  if (!found.isDirectory()) throw new CommandProblem(`${folder} is no folder; choose another with --output.`)
}
