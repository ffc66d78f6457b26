// An assignment as it travels: with those secrets and configs that the task names, and no others.
import type { Assignment, TaskFile } from '../worker/dispatcher.ts'

type WireFile = Omit<TaskFile, 'data'> & { data: string }

export interface WireAssignment extends Omit<Assignment, 'secret' | 'config'> {
  secrets: Record<string, WireFile>
  configs: Record<string, WireFile>
}

export function toWire({ secret, config, ...rest }: Assignment): WireAssignment {
  const { Secrets = [], Configs = [] } = rest.task.Spec.ContainerSpec ?? {}
  const secrets = Secrets.map(({ SecretID = '' }) => [SecretID, secret(SecretID)] as const)
  const configs = Configs.map(({ ConfigID = '' }) => [ConfigID, config(ConfigID)] as const)
  return { ...rest, secrets: filesToWire(secrets), configs: filesToWire(configs) }
}

export function fromWire({ secrets, configs, ...rest }: WireAssignment): Assignment {
  return { ...rest, secret: (id) => fileFromWire(secrets[id]), config: (id) => fileFromWire(configs[id]) }
}

const filesToWire = (files: readonly (readonly [string, TaskFile | undefined])[]): Record<string, WireFile> =>
  Object.fromEntries(
    files.flatMap(([id, file]) => (file === undefined ? [] : [[id, { ...file, data: file.data.toString('base64') }]])),
  )

const fileFromWire = (file: WireFile | undefined): TaskFile | undefined =>
  file && { ...file, data: Buffer.from(file.data, 'base64') }
