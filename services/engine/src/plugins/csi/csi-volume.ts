// A volume of a cluster as plugins are told of it.
import type { ClusterAccess } from '../../resources/volumes/cluster/schema.ts'
import { accessModes } from './csi-messages.ts'

export type Texts = Readonly<Record<string, string>>

export interface CsiVolume {
  /** As the plugin calls it. */
  volumeId: string
  access: ClusterAccess
  /** What the plugin said when it made the volume. */
  context: Texts
  secrets: Texts
}

/** Keys in order: a message is the same whenever it is sent. */
export const asMap = (texts: Texts): Map<string, string> => new Map(Object.entries(texts))
export const asTexts = (texts: ReadonlyMap<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(texts ?? [])

export function capabilityOf({ Scope, Sharing, MountVolume }: ClusterAccess) {
  const { FsType = '', MountFlags = [] } = MountVolume ?? {}
  return { mount: { fsType: FsType, mountFlags: MountFlags }, accessMode: { mode: modeOf(Scope, Sharing) } }
}

function modeOf(scope: ClusterAccess['Scope'], sharing: ClusterAccess['Sharing']): number {
  if (scope === 'single') return sharing === 'readonly' ? accessModes.singleReader : accessModes.singleWriter
  if (sharing === 'readonly') return accessModes.multiReader
  return sharing === 'all' ? accessModes.multiWriter : accessModes.multiSingleWriter
}
