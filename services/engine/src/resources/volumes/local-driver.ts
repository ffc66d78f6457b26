// The volume driver that every engine has: folders of the engine, or what its options say to mount.
import type { MountPoint } from '../containers/record.ts'

export const localDriver = 'local'

type Options = Readonly<Record<string, string>>
export type VolumeDevice = NonNullable<NonNullable<MountPoint['options']>['device']>

const known = ['type', 'o', 'device', 'size']
/** Who says the one has to say the others. */
const needs: Options & Readonly<Record<string, string>> = { device: 'type', type: 'device', o: 'device,type' }

export function optionProblems(options: Options): string[] {
  const names = Object.keys(options)
  const missing = names.flatMap((name) => (needs[name] ?? '').split(',').filter(Boolean))
  return [
    ...names.filter((name) => !known.includes(name)).map((name) => `invalid option: "${name}"`),
    ...[...new Set(missing)].filter((name) => !(name in options)).map((name) => `missing required option: "${name}"`),
    ...('size' in options ? ['quota size requested but no quota support'] : []),
  ]
}

/** It is mounted by each container's runtime in the container's own namespace. Undefined: the volume is a plain folder. */
export function deviceOf({ type, device, o = '' }: Options): VolumeDevice | undefined {
  if (type === undefined || device === undefined) return undefined
  const flags = o.split(',').filter(Boolean)
  const isBind = flags.includes('bind') || flags.includes('rbind')
  return { type: isBind ? 'bind' : type, source: device, flags }
}
