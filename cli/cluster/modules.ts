// Modules from the command line: list, upload.
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ModuleObject } from '@atoll/cluster/resources/modules/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { show, timeText } from '../table.ts'
import { serverFrom } from './cluster-server.ts'
import type { ServerFlags } from './databases.ts'

export const listModules = (flags: ServerFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    show(await serverFrom(flags.url, process.env).get<ModuleObject[]>('/v1/modules'), {
      ...(flags.json ? { json: true } : {}),
      titles: ['NAME', 'VERSION', 'NEEDS ENGINE', 'ARCHITECTURE', 'UPLOADED', 'UID'],
      row: (module) => [
        ...[module.module_name, module.semantic_version, module.min_redis_version, module.architecture],
        ...[timeText(module.created_time), module.uid],
      ],
      none: 'There are no modules yet. To add one: ./atoll cluster upload FILE.zip',
    })
  })

export const uploadModule = (file: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const form = new FormData()
    form.set('module', await packageIn(file), basename(file))
    const { module_name, semantic_version, uid } = await server.send<ModuleObject>('/v2/modules', {
      method: 'POST',
      body: form,
    })
    const module = `${module_name}@${semantic_version}`
    console.log(`Module ${module} is in the cluster (uid ${uid}).`)
    console.log(`To use it: ./atoll cluster create NAME --module ${module}`)
    console.log(`       or: ./atoll cluster upgrade DATABASE ${module}`)
  })

/** Read from the disk while it is sent. */
async function packageIn(file: string): Promise<Blob> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandProblem(error.code === 'ENOENT' ? `there is no file ${file}.` : `${file}: ${error.code}.`)
  })
  if (!found.isFile()) throw new CommandProblem(`${file} is no file; a module is a zip of module.json and its .so.`)
  return openAsBlob(file, { type: 'application/zip' }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandProblem(`${file} cannot be read (${error.code}).`)
  })
}
