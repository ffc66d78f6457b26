// Secrets and configs of tasks as files in memory: a tmpfs that goes with the swarm. Nothing of them is on a disk.
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidParameter } from '../../errors.ts'
import { MemoryFolder } from '../../mounts/memory-folder.ts'
import type { Mount } from '../../resources/containers/schema.ts'
import type { ContainerSpec } from '../../resources/services/schema.ts'
import type { Assignment, TaskFile } from './dispatcher.ts'
import { expandTemplate, type TemplateValues } from './template.ts'

const secretsFolder = '/run/secrets'
const defaultMode = 0o444

export class TaskFiles {
  readonly #memory: MemoryFolder

  constructor(swarmFolder: string) {
    this.#memory = new MemoryFolder(join(swarmFolder, 'files'))
  }

  open(): Promise<void> {
    return this.#memory.open()
  }

  close(): Promise<void> {
    return this.#memory.close()
  }

  /** Mounts for the task's container, one for each file. */
  async write(assignment: Assignment, spec: ContainerSpec, values: TemplateValues): Promise<Mount[]> {
    const files = [
      ...(spec.Secrets ?? []).map(({ SecretID = '', SecretName, File }) => ({
        file: assignment.secret(SecretID),
        what: `secret ${SecretName ?? SecretID}`,
        target: targetOf(File?.Name ?? SecretName ?? '', secretsFolder),
        owner: File,
      })),
      ...(spec.Configs ?? [])
        // Those of the runtime are read by the engine alone.
        .filter(({ Runtime }) => Runtime === undefined)
        .map(({ ConfigID = '', ConfigName, File }) => ({
          file: assignment.config(ConfigID),
          what: `config ${ConfigName ?? ConfigID}`,
          target: targetOf(File?.Name ?? ConfigName ?? '', ''),
          owner: File,
        })),
    ]
    if (files.length === 0) return []
    const folder = this.#of(assignment.task.ID)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
    return Promise.all(
      files.map(async ({ file, what, target, owner }, index) => {
        const path = join(folder, String(index))
        await writeFile(path, readFile(file, what, assignment, values), { mode: 0o600 })
        await chown(path, readId(owner?.UID, what), readId(owner?.GID, what))
        await chmod(path, (owner?.Mode ?? defaultMode) & 0o7777)
        return { Type: 'bind', Source: path, Target: target, ReadOnly: true } as Mount
      }),
    )
  }

  async remove(taskId: string): Promise<void> {
    await rm(this.#of(taskId), { recursive: true, force: true })
  }

  #of(taskId: string): string {
    return join(this.#memory.path, taskId)
  }
}

/** Names are places below a folder; configs begin at the root. */
function targetOf(name: string, folder: string): string {
  if (name === '') throw invalidParameter('a secret or config of the service has no file name')
  return name.startsWith('/') ? name : `${folder}/${name}`
}

function readId(text: string | undefined, what: string): number {
  if (text === undefined || text === '') return 0
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw invalidParameter(`the owner of ${what} is no number: ${text}`)
}

function readFile(file: TaskFile | undefined, what: string, assignment: Assignment, values: TemplateValues): Buffer {
  if (file === undefined) throw invalidParameter(`${what} not found`)
  if (file.driver !== undefined)
    throw invalidParameter(`${what} comes from ${file.driver}, and there is no such plugin`)
  if (!file.isTemplate) return file.data
  const { Env = [], Secrets = [], Configs = [] } = assignment.task.Spec.ContainerSpec ?? ({} as ContainerSpec)
  const text = (found: TaskFile | undefined) => found?.data.toString()
  const functions = {
    env: (name: string) => Env.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1),
    // By the name of the file that the task has it under.
    secret: (name: string) =>
      text(
        assignment.secret(Secrets.find(({ File, SecretName }) => (File?.Name ?? SecretName) === name)?.SecretID ?? ''),
      ),
    config: (name: string) =>
      text(
        assignment.config(Configs.find(({ File, ConfigName }) => (File?.Name ?? ConfigName) === name)?.ConfigID ?? ''),
      ),
  }
  return Buffer.from(expandTemplate(file.data.toString(), { values, functions }))
}
